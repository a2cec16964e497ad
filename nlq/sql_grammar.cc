#include "nlq/sql_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/question_limits.h"
#include "guard/tsql/characters.h"
#include "guard/tsql/function_list.h"
#include "guard/tsql/printer.h"
#include "nlq/clean.h"

namespace dragoman::nlq {
namespace {

using retrieval::column_right;

// White space is one blank or one line break with its indentation: a model that may write blanks without end sometimes
// does. "-" always stands between blanks and "/" never before "*", so that no comment can arise.
constexpr std::string_view syntax = R"gbnf(
query ::= ("WITH" sp cte (comma cte)* sp)? select-out (sp set-op sp select-out)* order-part?
cte ::= made-up sp "AS" os "(" os body os ")"
body ::= select-in (sp set-op sp select-in)* order-part?
set-op ::= "UNION" (sp "ALL")? | "EXCEPT" | "INTERSECT"
select-out ::= "SELECT" sp head? item-out (comma item-out)* sp from-part
select-in ::= "SELECT" sp head? item-in (comma item-in)* sp from-part
head ::= "DISTINCT" sp (top sp)? | top sp
top ::= "TOP" (os "(" os int os ")" | sp int) (sp "PERCENT")? (sp "WITH" sp "TIES")?
item-out ::= expr (sp "AS" sp (made-up | column-name | heading))?
item-in ::= expr (sp "AS" sp (made-up | column-name))?
heading ::= "[" [^\[\]\x00-\x1F]+ "]"
from-part ::= "FROM" sp source (sp join)* (sp "WHERE" sp cond)? (sp "GROUP" sp "BY" sp exprs)? (sp "HAVING" sp cond)?
source ::= table-name (sp "AS" sp alias)? | made-up (sp "AS" sp alias)? | "(" os body os ")" sp "AS" sp alias
join ::= join-kind sp source sp "ON" sp on-cond | "CROSS" sp "JOIN" sp source | ("CROSS" | "OUTER") sp "APPLY" sp "(" os body os ")" sp "AS" sp alias
join-kind ::= ("INNER" sp | ("LEFT" | "RIGHT" | "FULL") sp ("OUTER" sp)?)? "JOIN"
order-part ::= sp "ORDER" sp "BY" sp order-items (sp "OFFSET" sp int sp rows (sp "FETCH" sp ("NEXT" | "FIRST") sp int sp rows sp "ONLY")?)?
order-items ::= order-item (comma order-item)*
order-item ::= expr (sp ("ASC" | "DESC"))?
rows ::= "ROWS" | "ROW"
cond ::= test (sp ("AND" | "OR") sp test)*
test ::= ("NOT" sp)? ("(" os cond os ")" | "EXISTS" os "(" os body os ")" | expr (os compare os expr | sp ("NOT" sp)? membership | sp "IS" sp ("NOT" sp)? "NULL"))
membership ::= "IN" os "(" os (body | exprs) os ")" | "BETWEEN" sp expr sp "AND" sp expr | "LIKE" sp expr
compare ::= "=" | "<>" | "!=" | "<=" | ">=" | "<" | ">"
exprs ::= expr (comma expr)*
expr ::= operand ((os [*/%+] os | sp "-" sp) operand)*
operand ::= "-"? (number | column | call | "(" os (expr | body) os ")") | string | "NULL" | case
case ::= "CASE" sp (expr (sp "WHEN" sp expr sp "THEN" sp expr)+ | "WHEN" sp cond sp "THEN" sp expr (sp "WHEN" sp cond sp "THEN" sp expr)*) (sp "ELSE" sp expr)? sp "END"
call ::= scalar os "(" os (exprs os)? ")" | dated os "(" os datepart comma exprs os ")" | "IIF" os "(" os cond comma expr comma expr os ")" | cast | total os "(" os ("DISTINCT" sp)? exprs os ")" (sp within)? (sp over)? | count os "(" os ("*" | ("DISTINCT" sp)? expr) os ")" (sp over)? | ranking os "(" os (exprs os)? ")" sp over | ordered os "(" os number os ")" sp within (sp over)?
cast ::= ("CAST" | "TRY_CAST") os "(" os expr sp "AS" sp type os ")" | ("CONVERT" | "TRY_CONVERT") os "(" os type comma expr (comma int)? os ")"
over ::= "OVER" os "(" os ("PARTITION" sp "BY" sp exprs)? (sp? "ORDER" sp "BY" sp order-items (sp frame)?)? os ")"
within ::= "WITHIN" sp "GROUP" os "(" os "ORDER" sp "BY" sp order-items os ")"
frame ::= ("ROWS" | "RANGE") sp ("BETWEEN" sp bound sp "AND" sp bound | bound)
bound ::= "CURRENT" sp "ROW" | ("UNBOUNDED" | int) sp ("PRECEDING" | "FOLLOWING")
type ::= plain-type | ("DECIMAL" | "NUMERIC" | "decimal" | "numeric") (os "(" os int (comma int)? os ")")? | ("NVARCHAR" | "VARCHAR" | "NCHAR" | "CHAR" | "nvarchar" | "varchar" | "nchar" | "char") os "(" os (int | "MAX" | "max") os ")"
count ::= "COUNT" | "COUNT_BIG"
column ::= (alias ".")? (column-name | made-up)
alias ::= [a-z] [a-z0-9_]*
number ::= int ("." [0-9]+)?
int ::= [0-9]+
string ::= "N"? "'" ([^'\x00-\x1F] | "''")* "'"
comma ::= os "," os
os ::= sp?
sp ::= " " | "\n" " "*
)gbnf";

bool has_control(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x20 || u == 0x7F;
  });
}

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Alternatives that share their beginnings: a server follows every alternative that still fits, letter by letter, and
// thousands of names side by side would cost it more than the model itself.
class choice {
 public:
  explicit choice(const std::set<std::string>& names) : names_(names.begin(), names.end()) {
    if (!names_.empty()) put(0, names_.size(), 0);
  }
  std::string take() { return std::move(out_); }

