// Logins as the gateway judges them, byte by byte: language, who may come in while passwords are being tried, and the
// program's own end by a signal.
#include <signal.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "proxy/sandbox/languages.h"
#include "tests/proxy/running_gateway.h"
#include "tests/support/watch.h"
#include "tests/tds/server/login_message.h"

using namespace dragoman;
using namespace dragoman::proxy;
using namespace std::chrono_literals;
using dragoman::proxy::test::running_gateway;
using dragoman::proxy::test::scratch;
using dragoman::proxy::test::shared_gateway;
using dragoman::tds::server::testing::answer;
using dragoman::tds::server::testing::ends_with;
using dragoman::tds::server::testing::has;
using dragoman::tds::server::testing::log_in;
using dragoman::tds::server::testing::login_message;
using dragoman::tds::server::testing::raw_client;

namespace {

constexpr const char* login_done = "FD 0000 0000 0000000000000000";

login_message as(const std::string& user, const std::string& password = "Dragoman1!") {
  login_message m;
  m.user = user;
  m.password = password;
  m.database = "SalesDb";
  return m;
}

// A text of one byte per character, as varchar has it, in hexadecimal.
std::string shown_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("{:02X}", static_cast<unsigned char>(c));
  return out;
}

bool let_in(std::uint16_t port, const char* from, const std::string& user, const std::string& password) {
  raw_client c(port, 0, from);
  return ends_with(log_in(c, as(user, password).bytes()), login_done);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(login_faults)

BOOST_AUTO_TEST_CASE(the_language_of_the_login_is_that_of_the_session) {
  struct row {
    const char* asked;
    const char* name;
    const char* first_day;  // of @@DATEFIRST, a tinyint
  };
  for (const row& r :
       {row{"", "us_english", "07"}, row{"us_english", "us_english", "07"}, row{"German", "Deutsch", "01"},
        row{"deutsch", "Deutsch", "01"}, row{"British English", "British", "01"}, row{"Klingon", "us_english", "07"},
        row{"'; DROP", "us_english", "07"}})
    BOOST_TEST_CONTEXT(r.asked) {
      raw_client c(shared_gateway().port());
      login_message m = as("manager");
      m.language = r.asked;
      const answer a = log_in(c, m.bytes());
      BOOST_TEST(ends_with(a, login_done));
      const std::string name = r.name;
      std::string change = "02 0" + std::to_string(name.size()) + " '" + name + "' 00";
      if (name.size() == 10) change = "02 0A '" + name + "' 00";
      BOOST_TEST(has(a, change));
      BOOST_TEST(has(c.batch("SELECT @@LANGUAGE AS l"), "'" + name + "'"));
      BOOST_TEST(has(c.batch("SELECT @@DATEFIRST AS d"), std::string("D1") + r.first_day) !=
                 has(c.batch("SELECT @@DATEFIRST AS d"), std::string("D1 01") + r.first_day));
      // What the session changes, a reset takes back.
      BOOST_TEST(has(c.batch("SET LANGUAGE French"), "02 08 'Français'"));
      c.send_batch("SELECT @@LANGUAGE AS l", 0x09);
      BOOST_TEST(has(c.receive_message(), "'" + name + "'"));
    }
  raw_client c(shared_gateway().port());
  BOOST_TEST(ends_with(log_in(c, as("manager").bytes()), login_done));
  BOOST_TEST(has(c.batch("SET LANGUAGE Klingon"), "B40A0000"));  // 2740
  BOOST_TEST(has(c.batch("SELECT @@LANGUAGE AS l"), "'us_english'"));
}

// Day and month change places at home and in the warehouse alike.
BOOST_AUTO_TEST_CASE(dates_are_read_as_the_language_of_the_login_writes_them) {
  struct row {
    const char* language;
    const char* prelude;
    const char* eighth_of_march;
  };
  for (const row& r :
       {row{"", "", "03/08/2024"}, row{"British", "", "08/03/2024"}, row{"Svenska", "", "24/03/08"},
        row{"", "SET DATEFORMAT dmy; ", "08/03/2024"}, row{"British", "SET DATEFORMAT mdy; ", "03/08/2024"},
        row{"", "SET LANGUAGE German; ", "08.03.2024"}})
    BOOST_TEST_CONTEXT(r.language << r.prelude) {
      raw_client c(shared_gateway().port());
      login_message m = as("manager");
      m.language = r.language;
      BOOST_TEST(ends_with(log_in(c, m.bytes()), login_done));
      const std::string date = std::string("CAST('") + r.eighth_of_march + "' AS date)";
      BOOST_TEST(
          has(c.batch(r.prelude + ("SELECT CONVERT(varchar(10), " + date + ", 112) AS d")), shown_text("20240308")));
      BOOST_TEST(has(c.batch("SELECT TOP 1 CONVERT(varchar(10), " + date + ", 112) AS d FROM ref.Ring"),
                     shown_text("20240308")));
    }
}

BOOST_AUTO_TEST_CASE(languages) {
  BOOST_TEST(sandbox::find_language("TURKISH")->name == "Türkçe");
  BOOST_TEST(sandbox::find_language("日本語")->date_order == "ymd");
  BOOST_TEST((sandbox::find_language("") == nullptr));
  BOOST_TEST(sandbox::default_language().date_order == "mdy");
}

// While strangers try passwords as fast as they can, those who are known come in at once, and strangers with the right
// password come in as well.
BOOST_AUTO_TEST_CASE(an_attack_locks_nobody_out) {
  running_gateway gateway;
  BOOST_TEST(let_in(gateway.port(), "127.0.0.2", "manager", "Dragoman1!"));
  std::atomic<bool> stop{false};
  std::atomic<int> tried{0}, guessed{0};
  std::vector<std::thread> attackers;
  for (int t = 0; t < 3; ++t)
    attackers.emplace_back([&, t] {
      const std::string from = "127.0.9." + std::to_string(t + 1);
      for (int i = 0; !stop; ++i, ++tried)
        guessed += let_in(gateway.port(), from.c_str(), i % 2 == 0 ? "manager" : "nobody", "x");
    });
  const auto wait_for = [&](int count) { return dragoman::test::becomes_true([&] { return tried >= count; }); };
  BOOST_TEST(wait_for(6));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) BOOST_TEST(let_in(gateway.port(), "127.0.0.2", "manager", "Dragoman1!"));
  BOOST_TEST((std::chrono::steady_clock::now() - begin < dragoman::test::promptly(500) * 1ms));
  BOOST_TEST(let_in(gateway.port(), "127.0.0.3", "analyst", "Dragoman1!"));
  stop = true;
  for (std::thread& t : attackers) t.join();
  BOOST_TEST(guessed == 0);
}

// The program itself: SIGHUP changes nothing that is wrong, SIGTERM lets short requests end and cuts long ones, in
// time.
BOOST_AUTO_TEST_CASE(signals) {
  const scratch folder;
  const std::filesystem::path demo = std::filesystem::path(DRAGOMAN_SOURCE_DIR) / "conf/demo";
  std::string text = dragoman::proxy::test::read_all(demo / "dragoman.yaml");
  // A port of our own, found by binding to any and letting go.
  const auto free_port = [] {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof own;
    ::bind(fd, reinterpret_cast<sockaddr*>(&own), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
    ::close(fd);
    return ntohs(own.sin_port);
  };
  const std::uint16_t port = free_port(), warehouse = free_port();
  const auto replace = [&](const std::string& from, const std::string& to) {
    BOOST_REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  replace("port: 14330", "port: " + std::to_string(port) + "\n  limits: {drain_timeout: 1s}\n  state_directory: .");
  replace("port: 14331", "port: " + std::to_string(warehouse));
  replace("embedded: medium", "embedded: small");
  replace("snapshot: catalog.yaml", "snapshot: " + (demo / "catalog.yaml").string());
  replace("semantics: semantics.yaml", "semantics: " + (demo / "semantics.yaml").string());
  const std::string config = folder.write("dragoman.yaml", text).string();
  const std::string log = (folder / "log").string();
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) ::_exit(1);
    ::execl(DRAGOMAN_PROGRAM, DRAGOMAN_PROGRAM, "serve", "--config", config.c_str(), nullptr);
    ::_exit(127);
  }
  const auto log_in_as_manager = [&](raw_client& c) { return ends_with(log_in(c, as("manager").bytes()), login_done); };
  BOOST_REQUIRE(dragoman::test::becomes_true(
      [&] {
        try {
          raw_client c(port);
          return log_in_as_manager(c);
        } catch (const std::exception&) {
          return false;
        }
      },
      20s));
  raw_client idle(port), quick(port), deaf(port, 4096);
  for (raw_client* c : {&idle, &quick, &deaf}) BOOST_TEST(log_in_as_manager(*c));
  ::kill(child, SIGHUP);
  std::this_thread::sleep_for(50ms);
  BOOST_TEST(has(quick.batch("SELECT COUNT(*) AS n FROM ref.Ring"), "C100 01"));
  // One that ends in time, and one whose client takes no rows.
  deaf.send_batch(
      "SELECT a.OrderID, b.OrderID AS Other, a.Notes FROM sales.[Order] AS a JOIN sales.[Order] AS b ON a.StatusID = "
      "b.StatusID");
  std::this_thread::sleep_for(200ms);
  quick.send_batch(
      "SELECT COUNT(*) AS n FROM sales.[Order] AS a JOIN sales.[Order] AS b ON a.CustomerID = b.CustomerID");
  std::this_thread::sleep_for(50ms);
  const auto begin = std::chrono::steady_clock::now();
  ::kill(child, SIGTERM);
  BOOST_TEST(idle.closed_by_server());
  if (std::getenv("DRAGOMAN_SANITIZED") == nullptr)  // else it takes longer than the drain
    BOOST_TEST(has(quick.receive_message(), "FD 1000 C100 0100000000000000"));
  int status = -1;
  BOOST_TEST(dragoman::test::becomes_true([&] { return ::waitpid(child, &status, WNOHANG) == child; }, 8s));
  const auto took = std::chrono::steady_clock::now() - begin;
  BOOST_TEST((took >= 900ms && took < 4s));
  BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  if (status == -1) ::kill(child, SIGKILL);
  const std::string lines = dragoman::proxy::test::read_all(log);
  BOOST_TEST(lines.find("certificate was not read again") == std::string::npos);
  BOOST_TEST(lines.find("still ran after the drain, cut") != std::string::npos);
}

// Waiting is measured by a clock that nobody can set: the day's time is for texts, files and questions only.
BOOST_AUTO_TEST_CASE(no_timeout_depends_on_the_day) {
  const std::filesystem::path root(DRAGOMAN_SOURCE_DIR);
  const std::regex wall(R"(system_clock|std::time\(|gettimeofday|CLOCK_REALTIME|utc_clock|high_resolution_clock)");
  // Where the time of day is what is meant.
  const std::vector<std::string> may{"base/clock.h", "base/clock.cc", "proxy/audit.h", "proxy/audit.cc",
                                     "proxy/store.h", "proxy/store.cc", "proxy/store_file.h", "proxy/store_file.cc",
                                     "proxy/session_memory.cc",  // the age of a conversation, restarts included
                                     "proxy/key_store.cc", "proxy/session_question.cc", "proxy/procedures_questions.cc",
                                     "proxy/sandbox/functions_time.cc", "proxy/commands/commands.cc",
                                     // when a catalogue was compared: told to people, compared with nothing
                                     "proxy/load.h", "proxy/commands/serve.cc"};
  int seen = 0;
  for (const char* folder : {"base", "tds", "guard", "llm", "nlq", "retrieval", "proxy"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h") continue;
      ++seen;
      const std::string name = std::filesystem::relative(entry.path(), root).string();
      const bool allowed = std::find(may.begin(), may.end(), name) != may.end();
      BOOST_TEST((allowed || !std::regex_search(dragoman::proxy::test::read_all(entry.path()), wall)), name);
    }
  BOOST_TEST(seen > 200);
}

BOOST_AUTO_TEST_SUITE_END()
