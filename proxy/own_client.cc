#include "proxy/own_client.h"

#include <future>

#include "guard/tsql/printer.h"

namespace dragoman::proxy {

own_client::own_client(std::uint16_t port, std::string user, secret password, std::string database,
                       std::chrono::milliseconds query_timeout) {
  upstream::options options;
  options.server = "127.0.0.1";
  options.port = port;
  options.user = std::move(user);
  options.password = std::move(password);
  options.database = std::move(database);
  options.application = "dragoman";
  options.own_texts = true;
  options.query_timeout = query_timeout;
  // One connection for all, because a conversation is a matter of its session.
  options.connections_kept = 1;
  options.connections_max = 1;
  pool_ = std::make_unique<upstream::pool>(std::move(options));
}

client_answer own_client::run(std::string sql) {
  auto table = std::make_shared<upstream::value_table>();
  table->rows_max = 10'000'000;
  std::promise<upstream::outcome> end;
  const auto begun = std::chrono::steady_clock::now();
  upstream::statement statement;
  statement.sql = std::move(sql);
  pool_->execute(std::move(statement), table, [&end](upstream::outcome o) { end.set_value(std::move(o)); });
  upstream::outcome outcome = end.get_future().get();
  client_answer answer;
  answer.time = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
  answer.columns = std::move(table->columns);
  answer.rows = std::move(table->rows);
  for (upstream::message& m : outcome.messages) answer.messages.push_back(std::move(m.text));
  answer.error = std::move(outcome.error);
  return answer;
}

std::string ask_statement(std::string_view question) {
  return "EXEC nlq.ask " + tsql::quote_string(question);
}

}  // namespace dragoman::proxy
