#include "bench/tls_wire.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace dragoman::bench {
namespace {

constexpr std::uint8_t type_prelogin = 0x12;
constexpr std::size_t header = 8;
constexpr std::size_t packet = 4096;

SSL_CTX* context() {
  static SSL_CTX* const made = [] {
    SSL_CTX* c = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(c, TLS1_2_VERSION);
    return c;
  }();
  return made;
}

void send_all(int socket, const std::uint8_t* data, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::send(socket, data, size, MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("the server closed the connection");
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

void receive_all(int socket, std::uint8_t* out, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::recv(socket, out, size, 0);
    if (n <= 0) throw std::runtime_error("the server closed the connection");
    out += n;
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace

tls_wire::tls_wire(int socket)
    : socket_(socket), ssl_(SSL_new(context())), in_(BIO_new(BIO_s_mem())), out_(BIO_new(BIO_s_mem())) {
  SSL_set_bio(ssl_, in_, out_);
  SSL_set_connect_state(ssl_);
  std::vector<std::uint8_t> buffer(packet);
  for (;;) {
    const int rc = SSL_do_handshake(ssl_);
    while (BIO_ctrl_pending(out_) != 0) {
      const std::size_t size = header + std::min(BIO_ctrl_pending(out_), packet - header);
      BIO_read(out_, buffer.data() + header, static_cast<int>(size - header));
      const std::uint8_t front[header] = {type_prelogin,
                                          static_cast<std::uint8_t>(BIO_ctrl_pending(out_) == 0),
                                          static_cast<std::uint8_t>(size >> 8),
                                          static_cast<std::uint8_t>(size),
                                          0,
                                          0,
                                          0,
                                          0};
      std::copy_n(front, header, buffer.begin());
      send_all(socket_, buffer.data(), size);
    }
    if (rc == 1) return;
    if (SSL_get_error(ssl_, rc) != SSL_ERROR_WANT_READ) throw std::runtime_error("the TLS handshake failed");
    for (bool last = false; !last;) {
      receive_all(socket_, buffer.data(), header);
      const std::size_t size = static_cast<std::size_t>(buffer[2]) << 8 | buffer[3];
      if (size < header || size > packet) throw std::runtime_error("not a TDS packet");
      last = (buffer[1] & 1) != 0;
      receive_all(socket_, buffer.data() + header, size - header);
      BIO_write(in_, buffer.data() + header, static_cast<int>(size - header));
    }
  }
}

tls_wire::~tls_wire() {
  SSL_set_quiet_shutdown(ssl_, 1);
  SSL_free(ssl_);
}

void tls_wire::flush() {
  std::vector<std::uint8_t> record(BIO_ctrl_pending(out_));
  if (record.empty()) return;
  BIO_read(out_, record.data(), static_cast<int>(record.size()));
  send_all(socket_, record.data(), record.size());
}

void tls_wire::send(const std::uint8_t* data, std::size_t size) {
  if (SSL_write(ssl_, data, static_cast<int>(size)) != static_cast<int>(size))
    throw std::runtime_error("TLS cannot be written");
  flush();
}

std::size_t tls_wire::receive(std::uint8_t* out, std::size_t size) {
  for (;;) {
    const int n = SSL_read(ssl_, out, static_cast<int>(std::min<std::size_t>(size, 1u << 30)));
    if (n > 0) return static_cast<std::size_t>(n);
    if (SSL_get_error(ssl_, n) != SSL_ERROR_WANT_READ) return 0;
    std::uint8_t raw[32768];
    const ssize_t got = ::recv(socket_, raw, sizeof raw, 0);
    if (got <= 0) return 0;
    BIO_write(in_, raw, static_cast<int>(got));
  }
}

}  // namespace dragoman::bench
