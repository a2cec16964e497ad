// From configuration to rights: every name is looked up and every predicate parsed and bound here, so that a statement
// meets only what is known to hold.
#include <fmt/format.h>

#include <algorithm>

#include "guard/configured_name.h"
#include "guard/policy.h"
#include "guard/tsql/binder.h"
#include "guard/tsql/build.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/walk.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using tsql::expression;

struct table_place {
  std::size_t database = 0;
  std::size_t table = 0;
};

// Any table of the policy's databases: filters may read mapping tables that no principal may name.
class every_table final : public tsql::table_resolver {
 public:
  explicit every_table(const policy& p, std::size_t database) : policy_(p), database_(database) {}

  result<tsql::table_binding> resolve(const tsql::object_name& name) const override {
    const catalog::database& db = *policy_.databases[database_].database;
    const bool here = name.server.empty() && (name.database.empty() || same_name(name.database.value, db.name));
    const std::string& schema = name.schema.empty() ? db.default_schema : name.schema.value;
    const catalog::table* t = here ? db.find_table(schema, name.name.value) : nullptr;
    if (t == nullptr) return failure(errc::unknown_table, "no table " + name.name.value);
    return tsql::table_binding{&db, t};
  }
  bool same_database(std::string_view name, const catalog::database& db) const override {
    return same_name(name, db.name);
  }

 private:
  const policy& policy_;
  std::size_t database_;
};

