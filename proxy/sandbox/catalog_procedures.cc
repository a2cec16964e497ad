// The catalogue procedures as SELECTs over the tables of catalog_views.cc (T-SQL reference, "Catalog stored
// procedures").
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "guard/catalog/names.h"
#include "proxy/sandbox/catalog_views.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

// `parameters`: the names in order, each text (t) or number (n) with its default behind '='.
struct procedure {
  std::string_view name;
  std::string_view parameters;
  std::string_view query;
};

#define TABLE_FILTER                                                                                                  \
  "(@table_name IS NULL OR TABLE_NAME LIKE @table_name) AND (@table_owner IS NULL OR TABLE_OWNER LIKE @table_owner) " \
  "AND "                                                                                                              \
  "(@table_qualifier IS NULL OR @table_qualifier = DB_NAME() OR @table_qualifier = '%')"
#define EXACT_FILTER                                                                                                 \
  "TABLE_NAME = @table_name AND (@table_owner IS NULL OR TABLE_OWNER = @table_owner) AND (@table_qualifier IS NULL " \
  "OR "                                                                                                              \
  "@table_qualifier = DB_NAME())"
#define COLUMN_START                                                                                                   \
  "SELECT TABLE_QUALIFIER, TABLE_OWNER, TABLE_NAME, COLUMN_NAME, CASE WHEN @ODBCVer = 3 THEN odbc3 ELSE odbc2 END AS " \
  "DATA_TYPE, "                                                                                                        \
  "TYPE_NAME, PRECISION, LENGTH, SCALE, RADIX, NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB, "       \
  "CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE"
#define COLUMN_END                                                                                                   \
  " FROM catalogue.columns WHERE " TABLE_FILTER                                                                      \
  " AND (@column_name IS NULL OR COLUMN_NAME LIKE @column_name) ORDER BY TABLE_QUALIFIER, TABLE_OWNER, TABLE_NAME, " \
  "ORDINAL_POSITION"

