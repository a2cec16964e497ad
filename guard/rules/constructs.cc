// What the language has and no part of Dragoman vouches for: history rows, graph patterns, full-text predicates.
#include <fmt/format.h>

#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {

std::optional<failure> check_constructs(check_context& c) {
  if (c.bound.oddities.empty()) return std::nullopt;
  const auto& first = c.bound.oddities.front();
  return refuse_at(errc::unsupported_construct, fmt::format("{} is not supported.", first.name), first.pos);
}

}  // namespace dragoman::guard
