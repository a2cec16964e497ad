// The subcommands: one file each, one line each in commands.cc. A command adds itself to the command line and, when it
// was chosen, leaves its exit status: 0 done, 1 failed, 2 called wrongly.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "proxy/service.h"

namespace CLI {
class App;
}

namespace dragoman::proxy {

void add_commands(CLI::App& app, int& status);

void add_demo(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_warehouse(CLI::App& app, int& status);
void add_ask(CLI::App& app, int& status);
void add_parse(CLI::App& app, int& status);
void add_guard(CLI::App& app, int& status);
void add_key(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_eval(CLI::App& app, int& status);
void add_init(CLI::App& app, int& status);

// ---- shared by several ----

// "2025-03-10" as noon of that day; nullopt for anything else.
std::optional<civil_time> parse_day(const std::string& text);
// The clock of a command with --now; empty: the machine's.
std::unique_ptr<clock> make_clock(const std::string& now);
// Prints every error on stderr; true when there is none.
bool report_errors(const loaded_config& loaded);
void apply_log(const config& settings);
// Lets this process open as many files as it may: a session is a descriptor, and 1,024 is a usual first limit. Says so
// in the log where even that is not enough.
void raise_file_limit(std::size_t sessions_max);
// Blocks SIGTERM, SIGINT and SIGHUP for all threads made later, and waits for one of them.
void hold_signals();
int wait_for_signal();

}  // namespace dragoman::proxy
