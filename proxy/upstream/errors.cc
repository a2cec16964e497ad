#include "proxy/upstream/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <utility>

#include "base/log.h"

namespace dragoman::upstream {
namespace {

// Texts made of types, functions, operators and limits only.
constexpr std::array relayed{102,  // incorrect syntax: the statement's own words
                             116,  130,  131,  144,  145,  147,  156,  164,  174,  178,  189,  191,  195,   205,
                             206,  241,  242,  244,  257,  260,  281,  291,  295,  296,  402,  403,  408,   421,
                             446,  447,  448,  451,  457,  468,  512,  517,  529,  530,  535,  536,  537,   1014,
                             1035, 1060, 1222, 1540, 3606, 3607, 3623, 4109, 4112, 8115, 8116, 8117, 8120,  8133,
                             8134, 8141, 8152, 8155, 8180, 8623, 8632, 8648, 8710, 9807, 9810, 9811, 10741, 11702};

// Texts that quote a value of a row, in words of our own.
constexpr std::array<std::pair<int, std::string_view>, 12> reworded{{
    {220, "Arithmetic overflow error: a value does not fit its data type."},
    {232, "Arithmetic overflow error: a value does not fit its data type."},
    {245, "Conversion failed when converting a character value to another data type."},
    {248, "The conversion of a character value overflowed an int column."},
    {2628, "String or binary data would be truncated."},
    {8114, "Error converting data type: a value does not have the form of the type asked for."},
    {8169, "Conversion failed when converting from a character string to uniqueidentifier."},
    {9420, "XML parsing: illegal XML character."},
    {9436, "XML parsing: end tag does not match start tag."},
    {13608, "Property cannot be found on the specified JSON path."},
    {13609, "JSON text is not properly formatted."},
    {1205, "The statement was chosen as the victim of a deadlock. Run it again."},
}};

}  // namespace

std::string new_error_id() {
  static std::atomic<std::uint32_t> next{std::random_device{}()};
  // A multiplicative step visits every id once before any comes again, and looks random to a reader.
  return fmt::format("{:08x}", next.fetch_add(2654435761U));
}

classified classify(const std::vector<diagnostic>& records, bool own_texts) {
  const auto found = std::find_if(records.begin(), records.end(), [](const diagnostic& d) { return !d.is_warning(); });
  if (found == records.end())
    return {{errc::upstream_error, "The data source ended the statement without a reason."}, {}};
  failure f(errc::upstream_error, found->text);
  f.number = found->number;
  if (own_texts || std::find(relayed.begin(), relayed.end(), found->number) != relayed.end()) return {std::move(f), {}};
  for (const auto& [number, text] : reworded) {
    if (number != found->number) continue;
    f.message = text;
    return {std::move(f), {}};
  }
  const std::string id = new_error_id();
  log::warn("upstream error {}: {} {} {}", id, found->state, found->number, found->text);
  return {{errc::upstream_error, fmt::format("The data source could not run the statement (error id {}).", id)}, id};
}

void collect_messages(const std::vector<diagnostic>& records, std::vector<message>& out, bool own_texts) {
  for (const diagnostic& d : records) {
    // 5701 and 5703, "changed database/language context", are noise of the connection itself; ODBC's own notices
    // (number 0) are not the server's.
    if (!d.is_warning() || (d.number == 0 && !own_texts) || d.number == 5701 || d.number == 5703 || out.size() >= 64)
      continue;
    out.push_back({d.number, d.text});
  }
}

}  // namespace dragoman::upstream
