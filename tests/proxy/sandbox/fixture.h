// A small database for the engine's tables of tests, and rows as text: values joined by '|', NULL as ~.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/engine.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::sandbox {

struct small_database {
  std::unique_ptr<engine> e = engine::open_memory().value();

  small_database() {
    add("dbo", "Item",
        {{"ID", "int"},
         {"Name", "nvarchar(50)"},
         {"Code", "char(5)"},
         {"Price", "decimal(18,2)"},
         {"Total", "decimal(19,4)"},
         {"Day", "date"},
         {"At", "datetime2(3)"},
         {"Kind", "int"},
         {"Rate", "float"}},
        "INSERT INTO \"dbo.Item\" VALUES"
        "(1,'Alpha','AB',1050,105000,738000,637632000000000000,1,0.5),"
        "(2,'beta','ab',2099,9223372036854775807,738001,637632000123450000,1,1.5),"
        "(3,'Gamma ','CDE',NULL,-25,738031,NULL,2,NULL),"
        "(4,'پتروشیمی','FA',5,9223372036854775000,738366,637632000000000000,2,-2.25),"
        "(5,NULL,NULL,100,1,NULL,NULL,3,0)");
    add("sales", "Kind", {{"KindID", "int"}, {"Name", "nvarchar(20)"}},
        "INSERT INTO \"sales.Kind\" VALUES(1,'One'),(2,'Two'),(4,'Four')");
  }

  void add(const std::string& schema, const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& columns, const std::string& insert) {
    catalog::table t;
    t.schema = schema;
    t.name = name;
    std::string sql = "CREATE TABLE \"" + schema + "." + name + "\"(";
    for (const auto& [column, type] : columns) {
      catalog::column c;
      c.name = column;
      c.type = parse_sql_type(type).value();
      sql += (t.columns.empty() ? "\"" : ",\"") + column + "\"";
      t.columns.push_back(std::move(c));
    }
    BOOST_REQUIRE(e->database().execute(sql + ");" + insert).has_value());
    BOOST_REQUIRE(e->tables().add(std::move(t), {schema + "." + name, true}).has_value());
  }

  // "error NUMBER: text" for a failure; rows separated by '/'.
  std::string run(const std::string& sql, const parameters& values = {}, bool with_types = false) {
    auto c = e->prepare(sql, values);
    if (!c) return "error " + std::to_string(c.error().error_number()) + ": " + c.error().message;
    std::string out;
    if (with_types) {
      for (const auto& column : c->columns())
        out += (out.empty() ? "" : "|") + column.name + " " + to_string(column.type);
      out += ": ";
    }
    std::vector<sql_value> row(c->columns().size());
    bool first = true;
    for (;;) {
      auto more = c->next(row);
      if (!more) return "error " + std::to_string(more.error().error_number()) + ": " + more.error().message;
      if (!*more) return out;
      if (!first) out += "/";
      first = false;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) out += "|";
        out += is_null(row[i]) ? "~" : text_of(row[i], c->columns()[i].type);
      }
    }
  }
};

struct sql_case {
  const char* sql;
  const char* expected;
};

}  // namespace dragoman::sandbox
