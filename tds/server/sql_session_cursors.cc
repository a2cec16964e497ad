// sql_session: server cursors, procedures 1 to 9. A statement is run as any other, its rows go into the cursor's spool
// (response::divert), and fetches read them from there.
#include "tds/server/call_arguments.h"
#include "tds/server/sql_session.h"
#include "tds/value_encoder.h"

namespace dragoman::tds::server {
namespace {

constexpr std::int32_t row_there = 1;  // ROWSTAT FETCH_SUCCEEDED

// Every row of a cursor ends with this column; clients hide it.
result_column row_status_column() {
  return {"ROWSTAT", {.id = sql_type_id::int_}, false};
}

failure no_such_cursor(const rpc_call& call) {
  return numbered(errc::bad_argument, 16909,
                  call.name + ": The cursor identifier value provided (" +
                      std::to_string(integer_of(call, 0).value_or(0)) + ") is not valid.");
}

failure needs_one_select() {
  return numbered(errc::bad_argument, 16937,
                  "A server cursor is for one SELECT. Use a default result set for several statements, or for one that "
                  "returns no rows.");
}

// A row of the spool with its ROWSTAT behind.
void write_row(byte_span row, std::size_t columns, response& out) {
  if (row[0] == encode::nbcrow_token && columns % 8 == 0) {
    // One column more needs one byte more of the bitmap of NULLs.
    const std::size_t head = 1 + columns / 8;
    constexpr std::uint8_t present = 0;
    out.encoded_row(row.first(head));
    out.encoded_row({&present, 1});
    out.encoded_row(row.subspan(head));
  } else {
    out.encoded_row(row);
  }
  constexpr std::uint8_t status[] = {row_there, 0, 0, 0};
  out.encoded_row(status);
}

void write_columns(const cursor& one, response& out) {
  std::vector<result_column> columns = one.rows.columns();
  columns.push_back(row_status_column());
  out.browse(one.browse);
  out.columns(columns);
}

// Rows of a response may not go into a spool that is no more, whatever happens in between.
class diversion {
 public:
  diversion(response& out, row_spool& to) noexcept : out_(out) { out_.divert(&to); }
  ~diversion() { out_.divert(nullptr); }
  diversion(const diversion&) = delete;
  diversion& operator=(const diversion&) = delete;

