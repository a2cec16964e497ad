#include "proxy/relay.h"

#include "base/limits.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {

void head_collector::begin(const std::vector<result_column>& columns) {
  columns_ = columns;
  for (const auto& column : columns) head_.columns.push_back({column.name, is_numeric(column.type.id)});
}

void head_collector::add(std::span<const sql_value> row) {
  ++rows_;
  if (keep_bytes_ != 0) keep(row);
  if (head_.rows.size() >= limits::insight_rows_max) return;
  std::vector<nlq::result_head::cell> cells;
  cells.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (is_null(row[i]))
      cells.push_back({"", true});
    else
      cells.push_back({value_text(row[i], columns_[i].type), false});
  }
  head_.rows.push_back(std::move(cells));
}

void head_collector::keep(std::span<const sql_value> row) {
  for (const sql_value& value : row) {
    kept_bytes_ += sizeof value;
    if (const auto* text = std::get_if<std::string>(&value)) kept_bytes_ += text->size();
    if (const auto* data = std::get_if<bytes>(&value)) kept_bytes_ += data->size();
  }
  if (kept_bytes_ > keep_bytes_) {
    keep_bytes_ = 0;
    std::vector<sql_value>().swap(values_);
    return;
  }
  values_.insert(values_.end(), row.begin(), row.end());
}

std::optional<std::vector<sql_value>> head_collector::take_values() {
  if (keep_bytes_ == 0) return std::nullopt;
  return std::move(values_);
}

nlq::result_head head_collector::take(bool all_rows_seen) {
  head_.complete = all_rows_seen && rows_ == head_.rows.size();
  return std::move(head_);
}

std::vector<result_column> with_computed(std::vector<result_column> columns, const std::vector<bool>& computed) {
  if (computed.size() == columns.size())
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].computed = columns[i].computed || computed[i];
  return columns;
}

sink_receiver::sink_receiver(std::shared_ptr<tds::server::row_sink> sink, std::shared_ptr<head_collector> head,
                             std::vector<bool> computed)
    : sink_(std::move(sink)), head_(std::move(head)), computed_(std::move(computed)) {}

upstream::row_form sink_receiver::on_columns(const std::vector<result_column>& columns) {
  using kind = upstream::row_form::kind;
  // The guard lets one SELECT through at a time: a second result set can only be the upstream's own invention.
  if (!first_) return {kind::skip, sink_->profile()};
  first_ = false;
  if (head_) {
    sink_->columns(with_computed(columns, computed_));
    head_->begin(columns);
  }
  return {head_ ? kind::values : kind::wire, sink_->profile(), !sink_->keeps_columns()};
}

void sink_receiver::on_layout(const std::vector<result_column>& columns, const tds::row_layout& layout) {
  tds::row_layout marked = layout;
  marked.mark_computed(computed_);
  sink_->columns(with_computed(columns, computed_), std::move(marked));
}

std::span<std::uint8_t> sink_receiver::reserve(std::size_t bytes) {
  if (!inside_row_ && (stopped_.load(std::memory_order_relaxed) || sink_->stopped())) return {};
  return {sink_->reserve(bytes), bytes};
}

void sink_receiver::commit(std::size_t bytes, std::size_t rows) {
  sink_->commit(bytes);
  for (std::size_t i = 0; i < rows; ++i) sink_->end_row();
  inside_row_ = rows == 0 && (inside_row_ || bytes > 0);
  if (!inside_row_) sink_->pulse();
}

bool sink_receiver::on_values(std::span<const sql_value> row) {
  if (head_) head_->add(row);
  return sink_->row(row) && !stopped_.load(std::memory_order_relaxed);
}

void sink_receiver::on_result_end(std::uint64_t) {
  sink_->offer();
}

void sink_receiver::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  sink_->stop();
}

}  // namespace dragoman::proxy
