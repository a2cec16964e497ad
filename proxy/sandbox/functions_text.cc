// String functions. Positions count UTF-16 code units from 1, as SQL Server's do; searches ignore case as its default
// collation does.
#include <fmt/format.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "proxy/sandbox/codec.h"
#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/functions.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

void append_code_point(std::string& out, char32_t c) {
  char buffer[4];
  int32_t size = 0;
  UBool error = false;
  U8_APPEND(reinterpret_cast<uint8_t*>(buffer), size, 4, static_cast<UChar32>(c), error);
  if (!error) out.append(buffer, static_cast<std::size_t>(size));
}

std::string_view right_trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void len(call& c) {
  if (!c[0].is_null()) c.integer(static_cast<std::int64_t>(length_of(right_trimmed(c[0].text()))));
}

// t_datalength(text, bytes per character); a type of one byte per character in UTF-8 still has one per character.
void data_length(call& c) {
  if (!c[0].is_null()) c.integer(static_cast<std::int64_t>(length_of(c[0].text())) * c[1].integer());
}

void left(call& c) {
  if (c.any_null()) return;
  if (c[1].integer() < 0)
    return c.fail(sql_error(537, "Invalid length parameter passed to the LEFT or SUBSTRING function."));
  c.text(slice(c[0].text(), 0, c[1].integer()));
}

void right(call& c) {
  if (c.any_null()) return;
  if (c[1].integer() < 0) return c.fail(sql_error(536, "Invalid length parameter passed to the RIGHT function."));
  const auto length = static_cast<std::int64_t>(length_of(c[0].text()));
  c.text(slice(c[0].text(), std::max<std::int64_t>(0, length - c[1].integer()), c[1].integer()));
}

void substring(call& c) {
  if (c.any_null()) return;
  std::int64_t start = c[1].integer() - 1;
  std::int64_t count = c[2].integer();
  if (count < 0) return c.fail(sql_error(537, "Invalid length parameter passed to the LEFT or SUBSTRING function."));
  if (start < 0) {
    count += start;
    start = 0;
  }
  c.text(slice(c[0].text(), start, count));
}

// A text as weights, with the byte and the unit where each begins.
struct weighed {
  std::vector<weight> weights;
  std::vector<std::size_t> bytes;
  std::vector<std::int64_t> units;
  explicit weighed(std::string_view text) {
    std::int64_t unit = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      const char32_t code = next_code_point(text, at);
      if (const weight w = weight_of(code); w != 0) {
        weights.push_back(w);
        bytes.push_back(begin);
        units.push_back(unit);
      }
      unit += code > 0xFFFF ? 2 : 1;
    }
    bytes.push_back(text.size());
    units.push_back(unit);
  }
};

std::size_t find(const std::vector<weight>& text, const std::vector<weight>& what, std::size_t from) {
  const auto at = std::search(text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(),
                              what.begin(), what.end());
  return at == text.end() ? std::string::npos : static_cast<std::size_t>(at - text.begin());
}

void charindex(call& c) {  // (what, text [, start])
  if (c.any_null()) return;
  const weighed what(c[0].text());
  const weighed text(c[1].text());
  const std::int64_t start = c.size() > 2 ? std::max<std::int64_t>(1, c[2].integer()) - 1 : 0;
  if (what.weights.empty()) return c.integer(0);
  std::size_t from = 0;
  while (from < text.weights.size() && text.units[from] < start) ++from;
  const auto at = find(text.weights, what.weights, from);
  c.integer(at == std::string::npos ? 0 : text.units[at] + 1);
}

struct kept_pattern : cached {
  std::string source;
  like_pattern pattern;
};

const like_pattern* pattern_of(call& c, int argument, std::string_view escape) {
  if (auto* kept = static_cast<kept_pattern*>(c.kept(argument))) return &kept->pattern;
  auto compiled = like_pattern::compile(c[argument].text(), escape);
  if (!compiled) {
    c.fail(
        sql_error(506, fmt::format("The invalid escape character \"{}\" was specified in a LIKE predicate.", escape)));
    return nullptr;
  }
  auto fresh = std::make_unique<kept_pattern>();
  fresh->pattern = std::move(*compiled);
  if (auto* kept = static_cast<kept_pattern*>(c.keep(argument, std::move(fresh)))) return &kept->pattern;
  return nullptr;
}

