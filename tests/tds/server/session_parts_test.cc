// The parts of a session that need no socket: declarations, binding, the sink of rows.
#include <boost/test/unit_test.hpp>

#include <thread>

#include "tds/server/runtime.h"
#include "tds/server/sql_session.h"

namespace dragoman::tds::server {

BOOST_AUTO_TEST_SUITE(session_parts)

BOOST_AUTO_TEST_CASE(declarations) {
  struct row {
    const char* text;
    const char* shown;  // "name type[ out][ = default]" joined by "; ", or "error"
  };
  for (const row& r : {row{"", ""}, row{"  ", ""}, row{"@a int", "@a int"},
                       row{"@P1 nvarchar(40),@P2 decimal(18,4) OUTPUT", "@P1 nvarchar(40); @P2 decimal(18,4) out"},
                       row{"@a AS varchar(max) out", "@a varchar(max) out"}, row{"@a [sys].[int] = 5", "@a int = 5"},
                       row{"@a varchar(9) = 'x, y'", "@a varchar(9) = 'x, y'"},
                       row{"@\xD9\x86\xD8\xA7\xD9\x85 nvarchar(10)", "@\xD9\x86\xD8\xA7\xD9\x85 nvarchar(10)"},
                       row{"a int", "error"}, row{"@a", "error"}, row{"@a nothing", "error"}, row{"@a int,", "error"},
                       row{"@t dbo.list READONLY", "error"}, row{"@a datetime2", "@a datetime2(7)"}}) {
    BOOST_TEST_CONTEXT(r.text) {
      const auto parsed = parse_parameter_declarations(r.text);
      std::string shown;
      if (!parsed) {
        shown = "error";
      } else {
        for (const parameter_declaration& d : *parsed) {
          if (!shown.empty()) shown += "; ";
          shown += d.name + " " + to_string(d.type) + (d.output ? " out" : "") +
                   (d.default_text ? " = " + *d.default_text : "");
        }
      }
      BOOST_TEST(shown == r.shown);
    }
  }
}

BOOST_AUTO_TEST_CASE(binding) {
  const auto declared = *parse_parameter_declarations("@a int, @b decimal(5,2) OUTPUT, @c nvarchar(3) = 'xyz'");
  const auto bind = [&](std::vector<rpc_parameter> sent) { return bind_parameters(declared, sent, "sp_executesql"); };
  auto bound = bind({{.name = "", .value = std::int64_t{7}}, {.name = "", .value = std::int64_t{3}, .output = true}});
  BOOST_REQUIRE(bound.has_value());
  BOOST_TEST(std::get<std::int64_t>((*bound)[0].value) == 7);
  BOOST_TEST(std::get<decimal>((*bound)[1].value).to_string() == "3.00");
  BOOST_TEST((*bound)[1].output);
  BOOST_TEST(std::get<std::string>((*bound)[2].value) == "xyz");
  bound = bind({{.name = "@B", .value = null_value{}},
                {.name = "a", .value = std::string("12")},
                {.name = "@c", .value = std::string("abcdef")}});
  BOOST_REQUIRE(bound.has_value());
  BOOST_TEST(std::get<std::int64_t>((*bound)[0].value) == 12);
  BOOST_TEST(is_null((*bound)[1].value));
  BOOST_TEST(!(*bound)[1].output);
  BOOST_TEST(std::get<std::string>((*bound)[2].value) == "abc");
  struct row {
    const char* name;
    std::vector<rpc_parameter> sent;
    int number;
  };
  for (const row& r :
       {row{"nothing", {}, 8178}, row{"unknown name", {{.name = "@z", .value = std::int64_t{1}}}, 8145},
        row{"too many",
            {{.value = null_value{}}, {.value = null_value{}}, {.value = null_value{}}, {.value = null_value{}}},
            8144},
        row{"no number", {{.value = std::string("x")}, {.value = null_value{}}}, 8114}})
    BOOST_TEST_CONTEXT(r.name) {
      const auto refused = bind(r.sent);
      BOOST_REQUIRE(!refused.has_value());
      BOOST_TEST(refused.error().error_number() == r.number);
    }
}

BOOST_AUTO_TEST_CASE(handles) {
  prepared_statements table;
  BOOST_TEST(*table.add({"a", {}, nullptr}) == 1);
  BOOST_TEST(*table.add({"b", {}, nullptr}) == 2);
  BOOST_TEST(table.find(1)->text == "a");
  BOOST_TEST(table.remove(1));
  BOOST_TEST(!table.remove(1));
  BOOST_TEST(*table.add({"c", {}, nullptr}) == 3);
  BOOST_TEST((table.find(1) == nullptr));
}

BOOST_AUTO_TEST_CASE(sink_is_bounded_and_in_order) {
  std::atomic<int> woken{0};
  row_sink sink(
      wire_profile{}, [&] { ++woken; }, 128 * 1024);
  constexpr std::uint32_t total = 500'000;
  std::thread worker([&] {
    for (std::uint32_t i = 0; i < total; ++i) {
      std::uint8_t* p = sink.reserve(4);
      std::memcpy(p, &i, 4);
      sink.commit(4);
      if (!sink.end_row()) break;
    }
    sink.close();
  });
  std::vector<row_sink::block> blocks;
  std::uint32_t expected = 0;
  bool good = true;
  std::size_t most = 0;
  for (bool ended = false; !ended;) {
    ended = sink.take(blocks, 4);
    std::size_t now = 0;
    for (const auto& b : blocks) {
      now += b.size;
      for (std::size_t i = 0; i + 4 <= b.size; i += 4) {
        std::uint32_t value = 0;
        std::memcpy(&value, b.data.get() + i, 4);
        good = good && value == expected++;
      }
    }
    most = std::max(most, now);
    if (blocks.empty()) std::this_thread::yield();
    sink.give_back(blocks);
  }
  worker.join();
  BOOST_TEST(good);
  BOOST_TEST(expected == total);
  BOOST_TEST(most <= 256u * 1024);
  BOOST_TEST(sink.rows() == total);
}

BOOST_AUTO_TEST_CASE(sink_without_a_client_never_blocks) {
  row_sink sink(
      wire_profile{}, [] {}, 64 * 1024);
  sink.abandon();
  const std::vector<std::uint8_t> much(3 * 1024 * 1024, 1);
  sink.append(much);
  BOOST_TEST((sink.reserve(1024 * 1024) != nullptr));
  sink.commit(1024 * 1024);
  BOOST_TEST(!sink.end_row());
  sink.close();
  std::vector<row_sink::block> blocks;
  BOOST_TEST(sink.take(blocks, 10));
  BOOST_TEST(blocks.empty());
}

BOOST_AUTO_TEST_CASE(rows_of_a_slow_worker_do_not_lie) {
  int woken = 0;
  row_sink sink(wire_profile{}, [&] { ++woken; });
  std::vector<row_sink::block> blocks;
  BOOST_TEST(!sink.take(blocks, 8));  // the connection waits from here on
  const std::vector<std::uint8_t> row(10, 1);
  sink.append(row);
  sink.pulse();
  BOOST_TEST(woken == 0);  // one row is not worth a wake-up yet
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  sink.pulse();
  BOOST_TEST(woken == 1);
  BOOST_TEST(!sink.take(blocks, 8));
  BOOST_REQUIRE(blocks.size() == 1u);
  BOOST_TEST(blocks[0].size == 10u);
  sink.give_back(blocks);
  sink.take(blocks, 8);
  const std::vector<std::uint8_t> rows(20'000, 1);
  sink.append(rows);
  sink.pulse();
  BOOST_TEST(woken == 2);  // enough to send at once
  sink.close();
  BOOST_TEST(woken == 2);  // it has not asked again
  BOOST_TEST(sink.take(blocks, 8));
}

BOOST_AUTO_TEST_CASE(spids_are_not_shared) {
  spid_pool pool;
  const auto a = pool.take(), b = pool.take();
  BOOST_TEST(a == 51);
  BOOST_TEST(b == 52);
  pool.give_back(a);
  for (int i = 0; i < 40000; ++i) {
    const auto next = pool.take();
    BOOST_REQUIRE(next != b);
    pool.give_back(next);
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
