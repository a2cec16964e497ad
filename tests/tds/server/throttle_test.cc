// Who may try passwords how often. Time is the test's own.
#include <boost/test/unit_test.hpp>

#include <string>

#include "tds/server/log_limiter.h"
#include "tds/server/login_throttle.h"

namespace dragoman::tds::server {
using namespace std::chrono_literals;

namespace {

constexpr login_throttle::time_point start{1000h};

struct attacked {
  explicit attacked(login_limits limits = {}) : throttle(limits) {}
  bool fail(const std::string& address, const std::string& name) {
    const bool judged = throttle.admit(address, name, now);
    throttle.failed(address, name, now);
    return judged;
  }
  bool succeed(const std::string& address, const std::string& name) {
    const bool judged = throttle.admit(address, name, now);
    if (judged) throttle.succeeded(address, name, now);
    return judged;
  }
  int judged_of(int tries, const std::string& address, const std::string& name) {
    int judged = 0;
    for (int i = 0; i < tries; ++i) judged += fail(address, name);
    return judged;
  }
  login_throttle throttle;
  login_throttle::time_point now = start;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(throttle)

BOOST_AUTO_TEST_CASE(an_address_has_so_many_tries_a_minute) {
  attacked a;
  BOOST_TEST(a.judged_of(1000, "10.0.0.1", "sa") == 40);
  BOOST_TEST(a.judged_of(1000, "10.0.0.1", "another") == 0);
  a.now += 30s;
  BOOST_TEST(a.judged_of(1000, "10.0.0.1", "sa") == 20);
  a.now += 1h;
  BOOST_TEST(a.judged_of(1000, "10.0.0.1", "sa") == 40);
}

BOOST_AUTO_TEST_CASE(a_name_has_so_many_tries_a_minute_from_strange_addresses) {
  attacked a;
  int judged = 0;
  for (int i = 0; i < 200; ++i) judged += a.fail("10.0.1." + std::to_string(i), i % 2 == 0 ? "sa" : "SA");
  BOOST_TEST(judged == 40);
  BOOST_TEST(a.fail("10.0.2.1", "other"));
}

BOOST_AUTO_TEST_CASE(nobody_is_locked_out_from_elsewhere) {
  attacked a;
  BOOST_TEST(a.succeed("192.168.1.5", "maryam"));
  // Whatever is done to the name from elsewhere, also for days, and to the address with other names:
  for (int hour = 0; hour < 20; ++hour) {
    for (int i = 0; i < 300; ++i) a.fail("10.0.1." + std::to_string(i), "maryam");
    for (int i = 0; i < 300; ++i) a.fail("192.168.1.5", "name" + std::to_string(i));
    BOOST_TEST(a.succeed("192.168.1.5", "Maryam"));
    a.now += 1h;
  }
  // From an address where she never was, the attack holds her up no longer than it lasts.
  a.now += 3s;
  BOOST_TEST(a.succeed("172.16.0.9", "maryam"));
}

BOOST_AUTO_TEST_CASE(a_known_pair_is_limited_too) {
  attacked a;
  BOOST_TEST(a.succeed("192.168.1.5", "maryam"));
  BOOST_TEST(a.judged_of(1000, "192.168.1.5", "maryam") == 40);
  a.now += 90s;
  BOOST_TEST(a.succeed("192.168.1.5", "maryam"));
  a.now += 25h;  // forgotten
  for (int i = 0; i < 300; ++i) a.fail("10.0.1." + std::to_string(i), "maryam");
  BOOST_TEST(!a.succeed("192.168.1.5", "maryam"));
}

BOOST_AUTO_TEST_CASE(right_passwords_cost_nothing) {
  attacked a;
  for (int i = 0; i < 1000; ++i) BOOST_TEST(a.succeed("10.0.0.1", "user" + std::to_string(i)));
  BOOST_TEST(a.judged_of(1000, "10.0.0.1", "sa") == 40);
}

BOOST_AUTO_TEST_CASE(delays_grow) {
  attacked a;
  for (unsigned i = 1; i <= 12; ++i) {
    a.throttle.admit("10.0.0.1", "sa", a.now);
    BOOST_TEST(a.throttle.failed("10.0.0.1", "sa", a.now) == std::min(i, login_limits::delay_steps));
  }
}

BOOST_AUTO_TEST_CASE(memory_is_bounded) {
  attacked a;
  BOOST_TEST(a.succeed("192.168.1.5", "maryam"));
  for (int i = 0; i < 100'000; ++i) {
    a.fail("10." + std::to_string(i % 250) + "." + std::to_string(i / 250 % 250) + "." + std::to_string(i / 62500),
           "name" + std::to_string(i));
    a.now += 1ms;
  }
  BOOST_TEST(a.throttle.entries() <= 2 * 4096u + 1);
  BOOST_TEST(a.succeed("192.168.1.5", "maryam"));
  // The tables being full makes newcomers share, it does not let them through unseen.
  for (int i = 0; i < 5000; ++i)
    a.fail("11.0." + std::to_string(i / 250) + "." + std::to_string(i % 250), "more" + std::to_string(i));
  int judged = 0;
  for (int i = 0; i < 1000; ++i)
    judged += a.fail("172.16." + std::to_string(i / 250) + "." + std::to_string(i % 250), "fresh" + std::to_string(i));
  BOOST_TEST(judged <= 40);
  BOOST_TEST(a.throttle.entries() <= 2 * 4096u + 1);
  a.now += 1h;
  BOOST_TEST(a.fail("172.16.0.1", "fresh"));
  attacked many;
  for (int i = 0; i < 40'000; ++i) many.succeed("10.0.0.1", "user" + std::to_string(i));
  BOOST_TEST(many.throttle.entries() <= 16384u + 2);
}

BOOST_AUTO_TEST_CASE(no_limit) {
  login_limits limits;
  limits.failures_per_address = limits.failures_per_name = limits.unfinished_per_address = 0;
  attacked a(limits);
  BOOST_TEST(a.judged_of(10'000, "10.0.0.1", "sa") == 10'000);
  for (int i = 0; i < 10'000; ++i) BOOST_TEST(a.throttle.enter("10.0.0.1"));
}

BOOST_AUTO_TEST_CASE(unfinished_connections) {
  attacked a;
  int entered = 0;
  for (int i = 0; i < 1000; ++i) entered += a.throttle.enter("10.0.0.1");
  BOOST_TEST(entered == 512);
  BOOST_TEST(a.throttle.enter("10.0.0.2"));
  a.throttle.leave("10.0.0.1");
  BOOST_TEST(a.throttle.enter("10.0.0.1"));
  BOOST_TEST(!a.throttle.enter("10.0.0.1"));
  for (int i = 0; i < 512; ++i) a.throttle.leave("10.0.0.1");
  a.throttle.leave("10.0.0.2");
  BOOST_TEST(a.throttle.entries() == 0u);
}

BOOST_AUTO_TEST_CASE(addresses) {
  const auto key = [](const char* text) { return login_throttle::address_key(text); };
  BOOST_TEST(key("10.0.0.1") != key("10.0.0.2"));
  BOOST_TEST((key("2001:db8::1") == key("2001:db8:0:0:ffff::2")));
  BOOST_TEST((key("2001:db8::1") != key("2001:db8:0:1::1")));
  BOOST_TEST((key("fe80::1%eth0") == key("fe80::2")));
}

BOOST_AUTO_TEST_CASE(what_repeats_is_logged_once_in_a_while) {
  log_limiter log(10s);
  BOOST_TEST((log.due(start) == 0u));
  for (int i = 0; i < 500; ++i) BOOST_TEST(!log.due(start + 9s).has_value());
  BOOST_TEST((log.due(start + 11s) == 500u));
  BOOST_TEST(!log.due(start + 12s).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace dragoman::tds::server
