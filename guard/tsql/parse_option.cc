// OPTION (query hints) (T-SQL reference: "Query hints").
#include <array>

#include "guard/tsql/parser_core.h"

namespace dragoman::tsql {
namespace {

enum class hint_value { none, integer, equals_number, equals_string };

struct known_hint {
  std::string_view name;
  hint_value value;
};

constexpr known_hint known_hints[] = {
    {"RECOMPILE", hint_value::none},
    {"MAXDOP", hint_value::integer},
    {"MAXRECURSION", hint_value::integer},
    {"FAST", hint_value::integer},
    {"QUERYTRACEON", hint_value::integer},
    {"CARDINALITY_TUNER_LIMIT", hint_value::integer},
    {"MAX_GRANT_PERCENT", hint_value::equals_number},
    {"MIN_GRANT_PERCENT", hint_value::equals_number},
    {"LABEL", hint_value::equals_string},
    {"HASH JOIN", hint_value::none},
    {"LOOP JOIN", hint_value::none},
    {"MERGE JOIN", hint_value::none},
    {"HASH UNION", hint_value::none},
    {"CONCAT UNION", hint_value::none},
    {"MERGE UNION", hint_value::none},
    {"KEEP UNION", hint_value::none},
    {"HASH GROUP", hint_value::none},
    {"ORDER GROUP", hint_value::none},
    {"FORCE ORDER", hint_value::none},
    {"EXPAND VIEWS", hint_value::none},
    {"KEEP PLAN", hint_value::none},
    {"KEEPFIXED PLAN", hint_value::none},
    {"ROBUST PLAN", hint_value::none},
    {"SHRINKDB PLAN", hint_value::none},
    {"ALTERCOLUMN PLAN", hint_value::none},
    {"CHECKCONSTRAINTS PLAN", hint_value::none},
    {"BYPASS OPTIMIZER_QUEUE", hint_value::none},
    {"USEPLAN", hint_value::integer},
    {"PARAMETERIZATION SIMPLE", hint_value::none},
    {"PARAMETERIZATION FORCED", hint_value::none},
    {"NO_PERFORMANCE_SPOOL", hint_value::none},
    {"IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX", hint_value::none},
    {"FORCE EXTERNALPUSHDOWN", hint_value::none},
    {"DISABLE EXTERNALPUSHDOWN", hint_value::none},
    {"FORCE SCALEOUTEXECUTION", hint_value::none},
    {"DISABLE SCALEOUTEXECUTION", hint_value::none},
    {"DISABLE_OPTIMIZED_PLAN_FORCING", hint_value::none},
    {"OPTIMIZE CORRELATED UNION ALL", hint_value::none},
};

}  // namespace

// The words of a hint, then its number or string where it has one.
void parser::parse_hint_words(query_hint& hint) {
  const token& start = cur();
  while (at(token_kind::word)) {
    if (!hint.name.empty()) hint.name.push_back(' ');
    hint.name += upper(cur());
    advance();
  }
  for (const known_hint& known : known_hints) {
    if (known.name != hint.name) continue;
    const bool equals = known.value == hint_value::equals_number || known.value == hint_value::equals_string;
    if (equals) expect(symbol::equal);
    if (known.value == hint_value::none) return;
    const bool fits = known.value == hint_value::equals_string ? is_string(cur())
                      : known.value == hint_value::integer
                          ? at(token_kind::integer)
                          : at(token_kind::integer) || at(token_kind::decimal) || at(token_kind::real);
    if (!fits) return fail_here();
    hint.value = parse_literal();
    return;
  }
  fail_at(start);
}

// OPTIMIZE FOR (@v = constant, @w UNKNOWN), OPTIMIZE FOR UNKNOWN
void parser::parse_optimize_for(query_hint& hint) {
  advance();
  advance();
  if (accept(keyword::unknown_)) {
    hint.name = "OPTIMIZE FOR UNKNOWN";
    return;
  }
  hint.name = "OPTIMIZE FOR";
  expect(symbol::left_paren);
  do {
    optimize_for_item item;
    count_node();
    if (!at(token_kind::variable)) return fail_here();
    item.variable = value_of(cur());
    advance();
    if (accept(symbol::equal)) {
      item.value = parse_constant();
    } else {
      expect(keyword::unknown_);
    }
    hint.optimize_for.push_back(std::move(item));
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
}

query_hint parser::parse_query_hint() {
  query_hint hint;
  count_node();
  hint.pos = pos(cur());
  if (at(keyword::optimize_) && next_is(1, keyword::for_)) {
    parse_optimize_for(hint);
  } else if (at(keyword::use_)) {
    advance();
    if (accept(keyword::plan_)) {
      hint.name = "USE PLAN";
      if (!is_string(cur())) return fail_here(), hint;
      hint.value = parse_literal();
      return hint;
    }
    expect(keyword::hint_);
    hint.name = "USE HINT";
    expect(symbol::left_paren);
    do {
      if (!is_string(cur())) return fail_here(), hint;
      hint.list.push_back(parse_literal());
    } while (accept(symbol::comma));
    expect(symbol::right_paren);
  } else if (at(keyword::table_)) {
    advance();
    expect(keyword::hint_);
    hint.name = "TABLE HINT";
    expect(symbol::left_paren);
    hint.table = parse_object_name(4);
    if (accept(symbol::comma)) {
      do {
        hint.table_hints.push_back(parse_table_hint());
      } while (ok() && (accept(symbol::comma) || !at(symbol::right_paren)));
    }
    expect(symbol::right_paren);
  } else {
    parse_hint_words(hint);
  }
  return hint;
}

std::vector<query_hint> parser::parse_option_clause() {
  std::vector<query_hint> hints;
  advance();
  expect(symbol::left_paren);
  do {
    hints.push_back(parse_query_hint());
  } while (accept(symbol::comma));
  expect(symbol::right_paren);
  return hints;
}

}  // namespace dragoman::tsql
