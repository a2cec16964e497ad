#include "nlq/discuss.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/decimal.h"
#include "nlq/discuss_words.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {
namespace {

bool plain_frame(const query_intent& q) {
  return q.shape == query_shape::aggregate && q.compare == compare_kind::none && q.window == window_kind::none &&
         q.share == share_kind::none && !q.pivot_values && !q.metrics.empty();
}

class discussion {
 public:
  discussion(const last_result& last, language lang) : last_(last), head_(last.rows), lang_(lang) {}

  std::optional<discussed> answer(std::string_view question) {
    if (!head_.complete || head_.columns.empty()) return std::nullopt;
    find_columns();
    auto words = talk_words(question, head_, labels_);
    if (!words) return std::nullopt;
    read(*words);
    return choose();
  }

 private:
  using kinds = std::vector<talk>;

  const last_result& last_;
  const result_head& head_;
  const language lang_;
  std::vector<std::size_t> labels_, measures_;
  std::vector<talk_word> words_;  // without what only points or names a title
  kinds kinds_;
  bool points_ = false;  // "these", "which", "one": the rows are meant
  bool asks_which_ = false;

  std::string say(std::string en, std::string fa) const {
    return lang_ == language::persian ? std::move(fa) : std::move(en);
  }

  // Which columns measure and which name: numbers may be years or keys, so the frame decides where there is one.
  void find_columns() {
    const std::size_t n = head_.columns.size();
    if (last_.intent && plain_frame(*last_.intent) && last_.intent->metrics.size() < n) {
      for (std::size_t c = n - last_.intent->metrics.size(); c < n; ++c) measures_.push_back(c);
    } else if (!last_.intent || *last_.intent == query_intent{} || !plain_frame(*last_.intent)) {
      for (std::size_t c = 1; c < n; ++c)
        if (head_.columns[c].numeric) measures_.push_back(c);
      if (measures_.size() > 1) measures_.clear();
    }
    if (std::any_of(measures_.begin(), measures_.end(), [&](std::size_t c) { return !head_.columns[c].numeric; }))
      measures_.clear();
    for (std::size_t c = 0; c < n; ++c)
      if (std::find(measures_.begin(), measures_.end(), c) == measures_.end()) labels_.push_back(c);
  }

  void read(std::vector<talk_word>& words) {
    for (talk_word& w : words) {
      if (w.kind == talk::back || w.kind == talk::item || w.kind == talk::which) points_ = true;
      if (w.kind == talk::which) asks_which_ = true;
      if (w.kind == talk::back || w.kind == talk::item || w.kind == talk::which || w.kind == talk::column ||
          w.kind == talk::only)
        continue;
      if (w.kind == talk::scale && !words_.empty() && words_.back().kind == talk::number) {
        const auto factor = decimal::parse(w.number), base = decimal::parse(words_.back().number);
        const auto product = factor && base ? multiply(*base, *factor) : std::nullopt;
        if (product) {
          words_.back().number = product->to_string();
          words_.back().written += " " + w.written;
          continue;
        }
      }
      kinds_.push_back(w.kind);
      words_.push_back(std::move(w));
    }
  }

  std::optional<decimal> at(std::size_t row, std::size_t column) const {
    const auto& cell = head_.rows[row][column];
    return cell.is_null ? std::nullopt : decimal::parse(cell.text);
  }

  // Values that are no plain digits cannot be told exactly.
  bool all_plain() const {
    for (std::size_t c : measures_)
      for (const auto& row : head_.rows)
        if (!row[c].is_null && !decimal::parse(row[c].text)) return false;
    return true;
  }

  std::optional<decimal> sum(std::size_t column) const {
    std::optional<decimal> total;
    for (std::size_t r = 0; r < head_.rows.size(); ++r) {
      const auto value = at(r, column);
      if (!value) continue;
      total = total ? accumulate(*total, *value) : accumulate(decimal::from_int(0), *value);
      if (!total) return std::nullopt;
    }
    return total;
  }

  std::optional<decimal> mean(std::size_t column) const {
    const auto total = sum(column);
    std::int64_t count = 0;
    for (std::size_t r = 0; r < head_.rows.size(); ++r) count += at(r, column) ? 1 : 0;
    if (!total || count == 0) return std::nullopt;
    const auto exact =
        divide_to(*total, decimal::from_int(count), {38, static_cast<std::uint8_t>(std::min(total->scale + 6, 18))});
    return exact ? exact->rescale(38, std::max<int>(total->scale, 2)) : std::nullopt;
  }

