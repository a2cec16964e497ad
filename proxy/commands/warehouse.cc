#include <CLI/CLI.hpp>
#include <iostream>

#include "base/log.h"
#include "proxy/commands/commands.h"
#include "proxy/embedded.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string file;
  std::string listen = "127.0.0.1";
  std::uint16_t port = 14331;
  std::string user = "sa";
  std::string password = "Warehouse1!";
  bool tls = false;
};

int run(const arguments& given) {
  hold_signals();
  raise_file_limit(0);
  auto served =
      embedded_warehouse::serve(given.file, given.listen, given.port, given.user, secret(given.password), given.tls);
  if (!served) {
    std::cerr << "dragoman warehouse: " << served.error().message << '\n';
    return 1;
  }
  std::cout << given.file << " is served on " << given.listen << ":" << (*served)->port() << " for login " << given.user
            << std::endl;
  wait_for_signal();
  return 0;
}

}  // namespace

void add_warehouse(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("warehouse", "Serves a SQLite file over TDS, as a SQL Server would.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--db", given->file, "The SQLite file")->required()->check(CLI::ExistingFile);
  command->add_option("--listen", given->listen, "Address to listen on")->capture_default_str();
  command->add_option("--port", given->port, "Port; 0 = any free one")->capture_default_str();
  command->add_option("--user", given->user, "The one login")->capture_default_str();
  command->add_option("--password", given->password, "Its password")->capture_default_str();
  command->add_flag("--tls", given->tls, "Offer TLS, with a self-signed certificate of this run");
  command->callback([given, &status] { status = run(*given); });
}

}  // namespace dragoman::proxy
