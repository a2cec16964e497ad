// Reads the results of an executed statement and delivers them to the receiver.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "proxy/upstream/columns.h"
#include "proxy/upstream/connection.h"
#include "proxy/upstream/row_encoder.h"
#include "proxy/upstream/row_receiver.h"

namespace dragoman::upstream {

// The reader's view of the statement's life: may the receiver be used now? begin() false = stopped.
struct delivery_gate {
  virtual bool begin_delivery() = 0;
  virtual void end_delivery() = 0;

 protected:
  ~delivery_gate() = default;
};

struct read_outcome {
  std::optional<failure> error;         // of our own making (value too large, refused binding)
  std::vector<diagnostic> diagnostics;  // of the server; an error among them ended the statement
  bool server_failed = false;
  std::uint64_t rows = 0;
  bool rows_cut = false;
  bool stopped = false;
  bool rows_begun = false;
  bool lost = false;          // the connection broke
  bool acknowledged = false;  // the server has stopped it, as it was told to
};

class result_reader {
 public:
  result_reader(connection& c, row_receiver& receiver, delivery_gate& gate, const options& o, std::uint64_t row_cap)
      : connection_(c), receiver_(receiver), gate_(gate), options_(o), rows_left_(row_cap) {
    capped_ = row_cap != 0;
  }

  // All result sets. `executed` is what SQLExecDirect returned, `said` the diagnostics of that call (the next call of
  // any function would have wiped them).
  read_outcome run(SQLRETURN executed, std::vector<diagnostic> said);

 private:
  enum class step : std::uint8_t { go_on, result_done, end };

  bool read_result();  // false = the statement is over
  step fetch(SQLULEN& fetched);
  bool deliver(const row_layout& layout, std::size_t count);
  bool deliver_direct(const row_layout& layout, std::size_t count);
  bool deliver_values(const row_layout& layout, std::size_t count);
  bool deliver_long_row(const row_layout& layout);
  bool write_long_value(const row_layout& layout, std::size_t column, SQLLEN length);
  bool write_variant(std::size_t column);
  bool read_whole(std::size_t column, const bound_column& bound, std::vector<std::uint8_t>& out, bool& null);
  bool long_lengths(const row_layout& layout, std::vector<SQLLEN>& out);
  bool append(const std::uint8_t* bytes, std::size_t count, std::size_t rows);
  std::span<std::uint8_t> room(std::size_t bytes);
  bool too_large(const row_layout& layout, std::size_t column);
  void take_diagnostics(SQLRETURN rc);

  connection& connection_;
  row_receiver& receiver_;
  delivery_gate& gate_;
  const options& options_;
  read_outcome out_;
  std::uint64_t rows_left_;
  bool capped_ = false;
  row_form form_;
  std::optional<row_encoder> encoder_;
  std::optional<tds::row_layout> slow_layout_;  // for clients whose rows go through values
  std::vector<std::uint8_t> block_;
  std::vector<std::uint8_t> scratch_;
  std::vector<sql_value> values_;
  std::vector<SQLLEN> lengths_;
};

}  // namespace dragoman::upstream
