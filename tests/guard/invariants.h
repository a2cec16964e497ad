// What must hold for every text, whatever the verdict; used by the invariant test and by the fuzz target.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "guard/guard.h"
#include "guard/tsql/binder.h"
#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

namespace dragoman::test {

// Nothing when it holds, otherwise what is wrong. `whole` is the full catalogue, forbidden tables included.
inline std::optional<std::string> broken_invariant(std::string_view text, const guard::policy& principal,
                                                   const catalog::database& whole,
                                                   const guard::check_options& options) {
  const guard::verdict v = guard::check(text, principal, options);
  if (v.kind != guard::verdict_kind::accept) return std::nullopt;
  auto batch = tsql::parse_batch(v.printed);
  if (!batch) return "printed text does not parse: " + v.printed;
  if (tsql::print(*batch) != v.printed) return "printing is no fixed point: " + v.printed;
  tsql::parse_options unquoted;
  unquoted.quoted_identifier = false;
  auto other = tsql::parse_batch(v.printed, unquoted);
  if (!other || !(*other == *batch)) return "means something else with QUOTED_IDENTIFIER off: " + v.printed;
  const tsql::whole_catalog tables(whole);
  for (auto& s : batch->statements) {
    auto* select = s.as<tsql::select_statement>();
    if (select == nullptr) return "not a SELECT: " + v.printed;
    tsql::bind_options binding;
    binding.any_variable = true;
    const auto bound = tsql::bind(*select, tables, binding);
    if (!bound) return "does not bind against the whole catalogue (" + bound.error().message + "): " + v.printed;
    for (const auto& source : bound->sources) {
      if (source.kind != tsql::source_kind::table) continue;
      // By name: the policy's catalogue and the whole one need not be the same object.
      const auto* own =
          principal.databases.front().database->find_table(source.binding.table->schema, source.binding.table->name);
      if (own == nullptr || principal.rights(*own) == nullptr) return "reads a forbidden table: " + v.printed;
    }
    for (const auto& r : bound->references) {
      const auto& source = bound->sources[r.source];
      if (source.kind != tsql::source_kind::table) continue;
      const auto& db = *principal.databases.front().database;
      const auto* own = db.find_table(source.binding.table->schema, source.binding.table->name);
      const auto right = principal.rights(*own)->columns[r.column];
      if (right != guard::column_right::allowed && right != guard::column_right::join_only) {
        return "reads a forbidden column: " + v.printed;
      }
    }
    for (const auto& call : bound->calls) {
      if (call.info == nullptr) return "calls an unknown function: " + v.printed;
      const bool harmless = call.info->access == tsql::function_access::none ||
                            call.info->access == tsql::function_access::clock ||
                            call.info->access == tsql::function_access::random;
      if (!harmless) return "calls a forbidden function: " + v.printed;
    }
    for (const auto& star : bound->stars) return "a star is left: " + v.printed + std::to_string(star.item);
  }
  return std::nullopt;
}

}  // namespace dragoman::test
