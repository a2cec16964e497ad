#include "proxy/service.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <optional>

#include "base/log.h"
#include "guard/catalog/names.h"
#include "guard/tsql/printer.h"
#include "nlq/entity_words.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

constexpr unsigned aside_threads = 4;
constexpr std::chrono::milliseconds values_retry{5000};

// Errors of loaders that word themselves as "file:line: key: message".
config_error worded(const failure& f) {
  return {"", 0, "", f.message};
}

}  // namespace

upstream::options upstream_options(const config& settings) {
  upstream::options out;
  const upstream_config& in = settings.upstream;
  if (!in.driver.empty()) out.driver = in.driver.string();
  out.server = in.server;
  out.port = in.port;
  out.database = in.database;
  out.user = in.user;
  out.password = in.password;
  switch (in.encryption) {
    case upstream_encryption::off: out.encryption = upstream::encryption_mode::off; break;
    case upstream_encryption::request: out.encryption = upstream::encryption_mode::request; break;
    case upstream_encryption::require: out.encryption = upstream::encryption_mode::require; break;
  }
  out.lease_timeout = in.lease_timeout;
  out.lock_timeout = in.lock_timeout;
  out.rows_from_socket = in.rows == upstream_rows::socket;
  out.query_timeout = settings.server.query_timeout;
  out.connections_kept = in.connections_kept;
  out.connections_max = in.connections_max;
  return out;
}

loaded_config load_everything(const std::filesystem::path& file, catalog::database_ptr introspected) {
  loaded_config out;
  config_outcome read = load_config(file);
  out.settings = std::move(read.value);
  out.errors = std::move(read.errors);
  if (!out.errors.empty()) return out;
  if (introspected) {
    out.database = std::move(introspected);
  } else if (!out.settings.catalog.snapshot.empty()) {
    auto loaded = catalog::load_snapshot(out.settings.catalog.snapshot.string());
    if (loaded)
      out.database = std::make_shared<const catalog::database>(std::move(*loaded));
    else
      out.errors.push_back(worded(loaded.error()));
  }
  if (!out.settings.semantics.empty()) {
    auto layer = nlq::load_semantics(out.settings.semantics.string());
    if (!layer)
      out.errors.push_back(worded(layer.error()));
    else
      out.semantics = std::make_shared<const nlq::semantic_layer>(std::move(*layer));
  }
  if (!out.database) return out;
  if (out.semantics)
    for (const std::string& mistake : nlq::check_semantics(*out.semantics, *out.database))
      out.errors.push_back({out.settings.semantics.string(), 0, "", mistake});
  for (const principal_config& principal : out.settings.principals) {
    auto compiled = guard::compile_policy(principal.rights, out.database);
    if (compiled)
      out.policies[principal.name] = std::make_shared<const guard::policy>(std::move(*compiled));
    else
      out.errors.push_back(locate(out.settings, compiled.error()));
  }
  return out;
}

struct service::threads {
  boost::asio::thread_pool pool{aside_threads};
  boost::asio::thread_pool soon{1};
};

namespace {

std::set<std::string> filtered_dimensions(const nlq::semantic_layer& layer, const guard::policy& policy) {
  std::set<std::string> out;
  const guard::database_policy& rights = policy.databases.front();
  for (const nlq::dimension& d : layer.dimensions)
    for (const std::string& id : d.roles) {
      const nlq::role* r = layer.find_role(id);
      const auto table = r == nullptr ? std::nullopt : rights.database->table_index(r->schema, r->table);
      if (table && rights.tables[*table].filter) out.insert(d.id);
    }
  for (const nlq::entity& e : layer.entities)
    if (const auto table = rights.database->table_index(e.schema, e.table); table && rights.tables[*table].filter)
      for (const nlq::entity_field& f : e.fields) out.insert(nlq::value_source_of(e, f));
  return out;
}

}  // namespace

service::service(loaded_config loaded, const clock& time)
    : settings_(std::move(loaded.settings)),
      clock_(time),
      database_(std::move(loaded.database)),
      semantics_(std::move(loaded.semantics)),
      statements_(settings_.server.statement_cache_bytes),
      threads_(std::make_unique<threads>()) {}

service::~service() {
  stop_ = true;
  if (keeper_.joinable()) keeper_.join();
  threads_->pool.join();
  threads_->soon.join();
}

