// Rows on the way from the pool's worker thread into the client's packets.
//
// Statements of people go through in wire form: the worker writes ROW tokens straight into the sink's buffers. Answers
// to questions come as values, because their first rows are looked at for the insight.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nlq/action.h"
#include "proxy/upstream/row_receiver.h"
#include "tds/server/row_sink.h"

namespace dragoman::proxy {

// Keeps the first rows of an answer for the insight. Filled on the worker's thread, read after the completion.
class head_collector {
 public:
  // keep_bytes: whole answers up to about that size are kept too, for the cache; 0 = none.
  explicit head_collector(std::size_t keep_bytes = 0) : keep_bytes_(keep_bytes) {}
  void begin(const std::vector<result_column>& columns);
  void add(std::span<const sql_value> row);
  nlq::result_head take(bool all_rows_seen);

  const std::vector<result_column>& columns() const noexcept { return columns_; }
  // Row after row; nullopt where the answer was too large, or none were to be kept.
  std::optional<std::vector<sql_value>> take_values();

 private:
  void keep(std::span<const sql_value> row);

  std::vector<result_column> columns_;
  nlq::result_head head_;
  std::size_t rows_ = 0;
  std::size_t keep_bytes_;
  std::size_t kept_bytes_ = 0;
  std::vector<sql_value> values_;
};

// The columns, those of `computed` (one for each column, or empty) flagged as expressions.
std::vector<result_column> with_computed(std::vector<result_column> columns, const std::vector<bool>& computed);

class sink_receiver final : public upstream::row_receiver {
 public:
  // `head` may be null; where it is not, rows come as values. `computed`, one for each column or empty: what the
  // statement computes, which the upstream's driver does not tell.
  sink_receiver(std::shared_ptr<tds::server::row_sink> sink, std::shared_ptr<head_collector> head,
                std::vector<bool> computed = {});

  upstream::row_form on_columns(const std::vector<result_column>& columns) override;
  void on_layout(const std::vector<result_column>& columns, const tds::row_layout& layout) override;
  std::span<std::uint8_t> reserve(std::size_t bytes) override;
  void commit(std::size_t bytes, std::size_t rows) override;
  void flush() override { sink_->offer(); }
  bool on_values(std::span<const sql_value> row) override;
  void on_result_end(std::uint64_t rows) override;
  void stop() noexcept override;

 private:
  std::shared_ptr<tds::server::row_sink> sink_;
  std::shared_ptr<head_collector> head_;
  const std::vector<bool> computed_;
  std::atomic<bool> stopped_{false};
  bool inside_row_ = false;  // a long value is half written: its row must be ended even after a stop
  bool first_ = true;
};

}  // namespace dragoman::proxy
