#include "proxy/demo/market.h"

#include <algorithm>
#include <array>

namespace dragoman::demo {
namespace {

constexpr symbol_traits symbols[] = {
    // code, price, growth, lot, lots low .. high, weight, export weight
    {"PPZ30S", 142'000'000, 5100, 22'000, 1, 12, 62, 30},    {"PPC30S", 148'000'000, 5000, 22'000, 1, 10, 38, 20},
    {"PPHP525J", 151'500'000, 4900, 22'000, 1, 8, 24, 12},   {"HD5110", 128'000'000, 5200, 22'000, 1, 10, 34, 24},
    {"HD5502", 126'500'000, 5300, 22'000, 1, 10, 30, 16},    {"HDEX3", 137'000'000, 5000, 22'000, 1, 9, 36, 14},
    {"LD2420", 139'000'000, 5400, 22'000, 1, 8, 32, 12},     {"LD0075", 136'000'000, 5300, 22'000, 1, 8, 26, 10},
    {"LLD0209", 131'000'000, 5250, 22'000, 1, 8, 28, 12},    {"LLD22501", 133'500'000, 5150, 22'000, 1, 8, 16, 6},
    {"PVCS65", 118'000'000, 4700, 22'000, 1, 12, 44, 10},    {"PVCS57", 121'000'000, 4650, 22'000, 1, 8, 15, 4},
    {"PS1160", 145'000'000, 4800, 21'000, 1, 6, 18, 3},      {"PSH7240", 152'000'000, 4900, 21'000, 1, 6, 12, 2},
    {"PET821", 124'000'000, 4600, 22'000, 1, 10, 31, 8},     {"ABS0150", 232'000'000, 5500, 20'000, 1, 5, 14, 2},
    {"BIT6070", 43'000'000, 6200, 25'000, 1, 24, 58, 90},    {"BIT85100", 42'200'000, 6100, 25'000, 1, 20, 25, 30},
    {"BITMC2", 47'500'000, 5700, 25'000, 1, 16, 14, 4},      {"BITEM", 39'000'000, 5600, 20'000, 1, 14, 12, 2},
    {"VACBOT", 33'500'000, 6800, 25'000, 2, 30, 46, 4},      {"LUBECUT", 52'000'000, 6000, 25'000, 1, 16, 15, 10},
    {"REBAR14", 58'000'000, 4400, 24'000, 1, 14, 52, 26},    {"REBAR16", 57'500'000, 4450, 24'000, 1, 14, 46, 22},
    {"BILLET150", 51'000'000, 4600, 50'000, 1, 16, 48, 60},  {"SLAB20", 52'500'000, 4500, 50'000, 1, 16, 22, 30},
    {"HRC2", 88'000'000, 4300, 20'000, 1, 12, 44, 14},       {"HRC10", 84'500'000, 4350, 20'000, 1, 12, 30, 10},
    {"CRC07", 112'000'000, 4250, 20'000, 1, 15, 26, 4},      {"GALV05", 131'000'000, 4200, 18'000, 1, 12, 24, 4},
    {"IBEAM14", 63'000'000, 4500, 24'000, 1, 16, 34, 8},     {"DRI", 28'500'000, 4700, 100'000, 1, 20, 28, 12},
    {"CUCATH", 865'000'000, 6900, 5'000, 1, 10, 40, 40},     {"CUROD8", 892'000'000, 6850, 5'000, 1, 6, 27, 6},
    {"CUBILLET", 878'000'000, 6800, 5'000, 1, 5, 9, 2},      {"CUCONC", 214'000'000, 6600, 50'000, 1, 8, 14, 10},
    {"ALING1000", 262'000'000, 5600, 10'000, 1, 10, 33, 10}, {"ALBIL6063", 281'000'000, 5500, 10'000, 1, 12, 21, 4},
    {"ALSHEET", 318'000'000, 5300, 5'000, 1, 12, 12, 2},     {"ALALLOY", 249'000'000, 5400, 10'000, 1, 8, 10, 1},
    {"CEM1425", 2'650'000, 7200, 100'000, 1, 50, 40, 10},    {"CEM2", 2'580'000, 7300, 100'000, 1, 60, 56, 20},
    {"CEM5", 2'780'000, 7100, 100'000, 1, 30, 18, 6},        {"CEMPOZ", 2'390'000, 7000, 100'000, 1, 25, 12, 2},
    {"CEMWHITE", 5'900'000, 6500, 25'000, 1, 20, 9, 2},      {"CLINKER", 1'620'000, 7400, 1'000'000, 1, 30, 17, 40},
    {"BARLEY", 16'500'000, 6600, 50'000, 1, 40, 30, 1},      {"CORN", 14'800'000, 6900, 50'000, 1, 60, 36, 1},
    {"WHEAT", 24'500'000, 6300, 50'000, 1, 60, 20, 1},       {"SOYMEAL", 31'000'000, 6700, 50'000, 1, 40, 34, 1},
    {"SUGAR", 61'000'000, 5400, 20'000, 1, 30, 16, 1},       {"RICE", 176'000'000, 6400, 5'000, 1, 20, 0, 0},
    {"SAFFRON", 128'000'000, 6100, 100, 1, 60, 26, 22},      {"PISTACHIO", 1'480'000, 5900, 100'000, 1, 120, 18, 26},
    {"CUMIN", 345'000, 6600, 100'000, 1, 90, 11, 8},         {"GOLDBAR", 8'150'000'000, 8300, 100, 1, 8, 24, 0},
    {"GOLDMELT", 7'960'000'000, 8350, 10, 1, 40, 30, 0},     {"SILVBAR", 92'000'000, 8800, 1'000, 1, 20, 12, 0},
    {"GOLDCERT", 812'000, 8350, 1'000, 1, 4000, 66, 0},      {"COINCERT", 624'000, 8500, 1'000, 1, 3000, 52, 0},
};

struct persian_day {
  int month, day;
};
// Nowruz 1-4 Farvardin, 12 and 13 Farvardin, 14 and 15 Khordad, 22 Bahman, 29 Esfand.
constexpr persian_day feasts[] = {{1, 1},  {1, 2},  {1, 3},  {1, 4},   {1, 12},
                                  {1, 13}, {3, 14}, {3, 15}, {11, 22}, {12, 29}};

int month_index(civil_date persian) {
  return (persian.year - first_persian_year) * 12 + persian.month - 1;
}

}  // namespace

day_number first_day() {
  return from_persian({first_persian_year, 1, 1});
}

day_number last_day() {
  return from_persian({first_persian_year + persian_years, 1, 1}) - 1;
}

bool is_holiday(day_number day) {
  if (iso_weekday(day) == 5) return true;
  const civil_date p = to_persian(day);
  return std::any_of(std::begin(feasts), std::end(feasts),
                     [&](const persian_day& f) { return f.month == p.month && f.day == p.day; });
}

std::int64_t activity(day_number day) {
  const civil_date p = to_persian(day);
  static constexpr std::array<std::int64_t, 12> months{620,  960, 1010, 1080, 1120, 1060,
                                                       1030, 990, 980,  1010, 1060, 1290};
  std::int64_t weight = months[static_cast<std::size_t>(p.month - 1)];
  // About a tenth more every year.
  for (int year = first_persian_year; year < p.year; ++year) weight = weight * 1110 / 1000;
  if (p.month == 1 && p.day <= 13) weight = weight * 350 / 1000;
  if (is_holiday(day)) {
    weight = weight * 30 / 1000;
  } else if (iso_weekday(day) == 4) {
    weight = weight * 550 / 1000;
  } else if (iso_weekday(day) == 6) {
    weight = weight * 1120 / 1000;
  }
  return weight;
}

const symbol_traits* find_symbol(std::string_view code) noexcept {
  for (const auto& s : symbols) {
    if (s.code == code) return &s;
  }
  return nullptr;
}

std::vector<std::int64_t> price_path(const symbol_traits& traits, random_source& random) {
  constexpr int months = persian_years * 12 + 1;
  // A straight line in equal factors would be too smooth: each month adds its share and a wobble that dies away.
  std::vector<std::int64_t> path;
  std::int64_t wobble = 0;  // per ten thousand
  for (int m = 0; m < months; ++m) {
    const std::int64_t grown = 1000 + (traits.growth - 1000) * m / (months - 1) * (months - 1 + m) / (2 * (months - 1));
    wobble = wobble * 7 / 10 + random.between(-450, 450);
    path.push_back(traits.price / 1000 * grown * (10'000 + wobble) / 10'000);
  }
  return path;
}

std::int64_t price_on(const std::vector<std::int64_t>& path, civil_date persian, int month_days) {
  const auto m = static_cast<std::size_t>(month_index(persian));
  return path[m] + (path[m + 1] - path[m]) / month_days * (persian.day - 1);
}

std::int64_t rials_per(std::string_view currency, day_number day) {
  if (currency == "IRR") return 1;
  // The free market's dollar by half years, Farvardin 1399 on.
  static constexpr std::array<std::int64_t, 11> dollar{155'000, 262'000, 241'000, 274'000, 268'000, 318'000,
                                                       498'000, 496'000, 604'000, 598'000, 925'000};
  static const day_number first = first_day();
  static const std::int64_t total = last_day() - first + 1;
  const std::int64_t at = static_cast<std::int64_t>(day - first) * 10;
  const auto half = static_cast<std::size_t>(std::clamp<std::int64_t>(at / total, 0, 9));
  const std::int64_t usd = dollar[half] + (dollar[half + 1] - dollar[half]) * (at % total) / total;
  if (currency == "EUR") return usd * 1085 / 1000;
  if (currency == "AED") return usd * 1000 / 3673;
  return usd;
}

std::int64_t season(std::string_view category, int month) {
  // Builders build in summer, farmers sell in autumn, gold is bought before Nowruz.
  static constexpr std::array<std::int64_t, 12> building{850,  1100, 1250, 1300, 1250, 1150,
                                                         1000, 900,  750,  700,  750,  950};
  static constexpr std::array<std::int64_t, 12> farming{700,  750,  900,  1150, 1250, 1300,
                                                        1350, 1250, 1050, 850,  750,  800};
  static constexpr std::array<std::int64_t, 12> gold{900, 900, 900, 900, 950, 950, 950, 1000, 1050, 1100, 1250, 1500};
  const auto m = static_cast<std::size_t>(month - 1);
  if (category == "Cement" || category == "Steel" || category == "Bitumen") return building[m];
  if (category == "Agriculture") return farming[m];
  if (category == "Gold") return gold[m];
  return 1000;
}

}  // namespace dragoman::demo
