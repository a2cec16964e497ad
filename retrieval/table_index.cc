#include "retrieval/table_index.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "retrieval/terms.h"

namespace dragoman::retrieval {
namespace {

// How much a word weighs by where it stands.
constexpr float weight_table_name = 3.0f;
constexpr float weight_table_description = 1.2f;
constexpr float weight_column_name = 1.0f;
constexpr float weight_column_description = 0.5f;
constexpr float weight_sample = 0.6f;
constexpr float weight_alias = 2.0f;
constexpr std::size_t samples_indexed = 64;  // of a column; the value index holds them all

constexpr double weight_bigram = 1.5;
constexpr double weight_synonym = 0.7;
constexpr double saturation = 1.5;

std::string joined(const std::vector<std::string>& terms) {
  std::string out;
  for (const std::string& t : terms) out += (out.empty() ? "" : " ") + t;
  return out;
}

}  // namespace

std::shared_ptr<const table_index> table_index::build(catalog::database_ptr database, const index_sources& sources) {
  auto index = std::make_shared<table_index>();
  index->database_ = std::move(database);
  const auto& tables = index->database_->tables;
  index->facts_.resize(tables.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    const catalog::table& table = tables[t];
    index->add(table.name, t, no_column, weight_table_name, true);
    index->add(table.description, t, no_column, weight_table_description, false);
    index->add_alias(table.name, t, no_column);
    for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
      const catalog::column& column = table.columns[c];
      index->add(column.name, t, c, weight_column_name, true);
      index->add(column.description, t, c, weight_column_description, false);
      for (std::size_t s = 0; s < std::min(column.samples.size(), samples_indexed); ++s)
        index->add(column.samples[s], t, c, weight_sample, false);
    }
  }
  index->add_words(sources);
  for (const auto& [term, list] : index->postings_) {
    std::uint32_t count = 0;
    std::uint32_t last = no_column;
    for (const posting& p : list)  // aliases come after the catalogue and may name a table again: counted twice at most
      if (p.table != last) ++count, last = p.table;
    index->tables_with_[term] = count;
  }
  index->add_edges();
  return index;
}

void table_index::add_alias(std::string_view phrase, std::uint32_t table, std::uint32_t gate) {
  auto terms = terms_of(phrase);
  if (terms.empty()) return;
  auto& list = aliases_[terms[0]];
  for (const alias_entry& e : list)
    if (e.table == table && e.terms == terms && (e.gate == no_column || e.gate == gate)) return;
  list.push_back({std::move(terms), table, gate});
}

// The words of the semantic layer. One that speaks of what the catalogue does not have is left out.
void table_index::add_words(const index_sources& sources) {
  const auto table_of = [&](const std::string& name) -> std::optional<std::uint32_t> {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const auto found = database_->table_index(name.substr(0, dot), name.substr(dot + 1));
    return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
  };
  const auto column_of = [&](const column_name& name) -> std::optional<std::pair<std::uint32_t, std::uint32_t>> {
    const auto table = table_of(name.table);
    const auto column = table ? database_->tables[*table].column_index(name.column) : std::nullopt;
    if (!column) return std::nullopt;
    return std::pair{*table, static_cast<std::uint32_t>(*column)};
  };
  std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> known_gates;
  for (const table_alias& alias : sources.aliases) {
    const auto table = table_of(alias.table);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> needs;
    bool known = table.has_value();
    for (const column_name& n : alias.needs) {
      const auto column = column_of(n);
      known = known && column;
      if (column) needs.push_back(*column);
    }
    if (!known) continue;
    std::uint32_t gate = no_column;
    if (!needs.empty()) {
      std::sort(needs.begin(), needs.end());
      const auto [at, added] = known_gates.try_emplace(needs, first_gate + static_cast<std::uint32_t>(gates_.size()));
      if (added) gates_.push_back(needs);
      gate = at->second;
    }
    if (alias.measure) facts_[*table] = true;
    add_alias(alias.phrase, *table, gate);
    add(alias.phrase, *table, gate, weight_alias, true);
  }
  for (const synonym& s : sources.synonyms) {
    if (!s.column.table.empty()) {
      if (const auto column = column_of(s.column)) add(s.word, column->first, column->second, weight_column_name, true);
      continue;
    }
    auto& list = synonyms_[joined(terms_of(s.word))];
    for (std::string& term : with_bigrams(terms_of(s.means))) list.push_back(std::move(term));
  }
}

