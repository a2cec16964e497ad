// A schema in words, for a prompt: tables, their visible columns, keys and sample values; nothing a principal may not
// know. The same arguments give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "guard/catalog/catalog.h"
#include "retrieval/table_index.h"
#include "retrieval/visibility.h"

namespace dragoman::retrieval {

struct schema_text_options {
  std::size_t samples_max = 12;       // per column
  std::size_t sample_bytes_max = 60;  // longer values are left out, not cut: a cut literal would match nothing
  std::size_t description_bytes_max = 160;
};

// The tables by index, in the given order. One table:
//   [sales].[Order] -- one line per order
//     OrderID bigint primary key
//     CustomerID int -> [sales].[Customer].CustomerID
//     Segment nvarchar(50) -- kind of customer; values: "Industrial", "Retail"
//     LocationID int -> [ref].[Location].LocationID (join only)
std::string schema_text(const catalog::database&, const table_scope&, const std::vector<std::size_t>& tables,
                        const schema_text_options& = {});

// All visible tables, ordered by name.
std::vector<std::size_t> visible_tables(const catalog::database&, const table_scope&);

// About how many tokens a model makes of a text: four bytes of ASCII a token, two letters of other scripts.
std::size_t estimated_tokens(std::string_view text) noexcept;

// One line, no control characters, cut at a letter's end.
std::string one_line(std::string_view text, std::size_t bytes_max);

}  // namespace dragoman::retrieval
