#include "proxy/config.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>

#include "guard/catalog/names.h"
#include "nlq/pipeline.h"
#include "proxy/config_reader.h"
#include "proxy/password.h"

namespace dragoman::proxy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A secret comes from exactly one of KEY, KEY_file, KEY_env, so that it need not stand in the file itself.
void read_secret(section& s, const std::string& key, secret& out, const std::filesystem::path& base, bool required) {
  const std::string file_key = key + "_file";
  const std::string env_key = key + "_env";
  const int given = s.has(key) + s.has(file_key) + s.has(env_key);
  if (given > 1) {
    s.error(s.has(key) ? key : file_key, fmt::format("give one of {}, {}, {}", key, file_key, env_key));
    return;
  }
  if (given == 0 && required) {
    s.error(key, fmt::format("missing: give one of {}, {}, {}", key, file_key, env_key));
    return;
  }
  std::string word;
  if (s.text(key, word)) {
    out = secret(std::move(word));
    return;
  }
  std::filesystem::path file;
  if (s.path(file_key, file, base)) {
    std::ifstream in(file);
    std::string line;
    if (!in || !std::getline(in, line)) {
      s.error(file_key, fmt::format("cannot read {}", file.string()));
      return;
    }
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) s.error(file_key, fmt::format("{} is empty", file.string()));
    out = secret(std::move(line));
    return;
  }
  if (s.text(env_key, word)) {
    const char* value = std::getenv(word.c_str());
    if (value == nullptr || *value == '\0')
      s.error(env_key, fmt::format("the environment variable {} is not set", word));
    else
      out = secret(value);
  }
}

void existing_file(section& s, std::string_view key, const std::filesystem::path& file) {
  std::error_code ignored;
  if (!file.empty() && !std::filesystem::is_regular_file(file, ignored))
    s.error(key, fmt::format("{} does not exist", file.string()));
}

void existing_directory_of(section& s, std::string_view key, const std::filesystem::path& file) {
  std::error_code ignored;
  const auto parent = file.parent_path();
  if (!file.empty() && !parent.empty() && !std::filesystem::is_directory(parent, ignored))
    s.error(key, fmt::format("the folder {} does not exist", parent.string()));
}

