#include "tds/server/tls_channel.h"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cstring>

namespace dragoman::tds::server {

tls_channel::tls_channel(const tls_context& context, bool strict)
    : context_(strict ? context.strict() : context.tunnelled()), ssl_(SSL_new(context_.get())) {
  BIO* bio = BIO_new(method());
  BIO_set_data(bio, &buffers_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_accept_state(ssl_);
}

tls_channel::~tls_channel() {
  // No close_notify: several clients would read it as a packet.
  SSL_set_quiet_shutdown(ssl_, 1);
  SSL_free(ssl_);
}

BIO_METHOD* tls_channel::method() {
  // Buffers of our own instead of memory BIOs, which keep the memory of the largest flight for ever.
  static BIO_METHOD* const made = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "dragoman");
    BIO_meth_set_read(m, &tls_channel::read);
    BIO_meth_set_write(m, &tls_channel::write);
    BIO_meth_set_ctrl(m, &tls_channel::control);
    return m;
  }();
  return made;
}

int tls_channel::read(BIO* bio, char* data, int size) {
  auto* b = static_cast<buffers*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (b->in.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(b->in.size(), static_cast<std::size_t>(size));
  std::memcpy(data, b->in.data(), count);
  b->in = b->in.subspan(count);
  return static_cast<int>(count);
}

int tls_channel::write(BIO* bio, const char* data, int size) {
  auto* b = static_cast<buffers*>(BIO_get_data(bio));
  if (b->out == nullptr) return size;  // alerts with nobody to hear them
  b->out->raw({reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)});
  return size;
}

long tls_channel::control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

void tls_channel::keep_error(const char* what) {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  error_ = std::string(what) + (reason == nullptr ? "" : std::string(": ") + reason);
  ERR_clear_error();
}

tls_channel::state tls_channel::handshake(byte_span& in, byte_writer& out) {
  ERR_clear_error();
  buffers_ = {in, &out};
  const int rc = SSL_do_handshake(ssl_);
  const int why = rc == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, rc);
  in = buffers_.in;
  buffers_ = {};
  if (rc == 1) return state::done;
  if (why == SSL_ERROR_WANT_READ) return state::more;
  keep_error("TLS handshake failed");
  return state::failed;
}

bool tls_channel::decrypt(byte_span in, byte_writer& out, byte_writer& reply, bool& closed) {
  ERR_clear_error();
  buffers_ = {in, &reply};
  bool good = true;
  for (;;) {
    std::uint8_t* room = out.reserve(16384);
    if (room == nullptr) {
      good = false;
      break;
    }
    const int count = SSL_read(ssl_, room, 16384);
    if (count > 0) {
      out.commit(static_cast<std::size_t>(count));
      continue;
    }
    const int why = SSL_get_error(ssl_, count);
    if (why == SSL_ERROR_ZERO_RETURN) closed = true;
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_ZERO_RETURN) {
      keep_error("TLS record is broken");
      good = false;
    }
    break;
  }
  buffers_ = {};
  return good;
}

bool tls_channel::encrypt(byte_span plain, byte_writer& out) {
  if (plain.empty()) return true;
  ERR_clear_error();
  buffers_ = {{}, &out};
  const int count = SSL_write(ssl_, plain.data(), static_cast<int>(plain.size()));
  buffers_ = {};
  if (count == static_cast<int>(plain.size())) return true;
  keep_error("TLS write failed");
  return false;
}

std::string tls_channel::peer_subject() const {
  const X509* const shown = SSL_get0_peer_certificate(ssl_);
  if (shown == nullptr || SSL_get_verify_result(ssl_) != X509_V_OK) return {};
  BIO* const text = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(text, X509_get_subject_name(shown), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text, &data);
  std::string out(data, size > 0 ? static_cast<std::size_t>(size) : 0);
  BIO_free(text);
  return out;
}

std::string tls_channel::version() const {
  return SSL_get_version(ssl_);
}

}  // namespace dragoman::tds::server
