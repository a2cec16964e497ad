#include "nlq/insight_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "nlq/insight_words.h"

namespace dragoman::nlq {

namespace {

constexpr std::size_t few_rows = 6;        // any two of so few may be compared
constexpr std::size_t measures_most = 12;  // compared with each other

std::optional<long double> number_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const long double n = std::strtold(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(n)) return std::nullopt;
  return n;
}

// At the precision with which `f` is written.
bool equals(const figure& f, long double value) {
  const long double n = f.value;
  const long double grain = 1e-12L * std::max(std::fabs(n), std::fabs(value));
  switch (f.bound) {
    case figure_bound::over: return value >= n - grain && value < n + f.unit - grain;
    case figure_bound::under: return value <= n + grain && value > n - f.unit + grain;
    case figure_bound::none: break;
  }
  if (n == 0) return value == 0;
  const long double off = std::fabs(value - n);
  if (off > f.unit / 2 + grain) return false;
  // "1 million" of 1.4 million is no rounding that tells anything.
  return f.kind != figure_kind::plain || off <= std::fabs(value) / 10;
}

// A cell that is negative is told without its sign only as a fall.
bool equals_signed(const figure& f, long double value, bool falls) {
  if (f.value < 0 || f.signed_negative) return equals(f, value);
  if (value >= 0) return equals(f, value);
  return falls && equals(f, -value);
}

bool has_word(const std::u32string& s, std::initializer_list<std::u32string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::u32string_view w) { return s.find(w) != s.npos; });
}

}  // namespace

figure_trace::figure_trace(const result_head& head, std::string_view question, std::string_view interpretation,
                           bool sums_hold)
    : rows_(head.rows.size()), complete_(head.complete), sums_hold_(sums_hold) {
  for (std::size_t c = 0; c < head.columns.size(); ++c) {
    if (!head.columns[c].numeric) {
      for (const auto& row : head.rows) {
        if (c >= row.size() || row[c].is_null) continue;
        add_dates(row[c].text);
        const letters label(row[c].text);
        if (std::none_of(label.small.begin(), label.small.end(), is_letter))
          for (const figure& f : figures_of(label).all) labels_.push_back(f);
      }
      continue;
    }
    measure m;
    const std::u32string name = letters(head.columns[c].name).small;
    m.percent = has_word(name, {U"percent", U"pct", U"%", U"share", U"rate", U"ratio", U"growth", U"change", U"درصد",
                                U"سهم", U"نرخ", U"رشد", U"تغییر", U"نسبت"});
    if (has_word(name, {U"thousand", U"هزار"})) m.scale = 1e3L;
    if (has_word(name, {U"million", U"میلیون"})) m.scale = 1e6L;
    if (has_word(name, {U"billion", U"میلیارد"})) m.scale = 1e9L;
    long double sum = 0;
    std::size_t known = 0;
    for (const auto& row : head.rows) {
      std::optional<long double> n = c < row.size() && !row[c].is_null ? number_of(row[c].text) : std::nullopt;
      m.cells.push_back(n);
      if (!n) continue;
      ++known;
      sum += *n;
      m.negative = m.negative || *n < 0;
      m.lowest = std::min(m.lowest.value_or(*n), *n);
      m.highest = std::max(m.highest.value_or(*n), *n);
      // Years stand in numbers too.
      if (*n >= 1300 && *n <= 2200 && *n == std::floor(*n) && has_word(name, {U"year", U"سال"}))
        years_.insert(static_cast<int>(*n));
    }
    if (known > 0 && complete_) {
      m.sum = sum;
      m.average = sum / static_cast<long double>(known);
    }
    measures_.push_back(std::move(m));
  }
  for (std::string_view text : {question, interpretation}) {
    add_dates(text);
    for (const figure& f : figures_of(letters(text)).all) asked_.push_back(f);
  }
}

void figure_trace::add_dates(std::string_view text) {
  const letters l(text);
  bool persian = false;
  for (const figure& f : figures_of(l).all) {
    int year = f.year;
    if (f.kind == figure_kind::date) {
      dates_.insert({f.year, f.month, f.day});
      dates_.insert({f.year, f.month, 0});
    } else if (f.kind == figure_kind::plain && f.bare && f.value >= 1300 && f.value <= 2200) {
      year = static_cast<int>(f.value);
    }
    if (year == 0) continue;
    persian = year < 1600;
    years_.insert(year);
    if (f.month > 0) months_.insert(f.month + (persian ? 100 : 0));
  }
  std::u32string word;
  for (std::size_t i = 0; i <= l.small.size(); ++i) {
    if (i < l.small.size() && is_letter(l.small[i])) {
      word += l.small[i];
      continue;
    }
    if (const int month = month_of(word); month > 0) months_.insert(month);
    word.clear();
  }
}

void figure_trace::name_rows(const std::set<std::size_t>& named) {
  compared_ = named;
  if (rows_ <= few_rows) {
    for (std::size_t r = 0; r < rows_; ++r) compared_.insert(r);
    return;
  }
  compared_.insert(0);
  compared_.insert(rows_ - 1);
  for (const measure& m : measures_)
    for (const auto& outer : {m.lowest, m.highest})
      if (const auto at = std::find(m.cells.begin(), m.cells.end(), outer); outer && at != m.cells.end())
        compared_.insert(static_cast<std::size_t>(at - m.cells.begin()));
}

