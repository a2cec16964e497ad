// No text of any size or depth crashes the guard, holds it for a second or makes it take 64 MiB: the limits answer
// first. Each shape is tried small, at its limit and far beyond; time is the thread's processor time, memory what was
// allocated at once beyond the text itself.
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/limits.h"
#include "demo_policy.h"
#include "guard/guard.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace {

std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> peak{0};

void* counted(std::size_t size) {
  void* p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(p));
  if (now > peak) peak = now;
  return p;
}

void release(void* p) noexcept {
  if (p != nullptr) held -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
// All forms come from here, or a sanitizer sees memory that is taken in one way and given back in another.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* p) noexcept {
  release(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  release(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  release(p);
}
void operator delete[](void* p) noexcept {
  release(p);
}
void operator delete(void* p, std::size_t) noexcept {
  release(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  release(p);
}

namespace {

using namespace dragoman;

#if defined(__SANITIZE_ADDRESS__)
constexpr double seconds_allowed = 15;  // the sanitizers' own cost
#else
constexpr double seconds_allowed = 1;
#endif
constexpr double mib_allowed = 64;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::string times(std::size_t n, const std::string& part) {
  std::string out;
  out.reserve(part.size() * n);
  for (std::size_t i = 0; i < n; ++i) out += part;
  return out;
}

// part(0), part(1) … with `between`.
std::string list(std::size_t n, const std::function<std::string(std::string)>& part, const char* between = ", ") {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != 0) out += between;
    out += part(std::to_string(i));
  }
  return out;
}

struct shape {
  const char* name;
  std::function<std::string(std::size_t)> text;
};

const std::vector<shape>& shapes() {
  using s = std::string;
  const auto c = [](s i) { return "c" + i; };
  static const std::vector<shape> all{
      {"parentheses", [](auto n) { return "SELECT " + times(n, "(") + "1" + times(n, ")"); }},
      {"parentheses of a query", [](auto n) { return times(n, "(") + "SELECT 1 AS a" + times(n, ")"); }},
      {"parentheses of a join",
       [](auto n) { return "SELECT 1 AS a FROM " + times(n, "(") + "ref.Ring AS r" + times(n, ")"); }},
      {"CASE in CASE", [](auto n) { return "SELECT " + times(n, "CASE WHEN 1 = 1 THEN ") + "1" + times(n, " END"); }},
      {"CASE in ELSE",
       [](auto n) { return "SELECT " + times(n, "CASE WHEN 1 = 1 THEN 1 ELSE ") + "1" + times(n, " END"); }},
      {"WHENs", [](auto n) { return "SELECT CASE RingID " + times(n, "WHEN 1 THEN 2 ") + "END FROM ref.Ring"; }},
      {"NOT", [](auto n) { return "SELECT 1 AS a FROM ref.Ring WHERE " + times(n, "NOT ") + "RingID = 1"; }},
      {"NOT (",
       [](auto n) { return "SELECT 1 AS a FROM ref.Ring WHERE " + times(n, "NOT (") + "RingID = 1" + times(n, ")"); }},
      {"minus", [](auto n) { return "SELECT " + times(n, "- ") + "1"; }},
      {"tilde", [](auto n) { return "SELECT " + times(n, "~") + "1"; }},
      {"sum", [](auto n) { return "SELECT RingID" + times(n, " + RingID") + " FROM ref.Ring"; }},
      {"sums",
       [](auto n) {
         return "SELECT " +
                list(n / 400 + 1, [&](s) { return "RingID" + times(std::min<std::size_t>(n, 400), " + RingID"); }) +
                " FROM ref.Ring";
       }},
      {"texts", [](auto n) { return "SELECT N''" + times(n, " + N'a'"); }},
      {"COLLATE", [](auto n) { return "SELECT N'a'" + times(n, " COLLATE Latin1_General_BIN"); }},
      {"AT TIME ZONE", [](auto n) { return "SELECT GETDATE()" + times(n, " AT TIME ZONE 'UTC'"); }},
      {"calls", [](auto n) { return "SELECT " + times(n, "ABS(") + "1" + times(n, ")"); }},
      {"arguments", [](auto n) { return "SELECT CONCAT(N'a'" + times(n, ", Name") + ") FROM ref.Ring"; }},
      {"methods", [](auto n) { return "SELECT Name" + times(n, ".value('a', 'int')") + " FROM ref.Ring"; }},
      {"subqueries in SELECT", [](auto n) { return times(n, "SELECT (") + "SELECT 1" + times(n, ")"); }},
      {"subqueries in FROM",
       [](auto n) { return times(n, "SELECT * FROM (") + "SELECT * FROM ref.Ring" + times(n, ") AS t"); }},
      {"subqueries in EXISTS",
       [](auto n) { return times(n, "SELECT 1 AS a FROM ref.Ring WHERE EXISTS (") + "SELECT 1 AS a" + times(n, ")"); }},
      {"subqueries beside each other",
       [](auto n) {
         return "SELECT " + list(n, [](s i) { return "(SELECT MAX(Name) FROM ref.Ring AS r" + i + ") AS c" + i; });
       }},
      {"CTE chain",
       [](auto n) {
         return "WITH c0 AS (SELECT RingID FROM ref.Ring)" +
                list(
                    n, [](s i) { return ", c" + std::to_string(std::stoul(i) + 1) + " AS (SELECT * FROM c" + i + ")"; },
                    "") +
                " SELECT * FROM c" + std::to_string(n);
       }},
      {"CTE doubling",
       [](auto n) {
         return "WITH c0 AS (SELECT RingID FROM ref.Ring)" +
                list(
                    n,
                    [](s i) {
                      return ", c" + std::to_string(std::stoul(i) + 1) + " AS (SELECT a.RingID FROM c" + i +
                             " AS a JOIN c" + i + " AS b ON a.RingID = b.RingID)";
                    },
                    "") +
                " SELECT * FROM c" + std::to_string(n);
       }},
      {"CTE doubling columns",
       [](auto n) {
         return "WITH c0 AS (SELECT 1 AS a, 2 AS b)" +
                list(
                    n,
                    [](s i) {
                      return ", c" + std::to_string(std::stoul(i) + 1) + " AS (SELECT x.*, y.* FROM c" + i +
                             " AS x CROSS JOIN c" + i + " AS y)";
                    },
                    "") +
                " SELECT * FROM c" + std::to_string(n);
       }},
      {"stars doubling in the result",
       [](auto n) { return "SELECT " + list(n, [](s) { return "o.*"; }) + " FROM sales.[Order] AS o"; }},
      {"stars through derived tables",
       [](auto n) {
         return times(std::min<std::size_t>(n, 30), "SELECT * FROM (") + "SELECT " +
                list(n, [](s i) { return "1 AS c" + i; }) + times(std::min<std::size_t>(n, 30), ") AS t");
       }},
      {"stars through CTEs",
       [c](auto n) {
         return "WITH d0 AS (SELECT " + list(n, [](s i) { return "1 AS c" + i; }) + ")" +
                list(
                    std::min<std::size_t>(n, 60),
                    [](s i) { return ", d" + std::to_string(std::stoul(i) + 1) + " AS (SELECT * FROM d" + i + ")"; },
                    "") +
                " SELECT * FROM d" + std::to_string(std::min<std::size_t>(n, 60));
       }},
      {"stars of many CTEs",
       [c](auto n) {
         return "WITH d AS (SELECT " + list(n, [](s i) { return "1 AS c" + i; }) + ") SELECT " +
                list(std::min<std::size_t>(n, 60), [](s i) { return "x" + i + ".*"; }) + " FROM " +
                list(
                    std::min<std::size_t>(n, 60), [](s i) { return "d AS x" + i; }, " CROSS JOIN ");
       }},
      {"many names of a wide derived table",
       [c](auto n) {
         return "SELECT " + list(n, c) + " FROM (SELECT " + list(n, [](s i) { return "1 AS c" + i; }) + ") AS t";
       }},
      {"wide derived tables in each other",
       [c](auto n) {
         s out = "SELECT " + list(n, [](s i) { return "1 AS c" + i; });
         for (int k = 0; k < 12; ++k) out = "SELECT " + list(n, c) + " FROM (" + out + ") AS t";
         return out;
       }},
      {"alias column list",
       [c](auto n) {
         return "SELECT * FROM (SELECT " + list(n, [](s i) { return i; }) + ") AS t(" + list(n, c) + ")";
       }},
      {"IN list", [](auto n) { return "SELECT Name FROM ref.Ring WHERE RingID IN (1" + times(n, ", 1") + ")"; }},
      {"IN lists",
       [](auto n) {
         return "SELECT Name FROM ref.Ring WHERE " +
                list(
                    n / 100 + 1, [](s) { return "RingID IN (1" + times(100, ", 1") + ")"; }, " OR ");
       }},
      {"OR", [](auto n) { return "SELECT Name FROM ref.Ring WHERE RingID = 1" + times(n, " OR RingID = 1"); }},
      {"AND", [](auto n) { return "SELECT Name FROM ref.Ring WHERE RingID = 1" + times(n, " AND RingID = 1"); }},
      {"OR and AND by turns",
       [](auto n) {
         return "SELECT Name FROM ref.Ring WHERE " + times(n, "(RingID = 1 OR (RingID = 1 AND ") + "1 = 1" +
                times(n, "))");
       }},
      {"GROUP BY columns",
       [](auto n) { return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY OrderID" + times(n, ", OrderID"); }},
      {"GROUP BY expressions",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY " + list(n, [](s i) { return "OrderID + " + i; });
       }},
      {"GROUP BY and SELECT of expressions",
       [](auto n) {
         return "SELECT " + list(n, [](s i) { return "OrderID + " + i + " AS c" + i; }) +
                " FROM sales.[Order] GROUP BY " + list(n, [](s i) { return "OrderID + " + i; });
       }},
      {"GROUP BY of sums",
       [](auto n) {
         return "SELECT " +
                list(n / 50 + 1, [](s i) { return "OrderID" + times(50, " + OrderID") + " + " + i + " AS c" + i; }) +
                " FROM sales.[Order] GROUP BY " +
                list(n / 50 + 1, [](s i) { return "OrderID" + times(50, " + OrderID") + " + " + i; });
       }},
      {"GROUP BY of one long sum",
       [](auto n) {
         const s sum = "OrderID" + times(std::min<std::size_t>(n, 900), " + OrderID");
         return "SELECT " + list(n / 900 + 1, [&](s i) { return sum + " + 1 AS c" + i; }) +
                " FROM sales.[Order] GROUP BY " + sum + " + 1, " + sum;
       }},
      {"GROUP BY of many columns, SELECT of the same",
       [c](auto n) {
         return "SELECT " + list(n, c) + " FROM (SELECT " + list(n, [](s i) { return "1 AS c" + i; }) +
                ") AS t GROUP BY " + list(n, c);
       }},
      {"ROLLUP",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY ROLLUP(OrderID" + times(n, ", OrderID") + ")";
       }},
      {"CUBE",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY CUBE(OrderID" + times(n, ", OrderID") + ")";
       }},
      {"CUBEs",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY " +
                list(n, [](s) { return "CUBE(OrderID, BrokerID)"; });
       }},
      {"GROUPING SETS",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY GROUPING SETS(" +
                list(n, [](s) { return "(OrderID, BrokerID)"; }) + ")";
       }},
      {"GROUPING SETS in each other",
       [](auto n) {
         return "SELECT COUNT(*) AS n FROM sales.[Order] GROUP BY " + times(n, "GROUPING SETS(") + "OrderID" +
                times(n, ")");
       }},
      {"ORDER BY", [](auto n) { return "SELECT Name FROM ref.Ring ORDER BY Name" + times(n, ", Name"); }},
      {"ORDER BY of an alias that comes often",
       [](auto n) {
         return "SELECT " + list(n, [](s) { return "RingID"; }) + " FROM ref.Ring ORDER BY " +
                list(n, [](s) { return "RingID"; });
       }},
      {"ORDER BY of aliases",
       [c](auto n) {
         return "SELECT " + list(n, [](s i) { return "RingID AS c" + i; }) + " FROM ref.Ring ORDER BY " + list(n, c);
       }},
      {"ORDER BY of a set",
       [c](auto n) {
         return "SELECT " + list(n, [](s i) { return "RingID AS c" + i; }) + " FROM ref.Ring UNION SELECT " +
                list(n, [](s i) { return i; }) + " ORDER BY " + list(n, c);
       }},
      {"DISTINCT with ORDER BY of expressions",
       [](auto n) {
         return "SELECT DISTINCT " + list(n, [](s i) { return "RingID + " + i + " AS c" + i; }) +
                " FROM ref.Ring ORDER BY " + list(n, [](s i) { return "RingID + " + i; });
       }},
      {"DISTINCT with ORDER BY of columns",
       [](auto n) {
         return "SELECT DISTINCT " + list(n, [](s i) { return "r.RingID AS c" + i; }) +
                " FROM ref.Ring AS r ORDER BY " + list(n, [](s) { return "r.RingID"; });
       }},
      {"windows",
       [](auto n) {
         return "SELECT " +
                list(n, [](s i) { return "SUM(RingID) OVER (PARTITION BY Name ORDER BY RingID) AS c" + i; }) +
                " FROM ref.Ring";
       }},
      {"named windows",
       [](auto n) {
         return "SELECT " + list(n, [](s i) { return "SUM(RingID) OVER w" + i + " AS c" + i; }) +
                " FROM ref.Ring WINDOW " + list(n, [](s i) { return "w" + i + " AS (ORDER BY RingID)"; });
       }},
      {"named windows on each other",
       [](auto n) {
         return "SELECT SUM(RingID) OVER w0 AS c FROM ref.Ring WINDOW " +
                list(n, [](s i) { return "w" + i + " AS (w" + std::to_string(std::stoul(i) + 1) + ")"; }) + ", w" +
                std::to_string(n) + " AS (ORDER BY RingID)";
       }},
      {"joins",
       [](auto n) {
         return "SELECT 1 AS a FROM ref.Ring AS r" +
                list(
                    n, [](s i) { return " JOIN ref.Ring AS x" + i + " ON x" + i + ".RingID = r.RingID"; }, "");
       }},
      {"nested joins",
       [](auto n) {
         return "SELECT 1 AS a FROM " +
                list(
                    n + 1, [](s i) { return "ref.Ring AS x" + i; }, " JOIN ") +
                list(
                    n, [](s) { return " ON 1 = 1"; }, "");
       }},
      {"cross joins",
       [](auto n) {
         return "SELECT 1 AS a FROM ref.Ring AS r" + list(
                                                         n, [](s i) { return " CROSS JOIN ref.Ring AS x" + i; }, "");
       }},
      {"comma joins",
       [](auto n) { return "SELECT 1 AS a FROM " + list(n + 1, [](s i) { return "ref.Ring AS x" + i; }); }},
      {"applies",
       [](auto n) {
         return "SELECT 1 AS a FROM ref.Ring AS r" +
                list(
                    n, [](s i) { return " CROSS APPLY (SELECT r.RingID AS k" + i + ") AS x" + i; }, "");
       }},
      {"applies in each other",
       [](auto n) {
         return "SELECT 1 AS a FROM ref.Ring AS r" +
                list(
                    n, [](s i) { return " CROSS APPLY (SELECT 1 AS k FROM ref.Ring AS x" + i; }, "") +
                list(
                    n, [](s i) { return ") AS y" + i; }, "");
       }},
      {"UNION ALL", [](auto n) { return "SELECT 1 AS a" + times(n, " UNION ALL SELECT 1"); }},
      {"EXCEPT in parentheses",
       [](auto n) { return times(n, "(SELECT 1 AS a EXCEPT ") + "SELECT 1 AS a" + times(n, ")"); }},
      {"wide UNION ALL",
       [](auto n) {
         return list(
             std::min<std::size_t>(n, 200), [&](s) { return "SELECT " + list(n, [](s i) { return i; }); },
             " UNION ALL ");
       }},
      {"VALUES", [](auto n) { return "SELECT a FROM (VALUES (1)" + times(n, ", (1)") + ") AS v(a)"; }},
      {"VALUES columns",
       [c](auto n) {
         return "SELECT * FROM (VALUES (" + list(n, [](s i) { return i; }) + ")) AS v(" + list(n, c) + ")";
       }},
      {"PIVOT values",
       [](auto n) {
         return "SELECT * FROM (SELECT RingID, Name FROM ref.Ring) AS r PIVOT (MAX(Name) FOR RingID IN (" +
                list(n, [](s i) { return "[" + i + "]"; }) + ")) AS p";
       }},
      {"PIVOTs",
       [](auto n) {
         return "SELECT * FROM (SELECT RingID, Name FROM ref.Ring) AS r" +
                list(
                    n, [](s i) { return " PIVOT (MAX(Name) FOR RingID IN ([" + i + "])) AS p" + i; }, "");
       }},
      {"UNPIVOT columns",
       [c](auto n) {
         return "SELECT * FROM (SELECT " + list(n, [](s i) { return "1 AS c" + i; }) + ") AS r UNPIVOT (v FOR k IN (" +
                list(n, c) + ")) AS u";
       }},
      {"one long text", [](auto n) { return "SELECT N'" + times(n, "xxxxxxxx") + "' AS a"; }},
      {"quotes in a text", [](auto n) { return "SELECT N'" + times(n, "''") + "' AS a"; }},
      {"brackets in a name", [](auto n) { return "SELECT 1 AS [" + times(n, "]]") + "]"; }},
      {"binary", [](auto n) { return "SELECT 0x" + times(n, "00FF") + " AS a"; }},
      {"digits", [](auto n) { return "SELECT " + times(n, "9") + " AS a"; }},
      {"comments", [](auto n) { return "SELECT " + times(n, "/* comment */") + "1 AS a"; }},
      {"comments in each other", [](auto n) { return "SELECT " + times(n, "/*") + times(n, "*/") + "1 AS a"; }},
      {"open comments", [](auto n) { return "SELECT 1 AS a " + times(n, "/*"); }},
      {"lines of comments", [](auto n) { return "SELECT " + times(n, "-- comment\n") + "1 AS a"; }},
      {"blanks", [](auto n) { return "SELECT " + times(n, " \t\r\n") + "1 AS a"; }},
      {"semicolons", [](auto n) { return "SELECT 1 AS a" + times(n, ";"); }},
      {"statements", [](auto n) { return times(n, "SELECT Name FROM ref.Ring;"); }},
      {"statements of a restricted table", [](auto n) { return times(n, "SELECT * FROM sales.[Order];"); }},
      {"declarations",
       [](auto n) {
         return list(
                    n, [](s i) { return "DECLARE @v" + i + " int = " + i; }, "; ") +
                "; SELECT Name FROM ref.Ring";
       }},
      {"declarations and their use",
       [](auto n) {
         return list(
                    n, [](s i) { return "DECLARE @v" + i + " int = " + i; }, "; ") +
                list(
                    n, [](s i) { return "; SELECT Name FROM ref.Ring WHERE RingID = @v" + i; }, "");
       }},
      {"IFs", [](auto n) { return times(n, "IF 1 = 1 ") + "SELECT 1 AS a"; }},
      {"BEGINs", [](auto n) { return times(n, "BEGIN ") + "SELECT 1 AS a" + times(n, " END"); }},
      {"parts of a name", [](auto n) { return "SELECT a" + times(n, ".a") + " FROM ref.Ring"; }},
      {"parts of a table's name", [](auto n) { return "SELECT 1 AS a FROM a" + times(n, ".a"); }},
      {"dots", [](auto n) { return "SELECT 1 AS a FROM a" + times(n, "."); }},
      {"hints", [](auto n) { return "SELECT Name FROM ref.Ring WITH (NOLOCK" + times(n, ", NOLOCK") + ")"; }},
      {"options", [](auto n) { return "SELECT Name FROM ref.Ring OPTION (RECOMPILE" + times(n, ", RECOMPILE") + ")"; }},
      {"OPTIMIZE FOR",
       [](auto n) { return "SELECT Name FROM ref.Ring OPTION (OPTIMIZE FOR (@a = 1" + times(n, ", @a = 1") + "))"; }},
      {"OPENJSON columns",
       [](auto n) {
         return "SELECT * FROM OPENJSON(N'[]') WITH (" + list(n, [](s i) { return "c" + i + " int"; }) + ") AS j";
       }},
      {"JSON_OBJECT",
       [](auto n) { return "SELECT JSON_OBJECT(" + list(n, [](s i) { return "'k" + i + "': " + i; }) + ") AS j"; }},
      {"ODBC escapes", [](auto n) { return "SELECT " + times(n, "{fn ABS(") + "1" + times(n, ")}"); }},
      {"ODBC joins", [](auto n) { return "SELECT 1 AS a FROM " + times(n, "{oj ") + "ref.Ring AS r" + times(n, "}"); }},
      {"LIKE", [](auto n) { return "SELECT Name FROM ref.Ring WHERE Name LIKE N'" + times(n, "%a") + "'"; }},
      {"wide rows narrowed often",
       [](auto n) {
         return "SELECT 1 AS a FROM sales.[Order] AS o WHERE " +
                list(
                    n,
                    [](s i) {
                      return "EXISTS (SELECT * FROM sales.[Order] AS x" + i + " WHERE x" + i + ".OrderID = o.OrderID)";
                    },
                    " AND ");
       }},
      {"correlation through all levels",
       [](auto n) {
         return "SELECT 1 AS a FROM ref.Ring AS r WHERE " +
                list(
                    n,
                    [](s i) {
                      return "EXISTS (SELECT 1 AS a FROM ref.Ring AS x" + i + " WHERE x" + i +
                             ".RingID = r.RingID AND ";
                    },
                    "") +
                "1 = 1" + times(n, ")");
       }},
  };
  return all;
}

