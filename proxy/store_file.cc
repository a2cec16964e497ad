#include "proxy/store_file.h"

#include <fmt/format.h>

#include <concepts>

#include "base/log.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

std::int64_t to_number(system_clock::time_point time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}
system_clock::time_point moment_of(std::int64_t number) {
  return system_clock::time_point(milliseconds(number));
}

constexpr const char* schema = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA busy_timeout = 5000;
CREATE TABLE IF NOT EXISTS saved (login TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, question TEXT NOT NULL,
  sql TEXT NOT NULL, interpretation TEXT NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (login, name));
CREATE TABLE IF NOT EXISTS history (login TEXT NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL,
  question TEXT NOT NULL, outcome TEXT NOT NULL, sql TEXT NOT NULL, rows INTEGER NOT NULL, milliseconds INTEGER NOT NULL,
  PRIMARY KEY (login, number));
CREATE TABLE IF NOT EXISTS feedback (login TEXT NOT NULL, time INTEGER NOT NULL, question TEXT NOT NULL,
  score INTEGER NOT NULL, comment TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS conversation (login TEXT NOT NULL, client TEXT NOT NULL, turn INTEGER NOT NULL,
  time INTEGER NOT NULL, sql TEXT NOT NULL, question TEXT NOT NULL, day INTEGER NOT NULL,
  PRIMARY KEY (login, client, turn));
)";

constexpr std::string_view delete_conversation = "DELETE FROM conversation WHERE login = ? AND client = ?";

// False: the reason is in the log.
template <class... Values>
bool run(sandbox::connection& db, std::string_view sql, const Values&... values) {
  auto prepared = db.prepare(sql);
  if (!prepared) {
    log::error("store: {}", prepared.error().message);
    return false;
  }
  int index = 0;
  const auto bind = [&](const auto& value) {
    if constexpr (std::integral<std::decay_t<decltype(value)>>)
      prepared->bind(++index, static_cast<std::int64_t>(value));
    else
      prepared->bind_text(++index, value);
  };
  (bind(values), ...);
  const auto stepped = prepared->step();
  if (!stepped) log::error("store: {}", stepped.error().message);
  return stepped.has_value();
}

}  // namespace

store_file::store_file(std::unique_ptr<sandbox::connection> db) : db_(std::move(db)) {}
store_file::~store_file() = default;

result<std::unique_ptr<store_file>> store_file::open(const std::filesystem::path& file) {
  auto db = sandbox::connection::open(file.string(), false);
  if (!db) return failure(errc::io, fmt::format("{}: {}", file.string(), db.error().message));
  if (auto made = (*db)->execute(schema); !made)
    return failure(errc::io, fmt::format("{}: {}", file.string(), made.error().message));
  // Files of earlier versions know no sources.
  if (!(*db)->prepare("SELECT source FROM conversation LIMIT 0"))
    if (auto added = (*db)->execute("ALTER TABLE conversation ADD COLUMN source TEXT NOT NULL DEFAULT ''"); !added)
      return failure(errc::io, fmt::format("{}: {}", file.string(), added.error().message));
  return std::unique_ptr<store_file>(new store_file(std::move(*db)));
}

result<void> store_file::read_all(const std::function<void(std::string, saved_question)>& on_saved,
                                  const std::function<void(std::string, history_entry)>& on_history) {
  const auto each = [&](const char* sql, auto take) -> result<void> {
    auto rows = db_->prepare(sql);
    if (!rows) return rows.error();
    while (true) {
      const auto more = rows->step();
      if (!more) return more.error();
      if (!*more) return {};
      take(*rows);
    }
  };
  auto saved = each("SELECT login, name, question, sql, interpretation, created FROM saved ORDER BY login, name",
                    [&](const sandbox::statement& row) {
                      on_saved(std::string(row.text(0)),
                               {std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3)),
                                std::string(row.text(4)), moment_of(row.integer(5))});
                    });
  if (!saved) return saved;
  return each(
      "SELECT login, number, time, question, outcome, sql, rows, milliseconds FROM history ORDER BY login, number",
      [&](const sandbox::statement& row) {
        on_history(std::string(row.text(0)),
                   {static_cast<std::uint64_t>(row.integer(1)), moment_of(row.integer(2)), std::string(row.text(3)),
                    std::string(row.text(4)), std::string(row.text(5)), static_cast<std::uint64_t>(row.integer(6)),
                    row.integer(7)});
      });
}

result<void> store_file::read_conversations(const std::function<void(std::string, std::string, system_clock::time_point,
                                                                     std::string, conversation_turn)>& on_turn) {
  auto rows =
      db_->prepare("SELECT login, client, time, question, day, source FROM conversation ORDER BY login, client, turn");
  if (!rows) return rows.error();
  while (true) {
    const auto more = rows->step();
    if (!more) return more.error();
    if (!*more) return {};
    on_turn(std::string(rows->text(0)), std::string(rows->text(1)), moment_of(rows->integer(2)),
            std::string(rows->text(5)), {std::string(rows->text(3)), static_cast<day_number>(rows->integer(4))});
  }
}

// All turns or none: half a conversation would be gone on from as if it were the whole.
void store_file::write(std::string_view login, std::string_view client, const conversation_record& talk) {
  if (const auto begun = db_->execute("BEGIN"); !begun) {
    log::error("store: {}", begun.error().message);
    return;
  }
  bool good = run(*db_, delete_conversation, login, client);
  std::int64_t turn = 0;
  for (const conversation_turn& t : talk.turns) {
    if (!good) break;
    // The column `sql` is of files that earlier versions made.
    good = run(*db_, "INSERT INTO conversation VALUES (?, ?, ?, ?, ?, ?, ?, ?)", login, client, ++turn,
               to_number(talk.time), "", t.question, static_cast<std::int64_t>(t.day), talk.source);
  }
  if (const auto ended = db_->execute(good ? "COMMIT" : "ROLLBACK"); !ended) {
    log::error("store: {}", ended.error().message);
    if (good) (void)db_->execute("ROLLBACK");
  }
}

void store_file::forget_conversation(std::string_view login, std::string_view client) {
  run(*db_, delete_conversation, login, client);
}

void store_file::write(std::string_view login, const saved_question& q) {
  run(*db_, "INSERT OR REPLACE INTO saved VALUES (?, ?, ?, ?, ?, ?)", login, q.name, q.question, q.sql,
      q.interpretation, to_number(q.created));
}

void store_file::write(std::string_view login, const history_entry& e) {
  run(*db_, "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?)", login, e.number, to_number(e.time),
      e.question, e.outcome, e.sql, e.rows, e.milliseconds);
  run(*db_, "DELETE FROM history WHERE login = ? AND number <= ?", login,
      static_cast<std::int64_t>(e.number) - static_cast<std::int64_t>(limits::history_kept));
}

void store_file::write(std::string_view login, const feedback_entry& e) {
  run(*db_, "INSERT INTO feedback VALUES (?, ?, ?, ?, ?)", login, to_number(e.time), e.question, e.score, e.comment);
}

void store_file::forget(std::string_view login, std::string_view name) {
  run(*db_, "DELETE FROM saved WHERE login = ? AND name = ?", login, name);
}

}  // namespace dragoman::proxy
