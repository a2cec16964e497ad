#include "tds/received_tokens.h"

#include <utility>

#include "base/utf16.h"
#include "tds/type_reader.h"

namespace dragoman::tds {
namespace {

// How a token's size is found.
enum class measure : std::uint8_t { none, four, twelve, short_length, long_length, return_value };

measure measure_of(std::uint8_t first) noexcept {
  constexpr std::uint8_t session_state = 0xE4;
  constexpr std::uint8_t fedauth_info = 0xEE;
  constexpr std::uint8_t sspi = 0xED;
  switch (first) {
    case sspi: return measure::short_length;
    case session_state:
    case fedauth_info: return measure::long_length;
    default: break;
  }
  switch (static_cast<token>(first)) {
    case token::return_status: return measure::four;
    case token::done:
    case token::done_proc:
    case token::done_in_proc: return measure::twelve;
    case token::tabname:
    case token::colinfo:
    case token::order:
    case token::error:
    case token::info:
    case token::loginack:
    case token::env_change: return measure::short_length;
    case token::return_value: return measure::return_value;
    default: return measure::none;
  }
}

// 2.2.7.18.
void skip_return_value(byte_reader& in) {
  in.u16();
  in.skip(in.u8() * std::size_t{2});
  in.skip(1 + 4 + 2);
  if (const auto type = read_type_info(in, wire_profile{})) read_value(in, *type);
}

}  // namespace

bool is_known_token(std::uint8_t token) noexcept {
  return measure_of(token) != measure::none;
}

std::optional<std::size_t> token_size(byte_span bytes) {
  byte_reader in(bytes);
  switch (measure_of(in.u8())) {
    case measure::none: return std::nullopt;
    case measure::four: in.skip(4); break;
    case measure::twelve: in.skip(12); break;
    case measure::short_length: in.skip(in.u16()); break;
    case measure::long_length: in.skip(in.u32()); break;
    case measure::return_value: skip_return_value(in); break;
  }
  if (in.failed()) return std::nullopt;
  return in.position();
}

std::optional<received_message> read_message(byte_span bytes) {
  byte_reader in(bytes);
  in.skip(1 + 2);
  received_message m;
  m.number = static_cast<std::int32_t>(in.u32());
  m.state = in.u8();
  m.severity = in.u8();
  auto text = utf8_from_utf16le(in.take(in.u16() * std::size_t{2}));
  if (in.failed()) return std::nullopt;
  m.text = text ? std::move(*text) : std::string();
  return m;
}

received_done read_done(byte_span bytes) {
  byte_reader in(bytes);
  in.skip(1);
  received_done d;
  d.status = in.u16();
  in.skip(2);
  d.rows = in.u64();
  return d;
}

}  // namespace dragoman::tds
