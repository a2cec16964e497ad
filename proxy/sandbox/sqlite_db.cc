#include "proxy/sandbox/sqlite_db.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace dragoman::sandbox {
namespace {

sqlite3_value* raw(void* value) noexcept {
  return static_cast<sqlite3_value*>(value);
}

storage_class class_of(int type) noexcept {
  switch (type) {
    case SQLITE_INTEGER: return storage_class::integer;
    case SQLITE_FLOAT: return storage_class::real;
    case SQLITE_TEXT: return storage_class::text;
    case SQLITE_BLOB: return storage_class::blob;
    default: return storage_class::null;
  }
}

// What a registered function is: kept by SQLite as its user data.
struct registered {
  connection* owner;
  scalar_function run;
  accumulator_factory make;
  std::intptr_t tag;
};

registered& registered_of(void* context) noexcept {
  return *static_cast<registered*>(sqlite3_user_data(static_cast<sqlite3_context*>(context)));
}

void run_scalar(sqlite3_context* context, int count, sqlite3_value** values) {
  call c(context, count, reinterpret_cast<void**>(values));
  registered_of(context).run(c);
}

accumulator* accumulator_of(sqlite3_context* context, bool create) {
  auto** slot = static_cast<accumulator**>(
      sqlite3_aggregate_context(context, create ? static_cast<int>(sizeof(accumulator*)) : 0));
  if (slot == nullptr) return nullptr;
  if (*slot == nullptr && create) {
    const auto& self = registered_of(context);
    *slot = self.make(self.tag).release();
  }
  return *slot;
}

void aggregate_step(sqlite3_context* context, int count, sqlite3_value** values) {
  call c(context, count, reinterpret_cast<void**>(values));
  if (auto* a = accumulator_of(context, true)) a->step(c);
}

void aggregate_inverse(sqlite3_context* context, int count, sqlite3_value** values) {
  call c(context, count, reinterpret_cast<void**>(values));
  if (auto* a = accumulator_of(context, true)) a->inverse(c);
}

void aggregate_value(sqlite3_context* context) {
  call c(context, 0, nullptr);
  if (auto* a = accumulator_of(context, false)) {
    a->value(c);
  } else {
    // An empty group: what a fresh accumulator says.
    const auto& self = registered_of(context);
    self.make(self.tag)->value(c);
  }
}

void aggregate_final(sqlite3_context* context) {
  aggregate_value(context);
  if (auto* a = accumulator_of(context, false)) {
    delete a;
    *static_cast<accumulator**>(sqlite3_aggregate_context(context, 0)) = nullptr;
  }
}

int run_collation(void* compare, int a_size, const void* a, int b_size, const void* b) {
  const auto run = reinterpret_cast<compare_function>(compare);
  return run({static_cast<const char*>(a), static_cast<std::size_t>(a_size)},
             {static_cast<const char*>(b), static_cast<std::size_t>(b_size)});
}

// ---- table functions ----------------------------------------------------------------------------------------------

struct table_function {
  connection* owner;
  row_source_factory* make;
  int columns;
  int arguments;
};

struct function_vtab : sqlite3_vtab {
  const table_function* self;
};

struct function_cursor : sqlite3_vtab_cursor {
  std::unique_ptr<row_source> rows;
  std::vector<sqlite3_value*> arguments;
  std::int64_t row = 0;
  bool end = true;

  void clear() {
    rows.reset();
    for (auto* v : arguments) sqlite3_value_free(v);
    arguments.clear();
  }
};

int vtab_connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* self = static_cast<const table_function*>(aux);
  std::string sql = "CREATE TABLE x(";
  for (int i = 1; i <= self->columns; ++i) sql += (i > 1 ? ",c" : "c") + std::to_string(i);
  for (int i = 1; i <= self->arguments; ++i) sql += ",a" + std::to_string(i) + " HIDDEN";
  sql += ")";
  if (const int rc = sqlite3_declare_vtab(db, sql.c_str()); rc != SQLITE_OK) return rc;
  auto* table = new function_vtab{};
  table->self = self;
  *out = table;
  return SQLITE_OK;
}

int vtab_disconnect(sqlite3_vtab* table) {
  delete static_cast<function_vtab*>(table);
  return SQLITE_OK;
}

