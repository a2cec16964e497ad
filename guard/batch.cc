// A text on its way through the guard: one batch, statement by statement.
#include <fmt/format.h>

#include "base/limits.h"
#include "guard/context.h"
#include "guard/guard.h"
#include "guard/statement_kind.h"
#include "guard/tsql/lexer.h"
#include "guard/tsql/parser.h"

namespace dragoman::guard {
namespace {

verdict refuse(const failure& f, std::string_view rule) {
  verdict v;
  v.code = f.code;
  v.number = f.number;
  v.message = f.message;
  v.line = f.line;
  v.column = f.column;
  v.rule = rule;
  return v;
}

tsql::parse_options parsing(const check_options& options) {
  tsql::parse_options p;
  p.quoted_identifier = options.quoted_identifier;
  return p;
}

// A generated text is one SELECT without comments, or nothing.
verdict check_generated(std::string_view text, const policy& principal, const check_options& options) {
  if (text.size() > limits::select_bytes_max) {
    return refuse(failure(errc::too_complex, "The statement is too long."), "complexity");
  }
  tsql::lexer_options lexing;
  lexing.quoted_identifier = options.quoted_identifier;
  if (tsql::contains_comment(text, lexing)) {
    return refuse(failure(errc::comment_present, "The statement has a comment."), "comments");
  }
  auto parsed = tsql::parse_query(text, parsing(options));
  if (!parsed) return refuse(parsed.error(), "parse");
  return check_select(std::move(*parsed), principal, options, text);
}

std::size_t length_of(const tsql::statement& s) {
  return s.end_offset > s.pos.offset ? s.end_offset - s.pos.offset : 0;
}

verdict check_one(const tsql::statement& s, const policy& principal, const check_options& options,
                  std::string_view text) {
  const bool select = s.as<tsql::select_statement>() != nullptr;
  if (select && length_of(s) > limits::select_bytes_max) {
    return refuse(failure(errc::too_complex, "The statement is too long.", s.pos.line, s.pos.column), "complexity");
  }
  return check_statement(s, principal, options, text);
}

// Several SELECTs become one text when each may run; with anything for the sandbox among them the batch is its affair.
verdict combine(std::vector<statement_verdict> all) {
  if (all.empty()) return answer_at_home("statement_kind", "has nothing to run");
  if (all.size() == 1) return std::move(all.front().verdict);
  std::size_t forwarded = 0, at_home = 0;
  for (auto& s : all) {
    if (s.verdict.kind == verdict_kind::refuse) return std::move(s.verdict);
    (s.verdict.kind == verdict_kind::accept && s.verdict.reads_tables ? forwarded : at_home) += 1;
  }
  if (forwarded == 0)
    return answer_at_home("statement_kind", fmt::format("runs the {} statements of the batch", at_home));
  if (at_home != 0) {
    return answer_at_home(
        "statement_kind",
        fmt::format("runs the batch: {} of its statements at home, {} guarded and forwarded one by one", at_home,
                    forwarded));
  }
  verdict out = std::move(all.front().verdict);
  for (std::size_t i = 1; i < all.size(); ++i) {
    verdict& next = all[i].verdict;
    out.printed += "; " + next.printed;
    out.has_row_filter = out.has_row_filter || next.has_row_filter;
    for (auto& n : next.notices) out.notices.push_back(std::move(n));
    for (auto& t : next.tables) {
      bool known = false;
      for (const auto& have : out.tables) known = known || have == t;
      if (!known) out.tables.push_back(std::move(t));
    }
  }
  return out;
}

}  // namespace

std::vector<statement_verdict> check_batch(std::string_view text, const policy& principal,
                                           const check_options& options) {
  std::vector<statement_verdict> out;
  auto parsed = tsql::parse_batch(text, parsing(options));
  if (!parsed) {
    out.push_back({{}, refuse(parsed.error(), "parse")});
    return out;
  }
  check_options now = options;
  out.reserve(parsed->statements.size());
  for (auto& s : parsed->statements) {
    out.push_back({{}, check_one(s, principal, now, text)});
    remember_variables(s, now);
    out.back().statement = std::move(s);
  }
  return out;
}

verdict check(std::string_view text, const policy& principal, const check_options& options) {
  if (options.profile == profile::generated) return check_generated(text, principal, options);
  auto parsed = tsql::parse_batch(text, parsing(options));
  if (!parsed) return refuse(parsed.error(), "parse");
  if (parsed->statements.size() == 1) {
    tsql::statement& only = parsed->statements.front();
    if (auto* select = only.as<tsql::select_statement>();
        select != nullptr && length_of(only) <= limits::select_bytes_max) {
      return check_select(std::move(*select), principal, options, text);
    }
    return check_one(only, principal, options, text);
  }
  check_options now = options;
  std::vector<statement_verdict> all;
  for (auto& s : parsed->statements) {
    all.push_back({{}, check_one(s, principal, now, text)});
    if (all.back().verdict.kind == verdict_kind::refuse) return std::move(all.back().verdict);
    remember_variables(s, now);
  }
  return combine(std::move(all));
}

}  // namespace dragoman::guard
