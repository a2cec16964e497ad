#include "proxy/vector_store.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "proxy/sandbox/sqlite_db.h"

namespace dragoman::proxy {
namespace {

constexpr const char* vector_schema = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA busy_timeout = 5000;
CREATE TABLE IF NOT EXISTS vectors (fingerprint TEXT PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL,
  used INTEGER NOT NULL);
)";

// A text of a catalogue may hold what nobody but its principals may read: the file has its digest.
std::string fingerprint_of(std::string_view model, std::string_view text) {
  std::string both(model);
  both += '\0';
  both += text;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(both.data(), both.size(), digest, &size, EVP_sha256(), nullptr) != 1) return {};
  std::string out;
  for (unsigned int i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

std::string bytes_of(const std::vector<float>& vector) {
  std::string out(vector.size() * sizeof(float), '\0');
  if (!vector.empty()) std::memcpy(out.data(), vector.data(), out.size());
  return out;
}

std::optional<std::vector<float>> vector_of(std::string_view bytes) {
  if (bytes.empty() || bytes.size() % sizeof(float) != 0) return std::nullopt;
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

void complain_of_vectors(const failure& f) {
  log::error("store: embeddings: {}", f.message);
}

}  // namespace

vector_store::vector_store(std::size_t kept_max) : kept_max_(kept_max) {}
vector_store::~vector_store() = default;

result<void> vector_store::open(const std::filesystem::path& file) {
  const auto wrong = [&](const failure& f) {
    return failure(errc::io, fmt::format("{}: {}", file.string(), f.message));
  };
  auto db = sandbox::connection::open(file.string(), false);
  if (!db) return wrong(db.error());
  if (const auto made = (*db)->execute(vector_schema); !made) return wrong(made.error());
  auto newest = (*db)->prepare("SELECT COALESCE(MAX(used), 0) FROM vectors");
  if (!newest) return wrong(newest.error());
  const auto row = newest->step();
  if (!row) return wrong(row.error());
  const std::scoped_lock lock(mutex_);
  uses_ = newest->integer(0);
  file_ = std::move(*db);
  return {};
}

std::optional<std::vector<float>> vector_store::find(std::string_view model, std::string_view text) {
  const std::string fingerprint = fingerprint_of(model, text);
  const std::scoped_lock lock(mutex_);
  if (!file_) {
    const auto found = known_.find(fingerprint);
    return found == known_.end() ? std::nullopt : std::optional(found->second.vector);
  }
  std::optional<std::vector<float>> out;
  {
    auto read = file_->prepare("SELECT vector FROM vectors WHERE fingerprint = ?");
    if (!read) return complain_of_vectors(read.error()), std::nullopt;
    read->bind_text(1, fingerprint);
    const auto row = read->step();
    if (!row) return complain_of_vectors(row.error()), std::nullopt;
    if (!*row) return std::nullopt;
    out = vector_of(read->blob(0));
  }
  if (auto touch = file_->prepare("UPDATE vectors SET used = ? WHERE fingerprint = ?")) {
    touch->bind(1, ++uses_);
    touch->bind_text(2, fingerprint);
    if (const auto done = touch->step(); !done) complain_of_vectors(done.error());
  }
  return out;
}

void vector_store::keep(std::string_view model,
                        const std::vector<std::pair<std::string, std::vector<float>>>& by_text) {
  const std::scoped_lock lock(mutex_);
  if (!file_) {
    for (const auto& [text, vector] : by_text) {
      std::string fingerprint = fingerprint_of(model, text);
      if (known_.insert_or_assign(fingerprint, entry{std::string(model), vector}).second)
        order_.push_back(std::move(fingerprint));
    }
    drop_oldest();
    return;
  }
  if (const auto begun = file_->execute("BEGIN"); !begun) return complain_of_vectors(begun.error());
  bool good = true;
  {
    auto write = file_->prepare("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)");
    good = write.has_value();
    if (!good) complain_of_vectors(write.error());
    for (const auto& [text, vector] : by_text) {
      if (!good) break;
      write->bind_text(1, fingerprint_of(model, text));
      write->bind_text(2, model);
      write->bind_blob(3, bytes_of(vector));
      write->bind(4, ++uses_);
      const auto done = write->step();
      good = done.has_value();
      if (!good) complain_of_vectors(done.error());
      write->reset();
    }
    if (auto shrink = file_->prepare("DELETE FROM vectors WHERE fingerprint IN (SELECT fingerprint FROM vectors ORDER "
                                     "BY used DESC LIMIT -1 OFFSET ?)");
        good && shrink) {
      shrink->bind(1, static_cast<std::int64_t>(kept_max_));
      const auto done = shrink->step();
      good = done.has_value();
      if (!good) complain_of_vectors(done.error());
    }
  }
  if (const auto ended = file_->execute(good ? "COMMIT" : "ROLLBACK"); !ended) {
    complain_of_vectors(ended.error());
    if (good) (void)file_->execute("ROLLBACK");
  }
}

void vector_store::forget(std::string_view model) {
  const std::scoped_lock lock(mutex_);
  if (!file_) {
    std::erase_if(known_, [&](const auto& e) { return e.second.model == model; });
    std::erase_if(order_, [&](const std::string& fingerprint) { return !known_.contains(fingerprint); });
    return;
  }
  auto drop = file_->prepare("DELETE FROM vectors WHERE model = ?");
  if (!drop) return complain_of_vectors(drop.error());
  drop->bind_text(1, model);
  if (const auto done = drop->step(); !done) complain_of_vectors(done.error());
}

void vector_store::drop_oldest() {
  if (order_.size() <= kept_max_) return;
  const auto gone = static_cast<std::ptrdiff_t>(order_.size() - kept_max_);
  for (auto at = order_.begin(); at != order_.begin() + gone; ++at) known_.erase(*at);
  order_.erase(order_.begin(), order_.begin() + gone);
}

}  // namespace dragoman::proxy
