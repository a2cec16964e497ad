// Random SELECTs with types over tables of a catalogue: every kind of source, join, set operation, grouping and
// subquery, and the names that try a rewrite (aliases called like tables or forbidden columns, quotes inside of names,
// no alias at all). They run and are deterministic: TOP stands with an ORDER BY over every column, windows have no ties
// to break.
//
// Choices come from a sequence of bytes; when they run out every choice is the first one, which never recurses.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "guard/catalog/catalog.h"

namespace dragoman::test {

enum class value_kind : std::uint8_t { number, text, other };

struct generated_column {
  std::string name;  // unquoted
  value_kind kind = value_kind::number;
};

struct generated_table {
  std::string schema;
  std::string name;
  std::vector<generated_column> columns;
};

// Every table and column of a catalogue; numbers and texts by type, the rest only for `*`.
inline std::vector<generated_table> tables_of(const catalog::database& schema) {
  std::vector<generated_table> out;
  for (const auto& t : schema.tables) {
    generated_table g{t.schema, t.name, {}};
    for (const auto& c : t.columns) {
      switch (c.type.id) {
        case sql_type_id::tinyint:
        case sql_type_id::smallint:
        case sql_type_id::int_:
        case sql_type_id::bigint:
        case sql_type_id::decimal:
        case sql_type_id::numeric: g.columns.push_back({c.name, value_kind::number}); break;
        case sql_type_id::char_:
        case sql_type_id::varchar:
        case sql_type_id::nchar:
        case sql_type_id::nvarchar: g.columns.push_back({c.name, value_kind::text}); break;
        default: g.columns.push_back({c.name, value_kind::other}); break;
      }
    }
    out.push_back(std::move(g));
  }
  return out;
}

class query_generator {
 public:
  query_generator(const std::uint8_t* data, std::size_t size, const std::vector<generated_table>& tables)
      : data_(data), size_(size), tables_(tables) {}

  std::string statement() {
    std::string out;
    const unsigned ctes = pick(4) == 1 ? 1 + pick(3) : 0;
    for (unsigned i = 0; i < ctes; ++i) {
      out += i == 0 ? "WITH " : ", ";
      out += common_table();
    }
    if (ctes != 0) out += " ";
    columns shape;
    const std::string body = query(3, {}, shape, nullptr, false);
    out += body;
    ordered_ = !ends_in_order_ && chance(2);
    if (ordered_) out += order_by_all(shape.size()) + offset();
    ordered_ = ordered_ || ends_in_order_;
    return out;
  }

  // Whether the rows of the last statement have one order only.
  bool ordered() const { return ordered_; }

 private:
  using columns = std::vector<generated_column>;
  struct source {
    std::string qualifier;  // as written in front of a column
    columns list;
    bool outer = false;
  };
  using sources = std::vector<source>;

  // ---- choices
  unsigned pick(unsigned n) {
    if (n <= 1) return 0;
    return (at_ < size_ ? data_[at_++] : 0u) % n;
  }
  bool chance(unsigned one_in) { return pick(one_in) == one_in - 1; }
  std::string of(std::initializer_list<const char*> list) {
    return *(list.begin() + pick(static_cast<unsigned>(list.size())));
  }

