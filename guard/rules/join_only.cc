// A join-only column ties two tables together and shows nothing of itself: it may stand only as one side of
// `a.col = b.col`, a condition of its own in a JOIN's ON, and only with the column that a foreign key ties it to. Any
// other partner would be a filter in disguise.
#include <fmt/format.h>

#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {
namespace {

using catalog::same_name;
using tsql::bound_reference;

struct end {
  const catalog::table* table;
  std::size_t column;
  const std::string& name() const { return table->columns[column].name; }
  bool operator==(const end& o) const { return table == o.table && column == o.column; }
};

// What a foreign key of one column leads to; the column itself where there is none.
std::optional<end> target_of(const catalog::database& db, const end& e) {
  for (const auto& fk : e.table->foreign_keys) {
    if (fk.columns.size() != 1 || !same_name(fk.columns.front(), e.name())) continue;
    const catalog::table* t = db.find_table(fk.schema, fk.table);
    if (t == nullptr) continue;
    if (const auto c = t->column_index(fk.referenced_columns.front())) return end{t, *c};
  }
  return std::nullopt;
}

bool related(check_context& c, const bound_reference& a, const bound_reference& b) {
  const auto& from = c.source_of(a);
  const auto& to = c.source_of(b);
  if (from.kind != tsql::source_kind::table || to.kind != tsql::source_kind::table) return false;
  if (from.binding.database != to.binding.database) return false;
  const end x{from.binding.table, a.column}, y{to.binding.table, b.column};
  const auto tx = target_of(*from.binding.database, x), ty = target_of(*to.binding.database, y);
  if ((tx && *tx == y) || (ty && *ty == x)) return true;
  // Two columns that lead to the same key may meet when neither of them can be read.
  const bool both_hidden = c.rights[a.source]->columns[a.column] == column_right::join_only &&
                           c.rights[b.source]->columns[b.column] == column_right::join_only;
  return both_hidden && (x == y || (tx && ty && *tx == *ty));
}

}  // namespace

std::optional<failure> check_join_only(check_context& c) {
  for (const auto& r : c.bound.references) {
    const table_rights* rights = c.rights[r.source];
    if (rights == nullptr || rights->columns[r.column] != column_right::join_only) continue;
    const auto& source = c.source_of(r);
    const bool joins = r.partner != tsql::nothing && !source.consumed &&
                       c.bound.references[r.partner].source != r.source && related(c, r, c.bound.references[r.partner]);
    if (joins) continue;
    return refuse_at(
        errc::join_only_column,
        fmt::format("The column '{}' may only be used to join its table: write {} = the key that it "
                    "refers to, in the ON of a JOIN.",
                    source.binding.table->columns[r.column].name, source.binding.table->columns[r.column].name),
        r.pos);
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
