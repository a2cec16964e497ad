// Any text: what parses prints to text that parses to an equal tree and prints the same, in both layouts and with both
// settings of QUOTED_IDENTIFIER.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "guard/tsql/parser.h"
#include "guard/tsql/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::tsql;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool quoted_identifier : {true, false}) {
    const auto tree = parse_query(text, {.quoted_identifier = quoted_identifier});
    (void)parse_batch(text, {.quoted_identifier = quoted_identifier});
    if (!tree) continue;
    const std::string printed = print(*tree);
    for (const bool again_quoted : {true, false}) {
      const auto again = parse_query(printed, {.quoted_identifier = again_quoted});
      if (!again || !(*again == *tree) || print(*again) != printed) std::abort();
    }
    const auto pretty = parse_query(print_pretty(*tree));
    if (!pretty || !(*pretty == *tree)) std::abort();
  }
  return 0;
}
