#include "nlq/clarify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "nlq/pipeline_suggest.h"

namespace dragoman::nlq {

namespace {

constexpr std::size_t offered_instead = 4;
constexpr unsigned rounds_looked_ahead = 2;

using understander = std::function<understanding(std::string_view)>;

bool leads_on(const clarify_option& option, std::string_view question, const understander& again, unsigned rounds) {
  if (option.value.empty() || option.value == question) return false;
  const understanding said = again(option.value);
  if (std::holds_alternative<understood_query>(said) || std::holds_alternative<needs_confirmation>(said)) return true;
  const auto* more = std::get_if<clarification>(&said);
  if (more == nullptr || rounds == 0) return false;
  // One choice alone is none: it would be refused when it is asked for.
  unsigned real = 0;
  for (const clarify_option& o : more->options) {
    if (leads_on(o, option.value, again, rounds - 1) && ++real == 2) return true;
  }
  return false;
}

std::vector<clarify_option> instead_of_none(const question_context& context, language lang, const understander& again) {
  std::vector<std::string> asked;
  const semantic_layer& layer = context.known->layer();
  if (context.session != nullptr && context.session->last)
    asked = suggestions_for(*context.session->last, layer, again);
  else
    for (const auto& [id, text] : layer.examples) asked.push_back(text.in(lang));
  std::vector<clarify_option> out;
  for (const std::string& text : asked) {
    if (out.size() == offered_instead) break;
    if (std::holds_alternative<understood_query>(again(text))) out.push_back({0, text, text, ""});
  }
  return out;
}

}  // namespace

understanding with_real_options(clarification c, std::string_view question, const question_context& context,
                                const understander& again) {
  const language lang = language_of(question);
  if (c.options.empty()) {
    c.options = instead_of_none(context, lang, again);
  } else {
    std::vector<clarify_option> real;
    for (clarify_option& o : c.options) {
      const bool twice =
          std::any_of(real.begin(), real.end(), [&](const clarify_option& r) { return r.value == o.value; });
      if (!twice && leads_on(o, question, again, rounds_looked_ahead)) real.push_back(std::move(o));
    }
    c.options = std::move(real);
  }
  if (c.options.size() < 2) {
    const bool fa = lang == language::persian;
    return rejection{c.message + (fa ? " پرسش را کامل بنویسید." : " Please ask the question in full."), "unclear"};
  }
  for (std::size_t i = 0; i < c.options.size(); ++i) c.options[i].choice = static_cast<int>(i) + 1;
  return c;
}

}  // namespace dragoman::nlq
