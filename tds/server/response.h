// The answer to one request, written token by token; the connection sends it in packets.
//
// Owned by the connection, used on its thread. The order and flags of DONE tokens are kept right here: the handler says
// done() after each statement, the last one becomes final by itself, and inside an RPC they are DONEINPROC. After
// cancelled() every write is dropped; writing on is harmless, returning soon is polite.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/sql_value.h"
#include "tds/server/handler.h"
#include "tds/server/row_sink.h"
#include "tds/server/row_spool.h"
#include "tds/token_writer.h"
#include "tds/wire_column.h"

namespace dragoman::tds::server {

enum class send_mode : std::uint8_t {
  full_packets,  // the rest stays for the next call
  all,           // the last packet may be short
  last,          // and ends the message
};

// Where a response's bytes go: the connection, or a test's memory.
class output {
 public:
  virtual ~output() = default;
  // Sends the payload as packets and drops from it what was sent.
  virtual asio::awaitable<void> write(byte_writer& payload, send_mode mode) = 0;
  // Sends what the sink's worker commits, until it closes. `payload` goes first and takes the rest that fills no
  // packet.
  virtual asio::awaitable<void> relay(byte_writer& payload, row_sink& rows) = 0;
  // Gives what the sink's worker commits to `taker`, until it closes; nothing is sent.
  virtual asio::awaitable<void> gather(row_sink& rows, const std::function<void(byte_span)>& taker) = 0;
  // A sink whose wake-ups reach relay().
  virtual std::shared_ptr<row_sink> make_sink() = 0;
  virtual bool gone() const noexcept = 0;  // the client is no more
  virtual void drop() noexcept {}          // closes the connection without a word
};

class response {
 public:
  response(output& out, const wire_profile& profile, const server_identity& identity);

  const wire_profile& profile() const noexcept { return profile_; }
  const server_identity& identity() const noexcept { return identity_; }

  // --- a result set ---
  void columns(std::span<const result_column> columns);
  void row(std::span<const sql_value> values);
  // Rows that come ready for the wire: their layout, then room for bytes of them, of which the first are taken. Bytes
  // of a cancelled response go nowhere.
  void columns(std::span<const result_column> columns, const row_layout& layout);
  std::uint8_t* reserve_rows(std::size_t bytes) { return body_.reserve(bytes); }
  void commit_rows(std::size_t bytes) {
    if (!cancelled_) body_.commit(bytes);
  }
  bool has_rows() const noexcept { return in_rows_ && !body_.empty(); }  // something of them waits to be sent
  // Where the columns of the next result set come from, told behind its COLMETADATA (in a sink too).
  void browse(browse_info info) { browse_ = std::move(info); }
  // COLMETADATA of a client that has kept the columns from before: sp_cursorfetch.
  void same_columns();
  // A ROW token as it stands.
  void encoded_row(byte_span row);
  // The end of a statement. rows: nullopt = no count (SET, NOCOUNT).
  void done(command cmd, std::optional<std::uint64_t> rows);

  // --- messages ---
  void info(std::int32_t number, std::uint8_t severity, std::string_view text, std::uint32_t line = 1);
  void error(const failure& f);  // its number, severity, line; then done(error) by itself at the next token or the end
  void error(const message& m);  // an upstream's own error, passed on; the server name is filled in where empty

  // --- the end of a procedure ---
  void return_status(std::int32_t value);  // default 0 in an RPC
  void return_value(std::uint16_t ordinal, std::string_view name, const sql_type& type, const sql_value& value);

  // --- the state of the session ---
  void database_changed(std::string_view now, std::string_view before);  // ENVCHANGE 1 and INFO 5701
  void language_changed(std::string_view now, std::string_view before);  // ENVCHANGE 2 and INFO 5703
  void transaction_begun(std::uint64_t descriptor);                      // ENVCHANGE 8, descriptor not 0
  void transaction_committed(std::uint64_t descriptor);                  // ENVCHANGE 9, the one that ended
  void transaction_rolled_back(std::uint64_t descriptor);                // ENVCHANGE 10
  void set_in_transaction(bool in) noexcept { in_transaction_ = in; }    // the flag of the following DONEs

  // Sends full packets when enough has gathered; the loop over rows awaits it after each row (cheap when nothing is
  // due).
  bool flush_due() const noexcept { return body_.size() >= flush_at; }
  asio::awaitable<void> flush_if_needed();
  // Sends everything written so far as soon as possible, the last packet short of its end (for slow answers).
  asio::awaitable<void> flush();

  // --- rows from another thread ---
  // The worker writes rows (and, through row_sink::columns, COLMETADATA) into the sink and closes it; relay() sends
  // them meanwhile and returns after close(). One sink at a time; what was written here before goes out first.
  std::shared_ptr<row_sink> open_rows();
  asio::awaitable<void> relay(row_sink& rows);

  // From here on rows and columns go into the spool and done() says nothing, until divert(nullptr): for cursors.
  // Messages and changes of the session's state go to the client as ever.
  void divert(row_spool* to) noexcept { spool_ = to; }
  bool diverted() const noexcept { return spool_ != nullptr; }

  // Ends the connection as a broken network would: for servers that tests make misbehave.
  void disconnect() noexcept { out_.drop(); }

  // --- how it stands ---
  bool cancelled() const noexcept { return cancelled_; }
  bool failed() const noexcept { return failed_; }  // an ERROR was written in this request (in this call of an RPC)

  // --- for the runtime ---
  enum class kind : std::uint8_t { batch, rpc };
  void begin(kind k) noexcept;     // a batch, or one call of an RPC
  void end_call(bool is_last);     // writes what ends it
  asio::awaitable<void> finish();  // sends the rest and ends the message
  void cancel() noexcept;
  void reset_acknowledged();  // ENVCHANGE 18, first of all
  const byte_writer& pending() const noexcept { return body_; }

  static constexpr std::size_t flush_at = 32 * 1024;

 private:
  void settle();       // writes the DONE that waits or that an error still needs, with MORE
  void settle_done();  // only the one that waits: what is written next may belong to the open error
  void write_done(std::uint16_t status, command cmd, std::uint64_t rows, token kind);

  struct pending_done {
    std::uint16_t status = 0;
    command cmd = command::none;
    std::uint64_t rows = 0;
  };
  struct pending_value {
    std::uint16_t ordinal;
    std::string name;
    sql_type type;
    sql_value value;
  };

  output& out_;
  wire_profile profile_;
  const server_identity& identity_;
  byte_writer body_;
  row_layout layout_;
  std::optional<pending_done> done_;
  std::vector<pending_value> values_;
  std::optional<std::int32_t> status_;
  std::shared_ptr<row_sink> sink_;
  row_spool* spool_ = nullptr;
  std::optional<browse_info> browse_;
  kind kind_ = kind::batch;
  bool cancelled_ = false;
  bool failed_ = false;
  bool error_open_ = false;  // an ERROR without its DONE
  bool in_rows_ = false;     // after COLMETADATA, before the statement's DONE
  bool in_transaction_ = false;
};

}  // namespace dragoman::tds::server
