// SQLBatch, RPC and transaction manager requests: layouts, every parameter type, lies.
#include <boost/test/unit_test.hpp>

#include "tds/all_headers.h"
#include "tds/rpc_request.h"
#include "tds/transaction_request.h"
#include "tests/tds/hex.h"

namespace dragoman::tds {
using testing::hex;
using testing::shown;

namespace {

constexpr std::string_view headers = "16000000 12000000 0200 0807060504030201 01000000 ";

wire_profile version(tds_version v) {
  wire_profile p;
  p.version = v;
  return p;
}

std::string show(const sql_value& value) {
  struct visitor {
    std::string operator()(const null_value&) const { return "NULL"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return "float " + std::to_string(v); }
    std::string operator()(const decimal& v) const { return "exact " + v.to_string(); }
    std::string operator()(const std::string& v) const { return "'" + v + "'"; }
    std::string operator()(const bytes& v) const { return "0x" + shown(v); }
    std::string operator()(const civil_time& v) const {
      return date_text(v.day) + " " + time_text(v.ticks, 7) + (v.offset != 0 ? " " + std::to_string(v.offset) : "");
    }
    std::string operator()(const guid& v) const { return "{" + shown(v) + "}"; }
  };
  return std::visit(visitor{}, value);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(requests)

BOOST_AUTO_TEST_CASE(batch) {
  const auto bytes = hex(std::string(headers) + "'select 1'");
  const auto batch = parse_sql_batch(bytes, version(tds_version::v7_4));
  BOOST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->text == "select 1");
  BOOST_TEST(batch->transaction_descriptor == 0x0102030405060708u);
  BOOST_TEST(parse_sql_batch(hex("'select 2'"), version(tds_version::v7_1))->text == "select 2");
}

BOOST_AUTO_TEST_CASE(headers_are_skipped_by_their_total) {
  // A query notification, a trace activity and an unknown header around the transaction descriptor.
  const auto bytes =
      hex("46000000"
          "0A000000 0100 00000000"
          "12000000 0200 0900000000000000 01000000"
          "1A000000 0300 000102030405060708090A0B0C0D0E0F 01000000"
          "0C000000 0900 112233445566"
          "'x'");
  const auto batch = parse_sql_batch(bytes, version(tds_version::v7_4));
  BOOST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->text == "x");
  BOOST_TEST(batch->transaction_descriptor == 9u);
}

BOOST_AUTO_TEST_CASE(lying_headers) {
  for (const char* text : {"", "000000", "00000000", "03000000", "FFFFFFFF",
                           "17000000 12000000 0200 0807060504030201 01000000", "0A000000 05000000 0200",
                           "0A000000 0B000000 0200", "08000000 00000000", "16000000 12000000 0200 08070605040302"})
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(!parse_sql_batch(hex(text), version(tds_version::v7_4)).has_value());
    }
  BOOST_TEST(!parse_sql_batch(hex(std::string(headers) + "41"), version(tds_version::v7_4)).has_value());
}

