#include "base/sql_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

using id = sql_type_id;

constexpr std::array<std::pair<id, std::string_view>, 36> names{{{id::bit, "bit"},
                                                                 {id::tinyint, "tinyint"},
                                                                 {id::smallint, "smallint"},
                                                                 {id::int_, "int"},
                                                                 {id::bigint, "bigint"},
                                                                 {id::decimal, "decimal"},
                                                                 {id::numeric, "numeric"},
                                                                 {id::money, "money"},
                                                                 {id::smallmoney, "smallmoney"},
                                                                 {id::real, "real"},
                                                                 {id::float_, "float"},
                                                                 {id::date, "date"},
                                                                 {id::time, "time"},
                                                                 {id::datetime, "datetime"},
                                                                 {id::smalldatetime, "smalldatetime"},
                                                                 {id::datetime2, "datetime2"},
                                                                 {id::datetimeoffset, "datetimeoffset"},
                                                                 {id::char_, "char"},
                                                                 {id::varchar, "varchar"},
                                                                 {id::text, "text"},
                                                                 {id::nchar, "nchar"},
                                                                 {id::nvarchar, "nvarchar"},
                                                                 {id::ntext, "ntext"},
                                                                 {id::binary, "binary"},
                                                                 {id::varbinary, "varbinary"},
                                                                 {id::image, "image"},
                                                                 {id::uniqueidentifier, "uniqueidentifier"},
                                                                 {id::xml, "xml"},
                                                                 {id::sql_variant, "sql_variant"},
                                                                 {id::rowversion, "rowversion"},
                                                                 {id::json, "json"},
                                                                 {id::vector, "vector"},
                                                                 {id::hierarchyid, "hierarchyid"},
                                                                 {id::geometry, "geometry"},
                                                                 {id::geography, "geography"},
                                                                 {id::sysname, "sysname"}}};

constexpr std::array<std::pair<std::string_view, id>, 9> synonyms{{{"integer", id::int_},
                                                                   {"dec", id::decimal},
                                                                   {"timestamp", id::rowversion},
                                                                   {"character", id::char_},
                                                                   {"char varying", id::varchar},
                                                                   {"character varying", id::varchar},
                                                                   {"national character", id::nchar},
                                                                   {"national character varying", id::nvarchar},
                                                                   {"binary varying", id::varbinary}}};

std::string lowered(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool has_length(id t) {
  return t == id::char_ || t == id::varchar || t == id::nchar || t == id::nvarchar || t == id::binary ||
         t == id::varbinary;
}
bool has_scale_only(id t) {
  return t == id::time || t == id::datetime2 || t == id::datetimeoffset;
}

}  // namespace

bool is_integer(id t) noexcept {
  return t >= id::tinyint && t <= id::bigint;
}
bool is_exact_numeric(id t) noexcept {
  return t >= id::bit && t <= id::smallmoney;
}
bool is_numeric(id t) noexcept {
  return t >= id::bit && t <= id::float_;
}
bool is_character(id t) noexcept {
  return (t >= id::char_ && t <= id::ntext) || t == id::sysname;
}
bool is_unicode(id t) noexcept {
  return (t >= id::nchar && t <= id::ntext) || t == id::sysname || t == id::xml;
}
bool is_temporal(id t) noexcept {
  return t >= id::date && t <= id::datetimeoffset;
}
bool is_binary(id t) noexcept {
  return (t >= id::binary && t <= id::image) || t == id::rowversion;
}

std::string_view type_name(id t) noexcept {
  for (const auto& [key, name] : names)
    if (key == t) return name;
  return "unknown";
}

id type_id_of(std::string_view name) noexcept {
  const std::string text = lowered(name);
  for (const auto& [key, known] : names)
    if (known == text) return key;
  for (const auto& [known, key] : synonyms)
    if (known == text) return key;
  return id::unknown;
}

std::string to_string(const sql_type& type) {
  const std::string_view name = type_name(type.id);
  if (has_length(type.id))
    return type.is_max() ? fmt::format("{}(max)", name) : fmt::format("{}({})", name, type.length);
  if (type.id == id::decimal || type.id == id::numeric)
    return fmt::format("{}({},{})", name, type.precision, type.scale);
  if (has_scale_only(type.id)) return fmt::format("{}({})", name, type.scale);
  if (type.id == id::vector) return fmt::format("{}({})", name, type.length);
  return std::string(name);
}

std::optional<sql_type> parse_sql_type(std::string_view text) {
  const auto open = text.find('(');
  sql_type type;
  type.id = type_id_of(text.substr(0, open));
  std::vector<int> arguments;
  bool is_max = false;
  std::string_view name = text.substr(0, open);
  if (lowered(name) == "double precision") type.id = id::float_;
  if (type.id == id::unknown) return std::nullopt;
  if (open != std::string_view::npos) {
    const auto close = text.find(')', open);
    if (close == std::string_view::npos) return std::nullopt;
    std::string_view inside = text.substr(open + 1, close - open - 1);
    for (std::size_t from = 0; from <= inside.size();) {
      auto comma = inside.find(',', from);
      if (comma == std::string_view::npos) comma = inside.size();
      const std::string part = lowered(inside.substr(from, comma - from));
      int value = 0;
      if (part == "max") {
        is_max = true;
      } else {
        const auto [end, ec] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (ec != std::errc{} || end != part.data() + part.size() || value < 0) return std::nullopt;
        arguments.push_back(value);
      }
      from = comma + 1;
    }
  }
  if (is_max && (!arguments.empty() || !has_length(type.id) || type.id == id::char_ || type.id == id::nchar ||
                 type.id == id::binary))
    return std::nullopt;
  if (has_length(type.id)) {
    if (arguments.size() > 1) return std::nullopt;
    type.length = is_max ? sql_type::max_length : arguments.empty() ? 1 : arguments[0];
    const int limit = type.id == id::nchar || type.id == id::nvarchar ? 4000 : 8000;
    if (!is_max && (type.length < 1 || type.length > limit)) return std::nullopt;
  } else if (type.id == id::decimal || type.id == id::numeric) {
    if (arguments.size() > 2) return std::nullopt;
    const int precision = arguments.empty() ? 18 : arguments[0];
    const int scale = arguments.size() < 2 ? 0 : arguments[1];
    if (precision < 1 || precision > 38 || scale > precision) return std::nullopt;
    type.precision = static_cast<std::uint8_t>(precision);
    type.scale = static_cast<std::uint8_t>(scale);
  } else if (has_scale_only(type.id)) {
    if (arguments.size() > 1 || (!arguments.empty() && arguments[0] > 7)) return std::nullopt;
    type.scale = arguments.empty() ? 7 : static_cast<std::uint8_t>(arguments[0]);
  } else if (type.id == id::float_) {
    if (arguments.size() > 1 || (!arguments.empty() && (arguments[0] < 1 || arguments[0] > 53))) return std::nullopt;
    if (!arguments.empty() && arguments[0] <= 24) type.id = id::real;
  } else if (type.id == id::vector) {
    if (arguments.size() != 1) return std::nullopt;
    type.length = arguments[0];
  } else if (type.id == id::xml || type.id == id::sysname) {
    if (type.id == id::sysname) type.length = 128;
  } else if (!arguments.empty()) {
    return std::nullopt;
  }
  return type;
}

}  // namespace dragoman
