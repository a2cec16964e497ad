// One TLS connection without a socket: bytes in, bytes out. What carries them (PRELOGIN packets or the bare socket) is
// the connection's affair.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "base/bytes.h"
#include "tds/server/tls_context.h"

namespace dragoman::tds::server {

class tls_channel {
 public:
  enum class state : std::uint8_t { more, done, failed };

  // strict: TDS 8.0, the handshake itself is bare TLS of any version; else TLS 1.2 tunnelled in PRELOGIN packets.
  tls_channel(const tls_context& context, bool strict);
  ~tls_channel();
  tls_channel(const tls_channel&) = delete;
  tls_channel& operator=(const tls_channel&) = delete;

  // Takes a flight of the client, appends the server's to `out`. What is left of `in` after `done` belongs to the
  // session: with TLS 1.3 a client may send its first records together with its Finished.
  state handshake(byte_span& in, byte_writer& out);
  // Takes whole or partial records; appends plain bytes to `out` and, for what TLS itself answers, to `reply`.
  // `closed` is set by a close_notify.
  bool decrypt(byte_span in, byte_writer& out, byte_writer& reply, bool& closed);
  // One record per call as long as plain has at most 16384 bytes.
  bool encrypt(byte_span plain, byte_writer& out);

  std::string error() const { return error_; }
  std::string version() const;
  // The subject of the certificate that the client has shown (RFC 2253); empty where it has shown none. What is shown
  // was verified.
  std::string peer_subject() const;

 private:
  struct buffers {
    byte_span in;
    byte_writer* out = nullptr;
  };
  static BIO_METHOD* method();
  static int read(BIO* bio, char* data, int size);
  static int write(BIO* bio, const char* data, int size);
  static long control(BIO* bio, int command, long number, void* pointer);

  void keep_error(const char* what);

  std::shared_ptr<SSL_CTX> context_;  // kept over a reload of the certificate
  SSL* ssl_ = nullptr;
  buffers buffers_;
  std::string error_;
};

}  // namespace dragoman::tds::server
