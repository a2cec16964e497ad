// Repairs of other dialects' habits. Each works on the rough tokens of one statement and gives new text.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "nlq/clean.h"
#include "nlq/clean_scan.h"

namespace dragoman::nlq {
namespace {

class statement {
 public:
  explicit statement(std::string_view text) : text_(text), tokens_(rough_scan(text_)) {}

  const std::string& text() const { return text_; }
  std::size_t size() const { return tokens_.size(); }
  const rough_token& token(std::size_t i) const { return tokens_[i]; }
  std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return {};
    return std::string_view(text_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(std::size_t i, std::string_view w) const {
    return i < tokens_.size() && tokens_[i].kind != rough_kind::string && tokens_[i].kind != rough_kind::quoted_name &&
           same_word(word(i), w);
  }
  bool number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == rough_kind::number; }
  // Whether token i is a part of a dotted name or an alias, not a keyword.
  bool named(std::size_t i) const { return (i > 0 && word(i - 1) == ".") || word(i + 1) == "."; }

  // Replaces tokens [from, to) by text.
  void replace(std::size_t from, std::size_t to, std::string_view by) {
    const std::size_t begin = tokens_[from].begin;
    std::size_t end = tokens_[to - 1].end;
    if (by.empty()) {
      std::size_t blank = begin;
      while (blank > 0 && (text_[blank - 1] == ' ' || text_[blank - 1] == '\n' || text_[blank - 1] == '\t' ||
                           text_[blank - 1] == '\r'))
        --blank;
      text_.erase(blank, end - blank);
    } else {
      text_.replace(begin, end - begin, by);
    }
    tokens_ = rough_scan(text_);
  }
  void insert_behind(std::size_t i, std::string_view what) {
    text_.insert(tokens_[i].end, what);
    tokens_ = rough_scan(text_);
  }

 private:
  std::string text_;
  std::vector<rough_token> tokens_;
};

// The query that token `at` ends: its SELECT, and what matters for a row limit.
struct query_parts {
  std::size_t select = 0;
  bool set_operation = false;
  bool top = false;
  bool order_by = false;
  bool offset = false;
};

std::optional<query_parts> query_of(const statement& s, std::size_t at) {
  const int depth = s.token(at).depth;
  std::size_t from = at;
  while (from > 0 && s.token(from - 1).depth >= depth) --from;  // up to the parenthesis that opens this level
  query_parts out;
  bool found = false;
  for (std::size_t i = from; i < at; ++i) {
    if (s.token(i).depth != depth) continue;
    if (s.is(i, "select") && !found) out.select = i, found = true;
    if (s.is(i, "union") || s.is(i, "except") || s.is(i, "intersect")) out.set_operation = true;
    if (s.is(i, "top") && (s.number(i + 1) || s.word(i + 1) == "(")) out.top = true;
    if (s.is(i, "order") && s.is(i + 1, "by")) out.order_by = true;
    if (s.is(i, "offset") && (s.is(i + 2, "rows") || s.is(i + 2, "row"))) out.offset = true;
  }
  if (!found) return std::nullopt;
  return out;
}

std::size_t behind_select(const statement& s, std::size_t select) {
  return s.is(select + 1, "distinct") || s.is(select + 1, "all") ? select + 1 : select;
}

// Limits the query that ends with tokens [from, to), which are the foreign clause, to `rows` after `skip`.
void limit(statement& s, std::size_t from, std::size_t to, const std::string& rows, const std::string& skip) {
  const auto q = query_of(s, from);
  if (!q) return;
  if (skip.empty() && (q->top || q->offset)) return s.replace(from, to, "");
  if (skip.empty() && !q->set_operation) {
    const std::size_t select = q->select;
    s.replace(from, to, "");
    return s.insert_behind(behind_select(s, select), " TOP (" + rows + ")");
  }
  if (!q->order_by && q->set_operation) return;  // no place to put it: the parser's error goes back to the model
  s.replace(from, to,
            std::string(q->order_by ? "" : "ORDER BY (SELECT NULL) ") + "OFFSET " + (skip.empty() ? "0" : skip) +
                " ROWS FETCH NEXT " + rows + " ROWS ONLY");
}

bool repair_limit(statement& s) {
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s.named(i)) continue;
    if (s.is(i, "limit") && s.number(i + 1)) {
      const std::string first(s.word(i + 1));
      if (s.word(i + 2) == "," && s.number(i + 3)) return limit(s, i, i + 4, std::string(s.word(i + 3)), first), true;
      if (s.is(i + 2, "offset") && s.number(i + 3)) {
        const std::string skip(s.word(i + 3));
        return limit(s, i, i + 4, first, skip == "0" ? "" : skip), true;
      }
      return limit(s, i, i + 2, first, ""), true;
    }
    // FETCH FIRST n ROWS ONLY without OFFSET, which T-SQL demands before it.
    if (s.is(i, "fetch") && (s.is(i + 1, "first") || s.is(i + 1, "next")) && s.number(i + 2) && s.is(i + 4, "only")) {
      const auto q = query_of(s, i);
      if (q && !q->offset) return limit(s, i, i + 5, std::string(s.word(i + 2)), ""), true;
    }
  }
  return false;
}

