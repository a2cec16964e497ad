// The configuration of one gateway: what conf/dragoman.example.yaml documents, as plain structs.
//
// load_config reads the whole file before it judges it: every mistake is reported with file, line and key, an unknown
// key is a mistake, and a configuration with any mistake is never used.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/question_limits.h"
#include "base/secret.h"
#include "base/statement_limits.h"
#include "guard/policy.h"
#include "tds/server/login_throttle.h"

namespace dragoman::llm {
enum class grammar_field : std::uint8_t;  // llm/chat_client.h
}

namespace dragoman::nlq {
enum class generation : std::uint8_t;  // nlq/pipeline.h
enum class insight_by : std::uint8_t;
}  // namespace dragoman::nlq

namespace dragoman::proxy {

// PRELOGIN ENCRYPTION as the server answers it (MS-TDS 2.2.6.5).
enum class tls_mode : std::uint8_t {
  off,            // everything when the client asks for it, else the login alone, when the client can
  on,             // everything is encrypted when the client can (it asked OFF and hears ENCRYPT_REQ)
  required,       // ENCRYPT_REQ: a client without TLS is turned away
  strict,         // TDS 8.0 only: TLS before anything else
  not_supported,  // ENCRYPT_NOT_SUP
};

struct server_config {
  std::string listen = "127.0.0.1";
  std::uint16_t port = 1433;
  tls_mode tls = tls_mode::off;       // SQL Server's own default
  std::filesystem::path certificate;  // PEM; both empty = self-signed, kept in state_directory
  std::filesystem::path key;
  std::filesystem::path client_ca;  // PEM; empty = clients are not asked for a certificate
  bool client_certificate_required = false;
  std::filesystem::path state_directory;  // empty = beside the configuration file
  unsigned threads = 0;                   // 0 = one per core
  std::string name;                       // what @@SERVERNAME says; empty = the host's name
  std::size_t sessions_max = limits::sessions_max;
  std::size_t statement_cache_bytes = limits::statement_cache_bytes;  // 0 = every text is judged anew
  std::chrono::seconds login_timeout = limits::login_timeout;
  tds::server::login_limits logins;  // the first three are the site's
  std::chrono::seconds query_timeout = limits::query_timeout_default;
  std::chrono::seconds drain_timeout = limits::drain_timeout;  // SIGTERM: how long running requests may end
};

enum class upstream_encryption : std::uint8_t { off, request, require };
// From the connection's socket while FreeTDS rests, or through the driver. See proxy/upstream/borrowed_socket.h.
enum class upstream_rows : std::uint8_t { socket, odbc };

// The demo warehouse in this process, for trials: started on server:port where nothing listens there yet.
enum class embedded_size : std::uint8_t { none, small, medium, large };

struct upstream_config {
  embedded_size embedded = embedded_size::none;
  std::filesystem::path driver;  // empty = FreeTDS where Debian puts it
  std::string server = "127.0.0.1";
  std::uint16_t port = 1433;
  std::string database;
  std::string user;
  secret password;
  upstream_encryption encryption = upstream_encryption::request;
  upstream_rows rows = upstream_rows::socket;
  std::size_t connections_max = limits::upstream_connections_max;
  std::size_t connections_kept = limits::upstream_connections_kept;
  std::chrono::milliseconds lease_timeout = limits::lease_timeout_default;
  std::chrono::milliseconds lock_timeout = limits::upstream_lock_timeout;
  bool nolock = false;  // every table of a statement gets the hint NOLOCK
};

struct catalog_config {
  std::filesystem::path snapshot;      // empty = introspected at start
  bool introspect = false;             // read the live catalogue at start and compare it with the snapshot
  std::filesystem::path descriptions;  // laid over those of the catalogue, read again when the file changes
};

// One warehouse: where it is, what is in it, what its words mean. The keys at the top of the file say the first; the
// list `sources` says the others, and there each needs a name.
struct source_config {
  std::string name;  // for @source and messages; of the first: what its catalogue says
  upstream_config upstream;
  catalog_config catalog;
  std::filesystem::path semantics;  // empty = no semantic layer: every question needs a model
  std::string key;                  // where it stands in the file: "" or "sources[0]."
};

// A person or a program that may log in. The digest is what `dragoman key add` prints (see password.h).
struct login_config {
  std::string name;
  std::string digest;
  std::string principal;
  std::uint32_t line = 0;
};

struct named_at_line {
  std::string name;
  std::uint32_t line = 0;
};

// The rights of a principal as written, those it inherits included; compile_policy (guard/policy.h) checks them against
// the catalogue. The keys in it are found again in config::lines.
struct principal_config {
  std::string name;
  guard::policy_definition rights;
  std::uint32_t line = 0;
};

struct llm_config {
  std::string base_url;  // empty = no model
  std::string model;
  std::vector<std::string> fallback_models;  // asked in order when `model` is unknown there or keeps failing
  secret api_key;
  std::filesystem::path ca_file;  // empty = the system's authorities
  bool allow_remote = false;
  bool stream = false;
  std::chrono::seconds timeout = limits::model_timeout_default;  // of a call with all its tries
  std::chrono::milliseconds connect_timeout = limits::model_connect_timeout;
  std::chrono::milliseconds first_byte_timeout = limits::model_first_byte_timeout;  // of one try
  double calls_per_minute = 0;                                                      // 0 = no limit
  std::size_t prompt_tokens = limits::prompt_prefix_tokens_max;  // a larger schema is chosen per question
  unsigned tries = limits::model_tries_max;
  double temperature = 0.0;
  unsigned max_tokens = 1024;
  nlq::generation mode{};                           // sql
  nlq::insight_by insight{1};                       // templates
  std::chrono::milliseconds insight_timeout{5000};  // of a model that is asked about rows
  llm::grammar_field grammar{};                     // none: SQL is not constrained while it is written
  std::string embedding_model;                      // empty = tables are found by words alone
  std::chrono::milliseconds keep_warm{0};  // at start and so often, prompts are sent ahead of questions; 0 = never
  std::chrono::milliseconds cached_reply_suspected = limits::cached_reply_suspected;  // 0 = never
  double prompt_price = 0;  // of a million tokens, in whatever money the site counts
  double completion_price = 0;
  bool configured() const noexcept { return !base_url.empty(); }
};

struct cache_config {
  std::chrono::milliseconds lifetime = limits::answer_cache_lifetime;  // 0 = no cache
  std::size_t answers = limits::answer_cache_answers;
  std::size_t bytes = limits::answer_cache_bytes;
  std::size_t answer_bytes = limits::cached_answer_bytes;
};

// By the upstream's own plan, in its optimiser's units. 0 = never.
struct cost_config {
  double notice = 0;
  double confirm = 0;
  double confirm_rows = 0;
  std::chrono::milliseconds timeout = limits::estimate_timeout;
  bool wanted() const noexcept { return notice > 0 || confirm > 0 || confirm_rows > 0; }
};

struct nlq_config {
  std::size_t question_chars_max = limits::question_chars_max;
  unsigned corrections_max = limits::corrections_max;
  unsigned clarify_rounds_max = limits::clarify_rounds_max;
  bool messages = true;             // INFO tokens with an answer, unless the session says otherwise
  double questions_per_minute = 0;  // of one principal; 0 = no limit
  unsigned questions_burst = 10;
  std::chrono::milliseconds memory{0};  // how long a conversation outlives its session, in the store; 0 = not at all
  cache_config cache;
  cost_config cost;
};

struct audit_config {
  std::filesystem::path file;  // empty = no audit
  std::size_t rotate_bytes = limits::audit_file_bytes;
  unsigned keep = limits::audit_files_kept;
  bool questions = true;  // whether the question's own words are kept
};

struct config {
  std::filesystem::path file;
  server_config server;
  std::vector<source_config> sources = std::vector<source_config>(1);  // never empty; the first is the default one
  std::vector<login_config> logins;
  std::filesystem::path logins_file;  // what `dragoman key` writes; empty = none
  std::vector<principal_config> principals;
  nlq_config nlq;
  llm_config llm;
  audit_config audit;
  std::filesystem::path store;  // SQLite file of saved questions, history, feedback; empty = in memory
  std::string log_level = "info";
  std::filesystem::path log_file;

  std::map<std::string, std::uint32_t, std::less<>> lines;  // of the keys that later checks speak of

  const principal_config* principal(std::string_view name) const noexcept;
  source_config& first() noexcept { return sources.front(); }
  const source_config& first() const noexcept { return sources.front(); }
};

struct config_error {
  std::string file;
  std::uint32_t line = 0;  // from 1
  std::string key;         // dotted: "principals.broker7.row_filters[0].predicate"
  std::string message;

  std::string to_string() const;  // file:line: key: message
};

struct config_outcome {
  config value;
  std::vector<config_error> errors;  // not empty = value must not be used
};

config_outcome load_config(const std::filesystem::path& file);

// An error of a later check whose message begins with a key of the file, as guard::compile_policy words them.
config_error locate(const config& in, const failure& error);

}  // namespace dragoman::proxy
