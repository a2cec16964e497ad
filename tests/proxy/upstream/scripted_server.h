// A SQL Server of few words for the tests of proxy/upstream: a real TDS server whose statements are scripts.
//
//   table T              all rows of the table registered under that name
//   rows N               N rows of (n int, s nvarchar(40))
//   wait MS              one row after MS milliseconds; obeys an attention unless told to ignore them
//   fail N               N rows, then an error 8134
//   error NUMBER TEXT    only an error
//   print TEXT           an INFO message and one row
//   parameters           one row per parameter of sp_executesql: name, declared type, value as text
//   text                 the statement's own text
//   SET …, and the question for the collation are answered as a server would.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/sql_value.h"
#include "proxy/upstream/options.h"
#include "tds/server/server.h"

namespace dragoman::upstream_test {

struct scripted_table {
  std::vector<result_column> columns;
  std::vector<std::vector<sql_value>> rows;
};

class scripted_server : public tds::server::handler {
 public:
  explicit scripted_server(std::uint16_t port = 0);
  ~scripted_server() override;

  std::uint16_t port() const;
  void stop();   // as if the machine were gone
  void start();  // on the same port again
  upstream::options options(bool rows_from_socket = true) const;
  // With a short grace after a cancel, for servers that are told to ignore attentions.
  upstream::options impatient_options(bool rows_from_socket = true) const;

  void add(std::string name, scripted_table table);
  std::vector<std::string> settings_seen() const;  // the SET statements, in order

  std::atomic<bool> ignore_attention{false};
  std::atomic<int> attentions{0};
  std::atomic<int> sessions{0};  // ever logged in

  // handler
  const tds::server::server_identity& identity() const noexcept override { return identity_; }
  boost::asio::awaitable<result<std::unique_ptr<tds::server::session>>> on_login(
      tds::server::login_request request) override;

 private:
  friend class scripted_session;
  std::shared_ptr<const scripted_table> find(const std::string& name) const;
  void note_setting(std::string sql);

  tds::server::server_identity identity_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const scripted_table>> tables_;
  std::vector<std::string> settings_;
  std::unique_ptr<tds::server::server> server_;
};

}  // namespace dragoman::upstream_test
