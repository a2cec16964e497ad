// Columns and values on their way to the client: metadata, value and NULL of every type, for new and old clients.
#include <boost/test/unit_test.hpp>

#include "tds/token_writer.h"
#include "tds/value_encoder.h"
#include "tds/wire_column.h"
#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::hex;
using testing::shown;
using testing::shown_hex;

namespace {

wire_profile version(tds_version v) {
  wire_profile p;
  p.version = v;
  return p;
}

std::string info_of(const char* type, bool nullable, const wire_profile& profile) {
  byte_writer out;
  write_type_info(out, wire_column_of({"", *parse_sql_type(type), nullable}, profile));
  return shown(out.view());
}

std::string value_of(const char* type, bool nullable, const sql_value& value, const wire_profile& profile) {
  byte_writer out;
  write_value(out, wire_column_of({"", *parse_sql_type(type), nullable}, profile), value);
  return shown(out.view());
}

std::string latin(std::string_view text) {
  std::string out(text);
  for (std::size_t at; (at = out.find('L')) != std::string::npos;) out.replace(at, 1, "0904D00034");
  return shown_hex(out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(every_type) {
  const auto exact = [](const char* text) { return sql_value(*decimal::parse(text)); };
  const day_number day = to_day_number({1900, 1, 2});
  const std::int64_t second = ticks_per_second;
  struct row {
    const char* type;
    sql_value value;
    const char* info;
    const char* encoded;
    const char* null;
  };
  const row rows[] = {
      {"bit", std::int64_t{1}, "68 01", "01 01", "00"},
      {"tinyint", std::int64_t{255}, "26 01", "01 FF", "00"},
      {"smallint", std::int64_t{-2}, "26 02", "02 FEFF", "00"},
      {"int", std::int64_t{-2}, "26 04", "04 FEFFFFFF", "00"},
      {"bigint", std::int64_t{-2}, "26 08", "08 FEFFFFFFFFFFFFFF", "00"},
      {"real", 1.5, "6D 04", "04 0000C03F", "00"},
      {"float", 1.5, "6D 08", "08 000000000000F83F", "00"},
      {"decimal(5,2)", exact("-123.45"), "6A 05 05 02", "05 00 39300000", "00"},
      {"decimal(10,2)", exact("123.45"), "6A 09 0A 02", "09 01 3930000000000000", "00"},
      {"decimal(20,2)", exact("123.45"), "6A 0D 14 02", "0D 01 393000000000000000000000", "00"},
      {"numeric(38,2)", exact("123.45"), "6C 11 26 02", "11 01 39300000000000000000000000000000", "00"},
      {"decimal(5,1)", exact("123.45"), "6A 05 05 01", "05 01 D3040000", "00"},  // rounded to the column
      {"money", exact("-1"), "6E 08", "08 FFFFFFFF F0D8FFFF", "00"},
      {"money", exact("-922337203685477.5808"), "6E 08", "08 00000080 00000000", "00"},
      {"smallmoney", exact("1"), "6E 04", "04 10270000", "00"},
      {"date", civil_time{day, 0, 0}, "28", "03 5C950A", "00"},
      {"time(0)", civil_time{0, second, 0}, "29 00", "03 010000", "00"},
      {"time(3)", civil_time{0, second, 0}, "29 03", "04 E8030000", "00"},
      {"time(7)", civil_time{0, second, 0}, "29 07", "05 8096980000", "00"},
      {"datetime2(0)", civil_time{day, second, 0}, "2A 00", "06 010000 5C950A", "00"},
      {"datetime2(7)", civil_time{day, second, 0}, "2A 07", "08 8096980000 5C950A", "00"},
      {"datetimeoffset(0)", civil_time{day, 0, 90}, "2B 00", "08 683C01 5B950A 5A00",
       "00"},  // UTC: 22:30 of the day before
      {"datetime", civil_time{day, second, 0}, "6F 08", "08 01000000 2C010000", "00"},
      {"smalldatetime", civil_time{day, 60 * second, 0}, "6F 04", "04 0100 0100", "00"},
      {"uniqueidentifier", guid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "24 10",
       "10 0102030405060708090A0B0C0D0E0F10", "00"},
      {"nvarchar(4)", std::string("ab"), "E7 0800 L", "0400 'ab'", "FFFF"},
      {"nvarchar(2)", std::string("abc"), "E7 0400 L", "0400 'ab'", "FFFF"},  // never longer than declared
      {"nvarchar(4)", std::string(), "E7 0800 L", "0000", "FFFF"},
      {"nchar(3)", std::string("ab"), "EF 0600 L", "0600 'ab '", "FFFF"},
      {"sysname", std::string("ab"), "E7 0001 L", "0400 'ab'", "FFFF"},
      {"varchar(4)", std::string("\xC3\xA9\xE2\x82\xAC\xDA\xA9"), "A7 0400 L", "0300 E9803F",
       "FFFF"},  // what 1252 has not is '?'
      {"char(3)", std::string("ab"), "AF 0300 L", "0300 616220", "FFFF"},
      {"varbinary(4)", bytes{0xDE, 0xAD}, "A5 0400", "0200 DEAD", "FFFF"},
      {"binary(4)", bytes{0xDE, 0xAD}, "AD 0400", "0400 DEAD0000", "FFFF"},
      {"rowversion", bytes{0, 0, 0, 0, 0, 0, 7, 0xD1}, "AD 0800", "0800 00000000000007D1", "FFFF"},
      {"nvarchar(max)", std::string("ab"), "E7 FFFF L", "0400000000000000 04000000 'ab' 00000000", "FFFFFFFFFFFFFFFF"},
      {"nvarchar(max)", std::string(), "E7 FFFF L", "0000000000000000 00000000", "FFFFFFFFFFFFFFFF"},
      {"varchar(max)", std::string("ab"), "A7 FFFF L", "0200000000000000 02000000 6162 00000000", "FFFFFFFFFFFFFFFF"},
      {"varbinary(max)", bytes{1}, "A5 FFFF", "0100000000000000 01000000 01 00000000", "FFFFFFFFFFFFFFFF"},
      {"xml", std::string("<a/>"), "F1 00", "0800000000000000 08000000 '<a/>' 00000000", "FFFFFFFFFFFFFFFF"},
      {"text", std::string("ab"), "23 FFFFFF7F L", "10 6464646464646464646464646464646464646464646464 64 02000000 6162",
       "00"},
      {"ntext", std::string("ab"), "63 FEFFFF7F L",
       "10 6464646464646464646464646464646464646464646464 64 04000000 'ab'", "00"},
      {"image", bytes{1}, "22 FFFFFF7F", "10 6464646464646464646464646464646464646464646464 64 01000000 01", "00"},
      {"sql_variant", std::int64_t{5}, "62 491F0000", "06000000 38 00 05000000", "00000000"},
      {"sql_variant", exact("123.45"), "62 491F0000", "15000000 6C 02 05 02 01 39300000000000000000000000000000",
       "00000000"},
      {"sql_variant", std::string("ab"), "62 491F0000", "0D000000 E7 07 L 401F 'ab'", "00000000"},
  };
  const wire_profile profile = version(tds_version::v7_4);
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.type) {
      BOOST_TEST(info_of(r.type, true, profile) == latin(r.info));
      BOOST_TEST(value_of(r.type, true, r.value, profile) == latin(r.encoded));
      BOOST_TEST(value_of(r.type, true, null_value{}, profile) == latin(r.null));
    }
  }
}

BOOST_AUTO_TEST_CASE(not_null_numbers_are_bare) {
  const wire_profile profile = version(tds_version::v7_4);
  struct row {
    const char* type;
    sql_value value;
    const char* info;
    const char* encoded;
  };
  for (const row& r :
       {row{"bit", std::int64_t{1}, "32", "01"}, row{"tinyint", std::int64_t{7}, "30", "07"},
        row{"smallint", std::int64_t{7}, "34", "0700"}, row{"int", std::int64_t{7}, "38", "07000000"},
        row{"bigint", std::int64_t{7}, "7F", "0700000000000000"}, row{"real", 1.5, "3B", "0000C03F"},
        row{"float", 1.5, "3E", "000000000000F83F"}, row{"money", *decimal::parse("1"), "3C", "00000000 10270000"},
        row{"smallmoney", *decimal::parse("1"), "7A", "10270000"},
        row{"datetime", civil_time{days_to_1900, 0, 0}, "3D", "00000000 00000000"},
        row{"smalldatetime", civil_time{days_to_1900, 0, 0}, "3A", "0000 0000"},
        row{"int", null_value{}, "38", "00000000"}})
    BOOST_TEST_CONTEXT(r.type) {
      BOOST_TEST(info_of(r.type, false, profile) == shown_hex(r.info));
      BOOST_TEST(value_of(r.type, false, r.value, profile) == shown_hex(r.encoded));
    }
}

BOOST_AUTO_TEST_CASE(old_clients_get_old_types) {
  const wire_profile profile = version(tds_version::v7_1);
  const civil_time moment{to_day_number({2024, 2, 29}), 12 * 3600 * ticks_per_second, 210};
  struct row {
    const char* type;
    sql_value value;
    const char* info;
    const char* encoded;
  };
  for (const row& r : {row{"date", moment, "E7 1400 L", "1400 '2024-02-29'"},
                       row{"time(3)", moment, "E7 2000 L", "1800 '12:00:00.000'"},
                       row{"datetime2(0)", moment, "E7 3600 L", "2600 '2024-02-29 12:00:00'"},
                       row{"datetimeoffset(0)", moment, "E7 4400 L", "3400 '2024-02-29 12:00:00 +03:30'"},
                       row{"nvarchar(max)", std::string("a"), "63 FEFFFF7F L",
                           "10 6464646464646464646464646464646464646464646464 64 02000000 'a'"},
                       row{"varbinary(max)", bytes{1}, "22 FFFFFF7F",
                           "10 6464646464646464646464646464646464646464646464 64 01000000 01"},
                       row{"xml", null_value{}, "63 FEFFFF7F L", "00"}})
    BOOST_TEST_CONTEXT(r.type) {
      BOOST_TEST(info_of(r.type, true, profile) == latin(r.info));
      BOOST_TEST(value_of(r.type, true, r.value, profile) == latin(r.encoded));
    }
}

BOOST_AUTO_TEST_CASE(utf8_columns) {
  sql_type type{.id = sql_type_id::varchar, .length = 10};
  type.coll.info |= 1u << 26;
  wire_profile with = version(tds_version::v7_4);
  with.utf8 = true;
  const auto encoded = [&](const wire_profile& profile) {
    byte_writer out;
    const wire_column column = wire_column_of({"", type, true}, profile);
    write_type_info(out, column);
    write_value(out, column, std::string("\xC3\xA9"));
    return shown(out.view());
  };
  BOOST_TEST(encoded(with) == shown_hex("A7 0A00 0904D00434 0200 C3A9"));
  BOOST_TEST(encoded(version(tds_version::v7_4)) == shown_hex("E7 1400 0904D00034 0200 E900"));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_null) {
  const wire_profile profile = version(tds_version::v7_4);
  BOOST_TEST(value_of("tinyint", true, std::int64_t{256}, profile) == "00");
  BOOST_TEST(value_of("int", true, std::string("x"), profile) == "00");
  BOOST_TEST(value_of("decimal(3,0)", true, std::int64_t{1000}, profile) == "00");
  BOOST_TEST(value_of("date", true, civil_time{-1, 0, 0}, profile) == "00");
  BOOST_TEST(value_of("varbinary(4)", true, std::int64_t{1}, profile) == "FF FF");
}

BOOST_AUTO_TEST_CASE(metadata_and_rows) {
  const std::vector<result_column> columns{{"id", {.id = sql_type_id::int_}, false, true},
                                           {"n", {.id = sql_type_id::nvarchar, .length = 4}, true},
                                           {"", {.id = sql_type_id::ntext}, true, false, true}};
  byte_writer out;
  row_layout layout(columns, version(tds_version::v7_4));
  layout.write_colmetadata(out, columns);
  BOOST_TEST(shown(out.view()) == shown_hex("81 0300"
                                            "00000000 1000 38 02 'id'"
                                            "00000000 0100 E7 0800 0904D00034 01 'n'"
                                            "00000000 2100 63 FEFFFF7F 0904D00034 01 0000 00"));
  out.clear();
  row_layout old(columns, version(tds_version::v7_1));
  old.write_colmetadata(out, columns);
  BOOST_TEST(shown(out.view()) == shown_hex("81 0300"
                                            "0000 1000 38 02 'id'"
                                            "0000 0100 E7 0800 0904D00034 01 'n'"
                                            "0000 2100 63 FEFFFF7F 0904D00034 0000 00"));
  out.clear();
  const std::vector<sql_value> row{std::int64_t{1}, null_value{}, null_value{}};
  layout.write_row(out, row);
  BOOST_TEST(shown(out.view()) == shown_hex("D2 06 01000000"));  // three bytes of NULLs against one of bitmap
  out.clear();
  old.write_row(out, row);
  BOOST_TEST(shown(out.view()) == shown_hex("D1 01000000 FFFF 00"));
  out.clear();
  layout.write_row(out, std::vector<sql_value>{std::int64_t{1}, std::string("a"), null_value{}});
  BOOST_TEST(shown(out.view()) == shown_hex("D1 01000000 0200 'a' 00"));
}

BOOST_AUTO_TEST_CASE(a_value_never_takes_more_than_announced) {
  const wire_profile profile = version(tds_version::v7_4);
  for (const char* type : {"bit", "bigint", "float", "decimal(38,0)", "money", "datetimeoffset(7)", "uniqueidentifier",
                           "nvarchar(4000)", "varchar(8000)", "char(10)", "binary(10)"}) {
    const wire_column column = wire_column_of({"", *parse_sql_type(type), true}, profile);
    byte_writer out;
    write_value(out, column, std::string(20000, 'x'));
    BOOST_TEST(out.size() <= value_bytes_max(column));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tokens)

BOOST_AUTO_TEST_CASE(layouts) {
  struct row {
    const char* name;
    void (*write)(token_writer&);
    const char* wide;
    const char* narrow;
  };
  const row rows[] = {
      {"done", [](token_writer& t) { t.done(token::done, done_status::count | done_status::more, command::select, 3); },
       "FD 1100 C100 0300000000000000", "FD 1100 C100 03000000"},
      {"a count that is not announced is 0", [](token_writer& t) { t.done(token::done_proc, 0, command::execute, 3); },
       "FE 0000 E000 0000000000000000", "FE 0000 E000 00000000"},
      {"return status", [](token_writer& t) { t.return_status(-1); }, "79 FFFFFFFF", "79 FFFFFFFF"},
      {"error",
       [](token_writer& t) {
         t.error({208, 1, 16, "no", "S", "p", 9});
       },
       "AA 1600 D0000000 01 10 0200 'no' 01 'S' 01 'p' 09000000",
       "AA 1400 D0000000 01 10 0200 'no' 01 'S' 01 'p' 0900"},
      {"info",
       [](token_writer& t) {
         t.info({5701, 2, 0, "x", "", "", 1});
       },
       "AB 1000 45160000 02 00 0100 'x' 00 00 01000000", "AB 0E00 45160000 02 00 0100 'x' 00 00 0100"},
      {"return value",
       [](token_writer& t) {
         wire_profile profile;
         t.return_value(0, "handle", wire_column_of({"handle", {.id = sql_type_id::int_}, true}, profile),
                        std::int64_t{1});
       },
       "AC 0000 06 'handle' 01 00000000 0100 26 04 04 01000000", "AC 0D00 06 'handle' 01 0000 0100 26 04 04 01000000"},
      {"begin", [](token_writer& t) { t.env_change_bytes(env_change::begin_transaction, hex("0100000000000000"), {}); },
       "E3 0B00 08 08 0100000000000000 00", "E3 0B00 08 08 0100000000000000 00"},
      {"commit",
       [](token_writer& t) { t.env_change_bytes(env_change::commit_transaction, {}, hex("0100000000000000")); },
       "E3 0B00 09 00 08 0100000000000000", "E3 0B00 09 00 08 0100000000000000"},
      {"reset", [](token_writer& t) { t.env_change_bytes(env_change::reset_ack, {}, {}); }, "E3 0300 12 00 00",
       "E3 0300 12 00 00"},
      {"order",
       [](token_writer& t) {
         const std::uint16_t c[] = {2, 1};
         t.order(c);
       },
       "A9 0400 0200 0100", "A9 0400 0200 0100"},
  };
  for (const row& r : rows) BOOST_TEST_CONTEXT(r.name) {
      for (const bool wide : {true, false}) {
        byte_writer out;
        wire_profile profile = version(wide ? tds_version::v7_4 : tds_version::v7_1);
        token_writer writer(out, profile);
        r.write(writer);
        BOOST_TEST(shown(out.view()) == shown_hex(wide ? r.wide : r.narrow));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_long_message_keeps_its_token_whole) {
  byte_writer out;
  wire_profile profile;
  const std::string text(100000, 'x');
  token_writer(out, profile).error({50000, 1, 16, text, text, text, 1});
  BOOST_TEST(out.size() == 3u + (out.view()[1] | out.view()[2] << 8));
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds
