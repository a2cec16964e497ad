#include "proxy/text_table.h"

#include <fmt/format.h>
#include <wchar.h>

#include <algorithm>
#include <cstdint>

namespace dragoman::proxy {
namespace {

constexpr std::size_t cell_width_max = 60;

// One code point; malformed bytes count as one each.
char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  const auto byte = static_cast<unsigned char>(text[at++]);
  int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
  char32_t c = more == 3 ? byte & 0x07 : more == 2 ? byte & 0x0F : more == 1 ? byte & 0x1F : byte;
  for (; more > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; --more)
    c = (c << 6) | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return c;
}

std::size_t width_of(char32_t c) noexcept {
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (c < 0x20 || within(0x7F, 0x9F)) return 0;
  // Marks that sit on the letter before them, joiners, direction marks, variation selectors.
  if (within(0x0300, 0x036F) || within(0x0610, 0x061A) || within(0x064B, 0x065F) || c == 0x0670 ||
      within(0x06D6, 0x06DC) || within(0x06DF, 0x06E4) || within(0x06E7, 0x06E8) || within(0x06EA, 0x06ED) ||
      within(0x200B, 0x200F) || within(0x202A, 0x202E) || within(0x2060, 0x2069) || within(0xFE00, 0xFE0F) ||
      c == 0xFEFF)
    return 0;
  if (within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) || within(0xF900, 0xFAFF) ||
      within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) || within(0xFFE0, 0xFFE6) || within(0x1F300, 0x1FAFF) ||
      within(0x20000, 0x3FFFD))
    return 2;
  return 1;
}

std::string fit(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0;
  std::size_t at = 0;
  std::size_t cut = 0;
  while (at < text.size()) {
    const std::size_t w = width_of(next_code_point(text, at));
    if (used + w > width - 1) break;
    used += w;
    cut = at;
  }
  return std::string(text.substr(0, cut)) + "…";
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  return out;
}

bool is_rtl(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const char32_t c = next_code_point(text, at);
    if ((c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && c <= 0xFDFF) || (c >= 0xFE70 && c <= 0xFEFC)) return true;
  }
  return false;
}

}  // namespace

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string format_table(const text_table& table, std::size_t rows_max, std::size_t total_rows) {
  const std::size_t columns = table.names.size();
  const std::size_t shown = std::min(rows_max, table.rows.size());
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths(columns);
  const auto add = [&](const std::vector<std::string>& row) {
    std::vector<std::string> line(columns);
    for (std::size_t i = 0; i < columns && i < row.size(); ++i) {
      line[i] = fit(one_line(row[i]), cell_width_max);
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
    cells.push_back(std::move(line));
  };
  add(table.names);
  for (std::size_t r = 0; r < shown; ++r) add(table.rows[r]);

  std::string out;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    std::string line = " ";
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t pad = widths[i] - display_width(cells[r][i]);
      const bool right = i < table.right.size() && table.right[i];
      if (i > 0) line += " │ ";
      if (right) line.append(pad, ' ');
      // A left-to-right mark after right-to-left text keeps a terminal from pulling the column rule into it.
      line += cells[r][i];
      if (is_rtl(cells[r][i])) line += "\u200E";
      if (!right && i + 1 < columns) line.append(pad, ' ');
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
    if (r == 0) {
      for (std::size_t i = 0; i < columns; ++i) {
        if (i > 0) out += "┼";
        for (std::size_t w = 0; w < widths[i] + 2; ++w) out += "─";
      }
      out += "\n";
    }
  }
  if (total_rows > shown)
    out += fmt::format(" ({} rows, the first {} shown)\n", total_rows, shown);
  else
    out += fmt::format(" ({} {})\n", total_rows, total_rows == 1 ? "row" : "rows");
  return out;
}

}  // namespace dragoman::proxy
