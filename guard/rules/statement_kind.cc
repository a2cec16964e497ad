// Statement kind: SELECT goes to the guard proper, session statements to the sandbox, everything else nowhere.
#include "guard/statement_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guard/context.h"
#include "guard/tsql/type_infer.h"

namespace dragoman::guard {
namespace {

using namespace std::string_view_literals;
using catalog::same_name;
using tsql::statement;

// Catalogue procedures that desktop tools and drivers call; the sandbox has them or says that it does not.
constexpr std::array session_procedures = {"sp_catalogs"sv,
                                           "sp_column_privileges"sv,
                                           "sp_column_privileges_rowset"sv,
                                           "sp_columns"sv,
                                           "sp_columns_100"sv,
                                           "sp_columns_90"sv,
                                           "sp_columns_managed"sv,
                                           "sp_columns_100_rowset"sv,
                                           "sp_columns_rowset"sv,
                                           "sp_databases"sv,
                                           "sp_datatype_info"sv,
                                           "sp_datatype_info_100"sv,
                                           "sp_datatype_info_90"sv,
                                           "sp_describe_first_result_set"sv,
                                           "sp_describe_parameter_encryption"sv,
                                           "sp_describe_undeclared_parameters"sv,
                                           "sp_fkeys"sv,
                                           "sp_help"sv,
                                           "sp_helpconstraint"sv,
                                           "sp_helpdb"sv,
                                           "sp_helpfile"sv,
                                           "sp_helpindex"sv,
                                           "sp_helptext"sv,
                                           "sp_indexes_100_rowset"sv,
                                           "sp_oledb_ro_usrname"sv,
                                           "sp_pkeys"sv,
                                           "sp_primary_keys_rowset"sv,
                                           "sp_procedure_params_100_managed"sv,
                                           "sp_procedure_params_100_rowset"sv,
                                           "sp_procedure_params_rowset"sv,
                                           "sp_procedures_rowset"sv,
                                           "sp_schemata_rowset"sv,
                                           "sp_server_info"sv,
                                           "sp_special_columns"sv,
                                           "sp_special_columns_100"sv,
                                           "sp_special_columns_90"sv,
                                           "sp_sproc_columns"sv,
                                           "sp_sproc_columns_100"sv,
                                           "sp_sproc_columns_90"sv,
                                           "sp_statistics"sv,
                                           "sp_statistics_100"sv,
                                           "sp_stored_procedures"sv,
                                           "sp_table_privileges"sv,
                                           "sp_table_types"sv,
                                           "sp_tableoption"sv,
                                           "sp_tables"sv,
                                           "sp_tables_info_rowset"sv,
                                           "sp_tables_rowset"sv,
                                           "sp_tables_rowset2"sv,
                                           "sp_views_rowset"sv,
                                           "xp_msver"sv};

// SET options that change data, permissions or what the next statements mean, rather than how a session is answered.
constexpr std::array refused_options = {
    "IDENTITY_INSERT"sv, "CONTEXT_INFO"sv, "OFFSETS"sv,   "SHOWPLAN_ALL"sv,
    "SHOWPLAN_TEXT"sv,   "SHOWPLAN_XML"sv, "PARSEONLY"sv, "REMOTE_PROC_TRANSACTIONS"sv};

verdict refuse(errc code, std::string message, tsql::source_position at, std::string_view rule = "statement_kind") {
  verdict v;
  v.kind = verdict_kind::refuse;
  v.code = code;
  v.message = std::move(message);
  v.line = at.line;
  v.column = at.column;
  v.rule = rule;
  return v;
}

verdict not_read_only(std::string_view kind, tsql::source_position at) {
  return refuse(errc::not_read_only, fmt::format("{} is not allowed: this gateway only reads.", kind), at);
}

verdict home(std::string action) {
  return answer_at_home("statement_kind", std::move(action));
}

class classifier {
 public:
  classifier(const policy& principal, const check_options& options, std::string_view text)
      : principal_(principal), text_(text), options_(options) {}