BOOST_AUTO_TEST_CASE(every_parameter_type) {
  struct row {
    const char* name;
    const char* encoded;  // TYPE_INFO and value
    const char* type;
    const char* value;
  };
  constexpr const char* latin = "0904D00034";
  const row rows[] = {
      {"null", "1F", "unknown", "NULL"},
      {"tinyint", "30 FF", "tinyint", "255"},
      {"bit", "32 01", "bit", "1"},
      {"smallint", "34 FEFF", "smallint", "-2"},
      {"int", "38 FFFFFF7F", "int", "2147483647"},
      {"bigint", "7F 0000000000000080", "bigint", "-9223372036854775808"},
      {"intn 1", "26 01 01 C8", "tinyint", "200"},
      {"intn 2", "26 02 02 0080", "smallint", "-32768"},
      {"intn 4 null", "26 04 00", "int", "NULL"},
      {"intn 8", "26 08 08 0100000000000000", "bigint", "1"},
      {"intn 8 sent in 4", "26 08 04 01000000", "bigint", "1"},
      {"bitn", "68 01 01 01", "bit", "1"},
      {"bitn null", "68 01 00", "bit", "NULL"},
      {"real", "3B 0000C03F", "real", "float 1.500000"},
      {"float", "3E 000000000000F83F", "float", "float 1.500000"},
      {"fltn 4", "6D 04 04 0000C03F", "real", "float 1.500000"},
      {"fltn 8 null", "6D 08 00", "float", "NULL"},
      {"money", "3C FFFFFFFF F0D8FFFF", "money", "exact -1.0000"},
      {"smallmoney", "7A 10270000", "smallmoney", "exact 1.0000"},
      {"moneyn", "6E 08 08 00000000 10270000", "money", "exact 1.0000"},
      {"moneyn null", "6E 04 00", "smallmoney", "NULL"},
      {"decimal", "6A 05 05 02 05 01 39300000", "decimal(5,2)", "exact 123.45"},
      {"decimal of 17 bytes", "6A 11 26 02 11 00 39300000 00000000 00000000 00000000", "decimal(38,2)",
       "exact -123.45"},
      {"numeric null", "6C 11 26 00 00", "numeric(38,0)", "NULL"},
      {"datetime", "3D 00000000 2C010000", "datetime", "1900-01-01 00:00:01.0000000"},
      {"smalldatetime", "3A 0100 0100", "smalldatetime", "1900-01-02 00:01:00.0000000"},
      {"datetimn", "6F 08 08 FFFFFFFF 00000000", "datetime", "1899-12-31 00:00:00.0000000"},
      {"datetimn null", "6F 04 00", "smalldatetime", "NULL"},
      {"date", "28 03 5B950A", "date", "1900-01-01 00:00:00.0000000"},
      {"date null", "28 00", "date", "NULL"},
      {"time 0", "29 00 03 010000", "time(0)", "0001-01-01 00:00:01.0000000"},
      {"time 7", "29 07 05 8096980000", "time(7)", "0001-01-01 00:00:01.0000000"},
      {"datetime2 3", "2A 03 07 E8030000 5B950A", "datetime2(3)", "1900-01-01 00:00:01.0000000"},
      {"datetimeoffset", "2B 00 08 000000 5B950A 5A00", "datetimeoffset(0)", "1900-01-01 01:30:00.0000000 90"},
      {"datetimeoffset over midnight", "2B 00 08 000000 5B950A A6FF", "datetimeoffset(0)",
       "1899-12-31 22:30:00.0000000 -90"},
      {"guid", "24 10 10 00112233445566778899AABBCCDDEEFF", "uniqueidentifier",
       "{00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF}"},
      {"guid null", "24 10 00", "uniqueidentifier", "NULL"},
      {"nvarchar", "E7 0800 L 0400 'ab'", "nvarchar(4)", "'ab'"},
      {"nvarchar empty", "E7 0800 L 0000", "nvarchar(4)", "''"},
      {"nvarchar null", "E7 0800 L FFFF", "nvarchar(4)", "NULL"},
      {"nvarchar(max), known length", "E7 FFFF L 0400000000000000 04000000 'ab' 00000000", "nvarchar(max)", "'ab'"},
      {"nvarchar(max), chunks", "E7 FFFF L FEFFFFFFFFFFFFFF 02000000 'a' 02000000 'b' 00000000", "nvarchar(max)",
       "'ab'"},
      {"nvarchar(max), a character cut by chunks", "E7 FFFF L FEFFFFFFFFFFFFFF 01000000 61 03000000 00 6200 00000000",
       "nvarchar(max)", "'ab'"},
      {"nvarchar(max) empty", "E7 FFFF L 0000000000000000 00000000", "nvarchar(max)", "''"},
      {"nvarchar(max) null", "E7 FFFF L FFFFFFFFFFFFFFFF", "nvarchar(max)", "NULL"},
      {"nchar", "EF 0400 L 0400 'ab'", "nchar(2)", "'ab'"},
      {"varchar, code page 1252", "A7 0A00 L 0200 E980", "varchar(10)", "'\xC3\xA9\xE2\x82\xAC'"},
      {"varchar, Arabic code page", "A7 0A00 0104D00000 0200 D3E1", "varchar(10)", "'\xD8\xB3\xD9\x84'"},
      {"varchar, UTF-8", "A7 0A00 0904D00400 0200 C3A9", "varchar(10)", "'\xC3\xA9'"},
      {"char", "AF 0200 L 0200 6162", "char(2)", "'ab'"},
      {"varchar(max)", "A7 FFFF L FEFFFFFFFFFFFFFF 02000000 6162 00000000", "varchar(max)", "'ab'"},
      {"varbinary", "A5 0400 0200 DEAD", "varbinary(4)", "0xDE AD"},
      {"binary", "AD 0200 0200 DEAD", "binary(2)", "0xDE AD"},
      {"varbinary(max)", "A5 FFFF 0200000000000000 02000000 DEAD 00000000", "varbinary(max)", "0xDE AD"},
      {"text", "23 FFFFFF7F L 02000000 6162", "text", "'ab'"},
      {"text null", "23 FFFFFF7F L FFFFFFFF", "text", "NULL"},
      {"ntext", "63 FFFFFF7F L 04000000 'ab'", "ntext", "'ab'"},
      {"image", "22 FFFFFF7F 02000000 DEAD", "image", "0xDE AD"},
      {"xml without schema", "F1 00 FEFFFFFFFFFFFFFF 0A000000 FFFE '<a/>' 00000000", "xml", "'<a/>'"},
      {"xml with a schema", "F1 01 01 'd' 01 's' 0100 'c' FEFFFFFFFFFFFFFF 08000000 '<a/>' 00000000", "xml", "'<a/>'"},
      {"xml null", "F1 00 FFFFFFFFFFFFFFFF", "xml", "NULL"},
      {"udt", "F0 00 00 01 'g' 0200000000000000 02000000 DEAD 00000000", "varbinary(max)", "0xDE AD"},
      {"variant int", "62 491F0000 06000000 38 00 05000000", "sql_variant", "5"},
      {"variant nvarchar", "62 491F0000 0D000000 E7 07 L 401F 'ab'", "sql_variant", "'ab'"},
      {"variant decimal", "62 491F0000 09000000 6C 02 0502 01 39300000", "sql_variant", "exact 123.45"},
      {"variant null", "62 491F0000 00000000", "sql_variant", "NULL"},
      {"json", "F4 FEFFFFFFFFFFFFFF 02000000 7B7D 00000000", "json", "'{}'"},
      {"old varchar", "27 0A 02 6162", "varchar(10)", "'ab'"},
      {"old varbinary", "25 0A 02 DEAD", "varbinary(10)", "0xDE AD"},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.name) {
      std::string encoded = r.encoded;
      for (std::size_t at; (at = encoded.find('L')) != std::string::npos;) encoded.replace(at, 1, latin);
      // sp_executesql by number, one parameter "@p" with that type, one int behind it.
      const auto bytes =
          hex(std::string(headers) + "FFFF 0A00 0000  02 '@p' 01 " + encoded + " 00 00 26 04 04 07000000");
      const auto request = parse_rpc_request(bytes, version(tds_version::v7_4));
      BOOST_REQUIRE_MESSAGE(request.has_value(), r.name);
      BOOST_REQUIRE(request->calls.size() == 1u);
      const rpc_call& call = request->calls[0];
      BOOST_TEST((call.id == proc_id::sp_executesql));
      BOOST_REQUIRE(call.parameters.size() == 2u);
      BOOST_TEST(call.parameters[0].name == "@p");
      BOOST_TEST(call.parameters[0].output);
      BOOST_TEST(to_string(call.parameters[0].type) == r.type);
      BOOST_TEST(show(call.parameters[0].value) == r.value);
      BOOST_TEST(show(call.parameters[1].value) == "7");
      // Cut anywhere, it is refused and nothing behind the end is read.
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        cut.shrink_to_fit();
        const auto part = parse_rpc_request(cut, version(tds_version::v7_4));
        if (part.has_value()) BOOST_TEST(part->calls[0].parameters.size() < 2u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(lying_parameters) {
  struct row {
    const char* name;
    const char* encoded;
  };
  for (const row& r :
       {row{"unknown type", "99"}, row{"intn of 3", "26 03 03 000000"}, row{"intn value of 3", "26 04 03 000000"},
        row{"decimal precision 39", "6A 11 27 00 00"}, row{"decimal scale over precision", "6A 05 05 06 00"},
        row{"decimal over 38 digits", "6A 11 26 00 11 01 FFFFFFFF FFFFFFFF FFFFFFFF FFFFFFFF"},
        row{"date beyond 9999", "28 03 FFFFFF"}, row{"time of a day and more", "29 00 03 FFFFFF"},
        row{"time scale 8", "29 08 00"}, row{"offset of 15 hours", "2B 00 08 000000 5B950A 8403"},
        row{"guid of 15", "24 10 0F 00112233445566778899AABBCCDDEE"},
        row{"PLP chunks differ from the total", "A5 FFFF 0300000000000000 02000000 DEAD 00000000"},
        row{"PLP without end", "A5 FFFF FEFFFFFFFFFFFFFF 02000000 DEAD"},
        row{"PLP of four exabytes", "A5 FFFF 0000000000000040 FFFFFF7F"},
        row{"odd nvarchar", "E7 0800 0904D00034 0300 610062"},
        row{"variant in variant", "62 491F0000 06000000 62 00 05000000"},
        row{"variant shorter than its head", "62 491F0000 01000000 38"}})
    BOOST_TEST_CONTEXT(r.name) {
      BOOST_TEST(!parse_rpc_request(hex(std::string(headers) + "FFFF 0A00 0000 00 00 " + r.encoded),
                                    version(tds_version::v7_4))
                      .has_value());
    }
}

BOOST_AUTO_TEST_CASE(several_calls) {
  const auto request = parse_rpc_request(
      hex(std::string(headers) +
          "0300 'foo' 0200 00 00 26 04 04 01000000 FF FFFF 0C00 0000 00 00 26 04 04 02000000 FE 0300 'bar' 0000"),
      version(tds_version::v7_4));
  BOOST_REQUIRE(request.has_value());
  BOOST_REQUIRE(request->calls.size() == 3u);
  BOOST_TEST(request->calls[0].name == "foo");
  BOOST_TEST(request->calls[0].by_name);
  BOOST_TEST(request->calls[0].options == 2);
  BOOST_TEST((request->calls[1].id == proc_id::sp_execute));
  BOOST_TEST(request->calls[1].no_execute);
  BOOST_TEST(request->calls[2].parameters.empty());
  // The separator of 7.1 is 0x80, and there are no headers.
  const auto old = parse_rpc_request(hex("FFFF 0A00 0000 80 FFFF 0F00 0000"), version(tds_version::v7_1));
  BOOST_REQUIRE(old.has_value());
  BOOST_TEST(old->calls.size() == 2u);
}

BOOST_AUTO_TEST_CASE(table_valued_parameter_is_skipped) {
  const std::string tvp =
      "F3 00 03 'dbo' 01 't' 0200"
      " 00000000 0000 38 00"
      " 00000000 0100 E7 0800 0904D00034 00"
      " 10 0100 0100 01"
      " 00"
      " 01 05000000 0400 'ab'"
      " 01 06000000 FFFF"
      " 00";
  const auto request =
      parse_rpc_request(hex(std::string(headers) + "0100 'p' 0000 00 00 " + tvp + " 00 00 26 04 04 07000000"),
                        version(tds_version::v7_4));
  BOOST_REQUIRE(request.has_value());
  BOOST_REQUIRE(request->calls[0].parameters.size() == 2u);
  BOOST_TEST(request->calls[0].parameters[0].table_valued);
  BOOST_TEST(show(request->calls[0].parameters[1].value) == "7");
  // NULL table.
  BOOST_TEST(parse_rpc_request(hex(std::string(headers) + "0100 'p' 0000 00 00 F3 00 00 01 't' FFFF 00 00"),
                               version(tds_version::v7_4))
                 .has_value());
}

BOOST_AUTO_TEST_CASE(names_of_procedures) {
  struct row {
    const char* typed;
    proc_id id;
    const char* name;
  };
  for (const row& r :
       {row{"sp_execute", proc_id::sp_execute, "sp_execute"},
        row{"[sys].SP_EXECUTESQL", proc_id::sp_executesql, "SP_EXECUTESQL"},
        row{"master..sp_prepare", proc_id::sp_prepare, "sp_prepare"},
        row{"[db].[sys].[sp_unprepare];1", proc_id::sp_unprepare, "sp_unprepare"}, row{"[a]]b].x", proc_id::none, "x"},
        row{"\"sp_tables\"", proc_id::none, "sp_tables"}, row{"", proc_id::none, ""}, row{"[", proc_id::none, ""}}) {
    BOOST_TEST((proc_id_of(r.typed) == r.id));
    BOOST_TEST(split_procedure_name(r.typed).name == r.name);
  }
  const procedure_name full = split_procedure_name("[my db].sys.sp_columns_100");
  BOOST_TEST(full.database == "my db");
  BOOST_TEST(full.schema == "sys");
}

BOOST_AUTO_TEST_CASE(too_many) {
  std::string text = std::string(headers) + "FFFF 0A00 0000 ";
  for (std::size_t i = 0; i <= limits::rpc_parameters_max; ++i) text += "00 00 26 04 00 ";
  const auto request = parse_rpc_request(hex(text), version(tds_version::v7_4));
  BOOST_REQUIRE(!request.has_value());
  BOOST_TEST((request.error().code == errc::too_complex));
}

BOOST_AUTO_TEST_CASE(transactions) {
  const auto begin =
      parse_transaction_request(hex(std::string(headers) + "0500 02 04 'tx'"), version(tds_version::v7_4));
  BOOST_REQUIRE(begin.has_value());
  BOOST_TEST((begin->operation == transaction_operation::begin));
  BOOST_TEST(begin->isolation == 2);
  BOOST_TEST(begin->name == "tx");
  const auto commit =
      parse_transaction_request(hex(std::string(headers) + "0700 00 01 04 02 'n'"), version(tds_version::v7_4));
  BOOST_REQUIRE(commit.has_value());
  BOOST_TEST(commit->begin_next);
  BOOST_TEST(commit->next_isolation == 4);
  BOOST_TEST(commit->next_name == "n");
  BOOST_TEST(parse_transaction_request(hex(std::string(headers) + "0800 00"), version(tds_version::v7_4)).has_value());
  BOOST_TEST(
      !parse_transaction_request(hex(std::string(headers) + "0900 08 'tx'"), version(tds_version::v7_4)).has_value());
  BOOST_TEST(!parse_transaction_request(hex(std::string(headers)), version(tds_version::v7_4)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds
