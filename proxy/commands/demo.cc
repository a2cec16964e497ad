// The demo: embedded warehouse, gateway, and a real client that asks over TDS.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/log.h"
#include "proxy/answer_print.h"
#include "proxy/commands/commands.h"
#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/own_client.h"

namespace dragoman::proxy {
namespace {

constexpr std::uint16_t gateway_port = 14330;
constexpr std::uint16_t warehouse_port = 14331;
constexpr std::size_t rows_shown = 12;
constexpr const char* login_name = "manager";
constexpr const char* login_password = "Dragoman1!";

struct arguments {
  std::uint16_t port = 0;
  std::uint16_t warehouse_port = 0;
  std::string size = "medium";
  std::vector<std::string> questions;
  std::vector<std::string> statements;
  bool serve = false;
  std::string now;
  std::string config;
};

// Beside the program (build/dragoman), in the current folder, or where a package puts it.
std::filesystem::path demo_config() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const auto& folder : {program / "..", std::filesystem::path("."), program / "../share/dragoman",
                             std::filesystem::path("/usr/share/dragoman")}) {
    const auto file = (folder / "conf/demo/dragoman.yaml").lexically_normal();
    if (std::filesystem::is_regular_file(file, failed)) return file;
  }
  return "conf/demo/dragoman.yaml";
}

// A port that was asked for is taken or the demo fails; a default gives way to a free one.
std::uint16_t choose(std::uint16_t asked, std::uint16_t usual) {
  if (asked != 0) return asked;
  return listens(usual) ? 0 : usual;
}

bool is_statement(const std::string& line) {
  std::string word;
  for (const char c : line) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return word == "SELECT" || word == "WITH" || word == "EXEC";
}

class demo {
 public:
  explicit demo(const arguments& given) : given_(given), time_(make_clock(given.now)) {}

  int run() {
    if (!start()) return 1;
    const bool asked = !given_.questions.empty() || !given_.statements.empty();
    if (asked) {
      for (const std::string& q : given_.questions) show_question(q);
      for (const std::string& s : given_.statements) show_statement(s);
    } else if (!given_.serve) {
      show_question("top 5 customers by sales in 1402");
      show_question("فروش هر تالار در سال ۱۴۰۲");
      show_question("sales by month in 2024");
      show_statement(
          "SELECT TOP 5 o.OrderID, c.Name, o.TotalPrice FROM sales.[Order] AS o JOIN sales.Customer AS c ON "
          "c.CustomerID = o.CustomerID ORDER BY o.TotalPrice DESC");
    }
    if (given_.serve) {
      describe();
      wait_for_signal();
      client_.reset();
      gateway_->stop(gateway_->shared().settings().server.drain_timeout);
      return 0;
    }
    if (asked) return failed_ ? 1 : 0;
    describe();
    if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0) prompt();
    return failed_ ? 1 : 0;
  }

 private:
  bool start() {
    const auto begun = std::chrono::steady_clock::now();
    loaded_config loaded =
        load_everything(given_.config.empty() ? demo_config() : std::filesystem::path(given_.config));
    if (!report_errors(loaded)) return false;
    apply_log(loaded.settings);
    if (given_.serve) hold_signals();
    embedded_size size = embedded_size::medium;
    if (given_.size == "small") size = embedded_size::small;
    if (given_.size == "large") size = embedded_size::large;
    auto warehouse = embedded_warehouse::start(loaded.settings.first().upstream, size,
                                               choose(given_.warehouse_port, warehouse_port), parse_day(given_.now));
    if (!warehouse) return complain(warehouse.error());
    warehouse_ = std::move(*warehouse);
    loaded.settings.first().upstream.port = warehouse_->port();
    loaded.settings.server.port = choose(given_.port, gateway_port);
    loaded.settings.server.state_directory = cache_directory();
    database_ = loaded.first().database->name;
    auto gateway = instance::start(std::move(loaded), *time_);
    if (!gateway) return complain(gateway.error());
    gateway_ = std::move(*gateway);
    gateway_->shared().load_values();
    const service& shared = gateway_->shared();
    client_ = std::make_unique<own_client>(gateway_->port(), login_name, secret(login_password), database_,
                                           shared.settings().server.query_timeout);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
    std::cout << "Dragoman " << DRAGOMAN_VERSION << ": warehouse (" << given_.size << ") on port " << warehouse_->port()
              << ", gateway on port " << gateway_->port() << ", ready in " << took.count() << " ms.\n"
              << std::endl;
    return true;
  }

  bool complain(const failure& f) {
    std::cerr << "dragoman demo: " << f.message << '\n';
    return false;
  }

  void show(const std::string& sql) {
    const client_answer answer = client_->run(sql);
    failed_ = failed_ || answer.error.has_value();
    print_answer(std::cout, answer, rows_shown);
    std::cout << std::endl;
  }
  void show_question(const std::string& question) {
    std::cout << "? " << question << '\n';
    show("-- ASK: " + question);
  }
  void show_statement(const std::string& sql) {
    std::cout << "> " << sql << '\n';
    show(sql);
  }

  void describe() {
    const std::string port = std::to_string(gateway_->port());
    std::cout << "Connect with any SQL Server client: 127.0.0.1," << port << "  database " << database_ << "\n"
              << "  logins analyst, broker7, manager, admin; password Dragoman1!\n"
              << "  tsql -H 127.0.0.1 -p " << port << " -U analyst -P 'Dragoman1!' -D " << database_ << "\n"
              << "  sqlcmd -S 127.0.0.1," << port << " -U analyst -P 'Dragoman1!' -d " << database_ << " -C\n"
              << "Then: SELECT …, or -- ASK: question, or EXEC nlq.help\n"
              << std::endl;
  }

  void prompt() {
    std::cout << "A question, a SELECT or EXEC nlq.…; an empty line or Ctrl-D ends." << std::endl;
    for (std::string line; std::cout << "ask> " << std::flush, std::getline(std::cin, line);) {
      if (line.empty() || line == "exit" || line == "quit") break;
      show(is_statement(line) ? line : "-- ASK: " + line);
    }
    failed_ = false;
  }

  const arguments& given_;
  std::unique_ptr<clock> time_;
  std::unique_ptr<embedded_warehouse> warehouse_;
  std::unique_ptr<instance> gateway_;
  std::unique_ptr<own_client> client_;
  std::string database_;
  bool failed_ = false;
};

}  // namespace

void add_demo(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "demo", "Starts the embedded warehouse and the gateway on loopback and asks over TDS through a real client.");
  const auto given = std::make_shared<arguments>();
  command->add_option("--port", given->port, "Port of the gateway (default 14330, else a free one)");
  command->add_option("--warehouse-port", given->warehouse_port,
                      "Port of the warehouse (default 14331, else a free one)");
  command->add_option("--size", given->size, "small: 20,000 orders; medium: 500,000; large: 10,000,000")
      ->check(CLI::IsMember({"small", "medium", "large"}))
      ->capture_default_str();
  command->add_option("--ask", given->questions, "Print the answer to this question and end; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--sql", given->statements, "Print the rows of this statement and end; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--serve", given->serve, "Stay until SIGTERM, without a prompt");
  command->add_option("--now", given->now, "Fixes today's date for questions, YYYY-MM-DD")
      ->check([](const std::string& text) { return parse_day(text) ? std::string() : "not a date: " + text; });
  command->add_option("--config", given->config, "Another demo configuration (default conf/demo/dragoman.yaml)");
  command->callback([given, &status] { status = demo(*given).run(); });
}

}  // namespace dragoman::proxy
