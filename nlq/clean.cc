#include "nlq/clean.h"

#include <algorithm>
#include <array>
#include <optional>

#include "nlq/clean_scan.h"

namespace dragoman::nlq {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = from; at + word.size() <= text.size(); ++at)
    if (same_word(text.substr(at, word.size()), word)) return at;
  return std::string_view::npos;
}

// ---- what stands around the statement -------------------------------------------------------------------------------

}  // namespace

// <think>…</think>, <thinking>, <reasoning>. One that is not closed hides the rest; one that was only closed hides
// what was before.
std::string without_thinking(std::string_view text) {
  std::string out(text);
  for (std::string_view tag : {"think", "thinking", "thought", "reasoning"}) {
    const std::string open = "<" + std::string(tag) + ">";
    const std::string close = "</" + std::string(tag) + ">";
    for (std::size_t end; (end = find_word(out, close)) != std::string::npos;) {
      const std::size_t begin = find_word(std::string_view(out).substr(0, end), open);
      out.erase(begin == std::string::npos ? 0 : begin, end + close.size() - (begin == std::string::npos ? 0 : begin));
    }
    if (const std::size_t begin = find_word(out, open); begin != std::string::npos) out.erase(begin);
  }
  return out;
}

namespace {

// The text inside <sql>…</sql>, or all of it.
std::string_view inside_tags(std::string_view text) {
  const std::size_t open = find_word(text, "<sql>");
  if (open == std::string_view::npos) return text;
  const std::size_t from = open + 5;
  const std::size_t close = find_word(text, "</sql>", from);
  return text.substr(from, close == std::string_view::npos ? close : close - from);
}

struct start {
  std::size_t at;
  bool query;
};

// Where a statement begins: a keyword at the head of a line (or behind "(" there). A query's keyword is enough; those
// of other statements are also words of prose and need the word that follows them in SQL.
std::optional<start> find_start(std::string_view text);

// The first fenced block with a statement in it, or the text itself. A fence that is never closed runs to the end.
std::string_view inside_fence(std::string_view text) {
  std::optional<std::string_view> any;
  for (std::size_t open = text.find("```"); open != std::string_view::npos;) {
    std::size_t from = open + 3;
    std::size_t line = from;  // the language's name, up to the line's end
    while (line < text.size() && text[line] != '\n' && text[line] != ' ' && text[line] != '`') ++line;
    const std::string_view name = text.substr(from, line - from);
    const bool is_language =
        !name.empty() && name.size() <= 12 && !same_word(name, "select") && !same_word(name, "with");
    if (is_language || name.empty()) from = line;
    const std::size_t close = text.find("```", from);
    const std::string_view block = text.substr(from, close == std::string_view::npos ? close : close - from);
    if (find_start(block)) return block;
    if (!any) any = block;
    if (close == std::string_view::npos) break;
    open = text.find("```", close + 3);
  }
  return text;
}

std::string_view next_word(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
  std::size_t end = at;
  while (end < text.size() && ((text[end] | 32) >= 'a' && (text[end] | 32) <= 'z')) ++end;
  return text.substr(at, end == at && at < text.size() ? 1 : end - at);
}

struct opening {
  std::string_view word;
  std::string_view followers;  // words or characters, blank-separated; empty: whatever follows
};

constexpr auto openings = std::to_array<opening>({
    {"insert", "into"},
    {"update", ""},
    {"delete", "from"},
    {"merge", "into"},
    {"truncate", "table"},
    {"drop", "table view procedure proc function database index schema user login trigger"},
    {"alter", "table view procedure proc function database index schema user login role server"},
    {"create", "table view procedure proc function database index schema user login or"},
    {"exec", ""},
    {"execute", ""},
    {"declare", "@"},
    {"grant", ""},
    {"revoke", ""},
    {"backup", "database log"},
    {"shutdown", ""},
    {"waitfor", "delay time"},
    {"bulk", "insert"},
});

bool listed(std::string_view list, std::string_view word) {
  if (list.empty()) return true;
  while (!list.empty()) {
    const std::size_t blank = list.find(' ');
    if (same_word(list.substr(0, blank), word)) return true;
    list = blank == std::string_view::npos ? std::string_view() : list.substr(blank + 1);
  }
  return false;
}

// "WITH name AS (" or "WITH name (" and not "with the …".
bool begins_cte(std::string_view text, std::size_t at) {
  const auto tokens = rough_scan(text.substr(at, 400));
  if (tokens.size() < 3) return false;
  const auto word = [&](std::size_t i) { return text.substr(at + tokens[i].begin, tokens[i].end - tokens[i].begin); };
  if (tokens[1].kind != rough_kind::word && tokens[1].kind != rough_kind::quoted_name) return false;
  return word(2) == "(" || (same_word(word(2), "as") && tokens.size() > 3 && word(3) == "(");
}

bool upper_case(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// "select the orders", "select a table", in lower case or with one capital, are prose; "select a from t" is not.
bool prose_select(std::string_view word, std::string_view text, std::size_t end) {
  if (upper_case(word)) return false;
  const std::string_view after = next_word(text, end);
  if (same_word(after, "the")) return true;
  if (!same_word(after, "a") && !same_word(after, "an")) return false;
  const std::string_view then = next_word(text, static_cast<std::size_t>(after.data() + after.size() - text.data()));
  return !then.empty() && ((then[0] | 32) >= 'a' && (then[0] | 32) <= 'z') && !same_word(then, "from") &&
         !same_word(then, "as");
}

std::optional<start> find_start(std::string_view text) {
  std::optional<std::size_t> inline_query;
  bool line_head = true;
  std::size_t head = 0;  // where "(" stood that opens the line
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') {
      line_head = true;
      head = ++at;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '(') {
      ++at;
      continue;
    }
    const bool letter = ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (!letter) {
      line_head = line_head && c == ';';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() &&
           (((text[end] | 32) >= 'a' && (text[end] | 32) <= 'z') || text[end] == '_' ||
            (text[end] >= '0' && text[end] <= '9') || static_cast<unsigned char>(text[end]) >= 0x80))
      ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::string_view after = next_word(text, end);
    const bool query = (same_word(word, "select") && !prose_select(word, text, end)) ||
                       (same_word(word, "with") && begins_cte(text, at));
    if (line_head) {
      if (query) {
        const std::size_t paren = text.find('(', head);
        return start{paren != std::string_view::npos && paren < at ? paren : at, true};
      }
      for (const opening& o : openings)
        if (same_word(word, o.word) && listed(o.followers, after) && (!o.followers.empty() || upper_case(word)))
          return start{at, false};
    } else if (query && !inline_query && (upper_case(word) || same_word(word, "with") || text[at - 1] == ':')) {
      inline_query = at;
    }
    line_head = false;
    at = end;
  }
  if (inline_query) return start{*inline_query, true};
  return std::nullopt;
}

