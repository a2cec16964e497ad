#include "proxy/upstream/text_encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace dragoman::upstream {
namespace {

constexpr std::uint32_t flag_ignore_case = 1U << 20;
constexpr std::uint32_t flag_ignore_accent = 1U << 21;
constexpr std::uint32_t flag_ignore_width = 1U << 22;
constexpr std::uint32_t flag_ignore_kana = 1U << 23;
constexpr std::uint32_t flag_binary = 1U << 24;
constexpr std::uint32_t flag_binary2 = 1U << 25;
constexpr std::uint32_t flag_utf8 = 1U << 26;

struct locale_entry {
  std::string_view prefix;  // of the collation's name, up to the version or the sensitivities
  std::uint32_t lcid;
  const char* code_page;
};

// Windows collation designators (Windows Collation Name, Transact-SQL). Those not listed are of code page 1252.
constexpr std::array<locale_entry, 27> locales{{
    {"Latin1_General", 0x0409, "CP1252"},
    {"Arabic", 0x0401, "CP1256"},
    {"Persian", 0x0429, "CP1256"},
    {"Urdu", 0x0420, "CP1256"},
    {"Uighur", 0x0480, "CP1256"},
    {"Hebrew", 0x040D, "CP1255"},
    {"Cyrillic_General", 0x0419, "CP1251"},
    {"Ukrainian", 0x0422, "CP1251"},
    {"Kazakh", 0x043F, "CP1251"},
    {"Greek", 0x0408, "CP1253"},
    {"Turkish", 0x041F, "CP1254"},
    {"Azeri_Latin", 0x042C, "CP1254"},
    {"Uzbek_Latin", 0x0443, "CP1254"},
    {"Polish", 0x0415, "CP1250"},
    {"Czech", 0x0405, "CP1250"},
    {"Hungarian", 0x040E, "CP1250"},
    {"Romanian", 0x0418, "CP1250"},
    {"Croatian", 0x041A, "CP1250"},
    {"Slovak", 0x041B, "CP1250"},
    {"Slovenian", 0x0424, "CP1250"},
    {"Albanian", 0x041C, "CP1250"},
    {"Lithuanian", 0x0427, "CP1257"},
    {"Latvian", 0x0426, "CP1257"},
    {"Estonian", 0x0425, "CP1257"},
    {"Thai", 0x041E, "CP874"},
    {"Vietnamese", 0x042A, "CP1258"},
    {"Japanese", 0x0411, "CP932"},
}};

bool contains_word(std::string_view name, std::string_view word) {
  for (std::size_t at = 0; at < name.size();) {
    auto end = name.find('_', at);
    if (end == std::string_view::npos) end = name.size();
    const std::string_view part = name.substr(at, end - at);
    if (part.size() == word.size() && std::equal(part.begin(), part.end(), word.begin(), [](char a, char b) {
          return std::toupper(static_cast<unsigned char>(a)) == b;
        }))
      return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

const char* code_page_of(const collation& coll) noexcept {
  if (coll.utf8()) return "UTF-8";
  const std::uint32_t lcid = coll.info & 0xFFFFU;
  for (const locale_entry& l : locales)
    if (l.lcid == lcid) return l.code_page;
  return "CP1252";
}

collation collation_named(std::string_view name) {
  collation out;
  if (name.empty() || name.starts_with("SQL_Latin1_General_CP1_CI_AS")) return out;
  const bool sql = name.starts_with("SQL_");
  if (sql) name.remove_prefix(4);
  std::uint32_t info = 0x0409;
  for (const locale_entry& l : locales)
    if (name.starts_with(l.prefix)) info = l.lcid;
  if (contains_word(name, "BIN2")) {
    info |= flag_binary2;
  } else if (contains_word(name, "BIN")) {
    info |= flag_binary;
  } else {
    if (contains_word(name, "CI")) info |= flag_ignore_case;
    if (contains_word(name, "AI")) info |= flag_ignore_accent;
    if (!contains_word(name, "WS")) info |= flag_ignore_width;
    if (!contains_word(name, "KS")) info |= flag_ignore_kana;
  }
  if (contains_word(name, "UTF8")) info |= flag_utf8;
  const std::uint32_t version = contains_word(name, "140")   ? 3
                                : contains_word(name, "100") ? 2
                                : contains_word(name, "90")  ? 1
                                                             : 0;
  out.info = info | version << 28;
  out.sort_id = 0;
  return out;
}

std::string to_utf8(std::span<const std::uint8_t> bytes, const collation& coll) {
  const bool ascii = std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b < 0x80; });
  if (ascii || coll.utf8()) return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const iconv_t converter = iconv_open("UTF-8", code_page_of(coll));
  std::string out;
  if (converter == reinterpret_cast<iconv_t>(-1)) return out;
  out.resize(bytes.size() * 3 + 4);
  // iconv takes a pointer to non-const input and does not write to it.
  char* in = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
  std::size_t left = bytes.size();
  char* to = out.data();
  std::size_t room = out.size();
  while (left > 0 && iconv(converter, &in, &left, &to, &room) == static_cast<std::size_t>(-1)) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    if (left == 0 || room < replacement.size()) break;
    to = std::copy(replacement.begin(), replacement.end(), to);
    room -= replacement.size();
    ++in;
    --left;
  }
  iconv_close(converter);
  out.resize(out.size() - room);
  return out;
}

}  // namespace dragoman::upstream
