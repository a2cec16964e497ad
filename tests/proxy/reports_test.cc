// What other proxies and servers were publicly reported to get wrong, each as the right behaviour. The report is named
// where it teaches something; those of TLS and of the login are tests/tds/server/{tls,login,fault}_test.cc, those of a
// client's own reading are cases of tests/clients/.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/proxy/raw_session.h"

using namespace dragoman;
using namespace dragoman::proxy::test;
using raw::ends_with;
using raw::has;
using raw::raw_client;
using raw::text;

namespace {

constexpr const char* currency = "SELECT cu.Code FROM ref.Currency AS cu WHERE cu.CurrencyID = 2";

std::string executesql(const std::string& statement) {
  return "FFFF 0A00 0000 " + statement;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(public_reports)

// teleport#12976: the packet size that a client asks for must be the one that the login's answer names and that is
// kept.
BOOST_AUTO_TEST_CASE(a_packet_size_is_told_and_kept) {
  for (const std::uint32_t asked : {512u, 4096u, 8000u, 32767u}) {
    raw_session c(shared_gateway(), "manager", 0x74000004, asked);
    std::string digits = std::to_string(asked);
    const std::string told = "E3 " + hex_of(static_cast<std::int64_t>(3 + 2 * digits.size() + 8)).substr(0, 4) +
                             " 04 0" + std::to_string(digits.size()) + "'" + digits + "' 04 '4096'";
    BOOST_TEST(has(c.login_answer, told));
    const raw::answer a = c.batch("SELECT TOP 2000 o.OrderID, o.Notes FROM sales.[Order] AS o");
    // A packet may be short where the upstream had nothing more for the moment; none may be longer.
    BOOST_TEST(*std::max_element(a.packets.begin(), a.packets.end()) <= asked);
    if (asked == 512) BOOST_TEST(std::count(a.packets.begin(), a.packets.end(), asked) > 10);
  }
}

// babelfish#4718, tedious#410: TABNAME and COLINFO come only when they are asked for.
BOOST_AUTO_TEST_CASE(no_browse_tokens_unasked) {
  raw_session c(shared_gateway());
  BOOST_TEST(text(c.batch("SELECT 1 AS n")) ==
             tds::testing::shown_hex("81 0100 00000000 2000 38 01 'n' D1 01000000 FD 1000 C100 0100000000000000"));
  for (const char* sql : {currency, "EXEC sp_tables", "SELECT name FROM sys.tables"}) {
    const std::string shown = text(c.batch(sql));
    BOOST_TEST(shown.find("A4 ") == shown.find("A4 03 00 01 00 00 A5"));
    BOOST_TEST(shown.find("53 00 61 00 6C 00 65 00 73 00 44 00 62 00 03 00 72 00 65 00 66 00") == std::string::npos);
  }
}

// babelfish#593, wiltondb#14, impacket#2301: a 7.1 client, without PRELOGIN, reads 7.1 layouts; the answer to a login
// is made for each client, never replayed, and ALL_HEADERS is expected from 7.2 on and from nobody else.
BOOST_AUTO_TEST_CASE(every_version_has_its_own_layouts) {
  {
    raw_session c(shared_gateway(), "manager", 0x71000001);
    BOOST_TEST(has(c.login_answer, "71000001"));
    BOOST_TEST(ends_with(c.login_answer, "FD 0000 0000 00000000"));
    std::vector<std::uint8_t> body;
    append_utf16le(body, currency);
    c.send_packet(1, 1, body);
    BOOST_TEST(ends_with(c.receive_message(), "555344 FD 1000 C100 01000000"));
    body.clear();
    append_utf16le(body, "SELECT x FROM hr.nowhere");
    c.send_packet(1, 1, body);
    const raw::answer failed = c.receive_message();
    BOOST_TEST(has_error(failed, 208));
    BOOST_TEST(ends_with(failed, "00 0100 FD 0200 C100 00000000"));  // a line number of two bytes
  }
  raw_session c(shared_gateway());
  std::vector<std::uint8_t> bare;
  append_utf16le(bare, currency);
  c.send_packet(1, 1, bare);
  BOOST_TEST(ends_with(c.receive_message(), "FD 0200 0000 0000000000000000"));
  BOOST_TEST(c.closed_by_server());
}

// open-infra#60: Microsoft's ODBC driver calls sp_datatype_info_100 whenever it connects, for four types.
BOOST_AUTO_TEST_CASE(what_odbc_asks_when_it_connects) {
  raw_session c(shared_gateway());
  for (const int type : {12, -9, -3, 93}) {
    const raw::answer a = c.rpc("1A00 '[sys].sp_datatype_info_100' 0000 00 00 26 02 02 " + hex_of(type).substr(0, 4) +
                                " 08 '@ODBCVer' 00 26 01 01 03");
    BOOST_TEST(has(a, "'TYPE_NAME'"));
    BOOST_TEST(!has(a, "FF 1100 C100 0000"));
    BOOST_TEST(ends_with(a, done_ok));
  }
  // And parameters as sp_prepexec, the values without names.
  const raw::answer a = c.rpc("FFFF 0D00 0000 00 01 26 04 00 " + in_text("@P1 int") +
                              in_text("SELECT cu.Code FROM ref.Currency AS cu WHERE cu.CurrencyID = @P1") + in_int(2));
  BOOST_TEST(has(a, "555344"));
  BOOST_TEST(ends_with(a,
                       "79 00000000 AC 0000 06 'handle' 01 00000000 0100 26 04 04 01000000 FE 0000 E000 "
                       "0000000000000000"));
}

// mssql-rs#86, #373: with autocommit off the first message is a transaction manager request; whatever comes is
// answered.
BOOST_AUTO_TEST_CASE(no_message_is_met_with_silence) {
  raw_session c(shared_gateway());
  const auto manager = [&c](const char* operation) {
    const auto body = raw_session::rpc_body(operation);
    c.send_packet(0x0E, 1, body);
    return c.receive_message();
  };
  const raw::answer begun = manager("0500 00 00");
  BOOST_TEST(has(begun, "E3 0B00 08 08 0100000000000000 00"));
  BOOST_TEST(has(c.batch("SELECT @@TRANCOUNT AS n"), "D1 01000000 FD"));
  BOOST_TEST(has(manager("0700 00 01 00 00"), "E3 0B00 09 00 08 0100000000000000"));
  BOOST_TEST(has(manager("0800 00 00"), "E3 0B00 0A 00 08 0200000000000000"));
  BOOST_TEST(has_error(manager("0000"), 8501));  // distributed
  BOOST_TEST(has_error(manager("7700"), 8501));  // of no known kind
  c.send_packet(0x07, 1, {});                    // bulk load
  BOOST_TEST(has_error(c.receive_message(), 50110));
  c.attention();  // for nothing
  BOOST_TEST(text(c.receive_message()) == tds::testing::shown_hex("FD 2000 0000 0000000000000000"));
  c.send_packet(0x2B, 1, {});  // no type at all: said, and closed
  BOOST_TEST(ends_with(c.receive_message(), "FD 0200 0000 0000000000000000"));
  BOOST_TEST(c.closed_by_server());
}

// babelfish#853: ADO asks for a DYNAMIC, OPTIMISTIC cursor; it gets another one and is told which.
BOOST_AUTO_TEST_CASE(a_cursor_of_another_kind_is_told) {
  raw_session c(shared_gateway());
  const raw::answer a =
      c.rpc("FFFF 0200 0000 " + out_int(0) + in_text(currency) + out_int(2) + out_int(4) + out_int(0));
  BOOST_TEST(has(a, "AC 0200 00 01 00000000 0100 26 04 04 08000000 AC 0300 00 01 00000000 0100 26 04 04 01000000"));
  BOOST_TEST(ends_with(a, done_ok));
}

// SqlClient#4580, babelfish#1354, #1317: what drivers send on their own account is no query and is answered.
BOOST_AUTO_TEST_CASE(statements_of_drivers) {
  raw_session c(shared_gateway());
  for (const char* sql :
       {"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET TRANSACTION ISOLATION LEVEL SNAPSHOT",
        "set implicit_transactions on ", "IF @@TRANCOUNT > 0 COMMIT TRAN", "IF @@TRANCOUNT > 0 ROLLBACK TRAN",
        "set implicit_transactions off ", "SET LOCK_TIMEOUT 5000", "set textsize 2147483647",
        "SET CURSOR_CLOSE_ON_COMMIT ON",
        "set ansi_nulls on\nset ansi_null_dflt_on on\nset ansi_padding on\nset ansi_warnings on\nset arithabort on\n"
        "set concat_null_yields_null on\nset datefirst 7\nset dateformat mdy\nset implicit_transactions off\n"
        "set language us_english\nset numeric_roundabort off\nset quoted_identifier on\nset textsize 2147483647\n"
        "set transaction isolation level read committed\nset xact_abort off",
        "SET ARITHABORT ON;SET CONCAT_NULL_YIELDS_NULL ON;SET ANSI_NULLS ON;SET ANSI_NULL_DFLT_ON ON;SET ANSI_PADDING "
        "ON;"
        "SET ANSI_WARNINGS ON;SET CURSOR_CLOSE_ON_COMMIT ON;SET QUOTED_IDENTIFIER ON;SET TEXTSIZE 2147483647",
        "SELECT @@MAX_PRECISION\r\nSET TRANSACTION ISOLATION LEVEL READ COMMITTED\r\nSET IMPLICIT_TRANSACTIONS OFF\r\n"
        "SET QUOTED_IDENTIFIER ON\r\nSET TEXTSIZE 2147483647"})
    BOOST_TEST_CONTEXT(sql) {
      const raw::answer a = c.batch(sql);
      BOOST_TEST(text(a).find("AA ") == std::string::npos);
    }
  // A failing description ends nothing.
  BOOST_TEST(has(c.batch("BEGIN TRAN"), "E3 0B00 08 08"));
  BOOST_TEST(ends_with(c.rpc("2100 'sp_describe_undeclared_parameters' 0000 " + in_text("SELECT FROM WHERE @P1")),
                       "FE 0600 E000 0000000000000000"));
  BOOST_TEST(has(c.batch("SELECT @@TRANCOUNT AS n"), "D1 01000000 FD"));
  BOOST_TEST(has(c.rpc("2100 'sp_describe_undeclared_parameters' 0000 " +
                       in_text("SELECT cu.Code FROM ref.Currency AS cu WHERE cu.CurrencyID = @P1")),
                 "0600 '@P1'"));
  // A NULL without a type, as go-mssqldb and tiberius send it.
  BOOST_TEST(ends_with(c.rpc(executesql(in_text("SELECT @P1 AS v") + in_text("@P1 nvarchar(1)") + "00 00 1F")),
                       "FE 0400 E000 0000000000000000"));
}

// teleport#28632, hoop: a statement is guarded however it arrives: in several packets, in chunks, prepared, in a
// cursor, by the name of a procedure, as the second of two calls, inside an EXEC.
BOOST_AUTO_TEST_CASE(the_guard_sees_every_way_in) {
  const std::string denied = "SELECT s.Amount FROM hr.Salary AS s";
  const std::string padded = denied + std::string(6000, ' ');
  raw_session c(shared_gateway());
  BOOST_TEST(has_error(c.batch(denied), 208));
  BOOST_TEST(has_error(c.send_cut(1, raw_client::batch_body(padded), 1000), 208));
  BOOST_TEST(has_error(c.rpc(executesql(in_text(denied))), 208));
  BOOST_TEST(has_error(c.send_cut(3, raw_session::rpc_body(executesql(in_long_text(padded, 777))), 1500), 208));
  const std::string nothing = "00 00 E7 401F 0904D00034 FFFF ";
  BOOST_TEST(has_error(c.rpc("FFFF 0D00 0000 00 01 26 04 00 " + nothing + in_text(denied)), 208));
  BOOST_TEST(has_error(
      c.rpc("FFFF 0200 0000 " + out_int(0) + in_text(denied) + out_int(8) + out_int(0x2001) + out_int(0)), 208));
  BOOST_TEST(has_error(c.rpc("FFFF 0500 0000 " + out_int(0) + out_int(0) + nothing + in_text(denied) + in_int(8) +
                             in_int(1) + out_int(0)),
                       208));
  BOOST_TEST(has_error(c.rpc("0D00 'sp_executesql' 0000 " + in_text(denied)), 208));
  BOOST_TEST(has_error(c.rpc("1300 '[sys].sp_executesql' 0000 " + in_text(denied)), 208));
  // Prepared is not run: the error comes when it is.
  BOOST_TEST(has(c.rpc("FFFF 0B00 0000 00 01 26 04 00 " + nothing + in_text(denied) + in_int(1)), "06 'handle'"));
  BOOST_TEST(has_error(c.rpc("FFFF 0C00 0000 " + in_int(2)), 208));
  // The second of two calls.
  const raw::answer both = c.rpc(executesql(in_text(currency)) + " FF " + executesql(in_text(denied)));
  BOOST_TEST(has(both, "555344"));
  BOOST_TEST(has_error(both, 208));
  for (const char* sql : {"EXEC ('SELECT Amount FROM hr.Salary')",
                          "DECLARE @p nvarchar(100) = N'SELECT Amount FROM hr.Salary'; EXEC (@p)",
                          "EXEC sp_executesql N'DELETE FROM sales.[Order]'", "DECLARE @p sysname = 'sp_who'; EXEC @p"})
    BOOST_TEST_CONTEXT(sql) {
      BOOST_TEST(has_error(c.batch(sql), 50110));
    }
  BOOST_TEST(has_error(c.batch("EXEC sp_executesql N'SELECT Amount FROM hr.Salary'"), 208));
  BOOST_TEST(has(c.batch(currency), "555344"));
}

// Whoever reads the audit sees which rule of the guard refused, not only with what number.
BOOST_AUTO_TEST_CASE(a_refusal_names_its_rule) {
  auto& gateway = shared_gateway();
  raw_session c(gateway);
  for (const auto& [sql, rule] : std::initializer_list<std::pair<const char*, const char*>>{
           {"SELECT 1 AS n FROM (", "parse"},
           {"SELECT s.Amount FROM hr.Salary AS s WHERE 'of the audit' = 'a'", "bind"},
           {"SELECT SUSER_SNAME(0x01) AS x FROM ref.Ring AS r", "functions"},
           {"SELECT r.Name FROM ref.Ring AS r WITH (TABLOCKX)", "hints"}})
    BOOST_TEST_CONTEXT(sql) {
      c.batch(sql);
      const std::string wanted = "\"rule\":\"" + std::string(rule) + "\"";
      BOOST_TEST(gateway.audit_text().find(wanted) != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