// To those who see what it stands for.
bool table_index::counts(std::uint32_t table, std::uint32_t column, const table_scope& scope) {
  if (!scope.sees(table)) return false;
  if (column == no_column) return true;
  return column >= first_gate ? scope.gates_[column - first_gate] : scope.sees(table, column);
}

void table_index::add(std::string_view text, std::uint32_t table, std::uint32_t column, float weight, bool bigrams) {
  if (text.empty()) return;
  const auto terms = terms_of(text);
  for (const std::string& term : bigrams ? with_bigrams(terms) : terms) {
    auto& list = postings_[term];
    if (!list.empty() && list.back().table == table && list.back().column == column) {
      list.back().weight += weight;
    } else {
      list.push_back({table, column, weight});
    }
  }
}

void table_index::add_edges() {
  const auto& tables = database_->tables;
  edges_.resize(tables.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    for (std::uint32_t k = 0; k < tables[t].foreign_keys.size(); ++k) {
      const catalog::foreign_key& foreign = tables[t].foreign_keys[k];
      const auto to = database_->table_index(foreign.schema, foreign.table);
      if (!to || *to == t) continue;
      const auto target = static_cast<std::uint32_t>(*to);
      const auto number = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back({t, target, k});
      edges_[t].push_back({target, number});
      edges_[target].push_back({t, number});
    }
  }
  std::vector<std::uint32_t> by_name(tables.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::sort(by_name.begin(), by_name.end(),
            [&](auto a, auto b) { return tables[a].full_name() < tables[b].full_name(); });
  name_order_.resize(tables.size());
  for (std::uint32_t i = 0; i < by_name.size(); ++i) name_order_[by_name[i]] = i;
  // Facts refer to several things, and to more than refer to them.
  std::vector<std::uint32_t> out(tables.size(), 0), in(tables.size(), 0);
  for (const key& k : keys_) ++out[k.owner], ++in[k.target];
  for (std::size_t t = 0; t < tables.size(); ++t) facts_[t] = facts_[t] || (out[t] >= 2 && out[t] > in[t]);
}

// A key joins two tables only where the principal may use all its columns on both sides.
bool table_index::usable(const key& k, const table_scope& scope) const {
  const catalog::table& owner = database_->tables[k.owner];
  const catalog::table& target = database_->tables[k.target];
  if (!scope.sees(k.owner) || !scope.sees(k.target)) return false;
  const catalog::foreign_key& foreign = owner.foreign_keys[k.position];
  for (const std::string& name : foreign.columns) {
    const auto c = owner.column_index(name);
    if (!c || !scope.sees(k.owner, *c)) return false;
  }
  for (const std::string& name : foreign.referenced_columns) {
    const auto c = target.column_index(name);
    if (!c || !scope.sees(k.target, *c)) return false;
  }
  return true;
}

table_scope table_index::scope(const visibility& visible) const {
  table_scope out;
  for (const catalog::table& table : database_->tables) {
    out.first_.push_back(static_cast<std::uint32_t>(out.columns_.size()));
    bool any = false;
    for (const catalog::column& column : table.columns) {
      const column_right right = visible(table, column);
      any = any || right == column_right::visible;
      out.columns_.push_back(right != column_right::hidden);
      out.rights_.push_back(right);
    }
    out.tables_.push_back(any);
  }
  for (const key& k : keys_) out.keys_.push_back(usable(k, out));
  for (const auto& gate : gates_)
    out.gates_.push_back(std::all_of(gate.begin(), gate.end(), [&](const auto& needed) {
      return out.sees(needed.first) && out.right(needed.first, needed.second) == column_right::visible;
    }));
  return out;
}

std::vector<ranked_table> table_index::rank(std::string_view question, const table_scope& scope,
                                            const select_options& options) const {
  std::vector<ranked_table> out = scored(question, scope, options);
  std::sort(out.begin(), out.end(), better());
  return out;
}

std::function<bool(const ranked_table&, const ranked_table&)> table_index::better() const {
  return [this](const ranked_table& a, const ranked_table& b) {
    if (a.by_alias != b.by_alias) return a.by_alias;
    if (a.score != b.score) return a.score > b.score;
    return name_order_[a.table] < name_order_[b.table];
  };
}

std::set<std::string> table_index::known_terms(std::string_view question, const table_scope& scope) const {
  const auto terms = terms_of(question);
  const auto posted = [&](const std::string& term) {
    const auto found = postings_.find(term);
    return found != postings_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                   [&](const posting& p) { return counts(p.table, p.column, scope); });
  };
  std::set<std::string> out;
  for (const std::string& term : terms) {
    if (is_stop_word(term)) continue;
    const auto others = synonyms_.find(term);
    if (posted(term) ||
        (others != synonyms_.end() && std::any_of(others->second.begin(), others->second.end(), posted)))
      out.insert(term);
  }
  // Words of a phrase that names a table count though none of them stands in a name.
  for (std::size_t at = 0; at < terms.size(); ++at)
    if (const auto found = aliases_.find(terms[at]); found != aliases_.end())
      for (const alias_entry& e : found->second)
        if (counts(e.table, e.gate, scope) && at + e.terms.size() <= terms.size() &&
            std::equal(e.terms.begin(), e.terms.end(), terms.begin() + static_cast<std::ptrdiff_t>(at)))
          for (const std::string& term : e.terms)
            if (!is_stop_word(term)) out.insert(term);
  return out;
}