 private:
  response& out_;
};

}  // namespace

asio::awaitable<void> sql_session::cursor_call(rpc_call& call, response& out) {
  switch (call.id) {
    case proc_id::sp_cursoropen: co_return co_await cursor_open(call, out);
    case proc_id::sp_cursorprepare: co_return co_await cursor_prepare(call, out, false);
    case proc_id::sp_cursorprepexec: co_return co_await cursor_prepare(call, out, true);
    case proc_id::sp_cursorexecute: co_return co_await cursor_execute(call, out);
    case proc_id::sp_cursorunprepare: co_return unprepare(call, out);
    case proc_id::sp_cursorfetch: co_return co_await cursor_fetch(call, out);
    case proc_id::sp_cursoroption: co_return cursor_option(call, out);
    case proc_id::sp_cursorclose: co_return cursor_close(call, out);
    default: co_return co_await cursor_change(call, out);
  }
}

// @cursor OUT, @stmt, @scrollopt, @ccopt, @rowcount, then with PARAMETERIZED_STMT @paramdef and values.
asio::awaitable<void> sql_session::cursor_open(rpc_call& call, response& out) {
  auto text = text_of(call, 1, "@stmt");
  if (!text) co_return fail_call(out, text.error());
  statement s;
  s.from = statement::origin::executesql;
  s.text = std::move(*text);
  const bool parameterized = (integer_of(call, 2).value_or(0) & scroll_option::parameterized) != 0;
  if (parameterized) {
    const auto declared = text_of(call, 5, "@paramdef");
    if (!declared) co_return fail_call(out, declared.error());
    auto declarations = parse_parameter_declarations(*declared);
    if (!declarations) co_return fail_call(out, declarations.error());
    auto bound = bind_parameters(*declarations, std::span(call.parameters).subspan(6), call.name);
    if (!bound) co_return fail_call(out, bound.error());
    s.parameters = std::move(*bound);
  }
  co_await open_cursor(call, s, {0, 2, 3, 4, 6}, out);
}

// sp_cursorprepare:  @handle OUT, @paramdef, @stmt, @options, @scrollopt, @ccopt.
// sp_cursorprepexec: @handle OUT, @cursor OUT, @paramdef, @stmt, @scrollopt, @ccopt, @rowcount, values.
asio::awaitable<void> sql_session::cursor_prepare(rpc_call& call, response& out, bool run_now) {
  const std::size_t shift = run_now ? 1 : 0;
  const auto declared = text_of(call, 1 + shift, "@paramdef");
  if (!declared) co_return fail_call(out, declared.error());
  auto text = text_of(call, 2 + shift, "@stmt");
  if (!text) co_return fail_call(out, text.error());
  auto declarations = parse_parameter_declarations(*declared);
  if (!declarations) co_return fail_call(out, declarations.error());
  statement s;
  s.from = statement::origin::prepared;
  s.text = *text;
  if (run_now) {
    const std::size_t values = std::min<std::size_t>(call.parameters.size(), 7);
    auto bound = bind_parameters(*declarations, std::span(call.parameters).subspan(values), call.name);
    if (!bound) co_return fail_call(out, bound.error());
    s.parameters = std::move(*bound);
    if (const auto old = integer_of(call, 0)) prepared_.remove(*old);  // the one that the new handle replaces
  } else {
    for (const parameter_declaration& d : *declarations) s.parameters.push_back({d.name, d.type, null_value{}, false});
  }
  const auto handle = prepared_.add({std::move(*text), std::move(*declarations), nullptr});
  if (!handle) co_return fail_call(out, handle.error());
  return_integer(out, call, 0, *handle);
  const auto kept = prepared_.share(*handle);
  s.prepared = kept.get();
  if (run_now) co_return co_await open_cursor(call, s, {1, 4, 5, 6, 7}, out);
  if (integer_of(call, 3).value_or(0) != 0) {
    const auto columns = co_await describe(s);
    if (!columns.empty()) {
      out.browse(browse_of(s, columns));
      out.columns(columns);
      out.done(command::select, std::nullopt);
    }
  }
  return_integer(out, call, 4, kind_for(integer_of(call, 4).value_or(scroll_option::keyset)).scroll);
  return_integer(out, call, 5, concurrency_option::read_only);
}

// @handle, @cursor OUT, @scrollopt, @ccopt, @rowcount, values.
asio::awaitable<void> sql_session::cursor_execute(rpc_call& call, response& out) {
  const auto handle = integer_of(call, 0);
  const auto kept = handle ? prepared_.share(*handle) : nullptr;
  if (!kept) co_return fail_call(out, no_such_handle(handle.value_or(0)));
  const std::size_t values = std::min<std::size_t>(call.parameters.size(), 5);
  auto bound = bind_parameters(kept->declarations, std::span(call.parameters).subspan(values), call.name);
  if (!bound) co_return fail_call(out, bound.error());
  statement s;
  s.from = statement::origin::prepared;
  s.text = kept->text;
  s.parameters = std::move(*bound);
  s.prepared = kept.get();
  co_await open_cursor(call, s, {1, 2, 3, 4, 5}, out);
}

asio::awaitable<void> sql_session::open_cursor(rpc_call& call, statement& s, const cursor_places& at, response& out) {
  const std::int32_t asked = integer_of(call, at.scroll).value_or(scroll_option::keyset);
  const bool allow_direct = (integer_of(call, at.concurrency).value_or(0) & concurrency_option::allow_direct) != 0;
  const auto answer = [&](std::int32_t id, const cursor_kind& kind, std::int64_t rows) {
    return_integer(out, call, at.cursor, id);
    return_integer(out, call, at.scroll, kind.scroll);
    return_integer(out, call, at.concurrency, concurrency_option::read_only);
    return_integer(out, call, at.rows, rows);
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      const parameter& p = s.parameters[i];
      if (p.output) out.return_value(static_cast<std::uint16_t>(at.values + i), p.name, p.type, p.value);
    }
  };
  const auto direct = [&out] { out.info(16954, 10, "Executing SQL directly; no cursor."); };
  if (!may_have_cursor(s)) {
    if (!allow_direct) co_return fail_call(out, needs_one_select());
    direct();
    co_await execute(s, out);
    if (out.failed()) out.return_status(1);
    co_return answer(0, kind_for(asked), 0);
  }
  if (cursors_.full())
    co_return fail_call(out, {errc::too_complex, "The session has too many open cursors; close some."});

  const std::shared_ptr<cursor> one = cursors_.make(out.profile());
  one->kind = kind_for(asked);
  {
    const diversion into(out, one->rows);
    co_await execute(s, out);
  }
  if (out.cancelled()) co_return;
  if (out.failed()) co_return out.return_status(1);
  if (one->rows.error()) co_return fail_call(out, *one->rows.error());
  if (one->rows.result_sets() == 0 && allow_direct) {  // it has run, and there is nothing to read
    direct();
    co_return answer(0, one->kind, 0);
  }
  if (one->rows.result_sets() != 1) co_return fail_call(out, needs_one_select());

  one->browse = browse_of(s, one->rows.columns());
  one->browse.columns.resize(one->rows.columns().size());
  one->browse.columns.push_back({0, browse_column::expression | browse_column::hidden, {}});
  const std::int32_t id = cursors_.add(one);
  write_columns(*one, out);
  if (!one->kind.fetches_at_once) {
    out.done(command::select, std::nullopt);
    co_return answer(id, one->kind, one->kind.forward_only() ? -1 : static_cast<std::int64_t>(one->rows.rows()));
  }
  const std::int32_t wanted = integer_of(call, at.rows).value_or(0);
  const auto window = one->fetch(fetch_type::next, 0, wanted > 0 ? wanted : default_fetch_rows);
  if (!window || !co_await write_rows(*one, *window, out)) co_return;
  const bool ended = one->kind.closes_itself && one->at_end();
  if (ended) {
    constexpr std::int32_t closed_by_itself = 16;
    cursors_.close(id);
    out.return_status(closed_by_itself);
  }
  answer(ended ? 0 : id, one->kind, static_cast<std::int64_t>(window->count));
}