result<std::unique_ptr<service>> service::open(loaded_config loaded, const clock& time) {
  if (!loaded.errors.empty() || !loaded.database)
    return failure(errc::configuration,
                   loaded.errors.empty() ? "There is no catalogue." : loaded.errors[0].to_string());
  const auto policies = loaded.policies;
  std::unique_ptr<service> out(new service(std::move(loaded), time));
  const bool has_model = out->settings_.llm.configured();
  if (has_model || !out->settings_.catalog.descriptions.empty())
    out->prompts_ =
        std::make_unique<prompt_shelf>(out->database_, out->semantics_, has_model ? policies : prompt_shelf::policies{},
                                       out->settings_.catalog.descriptions, out->settings_.llm.prompt_tokens,
                                       out->settings_.llm.mode != nlq::generation::sql);
  rights_registry scopes;
  for (const auto& [name, policy] : policies) {
    principal_view view;
    view.name = name;
    view.policy = policy;
    view.scope = scopes.number_of(*policy);
    if (out->semantics_) view.without_values = filtered_dimensions(*out->semantics_, *policy);
    view.visible =
        std::make_shared<const catalog::database>(guard::visible_catalog(*policy, policy->databases.front()));
    out->views_.emplace(name, std::move(view));
  }
  if (auto started = out->start(); !started) return started.error();
  return out;
}

result<void> service::start() {
  pool_ = std::make_unique<upstream::pool>(upstream_options(settings_));
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
  if (!settings_.store.empty())
    if (auto opened = store_.open(settings_.store); !opened) return opened.error();
  if (!settings_.logins_file.empty()) {
    auto read = read_logins(settings_.logins_file);
    if (!read) return read.error();
    refresh_logins();
  }
  if (semantics_) knowledge_ = build_knowledge({});
  // The upstream may be down at start; questions work from the samples until its values are known.
  if (semantics_ || prompts_) keeper_ = std::thread([this] { keep_up(); });
  return {};
}

void service::keep_up() {
  const bool embeds = prompts_ && model_ && !settings_.llm.embedding_model.empty();
  bool values = false;
  bool vectors = !embeds;
  auto next_try = std::chrono::steady_clock::now();
  auto next_look = next_try + limits::overlay_checked;
  const bool warms = prompts_ && model_ && settings_.llm.keep_warm.count() > 0;
  auto next_warming = next_try;
  while (!stop_) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_look) {
      next_look = now + limits::overlay_checked;
      if (prompts_ && prompts_->read_descriptions()) {
        ++version_;
        vectors = !embeds;  // of other texts
        next_try = now;
      }
    }
    if (now >= next_try && !(values && vectors)) {
      if (!values) values = load_values();
      if (!vectors) vectors = prompts_->add_vectors(*model_, stop_);
      next_try = std::chrono::steady_clock::now() + values_retry;
    }
    if (warms && now >= next_warming) {
      prompts_->warm_up(*model_, stop_);
      next_warming = std::chrono::steady_clock::now() + settings_.llm.keep_warm;
    }
    if (values && vectors && !warms && settings_.catalog.descriptions.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

bool service::load_values() {
  if (!semantics_) return true;
  std::vector<nlq::value_rows> all;
  for (const nlq::value_query& query : nlq::value_queries(*semantics_)) {
    if (stop_) return false;
    upstream::statement ask;
    ask.sql = tsql::print(query.select);
    auto table = pool_->query(std::move(ask));
    if (!table) {
      log::warn("values of the dimensions are not known yet: {}", table.error().message);
      return false;
    }
    nlq::value_rows rows{query.dimension, query.columns, {}};
    for (const auto& row : table->rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i)
        cells.push_back(is_null(row[i]) ? std::string() : value_text(row[i], table->columns[i].type));
      rows.rows.push_back(std::move(cells));
    }
    all.push_back(std::move(rows));
  }
  // The same values again change nothing, and answers that were kept stay good.
  std::string seen;
  for (const nlq::value_rows& rows : all)
    for (const auto& row : rows.rows)
      for (const std::string& cell : row) seen += cell + '\n';
  const std::size_t digest = std::hash<std::string>{}(seen);
  {
    const std::scoped_lock lock(knowledge_mutex_);
    if (values_digest_ == digest) return true;
  }
  auto built = build_knowledge(all);
  const std::scoped_lock lock(knowledge_mutex_);
  values_digest_ = digest;
  knowledge_ = std::move(built);
  ++version_;
  return true;
}

service::knowledge_by_rights service::build_knowledge(const std::vector<nlq::value_rows>& values) const {
  knowledge_by_rights out;
  for (const auto& [name, view] : views_)
    if (auto& known = out[view.without_values]; known == nullptr)
      known = nlq::knowledge::build(semantics_, database_, values, view.without_values);
  return out;
}

std::shared_ptr<const nlq::knowledge> service::knowledge(const principal_view& view) const {
  const std::scoped_lock lock(knowledge_mutex_);
  const auto found = knowledge_.find(view.without_values);
  return found == knowledge_.end() ? nullptr : found->second;
}

std::string service::description_of(const catalog::table& table, const catalog::column* column) const {
  if (prompts_) {
    const auto shown = prompts_->shown();
    if (const catalog::table* told = shown->find_table(table.schema, table.name)) {
      if (column == nullptr) return told->description;
      if (const catalog::column* c = told->find_column(column->name)) return c->description;
    }
  }
  return column == nullptr ? table.description : column->description;
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
