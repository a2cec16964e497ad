#include "nlq/insight_figures.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "nlq/insight_number_words.h"

namespace dragoman::nlq {

namespace {

char32_t plain_letter(UChar32 c) {
  switch (c) {
    case 0x064A:
    case 0x0649: return 0x06CC;
    case 0x0643: return 0x06A9;
    case 0x200C:
    case '\t':
    case '\n':
    case '\r': return ' ';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212: return '-';
    default: break;
  }
  // Every decimal digit; not superscripts, circled ones or fractions, which stay what they are.
  if (u_charType(c) == U_DECIMAL_DIGIT_NUMBER) return static_cast<char32_t>('0' + u_charDigitValue(c));
  return static_cast<char32_t>(c);
}

}  // namespace

letters::letters(std::string_view utf8) {
  const auto size = static_cast<std::int32_t>(utf8.size());
  for (std::int32_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT(utf8.data(), i, size, c);
    const char32_t plain = plain_letter(c < 0 ? 0xFFFD : c);
    as_written += plain;
    small += static_cast<char32_t>(u_tolower(static_cast<UChar32>(plain)));
  }
}

bool is_letter(char32_t c) noexcept {
  return c != taken_out && u_isalpha(static_cast<UChar32>(c));
}
bool is_digit(char32_t c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_word_char(char32_t c) noexcept {
  return is_letter(c) || is_digit(c) || c == '_';
}

namespace {

// Letters glued to digits: "12k", "3rd". 0: none of these.
long double short_multiplier(std::u32string_view w) {
  if (w == U"k") return 1e3L;
  if (w == U"m" || w == U"mn" || w == U"mm" || w == U"mio") return 1e6L;
  if (w == U"b" || w == U"bn") return 1e9L;
  if (w == U"t" || w == U"tn") return 1e12L;
  return 0;
}

bool is_one_of(std::u32string_view w, std::initializer_list<std::u32string_view> list) {
  return std::find(list.begin(), list.end(), w) != list.end();
}

// ---- tokens ---------------------------------------------------------------------------------------------------------

struct bit {
  enum class sort : unsigned char { word, digits, sign } sort;
  std::u32string_view text;
  std::size_t at;
  bool glued;  // nothing between it and the bit before
};

bool joins_digits(char32_t c) {
  return c == ',' || c == '.' || c == '/' || c == ':' || c == '-' || c == '\'' || c == 0x2019 || c == 0x066B ||
         c == 0x066C || c == 0x060C || c == 0x00A0 || c == 0x2009 || c == 0x202F;
}

std::vector<bit> bits_of(std::u32string_view s) {
  std::vector<bit> out;
  bool blank = true;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t end = i + 1;
    auto kind = bit::sort::sign;
    if (s[i] == ' ') {
      blank = true;
      ++i;
      continue;
    }
    if (is_digit(s[i])) {
      kind = bit::sort::digits;
      while (end < s.size() &&
             (is_digit(s[end]) || (joins_digits(s[end]) && end + 1 < s.size() && is_digit(s[end + 1]))))
        ++end;
    } else if (is_letter(s[i])) {
      kind = bit::sort::word;
      while (end < s.size() && is_letter(s[end])) ++end;
    }
    out.push_back({kind, s.substr(i, end - i), i, !blank});
    blank = false;
    i = end;
  }
  return out;
}

// ---- one number in digits -------------------------------------------------------------------------------------------

long double number_in(std::u32string_view digits) {
  long double n = 0;
  for (char32_t c : digits) n = n * 10 + static_cast<long double>(c - '0');
  return n;
}

struct written {
  figure_kind kind = figure_kind::plain;
  long double value = 0, unit = 1;
  bool bare = true;
  int year = 0, month = 0, day = 0;
};

// Nothing where the signs between the digits leave a choice of what is meant. A run of numbers ("2023-2024") gives
// several.
std::optional<std::vector<written>> numbers_in(std::u32string_view run) {
  std::vector<std::u32string_view> parts;
  std::u32string signs;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= run.size(); ++i) {
    if (i < run.size() && is_digit(run[i])) continue;
    parts.push_back(run.substr(from, i - from));
    if (i < run.size()) signs += run[i];
    from = i + 1;
  }
  for (std::u32string_view p : parts)
    if (p.size() > 18) return std::nullopt;
  const auto all = [&](std::u32string_view of) {
    return std::all_of(signs.begin(), signs.end(), [&](char32_t c) { return of.find(c) != of.npos; });
  };
  if (signs.empty()) return std::vector<written>{{.value = number_in(run)}};
  // Dates: year first.
  if (parts.size() <= 3 && parts[0].size() == 4 && all(U"-/") && parts[1].size() <= 2) {
    written d;
    d.kind = figure_kind::date;
    d.year = static_cast<int>(number_in(parts[0]));
    d.month = static_cast<int>(number_in(parts[1]));
    d.day = parts.size() == 3 ? static_cast<int>(number_in(parts[2])) : 0;
    if (d.month < 1 || d.month > 12 || d.day > 31) return std::nullopt;
    return std::vector<written>{d};
  }
  if (all(U"-")) {  // from … to …
    std::vector<written> out;
    for (std::u32string_view p : parts) out.push_back({.value = number_in(p)});
    return out;
  }
  // A decimal part: one point, behind everything else. Persian hands write it as a slash too.
  std::u32string_view decimals;
  const char32_t last = signs.back();
  if (last == '.' || last == 0x066B || (last == '/' && signs.size() == 1)) {
    decimals = parts.back();
    parts.pop_back();
    signs.pop_back();
  }
  // Groups of three, all parted alike.
  if (!signs.empty()) {
    if (signs.find_first_not_of(signs[0]) != signs.npos) return std::nullopt;
    if (std::u32string_view(U",'\u2019\u066C\u060C\u00A0\u2009\u202F").find(signs[0]) == std::u32string_view::npos)
      return std::nullopt;
    if (parts[0].empty() || parts[0].size() > 3 || (parts[0][0] == '0')) return std::nullopt;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (parts[i].size() != 3) return std::nullopt;
  }
  written n;
  n.bare = false;
  for (std::u32string_view p : parts) n.value = n.value * (signs.empty() ? 1 : 1000) + number_in(p);
  for (char32_t c : decimals) {
    n.unit /= 10;
    n.value += n.unit * static_cast<long double>(c - '0');
  }
  return std::vector<written>{n};
}

// ---- all of a text --------------------------------------------------------------------------------------------------

class figure_reader {
 public:
  explicit figure_reader(std::u32string_view s) : text_(s), bits_(bits_of(s)) {}

