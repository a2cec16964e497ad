// Goes over a whole tree, const or not, in the order of the text.
//
//   struct tables {                                  // collect every named table
//     std::vector<const object_name*> found;
//     bool enter(const named_table& t) { found.push_back(&t.name); return true; }
//   };
//   tables v; walk(statement, v);
//
// A visitor may have, for any node type T: `bool enter(T&)`, called before the children (false skips them), and
// `void leave(T&)`, called after them. Types it does not name are passed through. The walker itself follows fields.h,
// which cannot miss a field. A visitor whose enter takes `expression&` may replace the node that it is given.
#pragma once

#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "guard/tsql/fields.h"

namespace dragoman::tsql {

namespace detail {
template <class T>
inline constexpr bool is_box = false;
template <class T>
inline constexpr bool is_box<box<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
// Values without nodes inside.
template <class T>
inline constexpr bool is_leaf = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
                                std::is_same_v<T, identifier> || std::is_same_v<T, source_position>;
}  // namespace detail

template <class N, class V>
void walk(N& node, V& visitor) {
  using T = std::remove_const_t<N>;
  if constexpr (detail::is_leaf<T>) {
    return;
  } else if constexpr (detail::is_box<T> || detail::is_optional<T>) {
    if (node) walk(*node, visitor);
  } else if constexpr (detail::is_vector<T>) {
    if constexpr (!detail::is_leaf<typename T::value_type>) {
      for (auto& child : node) walk(child, visitor);
    }
  } else if constexpr (detail::is_variant<T>) {
    std::visit([&](auto& alternative) { walk(alternative, visitor); }, node);
  } else {
    if constexpr (requires { visitor.enter(node); }) {
      if (!visitor.enter(node)) return;
    }
    each_field(node, [&](auto& field) { walk(field, visitor); });
    if constexpr (requires { visitor.leave(node); }) visitor.leave(node);
  }
}

}  // namespace dragoman::tsql
