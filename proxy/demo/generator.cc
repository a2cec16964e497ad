#include "proxy/demo/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/civil_time.h"
#include "base/decimal.h"
#include "proxy/demo/dimensions.h"
#include "proxy/demo/market.h"
#include "proxy/demo/random.h"
#include "proxy/demo/schema.h"
#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/functions.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/sandbox/storage.h"

namespace dragoman::demo {
namespace {

using sandbox::connection;
using sandbox::statement;

// Raised when the rows change, so that files of older programs are made anew.
constexpr int format_version = 2;

constexpr int broker_without_orders = 40;

constexpr std::array<const char*, 12> month_names{"January",   "February", "March",    "April",
                                                  "May",       "June",     "July",     "August",
                                                  "September", "October",  "November", "December"};
constexpr std::array<const char*, 7> day_names{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                               "Friday", "Saturday", "Sunday"};
constexpr std::array<const char*, 12> persian_months{"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور",
                                                     "مهر",     "آبان",     "آذر",   "دی",  "بهمن",  "اسفند"};

constexpr const char* notes[] = {"Urgent delivery",
                                 "Partial delivery agreed",
                                 "Payment by letter of credit",
                                 "Buyer asked for quality certificate",
                                 "Delivery at the factory gate",
                                 "Freight to be paid by the buyer",
                                 "Second lot of the same contract",
                                 "Sampling done by the surveyor",
                                 "Moved to the next delivery window",
                                 "Price confirmed by phone",
                                 "تحویل فوری",
                                 "تحویل در انبار کارخانه",
                                 "پرداخت با اعتبار اسنادی",
                                 "خریدار گواهی کیفیت خواسته است",
                                 "هزینه حمل با خریدار است",
                                 "محموله دوم همین قرارداد",
                                 "نمونه‌برداری انجام شد",
                                 "به نوبت بعدی تحویل منتقل شد",
                                 "قیمت تلفنی تأیید شد",
                                 "بسته‌بندی صادراتی"};

int date_id(day_number day) {
  const civil_date d = to_civil(day);
  return d.year * 10000 + d.month * 100 + d.day;
}

day_number day_of(int id) {
  return to_day_number({id / 10000, id / 100 % 100, id % 100});
}

std::string sqlite_type(const sql_type& type) {
  switch (sandbox::family_of(type.id)) {
    case sandbox::family::text: return "TEXT COLLATE T";
    case sandbox::family::binary:
    case sandbox::family::offset: return "BLOB";
    case sandbox::family::real: return "REAL";
    default: return "INTEGER";
  }
}

// Picks 0 .. n-1 by weight.
class weighted {
 public:
  void add(std::int64_t weight) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight); }
  // Among the first `count` only.
  std::size_t pick(random_source& random, std::size_t count) const {
    const std::int64_t at = random.below(sums_[count - 1]);
    return static_cast<std::size_t>(
        std::upper_bound(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(count), at) - sums_.begin());
  }
  std::size_t pick(random_source& random) const { return pick(random, sums_.size()); }
  std::int64_t total() const { return sums_.back(); }

 private:
  std::vector<std::int64_t> sums_;
};

struct customer {
  int id = 0;
  day_number joined = 0;
  std::array<int, 3> brokers{};
  std::int64_t scale = 0;  // per mille of the usual lots
  bool trader = false;
};

struct symbol {
  int id = 0;
  int ring = 0;
  std::string category;
  const symbol_traits* traits = nullptr;
  std::vector<std::int64_t> prices;
  std::vector<int> suppliers;
};

class writer {
 public:
  writer(connection& db, const demo_options& options) : db_(db), options_(options), catalog_(demo_catalog()) {}

  result<void> run() {
    if (auto r = create_tables(); !r) return r;
    for (const auto& [name, schema, table] : dimension_tables) {
      if (auto r = dimension(name, schema, table); !r) return r;
    }
    if (auto r = dates(); !r) return r;
    if (auto r = salaries(); !r) return r;
    read_market();
    if (auto r = orders(); !r) return r;
    return finish();
  }

 private:
  struct dimension_table {
    const char* name;
    const char* schema;
    const char* table;
  };
  static constexpr dimension_table dimension_tables[] = {
      {"location", "ref", "Location"},   {"currency", "ref", "Currency"},        {"ring", "ref", "Ring"},
      {"symbol", "ref", "Symbol"},       {"supplier", "ref", "Supplier"},        {"broker", "ref", "Broker"},
      {"customer", "sales", "Customer"}, {"orderstatus", "sales", "OrderStatus"}};

