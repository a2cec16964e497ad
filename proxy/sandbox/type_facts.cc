#include "proxy/sandbox/type_facts.h"

#include "proxy/sandbox/codec.h"

namespace dragoman::sandbox {

type_facts facts_of(const sql_type& type) noexcept {
  using enum sql_type_id;
  type_facts f;
  const auto ids = [&](std::int32_t system, std::int32_t odbc, std::int32_t ss) {
    f.system_type_id = f.user_type_id = system;
    f.odbc3 = f.odbc2 = f.sql_data_type = odbc;
    f.ss_data_type = ss;
  };
  const auto number = [&](std::int32_t length, std::int32_t precision, std::int32_t scale) {
    f.max_length = f.transfer_length = length;
    f.precision = f.column_size = precision;
    f.scale = scale;
    f.digits = scale;
    f.radix = 10;
  };
  const auto characters = [&](int bytes_per_character) {
    const bool unlimited = type.is_max();
    f.max_length = unlimited ? -1 : type.length * bytes_per_character;
    f.column_size = unlimited ? 0 : type.length;
    f.transfer_length = unlimited ? 0 : f.max_length;
    f.octet_length = f.transfer_length;
  };
  const auto moment = [&](std::int32_t length, std::int32_t size, std::int32_t scale, std::int32_t transfer,
                          std::int32_t sub) {
    f.max_length = length;
    f.precision = f.column_size = size;
    f.scale = scale;
    f.digits = scale;
    f.transfer_length = transfer;
    f.sql_data_type = 9;
    f.datetime_sub = sub;
  };
  const int fraction = type.scale > 0 ? type.scale + 1 : 0;
  const int time_bytes = type.scale <= 2 ? 3 : type.scale <= 4 ? 4 : 5;
  switch (type.id) {
    case bit:
      ids(104, -7, 50);
      number(1, 1, 0);
      f.radix.reset();
      break;
    case tinyint: ids(48, -6, 37), number(1, 3, 0); break;
    case smallint: ids(52, 5, 52), number(2, 5, 0); break;
    case int_: ids(56, 4, 56), number(4, 10, 0); break;
    case bigint: ids(127, -5, 63), number(8, 19, 0); break;
    case decimal:
    case numeric: {
      ids(type.id == decimal ? 106 : 108, type.id == decimal ? 3 : 2, type.id == decimal ? 106 : 108);
      const int bytes = type.precision <= 9 ? 5 : type.precision <= 19 ? 9 : type.precision <= 28 ? 13 : 17;
      number(bytes, type.precision, type.scale);
      f.transfer_length = type.precision + 2;
      break;
    }
    case money:
      ids(60, 3, 110), number(8, 19, 4);
      f.transfer_length = 21;
      break;
    case smallmoney:
      ids(122, 3, 110), number(4, 10, 4);
      f.transfer_length = 12;
      break;
    case real:
      ids(59, 7, 109), number(4, 24, 0);
      f.digits.reset();
      f.radix = 2;
      break;
    case float_:
      ids(62, 6, 109), number(8, 53, 0);
      f.column_size = 15;
      f.digits.reset();
      f.radix = 10;
      break;
    case date:
      ids(40, 91, 0);
      moment(3, 10, 0, 6, 1);
      f.odbc2 = -9;
      break;
    case time:
      ids(41, -154, 0);
      moment(time_bytes, 8 + fraction, type.scale, 10, 0);
      f.sql_data_type = -154;
      f.odbc2 = -9;
      f.datetime_sub.reset();
      break;
    case datetime:
      ids(61, 93, 111);
      moment(8, 23, 3, 16, 3);
      f.odbc2 = 11;
      break;
    case smalldatetime:
      ids(58, 93, 111);
      moment(4, 16, 0, 16, 3);
      f.odbc2 = 11;
      break;
    case datetime2:
      ids(42, 93, 0);
      moment(time_bytes + 3, 19 + fraction, type.scale, 16, 3);
      f.odbc2 = -9;
      break;
    case datetimeoffset:
      ids(43, -155, 0);
      moment(time_bytes + 5, 26 + fraction, type.scale, 20, 0);
      f.sql_data_type = -155;
      f.odbc2 = -9;
      f.datetime_sub.reset();
      break;
    case char_: ids(175, 1, 39), characters(1); break;
    case varchar: ids(167, 12, 39), characters(1); break;
    case nchar: ids(239, -8, 39), characters(2); break;
    case nvarchar: ids(231, -9, 39), characters(2); break;
    case sysname:
      ids(231, -9, 39);
      f.user_type_id = 256;
      f.max_length = f.transfer_length = 256;
      f.octet_length = 256;
      f.column_size = 128;
      break;
    case sql_type_id::text:
      ids(35, -1, 35);
      f.max_length = 16;
      f.column_size = f.transfer_length = 2147483647;
      f.octet_length = 2147483647;
      break;
    case ntext:
      ids(99, -10, 35);
      f.max_length = 16;
      f.column_size = 1073741823;
      f.transfer_length = 2147483646;
      f.octet_length = 2147483646;
      break;
    case image:
      ids(34, -4, 34);
      f.max_length = 16;
      f.column_size = f.transfer_length = 2147483647;
      f.octet_length = 2147483647;
      break;
    case binary: ids(173, -2, 37), characters(1); break;
    case varbinary: ids(165, -3, 37), characters(1); break;
    case rowversion:
      ids(189, -2, 37);
      f.max_length = f.column_size = f.transfer_length = 8;
      f.octet_length = 8;
      break;
    case uniqueidentifier:
      ids(36, -11, 37);
      f.max_length = f.transfer_length = 16;
      f.column_size = 36;
      break;
    case xml:
      ids(241, -152, 0);
      f.max_length = -1;
      break;
    case sql_variant:
      ids(98, -150, 39);
      f.max_length = 8016;
      f.column_size = f.transfer_length = 8000;
      break;
    default:
      ids(231, -9, 39);
      f.max_length = -1;
      break;
  }
  return f;
}

}  // namespace dragoman::sandbox
