#include "nlq/lexicon.h"

#include <algorithm>
#include <set>

#include "nlq/spelling.h"
#include "nlq/understanding.h"

namespace dragoman::nlq {
namespace {

constexpr std::size_t phrase_tokens_max = 10;

bool only_digits(std::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '/' || c == '.'; });
}

// Words that say nothing about which name is meant.
bool empty_word(std::string_view w) {
  static const std::set<std::string_view> words{"and", "و",  "the",  "of",   "in",  "co",     "شرکت", "for",
                                                "a",   "to", "type", "size", "mm",  "تیپ",    "سایز", "از",
                                                "به",  "در", "no",   "per",  "max", "میلیمتر"};
  return words.contains(w) || only_digits(w);
}

bool joins_words(std::string_view w) {
  static const std::set<std::string_view> words{"in", "on", "at", "of", "for", "to", "by", "and", "the", "a",
                                                "an", "or", "is", "as", "از",  "به", "با", "و",   "در"};
  return words.contains(w);
}

}  // namespace

void lexicon::add(std::string_view phrase, sense s) {
  tokens words = tokenise(phrase);
  std::string key = squash(words, 0, words.size());
  if (key.empty()) return;
  std::vector<sense>& senses = building_[key];
  for (const sense& have : senses) {
    if (have.kind == s.kind && have.word == s.word && have.index == s.index) return;
  }
  senses.push_back(s);
  for (const token& w : words) {
    if (s.kind == sense_kind::value && s.level != match_level::whole) continue;
    (s.kind == sense_kind::value ? value_vocabulary_ : vocabulary_).push_back(w.text);
  }
}

void lexicon::add_all(const std::vector<std::string>& all, sense s) {
  for (const std::string& p : all) add(p, s);
}

void lexicon::add_words(const phrases& words, sense s) {
  add_all(words.en, s);
  add_all(words.fa, s);
}

void lexicon::add_name(const dimension& d, std::string_view name, std::uint32_t value) {
  sense s{sense_kind::value, gram::none, value, match_level::whole};
  add(name, s);
  tokens words = tokenise(name);
  // Without the words that all names of the kind share.
  std::set<std::string> affixes;
  for (const auto* list : {&d.affixes.en, &d.affixes.fa}) {
    for (const std::string& a : *list) affixes.insert(squash(a));
  }
  tokens core;
  for (const token& w : words) {
    if (!affixes.contains(w.text)) core.push_back(w);
  }
  auto add_key = [&](const tokens& from, std::size_t at, std::size_t count, match_level level) {
    std::string key = squash(from, at, count);
    std::vector<sense>& senses = building_[key];
    for (const sense& have : senses) {
      if (have.kind == sense_kind::value && have.index == value) return;
    }
    sense x = s;
    x.level = level;
    senses.push_back(x);
  };
  if (!core.empty() && core.size() < words.size()) add_key(core, 0, core.size(), match_level::core);
  if (core.size() > 6) return;
  for (std::size_t i = 0; i < core.size(); ++i) {
    for (std::size_t n = 1; i + n <= core.size() && n < core.size(); ++n) {
      if (empty_word(core[i].text) || empty_word(core[i + n - 1].text)) continue;
      add_key(core, i, n, n == 1 && weak_.contains(core[i].text) ? match_level::weak : match_level::part);
    }
  }
}

void lexicon::add_value(const semantic_layer& layer, std::uint32_t index, const std::string& column,
                        const std::string& stored, const localized& shown, std::uint32_t member, bool is_name) {
  if (stored.empty()) return;
  const dimension& d = layer.dimensions[index];
  known_value v;
  v.dimension = index;
  v.column = column;
  v.stored = stored;
  v.shown = shown;
  v.member = member;
  values_.push_back(std::move(v));
  const auto id = static_cast<std::uint32_t>(values_.size() - 1);
  if (is_name) {
    add_name(d, stored, id);
  } else {
    add(stored, sense{sense_kind::value, gram::none, id, match_level::whole});
  }
}