  verdict of(const statement& s) {
    return std::visit(
        tsql::overloaded{
            [&](const tsql::select_statement& n) { return check_select(n, principal_, options_, text_); },
            [&](const tsql::declare_statement& n) { return declare(n, s.pos); },
            [&](const tsql::set_variable_statement& n) { return value(n.value, "sets a variable", s.pos); },
            [&](const tsql::set_option_statement& n) { return option(n, s.pos); },
            [&](const tsql::if_statement& n) {
              return nested(value(n.condition, "decides which statement runs", s.pos),
                            {n.then.get(), n.otherwise.get()});
            },
            [&](const tsql::while_statement& n) {
              return nested(value(n.condition, "repeats statements within its limits", s.pos), {n.body.get()});
            },
            [&](const tsql::block_statement& n) { return all(n.statements, "runs the statements of the block"); },
            [&](const tsql::try_catch_statement& n) {
              verdict v = all(n.body, "runs the statements of the block");
              return v.kind == verdict_kind::refuse ? v : all(n.handler, v.action);
            },
            [&](const tsql::flow_statement& n) { return value(n.value, "leaves the batch or the loop", s.pos); },
            [&](const tsql::transaction_statement&) { return home("keeps the transaction, which holds nothing"); },
            [&](const tsql::print_statement& n) { return value(n.value, "prints the text", s.pos); },
            [&](const tsql::raiserror_statement& n) { return values(n.arguments, "raises the error", s.pos); },
            [&](const tsql::throw_statement& n) { return values(n.arguments, "raises the error", s.pos); },
            [&](const tsql::use_statement& n) { return home(fmt::format("changes to database {}", n.database.value)); },
            [&](const tsql::execute_statement& n) { return execute(n, s.pos); },
            [&](const tsql::create_table_statement& n) {
              return is_session_table(n.table) ? home("creates the temporary table")
                                               : not_read_only("CREATE TABLE", s.pos);
            },
            [&](const tsql::drop_table_statement& n) {
              const bool ours = std::all_of(n.tables.begin(), n.tables.end(), is_session_table);
              return ours ? home("drops the temporary table") : not_read_only("DROP TABLE", s.pos);
            },
            [&](const tsql::insert_statement& n) { return insert(n, s.pos); },
            [&](const tsql::other_statement& n) { return not_read_only(n.kind, s.pos); },
        },
        s.node);
  }

 private:
  // A scalar of a session statement runs at home, so it may read nothing of the warehouse.
  verdict value(const tsql::box<tsql::expression>& e, std::string action, tsql::source_position at) {
    if (e) {
      const names_read names = read_names(*e);
      if (names.warehouse) {
        return refuse(errc::unsupported_construct, "A session statement cannot read tables of the warehouse.", at);
      }
    }
    return home(std::move(action));
  }

  verdict values(const std::vector<tsql::expression>& list, std::string action, tsql::source_position at) {
    for (const auto& e : list) {
      if (read_names(e).warehouse) {
        return refuse(errc::unsupported_construct, "A session statement cannot read tables of the warehouse.", at);
      }
    }
    return home(std::move(action));
  }

  // One refused statement refuses what holds it; anything else in it is run, or guarded again, by the sandbox.
  verdict nested(verdict outer, std::initializer_list<const statement*> inner) {
    if (outer.kind == verdict_kind::refuse) return outer;
    for (const statement* s : inner) {
      if (s == nullptr) continue;
      verdict v = of(*s);
      if (v.kind == verdict_kind::refuse) return v;
    }
    return outer;
  }

  verdict all(const std::vector<statement>& list, std::string action) {
    for (const auto& s : list) {
      verdict v = of(s);
      if (v.kind == verdict_kind::refuse) return v;
      remember_variables(s, options_);
    }
    return home(std::move(action));
  }

  verdict declare(const tsql::declare_statement& n, tsql::source_position at) {
    for (const auto& v : n.variables) {
      verdict one = value(v.value, "declares the variables", at);
      if (one.kind == verdict_kind::refuse) return one;
    }
    return home("declares the variables");
  }

