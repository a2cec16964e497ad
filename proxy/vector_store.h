// Embeddings that were made before, by a fingerprint of model and text: a restart, another principal or a changed
// description asks the model server for new texts only.
//
// With a file (config::store) they outlive the process. One for the process, thread-safe. A failed read or write is
// logged and costs a call of the model server, nothing else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/question_limits.h"
#include "base/result.h"

namespace dragoman::sandbox {
class connection;
}

namespace dragoman::proxy {

class vector_store {
 public:
  // At most so many are kept, the least recently used ones go first.
  explicit vector_store(std::size_t kept_max = limits::vectors_kept);
  ~vector_store();

  result<void> open(const std::filesystem::path& file);

  std::optional<std::vector<float>> find(std::string_view model, std::string_view text);
  void keep(std::string_view model, const std::vector<std::pair<std::string, std::vector<float>>>& by_text);
  // All of a model: its name now stands for one that makes other vectors.
  void forget(std::string_view model);

 private:
  struct entry {
    std::string model;
    std::vector<float> vector;
  };
  void drop_oldest();

  const std::size_t kept_max_;
  std::mutex mutex_;
  std::map<std::string, entry> known_;  // without a file
  std::vector<std::string> order_;      // of known_, oldest first
  std::unique_ptr<sandbox::connection> file_;
  std::int64_t uses_ = 0;  // counts up: what was used last has the largest
};

}  // namespace dragoman::proxy
