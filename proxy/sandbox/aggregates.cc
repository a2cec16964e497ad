// Aggregates as T-SQL has them: exact, of the right type, over groups and moving windows alike.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/sql_type.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

int128 power_of_ten(std::intptr_t n) {
  int128 p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

// SUM of integers and decimals. The tag is the type of the result: int, bigint or decimal (of any scale).
class exact_sum : public accumulator {
 public:
  explicit exact_sum(std::intptr_t tag) : type_(static_cast<sql_type_id>(tag)) {}
  void step(call& c) override {
    if (c[0].is_null()) return;
    ++count_;
    overflow_ |= __builtin_add_overflow(sum_, scaled_of(c[0]), &sum_);
  }
  void inverse(call& c) override {
    if (c[0].is_null()) return;
    --count_;
    overflow_ |= __builtin_sub_overflow(sum_, scaled_of(c[0]), &sum_);
  }
  void value(call& c) override {
    if (count_ == 0) return c.null();
    const int128 limit = power_of_ten(38);
    bool fits = !overflow_ && sum_ < limit && sum_ > -limit;
    if (type_ == sql_type_id::int_) fits = fits && sum_ >= INT32_MIN && sum_ <= INT32_MAX;
    if (type_ == sql_type_id::bigint || type_ == sql_type_id::money)
      fits = fits && sum_ >= INT64_MIN && sum_ <= INT64_MAX;
    if (!fits) return c.fail(overflow("expression", type_));
    give_scaled(c, sum_);
  }

 protected:
  sql_type_id type_;
  std::int64_t count_ = 0;
  int128 sum_ = 0;
  bool overflow_ = false;
};

// AVG of integers and decimals, cut towards zero. The tag: digits that the result's scale has more than the argument's.
class exact_average : public exact_sum {
 public:
  explicit exact_average(std::intptr_t tag)
      : exact_sum(static_cast<std::intptr_t>(sql_type_id::numeric)), factor_(power_of_ten(tag)) {}
  void value(call& c) override {
    if (count_ == 0) return c.null();
    if (overflow_) return c.fail(overflow("expression", sql_type_id::numeric));
    const int128 whole = sum_ / count_;
    const int128 rest = sum_ % count_;
    give_scaled(c, whole * factor_ + rest * factor_ / count_);
  }

 private:
  int128 factor_;
};

// SUM and AVG of float, with Kahan's correction so that a moving window does not drift. The tag: 1 = average.
class real_sum : public accumulator {
 public:
  explicit real_sum(std::intptr_t tag) : average_(tag != 0) {}
  void step(call& c) override {
    if (c[0].is_null()) return;
    ++count_;
    add(c[0].real());
  }
  void inverse(call& c) override {
    if (c[0].is_null()) return;
    --count_;
    add(-c[0].real());
  }
  void value(call& c) override {
    if (count_ == 0) return c.null();
    const double v = average_ ? sum_ / static_cast<double>(count_) : sum_;
    if (!std::isfinite(v)) return c.fail(overflow("expression", sql_type_id::float_));
    c.real(v);
  }

 private:
  void add(double v) {
    const double y = v - rest_;
    const double t = sum_ + y;
    rest_ = (t - sum_) - y;
    sum_ = t;
  }
  bool average_;
  std::int64_t count_ = 0;
  double sum_ = 0;
  double rest_ = 0;
};

// MIN and MAX of decimals of more than 18 digits. Tag bit 0 = MAX, bit 1 = over a window, which may take values back.
class decimal_extreme : public accumulator {
 public:
  explicit decimal_extreme(std::intptr_t tag) : max_((tag & 1) != 0), moving_((tag & 2) != 0) {}
  void step(call& c) override {
    if (!c[0].is_null()) values_.insert(scaled_of(c[0]));
    if (!moving_ && values_.size() > 64) trim();
  }
  void inverse(call& c) override {
    if (c[0].is_null()) return;
    if (const auto at = values_.find(scaled_of(c[0])); at != values_.end()) values_.erase(at);
  }
  void value(call& c) override {
    if (values_.empty()) return c.null();
    give_scaled(c, max_ ? *values_.rbegin() : *values_.begin());
  }

 private:
  void trim() {
    const int128 keep = max_ ? *values_.rbegin() : *values_.begin();
    values_.clear();
    values_.insert(keep);
  }
  bool max_;
  bool moving_;
  std::multiset<int128> values_;
};

// STDEV, STDEVP, VAR, VARP: tag bit 0 = of the population, bit 1 = the root.
class variance : public accumulator {
 public:
  explicit variance(std::intptr_t tag) : population_((tag & 1) != 0), root_((tag & 2) != 0) {}
  void step(call& c) override {
    if (c[0].is_null()) return;
    ++count_;
    const double delta = c[0].real() - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (c[0].real() - mean_);
  }
  void inverse(call& c) override {
    if (c[0].is_null()) return;
    if (--count_ == 0) {
      mean_ = squares_ = 0;
      return;
    }
    const double delta = c[0].real() - mean_;
    mean_ -= delta / static_cast<double>(count_);
    squares_ -= delta * (c[0].real() - mean_);
  }
  void value(call& c) override {
    const std::int64_t n = population_ ? count_ : count_ - 1;
    if (n <= 0) return c.null();
    const double v = std::max(0.0, squares_) / static_cast<double>(n);
    c.real(root_ ? std::sqrt(v) : v);
  }

 private:
  bool population_;
  bool root_;
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// t_string_agg(text, separator [, key, descending]…)
class string_aggregate : public accumulator {
 public:
  void step(call& c) override {
    if (c[0].is_null()) return;
    item i;
    i.text = c[0].text();
    separator_ = c[1].text();
    for (int k = 2; k + 1 < c.size(); k += 2) {
      key one;
      one.kind = c[k].kind();
      one.descending = c[k + 1].integer() != 0;
      if (one.kind == storage_class::integer) one.integer = c[k].integer();
      if (one.kind == storage_class::real) one.real = c[k].real();
      if (one.kind == storage_class::text) one.text = c[k].text();
      if (one.kind == storage_class::blob) one.text = c[k].blob();
      i.keys.push_back(std::move(one));
    }
    items_.push_back(std::move(i));
  }
  void inverse(call&) override {
    if (!items_.empty()) items_.erase(items_.begin());
  }
  void value(call& c) override {
    if (items_.empty()) return c.null();
    std::stable_sort(items_.begin(), items_.end(), [](const item& a, const item& b) { return less(a, b); });
    std::string out;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i > 0) out += separator_;
      out += items_[i].text;
    }
    c.text(out);
  }

 private:
  struct key {
    storage_class kind;
    bool descending;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;
  };
  struct item {
    std::string text;
    std::vector<key> keys;
  };
  static int compare(const key& a, const key& b) {
    const auto rank = [](storage_class k) {
      return k == storage_class::null ? 0 : k == storage_class::text ? 2 : k == storage_class::blob ? 3 : 1;
    };
    if (rank(a.kind) != rank(b.kind)) return rank(a.kind) < rank(b.kind) ? -1 : 1;
    if (rank(a.kind) == 2) return compare_text(a.text, b.text);
    if (rank(a.kind) == 3) return a.text.compare(b.text);
    if (a.kind == storage_class::integer && b.kind == storage_class::integer)
      return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
    const double x = a.kind == storage_class::real ? a.real : static_cast<double>(a.integer);
    const double y = b.kind == storage_class::real ? b.real : static_cast<double>(b.integer);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  static bool less(const item& a, const item& b) {
    for (std::size_t i = 0; i < a.keys.size() && i < b.keys.size(); ++i) {
      const int order = compare(a.keys[i], b.keys[i]);
      if (order != 0) return a.keys[i].descending ? order > 0 : order < 0;
    }
    return false;
  }
  std::vector<item> items_;
  std::string separator_;
};

// t_percentile_cont(value as REAL, fraction, descending) and t_percentile_disc(value, …), over whole partitions.
class percentile : public accumulator {
 public:
  explicit percentile(std::intptr_t tag) : continuous_(tag != 0) {}
  void step(call& c) override {
    fraction_ = c[1].real();
    descending_ = c[2].integer() != 0;
    if (c[0].is_null()) return;
    sorted_ = false;
    if (continuous_) {
      reals_.push_back(c[0].real());
    } else if (c[0].kind() == storage_class::text) {
      texts_.emplace_back(c[0].text());
    } else if (c[0].kind() == storage_class::real) {
      reals_.push_back(c[0].real());
    } else {
      exacts_.push_back(scaled_of(c[0]));
    }
  }
  void inverse(call&) override {}
  void value(call& c) override {
    if (!sorted_) {
      std::sort(reals_.begin(), reals_.end());
      std::sort(exacts_.begin(), exacts_.end());
      std::sort(texts_.begin(), texts_.end(), [](const auto& a, const auto& b) { return compare_text(a, b) < 0; });
      if (descending_) {
        std::reverse(reals_.begin(), reals_.end());
        std::reverse(exacts_.begin(), exacts_.end());
        std::reverse(texts_.begin(), texts_.end());
      }
      sorted_ = true;
    }
    if (continuous_) {
      if (reals_.empty()) return c.null();
      const double place = fraction_ * static_cast<double>(reals_.size() - 1);
      const auto low = static_cast<std::size_t>(std::floor(place));
      const auto high = static_cast<std::size_t>(std::ceil(place));
      return c.real(reals_[low] + (place - static_cast<double>(low)) * (reals_[high] - reals_[low]));
    }
    if (!exacts_.empty()) return give_scaled(c, exacts_[place_in(exacts_.size())]);
    if (!texts_.empty()) return c.text(texts_[place_in(texts_.size())]);
    if (!reals_.empty()) return c.real(reals_[place_in(reals_.size())]);
    c.null();
  }

 private:
  std::size_t place_in(std::size_t count) const {
    const auto place = static_cast<std::size_t>(std::ceil(fraction_ * static_cast<double>(count)));
    return place == 0 ? 0 : place - 1;
  }
  bool continuous_;
  bool sorted_ = false;
  bool descending_ = false;
  double fraction_ = 0;
  std::vector<double> reals_;
  std::vector<int128> exacts_;
  std::vector<std::string> texts_;
};

template <class T>
std::unique_ptr<accumulator> make_tagged(std::intptr_t tag) {
  return std::make_unique<T>(tag);
}

}  // namespace

