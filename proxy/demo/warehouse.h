// The embedded warehouse: a SQLite file served as a SQL Server would serve it. One handler for all connections; each
// session has its own engine, and statements run on worker threads, so that a slow one delays no other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/civil_time.h"
#include "base/result.h"
#include "base/secret.h"
#include "proxy/demo/trouble.h"
#include "proxy/sandbox/storage.h"
#include "tds/server/handler.h"

namespace dragoman::demo {

struct warehouse_options {
  std::string file;
  std::string user = "sa";
  secret password;
  std::string server_name = "WAREHOUSE";
  unsigned workers = 0;                 // threads that run statements; 0 = 8
  std::optional<civil_time> fixed_now;  // what GETDATE() says; else the machine's clock
  std::int16_t utc_offset = 0;          // minutes, of GETDATE()
  bool bench_rows =
      false;  // the tables bench.rows, bench.many_rows: rows at wire speed, no data behind them (bench_rows.h)
  bool allow_trouble = false;  // EXEC test.… (trouble.h)
};

class warehouse final : public tds::server::handler {
 public:
  static result<std::unique_ptr<warehouse>> open(warehouse_options options);
  ~warehouse() override;

  const tds::server::server_identity& identity() const noexcept override;
  tds::server::asio::awaitable<result<std::unique_ptr<tds::server::session>>> on_login(
      tds::server::login_request request) override;

  trouble& misbehaviour() noexcept;
  // What the file holds, as a catalogue.
  const catalog::database& catalog() const noexcept;

  struct shared;  // warehouse_session.h

 private:
  explicit warehouse(std::unique_ptr<shared> s);
  std::unique_ptr<shared> shared_;
};

}  // namespace dragoman::demo
