// Functions by allowlist, with their number of arguments. What computes from its arguments is allowed, the time of day
// too; what reads server, session or identity is never forwarded (a person's SELECT of nothing but that is answered at
// home, see check.cc); the rest is refused.
#include <fmt/format.h>

#include <cstdlib>

#include "base/limits.h"
#include "guard/context.h"
#include "guard/rules/rules.h"

namespace dragoman::guard {
namespace {

using tsql::bound_call;
using tsql::function_access;
using tsql::function_info;

std::optional<failure> check_arity(const bound_call& call) {
  const function_info& f = *call.info;
  if (call.arguments >= f.min_arguments &&
      (f.max_arguments == function_info::any || call.arguments <= f.max_arguments)) {
    return std::nullopt;
  }
  if (f.min_arguments == f.max_arguments) {
    return refuse_at(errc::syntax,
                     fmt::format("The {} function requires {} argument(s).", f.name, int{f.min_arguments}), call.pos,
                     174);
  }
  if (f.max_arguments == function_info::any) {
    return refuse_at(errc::syntax,
                     fmt::format("The {} function requires at least {} arguments.", f.name, int{f.min_arguments}),
                     call.pos, 189);
  }
  return refuse_at(
      errc::syntax,
      fmt::format("The {} function requires {} to {} arguments.", f.name, int{f.min_arguments}, int{f.max_arguments}),
      call.pos, 189);
}

// REPLICATE and SPACE make text out of a number: a plain number above the limit is refused.
std::optional<failure> check_repeat(const bound_call& call) {
  const bool replicate = call.info->name == "REPLICATE", space = call.info->name == "SPACE";
  if ((!replicate && !space) || call.node == nullptr) return std::nullopt;
  const auto* node = call.node->as<tsql::function_call>();
  if (node == nullptr || node->arguments.empty()) return std::nullopt;
  const auto* count = node->arguments.back().as<tsql::literal>();
  if (count == nullptr || std::strtod(count->text.c_str(), nullptr) <= limits::repeat_max) return std::nullopt;
  return refuse_at(errc::too_complex,
                   fmt::format("{} may repeat at most {} times.", call.info->name, limits::repeat_max), call.pos);
}

}  // namespace

std::optional<failure> check_functions(check_context& c) {
  for (const auto& call : c.bound.calls) {
    if (call.info == nullptr) {
      return refuse_at(errc::function_not_allowed,
                       fmt::format("'{}' is not a recognized built-in function name.", call.name), call.pos);
    }
    if (auto wrong = check_arity(call)) return wrong;
    const bool counts = call.info->name == "COUNT" || call.info->name == "COUNT_BIG";
    if (call.star && !counts) {
      return refuse_at(errc::function_not_allowed,
                       fmt::format("{}(*) reads every column of a row and is not allowed.", call.info->name), call.pos);
    }
    switch (call.info->access) {
      case function_access::none:
      case function_access::clock:
      case function_access::random: break;
      default:
        return refuse_at(errc::function_not_allowed, fmt::format("The function '{}' is not allowed here.", call.name),
                         call.pos);
    }
    if (auto wrong = check_repeat(call)) return wrong;
  }
  return std::nullopt;
}

}  // namespace dragoman::guard
