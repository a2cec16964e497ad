#include "nlq/text_tokens.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

namespace dragoman::nlq {
namespace {

constexpr UChar32 zwnj = 0x200C;

icu::UnicodeString normalised(std::string_view utf8, bool decompose) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form =
      decompose ? icu::Normalizer2::getNFKDInstance(status) : icu::Normalizer2::getNFKCInstance(status);
  icu::UnicodeString in = icu::UnicodeString::fromUTF8(icu::StringPiece(utf8.data(), static_cast<int>(utf8.size())));
  if (U_FAILURE(status)) return in;
  icu::UnicodeString out = form->normalize(in, status);
  return U_FAILURE(status) ? in : out;
}

// The one code point that `c` (already decomposed) folds to; 0 drops it.
UChar32 fold_point(UChar32 c) {
  switch (c) {
    case 0x064A:  // Arabic yeh
    case 0x0649:  // alef maksura
    case 0x06D2:
    case 0x06CC: return 0x06CC;
    case 0x0643:  // Arabic kaf
    case 0x06AA: return 0x06A9;
    case 0x0629:  // teh marbuta
    case 0x06C1:
    case 0x06BE:
    case 0x06D5: return 0x0647;
    case 0x0640:  // tatweel
    case 0x0621:  // hamza on its own
    case 0x200D:
    case 0x200E:
    case 0x200F:
    case 0x00AD:
    case 0xFEFF: return 0;
    case 0x066A: return '%';
    case 0x066B: return '.';
    case 0x066C: return ',';
    case 0x2019:
    case 0x2018:
    case 0x02BC: return '\'';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2212: return '-';
    default: break;
  }
  if (u_charType(c) == U_NON_SPACING_MARK) return 0;
  if (int digit = u_charDigitValue(c); digit >= 0) return '0' + digit;
  return u_tolower(c);
}

std::string utf8_of(const icu::UnicodeString& text) {
  std::string out;
  text.toUTF8String(out);
  return out;
}

icu::UnicodeString folded(std::string_view utf8) {
  icu::UnicodeString in = normalised(utf8, true), out;
  for (int i = 0; i < in.length();) {
    UChar32 c = in.char32At(i);
    i += U16_LENGTH(c);
    if (UChar32 f = fold_point(c); f != 0) out.append(f);
  }
  return out;
}

bool is_word(UChar32 c) {
  return u_isalnum(c) || c == '_';
}

// Endings of Persian words, longest first. The number is the least length (code points) of what must remain.
struct ending {
  std::string_view text;
  std::size_t remains;
};
constexpr std::array endings{
    ending{"هایشان", 2}, ending{"هاشون", 2}, ending{"هایمان", 2}, ending{"هایی", 2}, ending{"های", 2}, ending{"هاش", 2},
    ending{"ها", 2},     ending{"ترین", 2},  ending{"تر", 3},     ending{"ایی", 3},  ending{"یی", 3},  ending{"یان", 3},
    ending{"شان", 3},    ending{"شون", 3},   ending{"مان", 4},    ending{"مون", 4},  ending{"ان", 3},  ending{"ات", 3},
    ending{"اش", 4},     ending{"ای", 3},    ending{"ی", 3},      ending{"ا", 4},    ending{"ش", 4},   ending{"م", 4}};

// Endings that people write apart from their word.
const std::unordered_set<std::string_view> loose_endings{"ها",  "های", "هایی", "هایشان", "ترین", "تر",
                                                         "شان", "شون", "هاش",  "هاشون",  "مان"};

bool persian_text(std::string_view text) {
  return !text.empty() && (static_cast<unsigned char>(text[0]) & 0xFC) == 0xD8;  // U+0600..06FF begin D8..DB
}

void add_form(std::vector<std::string>& forms, std::string form) {
  if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(std::move(form));
}

void strip_persian(const std::string& word, std::vector<std::string>& forms) {
  for (const ending& e : endings) {
    if (word.size() <= e.text.size() || !word.ends_with(e.text)) continue;
    std::string rest = word.substr(0, word.size() - e.text.size());
    if (code_points(rest) < e.remains) continue;
    add_form(forms, rest);
  }
  constexpr std::string_view gan = "گان";
  if (word.size() > gan.size() + 4 && word.ends_with(gan)) {
    add_form(forms, word.substr(0, word.size() - gan.size()) + "ه");
  }
}

void strip_english(const std::string& word, std::vector<std::string>& forms) {
  if (word.size() < 4) return;
  if (word.ends_with("ies")) add_form(forms, word.substr(0, word.size() - 3) + "y");
  if (word.ends_with("es")) add_form(forms, word.substr(0, word.size() - 2));
  if (word.ends_with("s") && !word.ends_with("ss")) add_form(forms, word.substr(0, word.size() - 1));
}

}  // namespace

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool token::has_form(std::string_view folded_form) const {
  return std::find(forms.begin(), forms.end(), folded_form) != forms.end();
}

