#include "proxy/sandbox/engine.h"

#include <fmt/format.h>

#include <filesystem>

#include "guard/tsql/parser.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/sandbox/translator.h"

namespace dragoman::sandbox {

struct cursor_state {
  statement run;
  std::vector<result_column> columns;
};

struct engine::impl {
  std::unique_ptr<connection> db;
  storage tables;
  session_facts facts;

  result<cursor> start(relation r, const parameters& values) {
    auto run = db->prepare(r.sql);
    if (!run) return run.error();
    for (std::size_t i = 0; i < values.size(); ++i)
      bind_value(*run, static_cast<int>(i) + 1, values[i].type, values[i].value);
    auto state = std::make_unique<cursor_state>();
    state->run = std::move(*run);
    state->columns = columns_of(r);
    return cursor(std::move(state));
  }

  static std::vector<result_column> columns_of(const relation& r) {
    std::vector<result_column> out;
    for (const auto& c : r.columns) {
      result_column column;
      column.name = c.name;
      column.type = c.type;
      column.nullable = c.nullable;
      column.identity = c.identity;
      column.computed = c.computed;
      // A type of no length, such as that of '', still has room for one.
      if ((is_character(c.type.id) || is_binary(c.type.id)) && c.type.length == 0) column.type.length = 1;
      out.push_back(std::move(column));
    }
    return out;
  }
};

cursor::cursor() noexcept = default;
cursor::cursor(std::unique_ptr<cursor_state> state) noexcept : state_(std::move(state)) {}
cursor::cursor(cursor&&) noexcept = default;
cursor& cursor::operator=(cursor&&) noexcept = default;
cursor::~cursor() = default;

const std::vector<result_column>& cursor::columns() const noexcept {
  return state_->columns;
}

result<bool> cursor::next(std::span<sql_value> row) {
  auto more = state_->run.step();
  if (!more || !*more) return more;
  for (std::size_t i = 0; i < state_->columns.size(); ++i)
    decode(state_->run, static_cast<int>(i), state_->columns[i].type, row[i]);
  return true;
}

result<const statement*> cursor::advance() {
  auto more = state_->run.step();
  if (!more) return more.error();
  return *more ? &state_->run : nullptr;
}

engine::engine() : impl_(std::make_unique<impl>()) {}
engine::~engine() = default;

result<std::unique_ptr<engine>> engine::open(const std::string& path, const open_options& options) {
  auto db = connection::open(path, options.read_only);
  if (!db) return db.error();
  auto self = std::unique_ptr<engine>(new engine);
  self->impl_->db = std::move(*db);
  connection& c = *self->impl_->db;
  register_everything(c);
  c.set_owner(&self->impl_->facts);
  if (auto set = c.execute(fmt::format("PRAGMA cache_size=-{}; PRAGMA mmap_size={}; PRAGMA temp_store=MEMORY;",
                                       options.cache_kib, options.map_bytes));
      !set)
    return set.error();
  if (options.tables != nullptr) {
    self->impl_->tables = *options.tables;
  } else {
    auto tables = storage::read(c, std::filesystem::path(path).stem().string());
    if (!tables) return tables.error();
    self->impl_->tables = std::move(*tables);
  }
  self->impl_->facts.database = self->impl_->tables.catalog().name;
  return self;
}

result<std::unique_ptr<engine>> engine::open_memory() {
  auto db = connection::open(":memory:", false);
  if (!db) return db.error();
  auto self = std::unique_ptr<engine>(new engine);
  self->impl_->db = std::move(*db);
  register_everything(*self->impl_->db);
  self->impl_->db->set_owner(&self->impl_->facts);
  catalog::database names;
  names.name = names.datasource = "master";
  self->impl_->tables.set_names(names);
  return self;
}

result<cursor> engine::prepare(std::string_view text, const parameters& values) {
  auto parsed = tsql::parse_query(text);
  if (!parsed) return parsed.error();
  return prepare(*parsed, values);
}

result<cursor> engine::prepare(const tsql::select_statement& query, const parameters& values) {
  translator t(impl_->tables, impl_->facts, values);
  auto r = t.translate(query);
  if (!r) return r.error();
  return impl_->start(std::move(*r), values);
}

result<sql_value> engine::evaluate(const tsql::expression& e, const parameters& values, sql_type* type) {
  translator t(impl_->tables, impl_->facts, values);
  auto r = t.translate(e);
  if (!r) return r.error();
  auto c = impl_->start(std::move(*r), values);
  if (!c) return c.error();
  if (type != nullptr) *type = c->columns()[0].type;
  sql_value out;
  auto row = c->next({&out, 1});
  if (!row) return row.error();
  return out;
}

result<std::vector<result_column>> engine::describe(const tsql::select_statement& query, const parameters& types) {
  translator t(impl_->tables, impl_->facts, types);
  auto r = t.translate(query);
  if (!r) return r.error();
  return impl::columns_of(*r);
}

result<std::string> engine::explain(std::string_view text, const parameters& values) {
  auto parsed = tsql::parse_query(text);
  if (!parsed) return parsed.error();
  translator t(impl_->tables, impl_->facts, values);
  auto r = t.translate(*parsed);
  if (!r) return r.error();
  return r->sql;
}

void engine::interrupt() noexcept {
  impl_->db->interrupt();
}
const storage& engine::tables() const noexcept {
  return impl_->tables;
}
storage& engine::tables() noexcept {
  return impl_->tables;
}
session_facts& engine::facts() noexcept {
  return impl_->facts;
}
connection& engine::database() noexcept {
  return *impl_->db;
}

}  // namespace dragoman::sandbox
