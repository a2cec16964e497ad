#include "proxy/upstream/showplan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dragoman::upstream {
namespace {

// Calls `use` with every value of attribute="…" that stands in a start tag of the XML.
template <class Use>
void each_attribute(std::string_view xml, std::string_view attribute, Use use) {
  const std::string key = fmt::format(" {}=\"", attribute);
  for (auto at = xml.find(key); at != std::string_view::npos; at = xml.find(key, at)) {
    at += key.size();
    const auto end = xml.find('"', at);
    if (end == std::string_view::npos) return;
    double value = 0;
    const auto [stop, ec] = std::from_chars(xml.data() + at, xml.data() + end, value);
    if (ec == std::errc{} && stop == xml.data() + end) use(value);
    at = end;
  }
}

}  // namespace

std::optional<pool::estimate> read_showplan(std::string_view xml) {
  pool::estimate out;
  bool found = false;
  each_attribute(xml, "StatementSubTreeCost", [&](double cost) {
    out.cost += cost;
    found = true;
  });
  each_attribute(xml, "StatementEstRows", [&](double rows) { out.rows = std::max(out.rows, rows); });
  return found ? std::optional(out) : std::nullopt;
}

std::string showplan_text(const statement& s) {
  std::string out;
  for (const parameter& p : s.parameters) out += fmt::format("DECLARE {} {};\n", p.name, to_string(p.type));
  return out + s.sql;
}

}  // namespace dragoman::upstream
