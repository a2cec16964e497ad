#include "tds/all_headers.h"

#include "base/limits.h"
#include "base/utf16.h"

namespace dragoman::tds {
namespace {
constexpr std::uint16_t transaction_descriptor_header = 2;
}

result<all_headers> read_all_headers(byte_reader& in, const wire_profile& profile) {
  all_headers out;
  if (!profile.wide()) return out;
  const std::size_t total = in.u32();
  if (in.failed() || total < 4 || total - 4 > in.remaining())
    return failure(errc::protocol, "ALL_HEADERS is longer than its message");
  byte_reader headers(in.take(total - 4));
  while (!headers.at_end()) {
    const std::size_t length = headers.u32();
    const std::uint16_t type = headers.u16();
    if (headers.failed() || length < 6) return failure(errc::protocol, "a header of ALL_HEADERS is cut short");
    byte_reader data(headers.take(length - 6));
    if (headers.failed()) return failure(errc::protocol, "a header of ALL_HEADERS is longer than their total");
    if (type == transaction_descriptor_header) out.transaction_descriptor = data.u64();
  }
  return out;
}

result<sql_batch> parse_sql_batch(byte_span message, const wire_profile& profile) {
  byte_reader in(message);
  const auto headers = read_all_headers(in, profile);
  if (!headers) return headers.error();
  const byte_span text = in.rest();
  if (text.size() / 2 > limits::statement_bytes_max) return failure(errc::too_complex, "The batch is too long.");
  auto utf8 = utf8_from_utf16le(text);
  if (!utf8) return failure(errc::protocol, "the text of a batch has an odd number of bytes");
  return sql_batch{headers->transaction_descriptor, std::move(*utf8)};
}

}  // namespace dragoman::tds
