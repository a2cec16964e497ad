#include "nlq/pipeline_text.h"

#include <fmt/core.h>

namespace dragoman::nlq::text {
namespace {

bool fa(language l) noexcept {
  return l == language::persian;
}

std::string list(language l, const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : fa(l) ? "، " : ", ") + std::string("\"") + w + "\"";
  return out;
}

}  // namespace

// The formatter cuts Persian sentences at other places on every run.
// clang-format off

std::string rejected(language l) {
  return fa(l) ? "این پرسش را نمی‌توان پاسخ داد. لطفاً پرسشی درباره‌ی داده‌ها بپرسید."
               : "This question cannot be answered. Please ask a question about the data.";
}

std::string out_of_scope(language l, const localized* covers) {
  std::string out = fa(l) ? "این پرسش بیرون از محدوده‌ی این داده‌هاست."
                          : "This question is outside what these data cover.";
  if (covers != nullptr && !covers->empty()) out += " " + covers->in(l);
  return out;
}

std::string no_model(language l, const std::vector<std::string>& unknown) {
  if (unknown.empty())
    return fa(l) ? "این پرسش به مدل زبانی نیاز دارد و مدلی تنظیم نشده است."
                 : "This question needs a language model, and none is configured.";
  return fa(l) ? fmt::format(
                     "این واژه‌ها شناخته نشدند: {}. پاسخ به مدل زبانی نیاز دارد و مدلی تنظیم نشده است.",
                     list(l, unknown))
               : fmt::format(
                     "These words were not understood: {}. The question needs a language model, and none is configured.",
                     list(l, unknown));
}

std::string model_error(language l, std::string_view why, const std::vector<std::string>& unknown) {
  std::string out =
      fa(l) ? fmt::format("مدل زبانی پاسخ نداد: {}", why) : fmt::format("The language model gave no answer: {}", why);
  if (!unknown.empty())
    out += fa(l) ? fmt::format(" این واژه‌ها بدون مدل شناخته نشدند: {}.", list(l, unknown))
                 : fmt::format(" Without it these words were not understood: {}.", list(l, unknown));
  return out;
}

std::string failed(language l, std::string_view last_error) {
  return fa(l) ? fmt::format("برای این پرسش پاسخی به دست نیامد. آخرین خطا: {}", last_error)
               : fmt::format("No answer was found for this question. The last error was: {}", last_error);
}

std::string not_available(language l) {
  return fa(l) ? "این ترکیب در اینجا در دسترس نیست." : "This combination is not available here.";
}

std::string timed_out(language l) {
  return fa(l)
             ? "اجرای پرس‌وجو بیش از زمان مجاز طول کشید. پرسش را محدودتر کنید."
             : "The query took longer than its time limit. Narrow the question.";
}

std::string question_timed_out(language l) {
  return fa(l) ? "پاسخ به این پرسش بیش از زمان مجاز طول کشید." : "The question took longer than its time limit.";
}

std::string cancelled(language l) {
  return fa(l) ? "پرسش لغو شد." : "The question was cancelled.";
}

std::string rate_limited(language l, std::chrono::milliseconds wait) {
  const auto seconds = (wait.count() + 999) / 1000;
  return fa(l)
             ? fmt::format(
                   "درخواست‌ها بیش از حد مجاز است؛ {} ثانیه‌ی دیگر دوباره بپرسید.",
                   seconds)
             : fmt::format("Too many questions for the model; ask again in {} seconds.", seconds);
}

std::string confirm_cost(language l, double cost, double rows) {
  return fa(l) ? fmt::format(
                     "این پرس‌وجو سنگین است (هزینه‌ی برآوردی {:.1f}، حدود {:.0f} ردیف) و به تأیید نیاز دارد.",
                     cost, rows)
               : fmt::format("This query is costly (estimated cost {:.1f}, about {:.0f} rows) and needs confirmation.",
                             cost, rows);
}

std::string too_costly(language l, double cost, double rows) {
  return fa(l) ? fmt::format(
                     "این پرس‌وجو سنگین است (هزینه‌ی برآوردی {:.1f}، حدود {:.0f} ردیف) و در FROM تأیید نمی‌شود؛ آن را جداگانه بپرسید.",
                     cost, rows)
               : fmt::format("This query is costly (estimated cost {:.1f}, about {:.0f} rows) and cannot be confirmed in FROM; "
                             "ask the question by itself.",
                             cost, rows);
}

std::string costly_notice(language l, double cost, double rows) {
  return fa(l)
             ? fmt::format(
                   "پرس‌وجوی نسبتاً سنگین: هزینه‌ی برآوردی {:.1f}، حدود {:.0f} ردیف.",
                   cost, rows)
             : fmt::format("A rather costly query: estimated cost {:.1f}, about {:.0f} rows.", cost, rows);
}

std::string model_interpretation(language l) {
  return fa(l) ? "این پرس‌وجو را مدل زبانی نوشته است؛ آن را بازبینی کنید."
               : "A language model wrote this query; please review it.";
}

std::string model_said(language l, std::string_view about_rows) {
  while (about_rows.ends_with(' ') || about_rows.ends_with('\n') || about_rows.ends_with('\r')) about_rows.remove_suffix(1);
  while (about_rows.starts_with(' ') || about_rows.starts_with('\n') || about_rows.starts_with('\r')) about_rows.remove_prefix(1);
  return fmt::format("{} {}", about_rows, fa(l) ? "(نوشته‌ی مدل زبانی؛ عددهایش با ردیف‌ها سنجیده شده است.)"
                                               : "(Written by the language model; its figures were traced to the rows.)");
}

std::string model_chose(language l) {
  return fa(l) ? "(این برداشت از مدل زبانی است.)" : "(This reading is a language model's.)";
}

std::string noted(language l, const std::vector<std::string>& assumptions) {
  if (assumptions.empty()) return {};
  std::string list;
  for (const std::string& a : assumptions) list += (list.empty() ? "" : fa(l) ? "؛ " : "; ") + a;
  return fa(l) ? fmt::format("نکته: {}.", list) : fmt::format("Note: {}.", list);
}

std::string assumed(language l, std::string_view choice) {
  return fa(l) ? fmt::format("فرض شد: {}.", choice) : fmt::format("Assumed: {}.", choice);
}

std::string too_many_questions(language l, std::chrono::milliseconds wait) {
  const auto seconds = (wait.count() + 999) / 1000;
  return fa(l) ? fmt::format("پرسش‌ها بیش از حد مجاز است؛ {} ثانیه‌ی دیگر دوباره بپرسید.", seconds)
               : fmt::format("Too many questions; ask again in {} seconds.", seconds);
}

std::string question_too_long(language l, std::size_t characters_max) {
  return fa(l) ? fmt::format("پرسش بیش از اندازه بلند است؛ حداکثر {} نویسه.", characters_max)
               : fmt::format("The question is too long: {} characters at most.", characters_max);
}

// clang-format on

}  // namespace dragoman::nlq::text
