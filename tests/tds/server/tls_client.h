// OpenSSL as a client of the server, with every packet and record in the test's hands.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tds/server/raw_client.h"

namespace dragoman::tds::server::testing {

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
  // Before the handshake: what this client shows when it is asked who it is.
  void use_certificate(const std::string& certificate, const std::string& key) {
    BOOST_REQUIRE(SSL_use_certificate_file(ssl_, certificate.c_str(), SSL_FILETYPE_PEM) == 1);
    BOOST_REQUIRE(SSL_use_PrivateKey_file(ssl_, key.c_str(), SSL_FILETYPE_PEM) == 1);
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
        const auto framed =
            raw_client::packet(0x12, at + count == flight.size() ? 1 : 0, byte_span(flight).subspan(at, count));
        if (cut_ == 0 || cut_ >= framed.size()) {
          wire_.send(framed);
          continue;
        }
        wire_.send(byte_span(framed).first(cut_));
        std::this_thread::sleep_for(std::chrono::microseconds(150));
        wire_.send(byte_span(framed).subspan(cut_));
      }
      if (rc == 1) return;
      need_more(rc);
      const answer a = wire_.receive_message();
      BOOST_TEST(a.type == 0x12);
      flights_.push_back(a.packets);
      for (const std::size_t size : a.packets) BOOST_TEST(size <= 4096u);
      incoming(a.body);
    }
  }
  // From now on each packet of a tunnelled handshake goes out in two parts.
  void cut_flights_at(std::size_t bytes) { cut_ = bytes; }
  void bare_handshake() {
    for (int rc = SSL_do_handshake(ssl_); rc != 1; rc = SSL_do_handshake(ssl_)) {
      need_more(rc);
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
  // Packet sizes of each flight of the server in a tunnelled handshake.
  const std::vector<std::vector<std::size_t>>& flights() const { return flights_; }
  // Of what was received since the handshake: the bytes of each TLS record, its header included.
  std::vector<std::size_t> take_record_sizes() { return std::exchange(records_, {}); }
  std::string server_subject() const {
    X509* const shown = SSL_get0_peer_certificate(ssl_);
    char text[256] = "";
    if (shown != nullptr) X509_NAME_oneline(X509_get_subject_name(shown), text, sizeof text);
    return text;
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
    count_records({buffer, n});
    incoming({buffer, n});
  }
  void need_more(int rc) {
    if (SSL_get_error(ssl_, rc) != SSL_ERROR_WANT_READ) throw std::runtime_error("the TLS handshake failed");
  }
  void count_records(byte_span bytes) {
    unread_.insert(unread_.end(), bytes.begin(), bytes.end());
    std::size_t at = 0;
    while (unread_.size() - at >= 5) {
      const std::size_t size = 5 + static_cast<std::size_t>(unread_[at + 3] << 8 | unread_[at + 4]);
      if (unread_.size() - at < size) break;
      records_.push_back(size);
      at += size;
    }
    unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  raw_client& wire_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
  std::size_t cut_ = 0;
  std::vector<std::vector<std::size_t>> flights_;
  std::vector<std::uint8_t> unread_;
  std::vector<std::size_t> records_;
};

}  // namespace dragoman::tds::server::testing