  figures_read run() {
    while (at_ < bits_.size() && out_.trouble.empty()) step();
    return std::move(out_);
  }

 private:
  const bit* peek(std::size_t ahead = 0) const { return at_ + ahead < bits_.size() ? &bits_[at_ + ahead] : nullptr; }
  const number_word* word(std::size_t ahead = 0) const {
    const bit* b = peek(ahead);
    if (b == nullptr || b->sort != bit::sort::word) return nullptr;
    return find_number_word(b->text);
  }
  bool is_word(std::size_t ahead, std::u32string_view w) const {
    const bit* b = peek(ahead);
    return b != nullptr && b->text == w;
  }
  bool before(std::size_t i, std::size_t back, std::initializer_list<std::u32string_view> list) const {
    return i >= back && is_one_of(bits_[i - back].text, list);
  }
  void trouble(const char* what) { out_.trouble = what; }

  void step() {
    const bit& b = bits_[at_];
    if (b.sort == bit::sort::digits) return digits();
    if (b.sort == bit::sort::word) {
      if (const number_word* w = word()) return words(*w);
    }
    ++at_;
  }

  figure_bound bound_at(std::size_t i) const {
    using enum figure_bound;
    // A currency sign or "the" may stand between.
    if (before(i, 1, {U"over", U"above", U"exceeding", U"exceeds", U"exceeded", U"بالای"})) return over;
    if (before(i, 1, {U"under", U"below", U"nearly", U"almost", U"زیر"})) return under;
    if (before(i, 1, {U"than"}))
      return before(i, 2, {U"more", U"greater", U"higher"}) ? over
             : before(i, 2, {U"less", U"fewer", U"lower"})  ? under
                                                            : none;
    if (before(i, 1, {U"least"}) || before(i, 1, {U"کم"})) return over;
    if (before(i, 1, {U"most"}) || (before(i, 1, {U"to"}) && before(i, 2, {U"up"}))) return under;
    if (before(i, 1, {U"از"})) return before(i, 2, {U"بیش", U"بیشتر"}) ? over : before(i, 2, {U"کمتر"}) ? under : none;
    if (before(i, 1, {U"به"}) && before(i, 2, {U"نزدیک", U"قریب"})) return under;
    return none;
  }

