#include "bench/scenario.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

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

void write_configuration(const settings& s, std::uint16_t gateway, std::uint16_t upstream, bool tls) {
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
  std::ofstream(s.scratch + "/dragoman.yaml") << fmt::format(
      R"(server:
  listen: 127.0.0.1
  port: {}
  tls: {}
  state_directory: .
upstream:
  server: 127.0.0.1
  port: {}
  database: Bench
  user: bench
  password: bench
  encryption: off
  pool:
    connections: 64
    kept: 64
catalog:
  snapshot: catalog.yaml
principals:
  bench:
    allow: [bench.*]
    row_cap: 0
logins:
  - name: bench
    password: {}
    principal: bench
log:
  level: warn
)",
      gateway, tls ? "on" : "not_supported", upstream, demo_digest());
}

}  // namespace

scenario::scenario(const settings& s, bool tls) : upstream_port_(free_port()), gateway_port_(free_port()) {
  write_configuration(s, gateway_port_, upstream_port_, tls);
  upstream_ = std::make_unique<child>(
      std::vector<std::string>{s.build + "/bench/source/dragoman_bench_source", std::to_string(upstream_port_)},
      upstream_port_, s.scratch + "/upstream.log");
  gateway_ = std::make_unique<child>(
      std::vector<std::string>{s.build + "/dragoman", "serve", "--config", s.scratch + "/dragoman.yaml"}, gateway_port_,
      s.scratch + "/gateway.log");
}

raw_client::login scenario::direct() const {
  return {upstream_port_, "bench", "bench", "Bench"};
}

raw_client::login scenario::through_gateway() const {
  return {gateway_port_, "bench", "Dragoman1!", "Bench"};
}

}  // namespace dragoman::bench