bool token::is_number() const {
  if (text.empty()) return false;
  bool dot = false;
  for (char c : text) {
    if (c == '.' && !dot) {
      dot = true;
    } else if (c < '0' || c > '9') {
      return false;
    }
  }
  return text.front() != '.' && text.back() != '.';
}

std::vector<std::string> word_forms(const std::string& word) {
  std::vector<std::string> forms{word};
  if (persian_text(word)) {
    strip_persian(word, forms);
    for (std::size_t i = 1, n = forms.size(); i < n; ++i) {
      std::string once = forms[i];
      strip_persian(once, forms);
    }
  } else {
    strip_english(word, forms);
  }
  return forms;
}

std::string fold_text(std::string_view utf8) {
  std::string out;
  for (const token& t : tokenise(utf8)) {
    if (!out.empty()) out += ' ';
    out += t.text;
  }
  return out;
}

tokens tokenise(std::string_view utf8) {
  // Folded text decides where words end; `raw` is rebuilt from the NFKC text only for messages, so it is enough that
  // each token remembers its own folded spelling when the two differ in length.
  const icu::UnicodeString in = normalised(utf8, false);
  tokens out;
  icu::UnicodeString word;
  bool pending_break = false;
  auto flush = [&] {
    if (word.isEmpty()) return;
    token t;
    t.raw = utf8_of(word);
    t.text = utf8_of(folded(t.raw));
    // Digits grouped by thousands are one number; any other comma inside was split before.
    if (!t.text.empty() && t.text[0] >= '0' && t.text[0] <= '9') std::erase(t.text, ',');
    t.break_before = pending_break && !out.empty();
    pending_break = false;
    word.remove();
    if (!t.text.empty()) out.push_back(std::move(t));
  };
  auto at = [&](int i) -> UChar32 { return i >= 0 && i < in.length() ? in.char32At(i) : 0; };
  for (int i = 0; i < in.length();) {
    const UChar32 c = in.char32At(i);
    const int next = i + U16_LENGTH(c);
    const UChar32 f = fold_point(c);
    if (is_word(c) || u_charType(c) == U_NON_SPACING_MARK || c == 0x0640) {
      // "سال1402", "۵تای": people write numbers against Persian words.
      if (!word.isEmpty() && u_isalnum(c)) {
        const UChar32 last = word.char32At(word.length() - 1);
        auto persian = [](UChar32 x) { return x >= 0x0620 && x <= 0x06FF && u_isalpha(x); };
        if ((u_isdigit(c) && persian(last)) || (persian(c) && u_isdigit(last))) flush();
      }
      word.append(c);
    } else if (f == '%') {
      flush();
      word.append(static_cast<UChar32>('%'));
      flush();
    } else if ((f == '.' || f == ',' || f == '/' || f == '-' || f == ':') && !word.isEmpty() &&
               u_isdigit(word.char32At(word.length() - 1)) && u_isdigit(at(next))) {
      // Between digits: a date, a grade, a decimal. A comma only where exactly three digits follow.
      bool grouped = u_isdigit(at(next + 1)) && u_isdigit(at(next + 2)) && !u_isdigit(at(next + 3));
      if (f == ',' && !grouped) {
        flush();
        pending_break = true;
      } else {
        word.append(f);
      }
    } else if (f == '\'' && !word.isEmpty() && u_isalpha(at(next))) {
      // Possessive and short forms: "broker's" is broker, "haven't" is have not, "we've" is we.
      std::string so_far = utf8_of(word);
      int end = next;
      icu::UnicodeString tail;
      while (end < in.length() && u_isalpha(in.char32At(end))) {
        tail.append(in.char32At(end));
        end += U16_LENGTH(in.char32At(end));
      }
      std::string rest = utf8_of(tail);
      bool negative = rest == "t" && (so_far.ends_with("n") || so_far.ends_with("N"));
      if (negative) word.truncate(word.length() - 1);
      flush();
      if (negative) {
        word = icu::UnicodeString("not");
        flush();
      }
      i = end;
      continue;
    } else if (c == zwnj || u_isUWhiteSpace(c)) {
      flush();
    } else if (f == '-' || f == '/' || f == '\'') {
      flush();
    } else if (f != 0) {
      flush();
      pending_break = true;
    }
    i = next;
  }
  flush();

  // "غیردولتی" is "غیر دولتی".
  constexpr std::string_view non = "غیر";
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!out[k].text.starts_with(non) || code_points(out[k].text) < 7) continue;
    token rest = out[k];
    rest.text.erase(0, non.size());
    if (std::size_t at = rest.raw.find(non); at == 0) rest.raw.erase(0, non.size());
    rest.break_before = false;
    out[k].text = out[k].raw = std::string(non);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(k) + 1, std::move(rest));
  }
  tokens joined;
  for (token& t : out) {
    if (!joined.empty() && !t.break_before && loose_endings.contains(t.text) && persian_text(joined.back().text)) {
      joined.back().text += t.text;
      joined.back().raw += "\u200c" + t.raw;
    } else if (!joined.empty() && !t.break_before && (joined.back().text == "می" || joined.back().text == "نمی") &&
               persian_text(t.text)) {
      joined.back().text += t.text;
      joined.back().raw += "\u200c" + t.raw;
    } else {
      joined.push_back(std::move(t));
    }
  }
  for (token& t : joined) t.forms = word_forms(t.text);
  return joined;
}