void read_server(section s, server_config& out, const std::filesystem::path& base) {
  s.text("listen", out.listen);
  s.integer("port", out.port, 1, 65535);
  s.choice<tls_mode>("tls", out.tls,
                     {{"off", tls_mode::off},
                      {"on", tls_mode::on},
                      {"required", tls_mode::required},
                      {"strict", tls_mode::strict},
                      {"not_supported", tls_mode::not_supported}});
  s.path("certificate", out.certificate, base);
  s.path("key", out.key, base);
  if (out.certificate.empty() != out.key.empty())
    s.error(out.key.empty() ? "certificate" : "key", "certificate and key belong together");
  existing_file(s, "certificate", out.certificate);
  existing_file(s, "key", out.key);
  s.path("client_ca", out.client_ca, base);
  existing_file(s, "client_ca", out.client_ca);
  if (s.choice<bool>("client_certificates", out.client_certificate_required,
                     {{"optional", false}, {"required", true}})) {
    if (out.client_ca.empty()) s.error("client_certificates", "without client_ca none can be verified");
    if (out.client_certificate_required && out.tls != tls_mode::required && out.tls != tls_mode::strict)
      s.error("client_certificates", "can only be required with tls: required or tls: strict");
  }
  // systemd's StateDirectory= says where a service may write; otherwise beside the configuration.
  const char* state = std::getenv("STATE_DIRECTORY");
  out.state_directory = state != nullptr && *state != '\0' ? std::filesystem::path(state) : base;
  s.path("state_directory", out.state_directory, base);
  s.integer("threads", out.threads, 0, 256);
  s.text("name", out.name);
  section limits = s.child("limits");
  limits.integer("sessions", out.sessions_max, 1, 100'000);
  limits.integer("statement_cache_bytes", out.statement_cache_bytes, 0, limits::statement_cache_bytes_max);
  limits.integer("failed_logins_per_address", out.logins.failures_per_address, 0, 1'000'000);
  limits.integer("failed_logins_per_name", out.logins.failures_per_name, 0, 1'000'000);
  limits.integer("unfinished_logins_per_address", out.logins.unfinished_per_address, 0, 1'000'000);
  limits.duration("login_timeout", out.login_timeout, seconds(1), seconds(300));
  limits.duration("query_timeout", out.query_timeout, seconds(1), hours(24));
  limits.duration("drain_timeout", out.drain_timeout, milliseconds(0), seconds(3600));
}

void read_upstream(section s, upstream_config& out, const std::filesystem::path& base) {
  s.path("driver", out.driver, base);
  existing_file(s, "driver", out.driver);
  s.choice<embedded_size>("embedded", out.embedded,
                          {{"none", embedded_size::none},
                           {"small", embedded_size::small},
                           {"medium", embedded_size::medium},
                           {"large", embedded_size::large}});
  out.server = s.required_text("server");
  s.integer("port", out.port, 1, 65535);
  out.database = s.required_text("database");
  out.user = s.required_text("user");
  read_secret(s, "password", out.password, base, true);
  s.choice<upstream_encryption>("encryption", out.encryption,
                                {{"off", upstream_encryption::off},
                                 {"request", upstream_encryption::request},
                                 {"require", upstream_encryption::require}});
  s.choice<upstream_rows>("rows", out.rows, {{"socket", upstream_rows::socket}, {"odbc", upstream_rows::odbc}});
  section pool = s.child("pool");
  pool.integer("connections", out.connections_max, 1, 1000);
  if (!pool.integer("kept", out.connections_kept, 0, 1000))
    out.connections_kept = std::min(out.connections_kept, out.connections_max);
  if (out.connections_kept > out.connections_max) pool.error("kept", "more than pool.connections");
  pool.duration("lease_timeout", out.lease_timeout, milliseconds(10), seconds(600));
  s.duration("lock_timeout", out.lock_timeout, milliseconds(0), seconds(600));
  s.flag("nolock", out.nolock);
}

void read_catalog(section s, catalog_config& out, const std::filesystem::path& base) {
  s.path("snapshot", out.snapshot, base);
  s.flag("introspect", out.introspect);
  if (out.snapshot.empty() && !out.introspect) s.error("snapshot", "missing: give a snapshot, or introspect: true");
  if (!out.introspect) existing_file(s, "snapshot", out.snapshot);
  s.path("descriptions", out.descriptions, base);
  existing_file(s, "descriptions", out.descriptions);
}

void read_source(section& s, source_config& out, const std::filesystem::path& base) {
  read_upstream(s.child("upstream"), out.upstream, base);
  read_catalog(s.child("catalog"), out.catalog, base);
  s.path("semantics", out.semantics, base);
  existing_file(s, "semantics", out.semantics);
}

void read_sources(section& root, config& out, config_errors& errors, const std::filesystem::path& base) {
  std::size_t index = 0;
  for (const YAML::Node& node : root.items("sources")) {
    source_config source;
    source.key = fmt::format("sources[{}].", index++);
    section s(node, source.key.substr(0, source.key.size() - 1), errors, line_of_node(node));
    out.lines[s.path()] = s.line();
    source.name = s.required_text("name");
    read_source(s, source, base);
    for (const source_config& other : out.sources) {
      if (!source.name.empty() && catalog::same_name(source.name, other.name))
        s.error("name", fmt::format("the source {} is given twice", source.name));
      // A client tells them apart by this name alone: USE, and database.schema.table.
      if (!source.upstream.database.empty() && catalog::same_name(source.upstream.database, other.upstream.database))
        s.error("upstream", fmt::format("database: {} is that of another source; a client could not tell them apart",
                                        source.upstream.database));
    }
    out.sources.push_back(std::move(source));
  }
  if (out.sources.size() > limits::data_sources_max)
    root.error("sources", fmt::format("more than {}", limits::data_sources_max));
}

void read_logins(section& root, config& out, config_errors& errors) {
  std::set<std::string> names;
  std::size_t index = 0;
  for (const YAML::Node& node : root.items("logins")) {
    section s(node, fmt::format("logins[{}]", index++), errors, root.line_of("logins"));
    login_config login;
    login.line = s.line();
    login.name = s.required_text("name");
    login.digest = s.required_text("password");
    login.principal = s.required_text("principal");
    if (!login.digest.empty() && !is_password_digest(login.digest))
      s.error("password", "not a digest as 'dragoman key add' writes it; a password never stands here in clear");
    if (!login.name.empty() && !names.insert(login.name).second)
      s.error("name", fmt::format("the login {} is given twice", login.name));
    if (!login.principal.empty() && out.principal(login.principal) == nullptr) {
      std::vector<std::string> known;
      for (const auto& p : out.principals) known.push_back(p.name);
      const std::string near = nearest(login.principal, known);
      s.error("principal", near.empty() ? fmt::format("no principal {}", login.principal)
                                        : fmt::format("no principal {}; did you mean '{}'?", login.principal, near));
    }
    out.logins.push_back(std::move(login));
  }
}

// A principal's own lists come after those of the principal it inherits from; single values replace.
class principal_reader {
 public:
  principal_reader(section& s, guard::policy_definition& out, config& whole, config_errors& errors)
      : s_(s), out_(out), whole_(whole), errors_(errors) {}

  void read() {
    each("allow", [&](const YAML::Node& node, const std::string& key) {
      guard::allow_definition entry;
      entry.key = key;
      if (node.IsScalar()) {
        entry.table = node.Scalar();
      } else {
        section e(node, key, errors_, line_of_node(node));
        entry.table = e.required_text("table");
        for (auto& column : e.names("columns")) entry.columns.push_back(std::move(column.name));
      }
      if (!entry.table.empty()) out_.allow.push_back(std::move(entry));
    });
    columns("deny", out_.deny);
    columns("join_only", out_.join_only);
    each("row_filters", [&](const YAML::Node& node, const std::string& key) {
      section e(node, key, errors_, line_of_node(node));
      out_.row_filters.push_back({e.required_text("table"), e.required_text("predicate"), key});
    });
    each("require_filter", [&](const YAML::Node& node, const std::string& key) {
      section e(node, key, errors_, line_of_node(node));
      guard::require_filter_definition rule{e.required_text("table"), e.required_text("column"), {}, key};
      e.text("predicate", rule.predicate);
      out_.require_filters.push_back(std::move(rule));
    });
    each("require_join", [&](const YAML::Node& node, const std::string& key) {
      section e(node, key, errors_, line_of_node(node));
      guard::require_join_definition rule{e.required_text("table"), e.required_text("join"), {}, key};
      e.text("on", rule.on);
      out_.require_joins.push_back(std::move(rule));
    });
    section attributes = s_.child("attributes");
    for (const auto& [name, node] : attributes.children()) {
      std::vector<std::string> values;
      if (node.IsScalar()) values.push_back(node.Scalar());
      if (node.IsSequence())
        for (const auto& item : node)
          if (item.IsScalar()) values.push_back(item.Scalar());
      if (values.empty())
        errors_.add(line_of_node(node), attributes.path_of(name), "expected a text or a list of texts");
      out_.attributes[name] = std::move(values);
    }
    s_.integer("row_cap", out_.row_cap, 0, 1'000'000'000'000ull);
    s_.integer("row_cap_generated", out_.row_cap_generated, 1, 1'000'000'000ull);
    s_.flag("operator", out_.operator_rights);
  }

 private:
  template <class Take>
  void each(std::string_view name, Take take) {
    std::size_t index = 0;
    for (const YAML::Node& node : s_.items(name)) {
      const std::string key = fmt::format("{}[{}]", s_.path_of(name), index++);
      whole_.lines[key] = line_of_node(node);
      take(node, key);
    }
  }
  void columns(std::string_view name, std::vector<guard::column_definition>& to) {
    each(name, [&](const YAML::Node& node, const std::string& key) {
      if (node.IsScalar() && !node.Scalar().empty())
        to.push_back({node.Scalar(), key});
      else
        errors_.add(line_of_node(node), key, "expected the name of a column: schema.table.column");
    });
  }

  section& s_;
  guard::policy_definition& out_;
  config& whole_;
  config_errors& errors_;
};

void read_principals(section s, config& out, config_errors& errors) {
  const auto children = s.children();
  if (children.empty()) errors.add(s.line(), "principals", "missing: nobody could do anything");
  const auto node_of = [&](std::string_view name) -> const YAML::Node* {
    for (const auto& [key, node] : children)
      if (key == name) return &node;
    return nullptr;
  };
  std::set<std::string> open;
  std::function<void(const std::string&, const YAML::Node&, guard::policy_definition&, bool)> read =
      [&](const std::string& name, const YAML::Node& node, guard::policy_definition& to, bool report) {
        // What a parent says wrongly is reported once, where the parent itself is read.
        config_errors muted("");
        config_errors& sink = report ? errors : muted;
        section p(node, "principals." + name, sink, s.line());
        std::string parent;
        if (p.text("inherits", parent)) {
          const YAML::Node* parent_node = node_of(parent);
          if (parent_node == nullptr)
            p.error("inherits", fmt::format("no principal {}", parent));
          else if (!open.insert(parent).second)
            p.error("inherits", "principals inherit from each other in a circle");
          else
            read(parent, *parent_node, to, false);
        }
        principal_reader(p, to, out, sink).read();
      };
  for (const auto& [name, node] : children) {
    principal_config principal;
    principal.name = name;
    principal.line = line_of_node(node);
    open = {name};
    read(name, node, principal.rights, true);
    principal.rights.principal = name;
    principal.rights.key = "principals." + name;
    out.lines[principal.rights.key] = principal.line;
    if (principal.rights.allow.empty())
      errors.add(principal.line, "principals." + name + ".allow",
                 "missing: a principal without a table can ask nothing");
    out.principals.push_back(std::move(principal));
  }
}

void read_llm(section s, llm_config& out, const std::filesystem::path& base) {
  s.text("base_url", out.base_url);
  s.text("model", out.model);
  read_secret(s, "api_key", out.api_key, base, false);
  for (const named_at_line& name : s.names("fallback_models")) out.fallback_models.push_back(name.name);
  s.path("ca_file", out.ca_file, base);
  s.flag("allow_remote", out.allow_remote);
  s.flag("stream", out.stream);
  s.duration("connect_timeout", out.connect_timeout, std::chrono::milliseconds(10), seconds(60));
  s.duration("first_byte_timeout", out.first_byte_timeout, std::chrono::milliseconds(10), seconds(600));
  s.real("calls_per_minute", out.calls_per_minute, 0.0, 1e6);
  s.integer("prompt_tokens", out.prompt_tokens, 0, 1'000'000);
  s.duration("timeout", out.timeout, seconds(1), seconds(600));
  s.integer("tries", out.tries, 1, 10);
  s.real("temperature", out.temperature, 0.0, 2.0);
  s.integer("max_tokens", out.max_tokens, 16, 100'000);
  s.choice<nlq::generation>(
      "mode", out.mode,
      {{"sql", nlq::generation::sql}, {"plan", nlq::generation::plan}, {"auto", nlq::generation::plan_or_sql}});
  s.choice<nlq::insight_by>(
      "insight", out.insight,
      {{"off", nlq::insight_by::nobody}, {"template", nlq::insight_by::templates}, {"model", nlq::insight_by::model}});
  s.duration("insight_timeout", out.insight_timeout, milliseconds(100), seconds(60));
  s.choice<llm::grammar_field>(
      "grammar", out.grammar,
      {{"none", llm::grammar_field::none}, {"gbnf", llm::grammar_field::gbnf}, {"guided", llm::grammar_field::guided}});
  s.text("embedding_model", out.embedding_model);
  s.duration("keep_warm", out.keep_warm, milliseconds(0), hours(24));
  s.duration("cached_reply_suspected", out.cached_reply_suspected, milliseconds(0), seconds(10));
  section prices = s.child("price_per_million_tokens");
  prices.real("prompt", out.prompt_price, 0.0, 1e9);
  prices.real("completion", out.completion_price, 0.0, 1e9);
  if (!out.base_url.empty() && !out.base_url.starts_with("http://") && !out.base_url.starts_with("https://"))
    s.error("base_url", "must begin with http:// or https://");
  if (out.base_url.empty() && out.insight == nlq::insight_by::model)
    s.error("insight", "model needs base_url: there is none to ask");
  if (!out.base_url.empty() && out.model.empty()) s.error("model", "missing: base_url needs the name of a model");
}

void read_nlq(section s, nlq_config& out) {
  s.integer("question_length", out.question_chars_max, 1, limits::question_chars_max);
  s.integer("corrections", out.corrections_max, 0, 10);
  s.integer("clarifications", out.clarify_rounds_max, 1, 10);
  s.flag("messages", out.messages);
  s.real("questions_per_minute", out.questions_per_minute, 0.0, 1e6);
  s.integer("questions_burst", out.questions_burst, 1, 100'000);
  s.duration("memory", out.memory, milliseconds(0), limits::conversation_memory_max);
  section cache = s.child("cache");
  cache.duration("lifetime", out.cache.lifetime, milliseconds(0), hours(24));
  cache.integer("answers", out.cache.answers, 0, 1'000'000);
  cache.integer("bytes", out.cache.bytes, 0, 1ull << 40);
  cache.integer("answer_bytes", out.cache.answer_bytes, 0, 1ull << 32);
  section cost = s.child("cost");
  cost.real("notice", out.cost.notice, 0.0, 1e12);
  cost.real("confirm", out.cost.confirm, 0.0, 1e12);
  cost.real("confirm_rows", out.cost.confirm_rows, 0.0, 1e15);
  cost.duration("timeout", out.cost.timeout, milliseconds(100), seconds(60));
}

void read_audit(section s, audit_config& out, const std::filesystem::path& base) {
  s.path("file", out.file, base);
  existing_directory_of(s, "file", out.file);
  s.integer("rotate_bytes", out.rotate_bytes, 4096, 1ull << 40);
  s.integer("keep", out.keep, 1, 10'000);
  s.flag("questions", out.questions);
}

void read_log(section s, config& out, const std::filesystem::path& base) {
  std::string level = out.log_level;
  const std::set<std::string> levels{"debug", "info", "warn", "error", "off"};
  if (s.text("level", level) && !levels.contains(level))
    s.error("level", fmt::format("'{}' is not one of debug, info, warn, error, off", level));
  out.log_level = level;
  s.path("file", out.log_file, base);
  existing_directory_of(s, "file", out.log_file);
}

}  // namespace

const principal_config* config::principal(std::string_view name) const noexcept {
  for (const auto& p : principals)
    if (p.name == name) return &p;
  return nullptr;
}

std::string config_error::to_string() const {
  std::string out = file;
  if (line != 0) out += fmt::format(":{}", line);
  if (!out.empty()) out += ": ";
  if (!key.empty()) out += key + ": ";
  return out + message;
}

config_error locate(const config& in, const failure& error) {
  config_error out{in.file.string(), 0, "", error.message};
  const auto colon = error.message.find(": ");
  if (colon == std::string::npos) return out;
  out.key = error.message.substr(0, colon);
  out.message = error.message.substr(colon + 2);
  // The nearest key above that has a line: "principals.a.deny[0].x" -> "principals.a.deny[0]" -> "principals.a".
  for (std::string key = out.key; !key.empty();) {
    if (const auto found = in.lines.find(key); found != in.lines.end()) {
      out.line = found->second;
      break;
    }
    const auto cut = key.find_last_of(".[");
    key.resize(cut == std::string::npos ? 0 : cut);
  }
  return out;
}

config_outcome load_config(const std::filesystem::path& file) {
  config_outcome outcome;
  config_errors errors(file.string());
  config& out = outcome.value;
  out.file = file;
  std::error_code failed;
  const std::filesystem::path base = std::filesystem::absolute(file, failed).parent_path();
  try {
    std::ifstream in(file);
    if (!in || !std::filesystem::is_regular_file(file, failed)) {
      errors.add(0, "(file)", "cannot be read");
    } else {
      const YAML::Node document = YAML::Load(in);
      section root(document, "", errors, 1);
      read_server(root.child("server"), out.server, base);
      read_source(root, out.first(), base);
      read_sources(root, out, errors, base);
      read_principals(root.child("principals"), out, errors);
      read_logins(root, out, errors);
      root.path("logins_file", out.logins_file, base);
      existing_directory_of(root, "logins_file", out.logins_file);
      if (out.logins.empty() && out.logins_file.empty())
        root.error("logins", "missing: nobody could log in; give logins, logins_file or both");
      read_nlq(root.child("nlq"), out.nlq);
      read_llm(root.child("llm"), out.llm, base);
      read_audit(root.child("audit"), out.audit, base);
      root.path("store", out.store, base);
      existing_directory_of(root, "store", out.store);
      if (out.nlq.memory.count() > 0 && out.store.empty())
        root.error("nlq", "memory: needs a store to keep conversations in");
      read_log(root.child("log"), out, base);
    }
  } catch (const YAML::Exception& e) {
    errors.add(e.mark.is_null() ? 0 : static_cast<std::uint32_t>(e.mark.line + 1), "(syntax)", e.msg);
  }
  outcome.errors = errors.take();
  return outcome;
}

}  // namespace dragoman::proxy
