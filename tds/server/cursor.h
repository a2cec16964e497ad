// A server cursor: the rows of one SELECT, kept here, and the client's place in them. Read-only, and of two kinds:
// forward-only and static. Every other kind that a client asks for becomes one of them, and the answer says so.
//
// Values of sp_cursoropen's scrollopt and ccopt, and of sp_cursorfetch's fetchtype: T-SQL reference, "Cursor stored
// procedures".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tds/server/row_spool.h"
#include "tds/token_writer.h"

namespace dragoman::tds::server {

namespace scroll_option {
inline constexpr std::int32_t keyset = 0x1;
inline constexpr std::int32_t dynamic = 0x2;
inline constexpr std::int32_t forward_only = 0x4;
inline constexpr std::int32_t static_ = 0x8;
inline constexpr std::int32_t fast_forward = 0x10;
inline constexpr std::int32_t kinds = 0x1F;
inline constexpr std::int32_t parameterized = 0x1000;
inline constexpr std::int32_t auto_fetch = 0x2000;
inline constexpr std::int32_t auto_close = 0x4000;
}  // namespace scroll_option

namespace concurrency_option {
inline constexpr std::int32_t read_only = 0x1;
inline constexpr std::int32_t allow_direct = 0x2000;  // what can have no cursor is run without one
}  // namespace concurrency_option

namespace fetch_type {
inline constexpr std::int32_t first = 0x1;
inline constexpr std::int32_t next = 0x2;
inline constexpr std::int32_t previous = 0x4;
inline constexpr std::int32_t last = 0x8;
inline constexpr std::int32_t absolute = 0x10;
inline constexpr std::int32_t relative = 0x20;
inline constexpr std::int32_t refresh = 0x80;
inline constexpr std::int32_t info = 0x100;
inline constexpr std::int32_t previous_noadjust = 0x200;
inline constexpr std::int32_t skip_update_concurrency = 0x400;  // nothing to skip here
}  // namespace fetch_type

inline constexpr std::int32_t default_fetch_rows = 20;

// The kind that a client gets for what it asks: static or one of the two forward-only ones, with AUTO_FETCH and
// AUTO_CLOSE for FAST_FORWARD alone.
struct cursor_kind {
  std::int32_t scroll = scroll_option::static_;
  bool fetches_at_once = false;
  bool closes_itself = false;
  bool forward_only() const noexcept { return scroll != scroll_option::static_; }
};
cursor_kind kind_for(std::int32_t scroll_asked) noexcept;

struct cursor {
  cursor(const wire_profile& profile, spool_budget& budget) : rows(profile, budget) {}

  std::int32_t id = 0;
  cursor_kind kind;
  std::string name;  // sp_cursoroption CURSOR_NAME
  row_spool rows;
  browse_info browse;

  // What a fetch returns, rows counted from 0. status: 2 where a move back would have ended before the first row and
  // the first rows are returned instead.
  struct window {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::int32_t status = 0;
  };
  // Moves and says what is there. 16911: not with a forward-only cursor. 16902: no such fetch type, or a bad count.
  result<window> fetch(std::int32_t type, std::int64_t row, std::int64_t count);
  // A row of the fetch buffer, counted from 1; 0 is all of it. 16902: there is none.
  result<window> buffered(std::int64_t row) const;
  // For FETCH_INFO: 0 before the first row, -1 after the last, else the row (from 1) where the fetch buffer begins.
  std::int32_t position() const noexcept;
  bool at_end() const noexcept { return start_ + size_ > rows.rows(); }

 private:
  window place(std::int64_t start, std::int64_t count, std::int32_t status = 0) noexcept;
  // The fetch buffer: rows from start_ (1 is the first, 0 before it, rows() + 1 behind the last), size_ of them.
  std::uint64_t start_ = 0;
  std::uint64_t size_ = 0;
};

// The open cursors of a session. Numbers are never used twice.
class cursors {
 public:
  // Where a cursor is made before its statement runs; add() opens it.
  std::shared_ptr<cursor> make(const wire_profile& profile) { return std::make_shared<cursor>(profile, budget_); }
  bool full() const noexcept { return open_.size() >= limits::cursors_max; }
  std::int32_t add(std::shared_ptr<cursor> one);
  std::shared_ptr<cursor> find(std::int32_t id) const noexcept;
  bool close(std::int32_t id) noexcept { return open_.erase(id) != 0; }
  void clear() noexcept { open_.clear(); }
  std::size_t size() const noexcept { return open_.size(); }
  std::uint64_t bytes() const noexcept { return budget_.used(); }

 private:
  spool_budget budget_;  // before the cursors: they give back to it
  std::map<std::int32_t, std::shared_ptr<cursor>> open_;
  std::int32_t next_ = 180150003;  // where SQL Server begins: nobody takes it for a prepared handle
};

}  // namespace dragoman::tds::server