  verdict option(const tsql::set_option_statement& n, tsql::source_position at) {
    for (const auto& o : n.options) {
      if (std::find(refused_options.begin(), refused_options.end(), o) != refused_options.end()) {
        return refuse(errc::unsupported_construct, fmt::format("SET {} is not supported.", o), at);
      }
    }
    return home("keeps the session's setting");
  }

  verdict execute(const tsql::execute_statement& n, tsql::source_position at) {
    if (!n.strings.empty()) return not_read_only("EXECUTE of a text", at);
    if (!n.procedure_variable.empty()) return not_read_only("EXECUTE of a variable", at);
    if (!is_session_procedure(n.procedure)) {
      return refuse(errc::not_read_only,
                    fmt::format("The procedure '{}' is not allowed: this gateway only reads.", n.procedure.name.value),
                    at);
    }
    for (const auto& a : n.arguments) {
      verdict one = value(a.value, "", at);
      if (one.kind == verdict_kind::refuse) return one;
    }
    return home(fmt::format("answers the procedure {}", n.procedure.name.value));
  }

  verdict insert(const tsql::insert_statement& n, tsql::source_position at) {
    if (n.table_variable.empty() && !is_session_table(n.table)) return not_read_only("INSERT", at);
    if (n.execute) return of(statement{tsql::statement_node(*n.execute), at, 0});
    if (n.query) {
      const names_read names = read_names(*n.query);
      if (names.warehouse) {
        return refuse(errc::unsupported_construct,
                      "A temporary table cannot be filled from tables of the warehouse yet: select from them directly.",
                      at);
      }
    }
    for (const auto& row : n.rows) {
      verdict one = values(row.values, "", at);
      if (one.kind == verdict_kind::refuse) return one;
    }
    return home("fills the temporary table");
  }

  const policy& principal_;
  std::string_view text_;
  check_options options_;  // its own: a block's DECLAREs are added as they come
};

}  // namespace

void remember_variables(const statement& s, check_options& options) {
  const auto all = [&](const std::vector<statement>& list) {
    for (const auto& inner : list) remember_variables(inner, options);
  };
  if (const auto* declare = s.as<tsql::declare_statement>()) {
    for (const auto& v : declare->variables) {
      if (v.table) {
        options.table_variables.push_back(v.name);
      } else {
        options.parameters.push_back({v.name, tsql::type_of(v.type)});
      }
    }
  } else if (const auto* block = s.as<tsql::block_statement>()) {
    all(block->statements);
  } else if (const auto* guarded = s.as<tsql::try_catch_statement>()) {
    all(guarded->body);
    all(guarded->handler);
  } else if (const auto* branch = s.as<tsql::if_statement>()) {
    if (branch->then) remember_variables(*branch->then, options);
    if (branch->otherwise) remember_variables(*branch->otherwise, options);
  } else if (const auto* loop = s.as<tsql::while_statement>()) {
    if (loop->body) remember_variables(*loop->body, options);
  }
}

bool is_session_table(const tsql::object_name& n) {
  const std::string& name = n.name.value;
  return name.size() > 1 && name[0] == '#' && name[1] != '#';
}

bool is_session_procedure(const tsql::object_name& n) {
  if (!n.server.empty()) return false;
  if (same_name(n.schema.value, "nlq")) return true;
  const bool system_schema = n.schema.empty() || same_name(n.schema.value, "sys") || same_name(n.schema.value, "dbo");
  if (!system_schema) return false;
  for (auto p : session_procedures) {
    if (same_name(p, n.name.value)) return true;
  }
  return false;
}

verdict check(const tsql::statement& s, const policy& principal, const check_options& options) {
  return check_statement(s, principal, options, {});
}

verdict check_statement(const tsql::statement& s, const policy& principal, const check_options& options,
                        std::string_view text) {
  if (options.profile == profile::generated) {
    const auto* select = s.as<tsql::select_statement>();
    if (select == nullptr) return not_read_only(tsql::kind_name(s), s.pos);
    return check_select(*select, principal, options, text);
  }
  return classifier(principal, options, text).of(s);
}

}  // namespace dragoman::guard
