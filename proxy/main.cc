// dragoman: one program, one subcommand per purpose (proxy/commands/).
#include <csignal>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "proxy/commands/commands.h"

int main(int argc, char** argv) {
  // A client that closes its socket is an error of one write, not the end of the program.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app{"Dragoman: questions and SELECTs over TDS, guarded, answered by the warehouse behind it."};
  app.set_version_flag("--version", DRAGOMAN_VERSION);
  app.require_subcommand(1);
  int status = 0;
  dragoman::proxy::add_commands(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::cerr << "dragoman: " << e.what() << '\n';
    return 1;
  }
  return status;
}
