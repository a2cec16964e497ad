// The table hints that are one word (T-SQL reference: "Table hints"). The parser tells t (NOLOCK) from f(x) by them and
// the printer keeps the two apart.
#pragma once

#include <algorithm>
#include <string_view>

namespace dragoman::tsql {

inline constexpr std::string_view table_hint_words[] = {
    "FASTFIRSTROW",
    "FORCESCAN",
    "FORCESEEK",
    "HOLDLOCK",
    "IGNORE_CONSTRAINTS",
    "IGNORE_TRIGGERS",
    "KEEPDEFAULTS",
    "KEEPIDENTITY",
    "NOEXPAND",
    "NOLOCK",
    "NOWAIT",
    "PAGLOCK",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "READPAST",
    "READUNCOMMITTED",
    "REPEATABLEREAD",
    "ROWLOCK",
    "SERIALIZABLE",
    "SNAPSHOT",
    "TABLOCK",
    "TABLOCKX",
    "UPDLOCK",
    "XLOCK",
};

// `word` is in upper case.
inline bool is_table_hint(std::string_view word) {
  return std::find(std::begin(table_hint_words), std::end(table_hint_words), word) != std::end(table_hint_words);
}

}  // namespace dragoman::tsql