  // What stands behind a number and belongs to it. False: it cannot be read.
  bool suffixes(figure& f) {
    if (const bit* b = peek(); b != nullptr && b->sort == bit::sort::word && b->glued && b->at > 0 &&
                               is_digit(text_[b->at - 1]) && b->text[0] < 0x250) {
      if (const long double m = short_multiplier(b->text); m > 0) {
        f.value *= m;
        f.unit *= m;
        f.bare = false;
        ++at_;
      } else if (is_one_of(b->text, {U"st", U"nd", U"rd", U"th"})) {
        f.kind = figure_kind::ordinal;
        ++at_;
        return true;
      } else if (b->text == U"x") {
        f.kind = figure_kind::times;
        ++at_;
        return true;
      } else if (word() == nullptr) {
        trouble("letters and digits in one word");
        return false;
      }
    } else if (b != nullptr && b->sort == bit::sort::word && !b->glued) {
      // "1.2 M", "3 bn": never a word of its own in a sentence about figures.
      if (const long double m = short_multiplier(b->text); m > 0 && b->text != U"t") {
        f.value *= m;
        f.unit *= m;
        f.bare = false;
        ++at_;
      }
    }
    while (const number_word* w = word()) {
      if (w->sort != word_sort::multiplier && w->sort != word_sort::hundred) break;
      f.value *= w->value;
      f.unit *= w->value;
      f.bare = false;
      ++at_;
      if (is_word(0, U"ها")) {
        trouble("a number that is only hinted at");
        return false;
      }
    }
    return kind_behind(f);
  }

  bool kind_behind(figure& f) {
    const bit* b = peek();
    if (b == nullptr) return true;
    if (b->text == U"%" || b->text == U"\u066A") {
      f.kind = figure_kind::percent;
      ++at_;
    } else if (is_one_of(b->text, {U"\u2030", U"°"})) {
      trouble("a unit that is not known");
      return false;
    } else if (is_word(0, U"per") && (is_word(1, U"cent") || is_word(1, U"mille"))) {
      if (is_word(1, U"mille")) {
        trouble("a unit that is not known");
        return false;
      }
      f.kind = figure_kind::percent;
      at_ += 2;
    } else if (is_word(0, U"basis") || is_word(0, U"bp")) {
      trouble("a unit that is not known");
      return false;
    } else if (is_word(0, U"در") && is_word(1, U"هزار")) {
      trouble("a unit that is not known");
      return false;
    } else {
      // "-fold"
      const std::size_t skip = b->text == U"-" && b->glued ? 1 : 0;
      if (const number_word* w = word(skip)) {
        if (w->sort == word_sort::percent && skip == 0) {
          f.kind = figure_kind::percent;
          ++at_;
        } else if (w->sort == word_sort::times) {
          f.kind = figure_kind::times;
          at_ += skip + 1;
        }
      } else if (is_word(0, U"x") || b->text == U"×") {
        f.kind = figure_kind::times;
        ++at_;
      }
    }
    return true;
  }

  void digits() {
    const std::size_t first = at_;
    const bit& b = bits_[at_];
    const auto numbers = numbers_in(b.text);
    if (!numbers) return trouble("a number that can be read in several ways");
    // "Q1", "H2" are periods; any other letters before digits make a name that is not known.
    if (first > 0 && bits_[first - 1].sort == bit::sort::word && b.glued && bits_[first - 1].text.back() < 0x250 &&
        !is_one_of(bits_[first - 1].text, {U"q", U"h", U"fy"}))
      return trouble("letters and digits in one word");
    // A sign, unless it stands between two things: "10-20", "A-3".
    const bool negative = first > 0 && bits_[first - 1].text == U"-" && b.glued && !bits_[first - 1].glued;
    ++at_;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const written& n = (*numbers)[i];
      figure f;
      f.kind = n.kind;
      f.value = negative ? -n.value : n.value;
      f.unit = n.unit;
      f.signed_negative = negative;
      f.bare = n.bare;
      f.year = n.year;
      f.month = n.month;
      f.day = n.day;
      f.at = b.at;
      if (first > 0 && is_one_of(bits_[first - 1].text, {U"%", U"\u066A"}) && b.glued && f.kind == figure_kind::plain)
        f.kind = figure_kind::percent;  // «٪۱۲»
      f.bound = bound_at(first > 0 && negative ? first - 1 : first);
      if (i + 1 == numbers->size() && f.kind != figure_kind::date) {
        if (!suffixes(f)) return;
        // «۲ میلیون و ۳۰۰ هزار»
        while (is_word(0, U"و") && f.unit >= 1000 && peek(1) != nullptr && peek(1)->sort == bit::sort::digits) {
          const auto more = numbers_in(peek(1)->text);
          if (!more || more->size() != 1) break;
          figure next;
          next.value = (*more)[0].value;
          next.unit = (*more)[0].unit;
          const std::size_t back = at_;
          at_ += 2;
          if (!suffixes(next)) return;
          if (next.value >= f.unit || next.unit < 1) {
            at_ = back;
            break;
          }
          f.value += next.value;
          f.unit = next.unit;
          f.kind = next.kind;
        }
        // "10-20 million", "5-10 %": the first takes after the last.
        if (numbers->size() > 1 && (f.kind != figure_kind::plain || f.unit != n.unit))
          for (std::size_t k = 0; k + 1 < numbers->size(); ++k) {
            figure& earlier = out_.all[out_.all.size() - 1 - k];
            earlier.value *= f.unit / n.unit;
            earlier.unit *= f.unit / n.unit;
            earlier.kind = f.kind;
            earlier.bare = false;
          }
      }
      out_.all.push_back(f);
    }
  }

