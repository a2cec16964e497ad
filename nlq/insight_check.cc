#include "nlq/insight_check.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <set>
#include <vector>

#include "nlq/insight_figures.h"
#include "nlq/insight_trace.h"
#include "nlq/insight_words.h"
#include "nlq/text_tokens.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {

namespace {

using objection = std::optional<std::string>;

bool is_blank_or_end(const std::u32string& s, std::size_t i) {
  return i >= s.size() || s[i] == ' ';
}

bool stands_alone(const std::u32string& s, std::size_t at, std::size_t length) {
  return (at == 0 || !is_word_char(s[at - 1])) && (at + length >= s.size() || !is_word_char(s[at + length]));
}

bool contains_words(const std::u32string& s, const std::u32string& part) {
  for (std::size_t at = s.find(part); at != s.npos; at = s.find(part, at + 1))
    if (stands_alone(s, at, part.size())) return true;
  return false;
}

std::u32string without_outer_blanks(std::u32string s) {
  while (!s.empty() && s.back() == ' ') s.pop_back();
  s.erase(0, std::min(s.find_first_not_of(U' '), s.size()));
  return s;
}

// ---- form -----------------------------------------------------------------------------------------------------------

// Anything that a program or a person may follow somewhere.
bool has_address(const std::u32string& s) {
  if (s.find(U"://") != s.npos || s.find(U"www.") != s.npos || s.find(U"http") != s.npos) return true;
  for (std::size_t i = 1; i + 2 < s.size(); ++i) {
    if (s[i] == '@' && is_word_char(s[i - 1]) && is_word_char(s[i + 1])) return true;
    if ((s[i] == '.' || s[i] == 0x3002 || s[i] == 0xFF0E) && (is_word_char(s[i - 1]) || s[i - 1] == ')') &&
        is_letter(s[i + 1]) && is_letter(s[i + 2]))
      return true;
  }
  return false;
}

objection form_objection(const letters& text, language lang, std::string_view as_told) {
  if (text.small.empty()) return "nothing was said";
  if (text.small.size() > insight_characters_max) return "too long";
  if (as_told.find('\n') != as_told.npos || as_told.find('\r') != as_told.npos) return "more than one line";
  if (has_address(text.small)) return "an address";
  if (language_of(as_told) != lang) return "another language";
  return std::nullopt;
}

// Of what is left when names are taken out: letters of the two scripts, and the signs of plain prose.
objection sign_objection(const std::u32string& rest, const std::u32string& known) {
  static constexpr std::u32string_view prose =
      U" .,;:!?%'\"()-+/&~≈±×\u2019\u2018\u201C\u201D«»،؛؟٪٬٫…·\u00A0\u2009\u202F\u200E\u200F";
  for (char32_t c : rest) {
    if (c == taken_out || is_digit(c) || prose.find(c) != prose.npos) continue;
    const auto script = static_cast<UChar32>(c);
    const bool latin = is_letter(c) && c < 0x250;
    const bool persian = (c >= 0x0620 && c <= 0x06FF && u_isalpha(script)) || (c >= 0x064B && c <= 0x0655);
    if (latin || persian) continue;
    if (u_charType(script) == U_CURRENCY_SYMBOL && known.find(c) != known.npos) continue;
    return "a sign that prose does not need";
  }
  return std::nullopt;
}

// ---- names ----------------------------------------------------------------------------------------------------------

struct quote {
  std::size_t first, end;  // of what stands inside
};

std::vector<quote> quotes_of(const std::u32string& s) {
  static constexpr std::u32string_view open = U"\"«\u201C\u2018'", close = U"\"»\u201D\u2019'";
  std::vector<quote> out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t kind = open.find(s[i]);
    if (kind == open.npos) continue;
    const bool single = s[i] == '\'' || s[i] == 0x2018;
    if (single && i > 0 && is_word_char(s[i - 1])) continue;  // an apostrophe
    std::size_t end = i + 1;
    while (end < s.size() && !(s[end] == close[kind] && !(single && end + 1 < s.size() && is_word_char(s[end + 1]))))
      ++end;
    if (end >= s.size()) continue;
    out.push_back({i + 1, end});
    i = end;
  }
  return out;
}

// A text of the data may be a sentence made for the reader. Only what looks like a name is taken for one where it
// stands without quotes.
bool reads_as_name(const std::u32string& s) {
  const auto blanks = std::count(s.begin(), s.end(), U' ');
  const bool digits = std::any_of(s.begin(), s.end(), is_digit);
  return digits ? blanks == 0 && s.size() <= 16 : blanks <= 4 && s.size() <= 60;
}

bool is_number(const std::u32string& s) {
  return std::all_of(s.begin(), s.end(), [](char32_t c) { return is_digit(c) || c == ',' || c == '.'; });
}

