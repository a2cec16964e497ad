// Networks and clients as they are at their worst: bytes in any pieces, peers that vanish, starve, lie or attack.
#include <sys/resource.h>
#include <sys/wait.h>

#include <spdlog/sinks/basic_file_sink.h>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/log.h"
#include "tests/tds/server/certificates.h"
#include "tests/tds/server/raw_client.h"
#include "tests/tds/server/running_server.h"
#include "tests/tds/server/tls_client.h"

namespace dragoman::tds::server {
using namespace testing;
using namespace std::chrono_literals;
using tds::testing::hex;

namespace {

constexpr const char* login_done = "FD 0000 0000 0000000000000000";
constexpr const char* set_done = "FD 0000 BE00 0000000000000000";

using octets = std::vector<std::uint8_t>;

void append(octets& to, const octets& more) {
  to.insert(to.end(), more.begin(), more.end());
}

octets call_packet() {
  octets body = raw_client::headers();
  append(body, hex("FFFF 0A00 0000 00 00 E7 4000 0904D00034 0800 'text' 00 00 63 FFFFFF7F 0904D00034 0C000000 '@a int'"
                   "02 '@a' 00 26 04 04 2A000000"));
  return raw_client::packet(3, 1, body);
}

// What a client sends from login to its last request, and how many messages answer it.
octets login_batch_and_call() {
  octets all = raw_client::packet(0x10, 1, raw_client::login7());
  append(all, raw_client::packet(1, 1, raw_client::batch_body("two")));
  append(all, call_packet());
  return all;
}
constexpr int answers_of_login_batch_and_call = 3;

octets prelogin_packet(const char* encryption) {
  return raw_client::packet(0x12, 1, hex(std::string("00 000B 0006 01 0011 0001 FF 090000000000 ") + encryption));
}

template <class Client>
octets read_messages(Client& c, int count) {
  octets all;
  for (int i = 0; i < count; ++i) append(all, c.receive_message().body);
  return all;
}

// A little time, so that what was sent arrives by itself.
void let_it_arrive() {
  std::this_thread::sleep_for(150us);
}

bool works(const running& s) {
  raw_client c(s.port());
  return ends_with(c.login(), login_done) && ends_with(c.batch("set x"), set_done);
}

// Each of the server's threads has its descriptors once it has run something.
std::size_t settled_files(const running& s) {
  for (int i = 0; i < 4; ++i) works(s);
  s.soon([&] { return s.it->stats().sessions == 0; });
  return open_files();
}

struct strict_server {
  strict_server() {
    authority.issue("server");
    options.certificate_file = authority.path("server.pem");
    options.key_file = authority.path("server.key");
  }
  certificate_authority authority;
  server_options options;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(faults)

BOOST_AUTO_TEST_CASE(a_conversation_cut_at_every_byte) {
  running s;
  octets all = prelogin_packet("02");
  append(all, login_batch_and_call());
  constexpr int answers = 1 + answers_of_login_batch_and_call;
  raw_client whole(s.port());
  whole.send(all);
  const octets expected = read_messages(whole, answers);
  BOOST_REQUIRE(expected.size() > 400u);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    raw_client c(s.port());
    c.send(byte_span(all).first(cut));
    let_it_arrive();
    c.send(byte_span(all).subspan(cut));
    const octets got = read_messages(c, answers);
    BOOST_REQUIRE_MESSAGE(got == expected, "cut at " << cut);
  }
  raw_client drop_by_drop(s.port());
  for (const std::uint8_t& b : all) drop_by_drop.send({&b, 1});
  BOOST_TEST((read_messages(drop_by_drop, answers) == expected));
  BOOST_TEST(s.it->stats().violations == 0u);
}

BOOST_AUTO_TEST_CASE(a_conversation_in_tls_cut_at_every_byte) {
  strict_server with;
  running s(with.options);
  octets expected;
  {
    raw_client whole(s.port());
    whole.send(login_batch_and_call());
    expected = read_messages(whole, answers_of_login_batch_and_call);
  }
  // One record for all; a record for each packet; records that end in the middle of packets.
  for (const std::size_t record : {std::size_t{10'000}, std::size_t{0}, std::size_t{97}}) {
    std::size_t size = 1;
    for (std::size_t cut = 0; cut < size; cut += record == 0 ? 1 : 7) {
      raw_client wire(s.port());
      tls_client tls(wire, TLS1_2_VERSION, "\x07tds/8.0");
      tls.bare_handshake();
      const octets plain = login_batch_and_call();
      octets all;
      for (std::size_t at = 0; at < plain.size();) {
        const std::size_t packet = static_cast<std::size_t>(plain[at + 2] << 8 | plain[at + 3]);
        const std::size_t count = std::min(plain.size() - at, record == 0 ? packet : record);
        append(all, tls.encrypted(byte_span(plain).subspan(at, count)));
        at += count;
      }
      size = all.size();
      wire.send(byte_span(all).first(cut));
      if (cut != 0) let_it_arrive();
      wire.send(byte_span(all).subspan(cut));
      const octets got = read_messages(tls, answers_of_login_batch_and_call);
      BOOST_REQUIRE_MESSAGE(got == expected, "records of " << record << ", cut at " << cut);
    }
  }
  raw_client wire(s.port());
  tls_client tls(wire, TLS1_3_VERSION, "\x07tds/8.0");
  tls.bare_handshake();
  const octets all = tls.encrypted(login_batch_and_call());
  for (const std::uint8_t& b : all) wire.send({&b, 1});
  BOOST_TEST((read_messages(tls, answers_of_login_batch_and_call) == expected));
  BOOST_TEST(s.it->stats().violations == 0u);
}

// The handshake itself: each flight cut in two, first where its packet is cut, then where its bytes are.
BOOST_AUTO_TEST_CASE(a_tunnelled_handshake_in_pieces) {
  strict_server with;
  running s(with.options);
  for (const std::size_t packet : {std::size_t{1}, std::size_t{5}, std::size_t{64}, std::size_t{200}}) {
    raw_client wire(s.port());
    wire.send(prelogin_packet("01"));
    wire.receive_message();
    tls_client tls(wire, TLS1_2_VERSION);
    tls.tunnelled_handshake(packet);
    tls.send(login_batch_and_call());
    read_messages(tls, answers_of_login_batch_and_call);
  }
  for (std::size_t cut = 1; cut < 120; ++cut) {
    raw_client wire(s.port());
    wire.send(prelogin_packet("01"));
    wire.receive_message();
    tls_client tls(wire, TLS1_2_VERSION);
    tls.cut_flights_at(cut);
    tls.tunnelled_handshake(4088);
    tls.send(raw_client::packet(0x10, 1, raw_client::login7()));
    BOOST_REQUIRE(ends_with(tls.receive_message(), login_done));
  }
  BOOST_TEST(s.it->stats().violations == 0u);
}

BOOST_AUTO_TEST_CASE(tls_that_breaks) {
  strict_server with;
  running s(with.options);
  const std::size_t before = settled_files(s);
  enum class fault { cut_record, cut_header, flipped, too_long, wrong_type, alert, plain_tds, empty_records };
  for (const bool strict : {true, false})
    for (const fault f : {fault::cut_record, fault::cut_header, fault::flipped, fault::too_long, fault::wrong_type,
                          fault::alert, fault::plain_tds, fault::empty_records})
      for (const bool running_request : {false, true}) {
        raw_client wire(s.port());
        if (!strict) {
          wire.send(prelogin_packet("01"));
          wire.receive_message();
        }
        tls_client tls(wire, strict ? TLS1_3_VERSION : TLS1_2_VERSION, strict ? "\x07tds/8.0" : nullptr);
        if (strict)
          tls.bare_handshake();
        else
          tls.tunnelled_handshake(4088);
        tls.send(raw_client::packet(0x10, 1, raw_client::login7()));
        tls.receive_message();
        if (running_request) tls.send(raw_client::packet(1, 1, raw_client::batch_body("wait")));
        octets record = tls.encrypted(raw_client::packet(1, 1, raw_client::batch_body("set x")));
        switch (f) {
          case fault::cut_record: record.resize(record.size() / 2); break;
          case fault::cut_header: record.resize(3); break;
          case fault::flipped: record[record.size() / 2] ^= 1; break;
          case fault::too_long: record[3] = record[4] = 0xFF; break;
          case fault::wrong_type: record[0] = 0x55; break;
          case fault::alert: record = hex("15 0303 0002 0228"); break;
          case fault::plain_tds: record = raw_client::packet(1, 1, raw_client::batch_body("set x")); break;
          case fault::empty_records:
            record.clear();
            for (int i = 0; i < 200; ++i) append(record, hex("17 0303 0000"));
            break;
        }
        wire.send(record);
        if (f == fault::cut_record || f == fault::cut_header)
          wire.close();
        else
          BOOST_TEST(wire.read_to_the_end());
      }
  BOOST_TEST(s.soon([&] { return s.handler.alive == 0 && open_files() == before; }));
  BOOST_TEST(works(s));
}

BOOST_AUTO_TEST_CASE(clients_that_vanish) {
  running s;
  const std::size_t before = settled_files(s);
  const octets batch = raw_client::packet(1, 1, raw_client::batch_body("relay 5000000"));
  for (const bool reset : {true, false})
    for (int stage = 0; stage < 6; ++stage) {
      raw_client c(s.port());
      if (stage == 1) c.send(byte_span(raw_client::packet(0x10, 1, raw_client::login7())).first(60));
      if (stage >= 2) c.login();
      if (stage == 3) c.send(byte_span(batch).first(20));
      if (stage == 4) c.send(batch);
      if (stage == 5) c.send_batch("wait");
      if (stage >= 4) std::this_thread::sleep_for(5ms);
      if (reset)
        c.reset();
      else
        c.close();
    }
  BOOST_TEST(s.soon([&] { return s.handler.alive == 0 && open_files() == before; }));
  // Who only says that no more will come is gone as well: no client of TDS half closes.
  raw_client half(s.port());
  half.login();
  half.half_close();
  BOOST_TEST(half.closed_by_server());
  BOOST_TEST(works(s));
}

// A peer that is gone without a word is found out by the kernel: the accepted socket asks for that.
BOOST_AUTO_TEST_CASE(sockets_are_kept_alive) {
  running s;
  raw_client c(s.port());
  c.login();
  int found = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || ntohs(peer.sin_port) != c.own_port())
      continue;
    ++found;
    const auto option = [fd](int level, int name) {
      int value = 0;
      socklen_t value_size = sizeof value;
      ::getsockopt(fd, level, name, &value, &value_size);
      return value;
    };
    BOOST_TEST(option(SOL_SOCKET, SO_KEEPALIVE) == 1);
    BOOST_TEST(option(IPPROTO_TCP, TCP_KEEPIDLE) == 60);
    BOOST_TEST(option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT) <= 60);
    BOOST_TEST(option(IPPROTO_TCP, TCP_NODELAY) == 1);
  }
  BOOST_TEST(found == 1);
}

// A byte now and then is not progress: what counts is when the login, or the request, is whole.
BOOST_AUTO_TEST_CASE(byte_by_byte_for_ever) {
  server_options options;
  options.login_timeout = 400ms;
  options.request_read_timeout = 400ms;
  running s(options);
  const octets login = raw_client::packet(0x10, 1, raw_client::login7());
  const octets batch = raw_client::packet(1, 1, raw_client::batch_body("set " + std::string(300, 'x')));
  raw_client slow_login(s.port()), slow_request(s.port()), slow_tls(s.port());
  slow_request.login();
  const auto begin = std::chrono::steady_clock::now();
  std::size_t sent = 0;
  try {
    for (; sent < login.size(); ++sent) {
      std::this_thread::sleep_for(10ms);
      slow_login.send({&login[sent], 1});
      slow_request.send({&batch[sent], 1});
    }
  } catch (const std::exception&) {
  }
  BOOST_TEST(sent < login.size());
  BOOST_TEST(slow_login.closed_by_server());
  BOOST_TEST(slow_request.closed_by_server());
  BOOST_TEST((std::chrono::steady_clock::now() - begin < 2s));
  BOOST_TEST(slow_tls.closed_by_server());
  BOOST_TEST(works(s));
}

BOOST_AUTO_TEST_CASE(many_wrong_passwords) {
  server_options options;
  options.failed_login_delay = 0ms;
  running s(options, true);
  const auto log_in = [&](const char* from, const char* password) {
    raw_client c(s.port(), 0, from);
    return ends_with(c.login("tester", password), login_done);
  };
  BOOST_TEST(log_in("127.0.0.2", "secret"));
  for (int i = 0; i < 30; ++i) log_in("127.0.0.9", "guess");  // what is allocated once
  const std::size_t files = settled_files(s), memory = resident_kib();
  std::vector<std::thread> attackers;
  std::atomic<int> let_in{0};
  const auto begin = std::chrono::steady_clock::now();
  for (int t = 0; t < 4; ++t)
    attackers.emplace_back([&, t] {
      const std::string from = "127.0.1." + std::to_string(t + 1);
      for (int i = 0; i < 250; ++i) let_in += log_in(from.c_str(), "guess");
    });
  for (std::thread& t : attackers) t.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  BOOST_TEST_MESSAGE("wrong passwords a second: " << 1000 / seconds);
  BOOST_TEST(let_in == 0);
  const auto stats = s.it->stats();
  BOOST_TEST(stats.failed_logins == 1030u);
  BOOST_TEST(stats.throttled_logins > 900u);  // of one name, only some dozens are judged
  BOOST_TEST(log_in("127.0.0.2", "secret"));  // who was there before comes in
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 0 && open_files() == files; }));
  BOOST_TEST(resident_kib() < memory + 4096);
}

