#include "nlq/courtesy.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "nlq/text_tokens.h"

namespace dragoman::nlq {

namespace {

constexpr std::size_t words_max = 12;

enum class courtesy : unsigned char { none, greeting, thanks, farewell };

struct courtesy_phrases {
  courtesy kind;
  std::string_view phrases;  // separated by '|'
};

// clang-format off
constexpr courtesy_phrases spoken[] = {
    {courtesy::greeting, "hello|hi|hey|greetings|howdy|salam|good morning|good afternoon|good evening|good day"
                         "|سلام|درود|سلام علیکم|وقت بخیر|صبح بخیر|ظهر بخیر|عصر بخیر|روز بخیر|شب بخیر|روز خوش|خسته نباشید|خسته نباشی"},
    {courtesy::thanks, "thanks|thank you|thx|cheers|much appreciated|appreciated"
                       "|ممنون|ممنونم|مرسی|متشکرم|متشکر|تشکر|سپاس|سپاسگزارم|سپاسگزار|دستت درد نکنه|دستتون درد نکنه|دست شما درد نکند|دمت گرم|لطف کردی|لطف کردید"},
    {courtesy::farewell, "bye|bye bye|goodbye|good bye|good night|see you|خداحافظ|خدا حافظ|خدانگهدار|خدا نگهدار|بدرود"},
};

// What may stand beside them.
constexpr std::string_view beside =
    "there|all|everyone|everybody|team|you|very|much|a|lot|so|many|for|your|the|help|it|that|this|answer|great|nice|perfect|ok"
    "|okay|well|done|good|job|dear|assistant|bot|dragoman|how|are|doing|today|again|and|my|friend|is|was|again|later|oh|wow|to|sir"
    "|خیلی|بسیار|از|شما|تو|بابت|کمک|پاسخ|جواب|عزیز|دوست|خوبی|خوبید|حالت|حال|چطوره|چطوری|چطورید|هستی|هستید|دوستان|همگی|بر|و|عالی|بود"
    "|خوب|لطفت|لطف|پاسختان|جوابت|کمکت|راهنمایی|را|زیاد|فراوان|خواهش|به|همه|این|برای|بودی|من";
// clang-format on

using words = std::vector<std::string>;

std::vector<words> phrases_of(std::string_view list) {
  std::vector<words> out;
  while (!list.empty()) {
    const std::size_t bar = std::min(list.find('|'), list.size());
    words w;
    for (const token& t : tokenise(list.substr(0, bar))) w.push_back(t.text);
    out.push_back(std::move(w));
    list.remove_prefix(std::min(bar + 1, list.size()));
  }
  return out;
}

courtesy courtesy_of(std::string_view question) {
  static const auto known = [] {
    std::vector<std::pair<courtesy, words>> out;
    for (const courtesy_phrases& s : spoken)
      for (words& w : phrases_of(s.phrases)) out.emplace_back(s.kind, std::move(w));
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    return out;
  }();
  static const auto others = [] {
    std::set<std::string> out;
    for (const words& w : phrases_of(beside))
      for (const std::string& one : w) out.insert(one);
    return out;
  }();
  const tokens said = tokenise(question);
  if (said.empty() || said.size() > words_max) return courtesy::none;
  courtesy found = courtesy::none;
  for (std::size_t i = 0; i < said.size();) {
    const auto phrase = std::find_if(known.begin(), known.end(), [&](const auto& k) {
      if (i + k.second.size() > said.size()) return false;
      for (std::size_t w = 0; w < k.second.size(); ++w)
        if (said[i + w].text != k.second[w]) return false;
      return true;
    });
    if (phrase != known.end()) {
      // "hello, and thanks for the help": what is said last is answered.
      found = phrase->first;
      i += phrase->second.size();
    } else if (others.contains(said[i].text)) {
      ++i;
    } else {
      return courtesy::none;
    }
  }
  return found;
}

std::string reply_to(courtesy kind, bool fa) {
  switch (kind) {
    case courtesy::thanks: return fa ? "خواهش می‌کنم!" : "You are welcome!";
    case courtesy::farewell: return fa ? "به امید دیدار!" : "Goodbye!";
    case courtesy::greeting:
    case courtesy::none: break;
  }
  return fa ? "سلام!" : "Hello!";
}

}  // namespace

std::optional<schema_answer> courtesy_answer(std::string_view question, language lang, const semantic_layer* layer) {
  const courtesy kind = courtesy_of(question);
  if (kind == courtesy::none) return std::nullopt;
  const bool fa = lang == language::persian;
  schema_answer out;
  out.message = reply_to(kind, fa);
  if (layer != nullptr && !layer->covers.empty()) out.message += " " + layer->covers.in(lang);
  if (layer != nullptr && !layer->examples.empty()) {
    out.columns = {"example"};
    for (const auto& [id, text] : layer->examples) out.rows.push_back({text.in(lang)});
    return out;
  }
  out.columns = {"answer"};
  out.rows.push_back(
      {out.message +
       (fa ? " درباره‌ی داده‌ها بپرسید؛ EXEC nlq.tables جدول‌ها را نشان "
             "می‌دهد."
           : " Ask a question about the data; EXEC nlq.tables lists the tables.")});
  return out;
}

}  // namespace dragoman::nlq