  std::string row_name(std::size_t row) const {
    std::string out;
    for (std::size_t c : labels_)
      if (!head_.rows[row][c].is_null) out += (out.empty() ? "" : " ") + head_.rows[row][c].text;
    return out;
  }

  discussed some_rows(const std::vector<std::size_t>& rows, std::string said) const {
    discussed out;
    out.interpretation = about(std::move(said));
    for (const auto& c : head_.columns) {
      out.columns.push_back(c.name);
      out.numeric.push_back(c.numeric && std::all_of(head_.rows.begin(), head_.rows.end(), [&](const auto& row) {
                              const auto& cell = row[static_cast<std::size_t>(&c - head_.columns.data())];
                              return cell.is_null || decimal::parse(cell.text);
                            }));
    }
    for (std::size_t r : rows) {
      out.rows.emplace_back();
      for (const auto& cell : head_.rows[r]) out.rows.back().push_back(cell.text);
    }
    return out;
  }

  std::string about(std::string said) const {
    return say(fmt::format("From the last answer ({} rows): {}.", head_.rows.size(), said),
               fmt::format("از پاسخ پیشین ({} ردیف): {}.", head_.rows.size(), said));
  }

  // ---- forms --------------------------------------------------------------------------------------------------------

  bool is(std::initializer_list<talk> wanted) const {
    return kinds_.size() == wanted.size() && std::equal(wanted.begin(), wanted.end(), kinds_.begin());
  }
  bool has_table() const { return head_.rows.size() >= 2 && !measures_.empty() && all_plain(); }

  std::optional<discussed> choose() {
    if (is({talk::explain})) return explained(false);
    if (is({talk::why})) return explained(true);
    if (is({talk::how_many}) && points_ && !asks_which_) return counted();
    if (is({talk::ordinal}) && points_) return nth(words_[0].ordinal);
    if (!has_table()) return std::nullopt;
    if (is({talk::total})) return totals();
    if (is({talk::average})) return means();
    if (is({talk::highest})) return extremes(true, 1);
    if (is({talk::lowest})) return extremes(false, 1);
    if (is({talk::ordinal, talk::highest})) return extremes(true, words_[0].ordinal);
    if (is({talk::ordinal, talk::lowest})) return extremes(false, words_[0].ordinal);
    if (kinds_.size() >= 2 && kinds_[0] == talk::how_many) {
      kinds_.erase(kinds_.begin());
      words_.erase(words_.begin());
      auto found = compared();
      if (!found) return std::nullopt;
      discussed out;
      out.interpretation = std::move(found->interpretation);
      out.columns = {say("rows", "تعداد ردیف")};
      out.numeric = {true};
      out.rows = {{std::to_string(found->rows.size())}};
      return out;
    }
    if (auto found = compared()) return found;
    if (is({talk::share, talk::label}) || is({talk::share, talk::label, talk::total})) return share(words_[1]);
    if (is({talk::label, talk::share}) || is({talk::label, talk::share, talk::total})) return share(words_[0]);
    if (is({talk::share, talk::total, talk::label})) return share(words_[2]);
    return change();
  }

  std::optional<discussed> explained(bool why) const {
    discussed out;
    out.interpretation =
        why ? say("The data do not tell reasons; this is how the last answer came about.",
                  "داده‌ها علت را نمی‌گویند؛ پاسخ پیشین چنین به دست آمد.")
            : say("How the last answer came about.", "پاسخ پیشین چگونه به دست آمد.");
    out.columns = {say("part", "بخش"), say("text", "متن")};
    out.numeric = {false, false};
    out.rows.push_back({say("question", "پرسش"), last_.question});
    if (!last_.interpretation.empty()) out.rows.push_back({say("reading", "برداشت"), last_.interpretation});
    for (const std::string& a : last_.assumptions) out.rows.push_back({say("assumed", "فرض"), a});
    out.rows.push_back({"SQL", last_.sql});
    out.rows.push_back({say("rows", "ردیف‌ها"), std::to_string(head_.rows.size())});
    return out;
  }

  discussed counted() const {
    discussed out;
    out.interpretation = about(say("how many rows it has", "تعداد ردیف‌ها"));
    out.columns = {say("rows", "تعداد ردیف")};
    out.numeric = {true};
    out.rows = {{std::to_string(head_.rows.size())}};
    return out;
  }

