// The application store on disk: one SQLite file with four tables, written through the sandbox's door to SQLite.
// Owned and serialised by `store`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proxy/store.h"

namespace dragoman::sandbox {
class connection;
}

namespace dragoman::proxy {

class store_file {
 public:
  static result<std::unique_ptr<store_file>> open(const std::filesystem::path& file);
  ~store_file();

  // History comes oldest first.
  result<void> read_all(const std::function<void(std::string login, saved_question)>& on_saved,
                        const std::function<void(std::string login, history_entry)>& on_history);

  // Turn by turn, in their order.
  result<void> read_conversations(
      const std::function<void(std::string login, std::string client, std::chrono::system_clock::time_point time,
                               std::string source, conversation_turn turn)>& on_turn);

  // A failed write is logged; the answer that it belongs to does not fail.
  void write(std::string_view login, const saved_question& question);
  void write(std::string_view login, const history_entry& entry);
  void write(std::string_view login, const feedback_entry& entry);
  void write(std::string_view login, std::string_view client, const conversation_record& talk);
  void forget(std::string_view login, std::string_view name);
  void forget_conversation(std::string_view login, std::string_view client);

 private:
  explicit store_file(std::unique_ptr<sandbox::connection> db);
  std::unique_ptr<sandbox::connection> db_;
};

}  // namespace dragoman::proxy
