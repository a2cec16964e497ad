// A grid for terminals: columns padded by what a terminal shows, not by bytes, so that Persian lines up too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::proxy {

// Columns of a terminal that a UTF-8 text takes: combining marks and joiners none, East Asian wide characters two.
std::size_t display_width(std::string_view text) noexcept;

struct text_table {
  std::vector<std::string> names;
  std::vector<bool> right;  // numbers align right; as many as names
  std::vector<std::vector<std::string>> rows;
};

// Header, rule, rows, and a last line "(n rows)"; rows beyond rows_max are counted, not shown.
std::string format_table(const text_table& table, std::size_t rows_max, std::size_t total_rows);

}  // namespace dragoman::proxy