  static std::string physical(const catalog::table& t) { return t.schema + "." + t.name; }

  const catalog::table& table(std::string_view schema, std::string_view name) const {
    return *std::find_if(catalog_.tables.begin(), catalog_.tables.end(),
                         [&](const catalog::table& t) { return t.schema == schema && t.name == name; });
  }

  result<statement> insert_into(const catalog::table& t) {
    std::string sql = "INSERT INTO " + sandbox::quoted_name(physical(t)) + " VALUES(";
    for (std::size_t i = 0; i < t.columns.size(); ++i) sql += i > 0 ? ",?" : "?";
    return db_.prepare(sql + ")");
  }

  result<void> create_tables() {
    if (auto r = sandbox::create_metadata(db_, catalog_.name); !r) return r;
    for (const auto& t : catalog_.tables) {
      std::string sql = "CREATE TABLE " + sandbox::quoted_name(physical(t)) + "(";
      for (std::size_t i = 0; i < t.columns.size(); ++i) {
        const auto& c = t.columns[i];
        sql += (i > 0 ? "," : "") + sandbox::quoted_name(c.name) + " " + sqlite_type(c.type);
        if (i == 0) sql += " PRIMARY KEY";
        if (!c.nullable) sql += " NOT NULL";
      }
      if (auto r = db_.execute(sql + ")"); !r) return r;
    }
    return {};
  }

  result<void> dimension(const char* name, const char* schema, const char* table_name) {
    const auto& t = table(schema, table_name);
    auto insert = insert_into(t);
    if (!insert) return insert.error();
    for (const auto& row : dimension_rows(name)) {
      for (std::size_t i = 0; i < t.columns.size(); ++i) {
        const int at = static_cast<int>(i) + 1;
        if (i >= row.size() || row[i].empty()) {
          insert->bind_null(at);
          continue;
        }
        switch (sandbox::family_of(t.columns[i].type.id)) {
          case sandbox::family::integer: insert->bind(at, static_cast<std::int64_t>(std::stoll(row[i]))); break;
          case sandbox::family::decimal: {
            const auto d = decimal::parse(row[i]);
            if (!d) return failure(errc::internal, fmt::format("The row {} of {} has a bad number.", row[0], name));
            sandbox::bind_value(*insert, at, t.columns[i].type, *d);
            break;
          }
          default: insert->bind_text(at, row[i]); break;
        }
      }
      if (auto done = insert->step(); !done) return done.error();
      insert->reset();
    }
    return {};
  }

  result<void> dates() {
    auto insert = insert_into(table("sales", "Date"));
    if (!insert) return insert.error();
    for (day_number day = first_day(); day <= last_day(); ++day) {
      const civil_date d = to_civil(day);
      const civil_date p = to_persian(day);
      const int weekday = iso_weekday(day);
      int at = 0;
      const auto number = [&](std::int64_t v) { insert->bind(++at, v); };
      number(date_id(day));
      number(day);
      number(d.year);
      number((d.month + 2) / 3);
      number(d.month);
      insert->bind_text(++at, month_names[static_cast<std::size_t>(d.month - 1)]);
      number(d.day);
      number(weekday);
      insert->bind_text(++at, day_names[static_cast<std::size_t>(weekday - 1)]);
      number(p.year);
      number(p.month);
      insert->bind_text(++at, persian_months[static_cast<std::size_t>(p.month - 1)]);
      number(p.day);
      number(is_holiday(day) ? 1 : 0);
      if (auto done = insert->step(); !done) return done.error();
      insert->reset();
    }
    return {};
  }

  result<void> salaries() {
    static constexpr const char* given[] = {"Ali",    "Sara", "Reza",  "Maryam", "Hossein",
                                            "Narges", "Amir", "Leila", "Mehdi",  "Parisa"};
    static constexpr const char* family[] = {"Ahmadi", "Moradi", "Karimi", "Rahimi", "Jafari", "Sadeghi"};
    auto insert = insert_into(table("hr", "Salary"));
    if (!insert) return insert.error();
    random_source random(options_.seed ^ 0x5A1A);
    for (int id = 1; id <= 60; ++id) {
      insert->bind(1, static_cast<std::int64_t>(id));
      insert->bind_text(2, fmt::format("{} {}", given[(id - 1) % 10], family[(id - 1) / 10]));
      insert->bind(3, random.between(180, 950) * 1'000'000 * 100);
      if (auto done = insert->step(); !done) return done.error();
      insert->reset();
    }
    return {};
  }

