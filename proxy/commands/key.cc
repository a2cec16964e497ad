#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "proxy/commands/commands.h"
#include "proxy/key_store.h"

namespace dragoman::proxy {
namespace {

struct arguments {
  std::string config;
  std::string file;
  std::string login;
  std::string principal;
  bool password = false;
};

std::filesystem::path store_of(const arguments& given, config& settings) {
  if (!given.config.empty()) {
    config_outcome read = load_config(given.config);
    for (const auto& e : read.errors) std::cerr << e.to_string() << '\n';
    if (!read.errors.empty()) return {};
    settings = std::move(read.value);
    if (given.file.empty() && settings.logins_file.empty())
      std::cerr << given.config << ": logins_file: missing: there is no file for logins\n";
    if (given.file.empty()) return settings.logins_file;
  }
  return given.file;
}

secret read_password() {
  termios before{};
  const bool terminal = ::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (terminal) {
    termios quiet = before;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    std::cerr << "Password: ";
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
    std::cerr << '\n';
  }
  return secret(std::move(line));
}

int add(const arguments& given) {
  config settings;
  const auto file = store_of(given, settings);
  if (file.empty()) return 1;
  if (!given.config.empty() && settings.principal(given.principal) == nullptr) {
    std::cerr << given.config << " has no principal " << given.principal << '\n';
    return 1;
  }
  secret password;
  if (given.password && (password = read_password()).empty()) {
    std::cerr << "dragoman key: no password was given\n";
    return 1;
  }
  const auto made = add_login(file, given.login, given.principal, password);
  if (!made) {
    std::cerr << "dragoman key: " << made.error().message << '\n';
    return 1;
  }
  std::cout << "login    " << given.login << "\nprincipal " << given.principal << '\n';
  if (!given.password) std::cout << "password " << made->reveal() << "   (shown once, kept as a digest only)\n";
  return 0;
}

int list(const arguments& given) {
  config settings;
  const auto file = store_of(given, settings);
  if (file.empty()) return 1;
  const auto logins = read_logins(file);
  if (!logins) {
    std::cerr << "dragoman key: " << logins.error().message << '\n';
    return 1;
  }
  for (const stored_login& login : *logins)
    std::cout << login.name << '\t' << login.principal << '\t' << login.created << '\n';
  return 0;
}

int revoke(const arguments& given) {
  config settings;
  const auto file = store_of(given, settings);
  if (file.empty()) return 1;
  const auto gone = revoke_login(file, given.login);
  if (!gone) {
    std::cerr << "dragoman key: " << gone.error().message << '\n';
    return 1;
  }
  std::cout << given.login << " is revoked; its running sessions end when they disconnect\n";
  return 0;
}

}  // namespace

void add_key(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("key", "Logins kept as digests in a file of their own.");
  command->require_subcommand(1);
  const auto given = std::make_shared<arguments>();
  const auto where = [&given](CLI::App* sub) {
    auto* config = sub->add_option("--config", given->config, "Configuration file; its logins_file is used");
    sub->add_option("--file", given->file, "The file of logins itself")->excludes(config);
  };
  CLI::App* adding = command->add_subcommand("add", "Makes a login and shows its password once.");
  where(adding);
  adding->add_option("--login", given->login, "Name of the login")->required();
  adding->add_option("--principal", given->principal, "Whose rights it has")->required();
  adding->add_flag("--password", given->password, "Read a password from the terminal or stdin instead of making one");
  adding->callback([given, &status] { status = add(*given); });
  CLI::App* listing = command->add_subcommand("list", "Lists logins, principals and dates.");
  where(listing);
  listing->callback([given, &status] { status = list(*given); });
  CLI::App* revoking = command->add_subcommand("revoke", "Removes a login.");
  where(revoking);
  revoking->add_option("--login", given->login, "Name of the login")->required();
  revoking->callback([given, &status] { status = revoke(*given); });
}

}  // namespace dragoman::proxy
