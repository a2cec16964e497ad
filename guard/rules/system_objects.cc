// Catalogue views and temporary tables: never forwarded. A person's SELECT of nothing else is answered by the sandbox,
// which knows only what the principal may know; generated SQL may not read them at all.
#include <array>
#include <string>

#include "guard/context.h"
#include "guard/tsql/walk.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using namespace std::string_view_literals;

// Views of SQL Server 2000 that still answer without a schema or under dbo.
constexpr std::array compatibility_views = {
    "sysaltfiles"sv,     "syscacheobjects"sv, "syscharsets"sv,   "syscolumns"sv,     "syscomments"sv,
    "sysconfigures"sv,   "sysconstraints"sv,  "syscurconfigs"sv, "sysdatabases"sv,   "sysdepends"sv,
    "sysdevices"sv,      "sysfilegroups"sv,   "sysfiles"sv,      "sysforeignkeys"sv, "sysfulltextcatalogs"sv,
    "sysindexes"sv,      "sysindexkeys"sv,    "syslanguages"sv,  "syslockinfo"sv,    "syslogins"sv,
    "sysmembers"sv,      "sysmessages"sv,     "sysobjects"sv,    "sysoledbusers"sv,  "sysopentapes"sv,
    "sysperfinfo"sv,     "syspermissions"sv,  "sysprocesses"sv,  "sysprotects"sv,    "sysreferences"sv,
    "sysremotelogins"sv, "sysservers"sv,      "systypes"sv,      "sysusers"sv,       "sysxlogins"sv};

// CTE names are no objects; a CTE hides nothing here, since a statement that only reads system objects through CTEs
// names them inside.
struct reader {
  names_read read;
  std::vector<std::string_view> ctes;

  bool enter(const tsql::common_table_expression& cte) {
    ctes.push_back(cte.name.value);
    return true;
  }
  bool enter(const tsql::named_table& t) {
    if (t.name.one_part()) {
      for (auto name : ctes) {
        if (same_name(name, t.name.name.value)) return true;
      }
    }
    if (is_system_object(t.name)) {
      read.system = true;
    } else if (is_temporary(t.name)) {
      read.temporary = true;
    } else {
      read.warehouse = true;
    }
    return true;
  }
  bool enter(const tsql::variable_table&) {
    read.table_variable = true;
    return true;
  }
  // sys.fn_… in FROM: a function of the server; OPENROWSET and its kin reach anywhere.
  bool enter(const tsql::function_table& f) {
    const auto* call = f.call->as<tsql::function_call>();
    if (call != nullptr && !call->name.one_part()) {
      (same_name(call->name.schema.value, "sys") ? read.system : read.warehouse) = true;
    } else if (call != nullptr && tsql::find_function(call->name.name.value) == nullptr) {
      read.warehouse = true;
    }
    return true;
  }
  bool enter(const tsql::rowset_function&) {
    read.warehouse = true;
    return true;
  }
  bool enter(const tsql::fulltext_table&) {
    read.warehouse = true;
    return true;
  }
};

}  // namespace

bool is_system_object(const tsql::object_name& n) {
  if (!n.server.empty()) return false;
  const std::string& schema = n.schema.value;
  if (same_name(schema, "sys") || same_name(schema, "INFORMATION_SCHEMA")) return true;
  if (!schema.empty() && !same_name(schema, "dbo")) return false;
  if (n.name.value.size() < 8 || !same_name(std::string_view(n.name.value).substr(0, 3), "sys")) return false;
  for (auto view : compatibility_views) {
    if (same_name(view, n.name.value)) return true;
  }
  return false;
}

bool is_temporary(const tsql::object_name& n) {
  return !n.name.value.empty() && n.name.value.front() == '#';
}

template <class Node>
names_read read_names(const Node& node) {
  reader visitor;
  tsql::walk(node, visitor);
  return visitor.read;
}

template names_read read_names(const tsql::select_statement&);
template names_read read_names(const tsql::expression&);

}  // namespace dragoman::guard
