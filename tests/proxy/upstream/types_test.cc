// Every type from a real TDS server through FreeTDS: what arrives as values, and that the wire bytes are those which
// tds::row_layout writes for the same values.
#include <boost/test/unit_test.hpp>
#include <type_traits>

#include "base/bytes.h"
#include "scripted_server.h"
#include "tds/wire_column.h"
#include "wire_collector.h"

using namespace dragoman;
using namespace dragoman::upstream_test;

namespace {

struct type_case {
  std::string type;
  sql_value value;
};

bool same(const sql_value& a, const sql_value& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        const auto& y = std::get<std::decay_t<decltype(x)>>(b);
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, decimal>)
          return x.to_string() == y.to_string();
        else
          return x == y;
      },
      a);
}

decimal dec(std::string_view text, int precision, int scale) {
  return *decimal::parse(text)->rescale(precision, scale);
}

std::vector<type_case> all_types() {
  const civil_time leap{to_day_number({2024, 2, 29}), 0, 0};
  const auto at = [&](std::int64_t h, std::int64_t m, std::int64_t s, std::int64_t ticks) {
    civil_time t = leap;
    t.ticks = ((h * 60 + m) * 60 + s) * ticks_per_second + ticks;
    return t;
  };
  const auto time_only = [&](civil_time t) {
    t.day = 0;
    return t;
  };
  civil_time tehran = at(1, 2, 3, 4'567'891);
  tehran.offset = 210;
  civil_time west = at(23, 59, 59, 0);
  west.offset = -300;
  const std::string persian = "سلام دنیا";
  const std::string wide_text(3000, 'x');
  return {
      {"bit", std::int64_t{1}},
      {"tinyint", std::int64_t{255}},
      {"smallint", std::int64_t{-32768}},
      {"int", std::int64_t{-2147483648LL}},
      {"bigint", std::int64_t{9223372036854775807LL}},
      {"decimal(9,2)", dec("-1234567.89", 9, 2)},
      {"decimal(19,4)", dec("123456789012345.6789", 19, 4)},
      {"numeric(28,0)", dec("1234567890123456789012345678", 28, 0)},
      {"decimal(38,10)", dec("-1234567890123456789012345678.0123456789", 38, 10)},
      {"money", dec("-922337203685477.5807", 19, 4)},
      {"smallmoney", dec("214748.3647", 10, 4)},
      {"real", 1.5},
      {"float", -1.7976931348623157e308},
      {"date", leap},
      {"time(0)", time_only(at(23, 59, 59, 0))},
      {"time(3)", time_only(at(12, 34, 56, 1'230'000))},
      {"time(7)", time_only(at(12, 34, 56, 1'234'567))},
      {"datetime", at(12, 34, 56, 9'970'000)},
      {"smalldatetime", at(12, 34, 0, 0)},
      {"datetime2(0)", at(12, 34, 56, 0)},
      {"datetime2(3)", at(12, 34, 56, 1'230'000)},
      {"datetime2(7)", at(23, 59, 59, 9'999'999)},
      {"datetimeoffset(7)", tehran},
      {"datetimeoffset(0)", west},
      {"char(5)", std::string("ab   ")},
      {"varchar(20)", std::string("caf\u00e9")},
      {"varchar(20)", std::string()},
      {"varchar(8000)", std::string(8000, 'v')},
      {"varchar(max)", std::string(70'000, 'm')},
      {"varchar(max)", std::string()},
      {"text", std::string("old text")},
      {"nchar(5)", std::string("سلام ")},
      {"nvarchar(20)", persian},
      {"nvarchar(4000)", wide_text},
      {"nvarchar(max)", persian + std::string(200'000, 'n') + persian},
      {"ntext", persian},
      {"binary(4)", bytes{1, 2, 0, 0}},
      {"varbinary(10)", bytes{0, 255, 1}},
      {"varbinary(max)", bytes(300'000, 0xAB)},
      {"image", bytes{9, 8, 7}},
      {"uniqueidentifier",
       guid{0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF}},
      {"xml", std::string("<a>سلام</a>")},
  };
}

// One table: the value, NULL, the value.
scripted_table table_of(const type_case& c) {
  scripted_table t;
  result_column column;
  column.name = "x";
  column.type = *parse_sql_type(c.type);
  t.columns.push_back(column);
  t.rows = {{c.value}, {null_value{}}, {c.value}};
  return t;
}

std::vector<std::uint8_t> expected_wire(const std::vector<result_column>& columns,
                                        const std::vector<std::vector<sql_value>>& rows, const tds::wire_profile& p) {
  const tds::row_layout layout(columns, p);
  byte_writer out;
  for (const auto& row : rows) layout.write_row(out, row);
  return {out.data(), out.data() + out.size()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(upstream_types)

BOOST_DATA_TEST_CASE(values_arrive_as_they_were, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  int number = 0;
  for (const type_case& c : all_types()) {
    BOOST_TEST_CONTEXT("type " << c.type) {
      const std::string name = "t" + std::to_string(++number);
      server.add(name, table_of(c));
      const auto got = pool.query(sql("table " + name));
      BOOST_REQUIRE_MESSAGE(got, got.error().message);
      BOOST_TEST(to_string(got->columns.at(0).type) == c.type);
      BOOST_TEST(got->columns.at(0).nullable);
      BOOST_REQUIRE_EQUAL(got->rows.size(), 3U);
      BOOST_TEST(is_null(got->rows[1][0]));
      for (const int at : {0, 2}) {
        const sql_value& value = got->rows[static_cast<std::size_t>(at)][0];
        BOOST_TEST(same(value, c.value));
      }
    }
  }
}

BOOST_DATA_TEST_CASE(wire_bytes_are_those_of_the_encoder, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  int number = 0;
  for (const type_case& c : all_types()) {
    for (const auto version : {tds::tds_version::v7_4, tds::tds_version::v7_2, tds::tds_version::v7_1}) {
      BOOST_TEST_CONTEXT("type " << c.type << " version " << static_cast<int>(version)) {
        tds::wire_profile profile;
        profile.version = version;
        const std::string name = "t" + std::to_string(++number);
        const scripted_table table = table_of(c);
        server.add(name, table);
        auto receiver = std::make_shared<wire_collector>(profile);
        const auto end = run(pool, sql("table " + name), receiver).wait();
        BOOST_REQUIRE_MESSAGE(!end.error, end.error->message);
        BOOST_TEST(end.rows == 3U);
        BOOST_TEST(receiver->rows == 3U);
        BOOST_TEST((receiver->wire == expected_wire(receiver->columns, table.rows, profile)));
      }
    }
  }
}

BOOST_DATA_TEST_CASE(a_wide_row_of_everything_and_its_nulls, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  scripted_table short_ones, all;
  std::vector<sql_value> short_values, values;
  for (const type_case& c : all_types()) {
    result_column column;
    column.name = "c" + std::to_string(all.columns.size());
    column.type = *parse_sql_type(c.type);
    all.columns.push_back(column);
    values.push_back(c.value);
    const bool is_long = column.type.is_max() || column.type.id == sql_type_id::xml ||
                         column.type.id == sql_type_id::text || column.type.id == sql_type_id::ntext ||
                         column.type.id == sql_type_id::image;
    if (is_long) continue;
    short_ones.columns.push_back(column);
    short_values.push_back(c.value);
  }
  all.rows = {values, std::vector<sql_value>(values.size(), null_value{}), values};
  for (int i = 0; i < 700; ++i)
    short_ones.rows.push_back(i % 3 == 1 ? std::vector<sql_value>(short_values.size(), null_value{}) : short_values);
  server.add("all", all);
  server.add("short", short_ones);
  for (const auto* t : {&all, &short_ones}) {
    auto receiver = std::make_shared<wire_collector>();
    const auto end = run(pool, sql(t == &all ? "table all" : "table short"), receiver).wait();
    BOOST_REQUIRE_MESSAGE(!end.error, end.error->message);
    BOOST_TEST(receiver->rows == t->rows.size());
    BOOST_TEST((receiver->wire == expected_wire(receiver->columns, t->rows, {})));
  }
}

BOOST_DATA_TEST_CASE(not_null_columns_keep_their_fixed_forms, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  scripted_table t;
  for (const char* type : {"bit", "tinyint", "smallint", "int", "bigint", "real", "float", "money", "smallmoney",
                           "datetime", "smalldatetime"}) {
    result_column column;
    column.name = type;
    column.type = *parse_sql_type(type);
    column.nullable = false;
    t.columns.push_back(column);
  }
  const civil_time noon{to_day_number({2025, 3, 10}), 43200 * ticks_per_second, 0};
  t.rows = {{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{5}, 6.5, 7.5,
             dec("8.25", 19, 4), dec("9.5", 10, 4), noon, noon}};
  server.add("fixed", t);
  auto receiver = std::make_shared<wire_collector>();
  const auto end = run(pool, sql("table fixed"), receiver).wait();
  BOOST_REQUIRE_MESSAGE(!end.error, end.error->message);
  for (const result_column& c : receiver->columns) BOOST_TEST(!c.nullable, c.name);
  BOOST_TEST((receiver->wire == expected_wire(receiver->columns, t.rows, {})));
}

BOOST_DATA_TEST_CASE(a_value_beyond_the_limit_is_an_error_before_its_row, both_roads, from_socket) {
  scripted_server server;
  upstream::options o = server.options(from_socket);
  o.value_bytes_max = 1000;
  upstream::pool pool(o);
  scripted_table t;
  result_column column;
  column.name = "big";
  column.type = *parse_sql_type("varchar(max)");
  t.columns.push_back(column);
  t.rows = {{std::string(1000, 'a')}, {std::string(1001, 'b')}};
  server.add("big", t);
  auto receiver = std::make_shared<wire_collector>();
  const auto end = run(pool, sql("table big"), receiver).wait();
  BOOST_REQUIRE(end.error);
  BOOST_TEST((end.error->code == errc::value_too_large));
  BOOST_TEST(receiver->rows == 1U);
  BOOST_TEST((receiver->wire == expected_wire(receiver->columns, {t.rows[0]}, {})));
  // The connection is good for the next statement.
  BOOST_TEST(pool.query(sql("rows 1")).has_value());
}

BOOST_DATA_TEST_CASE(parameters_arrive_typed, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  struct row {
    std::string type;
    sql_value value;
    std::string declared;
    std::string shown;
    std::string cast_from{};  // how the driver declares what it has no parameter type for; the text casts it
    std::string cast_shown{};
  };
  const civil_time moment{to_day_number({2024, 2, 29}), 45'296 * ticks_per_second + 1'234'567, 0};
  const std::vector<row> table{
      {"int", std::int64_t{-5}, "int", "-5"},
      {"bigint", std::int64_t{1} << 40, "bigint", "1099511627776"},
      {"tinyint", std::int64_t{200}, "tinyint", "200"},
      {"smallint", std::int64_t{-300}, "smallint", "-300"},
      {"bit", std::int64_t{1}, "bit", "1"},
      {"decimal(19,4)", dec("-12.5", 19, 4), "decimal(19,4)", "-12.5000", "numeric(19,4)"},
      {"decimal(38,0)", dec("99999999999999999999999999999999999999", 38, 0), "decimal(38,0)",
       "99999999999999999999999999999999999999", "numeric(38,0)"},
      {"float", 1.25, "float", "1.25"},
      {"nvarchar(20)", std::string("سلام"), "nvarchar(20)", "سلام"},
      {"nvarchar(20)", std::string(), "nvarchar(20)", ""},
      {"nvarchar(20)", null_value{}, "nvarchar(20)", "NULL"},
      {"nvarchar(max)", std::string(5000, 'z'), "nvarchar(max)", std::string(5000, 'z')},
      {"date", moment, "date", "2024-02-29 00:00:00.0000000"},
      {"varbinary(8)", bytes{1, 255}, "varbinary(8)", "0x01FF"},
      {"int", null_value{}, "int", "NULL"},
      {"decimal(9,2)", null_value{}, "decimal(9,2)", "NULL", "numeric(9,2)"},
      {"date", null_value{}, "date", "NULL"},
      {"datetime", moment, "datetime", "2024-02-29 12:34:56.1230000", "nvarchar(34)", "2024-02-29T12:34:56.123"},
      {"datetime2(7)", moment, "datetime2(7)", "2024-02-29 12:34:56.1234567", "nvarchar(34)"},
      {"time(7)", moment, "time(7)", "0001-01-01 12:34:56.1234567", "nvarchar(16)", "12:34:56.1234567"},
      {"money", dec("1.5", 19, 4), "money", "1.5000", "numeric(19,4)"},
  };
  for (const row& r : table) {
    BOOST_TEST_CONTEXT(r.type << " " << r.shown.substr(0, 40)) {
      upstream::statement s = sql("parameters @v, @v");
      s.parameters.push_back({"@v", *parse_sql_type(r.type), r.value});
      const auto got = pool.query(s);
      BOOST_REQUIRE_MESSAGE(got, got.error().message);
      BOOST_REQUIRE_EQUAL(got->rows.size(), 1U);
      const bool cast = !from_socket && !r.cast_from.empty();
      BOOST_TEST(std::get<std::string>(got->rows[0][0]) == (from_socket ? "@v" : "@P1"));
      BOOST_TEST(std::get<std::string>(got->rows[0][1]) == (cast ? r.cast_from : r.declared));
      BOOST_TEST(std::get<std::string>(got->rows[0][2]) == (cast && !r.cast_shown.empty() ? r.cast_shown : r.shown));
    }
  }
}

BOOST_DATA_TEST_CASE(the_second_use_of_a_parameter_is_its_name, both_roads, from_socket) {
  scripted_server server;
  upstream::pool pool(server.options(from_socket));
  upstream::statement s = sql("text @a @b @a {fn x} '?'");
  s.parameters.push_back({"@a", *parse_sql_type("int"), std::int64_t{1}});
  s.parameters.push_back({"@b", *parse_sql_type("int"), std::int64_t{2}});
  const auto got = pool.query(s);
  BOOST_REQUIRE_MESSAGE(got, got.error().message);
  BOOST_TEST(std::get<std::string>(got->rows.at(0).at(0)) == (from_socket ? s.sql : "text @P1 @P2 @P1 {fn x} '?'"));
}

BOOST_AUTO_TEST_SUITE_END()
