// Reads the response to a statement from the socket and delivers its rows: as they came where the client's version
// allows it, else decoded and encoded anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "proxy/upstream/borrowed_socket.h"
#include "proxy/upstream/result_reader.h"
#include "proxy/upstream/row_receiver.h"
#include "tds/packet_stream.h"
#include "tds/received_columns.h"

namespace dragoman::upstream {

// For a caller that nobody stops meanwhile, or that sees to it itself.
struct open_gate final : delivery_gate {
  bool begin_delivery() override { return true; }
  void end_delivery() override {}
};

class wire_reader {
 public:
  // `buffer` is the connection's, so that its memory serves the next statement too. `silence_max`: how long the
  // upstream may give no sign of life.
  wire_reader(borrowed_socket& socket, tds::packet_stream& buffer, row_receiver& receiver, delivery_gate& gate,
              const options& o, std::uint64_t row_cap, std::chrono::milliseconds silence_max);

  // All result sets of the request that was sent. When it returns with stopped, rows_cut or an error of its own, the
  // exchange is not over: drain() must follow.
  read_outcome run();
  // The same for a caller that waits by itself: goes as far as what has arrived allows, or until pause_bytes have been
  // delivered. After `ended` take() has the outcome.
  enum class progress : std::uint8_t { delivered, dry, ended };
  progress advance(std::size_t pause_bytes);
  read_outcome take() { return std::move(out_); }
  bool rows_begun() const noexcept { return out_.rows_begun; }
  bool lost() const noexcept { return out_.lost; }
  // Why drain() failed: a row that is too long to be passed over, and not an upstream that does not listen.
  bool met_too_large() const noexcept { return met_too_large_; }
  // Tells the upstream to stop, and reads what it has sent until it says that it has. False: the connection is broken.
  bool drain();

 private:
  enum class step : std::uint8_t { go_on, more, pause, end, lost };

  step read_tokens();
  step read_columns();
  step read_rows();
  step read_token();
  step end_of_message();
  step unfinished(std::size_t bytes);
  bool receive();
  void take_message(byte_span token);
  void take_done(byte_span token);
  bool deliver_as_is(byte_span rows, std::size_t count);
  bool deliver_decoded(byte_span row);
  bool append(byte_span bytes, std::size_t rows);
  step malformed();
  void flush();

  borrowed_socket& socket_;
  tds::packet_stream& stream_;
  row_receiver& receiver_;
  delivery_gate& gate_;
  const options& options_;
  std::chrono::milliseconds silence_max_;

  read_outcome out_;
  std::uint64_t rows_left_;
  const bool capped_;
  bool draining_ = false;
  bool acknowledged_ = false;  // the attention
  bool final_done_ = false;    // the last DONE said that no more follows
  bool met_too_large_ = false;
  std::size_t retry_at_ = 0;  // an unfinished token is not looked at again before so many bytes are there
  bool failed_ = false;       // an ERROR of the current statement

  bool in_result_ = false;
  std::uint64_t result_rows_ = 0;
  std::vector<tds::received_column> columns_;
  tds::row_scanner scanner_;
  row_form form_;
  bool as_is_ = false;
  bool unflushed_ = false;
  std::size_t pause_at_ = 0;  // 0 = never
  std::size_t delivered_ = 0;
  std::optional<tds::row_layout> slow_layout_;
  byte_writer line_;
  std::vector<sql_value> values_;
};

}  // namespace dragoman::upstream
