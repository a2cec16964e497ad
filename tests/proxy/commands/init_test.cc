// `dragoman init` against a small warehouse of its own: what it finds out, what it writes, what a model may add, and
// that the gateway serves what was drafted.
#include <spdlog/spdlog.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <iostream>
#include <map>
#include <sstream>

#include "base/clock.h"
#include "llm/chat_client.h"
#include "nlq/semantics_describe.h"
#include "proxy/catalog_facts.h"
#include "proxy/commands/commands.h"
#include "proxy/embedded.h"
#include "proxy/instance.h"
#include "proxy/load.h"
#include "proxy/own_client.h"
#include "proxy/sandbox/sqlite_db.h"
#include "proxy/upstream/introspection.h"
#include "proxy/value_text.h"
#include "tests/proxy/scratch.h"
#include "tests/support/model_server.h"

using namespace dragoman;
using namespace dragoman::proxy;
using dragoman::proxy::test::read_all;
using dragoman::proxy::test::scratch;

namespace {

constexpr const char* password_variable = "DRAGOMAN_INIT_TEST_PASSWORD";

struct outcome_of_init {
  int status = -1;
  std::string said, complained;
};

// A library whose 60 members live in two cities; loans refer to books by constraint, to members by name only.
struct small_library {
  scratch folder;
  std::unique_ptr<embedded_warehouse> served;

  explicit small_library(const std::string& more_tables = {}) {
    spdlog::set_level(spdlog::level::off);
    ::setenv(password_variable, "Warehouse1!", 1);
    const std::string file = (folder / "library.sqlite").string();
    auto db = sandbox::connection::open(file, false);
    BOOST_REQUIRE(db.has_value());
    const auto made = (*db)->execute(
        std::string(
            "CREATE TABLE Member (MemberID integer PRIMARY KEY, Name varchar(40) NOT NULL, City varchar(40),"
            " Phone varchar(20), CardNo varchar(10), Age int);"
            "CREATE TABLE Book (BookID integer PRIMARY KEY, Title varchar(80) NOT NULL, \"Shelf Mark\" varchar(10));"
            "CREATE TABLE \"Book Loan\" (LoanID integer PRIMARY KEY, MemberID int, BookID int REFERENCES Book (BookID),"
            " Days int);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
            " INSERT INTO Member SELECT i, 'Member ' || i, CASE WHEN i % 3 = 0 THEN 'Oslo' ELSE 'Bergen' END,"
            " '555-' || i, CAST(1000 + i AS text), 20 + i % 7 FROM n;"
            "INSERT INTO Book VALUES (1, 'Rivers', 'A 1'), (2, 'Stars', 'B 2'), (3, 'Bells', NULL);"
            "INSERT INTO \"Book Loan\" VALUES (1, 1, 1, 14), (2, 2, 1, 7), (3, 60, 2, 21), (4, 1, 2, 3);") +
        more_tables);
    BOOST_REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    db->reset();
    auto started = embedded_warehouse::serve(file, "127.0.0.1", 0, "w", secret("Warehouse1!"), false);
    BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().message));
    served = std::move(*started);
  }

  upstream::options options() const {
    upstream::options out;
    out.server = "127.0.0.1";
    out.port = served->port();
    out.database = "library";
    out.user = "w";
    out.password = secret("Warehouse1!");
    out.encryption = upstream::encryption_mode::off;
    return out;
  }

  outcome_of_init init(std::vector<std::string> more = {}, std::optional<std::uint16_t> port = std::nullopt) {
    std::vector<std::string> words = {"--from",         "127.0.0.1:" + std::to_string(port ? *port : served->port()),
                                      "--database",     "library",
                                      "--user",         "w",
                                      "--encryption",   "off",
                                      "--out",          (folder / "out").string(),
                                      "--password-env", password_variable};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.begin(), "init");
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    outcome_of_init done;
    CLI::App app;
    add_init(app, done.status);
    std::ostringstream out, error;
    std::streambuf* const kept_out = std::cout.rdbuf(out.rdbuf());
    std::streambuf* const kept_error = std::cerr.rdbuf(error.rdbuf());
    try {
      app.parse(std::move(words));
    } catch (const CLI::ParseError& wrong) {
      done.status = 2;
      error << wrong.what();
    }
    std::cout.rdbuf(kept_out);
    std::cerr.rdbuf(kept_error);
    done.said = out.str();
    done.complained = error.str();
    return done;
  }

  std::string drafted(std::string_view name) const { return read_all(folder / "out" / name); }

  nlq::semantic_layer layer() const {
    auto read = nlq::load_semantics((folder / "out" / "semantics.yaml").string());
    BOOST_REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
    return std::move(*read);
  }
};