  // Who trades what: everything that the orders draw from.
  void read_market() {
    random_source random(options_.seed ^ 0xC0FFEE);
    for (const auto& row : dimension_rows("customer")) {
      customer c;
      c.id = std::stoi(row[0]);
      c.joined = day_of(std::stoi(row[6]));
      const std::string& segment = row[3];
      c.trader = segment == "Trader";
      c.scale = segment == "Industrial" ? 1000 : segment == "Government" ? 1300 : segment == "Trader" ? 900 : 220;
      for (auto& b : c.brokers) b = static_cast<int>(random.between(1, broker_without_orders - 1));
      // A long tail: a few customers trade very much, some never do.
      std::int64_t weight = 40 + 100'000 / (random.between(1, 60) * random.between(1, 60));
      if (segment == "Retail") weight = weight * 6 / 10;
      if (random.per_mille(35)) weight = 0;
      customers_.push_back(c);
      weights_.push_back(weight);
    }
    // By the day they joined, so that those of a day are the first so many.
    std::vector<std::size_t> order(customers_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return customers_[a].joined < customers_[b].joined; });
    std::vector<customer> sorted;
    for (const std::size_t i : order) {
      sorted.push_back(customers_[i]);
      customer_pick_.add(weights_[i]);
    }
    customers_ = std::move(sorted);