class checker {
 public:
  checker(std::string_view text, const insight_facts& facts)
      : told_(text),
        facts_(facts),
        text_(text),
        trace_(facts.head, facts.question, facts.interpretation, facts.sums_hold) {
    for (std::size_t r = 0; r < facts.head.rows.size(); ++r)
      for (std::size_t c = 0; c < facts.head.rows[r].size() && c < facts.head.columns.size(); ++c)
        if (!facts.head.columns[c].numeric && !facts.head.rows[r][c].is_null)
          add_name(facts.head.rows[r][c].text, static_cast<int>(r));
    for (const auto& column : facts.head.columns) add_name(column.name, -1);
    std::stable_sort(names_.begin(), names_.end(),
                     [](const name& a, const name& b) { return a.words.size() > b.words.size(); });
    asked_ = letters(facts.question).small + U" \n " + letters(facts.interpretation).small;
    own_words_ = words_of(asked_);
    for (const auto& column : facts.head.columns) own_words_.merge(words_of(letters(column.name).small));
    known_words_ = own_words_;
    for (const name& n : names_) known_words_.merge(words_of(n.words));
  }

  objection run() {
    if (auto o = form_objection(text_, facts_.lang, told_)) return o;
    if (auto o = order_objection()) return o;
    if (auto o = quote_objection()) return o;
    take_names_out();
    std::u32string known = asked_;
    for (const name& n : names_) known += n.words;
    if (auto o = sign_objection(rest_.small, known)) return o;
    if (auto o = capital_objection()) return o;
    return sentence_objection();
  }

 private:
  struct name {
    std::u32string words;
    int row;  // -1: a column's
  };
  struct mention {
    std::size_t at;
    int row;
  };

  void add_name(std::string_view said, int row) {
    letters l(said);
    std::u32string words = without_outer_blanks(std::move(l.small));
    if (words.empty()) return;
    if (row < 0) {
      // "total_sales" is told as "total sales".
      std::u32string spaced = words;
      std::replace(spaced.begin(), spaced.end(), U'_', U' ');
      if (spaced != words) names_.push_back({spaced, row});
    }
    names_.push_back({std::move(words), row});
  }

  static std::set<std::u32string> words_of(const std::u32string& s) {
    std::set<std::u32string> out;
    for (std::size_t i = 0; i < s.size();) {
      std::size_t end = i;
      while (end < s.size() && is_letter(s[end])) ++end;
      if (end > i) out.insert(s.substr(i, end - i));
      i = std::max(end, i + 1);
    }
    return out;
  }

  // Words that ask the reader for something. What the data say does not excuse them; what was asked does.
  objection order_objection() const {
    for (const std::u32string& w : words_of(text_.small))
      if (is_order_word(w) && !own_words_.contains(w)) return "a word of orders";
    return std::nullopt;
  }

  objection quote_objection() const {
    for (const quote& q : quotes_of(text_.small)) {
      const std::u32string inside = without_outer_blanks(text_.small.substr(q.first, q.end - q.first));
      if (inside.empty()) continue;
      const bool known = contains_words(asked_, inside) ||
                         std::any_of(names_.begin(), names_.end(), [&](const name& n) { return n.words == inside; });
      if (!known) return "a name in quotes that is not in the result";
    }
    return std::nullopt;
  }

