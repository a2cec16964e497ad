// A drafted layer as YAML, with comments for the person who reviews it.

#include <fmt/format.h>

#include "guard/tsql/characters.h"
#include "nlq/semantics_draft.h"

namespace dragoman::nlq {

std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

namespace {

std::string list_of(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : ", ") + yaml_quoted(one);
  return "[" + out + "]";
}

std::string words_of(const phrases& p) {
  return "{en: " + list_of(p.en) + (p.fa.empty() ? "" : ", fa: " + list_of(p.fa)) + "}";
}

std::string_view name_of(field_kind kind) {
  switch (kind) {
    case field_kind::name: return "name";
    case field_kind::text: return "text";
    case field_kind::category: return "category";
    case field_kind::number: return "number";
    case field_kind::year: return "year";
    case field_kind::date: return "date";
    case field_kind::flag: return "flag";
    case field_kind::key: return "key";
  }
  return "text";
}

// What a reviewer may want to know of the data: a comment of one line.
std::string remark(const column_facts& f, const entity_field& field) {
  constexpr std::size_t shown = 8;
  if (field.kind == field_kind::number || field.kind == field_kind::year)
    return f.present == 0 ? "no values" : fmt::format("{:g} to {:g}", f.smallest, f.largest);
  if (!f.values.empty() && field.kind != field_kind::key) {
    std::string out;
    for (std::size_t k = 0; k < f.values.size() && k < shown; ++k) {
      std::string v = f.values[k].substr(0, tsql::utf8_prefix(f.values[k], 40));
      for (char& c : v)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
      out += (out.empty() ? "" : " | ") + v;
    }
    return out + (f.values.size() > shown ? " | …" : "");
  }
  return f.distinct > 0 ? fmt::format("{} different values", f.distinct) : std::string();
}

// Comments of their own lines, which say who wrote them. Descriptions and words are one line each: read_remarks.
std::string comments_of(const remarks& said, const std::string& table, const std::string& column,
                        std::string_view indent) {
  const auto found = said.find({table, column});
  if (found == said.end()) return {};
  std::string out;
  if (!found->second.description.empty())
    out += fmt::format("{}# by a model, to be reviewed: {}\n", indent, found->second.description);
  if (!found->second.synonyms.empty())
    out +=
        fmt::format("{}# by a model, words to add where they are right: {}\n", indent, list_of(found->second.synonyms));
  return out;
}

}  // namespace

std::string write_draft(const semantic_layer& layer, const catalog_facts& facts, std::string_view datasource,
                        const remarks& said) {
  std::string out = fmt::format(
      "# The semantic layer of {}, drafted by `dragoman init`. Review it:\n"
      "#   words       what people call a table or a column; add their own, and other languages under `fa`\n"
      "#   kind        name | text | category | number | year | date | flag | key\n"
      "#   display     what is shown for the thing itself\n"
      "#   additive    sums over rows make sense; one row is one of the table's things (its grain)\n"
      "#   references  many rows to one; `guessed: true` was taken from names and types, no constraint declares it\n"
      "# Then: dragoman check --config FILE. Every key is explained in docs/semantics.md.\n"
      "version: 1\n"
      "title: {{en: {}}}\n"
      "covers: {{en: {}}}\n\n"
      "entities:\n",
      yaml_quoted(datasource), yaml_quoted(datasource), yaml_quoted(fmt::format("The tables of {}", datasource)));
  for (const entity& e : layer.entities) {
    const std::string table = e.schema + "." + e.table;
    out += comments_of(said, table, "", "  ");
    out += fmt::format("  {}:\n    table: {}\n", yaml_quoted(e.id), yaml_quoted(e.schema + "." + e.table));
    if (e.rows) out += fmt::format("    rows: {}\n", *e.rows);
    if (!e.key.empty()) out += fmt::format("    key: {}\n", list_of(e.key));
    if (!e.display.empty()) out += fmt::format("    display: {}\n", list_of(e.display));
    if (e.link) out += "    link: true   # only says which things belong together\n";
    out += fmt::format("    words: {}\n    columns:\n", words_of(e.words));
    for (const entity_field& f : e.fields) {
      out += comments_of(said, table, f.column, "      ");
      out += fmt::format("      {}: {{kind: {}", yaml_quoted(f.column), name_of(f.kind));
      if (f.number_as_text) out += ", number_as_text: true";
      if (f.additive) out += ", additive: true";
      if (!f.yes.empty()) out += fmt::format(", yes: {}", yaml_quoted(f.yes));
      const bool usual = f.kind == field_kind::name || f.kind == field_kind::category || f.kind == field_kind::text;
      if (f.looked_up != usual) out += fmt::format(", looked_up: {}", f.looked_up);
      out += fmt::format(", words: {}}}", words_of(f.words));
      const auto known = facts.columns.find({e.schema + "." + e.table, f.column});
      if (known != facts.columns.end() && layer.find_sensitive(e.schema, e.table, f.column) == nullptr) {
        if (const std::string r = remark(known->second, f); !r.empty()) out += "   # " + r;
      }
      out += "\n";
    }
    if (!e.references.empty()) out += "    references:\n";
    for (const entity_reference& r : e.references) {
      out += fmt::format("      {}: {{to: {}, on: {}", yaml_quoted(r.column), yaml_quoted(r.to), yaml_quoted(r.on));
      if (r.guessed) out += ", guessed: true";
      if (!r.words.en.empty() || !r.words.fa.empty()) out += fmt::format(", words: {}", words_of(r.words));
      out += r.guessed ? "}   # no constraint declares it: please confirm or delete\n" : "}\n";
    }
    out += "\n";
  }
  if (!layer.sensitive.empty()) {
    out +=
        "# Columns that look as if their values were nobody's business. They are not sampled, not read as words of\n"
        "# questions and not shown to a model; who may ask for them is said by `principals`. Delete what is none, and\n"
        "# add `words: {en: [...]}` where questions that hold them must be refused to everybody.\n"
        "sensitive:\n";
    for (const sensitive_column& s : layer.sensitive)
      out += fmt::format("  - {{table: {}, column: {}, kind: {}}}\n", yaml_quoted(s.schema + "." + s.table),
                         yaml_quoted(s.column), s.kind);
    out += "\n";
  }
  std::string examples;
  std::size_t shown = 0;
  for (const entity& e : layer.entities) {
    if (e.link || e.words.en.empty() || e.display.empty() || ++shown > 3) continue;
    examples += fmt::format("  {}: {{en: {}}}\n", yaml_quoted("count of " + e.id),
                            yaml_quoted("How many " + e.words.en.front() + "s are there?"));
  }
  if (!examples.empty()) out += "# Offered to whoever asks what can be asked.\nexamples:\n" + examples + "\n";
  out +=
      "# Questions whose SQL a person has approved: the same question is answered by it, and `check` runs each.\n"
      "# verified:\n"
      "#   headcount:\n"
      "#     questions: [\"how big is the team\"]\n"
      "#     sql: SELECT COUNT(*) AS people FROM dbo.employee\n";
  return out;
}

}  // namespace dragoman::nlq