struct cost {
  double seconds = 0;
  double mib = 0;
};

template <class F>
cost cost_of(F work) {
  const std::int64_t before = held;
  peak = before;
  const double start = thread_seconds();
  work();
  return {thread_seconds() - start, static_cast<double>(peak - before) / (1024 * 1024)};
}

BOOST_AUTO_TEST_SUITE(guard_hostile)

BOOST_AUTO_TEST_CASE(no_text_costs_a_second_or_64_mib) {
  const auto& principal = test::demo_policy("broker7");
  const bool verbose = std::getenv("DRAGOMAN_HOSTILE") != nullptr;
  cost worst;
  std::string slowest, largest;
  std::size_t tried = 0, accepted = 0;
  for (const shape& s : shapes()) {
    for (std::size_t n :
         {3u, 30u, 60u, 250u, 1'000u, 4'000u, 6'000u, 10'000u, 15'000u, 50'000u, 200'000u, 1'000'000u}) {
      const std::string text = s.text(n);
      // One text just beyond the limit is enough: the length is looked at first.
      const bool last = text.size() > limits::statement_bytes_max;
      bool accept = false;
      for (const bool generated : {false, true}) {
        guard::check_options options;
        options.profile = generated ? guard::profile::generated : guard::profile::sql;
        const cost c =
            cost_of([&] { accept |= guard::check(text, principal, options).kind == guard::verdict_kind::accept; });
        ++tried;
        if (c.seconds > worst.seconds) slowest = std::string(s.name) + " " + std::to_string(n);
        if (c.mib > worst.mib) largest = std::string(s.name) + " " + std::to_string(n);
        worst = {std::max(worst.seconds, c.seconds), std::max(worst.mib, c.mib)};
        if (verbose && (c.seconds > 0.1 || c.mib > 20))
          std::cout << s.name << ' ' << n << ": " << c.seconds << " s, " << c.mib << " MiB"
                    << (accept ? ", accepted" : "") << '\n';
        BOOST_TEST(c.seconds < seconds_allowed, s.name << " " << n << ": " << c.seconds << " s");
        BOOST_TEST(c.mib < mib_allowed, s.name << " " << n << ": " << c.mib << " MiB");
        if (c.seconds > 5) break;
      }
      accepted += accept ? 1 : 0;
      const cost c = cost_of([&] {
        if (const auto tree = tsql::parse_query(text)) (void)tsql::print(*tree);
      });
      BOOST_TEST(c.seconds < seconds_allowed, "parse and print of " << s.name << " " << n << ": " << c.seconds << " s");
      BOOST_TEST(c.mib < mib_allowed, "parse and print of " << s.name << " " << n << ": " << c.mib << " MiB");
      if (last) break;
    }
  }
  std::cout << "hostile texts: " << tried << " checks of " << shapes().size() << " shapes, " << accepted
            << " accepted, slowest " << worst.seconds << " s (" << slowest << "), largest " << worst.mib << " MiB ("
            << largest << ")\n";
  // Small ones must pass, or the shapes are only wrong.
  BOOST_TEST(accepted > shapes().size());
}

BOOST_AUTO_TEST_CASE(stars_count_as_what_they_stand_for) {
  const auto& principal = test::demo_policy("broker7");
  const auto stars = [](std::size_t n) {
    return "SELECT " + list(n, [](std::string) { return "o.*"; }) + " FROM sales.[Order] AS o";
  };
  BOOST_TEST((guard::check(stars(200), principal).kind == guard::verdict_kind::accept));
  const auto refused = guard::check(stars(300), principal);
  BOOST_TEST((refused.code == errc::too_complex));
  BOOST_TEST(refused.message == "A SELECT may give at most 4096 columns.");
  // Inside of EXISTS a star is one thing.
  BOOST_TEST((guard::check("SELECT 1 AS a WHERE EXISTS (SELECT * FROM sales.[Order] AS o)", principal).kind ==
              guard::verdict_kind::accept));
  const std::string variables = list(
                                    2101, [](std::string i) { return "DECLARE @v" + i + " int"; }, "; ") +
                                "; SELECT Name FROM ref.Ring";
  BOOST_TEST((guard::check(variables, principal).code == errc::too_complex));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