// SELECT TOP 10 DISTINCT → SELECT DISTINCT TOP 10.
bool repair_top_distinct(statement& s) {
  for (std::size_t i = 0; i + 2 < s.size(); ++i) {
    if (!s.is(i, "select") || !s.is(i + 1, "top")) continue;
    std::size_t end = i + 2;  // behind the count
    if (s.word(end) == "(") {
      const int depth = s.token(end).depth;
      while (end < s.size() && !(s.word(end) == ")" && s.token(end).depth == depth)) ++end;
    }
    ++end;
    if (s.is(end, "percent")) ++end;
    if (s.is(end, "with") && s.is(end + 1, "ties")) end += 2;
    if (end >= s.size() || !s.is(end, "distinct")) continue;
    const std::string top = s.text().substr(s.token(i + 1).begin, s.token(end - 1).end - s.token(i + 1).begin);
    s.replace(i + 1, end + 1, "DISTINCT " + top);
    return true;
  }
  return false;
}

bool repair_backticks(statement& s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.token(i).kind != rough_kind::backticked) continue;
    std::string name(s.word(i).substr(1));
    if (name.ends_with('`')) name.pop_back();
    std::string bracketed = "[";
    for (char c : name) {
      bracketed += c;
      if (c == ']') bracketed += c;
    }
    s.replace(i, i + 1, bracketed + "]");
    return true;
  }
  return false;
}

struct renamed {
  std::string_view theirs;
  std::string_view ours;
};

constexpr auto functions = std::to_array<renamed>({{"length", "LEN"},
                                                   {"char_length", "LEN"},
                                                   {"character_length", "LEN"},
                                                   {"ifnull", "ISNULL"},
                                                   {"nvl", "ISNULL"},
                                                   {"substr", "SUBSTRING"},
                                                   {"ceil", "CEILING"},
                                                   {"now", "GETDATE"}});

bool repair_functions(statement& s) {
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    if (s.token(i).kind != rough_kind::word || s.word(i + 1) != "(" || (i > 0 && s.word(i - 1) == ".")) continue;
    for (const renamed& f : functions) {
      if (!s.is(i, f.theirs)) continue;
      s.replace(i, i + 1, f.ours);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string repair_dialect(std::string_view sql) {
  statement s(sql);
  // Each repair removes what it looks for, or leaves the text as it was; the bound is against a surprise.
  for (auto repair : {repair_backticks, repair_limit, repair_top_distinct, repair_functions}) {
    std::string before;
    for (int i = 0; i < 64 && repair(s) && s.text() != before; ++i) before = s.text();
  }
  return s.text();
}

}  // namespace dragoman::nlq
