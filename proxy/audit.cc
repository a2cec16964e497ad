#include "proxy/audit.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/json.hpp>

#include "base/limits.h"
#include "base/log.h"

namespace dragoman::proxy {
namespace {

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03d}Z", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     (since - seconds).count());
}

void put(boost::json::object& to, std::string_view key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}

boost::json::array texts(const std::vector<std::string>& values) {
  boost::json::array out;
  for (const auto& value : values) out.emplace_back(value);
  return out;
}

}  // namespace

std::string to_json(const audit_record& record, std::chrono::system_clock::time_point time) {
  boost::json::object line;
  line["id"] = record.id;
  line["time"] = time_text(time);
  put(line, "login", record.login);
  put(line, "principal", record.principal);
  boost::json::object client;
  put(client, "application", record.client_application);
  put(client, "host", record.client_host);
  put(client, "address", record.client_address);
  line["client"] = std::move(client);
  line["kind"] = record.kind;
  put(line, "question", record.question);
  put(line, "path", record.path);
  if (!record.sql.empty()) line["sql"] = texts(record.sql);
  line["verdict"] = record.verdict;
  put(line, "reason", record.reason);
  put(line, "rule", record.rule);
  if (record.error_number != 0) line["error"] = record.error_number;
  put(line, "turn", record.turn);
  put(line, "source", record.source);
  if (!record.tables.empty()) line["tables"] = texts(record.tables);
  line["rows"] = record.rows;
  boost::json::object timings;
  for (const auto& timing : record.timings) {
    // A stage that ran several times (corrections, several statements) is one sum.
    const auto found = timings.if_contains(timing.stage);
    timings[timing.stage] = (found != nullptr ? found->as_int64() : 0) + timing.microseconds;
  }
  timings["total"] = record.total_microseconds;
  line["microseconds"] = std::move(timings);
  if (!record.model.empty()) {
    line["model"] = record.model;
    line["model_calls"] = record.model_calls;
    line["tokens"] = {
        {"prompt", record.prompt_tokens}, {"completion", record.completion_tokens}, {"cached", record.cached_tokens}};
    if (record.cost > 0) line["cost"] = record.cost;
  }
  if (record.suspected) line["suspected_cached_reply"] = true;
  if (record.cached) line["cached"] = true;
  return boost::json::serialize(line);
}

audit::audit(const audit_config& settings) : settings_(settings) {
  if (!settings_.file.empty()) writer_ = std::thread([this] { run(); });
}

audit::~audit() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  wake_writer_.notify_all();
  if (writer_.joinable()) writer_.join();
}

void audit::push(audit_record record) {
  if (settings_.file.empty()) return;
  if (!settings_.questions) record.question.clear();
  std::string line = to_json(record, std::chrono::system_clock::now());
  std::unique_lock lock(mutex_);
  if (queue_.size() >= limits::audit_queue_records &&
      !wake_callers_.wait_for(lock, limits::audit_wait, [&] { return queue_.size() < limits::audit_queue_records; })) {
    ++lost_;
    return;
  }
  queue_.push_back(std::move(line));
  lock.unlock();
  wake_writer_.notify_one();
}

void audit::flush() {
  if (settings_.file.empty()) return;
  std::unique_lock lock(mutex_);
  wake_callers_.wait(lock, [&] { return queue_.empty() && !writing_; });
}

std::uint64_t audit::lost() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

void audit::run() {
  std::deque<std::string> batch;
  while (true) {
    std::unique_lock lock(mutex_);
    writing_ = false;
    wake_callers_.notify_all();
    wake_writer_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty() && stop_) return;
    batch.swap(queue_);
    writing_ = true;
    const std::uint64_t newly_lost = lost_ - lost_reported_;
    lost_reported_ = lost_;
    lock.unlock();
    wake_callers_.notify_all();
    if (newly_lost > 0)
      write(fmt::format(R"({{"time":"{}","kind":"audit","verdict":"failed","lost":{}}})",
                        time_text(std::chrono::system_clock::now()), newly_lost));
    for (const std::string& line : batch) write(line);
    out_.flush();
    batch.clear();
  }
}

void audit::write(const std::string& line) {
  if (!out_.is_open() || !out_) {
    out_.close();
    out_.clear();
    out_.open(settings_.file, std::ios::app);
    ::chmod(settings_.file.c_str(), S_IRUSR | S_IWUSR | S_IRGRP);
    std::error_code failed;
    const auto size = std::filesystem::file_size(settings_.file, failed);
    written_ = failed ? 0 : static_cast<std::size_t>(size);
  }
  if (written_ > 0 && written_ + line.size() + 1 > settings_.rotate_bytes) rotate();
  out_ << line << '\n';
  written_ += line.size() + 1;
  if (!out_) {
    if (!failing_) log::error("audit: {} cannot be written; records are lost until it can", settings_.file.string());
    failing_ = true;
    const std::scoped_lock lock(mutex_);
    ++lost_;
  } else {
    failing_ = false;
  }
}

// audit.jsonl becomes audit.jsonl.1, .1 becomes .2 … and the oldest goes.
void audit::rotate() {
  out_.close();
  std::error_code ignored;
  const std::string name = settings_.file.string();
  std::filesystem::remove(name + fmt::format(".{}", settings_.keep), ignored);
  for (unsigned i = settings_.keep; i > 1; --i)
    std::filesystem::rename(name + fmt::format(".{}", i - 1), name + fmt::format(".{}", i), ignored);
  std::filesystem::rename(name, name + ".1", ignored);
  out_.clear();
  out_.open(settings_.file, std::ios::app);
  ::chmod(settings_.file.c_str(), S_IRUSR | S_IWUSR | S_IRGRP);
  written_ = 0;
}

}  // namespace dragoman::proxy
