// The least TDS client: logs in, with TLS or without, sends batches, counts what comes back. It decodes nothing but
// packet headers and the last DONE token, so that what is measured is the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/tls_wire.h"

namespace dragoman::bench {

struct answer {
  std::uint64_t rows = 0;   // of the last DONE token
  std::uint64_t bytes = 0;  // payload of the response
  bool failed = false;      // it ended with an error
  std::string text;         // the printable part of a failed response
};

class raw_client {
 public:
  struct login {
    std::uint16_t port = 0;
    std::string user;
    std::string password;
    std::string database;
    std::uint32_t packet_size = 32767;
    bool tls = false;  // the whole session; packets then fit a record
  };

  // Throws std::runtime_error when the server cannot be reached or refuses.
  explicit raw_client(const login& who);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  // PRELOGIN without TLS and LOGIN7, as they go over the wire.
  static std::vector<std::uint8_t> login_packet(const login& who);

  answer query(std::string_view sql);
  // Forgets what encrypts the session, which stays as it is for the server: nothing can be asked any more.
  void stay_idle() {
    tls_.reset();
    std::vector<std::uint8_t>().swap(buffer_);
    std::vector<std::uint8_t>().swap(tail_);
  }
  // Reads no faster than this from now on, as a spreadsheet does; 0 = as fast as it comes.
  void read_at_most(std::uint64_t bytes_per_second);

 private:
  void send(std::uint8_t type, const std::vector<std::uint8_t>& payload);
  answer receive();

  std::size_t receive_some(std::uint8_t* out, std::size_t size);

  int fd_ = -1;
  std::unique_ptr<tls_wire> tls_;
  std::uint32_t packet_size_ = 4096;
  std::uint64_t bytes_per_second_ = 0;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> tail_;  // the last bytes of the payload, enough for a DONE token
};

}  // namespace dragoman::bench
