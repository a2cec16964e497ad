// One connection to the warehouse. Internal to proxy/demo.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/demo/warehouse.h"
#include "proxy/sandbox/batch.h"
#include "proxy/sandbox/engine.h"
#include "tds/server/sql_session.h"

namespace dragoman::demo {

struct warehouse::shared {
  explicit shared(warehouse_options o);

  // Engines outlive their sessions: opening a file costs more than keeping it open.
  result<std::unique_ptr<sandbox::engine>> take_engine();
  void give_back(std::unique_ptr<sandbox::engine> engine);

  warehouse_options options;
  tds::server::server_identity identity;
  sandbox::storage tables;
  trouble misbehaviour;
  boost::asio::thread_pool workers;
  std::mutex mutex;
  std::vector<std::unique_ptr<sandbox::engine>> idle;
};

class warehouse_session final : public tds::server::sql_session {
 public:
  warehouse_session(warehouse::shared& shared, std::unique_ptr<sandbox::engine> engine,
                    const tds::server::login_request& login);
  ~warehouse_session() override;

  std::string database() const override { return database_; }
  void on_attention() noexcept override;
  void on_reset(bool keep_transaction) override;

 protected:
  template <class T>
  using awaitable = tds::server::asio::awaitable<T>;
  using response = tds::server::response;

  awaitable<void> execute(tds::server::statement& s, response& out) override;
  awaitable<void> call(tds::rpc_call& procedure, response& out) override;
  awaitable<std::vector<result_column>> describe(tds::server::statement& s) override;

 private:
  enum class flow { next, break_, continue_, return_, stop };
  struct outcome {  // of a statement with rows
    std::uint64_t rows = 0;
    std::optional<failure> why;
    bool drop = false;
    std::exception_ptr defect;
  };

  awaitable<flow> run_all(const std::vector<tsql::statement>& statements, sandbox::batch_state& state, response& out);
  awaitable<flow> run_one(const tsql::statement& statement, sandbox::batch_state& state, response& out);
  awaitable<flow> run_select(const tsql::select_statement& statement, sandbox::batch_state& state, response& out);
  awaitable<flow> run_execute(const tsql::execute_statement& statement, sandbox::batch_state& state, response& out);
  awaitable<flow> run_try(const tsql::try_catch_statement& statement, sandbox::batch_state& state, response& out);
  flow finish_raise(const result<sandbox::raised_error>& raised, response& out);
  flow use(const tsql::use_statement& statement, response& out);
  flow transaction(const tsql::transaction_statement& statement, response& out);
  flow fail(const failure& why, response& out);
  // A procedure of the catalogue or of the tests; false: there is none of that name.
  awaitable<bool> procedure(std::string_view name, std::vector<sandbox::parameter> arguments, response& out);
  void refresh_facts();

  // Runs on a worker thread, and comes back to the connection's.
  template <class F>
  auto aside(F work) -> awaitable<decltype(work())>;
  // The same for rows: work(outcome&, row_sink&) writes them while this thread sends.
  template <class F>
  awaitable<flow> stream(F work, response& out);
  void pull(result<sandbox::cursor> rows, bool may_misbehave, outcome& o, tds::server::row_sink& sink);

  warehouse::shared& shared_;
  std::unique_ptr<sandbox::engine> engine_;
  const std::string login_;
  const std::string host_;
  const std::string application_;
  const std::uint16_t spid_;
  std::string database_;
  sandbox::session_options options_;
  std::atomic<bool> running_{false};
  std::atomic<bool> cancelled_{false};
  failure* caught_ = nullptr;  // inside of TRY: where an error goes instead of to the client
};

}  // namespace dragoman::demo