  std::optional<discussed> nth(long n) const {
    const auto count = static_cast<long>(head_.rows.size());
    const long row = n < 0 ? count - 1 : n - 1;
    if (row < 0 || row >= count) return std::nullopt;
    return some_rows({static_cast<std::size_t>(row)},
                     say(fmt::format("row {}", row + 1), fmt::format("ردیف {}", row + 1)));
  }

  std::optional<discussed> of_each_measure(std::string said,
                                           std::optional<decimal> (discussion::*f)(std::size_t) const) {
    discussed out;
    out.interpretation = about(std::move(said));
    out.rows.emplace_back();
    for (std::size_t c : measures_) {
      const auto value = (this->*f)(c);
      if (!value) return std::nullopt;
      out.columns.push_back(head_.columns[c].name);
      out.numeric.push_back(true);
      out.rows[0].push_back(value->to_string());
    }
    return out;
  }

  std::optional<discussed> totals() {
    if (!last_.additive) return std::nullopt;
    return of_each_measure(say("the total of its rows", "مجموع ردیف‌ها"), &discussion::sum);
  }
  std::optional<discussed> means() {
    return of_each_measure(say("the plain average of its rows", "میانگین ساده ردیف‌ها"),
                           &discussion::mean);
  }

  // The rows whose value is the n-th from one end, ties together. With several measures the first is named in each.
  std::optional<discussed> extremes(bool high, long n) const {
    if (n < 1) return std::nullopt;
    std::optional<discussed> out;
    for (std::size_t c : measures_) {
      std::vector<decimal> values;
      for (std::size_t r = 0; r < head_.rows.size(); ++r)
        if (const auto v = at(r, c)) values.push_back(*v);
      std::sort(values.begin(), values.end(),
                [&](const decimal& a, const decimal& b) { return high ? compare(a, b) > 0 : compare(a, b) < 0; });
      if (static_cast<std::size_t>(n) > values.size()) return std::nullopt;
      const decimal wanted = values[static_cast<std::size_t>(n) - 1];
      std::vector<std::size_t> rows;
      for (std::size_t r = 0; r < head_.rows.size(); ++r)
        if (const auto v = at(r, c); v && compare(*v, wanted) == 0) rows.push_back(r);
      const std::string place = n == 1 ? "" : fmt::format(" ({})", n);
      discussed found = some_rows(rows, say(high ? "the highest" : "the lowest", high ? "بیشترین" : "کمترین") + place);
      if (measures_.size() == 1) return found;
      found.columns.insert(found.columns.begin(), say("measure", "شاخص"));
      found.numeric.insert(found.numeric.begin(), false);
      for (auto& row : found.rows) row.insert(row.begin(), head_.columns[c].name);
      if (!out)
        out = std::move(found);
      else
        out->rows.insert(out->rows.end(), found.rows.begin(), found.rows.end());
    }
    return out;
  }

  // Above or below the average or a number; one measure only, for with several it is not said which is meant.
  std::optional<discussed> compared() const {
    const bool to_average = is({talk::above, talk::average}) || is({talk::below, talk::average});
    const bool to_number = is({talk::above, talk::number}) || is({talk::below, talk::number});
    if ((!to_average && !to_number) || measures_.size() != 1) return std::nullopt;
    const bool above = kinds_[0] == talk::above;
    const auto limit = to_average ? exact_sum_over_count() : decimal::parse(words_[1].number);
    if (!limit) return std::nullopt;
    std::int64_t count = 0;
    for (std::size_t r = 0; r < head_.rows.size(); ++r) count += at(r, measures_[0]) ? 1 : 0;
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < head_.rows.size(); ++r) {
      const auto v = at(r, measures_[0]);
      if (!v) continue;
      // Against the sum rather than the rounded average: value * count > sum.
      const auto left = to_average ? multiply(*v, decimal::from_int(count)) : v;
      if (!left) return std::nullopt;
      if (above ? compare(*left, *limit) > 0 : compare(*left, *limit) < 0) rows.push_back(r);
    }
    const auto shown = to_average ? mean(measures_[0]) : limit;
    if (!shown) return std::nullopt;
    const std::string what = (to_average ? say("the average, ", "میانگین، ") : "") + shown->to_string();
    return some_rows(rows, say(above ? "above " : "below ", above ? "بالای " : "زیر ") + what);
  }
  std::optional<decimal> exact_sum_over_count() const { return sum(measures_[0]); }

