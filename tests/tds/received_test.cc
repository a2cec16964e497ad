// Result sets as a client reads them: what row_layout and token_writer write is found again, wherever it is cut.
#include <boost/test/unit_test.hpp>

#include "tds/client_request.h"
#include "tds/packet.h"
#include "tds/packet_stream.h"
#include "tds/received_columns.h"
#include "tds/received_tokens.h"
#include "tds/rpc_request.h"
#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::shown;

namespace {

const std::vector<result_column>& all_columns() {
  static const std::vector<result_column> columns = [] {
    std::vector<result_column> out;
    for (const char* type : {"bit",
                             "tinyint",
                             "int",
                             "bigint",
                             "real",
                             "float",
                             "decimal(9,2)",
                             "numeric(38,10)",
                             "money",
                             "smallmoney",
                             "date",
                             "time(3)",
                             "datetime",
                             "smalldatetime",
                             "datetime2(7)",
                             "datetimeoffset(7)",
                             "char(5)",
                             "varchar(20)",
                             "varchar(max)",
                             "text",
                             "nchar(5)",
                             "nvarchar(20)",
                             "nvarchar(max)",
                             "ntext",
                             "binary(4)",
                             "varbinary(10)",
                             "varbinary(max)",
                             "image",
                             "uniqueidentifier",
                             "xml",
                             "sql_variant",
                             "rowversion"})
      out.push_back({type, *parse_sql_type(type), true});
    out.push_back({"not null", {sql_type_id::int_}, false});
    return out;
  }();
  return columns;
}

std::vector<sql_value> all_values() {
  const civil_time t{to_day_number({2024, 2, 29}), 45296LL * ticks_per_second, 0};
  const civil_time clock{0, t.ticks, 0};
  const civil_time day{t.day, 0, 0};
  civil_time there = t;
  there.offset = 210;
  const auto exact = [](const char* text, int p, int s) { return sql_value(*decimal::parse(text)->rescale(p, s)); };
  civil_time minute = t;
  minute.ticks = 45240LL * ticks_per_second;
  return {std::int64_t{1},
          std::int64_t{200},
          std::int64_t{-5},
          std::int64_t{1} << 40,
          1.5,
          -2.25,
          exact("-123.45", 9, 2),
          exact("1.5", 38, 10),
          exact("-1.25", 19, 4),
          exact("2.5", 10, 4),
          day,
          clock,
          t,
          minute,
          t,
          there,
          std::string("ab   "),
          std::string("caf\u00e9"),
          std::string(700, 'm'),
          std::string("old"),
          std::string("سلام "),
          std::string("سلام"),
          std::string(300, 'n'),
          std::string("قدیم"),
          bytes{1, 2, 0, 0},
          bytes{0, 255},
          bytes(900, 0xAB),
          bytes{9},
          guid{1, 2, 3},
          std::string("<a/>"),
          std::int64_t{77},
          bytes{0, 0, 0, 0, 0, 0, 7, 0xD1},
          std::int64_t{42}};
}

// COLMETADATA, a full row, a row of NULLs (NBCROW), DONE.
byte_writer a_response(const wire_profile& profile) {
  byte_writer out;
  const row_layout layout(all_columns(), profile);
  layout.write_colmetadata(out, all_columns());
  layout.write_row(out, all_values());
  std::vector<sql_value> nulls(all_columns().size());
  nulls.back() = std::int64_t{42};
  layout.write_row(out, nulls);
  token_writer(out, profile).done(token::done, done_status::count, command::select, 2);
  return out;
}

std::vector<std::uint8_t> packed(byte_span payload, std::size_t body) {
  std::vector<std::uint8_t> out;
  std::uint8_t id = 1;
  while (!payload.empty()) {
    const std::size_t n = std::min(body, payload.size());
    std::uint8_t header[packet_header_size];
    write_packet_header(header, packet_type::tabular_result, n == payload.size(), n + packet_header_size, 51, id++);
    out.insert(out.end(), header, header + packet_header_size);
    out.insert(out.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(n));
    payload = payload.subspan(n);
  }
  return out;
}

// Feeds bytes in pieces of `step` and gives back the payload, consuming as it goes.
std::vector<std::uint8_t> unpacked(byte_span sent, std::size_t step, std::size_t consume_at) {
  packet_stream stream;
  std::vector<std::uint8_t> out;
  while (!sent.empty()) {
    const std::size_t n = std::min(step, sent.size());
    const auto room = stream.room();
    BOOST_REQUIRE(room.size() >= n);
    std::copy_n(sent.begin(), n, room.begin());
    BOOST_REQUIRE(stream.received(n));
    sent = sent.subspan(n);
    if (stream.payload().size() >= consume_at || stream.end_of_message()) {
      const byte_span all = stream.payload();
      out.insert(out.end(), all.begin(), all.end());
      stream.consume(all.size());
    }
  }
  BOOST_TEST(stream.end_of_message());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(received)

BOOST_AUTO_TEST_CASE(payload_out_of_packets_of_any_size) {
  std::vector<std::uint8_t> payload(100'000);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  for (const std::size_t body : {1UL, 504UL, 4088UL, 32759UL})
    for (const std::size_t step : {1UL, 7UL, 1000UL, 32768UL})
      for (const std::size_t consume : {1UL, 5000UL, 200'000UL}) {
        if (body == 1 && step == 1) continue;
        BOOST_TEST((unpacked(packed(payload, body), step, consume) == payload));
      }
}

BOOST_AUTO_TEST_CASE(what_is_no_response_fails_the_stream) {
  packet_stream stream;
  const std::uint8_t tls_alert[] = {0x15, 3, 3, 0, 2, 2, 70, 0, 0};
  std::copy(std::begin(tls_alert), std::end(tls_alert), stream.room().begin());
  BOOST_TEST(!stream.received(sizeof tls_alert));
  stream.clear();
  const std::uint8_t short_header[] = {4, 1, 0, 7, 0, 0, 1, 0};
  std::copy(std::begin(short_header), std::end(short_header), stream.room().begin());
  BOOST_TEST(!stream.received(sizeof short_header));
}

BOOST_AUTO_TEST_CASE(every_type_is_read_back) {
  const wire_profile profile;
  const byte_writer response = a_response(profile);
  byte_reader in(response.view().subspan(1));
  const auto columns = read_colmetadata(in);
  BOOST_REQUIRE(columns);
  BOOST_REQUIRE(columns->size() == all_columns().size());
  byte_writer again;
  std::vector<wire_column> wires;
  std::vector<result_column> shown_columns;
  for (const received_column& c : *columns) {
    BOOST_TEST(travels_unchanged(c, profile));
    wires.push_back(c.wire);
    shown_columns.push_back(c.column);
  }
  row_layout(wires, profile).write_colmetadata(again, shown_columns);
  BOOST_TEST(shown(again.view()) == shown(response.view().first(1 + in.position())));

  row_scanner scanner(*columns, 10'000);
  const byte_span rows = response.view().subspan(1 + in.position());
  BOOST_REQUIRE((scanner.scan(rows) == row_scanner::state::complete));
  byte_reader row(rows.subspan(1, scanner.size() - 1));
  const std::vector<sql_value> values = all_values();
  for (std::size_t i = 0; i < columns->size(); ++i) {
    BOOST_TEST_CONTEXT(all_columns()[i].name) {
      const sql_value value = read_row_value(row, (*columns)[i]);
      byte_writer a, b;
      write_value(a, wires[i], value);
      write_value(b, wires[i], values[i]);
      BOOST_TEST(shown(a.view()) == shown(b.view()));
    }
  }
  BOOST_TEST(!row.failed());
  BOOST_TEST(row.at_end());

  const byte_span second = rows.subspan(scanner.size());
  BOOST_REQUIRE((scanner.scan(second) == row_scanner::state::complete));
  BOOST_TEST(scanner.has_bitmap());
  const auto done_size = token_size(second.subspan(scanner.size()));
  BOOST_REQUIRE(done_size);
  BOOST_TEST(*done_size == second.size() - scanner.size());
  BOOST_TEST(read_done(second.subspan(scanner.size())).rows == 2U);

  // The same row for a client that has no NBCROW.
  wire_profile older;
  older.version = tds_version::v7_3a;
  byte_writer plain, expected;
  expand_nbcrow(plain, second.first(scanner.size()), *columns, scanner);
  std::vector<sql_value> nulls(all_columns().size());
  nulls.back() = std::int64_t{42};
  row_layout(all_columns(), older).write_row(expected, nulls);
  BOOST_TEST(shown(plain.view()) == shown(expected.view()));
}

BOOST_AUTO_TEST_CASE(a_row_cut_anywhere_is_incomplete_and_gone_on_with) {
  const byte_writer response = a_response(wire_profile{});
  byte_reader in(response.view().subspan(1));
  const auto columns = read_colmetadata(in);
  BOOST_REQUIRE(columns);
  const byte_span rows = response.view().subspan(1 + in.position());
  row_scanner whole(*columns, 10'000);
  BOOST_REQUIRE((whole.scan(rows) == row_scanner::state::complete));
  row_scanner growing(*columns, 10'000);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    row_scanner fresh(*columns, 10'000);
    BOOST_REQUIRE((fresh.scan(rows.first(n)) == row_scanner::state::incomplete));
    BOOST_REQUIRE((growing.scan(rows.first(n)) == row_scanner::state::incomplete));
  }
  BOOST_REQUIRE((growing.scan(rows) == row_scanner::state::complete));
  BOOST_TEST(growing.size() == whole.size());
  // Metadata cut anywhere is not read.
  for (std::size_t n = 0; n < in.position(); ++n) {
    byte_reader cut(response.view().subspan(1, n));
    BOOST_REQUIRE(!read_colmetadata(cut));
  }
}

BOOST_AUTO_TEST_CASE(lies_and_limits) {
  const auto scanned = [](const char* type, const std::vector<std::uint8_t>& value, std::size_t limit) {
    byte_writer metadata;
    const std::vector<result_column> one{{"x", *parse_sql_type(type), true}};
    row_layout(one, wire_profile{}).write_colmetadata(metadata, one);
    byte_reader in(metadata.view().subspan(1));
    const auto columns = read_colmetadata(in);
    row_scanner scanner(*columns, limit);
    std::vector<std::uint8_t> row{0xD1};
    row.insert(row.end(), value.begin(), value.end());
    return scanner.scan(row);
  };
  using state = row_scanner::state;
  BOOST_TEST((scanned("int", {5, 1, 2, 3, 4, 5}, 100) == state::malformed));
  BOOST_TEST((scanned("varchar(4)", {5, 0, 1, 2, 3, 4, 5}, 100) == state::malformed));
  BOOST_TEST((scanned("varchar(4)", {4, 0, 1, 2, 3, 4}, 100) == state::complete));
  BOOST_TEST((scanned("sql_variant", {0xFF, 0xFF, 0, 0}, 100) == state::malformed));
  // The total and the chunks of a (max) value must agree.
  BOOST_TEST(
      (scanned("varchar(max)", {3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0, 0}, 100) == state::malformed));
  BOOST_TEST(
      (scanned("varchar(max)", {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0, 0}, 100) == state::malformed));
  BOOST_TEST((scanned("varchar(max)", {2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0}, 100) ==
              state::complete));
  BOOST_TEST((scanned("varchar(max)", {101, 0, 0, 0, 0, 0, 0, 0}, 100) == state::too_large));
  // Of unknown length: the sum counts.
  BOOST_TEST(
      (scanned("varchar(max)", {0xFE, 255, 255, 255, 255, 255, 255, 255, 101, 0, 0, 0}, 100) == state::too_large));
  BOOST_TEST((scanned("varchar(max)", {0xFE, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 7, 0, 0, 0, 0}, 100) ==
              state::complete));
  BOOST_TEST((scanned("varchar(max)", {0xFD, 255, 255, 255, 255, 255, 255, 255}, 100) == state::malformed));
}

BOOST_AUTO_TEST_CASE(who_needs_rows_of_another_form) {
  const auto unchanged = [](const char* type, tds_version version, bool utf8 = false) {
    byte_writer metadata;
    std::vector<result_column> one{{"x", *parse_sql_type(type), true}};
    if (utf8) one[0].type.coll.info |= 0x0400'0000;
    wire_profile newest;
    newest.utf8 = true;
    row_layout(one, newest).write_colmetadata(metadata, one);
    byte_reader in(metadata.view().subspan(1));
    const auto columns = read_colmetadata(in);
    wire_profile client;
    client.version = version;
    return travels_unchanged((*columns)[0], client);
  };
  BOOST_TEST(unchanged("date", tds_version::v7_3a));
  BOOST_TEST(!unchanged("date", tds_version::v7_2));
  BOOST_TEST(!unchanged("datetimeoffset(7)", tds_version::v7_1));
  BOOST_TEST(unchanged("datetime", tds_version::v7_1));
  BOOST_TEST(unchanged("nvarchar(max)", tds_version::v7_2));
  BOOST_TEST(!unchanged("nvarchar(max)", tds_version::v7_1));
  BOOST_TEST(!unchanged("xml", tds_version::v7_1));
  BOOST_TEST(unchanged("varchar(10)", tds_version::v7_4));
  BOOST_TEST(!unchanged("varchar(10)", tds_version::v7_4, true));  // the client does not know UTF-8 collations
}

BOOST_AUTO_TEST_CASE(clr_types_keep_their_names) {
  // UDT: max size, database, schema, type, assembly-qualified name.
  byte_writer out;
  out.u8(0x81);
  out.u16(1);
  out.u32(0);
  out.u16(0x0009);
  out.u8(0xF0);
  out.u16(0xFFFF);
  for (const char* name : {"db", "sys", "geography"}) {
    out.u8(static_cast<std::uint8_t>(std::string_view(name).size()));
    out.utf16(name);
  }
  out.u16(4);
  out.utf16("asm1");
  out.u8(1);
  out.utf16("g");
  byte_reader in(out.view().subspan(1));
  const auto columns = read_colmetadata(in);
  BOOST_REQUIRE(columns);
  BOOST_TEST(in.at_end());
  BOOST_TEST(((*columns)[0].column.type.id == sql_type_id::geography));
  byte_writer again;
  const std::vector<result_column> shown_columns{(*columns)[0].column};
  row_layout({(*columns)[0].wire}, wire_profile{}).write_colmetadata(again, shown_columns);
  byte_writer expected;
  expected.raw(out.view());
  expected.data()[7] = 0x01;  // not updatable
  BOOST_TEST(shown(again.view()) == shown(expected.view()));
}

BOOST_AUTO_TEST_CASE(requests_are_what_the_server_side_reads) {
  const std::string sql = "SELECT * FROM t WHERE a = @a AND b = @b";
  const sql_value a = std::string("سلام");
  const sql_value b = *decimal::parse("12.50");
  sql_type price{sql_type_id::decimal};
  price.precision = 9;
  price.scale = 2;
  const sent_parameter parameters[] = {{"@a", {sql_type_id::nvarchar, 20}, &a}, {"@b", price, &b}};
  for (const std::uint32_t size : {512U, 4096U}) {
    const auto message = write_executesql(sql, parameters, size);
    BOOST_REQUIRE(message);
    message_assembler assembler;
    assembler.set_limit(1 << 20);
    BOOST_TEST(assembler.feed(*message) == message->size());
    BOOST_REQUIRE(assembler.complete());
    const request_message taken = assembler.take();
    BOOST_TEST((taken.type == packet_type::rpc));
    const auto request = parse_rpc_request(taken.payload.view(), wire_profile{});
    BOOST_REQUIRE(request);
    BOOST_REQUIRE(request->calls.size() == 1U);
    const rpc_call& call = request->calls[0];
    BOOST_TEST((call.id == proc_id::sp_executesql));
    BOOST_REQUIRE(call.parameters.size() == 4U);
    BOOST_TEST(std::get<std::string>(call.parameters[0].value) == sql);
    BOOST_TEST(std::get<std::string>(call.parameters[1].value) == "@a nvarchar(20),@b decimal(9,2)");
    BOOST_TEST(call.parameters[2].name == "@a");
    BOOST_TEST(std::get<std::string>(call.parameters[2].value) == "سلام");
    BOOST_TEST(std::get<decimal>(call.parameters[3].value).to_string() == "12.50");
  }
  // A value that its type cannot hold is an error, never a NULL.
  const sql_value large = *decimal::parse("123456789.5");
  const sent_parameter wrong[] = {{"@b", price, &large}};
  const auto refused = write_executesql(sql, wrong, 4096);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == errc::conversion));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace dragoman::tds