std::vector<ranked_table> table_index::scored(std::string_view question, const table_scope& scope,
                                              const select_options& options) const {
  const std::size_t count = database_->tables.size();
  const auto terms = terms_of(question);
  std::vector<double> score(count, 0);
  std::vector<bool> by_alias(count, false);

  // First tier: phrases that name a table, the longest at each place.
  for (std::size_t at = 0; at < terms.size();) {
    std::size_t longest = 0;
    if (auto found = aliases_.find(terms[at]); found != aliases_.end()) {
      auto stands_here = [&](const alias_entry& e) {
        return counts(e.table, e.gate, scope) && at + e.terms.size() <= terms.size() &&
               std::equal(e.terms.begin(), e.terms.end(), terms.begin() + static_cast<std::ptrdiff_t>(at));
      };
      for (const alias_entry& e : found->second)
        if (stands_here(e)) longest = std::max(longest, e.terms.size());
      for (const alias_entry& e : found->second)
        if (e.terms.size() == longest && stands_here(e)) by_alias[e.table] = true;
    }
    at += std::max<std::size_t>(longest, 1);
  }

  // Second tier: words, with what they also mean.
  std::unordered_map<std::string, double> asked;
  auto ask = [&](const std::string& term, double weight) {
    double& w = asked[term];
    w = std::max(w, weight);
  };
  for (const std::string& term : with_bigrams(terms)) {
    const bool bigram = term.find(' ') != std::string::npos;
    if (!bigram && is_stop_word(term)) continue;
    ask(term, bigram ? weight_bigram : 1.0);
    if (auto found = synonyms_.find(term); found != synonyms_.end())
      for (const std::string& other : found->second) ask(other, weight_synonym);
  }
  std::vector<const std::pair<const std::string, double>*> ordered;  // sums must not depend on a hash's order
  for (const auto& entry : asked) ordered.push_back(&entry);
  std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->first < b->first; });
  std::vector<float> frequency(count, 0);
  std::vector<std::uint32_t> touched;
  for (const auto* entry : ordered) {
    const auto found = postings_.find(entry->first);
    if (found == postings_.end()) continue;
    touched.clear();
    for (const posting& p : found->second) {
      if (!counts(p.table, p.column, scope)) continue;
      if (frequency[p.table] == 0) touched.push_back(p.table);
      frequency[p.table] += p.weight;
    }
    const double idf = std::log(1.0 + static_cast<double>(count) / tables_with_.at(entry->first));
    for (std::uint32_t t : touched) {
      const double tf = frequency[t];
      score[t] += entry->second * idf * tf * (saturation + 1) / (tf + saturation);
      frequency[t] = 0;
    }
  }

  // Embeddings, where there are any, on the scale of the words.
  if (options.question_vector != nullptr && !vectors_.empty()) {
    const double best = std::max(1.0, *std::max_element(score.begin(), score.end()));
    // The tables' vectors are of length one.
    const std::vector<float>& asked_vector = *options.question_vector;
    const double length =
        std::sqrt(std::inner_product(asked_vector.begin(), asked_vector.end(), asked_vector.begin(), 0.0f));
    for (std::size_t t = 0; t < count && length > 0; ++t)
      if (scope.sees(t) && vectors_[t].size() == asked_vector.size())
        score[t] +=
            best *
            std::max(0.0,
                     std::inner_product(asked_vector.begin(), asked_vector.end(), vectors_[t].begin(), 0.0f) / length);
  }

  std::vector<ranked_table> out;
  for (std::size_t t = 0; t < count; ++t)
    if (by_alias[t] || score[t] > 0) out.push_back({t, score[t], by_alias[t], false});
  return out;
}