// People of whom the library knows more than it should tell; some columns have names that say nothing.
struct library_with_people : small_library {
  library_with_people()
      : small_library(
            "CREATE TABLE Person (PersonID integer PRIMARY KEY, FullName varchar(60), Contact varchar(80),"
            " kod_melli varchar(10), Hoghoogh int, Born date, BirthDate date, Reference varchar(20),"
            " Deposit varchar(40), Locker varchar(40), Desk varchar(10), PhoneVerified int);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
            " INSERT INTO Person SELECT i, 'Person ' || i, 'p' || i || '@mail.example.org', '00123456' || (10 + i % "
            "90),"
            " 71000 + i, '2020-01-01', '1980-02-03', CASE i % 4 WHEN 0 THEN '4111111111111111' WHEN 1 THEN"
            " '5500005555555559' WHEN 2 THEN '6011000000000004' ELSE '4012888888881881' END,"
            " CASE i % 3 WHEN 0 THEN 'GB82WEST12345698765432' WHEN 1 THEN 'DE89370400440532013000' ELSE"
            " 'NL91ABNA0417164300' END, CASE i % 3 WHEN 0 THEN 'row A' WHEN 1 THEN 'row B' ELSE 'row C' END,"
            " CAST(100 + i % 3 AS text), i % 2 FROM n;") {}
};

outcome_of_init run_check(const std::filesystem::path& config) {
  std::vector<std::string> words{config.string(), "--config", "check"};
  outcome_of_init done;
  CLI::App app;
  add_check(app, done.status);
  std::ostringstream out, error;
  std::streambuf* const kept_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const kept_error = std::cerr.rdbuf(error.rdbuf());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& wrong) {
    done.status = 2;
    error << wrong.what();
  }
  std::cout.rdbuf(kept_out);
  std::cerr.rdbuf(kept_error);
  done.said = out.str();
  done.complained = error.str();
  return done;
}

