#include "bench/scenario.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "proxy/demo/generator.h"

namespace dragoman::bench {
namespace {

// The demo's digest of its well-known password, so that no second one stands in the source.
std::string demo_digest() {
  std::stringstream text;
  text << std::ifstream(DRAGOMAN_SOURCE_DIR "/conf/demo/dragoman.yaml").rdbuf();
  std::smatch found;
  const std::string page = text.str();
  if (!std::regex_search(page, found, std::regex("name: manager\\s+password: (\\S+)")))
    throw std::runtime_error("conf/demo/dragoman.yaml has no login manager");
  return found[1];
}

const char* database_of(upstream_kind kind) {
  return kind == upstream_kind::source ? "Bench" : "SalesDb";
}

// A million orders in a SQLite file, made once and kept in the scratch folder.
std::string million_orders(const settings& s) {
  demo::demo_options wanted;
  wanted.size = demo::demo_size::medium;
  wanted.orders = 1'000'000;
  const std::string file = s.scratch + "/million.sqlite";
  if (std::filesystem::exists(file)) return file;
  if (auto made = demo::generate(file, wanted); !made) throw std::runtime_error(made.error().message);
  return file;
}

std::vector<std::string> upstream_command(const settings& s, upstream_kind kind, std::uint16_t port) {
  if (kind == upstream_kind::source) return {s.build + "/bench/source/dragoman_bench_source", std::to_string(port)};
  return {
      s.build + "/dragoman", "warehouse", "--db", million_orders(s), "--port", std::to_string(port), "--user", "bench",
      "--password",          "bench",     "--tls"};
}

void write_catalogue(const settings& s, upstream_kind kind) {
  if (kind == upstream_kind::warehouse) {
    std::filesystem::copy_file(DRAGOMAN_SOURCE_DIR "/conf/demo/catalog.yaml", s.scratch + "/catalog.yaml",
                               std::filesystem::copy_options::overwrite_existing);
    return;
  }
  std::ofstream catalogue(s.scratch + "/catalog.yaml");
  catalogue << "version: 1\ndatasource: warehouse\ndatabase: Bench\ndefault_schema: dbo\n"
               "collation: SQL_Latin1_General_CP1_CI_AS\ntables:\n";
  for (const char* table : {"million", "ten_million", "encoded_million", "one"}) {
    catalogue << "  - schema: bench\n    name: " << table << "\n    columns:\n";
    for (const auto& [name, type] : {std::pair{"id", "int"},
                                     {"amount", "decimal(19,4)"},
                                     {"big", "bigint"},
                                     {"ratio", "float"},
                                     {"day", "date"},
                                     {"at", "datetime2(3)"},
                                     {"code", "varchar(20)"},
                                     {"name", "nvarchar(50)"},
                                     {"flag", "bit"},
                                     {"note", "nvarchar(100)"}})
      catalogue << "      - {name: " << name << ", type: \"" << type << "\", nullable: true}\n";
  }
}

void write_configuration(const settings& s, std::uint16_t gateway, std::uint16_t upstream, upstream_kind kind) {
  write_catalogue(s, kind);
  std::ofstream(s.scratch + "/dragoman.yaml") << fmt::format(
      R"(server:
  listen: 127.0.0.1
  port: {}
  tls: on
  state_directory: .
upstream:
  server: 127.0.0.1
  port: {}
  database: {}
  user: bench
  password: bench
  encryption: off
  pool:
    connections: 160
    kept: 160
catalog:
  snapshot: catalog.yaml
principals:
  bench:
    allow: [{}]
    row_cap: 0
logins:
  - name: bench
    password: {}
    principal: bench
log:
  level: warn
)",
      gateway, upstream, database_of(kind), kind == upstream_kind::source ? "bench.*" : "sales.*", demo_digest());
}

}  // namespace

scenario::scenario(const settings& s, upstream_kind kind)
    : kind_(kind), upstream_port_(free_port()), gateway_port_(free_port()) {
  write_configuration(s, gateway_port_, upstream_port_, kind);
  upstream_ =
      std::make_unique<child>(upstream_command(s, kind, upstream_port_), upstream_port_, s.scratch + "/upstream.log");
  gateway_ = std::make_unique<child>(
      std::vector<std::string>{s.build + "/dragoman", "serve", "--config", s.scratch + "/dragoman.yaml"}, gateway_port_,
      s.scratch + "/gateway.log");
}

raw_client::login scenario::direct() const {
  return {upstream_port_, "bench", "bench", database_of(kind_)};
}

raw_client::login scenario::through_gateway() const {
  return {gateway_port_, "bench", "Dragoman1!", database_of(kind_)};
}

}  // namespace dragoman::bench
