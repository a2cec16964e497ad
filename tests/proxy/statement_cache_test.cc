// What the guard approved once is not judged again, and nobody gets what another was allowed.
#include "proxy/statement_cache.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "proxy/value_text.h"
#include "tests/proxy/raw_session.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::error_of;
using dragoman::proxy::test::has_error;
using dragoman::proxy::test::raw_session;
using dragoman::proxy::test::shared_gateway;
namespace raw = dragoman::proxy::test::raw;

namespace {

std::shared_ptr<const approved_statement> approved(std::string printed) {
  auto out = std::make_shared<approved_statement>();
  out->verdict.kind = guard::verdict_kind::accept;
  out->verdict.printed = std::move(printed);
  return out;
}

guard::check_options with_parameter(const char* name, const char* type) {
  guard::check_options out;
  out.parameters.push_back({name, *parse_sql_type(type)});
  return out;
}

std::string texts(const client_answer& answer) {
  std::string out;
  for (const auto& row : answer.rows)
    for (std::size_t i = 0; i < row.size(); ++i) out += value_text(row[i], answer.columns[i].type) + "|";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(statement_cache_)

BOOST_AUTO_TEST_CASE(all_that_a_verdict_depends_on_is_in_the_key) {
  const statement_cache cache;
  guard::check_options unquoted, database, schema;
  unquoted.quoted_identifier = false;
  database.database = "SalesDb";
  schema.default_schema = "SalesDb";
  std::vector<std::string> keys = {
      cache.key_of("a", "SELECT 1", {}),
      cache.key_of("b", "SELECT 1", {}),
      cache.key_of("a", "select 1", {}),
      cache.key_of("a", "SELECT 1 ", {}),
      cache.key_of("a", "SELECT 1", unquoted),
      cache.key_of("a", "SELECT 1", database),
      cache.key_of("a", "SELECT 1", schema),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "int")),
      cache.key_of("a", "SELECT 1", with_parameter("@q", "int")),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "bigint")),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "nvarchar(10)")),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "nvarchar(max)")),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "decimal(10,2)")),
      cache.key_of("a", "SELECT 1", with_parameter("@p", "decimal(10,3)")),
  };
  for (const std::string& key : keys) BOOST_TEST(!key.empty());
  std::sort(keys.begin(), keys.end());
  BOOST_TEST((std::adjacent_find(keys.begin(), keys.end()) == keys.end()));
}

BOOST_AUTO_TEST_CASE(what_is_not_for_the_cache_has_no_key) {
  const statement_cache cache;
  guard::check_options generated, capped, nolock, tables;
  generated.profile = guard::profile::generated;
  capped.row_cap = 5;
  nolock.nolock = true;
  tables.table_variables = {"@t"};
  for (const auto& options : {generated, capped, nolock, tables}) BOOST_TEST(cache.key_of("a", "x", options).empty());
  BOOST_TEST(cache.key_of("a", std::string(limits::statement_cache_text_max + 1, 'x'), {}).empty());
  BOOST_TEST(statement_cache(0).key_of("a", "x", {}).empty());
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_first) {
  statement_cache cache(64 * 1024);
  const auto key = [&](int i) { return cache.key_of("a", "SELECT " + std::to_string(i), {}); };
  cache.put(key(0), approved("first"));
  for (int i = 1; i < 1000; ++i) {
    cache.put(key(i), approved(std::string(100, 'x')));
    BOOST_REQUIRE(cache.find(key(0)));  // stays, as it is used
    BOOST_REQUIRE(cache.status().bytes <= 64 * 1024U);
  }
  BOOST_TEST(cache.find(key(0))->verdict.printed == "first");
  BOOST_TEST(!cache.find(key(1)));
  BOOST_TEST(cache.status().entries > 20U);
  // One that has no room is not kept, and drives nobody out.
  const std::size_t entries = cache.status().entries;
  cache.put(key(5000), approved(std::string(60 * 1024, 'x')));
  BOOST_TEST(cache.status().entries == entries);
}

BOOST_AUTO_TEST_CASE(a_text_that_comes_again_is_found_and_answers_the_same) {
  auto& gateway = shared_gateway();
  statement_cache& cache = gateway.shared().statements();
  auto manager = gateway.client("manager");
  const char* sql =
      "SELECT TOP 3 c.CustomerID, c.NationalID FROM sales.Customer AS c ORDER BY c.CustomerID /* again */";
  const auto first = manager.run(sql);
  const auto hits = cache.status().hits;
  const auto second = manager.run(sql);
  BOOST_TEST(cache.status().hits == hits + 1);
  BOOST_TEST(first.rows.size() == 3U);
  BOOST_TEST(texts(first) == texts(second));
  // The same text of one who may not see the column.
  for (int i = 0; i < 2; ++i) BOOST_TEST(error_of(gateway.client("analyst").run(sql)) == 230);
  BOOST_TEST(gateway.client("manager").run(sql).rows.size() == 3U);
}

BOOST_AUTO_TEST_CASE(row_filters_hold_for_a_text_that_others_sent) {
  auto& gateway = shared_gateway();
  const char* sql = "SELECT COUNT(*) AS n FROM sales.[Order] AS o /* of whom */";
  const auto all = gateway.client("manager").run(sql);
  const auto own = gateway.client("broker7").run(sql);
  const auto own_again = gateway.client("broker7").run(sql);
  const auto all_again = gateway.client("manager").run(sql);
  BOOST_TEST(texts(own) == texts(own_again));
  BOOST_TEST(texts(all) == texts(all_again));
  BOOST_TEST(texts(all) != texts(own));
}

BOOST_AUTO_TEST_CASE(what_the_session_set_still_decides) {
  raw_session c(shared_gateway());
  const auto ask = [&](const char* sql) { return raw::text(c.batch(sql)); };
  const char* sql = "SELECT r.\"RingID\" FROM ref.Ring AS r ORDER BY r.\"RingID\"";
  const std::string rows = ask(sql);
  BOOST_TEST(rows.find("FD 10 00 C1 00 08 00") != std::string::npos);  // DONE of a SELECT, eight rows
  BOOST_TEST(ask(sql) == rows);
  ask("SET FMTONLY ON");
  BOOST_TEST(ask(sql).size() < rows.size());
  ask("SET FMTONLY OFF");
  ask("SET NO_BROWSETABLE ON");
  BOOST_TEST(ask(sql).size() > rows.size());
  ask("SET NO_BROWSETABLE OFF");
  ask("SET QUOTED_IDENTIFIER OFF");
  BOOST_TEST(has_error(c.batch(sql), 102));
  ask("SET QUOTED_IDENTIFIER ON");
  ask("USE master");
  BOOST_TEST(ask(sql) == rows);  // master stands for the warehouse
  ask("USE SalesDb");
  ask("SET NOCOUNT ON");
  BOOST_TEST(ask(sql).find("FD 10 00 C1 00 08 00") == std::string::npos);
  ask("SET NOCOUNT OFF");
  BOOST_TEST(ask(sql) == rows);
}

BOOST_AUTO_TEST_SUITE_END()