  // ---- names
  std::string quoted(const std::string& name) {
    const bool plain =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    const unsigned way = pick(
        plain && std::isalpha(static_cast<unsigned char>(name[0])) != 0 && name != "Order" && name != "Date" ? 8 : 2);
    if (way == 1) {
      std::string out = "\"";
      for (char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
      return out + "\"";
    }
    if (way == 0 || way > 5) {
      std::string out = "[";
      for (char c : name) out += c == ']' ? "]]" : std::string(1, c);
      return out + "]";
    }
    std::string out = name;
    if (way == 3) std::transform(out.begin(), out.end(), out.begin(), [](char c) { return std::toupper(c); });
    return out;
  }
  // A new alias; some are made to confuse: names of tables, of columns, quotes.
  std::string alias() {
    ++next_;
    const std::string number = std::to_string(next_);
    if (!chance(4)) return "t" + number;
    std::string name = of({"Ring", "Salary", "a]b", "a\"b", "Phone", "sales", "x y", "Customer", "dbo", "Broker",
                           "\xD8\xB3", "ref_Ring", "sales_Order", "sales_Customer", "ref_Broker", "capped", "Order"});
    for (const auto& used : names_)
      if (used == name) return "t" + number;
    names_.push_back(name);
    return name;
  }
  std::string output_name(std::size_t i) {
    if (chance(5)) {
      const std::string name = of({"NationalID", "Phone", "Name", "BrokerID", "x y", "]", "Amount"});
      return i == 0 ? name : name + std::to_string(i);
    }
    return "c" + std::to_string(i);
  }

  // ---- columns
  // A column of the kind, or empty.
  std::string column(const sources& from, value_kind kind) { return column(from, kind, from); }
  // The same out of a part of what is visible.
  std::string column(const sources& from, value_kind kind, const sources& visible) {
    std::vector<std::pair<const source*, const generated_column*>> all;
    for (const auto& s : from)
      for (const auto& c : s.list)
        if (c.kind == kind) all.emplace_back(&s, &c);
    if (all.empty()) return {};
    const auto [s, c] = all[pick(static_cast<unsigned>(std::min<std::size_t>(all.size(), 256)))];
    std::size_t same = 0;
    for (const auto& other : visible)
      for (const auto& k : other.list) same += equal(k.name, c->name) ? 1 : 0;
    if (same == 1 && (!s->outer || chance(2)) && chance(3)) return quoted(c->name);
    return s->qualifier + "." + quoted(c->name);
  }
  static bool equal(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
  }

  // ---- expressions
  std::string value(const sources& from, value_kind kind, int depth) {
    return kind == value_kind::number ? number(from, depth) : text(from, depth);
  }

  std::string number(const sources& from, int depth) {
    switch (depth <= 0 ? pick(4) : pick(20)) {
      case 0:
      case 1:
      case 2: {
        const std::string c = column(from, value_kind::number);
        return c.empty() ? "7" : c;
      }
      case 3: return of({"1", "0", "3", "NULL", "-2", "7", "2.5"});
      case 4:
      case 5: return "(" + number(from, depth - 1) + of({" + ", " - "}) + number(from, depth - 1) + ")";
      case 6: return number(from, 0) + of({" * 2", " % 5", " / 2", " & 3"});
      case 7:
        return "CASE WHEN " + condition(from, depth - 1) + " THEN " + number(from, depth - 1) + " ELSE " +
               number(from, depth - 1) + " END";
      case 8: return "COALESCE(" + number(from, depth - 1) + ", " + number(from, depth - 1) + ", 1)";
      case 9: return "NULLIF(" + number(from, depth - 1) + ", " + number(from, depth - 1) + ")";
      case 10: return "LEN(" + text(from, depth - 1) + ")";
      case 11: return "CHARINDEX(N'a', " + text(from, depth - 1) + ")";
      case 12: return "IIF(" + condition(from, depth - 1) + ", 1, " + number(from, depth - 1) + ")";
      case 13: return "CAST(" + number(from, depth - 1) + " AS decimal(18, 3))";
      case 14:
      case 15: return scalar_subquery(from, value_kind::number, depth);
      case 16: return "ABS(" + number(from, depth - 1) + ")";
      case 17: return "- (" + number(from, depth - 1) + ")";
      default: return windows_ ? window(from) : number(from, 0);
    }
  }

  std::string text(const sources& from, int depth) {
    switch (depth <= 0 ? pick(4) : pick(13)) {
      case 0:
      case 1:
      case 2: {
        const std::string c = column(from, value_kind::text);
        return c.empty() ? "N'a'" : c;
      }
      case 3: return of({"N'alpha'", "'b'", "NULL", "N'it''s'", "N''"});
      case 4: return "UPPER(" + text(from, depth - 1) + ")";
      case 5: return "LEFT(" + text(from, depth - 1) + ", 2)";
      case 6: return "CONCAT(" + text(from, depth - 1) + ", N'-', " + text(from, depth - 1) + ")";
      case 7: return text(from, 0) + " + N'!'";
      case 8: return "COALESCE(" + text(from, depth - 1) + ", N'none')";
      case 9:
        return "CASE " + number(from, 0) + " WHEN 1 THEN " + text(from, depth - 1) + " WHEN 2 THEN N'two' ELSE " +
               text(from, depth - 1) + " END";
      case 10: return "CAST(" + number(from, 0) + " AS nvarchar(30))";
      case 11: return "REPLACE(" + text(from, depth - 1) + ", N'a', N'o')";
      default: return scalar_subquery(from, value_kind::text, depth);
    }
  }

  std::string window(const sources& from) {
    const std::string by = column(from, value_kind::number);
    if (by.empty()) return "1";
    const std::string part = chance(2) ? "PARTITION BY " + value(from, value_kind::text, 0) + " " : "";
    switch (pick(5)) {
      case 0: return "RANK() OVER (" + part + "ORDER BY " + by + ")";
      case 1: return "DENSE_RANK() OVER (" + part + "ORDER BY " + by + " DESC)";
      case 2: return "SUM(" + by + ") OVER (" + part + ")";
      case 3: return "COUNT(*) OVER (" + part + "ORDER BY " + by + ")";
      default: return "MAX(" + by + ") OVER (" + part + "ORDER BY " + by + ")";
    }
  }

  static sources seen_from_inside(const sources& from) {
    sources out = from;
    for (auto& s : out) s.outer = true;
    return out;
  }

  std::string scalar_subquery(const sources& outer, value_kind kind, int depth) {
    const state kept = enter();
    sources own;
    const std::string tables = from_clause(own, depth - 2, {});
    sources all = own;
    for (auto& s : seen_from_inside(outer)) all.push_back(std::move(s));
    // Not over the outer columns alone: such an aggregate belongs to the outer query.
    const std::string what =
        kind == value_kind::number && chance(3) ? "COUNT(*)" : of({"MAX(", "MIN("}) + value(own, kind, depth - 2) + ")";
    std::string out = "(SELECT " + what + " FROM " + tables + " WHERE " + condition(all, depth - 2) + ")";
    leave(kept);
    return out;
  }

  std::string condition(const sources& from, int depth) {
    switch (depth <= 0 ? pick(5) : pick(16)) {
      case 0:
      case 1: return number(from, depth - 1) + of({" = ", " > ", " <> ", " <= ", " < "}) + number(from, depth - 1);
      case 2: return text(from, depth - 1) + of({" = ", " > ", " <> "}) + text(from, depth - 1);
      case 3: return value(from, value_kind(pick(2)), 0) + of({" IS NOT NULL", " IS NULL"});
      case 4: return number(from, 0) + of({" IN (1, 2, 7)", " NOT IN (3, 4)", " BETWEEN 2 AND 7"});
      case 5:
      case 6: return "(" + condition(from, depth - 1) + of({" OR ", " AND "}) + condition(from, depth - 1) + ")";
      case 7: return condition(from, depth - 1) + of({" OR ", " AND "}) + condition(from, depth - 1);
      case 8: return "NOT (" + condition(from, depth - 1) + ")";
      case 9: return text(from, 0) + of({" LIKE N'%a%'", " NOT LIKE N'b%'", " LIKE N'[a-c]%'"});
      case 10:
      case 11: {
        const state kept = enter();
        sources own;
        const std::string tables = from_clause(own, depth - 2, {});
        sources all = own;
        for (auto& s : seen_from_inside(from)) all.push_back(std::move(s));
        std::string out = of({"EXISTS", "NOT EXISTS"}) + " (SELECT " + of({"*", "1", "NULL"}) + " FROM " + tables +
                          " WHERE " + condition(all, depth - 2) + ")";
        leave(kept);
        return out;
      }
      case 12:
      case 13: {
        const value_kind kind = value_kind(pick(2));
        const std::string left = value(from, kind, 0);
        const std::string how = of({" IN (", " NOT IN (", " = ANY (", " <> ALL (", " >= ALL ("});
        return left + how + list_query(from, kind, depth - 2) + ")";
      }
      case 14: return number(from, 0) + of({" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "}) + number(from, 0);
      default: return value(from, value_kind::number, depth - 1) + " >= " + number(from, 0);
    }
  }

  // One column of the kind, correlated.
  std::string list_query(const sources& outer, value_kind kind, int depth) {
    const state kept = enter();
    sources own;
    const std::string tables = from_clause(own, depth, {});
    sources all = own;
    for (auto& s : seen_from_inside(outer)) all.push_back(std::move(s));
    std::string out = "SELECT " + value(chance(5) ? all : own, kind, depth) + " FROM " + tables;
    if (chance(2)) out += " WHERE " + condition(all, depth);
    leave(kept);
    return out;
  }

  // ---- sources
  std::string named(source& s) {
    const std::size_t i = pick(static_cast<unsigned>(tables_.size()));
    const generated_table& t = tables_[i];
    s.list = t.columns;
    std::string name = quoted(t.schema) + "." + quoted(t.name);
    if (chance(8)) name = "SalesDb." + name;
    const bool bare_taken = std::find(names_.begin(), names_.end(), t.name) != names_.end();
    if (!bare_taken && chance(5)) {
      names_.push_back(t.name);
      s.qualifier = chance(3) ? quoted(t.schema) + "." + quoted(t.name) : quoted(t.name);
      return name;
    }
    const std::string a = alias();
    s.qualifier = quoted(a);
    return name + of({" AS ", " "}) + quoted(a) + (chance(8) ? " WITH (NOLOCK)" : "");
  }

  std::string table_source(sources& out, int depth, const sources& left) {
    source s;
    std::string text;
    switch (depth <= 0 ? (chance(8) ? 8 : 0) : pick(14)) {
      default: text = named(s); break;
      case 5:
      case 6:
      case 7: {
        columns shape;
        text = derived(depth - 1, left, shape);
        const std::string a = alias();
        s.qualifier = quoted(a);
        text += " AS " + quoted(a);
        if (chance(3)) {
          text += "(";
          for (std::size_t i = 0; i < shape.size(); ++i) {
            shape[i].name = "r" + std::to_string(i);
            text += (i != 0 ? ", " : "") + shape[i].name;
          }
          text += ")";
        }
        s.list = std::move(shape);
        break;
      }
      case 8: {
        const std::string a = alias();
        s.qualifier = quoted(a);
        s.list = {{"k", value_kind::number}, {"w", value_kind::text}};
        text = "(VALUES (1, N'alpha'), (" + number(left, 0) + ", N'b'), (7, " + this->text(left, 0) + ")) AS " +
               quoted(a) + "(k, w)";
        break;
      }
      case 9:
      case 10: {
        if (ctes_.empty()) {
          text = named(s);
          break;
        }
        const auto& cte = ctes_[pick(static_cast<unsigned>(ctes_.size()))];
        const std::string a = alias();
        s.qualifier = quoted(a);
        s.list = cte.second;
        text = quoted(cte.first) + " AS " + quoted(a);
        break;
      }
      case 11: text = pivoted(s, depth); break;
      case 12: text = unpivoted(s, depth); break;
    }
    out.push_back(std::move(s));
    return text;
  }

  // PIVOT over a table as it is groups by every column that the principal may see.
  std::string pivoted(source& s, int depth) {
    source inner;
    std::string text;
    if (chance(2)) {
      text = named(inner);
    } else {
      columns shape;
      text = derived(depth - 1, {}, shape);
      const std::string a = alias();
      inner.qualifier = quoted(a);
      inner.list = shape;
      text += " AS " + quoted(a);
    }
    const generated_column *by = nullptr, *over = nullptr;
    for (const auto& c : inner.list) {
      if (c.kind == value_kind::number && by == nullptr && chance(2)) {
        by = &c;
      } else if (over == nullptr || chance(2)) {
        over = &c;
      }
    }
    std::size_t same = 0;
    for (const auto& c : inner.list)
      for (const auto& k : inner.list) same += &c != &k && equal(c.name, k.name) ? 1 : 0;
    if (by == nullptr || over == nullptr || by == over || same != 0) {
      s = std::move(inner);
      return text;
    }
    const std::string a = alias();
    text += " PIVOT (" + of({"COUNT", "MAX", "MIN"}) + "(" + quoted(over->name) + ") FOR " + quoted(by->name) +
            " IN ([1], [2], [7])) AS " + quoted(a);
    s.qualifier = quoted(a);
    for (const auto& c : inner.list)
      if (&c != by && &c != over) s.list.push_back(c);
    // What the cells hold depends on the aggregate; they serve as numbers only when they are.
    if (over->kind == value_kind::number)
      for (const char* name : {"1", "2", "7"}) s.list.push_back({name, value_kind::number});
    return text;
  }

  std::string unpivoted(source& s, int) {
    source inner;
    std::string text = named(inner);
    std::vector<std::string> names;
    for (const auto& c : inner.list)
      if (c.kind == value_kind::text && (names.size() < 2 || chance(2))) names.push_back(c.name);
    if (names.size() < 2) {
      s = std::move(inner);
      return text;
    }
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "" : ", ") + quoted(n);
    const std::string a = alias();
    text = "(SELECT * FROM " + text + ") AS " + quoted("u" + std::to_string(next_)) +
           " UNPIVOT (cell FOR heading IN (" + list + ")) AS " + quoted(a);
    s.qualifier = quoted(a);
    for (const auto& c : inner.list)
      if (std::find(names.begin(), names.end(), c.name) == names.end()) s.list.push_back(c);
    s.list.push_back({"cell", value_kind::text});
    s.list.push_back({"heading", value_kind::text});
    return text;
  }

  std::string derived(int depth, const sources& left, columns& shape) {
    const state kept = enter();
    std::string out = "(" + query(depth, seen_from_inside(left), shape, nullptr, true) + ")";
    leave(kept);
    return out;
  }

  static std::string on(const std::string& c) { return " ON " + c; }

  std::string join_condition(const sources& left, const sources& right, const sources& both, int depth) {
    const value_kind kind = chance(4) ? value_kind::text : value_kind::number;
    const std::string a = column(left, kind, both), b = column(right, kind, both);
    std::string out = a.empty() || b.empty() ? condition(both, 0) : a + (chance(8) ? " < " : " = ") + b;
    if (chance(5)) out += " AND " + condition(both, std::min(depth, 1));
    return out;
  }

  std::string from_clause(sources& out, int depth, const sources& left) {
    std::string text = table_source(out, depth, left);
    const unsigned joins = pick(3);
    for (unsigned i = 0; i < joins; ++i) {
      const unsigned how = pick(10);
      if (how == 9 || how == 8) {
        columns shape;
        const state kept = enter();
        // Written first, bound in place: the right side sees what stands on its left.
        std::string inner = apply_query(out, shape, depth);
        leave(kept);
        const std::string a = alias();
        text += std::string(how == 9 ? " CROSS APPLY (" : " OUTER APPLY (") + inner + ") AS " + quoted(a);
        out.push_back({quoted(a), std::move(shape)});
        continue;
      }
      sources right;
      std::string t = table_source(right, depth - 1, {});
      if (how == 7) {  // nested: a LEFT JOIN b JOIN c ON … ON …
        sources third;
        const std::string u = table_source(third, 0, {});
        sources both = right;
        both.insert(both.end(), third.begin(), third.end());
        t += " JOIN " + u + on(join_condition(right, third, both, 0));
        if (chance(2)) t = "(" + t + ")";
        right = both;
      }
      const sources before = out;
      out.insert(out.end(), right.begin(), right.end());
      if (how == 6) {
        text += " CROSS JOIN " + t;
      } else {
        text += of({" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", " INNER JOIN ", " LEFT OUTER JOIN "}) + t +
                on(join_condition(before, right, out, depth));
      }
    }
    return text;
  }

  std::string apply_query(const sources& left, columns& shape, int depth) {
    sources own;
    const std::string tables = from_clause(own, std::min(depth - 1, 1), {});
    sources all = own;
    for (auto& s : seen_from_inside(left)) all.push_back(std::move(s));
    if (chance(5) && !left.empty()) {  // the outer row once more
      const source& s = left[pick(static_cast<unsigned>(left.size()))];
      for (const auto& c : s.list) shape.push_back(c);
      if (!shape.empty() && distinct_names(shape)) {
        std::string list;
        for (const auto& c : shape) list += (list.empty() ? "" : ", ") + s.qualifier + "." + quoted(c.name);
        return "SELECT " + list + " FROM " + tables + " WHERE " + condition(all, 0);
      }
      shape.clear();
    }
    std::string items;
    for (std::size_t i = 0; i < 2; ++i) {
      const value_kind kind = value_kind(pick(2));
      const std::string name = output_name(i);
      items += (i != 0 ? ", " : "") + value(all, kind, std::min(depth - 1, 1)) + " AS " + quoted(name);
      shape.push_back({name, kind});
    }
    const bool top = chance(2);
    return std::string("SELECT ") + (top ? "TOP (2) " : "") + items + " FROM " + tables + " WHERE " +
           condition(all, std::min(depth - 1, 1)) + (top ? order_by_all(2) : "");
  }