int vtab_best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const auto* self = static_cast<function_vtab*>(table)->self;
  // Arguments are passed in order; one that cannot be computed yet makes this plan impossible.
  std::vector<int> where(static_cast<std::size_t>(self->arguments), -1);
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& c = info->aConstraint[i];
    if (c.iColumn < self->columns || c.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!c.usable) return SQLITE_CONSTRAINT;
    where[static_cast<std::size_t>(c.iColumn - self->columns)] = i;
  }
  int next = 1;
  for (const int i : where) {
    if (i < 0) break;
    info->aConstraintUsage[i].argvIndex = next++;
    info->aConstraintUsage[i].omit = 1;
  }
  info->estimatedCost = 100;
  info->estimatedRows = 20;
  return SQLITE_OK;
}

int vtab_open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new function_cursor{};
  return SQLITE_OK;
}

int vtab_close(sqlite3_vtab_cursor* cursor) {
  auto* self = static_cast<function_cursor*>(cursor);
  self->clear();
  delete self;
  return SQLITE_OK;
}

// Functions called outside of a scalar context report failures to the connection; this is the flag for it.
struct vtab_context {
  connection* owner;
  bool failed = false;
};
thread_local vtab_context* current_vtab = nullptr;

int vtab_next(sqlite3_vtab_cursor* cursor) {
  auto* self = static_cast<function_cursor*>(cursor);
  vtab_context context{static_cast<function_vtab*>(self->pVtab)->self->owner};
  auto* outer = std::exchange(current_vtab, &context);
  call c(nullptr, 0, nullptr);
  self->end = !self->rows->next(c);
  current_vtab = outer;
  ++self->row;
  return context.failed ? SQLITE_ERROR : SQLITE_OK;
}

int vtab_filter(sqlite3_vtab_cursor* cursor, int, const char*, int count, sqlite3_value** values) {
  auto* self = static_cast<function_cursor*>(cursor);
  const auto* table = static_cast<function_vtab*>(self->pVtab)->self;
  self->clear();
  self->row = 0;
  for (int i = 0; i < count; ++i) self->arguments.push_back(sqlite3_value_dup(values[i]));
  vtab_context context{table->owner};
  auto* outer = std::exchange(current_vtab, &context);
  call c(nullptr, count, reinterpret_cast<void**>(values));
  self->rows = (*table->make)(c);
  current_vtab = outer;
  if (context.failed || !self->rows) return SQLITE_ERROR;
  return vtab_next(cursor);
}

int vtab_eof(sqlite3_vtab_cursor* cursor) {
  return static_cast<function_cursor*>(cursor)->end ? 1 : 0;
}

int vtab_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  const auto* self = static_cast<function_cursor*>(cursor);
  const auto* table = static_cast<function_vtab*>(self->pVtab)->self;
  if (index >= table->columns) {
    const auto i = static_cast<std::size_t>(index - table->columns);
    if (i < self->arguments.size()) sqlite3_result_value(context, self->arguments[i]);
    return SQLITE_OK;
  }
  call c(context, 0, nullptr);
  self->rows->column(index, c);
  return SQLITE_OK;
}

int vtab_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<function_cursor*>(cursor)->row;
  return SQLITE_OK;
}

const sqlite3_module& function_module() {
  static const sqlite3_module module = [] {
    sqlite3_module m{};
    m.xConnect = vtab_connect;  // without xCreate the module is eponymous only
    m.xBestIndex = vtab_best_index;
    m.xDisconnect = vtab_disconnect;
    m.xOpen = vtab_open;
    m.xClose = vtab_close;
    m.xFilter = vtab_filter;
    m.xNext = vtab_next;
    m.xEof = vtab_eof;
    m.xColumn = vtab_column;
    m.xRowid = vtab_rowid;
    return m;
  }();
  return module;
}

}  // namespace

// ---- values and calls -----------------------------------------------------------------------------------------------

storage_class value_ref::kind() const noexcept {
  return class_of(sqlite3_value_type(raw(value_)));
}
std::int64_t value_ref::integer() const noexcept {
  return sqlite3_value_int64(raw(value_));
}
double value_ref::real() const noexcept {
  return sqlite3_value_double(raw(value_));
}
std::string_view value_ref::text() const noexcept {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(raw(value_)));
  return bytes == nullptr ? std::string_view{}
                          : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(raw(value_))));
}
std::string_view value_ref::blob() const noexcept {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(raw(value_)));
  return bytes == nullptr ? std::string_view{}
                          : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(raw(value_))));
}

