// Dates and times from text: the forms that SQL Server reads under us_english.
#include <array>
#include <charconv>
#include <vector>

#include "proxy/sandbox/convert.h"
#include "proxy/sandbox/text_collation.h"

namespace dragoman::sandbox {
namespace {

struct piece {
  enum class kind { number, word, sign } what;
  int value = 0;
  std::string_view text;
};

std::optional<std::vector<piece>> pieces_of(std::string_view text) {
  std::vector<piece> out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    const auto digit = [](char x) { return x >= '0' && x <= '9'; };
    const auto letter = [](char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z'); };
    if (c == ' ') {
      ++at;
      continue;
    }
    if (digit(c)) {
      while (end < text.size() && digit(text[end])) ++end;
      if (end - at > 9) return std::nullopt;
      int value = 0;
      std::from_chars(text.data() + at, text.data() + end, value);
      out.push_back({piece::kind::number, value, text.substr(at, end - at)});
    } else if (letter(c)) {
      while (end < text.size() && letter(text[end])) ++end;
      out.push_back({piece::kind::word, 0, text.substr(at, end - at)});
    } else if (c == '-' || c == '/' || c == '.' || c == ':' || c == ',' || c == '+') {
      out.push_back({piece::kind::sign, c, text.substr(at, 1)});
    } else {
      return std::nullopt;
    }
    at = end;
  }
  return out;
}

int month_of(std::string_view word) {
  static constexpr std::array<std::string_view, 12> names{"january",   "february", "march",    "april",
                                                          "may",       "june",     "july",     "august",
                                                          "september", "october",  "november", "december"};
  const std::string lower = lower_case(word);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (lower == names[i] || lower == names[i].substr(0, 3)) return static_cast<int>(i) + 1;
  }
  return 0;
}

int full_year(const piece& p) {
  if (p.text.size() > 2) return p.value;
  return p.value < 50 ? 2000 + p.value : 1900 + p.value;  // two digit year cutoff 2049
}

class reader {
 public:
  explicit reader(std::vector<piece> pieces, int style) : pieces_(std::move(pieces)), style_(style) {}

  std::optional<parsed_time> read() {
    parsed_time out;
    if (pieces_.empty()) return parsed_time{days_to_1900, 0, {}};
    if (!is_time_ahead()) {
      const auto date = read_date();
      if (!date || date->year < 1 || date->year > 9999 || !exists(*date)) return std::nullopt;
      out.day = to_day_number(*date);
      if (more() && is_word("T")) ++at_;
    }
    if (more()) {
      const auto ticks = read_clock();
      if (!ticks) return std::nullopt;
      out.ticks = *ticks;
      if (more() && is_word("Z")) {
        out.offset = 0;
        ++at_;
      } else if (more() && (is_sign('+') || is_sign('-'))) {
        const int sign = is_sign('-') ? -1 : 1;
        if (at_ + 3 >= pieces_.size() || !number(1) || pieces_[at_ + 2].value != ':' || !number(3)) return std::nullopt;
        const int minutes = pieces_[at_ + 1].value * 60 + pieces_[at_ + 3].value;
        if (minutes > 14 * 60) return std::nullopt;
        out.offset = sign * minutes;
        at_ += 4;
      }
    }
    if (more()) return std::nullopt;
    return out;
  }

 private:
  bool more() const { return at_ < pieces_.size(); }
  bool number(std::size_t ahead = 0) const {
    return at_ + ahead < pieces_.size() && pieces_[at_ + ahead].what == piece::kind::number;
  }
  bool is_sign(char c, std::size_t ahead = 0) const {
    return at_ + ahead < pieces_.size() && pieces_[at_ + ahead].what == piece::kind::sign &&
           pieces_[at_ + ahead].value == c;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return at_ + ahead < pieces_.size() && pieces_[at_ + ahead].what == piece::kind::word &&
           lower_case(pieces_[at_ + ahead].text) == lower_case(word);
  }
  bool is_time_ahead() const { return number() && (is_sign(':', 1) || is_word("AM", 1) || is_word("PM", 1)); }

