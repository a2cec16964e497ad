#include "nlq/entity_words.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "nlq/entity_grammar.h"

namespace dragoman::nlq {
namespace {

constexpr std::size_t value_words_max = 10;

template <class T>
void add_once(std::vector<T>& to, const T& what) {
  if (std::find(to.begin(), to.end(), what) == to.end()) to.push_back(what);
}

std::vector<std::string> words_of_phrase(std::string_view text) {
  std::vector<std::string> out;
  for (const token& t : tokenise(text)) {
    // A name keeps its underscores in tokens; a phrase never does.
    std::string word;
    for (const char c : t.text + "_") {
      if (c != '_') {
        word += c;
      } else if (!word.empty()) {
        out.push_back(word);
        word.clear();
      }
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = from; i < from + count; ++i) out += (i == from ? "" : " ") + words[i];
  return out;
}

bool preposition(const std::string& word) {
  return word == "by" || word == "of" || word == "the" || word == "in" || word == "from" || word == "to";
}

// Text between quotes is a value as it stands; the tokeniser would drop the marks.
struct quoted_text {
  std::string question;  // with placeholders
  std::vector<std::string> texts;
};

constexpr std::string_view placeholder = "qqvalue";

quoted_text take_quotes(std::string_view question) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> pairs{{{"``", "''"},
                                                                                       {"\u201c", "\u201d"},
                                                                                       {"\u2018", "\u2019"},
                                                                                       {"\u00ab", "\u00bb"},
                                                                                       {"\"", "\""},
                                                                                       {"'", "'"},
                                                                                       {"`", "`"}}};
  quoted_text out;
  for (std::size_t i = 0; i < question.size();) {
    bool taken = false;
    for (const auto& [open, close] : pairs) {
      if (!question.substr(i).starts_with(open)) continue;
      // "students' names": an apostrophe behind a letter opens nothing.
      if (i > 0 && (std::isalnum(static_cast<unsigned char>(question[i - 1])) != 0)) break;
      std::size_t end = question.find(close, i + open.size());
      while (end != std::string_view::npos && close == "'" && end + 1 < question.size() &&
             std::isalnum(static_cast<unsigned char>(question[end + 1])) != 0)
        end = question.find(close, end + 1);
      if (end == std::string_view::npos) break;
      std::string inside(question.substr(i + open.size(), end - i - open.size()));
      while (!inside.empty() && inside.back() == ' ') inside.pop_back();
      while (!inside.empty() && inside.front() == ' ') inside.erase(0, 1);
      if (inside.empty()) break;
      // The digit stands in front: "value1" and "value10" must not fold together, and plurals must not be stripped.
      out.question += " " + std::string(placeholder) + std::to_string(out.texts.size()) + " ";
      out.texts.push_back(std::move(inside));
      i = end + close.size();
      taken = true;
      break;
    }
    if (!taken) out.question += question[i++];
  }
  return out;
}

}  // namespace

std::string singular(const std::string& w) {
  static const std::unordered_map<std::string_view, std::string_view> irregular{
      {"people", "person"},   {"persons", "person"}, {"children", "child"},   {"men", "man"},
      {"women", "woman"},     {"shelves", "shelf"},  {"leaves", "leaf"},      {"wolves", "wolf"},
      {"halves", "half"},     {"knives", "knife"},   {"feet", "foot"},        {"mice", "mouse"},
      {"teeth", "tooth"},     {"lives", "life"},     {"wives", "wife"},       {"series", "series"},
      {"species", "species"}, {"status", "status"},  {"address", "address"},  {"bus", "bus"},
      {"movies", "movie"},    {"staff", "staff"},    {"analyses", "analysis"}};
  if (auto found = irregular.find(w); found != irregular.end()) return std::string(found->second);
  auto ends = [&](std::string_view e) { return w.size() > e.size() + 1 && w.ends_with(e); };
  if (ends("ies")) return w.substr(0, w.size() - 3) + "y";
  if (ends("sses") || ends("xes") || ends("ches") || ends("shes") || ends("uses")) return w.substr(0, w.size() - 2);
  if (ends("s") && !ends("ss") && !ends("us") && !ends("is")) return w.substr(0, w.size() - 1);
  return w;
}

std::string verb_stem(const std::string& word) {
  static const std::unordered_map<std::string_view, std::string_view> irregular{
      {"born", "birth"},   {"paid", "pay"},    {"payment", "pay"},   {"died", "death"},   {"dead", "death"},
      {"sold", "sell"},    {"sale", "sell"},   {"sales", "sell"},    {"wrote", "writ"},   {"written", "writ"},
      {"spoken", "speak"}, {"spoke", "speak"}, {"taught", "teach"},  {"led", "lead"},     {"began", "begin"},
      {"begun", "begin"},  {"built", "build"}, {"bought", "buy"},    {"driven", "driv"},  {"drove", "driv"},
      {"flown", "fly"},    {"flew", "fly"},    {"founded", "found"}, {"treated", "treat"}};
  if (auto found = irregular.find(word); found != irregular.end()) return std::string(found->second);
  std::string w = singular(word);
  for (std::string_view e : {"ments", "ment", "ation", "ing", "ions", "ion", "ors", "ers", "or", "er", "ed"}) {
    if (w.size() >= e.size() + 3 && w.ends_with(e)) {
      w.resize(w.size() - e.size());
      break;
    }
  }
  // "hire", "hir(ing)"; "stopp(ed)", "stop".
  if (w.size() > 3 && w.back() == 'e') w.pop_back();
  if (w.size() > 3 && w[w.size() - 1] == w[w.size() - 2] && w.back() != 's') w.pop_back();
  return w.size() < 3 ? std::string() : w;
}

std::string value_source_of(const entity& e, const entity_field& f) {
  return "entities." + e.id + "." + f.column;
}

void entity_lexicon::add_phrase(const std::string& phrase, int entity, int field, int reference) {
  std::vector<std::string> words = words_of_phrase(phrase);
  if (words.empty()) return;
  std::string canonical, stems;
  for (const std::string& w : words) {
    canonical += (canonical.empty() ? "" : " ") + singular(w);
    vocabulary_.insert(singular(w));
    if (preposition(w)) continue;
    const std::string stem = verb_stem(w);
    stems += (stems.empty() ? "" : " ") + stem;
    if (stem.size() >= 3 && w.size() >= 4) add_once(hints_[stem], field_ref{entity, reference >= 0 ? -1 : field});
  }
  std::string squashed;
  for (const char c : canonical) {
    if (c != ' ') squashed += c;
  }
  squashed_.try_emplace(squashed, canonical);
  for (auto* into : {&nouns_[canonical], stems.size() >= 4 ? &stems_[stems] : nullptr}) {
    if (into == nullptr) continue;
    if (reference >= 0) {
      add_once(into->references, reference_ref{entity, reference});
    } else if (field >= 0) {
      add_once(into->fields, field_ref{entity, field});
    } else {
      add_once(into->entities, entity);
    }
  }
  longest_ = std::max(longest_, words.size() + 1);
}

void entity_lexicon::add_values(const value_rows& rows) {
  for (std::size_t e = 0; e < layer_.entities.size(); ++e) {
    const entity& thing = layer_.entities[e];
    for (std::size_t f = 0; f < thing.fields.size(); ++f) {
      if (value_source_of(thing, thing.fields[f]) != rows.dimension) continue;
      for (const auto& row : rows.rows) {
        if (row.empty() || row[0].empty()) continue;
        const std::vector<std::string> words = words_of_phrase(row[0]);
        if (words.empty() || words.size() > value_words_max) continue;
        const stored_value value{{static_cast<int>(e), static_cast<int>(f)}, row[0]};
        add_once(values_[joined(words, 0, words.size())], value);
        value_words_.insert(words.begin(), words.end());
        longest_ = std::max(longest_, words.size());
      }
    }
  }
}

entity_lexicon::entity_lexicon(const semantic_layer& layer, const std::vector<value_rows>& values) : layer_(layer) {
  empty_ = layer.entities.empty();
  for (std::size_t e = 0; e < layer.entities.size(); ++e) {
    const entity& thing = layer.entities[e];
    const int id = static_cast<int>(e);
    for (const std::string& phrase : thing.words.en) add_phrase(phrase, id, -1, -1);
    for (const std::string& phrase : thing.words.fa) add_phrase(phrase, id, -1, -1);
    for (std::size_t f = 0; f < thing.fields.size(); ++f) {
      for (const std::string& phrase : thing.fields[f].words.en) add_phrase(phrase, id, static_cast<int>(f), -1);
      for (const std::string& phrase : thing.fields[f].words.fa) add_phrase(phrase, id, static_cast<int>(f), -1);
    }
    for (std::size_t r = 0; r < thing.references.size(); ++r) {
      for (const std::string& phrase : thing.references[r].words.en) add_phrase(phrase, id, -1, static_cast<int>(r));
      for (const std::string& phrase : thing.references[r].words.fa) add_phrase(phrase, id, -1, static_cast<int>(r));
    }
  }
  for (const value_rows& rows : values) add_values(rows);
}

bool entity_lexicon::speaks_of(const field_ref& f, std::string_view head) const {
  const entity_field& field =
      layer_.entities[static_cast<std::size_t>(f.entity)].fields[static_cast<std::size_t>(f.field)];
  for (const std::string& phrase : field.words.en) {
    for (const std::string& word : words_of_phrase(phrase)) {
      if (singular(word) == head) return true;
    }
  }
  return false;
}

// A word that nobody knows, one slip of the fingers away from exactly one that is known.
std::optional<std::string> entity_lexicon::corrected(const std::string& word) const {
  constexpr std::size_t shortest = 6;
  if (word.size() < shortest || word.find_first_of("0123456789") != std::string::npos) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string& known : vocabulary_) {
    if (known.size() + 2 < shortest) continue;
    if (edit_distance(word, known, 1) > 1 && edit_distance(singular(word), known, 1) > 1) continue;
    if (found && singular(*found) != singular(known)) return std::nullopt;
    found = known;
  }
  return found;
}