std::vector<ranked_table> table_index::select(std::string_view question, const table_scope& scope,
                                              const select_options& options) const {
  std::vector<ranked_table> taken = scored(question, scope, options);
  std::vector<double> scores(database_->tables.size(), 0);
  for (const ranked_table& r : taken) scores[r.table] = r.score;
  // Thousands may have a score; few are taken.
  const std::size_t most = std::min<std::size_t>(taken.size(), options.top_k);
  std::partial_sort(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(most), taken.end(), better());
  taken.resize(most);
  add_bridges(taken, scores, scope, options);
  return taken;
}

std::vector<ranked_table> table_index::best(std::string_view question, const table_scope& scope, std::size_t limit,
                                            bool facts) const {
  std::vector<ranked_table> out = scored(question, scope, {});
  std::erase_if(out, [&](const ranked_table& r) { return facts_[r.table] != facts; });
  std::sort(out.begin(), out.end(), better());
  if (out.size() > limit) out.resize(limit);
  return out;
}

std::vector<ranked_table> table_index::entities(std::string_view question, const table_scope& scope,
                                                std::size_t limit) const {
  return best(question, scope, limit, false);
}

std::vector<ranked_table> table_index::facts(std::string_view question, const table_scope& scope,
                                             std::size_t limit) const {
  return best(question, scope, limit, true);
}

std::vector<std::string> table_index::relationships(const std::vector<std::size_t>& tables,
                                                    const table_scope& scope) const {
  std::vector<std::string> out;
  const auto taken = [&](std::size_t t) { return std::find(tables.begin(), tables.end(), t) != tables.end(); };
  for (const std::size_t t : tables) {
    // Each key stands at its owner, beside the owner's first edge to it.
    for (const edge& e : edges_[t]) {
      const key& k = keys_[e.key];
      if (k.owner != t || !scope.keys_[e.key] || !taken(k.target)) continue;
      const catalog::table& owner = database_->tables[k.owner];
      const catalog::foreign_key& foreign = owner.foreign_keys[k.position];
      std::string condition;
      for (std::size_t c = 0; c < std::min(foreign.columns.size(), foreign.referenced_columns.size()); ++c)
        condition += (condition.empty() ? "" : " AND ") + owner.full_name() + "." + foreign.columns[c] + " = " +
                     database_->tables[k.target].full_name() + "." + foreign.referenced_columns[c];
      out.push_back(std::move(condition));
    }
  }
  return out;
}

namespace {

// A way through the graph towards a table that is already taken.
struct step {
  std::uint32_t depth = std::numeric_limits<std::uint32_t>::max();
  double score = 0;  // of the tables in between
  std::uint32_t from = 0;
};

}  // namespace

