// The whole server on a free port, byte by byte.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/tds/server/echo_handler.h"
#include "tests/tds/server/raw_client.h"
#include "tests/tds/server/running_server.h"

namespace dragoman::tds::server {
using namespace testing;
using namespace std::chrono_literals;
using tds::testing::hex;

namespace {

std::string run_command(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  ::pclose(pipe);
  return out;
}

bool installed(const char* program) {
  if (!run_command(std::string("command -v ") + program).empty()) return true;
  BOOST_TEST_MESSAGE("not run: " << program << " is not installed");
  return false;
}

constexpr const char* done_attention = "FD 2000 0000 0000000000000000";

}  // namespace

BOOST_AUTO_TEST_SUITE(tds_server)

BOOST_AUTO_TEST_CASE(login_without_prelogin) {
  running s;
  raw_client c(s.port());
  const answer a = c.login("tester", "secret", "sales");
  BOOST_TEST(a.type == 4);
  BOOST_TEST(a.spid >= 51);
  BOOST_TEST(has(a, "E3 1900 01 05 'sales' 06 'master'"));
  BOOST_TEST(has(a, "E3 0800 07 05 0904D00034 00"));
  BOOST_TEST(has(a, "AD 3200 01 74000004 14 'Microsoft SQL Server' 10001045"));
  BOOST_TEST(ends_with(a, "E3 1300 04 04 '4096' 04 '4096' FD 0000 0000 0000000000000000"));
  BOOST_TEST(ends_with(c.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(prelogin_then_login) {
  running s;
  raw_client c(s.port());
  c.send_packet(0x12, 1, hex("00 0010 0006 01 0016 0001 04 0017 0001 FF 090000000000 02 00"));
  const answer a = c.receive_message();
  BOOST_TEST(a.type == 4);
  BOOST_TEST(text(a) == tds::testing::shown_hex("00 0010 0006 01 0016 0001 04 0017 0001 FF 100010450000 02 00"));
  BOOST_TEST(ends_with(c.login(), "FD 0000 0000 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(refused_logins) {
  running s;
  struct row {
    const char* name;
    std::vector<std::uint8_t> message;
    const char* expected;
  };
  const row rows[] = {
      {"wrong password", raw_client::login7("tester", "x"), "18480000 01 0E"},
      {"wrong user", raw_client::login7("nobody", "secret"), "18480000 01 0E"},
      {"integrated", raw_client::login7("", "", "", 0x74000004, 4096, 0x83), "18480000 01 0E"},
      {"unknown database", raw_client::login7("tester", "secret", "nowhere"), "DC0F0000 01 0B"},
      {"TDS 7.0", raw_client::login7("tester", "secret", "", 0x70000000), "C7C30000"},
  };
  for (const row& r : rows) BOOST_TEST_CONTEXT(r.name) {
      raw_client c(s.port());
      c.send_packet(0x10, 1, r.message);
      const answer a = c.receive_message();
      BOOST_TEST(has(a, r.expected));
      BOOST_TEST(!has(a,
                      "AD"
                      "3600 01"));
      BOOST_TEST(c.closed_by_server());
    }
  BOOST_TEST(s.it->stats().failed_logins == 5u);
  BOOST_TEST(s.it->stats().logins == 0u);
}

BOOST_AUTO_TEST_CASE(requests_split_at_every_byte) {
  running s;
  raw_client c(s.port());
  // LOGIN7 over three packets.
  const auto login = raw_client::login7();
  c.send_packet(0x10, 0, byte_span(login).first(50));
  c.send_packet(0x10, 0, byte_span(login).subspan(50, 60));
  c.send_packet(0x10, 1, byte_span(login).subspan(110));
  BOOST_TEST(ends_with(c.receive_message(), "FD 0000 0000 0000000000000000"));
  const auto bytes = raw_client::packet(1, 1, raw_client::batch_body("set x"));
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    c.send(byte_span(bytes).first(cut));
    if (cut % 8 == 0) std::this_thread::sleep_for(1ms);
    c.send(byte_span(bytes).subspan(cut));
    BOOST_TEST(ends_with(c.receive_message(), "FD 0000 BE00 0000000000000000"));
  }
  for (const std::uint8_t& b : bytes) c.send({&b, 1});
  BOOST_TEST(ends_with(c.receive_message(), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(packet_sizes_are_kept) {
  running s;
  for (const std::uint32_t asked : {512u, 4096u, 8000u, 32767u}) {
    raw_client c(s.port());
    c.login("tester", "secret", "", 0x74000004, asked);
    for (const char* sql : {"rows 5000", "relay 5000", "big 100000"}) {
      const answer a = c.batch(sql);
      for (std::size_t i = 0; i + 1 < a.packets.size(); ++i) BOOST_TEST(a.packets[i] == asked);
      BOOST_TEST(a.packets.back() <= asked);
    }
  }
}

BOOST_AUTO_TEST_CASE(done_tokens) {
  running s;
  raw_client c(s.port());
  c.login();
  const char* column = "81 0100 00000000 0000 38 01 'n'";
  BOOST_TEST(text(c.batch("two")) ==
             tds::testing::shown_hex(std::string(column) + "D1 00000000 FD 1100 C100 0100000000000000" + column +
                                     "D1 01000000 FD 1000 C100 0100000000000000"));
  const answer failed = c.batch("fail");
  BOOST_TEST(has(failed, "AA"));
  BOOST_TEST(ends_with(failed, "FD 0200 0000 0000000000000000"));
  const answer thrown = c.batch("throw");
  BOOST_TEST(has(thrown, "17C40000"));  // 50199
  BOOST_TEST(ends_with(thrown, "FD 0200 0000 0000000000000000"));
  BOOST_TEST(has(c.batch("use other"), "E3 1900 01 05 'other' 06 'master' AB"));
}

BOOST_AUTO_TEST_CASE(old_client_gets_narrow_tokens) {
  running s;
  raw_client c(s.port());
  const answer login = c.login("tester", "secret", "", 0x71000001);
  BOOST_TEST(has(login, "71000001"));
  BOOST_TEST(ends_with(login, "FD 0000 0000 00000000"));
  std::vector<std::uint8_t> body;
  append_utf16le(body, "two");
  c.send_packet(1, 1, body);
  BOOST_TEST(ends_with(c.receive_message(), "D1 01000000 FD 1000 C100 01000000"));
}

BOOST_AUTO_TEST_CASE(executesql_and_prepared_statements) {
  running s;
  raw_client c(s.port());
  c.login();
  const char* stmt = "00 00 E7 4000 0904D00034 0800 'text'";
  const char* declared = "00 00 63 FFFFFF7F 0904D00034 1A000000 '@a int, @b int'";
  // "@a int, @b int" is 14 characters, 28 bytes.
  const std::string params = "00 00 63 FFFFFF7F 0904D00034 1C000000 '@a int, @b int'";
  (void)declared;
  const answer executed = c.rpc("FFFF 0A00 0000 " + std::string(stmt) + params +
                                "02 '@b' 00 26 04 04 02000000 02 '@a' 00 26 04 04 01000000");
  BOOST_TEST(has(executed, "D1 0800 'text' 04 01000000 04 02000000"));
  BOOST_TEST(ends_with(executed, "FF 1100 C100 0100000000000000 79 00000000 FE 0000 E000 0000000000000000"));

  const answer prepared =
      c.rpc("FFFF 0D00 0000 00 01 26 04 00 " + params + stmt + "00 00 26 04 04 03000000 00 00 26 04 04 04000000");
  BOOST_TEST(has(prepared, "04 03000000 04 04000000"));
  BOOST_TEST(ends_with(
      prepared, "79 00000000 AC 0000 06 'handle' 01 00000000 0100 26 04 04 01000000 FE 0000 E000 0000000000000000"));

  // sp_execute by name, as FreeTDS does.
  const answer again = c.rpc("0A00 'sp_execute' 0000 00 00 26 04 04 01000000 00 00 26 04 04 05000000 00 00 1F");
  BOOST_TEST(has(again, "D1 0800 'text' 04 05000000 00"));

  // A new prepexec with the old handle frees it.
  BOOST_TEST(has(c.rpc("FFFF 0D00 0000 00 01 26 04 04 01000000 00 00 E7 4000 0904D00034 FFFF " + std::string(stmt)),
                 "26 04 04 02000000 FE"));
  const answer gone = c.rpc("FFFF 0C00 0000 00 00 26 04 04 01000000");
  BOOST_TEST(has(gone, "F31F0000"));  // 8179
  BOOST_TEST(ends_with(gone, "79 F31F0000 FE 0200 E000 0000000000000000"));
  BOOST_TEST(ends_with(c.rpc("FFFF 0F00 0000 00 00 26 04 04 02000000"), "79 00000000 FE 0000 E000 0000000000000000"));

  const answer missing = c.rpc("FFFF 0A00 0000 " + std::string(stmt) + params + "02 '@a' 00 26 04 04 01000000");
  BOOST_TEST(has(missing, "F21F0000"));  // 8178
  BOOST_TEST(ends_with(missing, "FE 0200 E000 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(several_calls_in_one_message) {
  running s;
  raw_client c(s.port());
  c.login();
  const std::string call = "FFFF 0A00 0000 00 00 E7 4000 0904D00034 0600 'set'";
  const answer a = c.rpc(call + " FF " + call);
  const std::string end = "FF 0100 BE00 0000000000000000 79 00000000 FE ";
  BOOST_TEST(text(a) ==
             tds::testing::shown_hex(end + "0100 E000 0000000000000000" + end + "0000 E000 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(what_is_refused_leaves_the_session_sane) {
  running s;
  raw_client c(s.port());
  c.login();
  struct row {
    const char* name;
    const char* call;
    const char* number;
  };
  for (const row& r : {row{"unknown procedure", "0700 'sp_none' 0000", "FC0A0000"},
                       row{"unknown number", "FFFF 6300 0000", "FC0A0000"},
                       row{"cursor without a statement", "FFFF 0200 0000 00 01 26 04 00", "C9000000"},
                       row{"table-valued parameter", "0100 'p' 0000 00 00 F3 00 00 01 't' FFFF 00 00", "C7C30000"},
                       row{"table-valued parameter of unknown layout",
                           "0100 'p' 0000 00 00 F3 00 00 01 't' 0100 00000000 0000 99", "C7C30000"}})
    BOOST_TEST_CONTEXT(r.name) {
      const answer a = c.rpc(r.call);
      BOOST_TEST(has(a, r.number));
      BOOST_TEST(ends_with(a, "FE 0200 E000 0000000000000000"));
    }
  // Bulk data without an INSERT BULK, an SSPI message, a token.
  for (const std::uint8_t type : {0x07, 0x11, 0x08}) {
    c.send_packet(type, 1, hex("00112233"));
    BOOST_TEST(ends_with(c.receive_message(), "FD 0200 0000 0000000000000000"));
  }
  BOOST_TEST(ends_with(c.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(violations_are_answered_and_closed) {
  running s;
  struct row {
    const char* name;
    std::vector<std::uint8_t> bytes;
    bool answered;
  };
  const row rows[] = {
      {"unknown packet type", raw_client::packet(0x2A, 1, {}), true},
      {"LOGIN7 inside a session", raw_client::packet(0x10, 1, raw_client::login7()), true},
      {"no ALL_HEADERS", raw_client::packet(1, 1, hex("'select'")), true},
      {"lying RPC",
       raw_client::packet(
           3, 1, hex("16000000 12000000 0200 0000000000000000 01000000 FFFF 0A00 0000 00 00 E7 0800 0904D00034 FF00")),
       true},
      {"packet length 3", hex("01 01 0003 0000 01 00"), false}};
  for (const row& r : rows) BOOST_TEST_CONTEXT(r.name) {
      raw_client c(s.port());
      c.login();
      c.send(r.bytes);
      if (r.answered) BOOST_TEST(ends_with(c.receive_message(), "FD 0200 0000 0000000000000000"));
      BOOST_TEST(c.closed_by_server());
    }
  raw_client before_login(s.port());
  before_login.send_packet(1, 1, raw_client::batch_body("select 1"));
  BOOST_TEST(before_login.closed_by_server());
  BOOST_TEST(s.it->stats().violations == 6u);
}

BOOST_AUTO_TEST_CASE(endless_reassembly_is_bounded) {
  server_options options;
  options.request_max = 64 * 1024;
  running s(options);
  raw_client c(s.port());
  c.login();
  const std::vector<std::uint8_t> body(4000, 'x');
  bool closed = false;
  try {
    for (int i = 0; i < 1000; ++i) c.send_packet(1, 0, body);
  } catch (const std::exception&) {
    closed = true;
  }
  BOOST_TEST((closed || c.closed_by_server()));
}

BOOST_AUTO_TEST_CASE(attention_while_a_request_runs) {
  running s;
  raw_client c(s.port());
  c.login();
  for (const char* sql : {"wait", "rows 100000000", "relay 100000000"}) {
    BOOST_TEST_CONTEXT(sql) {
      c.send_batch(sql);
      std::this_thread::sleep_for(50ms);
      c.attention();
      const answer first = c.receive_message();
      BOOST_TEST(ends_with(first, "FD 0000 0000 0000000000000000"));
      BOOST_TEST((first.body.size() > 13 || first.body[0] == 0xFD));
      BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex(done_attention));
      BOOST_TEST(ends_with(c.batch("set x"), "FD 0000 BE00 0000000000000000"));
    }
  }
  BOOST_TEST(s.it->stats().running == 0u);
}

BOOST_AUTO_TEST_CASE(attention_at_other_times) {
  running s;
  raw_client c(s.port());
  c.login();
  // Idle.
  c.attention();
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex(done_attention));
  // Together with its request.
  auto both = raw_client::packet(1, 1, raw_client::batch_body("wait"));
  const auto attention = raw_client::packet(6, 1, {});
  both.insert(both.end(), attention.begin(), attention.end());
  c.send(both);
  BOOST_TEST(ends_with(c.receive_message(), "FD 0000 0000 0000000000000000"));
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex(done_attention));
  // In the middle of a request: the request is withdrawn, one message answers.
  c.send_packet(1, 0, raw_client::batch_body("wait"));
  c.attention();
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex(done_attention));
  // IGNORE: nothing runs, one empty answer.
  c.send_packet(1, 0, raw_client::batch_body("wait"));
  c.send_packet(1, 3, {});
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex("FD 0000 0000 0000000000000000"));
  BOOST_TEST(ends_with(c.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(reset_and_transactions) {
  running s;
  raw_client c(s.port());
  c.login();
  // Begin, commit with a new one begun, rollback.
  const auto request = [&c](const char* operation) {
    auto body = raw_client::headers();
    const auto rest = hex(operation);
    body.insert(body.end(), rest.begin(), rest.end());
    c.send_packet(0x0E, 1, body);
    return text(c.receive_message());
  };
  BOOST_TEST(request("0500 00 00") ==
             tds::testing::shown_hex("E3 0B00 08 08 0100000000000000 00 FD 0400 D400 0000000000000000"));
  BOOST_TEST(request("0700 00 01 00 00") ==
             tds::testing::shown_hex(
                 "E3 0B00 09 00 08 0100000000000000 E3 0B00 08 08 0200000000000000 00 FD 0400 D500 0000000000000000"));
  BOOST_TEST(request("0800 00 00") ==
             tds::testing::shown_hex("E3 0B00 0A 00 08 0200000000000000 FD 0000 D200 0000000000000000"));
  BOOST_TEST(request("0700 00 00").find("3E 0F 00 00") != std::string::npos);  // 3902
  BOOST_TEST(request("0000").find("35 21 00 00") != std::string::npos);        // 8501
  // RESETCONNECTION drops the handle.
  BOOST_TEST(has(c.rpc("FFFF 0B00 0000 00 01 26 04 00 00 00 E7 4000 0904D00034 FFFF 00 00 E7 4000 0904D00034 0600 "
                       "'set' 00 00 26 04 04 01000000"),
                 "06 'handle'"));
  c.send_batch("set x", 0x09);
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex("E3 0300 12 00 00 FD 0000 BE00 0000000000000000"));
  BOOST_TEST(has(c.rpc("FFFF 0C00 0000 00 00 26 04 04 01000000"), "F31F0000"));
}

BOOST_AUTO_TEST_CASE(a_slow_reader_costs_no_memory) {
  running s;
  raw_client c(s.port(), 4096);
  c.login();
  const std::size_t before = resident_kib();
  c.send_batch("relay 20000000");  // 1.5 GB
  std::this_thread::sleep_for(500ms);
  std::vector<std::uint8_t> some(1000);
  c.receive(some.data(), some.size());
  BOOST_TEST(resident_kib() < before + 16 * 1024);
  // Gone in the middle: the worker ends, the session too.
  c.close();
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 0 && s.handler.alive == 0; }));
}

BOOST_AUTO_TEST_CASE(clients_that_keep_us_waiting) {
  server_options options;
  options.login_timeout = 300ms;
  options.request_read_timeout = 300ms;
  options.client_write_timeout = 500ms;
  running s(options);
  raw_client silent(s.port());
  BOOST_TEST(silent.closed_by_server());
  raw_client half(s.port());
  half.login();
  half.send(hex("01 01 00"));
  BOOST_TEST(half.closed_by_server());
  raw_client idle(s.port());
  idle.login();
  raw_client deaf(s.port(), 4096);
  deaf.login();
  deaf.send_batch("relay 10000000");
  BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 1; }));
  // An idle session is never closed.
  std::this_thread::sleep_for(700ms);
  BOOST_TEST(ends_with(idle.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(many_at_once_and_no_descriptor_left) {
  const std::size_t before = open_files();
  {
    running s;
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          raw_client c(s.port());
          c.login();
          const answer a = c.batch(t % 2 == 0 ? "rows 500" : "relay 500");
          if (ends_with(a, "FD 1000 C100 F401000000000000")) ++good;
        }
      });
    for (std::thread& t : threads) t.join();
    BOOST_TEST(good == 160);
    BOOST_TEST(s.soon([&] { return s.it->stats().sessions == 0 && s.handler.alive == 0; }));
    BOOST_TEST(s.it->stats().logins == 160u);
  }
  BOOST_TEST(open_files() == before);
}

BOOST_AUTO_TEST_CASE(over_the_most_sessions) {
  server_options options;
  options.sessions_max = 3;
  running s(options);
  raw_client a(s.port()), b(s.port()), c(s.port());
  for (raw_client* each : {&a, &b, &c}) each->login();
  raw_client d(s.port());
  BOOST_TEST(d.closed_by_server());
  BOOST_TEST(s.it->stats().refused == 1u);
  BOOST_TEST(ends_with(a.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(stops_with_running_requests) {
  running s;
  raw_client idle(s.port()), busy(s.port()), endless(s.port());
  for (raw_client* each : {&idle, &busy, &endless}) each->login();
  busy.send_batch("rows 20000");
  endless.send_batch("wait");
  std::this_thread::sleep_for(50ms);
  std::thread stopper([&] { s.it->stop(700ms); });
  BOOST_TEST(idle.closed_by_server());
  BOOST_TEST(ends_with(busy.receive_message(), "FD 1000 C100 204E000000000000"));  // drained
  BOOST_TEST(endless.closed_by_server());                                          // cut
  stopper.join();
  BOOST_TEST(s.handler.alive == 0);
}

BOOST_AUTO_TEST_CASE(encryption_required) {
  server_options options;
  options.encryption = encryption_mode::required;
  running s(options);
  raw_client plain(s.port());  // LOGIN7 with no PRELOGIN at all
  BOOST_TEST(has(plain.login(), "18480000 01 0E"));
  BOOST_TEST(plain.closed_by_server());
  raw_client refusing(s.port());
  refusing.send_packet(0x12, 1, hex("00 000B 0006 01 0011 0001 FF 090000000000 02"));
  BOOST_TEST(ends_with(refusing.receive_message(), "03"));
  refusing.send_packet(0x10, 1, raw_client::login7());
  BOOST_TEST(refusing.closed_by_server());
}

BOOST_AUTO_TEST_CASE(self_signed_certificate_is_kept) {
  const auto directory = std::filesystem::temp_directory_path() / ("dragoman_tls_" + std::to_string(::getpid()));
  server_options options;
  options.self_signed_path = (directory / "server.pem").string();
  const auto read = [](const std::filesystem::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  { running s(options); }
  const std::string first = read(options.self_signed_path);
  BOOST_TEST(first.find("BEGIN CERTIFICATE") != std::string::npos);
  const auto rights = std::filesystem::status(options.self_signed_path + ".key").permissions();
  BOOST_TEST((rights == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)));
  {
    running s(options);
    BOOST_TEST(s.it->reload_certificate().has_value());
  }
  BOOST_TEST(read(options.self_signed_path) == first);
  options.self_signed_path.clear();
  options.certificate_file = (directory / "server.pem").string();
  options.key_file = (directory / "none.key").string();
  echo_handler handler;
  BOOST_TEST(!server::start(options, handler).has_value());
  std::filesystem::remove_all(directory);
}

// FreeTDS's own clients, plain and through TLS in both forms, all versions.
BOOST_AUTO_TEST_CASE(freetds_clients) {
  if (!installed("tsql")) return;
  running s;
  const auto directory = std::filesystem::temp_directory_path() / ("dragoman_freetds_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "in.sql") << "types\ngo\nrelay 3\ngo\nfail\ngo\nquit\n";
  for (const char* version : {"7.1", "7.2", "7.3", "7.4"})
    for (const char* encryption : {"off", "request", "require"}) BOOST_TEST_CONTEXT(version << " " << encryption) {
        std::ofstream(directory / "freetds.conf")
            << "[s]\nhost=127.0.0.1\nport=" << s.port() << "\ntds version=" << version << "\nencryption=" << encryption
            << "\nclient charset=UTF-8\n";
        const std::string out =
            run_command("FREETDSCONF=" + (directory / "freetds.conf").string() +
                        " timeout 20 tsql -S s -U tester -P secret < " + (directory / "in.sql").string());
        for (const char* expected : {"-1234567890123456789012345678.0123456789", "00112233-4455-6677-8899-AABBCCDDEEFF",
                                     "old ntext", "caf\xC3\xA9", "\xD8\xAA\xD9\x87\xD8\xB1\xD8\xA7\xD9\x86",
                                     "(3 rows affected)", "Invalid object name 'nowhere'."})
          BOOST_TEST(out.find(expected) != std::string::npos, expected);
      }
  std::filesystem::remove_all(directory);
  BOOST_TEST(s.it->stats().violations == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
