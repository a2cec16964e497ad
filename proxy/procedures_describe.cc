// sp_describe_first_result_set and sp_describe_undeclared_parameters (T-SQL reference, the procedures of these names):
// what drivers ask before they run a prepared statement.
#include "guard/catalog/names.h"
#include "guard/tsql/parser.h"
#include "proxy/parameter_types.h"
#include "proxy/procedures.h"
#include "proxy/sandbox/type_facts.h"
#include "tds/wire_column.h"

namespace dragoman::proxy {
namespace {

constexpr std::int64_t longest = 65535;  // tds_length of a (max) type

sql_value text(std::string_view value) {
  return std::string(value);
}

struct tds_form {
  std::int64_t type_id = 0;
  std::int64_t length = 0;
};

tds_form form_of(const result_column& column) {
  const tds::wire_column wire = tds::wire_column_of(column, tds::wire_profile{});
  const sandbox::type_facts facts = sandbox::facts_of(column.type);
  tds_form form{static_cast<std::int64_t>(wire.token), wire.size};
  if (is_character(column.type.id) || is_binary(column.type.id) || facts.max_length < 0)
    form.length = facts.max_length < 0 ? longest : facts.max_length;
  return form;
}

struct column_shape {
  std::string_view name;
  sql_type_id type;
  bool nullable;
};

local_result with_columns(std::initializer_list<column_shape> shapes) {
  local_result rows;
  for (const column_shape& shape : shapes) {
    const std::int32_t length = shape.type == sql_type_id::nvarchar ? 256 : 0;
    rows.columns.push_back({std::string(shape.name), {shape.type, length}, shape.nullable});
  }
  return rows;
}

// "@a int, @b nvarchar(10)", or nothing. False: the error is written.
bool read_declarations(gateway_session& session, const std::string& text, std::vector<guard::parameter>& to,
                       response& out) {
  if (text.empty()) return true;
  const auto declared = tds::server::parse_parameter_declarations(text);
  if (!declared) {
    session.fail(declared.error(), out);
    return false;
  }
  for (const auto& d : *declared) to.push_back({d.name.starts_with('@') ? d.name : "@" + d.name, d.type});
  return true;
}

local_result described_columns() {
  using enum sql_type_id;
  return with_columns({{"is_hidden", bit, false},
                       {"column_ordinal", int_, false},
                       {"name", sysname, true},
                       {"is_nullable", bit, false},
                       {"system_type_id", int_, false},
                       {"system_type_name", nvarchar, true},
                       {"max_length", smallint, false},
                       {"precision", tinyint, false},
                       {"scale", tinyint, false},
                       {"collation_name", sysname, true},
                       {"user_type_id", int_, true},
                       {"user_type_database", sysname, true},
                       {"user_type_schema", sysname, true},
                       {"user_type_name", sysname, true},
                       {"assembly_qualified_type_name", nvarchar, true},
                       {"xml_collection_id", int_, true},
                       {"xml_collection_database", sysname, true},
                       {"xml_collection_schema", sysname, true},
                       {"xml_collection_name", sysname, true},
                       {"is_xml_document", bit, false},
                       {"is_case_sensitive", bit, false},
                       {"is_fixed_length_clr_type", bit, false},
                       {"source_server", sysname, true},
                       {"source_database", sysname, true},
                       {"source_schema", sysname, true},
                       {"source_table", sysname, true},
                       {"source_column", sysname, true},
                       {"is_identity_column", bit, true},
                       {"is_part_of_unique_key", bit, true},
                       {"is_updateable", bit, true},
                       {"is_computed_column", bit, true},
                       {"is_sparse_column_set", bit, true},
                       {"ordinal_in_order_by_list", smallint, true},
                       {"order_by_list_length", smallint, true},
                       {"order_by_is_descending", smallint, true},
                       {"tds_type_id", int_, false},
                       {"tds_length", int_, false},
                       {"tds_collation_id", int_, true},
                       {"tds_collation_sort_id", tinyint, true}});
}

local_result suggested_parameters() {
  using enum sql_type_id;
  return with_columns({{"parameter_ordinal", int_, false},
                       {"name", sysname, false},
                       {"suggested_system_type_id", int_, false},
                       {"suggested_system_type_name", nvarchar, true},
                       {"suggested_max_length", smallint, false},
                       {"suggested_precision", tinyint, false},
                       {"suggested_scale", tinyint, false},
                       {"suggested_user_type_id", int_, true},
                       {"suggested_user_type_database", sysname, true},
                       {"suggested_user_type_schema", sysname, true},
                       {"suggested_user_type_name", sysname, true},
                       {"suggested_assembly_qualified_type_name", nvarchar, true},
                       {"suggested_xml_collection_id", int_, true},
                       {"suggested_xml_collection_database", sysname, true},
                       {"suggested_xml_collection_schema", sysname, true},
                       {"suggested_xml_collection_name", sysname, true},
                       {"suggested_is_xml_document", bit, false},
                       {"suggested_is_case_sensitive", bit, false},
                       {"suggested_is_fixed_length_clr_type", bit, false},
                       {"suggested_is_input", bit, false},
                       {"suggested_is_output", bit, false},
                       {"formal_parameter_name", sysname, true},
                       {"suggested_tds_type_id", int_, false},
                       {"suggested_tds_length", int_, false}});
}

}  // namespace

awaitable<void> describe_first_result_set(gateway_session& session, const procedure_arguments& arguments,
                                          response& out) {
  std::vector<guard::parameter> parameters;
  if (!read_declarations(session, arguments.text(1), parameters, out)) co_return;
  const auto columns = co_await session.columns_of(arguments.text(0), parameters);
  if (!columns) {
    session.fail(columns.error(), out);
    co_return;
  }
  local_result rows = described_columns();
  const std::string& collation = session.here().database().collation;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const result_column& c = (*columns)[i];
    const sandbox::type_facts facts = sandbox::facts_of(c.type);
    const tds_form form = form_of(c);
    const bool has_collation = is_character(c.type.id);
    const auto number = [](std::int64_t n) { return sql_value(n); };
    const auto number_if = [&](bool there, std::int64_t n) { return there ? number(n) : sql_value(null_value{}); };
    std::vector<sql_value> row(rows.columns.size(), null_value{});
    row[0] = number(0);
    row[1] = number(static_cast<std::int64_t>(i + 1));
    if (!c.name.empty()) row[2] = text(c.name);
    row[3] = number(c.nullable ? 1 : 0);
    row[4] = number(facts.system_type_id);
    row[5] = text(to_string(c.type));
    row[6] = number(facts.max_length);
    row[7] = number(facts.precision);
    row[8] = number(facts.scale);
    if (has_collation) row[9] = text(collation);
    for (const std::size_t flag : {19U, 20U, 21U}) row[flag] = number(0);
    row[27] = number(c.identity ? 1 : 0);
    row[28] = sql_value(null_value{});
    row[29] = number(0);
    row[30] = number(c.computed ? 1 : 0);
    row[31] = number(0);
    row[35] = number(form.type_id);
    row[36] = number(form.length);
    row[37] = number_if(has_collation, static_cast<std::int64_t>(c.type.coll.info));
    row[38] = number_if(has_collation, c.type.coll.sort_id);
    rows.rows.push_back(std::move(row));
  }
  session.write(rows, out);
}

