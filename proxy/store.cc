#include "proxy/store.h"

#include <algorithm>

#include "base/limits.h"
#include "guard/catalog/names.h"
#include "proxy/password.h"
#include "proxy/store_file.h"

namespace dragoman::proxy {

store::store() = default;
store::~store() = default;

result<void> store::open(const std::filesystem::path& file) {
  auto opened = store_file::open(file);
  if (!opened) return opened.error();
  const std::scoped_lock lock(mutex_);
  auto read =
      (*opened)->read_all([this](std::string login, saved_question q) { of(login).saved.push_back(std::move(q)); },
                          [this](std::string login, history_entry e) {
                            login_state& state = of(login);
                            state.questions = std::max(state.questions, e.number);
                            state.history.push_back(std::move(e));
                            if (state.history.size() > limits::history_kept) state.history.pop_front();
                          });
  if (!read) return read.error();
  auto talks = (*opened)->read_conversations([this](std::string login, std::string client,
                                                    std::chrono::system_clock::time_point time, std::string source,
                                                    conversation_turn turn) {
    conversation_record& record = of(login).conversations[client];
    record.source = std::move(source);
    record.time = time;
    record.turns.push_back(std::move(turn));
  });
  if (!talks) return talks.error();
  file_ = std::move(*opened);
  return {};
}

store::login_state& store::of(std::string_view login) {
  const auto found = logins_.find(login);
  return found != logins_.end() ? found->second : logins_[std::string(login)];
}

void store::add_history(std::string_view login, history_entry entry) {
  const std::scoped_lock lock(mutex_);
  login_state& state = of(login);
  entry.number = ++state.questions;
  if (file_) file_->write(login, entry);
  state.history.push_back(std::move(entry));
  if (state.history.size() > limits::history_kept) state.history.pop_front();
}

std::vector<history_entry> store::history(std::string_view login, std::size_t newest) const {
  const std::scoped_lock lock(mutex_);
  const auto found = logins_.find(login);
  if (found == logins_.end()) return {};
  const auto& all = found->second.history;
  return {all.rbegin(), all.rbegin() + static_cast<std::ptrdiff_t>(std::min(newest, all.size()))};
}

std::optional<history_entry> store::last(std::string_view login) const {
  auto newest = history(login, 1);
  if (newest.empty()) return std::nullopt;
  return std::move(newest.front());
}

void store::set_attempts(std::string_view login, std::vector<nlq::attempt> attempts) {
  const std::scoped_lock lock(mutex_);
  of(login).attempts = std::move(attempts);
}

std::vector<nlq::attempt> store::attempts(std::string_view login) const {
  const std::scoped_lock lock(mutex_);
  const auto found = logins_.find(login);
  return found == logins_.end() ? std::vector<nlq::attempt>{} : found->second.attempts;
}

void store::save(std::string_view login, saved_question question) {
  const std::scoped_lock lock(mutex_);
  auto& saved = of(login).saved;
  if (file_) file_->write(login, question);
  const auto same = std::find_if(saved.begin(), saved.end(),
                                 [&](const auto& q) { return catalog::same_name(q.name, question.name); });
  if (same != saved.end()) {
    *same = std::move(question);
    return;
  }
  saved.push_back(std::move(question));
  std::sort(saved.begin(), saved.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

std::vector<saved_question> store::saved(std::string_view login) const {
  const std::scoped_lock lock(mutex_);
  const auto found = logins_.find(login);
  return found == logins_.end() ? std::vector<saved_question>{} : found->second.saved;
}

std::optional<saved_question> store::find_saved(std::string_view login, std::string_view name) const {
  for (auto& q : saved(login))
    if (catalog::same_name(q.name, name)) return std::move(q);
  return std::nullopt;
}

bool store::forget(std::string_view login, std::string_view name) {
  const std::scoped_lock lock(mutex_);
  auto& saved = of(login).saved;
  const auto same =
      std::find_if(saved.begin(), saved.end(), [&](const auto& q) { return catalog::same_name(q.name, name); });
  if (same == saved.end()) return false;
  if (file_) file_->forget(login, same->name);
  saved.erase(same);
  return true;
}

void store::set_conversation(std::string_view login, std::string_view client, conversation_record record) {
  const std::scoped_lock lock(mutex_);
  auto& all = of(login).conversations;
  if (file_) file_->write(login, client, record);
  all[std::string(client)] = std::move(record);
  if (all.size() <= limits::history_kept) return;
  const auto oldest = std::min_element(all.begin(), all.end(),
                                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  if (file_) file_->forget_conversation(login, oldest->first);
  all.erase(oldest);
}

std::optional<conversation_record> store::conversation(std::string_view login, std::string_view client) const {
  const std::scoped_lock lock(mutex_);
  const auto found = logins_.find(login);
  if (found == logins_.end()) return std::nullopt;
  const auto talk = found->second.conversations.find(client);
  if (talk == found->second.conversations.end()) return std::nullopt;
  return talk->second;
}

void store::forget_conversation(std::string_view login, std::string_view client) {
  const std::scoped_lock lock(mutex_);
  auto& all = of(login).conversations;
  if (const auto talk = all.find(client); talk != all.end()) all.erase(talk);
  if (file_) file_->forget_conversation(login, client);
}

void store::add_feedback(std::string_view login, feedback_entry entry) {
  const std::scoped_lock lock(mutex_);
  if (file_) file_->write(login, entry);
}

result<std::string> store::put_confirmation(std::string_view login, pending_confirmation pending) {
  auto token = make_random_key(16);
  if (!token) return token.error();
  pending.token = std::string(token->reveal());
  pending.expires = std::chrono::steady_clock::now() + limits::confirmation_lifetime;
  const std::scoped_lock lock(mutex_);
  auto& open = of(login).confirmations;
  while (open.size() >= limits::confirmations_kept) open.pop_front();
  open.push_back(pending);
  return pending.token;
}

std::optional<pending_confirmation> store::take_confirmation(std::string_view login, std::string_view token) {
  const std::scoped_lock lock(mutex_);
  auto& open = of(login).confirmations;
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(open, [&](const auto& p) { return p.expires <= now; });
  for (auto at = open.begin(); at != open.end(); ++at) {
    if (!secret(at->token).equals(token)) continue;
    pending_confirmation found = std::move(*at);
    open.erase(at);
    return found;
  }
  return std::nullopt;
}

}  // namespace dragoman::proxy
