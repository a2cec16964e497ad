// The gateway's own client: FreeTDS through ODBC, as any program would connect, so that what `ask`, `eval` and `demo`
// print has been through login, wire and relay. One connection, one statement at a time; blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/sql_value.h"
#include "proxy/upstream/pool.h"

namespace dragoman::proxy {

struct client_answer {
  std::vector<result_column> columns;
  std::vector<std::vector<sql_value>> rows;
  std::vector<std::string> messages;  // INFO tokens in their order
  std::optional<failure> error;
  std::chrono::microseconds time{0};
};

class own_client {
 public:
  own_client(std::uint16_t port, std::string user, secret password, std::string database,
             std::chrono::milliseconds query_timeout);
  client_answer run(std::string sql);

 private:
  std::unique_ptr<upstream::pool> pool_;
};

// EXEC nlq.ask of a question, quoted.
std::string ask_statement(std::string_view question);

}  // namespace dragoman::proxy
