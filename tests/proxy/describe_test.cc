// Metadata without rows: sp_describe_first_result_set, sp_describe_undeclared_parameters, SET FMTONLY ON.
#include <boost/test/unit_test.hpp>

#include "proxy/value_text.h"
#include "tests/proxy/running_gateway.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::shared_gateway;

namespace {

// The named columns of every row: "a b c; d e f"; NULL as a dash.
std::string picked(const client_answer& answer, const std::vector<std::string>& names) {
  if (answer.error) return "error: " + answer.error->message;
  std::string out;
  for (const auto& row : answer.rows) {
    if (!out.empty()) out += "; ";
    std::string line;
    for (const std::string& name : names)
      for (std::size_t i = 0; i < answer.columns.size(); ++i)
        if (answer.columns[i].name == name)
          line += (line.empty() ? "" : " ") + (is_null(row[i]) ? "-" : value_text(row[i], answer.columns[i].type));
    out += line;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(describe)

BOOST_AUTO_TEST_CASE(first_result_set) {
  auto client = shared_gateway().client("analyst");
  const std::vector<std::string> shown = {"column_ordinal", "name",  "is_nullable", "system_type_name", "max_length",
                                          "precision",      "scale", "tds_type_id", "tds_length"};
  struct row {
    const char* text;
    const char* expected;
  };
  for (const row& r : {
           row{"EXEC sp_describe_first_result_set N'SELECT RingID, Name FROM ref.Ring'",
               "1 RingID 0 int 4 10 0 56 4; 2 Name 0 nvarchar(100) 200 0 0 231 200"},
           row{"EXEC sp_describe_first_result_set N'SELECT COUNT(*) AS n, SUM(TotalPrice) AS s FROM sales.[Order] "
               "WHERE "
               "BrokerID = @b', N'@b int'",
               "1 n 0 int 4 10 0 56 4; 2 s 1 decimal(38,4) 17 38 4 106 17"},
           row{"EXEC sp_describe_first_result_set N'SELECT 1 AS a, N''x'' AS b'",
               "1 a 0 int 4 10 0 56 4; 2 b 0 nvarchar(1) 2 0 0 231 2"},
           // nothing that returns rows
           row{"EXEC sp_describe_first_result_set N'SET NOCOUNT ON'", ""},
       }) {
    const auto answer = client.run(r.text);
    BOOST_TEST(answer.columns.size() == 39U, r.text);
    BOOST_TEST(picked(answer, shown) == r.expected, r.text << "\n  -> " << picked(answer, shown));
  }
  // What is refused is refused here too, with its own number.
  BOOST_TEST(error_of(client.run("EXEC sp_describe_first_result_set N'SELECT NationalID FROM sales.Customer'")) ==
             error_of(client.run("SELECT NationalID FROM sales.Customer")));
  BOOST_TEST(error_of(client.run("EXEC sp_describe_first_result_set")) == 201);
}

BOOST_AUTO_TEST_CASE(undeclared_parameters) {
  auto client = shared_gateway().client("analyst");
  const std::vector<std::string> shown = {"parameter_ordinal", "name", "suggested_system_type_name",
                                          "suggested_tds_type_id", "suggested_tds_length"};
  struct row {
    const char* text;
    const char* expected;
  };
  for (const row& r : {
           row{"EXEC sp_describe_undeclared_parameters N'SELECT Name FROM ref.Ring WHERE RingID = @P1 AND Name LIKE "
               "@P2'",
               "1 @P1 int 38 4; 2 @P2 nvarchar(100) 231 200"},
           row{"EXEC sp_describe_undeclared_parameters N'SELECT TOP (@n) o.OrderID FROM sales.[Order] AS o WHERE "
               "o.TotalPrice BETWEEN @a AND @b AND o.RingID IN (@c, 3) AND @d = @e', N'@e int'",
               "1 @n bigint 38 8; 2 @a decimal(19,4) 106 9; 3 @b decimal(19,4) 106 9; 4 @c int 38 4; 5 @d "
               "nvarchar(4000) 231 8000"},
           row{"EXEC sp_describe_undeclared_parameters N'SELECT @p'", "1 @p nvarchar(4000) 231 8000"},
           row{"EXEC sp_describe_undeclared_parameters N'SELECT 1'", ""},
       }) {
    const auto answer = client.run(r.text);
    BOOST_TEST(answer.columns.size() == 24U, r.text);
    BOOST_TEST(picked(answer, shown) == r.expected, r.text << "\n  -> " << picked(answer, shown));
  }
  // A column that this person may not see tells no type.
  BOOST_TEST(error_of(client.run("EXEC sp_describe_undeclared_parameters N'SELECT 1 FROM sales.Customer WHERE "
                                 "NationalID = @p'")) == 207);
}

BOOST_AUTO_TEST_CASE(format_only) {
  auto client = shared_gateway().client("analyst");
  const auto shape = client.run("SET FMTONLY ON; SELECT RingID, Name FROM ref.Ring; SET FMTONLY OFF");
  BOOST_TEST(error_of(shape) == 0);
  BOOST_REQUIRE_EQUAL(shape.columns.size(), 2U);
  BOOST_TEST(shape.columns[1].name == "Name");
  BOOST_TEST(shape.rows.empty());
  // Off again, rows come.
  BOOST_TEST(client.run("SELECT RingID, Name FROM ref.Ring").rows.size() == 8U);
  // A question as a table is understood and not run.
  const auto asked =
      client.run("SET FMTONLY ON; SELECT * FROM nlq.ask(N'sales by ring in 1402') AS a; SET FMTONLY OFF");
  BOOST_TEST(error_of(asked) == 0);
  BOOST_TEST(asked.columns.size() == 2U);
  BOOST_TEST(asked.rows.empty());
}

BOOST_AUTO_TEST_SUITE_END()
