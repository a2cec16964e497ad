// The tokens of a response other than COLMETADATA and ROW, MS-TDS 2.2.7, in the layout of the client's version.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/sql_value.h"
#include "tds/version.h"
#include "tds/wire_column.h"

namespace dragoman::tds {

enum class token : std::uint8_t {
  return_status = 0x79,
  colmetadata = 0x81,
  tabname = 0xA4,
  colinfo = 0xA5,
  order = 0xA9,
  error = 0xAA,
  info = 0xAB,
  return_value = 0xAC,
  loginack = 0xAD,
  feature_ext_ack = 0xAE,
  row = 0xD1,
  nbcrow = 0xD2,
  env_change = 0xE3,
  done = 0xFD,
  done_proc = 0xFE,
  done_in_proc = 0xFF,
};

// DONE Status, 2.2.7.6.
namespace done_status {
inline constexpr std::uint16_t final = 0x0000;
inline constexpr std::uint16_t more = 0x0001;
inline constexpr std::uint16_t error = 0x0002;
inline constexpr std::uint16_t in_transaction = 0x0004;
inline constexpr std::uint16_t count = 0x0010;
inline constexpr std::uint16_t attention = 0x0020;
}  // namespace done_status

// DONE CurCmd: what the ended statement was.
enum class command : std::uint16_t {
  none = 0,
  set = 0xBE,
  select = 0xC1,
  insert = 0xC3,
  delete_ = 0xC4,
  update = 0xC5,
  use = 0xC8,
  rollback = 0xD2,
  begin = 0xD4,
  commit = 0xD5,
  execute = 0xE0,
  bulk = 0xF0,
  attention = 0xFD,
  merge = 0x117,
};

// ERROR and INFO, 2.2.7.10 and 2.2.7.13. Class up to 10 is INFO, 11..19 ERROR.
struct message {
  std::int32_t number = 0;
  std::uint8_t state = 1;
  std::uint8_t severity = 0;
  std::string_view text;
  std::string_view server;
  std::string_view procedure;
  std::uint32_t line = 1;
};

// ENVCHANGE types that every client reads, 2.2.7.9.
enum class env_change : std::uint8_t {
  database = 1,
  language = 2,
  packet_size = 4,
  collation = 7,
  begin_transaction = 8,
  commit_transaction = 9,
  rollback_transaction = 10,
  reset_ack = 18,
};

// Where the columns of a result come from, for cursors and browse mode: TABNAME 2.2.7.28 and COLINFO 2.2.7.5.
struct browse_column {
  static constexpr std::uint8_t expression = 0x04;
  static constexpr std::uint8_t key = 0x08;
  static constexpr std::uint8_t hidden = 0x10;
  static constexpr std::uint8_t different_name = 0x20;  // base_name is not the column's own name
  std::uint8_t table = 0;                               // from 1; 0 = of no table
  std::uint8_t status = expression;
  std::string base_name;
};
struct browse_info {
  std::vector<std::vector<std::string>> tables;  // the parts of each name: [[server,] database,] schema, table
  std::vector<browse_column> columns;
};

class token_writer {
 public:
  token_writer(byte_writer& out, const wire_profile& profile) noexcept : out_(out), profile_(profile) {}

  void error(const message& m) { write_message(token::error, m); }
  void info(const message& m) { write_message(token::info, m); }
  void done(token kind, std::uint16_t status, command cmd, std::uint64_t rows);
  void return_status(std::int32_t value);
  // ordinal counts from 0 among the call's parameters; `column` is of a nullable result_column.
  void return_value(std::uint16_t ordinal, std::string_view name, const wire_column& column, const sql_value& value);
  void env_change_text(env_change type, std::string_view new_value, std::string_view old_value);
  void env_change_bytes(env_change type, byte_span new_value, byte_span old_value);
  void env_change_collation(const collation& coll);
  void login_ack(std::string_view program, std::array<std::uint8_t, 4> version);
  void feature_ext_ack(std::span<const std::pair<std::uint8_t, byte_span>> features);
  void order(std::span<const std::uint16_t> columns);
  // TABNAME and COLINFO, directly behind COLMETADATA. Both are always there: FreeTDS reads the second only after the
  // first, and the first must name a table.
  // One entry for each of the result's columns: those that are not told of are expressions.
  void browse(const browse_info& info, std::size_t columns);

 private:
  void write_message(token kind, const message& m);
  byte_writer& out_;
  const wire_profile& profile_;
};

}  // namespace dragoman::tds
