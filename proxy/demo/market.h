// What the demo's market does: how busy each day is, what each symbol costs on it, who trades what.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/civil_time.h"
#include "proxy/demo/random.h"

namespace dragoman::demo {

inline constexpr int first_persian_year = 1399;
inline constexpr int persian_years = 5;

// 1 Farvardin 1399 and 30 Esfand 1403.
day_number first_day();
day_number last_day();

// Fridays, and the feasts and days of mourning that the solar calendar fixes.
bool is_holiday(day_number day);

// Relative number of orders of a day: the market grows, sleeps on holidays, half sleeps on Thursdays and at Nowruz, and
// hurries at the end of the Persian year.
std::int64_t activity(day_number day);

struct symbol_traits {
  std::string_view code;
  std::int64_t price;     // rials per unit in Farvardin 1399
  std::int64_t growth;    // per mille of the price after five years
  std::int64_t lot;       // thousandths of a unit
  std::int64_t lots_low;  // an order is so many lots
  std::int64_t lots_high;
  std::int64_t weight;  // share of the orders; 0 = never traded
  std::int64_t export_weight;
};
const symbol_traits* find_symbol(std::string_view code) noexcept;

// Rials per unit of a symbol for each month of the five years and one more, wandering upwards.
std::vector<std::int64_t> price_path(const symbol_traits& traits, random_source& random);
// Rials for one unit of a currency on a day.
std::int64_t rials_per(std::string_view currency, day_number day);
// Of a monthly path, between the months linearly; `month_days` is the length of the Persian month.
std::int64_t price_on(const std::vector<std::int64_t>& path, civil_date persian, int month_days);

// Per mille: how much more a category trades in a Persian month than on average.
std::int64_t season(std::string_view category, int persian_month);

}  // namespace dragoman::demo