asio::awaitable<bool> sql_session::write_rows(const cursor& from, cursor::window rows, response& out) {
  row_spool::reader reader(from.rows, rows.first);
  const std::size_t columns = from.rows.columns().size();
  for (std::uint64_t i = 0; i < rows.count && !out.cancelled(); ++i) {
    const byte_span row = reader.next();
    if (row.empty()) {
      fail_call(out, {errc::io, "The rows of the cursor could not be read."});
      co_return false;
    }
    write_row(row, columns, out);
    co_await out.flush_if_needed();
  }
  out.done(command::select, rows.count);
  co_return true;
}

// Rows of an open cursor, with its columns where the client has not said that it kept them.
asio::awaitable<bool> sql_session::write_page(const rpc_call& call, const cursor& from, cursor::window rows,
                                              response& out) {
  constexpr std::uint16_t no_metadata = 2;
  if ((call.options & no_metadata) != 0)
    out.same_columns();
  else
    write_columns(from, out);
  co_return co_await write_rows(from, rows, out);
}

// @cursor, @fetchtype, @rownum, @nrows; with INFO the last two are OUT.
asio::awaitable<void> sql_session::cursor_fetch(rpc_call& call, response& out) {
  const auto one = cursors_.find(integer_of(call, 0).value_or(0));
  if (!one) co_return fail_call(out, no_such_cursor(call));
  const std::int32_t type = integer_of(call, 1).value_or(fetch_type::next);
  if (type == fetch_type::info) {
    return_integer(out, call, 2, one->position());
    return_integer(out, call, 3, static_cast<std::int64_t>(one->rows.rows()));
    co_return;
  }
  const auto window =
      one->fetch(type, integer_of(call, 2).value_or(0), integer_of(call, 3).value_or(default_fetch_rows));
  if (!window) co_return fail_call(out, window.error());
  if (!co_await write_page(call, *one, *window, out)) co_return;
  std::int32_t status = window->status;
  if (one->kind.closes_itself && one->at_end()) {
    constexpr std::int32_t closed_by_itself = 16;
    cursors_.close(one->id);
    status |= closed_by_itself;
  }
  out.return_status(status);
}

// @cursor, @code, @value.
void sql_session::cursor_option(rpc_call& call, response& out) {
  enum : std::int32_t { textptr_only = 1, cursor_name = 2, text_data = 3, scroll = 4, concurrency = 5, row_count = 6 };
  const auto one = cursors_.find(integer_of(call, 0).value_or(0));
  if (!one) return fail_call(out, no_such_cursor(call));
  switch (integer_of(call, 1).value_or(0)) {
    case cursor_name: {
      auto name = text_of(call, 2, "@value");
      if (!name) return fail_call(out, name.error());
      one->name = std::string(utf16_prefix(*name, limits::identifier_max));
      return;
    }
    case textptr_only:
    case text_data: return;  // long values always come with their data
    case scroll: return return_integer(out, call, 2, one->kind.scroll);
    case concurrency: return return_integer(out, call, 2, concurrency_option::read_only);
    case row_count: return return_integer(out, call, 2, static_cast<std::int64_t>(one->rows.rows()));
    default:
      fail_call(out,
                numbered(errc::bad_argument, 16902, "sp_cursoroption: The value of the parameter 'code' is invalid."));
  }
}

// sp_cursor: @cursor, @optype, @rownum, … Placing the cursor on a row of its buffer and reading that row anew change
// nothing; Microsoft's driver does both for every SQLGetData.
asio::awaitable<void> sql_session::cursor_change(rpc_call& call, response& out) {
  constexpr std::int32_t refresh = 0x8;
  constexpr std::int32_t set_position = 0x20;
  const auto one = cursors_.find(integer_of(call, 0).value_or(0));
  if (!one) co_return fail_call(out, no_such_cursor(call));
  const std::int32_t operation = integer_of(call, 1).value_or(0);
  if (operation == 0 || (operation & ~(refresh | set_position)) != 0)
    co_return fail_call(
        out, {errc::not_read_only,
              "Cursors are read-only here: a positioned UPDATE, DELETE or INSERT (sp_cursor) is not possible."});
  const auto window = one->buffered(integer_of(call, 2).value_or(0));
  if (!window) co_return fail_call(out, window.error());
  if ((operation & refresh) != 0) co_await write_page(call, *one, *window, out);
}

void sql_session::cursor_close(rpc_call& call, response& out) {
  const std::int32_t id = integer_of(call, 0).value_or(0);
  if (id == -1) return cursors_.clear();
  if (!cursors_.close(id)) fail_call(out, no_such_cursor(call));
}

bool sql_session::may_have_cursor(const statement&) {
  return true;
}

browse_info sql_session::browse_of(const statement&, std::span<const result_column>) {
  return {};
}

}  // namespace dragoman::tds::server
