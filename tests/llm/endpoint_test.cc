#include <boost/test/unit_test.hpp>

#include "llm/endpoint.h"
#include "llm/rate_limiter.h"
#include "llm/retry.h"

using namespace dragoman;
using namespace dragoman::llm;
using std::chrono::milliseconds;

BOOST_AUTO_TEST_SUITE(endpoints)

BOOST_AUTO_TEST_CASE(urls_are_taken_apart) {
  struct row {
    const char* text;
    const char* host;
    int port;
    const char* url;
  };
  const row rows[] = {
      {"http://127.0.0.1:11434/v1", "127.0.0.1", 11434, "http://127.0.0.1:11434/v1/x"},
      {"http://LocalHost/v1/", "localhost", 80, "http://localhost:80/v1/x"},
      {"https://models.lan", "models.lan", 443, "https://models.lan:443/x"},
      {"http://[::1]:8000/v1", "::1", 8000, "http://[::1]:8000/v1/x"},
      {"http://[0:0:0:0:0:0:0:1]/v1", "::1", 80, "http://[::1]:80/v1/x"},
      {"http://gpu_box-1:1/openai/v1//", "gpu_box-1", 1, "http://gpu_box-1:1/openai/v1/x"},
  };
  for (const row& r : rows) {
    BOOST_TEST_CONTEXT(r.text) {
      auto e = parse_endpoint(r.text);
      BOOST_TEST_REQUIRE(e.has_value());
      BOOST_TEST(e->host == r.host);
      BOOST_TEST(e->port == r.port);
      BOOST_TEST(e->url("/x") == r.url);
    }
  }
}

BOOST_AUTO_TEST_CASE(odd_urls_are_refused) {
  for (const char* text : {"",
                           "ftp://127.0.0.1/v1",
                           "127.0.0.1:11434",
                           "http://",
                           "http://:80/v1",
                           "http://user:pw@127.0.0.1/v1",
                           "http://127.0.0.1@8.8.8.8/v1",
                           "http://127.0.0.1:0/v1",
                           "http://127.0.0.1:99999/",
                           "http://127.0.0.1:8o/",
                           "http://127.0.0.1/v1?x=1",
                           "http://127.0.0.1/v1#x",
                           "http://127.1/v1",
                           "http://2130706433/v1",
                           "http://0x7f000001/v1",
                           "http://017700000001/v1",
                           "http://127.0.0.1./v1",
                           "http://[::1/v1",
                           "http://[abc]/v1",
                           "http://[::1]x/v1",
                           "http://a b/v1",
                           "http://a\r\nb/v1",
                           "http://a\\b/v1",
                           "file:///etc/passwd"}) {
    BOOST_TEST_CONTEXT(text) {
      auto e = parse_endpoint(text);
      BOOST_TEST(!e.has_value());
      if (!e) BOOST_TEST(e.error().message.find("pw") == std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(private_addresses) {
  for (const char* a : {"127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255",
                        "192.168.0.1", "192.168.255.255", "169.254.1.1", "::1", "fe80::1", "febf::1", "fc00::1",
                        "fdff::1", "::ffff:10.1.2.3", "::ffff:127.0.0.1"})
    BOOST_TEST(is_private_address(a), a);
  for (const char* a : {"8.8.8.8",
                        "0.0.0.0",
                        "128.0.0.1",
                        "11.0.0.1",
                        "172.15.255.255",
                        "172.32.0.1",
                        "192.167.1.1",
                        "192.169.0.1",
                        "169.253.0.1",
                        "100.64.0.1",
                        "::",
                        "::2",
                        "2001:db8::1",
                        "fec0::1",
                        "ff02::1",
                        "::ffff:8.8.8.8",
                        "64:ff9b::8.8.8.8",
                        "::127.0.0.1",
                        "localhost",
                        "",
                        "127.1",
                        "fe80::1%lo"})
    BOOST_TEST(!is_private_address(a), a);
}

BOOST_AUTO_TEST_CASE(every_address_must_be_private) {
  BOOST_TEST(require_private("h", {"10.0.0.1", "fd00::1"}).has_value());
  BOOST_TEST(!require_private("h", {"10.0.0.1", "8.8.8.8"}).has_value());
  BOOST_TEST(!require_private("h", {}).has_value());
}

BOOST_AUTO_TEST_CASE(the_bucket_fills_with_time) {
  rate_limiter limiter(60, 2);  // one a second, two at once
  const auto t0 = std::chrono::steady_clock::time_point{};
  BOOST_TEST(limiter.take(t0).count() == 0);
  BOOST_TEST(limiter.take(t0).count() == 0);
  BOOST_TEST(limiter.take(t0).count() == 1000);
  BOOST_TEST(limiter.take(t0 + std::chrono::milliseconds(400)).count() == 600);
  BOOST_TEST(limiter.take(t0 + std::chrono::milliseconds(1000)).count() == 0);
  BOOST_TEST(limiter.take(t0 + std::chrono::hours(1)).count() == 0);
  BOOST_TEST(limiter.take(t0 + std::chrono::hours(1)).count() == 0);
  BOOST_TEST(limiter.take(t0 + std::chrono::hours(1)).count() == 1000);
  rate_limiter none(0, 1);
  for (int i = 0; i < 100; ++i) BOOST_TEST(none.take(t0).count() == 0);
}

BOOST_AUTO_TEST_CASE(pauses_double_and_are_capped) {
  const milliseconds first(400), max(1000);
  BOOST_TEST(backoff(2, first, max, milliseconds(0), 0.5).count() == 400);
  BOOST_TEST(backoff(3, first, max, milliseconds(0), 0.5).count() == 800);
  BOOST_TEST(backoff(4, first, max, milliseconds(0), 0.5).count() == 1000);
  BOOST_TEST(backoff(40, first, max, milliseconds(0), 0.5).count() == 1000);
  BOOST_TEST(backoff(2, first, max, milliseconds(0), 0).count() == 300);
  BOOST_TEST(backoff(2, first, max, milliseconds(0), 0.999).count() < 500);
  BOOST_TEST(backoff(2, first, max, milliseconds(900), 0.5).count() == 900);
}

BOOST_AUTO_TEST_CASE(which_statuses_are_tried_again) {
  for (long s : {408, 425, 429, 500, 502, 503, 504, 529}) BOOST_TEST(retryable_status(s), s);
  for (long s : {200, 301, 400, 401, 403, 404, 413, 422, 501, 505}) BOOST_TEST(!retryable_status(s), s);
}

BOOST_AUTO_TEST_SUITE_END()
