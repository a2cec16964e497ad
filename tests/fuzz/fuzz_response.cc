// What an upstream may send in answer to a statement, read from a socket and relayed. The first bytes of the input
// choose the client's version, the row cap and how the answer is cut. Whatever comes, the reader ends, keeps within
// what it was given, and tells of no row twice.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "proxy/upstream/wire_reader.h"

namespace {

using namespace dragoman;

void require(bool holds) {
  if (!holds) std::abort();
}

struct checking_receiver final : upstream::row_receiver {
  upstream::row_form form;
  std::vector<std::uint8_t> room = std::vector<std::uint8_t>(reserve_max);
  std::size_t reserved = 0;
  std::uint64_t rows = 0;
  int result_sets = 0;

  upstream::row_form on_columns(const std::vector<result_column>&) override {
    if (result_sets++ > 0) return {upstream::row_form::kind::skip, form.profile};
    return form;
  }
  std::span<std::uint8_t> reserve(std::size_t bytes) override {
    require(bytes <= reserve_max);
    reserved = bytes;
    return {room.data(), bytes};
  }
  void commit(std::size_t bytes, std::size_t count) override {
    require(bytes <= reserved);
    reserved = 0;
    rows += count;
  }
  bool on_values(std::span<const sql_value>) override {
    ++rows;
    return true;
  }
  void on_result_end(std::uint64_t) override {}
  void stop() noexcept override {}
};

// A response in packets out of raw payload, so that the fuzzer need not learn packet headers.
std::vector<std::uint8_t> in_packets(byte_span payload, std::size_t body) {
  std::vector<std::uint8_t> out;
  do {
    const std::size_t n = std::min(body, payload.size());
    const std::size_t size = n + 8;
    const std::uint8_t last = n == payload.size() ? 1 : 0;
    for (const std::uint8_t b :
         {std::uint8_t{4}, last, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size), std::uint8_t{0},
          std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}})
      out.push_back(b);
    out.insert(out.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(n));
    payload = payload.subspan(n);
  } while (!payload.empty());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  checking_receiver receiver;
  receiver.form.form = static_cast<upstream::row_form::kind>(data[0] % 3);
  receiver.form.profile.version = static_cast<tds::tds_version>(1 + data[0] / 3 % 5);
  receiver.form.as_received = data[0] < 128;
  const std::uint64_t cap = data[1] % 5;
  const std::size_t body = 1 + data[2] * std::size_t{3};
  const bool raw = data[3] % 8 == 0;
  const byte_span given(data + 4, size - 4);
  const std::vector<std::uint8_t> sent =
      raw ? std::vector<std::uint8_t>(given.begin(), given.end()) : in_packets(given, body);

  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 0;
  const int room = 1 << 20;
  ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  upstream::borrowed_socket socket;
  socket.attach(ends[0]);
  require(socket.begin({}));
  const ssize_t written = ::write(ends[1], sent.data(), sent.size());
  ::shutdown(ends[1], SHUT_WR);
  if (written == static_cast<ssize_t>(sent.size())) {
    upstream::options o;
    o.value_bytes_max = 4096;
    o.cancel_grace = std::chrono::milliseconds(1);
    tds::packet_stream stream;
    upstream::open_gate gate;
    upstream::wire_reader reader(socket, stream, receiver, gate, o, cap, o.cancel_grace);
    // Never dry: all is there, and then the connection ends.
    std::size_t turns = 0;
    while (true) {
      const auto p = reader.advance(256);
      require(p != upstream::wire_reader::progress::dry);
      if (p == upstream::wire_reader::progress::ended) break;
      require(++turns < 100'000);
    }
    upstream::read_outcome read = reader.take();
    require(cap == 0 || read.rows <= cap);
    if (receiver.form.form != upstream::row_form::kind::skip) require(receiver.rows == read.rows || read.stopped);
    require(!socket.running() || !read.lost);
    if (socket.running()) reader.drain();
    require(!socket.running());
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return 0;
}
