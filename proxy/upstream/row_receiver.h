// Where rows of the upstream go. Implemented by the proxy (outgoing TDS packets) and by value_table; called by one of
// the pool's worker threads, never by two at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sql_value.h"
#include "proxy/upstream/statement.h"
#include "tds/version.h"
#include "tds/wire_column.h"

namespace dragoman::upstream {

// In which form a receiver wants the rows of a result set.
struct row_form {
  enum class kind : std::uint8_t {
    wire,    // ROW and NBCROW tokens for a client of `profile`, written into reserve()d room
    values,  // sql_values, one on_values() a row: introspection, estimates, insights
    skip     // not wanted: the result set is passed over
  };
  kind form = kind::wire;
  tds::wire_profile profile{};
  // wire: rows may go on as the upstream laid them out. Else the layout is that of tds::row_layout(columns, profile).
  bool as_received = true;
};

class row_receiver {
 public:
  virtual ~row_receiver() = default;

  // A result set begins. `columns` stays valid until the next call.
  virtual row_form on_columns(const std::vector<result_column>& columns) = 0;

  // wire: how the rows of this result set are laid out; called once, before the first of them. The row_layout is what
  // COLMETADATA must be written from.
  virtual void on_layout(const std::vector<result_column>&, const tds::row_layout&) {}

  // wire: room of at least `bytes` contiguous bytes, valid until commit(). Blocks while the client is behind. An empty
  // span means: stop (the client went away or cancelled); it may be given between rows only, because a row once begun
  // is written to its end. What was reserved and not committed is forgotten. `bytes` never exceeds reserve_max.
  virtual std::span<std::uint8_t> reserve(std::size_t bytes) = 0;
  // wire: the first `bytes` of the room are part of the response now. They end `rows` rows; a row with long values
  // takes several commits, all but the last with rows == 0.
  virtual void commit(std::size_t bytes, std::size_t rows) = 0;
  static constexpr std::size_t reserve_max = 64 * 1024;

  // The upstream has nothing more at hand: what is buffered should leave now, so that first rows do not wait for last.
  virtual void flush() {}

  // values: one row; false means stop. The span is reused for the next row.
  virtual bool on_values(std::span<const sql_value>) { return false; }

  // The result set is complete (or cut by the row cap); not called when the statement fails or is stopped in it.
  virtual void on_result_end(std::uint64_t rows) = 0;

  // Called from any thread, at most once, when the statement is cancelled or timed out: a reserve() that blocks must
  // return empty now, and so must every later one.
  virtual void stop() noexcept = 0;
};

// Collects everything as values: for catalogue queries, estimates, insights and tests.
struct value_table final : row_receiver {
  std::vector<result_column> columns;        // of the last result set
  std::vector<std::vector<sql_value>> rows;  // of the last result set
  std::size_t rows_max = 100'000;

  row_form on_columns(const std::vector<result_column>& c) override {
    columns = c;
    rows.clear();
    return {row_form::kind::values, {}};
  }
  std::span<std::uint8_t> reserve(std::size_t) override { return {}; }
  void commit(std::size_t, std::size_t) override {}
  bool on_values(std::span<const sql_value> row) override {
    rows.emplace_back(row.begin(), row.end());
    return rows.size() < rows_max;
  }
  void on_result_end(std::uint64_t) override {}
  void stop() noexcept override {}
};

}  // namespace dragoman::upstream
