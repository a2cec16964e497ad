// Functions that only watch: recursion depth, scalar subqueries of more than one row; and the reading of foreign
// values.
#include <fmt/format.h>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"

namespace dragoman::sandbox {
namespace {

void level(call& c) {  // t_level(depth so far, most)
  const std::int64_t depth = c[0].integer() + 1;
  if (depth > c[1].integer() + 1)
    return c.fail(
        sql_error(530, fmt::format("The statement terminated. The maximum recursion {} has been exhausted before "
                                   "statement completion.",
                                   c[1].integer())));
  c.integer(depth);
}

// The one value of a scalar subquery.
class single : public accumulator {
 public:
  void step(call& c) override {
    if (++count_ > 1) {
      if (count_ == 2)
        c.fail(
            sql_error(512,
                      "Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, "
                      "<= , >, >= or when the subquery is used as an expression."));
      return;
    }
    kind_ = c[0].kind();
    switch (kind_) {
      case storage_class::integer: integer_ = c[0].integer(); break;
      case storage_class::real: real_ = c[0].real(); break;
      case storage_class::text: text_ = c[0].text(); break;
      case storage_class::blob: text_ = c[0].blob(); break;
      case storage_class::null: break;
    }
  }
  void inverse(call&) override {}
  void value(call& c) override {
    switch (kind_) {
      case storage_class::integer: return c.integer(integer_);
      case storage_class::real: return c.real(real_);
      case storage_class::text: return c.text(text_);
      case storage_class::blob: return c.blob(text_);
      case storage_class::null: return c.null();
    }
  }

 private:
  std::int64_t count_ = 0;
  storage_class kind_ = storage_class::null;
  std::int64_t integer_ = 0;
  double real_ = 0;
  std::string text_;
};

// t_foreign(value, type): a value of a file that is not ours, brought into our encoding.
void foreign(call& c) {
  if (c[0].is_null()) return;
  const sql_type to = unpack(c[1].integer());
  result<sql_value> converted = sql_value(null_value{});
  switch (c[0].kind()) {
    case storage_class::integer:
      converted = family_of(to.id) == family::datetime
                      // Seconds since 1970, as SQLite's own date functions read an integer.
                      ? convert(civil_of((719162 * std::int64_t{86400} + c[0].integer()) * ticks_per_second),
                                {sql_type_id::datetime2, 0, 0, 7}, to)
                      : convert(c[0].integer(), {sql_type_id::bigint}, to);
      break;
    case storage_class::real: converted = convert(c[0].real(), {sql_type_id::float_}, to); break;
    case storage_class::text:
      if (c[0].text().empty() && family_of(to.id) != family::text) return;
      converted = convert(std::string(c[0].text()), {sql_type_id::nvarchar, 4000}, to);
      break;
    default: {
      const auto b = c[0].blob();
      converted = convert(bytes(b.begin(), b.end()), {sql_type_id::varbinary, 8000}, to);
      break;
    }
  }
  if (!converted) return c.fail(converted.error());
  give(c, to, *converted);
}

}  // namespace

void register_checks(connection& db) {
  db.add_function("t_level", 2, level);
  db.add_function("t_foreign", 2, foreign);
  db.add_aggregate("t_single", 1,
                   [](std::intptr_t) -> std::unique_ptr<accumulator> { return std::make_unique<single>(); });
}

void register_everything(connection& db) {
  register_conversions(db);
  register_number_functions(db);
  register_text_functions(db);
  register_time_functions(db);
  register_format_functions(db);
  register_checks(db);
  register_aggregates(db);
  register_row_sources(db);
}

}  // namespace dragoman::sandbox
