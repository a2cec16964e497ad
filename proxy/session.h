// One logged-in client: takes its requests apart and sends each part where it belongs.
//
//   a leading ASK, EXEC nlq.*      -> the question pipeline (session_question.cc, procedures.h)
//   SELECT                         -> guard, then the warehouse or the sandbox (session_select.cc)
//   …, only described              -> the guard's own types, or the warehouse's (session_describe.cc)
//   …, for a cursor or to browse   -> with the tables of its columns (session_browse.cc)
//   DECLARE, SET, IF, PRINT, USE … -> answered here (session_batch.cc, session_set.cc)
//   anything else                  -> refused
//
// Lives on its connection's thread. While a request waits for the upstream, a model or the sandbox, `interrupt_` ends
// that wait; nothing else of the session may be touched from outside.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guard/guard.h"
#include "guard/tsql/ast.h"
#include "nlq/pipeline.h"
#include "nlq/understanding.h"
#include "proxy/audit.h"
#include "proxy/question.h"
#include "proxy/relay.h"
#include "proxy/sandbox/batch.h"
#include "proxy/sandbox/engine.h"
#include "proxy/service.h"
#include "proxy/upstream/statement.h"
#include "tds/server/sql_session.h"

namespace dragoman::proxy {

template <class T>
using awaitable = boost::asio::awaitable<T>;
using tds::server::response;

// The number of the source whose database a client may name. Master holds nothing and goes with the first; of the
// others a principal knows only those where it may read something.
std::optional<std::size_t> find_database(const service& shared, const principal_view& view, std::string_view name);

// A result set that the gateway makes itself.
struct local_result {
  std::vector<result_column> columns;
  std::vector<std::vector<sql_value>> rows;
  void add_text_column(std::string name, std::int32_t characters = sql_type::max_length);
  void add_int_column(std::string name);
  void add_float_column(std::string name);
};

// Whether a SELECT names @t in FROM; whether a statement is INSERT @t EXEC … (session_tables.cc).
bool reads_table_variables(const tsql::select_statement& statement);
bool fills_table_variable(const tsql::statement& statement);

class gateway_session final : public tds::server::sql_session {
 public:
  gateway_session(service& shared, service::identity who, tds::server::login_request login, std::string server_name);
  ~gateway_session() override;

  std::string database() const override { return database_; }
  std::string language() const override;
  void on_reset(bool keep_transaction) override;
  void on_attention() noexcept override;
  awaitable<void> on_transaction(tds::transaction_request request, response& out) override;

  // ---- for the procedures of schema nlq (procedures.h) ----
  service& shared() noexcept { return shared_; }
  const principal_view& view() const noexcept { return *who_.view; }
  // The source of the session's current database, and what this principal knows of it.
  data_source& here() const noexcept { return shared_.source(current_); }
  const source_share& share() const noexcept { return view().shares[current_]; }
  const std::string& login() const noexcept { return who_.login; }
  question_options& options() noexcept { return options_; }
  nlq::conversation& talk() noexcept { return talk_; }
  // The last question of this session and its attempts. A session that has asked nothing has the login's: a program
  // that connects for every request speaks of the one before.
  std::optional<history_entry> last_question() const;
  std::vector<nlq::attempt> last_attempts() const;
  // Of the question that waits for a choice.
  std::size_t source_of_choice() const noexcept { return talk_source_; }
  void forget_conversation();  // in the store too
  guard::check_options check_options() const;
  audit_record& record() noexcept { return record_; }

  // Asks a question and writes its answer, messages included.
  // `source`: the number of the only one that may answer; none: whichever fits.
  awaitable<void> ask(std::string question, nlq::ask_mode mode, std::optional<std::size_t> source, response& out);
  // Runs SQL that a person has confirmed, as an answer to `question`.
  awaitable<void> run_confirmed(pending_confirmation pending, response& out);
  void write(const local_result& rows, response& out);
  // The columns of the first SELECT of a text, without running it; none where nothing returns rows. The failure is what
  // running it would say.
  awaitable<result<std::vector<result_column>>> columns_of(const std::string& text,
                                                           const std::vector<guard::parameter>& parameters);
  // Writes the error, and what the audit says of it.
  void fail(const failure& f, response& out);
  void refuse(const guard::verdict& verdict, response& out);  // with the rule that decided