  void take_names_out() {
    rest_ = text_;
    for (const quote& q : quotes_of(text_.small)) {
      const std::u32string inside = without_outer_blanks(text_.small.substr(q.first, q.end - q.first));
      bool found = false;
      for (const name& n : names_)
        if (n.words == inside && !is_number(inside)) {
          if (n.row >= 0) mentions_.push_back({q.first, n.row});
          found = true;
        }
      if (found) take_out(q.first, q.end - q.first);
    }
    std::size_t longest = std::u32string::npos;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const name& n = names_[i];
      if (!reads_as_name(n.words) || is_number(n.words)) continue;
      // The same name in several rows is taken out once and told of all of them.
      if (i > 0 && names_[i - 1].words == n.words && longest == i - 1) {
        for (std::size_t at : last_places_)
          if (n.row >= 0) mentions_.push_back({at, n.row});
        longest = i;
        continue;
      }
      last_places_.clear();
      for (std::size_t at = rest_.small.find(n.words); at != std::u32string::npos;
           at = rest_.small.find(n.words, at + 1)) {
        if (!stands_alone(rest_.small, at, n.words.size())) continue;
        if (n.row >= 0) mentions_.push_back({at, n.row});
        last_places_.push_back(at);
        take_out(at, n.words.size());
      }
      longest = i;
    }
  }

  void take_out(std::size_t at, std::size_t length) {
    std::fill_n(rest_.small.begin() + static_cast<std::ptrdiff_t>(at), length, taken_out);
    std::fill_n(rest_.as_written.begin() + static_cast<std::ptrdiff_t>(at), length, taken_out);
  }

  // A capital letter inside a sentence makes a name; at its beginning, unless a sentence may well begin with the word.
  objection capital_objection() const {
    const std::u32string& s = rest_.as_written;
    bool begins = true;
    for (std::size_t i = 0; i < s.size();) {
      if (!is_letter(s[i])) {
        if (s[i] == taken_out || is_digit(s[i])) begins = false;
        if (ends_sentence(s, i)) begins = true;
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < s.size() && is_letter(s[end])) ++end;
      const std::u32string word = rest_.small.substr(i, end - i);
      const bool glued = i > 0 && is_digit(s[i - 1]);  // "12K"
      if (u_isupper(static_cast<UChar32>(s[i])) && !glued && !known_words_.contains(word) && !is_calendar_name(word) &&
          !(begins && is_opening_word(word)) && !is_period_letter(s, i, end))
        return "a name that is not in the result";
      begins = false;
      i = end;
    }
    return std::nullopt;
  }

  static bool is_period_letter(const std::u32string& s, std::size_t i, std::size_t end) {
    return end < s.size() && is_digit(s[end]) && end - i <= 2;
  }

  static bool ends_sentence(const std::u32string& s, std::size_t i) {
    return (s[i] == '.' || s[i] == '!' || s[i] == '?' || s[i] == 0x061F) && is_blank_or_end(s, i + 1);
  }

  objection sentence_objection() {
    figures_read read = figures_of(rest_);
    if (!read.trouble.empty()) return read.trouble;
    std::vector<std::pair<std::size_t, std::size_t>> sentences;
    std::size_t from = 0;
    const std::u32string& s = rest_.small;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (ends_sentence(s, i)) {
        sentences.emplace_back(from, i + 1);
        from = i + 1;
      }
    if (without_outer_blanks(s.substr(from)) != U"") sentences.emplace_back(from, s.size());
    if (sentences.size() > 2) return "more than two sentences";

    std::set<std::size_t> named;
    for (const mention& m : mentions_) named.insert(static_cast<std::size_t>(m.row));
    trace_.name_rows(named);
    bool grounded = !mentions_.empty();
    for (const auto& [first, end] : sentences) {
      const std::u32string said = s.substr(first, end - first);
      const std::set<std::u32string> words = words_of(said);
      trace_context in;
      for (const mention& m : mentions_)
        if (m.at >= first && m.at < end) in.named.insert(static_cast<std::size_t>(m.row));
      in.falls = std::any_of(words.begin(), words.end(), is_falling_word);
      in.of_total = std::any_of(words.begin(), words.end(), is_total_word);
      in.differs = std::any_of(words.begin(), words.end(), is_difference_word);
      for (const figure& f : read.all) {
        if (f.at < first || f.at >= end) continue;
        const found_in where = trace_.find(f, in);
        if (where == found_in::nowhere) return "a number that is not in the result";
        if (where == found_in::another_row) return "a number of another row than the one that is named";
        grounded = grounded || where == found_in::result;
      }
      if (auto o = calendar_objection(words)) return o;
      if (auto o = extreme_objection(words, in)) return o;
    }
    if (!grounded) return "it says nothing of the result";
    return std::nullopt;
  }

  objection calendar_objection(const std::set<std::u32string>& words) const {
    for (const std::u32string& w : words)
      if (is_calendar_name(w) && !known_words_.contains(w) && !trace_.has_month(month_of(w)))
        return "a month that is not in the result";
    return std::nullopt;
  }

  // "A is highest": with one row named and one measure, it can be seen whether that is so.
  objection extreme_objection(const std::set<std::u32string>& words, const trace_context& in) const {
    const bool highest = std::any_of(words.begin(), words.end(), is_highest_word);
    const bool lowest = std::any_of(words.begin(), words.end(), is_lowest_word);
    if (highest == lowest || in.falls || in.named.size() != 1) return std::nullopt;
    if (std::any_of(words.begin(), words.end(), is_rank_word)) return std::nullopt;
    const auto column = trace_.only_measure();
    if (!column) return std::nullopt;
    return trace_.is_extreme(*in.named.begin(), *column, highest) ? std::nullopt
                                                                  : objection("a row is called extreme that is not");
  }

  const std::string_view told_;
  const insight_facts& facts_;
  letters text_, rest_;
  figure_trace trace_;
  std::vector<name> names_;
  std::vector<mention> mentions_;
  std::vector<std::size_t> last_places_;
  std::u32string asked_;
  std::set<std::u32string> own_words_;    // of the question, its interpretation and the columns
  std::set<std::u32string> known_words_;  // and of the cells
};

}  // namespace

std::optional<std::string> insight_objection(std::string_view text, const insight_facts& facts) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\r')) text.remove_prefix(1);
  return checker(text, facts).run();
}

}  // namespace dragoman::nlq
