#include "proxy/audit.h"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <thread>

#include "tests/proxy/scratch.h"

using namespace dragoman::proxy;
using dragoman::proxy::test::read_all;
using dragoman::proxy::test::scratch;

BOOST_AUTO_TEST_SUITE(audit_file)

BOOST_AUTO_TEST_CASE(one_json_line_per_record_with_its_fields) {
  const scratch folder;
  audit_config settings;
  settings.file = folder / "audit.jsonl";
  {
    audit log(settings);
    audit_record record;
    record.id = "7.3";
    record.principal = "analyst";
    record.client_application = "tool \"x\"\n";
    record.kind = "question";
    record.question = "فروش کل";
    record.sql = {"SELECT 1"};
    record.verdict = "accept";
    record.rule = "join_only";
    record.rows = 3;
    record.timings = {{"guard", 10}, {"upstream", 20}, {"guard", 5}};
    record.total_microseconds = 40;
    log.push(record);
    log.flush();
  }
  const std::string text = read_all(settings.file);
  BOOST_REQUIRE(!text.empty());
  BOOST_TEST(text.find('\n') == text.size() - 1);
  const auto line = boost::json::parse(text).as_object();
  BOOST_TEST(line.at("id").as_string() == "7.3");
  BOOST_TEST(line.at("question").as_string() == "فروش کل");
  BOOST_TEST(line.at("client").at("application").as_string() == "tool \"x\"\n");
  BOOST_TEST(line.at("microseconds").at("guard").as_int64() == 15);
  BOOST_TEST(line.at("rule").as_string() == "join_only");
  BOOST_TEST(line.at("rows").to_number<int>() == 3);
  BOOST_TEST(!line.contains("model"));
}

BOOST_AUTO_TEST_CASE(files_rotate_by_size_and_the_oldest_go) {
  const scratch folder;
  audit_config settings;
  settings.file = folder / "audit.jsonl";
  settings.rotate_bytes = 2000;
  settings.keep = 2;
  {
    audit log(settings);
    for (int i = 0; i < 100; ++i) {
      audit_record record;
      record.id = std::to_string(i);
      record.verdict = "accept";
      log.push(std::move(record));
    }
  }
  for (const char* name : {"audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"}) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(std::filesystem::exists(folder / name));
      BOOST_TEST(std::filesystem::file_size(folder / name) <= 2000u);
    }
  }
  BOOST_TEST(!std::filesystem::exists(folder / "audit.jsonl.3"));
  BOOST_TEST(read_all(folder / "audit.jsonl").find(R"("id":"99")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_threads_lose_nothing) {
  const scratch folder;
  audit_config settings;
  settings.file = folder / "audit.jsonl";
  {
    audit log(settings);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&log] {
        for (int i = 0; i < 2000; ++i) {
          audit_record record;
          record.verdict = "accept";
          log.push(std::move(record));
        }
      });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(log.lost() == 0u);
  }
  const std::string text = read_all(settings.file);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 8000);
}

BOOST_AUTO_TEST_CASE(a_site_may_keep_no_questions) {
  const scratch folder;
  audit_config settings;
  settings.file = folder / "audit.jsonl";
  settings.questions = false;
  {
    audit log(settings);
    audit_record record;
    record.question = "private words";
    log.push(std::move(record));
  }
  BOOST_TEST(read_all(settings.file).find("private words") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
