#include "proxy/prompt_shelf.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>

#include "base/log.h"
#include "base/question_limits.h"
#include "guard/catalog/descriptions.h"
#include "nlq/prompt_policy.h"

namespace dragoman::proxy {
namespace {

constexpr std::size_t texts_at_once = 64;  // of one embedding call

// Waits for the answer, but not beyond the service's own end.
template <class Result, class Request>
Result answer_of(llm::client& model, Request request, const std::atomic<bool>& stop) {
  auto told = std::make_shared<std::promise<Result>>();
  auto end = told->get_future();
  const llm::call call =
      model.submit(std::move(request), [told](Result result) { told->set_value(std::move(result)); });
  while (end.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
    if (stop) call.cancel();
  return end.get();
}

}  // namespace

prompt_shelf::prompt_shelf(catalog::database_ptr database, std::shared_ptr<const nlq::semantic_layer> layer,
                           policies principals, std::filesystem::path descriptions, std::size_t prefix_tokens_max,
                           bool plans, bool grammars)
    : database_(std::move(database)),
      layer_(std::move(layer)),
      principals_(std::move(principals)),
      descriptions_(std::move(descriptions)),
      prefix_tokens_max_(prefix_tokens_max),
      plans_(plans),
      grammars_(grammars),
      shown_(database_) {
  if (!read_descriptions()) build();
}

prompt_shelf::entry prompt_shelf::of(std::string_view principal) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(principal);
  return found == entries_.end() ? entry{} : found->second;
}

catalog::database_ptr prompt_shelf::shown() const {
  const std::scoped_lock lock(mutex_);
  return shown_;
}

bool prompt_shelf::read_descriptions() {
  if (descriptions_.empty()) return false;
  std::error_code failed;
  const auto changed = std::filesystem::last_write_time(descriptions_, failed);
  if (failed || changed == file_time_) return false;
  file_time_ = changed;
  auto read = catalog::load_descriptions(descriptions_.string(), *database_);
  if (!read) {
    log::error("{}", read.error().message);
    return false;
  }
  auto laid = std::make_shared<catalog::database>(*database_);
  catalog::lay_over(*laid, *read);
  (void)laid->index();  // a copy of an indexed catalogue
  {
    const std::scoped_lock lock(mutex_);
    shown_ = std::move(laid);
  }
  build();
  return true;
}

void prompt_shelf::build() {
  nlq::prompt_factory prompts(database_, shown(), layer_, prefix_tokens_max_);
  prompts.constrain(grammars_);
  std::map<std::string, entry, std::less<>> made;
  for (const auto& [name, policy] : principals_) {
    entry e;
    e.prompt = prompts.prompt_of(*policy);
    if (layer_ != nullptr && e.prompt != nullptr) e.plan = prompts.plan_of(*policy);
    made.emplace(name, std::move(e));
  }
  const std::scoped_lock lock(mutex_);
  entries_ = std::move(made);
}

bool prompt_shelf::add_vectors(llm::client& model, const std::string& name, vector_store& known,
                               const std::atomic<bool>& stop) {
  for (const auto& [principal, policy] : principals_) {
    const auto prompt = of(principal).prompt;
    if (prompt == nullptr || prompt->wants_embedding()) continue;
    const std::vector<std::string> texts = prompt->embedding_texts();
    // A schema that is told whole is not searched.
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& t) { return t.empty(); })) continue;
    auto vectors = vectors_of(texts, model, name, known, stop);
    if (!vectors) return false;
    std::size_t length = 0;
    for (const std::vector<float>& v : *vectors) length = std::max(length, v.size());
    auto ready = prompt->with_vectors(std::move(*vectors));
    const std::scoped_lock lock(mutex_);
    if (const auto found = entries_.find(principal); found != entries_.end() && found->second.prompt == prompt) {
      found->second.prompt = std::move(ready);
      vector_length_ = length;
    }
  }
  return true;
}

std::optional<std::vector<std::vector<float>>> prompt_shelf::vectors_of(const std::vector<std::string>& texts,
                                                                        llm::client& model, const std::string& name,
                                                                        vector_store& known,
                                                                        const std::atomic<bool>& stop) {
  std::vector<std::vector<float>> out(texts.size());
  std::vector<std::size_t> wanted;
  std::size_t length = 0;
  bool stale = false;  // of several lengths: the store has some of an earlier model of this name
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    if (auto kept = known.find(name, texts[i])) {
      stale = stale || (length != 0 && kept->size() != length);
      length = kept->size();
      out[i] = std::move(*kept);
    } else {
      wanted.push_back(i);
    }
  }
  for (std::size_t at = 0; at < wanted.size() && !stale; at += texts_at_once) {
    if (stop) return std::nullopt;
    llm::embedding_request request;
    const std::size_t count = std::min(texts_at_once, wanted.size() - at);
    for (std::size_t i = 0; i < count; ++i) request.texts.push_back(texts[wanted[at + i]]);
    auto made = answer_of<llm::embedding_result>(model, std::move(request), stop);
    if (stop) return std::nullopt;
    if (made.status != llm::call_status::ok || made.vectors.size() != count) {
      log::warn("tables have no embeddings yet: {}", made.error);
      return std::nullopt;
    }
    stale = length != 0 && made.vectors.front().size() != length;
    if (stale) break;
    length = made.vectors.front().size();
    std::vector<std::pair<std::string, std::vector<float>>> fresh;
    for (std::size_t i = 0; i < count; ++i) {
      fresh.emplace_back(texts[wanted[at + i]], made.vectors[i]);
      out[wanted[at + i]] = std::move(made.vectors[i]);
    }
    known.keep(name, fresh);
  }
  if (!stale) return out;
  log::warn("the embeddings that were kept are not those of the model {} any more; they are made anew", name);
  known.forget(name);
  drop_vectors();
  return std::nullopt;
}

bool prompt_shelf::comparable(std::size_t length) const {
  const std::scoped_lock lock(mutex_);
  return vector_length_ == 0 || vector_length_ == length;
}

void prompt_shelf::drop_vectors() {
  const std::scoped_lock lock(mutex_);
  vector_length_ = 0;
  for (auto& [name, e] : entries_)
    if (e.prompt != nullptr) e.prompt = e.prompt->with_vectors({});
}

void prompt_shelf::warm_up(llm::client& model, const std::atomic<bool>& stop) const {
  std::set<std::string> prefixes;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, e] : entries_) {
      if (e.prompt != nullptr) prefixes.insert(e.prompt->prefix());
      if (e.plan != nullptr && plans_) prefixes.insert(e.plan->prefix());
    }
  }
  for (const std::string& prefix : prefixes) {
    if (stop) return;
    llm::chat_request request;
    request.messages = {{llm::role::system, prefix}, {llm::role::user, "Answer with the one word OK."}};
    request.max_tokens = static_cast<unsigned>(limits::warm_up_tokens);
    const auto said = answer_of<llm::chat_result>(model, std::move(request), stop);
    if (stop) return;
    if (!said.has_text() && said.status != llm::call_status::empty) {
      log::warn("the model is not warm: {}", said.error);
      return;
    }
  }
}

}  // namespace dragoman::proxy
