#include "tests/proxy/running_gateway.h"

#include <spdlog/spdlog.h>

#include <boost/test/unit_test.hpp>

namespace dragoman::proxy::test {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, "the demo's configuration lacks: " << from);
  return text.replace(at, from.size(), to);
}

}  // namespace

civil_time demo_day() {
  return {to_day_number({2025, 3, 10}), ticks_per_day / 2, 0};
}

running_gateway::running_gateway(std::string_view more, std::optional<std::uint16_t> warehouse_port,
                                 std::string_view catalog, std::string_view rules_of_broker7)
    : clock_(demo_day()) {
  spdlog::set_level(spdlog::level::off);
  const std::filesystem::path demo = std::filesystem::path(DRAGOMAN_SOURCE_DIR) / "conf/demo";
  std::string text = read_all(demo / "dragoman.yaml");
  text = replaced(text, "snapshot: catalog.yaml",
                  "snapshot: " + (demo / "catalog.yaml").string() + "\n" + std::string(catalog));
  text = replaced(text, "semantics: semantics.yaml", "semantics: " + (demo / "semantics.yaml").string());
  if (!rules_of_broker7.empty())
    text = replaced(text, "    row_filters:\n      - table: sales.Order\n        predicate: BrokerID = 7\n",
                    rules_of_broker7);
  text += "\naudit:\n  file: audit.jsonl\n";
  text += more;
  const auto file = folder_.write("dragoman.yaml", text);
  loaded_config loaded = load_everything(file);
  for (const auto& e : loaded.errors) BOOST_ERROR(e.to_string());
  BOOST_REQUIRE(loaded.errors.empty());
  upstream_ = loaded.settings.first().upstream;
  if (warehouse_port)
    warehouse_port_ = *warehouse_port;
  else
    start_warehouse();
  loaded.settings.first().upstream.port = warehouse_port_;
  loaded.settings.server.port = 0;
  auto gateway = instance::start(std::move(loaded), clock_);
  BOOST_REQUIRE_MESSAGE(gateway.has_value(), (gateway ? "" : gateway.error().message));
  gateway_ = std::move(*gateway);
  if (!warehouse_port) BOOST_REQUIRE(gateway_->shared().load_values());
}

running_gateway::~running_gateway() = default;

own_client running_gateway::client(const std::string& login, const std::string& password,
                                   const std::string& database) const {
  return own_client(gateway_->port(), login, secret(password), database, std::chrono::seconds(60));
}

upstream::options running_gateway::options(const std::string& login) const {
  upstream::options out;
  out.server = "127.0.0.1";
  out.port = gateway_->port();
  out.user = login;
  out.password = secret("Dragoman1!");
  out.own_texts = true;
  out.database = "SalesDb";
  return out;
}

std::string running_gateway::audit_text() {
  shared().records().flush();
  return read_all(folder_ / "audit.jsonl");
}

void running_gateway::stop_warehouse() {
  warehouse_.reset();
}

void running_gateway::start_warehouse() {
  auto started = embedded_warehouse::start(upstream_, embedded_size::small, warehouse_port_, demo_day());
  BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().message));
  warehouse_ = std::move(*started);
  warehouse_port_ = warehouse_->port();
}

running_gateway& shared_gateway() {
  static running_gateway gateway;
  return gateway;
}

}  // namespace dragoman::proxy::test
