// How much may be asked, and what the asking has cost: questions per principal and minute; model calls, tokens and
// money per principal since the process began. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "llm/chat_client.h"
#include "llm/rate_limiter.h"

namespace dragoman::proxy {

struct model_prices {  // of a million tokens
  double prompt = 0;
  double completion = 0;
  bool known() const noexcept { return prompt > 0 || completion > 0; }
  double of(const llm::token_usage& used) const noexcept {
    return (prompt * static_cast<double>(used.prompt) + completion * static_cast<double>(used.completion)) / 1e6;
  }
};

class question_budget {
 public:
  struct spent {
    std::uint64_t questions = 0;
    std::uint64_t refused = 0;  // over the limit
    std::uint64_t model_calls = 0;
    llm::token_usage tokens;
  };
  using time_point = llm::rate_limiter::time_point;

  // per_minute 0: no limit.
  question_budget(double per_minute, unsigned burst, model_prices prices)
      : per_minute_(per_minute), burst_(burst), prices_(prices) {}

  // Counts a question of this principal, or says how long it must wait.
  std::chrono::milliseconds take(std::string_view principal, time_point now);
  void add_model_use(std::string_view principal, unsigned calls, const llm::token_usage& tokens);

  spent of(std::string_view principal) const;
  spent total() const;
  const model_prices& prices() const noexcept { return prices_; }

 private:
  struct state {
    llm::rate_limiter rate;
    proxy::question_budget::spent spent;
  };
  state& at(std::string_view principal);

  const double per_minute_;
  const unsigned burst_;
  const model_prices prices_;
  mutable std::mutex mutex_;
  std::map<std::string, state, std::less<>> principals_;
};

}  // namespace dragoman::proxy
