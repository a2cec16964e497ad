// A gateway over two warehouses of the test's own, a library and a shop, with layers drafted as `dragoman init` drafts
// them. Principals: keeper sees both, reader only the library, clerk only the shop and of its orders those of shop 1.
#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "nlq/semantics_draft.h"
#include "proxy/catalog_facts.h"
#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/own_client.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/upstream/introspection.h"
#include "tests/proxy/running_gateway.h"
#include "tests/proxy/scratch.h"

namespace dragoman::proxy::test {

class two_sources {
 public:
  // `more` is appended to the configuration.
  explicit two_sources(std::string_view more = {}) : clock_(demo_day()) {
    library_ = serve("library",
                     "CREATE TABLE Member (MemberID integer PRIMARY KEY, Name varchar(40) NOT NULL, City varchar(40),"
                     " Phone varchar(20));"
                     "CREATE TABLE Book (BookID integer PRIMARY KEY, Title varchar(80) NOT NULL, Pages int);"
                     "CREATE TABLE Loan (LoanID integer PRIMARY KEY, MemberID int REFERENCES Member (MemberID),"
                     " BookID int REFERENCES Book (BookID));"
                     "INSERT INTO Member VALUES (1, 'Ada', 'Oslo', '555-01'), (2, 'Bo', 'Bergen', '555-02'),"
                     " (3, 'Cy', 'Oslo', '555-03');"
                     "INSERT INTO Book VALUES (1, 'Rivers', 120), (2, 'Stars', 300);"
                     "INSERT INTO Loan VALUES (1, 1, 1), (2, 2, 1), (3, 3, 2), (4, 1, 2);");
    shop_ = serve("shop",
                  "CREATE TABLE Product (ProductID integer PRIMARY KEY, Label varchar(40) NOT NULL, Price int);"
                  "CREATE TABLE Purchase (PurchaseID integer PRIMARY KEY, ProductID int REFERENCES Product (ProductID),"
                  " ShopNo int, Amount int);"
                  "INSERT INTO Product VALUES (1, 'Lamp', 30), (2, 'Chair', 90);"
                  "INSERT INTO Purchase VALUES (1, 1, 1, 2), (2, 2, 1, 1), (3, 2, 2, 5), (4, 1, 2, 7), (5, 1, 2, 1);");
    folder_.write("logins.tsv", "");
    const std::string text = "server:\n  tls: not_supported\n" + source_text("", "library", library_->port()) +
                             "sources:\n  - name: goods\n" +
                             source_text("    ", "shop", shop_->port(), "  nolock: true") +
                             "principals:\n"
                             "  keeper:\n    allow: [dbo.*, shop.dbo.*]\n    deny: [dbo.Member.Phone]\n"
                             "  reader:\n    allow: [dbo.Member, dbo.Book, dbo.Loan]\n"
                             "  clerk:\n    allow: [shop.*.*]\n    row_filters:\n"
                             "      - table: shop.dbo.Purchase\n        predicate: ShopNo = 1\n"
                             "logins_file: logins.tsv\naudit:\n  file: audit.jsonl\n" +
                             std::string(more);
    loaded_config loaded = load_everything(folder_.write("dragoman.yaml", text));
    for (const auto& e : loaded.errors) BOOST_ERROR(e.to_string());
    BOOST_REQUIRE(loaded.complete());
    loaded.settings.server.port = 0;
    auto gateway = instance::start(std::move(loaded), clock_);
    BOOST_REQUIRE_MESSAGE(gateway.has_value(), (gateway ? "" : gateway.error().message));
    gateway_ = std::move(*gateway);
    BOOST_REQUIRE(gateway_->shared().load_values());
  }

  // A new login of that principal.
  own_client client(const std::string& principal, const std::string& database = "library") {
    const std::string name = principal + std::to_string(++logins_);
    auto password = gateway_->shared().add_own_login(name, principal);
    BOOST_REQUIRE(password.has_value());
    return own_client(gateway_->port(), name, std::move(*password), database, std::chrono::seconds(60));
  }
  service& shared() { return gateway_->shared(); }
  void stop_shop() { shop_.reset(); }
  std::string audit_text() {
    shared().records().flush();
    return read_all(folder_ / "audit.jsonl");
  }

 private:
  // Serves a SQLite file of these statements, and writes NAME.catalog.yaml and NAME.semantics.yaml for it.
  std::unique_ptr<embedded_warehouse> serve(const std::string& name, const std::string& sql) {
    const std::string file = (folder_ / (name + ".sqlite")).string();
    auto db = sandbox::connection::open(file, false);
    BOOST_REQUIRE(db.has_value());
    const auto made = (*db)->execute(sql);
    BOOST_REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    db->reset();
    auto served = embedded_warehouse::serve(file, "127.0.0.1", 0, "w", secret("Warehouse1!"), false);
    BOOST_REQUIRE_MESSAGE(served.has_value(), (served ? "" : served.error().message));
    upstream::options options;
    options.server = "127.0.0.1";
    options.port = (*served)->port();
    options.database = name;
    options.user = "w";
    options.password = secret("Warehouse1!");
    options.encryption = upstream::encryption_mode::off;
    upstream::pool pool(options);
    upstream::introspection_options how;
    how.datasource = name;
    auto live = upstream::introspect(pool, how);
    BOOST_REQUIRE_MESSAGE(live.has_value(), (live ? "" : live.error().message));
    const auto facts = gather_facts(pool, *live, {});
    BOOST_REQUIRE(facts.has_value());
    folder_.write(name + ".semantics.yaml", nlq::write_draft(nlq::draft_semantics(*live, *facts, {}), *facts, name));
    BOOST_REQUIRE(catalog::save_snapshot(*live, (folder_ / (name + ".catalog.yaml")).string()).has_value());
    return std::move(*served);
  }

  static std::string source_text(const std::string& indent, const std::string& name, std::uint16_t port,
                                 const std::string& more = "") {
    std::string out;
    for (const std::string& line :
         {std::string("upstream:"), std::string("  server: 127.0.0.1"), "  port: " + std::to_string(port),
          "  database: " + name, std::string("  user: w"), std::string("  password: Warehouse1!"),
          std::string("  encryption: off"), more, std::string("catalog:"), "  snapshot: " + name + ".catalog.yaml",
          "semantics: " + name + ".semantics.yaml"})
      if (!line.empty()) out += indent + line + "\n";
    return out;
  }

  scratch folder_;
  fixed_clock clock_;
  std::unique_ptr<embedded_warehouse> library_;
  std::unique_ptr<embedded_warehouse> shop_;
  std::unique_ptr<instance> gateway_;
  int logins_ = 0;
};

}  // namespace dragoman::proxy::test
