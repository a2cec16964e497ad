#include "tds/server/cursor.h"

#include <algorithm>

namespace dragoman::tds::server {

cursor_kind kind_for(std::int32_t asked) noexcept {
  cursor_kind kind;
  if ((asked & scroll_option::fast_forward) != 0) {
    kind.scroll = scroll_option::fast_forward;
    kind.fetches_at_once = (asked & scroll_option::auto_fetch) != 0;
    kind.closes_itself = (asked & scroll_option::auto_close) != 0;
  } else if ((asked & scroll_option::kinds) == scroll_option::forward_only) {
    kind.scroll = scroll_option::forward_only;
  }
  return kind;
}

cursor::window cursor::place(std::int64_t start, std::int64_t count, std::int32_t status) noexcept {
  const auto total = static_cast<std::int64_t>(rows.rows());
  start_ = static_cast<std::uint64_t>(std::clamp<std::int64_t>(start, 0, total + 1));
  if (start_ == 0 || start > total) count = 0;
  size_ = static_cast<std::uint64_t>(std::clamp<std::int64_t>(count, 0, total - static_cast<std::int64_t>(start_) + 1));
  return {start_ == 0 ? 0 : start_ - 1, size_, status};
}

result<cursor::window> cursor::fetch(std::int32_t type, std::int64_t row, std::int64_t count) {
  const auto refuse = [](std::int32_t number, std::string text) {
    failure f(errc::bad_argument, std::move(text));
    f.number = number;
    return f;
  };
  type &= ~fetch_type::skip_update_concurrency;
  if (count < 0) return refuse(16902, "sp_cursorfetch: The value of the parameter 'nrows' is invalid.");
  const bool forward = type == fetch_type::next || type == fetch_type::refresh || type == fetch_type::info ||
                       (type == fetch_type::first && start_ == 0);
  if (kind.forward_only() && !forward)
    return refuse(16911, "sp_cursorfetch: The fetch type cannot be used with forward-only cursors.");

  const auto total = static_cast<std::int64_t>(rows.rows());
  const auto start = static_cast<std::int64_t>(start_);
  const auto size = static_cast<std::int64_t>(size_);
  constexpr std::int32_t moved_to_first = 2;
  switch (type) {
    case fetch_type::first: return place(count == 0 ? 0 : 1, count);
    case fetch_type::next: return place(start == 0 ? 1 : start + size, count);
    case fetch_type::last:
      if (count == 0) return place(total + 1, 0);
      return place(std::max<std::int64_t>(total - count + 1, 1), count);
    case fetch_type::previous:
      if (start <= 1) return place(0, 0);
      if (start - count < 1) return place(1, count, moved_to_first);
      return place(start - count, count);
    case fetch_type::previous_noadjust: {
      const std::int64_t to = std::max<std::int64_t>(start - count, 1);
      return start <= 1 ? place(0, 0) : place(to, start - to);
    }
    case fetch_type::absolute:
      if (row >= 0) return place(row, count);
      return -row <= total ? place(total + row + 1, count) : place(1, count, moved_to_first);
    case fetch_type::relative:
      if (start + row >= 1) return place(start + row, count);
      return start == 0 ? place(0, 0) : place(1, count, moved_to_first);
    case fetch_type::refresh: return place(start, size);
    default: return refuse(16902, "sp_cursorfetch: The value of the parameter 'fetchtype' is invalid.");
  }
}

result<cursor::window> cursor::buffered(std::int64_t row) const {
  if (row < 0 || row > static_cast<std::int64_t>(size_)) {
    failure f(errc::bad_argument, "sp_cursor: The value of the parameter 'rownum' is invalid.");
    f.number = 16902;
    return f;
  }
  if (size_ == 0) return window{};
  return row == 0 ? window{start_ - 1, size_, 0} : window{start_ - 2 + static_cast<std::uint64_t>(row), 1, 0};
}

std::int32_t cursor::position() const noexcept {
  return start_ > rows.rows() ? -1 : static_cast<std::int32_t>(start_);
}

std::int32_t cursors::add(std::shared_ptr<cursor> one) {
  one->id = next_;
  next_ += 2;
  open_.emplace(one->id, one);
  return one->id;
}

std::shared_ptr<cursor> cursors::find(std::int32_t id) const noexcept {
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second;
}

}  // namespace dragoman::tds::server
