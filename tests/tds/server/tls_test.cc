// The three ways of TLS, with OpenSSL as the client and every packet in the test's hands.
#include <openssl/ssl.h>

#include <boost/test/unit_test.hpp>

#include "tests/tds/server/echo_handler.h"
#include "tests/tds/server/raw_client.h"

namespace dragoman::tds::server {
using namespace testing;
using tds::testing::hex;

namespace {

class tls_client {
 public:
  tls_client(raw_client& wire, int highest, const char* alpn = nullptr)
      : wire_(wire), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_max_proto_version(context_, highest);
    ssl_ = SSL_new(context_);
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_, in_, out_);
    SSL_set_connect_state(ssl_);
    if (alpn != nullptr)
      SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(alpn), static_cast<unsigned>(std::strlen(alpn)));
  }
  ~tls_client() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  tls_client(const tls_client&) = delete;
  tls_client& operator=(const tls_client&) = delete;

  std::vector<std::uint8_t> outgoing() {
    std::vector<std::uint8_t> bytes(BIO_ctrl_pending(out_));
    if (!bytes.empty()) BIO_read(out_, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }
  void incoming(byte_span bytes) { BIO_write(in_, bytes.data(), static_cast<int>(bytes.size())); }

  // In PRELOGIN packets of at most `packet` payload bytes; checks that each flight is one message of type 0x12.
  void tunnelled_handshake(std::size_t packet) {
    for (;;) {
      const int rc = SSL_do_handshake(ssl_);
      const auto flight = outgoing();
      for (std::size_t at = 0; at < flight.size(); at += packet) {
        const std::size_t count = std::min(packet, flight.size() - at);
        wire_.send_packet(0x12, at + count == flight.size() ? 1 : 0, byte_span(flight).subspan(at, count));
      }
      if (rc == 1) return;
      BOOST_REQUIRE(SSL_get_error(ssl_, rc) == SSL_ERROR_WANT_READ);
      const answer a = wire_.receive_message();
      BOOST_TEST(a.type == 0x12);
      for (const std::size_t size : a.packets) BOOST_TEST(size <= 4096u);
      incoming(a.body);
    }
  }
  void bare_handshake() {
    while (SSL_do_handshake(ssl_) != 1) {
      wire_.send(outgoing());
      read_more();
    }
  }
  void send(byte_span plain) {
    SSL_write(ssl_, plain.data(), static_cast<int>(plain.size()));
    wire_.send(outgoing());
  }
  std::vector<std::uint8_t> encrypted(byte_span plain) {
    SSL_write(ssl_, plain.data(), static_cast<int>(plain.size()));
    return outgoing();
  }
  void receive(std::uint8_t* out, std::size_t size) {
    while (size != 0) {
      const int n = SSL_read(ssl_, out, static_cast<int>(size));
      if (n > 0) {
        out += n;
        size -= static_cast<std::size_t>(n);
      } else {
        read_more();
      }
    }
  }
  answer receive_message() {
    answer a;
    for (;;) {
      std::uint8_t header[8];
      receive(header, 8);
      const std::size_t length = static_cast<std::size_t>(header[2] << 8 | header[3]);
      const std::size_t at = a.body.size();
      a.body.resize(at + length - 8);
      receive(a.body.data() + at, length - 8);
      a.packets.push_back(length);
      if (header[1] == 1) return a;
    }
  }
  std::string version() const { return SSL_get_version(ssl_); }
  std::string alpn() const {
    const unsigned char* name = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(ssl_, &name, &length);
    return {reinterpret_cast<const char*>(name), length};
  }

 private:
  void read_more() {
    std::uint8_t buffer[65536];
    const std::size_t n = wire_.receive_some(buffer, sizeof buffer);
    if (n == 0) throw std::runtime_error("the server has closed");
    incoming({buffer, n});
  }
  raw_client& wire_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
};

std::unique_ptr<server> start(echo_handler& handler, encryption_mode mode = encryption_mode::off) {
  server_options options;
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

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