bool figure_trace::in_question(const figure& f) const {
  if (f.kind == figure_kind::plain && f.bare && f.value == std::floor(f.value) &&
      years_.contains(static_cast<int>(f.value)))
    return true;
  return std::any_of(asked_.begin(), asked_.end(), [&](const figure& a) {
    return a.kind == f.kind && a.value == f.value && a.kind != figure_kind::date &&
           !(a.bare && a.value >= 1300 && a.value <= 2200);  // a year is one only as a year
  });
}

found_in figure_trace::find(const figure& f, const trace_context& in) const {
  using enum figure_kind;
  if (f.kind == date) return dates_.contains({f.year, f.month, f.day}) ? found_in::result : found_in::nowhere;
  if (f.kind == ordinal)
    return f.value >= 1 && f.value <= static_cast<long double>(rows_) ? found_in::result : found_in::nowhere;

  std::set<std::size_t> rows;  // whose cells fit
  bool anywhere = false;       // it fits what belongs to no row
  for (const measure& m : measures_) {
    for (std::size_t r = 0; r < m.cells.size(); ++r) {
      if (!m.cells[r]) continue;
      const long double v = *m.cells[r];
      bool fits = false;
      if (f.kind == plain) {
        fits = equals_signed(f, v, in.falls) || (m.scale != 1 && equals_signed(f, v * m.scale, in.falls));
      } else if (f.kind == percent) {
        fits =
            (m.percent && equals_signed(f, v, in.falls)) ||
            ((m.percent || (v != 0 && v != std::floor(v))) && std::fabs(v) <= 1 && equals_signed(f, v * 100, in.falls));
      }
      if ((f.kind == percent || f.kind == fraction) && sums_hold_ && !m.negative && m.sum && *m.sum > 0)
        fits = fits || equals(f, v / *m.sum * (f.kind == percent ? 100 : 1));
      if (fits) rows.insert(r);
    }
    for (const auto& of_column : {m.lowest, m.highest, m.average, sums_hold_ && !m.percent ? m.sum : std::nullopt}) {
      if (!of_column) continue;
      const bool extreme = of_column != m.average && of_column != m.sum;
      if (extreme) continue;  // cells, which belong to rows
      if (f.kind == plain)
        anywhere = anywhere || equals_signed(f, *of_column, in.falls) ||
                   (m.scale != 1 && equals_signed(f, *of_column * m.scale, in.falls));
      if (f.kind == percent && m.percent) anywhere = anywhere || equals_signed(f, *of_column, in.falls);
    }
  }
  if (f.kind == plain && f.value == static_cast<long double>(rows_) && complete_) anywhere = true;
  if (f.kind == plain && std::any_of(labels_.begin(), labels_.end(),
                                     [&](const figure& l) { return l.kind == plain && l.value == f.value; }))
    anywhere = true;
  if (anywhere || pair_matches(f, in)) return found_in::result;
  if (in_question(f)) return found_in::question;
  if (rows.empty()) return found_in::nowhere;
  if (in.named.empty()) return found_in::result;
  const bool of_named = std::any_of(rows.begin(), rows.end(), [&](std::size_t r) { return in.named.contains(r); });
  return of_named ? found_in::result : found_in::another_row;
}

// Differences, ratios, shares and changes of two cells, of one column or of one row. Where the sentence names rows it
// is they that are compared: all of them, or the one with another.
bool figure_trace::pair_matches(const figure& f, const trace_context& in) const {
  using enum figure_kind;
  // `part`: a may be told as a part of b; `change`: as what became of b.
  const auto fits = [&](long double a, long double b, bool percents, bool part, bool change) {
    switch (f.kind) {
      case plain: return in.differs && !f.signed_negative && a != b && equals(f, std::fabs(a - b));
      case times: return part && b != 0 && a / b >= 0 && equals(f, a / b);
      case fraction: return part && !in.of_total && b != 0 && equals(f, a / b);
      case percent:
        if (percents) return equals(f, std::fabs(a - b));  // points
        if (b == 0) return false;
        if (part && !in.of_total && a >= 0 && b > 0 && a < b && equals(f, a / b * 100)) return true;
        return change && equals_signed(f, (a - b) / std::fabs(b) * 100, in.falls);
      case ordinal:
      case date: break;
    }
    return false;
  };
  const auto named = [&](std::size_t r) { return in.named.empty() || in.named.contains(r); };
  for (const measure& m : measures_)
    for (std::size_t a : compared_)
      for (std::size_t b : compared_) {
        if (a == b || !m.cells[a] || !m.cells[b]) continue;
        if (in.named.size() > 1 ? !(named(a) && named(b)) : !(named(a) || named(b))) continue;
        // Without names, what is told of two rows is told of the later one.
        if (fits(*m.cells[a], *m.cells[b], m.percent, named(a), in.named.empty() ? b < a : named(a))) return true;
      }
  const std::size_t most = std::min(measures_.size(), measures_most);
  for (std::size_t r : compared_)
    for (std::size_t x = 0; x < most && named(r); ++x)
      for (std::size_t y = 0; y < most; ++y) {
        const measure &a = measures_[x], &b = measures_[y];
        if (x != y && a.percent == b.percent && a.cells[r] && b.cells[r] &&
            fits(*a.cells[r], *b.cells[r], a.percent, true, true))
          return true;
      }
  return false;
}

std::optional<std::size_t> figure_trace::only_measure() const {
  if (measures_.size() != 1 || !complete_) return std::nullopt;
  return 0;
}

bool figure_trace::is_extreme(std::size_t row, std::size_t measure, bool highest) const {
  const auto& m = measures_[measure];
  return row < m.cells.size() && m.cells[row] && m.cells[row] == (highest ? m.highest : m.lowest);
}

}  // namespace dragoman::nlq
