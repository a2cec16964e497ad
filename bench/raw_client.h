// The least TDS client: logs in without TLS, sends batches, counts what comes back. It decodes nothing but packet
// headers and the last DONE token, so that what is measured is the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  };

  // Throws std::runtime_error when the server cannot be reached or refuses.
  explicit raw_client(const login& who);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  answer query(std::string_view sql);
  // Reads no faster than this from now on, as a spreadsheet does; 0 = as fast as it comes.
  void read_at_most(std::uint64_t bytes_per_second);

 private:
  void send(std::uint8_t type, const std::vector<std::uint8_t>& payload);
  answer receive();

  int fd_ = -1;
  std::uint32_t packet_size_ = 4096;
  std::uint64_t bytes_per_second_ = 0;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> tail_;  // the last bytes of the payload, enough for a DONE token
};

}  // namespace dragoman::bench
