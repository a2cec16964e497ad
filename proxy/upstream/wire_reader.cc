#include "proxy/upstream/wire_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tds/received_tokens.h"
#include "tds/token_writer.h"

namespace dragoman::upstream {
namespace {

constexpr std::size_t diagnostics_max = 256;
constexpr std::size_t metadata_bytes_max = 4 * 1024 * 1024;

bool is(std::uint8_t byte, tds::token t) noexcept {
  return byte == static_cast<std::uint8_t>(t);
}

}  // namespace

wire_reader::wire_reader(borrowed_socket& socket, tds::packet_stream& buffer, row_receiver& receiver,
                         delivery_gate& gate, const options& o, std::uint64_t row_cap,
                         std::chrono::milliseconds silence_max)
    : socket_(socket),
      stream_(buffer),
      receiver_(receiver),
      gate_(gate),
      options_(o),
      silence_max_(silence_max),
      rows_left_(row_cap),
      capped_(row_cap != 0) {
  stream_.clear();
}

read_outcome wire_reader::run() {
  while (true) {
    const step s = read_tokens();
    if (s == step::more && receive()) continue;
    if (s != step::end) {
      out_.lost = true;
      socket_.abandon();
    }
    break;
  }
  return std::move(out_);
}

wire_reader::progress wire_reader::advance(std::size_t pause_bytes) {
  pause_at_ = pause_bytes;
  delivered_ = 0;
  // What is read and not delivered (messages, rows that nobody wants) has its bound too.
  std::size_t received = 0;
  while (true) {
    const step s = read_tokens();
    if (s == step::end) return progress::ended;
    if (s == step::pause) return progress::delivered;
    if (s == step::more) {
      const auto n = socket_.receive_now(stream_.room());
      if (!n) return progress::dry;
      received += *n;
      if (*n != 0 && stream_.received(*n)) {
        if (received > 8 * pause_bytes) return progress::delivered;
        continue;
      }
    }
    out_.lost = true;
    socket_.abandon();
    return progress::ended;
  }
}

bool wire_reader::drain() {
  draining_ = true;
  pause_at_ = 0;
  // The payload begins with a row again, whichever was looked at last.
  scanner_.restart();
  retry_at_ = 0;
  const auto until = borrowed_socket::clock::now() + options_.cancel_grace;
  bool drained = !socket_.send_attention();  // the response had ended
  while (!drained) {
    const step s = read_tokens();
    drained = s == step::end;
    if (drained || s != step::more || borrowed_socket::clock::now() >= until) break;
    const std::size_t n = socket_.receive(stream_.room(), until, [] {});
    if (n == 0 || !stream_.received(n)) break;
  }
  if (!drained) socket_.abandon();
  stream_.clear();
  return drained;
}

bool wire_reader::receive() {
  const auto room = stream_.room();
  const std::size_t n = socket_.receive(room, borrowed_socket::clock::now() + silence_max_, [this] { flush(); });
  return n != 0 && stream_.received(n);
}

// What was delivered should leave before we wait for more.
void wire_reader::flush() {
  if (!unflushed_ || draining_) return;
  unflushed_ = false;
  if (!gate_.begin_delivery()) return;
  receiver_.flush();
  gate_.end_delivery();
}

wire_reader::step wire_reader::malformed() {
  if (!draining_) out_.diagnostics.push_back({"08S01", 0, "The data source sent bytes that are no TDS response."});
  return step::lost;
}

wire_reader::step wire_reader::read_tokens() {
  while (true) {
    const byte_span bytes = stream_.payload();
    if (bytes.empty()) {
      if (!stream_.end_of_message()) return step::more;
      if (const step s = end_of_message(); s != step::go_on) return s;
      continue;
    }
    const std::uint8_t first = bytes[0];
    const step s = tds::is_row_token(first)             ? read_rows()
                   : is(first, tds::token::colmetadata) ? read_columns()
                                                        : read_token();
    if (s == step::go_on) continue;
    // A token that goes on behind the end of its message never ends.
    if (s == step::more && stream_.end_of_message()) return malformed();
    return s;
  }
}

wire_reader::step wire_reader::end_of_message() {
  const bool waits_for_acknowledgement = socket_.end();
  if (!waits_for_acknowledgement || acknowledged_) {
    // Whoever reads next must not find anything of this.
    if (!final_done_ || stream_.has_more()) return malformed();
    if (failed_) out_.server_failed = true;
    out_.acknowledged = acknowledged_;
    socket_.abandon();
    stream_.clear();
    return step::end;
  }
  return stream_.next_message() ? step::go_on : malformed();
}

// What is longer than its first look is looked at again when an eighth more has come, so that bytes in small pieces
// cost no more than others.
wire_reader::step wire_reader::unfinished(std::size_t bytes) {
  if (bytes > metadata_bytes_max) return malformed();
  retry_at_ = bytes + bytes / 8;
  return step::more;
}

wire_reader::step wire_reader::read_token() {
  const byte_span bytes = stream_.payload();
  if (bytes.size() < retry_at_ && !stream_.end_of_message()) return step::more;
  if (!tds::is_known_token(bytes[0])) return malformed();
  const auto size = tds::token_size(bytes);
  if (!size) return unfinished(bytes.size());
  retry_at_ = 0;
  const byte_span token = bytes.first(*size);
  if (is(token[0], tds::token::error) || is(token[0], tds::token::info)) {
    take_message(token);
  } else if (is(token[0], tds::token::done) || is(token[0], tds::token::done_proc) ||
             is(token[0], tds::token::done_in_proc)) {
    take_done(token);
  }
  stream_.consume(*size);
  return out_.stopped && !draining_ ? step::end : step::go_on;
}

void wire_reader::take_message(byte_span token) {
  if (draining_) return;
  auto said = tds::read_message(token);
  if (!said) return;
  const bool error = is(token[0], tds::token::error);
  const bool first_error = error && !failed_;
  if (error) failed_ = true;
  if (out_.diagnostics.size() < diagnostics_max || first_error)
    out_.diagnostics.push_back({error ? "42000" : "01000", said->number, std::move(said->text)});
}

void wire_reader::take_done(byte_span token) {
  constexpr std::uint16_t server_error = 0x0100;
  const tds::received_done done = tds::read_done(token);
  if ((done.status & tds::done_status::attention) != 0) acknowledged_ = true;
  final_done_ = (done.status & tds::done_status::more) == 0;
  columns_.clear();  // no row follows without new columns
  if ((done.status & (tds::done_status::error | server_error)) != 0) failed_ = true;
  if (draining_) return;
  if (failed_) out_.server_failed = true;
  if (!std::exchange(in_result_, false) || failed_) return;
  if (!gate_.begin_delivery()) {
    out_.stopped = true;
    return;
  }
  receiver_.on_result_end(result_rows_);
  gate_.end_delivery();
}

wire_reader::step wire_reader::read_columns() {
  const byte_span bytes = stream_.payload();
  if (bytes.size() < retry_at_ && !stream_.end_of_message()) return step::more;
  byte_reader in(bytes.subspan(1));
  auto columns = tds::read_colmetadata(in);
  if (!columns) return unfinished(bytes.size());
  retry_at_ = 0;
  stream_.consume(1 + in.position());
  if (columns->empty()) return malformed();  // "as before" is never asked for
  columns_ = std::move(*columns);
  scanner_ = tds::row_scanner(columns_, options_.value_bytes_max);
  in_result_ = true;
  result_rows_ = 0;
  if (draining_) return step::go_on;

  std::vector<result_column> shown;
  shown.reserve(columns_.size());
  for (const tds::received_column& c : columns_) shown.push_back(c.column);
  if (!gate_.begin_delivery()) {
    out_.stopped = true;
    return step::end;
  }
  form_ = receiver_.on_columns(shown);
  out_.rows_begun = true;
  as_is_ = false;
  if (form_.form == row_form::kind::wire) {
    as_is_ = form_.as_received && std::all_of(columns_.begin(), columns_.end(), [this](const tds::received_column& c) {
               return tds::travels_unchanged(c, form_.profile);
             });
    if (as_is_) {
      std::vector<tds::wire_column> wires;
      wires.reserve(columns_.size());
      for (const tds::received_column& c : columns_) wires.push_back(c.wire);
      receiver_.on_layout(shown, tds::row_layout(std::move(wires), form_.profile));
    } else {
      slow_layout_.emplace(std::span<const result_column>(shown), form_.profile);
      receiver_.on_layout(shown, *slow_layout_);
    }
  }
  gate_.end_delivery();
  return step::go_on;
}

// As many whole rows as there are, passed on in pieces of at most reserve_max.
wire_reader::step wire_reader::read_rows() {
  if (columns_.empty()) return malformed();
  const bool wanted = !draining_ && form_.form != row_form::kind::skip;
  while (true) {
    const byte_span bytes = stream_.payload();
    std::size_t taken = 0;  // bytes of whole rows
    std::size_t count = 0;
    tds::row_scanner::state state = tds::row_scanner::state::incomplete;
    bool single = false;  // a row that goes by itself, because something must be done to it
    while (taken < bytes.size() && tds::is_row_token(bytes[taken])) {
      if (wanted && capped_ && count == rows_left_) break;
      state = scanner_.scan(bytes.subspan(taken));
      if (state != tds::row_scanner::state::complete) break;
      const bool alone = wanted && (!as_is_ || (scanner_.has_bitmap() && !form_.profile.nbcrow()));
      if (count > 0 && (alone || taken + scanner_.size() > row_receiver::reserve_max)) break;
      taken += scanner_.size();
      ++count;
      single = alone;
      if (alone) break;
    }
    if (wanted && capped_ && rows_left_ == 0 && taken < bytes.size()) {
      out_.rows_cut = true;
      if (!gate_.begin_delivery()) {
        out_.stopped = true;
        return step::end;
      }
      receiver_.on_result_end(result_rows_);
      gate_.end_delivery();
      return step::end;
    }
    if (count == 0) {
      if (state == tds::row_scanner::state::too_large) met_too_large_ = true;
      if (met_too_large_ && !draining_) {
        const std::size_t column = scanner_.column();
        out_.error = failure(errc::value_too_large,
                             fmt::format("A value of column {} (\"{}\") is larger than the {} bytes that are relayed.",
                                         column + 1, columns_[column].column.name, options_.value_bytes_max));
        return step::end;
      }
      return state == tds::row_scanner::state::incomplete ? step::more : malformed();
    }
    if (wanted) {
      if (!gate_.begin_delivery()) {
        out_.stopped = true;
        return step::end;
      }
      const byte_span rows = bytes.first(taken);
      const bool more = single ? deliver_decoded(rows) : deliver_as_is(rows, count);
      gate_.end_delivery();
      unflushed_ = true;
      if (!more) {
        out_.stopped = true;
        return step::end;
      }
      out_.rows += count;
      result_rows_ += count;
      if (capped_) rows_left_ -= count;
      delivered_ += taken;
    }
    stream_.consume(taken);
    if (pause_at_ != 0 && delivered_ >= pause_at_) return step::pause;
    if (stream_.payload().empty() || !tds::is_row_token(stream_.payload()[0])) return step::go_on;
  }
}

bool wire_reader::deliver_as_is(byte_span rows, std::size_t count) {
  if (rows.size() > row_receiver::reserve_max) return append(rows, count);
  const std::span<std::uint8_t> to = receiver_.reserve(rows.size());
  if (to.empty()) return false;
  std::memcpy(to.data(), rows.data(), rows.size());
  receiver_.commit(rows.size(), count);
  return true;
}

bool wire_reader::append(byte_span bytes, std::size_t rows) {
  while (!bytes.empty()) {
    const byte_span piece = bytes.first(std::min(bytes.size(), row_receiver::reserve_max));
    const std::span<std::uint8_t> to = receiver_.reserve(piece.size());
    if (to.empty()) return false;
    std::memcpy(to.data(), piece.data(), piece.size());
    bytes = bytes.subspan(piece.size());
    receiver_.commit(piece.size(), bytes.empty() ? rows : 0);
  }
  return true;
}

// One row, with whatever its client needs done to it.
bool wire_reader::deliver_decoded(byte_span row) {
  line_.clear();
  if (as_is_) {
    tds::expand_nbcrow(line_, row, columns_, scanner_);
    return append(line_.view(), 1);
  }
  const bool bitmap = is(row[0], tds::token::nbcrow);
  byte_reader in(row.subspan(1 + (bitmap ? (columns_.size() + 7) / 8 : 0)));
  values_.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool null = bitmap && (row[1 + i / 8] >> (i % 8) & 1) != 0;
    values_[i] = null ? sql_value(null_value{}) : tds::read_row_value(in, columns_[i]);
  }
  if (in.failed()) {
    out_.error = failure(errc::upstream_error, "A value of the data source does not have the form of its type.");
    return false;
  }
  if (form_.form == row_form::kind::values) return receiver_.on_values(values_);
  slow_layout_->write_row(line_, values_);
  return append(line_.view(), 1);
}

}  // namespace dragoman::upstream
