// A text that must never be shown: passwords, API keys, tokens.
//
// Prints as ***, compares in constant time, is wiped when it dies. `reveal()` is the one door; each call of it is a
// place to review.
#pragma once

#include <fmt/core.h>

#include <ostream>
#include <string>
#include <string_view>

namespace dragoman {

class secret {
 public:
  secret() = default;
  explicit secret(std::string text) : text_(std::move(text)) {}
  secret(const secret&) = default;
  secret& operator=(const secret& other) {
    if (this != &other) {
      wipe();
      text_ = other.text_;
    }
    return *this;
  }
  secret(secret&& other) noexcept : text_(other.text_) { other.wipe(); }
  secret& operator=(secret&& other) noexcept {
    if (this != &other) {
      wipe();
      text_ = other.text_;
      other.wipe();
    }
    return *this;
  }
  ~secret() { wipe(); }

  std::string_view reveal() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }

  // Takes as long for any two texts of the same length, so that a difference cannot be timed.
  bool equals(std::string_view other) const noexcept {
    unsigned char difference = text_.size() == other.size() ? 0 : 1;
    for (std::size_t i = 0; i < text_.size(); ++i)
      difference |= static_cast<unsigned char>(text_[i] ^ (other.empty() ? '\0' : other[i % other.size()]));
    return difference == 0;
  }

  friend std::ostream& operator<<(std::ostream& out, const secret&) { return out << "***"; }

 private:
  void wipe() noexcept {
    volatile char* p = text_.data();
    for (std::size_t i = 0; i < text_.size(); ++i) p[i] = 0;
    text_.clear();
  }
  std::string text_;
};

}  // namespace dragoman

template <>
struct fmt::formatter<dragoman::secret> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const dragoman::secret&, Context& context) const {
    return fmt::formatter<std::string_view>::format("***", context);
  }
};
