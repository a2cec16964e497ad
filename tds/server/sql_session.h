// A session that understands what all SQL clients do, so that a program writes only "run this statement":
// sp_executesql, sp_prepare, sp_prepexec, sp_execute, sp_unprepare and the server cursors sp_cursor… (by number and by
// name), transaction manager requests, resets; changes through cursors, TVPs and encrypted parameters are refused with
// an error of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tds/server/cursor.h"
#include "tds/server/handler.h"
#include "tds/server/response.h"

namespace dragoman::tds::server {

// A parameter of a statement: declared in @params, or by the types sent where nothing was declared.
struct parameter {
  std::string name;  // with its @; as declared
  sql_type type;
  sql_value value;  // NULL for an omitted one
  bool output = false;
};

// A declaration of sp_executesql's @params: "@P1 int, @P2 nvarchar(40) OUTPUT".
struct parameter_declaration {
  std::string name;
  sql_type type;
  bool output = false;
  std::optional<std::string> default_text;  // "= 5", as written
};
// Reads that text. The failure is what SQL Server would say (errc::syntax, 102; 2715 for an unknown type).
result<std::vector<parameter_declaration>> parse_parameter_declarations(std::string_view text);

// What a handle of sp_prepare stands for. `plan` is for the program: it may keep there what it learned when the text
// was first run. Shared by all executions of the handle on this session; dropped by reset.
struct prepared_statement {
  std::string text;
  std::vector<parameter_declaration> declarations;
  std::shared_ptr<void> plan;
};

struct statement {
  enum class origin : std::uint8_t { batch, executesql, prepared };
  origin from = origin::batch;
  std::string text;  // UTF-8
  std::vector<parameter> parameters;
  prepared_statement* prepared = nullptr;  // of a handle, else null
};

// Handles of one session; numbers are never used twice.
class prepared_statements {
 public:
  // errc::too_complex past limits::prepared_handles_max.
  result<std::int32_t> add(prepared_statement statement);
  prepared_statement* find(std::int32_t handle) noexcept;
  std::shared_ptr<prepared_statement> share(std::int32_t handle) noexcept;
  bool remove(std::int32_t handle) noexcept;
  void clear() noexcept { statements_.clear(); }
  std::size_t size() const noexcept { return statements_.size(); }

 private:
  std::map<std::int32_t, std::shared_ptr<prepared_statement>> statements_;
  std::int32_t next_ = 1;
};

class sql_session : public session {
 public:
  asio::awaitable<void> on_batch(std::string sql, response& out) final;
  asio::awaitable<void> on_rpc(rpc_call call, bool is_last, response& out) final;
  asio::awaitable<void> on_transaction(transaction_request request, response& out) override;
  void on_reset(bool keep_transaction) override;

 protected:
  // Runs a batch or a parameterised statement: writes its results, errors and one done() per statement. What it sets in
  // an output parameter is sent back. Errors go to out.error(); nothing is thrown.
  virtual asio::awaitable<void> execute(statement& s, response& out) = 0;
  // A procedure called by name that is none of the above. Default: error 2812.
  virtual asio::awaitable<void> call(rpc_call& procedure, response& out);
  // The columns that a statement would return, for sp_prepare (jTDS reads them) and FMTONLY. Default: nothing is said.
  virtual asio::awaitable<std::vector<result_column>> describe(statement& s);
  // Whether the rows of a statement may be kept for a cursor: one SELECT and nothing else. What is not is run without
  // one where the client allows that. Default: yes; several result sets are found out when they come.
  virtual bool may_have_cursor(const statement& s);
  // Which columns of which tables the statement's columns are. Default: none is known.
  virtual browse_info browse_of(const statement& s, std::span<const result_column> columns);

  // Transactions exist only in name: nothing is written anywhere. For the texts BEGIN, COMMIT and ROLLBACK TRAN, and
  // implicit_transactions, that execute() meets. They write the ENVCHANGE; the caller writes done().
  void begin_transaction(response& out);
  bool commit_transaction(response& out);    // false: there is none (error 3902 is the caller's)
  bool rollback_transaction(response& out);  // false: there is none (error 3903 is the caller's)
  int transaction_count() const noexcept { return transaction_count_; }  // @@TRANCOUNT
  std::uint64_t transaction_descriptor() const noexcept { return transaction_count_ > 0 ? descriptor_ : 0; }
  // The statement of a handle, for a batch that says EXEC sp_execute or sp_unprepare in text.
  prepared_statements& prepared() noexcept { return prepared_; }

 private:
  void begin_request(response& out);
  asio::awaitable<void> execute_sql(rpc_call& call, response& out);
  asio::awaitable<void> prepare(rpc_call& call, response& out, bool run);
  asio::awaitable<void> execute_prepared(rpc_call& call, response& out);
  void unprepare(rpc_call& call, response& out);
  asio::awaitable<void> run(statement& s, std::size_t first_ordinal, response& out);

  // sql_session_cursors.cc
  struct cursor_places {  // where a call has what belongs to a cursor, and its first value
    std::size_t cursor, scroll, concurrency, rows, values;
  };
  asio::awaitable<void> cursor_call(rpc_call& call, response& out);
  asio::awaitable<void> cursor_open(rpc_call& call, response& out);
  asio::awaitable<void> cursor_prepare(rpc_call& call, response& out, bool run);
  asio::awaitable<void> cursor_execute(rpc_call& call, response& out);
  asio::awaitable<void> cursor_fetch(rpc_call& call, response& out);
  void cursor_option(rpc_call& call, response& out);
  asio::awaitable<void> cursor_change(rpc_call& call, response& out);
  void cursor_close(rpc_call& call, response& out);
  asio::awaitable<void> open_cursor(rpc_call& call, statement& s, const cursor_places& at, response& out);
  asio::awaitable<bool> write_page(const rpc_call& call, const cursor& from, cursor::window rows, response& out);
  asio::awaitable<bool> write_rows(const cursor& from, cursor::window rows, response& out);

  prepared_statements prepared_;
  cursors cursors_;
  std::set<std::string> savepoints_;
  int transaction_count_ = 0;
  std::uint64_t descriptor_ = 0;
  std::uint64_t next_descriptor_ = 0;
  std::uint64_t rolled_back_by_reset_ = 0;  // and not yet told
};

// The values of a call bound to declarations: by name where named, else by position; converted to the declared type.
// Failures: 8178 (a declared parameter was not supplied), 8145 (not a parameter), 8144 (too many).
result<std::vector<parameter>> bind_parameters(const std::vector<parameter_declaration>& declarations,
                                               std::span<rpc_parameter> sent, std::string_view procedure);

}  // namespace dragoman::tds::server