void like(call& c) {  // (text, pattern [, escape])
  if (c.any_null()) return;
  if (const auto* pattern = pattern_of(c, 1, c.size() > 2 ? c[2].text() : std::string_view{}))
    c.integer(pattern->matches(c[0].text()));
}

void patindex(call& c) {  // (pattern, text)
  if (c.any_null()) return;
  if (const auto* pattern = pattern_of(c, 0, {})) c.integer(pattern->find(c[1].text()));
}

void replace(call& c) {
  if (c.any_null()) return;
  const std::string_view source = c[0].text();
  const std::string_view with = c[2].text();
  const weighed text(source);
  const weighed what(c[1].text());
  if (what.weights.empty()) return c.text(source);
  std::string out;
  std::size_t from = 0;
  std::size_t byte = 0;
  for (;;) {
    const auto at = find(text.weights, what.weights, from);
    if (at == std::string::npos) break;
    out.append(source.substr(byte, text.bytes[at] - byte));
    out.append(with);
    from = at + what.weights.size();
    byte = text.bytes[from];
  }
  out.append(source.substr(byte));
  c.text(out);
}

void upper(call& c) {
  if (!c[0].is_null()) c.text(upper_case(c[0].text()));
}
void lower(call& c) {
  if (!c[0].is_null()) c.text(lower_case(c[0].text()));
}

// t_trim(text, characters): the tag says which ends, 1 = left, 2 = right.
void trim(call& c) {
  if (c.any_null()) return;
  const std::string_view text = c[0].text();
  std::vector<char32_t> set;
  const std::string_view characters = c[1].text();
  for (std::size_t at = 0; at < characters.size();) set.push_back(next_code_point(characters, at));
  std::size_t begin = 0;
  std::size_t end = text.size();
  const auto in_set = [&](std::size_t from, std::size_t& after) {
    after = from;
    return std::find(set.begin(), set.end(), next_code_point(text, after)) != set.end();
  };
  std::size_t after = 0;
  while ((c.tag() & 1) != 0 && begin < end && in_set(begin, after)) begin = after;
  while ((c.tag() & 2) != 0 && end > begin) {
    std::size_t last = end - 1;
    while (last > begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!in_set(last, after)) break;
    end = last;
  }
  c.text(text.substr(begin, end - begin));
}

void concat(call& c) {  // arguments are text; NULL is the empty string
  std::string out;
  for (int i = 0; i < c.size(); ++i) {
    if (!c[i].is_null()) out.append(c[i].text());
  }
  c.text(out);
}

void concat_ws(call& c) {
  std::string out;
  bool first = true;
  for (int i = 1; i < c.size(); ++i) {
    if (c[i].is_null()) continue;
    if (!first && !c[0].is_null()) out.append(c[0].text());
    first = false;
    out.append(c[i].text());
  }
  c.text(out);
}

void stuff(call& c) {  // (text, start, length, insert); a NULL insert deletes
  if (c[0].is_null() || c[1].is_null() || c[2].is_null()) return;
  const std::string_view text = c[0].text();
  const std::int64_t start = c[1].integer();
  const std::int64_t length = c[2].integer();
  if (start < 1 || length < 0 || start > static_cast<std::int64_t>(length_of(text))) return;
  std::string out(slice(text, 0, start - 1));
  if (!c[3].is_null()) out.append(c[3].text());
  out.append(slice(text, start - 1 + length, INT32_MAX));
  c.text(out);
}

void replicate(call& c) {
  if (c.any_null()) return;
  const std::int64_t count = c[1].integer();
  if (count < 0) return;
  const std::string_view text = c[0].text();
  std::string out;
  for (std::int64_t i = 0; i < count && out.size() < 8000 + text.size(); ++i) out.append(text);
  if (length_of(out) > 8000) out = std::string(slice(out, 0, 8000));
  c.text(out);
}

void reverse(call& c) {
  if (c[0].is_null()) return;
  const std::string_view text = c[0].text();
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    next_code_point(text, at);
    characters.push_back(text.substr(begin, at - begin));
  }
  std::string out;
  for (auto it = characters.rbegin(); it != characters.rend(); ++it) out.append(*it);
  c.text(out);
}