void register_aggregates(connection& db) {
  const auto tag = [](sql_type_id id) { return static_cast<std::intptr_t>(id); };
  db.add_aggregate("t_sum_int", 1, make_tagged<exact_sum>, tag(sql_type_id::int_));
  db.add_aggregate("t_sum_bigint", 1, make_tagged<exact_sum>, tag(sql_type_id::bigint));
  db.add_aggregate("t_sum_money", 1, make_tagged<exact_sum>, tag(sql_type_id::money));
  db.add_aggregate("t_sum_dec", 1, make_tagged<exact_sum>, tag(sql_type_id::numeric));
  db.add_aggregate("t_sum_real", 1, make_tagged<real_sum>, 0);
  db.add_aggregate("t_avg_real", 1, make_tagged<real_sum>, 1);
  for (int digits = 0; digits <= 6; ++digits)
    db.add_aggregate(("t_avg_" + std::to_string(digits)).c_str(), 1, make_tagged<exact_average>, digits);
  db.add_aggregate("t_min_dec", 1, make_tagged<decimal_extreme>, 0);
  db.add_aggregate("t_max_dec", 1, make_tagged<decimal_extreme>, 1);
  db.add_aggregate("t_min_dec_over", 1, make_tagged<decimal_extreme>, 2);
  db.add_aggregate("t_max_dec_over", 1, make_tagged<decimal_extreme>, 3);
  db.add_aggregate("t_var", 1, make_tagged<variance>, 0);
  db.add_aggregate("t_varp", 1, make_tagged<variance>, 1);
  db.add_aggregate("t_stdev", 1, make_tagged<variance>, 2);
  db.add_aggregate("t_stdevp", 1, make_tagged<variance>, 3);
  db.add_aggregate("t_string_agg", -1,
                   [](std::intptr_t) -> std::unique_ptr<accumulator> { return std::make_unique<string_aggregate>(); });
  db.add_aggregate("t_percentile_cont", 3, make_tagged<percentile>, 1);
  db.add_aggregate("t_percentile_disc", 3, make_tagged<percentile>, 0);
}

}  // namespace dragoman::sandbox
