#include "nlq/understanding.h"

#include <algorithm>

#include "guard/tsql/build.h"
#include "nlq/clarify.h"
#include "nlq/compile.h"
#include "nlq/entity_reading.h"
#include "nlq/entity_words.h"
#include "nlq/explain.h"
#include "nlq/gate.h"
#include "nlq/interpreter.h"
#include "nlq/schema_questions.h"

namespace dragoman::nlq {

// ---- knowledge -----------------------------------------------------------------------------------------------------

std::vector<value_query> value_queries(const semantic_layer& layer) {
  std::vector<value_query> out;
  for (const dimension& d : layer.dimensions) {
    if (!d.looked_up || !d.cases.empty() || d.roles.empty()) continue;
    const role* r = layer.find_role(d.roles.front());
    if (r == nullptr) continue;
    value_query q;
    q.dimension = d.id;
    auto add = [&](const std::string& column) {
      if (!column.empty() && std::find(q.columns.begin(), q.columns.end(), column) == q.columns.end())
        q.columns.push_back(column);
    };
    add(d.name.en);
    add(d.name.fa);
    add(d.value_column);
    for (const std::string& c : d.search) add(c);
    std::vector<tsql::select_item> items;
    for (const std::string& c : q.columns) items.push_back(tsql::make_item(tsql::make_column(r->alias, c), c));
    std::vector<tsql::table_source> from;
    from.push_back(tsql::make_table(tsql::make_name(r->schema, r->table), r->alias));
    q.select.query = tsql::make_select(std::move(items), std::move(from));
    // Namesakes are members of their own where there is a key; attributes are read once each.
    q.select.query.specification()->distinct = true;
    out.push_back(std::move(q));
  }
  for (value_query& q : entity_value_queries(layer)) out.push_back(std::move(q));
  return out;
}

knowledge::~knowledge() = default;

std::shared_ptr<const knowledge> knowledge::build(std::shared_ptr<const semantic_layer> layer,
                                                  catalog::database_ptr database, std::vector<value_rows> values,
                                                  const std::set<std::string>& unsampled) {
  for (const dimension& d : layer->dimensions) {
    if (unsampled.contains(d.id)) continue;
    bool given = std::any_of(values.begin(), values.end(), [&](const value_rows& v) { return v.dimension == d.id; });
    if (given || !d.looked_up || d.roles.empty() || !d.cases.empty()) continue;
    const role* r = layer->find_role(d.roles.front());
    const catalog::table* t = r != nullptr && database ? database->find_table(r->schema, r->table) : nullptr;
    if (t == nullptr) continue;
    // Samples of several columns do not say which belong together: each is read on its own.
    std::vector<std::string> columns{d.name.en};
    if (d.name.fa != d.name.en) columns.push_back(d.name.fa);
    for (const std::string& c : d.search) columns.push_back(c);
    for (const std::string& column : columns) {
      const catalog::column* c = column.empty() ? nullptr : t->find_column(column);
      if (c == nullptr || c->samples.empty()) continue;
      value_rows rows{d.id, {column}, {}};
      for (const std::string& s : c->samples) rows.rows.push_back({s});
      values.push_back(std::move(rows));
    }
  }
  std::shared_ptr<knowledge> out(new knowledge());
  for (const entity& e : layer->entities) {
    const catalog::table* t = database ? database->find_table(e.schema, e.table) : nullptr;
    for (const entity_field& f : e.fields) {
      const std::string source = value_source_of(e, f);
      if (unsampled.contains(source)) continue;
      const catalog::column* c = t != nullptr && f.looked_up ? t->find_column(f.column) : nullptr;
      if (c == nullptr || c->samples.empty()) continue;
      if (std::any_of(values.begin(), values.end(), [&](const value_rows& v) { return v.dimension == source; }))
        continue;
      value_rows rows{source, {f.column}, {}};
      for (const std::string& sample : c->samples) rows.rows.push_back({sample});
      values.push_back(std::move(rows));
    }
  }
  out->words_ = std::make_unique<lexicon>(*layer, values);
  out->things_ = std::make_unique<entity_lexicon>(*layer, values);
  out->layer_ = std::move(layer);
  out->database_ = std::move(database);
  return out;
}

// ---- language ------------------------------------------------------------------------------------------------------

language language_of(std::string_view question) {
  // By words, so that a code or a name in the other alphabet does not decide.
  std::size_t persian = 0, latin = 0;
  for (const token& t : tokenise(question)) {
    if (has_persian_letters(t.raw)) {
      ++persian;
    } else if (std::any_of(t.text.begin(), t.text.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
      ++latin;
    }
  }
  return persian > 0 && persian >= latin ? language::persian : language::english;
}

// ---- understand ----------------------------------------------------------------------------------------------------

namespace {

rejection refuse(language lang, std::string rule) {
  return {standard_refusal(lang), std::move(rule)};
}

std::string words_of(const std::vector<std::string>& words, language lang) {
  std::string out;
  for (const std::string& w : words) {
    if (!out.empty()) out += lang == language::persian ? "، " : ", ";
    out += lang == language::persian ? "«" + w + "»" : "\"" + w + "\"";
  }
  return out;
}

needs_model not_understood(std::vector<std::string> words, language lang) {
  needs_model out;
  out.message = lang == language::persian ? "این واژه‌ها شناخته نشد: " + words_of(words, lang)
                                          : "These words are not accounted for: " + words_of(words, lang);
  out.words = std::move(words);
  return out;
}

// A question that a person has answered in SQL once and for all.
std::optional<understood_query> verified(std::string_view question, const semantic_layer& layer, language lang) {
  if (layer.verified.empty()) return std::nullopt;
  const std::string asked = question_form(question, false);
  for (const verified_question& v : layer.verified) {
    for (const std::string& known : v.questions) {
      if (question_form(known, false) != asked) continue;
      understood_query out;
      out.intent.lang = lang;
      out.select = v.select;
      out.interpretation = (lang == language::persian ? "پرسش تأییدشده: " : "Verified question: ") + known;
      out.order_matters = !v.select.query.order_by.empty();
      return out;
    }
  }
  return std::nullopt;
}

const fiscal_year* fiscal_of(const semantic_layer& layer) {
  return layer.fiscal ? &*layer.fiscal : nullptr;
}

understanding understand_by_metrics(std::string_view question, const question_context& context) {
  const semantic_layer& layer = context.known->layer();
  const language lang = language_of(question);
  tokens words = tokenise(question);
  if (std::optional<std::string> rule = gate(question, words)) return refuse(lang, *rule);

  reading read = read_question(question, context.known->words(), time_context{lang, context.today, fiscal_of(layer)});
  // What must not be told comes before what cannot be.
  for (const mark& m : read.marks) {
    if (m.sensitive >= 0) return refuse(lang, "sensitive");
  }
  const concept_entry* outside = nullptr;
  for (const mark& m : read.marks) {
    if (m.off_topic >= 0) return refuse(lang, "off_topic");
    if (m.out_of_scope >= 0 && outside == nullptr) {
      // A word that is also a name asked for by its kind ("کارگزاری فردا") was a longer phrase already.
      outside = &layer.out_of_scope[static_cast<std::size_t>(m.out_of_scope)];
    }
  }
  if (outside != nullptr) {
    std::string message = outside->says.in(lang);
    if (lang == language::english && !message.empty() && message[0] >= 'a' && message[0] <= 'z')
      message[0] = static_cast<char>(message[0] - 32);
    return outside_scope{message + (message.empty() ? "" : ". ") + layer.covers.in(lang)};
  }
  if (std::optional<schema_answer> answer = answer_about_schema(read, lang, context)) return *answer;
  if (!read.unknown.empty()) {
    bool anything = std::any_of(read.marks.begin(), read.marks.end(), [](const mark& m) {
      return m.has_noun() || m.verb >= 0 || m.event >= 0 || !m.values.empty() || m.time;
    });
    // Nothing of these data is spoken of at all.
    if (!anything && context.session == nullptr) return refuse(lang, "off_topic");
    return not_understood(read.unknown, lang);
  }

  interpreted seen = interpreter(*context.known, std::move(read), lang, context).run();
  if (seen.ask) return *seen.ask;
  if (!seen.leftover.empty()) return not_understood(seen.leftover, lang);
  result<compiled> query = compile(seen.intent, layer);
  if (!query) {
    needs_model out;
    out.message = query.error().message;
    out.words = {std::string(question)};
    return out;
  }
  understood_query out;
  out.interpretation = interpretation_of(seen.intent, layer, *query);
  out.assumptions = std::move(seen.assumptions);
  for (std::string& caveat : caveats_of(seen.intent, layer, *query)) out.assumptions.push_back(std::move(caveat));
  out.intent = std::move(seen.intent);
  out.select = std::move(query->select);
  out.output_names = std::move(query->output_names);
  out.order_matters = query->order_matters;
  out.confidence = seen.confidence;
  out.kind = seen.kind;
  const query_intent& q = out.intent;
  if (q.shape == query_shape::detail && !q.top && q.periods.empty() && q.filters.empty() &&
      q.attribute_filters.empty()) {
    return needs_confirmation{
        lang == language::persian
            ? "این پرسش بدون دوره و محدودیت همه ردیف‌ها را برمی‌گرداند."
            : "Without a period or a limit this returns every row.",
        std::move(out)};
  }
  return out;
}

understanding understand_once(std::string_view question, const question_context& given) {
  const semantic_layer& layer = given.known->layer();
  // An answer about entities, or a verified one, leaves a frame without slots: there is nothing in it to refine.
  question_context context = given;
  conversation without;
  if (given.session != nullptr && given.session->last) {
    query_intent nothing;
    nothing.lang = given.session->last->lang;
    if (*given.session->last == nothing) {
      without = *given.session;
      without.last.reset();
      context.session = &without;
    }
  }
  if (std::optional<understood_query> known = verified(question, layer, language_of(question)))
    return std::move(*known);
  if (layer.entities.empty()) return understand_by_metrics(question, context);
  if (!layer.metrics.empty() || !layer.dimensions.empty()) {
    // The measures that people defined go before what their tables alone would say.
    understanding said = understand_by_metrics(question, context);
    if (!std::holds_alternative<needs_model>(said)) return said;
    understanding other = read_about_entities(question, context);
    return std::holds_alternative<needs_model>(other) ? std::move(said) : std::move(other);
  }
  const language lang = language_of(question);
  if (std::optional<std::string> rule = gate(question, tokenise(question))) return refuse(lang, *rule);
  understanding said = read_about_entities(question, context);
  if (!std::holds_alternative<needs_model>(said)) return said;
  // "What data do you have?" holds words that columns may have too, so it comes second.
  const reading read =
      read_question(question, context.known->words(), time_context{lang, context.today, fiscal_of(layer)});
  for (const mark& m : read.marks) {
    if (m.sensitive >= 0) return refuse(lang, "sensitive");
    if (m.off_topic >= 0) return refuse(lang, "off_topic");
  }
  if (std::optional<schema_answer> answer = answer_about_schema(read, lang, context); answer && read.unknown.empty())
    return *answer;
  return said;
}

}  // namespace

understanding understand(std::string_view question, const question_context& context) {
  understanding said = understand_once(question, context);
  auto* unclear = std::get_if<clarification>(&said);
  if (unclear == nullptr) return said;
  return with_real_options(std::move(*unclear), question, context,
                           [&](std::string_view again) { return understand_once(again, context); });
}

}  // namespace dragoman::nlq