bool looks_like_integer(std::string_view text) {
  if (text.empty() || text.size() > 18) return false;
  if (text == "0") return true;
  return text.front() != '0' && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class compiler {
 public:
  compiler(const policy_definition& d, const std::vector<catalog::database_ptr>& databases) : definition_(d) {
    for (const auto& db : databases) {
      database_policy p;
      p.database = db;
      p.tables.resize(db->tables.size());
      for (std::size_t t = 0; t < db->tables.size(); ++t) {
        p.tables[t].columns.assign(db->tables[t].columns.size(), column_right::hidden);
      }
      out_.databases.push_back(std::move(p));
    }
    out_.principal = d.principal;
    out_.row_cap = d.row_cap;
    out_.row_cap_generated = d.row_cap_generated;
    out_.operator_rights = d.operator_rights;
  }

  result<policy> run() {
    for (const auto& a : definition_.allow) allow(a);
    for (const auto& c : definition_.join_only) mark(c, column_right::join_only);
    for (const auto& c : definition_.deny) mark(c, column_right::denied);
    for (const auto& f : definition_.row_filters) filter(f);
    for (const auto& f : definition_.require_filters) require(f);
    for (const auto& j : definition_.require_joins) require(j);
    if (error_) return std::move(*error_);
    for (auto& db : out_.databases) {
      for (auto& t : db.tables) {
        const bool columns =
            std::any_of(t.columns.begin(), t.columns.end(), [](column_right r) { return r != column_right::allowed; });
        t.restricted = t.allowed && (columns || t.filter);
      }
    }
    return std::move(out_);
  }

 private:
  void fail(const std::string& key, std::string_view what) {
    if (error_) return;
    const std::string& place = key.empty() ? definition_.key : key;
    error_ = failure(errc::configuration, place.empty() ? std::string(what) : fmt::format("{}: {}", place, what));
  }

  table_rights& rights(table_place p) { return out_.databases[p.database].tables[p.table]; }
  const catalog::table& table(table_place p) const { return out_.databases[p.database].database->tables[p.table]; }

  // A name without a database is of the first one and of no other, so that a right given for it cannot reach further
  // when another database is added.
  std::optional<std::size_t> find_database(const std::string& name, const std::string& key) {
    for (std::size_t d = 0; d < out_.databases.size(); ++d)
      if (same_name(name, out_.databases[d].database->name)) return d;
    fail(key, fmt::format("no database {}", name));
    return std::nullopt;
  }

  // The last two or three parts name the table: [database.]schema.table.
  std::optional<table_place> find(const std::vector<std::string>& parts, const std::string& key) {
    const std::string& schema = parts[parts.size() - 2];
    const std::string& name = parts.back();
    const auto d = parts.size() == 3 ? find_database(parts.front(), key) : std::optional<std::size_t>(0);
    if (!d) return std::nullopt;
    if (const auto t = out_.databases[*d].database->table_index(schema, name)) return table_place{*d, *t};
    fail(key, fmt::format("no table {}.{} in the catalogue", schema, name));
    return std::nullopt;
  }

  std::optional<table_place> find_table(const std::string& text, const std::string& key) {
    const auto parts = parts_of(text);
    if (!parts || parts->size() < 2 || parts->size() > 3) {
      fail(key, fmt::format("'{}' must be schema.table", text));
      return std::nullopt;
    }
    return find(*parts, key);
  }

  // schema.table.column or database.schema.table.column.
  std::optional<std::pair<table_place, std::size_t>> find_column(const std::string& text, const std::string& key) {
    auto parts = parts_of(text);
    if (!parts || parts->size() < 3 || parts->size() > 4) {
      fail(key, fmt::format("'{}' must be schema.table.column", text));
      return std::nullopt;
    }
    const std::string column = std::move(parts->back());
    parts->pop_back();
    const auto place = find(*parts, key);
    if (!place) return std::nullopt;
    const auto c = table(*place).column_index(column);
    if (!c) {
      fail(key, fmt::format("{} has no column {}", table(*place).full_name(), column));
      return std::nullopt;
    }
    return std::pair{*place, *c};
  }

  void allow_table(table_place p, const allow_definition& a) {
    table_rights& r = rights(p);
    r.allowed = true;
    if (a.columns.empty()) r.columns.assign(r.columns.size(), column_right::allowed);
    for (const auto& name : a.columns) {
      const auto c = table(p).column_index(name);
      if (!c) return fail(a.key, fmt::format("{} has no column {}", table(p).full_name(), name));
      r.columns[*c] = column_right::allowed;
    }
  }

  void allow(const allow_definition& a) {
    const bool all = a.table == "*";
    if (!all && !a.table.ends_with(".*")) {
      if (const auto p = find_table(a.table, a.key)) allow_table(*p, a);
      return;
    }
    if (!a.columns.empty()) return fail(a.key, "columns need one table, not a pattern");
    const auto place = schemas_of(a, all);
    if (!place) return;
    const auto& [d, schema] = *place;
    const auto& tables = out_.databases[d].database->tables;
    bool any = false;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (!schema.empty() && !same_name(tables[t].schema, schema)) continue;
      allow_table({d, t}, a);
      any = true;
    }
    if (!any) fail(a.key, fmt::format("no table matches '{}'", a.table));
  }

  // *, schema.*, database.schema.*, database.*.*: the database, and the schema or nothing for all of them.
  std::optional<std::pair<std::size_t, std::string>> schemas_of(const allow_definition& a, bool all) {
    if (all) return std::pair{std::size_t{0}, std::string()};
    std::string before = a.table.substr(0, a.table.size() - 2);
    const bool every_schema = before.ends_with(".*");
    if (every_schema) before.resize(before.size() - 2);
    const auto parts = parts_of(before);
    if (!parts || parts->empty() || parts->size() > (every_schema ? 1u : 2u)) {
      fail(a.key, fmt::format("'{}' must be schema.*, database.schema.* or database.*.*", a.table));
      return std::nullopt;
    }
    const bool named = every_schema || parts->size() == 2;
    const auto d = named ? find_database(parts->front(), a.key) : std::optional<std::size_t>(0);
    if (!d) return std::nullopt;
    return std::pair{*d, every_schema ? std::string() : parts->back()};
  }

  void mark(const column_definition& c, column_right right) {
    if (const auto found = find_column(c.column, c.key)) rights(found->first).columns[found->second] = right;
  }

  // Parsed, attributes put in, bound against the whole catalogue, every table in it fully named.
  tsql::box<expression> predicate(const std::string& text, table_place p, const std::string& key) {
    auto parsed = tsql::parse_expression(text);
    if (!parsed) {
      fail(key, fmt::format("'{}': {}", text, parsed.error().message));
      return {};
    }
    if (!tsql::is_predicate(*parsed)) {
      fail(key, fmt::format("'{}' is no condition", text));
      return {};
    }
    return compile(std::move(*parsed), text, p, key);
  }

  tsql::box<expression> compile(expression e, const std::string& text, table_place p, const std::string& key) {
    const catalog::database& db = *out_.databases[p.database].database;
    const every_table tables(out_, p.database);
    const tsql::table_binding binding{&db, &table(p)};
    tsql::bind_options options;
    options.any_variable = true;
    bool text_column = false;
    {
      expression trial = e;
      auto bound = tsql::bind_over_table(trial, binding, tables, options);
      if (!bound) {
        fail(key, fmt::format("'{}': {}", text, bound.error().message));
        return {};
      }
      for (const auto& r : bound->references) {
        const auto& source = bound->sources[r.source];
        if (source.kind != tsql::source_kind::table) continue;
        text_column = text_column || is_character(source.binding.table->columns[r.column].type.id);
      }
      for (const auto& c : bound->calls) {
        if (c.info == nullptr || c.info->access == tsql::function_access::forbidden ||
            c.info->access == tsql::function_access::external) {
          fail(key, fmt::format("'{}': the function {} may not be used in a filter", text, c.name));
          return {};
        }
      }
    }
    put_attributes(e, key, text, !text_column);
    if (error_) return {};
    auto bound = tsql::bind_over_table(e, binding, tables, options);
    if (!bound) {
      fail(key, fmt::format("'{}': {}", text, bound.error().message));
      return {};
    }
    const bool subquery = bound->sources.size() > 1;
    for (auto& r : bound->references) {
      // Inside a subquery a bare name could be taken by one of its own tables; a qualified one cannot.
      if (r.source == 0) {
        r.node->table = {};
        if (subquery) r.node->table.name.value = table(p).name;
      } else if (!r.node->table.empty() && !r.node->table.one_part()) {
        tsql::object_name alias;
        alias.name.value = std::string(bound->sources[r.source].exposed);
        r.node->table = alias;
      }
    }
    for (auto& s : bound->sources) {
      if (s.node == nullptr || s.kind != tsql::source_kind::table) continue;
      auto& named = *s.node->as<tsql::named_table>();
      named.name = tsql::make_name(s.binding.database->name, s.binding.table->schema, s.binding.table->name);
    }
    return tsql::box<expression>(std::move(e));
  }

  void put_attributes(expression& e, const std::string& key, const std::string& text, bool numbers) {
    struct put {
      compiler& self;
      const std::string& key;
      const std::string& text;
      bool numbers;

      const std::vector<std::string>* values(const tsql::variable& v) const {
        for (const auto& [name, list] : self.definition_.attributes) {
          if (same_name(name, std::string_view(v.name).substr(1))) return &list;
        }
        self.fail(key, fmt::format("'{}': the principal has no attribute {}", text, v.name));
        return nullptr;
      }
      expression value(const std::string& v) const {
        if (!numbers || !looks_like_integer(v)) return tsql::make_string(v);
        return tsql::make_int(std::stoll(v));
      }
      bool enter(tsql::in_list& in) {
        std::vector<expression> list;
        for (auto& item : in.list) {
          const auto* v = item.as<tsql::variable>();
          if (v == nullptr || v->is_global()) {
            list.push_back(std::move(item));
            continue;
          }
          const auto* found = values(*v);
          if (found == nullptr) return false;
          for (const auto& one : *found) list.push_back(value(one));
        }
        // IN of an empty list is no syntax; IN (NULL) is never true.
        if (list.empty()) list.push_back(tsql::make_null());
        in.list = std::move(list);
        return true;
      }
      bool enter(expression& node) {
        const auto* v = node.as<tsql::variable>();
        if (v == nullptr || v->is_global()) return true;
        const auto* found = values(*v);
        if (found == nullptr) return false;
        if (found->size() != 1) {
          self.fail(key, fmt::format("'{}': {} has {} values where one is needed", text, v->name, found->size()));
          return false;
        }
        node = value(found->front());
        return false;
      }
    };
    put visitor{*this, key, text, numbers};
    tsql::walk(e, visitor);
  }

  void filter(const row_filter_definition& f) {
    const auto p = find_table(f.table, f.key);
    if (!p) return;
    auto condition = predicate(f.predicate, *p, f.key);
    if (!condition) return;
    table_rights& r = rights(*p);
    if (!r.filter) {
      r.filter = std::move(condition);
      return;
    }
    std::vector<expression> both;
    both.push_back(std::move(*r.filter));
    both.push_back(std::move(*condition));
    r.filter = tsql::make_and(std::move(both));
  }

  void require(const require_filter_definition& f) {
    const auto p = find_table(f.table, f.key);
    if (!p) return;
    const auto c = table(*p).column_index(f.column);
    if (!c) return fail(f.key, fmt::format("{} has no column {}", table(*p).full_name(), f.column));
    required_filter r;
    r.column = *c;
    if (!f.predicate.empty()) r.predicate = predicate(f.predicate, *p, f.key);
    rights(*p).required_filters.push_back(std::move(r));
  }

  void require(const require_join_definition& j) {
    const auto p = find_table(j.table, j.key);
    const auto q = find_table(j.join, j.key);
    if (!p || !q) return;
    if (p->database != q->database) return fail(j.key, "both tables must be in one database");
    required_join r;
    r.table = q->table;
    if (!j.on.empty()) {
      auto on = tsql::parse_expression(j.on);
      if (!on) return fail(j.key, fmt::format("'{}': {}", j.on, on.error().message));
      const catalog::table& partner = table(*q);
      std::vector<tsql::select_item> items;
      items.push_back(tsql::make_item(tsql::make_int(1)));
      std::vector<tsql::table_source> from;
      from.push_back(tsql::make_table(tsql::make_name(partner.schema, partner.name)));
      auto query = tsql::make_select(std::move(items), std::move(from));
      query.specification()->where = std::move(*on);
      r.on = compile(tsql::make_exists(std::move(query)), j.on, *p, j.key);
    }
    rights(*p).required_joins.push_back(std::move(r));
  }

  const policy_definition& definition_;
  policy out_;
  std::optional<failure> error_;
};

}  // namespace

result<policy> compile_policy(const policy_definition& definition,
                              const std::vector<catalog::database_ptr>& databases) {
  if (databases.empty()) return failure(errc::configuration, "a policy needs a catalogue");
  return compiler(definition, databases).run();
}

}  // namespace dragoman::guard