    const auto suppliers = dimension_rows("supplier");
    const auto supplies = [](const std::string& name, const std::string& category) {
      const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
      if (category == "Polymer") return has("Petrochemical");
      if (category == "Bitumen") return has("Bitumen");
      if (category == "Agriculture") return has("Agro");
      return has(category.c_str());
    };
    for (const auto& row : dimension_rows("symbol")) {
      symbol s;
      s.id = std::stoi(row[0]);
      s.ring = std::stoi(row[5]);
      s.category = row[4];
      s.traits = find_symbol(row[1]);
      static constexpr symbol_traits unknown{"", 10'000'000, 5000, 10'000, 1, 10, 10, 0};
      if (s.traits == nullptr) s.traits = &unknown;
      s.prices = price_path(*s.traits, random);
      std::vector<int> able;
      for (const auto& supplier : suppliers) {
        if (supplies(supplier[1], s.category)) able.push_back(std::stoi(supplier[0]));
      }
      if (able.empty()) able.push_back(1);
      const std::size_t most = std::min<std::size_t>(able.size(), static_cast<std::size_t>(random.between(2, 5)));
      while (s.suppliers.size() < most) {
        const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(able.size())));
        s.suppliers.push_back(able[at]);
        able.erase(able.begin() + static_cast<std::ptrdiff_t>(at));
      }
      symbols_.push_back(std::move(s));
    }
    for (int month = 1; month <= 12; ++month) {
      for (const auto& s : symbols_) {
        domestic_[static_cast<std::size_t>(month - 1)].add(s.traits->weight * season(s.category, month));
        exported_[static_cast<std::size_t>(month - 1)].add(s.traits->export_weight * season(s.category, month));
      }
    }
    for (const auto& row : dimension_rows("currency")) currencies_[row[1]] = std::stoi(row[0]);
  }

  result<void> orders() {
    auto insert = insert_into(table("sales", "Order"));
    if (!insert) return insert.error();
    const std::int64_t count = options_.orders > 0 ? options_.orders : orders_of(options_.size);
    std::vector<std::int64_t> busy;
    std::int64_t total = 0;
    for (day_number day = first_day(); day <= last_day(); ++day) {
      busy.push_back(activity(day));
      total += busy.back();
    }
    random_source random(options_.seed);
    std::int64_t id = 0;
    std::int64_t so_far = 0;
    for (day_number day = first_day(); day <= last_day(); ++day) {
      so_far += busy[static_cast<std::size_t>(day - first_day())];
      const auto until = static_cast<std::int64_t>(static_cast<__int128>(so_far) * count / total);
      // The orders of a day in the order in which they came in.
      std::vector<std::int64_t> moments;
      for (std::int64_t n = id; n < until; ++n)
        moments.push_back(random.between(8 * 3'600'000 + 1'800'000, 16 * 3'600'000));
      std::sort(moments.begin(), moments.end());
      for (const std::int64_t moment : moments) {
        if (auto r = order(*insert, ++id, day, moment, random); !r) return r;
      }
    }
    return {};
  }

  result<void> order(statement& insert, std::int64_t id, day_number day, std::int64_t moment, random_source& random) {
    const civil_date p = to_persian_cached(day);
    const auto month = static_cast<std::size_t>(p.month - 1);
    const bool is_export = random.per_mille(28);
    const symbol& s = symbols_[(is_export ? exported_ : domestic_)[month].pick(random)];
    const customer* who = nullptr;
    for (int tries = 0; tries < 4; ++tries) {
      while (joined_ < customers_.size() && customers_[joined_].joined <= day) ++joined_;
      who = &customers_[customer_pick_.pick(random, joined_)];
      // Exports are the business of traders more than of others.
      if (!is_export || who->trader) break;
    }
    int broker = who->brokers[static_cast<std::size_t>(random.below(3))];
    if (random.per_mille(300)) broker = static_cast<int>(random.between(1, broker_without_orders - 1));
    int ring = s.ring;
    if (is_export) {
      if (random.per_mille(850)) ring = 7;
    } else if (random.per_mille(30)) {
      ring = 8;
    }
    std::string_view currency = "IRR";
    if (is_export && random.per_mille(715)) {
      const std::int64_t which = random.below(100);
      currency = which < 55 ? "USD" : which < 80 ? "AED" : "EUR";
    }
    // About half of the lots are small.
    std::int64_t lots = random.between(s.traits->lots_low, s.traits->lots_high);
    lots = std::max<std::int64_t>(
        1, std::min(lots, random.between(s.traits->lots_low, s.traits->lots_high)) * who->scale / 1000);
    if (is_export) lots *= 3;
    std::int64_t quantity = lots * s.traits->lot;
    if (s.traits->lot >= 10'000 && random.per_mille(250))
      quantity += random.between(-s.traits->lot / 50, s.traits->lot / 50);
    const std::int64_t rials = price_on(s.prices, p, month_days_) / 1000 * random.between(970, 1030);
    const std::int64_t rate = rials_per(currency, day);
    // Rials are quoted in tens, other currencies in cents.
    const std::int64_t price =
        currency == "IRR"
            ? std::max<std::int64_t>(1, rials / 10) * 10 * 100
            : std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<__int128>(rials) * 100 / rate));
    std::int64_t discount = 0;
    if (random.per_mille(420)) discount = random.between(1, who->scale > 500 ? 48 : 24) * 25;
    const __int128 exact = static_cast<__int128>(quantity) * price * (10'000 - discount);  // scale 3 + 2 + 4
    const auto amount = static_cast<std::int64_t>((exact + 50'000) / 100'000);             // scale 4

    // The last weeks are still under way: more is pending there, and nothing is delivered after the end of the data.
    const int left = last_day_ - day;
    int days_to_delivery =
        static_cast<int>(s.category == "Gold" ? random.between(1, 4) : random.between(1, 10) + random.between(0, 9));
    if (s.category != "Gold" && random.per_mille(15)) days_to_delivery += static_cast<int>(random.between(8, 28));
    const std::int64_t draw = random.below(1000);
    int status = draw < 800 ? 1 : draw < 860 ? 2 : draw < 950 ? 3 : 4;
    const bool late = days_to_delivery > left;
    if (late && status == 4) status = 2;
    if (late && status == 1 && random.per_mille(500)) status = 2;
    // Kept even over the whole: long ago fewer orders are still open.
    if (status == 2 && left > 400 && random.per_mille(100)) status = 1;
    day_number delivered = 0;
    if (status == 1 || status == 4)
      delivered = day + (late ? static_cast<int>(random.below(left + 1)) : days_to_delivery);

    int at = 0;
    const auto number = [&](std::int64_t v) { insert.bind(++at, v); };
    number(id);
    number(who->id);
    number(broker);
    number(ring);
    number(s.id);
    number(s.suppliers[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(s.suppliers.size())))]);
    number(currencies_.find(currency)->second);
    number(date_id(day));
    if (delivered != 0) {
      number(date_id(delivered));
    } else {
      insert.bind_null(++at);
    }
    number(status);
    number(quantity);
    number(price);
    number(discount);
    number(amount);
    number(is_export ? 1 : 0);
    if (random.one_in(10)) {
      insert.bind_text(++at, notes[static_cast<std::size_t>(random.below(std::size(notes)))]);
    } else {
      insert.bind_null(++at);
    }
    number(day * ticks_per_day + moment * 10'000);
    if (auto done = insert.step(); !done) return done.error();
    insert.reset();
    return {};
  }

  result<void> finish() {
    if (auto r = db_.execute("CREATE INDEX order_customer ON \"sales.Order\"(CustomerID);"
                             "CREATE INDEX order_broker ON \"sales.Order\"(BrokerID);"
                             "CREATE INDEX order_date ON \"sales.Order\"(OrderDateID);"
                             "CREATE INDEX order_symbol ON \"sales.Order\"(SymbolID);"
                             "ANALYZE;");
        !r)
      return r;
    for (auto t : catalog_.tables) {
      auto count = db_.prepare("SELECT count(*) FROM " + sandbox::quoted_name(physical(t)));
      if (!count) return count.error();
      if (auto row = count->step(); !row) return row.error();
      t.row_count = static_cast<std::uint64_t>(count->integer(0));
      if (auto r = sandbox::write_metadata(db_, t, physical(t)); !r) return r;
    }
    return {};
  }

  // The Persian date of a day is asked for once per order: the last answer is kept.
  civil_date to_persian_cached(day_number day) {
    if (day != persian_of_) {
      persian_of_ = day;
      persian_ = to_persian(day);
      month_days_ = days_in_persian_month(persian_.year, persian_.month);
    }
    return persian_;
  }

  connection& db_;
  const demo_options& options_;
  catalog::database catalog_;
  std::vector<customer> customers_;
  std::vector<std::int64_t> weights_;
  weighted customer_pick_;
  std::size_t joined_ = 0;
  std::vector<symbol> symbols_;
  std::array<weighted, 12> domestic_;
  std::array<weighted, 12> exported_;
  std::map<std::string, int, std::less<>> currencies_;
  day_number persian_of_ = -1;
  civil_date persian_;
  int month_days_ = 30;
  const day_number last_day_ = last_day();
};

