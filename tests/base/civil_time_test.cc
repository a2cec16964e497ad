#include "base/civil_time.h"

#include <boost/test/unit_test.hpp>

#include "base/clock.h"

namespace dragoman {
namespace {

BOOST_AUTO_TEST_SUITE(civil)

BOOST_AUTO_TEST_CASE(day_numbers_of_known_dates) {
  BOOST_TEST(to_day_number({1, 1, 1}) == day_min);
  BOOST_TEST(to_day_number({1900, 1, 1}) == days_to_1900);
  BOOST_TEST(to_day_number({9999, 12, 31}) == day_max);
  BOOST_TEST(date_text(to_day_number({2024, 2, 29})) == "2024-02-29");
  BOOST_TEST(iso_weekday(to_day_number({2025, 3, 10})) == 1);  // a Monday
  BOOST_TEST(iso_weekday(to_day_number({2024, 3, 1})) == 5);   // a Friday
}

BOOST_AUTO_TEST_CASE(every_day_of_the_range_round_trips) {
  for (day_number day = day_min; day <= day_max; day += 97) {
    const civil_date date = to_civil(day);
    BOOST_REQUIRE(exists(date));
    BOOST_REQUIRE(to_day_number(date) == day);
  }
  BOOST_TEST(!exists({2023, 2, 29}));
  BOOST_TEST(!exists({2023, 13, 1}));
  BOOST_TEST(!exists({0, 1, 1}));
}

BOOST_AUTO_TEST_CASE(persian_dates_of_the_years_that_the_data_cover) {
  struct row {
    civil_date gregorian;
    civil_date persian;
  };
  for (const row& r :
       {row{{2020, 3, 20}, {1399, 1, 1}}, row{{2021, 3, 20}, {1399, 12, 30}}, row{{2021, 3, 21}, {1400, 1, 1}},
        row{{2024, 3, 20}, {1403, 1, 1}}, row{{2025, 3, 10}, {1403, 12, 20}}, row{{2025, 3, 20}, {1403, 12, 30}},
        row{{1979, 2, 11}, {1357, 11, 22}}}) {
    const civil_date persian = to_persian(to_day_number(r.gregorian));
    BOOST_TEST((persian == r.persian), date_text(to_day_number(r.gregorian))
                                           << " is " << persian.year << "-" << persian.month << "-" << persian.day);
    BOOST_TEST(from_persian(r.persian) == to_day_number(r.gregorian));
  }
  BOOST_TEST(is_persian_leap(1399));
  BOOST_TEST(!is_persian_leap(1402));
  BOOST_TEST(is_persian_leap(1403));
  BOOST_TEST(days_in_persian_month(1402, 12) == 29);
  BOOST_TEST(days_in_persian_month(1403, 12) == 30);
  BOOST_TEST(days_in_persian_month(1403, 6) == 31);
}

BOOST_AUTO_TEST_CASE(times_are_cut_at_their_scale) {
  const std::int64_t ticks = ((12 * 60 + 34) * 60 + 56) * ticks_per_second + 1234567;
  BOOST_TEST(time_text(ticks, 7) == "12:34:56.1234567");
  BOOST_TEST(time_text(ticks, 3) == "12:34:56.123");
  BOOST_TEST(time_text(ticks, 0) == "12:34:56");
}

BOOST_AUTO_TEST_CASE(clocks) {
  const fixed_clock clock({to_day_number({2025, 3, 10}), 0, 0});
  BOOST_TEST(date_text(clock.today()) == "2025-03-10");
  BOOST_TEST(system_clock().now().day > to_day_number({2025, 1, 1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace dragoman