  std::optional<civil_date> read_date() {
    // yyyymmdd, yymmdd
    if (number() && (pieces_[at_].text.size() == 8 || pieces_[at_].text.size() == 6)) {
      const piece p = pieces_[at_++];
      if (p.text.size() == 8) return civil_date{p.value / 10000, p.value / 100 % 100, p.value % 100};
      const int year = p.value / 10000;
      return civil_date{year < 50 ? 2000 + year : 1900 + year, p.value / 100 % 100, p.value % 100};
    }
    if (number() && pieces_[at_].text.size() == 4 && pieces_.size() == 1) return civil_date{pieces_[at_++].value, 1, 1};
    if (more() && pieces_[at_].what == piece::kind::word) {  // Mar 20[,] 2024
      const int month = month_of(pieces_[at_].text);
      if (month == 0) return std::nullopt;
      ++at_;
      if (!number()) return std::nullopt;
      const piece first = pieces_[at_++];
      if (is_sign(',')) ++at_;
      if (first.text.size() == 4) {
        if (number() && !is_sign(':', 1)) return civil_date{first.value, month, pieces_[at_++].value};
        return civil_date{first.value, month, 1};
      }
      if (!number() || is_sign(':', 1)) return std::nullopt;
      return civil_date{full_year(pieces_[at_++]), month, first.value};
    }
    if (!number()) return std::nullopt;
    const piece first = pieces_[at_++];
    if (is_sign('-') || is_sign('/') || is_sign('.')) ++at_;
    if (more() && pieces_[at_].what == piece::kind::word) {  // 20 Mar 2024, 2024 Mar 20, 20-Mar-2024
      const int month = month_of(pieces_[at_].text);
      if (month == 0) return std::nullopt;
      ++at_;
      if (is_sign('-') || is_sign('/') || is_sign(',')) ++at_;
      if (!number()) return std::nullopt;
      const piece last = pieces_[at_++];
      if (first.text.size() == 4) return civil_date{first.value, month, last.value};
      return civil_date{full_year(last), month, first.value};
    }
    if (!number()) return std::nullopt;
    const piece second = pieces_[at_++];
    if (!(is_sign('-') || is_sign('/') || is_sign('.'))) return std::nullopt;
    ++at_;
    if (!number()) return std::nullopt;
    const piece third = pieces_[at_++];
    if (first.text.size() == 4) return civil_date{first.value, second.value, third.value};
    switch (style_ >= 100 ? style_ - 100 : style_) {
      case 3:
      case 4:
      case 5: return civil_date{full_year(third), second.value, first.value};
      case 2:
      case 11: return civil_date{full_year(first), second.value, third.value};
      default: return civil_date{full_year(third), first.value, second.value};
    }
  }

  std::optional<std::int64_t> read_clock() {
    if (!number()) return std::nullopt;
    int hour = pieces_[at_++].value;
    int minute = 0;
    int second = 0;
    std::int64_t fraction = 0;
    bool clock = false;
    if (is_sign(':') && number(1)) {
      clock = true;
      minute = pieces_[at_ + 1].value;
      at_ += 2;
      if (is_sign(':') && number(1)) {
        second = pieces_[at_ + 1].value;
        at_ += 2;
        if ((is_sign('.') || is_sign(':')) && number(1)) {
          std::string digits(pieces_[at_ + 1].text.substr(0, 7));
          if (is_sign(':')) {
            while (digits.size() < 3) digits.insert(0, "0");
          }
          while (digits.size() < 7) digits += '0';
          fraction = std::stoll(digits);
          at_ += 2;
        }
      }
    }
    if (is_word("AM") || is_word("PM")) {
      if (hour < 1 || hour > 12) return std::nullopt;
      hour = hour % 12 + (is_word("PM") ? 12 : 0);
      clock = true;
      ++at_;
    }
    if (!clock || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return (hour * 3600 + minute * 60 + second) * ticks_per_second + fraction;
  }

  std::vector<piece> pieces_;
  std::size_t at_ = 0;
  int style_;
};

}  // namespace

std::optional<parsed_time> parse_time(std::string_view text, int style) {
  auto pieces = pieces_of(text);
  if (!pieces) return std::nullopt;
  return reader(std::move(*pieces), style).read();
}

}  // namespace dragoman::sandbox
