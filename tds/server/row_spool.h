// The rows of a result set, kept for a client that wants them in pages: encoded as they will be sent, in memory first
// and from spool_memory on in a temporary file without a name (readable by this process alone, gone with it; not
// encrypted).
//
// Bytes come in pieces of any size; row boundaries are found by the columns' layout. One user at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/sql_value.h"
#include "tds/received_columns.h"
#include "tds/wire_column.h"

namespace dragoman::tds::server {

// What all spools of a session may take together.
class spool_budget {
 public:
  explicit spool_budget(std::uint64_t most = limits::cursor_bytes_max) noexcept : most_(most) {}
  bool take(std::uint64_t bytes) noexcept {
    if (bytes > most_ - used_) return false;
    used_ += bytes;
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept { used_ -= bytes; }
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t most() const noexcept { return most_; }

 private:
  const std::uint64_t most_;
  std::uint64_t used_ = 0;
};

class row_spool {
 public:
  // `budget` must outlive the spool.
  row_spool(const wire_profile& profile, spool_budget& budget, std::size_t memory = limits::cursor_memory_bytes);
  ~row_spool();
  row_spool(const row_spool&) = delete;
  row_spool& operator=(const row_spool&) = delete;

  // A result set begins. Only the first is kept: later ones are counted, their rows dropped.
  void begin(std::span<const result_column> columns);
  bool begun() const noexcept { return result_sets_ > 0; }
  int result_sets() const noexcept { return result_sets_; }
  // False: no more is taken, error() says why.
  bool append(byte_span encoded);
  bool append_row(std::span<const sql_value> values);
  const std::optional<failure>& error() const noexcept { return error_; }

  const std::vector<result_column>& columns() const noexcept { return columns_; }
  std::uint64_t rows() const noexcept { return rows_; }
  bool in_file() const noexcept { return file_ >= 0; }

  // Rows in order from `first` (counted from 0) on.
  class reader {
   public:
    reader(const row_spool& spool, std::uint64_t first);
    // Valid until the next call; empty at the end, or when the file could not be read.
    byte_span next();

   private:
    bool load(std::size_t count);
    const row_spool& spool_;
    std::uint64_t row_;
    std::uint64_t offset_ = 0;  // of the next record
    std::vector<std::uint8_t> page_;
    std::uint64_t page_offset_ = 0;
  };

 private:
  friend class reader;
  static constexpr std::uint64_t index_step = 32;

  bool store(byte_span row);
  bool flush();
  bool open_file();
  void fail(failure f);

  const wire_profile profile_;
  spool_budget& budget_;
  const std::size_t memory_;
  std::vector<result_column> columns_;
  row_layout layout_;
  row_scanner scanner_;
  int result_sets_ = 0;
  bool dropping_ = false;
  std::vector<std::uint8_t> partial_;   // the beginning of a row
  std::vector<std::uint8_t> tail_;      // records (u32 size, row) that are not in the file
  std::vector<std::uint64_t> offsets_;  // of every index_step-th record
  std::uint64_t rows_ = 0;
  std::uint64_t size_ = 0;     // of all records
  std::uint64_t in_file_ = 0;  // of those in the file
  int file_ = -1;
  std::optional<failure> error_;
};

}  // namespace dragoman::tds::server
