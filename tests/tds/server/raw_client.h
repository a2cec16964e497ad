// A TDS client of a few lines over a blocking socket, for tests that must control every byte.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "tests/tds/hex.h"

namespace dragoman::tds::server::testing {

struct answer {
  std::uint8_t type = 0;
  std::vector<std::uint8_t> body;
  std::vector<std::size_t> packets;  // their sizes
  std::uint16_t spid = 0;
};

class raw_client {
 public:
  // `from`: the loopback address that the client is to have.
  explicit raw_client(std::uint16_t port, int receive_buffer = 0, const char* from = nullptr)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer != 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval patience{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (from != nullptr) {
      sockaddr_in own{};
      own.sin_family = AF_INET;
      ::inet_pton(AF_INET, from, &own.sin_addr);
      if (::bind(fd_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) throw std::runtime_error("bind");
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("connect");
  }
  ~raw_client() { close(); }
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  // As a machine that is switched off and on again: the peer hears a reset.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  // No more will be sent; the answers may still come.
  void half_close() { ::shutdown(fd_, SHUT_WR); }
  std::uint16_t own_port() const {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size);
    return ntohs(own.sin_port);
  }

  void send(byte_span bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error("send");
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  void send_packet(std::uint8_t type, std::uint8_t status, byte_span body) { send(packet(type, status, body)); }
  static std::vector<std::uint8_t> packet(std::uint8_t type, std::uint8_t status, byte_span body) {
    std::vector<std::uint8_t> out{type,
                                  status,
                                  static_cast<std::uint8_t>((body.size() + 8) >> 8),
                                  static_cast<std::uint8_t>(body.size() + 8),
                                  0,
                                  0,
                                  1,
                                  0};
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  // Some bytes as they come; 0 = the server has closed.
  std::size_t receive_some(std::uint8_t* out, std::size_t size) {
    const ssize_t n = ::recv(fd_, out, size, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("the server says nothing");
    return n <= 0 ? 0 : static_cast<std::size_t>(n);
  }
  void receive(std::uint8_t* out, std::size_t size) {
    while (size != 0) {
      const std::size_t n = receive_some(out, size);
      if (n == 0) throw std::runtime_error("the server has closed");
      out += n;
      size -= n;
    }
  }
  answer receive_message() {
    answer a;
    for (;;) {
      std::uint8_t header[8];
      receive(header, 8);
      a.type = header[0];
      a.spid = static_cast<std::uint16_t>(header[4] << 8 | header[5]);
      const std::size_t length = static_cast<std::size_t>(header[2] << 8 | header[3]);
      a.packets.push_back(length);
      const std::size_t at = a.body.size();
      a.body.resize(at + length - 8);
      receive(a.body.data() + at, length - 8);
      if (header[1] == 1) return a;
      if (header[1] != 0) throw std::runtime_error("status bits that no server sets");
    }
  }
  // Whatever still comes; true once the server has closed.
  bool read_to_the_end() {
    std::uint8_t bytes[4096];
    while (receive_some(bytes, sizeof bytes) != 0) {
    }
    return true;
  }
  bool closed_by_server() {
    std::uint8_t byte;
    return receive_some(&byte, 1) == 0;
  }

  static std::vector<std::uint8_t> login7(const std::string& user = "tester", const std::string& password = "secret",
                                          const std::string& database = "", std::uint32_t version = 0x74000004,
                                          std::uint32_t packet_size = 4096, std::uint8_t flags2 = 3) {
    byte_writer fixed, table, data;
    const auto place = [&](const std::string& text, bool hide = false) {
      std::vector<std::uint8_t> wide;
      append_utf16le(wide, text);
      if (hide)
        for (auto& b : wide) b = static_cast<std::uint8_t>((b << 4 | b >> 4) ^ 0xA5);
      table.u16(static_cast<std::uint16_t>(94 + data.size()));
      table.u16(static_cast<std::uint16_t>(wide.size() / 2));
      data.raw(wide);
    };
    place("host");
    place(user);
    place(password, true);
    place("test");
    place("server");
    place("");
    place("raw");
    place("");
    place(database);
    table.raw(tds::testing::hex("010203040506"));
    for (int i = 0; i < 3; ++i) place("");
    table.u32(0);
    fixed.u32(static_cast<std::uint32_t>(94 + data.size()));
    for (const std::uint32_t v : {version, packet_size, 0u, 1u, 0u}) fixed.u32(v);
    for (const std::uint8_t v : {std::uint8_t{0xE0}, flags2, std::uint8_t{0}, std::uint8_t{0}}) fixed.u8(v);
    fixed.u32(0);
    fixed.u32(0x409);
    fixed.raw(table.view());
    fixed.raw(data.view());
    return {fixed.view().begin(), fixed.view().end()};
  }
  answer login(const std::string& user = "tester", const std::string& password = "secret",
               const std::string& database = "", std::uint32_t version = 0x74000004, std::uint32_t packet_size = 4096) {
    send_packet(0x10, 1, login7(user, password, database, version, packet_size));
    return receive_message();
  }

  static std::vector<std::uint8_t> headers() {
    return tds::testing::hex("16000000 12000000 0200 0000000000000000 01000000");
  }
  static std::vector<std::uint8_t> batch_body(const std::string& sql) {
    auto body = headers();
    append_utf16le(body, sql);
    return body;
  }
  void send_batch(const std::string& sql, std::uint8_t status = 1) { send_packet(1, status, batch_body(sql)); }
  answer batch(const std::string& sql) {
    send_batch(sql);
    return receive_message();
  }
  answer rpc(const std::string& hex_text) {
    auto body = headers();
    const auto rest = tds::testing::hex(hex_text);
    body.insert(body.end(), rest.begin(), rest.end());
    send_packet(3, 1, body);
    return receive_message();
  }
  void attention() { send_packet(6, 1, {}); }

 private:
  int fd_;
};

inline std::string text(const answer& a) {
  return tds::testing::shown(a.body);
}
// Whether the bytes, given as hex, occur in the answer.
inline bool has(const answer& a, std::string_view hex_text) {
  return text(a).find(tds::testing::shown_hex(hex_text)) != std::string::npos;
}
inline bool ends_with(const answer& a, std::string_view hex_text) {
  const std::string whole = text(a), tail = tds::testing::shown_hex(hex_text);
  return whole.size() >= tail.size() && whole.compare(whole.size() - tail.size(), tail.size(), tail) == 0;
}

}  // namespace dragoman::tds::server::testing