 protected:
  awaitable<void> execute(tds::server::statement& s, response& out) override;
  awaitable<void> call(tds::rpc_call& procedure, response& out) override;
  awaitable<std::vector<result_column>> describe(tds::server::statement& s) override;
  bool may_have_cursor(const tds::server::statement& s) override;
  tds::browse_info browse_of(const tds::server::statement& s, std::span<const result_column> columns) override;

 private:
  enum class flow { next, break_, continue_, return_, stop };

  // session_batch.cc
  awaitable<void> run_text(const std::string& text, response& out);
  bool admit(const tsql::batch& batch, response& out);
  awaitable<flow> run_all(const std::vector<tsql::statement>& statements, response& out);
  awaitable<flow> run_one(const tsql::statement& statement, response& out);
  awaitable<flow> run_if(const tsql::if_statement& statement, response& out);
  awaitable<flow> run_while(const tsql::while_statement& statement, response& out);
  awaitable<flow> run_execute(const tsql::execute_statement& statement, response& out);
  bool print(const tsql::print_statement& statement, response& out);
  bool raise(const result<sandbox::raised_error>& raised, response& out);
  // What lies between SELECTs is the sandbox's to do; the variables stay the session's.
  template <class T, class F>
  result<T> with_variables(F work) {
    sandbox::engine* engine = home(nullptr);
    if (engine == nullptr) return failure(errc::internal, "The session's sandbox could not be made.");
    sandbox::batch_state state(*engine, home_options_);
    state.variables() = std::move(variables_);
    auto outcome = work(state);
    variables_ = std::move(state.variables());
    return outcome;
  }
  result<sql_value> evaluate(const tsql::expression& value, sql_type* type = nullptr);
  sandbox::parameter* find_variable(std::string_view name);
  std::vector<sandbox::session_facts::known_database> other_databases() const;  // than the current one
  sandbox::engine* home(response* out);  // the session's sandbox, made when first needed

  // session_select.cc
  awaitable<flow> run_select(const tsql::select_statement& statement, response& out);
  awaitable<bool> assign_from(tsql::select_statement statement, response& out);
  awaitable<bool> forward(const guard::verdict& verdict, std::vector<bool> computed, bool browse, response& out);
  awaitable<bool> answer_at_home(const tsql::select_statement& statement, response& out);
  // Replaces nlq.ask(N'…') and nlq.[saved question] in FROM by the approved query. False: an error was written.
  awaitable<bool> inline_questions(tsql::select_statement& statement, response& out);

  // session_describe.cc
  awaitable<result<std::vector<result_column>>> columns_of(const tsql::select_statement& statement,
                                                           const guard::check_options& options);
  awaitable<bool> answer_format_only(const tsql::select_statement& statement, bool browse, response& out);

  // session_browse.cc: of a statement as the guard has printed it
  tds::browse_info browse_of(const std::string& printed, std::span<const result_column> columns) const;

  // session_tables.cc
  result<void> declare_table(const tsql::variable_declaration& declared);
  result<std::uint64_t> fill_table(const tsql::insert_statement& insert);
  void drop_tables();

  // session_set.cc
  bool set_option(const tsql::set_option_statement& statement, response& out);
  bool use(const tsql::use_statement& statement, response& out);
  bool transaction(const tsql::transaction_statement& statement, response& out);

  // session_memory.cc
  bool admit_question(const std::string& question, response& out);  // false: too many; the error is written
  void restore_conversation();
  void forget_talk();
  void note_turn(const nlq::report& report, const std::string& question);
  std::string client_name() const;
  bool goes_on_after_clarification(const std::string& question) const;
  // Under which keys an answer to this question may be found; the one under which it is kept comes from kept_key().
  std::vector<std::string> cache_keys(const std::string& question, nlq::ask_mode mode,
                                      std::optional<std::size_t> source) const;
  awaitable<void> write_cached(cached_answer_ptr hit, const std::string& question, nlq::ask_mode mode, response& out);
  // What the rows of the last answer say to a question about them.
  std::optional<nlq::discussed> about_last_answer(const std::string& question, nlq::ask_mode mode,
                                                  std::optional<std::size_t> source) const;
  void keep_answer(const nlq::report& report, const std::vector<std::string>& keys);

