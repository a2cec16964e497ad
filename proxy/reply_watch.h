// Notices a model server that answers from a cache of its own: the very same statement for another question, sooner
// than any model thinks. Such an answer is still checked and run; the audit says that it is suspected.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace dragoman::proxy {

class reply_watch {
 public:
  // 0: nothing is ever suspected.
  explicit reply_watch(std::chrono::milliseconds sooner_than) : sooner_than_(sooner_than) {}

  struct verdict {
    bool suspected = false;
    bool first_of_streak = false;  // worth a line in the log
  };
  verdict judge(std::string_view question, std::string_view reply, std::chrono::milliseconds took) {
    const std::scoped_lock lock(mutex_);
    verdict out;
    out.suspected = took < sooner_than_ && !reply.empty() && reply == reply_ && question != question_;
    out.first_of_streak = out.suspected && !in_streak_;
    in_streak_ = out.suspected;
    question_ = question;
    reply_ = reply;
    return out;
  }

 private:
  const std::chrono::milliseconds sooner_than_;
  std::mutex mutex_;
  std::string question_;
  std::string reply_;
  bool in_streak_ = false;
};

}  // namespace dragoman::proxy
