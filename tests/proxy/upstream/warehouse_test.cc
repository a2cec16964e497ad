// Against the embedded warehouse: the catalogue as introspection reads it, and real tables with the types of the demo.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <unistd.h>

#include "guard/catalog/catalog.h"
#include "proxy/demo/generator.h"
#include "proxy/demo/warehouse.h"
#include "proxy/upstream/introspection.h"
#include "tds/server/server.h"
#include "wire_collector.h"

using namespace dragoman;
using namespace dragoman::upstream_test;

namespace {

// One small warehouse for all tests of this file.
class served_warehouse {
 public:
  served_warehouse() {
    folder_ = std::filesystem::temp_directory_path() / ("dragoman-upstream-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    demo::demo_options small;
    small.size = demo::demo_size::small;
    demo::warehouse_options o;
    o.file = (folder_ / "small.sqlite").string();
    BOOST_REQUIRE(demo::generate(o.file, small));
    o.user = "tester";
    o.password = secret("tester");
    o.bench_rows = true;
    o.allow_trouble = true;
    auto opened = demo::warehouse::open(std::move(o));
    BOOST_REQUIRE_MESSAGE(opened, opened.error().message);
    warehouse_ = std::move(*opened);
    auto started = tds::server::server::start({}, *warehouse_);
    BOOST_REQUIRE_MESSAGE(started, started.error().message);
    server_ = std::move(*started);
  }
  ~served_warehouse() {
    server_.reset();
    warehouse_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  upstream::options options() const {
    upstream::options o;
    o.server = "127.0.0.1";
    o.port = server_->port();
    o.user = "tester";
    o.password = secret("tester");
    o.database = "SalesDb";
    o.encryption = upstream::encryption_mode::off;
    return o;
  }
  demo::trouble& trouble() { return warehouse_->misbehaviour(); }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<demo::warehouse> warehouse_;
  std::unique_ptr<tds::server::server> server_;
};

served_warehouse& warehouse() {
  static served_warehouse one;
  return one;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(upstream_warehouse)

BOOST_AUTO_TEST_CASE(the_catalogue_is_that_of_the_snapshot) {
  upstream::pool pool(warehouse().options());
  upstream::introspection_options o;
  o.datasource = "warehouse";
  o.schemas = {"sales", "ref", "hr"};
  o.sample_never = {"sales.Customer.NationalID"};
  const auto live = upstream::introspect(pool, o);
  BOOST_REQUIRE_MESSAGE(live, live.error().message);
  BOOST_TEST(live->name == "SalesDb");
  const auto snapshot = catalog::load_snapshot(DRAGOMAN_SOURCE_DIR "/conf/demo/catalog.yaml");
  BOOST_REQUIRE_MESSAGE(snapshot, snapshot.error().message);
  for (const catalog::change& c : catalog::drift(*snapshot, *live))
    // The snapshot may leave out what nobody is allowed to see.
    if (c.kind != catalog::change_kind::table_added) BOOST_ERROR(c.text);
  const catalog::table* customer = live->find_table("sales", "Customer");
  BOOST_REQUIRE(customer != nullptr);
  BOOST_TEST(customer->find_column("Segment")->samples.size() == 4U);
  BOOST_TEST(customer->find_column("NationalID")->samples.empty());
  BOOST_TEST(customer->find_column("Name")->samples.empty());  // too many different ones
}

BOOST_AUTO_TEST_CASE(rows_of_the_demo) {
  upstream::pool pool(warehouse().options());
  upstream::statement s = sql(
      "SELECT TOP 3 OrderID, Quantity, UnitPrice, Discount, TotalPrice, IsExport, Notes, CreatedAt FROM sales.[Order] "
      "WHERE CustomerID = @c AND TotalPrice > @p ORDER BY OrderID");
  s.parameters.push_back({"@c", *parse_sql_type("int"), std::int64_t{5}});
  s.parameters.push_back({"@p", *parse_sql_type("decimal(19,4)"), *decimal::parse("0.5000")});
  const auto got = pool.query(s);
  BOOST_REQUIRE_MESSAGE(got, got.error().message);
  BOOST_TEST(got->rows.size() == 3U);
  const char* types[] = {"bigint",        "decimal(18,3)", "decimal(18,2)", "decimal(5,4)",
                         "decimal(19,4)", "bit",           "nvarchar(400)", "datetime2(3)"};
  for (std::size_t i = 0; i < std::size(types); ++i) {
    sql_type t = got->columns[i].type;
    if (t.id == sql_type_id::numeric) t.id = sql_type_id::decimal;
    BOOST_TEST(to_string(t) == types[i]);
  }

  upstream::statement text = sql("SELECT Name FROM ref.Ring WHERE Name LIKE @n");
  text.parameters.push_back({"@n", *parse_sql_type("nvarchar(50)"), std::string("%پتروشیمی%")});
  const auto ring = pool.query(text);
  BOOST_REQUIRE_MESSAGE(ring, ring.error().message);
  BOOST_TEST(!ring->rows.empty());
}

BOOST_AUTO_TEST_CASE(an_error_in_the_middle_and_a_slow_first_row) {
  upstream::pool pool(warehouse().options());
  warehouse().trouble().error_after = 100;
  auto receiver = std::make_shared<wire_collector>();
  const auto end = run(pool, sql("SELECT OrderID FROM sales.[Order]"), receiver).wait();
  warehouse().trouble().clear();
  BOOST_REQUIRE(end.error);
  BOOST_TEST((end.error->code == errc::upstream_error));
  BOOST_TEST(receiver->rows <= 100U);

  warehouse().trouble().first_row_ms = 3000;
  upstream::statement s = sql("SELECT TOP 1 OrderID FROM sales.[Order]");
  s.timeout = std::chrono::milliseconds(200);
  const auto slow = run(pool, s, std::make_shared<wire_collector>()).wait();
  warehouse().trouble().clear();
  BOOST_REQUIRE(slow.error);
  BOOST_TEST(slow.error->error_number() == 50130);
  BOOST_TEST(pool.query(sql("SELECT COUNT(*) FROM sales.[Order]")).has_value());
}

BOOST_AUTO_TEST_CASE(no_plan_is_no_failure) {
  upstream::pool pool(warehouse().options());
  std::promise<bool> told;
  pool.estimate_cost(sql("SELECT COUNT(*) FROM sales.[Order]"),
                     [&](std::optional<upstream::pool::estimate> e) { told.set_value(e.has_value()); });
  told.get_future().get();
  // Whatever it said, the connection runs statements and does not explain them.
  const auto got = pool.query(sql("SELECT COUNT(*) FROM sales.[Order]"));
  BOOST_REQUIRE_MESSAGE(got, got.error().message);
  BOOST_TEST(got->rows.size() == 1U);
  BOOST_TEST(got->columns.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
