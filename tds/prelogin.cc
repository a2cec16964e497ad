#include "tds/prelogin.h"

#include <vector>

namespace dragoman::tds {
namespace {

enum option : std::uint8_t {
  opt_version = 0,
  opt_encryption = 1,
  opt_instance = 2,
  opt_thread_id = 3,
  opt_mars = 4,
  opt_trace_id = 5,
  opt_fedauth = 6,
  opt_terminator = 0xFF,
};

failure broken(const char* what) {
  return {errc::protocol, what};
}

}  // namespace

result<prelogin_request> parse_prelogin(byte_span message) {
  prelogin_request request;
  byte_reader table(message);
  for (;;) {
    const std::uint8_t id = table.u8();
    if (table.failed()) return broken("PRELOGIN has no terminator");
    if (id == opt_terminator) break;
    const std::size_t offset = table.u16_big();
    const std::size_t length = table.u16_big();
    if (table.failed()) return broken("PRELOGIN option table is cut short");
    if (offset > message.size() || length > message.size() - offset)
      return broken("PRELOGIN option points outside the message");
    const byte_span data = message.subspan(offset, length);
    switch (id) {
      case opt_version:
        for (std::size_t i = 0; i < data.size() && i < request.version.size(); ++i) request.version[i] = data[i];
        break;
      case opt_encryption:
        if (data.empty()) return broken("PRELOGIN ENCRYPTION is empty");
        request.encryption_byte = data[0];
        break;
      case opt_instance: request.instance = true; break;
      case opt_thread_id: request.thread_id = true; break;
      case opt_mars: request.mars = data.empty() ? std::uint8_t{0} : data[0]; break;
      case opt_trace_id: request.trace_id = true; break;
      case opt_fedauth: request.fedauth = data.empty() ? std::uint8_t{0} : data[0]; break;
      default: break;  // NONCEOPT and what is yet to come: the client learns from the answer that it is not known here
    }
  }
  return request;
}

encryption answer_encryption(const prelogin_request& request, encryption_policy policy) noexcept {
  if (policy == encryption_policy::none) return encryption::not_supported;
  // No byte at all means a client that knows no encryption.
  switch (request.encryption_byte.value_or(2) & 0x7F) {
    case 0: return policy == encryption_policy::available ? encryption::off : encryption::required;
    case 2: return policy == encryption_policy::forced ? encryption::required : encryption::not_supported;
    default: return encryption::on;
  }
}

tls_plan plan_of(const prelogin_request& request, encryption answer) noexcept {
  switch (answer) {
    case encryption::off:
      return (request.encryption_byte.value_or(2) & 0x7F) == 0 ? tls_plan::login_only : tls_plan::full;
    case encryption::not_supported: return tls_plan::plain;
    case encryption::on:
    case encryption::required: return tls_plan::full;
  }
  return tls_plan::plain;
}

void write_prelogin_answer(byte_writer& out, const prelogin_request& request, encryption answer, std::uint8_t major,
                           std::uint8_t minor, std::uint16_t build) {
  struct entry {
    std::uint8_t id;
    std::vector<std::uint8_t> data;
  };
  std::vector<entry> entries;
  entries.push_back(
      {opt_version, {major, minor, static_cast<std::uint8_t>(build >> 8), static_cast<std::uint8_t>(build), 0, 0}});
  entries.push_back({opt_encryption, {static_cast<std::uint8_t>(answer)}});
  if (request.instance) entries.push_back({opt_instance, {0}});
  // An empty option must not be the last one, so THREADID is only answered where data follows.
  if (request.thread_id && (request.mars || request.fedauth)) entries.push_back({opt_thread_id, {}});
  if (request.mars) entries.push_back({opt_mars, {0}});
  if (request.trace_id) entries.push_back({opt_trace_id, {}});
  if (request.fedauth) entries.push_back({opt_fedauth, {0}});

  std::size_t offset = entries.size() * 5 + 1;
  for (const entry& e : entries) {
    out.u8(e.id);
    out.u16_big(static_cast<std::uint16_t>(offset));
    out.u16_big(static_cast<std::uint16_t>(e.data.size()));
    offset += e.data.size();
  }
  out.u8(opt_terminator);
  for (const entry& e : entries) out.raw(e.data);
}

}  // namespace dragoman::tds