std::string squash(const tokens& words, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < from + count && i < words.size(); ++i) out += words[i].text;
  return out;
}

std::string squash(std::string_view utf8) {
  tokens words = tokenise(utf8);
  return squash(words, 0, words.size());
}

bool has_persian_letters(std::string_view utf8) {
  for (std::size_t i = 0; i + 1 < utf8.size(); ++i) {
    if ((static_cast<unsigned char>(utf8[i]) & 0xFC) == 0xD8) return true;
  }
  return false;
}

unsigned edit_distance(std::string_view a8, std::string_view b8, unsigned limit) {
  auto points = [](std::string_view s) {
    std::vector<UChar32> out;
    icu::UnicodeString u = icu::UnicodeString::fromUTF8(icu::StringPiece(s.data(), static_cast<int>(s.size())));
    for (int i = 0; i < u.length();) {
      out.push_back(u.char32At(i));
      i += U16_LENGTH(out.back());
    }
    return out;
  };
  const auto a = points(a8), b = points(b8);
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<std::vector<unsigned>> d(a.size() + 1, std::vector<unsigned>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<unsigned>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      unsigned cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return std::min(d[a.size()][b.size()], limit + 1);
}

std::optional<long> small_number(const token& t) {
  static const std::unordered_map<std::string_view, long> words{
      {"one", 1},     {"two", 2},     {"three", 3},     {"four", 4},    {"five", 5},    {"six", 6},      {"seven", 7},
      {"eight", 8},   {"nine", 9},    {"ten", 10},      {"eleven", 11}, {"twelve", 12}, {"fifteen", 15}, {"twenty", 20},
      {"thirty", 30}, {"fifty", 50},  {"hundred", 100}, {"یک", 1},      {"دو", 2},      {"سه", 3},       {"چهار", 4},
      {"پنج", 5},     {"شش", 6},      {"هفت", 7},       {"هشت", 8},     {"نه", 9},      {"ده", 10},      {"یازده", 11},
      {"دوازده", 12}, {"پانزده", 15}, {"بیست", 20},     {"سی", 30},     {"چهل", 40},    {"پنجاه", 50},   {"صد", 100}};
  if (t.is_number() && t.text.find('.') == std::string::npos && t.text.size() < 10)
    return std::strtol(t.text.c_str(), nullptr, 10);
  if (auto found = words.find(t.text); found != words.end()) return found->second;
  return std::nullopt;
}

}  // namespace dragoman::nlq
