#include "proxy/catalog_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "guard/tsql/printer.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

double number_of(const sql_value& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<decimal>(&v)) return d->to_double();
  if (const auto* r = std::get_if<double>(&v)) return *r;
  return 0;
}

std::uint64_t count_of(const sql_value& v) {
  const double n = number_of(v);
  return n > 0 ? static_cast<std::uint64_t>(std::llround(n)) : 0;
}

constexpr std::uint64_t shaped_length_max = 140;  // longer texts are no numbers, addresses or digests
constexpr double shaped_number_min = 1e8;         // smaller numbers are of no card, account or telephone

// Types that cannot be compared or counted.
bool is_plain(const sql_type& t) {
  switch (t.id) {
    case sql_type_id::text:
    case sql_type_id::ntext:
    case sql_type_id::image:
    case sql_type_id::xml: return false;
    default: return true;
  }
}

class gatherer {
 public:
  gatherer(upstream::pool& pool, const facts_options& options) : pool_(pool), options_(options) {}

  result<upstream::value_table> ask(std::string sql) {
    upstream::statement s;
    s.sql = std::move(sql);
    return pool_.query(std::move(s));
  }

  void column(const catalog::table& t, const catalog::column& c, nlq::catalog_facts& out) {
    if (!is_plain(c.type)) return;
    const std::string name = tsql::quote_identifier(c.name);
    const std::string rows = fmt::format("(SELECT TOP ({}) {} AS v FROM {}.{}) AS x", options_.rows_max, name,
                                         tsql::quote_identifier(t.schema), tsql::quote_identifier(t.name));
    const bool text = is_character(c.type.id);
    const bool number = is_numeric(c.type.id);
    std::string sql = "SELECT COUNT(*) AS all_rows, ";
    if (text) {
      sql +=
          "SUM(CASE WHEN v IS NULL OR v = N'' THEN 0 ELSE 1 END) AS present, COUNT(DISTINCT v) AS different, SUM(CASE "
          "WHEN "
          "v <> N'' AND TRY_CONVERT(float, v) IS NOT NULL THEN 1 ELSE 0 END) AS numbers, MIN(TRY_CONVERT(float, v)) AS "
          "smallest, MAX(TRY_CONVERT(float, v)) AS largest, MAX(LEN(v)) AS longest";
    } else if (number) {
      sql +=
          "COUNT(v) AS present, COUNT(DISTINCT v) AS different, COUNT(v) AS numbers, CONVERT(float, MIN(v)) AS "
          "smallest, "
          "CONVERT(float, MAX(v)) AS largest, 0 AS longest";
    } else {
      sql += "COUNT(v) AS present, 0 AS different, 0 AS numbers, 0 AS smallest, 0 AS largest, 0 AS longest";
    }
    auto table = ask(sql + " FROM " + rows);
    if (!table || table->rows.size() != 1 || table->rows[0].size() != 7) {
      if (!table)
        log::warn("{}.{}.{}: nothing is known of its values ({})", t.schema, t.name, c.name, table.error().message);
      return;
    }
    const auto& r = table->rows[0];
    nlq::column_facts facts;
    facts.rows = count_of(r[0]);
    facts.present = count_of(r[1]);
    facts.distinct = count_of(r[2]);
    facts.numbers = count_of(r[3]);
    facts.smallest = number_of(r[4]);
    facts.largest = number_of(r[5]);
    facts.longest = count_of(r[6]);
    // A name says enough: the values are not even looked at.
    if (!nlq::sensitive_by_name(c.name, c.type)) {
      const bool few = text && facts.distinct > 0 && facts.distinct <= options_.values_max && facts.longest <= 80;
      if (few) facts.values = values_of(fmt::format("SELECT DISTINCT v FROM {} WHERE v <> N'' ORDER BY v", rows));
      if (few) {
        facts.shape = nlq::sensitive_by_values(facts.values);
      } else if ((text && facts.longest > 0 && facts.longest <= shaped_length_max) ||
                 (number && facts.largest >= shaped_number_min && c.type.id != sql_type_id::float_ &&
                  c.type.id != sql_type_id::real)) {
        facts.shape = nlq::sensitive_by_values(values_of(
            fmt::format("SELECT DISTINCT TOP ({}) v FROM {} WHERE v IS NOT NULL", options_.values_max, rows)));
      }
      if (facts.shape) facts.values.clear();
    }
    out.columns[{t.full_name(), c.name}] = std::move(facts);
  }

  std::vector<std::string> values_of(std::string sql) {
    std::vector<std::string> out;
    if (auto values = ask(std::move(sql)))
      for (const auto& row : values->rows)
        if (row.size() == 1 && !is_null(row[0])) out.push_back(value_text(row[0], values->columns[0].type));
    return out;
  }

  bool holds(const nlq::probable_reference& g) {
    auto table =
        ask(fmt::format("SELECT COUNT(*) AS strays, (SELECT COUNT(*) FROM {2}.{3}) AS targets FROM (SELECT TOP ({6}) "
                        "{4} AS v FROM {0}.{1} WHERE {4} IS "
                        "NOT NULL) AS x WHERE NOT EXISTS (SELECT 1 FROM {2}.{3} AS k WHERE k.{5} = x.v)",
                        tsql::quote_identifier(g.schema), tsql::quote_identifier(g.table),
                        tsql::quote_identifier(g.to_schema), tsql::quote_identifier(g.to_table),
                        tsql::quote_identifier(g.column), tsql::quote_identifier(g.to_column), options_.rows_max));
    if (!table || table->rows.size() != 1) return false;
    return count_of(table->rows[0][0]) == 0 && count_of(table->rows[0][1]) > 0;
  }

 private:
  upstream::pool& pool_;
  const facts_options& options_;
};

}  // namespace

result<nlq::catalog_facts> gather_facts(upstream::pool& pool, const catalog::database& db,
                                        const facts_options& options) {
  nlq::catalog_facts out;
  gatherer source(pool, options);
  for (const catalog::table& t : db.tables) {
    auto rows = source.ask(fmt::format("SELECT COUNT_BIG(*) AS n FROM {}.{}", tsql::quote_identifier(t.schema),
                                       tsql::quote_identifier(t.name)));
    if (!rows) return rows.error();
    if (rows->rows.size() == 1) out.rows[t.full_name()] = count_of(rows->rows[0][0]);
    for (const catalog::column& c : t.columns) source.column(t, c, out);
  }
  return out;
}

std::vector<nlq::probable_reference> confirm_references(upstream::pool& pool,
                                                        std::vector<nlq::probable_reference> guesses,
                                                        const facts_options& options) {
  gatherer source(pool, options);
  std::erase_if(guesses, [&](const nlq::probable_reference& g) { return !source.holds(g); });
  return guesses;
}

}  // namespace dragoman::proxy
