#include "tds/server/tls_context.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace dragoman::tds::server {
namespace {

constexpr std::string_view alpn_strict = "tds/8.0";
constexpr long ten_years = 10L * 365 * 24 * 3600;

struct free_key {
  void operator()(EVP_PKEY* p) const noexcept { EVP_PKEY_free(p); }
};
struct free_certificate {
  void operator()(X509* p) const noexcept { X509_free(p); }
};
using key_ptr = std::unique_ptr<EVP_PKEY, free_key>;
using certificate_ptr = std::unique_ptr<X509, free_certificate>;

failure tls_failure(const std::string& what) {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return {errc::configuration, what + (reason == nullptr ? "." : std::string(": ") + reason + ".")};
}

int choose_alpn(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                unsigned int in_length, void*) {
  for (unsigned int at = 0; at < in_length;) {
    const unsigned int length = in[at];
    if (length > in_length - at - 1) break;
    if (length == alpn_strict.size() && std::memcmp(in + at + 1, alpn_strict.data(), length) == 0) {
      *out = in + at + 1;
      *out_length = static_cast<unsigned char>(length);
      return SSL_TLSEXT_ERR_OK;
    }
    at += 1 + length;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

std::shared_ptr<SSL_CTX> new_context(int lowest, int highest) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), [](SSL_CTX* c) { SSL_CTX_free(c); });
  if (!context) return context;
  SSL_CTX_set_min_proto_version(context.get(), lowest);
  SSL_CTX_set_max_proto_version(context.get(), highest);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  return context;
}

key_ptr new_key() {
  return key_ptr(EVP_RSA_gen(2048));
}

certificate_ptr new_certificate(EVP_PKEY* key) {
  certificate_ptr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  std::uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return nullptr;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1 | 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), ten_years);
  X509_set_pubkey(certificate.get(), key);
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(host), -1, -1, 0);
  X509_NAME_add_entry_by_txt(name, "O", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("Dragoman self-signed"),
                             -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  const std::string alternatives = std::string("DNS:localhost,IP:127.0.0.1,IP:::1,DNS:") + host;
  const std::pair<int, std::string> extensions[] = {{NID_subject_alt_name, alternatives},
                                                    {NID_ext_key_usage, "serverAuth"},
                                                    {NID_basic_constraints, "critical,CA:FALSE"}};
  for (const auto& [id, value] : extensions) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
    if (extension == nullptr) continue;
    X509_add_ext(certificate.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) return nullptr;
  return certificate;
}

FILE* open_for_write(const std::string& path, mode_t mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return nullptr;
  ::fchmod(fd, mode);
  return ::fdopen(fd, "w");
}

}  // namespace

result<std::shared_ptr<tls_context>> tls_context::make(X509* certificate, EVP_PKEY* key,
                                                       const std::string& chain_file) {
  auto made = std::shared_ptr<tls_context>(new tls_context);
  made->tunnelled_ = new_context(TLS1_2_VERSION, TLS1_2_VERSION);
  made->strict_ = new_context(TLS1_2_VERSION, TLS1_3_VERSION);
  if (!made->tunnelled_ || !made->strict_) return tls_failure("TLS cannot be set up");
  SSL_CTX_set_alpn_select_cb(made->strict_.get(), choose_alpn, nullptr);
  for (SSL_CTX* context : {made->tunnelled_.get(), made->strict_.get()}) {
    const bool loaded = chain_file.empty() ? SSL_CTX_use_certificate(context, certificate) == 1
                                           : SSL_CTX_use_certificate_chain_file(context, chain_file.c_str()) == 1;
    if (!loaded) return tls_failure("The certificate " + chain_file + " cannot be used");
    if (SSL_CTX_use_PrivateKey(context, key) != 1 || SSL_CTX_check_private_key(context) != 1)
      return tls_failure("The private key does not belong to the certificate");
  }
  return made;
}

result<std::shared_ptr<tls_context>> tls_context::from_files(const std::string& certificate, const std::string& key) {
  FILE* file = std::fopen(key.c_str(), "re");
  if (file == nullptr)
    return failure(errc::configuration, "The private key " + key + " cannot be read: " + std::strerror(errno) + ".");
  key_ptr loaded(PEM_read_PrivateKey(file, nullptr, nullptr, nullptr));
  std::fclose(file);
  if (!loaded) return tls_failure("The private key " + key + " cannot be read");
  if (::access(certificate.c_str(), R_OK) != 0)
    return failure(errc::configuration,
                   "The certificate " + certificate + " cannot be read: " + std::strerror(errno) + ".");
  return make(nullptr, loaded.get(), certificate);
}

result<void> tls_context::ask_for_client_certificates(const std::string& authorities, bool required) {
  for (SSL_CTX* context : {tunnelled_.get(), strict_.get()}) {
    STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(authorities.c_str());
    if (names == nullptr || SSL_CTX_load_verify_locations(context, authorities.c_str(), nullptr) != 1)
      return tls_failure("The authorities of client certificates cannot be read from " + authorities);
    SSL_CTX_set_client_CA_list(context, names);  // which it owns from here on
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  }
  return {};
}

result<std::shared_ptr<tls_context>> tls_context::self_signed(const std::string& path) {
  const std::string key_path = path + ".key";
  if (!path.empty() && ::access(path.c_str(), R_OK) == 0 && ::access(key_path.c_str(), R_OK) == 0)
    return from_files(path, key_path);
  const key_ptr key = new_key();
  if (!key) return tls_failure("No key for a self-signed certificate could be made");
  const certificate_ptr certificate = new_certificate(key.get());
  if (!certificate) return tls_failure("No self-signed certificate could be made");
  if (!path.empty()) {
    std::error_code ignored;
    if (const auto parent = std::filesystem::path(path).parent_path(); !parent.empty())
      std::filesystem::create_directories(parent, ignored);
    FILE* key_file = open_for_write(key_path, 0600);
    FILE* certificate_file = open_for_write(path, 0644);
    bool written = key_file != nullptr && certificate_file != nullptr;
    written = written && PEM_write_PrivateKey(key_file, key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
    written = written && PEM_write_X509(certificate_file, certificate.get()) == 1;
    if (key_file != nullptr) written = std::fclose(key_file) == 0 && written;
    if (certificate_file != nullptr) written = std::fclose(certificate_file) == 0 && written;
    if (!written)
      return failure(errc::configuration,
                     "The self-signed certificate cannot be kept at " + path + ": " + std::strerror(errno) + ".");
  }
  return make(certificate.get(), key.get(), {});
}

}  // namespace dragoman::tds::server
