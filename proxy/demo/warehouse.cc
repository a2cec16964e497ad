#include "proxy/demo/warehouse.h"

#include "proxy/demo/bench_rows.h"
#include "proxy/demo/warehouse_session.h"
#include "proxy/sandbox/catalog_views.h"

namespace dragoman::demo {

warehouse::shared::shared(warehouse_options o)
    : options(std::move(o)), workers(options.workers == 0 ? 8 : options.workers) {
  identity.server_name = options.server_name;
}

result<std::unique_ptr<sandbox::engine>> warehouse::shared::take_engine() {
  {
    const std::lock_guard lock(mutex);
    if (!idle.empty()) {
      auto engine = std::move(idle.back());
      idle.pop_back();
      return engine;
    }
  }
  sandbox::open_options how;
  how.cache_kib = 8 * 1024;  // of each connection; the file itself is mapped, once for all
  how.tables = &tables;
  auto engine = sandbox::engine::open(options.file, how);
  if (!engine) return engine.error();
  if (auto installed = sandbox::install_catalog(**engine, {&tables.catalog(), {}, {}}); !installed)
    return installed.error();
  return engine;
}

void warehouse::shared::give_back(std::unique_ptr<sandbox::engine> engine) {
  const std::lock_guard lock(mutex);
  if (idle.size() < 64) idle.push_back(std::move(engine));
}

warehouse::warehouse(std::unique_ptr<shared> s) : shared_(std::move(s)) {}

warehouse::~warehouse() {
  shared_->workers.join();
}

result<std::unique_ptr<warehouse>> warehouse::open(warehouse_options options) {
  auto made = std::make_unique<shared>(std::move(options));
  auto first = sandbox::engine::open(made->options.file);
  if (!first) return first.error();
  made->tables = (*first)->tables();
  if (made->options.bench_rows) {
    for (auto& table : bench_tables()) {
      if (auto added = made->tables.add(std::move(table), {"bench", true}); !added) return added.error();
    }
  }
  return std::unique_ptr<warehouse>(new warehouse(std::move(made)));
}

const tds::server::server_identity& warehouse::identity() const noexcept {
  return shared_->identity;
}

trouble& warehouse::misbehaviour() noexcept {
  return shared_->misbehaviour;
}

const catalog::database& warehouse::catalog() const noexcept {
  return shared_->tables.catalog();
}

tds::server::asio::awaitable<result<std::unique_ptr<tds::server::session>>> warehouse::on_login(
    tds::server::login_request request) {
  const auto& o = shared_->options;
  if (shared_->misbehaviour.refuse_logins != 0 || request.integrated || request.federated ||
      !catalog::same_name(request.user, o.user) || request.password.reveal() != o.password.reveal())
    co_return failure(errc::login_failed, "Login failed.");
  const std::string& own = shared_->tables.catalog().name;
  if (!request.database.empty() && !catalog::same_name(request.database, own) &&
      !catalog::same_name(request.database, "master"))
    co_return failure(errc::database_unavailable, "Cannot open database.");
  auto engine = shared_->take_engine();
  if (!engine) co_return engine.error();
  co_return std::make_unique<warehouse_session>(*shared_, std::move(*engine), request);
}

}  // namespace dragoman::demo