  static bool distinct_names(const columns& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (equal(list[i].name, list[j].name)) return false;
    return true;
  }

  // ---- queries
  static std::string order_by_all(std::size_t n) {
    std::string out = " ORDER BY ";
    for (std::size_t i = 1; i <= n; ++i) out += (i > 1 ? ", " : "") + std::to_string(i);
    return out;
  }
  std::string offset() { return chance(4) ? " OFFSET 1 ROWS FETCH NEXT 5 ROWS ONLY" : ""; }

  std::string common_table() {
    ++next_;
    std::string name = "c" + std::to_string(next_);
    if (chance(4)) {
      std::string other = of({"Ring", "Salary", "Order", "o p", "sales_Order", "Broker", "capped"});
      bool used = false;
      for (const auto& c : ctes_) used = used || c.first == other;
      if (!used) name = other;
    }
    if (chance(6)) {
      ctes_.emplace_back(name, columns{{"n", value_kind::number}, {"s", value_kind::text}});
      return quoted(name) +
             " AS (SELECT 1 AS n, CAST(N'a' AS nvarchar(20)) AS s UNION ALL SELECT n + 1, CAST(s + N'a' AS "
             "nvarchar(20)) FROM " +
             quoted(name) + " WHERE n < 4)";
    }
    columns shape;
    const state kept = enter();
    std::string body = query(2, {}, shape, nullptr, true);
    leave(kept);
    std::string list;
    if (chance(3)) {
      for (std::size_t i = 0; i < shape.size(); ++i) {
        shape[i].name = "m" + std::to_string(i);
        list += (i != 0 ? ", " : "(") + shape[i].name;
      }
      list += ")";
    }
    ctes_.emplace_back(name, shape);
    return quoted(name) + list + " AS (" + body + ")";
  }