constexpr procedure procedures[] = {
    {"sp_tables", "table_name t, table_owner t, table_qualifier t, table_type t, fUsePattern n=1",
     "SELECT CAST(TABLE_CATALOG AS sysname) AS TABLE_QUALIFIER, CAST(TABLE_SCHEMA AS sysname) AS TABLE_OWNER, "
     "CAST(TABLE_NAME AS sysname) AS "
     "TABLE_NAME, CAST(CASE TABLE_TYPE WHEN 'VIEW' THEN 'VIEW' ELSE 'TABLE' END AS varchar(32)) AS TABLE_TYPE, "
     "CAST(NULL AS varchar(254)) AS "
     "REMARKS FROM INFORMATION_SCHEMA.TABLES WHERE (@table_name IS NULL OR TABLE_NAME LIKE @table_name) AND "
     "(@table_owner IS NULL OR TABLE_SCHEMA "
     "LIKE @table_owner) AND (@table_qualifier IS NULL OR @table_qualifier = DB_NAME() OR @table_qualifier = '%') AND "
     "(@table_type IS NULL OR "
     "CHARINDEX('''' + CASE TABLE_TYPE WHEN 'VIEW' THEN 'VIEW' ELSE 'TABLE' END + '''', @table_type) > 0 OR "
     "@table_type = '%') ORDER BY TABLE_TYPE, "
     "TABLE_QUALIFIER, TABLE_OWNER, TABLE_NAME"},
    {"sp_columns", "table_name t, table_owner t, table_qualifier t, column_name t, ODBCVer n=2",
     COLUMN_START ", SS_DATA_TYPE" COLUMN_END},
    {"sp_columns_100",
     "table_name t, table_owner t, table_qualifier t, column_name t, NameScope n=0, ODBCVer n=2, fUsePattern n=1",
     COLUMN_START ", CAST(0 AS smallint) AS SS_IS_SPARSE, CAST(0 AS smallint) AS SS_IS_COLUMN_SET, computed AS "
                  "SS_IS_COMPUTED, identity_ AS "
                  "SS_IS_IDENTITY, CAST(NULL AS nvarchar(128)) AS SS_UDT_CATALOG_NAME, CAST(NULL AS nvarchar(128)) AS "
                  "SS_UDT_SCHEMA_NAME, CAST(NULL AS "
                  "nvarchar(4000)) AS SS_UDT_ASSEMBLY_TYPE_NAME, CAST(NULL AS nvarchar(128)) AS "
                  "SS_XML_SCHEMACOLLECTION_CATALOG_NAME, CAST(NULL AS "
                  "nvarchar(128)) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, CAST(NULL AS nvarchar(128)) AS "
                  "SS_XML_SCHEMACOLLECTION_NAME, SS_DATA_TYPE" COLUMN_END},
    {"sp_pkeys", "table_name t, table_owner t, table_qualifier t",
     "SELECT * FROM catalogue.pkeys WHERE " EXACT_FILTER " ORDER BY TABLE_OWNER, TABLE_NAME, KEY_SEQ"},
    {"sp_fkeys",
     "pktable_name t, pktable_owner t, pktable_qualifier t, fktable_name t, fktable_owner t, fktable_qualifier t",
     "SELECT * FROM catalogue.fkeys WHERE (@pktable_name IS NULL OR PKTABLE_NAME = @pktable_name) AND (@pktable_owner "
     "IS NULL OR PKTABLE_OWNER "
     "= @pktable_owner) AND (@fktable_name IS NULL OR FKTABLE_NAME = @fktable_name) AND (@fktable_owner IS NULL OR "
     "FKTABLE_OWNER = "
     "@fktable_owner) ORDER BY FKTABLE_OWNER, FKTABLE_NAME, FK_NAME, KEY_SEQ"},
    {"sp_statistics", "table_name t, table_owner t, table_qualifier t, index_name t, is_unique t, accuracy t",
     "SELECT * FROM catalogue.[statistics] WHERE " EXACT_FILTER
     " AND (@index_name IS NULL OR @index_name = '%' OR INDEX_NAME IS NULL OR INDEX_NAME LIKE @index_name) ORDER BY "
     "NON_UNIQUE, TYPE, "
     "INDEX_NAME, SEQ_IN_INDEX"},
    {"sp_special_columns",
     "table_name t, table_owner t, table_qualifier t, col_type t=R, scope t=T, nullable t=U, ODBCVer n=2",
     "SELECT CAST(CASE WHEN @scope = 'C' THEN 0 ELSE 1 END AS smallint) AS SCOPE, COLUMN_NAME, CASE WHEN @ODBCVer = 3 "
     "THEN odbc3 ELSE odbc2 END AS "
     "DATA_TYPE, TYPE_NAME, PRECISION, LENGTH, SCALE, CAST(1 AS smallint) AS PSEUDO_COLUMN FROM catalogue.columns "
     "WHERE " EXACT_FILTER " AND in_key > 0 AND @col_type <> 'V' ORDER BY in_key"},
    {"sp_datatype_info", "data_type n=0, ODBCVer n=2",
     "SELECT TYPE_NAME, CASE WHEN @ODBCVer = 3 THEN odbc3 ELSE odbc2 END AS DATA_TYPE, PRECISION, LITERAL_PREFIX, "
     "LITERAL_SUFFIX, "
     "CREATE_PARAMS, NULLABLE, CASE_SENSITIVE, SEARCHABLE, UNSIGNED_ATTRIBUTE, MONEY, AUTO_INCREMENT, LOCAL_TYPE_NAME, "
     "MINIMUM_SCALE, "
     "MAXIMUM_SCALE, SQL_DATA_TYPE, SQL_DATETIME_SUB, NUM_PREC_RADIX, INTERVAL_PRECISION, USERTYPE FROM "
     "catalogue.datatypes WHERE @data_type = 0 OR "
     "CASE WHEN @ODBCVer = 3 THEN odbc3 ELSE odbc2 END = @data_type ORDER BY 2, AUTO_INCREMENT, TYPE_NAME"},
    {"sp_databases", "",
     "SELECT name AS DATABASE_NAME, CAST(8192 AS int) AS DATABASE_SIZE, CAST(NULL AS varchar(254)) AS REMARKS FROM "
     "sys.databases ORDER BY name"},
    {"sp_stored_procedures", "sp_name t, sp_owner t, sp_qualifier t, fUsePattern n=1",
     "SELECT CAST('' AS sysname) AS PROCEDURE_QUALIFIER, CAST('' AS sysname) AS PROCEDURE_OWNER, CAST('' AS "
     "nvarchar(134)) AS PROCEDURE_NAME, -1 AS "
     "NUM_INPUT_PARAMS, -1 AS NUM_OUTPUT_PARAMS, -1 AS NUM_RESULT_SETS, CAST(NULL AS varchar(254)) AS REMARKS, CAST(2 "
     "AS smallint) AS "
     "PROCEDURE_TYPE WHERE 1 = 0"},
    {"sp_sproc_columns",
     "procedure_name t, procedure_owner t, procedure_qualifier t, column_name t, ODBCVer n=2, fUsePattern n=1",
     "SELECT TABLE_QUALIFIER AS PROCEDURE_QUALIFIER, TABLE_OWNER AS PROCEDURE_OWNER, CAST(TABLE_NAME AS nvarchar(134)) "
     "AS PROCEDURE_NAME, COLUMN_NAME, "
     "CAST(5 AS smallint) AS COLUMN_TYPE, odbc3 AS DATA_TYPE, TYPE_NAME, PRECISION, LENGTH, SCALE, RADIX, NULLABLE, "
     "REMARKS, COLUMN_DEF, "
     "SQL_DATA_TYPE, SQL_DATETIME_SUB, CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE, SS_DATA_TYPE FROM "
     "catalogue.columns WHERE 1 = 0"},
    {"sp_table_privileges", "table_name t, table_owner t, table_qualifier t, fUsePattern n=1",
     "SELECT CAST(TABLE_CATALOG AS sysname) AS TABLE_QUALIFIER, CAST(TABLE_SCHEMA AS sysname) AS TABLE_OWNER, "
     "TABLE_NAME, CAST('dbo' AS sysname) AS "
     "GRANTOR, CAST(USER_NAME() AS sysname) AS GRANTEE, CAST('SELECT' AS varchar(32)) AS PRIVILEGE, CAST('NO' AS "
     "varchar(3)) AS IS_GRANTABLE FROM "
     "INFORMATION_SCHEMA.TABLES WHERE (@table_name IS NULL OR TABLE_NAME LIKE @table_name) AND (@table_owner IS NULL "
     "OR TABLE_SCHEMA LIKE "
     "@table_owner) ORDER BY TABLE_SCHEMA, TABLE_NAME"},
    {"sp_column_privileges", "table_name t, table_owner t, table_qualifier t, column_name t",
     "SELECT TABLE_QUALIFIER, TABLE_OWNER, TABLE_NAME, COLUMN_NAME, CAST('dbo' AS sysname) AS GRANTOR, "
     "CAST(USER_NAME() AS sysname) AS GRANTEE, "
     "CAST('SELECT' AS varchar(32)) AS PRIVILEGE, CAST('NO' AS varchar(3)) AS IS_GRANTABLE FROM catalogue.columns "
     "WHERE " EXACT_FILTER " AND (@column_name IS NULL OR COLUMN_NAME LIKE @column_name) ORDER BY ORDINAL_POSITION"},
};