  std::optional<discussed> share(const talk_word& of) const {
    if (!last_.additive || measures_.size() != 1) return std::nullopt;
    const std::size_t c = measures_[0];
    const auto total = sum(c);
    if (!total || total->magnitude == 0) return std::nullopt;
    decimal part = decimal::from_int(0);
    for (std::size_t r = 0; r < head_.rows.size(); ++r)
      if (const auto v = at(r, c); v && v->negative) return std::nullopt;  // of a total with losses in it
    for (std::size_t r : of.rows) {
      const auto v = at(r, c);
      const auto more = v ? accumulate(part, *v) : part;
      if (!more) return std::nullopt;
      part = *more;
    }
    const auto hundred = multiply(part, decimal::from_int(100));
    const auto ratio = hundred ? divide_to(*hundred, *total, {38, 6}) : std::nullopt;
    const auto percent = ratio ? ratio->rescale(38, 2) : std::nullopt;
    if (!percent) return std::nullopt;
    discussed out;
    out.interpretation = about(say("the share of ", "سهم ") + of.written +
                               say(" in the total of its rows", " در مجموع ردیف‌ها"));
    out.columns = {say("name", "نام"), head_.columns[c].name, say("total", "مجموع"), say("share_percent", "درصد سهم")};
    out.numeric = {false, true, true, true};
    out.rows = {{of.written, part.to_string(), total->to_string(), percent->to_string()}};
    return out;
  }

  // From one row to another: [change | difference] with two names, or two places.
  std::optional<discussed> change() const {
    kinds k;
    std::vector<std::size_t> ends;
    for (const talk_word& w : words_) {
      if (w.kind == talk::label) {
        if (w.rows.size() != 1) return std::nullopt;
        ends.push_back(w.rows[0]);
      } else if (w.kind == talk::ordinal) {
        const auto count = static_cast<long>(head_.rows.size());
        const long row = w.ordinal < 0 ? count - 1 : w.ordinal - 1;
        if (row >= count) return std::nullopt;
        ends.push_back(static_cast<std::size_t>(row));
      } else if (w.kind != talk::and_ && w.kind != talk::between) {
        k.push_back(w.kind);
      }
    }
    if (k.size() != 1 || (k[0] != talk::change && k[0] != talk::difference)) return std::nullopt;
    if (ends.size() != 2 || ends[0] == ends[1] || measures_.size() != 1) return std::nullopt;
    const std::size_t c = measures_[0];
    const auto first = at(ends[0], c), second = at(ends[1], c);
    if (!first || !second) return std::nullopt;
    const bool towards = k[0] == talk::change;
    const auto by = towards ? subtract(*second, *first) : subtract(*first, *second);
    if (!by) return std::nullopt;
    discussed out;
    const std::string a = row_name(ends[0]), b = row_name(ends[1]);
    out.interpretation = about(towards ? say("the change from " + a + " to " + b, "تغییر از " + a + " تا " + b)
                                       : say(a + " less " + b, "اختلاف " + a + " و " + b));
    out.columns = {a, b, towards ? say("change", "تغییر") : say("difference", "اختلاف")};
    if (a == b) return std::nullopt;
    out.numeric = {true, true, true};
    out.rows = {{first->to_string(), second->to_string(), by->to_string()}};
    if (towards && first->magnitude != 0 && !first->negative) {
      const auto hundred = multiply(*by, decimal::from_int(100));
      const auto ratio = hundred ? divide_to(*hundred, *first, {38, 6}) : std::nullopt;
      if (const auto percent = ratio ? ratio->rescale(38, 2) : std::nullopt) {
        out.columns.push_back(say("change_percent", "درصد تغییر"));
        out.numeric.push_back(true);
        out.rows[0].push_back(percent->to_string());
      }
    }
    return out;
  }
};

}  // namespace

bool measures_add_up(const query_intent& intent, const semantic_layer& layer) {
  if (!plain_frame(intent) || intent.groups.empty()) return false;
  return std::all_of(intent.metrics.begin(), intent.metrics.end(), [&](const metric_use& use) {
    const metric* m = layer.find_metric(use.metric);
    return use.variant == metric_variant::plain && use.per_metric.empty() && !use.as_percent && !use.averaged_over &&
           use.counted.empty() && m != nullptr && !m->averaged && m->counts.empty();
  });
}

bool may_discuss(std::string_view question) {
  return names_a_talk(question);
}

std::optional<discussed> discuss(std::string_view question, const last_result& last) {
  return discussion(last, language_of(question)).answer(question);
}

}  // namespace dragoman::nlq
