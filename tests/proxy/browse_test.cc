// Browse mode and cursors through the gateway: the same guard, and which tables the columns are of.
#include <boost/test/unit_test.hpp>

#include "tests/proxy/raw_session.h"

using namespace dragoman::proxy::test;
using raw::ends_with;
using raw::has;
using raw::text;

namespace {

constexpr std::int32_t first_cursor = 180150003;

std::string open(const std::string& sql, int scroll = 8, int concurrency = 0x2001) {
  return "FFFF 0200 0000 " + out_int(0) + in_text(sql) + out_int(scroll) + out_int(concurrency) + out_int(0);
}
std::string fetch(std::int32_t id, int type, int row, int count) {
  return "FFFF 0700 0200 " + in_int(id) + in_int(type) + in_int(row) + in_int(count);
}

// "00" is no token that may be taken for TABNAME, so its first bytes are looked for.
bool tells_tables(const raw::answer& a) {
  return has(a, "03 0700 'SalesDb' 0300 'ref'");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(browse)

BOOST_AUTO_TEST_CASE(columns_come_with_their_tables_when_asked) {
  auto& gateway = shared_gateway();
  raw_session c(gateway);
  const std::string select = "SELECT r.RingID, r.NameEn AS title, 1 + 1 AS two FROM ref.Ring AS r WHERE r.RingID = 1";
  BOOST_TEST(!tells_tables(c.batch(select)));
  c.batch("SET NO_BROWSETABLE ON");
  const raw::answer browsed = c.batch(select);
  BOOST_TEST(has(browsed, "03 0700 'SalesDb' 0300 'ref' 0400 'Ring' A5"));
  BOOST_TEST(has(browsed, "A5 1600 010108 020120 06 'NameEn' 030004 "));
  BOOST_TEST(has(browsed, "C100 0100000000000000"));
  c.batch("SET NO_BROWSETABLE OFF");
  BOOST_TEST(!tells_tables(c.batch(select)));
  // The clause, for one statement.
  BOOST_TEST(tells_tables(c.batch(select + " FOR BROWSE")));
  BOOST_TEST(!tells_tables(c.batch(select)));
  // The text of SqlClient's KeyInfo: metadata with tables, no row, and nothing stays on.
  const raw::answer keys = c.batch(" SET FMTONLY OFF; SET NO_BROWSETABLE ON; SET FMTONLY ON;" + select +
                                   " SET FMTONLY OFF; SET NO_BROWSETABLE OFF;");
  BOOST_TEST(tells_tables(keys));
  BOOST_TEST(has(keys, "C100 0000000000000000"));
  BOOST_TEST(!tells_tables(c.batch(select)));
  // A reset turns it off too.
  c.batch("SET NO_BROWSETABLE ON");
  c.send_batch(select, 0x09);
  BOOST_TEST(!tells_tables(c.receive_message()));
}

BOOST_AUTO_TEST_CASE(columns_are_followed_to_their_tables) {
  auto& gateway = shared_gateway();
  raw_session c(gateway);
  c.batch("SET NO_BROWSETABLE ON");
  // Two tables, a derived one, a star; aggregates are of no table.
  const raw::answer joined = c.batch(
      "SELECT s.*, d.Code FROM (SELECT RingID, Code FROM ref.Ring) AS d JOIN ref.Symbol AS s ON s.RingID = d.RingID "
      "WHERE s.SymbolID = 1");
  BOOST_TEST(has(joined, "0300 'ref' 0600 'Symbol' 03 0700 'SalesDb' 0300 'ref' 0400 'Ring' A5"));
  BOOST_TEST(has(joined, "010108 020100 030100 040100 050100 060100 070100 080200"));
  const raw::answer counted = c.batch("SELECT COUNT(*) AS n, MAX(RingID) AS m FROM ref.Ring");
  BOOST_TEST(has(counted, "A4 0300 01 0000 A5 0600 010004 020004"));
  const raw::answer cte = c.batch("WITH x AS (SELECT RingID AS id FROM ref.Ring) SELECT id FROM x WHERE id = 1");
  BOOST_TEST(has(cte, "010128 06 'RingID'"));
}

// The flag that a direct connection shows for an expression; no driver of the upstream tells it.
BOOST_AUTO_TEST_CASE(what_is_computed_is_flagged) {
  raw_session c(shared_gateway());
  BOOST_TEST(has(c.batch("SELECT r.RingID, r.RingID + 1 AS next, COUNT(*) AS n FROM ref.Ring AS r GROUP BY r.RingID"),
                 "00000000 0000 38 06 'RingID'"));
  BOOST_TEST(has(c.batch("SELECT COUNT(*) AS n FROM ref.Ring"), "81 0100 00000000 2000 38 01 'n'"));
  const raw::answer star = c.batch("SELECT r.*, r.RingID + 1 AS next, r.RingID AS id FROM ref.Ring AS r");
  BOOST_TEST(has(star, "81 0600 00000000 0000 38 06 'RingID'"));
  BOOST_TEST(has(star, "00000000 0000 38 02 'id'"));
  BOOST_TEST(!has(star, "00000000 0000 38 04 'next'"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gateway_cursors)

BOOST_AUTO_TEST_CASE(the_guard_decides_as_for_any_select) {
  auto& gateway = shared_gateway();
  raw_session c(gateway, "broker7");
  // A row filter holds: of all orders only those of broker 7.
  const raw::answer opened = c.rpc(open("SELECT DISTINCT BrokerID FROM sales.[Order]"));
  BOOST_TEST(has(opened, "AC 0400 00 01 00000000 0100 26 04 04 01000000"));
  BOOST_TEST(has(c.rpc(fetch(first_cursor, 2, 0, 10)), "07000000 01000000 FF 1100 C100 0100000000000000"));
  // What is not allowed is not allowed, whatever the cursor asks for.
  for (const int scroll : {1, 2, 4, 8, 0x10}) {
    BOOST_TEST(has_error(c.rpc(open("SELECT Amount FROM hr.Salary", scroll)), 208));
    BOOST_TEST(has_error(c.rpc(open("DELETE FROM sales.[Order]", scroll)), 50110));
    BOOST_TEST(has_error(c.rpc(open("SELECT 1 AS n; DELETE FROM sales.[Order]", scroll)), 50110));
    BOOST_TEST(has_error(c.rpc(open("EXEC xp_cmdshell", scroll)), 2812));
  }
  // Two SELECTs: directly where the client allows it, not at all where not.
  const raw::answer direct = c.rpc(open("SELECT 1 AS a; SELECT 2 AS b"));
  BOOST_TEST(has(direct, "3A420000"));
  BOOST_TEST(ends_with(direct, done_ok));
  BOOST_TEST(has_error(c.rpc(open("SELECT 1 AS a; SELECT 2 AS b", 8, 1)), 16937));
  BOOST_TEST(ends_with(c.batch("SELECT 1 AS n"), "FD 1000 C100 0100000000000000"));
}

BOOST_AUTO_TEST_CASE(questions_catalogue_views_and_parameters) {
  auto& gateway = shared_gateway();
  raw_session c(gateway);
  BOOST_TEST(has(c.rpc(open("SELECT r.RingID FROM ref.Ring AS r")), "0300 'ref' 0400 'Ring' A5"));
  const raw::answer views = c.rpc(open("SELECT name FROM sys.schemas ORDER BY name"));
  BOOST_TEST(ends_with(views, done_ok));
  BOOST_TEST(has(c.rpc(fetch(first_cursor + 2, 2, 0, 1)), "C100 0100000000000000"));
  const raw::answer question = c.rpc(open("-- ASK: how many brokers are there in Tehran province"));
  BOOST_TEST(has(question, "AC 0400 00 01 00000000 0100 26 04 04 01000000"));
  const raw::answer bound =
      c.rpc("FFFF 0200 0000 " + out_int(0) + in_text("SELECT RingID FROM ref.Ring WHERE RingID <= @a") +
            out_int(0x1008) + out_int(1) + out_int(0) + in_text("@a int") + in_int(3));
  BOOST_TEST(has(bound, "AC 0400 00 01 00000000 0100 26 04 04 03000000"));
  // A prepared cursor, given back in a text as mssql-jdbc does it.
  BOOST_TEST(
      ends_with(c.rpc("FFFF 0300 0000 " + out_int(0) + in_text("@a int") +
                      in_text("SELECT RingID FROM ref.Ring WHERE RingID = @a") + in_int(1) + out_int(8) + out_int(1)),
                done_ok));
  BOOST_TEST(ends_with(c.batch("EXEC sp_cursorunprepare 1;"), "FD 0000 E000 0000000000000000"));
  BOOST_TEST(has_error(c.batch("EXEC sp_unprepare 1"), 8179));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(table_variables)

// What mssql-jdbc sends for getColumns, in short.
BOOST_AUTO_TEST_CASE(hold_rows_of_the_catalogue_and_nothing_else) {
  auto& gateway = shared_gateway();
  raw_session c(gateway);
  const std::string declared =
      "DECLARE @t TABLE (a sysname, b sysname, c sysname, d sysname, e smallint, f sysname); "
      "INSERT INTO @t EXEC sp_pkeys 'Ring', 'ref'; ";
  const raw::answer a = c.batch(declared + "SELECT d, CAST(e AS int) AS place FROM @t ORDER BY e");
  BOOST_TEST(has(a, "0C00 'RingID'"));
  BOOST_TEST(ends_with(a, "FD 1000 C100 0100000000000000"));
  // Gone with the batch.
  BOOST_TEST(has_error(c.batch("SELECT d FROM @t"), 208));
  BOOST_TEST(ends_with(c.batch(declared + "SELECT COUNT(*) AS n FROM @t AS t JOIN sys.tables AS s ON s.name = t.c"),
                       "FD 1000 C100 0100000000000000"));
  // No table of the warehouse comes near one, and nothing else fills one.
  BOOST_TEST(has_error(c.batch(declared + "SELECT t.d FROM @t AS t, sales.[Order] AS o"), 208));
  BOOST_TEST(has_error(c.batch("DECLARE @t TABLE (a int); INSERT INTO @t SELECT RingID FROM ref.Ring"), 50119));
  BOOST_TEST(has_error(c.batch("DECLARE @t TABLE (a int); INSERT INTO @t EXEC nlq.tables"), 50119));
  BOOST_TEST(has_error(c.batch("DECLARE @t TABLE (a int); INSERT INTO @t EXEC sp_pkeys 'Ring'"), 213));
  BOOST_TEST(has_error(c.batch("INSERT INTO @t EXEC sp_pkeys 'Ring'"), 1087));
  BOOST_TEST(has_error(c.batch("DECLARE @t TABLE (a int IDENTITY(1,1)); SELECT a FROM @t"), 50119));
  BOOST_TEST(ends_with(c.batch("SELECT 1 AS n"), "FD 1000 C100 0100000000000000"));
}

BOOST_AUTO_TEST_SUITE_END()