lexicon::lexicon(const semantic_layer& layer, const std::vector<value_rows>& rows) {
  for (const grammar_entry& g : grammar()) {
    for (std::string_view list : {g.english, g.persian}) {
      while (!list.empty()) {
        std::size_t bar = list.find('|');
        add(list.substr(0, bar), sense{sense_kind::grammar, g.what});
        list = bar == std::string_view::npos ? std::string_view{} : list.substr(bar + 1);
      }
    }
  }
  add_words(layer.neutral, sense{sense_kind::grammar, gram::stop});
  for (const auto* list : {&layer.weak_names.en, &layer.weak_names.fa}) {
    for (const std::string& w : *list) weak_.insert(squash(w));
  }
  auto each = [&](const auto& list, sense_kind kind) {
    for (std::uint32_t i = 0; i < list.size(); ++i) add_words(list[i].words, sense{kind, gram::none, i});
  };
  each(layer.metrics, sense_kind::metric);
  each(layer.dimensions, sense_kind::dimension);
  each(layer.attributes, sense_kind::attribute);
  each(layer.events, sense_kind::event);
  each(layer.details, sense_kind::detail);
  each(layer.units, sense_kind::unit);
  each(layer.out_of_scope, sense_kind::out_of_scope);
  each(layer.off_topic, sense_kind::off_topic);
  each(layer.sensitive, sense_kind::sensitive);
  for (std::uint32_t i = 0; i < layer.metrics.size(); ++i) {
    add_words(layer.metrics[i].verbs, sense{sense_kind::verb, gram::none, i});
    for (gram g : {gram::top, gram::bottom}) {
      const phrases& words = g == gram::top ? layer.metrics[i].most : layer.metrics[i].least;
      add_words(words, sense{sense_kind::grammar, g});
      add_words(words, sense{sense_kind::metric, gram::none, i});
    }
  }
  for (std::uint32_t i = 0; i < layer.events.size(); ++i) {
    add_words(layer.events[i].negated, sense{sense_kind::negated_event, gram::none, i});
  }

  for (std::uint32_t i = 0; i < layer.dimensions.size(); ++i) {
    const dimension& d = layer.dimensions[i];
    std::uint32_t member = 0;
    for (const dimension_case& c : d.cases) {
      known_value v;
      v.dimension = i;
      v.stored = c.id;
      v.shown = c.label;
      v.member = member++;
      values_.push_back(std::move(v));
      add_words(c.words, sense{sense_kind::value, gram::none, static_cast<std::uint32_t>(values_.size() - 1)});
    }
    std::unordered_map<std::string, std::uint32_t> by_stored;
    for (const value_rows& r : rows) {
      if (r.dimension != d.id) continue;
      auto column_at = [&](const std::string& name) {
        auto at = std::find(r.columns.begin(), r.columns.end(), name);
        return at == r.columns.end() ? -1 : static_cast<int>(at - r.columns.begin());
      };
      const int en = column_at(d.name.en), fa = column_at(d.name.fa), canonical = column_at(d.value_column);
      for (const auto& row : r.rows) {
        localized shown;
        if (en >= 0) shown.en = row[static_cast<std::size_t>(en)];
        if (fa >= 0) shown.fa = row[static_cast<std::size_t>(fa)];
        for (std::size_t c = 0; c < r.columns.size() && c < row.size(); ++c) {
          bool is_name = static_cast<int>(c) == en || static_cast<int>(c) == fa;
          if (static_cast<int>(c) == canonical) by_stored.emplace(row[c], static_cast<std::uint32_t>(values_.size()));
          add_value(layer, i, r.columns[c], row[c], shown, member, is_name);
        }
        ++member;
      }
    }
    for (const value_synonym& s : d.values) {
      std::uint32_t id = 0;
      if (auto known = by_stored.find(s.value); known != by_stored.end()) {
        id = known->second;
        if (values_[id].shown.fa.empty() && !s.words.fa.empty()) values_[id].shown.fa = s.words.fa.front();
      } else {
        known_value v;
        v.dimension = i;
        v.column = d.value_column;
        v.stored = s.value;
        v.shown = {s.value, s.words.fa.empty() ? s.value : s.words.fa.front()};
        v.member = member++;
        values_.push_back(std::move(v));
        id = static_cast<std::uint32_t>(values_.size() - 1);
        add(s.value, sense{sense_kind::value, gram::none, id});
      }
      add_words(s.words, sense{sense_kind::value, gram::none, id});
    }
  }

  entries_.reserve(building_.size());
  for (auto& [key, senses] : building_) entries_.push_back({key, std::move(senses)});
  building_.clear();
  std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) { return a.key < b.key; });
  for (auto* list : {&vocabulary_, &value_vocabulary_}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
    std::erase_if(*list, [](const std::string& w) { return code_points(w) < 4 || only_digits(w); });
  }
}

