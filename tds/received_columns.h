// Result sets as a server sends them, for the side that reads: COLMETADATA, and where each row ends.
// MS-TDS 2.2.7.4, 2.2.7.17 and 2.2.7.19, in the layout of TDS 7.2 and later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/sql_value.h"
#include "tds/type_reader.h"
#include "tds/wire_column.h"

namespace dragoman::tds {

struct received_column {
  result_column column;
  sent_type sent;    // how its values are read
  wire_column wire;  // the form in which its values lie in the rows, and what COLMETADATA says of it when passed on
};

// What follows the token. nullopt with a failed reader: the bytes end too early, or are no column metadata. An empty
// list: the server says that there is no metadata (0xFFFF).
std::optional<std::vector<received_column>> read_colmetadata(byte_reader& in);

// May the rows go on to a client of this profile byte for byte? (NBCROW apart, see expand_nbcrow.)
bool travels_unchanged(const received_column& column, const wire_profile& profile) noexcept;

// One value of a row. It differs from a parameter's only in text, ntext and image, which have a text pointer here.
sql_value read_row_value(byte_reader& in, const received_column& column);

// ROW or NBCROW.
bool is_row_token(std::uint8_t token) noexcept;

// Finds the ends of rows. A row that is not all there yet is gone on with where it was left, so that a row of many
// megabytes costs no more than its bytes.
class row_scanner {
 public:
  row_scanner() = default;
  // No value may have more than `value_bytes_max` bytes, no row more than that and `row_overhead`.
  row_scanner(std::span<const received_column> columns, std::size_t value_bytes_max);
  row_scanner(std::span<const wire_column> columns, std::size_t value_bytes_max);

  enum class state : std::uint8_t { complete, incomplete, malformed, too_large };
  // `row` begins with its token, ROW or NBCROW, and holds what has arrived. Once it said `incomplete` it must be given
  // the same row again, with more of it.
  state scan(byte_span row) noexcept;
  // The next row is another one, or the same from its beginning.
  void restart() noexcept {
    at_ = column_ = 0;
    chunks_ = {};
  }
  std::size_t size() const noexcept { return size_; }       // of a complete row, the token included
  std::size_t column() const noexcept { return column_; }   // of a malformed or too large value
  bool has_bitmap() const noexcept { return has_bitmap_; }  // of a complete row: it is a NBCROW
  // The bytes of the value of `column` at the beginning of `rest`, which must hold all of it.
  std::size_t value_bytes(std::size_t column, byte_span rest) const noexcept;

  static constexpr std::size_t row_overhead = 1024 * 1024;

 private:
  struct step {
    value_form form = value_form::fixed;
    std::uint32_t most = 0;  // bytes of a value
  };
  // Chunks of a partially length-prefixed value that were gone over already.
  struct chunks {
    std::size_t at = 0;  // of the next one in the value; 0 = none yet
    std::uint64_t sum = 0;
  };
  void add(const wire_column& column);
  state value_end(const step& s, byte_span rest, chunks& seen, std::size_t& bytes) const noexcept;

  std::vector<step> steps_;
  std::size_t value_max_ = 0;
  std::size_t size_ = 0;
  std::size_t column_ = 0;
  std::size_t at_ = 0;  // where the value of column_ begins; 0 = the row is new
  chunks chunks_;
  bool has_bitmap_ = false;
};

// A NBCROW as the ROW that says the same, for clients before TDS 7.3.
void expand_nbcrow(byte_writer& out, byte_span row, std::span<const received_column> columns,
                   const row_scanner& scanner);

}  // namespace dragoman::tds