  // session_question.cc
  awaitable<void> drive(nlq::pipeline& pipeline, nlq::action action, response* out);
  awaitable<nlq::model_answered> call_model(const nlq::call_model& action);
  awaitable<nlq::embedded> embed(const nlq::embed_question& action);
  nlq::checked check(const nlq::check_sql& action);
  awaitable<nlq::estimated> estimate(const nlq::estimate_cost& action);
  awaitable<nlq::ran> run(const nlq::run_sql& action, std::function<std::vector<std::string>()> suggest, response& out);
  std::shared_ptr<nlq::environment> make_environment(std::optional<std::size_t> source = std::nullopt);
  nlq::source_view view_of(data_source& source);
  void write_outcome(const nlq::report& report, const std::string& question, nlq::ask_mode mode, response& out);
  void write_messages_before(std::string_view interpretation, std::string_view sql, response& out);
  void write_messages_after(const nlq::report& report, response& out);
  void account(const nlq::report& report);  // what models did for it, to budget and audit
  void remember(const nlq::report& report, const std::string& question);

  // Runs on the upstream and relays; the sink is closed and everything sent when it returns.
  awaitable<upstream::outcome> relay(upstream::pool& warehouse, upstream::statement statement,
                                     std::shared_ptr<head_collector> head, response& out,
                                     std::vector<bool> computed = {});
  // Runs on the upstream for the gateway itself; nothing is sent to the client.
  awaitable<upstream::outcome> fetch(upstream::pool& warehouse, upstream::statement statement,
                                     std::shared_ptr<upstream::value_table> into);
  upstream::statement upstream_statement(std::string sql, std::uint64_t row_cap) const;
  failure presentable(const upstream::outcome& outcome, bool has_row_filter);

  void begin_record(std::string kind);
  void end_record(response& out);
  void note_outcome(const upstream::outcome& outcome, std::chrono::steady_clock::time_point begun);
  void note_timing(std::string stage, std::chrono::steady_clock::time_point since);

  service& shared_;
  void begin_as_after_login();

  const service::identity who_;
  const tds::server::login_request login_;
  const std::string server_name_;

  std::string database_;     // as the client knows it: that of a source, or master
  std::size_t current_ = 0;  // the number of the source that goes with it
  bool quoted_identifier_ = true;
  bool no_count_ = false;
  bool implicit_transactions_ = false;
  bool format_only_ = false;   // SET FMTONLY ON: columns are told, nothing runs
  bool browse_ = false;        // SET NO_BROWSETABLE ON: columns come with their tables
  std::string statement_key_;  // of the SELECT that is about to run, where its approval may be kept
  std::string forwarded_;      // the last SELECT of this request that went to the warehouse, as printed
  upstream::session_settings settings_;
  std::unique_ptr<sandbox::engine> home_;
  sandbox::session_options home_options_;
  sandbox::parameters variables_;  // of the running batch
  std::vector<std::string> table_variables_;
  int depth_ = 0;  // of EXEC within EXEC

  question_options options_;
  nlq::conversation talk_;
  std::size_t talk_source_ = 0;           // the number of the source that the conversation is about
  std::string talk_last_sql_;             // of the last answered question, for a model
  std::vector<conversation_turn> turns_;  // the last question that stood alone, and what went on from it
  bool restored_ = false;                 // the store was asked for an earlier conversation
  std::string unclear_;                   // key of the question that was last answered with a clarification
  bool keep_rows_ = false;                // of the running question, for the cache
  std::optional<cached_answer> kept_;
  std::optional<history_entry> asked_;
  std::vector<nlq::attempt> tried_;  // for `asked_`
  cached_answer_ptr answered_;       // the answer that was just written, until the conversation takes it
  cached_answer_ptr last_answer_;    // with its rows; null where they were too many, cut off, or of no question
  tsql::select_statement approved_;  // the tree behind the last accepted check, for nlq.ask in FROM

  std::function<void()> interrupt_;
  bool interrupted_ = false;

  audit_record record_;
  std::chrono::steady_clock::time_point started_{};
  std::optional<std::chrono::steady_clock::time_point> rows_told_;  // where a model is asked about them afterwards
  std::uint64_t requests_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace dragoman::proxy
