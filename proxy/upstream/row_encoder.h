// Bound rows to ROW and NBCROW tokens (MS-TDS 2.2.7.19, 2.2.7.12), without a value in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxy/upstream/columns.h"
#include "tds/wire_column.h"

namespace dragoman::upstream {

class row_encoder {
 public:
  // The layout must outlive the encoder.
  row_encoder(const row_layout& layout, const tds::wire_profile& profile);

  // Every column travels in the form in which the driver gives it. Otherwise (clients that know older types only, text
  // that changes its encoding) rows go through sql_values and tds::row_layout.
  bool direct() const noexcept { return direct_; }

  // For layouts without long columns: no row of this one's contents is longer on the wire.
  std::size_t bytes_at_most(const std::uint8_t* row) const noexcept;
  // Writes the whole row; `out` has bytes_at_most(row) bytes. Returns the end.
  std::uint8_t* encode(const std::uint8_t* row, std::uint8_t* out) const noexcept;

  // For rows that are written column by column.
  const tds::wire_column& wire(std::size_t column) const noexcept { return wire_[column]; }
  bool nbcrow() const noexcept { return nbcrow_; }
  std::size_t null_bytes(std::size_t column) const noexcept;  // of a NULL in a ROW token
  std::size_t short_value_bytes(std::size_t column, std::size_t length) const noexcept;
  std::uint8_t* encode_value(std::size_t column, const std::uint8_t* value, std::size_t length,
                             std::uint8_t* out) const noexcept;

 private:
  const row_layout* layout_;
  std::vector<tds::wire_column> wire_;
  std::vector<std::uint32_t> short_columns_;  // positions of short_bytes columns
  std::size_t fixed_bytes_ = 0;               // most bytes of a row without the contents of short_bytes columns
  bool nbcrow_;
  bool direct_ = true;
};

}  // namespace dragoman::upstream