 private:
  // names_[from, to) have their first `depth` bytes in common, which are written already, and no name ends there.
  void put(std::size_t from, std::size_t to, std::size_t depth) {
    for (std::size_t at = from; at < to;) {
      const std::string& first = names_[at];
      std::size_t end = at + 1;
      const std::size_t letter = depth + tsql::decode(first, depth).length;
      while (end < to && names_[end].compare(0, letter, first, 0, letter) == 0) ++end;
      std::size_t shared = first.size();
      for (std::size_t k = at + 1; k < end; ++k) shared = std::min(shared, common(first, names_[k]));
      if (at != from) out_ += " | ";
      out_ += literal(std::string_view(first).substr(depth, shared - depth));
      const bool ends = first.size() == shared;
      if (end - at > 1) {
        out_ += " (";
        put(at + (ends ? 1 : 0), end, shared);
        out_ += ends ? ")?" : ")";
      }
      at = end;
    }
  }

  static std::size_t common(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    // Not within a character.
    while (n > 0 && n < a.size() && (static_cast<unsigned char>(a[n]) & 0xC0) == 0x80) --n;
    return n;
  }

  std::vector<std::string> names_;
  std::string out_;
};

std::string rule(std::string_view name, const std::set<std::string>& names) {
  return fmt::format("{} ::= {}\n", name, choice(names).take());
}

// A name as T-SQL lets it be written: in brackets always, and bare where it needs none.
std::vector<std::string> spellings(std::string_view name) {
  std::string bracketed = "[";
  for (const char c : name) {
    bracketed += c;
    if (c == ']') bracketed += c;
  }
  bracketed += "]";
  std::string bare = tsql::quote_identifier(name);
  std::vector<std::string> out = {bracketed};
  if (bare != bracketed) out.push_back(std::move(bare));
  return out;
}

bool looks_made_up(std::string_view folded, std::string_view prefix) {
  if (!prefix.empty()) return folded.starts_with(prefix);
  return folded.find('_') != std::string_view::npos && std::all_of(folded.begin(), folded.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// What takes its arguments in a form of its own.
bool has_own_syntax(std::string_view name) {
  static constexpr std::string_view own[] = {"IIF",          "COUNT",       "COUNT_BIG",     "JSON_OBJECT",
                                             "JSON_ARRAY",   "GROUPING",    "GROUPING_ID",   "JSON_ARRAYAGG",
                                             "CURRENT_DATE", "DATE_BUCKET", "JSON_OBJECTAGG"};
  return std::find(std::begin(own), std::end(own), name) != std::end(own);
}

// The functions that the guard allows whoever asks (guard/rules/functions.cc), but for those that give another answer
// each time.
const std::string& fixed_rules() {
  static const std::string made = [] {
    std::set<std::string> scalar, dated, total, ranking, ordered;
    for (const tsql::function_info& f : tsql::builtin_functions()) {
      if (f.access != tsql::function_access::none && f.access != tsql::function_access::clock) continue;
      if (has_own_syntax(f.name)) continue;
      std::string name(f.name);
      switch (f.kind) {
        case tsql::function_kind::scalar: (f.datepart_first ? dated : scalar).insert(std::move(name)); break;
        case tsql::function_kind::aggregate: total.insert(std::move(name)); break;
        case tsql::function_kind::window: ranking.insert(std::move(name)); break;
        case tsql::function_kind::ordered: ordered.insert(std::move(name)); break;
        case tsql::function_kind::rowset: break;
      }
    }
    std::set<std::string> types, parts;
    for (std::string_view t : {"bit", "tinyint", "smallint", "int", "bigint", "float", "real", "money", "date", "time",
                               "datetime", "datetime2", "datetimeoffset"}) {
      std::string upper(t);
      for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
      types.insert(std::string(t));
      types.insert(std::move(upper));
    }
    for (std::string_view p : {"year", "quarter", "month", "dayofyear", "day", "week", "weekday", "iso_week", "hour",
                               "minute", "second", "millisecond"}) {
      std::string upper(p);
      for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
      parts.insert(std::string(p));
      parts.insert(std::move(upper));
    }
    return fmt::format("root ::= \"{}\" | query \";\"?", out_of_scope_sentinel) + std::string(syntax) +
           rule("scalar", scalar) + rule("dated", dated) + rule("total", total) + rule("ranking", ranking) +
           rule("ordered", ordered) + rule("plain-type", types) + rule("datepart", parts);
  }();
  return made;
}

}  // namespace

std::string made_up_names::rule() const {
  return prefix.empty()
             ? "- Names that you make up (computed columns, common table expressions) are small letters with "
               "an underscore in them: total_sales. Aliases of tables are small letters.\n"
             : fmt::format(
                   "- Names that you make up (computed columns, common table expressions) begin "
                   "with {0}: {0}total. Aliases of tables are small letters.\n",
                   prefix);
}

std::optional<made_up_names> made_up_names_of(const catalog::database& db, const retrieval::table_scope& scope) {
  std::vector<std::string> unknown;  // to the principal, or not to be used freely
  for (std::size_t t = 0; t < db.tables.size(); ++t) {
    if (!scope.sees(t)) unknown.push_back(catalog::folded(db.tables[t].name));
    for (std::size_t c = 0; c < db.tables[t].columns.size(); ++c)
      if (!scope.sees(t) || scope.right(t, c) != column_right::visible)
        unknown.push_back(catalog::folded(db.tables[t].columns[c].name));
  }
  std::vector<std::string> prefixes = {"", "x_"};
  for (char c = 'a'; c <= 'z'; ++c) prefixes.push_back(std::string{'z', c, '_'});
  for (std::string& prefix : prefixes)
    if (std::none_of(unknown.begin(), unknown.end(),
                     [&](const std::string& name) { return looks_made_up(name, prefix); }))
      return made_up_names{std::move(prefix)};
  return std::nullopt;
}

std::string sql_grammar(const catalog::database& db, const retrieval::table_scope& scope,
                        const std::vector<std::size_t>& tables, const made_up_names& own) {
  std::set<std::string> names, columns, keys;
  for (const std::size_t t : tables) {
    const catalog::table& table = db.tables[t];
    if (!scope.sees(t) || has_control(table.schema) || has_control(table.name)) continue;
    for (const std::string& schema : spellings(table.schema))
      for (const std::string& name : spellings(table.name)) names.insert(schema + "." + name);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (has_control(table.columns[c].name)) continue;
      const column_right right = scope.right(t, c);
      if (right == column_right::hidden) continue;
      for (std::string& name : spellings(table.columns[c].name))
        (right == column_right::visible ? columns : keys).insert(std::move(name));
    }
  }
  if (names.empty() || columns.empty() || names.size() + columns.size() + keys.size() > limits::grammar_names_max)
    return {};
  std::string out = fixed_rules() + rule("table-name", names) + rule("column-name", columns);
  out += own.prefix.empty() ? "made-up ::= [a-z] [a-z0-9]* \"_\" [a-z0-9_]*\n"
                            : fmt::format("made-up ::= \"{}\" [a-z0-9_]+\n", own.prefix);
  if (keys.empty()) {
    out += "on-cond ::= cond\n";
  } else {
    out +=
        "on-cond ::= on-test (sp \"AND\" sp on-test)*\n"
        "on-test ::= key os \"=\" os key | test\n"
        "key ::= alias \".\" (column-name | made-up | key-name)\n" +
        rule("key-name", keys);
  }
  return out.size() > limits::grammar_bytes_max ? std::string() : out;
}

}  // namespace dragoman::nlq
