#include "nlq/entity_reading.h"

#include <algorithm>

#include "guard/tsql/build.h"
#include "nlq/entity_compile.h"
#include "nlq/entity_frame.h"
#include "nlq/entity_words.h"

namespace dragoman::nlq {
namespace {

// Values beyond these are no words of questions but a data set.
constexpr std::int64_t values_max = 5'000;

std::string joined_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "\"" : ", \"") + w + "\"";
  return out;
}

}  // namespace

std::vector<value_query> entity_value_queries(const semantic_layer& layer) {
  std::vector<value_query> out;
  for (const entity& e : layer.entities) {
    for (const entity_field& f : e.fields) {
      if (!f.looked_up) continue;
      value_query q;
      q.dimension = value_source_of(e, f);
      q.columns = {f.column};
      std::vector<tsql::select_item> items;
      items.push_back(tsql::make_item(tsql::make_column("t1", f.column), f.column));
      std::vector<tsql::table_source> from;
      from.push_back(tsql::make_table(tsql::make_name(e.schema, e.table), "t1"));
      q.select.query = tsql::make_select(std::move(items), std::move(from));
      q.select.query.specification()->distinct = true;
      q.select.query.specification()->top = tsql::make_top(values_max);
      out.push_back(std::move(q));
    }
  }
  return out;
}

understanding read_about_entities(std::string_view question, const question_context& context) {
  const semantic_layer& layer = context.known->layer();
  const entity_lexicon& lexicon = context.known->things();
  needs_model not_read;
  std::vector<std::string> corrections;
  std::vector<word_mark> marks = lexicon.read(question, &corrections);
  for (const word_mark& m : marks) {
    if (!m.known()) not_read.words.push_back(m.raw);
  }
  if (!not_read.words.empty()) {
    not_read.message = "These words are not accounted for: " + joined_words(not_read.words);
    return not_read;
  }
  try {
    entity_reader reader(layer, lexicon, std::move(marks));
    const entity_frame frame = reader.read();
    entity_compiled made = compile_entities(frame, layer);
    reader.check_hints(made.tables, made.references, frame);
    understood_query out;
    out.select = std::move(made.select);
    out.output_names = std::move(made.output_names);
    out.interpretation = std::move(made.interpretation);
    out.assumptions = std::move(corrections);
    for (std::string& a : made.assumptions) out.assumptions.push_back(std::move(a));
    out.order_matters = made.order_matters;
    out.confidence = 0.9;
    return out;
  } catch (const cannot_read& why) {
    not_read.message = "The question is not understood for certain: " + why.message;
    if (!why.words.empty()) not_read.message += " (" + joined_words(why.words) + ")";
    not_read.words = why.words.empty() ? std::vector<std::string>{std::string(question)} : why.words;
    return not_read;
  }
}

}  // namespace dragoman::nlq