void space(call& c) {
  if (!c[0].is_null() && c[0].integer() >= 0)
    c.text(std::string(static_cast<std::size_t>(std::min<std::int64_t>(8000, c[0].integer())), ' '));
}

void unicode(call& c) {
  if (c[0].is_null() || c[0].text().empty()) return;
  std::size_t at = 0;
  c.integer(static_cast<std::int64_t>(next_code_point(c[0].text(), at)));
}

void character(call& c) {  // the tag: the highest code that gives a character
  if (c[0].is_null()) return;
  const std::int64_t code = c[0].integer();
  if (code < 0 || code > c.tag()) return;
  std::string out;
  append_code_point(out, static_cast<char32_t>(code));
  c.text(out);
}

void quote_name(call& c) {
  if (c[0].is_null()) return;
  const std::string_view text = c[0].text();
  if (length_of(text) > 128) return;
  char open = '[';
  if (c.size() > 1 && !c[1].is_null() && !c[1].text().empty()) open = c[1].text()[0];
  char close = open;
  if (open == '[' || open == ']') open = '[', close = ']';
  if (open == '(' || open == ')') open = '(', close = ')';
  if (open == '{' || open == '}') open = '{', close = '}';
  if (open == '<' || open == '>') open = '<', close = '>';
  std::string out(1, open);
  for (const char x : text) {
    if (x == close) out += x;
    out += x;
  }
  c.text(out + close);
}

void parse_name(call& c) {
  if (c.any_null()) return;
  std::vector<std::string> parts(1);
  char close = 0;
  const std::string_view text = c[0].text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char x = text[i];
    if (close != 0) {
      if (x == close) {
        if (i + 1 < text.size() && text[i + 1] == close) {
          parts.back() += x;
          ++i;
        } else {
          close = 0;
        }
      } else {
        parts.back() += x;
      }
    } else if (x == '[') {
      close = ']';
    } else if (x == '"') {
      close = '"';
    } else if (x == '.') {
      parts.emplace_back();
    } else {
      parts.back() += x;
    }
  }
  const std::int64_t wanted = c[1].integer();
  if (parts.size() > 4 || wanted < 1 || wanted > static_cast<std::int64_t>(parts.size())) return;
  const std::string& part = parts[parts.size() - static_cast<std::size_t>(wanted)];
  if (!part.empty()) c.text(part);
}

void str(call& c) {  // (float, length, decimals)
  if (c[0].is_null()) return;
  const auto length = c.size() > 1 ? c[1].integer() : 10;
  const auto decimals = c.size() > 2 ? std::clamp<std::int64_t>(c[2].integer(), 0, 16) : 0;
  std::string text = fmt::format("{:.{}f}", c[0].real(), decimals);
  if (static_cast<std::int64_t>(text.size()) > length) {
    const auto point = text.find('.');
    if (point == std::string::npos || static_cast<std::int64_t>(point) > length) {
      text = std::string(static_cast<std::size_t>(std::max<std::int64_t>(0, length)), '*');
    } else {
      text =
          fmt::format("{:.{}f}", c[0].real(), std::max<std::int64_t>(0, length - static_cast<std::int64_t>(point) - 1));
    }
  }
  if (static_cast<std::int64_t>(text.size()) < length)
    text.insert(0, static_cast<std::size_t>(length) - text.size(), ' ');
  c.text(text);
}

void translate(call& c) {
  if (c.any_null()) return;
  std::vector<char32_t> from;
  std::vector<std::string_view> to;
  const std::string_view a = c[1].text();
  const std::string_view b = c[2].text();
  for (std::size_t at = 0; at < a.size();) from.push_back(next_code_point(a, at));
  for (std::size_t at = 0; at < b.size();) {
    const std::size_t begin = at;
    next_code_point(b, at);
    to.push_back(b.substr(begin, at - begin));
  }
  if (from.size() != to.size())
    return c.fail(sql_error(9828,
                            "The second and third arguments of the TRANSLATE built-in function must contain an equal "
                            "number of characters."));
  std::string out;
  const std::string_view text = c[0].text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const weight w = weight_of(next_code_point(text, at));
    const auto found = std::find_if(from.begin(), from.end(), [w](char32_t x) { return weight_of(x) == w; });
    if (found == from.end()) {
      out.append(text.substr(begin, at - begin));
    } else {
      out.append(to[static_cast<std::size_t>(found - from.begin())]);
    }
  }
  c.text(out);
}

