// The server's certificate and the two ways in which TLS is spoken: tunnelled in PRELOGIN packets (1.2 only: a TLS 1.3
// ticket would be sent after the tunnel has ended) and bare, TDS 8.0 "strict" (1.2 or 1.3, ALPN tds/8.0).
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace dragoman::tds::server {

class tls_context {
 public:
  // PEM files; the certificate file may hold a chain.
  static result<std::shared_ptr<tls_context>> from_files(const std::string& certificate, const std::string& key);
  // Makes a self-signed certificate (RSA 2048, ten years); with a path it is kept there, the key at path + ".key" with
  // mode 0600, and read again next time.
  static result<std::shared_ptr<tls_context>> self_signed(const std::string& path);

  // Clients may show a certificate, or with `required` must; one that is shown must come from the PEM file's
  // authorities.
  result<void> ask_for_client_certificates(const std::string& authorities, bool required);

  std::shared_ptr<SSL_CTX> tunnelled() const { return tunnelled_; }
  std::shared_ptr<SSL_CTX> strict() const { return strict_; }

 private:
  static result<std::shared_ptr<tls_context>> make(X509* certificate, EVP_PKEY* key, const std::string& chain_file);
  std::shared_ptr<SSL_CTX> tunnelled_;
  std::shared_ptr<SSL_CTX> strict_;
};

}  // namespace dragoman::tds::server
