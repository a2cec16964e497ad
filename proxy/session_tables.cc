// Table variables, for drivers that keep the rows of a catalogue procedure in one (mssql-jdbc: getColumns,
// getImportedKeys, getIndexInfo): DECLARE @t TABLE, INSERT @t EXEC of such a procedure, and SELECTs that read it
// together with the views of the catalogue.
//
// They live in the session's sandbox and end with the request. Nothing of the warehouse can be put into them, and a
// SELECT that reads one is answered by the sandbox alone, which holds no table of the warehouse.
#include <fmt/format.h>

#include "guard/catalog/names.h"
#include "guard/tsql/printer.h"
#include "guard/tsql/walk.h"
#include "proxy/procedures.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/sandbox/codec.h"
#include "proxy/session.h"

namespace dragoman::proxy {
namespace {

struct table_variable_finder {
  bool found = false;
  bool enter(const tsql::table_source& source) {
    found = found || source.as<tsql::variable_table>() != nullptr;
    return true;
  }
};

failure unavailable(std::string text) {
  return {errc::unsupported_construct, std::move(text)};
}

}  // namespace

bool reads_table_variables(const tsql::select_statement& statement) {
  table_variable_finder finder;
  tsql::walk(statement, finder);
  return finder.found;
}

bool fills_table_variable(const tsql::statement& statement) {
  const auto* insert = statement.as<tsql::insert_statement>();
  return insert != nullptr && !insert->table_variable.empty() && insert->execute;
}

result<void> gateway_session::declare_table(const tsql::variable_declaration& declared) {
  constexpr std::size_t tables_max = 16;
  sandbox::engine* engine = home(nullptr);
  if (engine == nullptr) return failure(errc::internal, "The session's sandbox could not be made.");
  if (table_variables_.size() >= tables_max) return unavailable("A batch has too many table variables.");
  catalog::table table;
  table.schema = engine->tables().catalog().default_schema;
  table.name = declared.name;
  std::string sql = "CREATE TEMP TABLE " + sandbox::quoted_name(declared.name) + "(";
  for (const tsql::column_definition& column : declared.table->columns) {
    const auto type = parse_sql_type(tsql::print(column.type));
    if (!type || column.computed || column.identity)
      return unavailable("A table variable has columns of plain types only here.");
    if (!table.columns.empty()) sql += ',';
    sql += sandbox::quoted_name(column.name.value);
    table.columns.push_back({column.name.value, *type});
  }
  if (auto made = engine->database().execute(sql + ")"); !made) return made;
  if (auto added = engine->tables().add(std::move(table), {declared.name, true}); !added) return added;
  table_variables_.push_back(declared.name);
  return {};
}

result<std::uint64_t> gateway_session::fill_table(const tsql::insert_statement& insert) {
  const tsql::execute_statement& call = *insert.execute;
  sandbox::engine* engine = home(nullptr);
  if (engine == nullptr) return failure(errc::internal, "The session's sandbox could not be made.");
  const catalog::table* table = engine->tables().find(engine->tables().catalog().default_schema, insert.table_variable);
  if (table == nullptr) {
    failure unknown(errc::unknown_table, fmt::format("Must declare the table variable \"{}\".", insert.table_variable));
    unknown.number = 1087;
    return unknown;
  }
  if (!insert.columns.empty() || !call.strings.empty() || !call.procedure_variable.empty() ||
      !call.procedure.server.empty() || catalog::same_name(call.procedure.schema.value, "nlq") ||
      !sandbox::is_catalog_procedure(call.procedure.name.value))
    return unavailable("INSERT … EXEC takes the rows of a catalogue procedure only.");
  sandbox::parameters arguments;
  for (const tsql::execute_argument& given : call.arguments) {
    sandbox::parameter argument{given.parameter, {}, null_value{}};
    auto value = evaluate(*given.value, &argument.type);
    if (!value) return value.error();
    argument.value = std::move(*value);
    arguments.push_back(std::move(argument));
  }
  auto rows = sandbox::call_catalog_procedure(*engine, call.procedure.name.value, arguments);
  if (!rows) return rows.error();
  const std::size_t width = table->columns.size();
  if (rows->columns().size() != width) {
    failure other(errc::bad_argument, "Column name or number of supplied values does not match table definition.");
    other.number = 213;
    return other;
  }
  // All rows first: the cursor and the INSERT are of one connection.
  std::vector<std::vector<sql_value>> all;
  std::vector<sql_value> row(width);
  while (true) {
    const auto more = rows->next(row);
    if (!more) return more.error();
    if (!*more) break;
    all.push_back(row);
  }
  std::string marks;
  for (std::size_t i = 0; i < width; ++i) marks += i > 0 ? ",?" : "?";
  auto into = engine->database().prepare("INSERT INTO " + sandbox::quoted_name(insert.table_variable) + " VALUES(" +
                                         marks + ")");
  if (!into) return into.error();
  for (const auto& values : all) {
    for (std::size_t i = 0; i < width; ++i)
      sandbox::bind_value(*into, static_cast<int>(i) + 1, table->columns[i].type, values[i]);
    if (auto done = into->step(); !done) return done.error();
    into->reset();
  }
  return all.size();
}

void gateway_session::drop_tables() {
  if (home_)
    for (const std::string& name : table_variables_) {
      home_->tables().remove(home_->tables().catalog().default_schema, name);
      (void)home_->database().execute("DROP TABLE " + sandbox::quoted_name(name));
    }
  table_variables_.clear();
}

}  // namespace dragoman::proxy