  void words(const number_word& w) {
    const std::size_t first = at_;
    switch (w.sort) {
      case word_sort::many: return trouble("a number that is only hinted at");
      case word_sort::percent:  // "the percentage of …"
      case word_sort::times: ++at_; return;
      case word_sort::twice: {
        ++at_;
        return add(first, figure_kind::times, w.value, .1L);
      }
      case word_sort::half: {
        ++at_;
        return add(first, figure_kind::fraction, w.value, .01L);
      }
      case word_sort::ordinal: {
        ++at_;
        return add(first, figure_kind::ordinal, w.value, 1);
      }
      case word_sort::denominator: {
        ++at_;
        // A quarter is a time as long as it is not one of something.
        const bool quarter = bits_[first].text.starts_with(U"quarter");
        if (quarter && !before(first, 1, {U"a"})) return;
        if (before(first, 1, {U"a"}) && is_word(0, U"of")) return add(first, figure_kind::fraction, 1 / w.value, .01L);
        return add(first, figure_kind::ordinal, w.value, 1);
      }
      case word_sort::small:
      case word_sort::hundred:
      case word_sort::multiplier: return spelled(first);
    }
  }

  void add(std::size_t first, figure_kind kind, long double value, long double unit) {
    figure f;
    f.kind = kind;
    f.value = value;
    f.unit = unit;
    f.bare = false;
    f.at = bits_[first].at;
    f.bound = bound_at(first);
    out_.all.push_back(f);
  }

  void spelled(std::size_t first) {
    long double total = 0, now = 0;
    long double unit = 1;
    long double room = 1e30L;  // what comes next must be smaller: "three four" are two numbers
    while (const number_word* w = word()) {
      if (w->sort == word_sort::small) {
        if (w->value >= room) break;
        now += w->value;
        room = w->value >= 100 ? 100 : w->value >= 20 ? 10 : 0;
        unit = 1;
      } else if (w->sort == word_sort::hundred) {
        if (now >= 100 || (now == 0 && room <= 100)) break;
        now = (now == 0 ? 1 : now) * w->value;
        room = w->value;
        unit = 1;
      } else if (w->sort == word_sort::multiplier) {
        if (is_word(1, U"ها")) return trouble("a number that is only hinted at");
        if (now == 0 && total > 0) {  // «هزار میلیارد»
          total *= w->value;
          unit *= w->value;
        } else {
          total += (now == 0 ? 1 : now) * w->value;
          unit = w->value;
        }
        now = 0;
        room = 1000;
      } else {
        break;
      }
      ++at_;
      // "twenty-three", "two hundred and five", «بیست و سه»
      const bool joined = is_word(0, U"و") || is_word(0, U"and") || (is_word(0, U"-") && peek()->glued);
      if (joined) {
        const number_word* next = word(1);
        if (next == nullptr || next->sort != word_sort::small || next->value >= room || next->value == 0) {
          // «دو میلیون و صد هزار»
          if (!(next != nullptr && next->sort == word_sort::hundred && is_word(0, U"و") && room > 100)) break;
        }
        ++at_;
      }
    }
    const long double value = total + now;
    // "two thirds", «سه چهارم»
    if (const std::size_t skip = is_word(0, U"-") ? 1 : 0; value >= 1 && value < 10) {
      if (const number_word* w = word(skip); w != nullptr && w->sort == word_sort::denominator) {
        at_ += skip + 1;
        return add(first, figure_kind::fraction, value / w->value, .01L);
      }
    }
    figure f;
    f.value = value;
    f.unit = unit;
    f.bare = false;
    f.at = bits_[first].at;
    f.bound = bound_at(first);
    if (!kind_behind(f)) return;
    if (f.kind == figure_kind::times && f.bound == figure_bound::none) f.unit = std::min(f.unit, .1L);
    // "one" and «یک» are articles and pronouns as often as numbers.
    if (value == 1 && f.kind == figure_kind::plain) return;
    out_.all.push_back(f);
  }

  std::u32string_view text_;
  std::vector<bit> bits_;
  std::size_t at_ = 0;
  figures_read out_;
};

}  // namespace

figures_read figures_of(const letters& text) {
  return figure_reader(text.small).run();
}

}  // namespace dragoman::nlq
