#include "proxy/upstream/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "proxy/upstream/row_decoder.h"
#include "tds/value_encoder.h"

namespace dragoman::upstream {
namespace {

namespace encode = tds::encode;

// The first blocks are small, so that the first rows of a slow query leave before its last ones arrive.
constexpr std::size_t first_block_rows = 32;

constexpr std::size_t variant_bytes_max = 8000;

SQLUSMALLINT number_of(std::size_t column) {
  return static_cast<SQLUSMALLINT>(column + 1);
}

}  // namespace

read_outcome result_reader::run(SQLRETURN executed, std::vector<diagnostic> said) {
  out_.diagnostics = std::move(said);
  SQLRETURN rc = executed;
  while (!out_.error && !out_.stopped) {
    if (SQL_SUCCEEDED(rc)) {
      SQLSMALLINT columns = 0;
      SQLNumResultCols(connection_.statement(), &columns);
      if (columns > 0 && !read_result()) break;
    } else if (rc != SQL_NO_DATA) {
      out_.server_failed = true;
      break;
    }
    rc = connection_.call([&] { return SQLMoreResults(connection_.statement()); });
    if (rc == SQL_NO_DATA) break;
    take_diagnostics(rc);
  }
  return std::move(out_);
}

void result_reader::take_diagnostics(SQLRETURN rc) {
  if (rc == SQL_SUCCESS || rc == SQL_NO_DATA) return;
  for (diagnostic& d : diagnostics_of(SQL_HANDLE_STMT, connection_.statement()))
    if (out_.diagnostics.size() < 256) out_.diagnostics.push_back(std::move(d));
}

bool result_reader::read_result() {
  auto described = describe(connection_.statement(), connection_.default_collation());
  if (!described) {
    out_.error = described.error();
    return false;
  }
  row_layout& layout = *described;
  if (!gate_.begin_delivery()) {
    out_.stopped = true;
    return false;
  }
  form_ = receiver_.on_columns(layout.columns);
  out_.rows_begun = true;
  if (form_.form == row_form::kind::wire) {
    encoder_.emplace(layout, form_.profile);
    const tds::row_layout on_wire(layout.columns, form_.profile);
    receiver_.on_layout(layout.columns, on_wire);
    if (!encoder_->direct()) slow_layout_ = on_wire;
  }
  gate_.end_delivery();
  if (form_.form == row_form::kind::skip) return true;

  SQLULEN fetched = 0;
  const std::size_t most_rows = layout.rows;
  if (!layout.has_long) layout.rows = std::min(layout.rows, first_block_rows);
  block_.resize(layout.row_bytes * most_rows);
  if (auto bound = bind(connection_.statement(), layout, block_.data(), &fetched); !bound) {
    out_.error = bound.error();
    return false;
  }
  std::uint64_t rows = 0;
  for (bool first = true;; first = false) {
    if (!first && layout.rows != most_rows) {
      layout.rows = most_rows;
      SQLSetStmtAttrW(connection_.statement(), SQL_ATTR_ROW_ARRAY_SIZE, reinterpret_cast<SQLPOINTER>(most_rows),
                      SQL_IS_UINTEGER);
    }
    const step next = fetch(fetched);
    std::size_t count = fetched;
    if (capped_ && count > rows_left_) {
      count = rows_left_;
      out_.rows_cut = true;
    }
    if (count > 0) {
      if (!gate_.begin_delivery()) {
        out_.stopped = true;
        return false;
      }
      const bool more = deliver(layout, count);
      // A block that is not full was the last: its rows leave together with what ends the response.
      if (more && fetched == layout.rows && (first || !connection_.has_input())) receiver_.flush();
      gate_.end_delivery();
      if (!more) return false;
      rows += count;
      out_.rows += count;
      if (capped_) rows_left_ -= count;
    }
    if (next == step::end) return false;
    if (next == step::go_on && !out_.rows_cut) continue;
    if (!gate_.begin_delivery()) {
      out_.stopped = true;
      return false;
    }
    receiver_.on_result_end(rows);
    gate_.end_delivery();
    break;
  }
  SQLFreeStmt(connection_.statement(), SQL_UNBIND);
  return !out_.rows_cut;
}

// One block. `fetched` rows are good even when the result is step::end: an error may follow rows.
result_reader::step result_reader::fetch(SQLULEN& fetched) {
  fetched = 0;
  const SQLRETURN rc = connection_.call([&] { return SQLFetch(connection_.statement()); });
  if (rc == SQL_SUCCESS) return step::go_on;
  if (rc == SQL_NO_DATA) {
    fetched = 0;
    return step::result_done;
  }
  const std::size_t before = out_.diagnostics.size();
  take_diagnostics(rc);
  bool failed = !SQL_SUCCEEDED(rc);
  for (std::size_t i = before; i < out_.diagnostics.size(); ++i) {
    const diagnostic& d = out_.diagnostics[i];
    // A value longer than its column was declared: what was bound is cut, so no row of the block can be trusted.
    if (d.state == "01004" && d.number == 0) {
      out_.error = failure(errc::upstream_error, "A value of the data source is longer than its column.");
      fetched = 0;
      return step::end;
    }
    failed = failed || !d.is_warning();
  }
  if (!failed) return step::go_on;
  out_.server_failed = true;
  if (!SQL_SUCCEEDED(rc)) fetched = 0;
  return step::end;
}

bool result_reader::deliver(const row_layout& layout, std::size_t count) {
  if (form_.form == row_form::kind::values || !encoder_->direct()) return deliver_values(layout, count);
  if (layout.has_long) return deliver_long_row(layout);
  return deliver_direct(layout, count);
}

bool result_reader::deliver_direct(const row_layout& layout, std::size_t count) {
  const std::uint8_t* row = block_.data();
  for (std::size_t i = 0; i < count; ++i, row += layout.row_bytes) {
    const std::size_t most = encoder_->bytes_at_most(row);
    if (most > row_receiver::reserve_max) {
      // A row of many wide columns: encoded aside, then passed on in pieces.
      scratch_.resize(most);
      const std::uint8_t* end = encoder_->encode(row, scratch_.data());
      if (!append(scratch_.data(), static_cast<std::size_t>(end - scratch_.data()), 1)) return false;
      continue;
    }
    const std::span<std::uint8_t> to = receiver_.reserve(most);
    if (to.empty()) {
      out_.stopped = true;
      return false;
    }
    const std::uint8_t* end = encoder_->encode(row, to.data());
    receiver_.commit(static_cast<std::size_t>(end - to.data()), 1);
  }
  return true;
}

std::span<std::uint8_t> result_reader::room(std::size_t bytes) {
  const std::span<std::uint8_t> to = receiver_.reserve(bytes);
  if (to.empty()) out_.stopped = true;
  return to;
}

bool result_reader::append(const std::uint8_t* bytes, std::size_t count, std::size_t rows) {
  while (count > 0) {
    const std::size_t piece = std::min(count, row_receiver::reserve_max);
    const std::span<std::uint8_t> to = room(piece);
    if (to.empty()) return false;
    std::memcpy(to.data(), bytes, piece);
    bytes += piece;
    count -= piece;
    receiver_.commit(piece, count == 0 ? rows : 0);
  }
  return true;
}

bool result_reader::too_large(const row_layout& layout, std::size_t column) {
  out_.error = failure(errc::value_too_large,
                       fmt::format("A value of column {} (\"{}\") is larger than the {} bytes that are relayed.",
                                   column + 1, layout.columns[column].name, options_.value_bytes_max));
  return false;
}

// Before a row begins, the lengths of its long values: once begun it must be written to its end.
bool result_reader::long_lengths(const row_layout& layout, std::vector<SQLLEN>& out) {
  out.assign(layout.bound.size(), 0);
  const auto* indicators = reinterpret_cast<const SQLLEN*>(block_.data());
  for (std::size_t i = 0; i < layout.bound.size(); ++i) {
    if (layout.bound[i].offset != 0) {
      out[i] = indicators[i];
      continue;
    }
    std::uint8_t none = 0;
    SQLLEN length = 0;
    const SQLRETURN rc = connection_.call(
        [&] { return SQLGetData(connection_.statement(), number_of(i), SQL_C_BINARY, &none, 0, &length); });
    if (!SQL_SUCCEEDED(rc) || (length < 0 && length != SQL_NULL_DATA)) {
      take_diagnostics(rc);
      out_.error = failure(errc::upstream_error, fmt::format("The driver did not give the value of column {}.", i + 1));
      return false;
    }
    if (length > 0 && static_cast<std::size_t>(length) > options_.value_bytes_max) return too_large(layout, i);
    out[i] = length;
  }
  return true;
}

bool result_reader::deliver_long_row(const row_layout& layout) {
  if (!long_lengths(layout, lengths_)) return false;
  std::size_t null_bytes = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    if (lengths_[i] == SQL_NULL_DATA) null_bytes += encoder_->null_bytes(i);
  const std::size_t bitmap_bytes = (lengths_.size() + 7) / 8;
  const bool bitmap = encoder_->nbcrow() && null_bytes > bitmap_bytes;
  const std::size_t head = 1 + (bitmap ? bitmap_bytes : 0);
  std::span<std::uint8_t> to = room(head);
  if (to.empty()) return false;
  std::fill_n(to.begin(), head, std::uint8_t{0});
  to[0] = bitmap ? encode::nbcrow_token : encode::row_token;
  for (std::size_t i = 0; bitmap && i < lengths_.size(); ++i)
    if (lengths_[i] == SQL_NULL_DATA) to[1 + i / 8] = static_cast<std::uint8_t>(to[1 + i / 8] | (1U << (i % 8)));
  receiver_.commit(head, 0);
  for (std::size_t i = 0; i < layout.bound.size(); ++i) {
    const bound_column& bound = layout.bound[i];
    if (lengths_[i] == SQL_NULL_DATA) {
      if (bitmap) continue;
      to = room(16);
      if (to.empty()) return false;
      const std::uint8_t* end = encode::null(to.data(), encoder_->wire(i));
      receiver_.commit(static_cast<std::size_t>(end - to.data()), 0);
    } else if (bound.offset != 0) {
      const auto length = static_cast<std::size_t>(lengths_[i]);
      to = room(encoder_->short_value_bytes(i, length));
      if (to.empty()) return false;
      const std::uint8_t* end = encoder_->encode_value(i, block_.data() + bound.offset, length, to.data());
      receiver_.commit(static_cast<std::size_t>(end - to.data()), 0);
    } else if (!(bound.shape == value_shape::variant ? write_variant(i) : write_long_value(layout, i, lengths_[i]))) {
      return false;
    }
  }
  // Ends the row; the bytes were all committed.
  receiver_.commit(0, 1);
  return true;
}

bool result_reader::write_long_value(const row_layout& layout, std::size_t column, SQLLEN length) {
  const bool plp = layout.bound[column].shape == value_shape::plp;
  auto left = static_cast<std::size_t>(length);
  std::span<std::uint8_t> to = room(64);
  if (to.empty()) return false;
  std::uint8_t* at = to.data();
  if (plp) {
    at = encode::plp_begin(at, left);
    if (left != 0) at = encode::plp_chunk(at, static_cast<std::uint32_t>(left));
  } else {
    at = encode::text_ptr_begin(at, static_cast<std::uint32_t>(left));
  }
  receiver_.commit(static_cast<std::size_t>(at - to.data()), 0);
  while (left > 0) {
    const std::size_t piece = std::min(left, row_receiver::reserve_max);
    to = room(piece);
    if (to.empty()) return false;
    SQLLEN rest = 0;
    const SQLRETURN rc = connection_.call([&] {
      return SQLGetData(connection_.statement(), number_of(column), SQL_C_BINARY, to.data(), static_cast<SQLLEN>(piece),
                        &rest);
    });
    // The driver holds the whole row already, so this cannot fail for the network's sake; what is missing nevertheless
    // is filled, because the length was announced.
    if (!SQL_SUCCEEDED(rc)) std::memset(to.data(), 0, piece);
    receiver_.commit(piece, 0);
    left -= piece;
  }
  if (!plp) return true;
  to = room(4);
  if (to.empty()) return false;
  encode::plp_end(to.data());
  receiver_.commit(4, 0);
  return true;
}

// The driver gives the value of a sql_variant but not its type: it is relayed as a variant that holds nvarchar.
bool result_reader::write_variant(std::size_t column) {
  std::vector<std::uint8_t> text;
  bool null = false;
  bound_column as_text;
  as_text.shape = value_shape::variant;
  if (!read_whole(column, as_text, text, null)) text.clear();
  text.resize(std::min(text.size(), variant_bytes_max) & ~std::size_t{1});
  constexpr std::uint8_t property_bytes = 7;  // collation and greatest length
  const std::span<std::uint8_t> to = room(32 + text.size());
  if (to.empty()) return false;
  std::uint8_t* at = encode::raw(to.data(), static_cast<std::uint32_t>(2 + property_bytes + text.size()));
  *at++ = static_cast<std::uint8_t>(tds::type_token::nvarchar);
  *at++ = property_bytes;
  const collation& coll = connection_.default_collation();
  at = encode::raw(at, coll.info);
  *at++ = coll.sort_id;
  at = encode::raw(at, static_cast<std::uint16_t>(variant_bytes_max));
  at = encode::bytes(at, text.data(), text.size());
  receiver_.commit(static_cast<std::size_t>(at - to.data()), 0);
  return true;
}

// A whole unbounded value. Variants are asked for as text.
bool result_reader::read_whole(std::size_t column, const bound_column& bound, std::vector<std::uint8_t>& out,
                               bool& null) {
  const bool variant = bound.shape == value_shape::variant;
  const SQLSMALLINT c_type = variant ? SQL_C_WCHAR : SQL_C_BINARY;
  const std::size_t terminator = variant ? 2 : 0;
  out.clear();
  null = false;
  for (std::size_t piece = variant ? 2 * variant_bytes_max + 2 : 4096;;) {
    const std::size_t before = out.size();
    out.resize(before + piece);
    SQLLEN length = 0;
    const SQLRETURN rc = connection_.call([&] {
      return SQLGetData(connection_.statement(), number_of(column), c_type, out.data() + before,
                        static_cast<SQLLEN>(piece), &length);
    });
    if (rc == SQL_NO_DATA) {
      out.resize(before);
      return true;
    }
    if (!SQL_SUCCEEDED(rc)) return false;
    if (length == SQL_NULL_DATA) {
      null = true;
      out.clear();
      return true;
    }
    if (length >= 0 && static_cast<std::size_t>(length) + terminator <= piece) {
      out.resize(before + static_cast<std::size_t>(length));
      return true;
    }
    // Cut: the piece is full, the rest follows.
    out.resize(before + piece - terminator);
    if (out.size() > options_.value_bytes_max) return false;
    piece = length > 0 ? std::min<std::size_t>(static_cast<std::size_t>(length), options_.value_bytes_max) : piece * 2;
  }
}

bool result_reader::deliver_values(const row_layout& layout, std::size_t count) {
  values_.resize(layout.columns.size());
  byte_writer line;
  const std::uint8_t* row = block_.data();
  for (std::size_t r = 0; r < count; ++r, row += layout.row_bytes) {
    if (layout.has_long && !long_lengths(layout, lengths_)) return false;
    const auto* indicators = reinterpret_cast<const SQLLEN*>(row);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bound_column& bound = layout.bound[i];
      bool null = bound.offset != 0 && indicators[i] < 0;
      const std::uint8_t* data = row + bound.offset;
      auto length = static_cast<std::size_t>(bound.offset != 0 && !null ? indicators[i] : 0);
      if (bound.offset == 0) {
        if (!read_whole(i, bound, scratch_, null)) return too_large(layout, i);
        data = scratch_.data();
        length = scratch_.size();
      }
      values_[i] = null ? sql_value(null_value{}) : decode_value(bound, layout.columns[i], data, length);
    }
    if (form_.form == row_form::kind::values) {
      if (!receiver_.on_values(values_)) {
        out_.stopped = true;
        return false;
      }
      continue;
    }
    line.clear();
    slow_layout_->write_row(line, values_);
    const std::span<std::uint8_t> probe = receiver_.reserve(1);
    if (probe.empty()) {
      out_.stopped = true;
      return false;
    }
    if (!append(line.data(), line.size(), 1)) return false;
  }
  return true;
}

}  // namespace dragoman::upstream
