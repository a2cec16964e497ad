#include "proxy/upstream/odbc.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/utf16.h"

namespace dragoman::upstream {
namespace {

// "[unixODBC][FreeTDS][SQL Server]Invalid object name" → "Invalid object name".
std::string_view without_prefixes(std::string_view text) {
  while (text.starts_with('[')) {
    const auto close = text.find(']');
    // A driver's prefix is short; a message may itself begin with a bracketed name.
    if (close == std::string_view::npos || close > 24) break;
    const std::string_view label = text.substr(1, close - 1);
    if (label != "FreeTDS" && label != "SQL Server" && label != "unixODBC" && label != "Driver Manager" &&
        label != "Microsoft" && !label.starts_with("ODBC Driver"))
      break;
    text.remove_prefix(close + 1);
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string narrow(const SQLWCHAR* text, std::size_t units) {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(text);
  return utf8_from_utf16le(std::span(raw, units * 2)).value_or(std::string());
}

std::u16string wide(std::string_view utf8) {
  std::vector<std::uint8_t> raw;
  append_utf16le(raw, utf8);
  std::u16string out(raw.size() / 2, u'\0');
  std::copy(raw.begin(), raw.end(), reinterpret_cast<std::uint8_t*>(out.data()));
  return out;
}

std::vector<diagnostic> diagnostics_of(SQLSMALLINT kind, SQLHANDLE handle) {
  std::vector<diagnostic> out;
  std::array<SQLWCHAR, 6> state{};
  std::array<SQLWCHAR, 2048> text{};
  for (SQLSMALLINT record = 1; record <= 64; ++record) {
    SQLINTEGER number = 0;
    SQLSMALLINT length = 0;
    const SQLRETURN rc =
        SQLGetDiagRecW(kind, handle, record, state.data(), &number, text.data(), std::ssize(text), &length);
    if (!SQL_SUCCEEDED(rc)) break;
    const std::size_t units = std::min<std::size_t>(static_cast<std::size_t>(length), text.size() - 1);
    diagnostic d;
    d.state = narrow(state.data(), 5);
    d.number = number;
    d.text = std::string(without_prefixes(narrow(text.data(), units)));
    out.push_back(std::move(d));
  }
  return out;
}

bool is_connection_loss(const std::vector<diagnostic>& records) noexcept {
  // FreeTDS: 20003 timed out, 20004 read failed, 20006 write failed, 20009 cannot connect, 20017 unexpected EOF,
  // 20047 dead connection.
  constexpr std::array<std::int32_t, 6> lost{20003, 20004, 20006, 20009, 20017, 20047};
  return std::any_of(records.begin(), records.end(), [&](const diagnostic& d) {
    // 911, "database does not exist", comes with a state of class 08 over a connection that is well.
    return (d.state.starts_with("08") && d.number != 911) ||
           std::find(lost.begin(), lost.end(), d.number) != lost.end();
  });
}

}  // namespace dragoman::upstream
