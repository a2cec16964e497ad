// The one door to SQLite: connections, statements, and functions, aggregates, collations and table functions written
// in C++ without seeing sqlite3.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dragoman::sandbox {

enum class storage_class : std::uint8_t { integer, real, text, blob, null };

// A value that SQLite lends for the duration of a call or until the next step. Text and blobs are views.
class value_ref {
 public:
  explicit value_ref(void* value) noexcept : value_(value) {}
  storage_class kind() const noexcept;
  bool is_null() const noexcept { return kind() == storage_class::null; }
  std::int64_t integer() const noexcept;
  double real() const noexcept;
  std::string_view text() const noexcept;
  std::string_view blob() const noexcept;

 private:
  friend class statement;
  void* value_;
};

// Data kept between the calls of one function in one statement, e.g. a compiled pattern.
struct cached {
  virtual ~cached() = default;
};

// The arguments of a call and the place for its result. A function that sets no result gives NULL.
class call {
 public:
  call(void* context, int count, void** values) noexcept : context_(context), count_(count), values_(values) {}
  int size() const noexcept { return count_; }
  value_ref operator[](int i) const noexcept { return value_ref(values_[i]); }
  bool any_null() const noexcept;

  void integer(std::int64_t value) noexcept;
  void real(double value) noexcept;
  void text(std::string_view value) noexcept;  // copied
  void blob(std::string_view value) noexcept;
  void argument(int i) noexcept;  // the i-th argument itself
  void null() noexcept;
  // The statement ends with this failure, exactly.
  void fail(failure why);

  std::intptr_t tag() const noexcept;  // the number given at registration
  void* owner() const noexcept;        // the connection's owner, see connection::set_owner
  // What keep() kept for a constant argument i, or nullptr.
  cached* kept(int i) const noexcept;
  cached* keep(int i, std::unique_ptr<cached> value) noexcept;

 private:
  friend class connection;
  void* context_;
  int count_;
  void** values_;
};

using scalar_function = void (*)(call&);

// One group of an aggregate, or one window that moves. `value` may be called many times, `inverse` only for windows.
class accumulator {
 public:
  virtual ~accumulator() = default;
  virtual void step(call& c) = 0;
  virtual void inverse(call& c) = 0;
  virtual void value(call& c) = 0;
};

using accumulator_factory = std::unique_ptr<accumulator> (*)(std::intptr_t tag);
using compare_function = int (*)(std::string_view, std::string_view) noexcept;

// Rows made by C++ code: `FROM name(argument, …)`. Arguments may refer to tables on the left.
class row_source {
 public:
  virtual ~row_source() = default;
  virtual bool next(call& failure_place) = 0;             // false at the end; call only for fail() and owner()
  virtual void column(int index, call& place) const = 0;  // of the current row
};

using row_source_factory = std::function<std::unique_ptr<row_source>(call& arguments)>;

class statement;

class connection {
 public:
  static result<std::unique_ptr<connection>> open(const std::string& path, bool read_only);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  result<void> execute(const std::string& sql);  // statements without rows
  result<statement> prepare(std::string_view sql);
  void interrupt() noexcept;

  // arity -1 takes any number. Deterministic functions may be computed once for constant arguments.
  void add_function(const char* name, int arity, scalar_function run, std::intptr_t tag = 0, bool deterministic = true);
  void add_aggregate(const char* name, int arity, accumulator_factory make, std::intptr_t tag = 0);
  void add_collation(const char* name, compare_function compare);
  // `columns` visible columns named c1, c2 … and up to `arguments` hidden ones.
  void add_table_function(const char* name, int columns, int arguments, row_source_factory make);

  void set_owner(void* owner) noexcept { owner_ = owner; }
  void* owner() const noexcept { return owner_; }

  // What a function reported by call::fail since the last take.
  void note(failure why);
  failure take_failure(int code);
  void* handle() const noexcept { return handle_; }

 private:
  connection() = default;
  void* handle_ = nullptr;
  void* owner_ = nullptr;
  failure noted_;
  bool has_noted_ = false;
  std::vector<std::unique_ptr<row_source_factory>> factories_;
};

class statement {
 public:
  statement() noexcept = default;
  statement(connection* db, void* handle) noexcept : db_(db), handle_(handle) {}
  statement(statement&& other) noexcept;
  statement& operator=(statement&& other) noexcept;
  ~statement();

  // Indexes of parameters count from 1.
  void bind_null(int index) noexcept;
  void bind(int index, std::int64_t value) noexcept;
  void bind(int index, double value) noexcept;
  void bind_text(int index, std::string_view value) noexcept;
  void bind_blob(int index, std::string_view value) noexcept;
  void bind(int index, value_ref value) noexcept;  // copied

  result<bool> step();  // true: a row is there
  void reset() noexcept;
  int column_count() const noexcept;
  // Values of the current row; cheaper than value_ref.
  storage_class kind(int column) const noexcept;
  std::int64_t integer(int column) const noexcept;
  double real(int column) const noexcept;
  std::string_view text(int column) const noexcept;
  std::string_view blob(int column) const noexcept;

 private:
  connection* db_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace dragoman::sandbox
