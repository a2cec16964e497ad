#include "tds/token_writer.h"

#include "base/utf16.h"

namespace dragoman::tds {
namespace {

constexpr std::size_t message_units_max = 4000;  // keeps the token below its 16-bit length
constexpr std::size_t name_units_max = 128;

void b_varchar(byte_writer& out, std::string_view text) {
  text = utf16_prefix(text, name_units_max);
  out.u8(static_cast<std::uint8_t>(utf16_length(text)));
  out.utf16(text);
}

void us_varchar(byte_writer& out, std::string_view text) {
  text = utf16_prefix(text, message_units_max);
  out.u16(static_cast<std::uint16_t>(utf16_length(text)));
  out.utf16(text);
}

// A token whose 16-bit length is known only when its body is written.
class counted {
 public:
  counted(byte_writer& out, token kind) : out_(out) {
    out.u8(static_cast<std::uint8_t>(kind));
    at_ = out.size();
    out.u16(0);
  }
  ~counted() { out_.patch_u16(at_, out_.size() - at_ - 2); }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

 private:
  byte_writer& out_;
  std::size_t at_ = 0;
};

}  // namespace

void token_writer::write_message(token kind, const message& m) {
  counted body(out_, kind);
  out_.u32(static_cast<std::uint32_t>(m.number));
  out_.u8(m.state);
  out_.u8(m.severity);
  us_varchar(out_, m.text);
  b_varchar(out_, m.server);
  b_varchar(out_, m.procedure);
  if (profile_.wide())
    out_.u32(m.line);
  else
    out_.u16(static_cast<std::uint16_t>(m.line));
}

void token_writer::done(token kind, std::uint16_t status, command cmd, std::uint64_t rows) {
  out_.u8(static_cast<std::uint8_t>(kind));
  out_.u16(status);
  out_.u16(static_cast<std::uint16_t>(cmd));
  // Some clients read the count whatever the status says.
  if ((status & done_status::count) == 0) rows = 0;
  if (profile_.wide())
    out_.u64(rows);
  else
    out_.u32(static_cast<std::uint32_t>(rows));
}

void token_writer::return_status(std::int32_t value) {
  out_.u8(static_cast<std::uint8_t>(token::return_status));
  out_.u32(static_cast<std::uint32_t>(value));
}

void token_writer::return_value(std::uint16_t ordinal, std::string_view name, const wire_column& column,
                                const sql_value& value) {
  constexpr std::uint16_t ordinal_71 = 13;  // what drivers of that age expect instead of an ordinal
  constexpr std::uint8_t output_parameter = 1;
  out_.u8(static_cast<std::uint8_t>(token::return_value));
  out_.u16(profile_.wide() ? ordinal : ordinal_71);
  b_varchar(out_, name);
  out_.u8(output_parameter);
  if (profile_.wide())
    out_.u32(0);
  else
    out_.u16(0);
  out_.u16(column.flags);
  write_type_info(out_, column);
  write_value(out_, column, value);
}

void token_writer::env_change_text(env_change type, std::string_view new_value, std::string_view old_value) {
  counted body(out_, token::env_change);
  out_.u8(static_cast<std::uint8_t>(type));
  b_varchar(out_, new_value);
  b_varchar(out_, old_value);
}

void token_writer::env_change_bytes(env_change type, byte_span new_value, byte_span old_value) {
  counted body(out_, token::env_change);
  out_.u8(static_cast<std::uint8_t>(type));
  out_.u8(static_cast<std::uint8_t>(new_value.size()));
  out_.raw(new_value);
  out_.u8(static_cast<std::uint8_t>(old_value.size()));
  out_.raw(old_value);
}

void token_writer::env_change_collation(const collation& coll) {
  const std::uint8_t five[5] = {static_cast<std::uint8_t>(coll.info), static_cast<std::uint8_t>(coll.info >> 8),
                                static_cast<std::uint8_t>(coll.info >> 16), static_cast<std::uint8_t>(coll.info >> 24),
                                coll.sort_id};
  env_change_bytes(env_change::collation, five, {});
}

void token_writer::login_ack(std::string_view program, std::array<std::uint8_t, 4> version) {
  counted body(out_, token::loginack);
  out_.u8(1);  // interface: T-SQL
  out_.u32_big(wire_value(profile_.version));
  b_varchar(out_, program);
  out_.raw(version);
}

void token_writer::feature_ext_ack(std::span<const std::pair<std::uint8_t, byte_span>> features) {
  out_.u8(static_cast<std::uint8_t>(token::feature_ext_ack));
  for (const auto& [id, data] : features) {
    out_.u8(id);
    out_.u32(static_cast<std::uint32_t>(data.size()));
    out_.raw(data);
  }
  out_.u8(0xFF);
}

void token_writer::order(std::span<const std::uint16_t> columns) {
  out_.u8(static_cast<std::uint8_t>(token::order));
  out_.u16(static_cast<std::uint16_t>(columns.size() * 2));
  for (const std::uint16_t column : columns) out_.u16(column);
}

void token_writer::browse(const browse_info& info, std::size_t columns) {
  static const browse_column unknown;
  static const std::vector<std::vector<std::string>> nameless = {{std::string()}};
  {
    counted body(out_, token::tabname);
    for (const std::vector<std::string>& parts : info.tables.empty() ? nameless : info.tables) {
      if (profile_.version >= tds_version::v7_1) {
        out_.u8(static_cast<std::uint8_t>(parts.size()));
        for (const std::string& part : parts) us_varchar(out_, part);
      } else {
        std::string joined;
        for (const std::string& part : parts) joined += (joined.empty() ? "" : ".") + part;
        us_varchar(out_, joined);
      }
    }
  }
  counted body(out_, token::colinfo);
  for (std::size_t i = 0; i < columns; ++i) {
    const browse_column& c = i < info.columns.size() ? info.columns[i] : unknown;
    out_.u8(static_cast<std::uint8_t>(i + 1));
    out_.u8(c.table);
    out_.u8(c.status);
    if ((c.status & browse_column::different_name) != 0) b_varchar(out_, c.base_name);
  }
}

}  // namespace dragoman::tds
