#include "bench/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "base/utf16.h"

namespace dragoman::bench {
namespace {

constexpr std::uint8_t type_batch = 0x01;
constexpr std::uint8_t type_login7 = 0x10;
constexpr std::uint8_t type_prelogin = 0x12;
constexpr std::size_t header = 8;
constexpr std::size_t done_bytes = 13;

void put(std::vector<std::uint8_t>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

// VERSION and ENCRYPTION = on or not supported (MS-TDS 2.2.6.5).
std::vector<std::uint8_t> prelogin(bool tls) {
  return {0x00, 0, 11, 0, 6, 0x01, 0, 17, 0, 1, 0xFF, 16, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(tls ? 1 : 2)};
}

// MS-TDS 2.2.6.4.
std::vector<std::uint8_t> login7(const raw_client::login& who) {
  std::vector<std::uint8_t> out;
  put(out, 0, 4);  // length, at the end
  put(out, 0x74000004, 4);
  put(out, who.packet_size, 4);
  put(out, 7, 4);
  put(out, static_cast<std::uint32_t>(getpid()), 4);
  put(out, 0, 4);
  put(out, 0xE0, 1);  // database and language changes are told, ODBC off
  put(out, 0x03, 1);  // ODBC, language errors are fatal
  put(out, 0, 2);
  put(out, 0, 4);
  put(out, 0x0409, 4);
  std::vector<std::uint8_t> data;
  constexpr std::size_t fixed = 94;
  const auto text = [&](std::string_view s, bool scrambled = false) {
    std::vector<std::uint8_t> raw;
    append_utf16le(raw, s);
    for (std::uint8_t& b : raw)
      if (scrambled) b = static_cast<std::uint8_t>(((b << 4 | b >> 4) & 0xFF) ^ 0xA5);
    put(out, fixed + data.size(), 2);
    put(out, raw.size() / 2, 2);
    data.insert(data.end(), raw.begin(), raw.end());
  };
  text("bench");
  text(who.user);
  text(who.password, true);
  text("dragoman_bench");
  text("127.0.0.1");
  text("");
  text("raw");
  text("");
  text(who.database);
  put(out, 0, 6);  // client id
  text("");
  text("");
  text("");
  put(out, 0, 4);
  out.insert(out.end(), data.begin(), data.end());
  const auto size = static_cast<std::uint32_t>(out.size());
  std::memcpy(out.data(), &size, 4);
  return out;
}

}  // namespace

raw_client::raw_client(const login& who) : buffer_(256 * 1024) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(who.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd_);
    throw std::runtime_error("cannot connect to port " + std::to_string(who.port));
  }
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  send(type_prelogin, prelogin(who.tls));
  receive();
  if (who.tls) tls_ = std::make_unique<tls_wire>(fd_);
  send(type_login7, login7(who));
  const answer a = receive();
  if (a.failed) throw std::runtime_error("login refused: " + a.text);
  packet_size_ = std::min<std::uint32_t>(who.packet_size, 4096);
}

std::size_t raw_client::receive_some(std::uint8_t* out, std::size_t size) {
  if (tls_) return tls_->receive(out, size);
  const ssize_t n = ::recv(fd_, out, size, 0);
  return n <= 0 ? 0 : static_cast<std::size_t>(n);
}

raw_client::~raw_client() {
  ::close(fd_);
}

std::vector<std::uint8_t> raw_client::login_packet(const login& who) {
  std::vector<std::uint8_t> out;
  for (const auto& [type, payload] : {std::pair(type_prelogin, prelogin(false)), std::pair(type_login7, login7(who))}) {
    const std::size_t length = payload.size() + header;
    out.insert(out.end(),
               {type, 1, static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length), 0, 0, 1, 0});
    out.insert(out.end(), payload.begin(), payload.end());
  }
  return out;
}

answer raw_client::query(std::string_view sql) {
  std::vector<std::uint8_t> payload;
  // ALL_HEADERS with a transaction descriptor, MS-TDS 2.2.5.3.
  put(payload, 22, 4);
  put(payload, 18, 4);
  put(payload, 2, 2);
  put(payload, 0, 8);
  put(payload, 1, 4);
  append_utf16le(payload, sql);
  send(type_batch, payload);
  return receive();
}

void raw_client::read_at_most(std::uint64_t bytes_per_second) {
  bytes_per_second_ = bytes_per_second;
  // The kernel's own buffer would hide the slow reader from the server for megabytes.
  const int small = 256 * 1024;
  if (bytes_per_second > 0) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
}

void raw_client::send(std::uint8_t type, const std::vector<std::uint8_t>& payload) {
  std::vector<std::uint8_t> out;
  std::uint8_t number = 1;
  for (std::size_t at = 0; at < payload.size();) {
    const std::size_t n = std::min(payload.size() - at, packet_size_ - header);
    const bool last = at + n == payload.size();
    const std::size_t length = n + header;
    out.insert(out.end(), {type, static_cast<std::uint8_t>(last ? 1 : 0), static_cast<std::uint8_t>(length >> 8),
                           static_cast<std::uint8_t>(length), 0, 0, number++, 0});
    out.insert(out.end(), payload.begin() + static_cast<std::ptrdiff_t>(at),
               payload.begin() + static_cast<std::ptrdiff_t>(at + n));
    at += n;
  }
  if (tls_) return tls_->send(out.data(), out.size());
  for (std::size_t sent = 0; sent < out.size();) {
    const ssize_t n = ::send(fd_, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) throw std::runtime_error("the server closed the connection");
    sent += static_cast<std::size_t>(n);
  }
}

answer raw_client::receive() {
  answer out;
  tail_.clear();
  std::size_t have = 0;
  bool first = true;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t received = 0;
  while (true) {
    const std::size_t n = receive_some(buffer_.data() + have, buffer_.size() - have);
    if (n == 0) throw std::runtime_error("the server closed the connection");
    received += n;
    if (bytes_per_second_ > 0)
      std::this_thread::sleep_until(begin + std::chrono::microseconds(received * 1'000'000 / bytes_per_second_));
    have += n;
    std::size_t at = 0;
    bool ended = false;
    while (have - at >= header) {
      const std::uint8_t* p = buffer_.data() + at;
      const std::size_t length = static_cast<std::size_t>(p[2]) << 8 | p[3];
      if (length < header) throw std::runtime_error("not a TDS packet");
      if (have - at < length) break;
      const std::size_t body = length - header;
      if (first && body > 0) {
        // The first token of a response tells a failure that has no rows.
        out.failed = p[header] == 0xAA;
        if (out.failed)
          for (std::size_t i = header; i < length; ++i)
            if (p[i] >= 0x20 && p[i] < 0x7F) out.text.push_back(static_cast<char>(p[i]));
        first = false;
      }
      out.bytes += body;
      ended = (p[1] & 1) != 0;
      // A DONE token may straddle the last two packets.
      if (body >= done_bytes) tail_.clear();
      tail_.insert(tail_.end(), p + (body > 64 ? length - 64 : header), p + length);
      at += length;
      if (ended) break;
    }
    std::memmove(buffer_.data(), buffer_.data() + at, have - at);
    have -= at;
    if (!ended) continue;
    if (tail_.size() >= done_bytes) {
      const std::uint8_t* done = tail_.data() + tail_.size() - done_bytes;
      if (done[0] == 0xFD || done[0] == 0xFE || done[0] == 0xFF) {
        std::memcpy(&out.rows, done + 5, 8);
        out.failed = out.failed || (done[1] & 2) != 0;
      }
    }
    return out;
  }
}

}  // namespace dragoman::bench