std::string stamp_of(const demo_options& options) {
  const std::int64_t orders = options.orders > 0 ? options.orders : orders_of(options.size);
  return fmt::format("demo {} orders {} seed {}", format_version, orders, options.seed);
}

bool has_stamp(const std::string& path, const std::string& stamp) {
  if (!std::filesystem::exists(path)) return false;
  auto db = connection::open(path, true);
  if (!db) return false;
  auto found = (*db)->prepare("SELECT 1 FROM dragoman_stamp WHERE text = ?1");
  if (!found) return false;
  found->bind_text(1, stamp);
  const auto row = found->step();
  return row && *row;
}

}  // namespace

std::optional<demo_size> parse_size(std::string_view name) noexcept {
  if (name == "small") return demo_size::small;
  if (name == "medium") return demo_size::medium;
  if (name == "large") return demo_size::large;
  return std::nullopt;
}

std::string_view name_of(demo_size size) noexcept {
  return size == demo_size::small ? "small" : size == demo_size::medium ? "medium" : "large";
}

std::int64_t orders_of(demo_size size) noexcept {
  return size == demo_size::small ? 20'000 : size == demo_size::medium ? 500'000 : 10'000'000;
}

result<void> generate(const std::string& path, const demo_options& options) {
  const std::string unfinished = fmt::format("{}.{}.part", path, std::uintptr_t(&options) & 0xFFFFFF);
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  {
    auto opened = connection::open(unfinished, false);
    if (!opened) return opened.error();
    connection& db = **opened;
    sandbox::register_text_functions(db);
    if (auto r = db.execute(
            "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
            "PRAGMA cache_size=-262144; PRAGMA temp_store=MEMORY; BEGIN;");
        !r)
      return r;
    if (auto r = writer(db, options).run(); !r) return r;
    // Last of all: a file without it is not finished.
    if (auto r = db.execute("CREATE TABLE dragoman_stamp(text TEXT); INSERT INTO dragoman_stamp VALUES(" +
                            sandbox::quoted(stamp_of(options)) + "); COMMIT;");
        !r)
      return r;
  }
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error) return failure(errc::io, fmt::format("{}: {}.", path, error.message()));
  return {};
}

result<std::string> ensure_demo(const std::string& directory, const demo_options& options, bool* fresh) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return failure(errc::io, fmt::format("{}: {}.", directory, error.message()));
  const std::string path = fmt::format("{}/SalesDb-{}.sqlite", directory, name_of(options.size));
  const bool ready = has_stamp(path, stamp_of(options));
  if (fresh != nullptr) *fresh = !ready;
  if (!ready) {
    if (auto r = generate(path, options); !r) return r.error();
  }
  return path;
}

}  // namespace dragoman::demo
