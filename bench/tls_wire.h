// TLS of a client over a blocking socket: the handshake in PRELOGIN packets (MS-TDS 2.2.6.5), then bare records.
#pragma once

#include <cstddef>
#include <cstdint>

struct ssl_st;
struct bio_st;

namespace dragoman::bench {

class tls_wire {
 public:
  // The PRELOGIN answer has said that everything is encrypted. Throws std::runtime_error when the handshake fails. The
  // server's certificate is not checked: it is the server's speed that is measured.
  explicit tls_wire(int socket);
  ~tls_wire();
  tls_wire(const tls_wire&) = delete;
  tls_wire& operator=(const tls_wire&) = delete;

  // One record per call, as a packet must be.
  void send(const std::uint8_t* data, std::size_t size);
  // As recv: 0 = closed.
  std::size_t receive(std::uint8_t* out, std::size_t size);

 private:
  void flush();  // what TLS wants to say goes to the socket
  int socket_;
  ssl_st* ssl_ = nullptr;
  bio_st* in_ = nullptr;
  bio_st* out_ = nullptr;
};

}  // namespace dragoman::bench
