#include <CLI/CLI.hpp>
#include <iostream>

#include "guard/tsql/parse_lines.h"
#include "proxy/commands/commands.h"

namespace dragoman::proxy {

void add_parse(CLI::App& app, int&) {
  CLI::App* command =
      app.add_subcommand("parse",
                         "Reads id<TAB>statement lines on stdin, one query each (\\n \\t \\\\ escaped), and prints\n"
                         "id<TAB>ok<TAB>printed or id<TAB>error<TAB>message.");
  command->callback([] {
    std::ios::sync_with_stdio(false);
    tsql::parse_lines(std::cin, std::cout);
  });
}

}  // namespace dragoman::proxy
