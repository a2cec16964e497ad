// Functions in FROM: STRING_SPLIT, GENERATE_SERIES, and the nested statement behind APPLY.
#include <memory>
#include <unordered_map>

#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"

namespace dragoman::sandbox {
namespace {

class split_rows : public row_source {
 public:
  split_rows(std::string text, std::string separator) : text_(std::move(text)), separator_(std::move(separator)) {}
  bool next(call& place) override {
    if (separator_.empty()) {
      place.fail(sql_error(214, "Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'."));
      return false;
    }
    if (at_ == std::string::npos) return false;
    const auto end = text_.find(separator_, at_);
    value_ = text_.substr(at_, end == std::string::npos ? end : end - at_);
    at_ = end == std::string::npos ? end : end + separator_.size();
    ++ordinal_;
    return true;
  }
  void column(int index, call& place) const override {
    if (index == 0) return place.text(value_);
    place.integer(ordinal_);
  }

 private:
  std::string text_;
  std::string separator_;
  std::string value_;
  std::size_t at_ = 0;
  std::int64_t ordinal_ = 0;
};

class empty_rows : public row_source {
 public:
  bool next(call&) override { return false; }
  void column(int, call&) const override {}
};

class series_rows : public row_source {
 public:
  series_rows(std::int64_t from, std::int64_t to, std::int64_t step) : value_(from), to_(to), step_(step) {}
  bool next(call& place) override {
    if (step_ == 0) {
      place.fail(sql_error(4199, "Argument value 0 is invalid for argument 3 of generate_series function."));
      return false;
    }
    if (started_ && __builtin_add_overflow(value_, step_, &value_)) return false;
    started_ = true;
    return step_ > 0 ? value_ <= to_ : value_ >= to_;
  }
  void column(int, call& place) const override { place.integer(value_); }

 private:
  std::int64_t value_;
  std::int64_t to_;
  std::int64_t step_;
  bool started_ = false;
};

// Statements of APPLY by their text, so that one is prepared once and used for every row of the left side.
struct apply_cache {
  std::unordered_map<std::string, std::vector<statement>> idle;
};

class apply_rows : public row_source {
 public:
  apply_rows(std::shared_ptr<apply_cache> cache, std::string text, statement run)
      : cache_(std::move(cache)), text_(std::move(text)), run_(std::move(run)) {}
  ~apply_rows() override {
    run_.reset();
    cache_->idle[text_].push_back(std::move(run_));
  }
  bool next(call& place) override {
    const auto row = run_.step();
    if (row) return *row;
    place.fail(row.error());
    return false;
  }
  void column(int index, call& place) const override {
    if (index >= run_.column_count()) return;
    switch (run_.kind(index)) {
      case storage_class::integer: return place.integer(run_.integer(index));
      case storage_class::real: return place.real(run_.real(index));
      case storage_class::text: return place.text(run_.text(index));
      case storage_class::blob: return place.blob(run_.blob(index));
      case storage_class::null: return;
    }
  }

 private:
  std::shared_ptr<apply_cache> cache_;
  std::string text_;
  statement run_;
};

}  // namespace

void register_row_sources(connection& db) {
  db.add_table_function("t_split", 2, 2, [](call& c) -> std::unique_ptr<row_source> {
    if (c.size() < 2 || c.any_null()) return std::make_unique<empty_rows>();
    return std::make_unique<split_rows>(std::string(c[0].text()), std::string(c[1].text()));
  });
  db.add_table_function("t_series", 1, 3, [](call& c) -> std::unique_ptr<row_source> {
    if (c.size() < 3 || c.any_null()) return std::make_unique<empty_rows>();
    return std::make_unique<series_rows>(c[0].integer(), c[1].integer(), c[2].integer());
  });
  db.add_table_function("t_apply", 64, 31,
                        [&db, cache = std::make_shared<apply_cache>()](call& c) -> std::unique_ptr<row_source> {
                          std::string text(c[0].text());
                          auto& idle = cache->idle[text];
                          statement run;
                          if (!idle.empty()) {
                            run = std::move(idle.back());
                            idle.pop_back();
                          } else {
                            auto prepared = db.prepare(text);
                            if (!prepared) {
                              c.fail(std::move(prepared.error()));
                              return nullptr;
                            }
                            run = std::move(*prepared);
                          }
                          for (int i = 1; i < c.size(); ++i) run.bind(i, c[i]);
                          return std::make_unique<apply_rows>(cache, std::move(text), std::move(run));
                        });
}

}  // namespace dragoman::sandbox
