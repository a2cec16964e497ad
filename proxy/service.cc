#include "proxy/service.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <optional>

#include "base/log.h"
#include "guard/catalog/names.h"

namespace dragoman::proxy {
namespace {

constexpr unsigned aside_threads = 4;
}  // namespace

struct service::threads {
  boost::asio::thread_pool pool{aside_threads};
  boost::asio::thread_pool soon{1};
};

service::service(config settings, const clock& time)
    : settings_(std::move(settings)),
      clock_(time),
      statements_(settings_.server.statement_cache_bytes),
      threads_(std::make_unique<threads>()) {}

service::~service() {
  for (const auto& source : sources_) source->stop();
  threads_->pool.join();
  threads_->soon.join();
}

result<std::unique_ptr<service>> service::open(loaded_config loaded, const clock& time) {
  if (!loaded.complete())
    return failure(errc::configuration,
                   loaded.errors.empty() ? "There is no catalogue." : loaded.errors[0].to_string());
  std::unique_ptr<service> out(new service(std::move(loaded.settings), time));
  for (std::size_t i = 0; i < loaded.sources.size(); ++i)
    out->sources_.push_back(
        std::make_unique<data_source>(out->settings_, i, std::move(loaded.sources[i]), loaded.policies));
  rights_registry scopes;
  for (const auto& [name, policy] : loaded.policies) {
    principal_view view;
    view.name = name;
    view.policy = policy;
    view.scope = scopes.number_of(*policy);
    for (const auto& source : out->sources_) view.shares.push_back(source->share_of(*policy, view.scope));
    out->views_.emplace(name, std::move(view));
  }
  if (auto started = out->start(); !started) return started.error();
  return out;
}

result<void> service::start() {
  if (settings_.llm.configured()) {
    llm::client_config model;
    model.base_url = settings_.llm.base_url;
    model.api_key = settings_.llm.api_key;
    model.model = settings_.llm.model;
    model.fallback_models = settings_.llm.fallback_models;
    model.ca_file = settings_.llm.ca_file.string();
    model.stream = settings_.llm.stream;
    model.connect_timeout = settings_.llm.connect_timeout;
    model.first_byte_timeout = settings_.llm.first_byte_timeout;
    model.calls_per_minute = settings_.llm.calls_per_minute;
    model.allow_remote = settings_.llm.allow_remote;
    model.temperature = settings_.llm.temperature;
    model.max_tokens = settings_.llm.max_tokens;
    model.tries = settings_.llm.tries;
    model.total_timeout = settings_.llm.timeout;
    model.embedding_model = settings_.llm.embedding_model;
    model.grammar = settings_.llm.grammar;
    auto opened = llm::client::open(std::move(model));
    if (!opened) return opened.error();
    model_ = std::move(*opened);
  }
  audit_ = std::make_unique<proxy::audit>(settings_.audit);
  const nlq_config& asking = settings_.nlq;
  answers_ = std::make_unique<answer_cache>(answer_cache::options{asking.cache.lifetime, asking.cache.answers,
                                                                  asking.cache.bytes, asking.cache.answer_bytes});
  replies_ = std::make_unique<reply_watch>(settings_.llm.cached_reply_suspected);
  budget_ = std::make_unique<question_budget>(asking.questions_per_minute, asking.questions_burst,
                                              model_prices{settings_.llm.prompt_price, settings_.llm.completion_price});
  if (!settings_.store.empty()) {
    if (auto opened = store_.open(settings_.store); !opened) return opened.error();
    if (!settings_.llm.embedding_model.empty())
      if (auto opened = vectors_.open(settings_.store); !opened) return opened.error();
  }
  if (!settings_.logins_file.empty()) {
    auto read = read_logins(settings_.logins_file);
    if (!read) return read.error();
    refresh_logins();
  }
  std::vector<const principal_view*> views;
  for (const auto& [name, view] : views_) views.push_back(&view);
  for (const auto& source : sources_) source->start(views, model_.get(), vectors_, [this] { ++version_; });
  return {};
}

std::optional<std::size_t> service::find_source(std::string_view name) const {
  for (const auto& source : sources_)
    if (catalog::same_name(name, source->name()) || catalog::same_name(name, source->database().name))
      return source->number();
  return std::nullopt;
}

data_source& service::source_of(std::string_view datasource) {
  for (const auto& source : sources_)
    if (source->name() == datasource) return *source;
  return *sources_.front();
}

bool service::load_values() {
  bool all = true;
  for (const auto& source : sources_) all = source->load_values() && all;
  return all;
}

const principal_view* service::principal(std::string_view name) const noexcept {
  const auto found = views_.find(name);
  return found == views_.end() ? nullptr : &found->second;
}

// The caller holds logins_mutex_ or is alone.
void service::refresh_logins() {
  std::error_code failed;
  const auto changed = std::filesystem::last_write_time(settings_.logins_file, failed);
  if (failed || changed == file_time_) return;
  auto read = read_logins(settings_.logins_file);
  if (!read) {
    log::error("{}", read.error().message);
    return;
  }
  file_logins_ = std::move(*read);
  file_time_ = changed;
}

service::login_found service::find_login(std::string_view user) {
  for (const login_config& login : settings_.logins)
    if (catalog::same_name(login.name, user)) return {login.name, login.digest, login.principal};
  const std::scoped_lock lock(logins_mutex_);
  if (!settings_.logins_file.empty()) refresh_logins();
  for (const auto* logins : {&file_logins_, &own_logins_})
    for (const stored_login& login : *logins)
      if (catalog::same_name(login.name, user)) return {login.name, login.digest, login.principal};
  // As slow as a wrong password, so that names cannot be told by the time. Its password is known to nobody.
  static const std::string nobody = *make_password_digest(*make_random_key(24));
  return {"", nobody, ""};
}

result<service::identity> service::authenticate(std::string_view user, const secret& password) {
  login_found login = find_login(user);
  const bool right = passwords_.check(password, login.digest);
  if (login.name.empty()) return failure(errc::login_failed, "There is no such login.");
  if (!right) return failure(errc::login_failed, "The password is wrong.");
  const principal_view* view = principal(login.principal);
  if (view == nullptr)
    return failure(errc::login_failed, fmt::format("The login's principal {} does not exist.", login.principal));
  return identity{std::move(login.name), view};
}

std::optional<service::identity> service::recognise(std::string_view user, const secret& password) {
  login_found login = find_login(user);
  if (!passwords_.known(password, login.digest) || login.name.empty()) return std::nullopt;
  const principal_view* view = principal(login.principal);
  if (view == nullptr) return std::nullopt;
  return identity{std::move(login.name), view};
}

result<secret> service::add_own_login(std::string name, std::string principal) {
  if (this->principal(principal) == nullptr)
    return failure(errc::bad_argument, fmt::format("There is no principal {}.", principal));
  auto password = make_random_key(24);
  if (!password) return password.error();
  auto digest = make_password_digest(*password);
  if (!digest) return digest.error();
  const std::scoped_lock lock(logins_mutex_);
  own_logins_.push_back({std::move(name), std::move(principal), "", std::move(*digest)});
  return std::move(*password);
}

void service::run_aside(std::function<void()> work) {
  boost::asio::post(threads_->pool, std::move(work));
}

void service::run_soon(std::function<void()> work) {
  boost::asio::post(threads_->soon, std::move(work));
}

}  // namespace dragoman::proxy
