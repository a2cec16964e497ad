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

tsql::parse_options parsing(const check_options& options) {
  tsql::parse_options p;
  p.quoted_identifier = options.quoted_identifier;
  return p;
}

// A generated text is one SELECT without comments, or nothing.
verdict check_generated(std::string_view text, const policy& principal, const check_options& options) {
  if (text.size() > limits::select_bytes_max) {
    return refused_by(failure(errc::too_complex, "The statement is too long."), "complexity");
  }
  tsql::lexer_options lexing;
  lexing.quoted_identifier = options.quoted_identifier;
  if (tsql::contains_comment(text, lexing)) {
    return refused_by(failure(errc::comment_present, "The statement has a comment."), "comments");
  }
  auto parsed = tsql::parse_query(text, parsing(options));
  if (!parsed) return refused_by(parsed.error(), "parse");
  return check_select(std::move(*parsed), principal, options, text);
}

std::size_t length_of(const tsql::statement& s) {
  return s.end_offset > s.pos.offset ? s.end_offset - s.pos.offset : 0;
}

verdict check_one(const tsql::statement& s, const policy& principal, const check_options& options,
                  std::string_view text) {
  const bool select = s.as<tsql::select_statement>() != nullptr;
  if (select && length_of(s) > limits::select_bytes_max) {
    return refused_by(failure(errc::too_complex, "The statement is too long.", s.pos.line, s.pos.column), "complexity");
  }
  return check_statement(s, principal, options, text);
}

// Several SELECTs become one text when each may run; with anything for the sandbox among them the batch is its affair.
class batch_verdict {
 public:
  void add(verdict next) {
    ++statements_;
    (next.kind == verdict_kind::accept && next.reads_tables ? forwarded_ : at_home_) += 1;
    if (statements_ == 1) {
      all_ = std::move(next);
      return;
    }
    all_.printed += "; " + next.printed;
    all_.has_row_filter = all_.has_row_filter || next.has_row_filter;
    for (auto& n : next.notices) {
      if (all_.notices.empty() || all_.notices.back() != n) all_.notices.push_back(std::move(n));
    }
    for (auto& t : next.tables) {
      bool known = false;
      for (const auto& have : all_.tables) known = known || have == t;
      if (!known) all_.tables.push_back(std::move(t));
    }
  }

  verdict result() && {
    if (statements_ == 0) return answer_at_home("statement_kind", "has nothing to run");
    if (statements_ == 1) return std::move(all_);
    if (forwarded_ == 0)
      return answer_at_home("statement_kind", fmt::format("runs the {} statements of the batch", at_home_));
    if (at_home_ != 0) {
      return answer_at_home(
          "statement_kind",
          fmt::format("runs the batch: {} of its statements at home, {} guarded and forwarded one by one", at_home_,
                      forwarded_));
    }
    return std::move(all_);
  }

 private:
  verdict all_;
  std::size_t statements_ = 0;
  std::size_t forwarded_ = 0;
  std::size_t at_home_ = 0;
};

// Every SELECT knows every variable before it.
std::optional<verdict> too_many_variables(const check_options& now, const tsql::statement& s) {
  if (now.parameters.size() + now.table_variables.size() <= limits::rpc_parameters_max) return std::nullopt;
  return refused_by(
      failure(errc::too_complex, fmt::format("A batch may have at most {} variables.", limits::rpc_parameters_max),
              s.pos.line, s.pos.column),
      "complexity");
}

}  // namespace

std::vector<statement_verdict> check_batch(std::string_view text, const policy& principal,
                                           const check_options& options) {
  std::vector<statement_verdict> out;
  auto parsed = tsql::parse_batch(text, parsing(options));
  if (!parsed) {
    out.push_back({{}, refused_by(parsed.error(), "parse")});
    return out;
  }
  check_options now = options;
  out.reserve(parsed->statements.size());
  for (auto& s : parsed->statements) {
    out.push_back({{}, check_one(s, principal, now, text)});
    remember_variables(s, now);
    auto refused = too_many_variables(now, s);
    if (refused) out.back().verdict = std::move(*refused);
    out.back().statement = std::move(s);
    if (refused) break;
  }
  return out;
}

verdict check(std::string_view text, const policy& principal, const check_options& options) {
  if (options.profile == profile::generated) return check_generated(text, principal, options);
  auto parsed = tsql::parse_batch(text, parsing(options));
  if (!parsed) return refused_by(parsed.error(), "parse");
  if (parsed->statements.size() == 1) {
    tsql::statement& only = parsed->statements.front();
    if (auto* select = only.as<tsql::select_statement>();
        select != nullptr && length_of(only) <= limits::select_bytes_max) {
      return check_select(std::move(*select), principal, options, text);
    }
    return check_one(only, principal, options, text);
  }
  check_options now = options;
  batch_verdict all;
  for (auto& s : parsed->statements) {
    verdict v = check_one(s, principal, now, text);
    if (v.kind == verdict_kind::refuse) return v;
    all.add(std::move(v));
    remember_variables(s, now);
    if (auto refused = too_many_variables(now, s)) return std::move(*refused);
  }
  return std::move(all).result();
}

}  // namespace dragoman::guard
