#include "nlq/semantics_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "nlq/entity_grammar.h"
#include "nlq/entity_words.h"

namespace dragoman::nlq {
namespace {

constexpr std::uint64_t category_values_max = 40;
constexpr std::uint64_t looked_up_length_max = 80;

bool is_one_of(const std::string& w, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), w) != all.end();
}

bool names_match(std::string_view a, std::string_view b) {
  return catalog::same_name(a, b);
}

bool in_list(const std::vector<std::string>& all, std::string_view name) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& n) { return names_match(n, name); });
}

bool comparable(const sql_type& a, const sql_type& b) {
  if (is_character(a.id) || is_character(b.id)) return is_character(a.id) && is_character(b.id);
  return true;
}

const column_facts* facts_of(const catalog_facts& all, const catalog::table& t, const catalog::column& c) {
  auto found = all.columns.find({t.full_name(), c.name});
  return found == all.columns.end() ? nullptr : &found->second;
}

std::vector<std::string> words_of_table(const catalog::table& t) {
  std::vector<std::string> out;
  for (const std::string& w : spelled_out(name_words(t.name))) out.push_back(singular(w));
  return out;
}

// Sums of these say nothing.
bool adds_up(const std::vector<std::string>& words) {
  static const std::unordered_set<std::string_view> not_summed{
      "age",       "height",      "weight",   "year",    "rank",     "rating",    "rate",    "average",
      "percent",   "percentage",  "ratio",    "level",   "grade",    "score",     "price",   "share",
      "speed",     "order",       "month",    "day",     "latitude", "longitude", "highest", "lowest",
      "elevation", "temperature", "humidity", "version", "position", "priority",  "code",    "number"};
  // "number of pages" adds up, a "room number" does not.
  return std::none_of(words.begin(), words.end(), [&](const std::string& w) {
    return not_summed.contains(w) && !(w == "number" && words.size() > 1 && words.front() == "number");
  });
}

bool truth_values(const std::vector<std::string>& values, std::string& yes) {
  if (values.empty() || values.size() > 2) return false;
  for (const std::string& v : values) {
    const std::string f = fold_text(v);
    if (is_one_of(f, {"yes", "y", "true", "t", "1"})) {
      yes = v;
    } else if (!is_one_of(f, {"no", "n", "false", "f", "0"})) {
      return false;
    }
  }
  return !yes.empty();
}