  // `nested`: every column needs a name of its own, and ORDER BY stands with TOP only.
  std::string query(int depth, const sources& outer, columns& shape, const std::vector<value_kind>* kinds,
                    bool nested) {
    ends_in_order_ = false;
    if (depth > 0 && chance(6)) {
      std::vector<value_kind> two{value_kind(pick(2)), value_kind(pick(2))};
      if (kinds != nullptr) two = *kinds;
      std::string out = select(depth - 1, outer, shape, &two, nested);
      const unsigned more = 1 + pick(2);
      for (unsigned i = 0; i < more; ++i) {
        const state kept = enter();
        columns other;
        const std::string right = select(depth - 1, outer, other, &two, nested);
        leave(kept);
        out += of({" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT "}) + right;
      }
      ends_in_order_ = false;
      return out;
    }
    const bool top = chance(6);
    std::string out = select(depth, outer, shape, kinds, nested, top);
    if (top) out += order_by_all(shape.size());
    ends_in_order_ = top;
    return out;
  }

  std::string select(int depth, const sources& outer, columns& shape, const std::vector<value_kind>* kinds, bool nested,
                     bool top = false) {
    sources from;
    const std::string tables = from_clause(from, depth, {});
    sources all = from;
    all.insert(all.end(), outer.begin(), outer.end());
    const std::string where = chance(2) ? " WHERE " + condition(all, depth) : "";
    const std::string head = top ? of({"SELECT TOP (3) ", "SELECT TOP 10 ", "SELECT TOP (5) WITH TIES "})
                                 : of({"SELECT ", "SELECT ", "SELECT ", "SELECT DISTINCT "});
    if (kinds == nullptr && chance(5)) return head + stars(from, shape, nested) + " FROM " + tables + where;
    if (chance(4)) return head + grouped(from, shape, kinds, tables + where, depth);
    const std::size_t n = kinds != nullptr ? kinds->size() : 1 + pick(4);
    std::string items;
    windows_ = true;
    for (std::size_t i = 0; i < n; ++i) {
      const value_kind kind = kinds != nullptr ? (*kinds)[i] : value_kind(pick(2));
      const std::string name = output_name(i);
      const std::string v = value(all, kind, depth);
      items += i != 0 ? ", " : "";
      items += chance(6) && name[0] == 'c' ? name + " = " + v : v + " AS " + quoted(name);
      shape.push_back({name, kind});
    }
    windows_ = false;
    return head + items + " FROM " + tables + where;
  }

