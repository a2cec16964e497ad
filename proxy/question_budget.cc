#include "proxy/question_budget.h"

namespace dragoman::proxy {

// The caller holds the lock.
question_budget::state& question_budget::at(std::string_view principal) {
  const auto found = principals_.find(principal);
  if (found != principals_.end()) return found->second;
  return principals_.emplace(std::string(principal), state{llm::rate_limiter(per_minute_, burst_), {}}).first->second;
}

std::chrono::milliseconds question_budget::take(std::string_view principal, time_point now) {
  const std::scoped_lock lock(mutex_);
  state& s = at(principal);
  const auto wait = s.rate.take(now);
  ++(wait.count() > 0 ? s.spent.refused : s.spent.questions);
  return wait;
}

void question_budget::add_model_use(std::string_view principal, unsigned calls, const llm::token_usage& tokens) {
  const std::scoped_lock lock(mutex_);
  spent& sum = at(principal).spent;
  sum.model_calls += calls;
  sum.tokens.prompt += tokens.prompt;
  sum.tokens.completion += tokens.completion;
  sum.tokens.cached += tokens.cached;
}

question_budget::spent question_budget::of(std::string_view principal) const {
  const std::scoped_lock lock(mutex_);
  const auto found = principals_.find(principal);
  return found == principals_.end() ? spent{} : found->second.spent;
}

question_budget::spent question_budget::total() const {
  const std::scoped_lock lock(mutex_);
  spent sum;
  for (const auto& [name, s] : principals_) {
    sum.questions += s.spent.questions;
    sum.refused += s.spent.refused;
    sum.model_calls += s.spent.model_calls;
    sum.tokens.prompt += s.spent.tokens.prompt;
    sum.tokens.completion += s.spent.tokens.completion;
    sum.tokens.cached += s.spent.tokens.cached;
  }
  return sum;
}

}  // namespace dragoman::proxy