entity_field draft_field(const catalog::table& t, const catalog::column& c, const column_facts* facts,
                         const std::vector<std::string>& table_words) {
  entity_field out;
  out.column = c.name;
  out.words.en = column_phrases(c.name, table_words);
  const std::vector<std::string> words = spelled_out(name_words(c.name));
  const std::string last = words.empty() ? std::string() : words.back();
  const bool text = is_character(c.type.id);
  const bool keyed = in_list(t.primary_key, c.name);
  const bool identifier = is_one_of(last, {"id", "key", "uuid", "guid"});
  out.looked_up = false;
  const bool is_date = c.type.id == sql_type_id::date || c.type.id == sql_type_id::datetime ||
                       c.type.id == sql_type_id::datetime2 || c.type.id == sql_type_id::smalldatetime ||
                       c.type.id == sql_type_id::datetimeoffset;
  const bool all_numbers = facts != nullptr && facts->present > 0 && facts->numbers == facts->present;
  const bool yearly = std::find(words.begin(), words.end(), "year") != words.end() && facts != nullptr &&
                      facts->present > 0 && facts->smallest >= 1000 && facts->largest <= 2200 &&
                      facts->numbers == facts->present;
  std::string yes;
  if (c.type.id == sql_type_id::bit) {
    out.kind = field_kind::flag;
    out.yes = "1";
  } else if (is_date) {
    out.kind = field_kind::date;
  } else if (identifier || (keyed && !text && t.primary_key.size() == 1)) {
    out.kind = field_kind::key;
    out.looked_up = text;
  } else if (yearly) {
    out.kind = field_kind::year;
    out.number_as_text = text;
  } else if (text) {
    const bool flagged = facts != nullptr && truth_values(facts->values, yes) &&
                         (facts->values.size() == 2 || is_one_of(words.empty() ? "" : words.front(), {"is", "has"}));
    if (flagged) {
      out.kind = field_kind::flag;
      out.yes = yes;
      out.looked_up = false;
      if (words.size() > 1 && is_one_of(words.front(), {"is", "has"}))
        out.words.en.push_back(fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")));
    } else if (all_numbers && last != "code" && last != "number" && last != "ssn" &&
               !is_one_of(last, {"postcode", "zip", "phone"})) {
      out.kind = field_kind::number;
      out.number_as_text = true;
      out.additive = adds_up(words);
    } else {
      const bool few = facts != nullptr && facts->distinct > 0 && facts->distinct <= category_values_max &&
                       facts->distinct * 2 <= facts->present;
      out.kind = few ? field_kind::category : field_kind::text;
      out.looked_up = facts == nullptr || facts->longest <= looked_up_length_max;
    }
  } else {
    out.kind = field_kind::number;
    out.additive = adds_up(words);
  }
  return out;
}

// The columns that tell people which row it is.
std::vector<std::string> display_of(const catalog::table& t, const entity& e, const catalog_facts& facts) {
  auto texts = [&](const entity_field& f) {
    return (f.kind == field_kind::text || f.kind == field_kind::category) && !f.number_as_text;
  };
  auto full = [&](const entity_field& f) {
    return fmt::format("{}", fmt::join(spelled_out(name_words(f.column)), " "));
  };
  const std::vector<std::string> own = words_of_table(t);
  const std::string own_phrase = fmt::format("{}", fmt::join(own, " "));
  auto find = [&](auto&& wanted) -> const entity_field* {
    for (const entity_field& f : e.fields) {
      if (texts(f) && wanted(f)) return &f;
    }
    return nullptr;
  };
  if (auto* f = find([&](const entity_field& x) { return full(x) == "name"; })) return {f->column};
  if (auto* f = find([&](const entity_field& x) {
        return full(x) == own_phrase + " name" || (!own.empty() && full(x) == own.back() + " name") ||
               (!own.empty() && full(x) == own.front() + " name");
      }))
    return {f->column};
  if (auto* f = find([&](const entity_field& x) { return full(x) == "full name"; })) return {f->column};
  const entity_field* first =
      find([&](const entity_field& x) { return full(x) == "first name" || full(x).ends_with(" first name"); });
  const entity_field* second =
      find([&](const entity_field& x) { return full(x) == "last name" || full(x).ends_with(" last name"); });
  if (first != nullptr && second != nullptr) return {first->column, second->column};
  if (auto* f = find([&](const entity_field& x) {
        return !own.empty() &&
               (singular(full(x)) == own_phrase || singular(full(x)) == own.back() || singular(full(x)) == own.front());
      }))
    return {f->column};
  if (auto* f = find([&](const entity_field& x) { return full(x) == "title" || full(x).ends_with(" title"); }))
    return {f->column};
  if (auto* f =
          find([&](const entity_field& x) { return full(x).ends_with(" name") && !full(x).ends_with("manager name"); }))
    return {f->column};
  // A text that differs in every row.
  if (auto* f = find([&](const entity_field& x) {
        auto known = facts.columns.find({t.full_name(), x.column});
        return known != facts.columns.end() && known->second.present > 1 &&
               known->second.distinct == known->second.present && known->second.longest <= looked_up_length_max;
      }))
    return {f->column};
  return {};
}

// Words that stand for the direction of a reference: of two references to airports one is where flights leave.
std::vector<std::string> direction_words(const std::vector<std::string>& words) {
  static const std::vector<std::pair<std::vector<std::string_view>, std::vector<std::string>>> groups{
      {{"source", "departure", "origin", "depart", "start", "from"},
       {"source", "departure", "origin", "departing", "depart", "departs", "departing from", "depart from",
        "departs from", "leaving", "leaving from", "leave", "leave from", "from", "out of", "starting from",
        "coming from"}},
      {{"destination", "arrival", "arrive", "end", "to"},
       {"destination", "arrival",  "arriving",   "arrive",     "arrives",    "arriving at", "arriving in", "arrive at",
        "arrive in",   "landing",  "landing in", "landing at", "land",       "land in",     "land at",     "lands in",
        "go to",       "going to", "goes to",    "to",         "heading to", "flying to",   "into"}},
      {{"current"}, {"current", "currently"}},
      {{"permanent"}, {"permanent", "permanently"}},
      {{"winner", "win"}, {"winner", "won", "winning", "won by"}},
      {{"loser", "lose"}, {"loser", "lost", "losing", "lost by"}}};
  std::vector<std::string> out;
  for (const auto& [keys, phrases_of] : groups) {
    for (const std::string& w : words) {
      if (std::find(keys.begin(), keys.end(), w) != keys.end())
        out.insert(out.end(), phrases_of.begin(), phrases_of.end());
    }
  }
  return out;
}

std::string id_of(const std::string& name, std::set<std::string>& taken) {
  std::string id = fmt::format("{}", fmt::join(name_words(name), "_"));
  if (id.empty()) id = "table";
  std::string unique = id;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", id, n);
  return unique;
}

// One phrase must not name several things: it stays with the one that it names as a whole.
void settle_entity_words(std::vector<entity>& all) {
  std::map<std::string, int> uses;
  auto key = [](const std::string& phrase) {
    std::string out;
    for (const std::string& w : name_words(phrase)) out += singular(w) + " ";
    return out;
  };
  for (const entity& e : all) {
    std::set<std::string> here;
    for (const std::string& p : e.words.en) here.insert(key(p));
    for (const std::string& k : here) ++uses[k];
  }
  for (entity& e : all) {
    for (std::size_t k = e.words.en.size(); k-- > 1;) {
      if (uses[key(e.words.en[k])] > 1) e.words.en.erase(e.words.en.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  // "channel" for a TV channel, "maker" for a car maker: where no other thing ends or begins so.
  std::map<std::string, int> ends;
  for (const entity& e : all) {
    std::set<std::string> here;
    for (const std::string& p : e.words.en) {
      const auto w = name_words(p);
      for (const std::string& one : w) here.insert(singular(one));
    }
    for (const std::string& k : here) ++ends[k];
  }
  // What columns are called names no other thing; a thing may be called as its own column ("maker" of a car maker).
  std::map<std::string, std::set<const entity*>> columns;
  for (const entity& e : all) {
    for (const entity_field& f : e.fields) {
      for (const std::string& p : f.words.en) columns[p].insert(&e);
    }
  }
  for (entity& e : all) {
    if (e.words.en.empty() || e.link) continue;
    for (const std::string& phrase : std::vector<std::string>(e.words.en)) {
      const auto w = name_words(phrase);
      if (w.size() < 2) continue;
      // Of a table that only adds to another ("student enrolment course") the last word is the other's.
      for (const std::string& one : {singular(w.back()), singular(w.front())}) {
        if (ends[one] == 1 && one.size() > 2 && find_grammar(one) == nullptr &&
            (!columns.contains(one) || (columns[one] == std::set<const entity*>{&e} && one == singular(w.back()))) &&
            std::find(e.words.en.begin(), e.words.en.end(), one) == e.words.en.end())
          e.words.en.push_back(one);
      }
    }
  }
}

// The ends of column names that no other column of the table has: "level" for the level of membership.
void add_short_words(entity& e, const std::set<std::string>& things) {
  std::map<std::string, std::set<std::size_t>> ends;
  auto tails = [](const std::string& phrase) {
    std::vector<std::string> out;
    const auto w = name_words(phrase);
    if (std::find(w.begin(), w.end(), "of") != w.end() || std::find(w.begin(), w.end(), "by") != w.end()) return out;
    for (std::size_t from = 1; from < w.size(); ++from)
      out.push_back(fmt::format("{}", fmt::join(w.begin() + static_cast<std::ptrdiff_t>(from), w.end(), " ")));
    return out;
  };
  std::map<std::string, std::size_t> whole;
  for (std::size_t k = 0; k < e.fields.size(); ++k) {
    for (const std::string& p : e.fields[k].words.en) {
      whole.emplace(p, k);
      if (e.fields[k].kind == field_kind::flag) continue;
      for (const std::string& t : tails(p)) ends[t].insert(k);
    }
  }
  for (const auto& [tail, owners] : ends) {
    if (owners.size() != 1 || whole.contains(tail) || things.contains(singular(tail)) || find_grammar(tail) != nullptr)
      continue;
    if (is_one_of(tail, {"id", "name", "code", "type", "number", "year", "date", "time", "details", "description"}) &&
        e.fields[*owners.begin()].words.en.empty())
      continue;
    e.fields[*owners.begin()].words.en.push_back(tail);
  }
}

}  // namespace

std::vector<probable_reference> probable_references(const catalog::database& db) {
  std::vector<probable_reference> out;
  for (const catalog::table& t : db.tables) {
    for (const catalog::column& c : t.columns) {
      const bool declared = std::any_of(t.foreign_keys.begin(), t.foreign_keys.end(),
                                        [&](const catalog::foreign_key& k) { return in_list(k.columns, c.name); });
      if (declared) continue;
      const bool own_key = t.primary_key.size() == 1 && in_list(t.primary_key, c.name);
      std::vector<std::string> words;
      for (const std::string& w : spelled_out(name_words(c.name))) words.push_back(singular(w));
      const std::string phrase = fmt::format("{}", fmt::join(words, " "));
      std::vector<probable_reference> found;
      for (const catalog::table& to : db.tables) {
        if (&to == &t || to.primary_key.size() != 1) continue;
        const catalog::column* key = to.find_column(to.primary_key.front());
        if (key == nullptr || !comparable(c.type, key->type)) continue;
        // "CustomerID" with the key of that name, "customer" or "customer id" with a table of that name.
        const bool same = names_match(c.name, key->name) && !is_one_of(phrase, {"id", "name", "code", "key"});
        bool by_table = false;
        for (const std::string& p : table_phrases(to.name)) {
          const bool with_key =
              phrase == p + " id" || phrase == p + " key" || phrase == p + " code" || phrase == p + " number";
          // A name alone refers only where it could hold the key: numbers do, texts are more often names.
          by_table = by_table || with_key || (phrase == p && !is_character(c.type.id));
        }
        if (!same && !by_table) continue;
        if (own_key && !same) continue;
        found.push_back({t.schema, t.name, c.name, to.schema, to.name, key->name});
      }
      // Two tables with one key name: the one whose name says so, else none.
      if (found.size() == 1) out.push_back(found.front());
    }
  }
  return out;
}

semantic_layer draft_semantics(const catalog::database& db, const catalog_facts& facts,
                               const std::vector<probable_reference>& confirmed) {
  semantic_layer layer;
  std::set<std::string> taken;
  std::map<std::string, std::string> ids;
  for (const catalog::table& t : db.tables) ids[t.full_name()] = id_of(t.name, taken);
  for (const catalog::table& t : db.tables) {
    entity e;
    e.id = ids[t.full_name()];
    e.schema = t.schema;
    e.table = t.name;
    e.key = t.primary_key;
    e.words.en = table_phrases(t.name);
    if (auto found = facts.rows.find(t.full_name()); found != facts.rows.end())
      e.rows = found->second;
    else
      e.rows = t.row_count;
    for (const catalog::foreign_key& k : t.foreign_keys) {
      // A reference of several columns is for a person to model.
      if (k.columns.size() != 1) continue;
      const catalog::table* to = db.find_table(k.schema, k.table);
      if (to == nullptr) continue;
      entity_reference r;
      r.column = k.columns.front();
      r.to = ids[to->full_name()];
      r.on = k.referenced_columns.front();
      e.references.push_back(std::move(r));
    }
    for (const probable_reference& p : confirmed) {
      if (!names_match(p.schema, t.schema) || !names_match(p.table, t.name)) continue;
      const catalog::table* to = db.find_table(p.to_schema, p.to_table);
      if (to == nullptr) continue;
      entity_reference r;
      r.column = p.column;
      r.to = ids[to->full_name()];
      r.on = p.to_column;
      r.guessed = true;
      e.references.push_back(std::move(r));
    }
    const std::vector<std::string> own = words_of_table(t);
    for (const catalog::column& c : t.columns) {
      entity_field f = draft_field(t, c, facts_of(facts, t, c), own);
      const bool refers = std::any_of(e.references.begin(), e.references.end(),
                                      [&](const entity_reference& r) { return names_match(r.column, c.name); });
      if (refers) {
        f.kind = field_kind::key;
        f.number_as_text = f.additive = false;
        // The thing it refers to is spoken of by its own name and key; the column only where it has a name of its own.
        if (f.words.en.size() > 1) f.words.en.resize(1);
        const std::string whole = f.words.en.empty() ? std::string() : f.words.en.front();
        for (const catalog::table& other : db.tables) {
          for (const std::string& n : table_phrases(other.name)) {
            if (n == whole || n.ends_with(" " + whole) || whole == n + " id" || whole == n + " code" ||
                whole == n + " key")
              f.words.en.clear();
          }
        }
        const auto parallel = std::count_if(e.references.begin(), e.references.end(), [&](const entity_reference& o) {
          return std::any_of(e.references.begin(), e.references.end(),
                             [&](const entity_reference& r) { return names_match(r.column, c.name) && r.to == o.to; });
        });
        if (parallel > 1) f.words.en.clear();
        f.looked_up = false;
      }
      e.fields.push_back(std::move(f));
    }
    if (t.primary_key.size() == 1) {
      for (entity_field& f : e.fields) {
        if (f.kind != field_kind::key || !names_match(f.column, t.primary_key.front())) continue;
        for (const std::string& p : e.words.en) f.words.en.push_back(p + " id");
        if (std::find(f.words.en.begin(), f.words.en.end(), "id") == f.words.en.end() &&
            !is_character(t.find_column(f.column)->type.id))
          f.words.en.push_back("id");
      }
    }
    e.display = display_of(t, e, facts);
    for (entity_field& f : e.fields) {
      if (!in_list(e.display, f.column)) continue;
      f.kind = field_kind::name;
      f.looked_up = true;
      if (std::find(f.words.en.begin(), f.words.en.end(), "name") == f.words.en.end()) f.words.en.push_back("name");
    }
    // Only what says which things belong together: nobody asks for its rows.
    std::size_t said = 0;
    for (const entity_field& f : e.fields) said += f.kind != field_kind::key ? 1 : 0;
    e.link = e.references.size() >= 2 && said == 0 && e.fields.size() <= e.references.size() + 1;
    if (e.link) {
      e.display.clear();
      // "singers in concert" are singers.
      std::erase_if(e.words.en, [](const std::string& p) { return p.find(' ') != std::string::npos; });
    }
    for (entity_reference& r : e.references) {
      const auto parallel = std::count_if(e.references.begin(), e.references.end(),
                                          [&](const entity_reference& o) { return o.to == r.to; });
      if (parallel < 2) continue;
      std::vector<std::string>& words = r.words.en;
      const std::vector<std::string> name = spelled_out(name_words(r.column));
      words.push_back(fmt::format("{}", fmt::join(name, " ")));
      for (std::string& w : direction_words(name)) {
        if (std::find(words.begin(), words.end(), w) == words.end()) words.push_back(std::move(w));
      }
    }
    for (entity_field& f : e.fields) {
      const catalog::column& c = *t.find_column(f.column);
      const column_facts* known = facts_of(facts, t, c);
      auto kind = sensitive_by_name(c.name, c.type);
      // A key is a number of the database's own, whatever its digits look like; its name may say otherwise.
      if (!kind && known != nullptr && f.kind != field_kind::key) kind = known->shape;
      if (!kind) continue;
      sensitive_column s;
      s.schema = t.schema;
      s.table = t.name;
      s.column = c.name;
      s.kind = name_of(*kind);
      layer.sensitive.push_back(std::move(s));
      f.looked_up = false;
    }
    layer.entities.push_back(std::move(e));
  }
  settle_entity_words(layer.entities);
  std::set<std::string> things;
  for (const entity& e : layer.entities) things.insert(e.words.en.begin(), e.words.en.end());
  for (entity& e : layer.entities) add_short_words(e, things);
  return layer;
}

}  // namespace dragoman::nlq