#undef TABLE_FILTER
#undef EXACT_FILTER
#undef COLUMN_START
#undef COLUMN_END

const procedure* find(std::string_view name) noexcept {
  const auto exact = [](std::string_view n) -> const procedure* {
    for (const auto& p : procedures) {
      if (catalog::same_name(p.name, n)) return &p;
    }
    return nullptr;
  };
  for (const std::string_view suffix : {"_90", "_100", "_150", "_170"}) {
    if (!name.ends_with(suffix)) continue;
    const auto base = name.substr(0, name.size() - suffix.size());
    // The layout of sp_columns grew with version 100; the others kept theirs.
    if (catalog::same_name(base, "sp_columns") && suffix != "_90") return exact("sp_columns_100");
    return exact(base);
  }
  return exact(name);
}

struct declared {
  std::string name;  // with its @
  bool number = false;
  std::optional<std::string> initial;
};

std::vector<declared> declarations_of(const procedure& p) {
  std::vector<declared> out;
  std::string_view rest = p.parameters;
  while (!rest.empty()) {
    const auto end = rest.find(", ");
    const std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 2);
    const auto blank = one.find(' ');
    declared d;
    d.name = "@" + std::string(one.substr(0, blank));
    d.number = one[blank + 1] == 'n';
    if (const auto equal = one.find('='); equal != std::string_view::npos) d.initial = one.substr(equal + 1);
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace

bool is_catalog_procedure(std::string_view name) noexcept {
  return find(name) != nullptr;
}

result<cursor> call_catalog_procedure(engine& home, std::string_view name, const parameters& arguments) {
  const procedure* p = find(name);
  if (p == nullptr) return failure(errc::unknown_procedure, fmt::format("Could not find stored procedure '{}'.", name));
  const auto declarations = declarations_of(*p);
  const sql_type text_type{sql_type_id::nvarchar, 4000};
  const sql_type number_type{sql_type_id::int_};
  parameters values;
  for (const auto& d : declarations) {
    sql_value initial = null_value{};
    if (d.initial) initial = d.number ? sql_value(std::int64_t{std::stoi(*d.initial)}) : sql_value(*d.initial);
    values.push_back({d.name, d.number ? number_type : text_type, std::move(initial)});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& a = arguments[i];
    parameter* target = nullptr;
    if (a.name.empty()) {
      if (i >= values.size()) {
        failure f(errc::bad_argument, fmt::format("Procedure or function {} has too many arguments specified.", name));
        f.number = 8144;
        return f;
      }
      target = &values[i];
    } else {
      for (auto& v : values) {
        if (catalog::same_name(v.name, a.name)) target = &v;
      }
      if (target == nullptr)
        return failure(errc::bad_argument, fmt::format("{} is not a parameter for procedure {}.", a.name, name));
    }
    if (is_null(a.value)) continue;
    auto converted = convert(a.value, a.type.id == sql_type_id::unknown ? target->type : a.type, target->type);
    if (!converted) return converted.error();
    target->value = std::move(*converted);
  }
  // An empty name means any, as drivers send it; a qualifier that is not this database has nothing to show.
  for (auto& v : values) {
    const auto* t = std::get_if<std::string>(&v.value);
    if (t != nullptr && t->empty()) v.value = null_value{};
  }
  return home.prepare(p->query, values);
}

}  // namespace dragoman::sandbox
