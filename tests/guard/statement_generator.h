// Random statements over the demo's schema, well-formed and mostly resolvable, forbidden names among them. Choices come
// from a sequence of bytes, so that the same source serves a seeded test and a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::test {

class statement_generator {
 public:
  statement_generator(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::string statement() {
    std::string out;
    ctes_ = 0;
    if (chance(4)) {
      out = "WITH ";
      const unsigned n = 1 + pick(2);
      for (unsigned i = 0; i < n; ++i) {
        out += (i != 0 ? ", " : "") + ("c" + std::to_string(i)) + " AS (" + query(2, false) + ")";
        ++ctes_;
      }
      out += " ";
    }
    out += query(3, true);
    if (chance(12)) out += " OPTION (RECOMPILE)";
    return out;
  }

 private:
  struct table {
    std::string_view name;
    std::vector<std::string_view> columns;
  };
  struct source {
    std::string alias;
    std::vector<std::string> columns;
  };

  unsigned pick(unsigned n) {
    if (n <= 1) return 0;
    const unsigned b = at_ < size_ ? data_[at_++] : 0;
    return b % n;
  }
  bool chance(unsigned one_in) { return pick(one_in) == 1; }
  std::string_view of(std::initializer_list<std::string_view> list) {
    return *(list.begin() + pick(static_cast<unsigned>(list.size())));
  }

  static const std::vector<table>& tables() {
    static const std::vector<table> all{
        {"sales.[Order]",
         {"OrderID", "CustomerID", "BrokerID", "RingID", "StatusID", "Quantity", "TotalPrice", "Notes", "OrderDateID"}},
        {"sales.Customer", {"CustomerID", "Name", "Segment", "NationalID", "LocationID", "CreditLimit"}},
        {"ref.Broker", {"BrokerID", "Name", "Phone", "LicenseNo", "LocationID"}},
        {"ref.Ring", {"RingID", "Name", "NameEn", "Code"}},
        {"ref.Location", {"LocationID", "City", "Province"}},
        {"sales.[Date]", {"DateID", "FullDate", "Year", "PersianYear"}},
        {"Ring", {"RingID", "Name"}},
        {"SalesDb.ref.Symbol", {"SymbolID", "Code", "Category"}},
        {"hr.Salary", {"EmployeeID", "Name", "Amount"}},
    };
    return all;
  }

  std::string column(const std::vector<source>& from) {
    if (from.empty()) return "1";
    const source& s = from[pick(static_cast<unsigned>(from.size()))];
    if (s.columns.empty()) return "1";
    const std::string& c = s.columns[pick(static_cast<unsigned>(s.columns.size()))];
    return chance(4) && from.size() == 1 ? c : s.alias + "." + c;
  }

  std::string scalar(const std::vector<source>& from, int depth) {
    switch (depth <= 0 ? pick(4) : pick(14)) {
      case 0:
      case 1: return column(from);
      case 2: return std::to_string(pick(100));
      case 3: return std::string(of({"N'x'", "'a''b'", "NULL", "0x1F", "1.5", "$2"}));
      case 4: return scalar(from, depth - 1) + std::string(of({" + ", " - ", " * ", " % "})) + scalar(from, depth - 1);
      case 5: return "COALESCE(" + scalar(from, depth - 1) + ", " + scalar(from, depth - 1) + ")";
      case 6:
        return "CASE WHEN " + condition(from, depth - 1) + " THEN " + scalar(from, depth - 1) + " ELSE " +
               scalar(from, depth - 1) + " END";
      case 7:
        return std::string(of({"LEN", "UPPER", "CHECKSUM", "HASHBYTES", "ABS", "dbo.f", "DB_NAME"})) + "(" +
               scalar(from, depth - 1) + ")";
      case 8: return "CAST(" + scalar(from, depth - 1) + " AS nvarchar(20))";
      case 9: return "(SELECT MAX(" + inner_column(from, depth) + "))";
      case 10: return "(" + scalar(from, depth - 1) + ")";
      case 11: return "CONCAT(" + scalar(from, depth - 1) + ", " + scalar(from, depth - 1) + ")";
      case 12: return "ROW_NUMBER() OVER (ORDER BY " + column(from) + ")";
      default: return "JSON_OBJECT('k': " + column(from) + ")";
    }
  }

  // The rest of a subquery behind SELECT MAX( : a column and its FROM.
  std::string inner_column(const std::vector<source>& outer, int depth) {
    std::vector<source> own;
    const std::string from = table_source(own, depth - 1, outer);
    std::vector<source> all = outer;
    all.insert(all.end(), own.begin(), own.end());
    const std::string c = column(chance(3) ? all : own);
    return c + ") FROM " + from + " WHERE (" + condition(all, depth - 2);
  }

  std::string condition(const std::vector<source>& from, int depth) {
    switch (depth <= 0 ? pick(3) : pick(9)) {
      case 0:
      case 1: return column(from) + std::string(of({" = ", " > ", " <> ", " <= "})) + scalar(from, depth - 1);
      case 2: return column(from) + " IS NOT NULL";
      case 3:
        return "(" + condition(from, depth - 1) + std::string(of({" OR ", " AND "})) + condition(from, depth - 1) + ")";
      case 4: return "NOT (" + condition(from, depth - 1) + ")";
      case 5: return column(from) + " IN (" + scalar(from, depth - 1) + ", 3)";
      case 6: {
        std::vector<source> own;
        const std::string t = table_source(own, depth - 1, from);
        std::vector<source> all = from;
        all.insert(all.end(), own.begin(), own.end());
        return "EXISTS (SELECT * FROM " + t + " WHERE " + condition(all, depth - 2) + ")";
      }
      case 7: return column(from) + " LIKE N'%a%'";
      default: return column(from) + " BETWEEN 1 AND " + scalar(from, depth - 1);
    }
  }

  std::string table_source(std::vector<source>& out, int depth, const std::vector<source>& outer) {
    const std::string alias = "t" + std::to_string(next_++);
    if (ctes_ > 0 && chance(4)) {
      out.push_back({alias, {"a", "b"}});
      return "c" + std::to_string(pick(ctes_)) + " AS " + alias;
    }
    if (depth > 0 && chance(5)) {
      out.push_back({alias, {"a", "b"}});
      return "(" + query(depth - 1, false) + ") AS " + alias;
    }
    if (chance(12)) {
      out.push_back({alias, {"k", "v"}});
      return "(VALUES (1, " + column(outer) + "), (2, 3)) AS " + alias + "(k, v)";
    }
    const table& t = tables()[pick(static_cast<unsigned>(tables().size()))];
    source s{alias, {}};
    for (auto c : t.columns) s.columns.emplace_back(c);
    out.push_back(std::move(s));
    return std::string(t.name) + " AS " + alias + std::string(of({"", "", " WITH (NOLOCK)", " WITH (TABLOCKX)"}));
  }

  std::string from_clause(std::vector<source>& out, int depth) {
    std::string text = table_source(out, depth, {});
    const unsigned joins = pick(3);
    for (unsigned i = 0; i < joins; ++i) {
      if (chance(5)) {
        std::vector<source> own;
        const std::string inner = table_source(own, 0, {});
        const std::string alias = "t" + std::to_string(next_++);
        std::vector<source> all = out;
        all.insert(all.end(), own.begin(), own.end());
        text += " CROSS APPLY (SELECT TOP 1 " + column(all) + " AS a, " + column(all) + " AS b FROM " + inner +
                " WHERE " + condition(all, 0) + ") AS " + alias;
        out.push_back({alias, {"a", "b"}});
        continue;
      }
      const std::vector<source> left = out;
      std::vector<source> right;
      const std::string t = table_source(right, depth - 1, {});
      out.insert(out.end(), right.begin(), right.end());
      text +=
          std::string(of({" JOIN ", " LEFT JOIN ", " FULL JOIN "})) + t + " ON " + column(left) + " = " + column(right);
      if (chance(4)) text += " AND " + condition(out, 0);
    }
    return text;
  }

  // Always two columns, named a and b unless it is the outermost.
  std::string query(int depth, bool outermost) {
    if (depth > 0 && chance(7)) {
      return select(depth - 1, false) + std::string(of({" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT "})) +
             select(depth - 1, false) + (outermost && chance(3) ? " ORDER BY a" : "");
    }
    return select(depth, outermost);
  }

  std::string select(int depth, bool outermost) {
    std::vector<source> from;
    const std::string sources = from_clause(from, depth);
    const std::string where = chance(2) ? " WHERE " + condition(from, depth) : "";
    const std::string top = chance(5) ? "TOP (" + std::to_string(pick(200)) + ") " : chance(9) ? "DISTINCT " : "";
    if (outermost && chance(5)) {
      return "SELECT " + top + std::string(chance(2) ? "*" : from[0].alias + ".*") + " FROM " + sources + where +
             std::string(of({"", "", " FOR JSON PATH", " FOR XML RAW"}));
    }
    if (chance(5)) {
      const std::string key = column(from);
      return "SELECT " + key + " AS a, COUNT(*) AS b FROM " + sources + where + " GROUP BY " + key +
             (chance(3) ? " HAVING COUNT(*) > 1" : "");
    }
    std::string out =
        "SELECT " + top + scalar(from, depth) + " AS a, " + scalar(from, depth) + " AS b FROM " + sources + where;
    if (outermost && chance(3)) out += " ORDER BY " + std::string(of({"a", "2", "b DESC"}));
    if (outermost && chance(20)) out += "; DROP TABLE ref.Ring";
    return out;
  }

  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
  unsigned next_ = 0;
  unsigned ctes_ = 0;
};

}  // namespace dragoman::test