// "first, middle and last names" are three columns whose last word is said once.
void entity_lexicon::spread_heads(std::vector<token>& words) const {
  auto names_column = [&](const std::string& first, const std::string& head) {
    auto found = nouns_.find(singular(first) + " " + singular(head));
    return found != nouns_.end() && !found->second.fields.empty();
  };
  for (std::size_t p = 1; p + 2 < words.size(); ++p) {
    if (words[p].text != "and") continue;
    const token head = words[p + 2];
    if (words[p + 2].break_before || !names_column(words[p + 1].text, head.text)) continue;
    for (std::size_t at = p; at > 0;) {
      --at;
      if (nouns_.contains(singular(words[at].text)) || !names_column(words[at].text, head.text)) break;
      // Only what a comma or the "and" separates is a member of the list.
      token again = head;
      again.break_before = false;
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, again);
      ++p;
      if (!words[at].break_before) break;
    }
  }
}

std::vector<word_mark> entity_lexicon::read(std::string_view question, std::vector<std::string>* corrections) const {
  const quoted_text without = take_quotes(question);
  tokens all = tokenise(without.question);
  // Names with underscores are phrases too: "section_name".
  tokens words;
  for (token& t : all) {
    if (t.text.find('_') == std::string::npos) {
      words.push_back(std::move(t));
      continue;
    }
    bool first = true;
    for (const std::string& part : words_of_phrase(t.text)) {
      token piece;
      piece.raw = piece.text = part;
      piece.break_before = first && t.break_before;
      first = false;
      words.push_back(std::move(piece));
    }
  }
  spread_heads(words);
  std::vector<std::string> plain, canonical, stems;
  for (token& t : words) {
    const bool known = t.is_number() || vocabulary_.contains(singular(t.text)) || find_grammar(t.text) != nullptr ||
                       hints_.contains(verb_stem(t.text)) || value_words_.contains(t.text) ||
                       t.text.starts_with(placeholder);
    if (!known) {
      if (auto better = corrected(t.text)) {
        if (corrections != nullptr) corrections->push_back("\"" + t.raw + "\" is read as \"" + *better + "\".");
        t.text = *better;
      }
    }
    plain.push_back(t.text);
    canonical.push_back(singular(t.text));
    stems.push_back(verb_stem(t.text));
  }
  std::vector<word_mark> out;
  for (std::size_t i = 0; i < words.size();) {
    word_mark m;
    m.first = i;
    m.break_before = words[i].break_before;
    if (plain[i].starts_with(placeholder) && plain[i].size() > placeholder.size()) {
      const std::size_t which = std::stoul(plain[i].substr(placeholder.size()));
      if (which < without.texts.size()) {
        m.quoted = true;
        m.text = m.raw = without.texts[which];
        const std::vector<std::string> inside = words_of_phrase(m.text);
        if (auto found = values_.find(joined(inside, 0, inside.size())); found != values_.end())
          m.values = found->second;
        out.push_back(std::move(m));
        ++i;
        continue;
      }
    }
    // The longest span wins; of one length, everything it may mean is kept and the frame decides.
    const std::size_t most = std::min(longest_, words.size() - i);
    std::size_t taken = 0;
    for (std::size_t n = most; n >= 1 && taken == 0; --n) {
      bool broken = false;
      for (std::size_t k = 1; k < n; ++k) broken = broken || words[i + k].break_before;
      const std::string exact = joined(plain, i, n), folded = joined(canonical, i, n);
      if (!broken) {
        if (auto found = nouns_.find(folded); found != nouns_.end()) {
          m.entities = found->second.entities;
          m.fields = found->second.fields;
          m.references = found->second.references;
          taken = n;
        } else if (n <= 3 && folded.size() > 5) {
          // "high schooler" and "highschooler", "home town" and "hometown".
          std::string squashed;
          for (const char c : folded) {
            if (c != ' ') squashed += c;
          }
          if (auto whole = squashed_.find(squashed); whole != squashed_.end() && whole->second != folded) {
            const meaning& same = nouns_.at(whole->second);
            m.entities = same.entities;
            m.fields = same.fields;
            m.references = same.references;
            taken = n;
          }
        }
        if (const grammar_word* g = find_grammar(exact); g != nullptr) {
          m.kind = g->kind;
          m.text = g->text;
          m.heads = g->heads;
          taken = n;
        }
      }
      // A stored value of one short word or of digits alone says too little; so does one that is grammar.
      const bool tells = n > 1 || (exact.size() > 2 && exact.find_first_not_of("0123456789.") != std::string::npos);
      if (tells && m.kind == word_kind::none) {
        auto found = values_.find(exact);
        if (found == values_.end() && n >= 1) {
          std::string last = joined(plain, i, n - 1) + (n > 1 ? " " : "") + canonical[i + n - 1];
          found = values_.find(last);
        }
        if (found == values_.end() && n == 1) {
          if (std::string_view place = place_of_adjective(exact); !place.empty()) found = values_.find(place);
        }
        if (found != values_.end()) {
          m.values = found->second;
          taken = n;
        }
      }
    }
    if (taken == 0) {
      if (words[i].is_number()) {
        m.number = words[i].text;
        taken = 1;
      } else if (std::optional<long> small = small_number(words[i])) {
        // "the one with": a number only where something is compared with it.
        const bool compared = !out.empty() && (out.back().is(word_kind::compare) || out.back().is(word_kind::than) ||
                                               out.back().is(word_kind::top) || out.back().is(word_kind::relation));
        if (*small == 1 && plain[i] == "one" && !compared)
          m.kind = word_kind::filler;
        else
          m.number = std::to_string(*small);
        taken = 1;
      }
    } else if (taken == 1 && words[i].is_number()) {
      m.number = words[i].text;
    } else if (taken == 1 && m.kind == word_kind::none) {
      if (std::optional<long> small = small_number(words[i])) m.number = std::to_string(*small);
    }
    if (taken == 0) {
      for (std::size_t n = std::min<std::size_t>(3, words.size() - i); n >= 1 && taken == 0; --n) {
        std::string key;
        for (std::size_t k = i; k < i + n; ++k) {
          if (k > i && words[k].break_before) key = "\x01";
          if (k > i && k + 1 < i + n && preposition(plain[k])) continue;
          if (stems[k].empty()) key = "\x01";
          key += (key.empty() ? "" : " ") + stems[k];
        }
        if (auto found = stems_.find(key); found != stems_.end() && key.size() >= 4) {
          m.entities = found->second.entities;
          // "directors" are who directed; "awards" are no year of an award.
          for (const field_ref& f : found->second.fields) {
            const field_kind kind =
                layer_.entities[static_cast<std::size_t>(f.entity)].fields[static_cast<std::size_t>(f.field)].kind;
            if (kind == field_kind::text || kind == field_kind::category || kind == field_kind::name || n > 1)
              m.fields.push_back(f);
            else
              m.hints.push_back(f);
          }
          m.references = found->second.references;
          // A verb names no thing: "hired" joins through the hirings, it does not ask for them.
          if (!m.entities.empty() && m.fields.empty()) {
            for (const int e : m.entities) m.hints.push_back({e, -1});
            m.entities.clear();
          }
          taken = n;
        }
      }
    }
    if (taken == 0) {
      if (auto found = hints_.find(stems[i]); found != hints_.end() && plain[i].size() >= 4) m.hints = found->second;
      taken = 1;
    }
    m.count = taken;
    for (std::size_t k = i; k < i + taken; ++k) m.raw += (k > i ? " " : "") + words[k].raw;
    out.push_back(std::move(m));
    i += taken;
  }
  return out;
}

}  // namespace dragoman::nlq
