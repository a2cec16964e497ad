// The small values every node of the tree is made of: positions, owned children, identifiers, multi-part names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::tsql {

// Where a node began in the text. Line and column count from 1, the column in Unicode code points; the offset counts
// bytes from 0. Line 0 marks a node that no text stands behind (built by the question compiler or a rewrite).
// Positions say nothing about meaning, so all of them compare equal: that makes the defaulted == of every node a
// comparison of structure.
struct source_position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t offset = 0;

  friend constexpr bool operator==(const source_position&, const source_position&) { return true; }
};

// An owned child: at most one T on the heap, copied and compared with its owner. Empty stands for "absent" in the
// places where the language makes a child optional; elsewhere the parser always fills it.
template <class T>
class box {
 public:
  box() noexcept = default;
  box(T value) : ptr_(std::make_unique<T>(std::move(value))) {}  // NOLINT: a child is written as its value
  box(const box& other) : ptr_(other.ptr_ ? std::make_unique<T>(*other.ptr_) : nullptr) {}
  box(box&& other) noexcept = default;
  box& operator=(const box& other) {
    if (this != &other) ptr_ = other.ptr_ ? std::make_unique<T>(*other.ptr_) : nullptr;
    return *this;
  }
  box& operator=(box&& other) noexcept = default;
  ~box() = default;

  explicit operator bool() const noexcept { return ptr_ != nullptr; }
  T& operator*() noexcept { return *ptr_; }
  const T& operator*() const noexcept { return *ptr_; }
  T* operator->() noexcept { return ptr_.get(); }
  const T* operator->() const noexcept { return ptr_.get(); }
  T* get() noexcept { return ptr_.get(); }
  const T* get() const noexcept { return ptr_.get(); }
  void reset() noexcept { ptr_.reset(); }

  friend bool operator==(const box& a, const box& b) {
    return a.ptr_ && b.ptr_ ? *a.ptr_ == *b.ptr_ : !a.ptr_ == !b.ptr_;
  }

 private:
  std::unique_ptr<T> ptr_;
};

// A name as the user means it: UTF-8 without the delimiters of [x] or "x" and with ]] and "" undone. How it was
// written is forgotten; the printer quotes what needs quoting. Comparison is exact; the catalogue's collation is the
// binder's business.
struct identifier {
  std::string value;

  bool empty() const noexcept { return value.empty(); }
  friend bool operator==(const identifier&, const identifier&) = default;
};

// server.database.schema.name, any leading part empty ("SalesDb..Order" has an empty schema).
struct object_name {
  identifier server;
  identifier database;
  identifier schema;
  identifier name;
  source_position pos;

  bool empty() const noexcept { return name.empty(); }
  bool one_part() const noexcept { return schema.empty() && database.empty() && server.empty(); }
  friend bool operator==(const object_name&, const object_name&) = default;
};

// Makes one visitor of several lambdas; std::visit over a node with it does not compile when a kind is missed.
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

}  // namespace dragoman::tsql