const nlq::entity& entity_of(const nlq::semantic_layer& layer, std::string_view table) {
  const auto found = std::find_if(layer.entities.begin(), layer.entities.end(),
                                  [&](const nlq::entity& e) { return e.table == table; });
  BOOST_REQUIRE(found != layer.entities.end());
  return *found;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string model_settings(const dragoman::test::model_server& model) {
  return "llm:\n  base_url: " + model.base_url() + "\n  model: scripted\n  tries: 1\n";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(init_command, small_library)

BOOST_AUTO_TEST_CASE(facts_are_counts_ranges_and_few_values) {
  upstream::pool pool(options());
  upstream::introspection_options how;
  how.datasource = "library";
  const auto live = upstream::introspect(pool, how);
  BOOST_REQUIRE_MESSAGE(live.has_value(), (live ? "" : live.error().message));
  const auto facts = gather_facts(pool, *live, {});
  BOOST_REQUIRE_MESSAGE(facts.has_value(), (facts ? "" : facts.error().message));
  BOOST_TEST(facts->rows.at("dbo.Member") == 60u);
  BOOST_TEST(facts->rows.at("dbo.Book Loan") == 4u);
  const auto& city = facts->columns.at({"dbo.Member", "City"});
  BOOST_TEST(city.rows == 60u);
  BOOST_TEST(city.present == 60u);
  BOOST_TEST(city.distinct == 2u);
  BOOST_TEST((city.values == std::vector<std::string>{"Bergen", "Oslo"}));
  const auto& name = facts->columns.at({"dbo.Member", "Name"});
  BOOST_TEST(name.distinct == 60u);
  BOOST_TEST(name.values.empty());
  const auto& card = facts->columns.at({"dbo.Member", "CardNo"});
  BOOST_TEST(card.numbers == 60u);
  BOOST_TEST(card.smallest == 1001);
  BOOST_TEST(card.largest == 1060);
  const auto& age = facts->columns.at({"dbo.Member", "Age"});
  BOOST_TEST(age.distinct == 7u);
  BOOST_TEST(age.smallest == 20);
  BOOST_TEST(age.largest == 26);
  BOOST_TEST(age.values.empty());
  const auto& shelf = facts->columns.at({"dbo.Book", "Shelf Mark"});
  BOOST_TEST(shelf.rows == 3u);
  BOOST_TEST(shelf.present == 2u);
  BOOST_TEST(shelf.values.size() == 2u);

  facts_options narrow;
  narrow.rows_max = 10;
  narrow.values_max = 1;
  const auto less = gather_facts(pool, *live, narrow);
  BOOST_REQUIRE(less.has_value());
  BOOST_TEST(less->rows.at("dbo.Member") == 60u);
  BOOST_TEST(less->columns.at({"dbo.Member", "City"}).rows == 10u);
  BOOST_TEST(less->columns.at({"dbo.Member", "City"}).values.empty());

  const auto confirmed = confirm_references(pool,
                                            {{"dbo", "Book Loan", "MemberID", "dbo", "Member", "MemberID"},
                                             {"dbo", "Book Loan", "Days", "dbo", "Book", "BookID"}},
                                            {});
  BOOST_REQUIRE(confirmed.size() == 1u);
  BOOST_TEST(confirmed[0].column == "MemberID");
}

BOOST_AUTO_TEST_CASE(what_is_drafted) {
  const outcome_of_init done = init();
  BOOST_REQUIRE_MESSAGE(done.status == 0, done.complained);
  BOOST_TEST(holds(done.said, "3 tables"), done.said);
  BOOST_TEST(holds(done.said, "1 of them guessed"), done.said);
  const nlq::semantic_layer drafted_layer = layer();
  BOOST_TEST(drafted_layer.entities.size() == 3u);
  const nlq::entity& member = entity_of(drafted_layer, "Member");
  BOOST_TEST((member.key == std::vector<std::string>{"MemberID"}));
  BOOST_TEST((member.rows == std::optional<std::uint64_t>(60)));
  BOOST_TEST((member.display == std::vector<std::string>{"Name"}));
  BOOST_REQUIRE(member.find_field("City") != nullptr);
  BOOST_TEST((member.find_field("City")->kind == nlq::field_kind::category));
  BOOST_TEST((member.find_field("Age")->kind == nlq::field_kind::number));
  const nlq::entity& loan = entity_of(drafted_layer, "Book Loan");
  BOOST_REQUIRE(loan.references.size() == 2u);
  for (const nlq::entity_reference& r : loan.references) BOOST_TEST(r.guessed == (r.column == "MemberID"), r.column);
  BOOST_TEST(entity_of(drafted_layer, "Book").find_field("Shelf Mark") != nullptr);

  const std::string text = drafted("semantics.yaml");
  BOOST_TEST(holds(text, "# Bergen | Oslo"), text);
  BOOST_TEST(!holds(text, "Member 17"), text);
  BOOST_TEST(!holds(text, "555-17"), text);
  BOOST_TEST(!holds(text, "by a model"), text);
  BOOST_TEST(holds(drafted("dragoman.yaml"), "\"dbo.*\""));
  BOOST_TEST(!holds(drafted("dragoman.yaml"), "Warehouse1!"));
  BOOST_TEST(std::filesystem::exists(folder / "out" / "catalog.yaml"));

  const outcome_of_init again = init();
  BOOST_TEST(again.status == 1);
  BOOST_TEST(holds(again.complained, "--force writes over it"), again.complained);
  BOOST_TEST(init({"--force"}).status == 0);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there) {
  const std::uint16_t port = served->port();
  served.reset();
  const outcome_of_init done = init({}, port);
  BOOST_TEST(done.status == 1);
  BOOST_TEST(holds(done.complained, "dragoman init: "), done.complained);
  BOOST_TEST(done.complained.size() > 30u, done.complained);
  BOOST_TEST(!holds(done.complained, "Warehouse1!"), done.complained);
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
  ::unsetenv(password_variable);
  BOOST_TEST(holds(init({}, port).complained, password_variable));
  BOOST_TEST(init({"--describe-values"}, port).status == 2);
}

BOOST_AUTO_TEST_CASE(a_model_writes_comments_only) {
  dragoman::test::model_server model({
      {.match = "table dbo.Member", .times = -1, .content = R"(```json
{"description": "People who may borrow.\nentities: {x: 1} # \u2028 \"quoted\"", "synonyms": ["reader", "patron",
 "x: [y]", "member", "reader", "a word that is far too long to be a word that anybody uses"],
 "columns": [{"column": "city", "description": "Where the member lives.", "synonyms": ["town"]},
             {"column": "Secret", "description": "There is none.", "synonyms": []}, 7]}
```)"},
      {.match = "table dbo.Book Loan", .times = -1, .content = "I would rather not."},
      {.times = -1, .content = R"({"description": "", "synonyms": [], "columns": []})"},
  });
  const auto settings = folder.write("model.yaml", model_settings(model));
  const outcome_of_init done = init({"--describe-with", settings.string()});
  BOOST_REQUIRE_MESSAGE(done.status == 0, done.complained);
  BOOST_TEST(holds(done.said, "2 of 3 tables described by a model"), done.said);
  BOOST_TEST(holds(done.complained, "dbo.Book Loan is not described"), done.complained);
  const std::string text = drafted("semantics.yaml");
  BOOST_TEST(holds(text, "  # by a model, to be reviewed: People who may borrow. entities: {x: 1} # \"quoted\"\n"),
             text);
  BOOST_TEST(holds(text, "  # by a model, words to add where they are right: [\"reader\", \"patron\"]\n"), text);
  BOOST_TEST(holds(text, "      # by a model, to be reviewed: Where the member lives.\n"), text);
  BOOST_TEST(!holds(text, "There is none"), text);

  // But for the comments it is the draft without a model.
  std::string without_comments;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!holds(line, "# by a model, ")) without_comments += line + "\n";
  BOOST_TEST(init({"--force"}).status == 0);
  BOOST_TEST((drafted("semantics.yaml") == without_comments));

  // What it was told: names, types, keys; values only where that was asked for.
  BOOST_REQUIRE(model.count() == 3u);
  for (const auto& request : model.requests()) {
    BOOST_TEST(holds(request.body, "json_schema"));
    BOOST_TEST(!holds(request.body, "Bergen"), request.body);
    BOOST_TEST(!holds(request.body, "Member 17"), request.body);
  }
  BOOST_TEST(init({"--force", "--describe-with", settings.string(), "--describe-values"}).status == 0);
  const auto all = model.requests();
  BOOST_TEST(std::any_of(all.begin(), all.end(), [](const auto& r) { return holds(r.body, "Bergen | Oslo"); }));
  BOOST_TEST(std::none_of(all.begin(), all.end(), [](const auto& r) { return holds(r.body, "Member 17"); }));
}

BOOST_AUTO_TEST_CASE(a_model_that_fails_leaves_the_draft_without) {
  dragoman::test::model_server model({{.times = -1, .status = 500}});
  const auto settings = folder.write("model.yaml", model_settings(model));
  const outcome_of_init done = init({"--describe-with", settings.string()});
  BOOST_TEST(done.status == 0);
  BOOST_TEST(model.count() == 1u);
  BOOST_TEST(holds(done.complained, "the model describes nothing more"), done.complained);
  BOOST_TEST(holds(done.said, "0 of 3 tables"), done.said);
  BOOST_TEST(!holds(drafted("semantics.yaml"), "by a model"));

  const auto far = folder.write("far.yaml", "llm:\n  base_url: http://8.8.8.8/v1\n  model: m\n");
  const outcome_of_init refused = init({"--force", "--describe-with", far.string()});
  BOOST_TEST(refused.status == 1);
  BOOST_TEST(holds(refused.complained, "8.8.8.8"), refused.complained);
  const outcome_of_init none = init({"--force", "--describe-with", folder.write("none.yaml", "{}\n").string()});
  BOOST_TEST(none.status == 1);
  BOOST_TEST(holds(none.complained, "no model is configured"), none.complained);
}

// ---- and served -----------------------------------------------------------------------------------------------------

namespace {

struct drafted_gateway {
  fixed_clock clock{civil_time{to_day_number({2025, 3, 10}), ticks_per_day / 2, 0}};
  std::unique_ptr<instance> gateway;

  // `verified` is appended to the layer, `more` to the configuration; principal `desk` may not see Phone.
  drafted_gateway(small_library& library, const std::string& verified, const std::string& more = {}) {
    const std::filesystem::path out = library.folder / "out";
    std::ofstream(out / "semantics.yaml", std::ios::app) << verified;
    std::string text = read_all(out / "dragoman.yaml");
    const std::string principals = "principals:\n";
    text.insert(text.find(principals) + principals.size(),
                "  desk:\n    inherits: manager\n    deny: [dbo.Member.Phone]\n");
    text.insert(text.find("server:\n") + 8, "  tls: not_supported\n");
    std::ofstream(out / "dragoman.yaml") << text << more;
    loaded_config loaded = load_everything(out / "dragoman.yaml");
    for (const auto& e : loaded.errors) BOOST_ERROR(e.to_string());
    BOOST_REQUIRE(loaded.complete());
    loaded.settings.server.port = 0;
    auto started = instance::start(std::move(loaded), clock);
    BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().message));
    gateway = std::move(*started);
    BOOST_REQUIRE(gateway->shared().load_values());
  }

  own_client client(const std::string& principal) {
    auto password = gateway->shared().add_own_login(principal + "1", principal);
    BOOST_REQUIRE(password.has_value());
    return own_client(gateway->port(), principal + "1", std::move(*password), "library", std::chrono::seconds(60));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_verified_question_reaches_a_client_through_the_guard) {
  BOOST_REQUIRE(init().status == 0);
  drafted_gateway served_draft(*this,
                               "verified:\n"
                               "  call_list:\n"
                               "    questions: [\"whom do we ring up\"]\n"
                               "    sql: SELECT m.Name, m.Phone FROM dbo.Member AS m JOIN dbo.[Book Loan] AS l ON "
                               "l.MemberID = m.MemberID WHERE l.Days > 10 ORDER BY m.MemberID\n");
  const client_answer rows = served_draft.client("manager").run(ask_statement("Whom do we ring up?"));
  BOOST_REQUIRE_MESSAGE(!rows.error, (rows.error ? rows.error->message : ""));
  BOOST_REQUIRE(rows.rows.size() == 2u);
  BOOST_TEST(std::get<std::string>(rows.rows[0][0]) == "Member 1");
  BOOST_TEST(std::get<std::string>(rows.rows[0][1]) == "555-1");
  BOOST_TEST(std::get<std::string>(rows.rows[1][0]) == "Member 60");

  const client_answer denied = served_draft.client("desk").run(ask_statement("Whom do we ring up?"));
  BOOST_REQUIRE(denied.error.has_value());
  BOOST_TEST(denied.rows.empty());
  BOOST_TEST(!holds(denied.error->message, "555-"), denied.error->message);
  BOOST_TEST_MESSAGE(denied.error->error_number() << " " << denied.error->message);
}

BOOST_AUTO_TEST_CASE(a_model_is_sent_the_grammar_of_its_principal) {
  BOOST_REQUIRE(init().status == 0);
  dragoman::test::model_server model(
      {{.times = -1, .content = "SELECT COUNT(*) AS member_count FROM dbo.Member AS m WHERE m.City = N'Oslo'"}});
  drafted_gateway served_draft(*this, "", model_settings(model) + "  grammar: gbnf\n");
  const client_answer rows = served_draft.client("desk").run(ask_statement("zzyzx quux of the northern fjord folk"));
  BOOST_REQUIRE_MESSAGE(!rows.error, (rows.error ? rows.error->message : ""));
  BOOST_REQUIRE(rows.rows.size() == 1u);
  BOOST_REQUIRE(model.count() == 1u);
  const std::string body = model.requests().at(0).body;
  BOOST_TEST(holds(body, R"("grammar":"root ::= \"OUT_OF_SCOPE\" | query)"), body);
  BOOST_TEST(holds(body, "[Book Loan]"));
  BOOST_TEST(!holds(body, "Phone"), body);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(sensitive_columns, library_with_people)

BOOST_AUTO_TEST_CASE(are_listed_and_their_values_written_nowhere) {
  const outcome_of_init done = init();
  BOOST_REQUIRE_MESSAGE(done.status == 0, done.complained);
  BOOST_TEST(holds(done.said, "columns look sensitive"), done.said);
  const nlq::semantic_layer drafted_layer = layer();
  const auto kind = [&](const char* table, const char* column) {
    const nlq::sensitive_column* s = drafted_layer.find_sensitive("dbo", table, column);
    return s == nullptr ? std::string() : s->kind;
  };
  BOOST_TEST(kind("Person", "Contact") == "email");
  BOOST_TEST(kind("Person", "kod_melli") == "national_id");
  BOOST_TEST(kind("Person", "Hoghoogh") == "salary");
  BOOST_TEST(kind("Person", "BirthDate") == "birth_date");
  BOOST_TEST(kind("Person", "Reference") == "card");
  BOOST_TEST(kind("Person", "Deposit") == "account");
  BOOST_TEST(kind("Member", "Phone") == "phone");
  for (const char* column : {"PersonID", "FullName", "Born", "Locker", "Desk", "PhoneVerified"})
    BOOST_TEST(kind("Person", column).empty(), column);
  BOOST_TEST(kind("Member", "CardNo").empty());
  for (const nlq::entity_field& f : entity_of(drafted_layer, "Person").fields)
    if (!kind("Person", f.column.c_str()).empty()) BOOST_TEST(!f.looked_up, f.column);
  for (const char* file : {"semantics.yaml", "catalog.yaml", "dragoman.yaml"}) {
    const std::string text = drafted(file);
    for (const char* value : {"@mail.example", "00123456", "7100", "7106", "4111111111111111", "DE8937", "1980-02"})
      BOOST_TEST(!holds(text, value), file << " holds " << value);
  }
  BOOST_TEST(holds(drafted("semantics.yaml"), "# row A | row B | row C"));
}

BOOST_AUTO_TEST_CASE(no_model_is_shown_their_values) {
  dragoman::test::model_server model(
      {{.times = -1, .content = R"({"description": "", "synonyms": [], "columns": []})"}});
  const auto settings = folder.write("model.yaml", model_settings(model));
  BOOST_TEST(init({"--describe-with", settings.string(), "--describe-values"}).status == 0);
  BOOST_TEST(model.count() == 4u);
  bool others = false;
  for (const auto& request : model.requests()) {
    others = others || holds(request.body, "row B");
    for (const char* value : {"@mail.example", "4111111111111111", "DE8937"}) BOOST_TEST(!holds(request.body, value));
  }
  BOOST_TEST(others);
}

BOOST_AUTO_TEST_CASE(check_warns_of_those_that_are_not_listed) {
  BOOST_REQUIRE(init().status == 0);
  const auto config_file = folder / "out" / "dragoman.yaml";
  const outcome_of_init listed = run_check(config_file);
  BOOST_TEST(listed.status == 0, listed.complained);
  BOOST_TEST(!holds(listed.said, "warning"), listed.said);
  // Somebody deletes what the draft listed.
  std::string text = drafted("semantics.yaml");
  const std::size_t from = text.find("sensitive:\n");
  BOOST_REQUIRE(from != std::string::npos);
  std::ofstream(folder / "out" / "semantics.yaml") << text.substr(0, from) + text.substr(text.find("\n\n", from));
  const outcome_of_init warned = run_check(config_file);
  BOOST_TEST(warned.status == 0, warned.complained);
  BOOST_TEST(holds(warned.said, "warning: dbo.Person.kod_melli looks like a person's identity number"), warned.said);
  BOOST_TEST(holds(warned.said, "warning: dbo.Member.Phone looks like a telephone number"), warned.said);
  BOOST_TEST(!holds(warned.said, "dbo.Person.FullName"), warned.said);
  // Denied to everybody: nothing to warn of.
  std::string rights = drafted("dragoman.yaml");
  const std::string allow = "    allow:\n";
  rights.insert(rights.find(allow), "    deny: [dbo.Person.kod_melli]\n");
  std::ofstream(config_file) << rights;
  BOOST_TEST(!holds(run_check(config_file).said, "dbo.Person.kod_melli"));
}

BOOST_AUTO_TEST_CASE(served_without_their_values) {
  BOOST_REQUIRE(init().status == 0);
  init_command::drafted_gateway gateway(*this, {});
  auto client = gateway.client("manager");
  const client_answer columns = client.run("EXEC nlq.columns N'dbo.Person'");
  BOOST_REQUIRE(!columns.error);
  std::map<std::string, std::string> reasons;
  for (const auto& row : columns.rows)
    reasons[value_text(row[2], sql_type{})] = is_null(row.back()) ? "" : value_text(row.back(), sql_type{});
  BOOST_TEST(reasons["Contact"] == "email");
  BOOST_TEST(reasons["kod_melli"] == "national_id");
  BOOST_TEST(reasons.contains("Locker"));
  BOOST_TEST(reasons["Locker"].empty());
  // Rights alone decide what may be asked for.
  BOOST_TEST(client.run("SELECT TOP (1) Contact FROM dbo.Person").rows.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
