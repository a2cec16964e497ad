// A certificate authority of a test's own, in a folder that goes with it.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::tds::server::testing {

class certificate_authority {
 public:
  certificate_authority() {
    static std::atomic<int> number{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("dragoman_ca_" + std::to_string(::getpid()) + "_" + std::to_string(++number));
    std::filesystem::create_directories(folder_);
    links_.push_back(make("Test Root", nullptr, true, 0));
    write(path("root.pem"), {&links_.front()});
  }
  ~certificate_authority() {
    for (link& l : links_) free(l);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  certificate_authority(const certificate_authority&) = delete;
  certificate_authority& operator=(const certificate_authority&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string root() const { return path("root.pem"); }

  // Writes NAME.pem (the certificate and `intermediates` more of its chain) and NAME.key. Padding makes each
  // certificate of the chain so many bytes larger.
  void issue(const std::string& name, int intermediates = 0, std::size_t padding = 0) {
    std::vector<link> chain;
    for (int i = 0; i < intermediates; ++i)
      chain.push_back(
          make("Intermediate " + std::to_string(i), i == 0 ? &links_.front() : &chain.back(), true, padding));
    link leaf = make(name, chain.empty() ? &links_.front() : &chain.back(), false, padding);
    std::vector<const link*> file{&leaf};
    for (std::size_t i = chain.size(); i-- > 0;) file.push_back(&chain[i]);
    FILE* key = std::fopen(path(name + ".key.new").c_str(), "w");
    PEM_write_PrivateKey(key, leaf.key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(key);
    write(path(name + ".pem.new"), file);
    for (const char* suffix : {".key", ".pem"})
      std::filesystem::rename(path(name + suffix + ".new"), path(name + suffix));
    free(leaf);
    for (link& l : chain) free(l);
  }

 private:
  struct link {
    EVP_PKEY* key = nullptr;
    X509* certificate = nullptr;
  };
  static void free(link& l) {
    EVP_PKEY_free(l.key);
    X509_free(l.certificate);
  }
  static link make(const std::string& name, const link* issuer, bool authority, std::size_t padding) {
    link out{EVP_EC_gen("P-256"), X509_new()};
    if (out.key == nullptr || out.certificate == nullptr) throw std::runtime_error("no certificate");
    static std::atomic<long> serial{1};
    X509_set_version(out.certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(out.certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(out.certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(out.certificate), 24 * 3600);
    X509_set_pubkey(out.certificate, out.key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(out.certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(out.certificate,
                         X509_get_subject_name(issuer == nullptr ? out.certificate : issuer->certificate));
    std::vector<std::pair<int, std::string>> extensions{
        {NID_basic_constraints, authority ? "critical,CA:TRUE" : "critical,CA:FALSE"}};
    if (!authority) extensions.emplace_back(NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    if (padding != 0) extensions.emplace_back(NID_netscape_comment, std::string(padding, 'x'));
    for (const auto& [id, value] : extensions) {
      X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
      if (extension == nullptr) throw std::runtime_error("no extension");
      X509_add_ext(out.certificate, extension, -1);
      X509_EXTENSION_free(extension);
    }
    X509_sign(out.certificate, issuer == nullptr ? out.key : issuer->key, EVP_sha256());
    return out;
  }
  static void write(const std::string& file, const std::vector<const link*>& chain) {
    FILE* out = std::fopen(file.c_str(), "w");
    for (const link* l : chain) PEM_write_X509(out, l->certificate);
    std::fclose(out);
  }

  std::filesystem::path folder_;
  std::vector<link> links_;
};

}  // namespace dragoman::tds::server::testing
