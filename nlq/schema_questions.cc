#include "nlq/schema_questions.h"

#include <algorithm>

#include "guard/tsql/printer.h"
#include "nlq/lexicon.h"

namespace dragoman::nlq {
namespace {

class librarian {
 public:
  librarian(const reading& r, language lang, const question_context& context)
      : read_(r),
        lang_(lang),
        context_(context),
        layer_(context.known->layer()),
        database_(context.known->database()) {}

  std::optional<schema_answer> answer() {
    bool data = false, tables = false, columns = false, define = false, help = false, metrics = false, greeting = false,
         other = false, figure = false;
    int dimension_mark = -1, metric_mark = -1, detail_mark = -1;
    for (const mark& m : read_.marks) {
      data = data || m.is(gram::schema_data);
      tables = tables || m.is(gram::schema_tables);
      columns = columns || m.is(gram::schema_columns);
      define = define || m.is(gram::schema_define);
      help = help || m.is(gram::schema_help);
      metrics = metrics || m.is(gram::schema_metrics);
      greeting = greeting || m.is(gram::greeting) || m.is(gram::thanks);
      if (m.metric >= 0 && metric_mark < 0) metric_mark = m.metric;
      if (m.dimension >= 0 && dimension_mark < 0) dimension_mark = m.dimension;
      if (m.detail >= 0 && detail_mark < 0) detail_mark = m.detail;
      figure = figure || m.attribute >= 0 || m.event >= 0;
      if (m.time || !m.values.empty() || m.verb >= 0 || !m.number.empty() || m.is(gram::top) || m.is(gram::by))
        other = true;
    }
    if (other) return std::nullopt;
    if (columns) return column_list(named_table(dimension_mark, detail_mark));
    if (define) return definition(metric_mark);
    if (tables) return table_list();
    if (data) return data_overview();
    if (metrics) return metric_list();
    if (help) return examples(greeting);
    if (greeting && !figure && metric_mark < 0 && dimension_mark < 0 && detail_mark < 0 && read_.unknown.empty())
      return examples(true);
    return std::nullopt;
  }

 private:
  bool fa() const { return lang_ == language::persian; }
  std::string say(const char* english, const char* persian) const { return fa() ? persian : english; }

  bool sees(const catalog::table& t, const catalog::column& c) const {
    for (const sensitive_column& s : layer_.sensitive) {
      if (catalog::same_name(s.schema, t.schema) && catalog::same_name(s.table, t.name) &&
          catalog::same_name(s.column, c.name) && !(s.words.en.empty() && s.words.fa.empty()))
        return false;
    }
    return !context_.visible || context_.visible(t.schema, t.name, c.name);
  }
  // Only tables that the layer speaks of exist here; others are not even hinted at.
  bool sees(const catalog::table& t) const {
    bool spoken = std::any_of(layer_.roles.begin(), layer_.roles.end(), [&](const role& r) {
      return catalog::same_name(r.schema, t.schema) && catalog::same_name(r.table, t.name);
    });
    spoken = spoken || std::any_of(layer_.entities.begin(), layer_.entities.end(), [&](const entity& e) {
               return catalog::same_name(e.schema, t.schema) && catalog::same_name(e.table, t.name);
             });
    return spoken &&
           std::any_of(t.columns.begin(), t.columns.end(), [&](const catalog::column& c) { return sees(t, c); });
  }

  const catalog::table* named_table(int dimension_mark, int detail_mark) const {
    const role* r = nullptr;
    if (detail_mark >= 0) {
      r = layer_.find_role(layer_.details[static_cast<std::size_t>(detail_mark)].role);
    } else if (dimension_mark >= 0) {
      const dimension& d = layer_.dimensions[static_cast<std::size_t>(dimension_mark)];
      if (!d.roles.empty()) r = layer_.find_role(d.roles.front());
    }
    if (r != nullptr) return database_.find_table(r->schema, r->table);
    for (const token& t : read_.words) {
      for (const catalog::table& table : database_.tables) {
        if (sees(table) && (t.has_form(fold_text(table.name)) || t.has_form(fold_text(table.full_name()))))
          return &table;
      }
    }
    return nullptr;
  }

  schema_answer column_list(const catalog::table* only) const {
    schema_answer out;
    out.columns = {"table", "column", "type", "description"};
    for (const catalog::table& t : database_.tables) {
      if (!sees(t) || (only != nullptr && only != &t)) continue;
      for (const catalog::column& c : t.columns) {
        if (sees(t, c)) out.rows.push_back({t.full_name(), c.name, to_string(c.type), c.description});
      }
    }
    out.message = only != nullptr ? say("Columns of ", "ستون‌های ") + only->full_name()
                                  : say("Columns of all tables", "ستون‌های همه جدول‌ها");
    return out;
  }

  schema_answer table_list() const {
    schema_answer out;
    out.columns = {"table", "columns", "description"};
    for (const catalog::table& t : database_.tables) {
      if (!sees(t)) continue;
      std::string columns;
      for (const catalog::column& c : t.columns) {
        if (sees(t, c)) columns += (columns.empty() ? "" : ", ") + c.name;
      }
      out.rows.push_back({t.full_name(), columns, t.description});
    }
    out.message = layer_.covers.in(lang_);
    return out;
  }

  schema_answer data_overview() const {
    schema_answer out;
    out.columns = {"kind", "name", "description"};
    for (const metric& m : layer_.metrics)
      out.rows.push_back({say("measure", "شاخص"), m.label.in(lang_), m.definition.in(lang_)});
    for (const dimension& d : layer_.dimensions) out.rows.push_back({say("breakdown", "تفکیک"), d.label.in(lang_), ""});
    for (const catalog::table& t : database_.tables) {
      if (sees(t)) out.rows.push_back({say("table", "جدول"), t.full_name(), t.description});
    }
    out.message = layer_.covers.in(lang_);
    return out;
  }

  schema_answer metric_list() const {
    schema_answer out;
    out.columns = {"metric", "definition", "formula"};
    for (const metric& m : layer_.metrics)
      out.rows.push_back({m.label.in(lang_), m.definition.in(lang_), tsql::print(m.formula)});
    out.message = say("The measures that questions can name", "شاخص‌هایی که می‌توان پرسید");
    return out;
  }

  schema_answer definition(int which) const {
    if (which < 0) return metric_list();
    const metric& m = layer_.metrics[static_cast<std::size_t>(which)];
    schema_answer out;
    out.columns = {"metric", "definition", "formula"};
    out.rows.push_back({m.label.in(lang_), m.definition.in(lang_), tsql::print(m.formula)});
    out.message = m.label.in(lang_) + ": " + m.definition.in(lang_);
    return out;
  }

  schema_answer examples(bool greeted) const {
    schema_answer out;
    out.columns = {"example"};
    for (const auto& [id, text] : layer_.examples) out.rows.push_back({text.in(lang_)});
    out.message = (greeted ? say("Hello! ", "سلام! ") : "") + layer_.covers.in(lang_);
    return out;
  }

  const reading& read_;
  language lang_;
  const question_context& context_;
  const semantic_layer& layer_;
  const catalog::database& database_;
};

}  // namespace

std::optional<schema_answer> answer_about_schema(const reading& r, language lang, const question_context& context) {
  return librarian(r, lang, context).answer();
}

}  // namespace dragoman::nlq
