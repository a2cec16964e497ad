// Which columns of which tables the columns of a result are: for cursors, SET NO_BROWSETABLE ON and FOR BROWSE.
//
// Read from the statement as the guard has printed it: every table qualified, every * spelled out. Columns of derived
// tables are followed to where they come from; what is computed is an expression.
#include <algorithm>

#include "guard/catalog/names.h"
#include "guard/tsql/parser.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

using tds::browse_column;
using tds::browse_info;

// Where one column of a query comes from; no table: it is computed.
struct origin {
  const tsql::object_name* table = nullptr;
  std::string column;
};

constexpr int depth_max = 32;

class origin_finder {
 public:
  origin_finder(const tsql::select_statement& statement, const catalog::database& tables)
      : statement_(statement), tables_(tables) {}

  std::vector<origin> of(const tsql::query_expression& query, int depth = 0) const {
    const tsql::query_specification* body = query.specification();
    if (body == nullptr || depth > depth_max) return {};  // of a UNION: of none
    const bool grouped = body->group_by || body->distinct;
    std::vector<origin> out;
    for (const tsql::select_item& item : body->items) {
      origin found;
      const auto* value = item.as<tsql::select_expression>();
      const auto* column = value == nullptr ? nullptr : std::get_if<tsql::column_ref>(&value->value.node);
      if (column != nullptr && !grouped) found = of(*column, body->from, depth);
      out.push_back(std::move(found));
    }
    return out;
  }

 private:
  origin of(const tsql::column_ref& column, const std::vector<tsql::table_source>& sources, int depth) const {
    for (const tsql::table_source& source : sources)
      if (auto found = of(column, source, depth); found.table != nullptr) return found;
    return {};
  }

  origin of(const tsql::column_ref& column, const tsql::table_source& source, int depth) const {
    if (const auto* join = source.as<tsql::joined_table>()) {
      auto found = of(column, *join->left, depth);
      return found.table != nullptr ? found : of(column, *join->right, depth);
    }
    if (const auto* table = source.as<tsql::named_table>()) {
      const std::string& shown = table->alias.name.empty() ? table->name.name.value : table->alias.name.value;
      if (!column.table.empty() && !catalog::same_name(column.table.name.value, shown)) return {};
      if (table->name.one_part())
        for (const tsql::common_table_expression& cte : statement_.ctes)
          if (catalog::same_name(cte.name.value, table->name.name.value))
            return of(column.name.value, *cte.query, cte.columns, depth);
      const catalog::table* known = tables_.find_table(table->name.schema.value, table->name.name.value);
      if (known == nullptr || known->find_column(column.name.value) == nullptr) return {};
      return {&table->name, column.name.value};
    }
    if (const auto* derived = source.as<tsql::derived_table>()) {
      if (!column.table.empty() && !catalog::same_name(column.table.name.value, derived->alias.name.value)) return {};
      return of(column.name.value, *derived->query, derived->alias.columns, depth);
    }
    return {};
  }

  origin of(const std::string& name, const tsql::query_expression& query, const std::vector<tsql::identifier>& names,
            int depth) const {
    const auto inner = of(query, depth + 1);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      std::string given = i < names.size() ? names[i].value : std::string();
      if (const auto* body = query.specification(); given.empty() && body != nullptr) {
        const auto* value = body->items[i].as<tsql::select_expression>();
        if (value != nullptr && !value->alias.empty()) given = value->alias.value;
        if (given.empty()) given = inner[i].column;
      }
      if (catalog::same_name(given, name)) return inner[i];
    }
    return {};
  }

  const tsql::select_statement& statement_;
  const catalog::database& tables_;
};

}  // namespace

browse_info gateway_session::browse_of(const std::string& printed, std::span<const result_column> columns) const {
  browse_info out;
  const auto batch = tsql::parse_batch(printed, {quoted_identifier_});
  const auto* statement =
      batch && batch->statements.size() == 1 ? batch->statements.front().as<tsql::select_statement>() : nullptr;
  if (statement == nullptr) return out;
  for (const origin& from : origin_finder(*statement, *share().visible).of(statement->query)) {
    browse_column column;
    if (from.table != nullptr) {
      std::vector<std::string> parts{database_, from.table->schema.value, from.table->name.value};
      auto place = std::find(out.tables.begin(), out.tables.end(), parts);
      if (place == out.tables.end()) place = out.tables.insert(out.tables.end(), std::move(parts));
      column.table = static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(place - out.tables.begin() + 1, 255));
      column.status = 0;
      const catalog::table* known = share().visible->find_table(from.table->schema.value, from.table->name.value);
      if (known != nullptr && std::any_of(known->primary_key.begin(), known->primary_key.end(),
                                          [&](const std::string& k) { return catalog::same_name(k, from.column); }))
        column.status |= browse_column::key;
      const std::size_t i = out.columns.size();
      if (i < columns.size() && columns[i].name != from.column) {
        column.status |= browse_column::different_name;
        column.base_name = from.column;
      }
    }
    out.columns.push_back(std::move(column));
  }
  return out;
}

browse_info gateway_session::browse_of(const tds::server::statement&, std::span<const result_column> columns) {
  return forwarded_.empty() ? browse_info{} : browse_of(forwarded_, columns);
}

bool gateway_session::may_have_cursor(const tds::server::statement& s) {
  const auto batch = tsql::parse_batch(s.text, {quoted_identifier_});
  if (!batch) return true;  // running it says what is wrong
  if (batch->statements.size() > 1) return false;
  if (batch->statements.empty()) return true;  // a question in a comment
  const tsql::statement& only = batch->statements.front();
  const auto* select = only.as<tsql::select_statement>();
  return select != nullptr || only.as<tsql::execute_statement>() != nullptr;
}

}  // namespace dragoman::proxy