BOOST_AUTO_TEST_CASE(connections_that_never_log_in) {
  server_options options;
  options.logins.unfinished_per_address = 20;
  running s(options);
  std::vector<std::unique_ptr<raw_client>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<raw_client>(s.port(), 0, "127.0.0.9"));
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 20; }));
  raw_client one_more(s.port(), 0, "127.0.0.9");
  BOOST_TEST(one_more.closed_by_server());
  BOOST_TEST(works(s));  // from elsewhere
  silent.front().reset();
  BOOST_TEST(s.soon([&] {
    raw_client again(s.port(), 0, "127.0.0.9");
    try {
      return ends_with(again.login(), login_done);
    } catch (const std::exception&) {
      return false;
    }
  }));
  // Sessions do not count.
  for (auto& c : silent)
    if (c) BOOST_TEST(ends_with(c->login(), login_done));
  raw_client fresh(s.port(), 0, "127.0.0.9");
  BOOST_TEST(ends_with(fresh.login(), login_done));
}

// In a process of its own, whose limit is lowered: the accept loop says so once, waits, and goes on.
BOOST_AUTO_TEST_CASE(out_of_file_descriptors) {
  const auto log_file =
      std::filesystem::temp_directory_path() / ("dragoman_fds_" + std::to_string(::getpid()) + ".log");
  int to_parent[2], to_child[2];
  BOOST_REQUIRE(::pipe2(to_parent, O_CLOEXEC) == 0);
  BOOST_REQUIRE(::pipe2(to_child, O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    spdlog::set_default_logger(spdlog::basic_logger_st("child", log_file.string()));
    spdlog::set_level(spdlog::level::info);
    spdlog::flush_on(spdlog::level::info);
    const rlimit few{40, 40};
    ::setrlimit(RLIMIT_NOFILE, &few);
    echo_handler handler;
    server_options options;
    options.threads = 1;
    auto made = server::start(options, handler);
    const std::uint16_t port = made ? (*made)->port() : std::uint16_t{0};
    if (::write(to_parent[1], &port, sizeof port) != sizeof port) ::_exit(1);
    char end;
    ::close(to_child[1]);
    const ssize_t n = ::read(to_child[0], &end, 1);  // until the parent closes its end
    if (made) (*made)->stop(0ms);
    ::_exit(n == 0 ? 0 : 1);
  }
  ::close(to_child[0]);
  std::uint16_t port = 0;
  BOOST_REQUIRE(::read(to_parent[0], &port, sizeof port) == sizeof port);
  BOOST_REQUIRE(port != 0);
  {
    raw_client early(port);
    BOOST_TEST(ends_with(early.login(), login_done));
    std::vector<std::unique_ptr<raw_client>> crowd;
    for (int i = 0; i < 60; ++i) crowd.push_back(std::make_unique<raw_client>(port));
    std::this_thread::sleep_for(400ms);
    BOOST_TEST(ends_with(early.batch("rows 100"), "FD 1000 C100 6400000000000000"));  // who is there is served
  }
  raw_client late(port);
  BOOST_TEST(ends_with(late.login(), login_done));
  ::close(to_child[1]);
  int status = 1;
  ::waitpid(child, &status, 0);
  BOOST_TEST(status == 0);
  ::close(to_parent[0]);
  ::close(to_parent[1]);
  std::ifstream in(log_file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  BOOST_TEST(count("cannot accept connections for now") == 1);
  BOOST_TEST(count("accepted again") == 1);
  std::filesystem::remove(log_file);
}

// Lengths that promise more than comes: nothing is allocated for a promise.
BOOST_AUTO_TEST_CASE(huge_lengths) {
  running s;
  works(s);
  const std::size_t before = resident_kib();
  const std::string text = "FFFF 0A00 0000 00 00 ";
  for (const char* claim : {
           "E7 FFFF 0904D00034 FEFFFFFFFFFFFFFF FFFFFF7F 4100",      // PLP of unknown length, a chunk of 2 GB
           "E7 FFFF 0904D00034 FFFFFFFFFFFFFF7F FFFFFF7F 41004100",  // PLP of 2^63 bytes, a chunk of 2 GB
           "63 FFFFFF7F 0904D00034 FFFFFF7F 41004100",               // NTEXT of 2 GB
           "22 FFFFFF7F FFFFFF7F 41",                                // IMAGE
           "E7 4000 0904D00034 FEFF 41004100",                       // longer than its type
           "62 FFFFFF7F FFFFFF7F 00 00",                             // sql_variant
           "F1 00 FFFFFFFFFFFFFF7F FFFFFF7F 00",                     // XML
       })
    BOOST_TEST_CONTEXT(claim) {
      raw_client c(s.port());
      c.login();
      const answer a = c.rpc(text + claim);
      BOOST_TEST(has(a, "AA"));  // an error, whether the connection lives or not
      BOOST_TEST(resident_kib() < before + 8192);
    }
  BOOST_TEST(works(s));
}

// Half a message from each of many: together they may hold so much and no more.
BOOST_AUTO_TEST_CASE(requests_share_a_bounded_memory) {
  server_options options;
  options.request_memory_max = 4 * 1024 * 1024;
  running s(options);
  const octets part = raw_client::packet(1, 0, octets(32'000, 'x'));
  std::vector<std::unique_ptr<raw_client>> clients;
  int closed = 0;
  for (int i = 0; i < 12; ++i) {
    clients.push_back(std::make_unique<raw_client>(s.port()));
    clients.back()->login("tester", "secret", "", 0x74000004, 32767);
    try {
      for (int j = 0; j < 30; ++j) clients.back()->send(part);  // nearly a megabyte
      std::this_thread::sleep_for(10ms);
      clients.back()->send(byte_span(part).first(1));
      std::this_thread::sleep_for(5ms);
      clients.back()->send(byte_span(part).subspan(1, 1));
    } catch (const std::exception&) {
      ++closed;
    }
  }
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions <= 5; }));
  BOOST_TEST(s.it->stats().sessions >= 2u);
  // Small requests are still served, and what is given back may be used again.
  BOOST_TEST(works(s));
  clients.clear();
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 0; }));
  raw_client big(s.port());
  big.login("tester", "secret", "", 0x74000004, 32767);
  octets text = raw_client::batch_body("set x");
  text.resize(32'000, 0x20);
  for (int j = 0; j < 50; ++j) big.send_packet(1, 0, j == 0 ? text : octets(32'000, 0x20));
  big.send_packet(1, 1, octets(2, 0x20));
  BOOST_TEST(big.receive_message().type == 4);
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
