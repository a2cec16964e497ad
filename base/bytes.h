// Reading and writing the integers and texts of a wire, with one sticky error instead of a check per field.
//
// A reader that ran past its end returns zeros and empty spans from then on and says so in failed(); the caller looks
// once, at the end. A writer grows up to its limit; past it every write is dropped and failed() is set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/utf16.h"

namespace dragoman {

using byte_span = std::span<const std::uint8_t>;

class byte_reader {
 public:
  byte_reader() = default;
  explicit byte_reader(byte_span data) noexcept : data_(data) {}

  std::size_t position() const noexcept { return position_; }
  std::size_t remaining() const noexcept { return data_.size() - position_; }
  bool failed() const noexcept { return failed_; }
  bool at_end() const noexcept { return position_ == data_.size(); }
  void fail() noexcept {
    failed_ = true;
    position_ = data_.size();
  }

  byte_span take(std::size_t count) noexcept {
    if (count > remaining()) {
      fail();
      return {};
    }
    const byte_span out = data_.subspan(position_, count);
    position_ += count;
    return out;
  }
  void skip(std::size_t count) noexcept { take(count); }
  byte_span rest() noexcept { return take(remaining()); }
  std::uint8_t peek() const noexcept { return position_ < data_.size() ? data_[position_] : std::uint8_t{0}; }

  std::uint8_t u8() noexcept { return static_cast<std::uint8_t>(little(1)); }
  std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(little(2)); }
  std::uint32_t u24() noexcept { return static_cast<std::uint32_t>(little(3)); }
  std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(little(4)); }
  std::uint64_t u64() noexcept { return little(8); }
  std::uint64_t little(std::size_t count) noexcept {  // count 0..8
    const byte_span raw = take(count);
    std::uint64_t value = 0;
    for (std::size_t i = raw.size(); i-- > 0;) value = value << 8 | raw[i];
    return value;
  }
  std::uint16_t u16_big() noexcept {
    const byte_span raw = take(2);
    return raw.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(raw[0] << 8 | raw[1]);
  }

 private:
  byte_span data_;
  std::size_t position_ = 0;
  bool failed_ = false;
};

// Owns its bytes, which are not cleared before they are written. Movable, not copyable.
class byte_writer {
 public:
  byte_writer() = default;
  explicit byte_writer(std::size_t limit) noexcept : limit_(limit) {}
  byte_writer(byte_writer&& other) noexcept { swap(other); }
  byte_writer& operator=(byte_writer&& other) noexcept {
    swap(other);
    return *this;
  }

  const std::uint8_t* data() const noexcept { return data_.get(); }
  std::uint8_t* data() noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }
  bool failed() const noexcept { return failed_; }
  byte_span view() const noexcept { return {data_.get(), size_}; }

  void clear() noexcept {
    size_ = 0;
    failed_ = false;
  }
  void release() noexcept {  // gives the memory back
    data_.reset();
    size_ = capacity_ = 0;
    failed_ = false;
  }
  void shrink_to(std::size_t size) noexcept {
    if (size < size_) size_ = size;
  }
  // Forgets the first `count` bytes.
  void drop_front(std::size_t count) noexcept {
    size_ -= count;
    if (size_ != 0) std::memmove(data_.get(), data_.get() + count, size_);
  }

  // Room for `count` bytes at the end; write there, then commit what was used. Null past the limit.
  std::uint8_t* reserve(std::size_t count) {
    if (count > capacity_ - size_ && !grow(count)) return nullptr;
    return data_.get() + size_;
  }
  void commit(std::size_t count) noexcept { size_ += count; }

  void u8(std::uint8_t value) { little(value, 1); }
  void u16(std::uint16_t value) { little(value, 2); }
  void u24(std::uint32_t value) { little(value, 3); }
  void u32(std::uint32_t value) { little(value, 4); }
  void u64(std::uint64_t value) { little(value, 8); }
  void little(std::uint64_t value, std::size_t count) {
    std::uint8_t* p = reserve(count);
    if (p == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) p[i] = static_cast<std::uint8_t>(value >> (8 * i));
    size_ += count;
  }
  void u16_big(std::uint16_t value) {
    u8(static_cast<std::uint8_t>(value >> 8));
    u8(static_cast<std::uint8_t>(value));
  }
  void u32_big(std::uint32_t value) {
    u16_big(static_cast<std::uint16_t>(value >> 16));
    u16_big(static_cast<std::uint16_t>(value));
  }
  void raw(byte_span bytes) {
    std::uint8_t* p = reserve(bytes.size());
    if (p == nullptr || bytes.empty()) return;
    std::memcpy(p, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // UTF-8 text as UTF-16LE without a length; returns the bytes written.
  std::size_t utf16(std::string_view text) {
    std::uint8_t* p = reserve(2 * text.size());
    if (p == nullptr || text.empty()) return 0;
    const std::size_t written = write_utf16le(p, text);
    size_ += written;
    return written;
  }
  // Overwrites two bytes that were written before, for lengths known only afterwards.
  void patch_u16(std::size_t at, std::size_t value) noexcept {
    if (at + 2 > size_) return;
    data_[at] = static_cast<std::uint8_t>(value);
    data_[at + 1] = static_cast<std::uint8_t>(value >> 8);
  }
  void patch_u8(std::size_t at, std::size_t value) noexcept {
    if (at < size_) data_[at] = static_cast<std::uint8_t>(value);
  }

 private:
  bool grow(std::size_t count) {
    if (failed_ || count > limit_ - size_) {
      failed_ = true;
      return false;
    }
    std::size_t wanted = capacity_ < 256 ? 512 : capacity_ * 2;
    if (wanted < size_ + count) wanted = size_ + count;
    auto bigger = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
    if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = wanted;
    return true;
  }
  void swap(byte_writer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(limit_, other.limit_);
    std::swap(failed_, other.failed_);
  }

  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t limit_ = std::size_t{1} << 40;
  bool failed_ = false;
};

}  // namespace dragoman
