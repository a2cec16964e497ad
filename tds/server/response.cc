#include "tds/server/response.h"

#include <algorithm>
#include <array>

namespace dragoman::tds::server {

response::response(output& out, const wire_profile& profile, const server_identity& identity)
    : out_(out), profile_(profile), identity_(identity) {}

void response::begin(kind k) noexcept {
  kind_ = k;
  failed_ = false;
  error_open_ = false;
  in_rows_ = false;
  status_.reset();
  values_.clear();
}

void response::write_done(std::uint16_t status, command cmd, std::uint64_t rows, token kind) {
  if (in_transaction_) status |= done_status::in_transaction;
  token_writer(body_, profile_).done(kind, status, cmd, rows);
}

void response::settle() {
  if (error_open_ && !done_) done_ = pending_done{done_status::error, command::none, 0};
  error_open_ = in_rows_ = false;
  settle_done();
}

void response::settle_done() {
  if (!done_) return;
  const pending_done d = *done_;
  done_.reset();
  write_done(static_cast<std::uint16_t>(d.status | done_status::more), d.cmd, d.rows,
             kind_ == kind::rpc ? token::done_in_proc : token::done);
}

void response::columns(std::span<const result_column> columns) {
  this->columns(columns, row_layout(columns, profile_));
}

void response::columns(std::span<const result_column> columns, const row_layout& layout) {
  if (cancelled_) return;
  if (spool_ != nullptr) return spool_->begin(columns);
  settle();
  layout_ = layout;
  layout_.write_colmetadata(body_, columns);
  if (browse_) token_writer(body_, profile_).browse(*browse_, columns.size());
  browse_.reset();
  in_rows_ = true;
}

void response::same_columns() {
  if (cancelled_) return;
  settle();
  body_.u8(static_cast<std::uint8_t>(token::colmetadata));
  body_.u16(0xFFFF);
  in_rows_ = true;
}

void response::row(std::span<const sql_value> values) {
  if (cancelled_) return;
  if (spool_ != nullptr) {
    spool_->append_row(values);
    return;
  }
  layout_.write_row(body_, values);
}

void response::encoded_row(byte_span row) {
  if (!cancelled_) body_.raw(row);
}

void response::done(command cmd, std::optional<std::uint64_t> rows) {
  if (cancelled_ || spool_ != nullptr) return;
  const bool had_error = error_open_;
  error_open_ = false;
  settle();
  done_ =
      pending_done{static_cast<std::uint16_t>((rows ? done_status::count : 0) | (had_error ? done_status::error : 0)),
                   cmd, rows.value_or(0)};
}

void response::info(std::int32_t number, std::uint8_t severity, std::string_view text, std::uint32_t line) {
  if (cancelled_) return;
  settle_done();
  message m;
  m.number = number;
  m.severity = std::min<std::uint8_t>(severity, 10);
  m.text = text;
  m.server = identity_.server_name;
  m.line = line;
  token_writer(body_, profile_).info(m);
}

void response::error(const failure& f) {
  message m;
  m.number = f.error_number();
  m.severity = f.severity();
  m.text = f.message;
  m.line = f.line == 0 ? 1 : f.line;
  error(m);
}

void response::error(const message& given) {
  if (cancelled_) return;
  settle_done();
  message m = given;
  m.severity = std::clamp<std::uint8_t>(m.severity, 11, 19);  // 20 and more would make clients hang up
  if (m.state == 0) m.state = 1;
  if (m.server.empty()) m.server = identity_.server_name;
  token_writer(body_, profile_).error(m);
  error_open_ = failed_ = true;
}

void response::return_status(std::int32_t value) {
  status_ = value;
}

void response::return_value(std::uint16_t ordinal, std::string_view name, const sql_type& type,
                            const sql_value& value) {
  values_.push_back({ordinal, std::string(name), type, value});
}

void response::database_changed(std::string_view now, std::string_view before) {
  if (cancelled_) return;
  settle_done();
  token_writer(body_, profile_).env_change_text(env_change::database, now, before);
  info(5701, 0, "Changed database context to '" + std::string(now) + "'.");
}

void response::language_changed(std::string_view now, std::string_view before) {
  if (cancelled_) return;
  settle_done();
  token_writer(body_, profile_).env_change_text(env_change::language, now, before);
  info(5703, 0, "Changed language setting to " + std::string(now) + ".");
}

namespace {
std::array<std::uint8_t, 8> eight_bytes(std::uint64_t value) {
  std::array<std::uint8_t, 8> out{};
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
  return out;
}
}  // namespace

// The transaction ENVCHANGEs and the reset are written even after a cancel: the client would lose count otherwise.
void response::transaction_begun(std::uint64_t descriptor) {
  settle_done();
  token_writer(body_, profile_).env_change_bytes(env_change::begin_transaction, eight_bytes(descriptor), {});
}
void response::transaction_committed(std::uint64_t descriptor) {
  settle_done();
  token_writer(body_, profile_).env_change_bytes(env_change::commit_transaction, {}, eight_bytes(descriptor));
}
void response::transaction_rolled_back(std::uint64_t descriptor) {
  settle_done();
  token_writer(body_, profile_).env_change_bytes(env_change::rollback_transaction, {}, eight_bytes(descriptor));
}
void response::reset_acknowledged() {
  token_writer(body_, profile_).env_change_bytes(env_change::reset_ack, {}, {});
}

asio::awaitable<void> response::flush_if_needed() {
  if (flush_due()) co_await out_.write(body_, send_mode::full_packets);
}

asio::awaitable<void> response::flush() {
  if (!body_.empty()) co_await out_.write(body_, send_mode::all);
}

std::shared_ptr<row_sink> response::open_rows() {
  if (spool_ != nullptr) {
    browse_.reset();
    sink_ = out_.make_sink();
    sink_->keep_columns();
    if (cancelled_) sink_->stop();
    return sink_;
  }
  const bool has_columns = in_rows_;
  if (!has_columns) settle();
  in_rows_ = true;
  sink_ = out_.make_sink();
  if (has_columns) sink_->adopt(layout_);
  if (browse_) sink_->browse(std::move(*browse_));
  browse_.reset();
  if (cancelled_) sink_->stop();
  return sink_;
}

asio::awaitable<void> response::relay(row_sink& rows) {
  if (spool_ != nullptr) {
    bool begun = false;
    const auto begin = [&] {
      if (!begun && rows.kept_columns()) {
        spool_->begin(*rows.kept_columns());
        begun = true;
      }
    };
    co_await out_.gather(rows, [&](byte_span bytes) {
      begin();
      if (!spool_->append(bytes)) rows.stop();
    });
    begin();
  } else {
    co_await out_.relay(body_, rows);
  }
  sink_.reset();
}

void response::cancel() noexcept {
  cancelled_ = true;
  if (sink_) sink_->stop();
}

void response::end_call(bool is_last) {
  const auto more = static_cast<std::uint16_t>(is_last ? 0 : done_status::more);
  if (cancelled_) {
    // One DONE for whatever was running; the acknowledgement follows in a message of its own.
    done_.reset();
    error_open_ = false;
    if (is_last) write_done(done_status::final, command::none, 0, token::done);
    return;
  }
  if (kind_ == kind::batch) {
    if (error_open_ && !done_) done_ = pending_done{done_status::error, command::none, 0};
    error_open_ = false;
    const pending_done d = done_.value_or(pending_done{});
    done_.reset();
    write_done(static_cast<std::uint16_t>(d.status | more), d.cmd, d.rows, token::done);
    return;
  }
  // A call that failed as a whole has no DONEINPROC of its own: the error belongs to its DONEPROC.
  const bool open = error_open_;
  if (open) {
    error_open_ = false;
    if (done_ || in_rows_) {
      settle_done();
      if (in_rows_) write_done(done_status::error | done_status::more, command::select, 0, token::done_in_proc);
    }
    in_rows_ = false;
  } else {
    settle();
  }
  token_writer tokens(body_, profile_);
  tokens.return_status(status_.value_or(0));
  for (const pending_value& v : values_) {
    result_column column{v.name, v.type, true};
    tokens.return_value(v.ordinal, v.name, wire_column_of(column, profile_), v.value);
  }
  values_.clear();
  write_done(static_cast<std::uint16_t>(more | (open ? done_status::error : 0)), command::execute, 0, token::done_proc);
}

asio::awaitable<void> response::finish() {
  co_await out_.write(body_, send_mode::last);
}

}  // namespace dragoman::tds::server