void table_index::add_bridges(std::vector<ranked_table>& taken, const std::vector<double>& scores,
                              const table_scope& scope, const select_options& options) const {
  constexpr std::uint32_t none = no_column;
  const std::size_t count = edges_.size();
  std::vector<std::uint32_t> group(count, none);  // table → its connected group of taken tables
  std::vector<std::uint32_t> members;             // those that have one
  auto join_group = [&](std::uint32_t table, std::uint32_t g) {
    group[table] = g;
    members.push_back(table);
  };
  for (std::uint32_t i = 0; i < taken.size(); ++i) join_group(static_cast<std::uint32_t>(taken[i].table), i);
  auto merge = [&](std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t table : members)
      if (group[table] == std::max(a, b)) group[table] = std::min(a, b);
  };
  auto connect_neighbours = [&](std::uint32_t table) {
    for (const edge& e : edges_[table])
      if (group[e.to] != none && scope.keys_[e.key] && group[e.to] != group[table]) merge(group[e.to], group[table]);
  };
  for (std::size_t i = 0; i < taken.size(); ++i) connect_neighbours(static_cast<std::uint32_t>(taken[i].table));

  const std::size_t named = taken.size();
  unsigned bridges = 0;
  for (std::size_t i = 1; i < named && bridges < options.bridges_max; ++i) {
    const std::uint32_t mine = group[static_cast<std::uint32_t>(taken[i].table)];
    if (mine == 0) continue;
    // Breadth first from the whole group; among paths of one length the one whose tables scored most, then by name.
    std::vector<step> reached(count);
    std::vector<std::uint32_t> layer;
    for (std::uint32_t table : members)
      if (group[table] == mine) reached[table] = {0, 0, table}, layer.push_back(table);
    auto by_name = [&](std::uint32_t a, std::uint32_t b) { return name_order_[a] < name_order_[b]; };
    std::sort(layer.begin(), layer.end(), by_name);
    std::uint32_t end = no_column;
    for (std::uint32_t depth = 1; depth <= options.hops_max && end == no_column && !layer.empty(); ++depth) {
      std::vector<std::uint32_t> following;
      for (std::uint32_t table : layer) {
        for (const edge& e : edges_[table]) {
          if (!scope.keys_[e.key]) continue;
          step& s = reached[e.to];
          const double through = reached[table].score + (group[table] != none ? 0 : scores[table]);
          if (s.depth < depth) continue;
          if (s.depth > depth) {
            s = {depth, through, table};
            following.push_back(e.to);
          } else if (through > s.score || (through == s.score && by_name(table, s.from))) {
            s = {depth, through, table};
          }
        }
      }
      std::sort(following.begin(), following.end(), by_name);
      for (std::uint32_t table : following) {
        if (group[table] == none || group[table] == mine) continue;
        if (end == no_column || reached[table].score > reached[end].score) end = table;
      }
      layer = std::move(following);
    }
    if (end == no_column || bridges + reached[end].depth - 1 > options.bridges_max) continue;
    merge(group[end], mine);
    for (std::uint32_t at = reached[end].from; reached[at].depth > 0; at = reached[at].from) {
      taken.push_back({at, scores[at], false, true});
      join_group(at, group[end]);
      ++bridges;
      connect_neighbours(at);
    }
  }
}

// ---- embeddings -----------------------------------------------------------------------------------------------------

std::vector<std::string> table_index::embedding_texts(const table_scope& scope) const {
  std::vector<std::string> out;
  for (std::size_t t = 0; t < database_->tables.size(); ++t) {
    const catalog::table& table = database_->tables[t];
    std::string text;
    if (scope.sees(t)) {
      text = table.full_name() + ": " + table.description + " Columns:";
      for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (scope.right(t, c) == column_right::visible) text += " " + table.columns[c].name;
    }
    out.push_back(std::move(text));
  }
  return out;
}

double table_index::similarity(const std::vector<float>& a, const std::vector<float>& b) noexcept {
  if (a.size() != b.size() || a.empty()) return 0;
  double product = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return aa > 0 && bb > 0 ? product / std::sqrt(aa * bb) : 0;
}

std::shared_ptr<const table_index> table_index::with_vectors(std::vector<std::vector<float>> per_table) const {
  auto out = std::make_shared<table_index>(*this);
  per_table.resize(database_->tables.size());
  for (std::vector<float>& v : per_table) {
    const float length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0f));
    for (float& x : v) x = length > 0 ? x / length : 0;
  }
  out->vectors_ = std::move(per_table);
  return out;
}

}  // namespace dragoman::retrieval
