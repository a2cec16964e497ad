#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {

std::string parser::upper(const token& t) const {
  std::string out(raw(t));
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

void parser::fail(failure f) {
  if (!error_) error_ = std::move(f);
  at_ = end_;
}

void parser::fail_at(const token& t, errc code, std::string message, std::int32_t number) {
  failure f(code, std::move(message), t.line, t.column);
  f.number = number;
  fail(std::move(f));
}

// At the end of the text SQL Server names the last token.
void parser::fail_at(const token& t) {
  const token& shown = t.kind == token_kind::end && &t != first_ ? *(&t - 1) : t;
  constexpr std::size_t shown_max = 64;
  const std::string_view spelled = raw(shown);
  const std::string near(spelled.substr(0, std::min(spelled.size(), shown_max)));
  if (shown.kind == token_kind::word && is_reserved(shown.word)) {
    return fail_at(t, errc::syntax, "Incorrect syntax near the keyword '" + near + "'.", 156);
  }
  fail_at(t, errc::syntax, "Incorrect syntax near '" + near + "'.");
}

void parser::fail_unsupported(const token& t, std::string_view construct) {
  fail_at(t, errc::unsupported_construct, std::string(construct) + " is not supported.");
}

void parser::fail_too_complex(std::string_view what) {
  fail_at(*at_, errc::too_complex, "Some part of your SQL statement is " + std::string(what) + ".");
}

}  // namespace dragoman::tsql
