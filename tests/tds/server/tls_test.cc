// The three ways of TLS, with OpenSSL as the client and every packet in the test's hands.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/tds/server/certificates.h"
#include "tests/tds/server/echo_handler.h"
#include "tests/tds/server/raw_client.h"
#include "tests/tds/server/tls_client.h"

namespace dragoman::tds::server {
using namespace testing;
using tds::testing::hex;

namespace {

std::unique_ptr<server> start(echo_handler& handler, encryption_mode mode = encryption_mode::off,
                              server_options options = {}) {
  options.threads = 1;
  options.encryption = mode;
  auto made = server::start(options, handler);
  BOOST_REQUIRE(made.has_value());
  return std::move(*made);
}

int prelogin(raw_client& wire, const char* encryption) {
  wire.send_packet(0x12, 1, hex(std::string("00 000B 0006 01 0011 0001 FF 090000000000 ") + encryption));
  const answer a = wire.receive_message();
  return a.body.empty() ? -1 : a.body.back();
}

constexpr const char* login_done = "FD 0000 0000 0000000000000000";
constexpr const char* set_done = "FD 0000 BE00 0000000000000000";

}  // namespace

BOOST_AUTO_TEST_SUITE(tls)

BOOST_AUTO_TEST_CASE(whole_session) {
  echo_handler handler;
  const auto server = start(handler);
  for (const std::size_t packet : {4088u, 100u}) {
    raw_client wire(server->port());
    BOOST_TEST(prelogin(wire, "01") == 1);
    tls_client tls(wire, TLS1_3_VERSION);
    tls.tunnelled_handshake(packet);
    BOOST_TEST(tls.version() == "TLSv1.2");
    tls.send(raw_client::packet(0x10, 1, raw_client::login7("tester", "secret", "", 0x74000004, 32767)));
    const answer login = tls.receive_message();
    BOOST_TEST(has(login, "04 05 '16383'"));  // a packet fits one record
    BOOST_TEST(ends_with(login, login_done));
    tls.send(raw_client::packet(1, 1, raw_client::batch_body("set x")));
    BOOST_TEST(ends_with(tls.receive_message(), set_done));
    tls.send(raw_client::packet(1, 1, raw_client::batch_body("relay 20000")));
    BOOST_TEST(ends_with(tls.receive_message(), "FD 1000 C100 204E000000000000"));
    // A record cut anywhere, and two packets in one record.
    const auto request = raw_client::packet(1, 1, raw_client::batch_body("set x"));
    const auto record = tls.encrypted(request);
    for (const std::uint8_t& b : record) wire.send({&b, 1});
    BOOST_TEST(ends_with(tls.receive_message(), set_done));
    // A broken record ends the connection.
    wire.send(hex("17 0303 0005 0102030405"));
    BOOST_CHECK_THROW(tls.receive_message(), std::exception);
  }
}

BOOST_AUTO_TEST_CASE(login_only) {
  echo_handler handler;
  const auto server = start(handler);
  const auto login = raw_client::login7();
  // The whole LOGIN7 encrypted; or, as go-mssqldb does it, only its first packet.
  for (const bool only_first : {false, true}) {
    raw_client wire(server->port());
    BOOST_TEST(prelogin(wire, "00") == 0);
    tls_client tls(wire, TLS1_2_VERSION);
    tls.tunnelled_handshake(4088);
    const auto first = raw_client::packet(0x10, 0, byte_span(login).first(100));
    const auto second = raw_client::packet(0x10, 1, byte_span(login).subspan(100));
    tls.send(first);
    if (only_first)
      wire.send(second);
    else
      tls.send(second);
    BOOST_TEST(ends_with(wire.receive_message(), login_done));  // in clear from here on
    BOOST_TEST(ends_with(wire.batch("set x"), set_done));
  }
}

BOOST_AUTO_TEST_CASE(strict) {
  echo_handler handler;
  const auto server = start(handler, encryption_mode::required);
  for (const int highest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    raw_client wire(server->port());
    tls_client tls(wire, highest, "\x07tds/8.0");
    tls.bare_handshake();
    BOOST_TEST(tls.alpn() == "tds/8.0");
    // The client's Finished and its first packet in one write.
    tls.send(raw_client::packet(0x12, 1, hex("00 000B 0006 01 0011 0001 FF 090000000000 02")));
    BOOST_TEST(tls.receive_message().body.size() > 10u);
    tls.send(raw_client::packet(0x10, 1, raw_client::login7("tester", "secret", "", 0x08000000)));
    const answer login = tls.receive_message();
    BOOST_TEST(has(login, "AD 3200 01 08000000"));
    BOOST_TEST(ends_with(login, login_done));
    tls.send(raw_client::packet(1, 1, raw_client::batch_body("set x")));
    BOOST_TEST(ends_with(tls.receive_message(), set_done));
  }
}

BOOST_AUTO_TEST_CASE(not_supported) {
  echo_handler handler;
  const auto server = start(handler, encryption_mode::not_supported);
  for (const char* asked : {"00", "01", "02", "03"}) {
    raw_client wire(server->port());
    BOOST_TEST(prelogin(wire, asked) == 2);
    BOOST_TEST(ends_with(wire.login(), login_done));
  }
  raw_client strict(server->port());
  strict.send(hex("16 0301 0005 0100000100"));
  BOOST_TEST(strict.closed_by_server());
}

// A chain of 12 KB in packets of at most 4096 bytes: one message per flight still, in both of the server's flights.
BOOST_AUTO_TEST_CASE(long_certificate_chain) {
  certificate_authority authority;
  authority.issue("long", 3, 3000);
  server_options options;
  options.certificate_file = authority.path("long.pem");
  options.key_file = authority.path("long.key");
  echo_handler handler;
  const auto server = start(handler, encryption_mode::on, options);
  raw_client wire(server->port());
  BOOST_TEST(prelogin(wire, "00") == 3);
  tls_client tls(wire, TLS1_3_VERSION);
  tls.tunnelled_handshake(4088);
  BOOST_REQUIRE(tls.flights().size() == 2u);
  BOOST_TEST(tls.flights()[0].size() >= 4u);
  for (std::size_t i = 0; i + 1 < tls.flights()[0].size(); ++i) BOOST_TEST(tls.flights()[0][i] == 4096u);
  tls.send(raw_client::packet(0x10, 1, raw_client::login7()));
  BOOST_TEST(ends_with(tls.receive_message(), login_done));
}

// Each record holds one packet, of the size that was agreed: node and Vert.x cut records, SQL Server does not.
BOOST_AUTO_TEST_CASE(records_are_packets) {
  echo_handler handler;
  const auto server = start(handler);
  for (const std::uint32_t size : {512u, 4096u, 16383u}) {
    raw_client wire(server->port());
    BOOST_TEST(prelogin(wire, "01") == 1);
    tls_client tls(wire, TLS1_2_VERSION);
    tls.tunnelled_handshake(4088);
    tls.send(raw_client::packet(0x10, 1, raw_client::login7("tester", "secret", "", 0x74000004, size)));
    tls.receive_message();
    tls.take_record_sizes();
    for (const char* sql : {"rows 2000", "relay 2000"}) {
      tls.send(raw_client::packet(1, 1, raw_client::batch_body(sql)));
      const answer a = tls.receive_message();
      const auto records = tls.take_record_sizes();
      BOOST_REQUIRE(records.size() == a.packets.size());
      for (std::size_t i = 0; i < records.size(); ++i) {
        BOOST_TEST(a.packets[i] <= size);
        const std::size_t overhead = records[i] - a.packets[i];
        BOOST_TEST((overhead > 5 && overhead < 64));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_but_strict) {
  echo_handler handler;
  const auto server = start(handler, encryption_mode::strict);
  raw_client old(server->port());
  old.send_packet(0x12, 1, hex("00 000B 0006 01 0011 0001 FF 090000000000 01"));
  BOOST_TEST(old.closed_by_server());
  raw_client older(server->port());
  older.send_packet(0x10, 1, raw_client::login7());
  BOOST_TEST(older.closed_by_server());
  // With another protocol's name, or none, nothing is chosen; the client decides.
  for (const char* names : {"\x07tds/8.0", "\x02h2\x07tds/8.0", "\x02h2", ""}) {
    raw_client wire(server->port());
    tls_client tls(wire, TLS1_3_VERSION, *names == '\0' ? nullptr : names);
    tls.bare_handshake();
    BOOST_TEST(tls.alpn() == (std::string(names).ends_with("tds/8.0") ? "tds/8.0" : ""));
    // LOGIN7 without PRELOGIN works here too.
    tls.send(raw_client::packet(0x10, 1, raw_client::login7("tester", "secret", "", 0x08000000)));
    BOOST_TEST(ends_with(tls.receive_message(), login_done));
  }
  // Something that is no TLS behind the right first byte.
  raw_client garbage(server->port());
  garbage.send(hex("16 0301 0005 0102030405"));
  std::uint8_t byte;
  while (garbage.receive_some(&byte, 1) != 0) {
  }
  BOOST_TEST(server->stats().logins == 4u);
}

BOOST_AUTO_TEST_CASE(client_certificates) {
  certificate_authority ours, theirs;
  ours.issue("server");
  ours.issue("reporting");
  theirs.issue("stranger");
  server_options options;
  options.certificate_file = ours.path("server.pem");
  options.key_file = ours.path("server.key");
  options.client_authorities_file = ours.root();
  for (const bool required : {false, true})
    for (const bool strict : {false, true})
      for (const int highest : {TLS1_2_VERSION, TLS1_3_VERSION})
        for (const auto& [shown, right] :
             {std::pair("", !required), std::pair("reporting", true), std::pair("stranger", false)})
          BOOST_TEST_CONTEXT((required ? "required " : "optional ")
                             << (strict ? "strict " : "tunnelled ") << highest << " shown: " << shown) {
            options.client_certificate_required = required;
            echo_handler handler;
            const auto server = start(handler, encryption_mode::required, options);
            raw_client wire(server->port());
            bool logged_in = false;
            try {
              if (!strict) BOOST_TEST(prelogin(wire, "81") == 1);  // 0x80: the client has a certificate
              tls_client tls(wire, highest, strict ? "\x07tds/8.0" : nullptr);
              if (*shown != '\0') {
                certificate_authority& of = std::string(shown) == "stranger" ? theirs : ours;
                tls.use_certificate(of.path(shown + std::string(".pem")), of.path(shown + std::string(".key")));
              }
              if (strict)
                tls.bare_handshake();
              else
                tls.tunnelled_handshake(4088);
              tls.send(raw_client::packet(0x10, 1, raw_client::login7()));
              logged_in = ends_with(tls.receive_message(), login_done);
            } catch (const std::exception&) {
            }
            BOOST_TEST(logged_in == right);
            BOOST_TEST(handler.last_certificate() == (right && *shown != '\0' ? "CN=reporting" : ""));
          }
  // Where a session may be in clear, a required certificate would be no protection.
  options.client_certificate_required = true;
  echo_handler handler;
  for (const auto mode : {encryption_mode::off, encryption_mode::on, encryption_mode::not_supported}) {
    options.encryption = mode;
    BOOST_TEST(!server::start(options, handler).has_value());
  }
  options.encryption = encryption_mode::strict;
  options.client_authorities_file = ours.path("none.pem");
  BOOST_TEST(!server::start(options, handler).has_value());
}

BOOST_AUTO_TEST_CASE(a_changed_certificate_is_taken_up) {
  certificate_authority authority;
  authority.issue("first");
  authority.issue("second");
  const auto copy = [&](const std::string& name, const char* part) {
    std::filesystem::copy_file(authority.path(name + part), authority.path(std::string("used.new") + part),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(authority.path(std::string("used.new") + part), authority.path(std::string("used") + part));
  };
  for (const char* part : {".pem", ".key"}) copy("first", part);
  server_options options;
  options.certificate_file = authority.path("used.pem");
  options.key_file = authority.path("used.key");
  options.certificate_check = std::chrono::milliseconds(20);
  echo_handler handler;
  const auto server = start(handler, encryption_mode::strict, options);
  const auto shown = [&] {
    raw_client wire(server->port());
    tls_client tls(wire, TLS1_3_VERSION);
    tls.bare_handshake();
    return tls.server_subject();
  };
  const auto becomes = [&](const char* subject) {
    for (int i = 0; i < 200 && shown() != subject; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return shown() == subject;
  };
  raw_client wire(server->port());
  tls_client running(wire, TLS1_3_VERSION);
  running.bare_handshake();
  running.send(raw_client::packet(0x10, 1, raw_client::login7()));
  running.receive_message();
  BOOST_TEST(running.server_subject() == "/CN=first");
  // A certificate without its key, and a file that is none: the old one stays.
  copy("second", ".pem");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  BOOST_TEST(shown() == "/CN=first");
  BOOST_TEST(!server->reload_certificate().has_value());
  BOOST_TEST(shown() == "/CN=first");
  copy("second", ".key");
  BOOST_TEST(becomes("/CN=second"));
  std::ofstream(authority.path("used.pem")) << "nothing\n";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  BOOST_TEST(shown() == "/CN=second");
  for (const char* part : {".pem", ".key"}) copy("first", part);
  BOOST_TEST(becomes("/CN=first"));
  // Whoever was there has noticed nothing.
  running.send(raw_client::packet(1, 1, raw_client::batch_body("set x")));
  BOOST_TEST(ends_with(running.receive_message(), set_done));
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