std::vector<phrase_match> lexicon::at(const tokens& words, std::size_t from) const {
  std::vector<phrase_match> found;
  struct state {
    std::size_t low, high;  // entries that begin with `key`
    std::string key;
    bool exact;  // only written forms so far
  };
  std::vector<state> open{{0, entries_.size(), {}, true}};
  for (std::size_t n = 0; n < phrase_tokens_max && from + n < words.size() && !open.empty(); ++n) {
    if (n > 0 && words[from + n].break_before) break;
    std::vector<state> next;
    const entry* hit = nullptr;
    bool hit_exact = false;
    for (const state& s : open) {
      for (const std::string& form : words[from + n].forms) {
        state t{s.low, s.high, s.key + form, s.exact && form == words[from + n].text};
        auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(s.low);
        auto end = entries_.begin() + static_cast<std::ptrdiff_t>(s.high);
        auto low = std::lower_bound(begin, end, t.key, [](const entry& e, const std::string& k) { return e.key < k; });
        auto high = std::partition_point(low, end, [&](const entry& e) { return e.key.starts_with(t.key); });
        if (low == high) continue;
        // A written form beats a stripped one; among stripped ones the first, which strips least.
        if (low->key == t.key && (hit == nullptr || (t.exact && !hit_exact))) {
          hit = &*low;
          hit_exact = t.exact;
        }
        t.low = static_cast<std::size_t>(low - entries_.begin());
        t.high = static_cast<std::size_t>(high - entries_.begin());
        next.push_back(std::move(t));
      }
    }
    if (hit != nullptr) {
      found.push_back({n + 1, hit->senses});
      // Words run together name something however they are parted, but "pars in" is not Parsin.
      if (n > 0 && joins_words(words[from + n].text))
        std::erase_if(found.back().senses, [](const sense& s) { return s.kind == sense_kind::value; });
      if (found.back().senses.empty()) found.pop_back();
    }
    if (next.size() > 64) next.resize(64);
    open = std::move(next);
  }
  return found;
}

std::vector<sense> lexicon::exactly(const std::string& key) const {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                             [](const entry& e, const std::string& k) { return e.key < k; });
  return at != entries_.end() && at->key == key ? at->senses : std::vector<sense>{};
}

std::string lexicon::correct(const std::string& word) const {
  const std::size_t length = code_points(word);
  if (length < 4 || std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  for (const auto* list : {&vocabulary_, &value_vocabulary_}) {
    std::vector<const std::string*> fitting;
    for (const std::string& known : *list) {
      if (is_slip(word, known)) fitting.push_back(&known);
    }
    if (fitting.empty()) continue;
    // Several forms of one word ("sale", "sales") are one answer.
    const std::string* shortest =
        *std::min_element(fitting.begin(), fitting.end(), [](auto a, auto b) { return a->size() < b->size(); });
    const bool one_family = std::all_of(fitting.begin(), fitting.end(), [&](auto f) {
      std::vector<std::string> forms = word_forms(*f);
      return std::find(forms.begin(), forms.end(), *shortest) != forms.end();
    });
    return one_family ? *shortest : std::string{};
  }
  return {};
}

}  // namespace dragoman::nlq
