#include "tds/server/row_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tds/value_encoder.h"

namespace dragoman::tds::server {
namespace {

constexpr std::size_t write_piece = 256 * 1024;
constexpr std::size_t read_piece = 64 * 1024;
constexpr std::size_t record_head = 4;

}  // namespace

row_spool::row_spool(const wire_profile& profile, spool_budget& budget, std::size_t memory)
    : profile_(profile), budget_(budget), memory_(memory) {}

row_spool::~row_spool() {
  budget_.give_back(size_);
  if (file_ >= 0) ::close(file_);
}

void row_spool::fail(failure f) {
  if (!error_) error_ = std::move(f);
  partial_.clear();
}

void row_spool::begin(std::span<const result_column> columns) {
  if (++result_sets_ > 1) {
    dropping_ = true;
    return;
  }
  columns_.assign(columns.begin(), columns.end());
  layout_ = row_layout(columns_, profile_);
  scanner_ = row_scanner(layout_.columns(), budget_.most());
}

bool row_spool::append(byte_span encoded) {
  if (error_) return false;
  if (dropping_) return true;
  const auto take_rows = [this](byte_span data) {  // the bytes that were whole rows
    std::size_t taken = 0;
    while (taken < data.size()) {
      using state = row_scanner::state;
      const byte_span rest = data.subspan(taken);
      const state found = is_row_token(rest[0]) ? scanner_.scan(rest) : state::malformed;
      if (found == state::incomplete) break;
      if (found == state::malformed) fail({errc::internal, "The rows of the cursor could not be read."});
      if (found == state::too_large) fail({errc::value_too_large, "A row is too large for a cursor."});
      if (error_ || !store(rest.first(scanner_.size()))) break;
      taken += scanner_.size();
    }
    return taken;
  };
  if (!partial_.empty()) {
    partial_.insert(partial_.end(), encoded.begin(), encoded.end());
    const std::size_t taken = take_rows(partial_);
    if (error_) return false;
    partial_.erase(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(taken));
  } else {
    const std::size_t taken = take_rows(encoded);
    if (error_) return false;
    partial_.assign(encoded.begin() + static_cast<std::ptrdiff_t>(taken), encoded.end());
  }
  if (partial_.empty() && partial_.capacity() > write_piece) partial_.shrink_to_fit();
  if (partial_.size() > budget_.most()) fail({errc::value_too_large, "A row is too large for a cursor."});
  return !error_;
}

bool row_spool::append_row(std::span<const sql_value> values) {
  if (error_) return false;
  if (dropping_) return true;
  byte_writer row;
  layout_.write_row(row, values);
  return store(row.view());
}

bool row_spool::store(byte_span row) {
  if (row.size() > UINT32_MAX || !budget_.take(record_head + row.size())) {
    fail({errc::too_complex, "The rows of this session's cursors take more than " +
                                 std::to_string(budget_.most() / (1024 * 1024)) +
                                 " MiB; read them without a cursor, or close other cursors."});
    return false;
  }
  if (rows_ % index_step == 0) offsets_.push_back(size_);
  const std::uint8_t head[record_head] = {
      static_cast<std::uint8_t>(row.size()), static_cast<std::uint8_t>(row.size() >> 8),
      static_cast<std::uint8_t>(row.size() >> 16), static_cast<std::uint8_t>(row.size() >> 24)};
  tail_.insert(tail_.end(), head, head + record_head);
  tail_.insert(tail_.end(), row.begin(), row.end());
  size_ += record_head + row.size();
  ++rows_;
  if (size_ <= memory_) return true;
  return tail_.size() < write_piece || flush();
}

// A file that has no name from the start where the file system can do that, else from the next line on.
bool row_spool::open_file() {
  if (file_ >= 0) return true;
  const char* given = std::getenv("TMPDIR");
  const std::string folder = given != nullptr && *given != '\0' ? given : "/tmp";
  file_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0) {
    std::string name = folder + "/dragoman-XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ >= 0) ::unlink(name.c_str());
  }
  return file_ >= 0;
}

bool row_spool::flush() {
  if (open_file()) {
    byte_span rest = tail_;
    while (!rest.empty()) {
      const ssize_t written = ::pwrite(file_, rest.data(), rest.size(), static_cast<off_t>(in_file_));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      in_file_ += static_cast<std::uint64_t>(written);
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
    if (rest.empty()) {
      tail_.clear();
      return true;
    }
  }
  fail({errc::io, "The rows of the cursor could not be kept: " + std::string(std::strerror(errno)) + "."});
  return false;
}

row_spool::reader::reader(const row_spool& spool, std::uint64_t first) : spool_(spool), row_(first) {
  if (row_ >= spool_.rows_) return;
  offset_ = spool_.offsets_[static_cast<std::size_t>(row_ / index_step)];
  row_ -= row_ % index_step;
  while (row_ < first && !next().empty()) {
  }
}

// Makes `count` bytes from offset_ on stand in page_.
bool row_spool::reader::load(std::size_t count) {
  if (offset_ >= page_offset_ && offset_ + count <= page_offset_ + page_.size()) return true;
  const auto left = static_cast<std::size_t>(spool_.in_file_ - offset_);
  page_.resize(std::min(std::max(count, read_piece), left));
  page_offset_ = offset_;
  std::size_t got = 0;
  while (got < page_.size()) {
    const ssize_t n = ::pread(spool_.file_, page_.data() + got, page_.size() - got, static_cast<off_t>(offset_ + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  return count <= page_.size();
}

byte_span row_spool::reader::next() {
  if (row_ >= spool_.rows_) return {};
  const auto size_at = [](const std::uint8_t* p) {
    return static_cast<std::size_t>(p[0] | p[1] << 8 | p[2] << 16) | static_cast<std::size_t>(p[3]) << 24;
  };
  byte_span row;
  if (offset_ < spool_.in_file_) {
    if (!load(record_head)) return {};
    const std::size_t size = size_at(page_.data() + (offset_ - page_offset_));
    if (!load(record_head + size)) return {};
    row = byte_span(page_).subspan(static_cast<std::size_t>(offset_ - page_offset_) + record_head, size);
  } else {
    const byte_span tail(spool_.tail_);
    const auto at = static_cast<std::size_t>(offset_ - spool_.in_file_);
    row = tail.subspan(at + record_head, size_at(tail.data() + at));
  }
  offset_ += record_head + row.size();
  ++row_;
  return row;
}

}  // namespace dragoman::tds::server
