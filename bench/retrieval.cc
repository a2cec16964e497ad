// Tables found for a question in a catalogue of 5,000 tables and 100,000 columns. No server.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "bench/measures.h"
#include "retrieval/table_index.h"
#include "retrieval/value_index.h"

namespace dragoman::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t tables = 5000;
constexpr std::size_t columns_each = 20;

constexpr std::array nouns = {"order",    "invoice",  "customer", "payment",  "stock",    "item",     "ledger",
                              "vendor",   "branch",   "contract", "asset",    "claim",    "policy",   "route",
                              "batch",    "lot",      "price",    "plan",     "shipment", "account",  "employee",
                              "machine",  "sensor",   "meter",    "campaign", "lead",     "visit",    "ticket",
                              "project",  "budget",   "tax",      "currency", "region",   "province", "warehouse",
                              "supplier", "delivery", "return",   "discount", "quality"};
constexpr std::array kinds = {"id",    "name", "code", "date", "status", "amount", "rate", "type",
                              "count", "note", "from", "to",   "year",   "month",  "score"};
constexpr std::array places = {"Tehran", "Isfahan", "Shiraz", "Tabriz", "Mashhad", "Ahvaz", "Karaj", "Qom"};

// Of this thread alone: what else the machine does is not retrieval's.
double processor_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576.0;
}

// Names as they grow in a real warehouse: a few words, used over and over; each table refers to some before it.
catalog::database_ptr make_catalogue() {
  std::mt19937 random(1403);
  const auto one_of = [&](const auto& list) { return std::string(list[random() % list.size()]); };
  auto db = std::make_shared<catalog::database>();
  db->datasource = db->name = "synthetic";
  for (std::size_t i = 0; i < tables; ++i) {
    catalog::table t;
    t.schema = fmt::format("s{}", i % 25);
    t.name = fmt::format("{}_{}_{}", one_of(nouns), one_of(nouns), i);
    t.description = fmt::format("{} of each {} by {}", one_of(nouns), one_of(nouns), one_of(nouns));
    for (std::size_t c = 0; c < columns_each; ++c) {
      catalog::column column;
      column.type.id = sql_type_id::nvarchar;
      column.type.length = 50;
      column.name = c == 0 ? fmt::format("row_{}_id", i) : fmt::format("{}_{}_{}", one_of(nouns), one_of(kinds), c);
      if (c % 5 == 1) column.description = fmt::format("{} {} of the {}", one_of(nouns), one_of(kinds), one_of(nouns));
      if (c % 10 == 2)
        for (int v = 0; v < 8; ++v) column.samples.push_back(one_of(places) + " " + one_of(nouns));
      t.columns.push_back(std::move(column));
    }
    t.primary_key = {t.columns[0].name};
    for (int k = 0; k < 2 && i > 0; ++k) {
      const std::size_t to = random() % i;
      catalog::foreign_key key;
      key.columns = {t.columns[static_cast<std::size_t>(k) + 1].name};
      key.schema = db->tables[to].schema;
      key.table = db->tables[to].name;
      key.referenced_columns = {db->tables[to].columns[0].name};
      t.foreign_keys.push_back(std::move(key));
    }
    db->tables.push_back(std::move(t));
  }
  if (auto indexed = db->index(); !indexed) throw std::runtime_error(indexed.error().message);
  return db;
}

}  // namespace

void measure_retrieval(const settings& s, figures& out) {
  const auto db = make_catalogue();
  const double before = resident_mib();
  const auto begin = steady::now();
  const auto index = retrieval::table_index::build(db, {});
  const auto values = retrieval::value_index::build(db);
  const double build = std::chrono::duration<double>(steady::now() - begin).count();
  const double memory = resident_mib() - before;
  const auto scope = index->scope(retrieval::everything_visible());

  std::mt19937 random(7);
  const auto noun = [&] { return std::string(nouns[random() % nouns.size()]); };
  std::vector<double> select, find;
  std::size_t found = 0;
  for (int i = 0; i < (s.quick ? 100 : 2000); ++i) {
    const std::string question =
        fmt::format("total {} {} of each {} by {} in {} since last year", noun(), kinds[random() % kinds.size()],
                    noun(), noun(), places[random() % places.size()]);
    double at = processor_ms();
    found += index->select(question, scope).size();
    select.push_back(processor_ms() - at);
    at = processor_ms();
    found += values->find(question, scope).size();
    find.push_back(processor_ms() - at);
  }
  if (found == 0) throw std::runtime_error("nothing was found");
  const std::string name = fmt::format("retrieval, {} tables, {} columns", tables, tables * columns_each);
  out.add(name + ": tables of a question, p50", percentile(select, 0.5), "ms");
  out.add(name + ": tables of a question, p99", percentile(select, 0.99), "ms", {}, "<= 5");
  out.add(name + ": values of a question, p99", percentile(find, 0.99), "ms");
  out.add(name + ": build", build, "s", {}, "<= 10");
  out.add(name + ": memory", memory, "MiB", {}, "<= 300");
}

}  // namespace dragoman::bench