awaitable<void> describe_undeclared_parameters(gateway_session& session, const procedure_arguments& arguments,
                                               response& out) {
  std::vector<guard::parameter> declared;
  if (!read_declarations(session, arguments.text(1), declared, out)) co_return;
  std::vector<std::string> names;
  for (const guard::parameter& p : declared) names.push_back(p.name);
  auto batch = tsql::parse_batch(arguments.text(0), {session.check_options().quoted_identifier});
  if (!batch) {
    session.fail(batch.error(), out);
    co_return;
  }
  local_result rows = suggested_parameters();
  std::int64_t ordinal = 0;
  for (tsql::statement& statement : batch->statements) {
    auto* select = statement.as<tsql::select_statement>();
    if (select == nullptr) continue;
    const auto found = undeclared_parameters(*select, *session.share().visible, names);
    if (!found) {
      session.fail(found.error(), out);
      co_return;
    }
    for (const suggested_parameter& p : *found) {
      names.push_back(p.name);
      const sandbox::type_facts facts = sandbox::facts_of(p.type);
      const tds_form form = form_of({p.name, p.type, true});
      std::vector<sql_value> row(rows.columns.size(), null_value{});
      row[0] = ++ordinal;
      row[1] = text(p.name);
      row[2] = std::int64_t{facts.system_type_id};
      row[3] = text(to_string(p.type));
      row[4] = std::int64_t{facts.max_length};
      row[5] = std::int64_t{facts.precision};
      row[6] = std::int64_t{facts.scale};
      for (const std::size_t flag : {16U, 17U, 18U, 20U}) row[flag] = std::int64_t{0};
      row[19] = std::int64_t{1};
      row[22] = form.type_id;
      row[23] = form.length;
      rows.rows.push_back(std::move(row));
    }
  }
  session.write(rows, out);
}

}  // namespace dragoman::proxy
