// Any bytes: tokens lie one behind the other inside the text, and their values are readable.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "guard/tsql/lexer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::tsql;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool quoted_identifier : {true, false}) {
    const auto list = tokenize(text, {.quoted_identifier = quoted_identifier});
    if (!list) continue;
    std::size_t end = 0;
    for (const token& t : list->tokens) {
      if (t.offset < end || t.offset + t.length > size) std::abort();
      end = t.offset + t.length;
      if (t.kind != token_kind::end && t.length == 0) std::abort();
      (void)token_value(text, t);
    }
  }
  (void)find_leading_ask(text);
  return 0;
}
