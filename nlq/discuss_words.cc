#include "nlq/discuss_words.h"

#include <algorithm>
#include <unordered_map>

#include "nlq/text_tokens.h"

namespace dragoman::nlq {
namespace {

constexpr std::size_t longest_phrase = 7;  // tokens
constexpr std::size_t longest_talk = 24;   // tokens of a question about an answer

struct talk_entry {
  talk kind;
  long ordinal;
  std::string_view number;
  std::string_view english;  // phrases separated by '|'
  std::string_view persian;
};

// clang-format off
constexpr talk_entry talk_entries[] = {
    {talk::filler, 0, "",
     "a|an|the|is|are|was|were|be|what|what s|whats|and what|so|ok|okay|please|me|give me|show|show me|tell me|can you|could you|do|does|did|have|has|had|of|in|for|to|from|at|there|how much|with|that are|that were|which are|which were|who are|who were|list|name|now|then|value|amount|number",
     "است|بود|بودند|هست|هستند|اند|ند|شد|شدند|می شود|میشه|میشود|چقدر|چقدر است|چه|چی|چیست|چه بود|را|رو|لطفا|بگو|بده|بدهید|بگویید|نشان بده|از|در|به|برای|با|که|هم|داشت|دارد|داشتند|دارند|چه مقدار|چه قدر|مقدار|عدد|حالا|خب|کن|کنید|آن چقدر|داد|میده"},
    {talk::back, 0, "",
     "these|those|this|it|that|them|they|all of these|all of them|of these|of those|the result|results|result|the answer|answer|last answer|last result|previous answer|previous result|the table|this table|rows above|these rows|these numbers|those numbers|these values|these results|this result|this answer",
     "این|اینها|این ها|آن|آنها|آن ها|اونا|اون|اینا|همین|همین ها|نتیجه|نتایج|جواب|پاسخ|این نتیجه|این جدول|این جواب|این پاسخ|جدول|ردیف های بالا|این اعداد|این ارقام|این عددها"},
    {talk::item, 0, "", "one|ones|row|rows|entry|entries|item|items|lines|line",
     "ردیف|ردیف ها|سطر|سطرها|مورد|موارد|تا|یکی"},
    {talk::total, 0, "",
     "total|sum|the sum|grand total|in total|altogether|all together|sum total|add up|add them up|sum them up|sum up|together",
     "مجموع|جمع|جمع کل|جمعا|کل|مجموعا|سرجمع|روی هم|در مجموع"},
    {talk::average, 0, "", "average|avg|mean|on average|the average|the mean", "میانگین|متوسط|معدل|به طور متوسط"},
    {talk::highest, 0, "", "highest|largest|biggest|greatest|maximum|max|most|top|best|leading|the highest",
     "بیشترین|بیشتر|بالاترین|بزرگترین|بیشینه|حداکثر|بیشترینش|بهترین"},
    {talk::lowest, 0, "", "lowest|smallest|least|minimum|min|fewest|worst|the lowest",
     "کمترین|کمتر|پایین ترین|کوچکترین|کمینه|حداقل|کمترینش|بدترین"},
    {talk::which, 0, "", "which|which one|which ones|who|which of these|which of those|which of them|which rows",
     "کدام|کدوم|کدامیک|کدام یک|کدام ها|کدومها|کدوما|چه کسی|کی"},
    {talk::only, 0, "", "only|just", "فقط|تنها"},
    {talk::ordinal, 1, "", "first|1st|the first", "اول|اولی|اولین|نخست|نخستین"},
    {talk::ordinal, 2, "", "second|2nd", "دوم|دومی|دومین"},
    {talk::ordinal, 3, "", "third|3rd", "سوم|سومی|سومین"},
    {talk::ordinal, 4, "", "fourth|4th", "چهارم|چهارمی|چهارمین"},
    {talk::ordinal, 5, "", "fifth|5th", "پنجم|پنجمی|پنجمین"},
    {talk::ordinal, 6, "", "sixth|6th", "ششم|ششمی|ششمین"},
    {talk::ordinal, 7, "", "seventh|7th", "هفتم|هفتمی|هفتمین"},
    {talk::ordinal, 8, "", "eighth|8th", "هشتم|هشتمی|هشتمین"},
    {talk::ordinal, 9, "", "ninth|9th", "نهم|نهمی|نهمین"},
    {talk::ordinal, 10, "", "tenth|10th", "دهم|دهمی|دهمین"},
    {talk::ordinal, -1, "", "last|final", "آخر|آخری|آخرین"},
    {talk::how_many, 0, "", "how many|number of|count|the number of", "چند|چندتا|چند تا|تعداد"},
    {talk::above, 0, "", "above|over|more than|greater than|higher than|larger than|exceed|exceeds|exceeded",
     "بالای|بالاتر از|بیشتر از|بیش از|بزرگتر از|بالا تر از"},
    {talk::below, 0, "", "below|under|less than|lower than|smaller than|fewer than",
     "زیر|کمتر از|پایین تر از|کوچکتر از|پایین"},
    {talk::share, 0, "", "share|the share|what share|percentage|percent|what percent|what percentage|portion|proportion",
     "سهم|چند درصد|درصد|سهم چقدر"},
    {talk::change, 0, "", "change|changed", "تغییر|تغییر کرد|تغییرات"},
    {talk::difference, 0, "", "difference|the difference", "اختلاف|تفاوت"},
    {talk::between, 0, "", "between", "بین|میان"},
    {talk::and_, 0, "", "and", "و|تا"},
    {talk::explain, 0, "",
     "explain|explain this|explain it|explain that|how did you get this|how did you get that|how did you get it|how was this calculated|how was it calculated|how did you calculate this|how did you calculate it|what does this mean|what does it mean|where does this come from",
     "توضیح|توضیح بده|توضیح بدهید|توضیحش بده|شرح بده|چطور حساب کردی|چگونه محاسبه شد|چطور محاسبه شد|یعنی چه|یعنی چی|این یعنی چه"},
    {talk::why, 0, "", "why|why is that|why is this|why is it so|how come", "چرا|چرا اینطور|علت چیست|دلیلش چیست"},
    {talk::scale, 0, "1000", "thousand", "هزار"},
    {talk::scale, 0, "1000000", "million", "میلیون"},
    {talk::scale, 0, "1000000000", "billion", "میلیارد"},
    {talk::scale, 0, "1000000000000", "trillion", "تریلیون|هزار میلیارد"},
};
// clang-format on

struct talk_meaning {
  talk kind = talk::filler;
  long ordinal = 0;
  std::string_view number;
};

const std::unordered_map<std::string, talk_meaning>& talk_lexicon() {
  static const auto table = [] {
    std::unordered_map<std::string, talk_meaning> out;
    for (const talk_entry& e : talk_entries) {
      for (std::string_view list : {e.english, e.persian}) {
        while (!list.empty()) {
          const std::size_t end = std::min(list.find('|'), list.size());
          out.emplace(squash(list.substr(0, end)), talk_meaning{e.kind, e.ordinal, e.number});
          list.remove_prefix(std::min(end + 1, list.size()));
        }
      }
    }
    return out;
  }();
  return table;
}

bool decides(talk kind) {
  switch (kind) {
    case talk::total:
    case talk::average:
    case talk::highest:
    case talk::lowest:
    case talk::ordinal:
    case talk::how_many:
    case talk::above:
    case talk::below:
    case talk::share:
    case talk::change:
    case talk::difference:
    case talk::explain:
    case talk::why: return true;
    default: return false;
  }
}

const talk_meaning* meaning_at(const tokens& words, std::size_t at, std::size_t& length) {
  const auto& known = talk_lexicon();
  for (length = std::min(longest_phrase, words.size() - at); length > 0; --length) {
    if (auto found = known.find(squash(words, at, length)); found != known.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

bool names_a_talk(std::string_view question) {
  const tokens words = tokenise(question);
  if (words.empty() || words.size() > longest_talk) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t length = 0;
    if (const talk_meaning* m = meaning_at(words, i, length); m != nullptr && decides(m->kind)) return true;
  }
  return false;
}

std::optional<std::vector<talk_word>> talk_words(std::string_view question, const result_head& rows,
                                                 const std::vector<std::size_t>& labels) {
  const tokens words = tokenise(question);
  if (words.empty() || words.size() > longest_talk) return std::nullopt;
  std::unordered_map<std::string, std::vector<std::size_t>> names;
  std::vector<std::string> titles;
  for (std::size_t c : labels) {
    titles.push_back(squash(rows.columns[c].name));
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      if (rows.rows[r][c].is_null) continue;
      auto& at = names[squash(rows.rows[r][c].text)];
      if (at.empty() || at.back() != r) at.push_back(r);
    }
  }
  names.erase("");
  std::vector<talk_word> out;
  for (std::size_t i = 0; i < words.size();) {
    talk_word w;
    std::size_t taken = 0;
    // A name in the rows goes before a shorter phrase of the vocabulary, a phrase before a name as long.
    std::size_t phrase = 0;
    const talk_meaning* m = meaning_at(words, i, phrase);
    if (m == nullptr) phrase = 0;
    for (std::size_t n = std::min(longest_phrase, words.size() - i); n > phrase && taken == 0; --n) {
      const std::string key = squash(words, i, n);
      if (auto found = names.find(key); found != names.end()) {
        w.kind = talk::label;
        w.rows = found->second;
        taken = n;
      } else if (std::find(titles.begin(), titles.end(), key) != titles.end() ||
                 (n == 1 && std::any_of(words[i].forms.begin(), words[i].forms.end(), [&](const std::string& form) {
                    return std::find(titles.begin(), titles.end(), squash(form)) != titles.end();
                  }))) {
        w.kind = talk::column;
        taken = n;
      }
    }
    if (taken == 0 && m != nullptr) {
      w.kind = m->kind;
      w.ordinal = m->ordinal;
      w.number = m->number;
      taken = phrase;
    }
    if (taken == 0 && words[i].is_number()) {
      w.kind = talk::number;
      w.number = words[i].text;
      taken = 1;
    }
    if (taken == 0) {
      // "اینهاست", "میانگینشان": an ending on a word that is known.
      for (const std::string& form : words[i].forms) {
        if (auto found = talk_lexicon().find(squash(form)); found != talk_lexicon().end()) {
          w.kind = found->second.kind;
          w.ordinal = found->second.ordinal;
          w.number = found->second.number;
          taken = 1;
          break;
        }
      }
    }
    if (taken == 0) return std::nullopt;
    for (std::size_t k = i; k < i + taken; ++k) w.written += (k > i ? " " : "") + words[k].raw;
    i += taken;
    if (w.kind != talk::filler) out.push_back(std::move(w));
  }
  return out;
}

}  // namespace dragoman::nlq
