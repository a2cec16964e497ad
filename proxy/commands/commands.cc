#include "proxy/commands/commands.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include "base/log.h"

namespace dragoman::proxy {

void add_commands(CLI::App& app, int& status) {
  add_demo(app, status);
  add_serve(app, status);
  add_warehouse(app, status);
  add_ask(app, status);
  add_parse(app, status);
  add_guard(app, status);
  add_key(app, status);
  add_check(app, status);
  add_eval(app, status);
  add_init(app, status);
}

std::optional<civil_time> parse_day(const std::string& text) {
  civil_date date;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%d%c", &date.year, &date.month, &date.day, &rest) != 3 || !exists(date))
    return std::nullopt;
  return civil_time{to_day_number(date), ticks_per_day / 2, 0};
}

namespace {

class machine_clock final : public clock {
 public:
  civil_time now() const override { return system_clock().now(); }
};

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

std::unique_ptr<clock> make_clock(const std::string& now) {
  const auto day = parse_day(now);
  if (day) return std::make_unique<fixed_clock>(*day);
  return std::make_unique<machine_clock>();
}

bool report_errors(const loaded_config& loaded) {
  for (const config_error& e : loaded.errors) std::cerr << e.to_string() << '\n';
  return loaded.errors.empty();
}

void apply_log(const config& settings) {
  std::shared_ptr<spdlog::logger> logger =
      settings.log_file.empty()
          ? std::make_shared<spdlog::logger>("dragoman", std::make_shared<spdlog::sinks::stderr_sink_mt>())
          : std::make_shared<spdlog::logger>(
                "dragoman", std::make_shared<spdlog::sinks::basic_file_sink_mt>(settings.log_file.string()));
  logger->set_level(spdlog::level::from_str(settings.log_level == "warn" ? "warning" : settings.log_level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void raise_file_limit(std::size_t sessions_max) {
  constexpr std::size_t others = 200;  // upstream connections, files, event loops
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < sessions_max + others)
    log::warn("{} files may be open, which is not enough for {} sessions (server.limits.sessions)", limit.rlim_max,
              sessions_max);
}

void hold_signals() {
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int wait_for_signal() {
  const sigset_t set = ending_signals();
  int number = 0;
  sigwait(&set, &number);
  return number;
}

}  // namespace dragoman::proxy