bool call::any_null() const noexcept {
  for (int i = 0; i < count_; ++i) {
    if (sqlite3_value_type(raw(values_[i])) == SQLITE_NULL) return true;
  }
  return false;
}

static sqlite3_context* context_of(void* context) noexcept {
  return static_cast<sqlite3_context*>(context);
}

void call::integer(std::int64_t value) noexcept {
  sqlite3_result_int64(context_of(context_), value);
}
void call::real(double value) noexcept {
  sqlite3_result_double(context_of(context_), value);
}
void call::text(std::string_view value) noexcept {
  sqlite3_result_text64(context_of(context_), value.data() == nullptr ? "" : value.data(), value.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
}
void call::blob(std::string_view value) noexcept {
  if (value.empty()) {
    sqlite3_result_zeroblob(context_of(context_), 0);
  } else {
    sqlite3_result_blob64(context_of(context_), value.data(), value.size(), SQLITE_TRANSIENT);
  }
}
void call::argument(int i) noexcept {
  sqlite3_result_value(context_of(context_), raw(values_[i]));
}
void call::null() noexcept {
  sqlite3_result_null(context_of(context_));
}

void call::fail(failure why) {
  if (context_ != nullptr) {
    auto* db = static_cast<connection*>(registered_of(context_).owner);
    const std::string text = why.message;
    db->note(std::move(why));
    sqlite3_result_error(context_of(context_), text.c_str(), static_cast<int>(text.size()));
  } else if (current_vtab != nullptr) {
    current_vtab->owner->note(std::move(why));
    current_vtab->failed = true;
  }
}

std::intptr_t call::tag() const noexcept {
  return registered_of(context_).tag;
}
void* call::owner() const noexcept {
  if (context_ == nullptr) return current_vtab == nullptr ? nullptr : current_vtab->owner->owner();
  return registered_of(context_).owner->owner();
}
cached* call::kept(int i) const noexcept {
  return static_cast<cached*>(sqlite3_get_auxdata(context_of(context_), i));
}
cached* call::keep(int i, std::unique_ptr<cached> value) noexcept {
  // SQLite may free it at once (no memory): ask again rather than trust the pointer.
  sqlite3_set_auxdata(context_of(context_), i, value.release(), [](void* p) { delete static_cast<cached*>(p); });
  return kept(i);
}

// ---- connection -----------------------------------------------------------------------------------------------------

result<std::unique_ptr<connection>> connection::open(const std::string& path, bool read_only) {
  // A function may fail on one row: sqlite3_result_error must then carry our message, so no extended codes are needed.
  sqlite3* db = nullptr;
  const int flags =
      (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX;
  const int rc = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
  if (rc != SQLITE_OK) {
    const std::string why = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
    sqlite3_close(db);
    return failure(errc::io, path + ": " + why + ".");
  }
  auto self = std::unique_ptr<connection>(new connection);
  self->handle_ = db;
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 2000);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 127);
  sqlite3_busy_timeout(db, 5000);
  return self;
}

connection::~connection() {
  sqlite3_close_v2(static_cast<sqlite3*>(handle_));
}

result<void> connection::execute(const std::string& sql) {
  const int rc = sqlite3_exec(static_cast<sqlite3*>(handle_), sql.c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return take_failure(rc);
  return {};
}

result<statement> connection::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int rc =
      sqlite3_prepare_v3(static_cast<sqlite3*>(handle_), sql.data(), static_cast<int>(sql.size()), 0, &handle, nullptr);
  if (rc != SQLITE_OK) return take_failure(rc);
  return statement(this, handle);
}

void connection::interrupt() noexcept {
  sqlite3_interrupt(static_cast<sqlite3*>(handle_));
}

void connection::add_function(const char* name, int arity, scalar_function run, std::intptr_t tag, bool deterministic) {
  sqlite3_create_function_v2(static_cast<sqlite3*>(handle_), name, arity,
                             SQLITE_UTF8 | (deterministic ? SQLITE_DETERMINISTIC : 0),
                             new registered{this, run, nullptr, tag}, run_scalar, nullptr, nullptr,
                             [](void* p) { delete static_cast<registered*>(p); });
}

