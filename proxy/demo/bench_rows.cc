#include "proxy/demo/bench_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "guard/catalog/names.h"
#include "guard/tsql/walk.h"
#include "tds/server/row_sink.h"

namespace dragoman::demo {
namespace {

using catalog::same_name;

struct bench_size {
  std::string_view name;
  std::int64_t rows;
};
constexpr bench_size sizes[] = {{"rows", 1'000'000}, {"many_rows", 10'000'000}};

const bench_size* find_size(const tsql::object_name& name) {
  if (!same_name(name.schema.value, "bench")) return nullptr;
  for (const auto& s : sizes) {
    if (same_name(s.name, name.name.value)) return &s;
  }
  return nullptr;
}

constexpr std::int64_t run_rows = 2048;  // different rows before they repeat

struct bench_finder {
  bool found = false;
  bool other = false;
  bool enter(const tsql::named_table& t) {
    (find_size(t.name) != nullptr ? found : other) = true;
    return true;
  }
};

sql_value cell(std::size_t column, std::int64_t row) {
  switch (column) {
    case 0: return row + 1;
    case 1: return row * 7919 % 100'000;
    case 2:
      return decimal::parse(fmt::format("{}.{:04}", 1000 + row * 37 % 1'000'000, row * 13 % 10'000))
          ->rescale(18, 4)
          .value();
    case 3: return static_cast<double>(row) * 1.25;
    case 4: return civil_time{static_cast<day_number>(737'000 + row % 1800), 0, 0};
    case 5: return civil_time{static_cast<day_number>(737'000 + row % 1800), row % 86'400 * ticks_per_second, 0};
    case 6: return fmt::format("Customer number {}", row % 400);
    case 7: return row % 3 == 0 ? sql_value(null_value{}) : sql_value(std::string("کارگزاری مهر"));
    case 8: return fmt::format("CODE-{:05}", row % 100'000);
    default: return row % 2;
  }
}

// The columns that a query passes through, as positions of bench.rows; nullopt when it does more than choose them.
std::optional<bench_query> read(const tsql::query_expression& q, const sandbox::parameters& values) {
  const auto* s = q.specification();
  if (s == nullptr || s->distinct || s->where || s->group_by || s->having || !q.order_by.empty() || q.offset ||
      q.for_ || s->from.size() != 1)
    return std::nullopt;
  bench_query inner;
  if (const auto* t = s->from[0].as<tsql::named_table>()) {
    const bench_size* size = find_size(t->name);
    if (size == nullptr) return std::nullopt;
    inner.rows = size->rows;
    const auto table = bench_tables().front();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      inner.columns.push_back(i);
      inner.names.push_back(table.columns[i].name);
    }
  } else if (const auto* d = s->from[0].as<tsql::derived_table>()) {
    auto below = read(*d->query, values);
    if (!below) return std::nullopt;
    inner = std::move(*below);
    for (std::size_t i = 0; i < d->alias.columns.size() && i < inner.names.size(); ++i)
      inner.names[i] = d->alias.columns[i].value;
  } else {
    return std::nullopt;
  }
  bench_query out;
  out.rows = inner.rows;
  for (const auto& item : s->items) {
    if (item.as<tsql::select_star>() != nullptr) {
      out.columns.insert(out.columns.end(), inner.columns.begin(), inner.columns.end());
      out.names.insert(out.names.end(), inner.names.begin(), inner.names.end());
      continue;
    }
    const auto* e = item.as<tsql::select_expression>();
    const auto* c = e == nullptr ? nullptr : e->value.as<tsql::column_ref>();
    if (c == nullptr) return std::nullopt;
    const auto at = std::find_if(inner.names.begin(), inner.names.end(),
                                 [&](const auto& n) { return same_name(n, c->name.value); });
    if (at == inner.names.end()) return std::nullopt;
    out.columns.push_back(inner.columns[static_cast<std::size_t>(at - inner.names.begin())]);
    out.names.push_back(e->alias.empty() ? *at : e->alias.value);
  }
  if (s->top) {
    if (s->top->percent || s->top->with_ties) return std::nullopt;
    std::int64_t n = -1;
    if (const auto* l = s->top->count.as<tsql::literal>();
        l != nullptr && l->kind == tsql::literal_kind::integer && l->text.size() < 16)
      n = std::stoll(l->text);
    if (const auto* v = s->top->count.as<tsql::variable>()) {
      for (const auto& p : values) {
        const auto* i = std::get_if<std::int64_t>(&p.value);
        if (same_name(p.name, v->name) && i != nullptr) n = *i;
      }
    }
    if (n < 0) return std::nullopt;
    out.rows = std::min(n, inner.rows);
  }
  return out;
}

}  // namespace

std::vector<catalog::table> bench_tables() {
  catalog::table t;
  t.schema = "bench";
  t.description = "Rows for measurements.";
  const auto add = [&](const char* name, const char* type, bool nullable) {
    catalog::column c;
    c.name = name;
    c.type = parse_sql_type(type).value();
    c.nullable = nullable;
    t.columns.push_back(std::move(c));
  };
  add("id", "bigint", false);
  add("n", "int", false);
  add("amount", "decimal(18,4)", true);
  add("ratio", "float", true);
  add("day", "date", true);
  add("at", "datetime2(3)", true);
  add("name", "nvarchar(50)", true);
  add("name_fa", "nvarchar(50)", true);
  add("code", "varchar(20)", true);
  add("flag", "bit", false);
  std::vector<catalog::table> out;
  for (const auto& s : sizes) {
    t.name = s.name;
    t.row_count = static_cast<std::uint64_t>(s.rows);
    out.push_back(t);
  }
  return out;
}

std::vector<result_column> bench_columns(const bench_query& query) {
  const auto table = bench_tables().front();
  std::vector<result_column> out;
  for (std::size_t i = 0; i < query.columns.size(); ++i) {
    const auto& c = table.columns[query.columns[i]];
    out.push_back({query.names[i], c.type, c.nullable, false, false});
  }
  return out;
}

std::optional<result<bench_query>> read_bench_query(const tsql::select_statement& statement,
                                                    const sandbox::parameters& values) {
  bench_finder finder;
  tsql::walk(statement, finder);
  if (!finder.found) return std::nullopt;
  if (!finder.other && statement.ctes.empty()) {
    if (auto q = read(statement.query, values)) return result<bench_query>(std::move(*q));
  }
  return result<bench_query>(failure(
      errc::not_available, "The tables of schema bench can only be read: SELECT TOP (n) columns FROM bench.rows."));
}

std::uint64_t write_bench_rows(const bench_query& query, tds::server::row_sink& sink) {
  byte_writer block;
  std::vector<std::size_t> ends;
  std::vector<sql_value> row(query.columns.size());
  const std::int64_t distinct = std::min(run_rows, query.rows);
  for (std::int64_t r = 0; r < distinct; ++r) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = cell(query.columns[i], r);
    sink.layout().write_row(block, row);
    ends.push_back(block.size());
  }
  std::uint64_t written = 0;
  // In pieces of some packets, so that a client that cancels is heard.
  constexpr std::size_t piece = 128;
  while (written < static_cast<std::uint64_t>(query.rows)) {
    for (std::size_t from = 0; from < ends.size() && written < static_cast<std::uint64_t>(query.rows);) {
      const std::size_t count = std::min(
          {piece, ends.size() - from, static_cast<std::size_t>(query.rows - static_cast<std::int64_t>(written))});
      const std::size_t begin = from == 0 ? 0 : ends[from - 1];
      sink.append(block.view().subspan(begin, ends[from + count - 1] - begin));
      written += count;
      from += count;
      if (sink.stopped()) return written;
    }
  }
  return written;
}

}  // namespace dragoman::demo
