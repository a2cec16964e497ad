#include "proxy/demo/row_writer.h"

#include <algorithm>

#include "base/utf16.h"
#include "proxy/sandbox/codec.h"
#include "tds/value_encoder.h"

namespace dragoman::demo {
namespace {

using sandbox::family;
using sandbox::storage_class;
using tds::type_token;
using tds::value_form;
using tds::value_text;

bool is_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
}

}  // namespace

row_writer::row_writer(const std::vector<result_column>& columns, tds::server::row_sink& sink)
    : columns_(columns), sink_(sink) {
  const auto wire = sink.layout().columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& w = wire[i];
    const sql_type_id id = columns[i].type.id;
    way how = way::other;
    switch (sandbox::family_of(id)) {
      case family::integer: how = way::integer; break;
      case family::real: how = way::real; break;
      case family::decimal:
        if (w.token == type_token::decimaln || w.token == type_token::numericn) how = way::decimal;
        if (w.token == type_token::moneyn || w.token == type_token::money || w.token == type_token::money4)
          how = way::money;
        break;
      case family::date:
        if (w.token == type_token::date) how = way::date;
        break;
      case family::time:
        if (w.token == type_token::time) how = way::time;
        break;
      case family::datetime:
        if (w.token == type_token::datetime2) how = way::datetime2;
        if (id == sql_type_id::datetime && (w.token == type_token::datetimn || w.token == type_token::datetime))
          how = way::datetime;
        break;
      case family::text: {
        const bool padded = id == sql_type_id::char_ || id == sql_type_id::nchar;
        if (w.form != value_form::short_len || padded || w.max_bytes == 0) break;
        if (w.text == value_text::utf16) how = way::utf16;
        if (w.text == value_text::code_page || w.text == value_text::utf8) how = way::text;
        break;
      }
      default: break;
    }
    ways_.push_back(how);
  }
}

void row_writer::write_other(const sandbox::statement& row, int column) {
  const auto i = static_cast<std::size_t>(column);
  sandbox::decode(row, column, columns_[i].type, value_);
  scratch_.clear();
  tds::write_value(scratch_, sink_.layout().columns()[i], value_);
  sink_.append(scratch_.view());
}

void row_writer::write(const sandbox::statement& row) {
  namespace encode = tds::encode;
  const auto wire = sink_.layout().columns();
  std::uint8_t* token = sink_.reserve(1);
  *token = encode::row_token;
  sink_.commit(1);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const int column = static_cast<int>(i);
    const auto& w = wire[i];
    if (ways_[i] == way::other) {
      write_other(row, column);
      continue;
    }
    const storage_class kind = row.kind(column);
    if (kind == storage_class::null) {
      std::uint8_t* p = sink_.reserve(32);
      sink_.commit(static_cast<std::size_t>(encode::null(p, w) - p));
      continue;
    }
    if (ways_[i] == way::text || ways_[i] == way::utf16) {
      const std::string_view text = row.text(column);
      const bool utf16 = ways_[i] == way::utf16;
      if (!utf16 && (!is_ascii(text) || text.size() > w.max_bytes)) {
        write_other(row, column);
        continue;
      }
      // No text of UTF-8 has more code units than bytes; a value longer than its column takes the careful way.
      if (utf16 && text.size() * 2 > w.max_bytes && utf16_length(text) * 2 > w.max_bytes) {
        write_other(row, column);
        continue;
      }
      std::uint8_t* p = sink_.reserve(text.size() * 2 + 2);
      if (utf16) {
        const std::size_t size = write_utf16le(p + 2, text);
        encode::raw(p, static_cast<std::uint16_t>(size));
        sink_.commit(size + 2);
      } else {
        sink_.commit(static_cast<std::size_t>(encode::short_bytes(p, text.data(), text.size()) - p));
      }
      continue;
    }
    std::uint8_t* p = sink_.reserve(64);
    std::uint8_t* end = p;
    switch (ways_[i]) {
      case way::integer: end = encode::integer(p, w, row.integer(column)); break;
      case way::real: end = encode::floating(p, w, row.real(column)); break;
      case way::decimal: {
        const sandbox::int128 v = kind == storage_class::blob ? sandbox::wide_of(row.blob(column)).value_or(0)
                                                              : static_cast<sandbox::int128>(row.integer(column));
        end = encode::decimal_at_scale(p, w, v < 0, static_cast<uint128>(v < 0 ? -v : v));
        break;
      }
      case way::money: end = encode::money(p, w, row.integer(column)); break;
      case way::date: end = encode::date(p, static_cast<day_number>(row.integer(column))); break;
      case way::time: end = encode::time(p, w, row.integer(column)); break;
      case way::datetime: {
        const civil_time t = sandbox::civil_of(row.integer(column));
        end =
            encode::datetime(p, w, t.day - days_to_1900, static_cast<std::uint32_t>((t.ticks * 3 + 50'000) / 100'000));
        break;
      }
      case way::datetime2: {
        const civil_time t = sandbox::civil_of(row.integer(column));
        end = encode::datetime2(p, w, t.day, t.ticks);
        break;
      }
      default: break;
    }
    sink_.commit(static_cast<std::size_t>(end - p));
  }
}

}  // namespace dragoman::demo