void connection::add_aggregate(const char* name, int arity, accumulator_factory make, std::intptr_t tag) {
  sqlite3_create_window_function(static_cast<sqlite3*>(handle_), name, arity, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                 new registered{this, nullptr, make, tag}, aggregate_step, aggregate_final,
                                 aggregate_value, aggregate_inverse,
                                 [](void* p) { delete static_cast<registered*>(p); });
}

void connection::add_collation(const char* name, compare_function compare) {
  sqlite3_create_collation_v2(static_cast<sqlite3*>(handle_), name, SQLITE_UTF8, reinterpret_cast<void*>(compare),
                              run_collation, nullptr);
}

void connection::add_table_function(const char* name, int columns, int arguments, row_source_factory make) {
  factories_.push_back(std::make_unique<row_source_factory>(std::move(make)));
  sqlite3_create_module_v2(static_cast<sqlite3*>(handle_), name, &function_module(),
                           new table_function{this, factories_.back().get(), columns, arguments},
                           [](void* p) { delete static_cast<table_function*>(p); });
}

void connection::note(failure why) {
  if (has_noted_) return;  // the first one is the cause
  noted_ = std::move(why);
  has_noted_ = true;
}

failure connection::take_failure(int code) {
  if (has_noted_) {
    has_noted_ = false;
    return std::move(noted_);
  }
  if (code == SQLITE_INTERRUPT) return failure(errc::cancelled, "Operation cancelled by user.");
  return failure(errc::internal, std::string("SQLite: ") + sqlite3_errmsg(static_cast<sqlite3*>(handle_)) + ".");
}

// ---- statement ------------------------------------------------------------------------------------------------------

namespace {
sqlite3_stmt* raw_statement(void* handle) noexcept {
  return static_cast<sqlite3_stmt*>(handle);
}
}  // namespace

statement::statement(statement&& other) noexcept
    : db_(std::exchange(other.db_, nullptr)), handle_(std::exchange(other.handle_, nullptr)) {}

statement& statement::operator=(statement&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(handle_, other.handle_);
  return *this;
}

statement::~statement() {
  sqlite3_finalize(raw_statement(handle_));
}

void statement::bind_null(int index) noexcept {
  sqlite3_bind_null(raw_statement(handle_), index);
}
void statement::bind(int index, std::int64_t value) noexcept {
  sqlite3_bind_int64(raw_statement(handle_), index, value);
}
void statement::bind(int index, double value) noexcept {
  sqlite3_bind_double(raw_statement(handle_), index, value);
}
void statement::bind_text(int index, std::string_view value) noexcept {
  sqlite3_bind_text64(raw_statement(handle_), index, value.data() == nullptr ? "" : value.data(), value.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}
void statement::bind_blob(int index, std::string_view value) noexcept {
  if (value.empty()) {
    sqlite3_bind_zeroblob(raw_statement(handle_), index, 0);
  } else {
    sqlite3_bind_blob64(raw_statement(handle_), index, value.data(), value.size(), SQLITE_TRANSIENT);
  }
}

void statement::bind(int index, value_ref value) noexcept {
  sqlite3_bind_value(raw_statement(handle_), index, raw(value.value_));
}

result<bool> statement::step() {
  const int rc = sqlite3_step(raw_statement(handle_));
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  failure why = db_->take_failure(rc);
  sqlite3_reset(raw_statement(handle_));
  return why;
}

void statement::reset() noexcept {
  sqlite3_reset(raw_statement(handle_));
}

int statement::column_count() const noexcept {
  return sqlite3_column_count(raw_statement(handle_));
}
storage_class statement::kind(int column) const noexcept {
  return class_of(sqlite3_column_type(raw_statement(handle_), column));
}
std::int64_t statement::integer(int column) const noexcept {
  return sqlite3_column_int64(raw_statement(handle_), column);
}
double statement::real(int column) const noexcept {
  return sqlite3_column_double(raw_statement(handle_), column);
}
std::string_view statement::text(int column) const noexcept {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(raw_statement(handle_), column));
  return bytes == nullptr
             ? std::string_view{}
             : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(raw_statement(handle_), column)));
}
std::string_view statement::blob(int column) const noexcept {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(raw_statement(handle_), column));
  return bytes == nullptr
             ? std::string_view{}
             : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(raw_statement(handle_), column)));
}

}  // namespace dragoman::sandbox