// t_pad(text, length): char(n) with its blanks, where they show (concatenation).
void pad(call& c) {
  if (c[0].is_null()) return;
  std::string text(c[0].text());
  const auto length = static_cast<std::int64_t>(length_of(text));
  if (length < c[1].integer()) text.append(static_cast<std::size_t>(c[1].integer() - length), ' ');
  c.text(text);
}

void is_numeric(call& c) {
  if (c[0].is_null()) return c.integer(0);
  std::string text(c[0].text());
  std::erase(text, ',');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  if (!text.empty() && text.front() == '$') text.erase(0, 1);
  c.integer(!text.empty() && parse_double(text).has_value());
}

void is_date(call& c) {
  if (c[0].is_null() || c[0].text().empty()) return c.integer(0);
  c.integer(convert(std::string(c[0].text()), {sql_type_id::varchar, 8000}, {sql_type_id::datetime}).has_value());
}

void new_id(call& c) {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  guid g;
  for (std::size_t i = 0; i < 16; i += 8) {
    std::uint64_t bits = engine();
    for (std::size_t k = 0; k < 8; ++k, bits >>= 8) g[i + k] = static_cast<std::uint8_t>(bits);
  }
  g[7] = static_cast<std::uint8_t>((g[7] & 0x0F) | 0x40);
  g[8] = static_cast<std::uint8_t>((g[8] & 0x3F) | 0x80);
  c.text(guid_text(g));
}

// CHECKSUM's promise is only "equal values, equal sums": FNV over the folded text of the arguments.
void checksum(call& c) {
  std::uint32_t h = 2166136261u;
  for (int i = 0; i < c.size(); ++i) {
    const std::string folded = c[i].is_null() ? std::string("\x01") : lower_case(right_trimmed(c[i].text()));
    for (const char x : folded) h = (h ^ static_cast<unsigned char>(x)) * 16777619u;
    h = (h ^ 0x1F) * 16777619u;
  }
  c.integer(static_cast<std::int32_t>(h));
}

}  // namespace

void register_text_functions(connection& db) {
  db.add_collation("T", compare_text);
  db.add_function("t_len", 1, len);
  db.add_function("t_datalength", 2, data_length);
  db.add_function("t_left", 2, left);
  db.add_function("t_right", 2, right);
  db.add_function("t_substring", 3, substring);
  db.add_function("t_charindex", -1, charindex);
  db.add_function("t_like", -1, like);
  db.add_function("t_patindex", 2, patindex);
  db.add_function("t_replace", 3, replace);
  db.add_function("t_upper", 1, upper);
  db.add_function("t_lower", 1, lower);
  db.add_function("t_ltrim", 2, trim, 1);
  db.add_function("t_rtrim", 2, trim, 2);
  db.add_function("t_trim", 2, trim, 3);
  db.add_function("t_concat", -1, concat);
  db.add_function("t_concat_ws", -1, concat_ws);
  db.add_function("t_stuff", 4, stuff);
  db.add_function("t_replicate", 2, replicate);
  db.add_function("t_reverse", 1, reverse);
  db.add_function("t_space", 1, space);
  db.add_function("t_unicode", 1, unicode);
  db.add_function("t_char", 1, character, 255);
  db.add_function("t_nchar", 1, character, 0x10FFFF);
  db.add_function("t_quotename", -1, quote_name);
  db.add_function("t_parsename", 2, parse_name);
  db.add_function("t_str", -1, str);
  db.add_function("t_translate", 3, translate);
  db.add_function("t_pad", 2, pad);
  db.add_function("t_isnumeric", 1, is_numeric);
  db.add_function("t_isdate", 1, is_date);
  db.add_function("t_newid", 0, new_id, 0, false);
  db.add_function("t_checksum", -1, checksum);
}

}  // namespace dragoman::sandbox
