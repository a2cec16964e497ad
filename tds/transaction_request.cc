#include "tds/transaction_request.h"

#include "base/utf16.h"
#include "tds/all_headers.h"

namespace dragoman::tds {
namespace {

// B_VARBYTE of UTF-16: the length counts bytes.
std::string read_name(byte_reader& in) {
  const std::size_t length = in.u8();
  auto text = utf8_from_utf16le(in.take(length));
  if (!text) {
    in.fail();
    return {};
  }
  return std::move(*text);
}

}  // namespace

result<transaction_request> parse_transaction_request(byte_span message, const wire_profile& profile) {
  byte_reader in(message);
  const auto headers = read_all_headers(in, profile);
  if (!headers) return headers.error();
  transaction_request request;
  request.transaction_descriptor = headers->transaction_descriptor;
  request.operation = static_cast<transaction_operation>(in.u16());
  switch (request.operation) {
    case transaction_operation::begin:
      request.isolation = in.u8();
      request.name = read_name(in);
      break;
    case transaction_operation::commit:
    case transaction_operation::rollback:
      request.name = read_name(in);
      // Some drivers leave the flag out when it would be 0.
      request.begin_next = !in.at_end() && (in.u8() & 1) != 0;
      if (request.begin_next) {
        request.next_isolation = in.u8();
        request.next_name = read_name(in);
      }
      break;
    case transaction_operation::save: request.name = read_name(in); break;
    default: break;  // refused by what answers it
  }
  if (in.failed()) return failure(errc::protocol, "a transaction manager request is cut short");
  return request;
}

}  // namespace dragoman::tds