  // `*` or `t.*`; nested only where no name comes twice. What the star shows of a table is not all of its columns.
  std::string stars(const sources& from, columns& shape, bool nested) {
    const source& one = from[pick(static_cast<unsigned>(from.size()))];
    const bool all = chance(2);
    for (const auto& s : from)
      if (all || &s == &one)
        for (const auto& c : s.list) shape.push_back(c);
    if (!shape.empty() && (!nested || distinct_names(shape)) && shape.size() < 40)
      return all ? "*" : one.qualifier + ".*";
    shape.assign({{"c0", value_kind::number}});
    return "1 AS c0";
  }

  std::string grouped(const sources& from, columns& shape, const std::vector<value_kind>* kinds,
                      const std::string& rest, int depth) {
    std::vector<std::string> keys;
    std::vector<value_kind> key_kinds;
    const unsigned n = 1 + pick(2);
    for (unsigned i = 0; i < n; ++i) {
      const value_kind kind = kinds != nullptr && i < kinds->size() ? (*kinds)[i] : value_kind(pick(2));
      const std::string c = chance(4) ? std::string() : column(from, kind);
      if (!c.empty()) {
        keys.push_back(c);
        key_kinds.push_back(kind);
      }
    }
    const std::size_t items = kinds != nullptr ? kinds->size() : keys.size() + 1 + pick(2);
    std::string list;
    for (std::size_t i = 0; i < items; ++i) {
      const std::string name = output_name(i);
      value_kind kind = value_kind::number;
      std::string v;
      if (i < keys.size()) {
        v = keys[i];
        kind = key_kinds[i];
      } else {
        kind = kinds != nullptr ? (*kinds)[i] : value_kind(pick(2));
        v = aggregate(from, kind, depth);
      }
      list += (i != 0 ? ", " : "") + v + " AS " + quoted(name);
      shape.push_back({name, kind});
    }
    std::string out = list + " FROM " + rest;
    if (!keys.empty()) {
      std::string by;
      for (const auto& k : keys) by += (by.empty() ? "" : ", ") + k;
      switch (pick(8)) {
        case 5: by = "ROLLUP(" + by + ")"; break;
        case 6: by = "CUBE(" + by + ")"; break;
        case 7: by = "GROUPING SETS((" + by + "), (), (" + keys[0] + "))"; break;
        default: break;
      }
      out += " GROUP BY " + by;
    }
    if (chance(3)) out += chance(2) ? " HAVING COUNT(*) > 1" : " HAVING MAX(" + number(from, 0) + ") > 2";
    return out;
  }

  std::string aggregate(const sources& from, value_kind kind, int depth) {
    if (kind == value_kind::text) {
      const std::string c = column(from, kind);
      if (c.empty()) return "MIN(N'a')";
      if (chance(4)) return "STRING_AGG(" + c + ", N';') WITHIN GROUP (ORDER BY " + c + ")";
      return of({"MAX(", "MIN("}) + text(from, std::min(depth, 1) - 1) + ")";
    }
    switch (pick(7)) {
      case 0: return "COUNT(*)";
      case 1: return "SUM(" + number(from, 0) + " + 0)";
      case 2: return "COUNT(DISTINCT " + value(from, value_kind(pick(2)), 0) + " )";
      case 3: return "COUNT(" + value(from, value_kind(pick(2)), 0) + ")";
      case 4: return "AVG(" + number(from, 0) + " * 1.0)";
      case 5: return "SUM(CASE WHEN " + condition(from, 0) + " THEN 1 ELSE 0 END)";
      default: return of({"MAX(", "MIN("}) + number(from, 0) + ")";
    }
  }

  // Exposed names are unique in one FROM only; a query inside has its own.
  struct state {
    std::vector<std::string> names;
    bool windows;
  };
  state enter() {
    state kept{names_, windows_};
    windows_ = false;
    return kept;
  }
  void leave(const state& kept) {
    names_ = kept.names;
    windows_ = kept.windows;
  }

  const std::uint8_t* data_;
  std::size_t size_;
  const std::vector<generated_table>& tables_;
  std::size_t at_ = 0;
  unsigned next_ = 0;
  bool ordered_ = false;
  bool ends_in_order_ = false;
  bool windows_ = false;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, columns>> ctes_;
};

}  // namespace dragoman::test
