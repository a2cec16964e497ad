#include "base/code_page.h"

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/utf16.h"

namespace dragoman {
namespace {

constexpr int utf8_page = 65001;

struct sort_range {
  std::uint8_t first, last;
  int page;
};
// Sort ids of the SQL_* collations.
constexpr sort_range sort_ranges[] = {
    {30, 34, 437},    {40, 49, 850},    {50, 54, 1252},   {55, 61, 850},    {71, 75, 1252},   {80, 98, 1250},
    {104, 108, 1251}, {112, 124, 1253}, {128, 130, 1254}, {136, 138, 1255}, {144, 146, 1256}, {152, 160, 1257},
    {183, 186, 1252}, {192, 193, 932},  {194, 195, 949},  {196, 197, 950},  {198, 199, 936},  {200, 200, 932},
    {201, 201, 949},  {202, 202, 950},  {203, 203, 936},  {204, 206, 874},  {210, 217, 1252},
};

int page_of_language(std::uint32_t lcid) noexcept {
  if ((lcid & 0xFFFF) == 0x0404 || (lcid & 0xFFFF) == 0x0C04 || (lcid & 0xFFFF) == 0x1404) return 950;
  if ((lcid & 0xFFFF) == 0x0C1A || (lcid & 0xFFFF) == 0x201A || (lcid & 0xFFFF) == 0x1C1A) return 1251;
  switch (lcid & 0x3FF) {
    case 0x01:
    case 0x20:
    case 0x29:
    case 0x80:
    case 0x8C: return 1256;
    case 0x02:
    case 0x19:
    case 0x22:
    case 0x23:
    case 0x2F:
    case 0x3F:
    case 0x40:
    case 0x44:
    case 0x50:
    case 0x6D: return 1251;
    case 0x05:
    case 0x0E:
    case 0x15:
    case 0x18:
    case 0x1A:
    case 0x1B:
    case 0x1C:
    case 0x24:
    case 0x42: return 1250;
    case 0x08: return 1253;
    case 0x1F:
    case 0x2C:
    case 0x43: return 1254;
    case 0x0D: return 1255;
    case 0x25:
    case 0x26:
    case 0x27: return 1257;
    case 0x2A: return 1258;
    case 0x1E: return 874;
    case 0x11: return 932;
    case 0x04: return 936;
    case 0x12: return 949;
    default: return 1252;
  }
}

struct converter_closer {
  void operator()(UConverter* c) const noexcept { ucnv_close(c); }
};

UConverter* converter_of(int page) {
  thread_local std::map<int, std::unique_ptr<UConverter, converter_closer>> open;
  auto& slot = open[page];
  if (!slot) {
    const std::string name = (page == 437 || page == 850 ? "ibm-" : "windows-") + std::to_string(page);
    UErrorCode status = U_ZERO_ERROR;
    slot.reset(ucnv_open(name.c_str(), &status));
    if (U_FAILURE(status)) {
      slot.reset();
      return nullptr;
    }
    const char question = '?';
    ucnv_setSubstChars(slot.get(), &question, 1, &status);
  }
  return slot.get();
}

bool is_ascii(const char* p, std::size_t n) noexcept {
  return std::all_of(p, p + n, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

int code_page_of(const collation& coll) noexcept {
  if (coll.utf8()) return utf8_page;
  if (coll.sort_id != 0)
    for (const sort_range& r : sort_ranges)
      if (coll.sort_id >= r.first && coll.sort_id <= r.last) return r.page;
  return page_of_language(coll.info & 0xFFFFF);
}

std::string utf8_from_code_page(std::span<const std::uint8_t> bytes, int page) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  if (page == utf8_page || is_ascii(text, bytes.size())) {
    std::string out(text, bytes.size());
    if (page == utf8_page && !is_valid_utf8(out)) {
      // Through UTF-16 and back: every malformed byte becomes U+FFFD.
      std::vector<std::uint8_t> wide;
      append_utf16le(wide, out);
      out = utf8_from_utf16le(wide).value_or(std::string{});
    }
    return out;
  }
  UConverter* converter = converter_of(page);
  if (converter == nullptr) return std::string(bytes.size(), '?');
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString wide(text, static_cast<std::int32_t>(bytes.size()), converter, status);
  std::string out;
  wide.toUTF8String(out);
  return out;
}

std::string code_page_from_utf8(std::string_view text, int page, std::size_t limit) {
  std::string out;
  if (page == utf8_page || is_ascii(text.data(), text.size())) {
    out.assign(text);
    if (out.size() > limit) {
      std::size_t end = limit;
      while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
      out.resize(end);
    }
    return out;
  }
  UConverter* converter = converter_of(page);
  const icu::UnicodeString wide =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  if (converter == nullptr) return std::string(std::min<std::size_t>(wide.countChar32(), limit), '?');
  UErrorCode status = U_ZERO_ERROR;
  out.resize(static_cast<std::size_t>(UCNV_GET_MAX_BYTES_FOR_STRING(wide.length(), ucnv_getMaxCharSize(converter))));
  const std::int32_t written = wide.extract(out.data(), static_cast<std::int32_t>(out.size()), converter, status);
  out.resize(U_FAILURE(status) ? 0 : static_cast<std::size_t>(written));
  if (out.size() > limit) {
    // In the double-byte pages a cut may fall inside a character: walk to the last whole one.
    if (ucnv_getMaxCharSize(converter) == 1) {
      out.resize(limit);
    } else {
      std::size_t at = 0;
      while (at < limit) {
        const auto lead = static_cast<unsigned char>(out[at]);
        const bool single = lead < 0x81 || (page == 932 && lead >= 0xA1 && lead <= 0xDF);
        const std::size_t next = at + (single ? 1 : 2);
        if (next > limit) break;
        at = next;
      }
      out.resize(at);
    }
  }
  return out;
}

}  // namespace dragoman
