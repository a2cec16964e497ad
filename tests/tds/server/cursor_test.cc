// Server cursors, byte by byte: sp_cursoropen and its family, the spool behind them, and where fetches land.
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "tests/tds/server/echo_handler.h"
#include "tests/tds/server/raw_client.h"
#include "tests/tds/server/running_server.h"

namespace dragoman::tds::server {
using namespace testing;
using tds::testing::hex;
using tds::testing::shown_hex;

namespace {

std::string hex_of(std::int64_t value) {
  char text[9];
  const auto v = static_cast<std::uint32_t>(value);
  std::snprintf(text, sizeof text, "%02X%02X%02X%02X", v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24);
  return text;
}

std::string in(std::int64_t value) {
  return "00 00 26 04 04 " + hex_of(value) + " ";
}
std::string out(std::int64_t value) {
  return "00 01 26 04 04 " + hex_of(value) + " ";
}
std::string text_parameter(const std::string& value) {
  return "00 00 E7 401F 0904D00034 " + hex_of(static_cast<std::int64_t>(value.size() * 2)).substr(0, 4) + "'" + value +
         "' ";
}

// The value of a RETURNVALUE, int, as the server writes it.
std::string returned(int ordinal, std::int64_t value) {
  return "AC " + hex_of(ordinal).substr(0, 4) + " 00 01 00000000 0100 26 04 04 " + hex_of(value) + " ";
}
std::string status(std::int64_t value) {
  return "79 " + hex_of(value) + " ";
}
constexpr const char* proc_end = "FE 0000 E000 0000000000000000";
constexpr const char* proc_end_error = "FE 0200 E000 0000000000000000";

// What stands before the rows of `rows N`: id int NOT NULL, name nvarchar(40), ROWSTAT; one nameless table.
constexpr const char* rows_head =
    "81 0300 00000000 0000 38 02 'id' 00000000 0100 E7 5000 0904D00034 04 'name' 00000000 0000 38 07 'ROWSTAT' "
    "A4 0300 01 0000 A5 0900 010004 020004 030014 ";
std::string row_of(int i) {
  const std::string name = "row " + std::to_string(i);
  return "D1 " + hex_of(i) + hex_of(static_cast<std::int64_t>(name.size() * 2)).substr(0, 4) + "'" + name +
         "' 01000000 ";
}
std::string done_rows(int count) {
  return "FF 1100 C100 " + hex_of(count) + " 00000000 ";
}

std::string open_call(const std::string& sql, int scroll, int concurrency = 1, int rows = 0) {
  return "FFFF 0200 0000 " + out(0) + text_parameter(sql) + out(scroll) + out(concurrency) + out(rows);
}
constexpr std::int32_t first_id = 180150003;
std::string fetch_call(std::int32_t id, int type, int row, int count, int options = 2) {
  return "FFFF 0700 0" + std::to_string(options) + "00 " + in(id) + in(type) + in(row) + in(count);
}
std::string close_call(std::int32_t id) {
  return "FFFF 0900 0000 " + in(id);
}

struct client : raw_client {
  explicit client(const running& s, std::uint32_t version = 0x74000004) : raw_client(s.it->port()) {
    login("tester", "secret", "", version);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(server_cursors)

BOOST_AUTO_TEST_CASE(a_static_cursor_is_opened_read_and_closed) {
  running s;
  client c(s);
  // Asked: KEYSET, OPTIMISTIC. Given: STATIC, READ_ONLY, and how many rows there are.
  BOOST_TEST(text(c.rpc(open_call("rows 5", 1, 4))) ==
             shown_hex(rows_head + std::string("FF 0100 C100 0000000000000000") + status(0) + returned(0, first_id) +
                       returned(2, 8) + returned(3, 1) + returned(4, 5) + proc_end));
  const std::string no_columns = "81 FFFF ";
  BOOST_TEST(text(c.rpc(fetch_call(first_id, 2, 0, 2))) ==
             shown_hex(no_columns + row_of(0) + row_of(1) + done_rows(2) + status(0) + proc_end));
  // With metadata where the client has not said that it needs none.
  BOOST_TEST(text(c.rpc(fetch_call(first_id, 8, 0, 1, 0))) ==
             shown_hex(rows_head + row_of(4) + done_rows(1) + status(0) + proc_end));
  BOOST_TEST(text(c.rpc("FFFF 0700 0200 " + in(first_id) + in(0x100) + out(0) + out(0))) ==
             shown_hex(status(0) + returned(2, 5) + returned(3, 5) + proc_end));
  BOOST_TEST(text(c.rpc(close_call(first_id))) == shown_hex(status(0) + proc_end));
  const answer gone = c.rpc(fetch_call(first_id, 2, 0, 1));
  BOOST_TEST(has(gone, "0D420000"));  // 16909
  BOOST_TEST(ends_with(gone, proc_end_error));
}

BOOST_AUTO_TEST_CASE(where_fetches_land) {
  running s;
  client c(s);
  c.rpc(open_call("rows 10", 8));
  struct row {
    int type, row, count;
    std::vector<int> rows;
    int status;
    int position;
  };
  for (const row& r : std::initializer_list<row>{
           {2, 0, 3, {0, 1, 2}, 0, 1},
           {2, 0, 3, {3, 4, 5}, 0, 4},
           {0x80, 0, 0, {3, 4, 5}, 0, 4},     // REFRESH: the same
           {4, 0, 5, {0, 1, 2, 3, 4}, 2, 1},  // PREV before the first: adjusted, and said
           {4, 0, 5, {}, 0, 0},               // and now it is before the first
           {2, 0, 2, {0, 1}, 0, 1},           //
           {0x10, 4, 2, {3, 4}, 0, 4},        // ABSOLUTE
           {0x200, 0, 5, {0, 1, 2}, 0, 1},    // PREV_NOADJUST: what there is
           {0x10, -1, 1, {9}, 0, 10},         // from the end
           {0x10, -3, 2, {7, 8}, 0, 8},       //
           {0x20, -2, 2, {5, 6}, 0, 6},       // RELATIVE to the first of the buffer
           {0x20, 3, 4, {8, 9}, 0, 9},        // fewer at the end
           {0x20, -20, 2, {0, 1}, 2, 1},      //
           {0x10, 11, 1, {}, 0, -1},          // behind the last
           {2, 0, 1, {}, 0, -1},              //
           {4, 0, 2, {8, 9}, 0, 9},           //
           {0x10, 0, 3, {}, 0, 0},            // before the first
           {8, 0, 4, {6, 7, 8, 9}, 0, 7},     // LAST
           {8, 0, 0, {}, 0, -1},              // placed only
           {1, 0, 2, {0, 1}, 0, 1},           // FIRST
           {1, 0, 0, {}, 0, 0},               //
           {2 | 0x400, 0, 2, {0, 1}, 0, 1},   // SKIP_UPDT_CNCY
           {0x10, -20, 3, {0, 1, 2}, 2, 1},   //
           {0x20, 0, 1, {0}, 0, 1},           //
           {2, 0, 100, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, 2},
       })
    BOOST_TEST_CONTEXT("type " << r.type << " row " << r.row << " count " << r.count) {
      std::string right = "81 FFFF ";
      for (const int i : r.rows) right += row_of(i);
      right += done_rows(static_cast<int>(r.rows.size())) + status(r.status) + proc_end;
      BOOST_TEST(text(c.rpc(fetch_call(first_id, r.type, r.row, r.count))) == shown_hex(right));
      BOOST_TEST(has(c.rpc("FFFF 0700 0200 " + in(first_id) + in(0x100) + out(0) + out(0)), returned(2, r.position)));
    }
  BOOST_TEST(has(c.rpc(fetch_call(first_id, 3, 0, 1)), "06420000"));   // 16902: no such fetch type
  BOOST_TEST(has(c.rpc(fetch_call(first_id, 2, 0, -1)), "06420000"));  // nor such a count
}

BOOST_AUTO_TEST_CASE(kinds_that_a_client_asks_for) {
  running s;
  struct row {
    const char* name;
    int scroll, scroll_given, rows_given;
  };
  for (const row& r : {row{"keyset", 1, 8, 3}, row{"dynamic", 2, 8, 3}, row{"forward", 4, 4, -1},
                       row{"static", 8, 8, 3}, row{"fast forward", 0x10, 0x10, -1}, row{"nothing", 0, 8, 3}})
    BOOST_TEST_CONTEXT(r.name) {
      client c(s);
      BOOST_TEST(ends_with(c.rpc(open_call("rows 3", r.scroll, 4)),
                           returned(2, r.scroll_given) + returned(3, 1) + returned(4, r.rows_given) + proc_end));
      const answer back = c.rpc(fetch_call(first_id, 8, 0, 1));
      if (r.scroll_given == 8)
        BOOST_TEST(has(back, row_of(2)));
      else
        BOOST_TEST(has(back, "0F420000"));  // 16911
      BOOST_TEST(has(c.rpc(fetch_call(first_id, 2, 0, 1)), row_of(r.scroll_given == 8 ? 3 - 3 : 0)) ==
                 (r.scroll_given != 8));
    }
}

BOOST_AUTO_TEST_CASE(fast_forward_fetches_and_closes_by_itself) {
  running s;
  client c(s);
  // AUTO_FETCH, AUTO_CLOSE, 4 rows at once of 6.
  BOOST_TEST(text(c.rpc(open_call("rows 6", 0x6010, 1, 4))) ==
             shown_hex(rows_head + row_of(0) + row_of(1) + row_of(2) + row_of(3) + done_rows(4) + status(0) +
                       returned(0, first_id) + returned(2, 0x10) + returned(3, 1) + returned(4, 4) + proc_end));
  BOOST_TEST(text(c.rpc(fetch_call(first_id, 2, 0, 4))) ==
             shown_hex("81 FFFF " + row_of(4) + row_of(5) + done_rows(2) + status(16) + proc_end));
  BOOST_TEST(has(c.rpc(close_call(first_id)), "0D420000"));
  // All of them fit: there is no cursor to close.
  BOOST_TEST(ends_with(c.rpc(open_call("rows 2", 0x6010, 1, 4)),
                       status(16) + returned(0, 0) + returned(2, 0x10) + returned(3, 1) + returned(4, 2) + proc_end));
}

BOOST_AUTO_TEST_CASE(rows_of_a_worker_and_of_every_type) {
  running s;
  client c(s);
  BOOST_TEST(ends_with(c.rpc(open_call("relay 100000", 8)), returned(4, 100000) + proc_end));
  BOOST_TEST(has(c.rpc(fetch_call(first_id, 0x10, 77777, 1)),
                 "D1 D02F0100 4400 'a row of the relay, of forty bytes' 01000000"));
  const answer types = c.rpc(open_call("types", 8));
  BOOST_TEST(ends_with(types, returned(4, 2) + proc_end));
  // The rows of the cursor are those of a plain answer, with a status behind each.
  const std::string plain = text(c.batch("types"));
  const answer fetched = c.rpc(fetch_call(first_id + 2, 2, 0, 2));
  const auto rows_begin = plain.find("D1 01 01 01 FF 02 00 80");
  BOOST_REQUIRE(rows_begin != std::string::npos);
  const auto second = plain.rfind("D2 FF FF FF 7F");
  BOOST_REQUIRE(second != std::string::npos);
  BOOST_TEST(has(fetched, plain.substr(rows_begin, second - rows_begin) + "01 00 00 00 D2 FF FF FF 7F 01 00 00 00"));
  // An answer that is larger than what is kept in memory, and a value that comes in pieces.
  BOOST_TEST(ends_with(c.rpc(open_call("big 3000000", 8)), returned(4, 1) + proc_end));
  const answer big = c.rpc(fetch_call(first_id + 4, 2, 0, 1));
  BOOST_TEST(big.body.size() > 6'000'000u);
}

BOOST_AUTO_TEST_CASE(statements_without_a_cursor) {
  running s;
  client c(s);
  BOOST_TEST(has(c.rpc(open_call("two", 8)), "29420000"));  // 16937
  BOOST_TEST(has(c.rpc(open_call("set x", 8)), "29420000"));
  // ALLOW_DIRECT: it is run, and there is no cursor.
  const answer direct = c.rpc(open_call("set x", 8, 0x2001));
  BOOST_TEST(has(direct, "3A420000"));  // INFO 16954
  BOOST_TEST(
      ends_with(direct, status(0) + returned(0, 0) + returned(2, 8) + returned(3, 1) + returned(4, 0) + proc_end));
  const answer failed = c.rpc(open_call("fail", 8));
  BOOST_TEST(has(failed, "D0000000"));  // 208
  BOOST_TEST(ends_with(failed, status(1) + proc_end_error));
  BOOST_TEST(ends_with(c.batch("set x"), "FD 0000 BE00 0000000000000000"));
}

BOOST_AUTO_TEST_CASE(parameters_and_prepared_cursors) {
  running s;
  client c(s);
  const std::string values = in(7) + in(8);
  const answer opened = c.rpc("FFFF 0200 0000 " + out(0) + text_parameter("text") + out(0x1008) + out(1) + out(0) +
                              text_parameter("@a int, @b int") + values);
  BOOST_TEST(ends_with(opened, returned(4, 1) + proc_end));
  BOOST_TEST(has(c.rpc(fetch_call(first_id, 2, 0, 1)), "D1 0800 'text' 04 07000000 04 08000000 01000000"));
  BOOST_TEST(has(c.rpc("FFFF 0200 0000 " + out(0) + text_parameter("text") + out(0x1008) + out(1) + out(0) +
                       text_parameter("@a int, @b int") + in(7)),
                 "F21F0000"));  // 8178
  // Prepared, then executed twice.
  BOOST_TEST(ends_with(
      c.rpc("FFFF 0300 0000 " + out(0) + text_parameter("@a int") + text_parameter("text") + in(1) + out(1) + out(4)),
      status(0) + returned(0, 1) + returned(4, 8) + returned(5, 1) + proc_end));
  const answer executed = c.rpc("FFFF 0400 0000 " + in(1) + out(0) + out(8) + out(1) + out(0) + in(41));
  BOOST_TEST(ends_with(
      executed, status(0) + returned(1, first_id + 2) + returned(2, 8) + returned(3, 1) + returned(4, 1) + proc_end));
  BOOST_TEST(has(c.rpc(fetch_call(first_id + 2, 2, 0, 1)), "D1 0800 'text' 04 29000000 01000000"));
  BOOST_TEST(ends_with(c.rpc("FFFF 0600 0000 " + in(1)), status(0) + proc_end));
  BOOST_TEST(has(c.rpc("FFFF 0400 0000 " + in(1) + out(0) + out(8) + out(1) + out(0) + in(41)), "F31F0000"));
  // Both at once, the way mssql-jdbc does it: only the handle, the cursor and the count are OUT.
  const answer both = c.rpc("FFFF 0500 0000 " + out(0) + out(0) + text_parameter("@a int") + text_parameter("text") +
                            in(0x1008) + in(0x2001) + out(0) + in(42));
  BOOST_TEST(ends_with(both, status(0) + returned(0, 2) + returned(1, first_id + 4) + returned(6, 1) + proc_end));
  BOOST_TEST(has(c.rpc(fetch_call(first_id + 4, 2, 0, 1)), "D1 0800 'text' 04 2A000000 01000000"));
}

BOOST_AUTO_TEST_CASE(by_name_options_changes_and_the_reset) {
  running s;
  client c(s);
  BOOST_TEST(
      ends_with(c.rpc("0D00 'sp_cursoropen' 0000 " + out(0) + text_parameter("rows 3") + out(8) + out(1) + out(0)),
                returned(4, 3) + proc_end));
  BOOST_TEST(has(c.rpc("1400 '[sys].sp_cursorfetch' 0000 " + in(first_id) + in(2) + in(0) + in(1)), row_of(0)));
  BOOST_TEST(ends_with(c.rpc("FFFF 0800 0000 " + in(first_id) + in(2) + text_parameter("mine")), status(0) + proc_end));
  BOOST_TEST(
      ends_with(c.rpc("FFFF 0800 0000 " + in(first_id) + in(6) + out(0)), status(0) + returned(2, 3) + proc_end));
  BOOST_TEST(ends_with(c.rpc("FFFF 0100 0000 " + in(first_id) + in(0x20) + in(1)), status(0) + proc_end));  // placed
  // Read anew: one row of the buffer, or all of it.
  c.rpc(fetch_call(first_id, 1, 0, 3));
  BOOST_TEST(text(c.rpc("FFFF 0100 0200 " + in(first_id) + in(0x28) + in(2))) ==
             shown_hex("81 FFFF " + row_of(1) + done_rows(1) + status(0) + proc_end));
  BOOST_TEST(text(c.rpc("FFFF 0100 0200 " + in(first_id) + in(8) + in(0))) ==
             shown_hex("81 FFFF " + row_of(0) + row_of(1) + row_of(2) + done_rows(3) + status(0) + proc_end));
  BOOST_TEST(has(c.rpc("FFFF 0100 0000 " + in(first_id) + in(0x28) + in(4)), "06420000"));
  for (const int operation : {1, 2, 4, 0x21, 0x22, 33, 34}) {
    const answer refused = c.rpc("FFFF 0100 0000 " + in(first_id) + in(operation) + in(1));
    BOOST_TEST(has(refused, "BEC30000"));  // 50110
    BOOST_TEST(ends_with(refused, proc_end_error));
  }
  auto body = raw_client::headers();
  const auto fetch = hex(fetch_call(first_id, 2, 0, 1));
  body.insert(body.end(), fetch.begin(), fetch.end());
  c.send_packet(3, 0x09, body);
  const answer after = c.receive_message();
  BOOST_TEST(text(after).starts_with(shown_hex("E3 0300 12 00 00")));
  BOOST_TEST(has(after, "0D420000"));
}

BOOST_AUTO_TEST_CASE(open_cursors_are_counted) {
  running s;
  client c(s);
  for (std::size_t i = 0; i < limits::cursors_max; ++i) BOOST_TEST(has(c.rpc(open_call("rows 1", 8)), status(0)));
  BOOST_TEST(has(c.rpc(open_call("rows 1", 8)), "BF000000"));  // 191
  BOOST_TEST(ends_with(c.rpc(close_call(-1)), status(0) + proc_end));
  BOOST_TEST(has(c.rpc(open_call("rows 1", 8)), status(0)));
}

BOOST_AUTO_TEST_CASE(fetch_and_info_in_one_message_for_an_old_client) {
  running s;
  client c(s, 0x71000001);
  const auto rpc = [&c](const std::string& hex_text) {
    c.send_packet(3, 1, hex(hex_text));
    return c.receive_message();
  };
  const answer opened = rpc(open_call("rows 3", 8));
  BOOST_TEST(
      has(opened, "0000 0000 38 07 'ROWSTAT' A4 0300 01 0000 A5 0900 010004 020004 030014 FF 0100 C100 00000000"));
  BOOST_TEST(has(opened, "AC 0D00 00 01 0000 0100 26 04 04 " + hex_of(first_id)));
  // jTDS: a fetch, 0x80, and what it wants to know of it.
  const answer both =
      rpc(fetch_call(first_id, 2, 0, 2) + "80 FFFF 0700 0200 " + in(first_id) + in(0x100) + out(0) + out(0));
  BOOST_TEST(text(both) == shown_hex("81 FFFF " + row_of(0) + row_of(1) + "FF 1100 C100 02000000" + status(0) +
                                     "FE 0100 E000 00000000" + status(0) + "AC 0D00 00 01 0000 0100 26 04 04 01000000" +
                                     "AC 0D00 00 01 0000 0100 26 04 04 03000000 FE 0000 E000 00000000"));
}

BOOST_AUTO_TEST_CASE(rows_of_a_spool) {
  using id = sql_type_id;
  // Eight columns that may be NULL: one more column changes the size of the bitmap.
  std::vector<result_column> columns;
  for (int i = 0; i < 8; ++i) columns.push_back({"c", {.id = id::bigint}, true});
  spool_budget budget(4'000'000);
  {
    row_spool spool(wire_profile{}, budget, 10'000);
    spool.begin(columns);
    const row_layout layout(columns, wire_profile{});
    byte_writer all;
    for (std::int64_t i = 0; i < 20'000; ++i) {
      std::vector<sql_value> row(8);
      if (i % 3 != 0)
        for (sql_value& v : row) v = i;
      row[0] = i;
      layout.write_row(all, row);
    }
    // In pieces of odd sizes.
    byte_span rest = all.view();
    for (std::size_t piece = 1; !rest.empty(); piece = piece * 7 % 4093 + 1) {
      const std::size_t size = std::min(piece, rest.size());
      BOOST_REQUIRE(spool.append(rest.first(size)));
      rest = rest.subspan(size);
    }
    BOOST_TEST(spool.rows() == 20'000u);
    BOOST_TEST(spool.in_file());
    std::vector<std::uint8_t> read;
    row_spool::reader from_start(spool, 0);
    for (byte_span row = from_start.next(); !row.empty(); row = from_start.next())
      read.insert(read.end(), row.begin(), row.end());
    BOOST_TEST((byte_span(read).size() == all.size() && std::equal(read.begin(), read.end(), all.data())));
    for (const std::uint64_t at : {0u, 1u, 31u, 32u, 33u, 9'999u, 19'998u, 19'999u}) {
      row_spool::reader one(spool, at);
      const byte_span row = one.next();
      BOOST_REQUIRE(!row.empty());
      std::int64_t value = 0;
      std::memcpy(&value, row.data() + (row[0] == 0xD2 ? 3 : 2), 8);
      BOOST_TEST(value == static_cast<std::int64_t>(at));
    }
    BOOST_TEST(row_spool::reader(spool, 20'000).next().empty());
    // The limit of all spools of a session.
    bool more = true;
    for (int i = 0; more && i < 10; ++i) more = spool.append(all.view());
    BOOST_TEST(!more);
    BOOST_REQUIRE(spool.error().has_value());
    BOOST_TEST(spool.error()->error_number() == 191);
  }
  BOOST_TEST(budget.used() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace dragoman::tds::server
