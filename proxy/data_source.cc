#include "proxy/data_source.h"

#include <chrono>

#include "base/log.h"
#include "guard/catalog/names.h"
#include "guard/guard.h"
#include "guard/tsql/printer.h"
#include "nlq/entity_words.h"
#include "nlq/pipeline.h"
#include "proxy/value_text.h"

namespace dragoman::proxy {
namespace {

constexpr std::chrono::milliseconds values_retry{5000};

std::set<std::string> filtered_dimensions(const nlq::semantic_layer& layer, const guard::database_policy& rights) {
  std::set<std::string> out;
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

upstream::options upstream_options(const config& settings, const source_config& source) {
  upstream::options out;
  const upstream_config& in = source.upstream;
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

data_source::data_source(const config& settings, std::size_t number, loaded_source loaded,
                         const policies_by_name& policies)
    : settings_(settings),
      number_(number),
      database_(std::move(loaded.database)),
      semantics_(std::move(loaded.semantics)),
      compared_(std::move(loaded.compared)),
      pool_(std::make_unique<upstream::pool>(upstream_options(settings, settings.sources[number]))) {
  const bool has_model = settings.llm.configured();
  const std::filesystem::path& descriptions = this->settings().catalog.descriptions;
  if (has_model || !descriptions.empty())
    prompts_ = std::make_unique<prompt_shelf>(
        database_, semantics_, has_model ? policies : policies_by_name{}, descriptions, settings.llm.prompt_tokens,
        settings.llm.mode != nlq::generation::sql, settings.llm.grammar != llm::grammar_field::none);
}

data_source::~data_source() {
  stop();
}

source_share data_source::share_of(const guard::policy& of, std::size_t scope) const {
  const guard::database_policy& rights = of.databases[number_];
  source_share out;
  if (semantics_) out.own_values = filtered_dimensions(*semantics_, rights);
  if (!out.own_values.empty()) out.values_of = scope + 1;
  out.visible = std::make_shared<const catalog::database>(guard::visible_catalog(of, rights));
  return out;
}

void data_source::start(const std::vector<const principal_view*>& views, llm::client* model, vector_store& vectors,
                        std::function<void()> changed) {
  vectors_ = &vectors;
  for (const principal_view* view : views)
    if (const source_share& share = view->shares[number_]; share.values_of != 0)
      readers_.try_emplace(share.values_of, narrowed_reader{view->policy, share.own_values});
  model_ = model;
  changed_ = std::move(changed);
  if (semantics_) knowledge_ = build_knowledge({});
  // The warehouse may be down at start; questions work from the samples until its values are known.
  if (semantics_ || prompts_) keeper_ = std::thread([this] { keep_up(); });
}

void data_source::stop() {
  stop_ = true;
  if (keeper_.joinable()) keeper_.join();
}

void data_source::keep_up() {
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
        changed_();
        vectors = !embeds;  // of other texts
        next_try = now;
      }
    }
    if (embeds && vectors_stale_.exchange(false)) {
      vectors_->forget(settings_.llm.embedding_model);
      prompts_->drop_vectors();
      vectors = false;
      next_try = now;
    }
    if (now >= next_try && !(values && vectors)) {
      if (!values) values = load_values();
      if (!vectors) vectors = prompts_->add_vectors(*model_, settings_.llm.embedding_model, *vectors_, stop_);
      next_try = std::chrono::steady_clock::now() + values_retry;
    }
    if (warms && now >= next_warming) {
      prompts_->warm_up(*model_, stop_);
      next_warming = std::chrono::steady_clock::now() + settings_.llm.keep_warm;
    }
    if (values && vectors && !warms && !embeds && settings().catalog.descriptions.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void data_source::note_question_vector(std::size_t length) {
  if (prompts_ && length != 0 && !prompts_->comparable(length)) vectors_stale_ = true;
}

result<nlq::value_rows> data_source::read_values(const nlq::value_query& query, std::string sql) {
  upstream::statement ask;
  ask.sql = std::move(sql);
  auto table = pool_->query(std::move(ask));
  if (!table) return table.error();
  nlq::value_rows out{query.dimension, query.columns, {}};
  for (const auto& row : table->rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(is_null(row[i]) ? std::string() : value_text(row[i], table->columns[i].type));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

result<data_source::values_by_reader> data_source::read_all_values() {
  values_by_reader out;
  for (const nlq::value_query& query : nlq::value_queries(*semantics_)) {
    if (stop_) return failure(errc::cancelled, "The gateway ends.");
    auto all = read_values(query, tsql::print(query.select));
    if (!all) return all.error();
    for (const auto& [number, reader] : readers_) {
      if (stop_) return failure(errc::cancelled, "The gateway ends.");
      if (!reader.own_values.contains(query.dimension)) {
        out[number].push_back(*all);
        continue;
      }
      guard::check_options options;
      options.profile = guard::profile::generated;
      options.database = database_->name;
      options.row_cap = 0;
      const guard::verdict verdict = guard::check(query.select, *reader.policy, options);
      if (verdict.kind != guard::verdict_kind::accept) continue;  // a column of it is not this principal's
      auto own = read_values(query, verdict.printed);
      if (!own && own.error().code == errc::upstream_error) {
        // A predicate that fails on some row is one principal's trouble.
        log::warn("values of {} are not known to {}: {}", query.dimension, reader.policy->principal,
                  own.error().message);
        continue;
      }
      if (!own) return own.error();
      out[number].push_back(std::move(*own));
    }
    out[0].push_back(std::move(*all));
  }
  return out;
}

bool data_source::load_values() {
  if (!semantics_) return true;
  const auto all = read_all_values();
  if (!all) {
    if (all.error().code != errc::cancelled)
      log::warn("values of the dimensions are not known yet: {}", all.error().message);
    return false;
  }
  // The same values again change nothing, and answers that were kept stay good.
  std::string seen;
  for (const auto& [number, values] : *all)
    for (const nlq::value_rows& rows : values)
      for (const auto& row : rows.rows)
        for (const std::string& cell : row) seen += cell + '\n';
  const std::size_t digest = std::hash<std::string>{}(seen);
  {
    const std::scoped_lock lock(mutex_);
    if (values_digest_ == digest) return true;
  }
  auto built = build_knowledge(*all);
  const std::scoped_lock lock(mutex_);
  values_digest_ = digest;
  knowledge_ = std::move(built);
  changed_();  // under the lock: whoever meets the new values meets the new version too
  return true;
}

data_source::knowledge_by_reader data_source::build_knowledge(const values_by_reader& values) const {
  const auto of = [&](std::size_t number) {
    const auto found = values.find(number);
    return found == values.end() ? std::vector<nlq::value_rows>() : found->second;
  };
  knowledge_by_reader out;
  out.emplace(0, nlq::knowledge::build(semantics_, database_, of(0)));
  for (const auto& [number, reader] : readers_)
    out.emplace(number, nlq::knowledge::build(semantics_, database_, of(number), reader.own_values));
  return out;
}

std::shared_ptr<const nlq::knowledge> data_source::knowledge(const principal_view& view) const {
  const std::scoped_lock lock(mutex_);
  const auto found = knowledge_.find(view.shares[number_].values_of);
  return found == knowledge_.end() ? nullptr : found->second;
}

std::string data_source::description_of(const catalog::table& table, const catalog::column* column) const {
  if (prompts_) {
    const auto shown = prompts_->shown();
    if (const catalog::table* told = shown->find_table(table.schema, table.name)) {
      if (column == nullptr) return told->description;
      if (const catalog::column* c = told->find_column(column->name)) return c->description;
    }
  }
  return column == nullptr ? table.description : column->description;
}

}  // namespace dragoman::proxy