// ---- what stands behind it ------------------------------------------------------------------------------------------

constexpr auto sql_line_heads = std::to_array<std::string_view>(
    {"select", "from",  "where",   "group",   "order",    "having",    "join",   "inner",   "left",   "right",
     "full",   "cross", "outer",   "union",   "except",   "intersect", "on",     "and",     "or",     "not",
     "option", "for",   "offset",  "fetch",   "with",     "as",        "case",   "when",    "then",   "else",
     "end",    "top",   "limit",   "window",  "pivot",    "unpivot",   "values", "insert",  "update", "delete",
     "drop",   "exec",  "execute", "create",  "alter",    "truncate",  "merge",  "declare", "set",    "use",
     "go",     "grant", "revoke",  "waitfor", "shutdown", "backup",    "begin",  "if",      "print"});

// Prose behind the statement: a paragraph that does not begin as SQL does.
std::string_view without_trailing_prose(std::string_view sql) {
  const auto tokens = rough_scan(sql);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const rough_token& t = tokens[i];
    const std::string_view gap = sql.substr(tokens[i - 1].end, t.begin - tokens[i - 1].end);
    const auto lines = std::count(gap.begin(), gap.end(), '\n');
    const bool closed = sql.substr(tokens[i - 1].begin, 1) == ";";
    if (t.depth != 0 || lines == 0 || (lines < 2 && !closed)) continue;
    if (t.kind != rough_kind::word && sql[t.begin] != '*' && sql[t.begin] != '#') continue;
    const std::string_view word = sql.substr(t.begin, t.end - t.begin);
    if (std::any_of(sql_line_heads.begin(), sql_line_heads.end(), [&](auto w) { return same_word(w, word); })) continue;
    // A column list may go on after a blank line: prose only where the statement before was complete.
    if (!closed && sql.substr(tokens[i - 1].begin, 1) == ",") continue;
    return sql.substr(0, t.begin);
  }
  return sql;
}

std::string_view without_end_marks(std::string_view sql) {
  for (;;) {
    sql = trimmed(sql);
    if (sql.ends_with(';')) {
      sql.remove_suffix(1);
    } else if (sql.ends_with("```")) {
      sql.remove_suffix(3);
    } else if (sql.size() > 3 && same_word(sql.substr(sql.size() - 2), "go") && sql[sql.size() - 3] == '\n') {
      sql.remove_suffix(2);
    } else {
      return sql;
    }
  }
}

bool says_out_of_scope(std::string_view text) {
  const std::size_t at = find_word(text, out_of_scope_sentinel);
  if (at == std::string_view::npos) return false;
  // In a statement of its own right the word is a string or a name, not the answer.
  return !find_start(text) || trimmed(text.substr(0, at)).find_first_not_of("\"'`*.:") == std::string_view::npos;
}

}  // namespace

cleaned_reply clean_reply(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string thought = without_thinking(text);
  if (says_out_of_scope(thought)) return {reply_kind::out_of_scope, {}};
  std::string_view body = inside_fence(inside_tags(thought));
  const auto begin = find_start(body);
  if (!begin) return {reply_kind::none, {}};
  body = without_trailing_prose(body.substr(begin->at));
  body = without_end_marks(body);
  if (body.empty()) return {reply_kind::none, {}};
  return {reply_kind::sql, begin->query ? repair_dialect(body) : std::string(body)};
}

}  // namespace dragoman::nlq
