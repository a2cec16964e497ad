// What is shown: counts, figures, columns, things; and for each of what.

#include <algorithm>

#include "nlq/entity_frame.h"

namespace dragoman::nlq {
namespace {

template <class T>
bool among_shown(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

// "the total cost by ward" asks for each ward; "treated by doctors" does not.
void entity_reader::take_by() {
  // "above the average age" is a condition, no figure that is asked for: take_comparisons has used it.
  const bool figures = std::any_of(m_.begin(), m_.end(), [](const word_mark& m) {
    return !m.used && (m.is(word_kind::how_many) || m.is(word_kind::aggregate));
  });
  for (index i = 1; i + 1 < m_.size() && figures; ++i) {
    if (m_[i].used || !m_[i].is(word_kind::in) || m_[i].raw != "by") continue;
    const index j = next(i);
    const index before = previous(i);
    if (j == nowhere || before == nowhere || !m_[j].noun()) continue;
    if (m_[before].is(word_kind::relation) ||
        (m_[before].is(word_kind::none) && !m_[before].noun() && !m_[before].hints.empty()))
      continue;
    if (!m_[before].noun() && m_[before].values.empty() && m_[before].number.empty()) continue;
    if (m_[j].raw.ends_with("s") && singular(m_[j].raw) != m_[j].raw)
      fail("it is not clear whether each of these is meant", j);
    m_[i].kind = word_kind::each;
  }
}

void entity_reader::take_groups() {
  take_by();
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::each)) continue;
    const index j = next_noun(i);
    if (j == nowhere) {
      // "in each", "each one" behind what was named already
      use(i);
      continue;
    }
    use(i);
    if (is_entity(j)) {
      const int e = m_[j].entities.front();
      // "for each pet type"
      if (j + 1 < m_.size() && is_field(j + 1) && !m_[j + 1].break_before && has_field(e, j + 1) && !m_[j + 1].used) {
        f_.group_fields.push_back(*field_in(e, j + 1));
        use(j + 1);
      } else if (!among_shown(f_.group_entities, e)) {
        f_.group_entities.push_back(e);
      }
      use(j);
    } else {
      const field_ref f = resolve(j, false);
      if (!among_shown(f_.group_fields, f)) f_.group_fields.push_back(f);
      use(j);
      // "each type of pet"
      const index o = j + 1;
      if (o + 1 < m_.size() && m_[o].is(word_kind::of) && m_[o + 1].entities == std::vector<int>{f.entity}) use(o + 1);
    }
  }
}

void entity_reader::take_counts() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::how_many)) continue;
    if (scope_[i] != 0) fail("a count inside a condition", i);
    bool different = false;
    index j = next(i);
    while (j != nowhere && !m_[j].noun()) {
      if (m_[j].is(word_kind::distinct)) {
        different = true;
        use(j);
      } else if (!m_[j].values.empty() || m_[j].quoted || !m_[j].number.empty()) {
        // "the number of United Airlines flights"
      } else if (!m_[j].is(word_kind::of) && !m_[j].is(word_kind::which) && !m_[j].is(word_kind::each) &&
                 m_[j].hints.empty()) {
        j = nowhere;
        break;
      }
      j = next(j);
    }
    if (j == nowhere) {
      // "… and the number", "… how many does it have": of what is counted already.
      int counted = counted_order_ && common_ == nowhere ? f_.order.front().by.entity : -1;
      for (const entity_output& o : f_.outputs) {
        if (o.kind == entity_output::what::count) counted = o.entity;
      }
      if (counted < 0) fail("it is not clear what is counted", i);
      use(i);
      entity_output again;
      again.kind = entity_output::what::count;
      again.entity = counted;
      again.mark = i;
      add_output(again);
      continue;
    }
    use(i);
    entity_output o;
    o.mark = j;
    // "different store locations" are the column's, "different stores" the things.
    if (is_entity(j) && different && j + 1 < m_.size() && is_field(j + 1) && has_field(m_[j].entities.front(), j + 1) &&
        !m_[j + 1].break_before) {
      use(j);
      ++j;
      o.mark = j;
    }
    if (is_entity(j)) {
      if (const index a = next(j);
          different && a != nowhere && m_[a].is(word_kind::and_) && next(a) != nowhere && m_[next(a)].noun())
        fail("it is not clear what is counted", i);
      // "patients and doctors": two counts, not those of one that have the other.
      if (const index a = next(j); a != nowhere && m_[a].is(word_kind::and_)) {
        const index n = next(a);
        if (n != nowhere && is_entity(n) && m_[n].entities.front() != m_[j].entities.front())
          fail("counts of several things", n);
      }
      o.kind = entity_output::what::count;
      o.entity = m_[j].entities.front();
      use(j);
      add_output(o);
      continue;
    }
    o.field = resolve(j, false);
    use(j);
    if (number_like(o.field) && !different) {
      // Of one row the column holds the number itself; of many, only their sum is one.
      const bool of_rows = !f_.order.empty() || !ranked_.empty();
      bool own = false;
      for (const word_mark& other : m_) own = own || other.entities == std::vector<int>{o.field.entity};
      for (const entity_condition& c : f_.conditions)
        own = own || (c.field.entity == o.field.entity && c.op == "=" &&
                      (field(c.field).kind == field_kind::name || field(c.field).kind == field_kind::key));
      const bool others =
          std::any_of(f_.group_entities.begin(), f_.group_entities.end(), [&](int e) { return e != o.field.entity; }) ||
          !f_.group_fields.empty();
      if (!of_rows && (others || !own)) {
        if (!field(o.field).additive) fail("this has no total", j);
        o.kind = entity_output::what::aggregate;
        o.aggregate = "SUM";
      }
      add_output(o);
      continue;
    }
    o.kind = entity_output::what::count_distinct;
    add_output(o);
    for (index k = next(j); different && k != nowhere && m_[k].is(word_kind::and_); k = next(k)) {
      const index n = next(k);
      if (n == nowhere || !is_field(n)) break;
      o.field = resolve(n, false);
      o.mark = n;
      use(k);
      use(n);
      add_output(o);
    }
  }
}

void entity_reader::take_aggregates() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is(word_kind::aggregate)) continue;
    if (scope_[i] != 0) fail("an aggregate inside a condition", i);
    std::vector<index> run{i};
    index j = i + 1;
    for (; j < m_.size(); ++j) {
      if (skip(j) || m_[j].is(word_kind::and_) || m_[j].is(word_kind::of) || m_[j].is(word_kind::how_many)) continue;
      if (m_[j].is(word_kind::aggregate) || (m_[j].is(word_kind::superlative) && m_[j].heads.empty())) {
        run.push_back(j);
        continue;
      }
      break;
    }
    // "the average student age"
    if (j + 1 < m_.size() && is_entity(j) && is_field(j + 1) && has_field(m_[j].entities.front(), j + 1)) {
      use(j);
      ++j;
    }
    if (j >= m_.size() || m_[j].used || !is_field(j)) fail("it is not clear of what", i);
    const field_ref f = resolve(j, false);
    use(j);
    for (const index a : run) {
      entity_output o;
      o.kind = entity_output::what::aggregate;
      o.aggregate = m_[a].is(word_kind::superlative) ? (m_[a].text == "DESC" ? "MAX" : "MIN") : m_[a].text;
      o.field = f;
      o.mark = j;
      if ((o.aggregate == "AVG" || o.aggregate == "SUM") && field(f).kind != field_kind::number)
        fail("this has no average and no total", j);
      if (field(f).kind != field_kind::number && field(f).kind != field_kind::year && field(f).kind != field_kind::date)
        fail("this has no smallest and no largest", j);
      use(a);
      add_output(o);
    }
    for (index k = i; k < j; ++k) {
      if (m_[k].is(word_kind::how_many) || m_[k].is(word_kind::of)) use(k);
    }
  }
}

void entity_reader::take_outputs() {
  bool columns = false, clause = false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].is(word_kind::with)) clause = true;
    if (m_[i].is(word_kind::which)) {
      const index before = previous(i);
      if (m_[i].break_before || (m_[i].raw != "which" && m_[i].raw != "what") ||
          (before != nowhere && m_[before].is(word_kind::and_)))
        clause = false;
    }
    if (m_[i].is(word_kind::measure) && !m_[i].used) {
      // "how old is the youngest student"
      const index joined = previous(i);
      if (m_[i].heads.front() == "@date" && joined != nowhere && !m_[joined].is(word_kind::and_) && !m_[i].break_before)
        fail("it is not clear what this date belongs to", i);
      const index j = next_noun(i);
      const int e = j != nowhere && is_entity(j) ? m_[j].entities.front() : f_.subject;
      auto f = e < 0                            ? std::nullopt
               : m_[i].heads.front() == "@date" ? date_field(e, nowhere)
                                                : by_heads_reached(m_[i].heads, e);
      if (!f) fail("there is no column that answers this", i);
      entity_output o;
      o.field = *f;
      o.mark = i;
      use(i);
      add_output(o);
      columns = true;
    }
    if (m_[i].used || !is_field(i) || scope_[i] != 0) continue;
    if (static_cast<index>(i) == common_) continue;
    entity_output o;
    o.field = resolve(i, false);
    o.mark = i;
    use(i);
    // A column in a clause is a condition of which the other half was not understood.
    if (clause) fail("a condition without a value", i);
    // A name may take several columns.
    std::vector<field_ref> all;
    for (const field_ref& f : m_[i].fields) {
      if (f.entity == o.field.entity) all.push_back(f);
    }
    if (all.size() > 1) {
      const auto& display = thing(o.field.entity).display;
      for (const field_ref& f : all) {
        if (!among_shown(display, field(f).column)) fail("several columns are called so", i);
        o.field = f;
        add_output(o);
      }
      columns = true;
      continue;
    }
    add_output(o);
    columns = true;
  }
  // A ranked column beside others is shown and ranks; alone it is the largest or smallest itself.
  if (ranked_.size() > 1 || (!ranked_.empty() && !f_.order.empty())) {
    if (columns || !f_.order.empty()) fail("two rankings are asked for", ranked_.front().mark);
    for (entity_output& o : ranked_) add_output(std::move(o));
  } else if (ranked_.size() == 1) {
    const bool grouped = !f_.group_fields.empty() || !f_.group_entities.empty();
    if (!columns || grouped) {
      add_output(ranked_.front());
    } else {
      entity_order order;
      order.by.field = ranked_.front().field;
      order.by.mark = ranked_.front().mark;
      order.descending = ranked_down_.front();
      f_.order.push_back(order);
      f_.limit = 1;
      entity_output shown;
      shown.field = order.by.field;
      shown.mark = order.by.mark;
      // "the model with …" shows no figure, "the largest horsepower and the make" does.
      bool leads = true;
      for (const entity_output& o : f_.outputs) leads = leads && o.mark > order.by.mark;
      if (leads) add_output(shown);
    }
  }
}

// Things that were named beside the subject: shown when they stand in the list of what is asked for, otherwise the
// subject must have one.
void entity_reader::take_relations() {
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !is_entity(i)) continue;
    const int e = m_[i].entities.front();
    if (!among_shown(f_.mentioned, e)) f_.mentioned.push_back(e);
    if (scope_[i] != 0 || e == f_.subject) {
      use(i);
      // "the ids and makers of all car makers": the thing's own name, among what is asked for.
      const index joined = previous(i);
      const bool again = std::any_of(m_.begin() + static_cast<std::ptrdiff_t>(i) + 1, m_.end(),
                                     [&](const word_mark& o) { return o.entities == m_[i].entities; });
      if (scope_[i] == 0 && again && joined != nowhere && m_[joined].is(word_kind::and_) && !f_.outputs.empty() &&
          i + 1 < m_.size() && !is_field(i + 1)) {
        for (std::size_t k = 0; k < thing(e).fields.size(); ++k) {
          if (thing(e).display.size() != 1 || thing(e).fields[k].column != thing(e).display.front()) continue;
          entity_output o;
          o.field = {e, static_cast<int>(k)};
          o.mark = i;
          add_output(o);
        }
      }
      continue;
    }
    bool clause = false;
    for (index k = 0; k < i; ++k) clause = clause || m_[k].is(word_kind::with);
    const index before = previous(i);
    const index lead = before != nowhere && m_[before].is(word_kind::which) ? previous(before) : before;
    const bool listed = before != nowhere && lead != nowhere && m_[lead].is(word_kind::and_) && !clause &&
                        !f_.outputs.empty() && f_.outputs.back().kind == entity_output::what::column;
    use(i);
    if (!listed && !clause && before != nowhere && m_[before].is(word_kind::and_))
      fail("it is not clear how these belong together", i);
    if (listed) {
      for (const std::string& column : thing(e).display) {
        entity_output o;
        for (std::size_t k = 0; k < thing(e).fields.size(); ++k)
          if (thing(e).fields[k].column == column) o.field = {e, static_cast<int>(k)};
        if (o.field.entity < 0) fail("this cannot be shown", i);
        o.mark = i;
        add_output(o);
      }
      continue;
    }
    // "who take all courses" asks for every one of them, not for one.
    for (index k = i; clause && k-- > 0 && skip(k);) {
      if (m_[k].raw == "all") fail("every one of several", k);
    }
    f_.related.emplace_back(e, i);
  }
  // Whatever is counted: the subject was spoken of and must be part of it.
  if (f_.subject >= 0) f_.related.emplace_back(f_.subject, 0);
  for (const word_mark& m : m_) {
    for (const int e : m.entities) {
      if (!among_shown(f_.mentioned, e)) f_.mentioned.push_back(e);
    }
    for (const field_ref& h : m.hints) {
      if (h.field < 0 && !among_shown(f_.mentioned, h.entity)) f_.mentioned.push_back(h.entity);
    }
  }
}

void entity_reader::settle_groups() {
  auto display = [&](int e) {
    for (const std::string& column : thing(e).display) {
      for (std::size_t k = 0; k < thing(e).fields.size(); ++k) {
        if (thing(e).fields[k].column != column) continue;
        entity_output o;
        o.field = {e, static_cast<int>(k)};
        add_output(o);
      }
    }
    if (thing(e).display.empty()) fail("it has no name to show");
  };
  if (common_ != nowhere) {
    const field_ref f = resolve(common_, false);
    use(common_);
    f_.group_fields.push_back(f);
    entity_output o;
    o.field = f;
    add_output(o);
    f_.order.front().by.entity = f.entity;
  }
  auto figures = [&] {
    return std::any_of(f_.outputs.begin(), f_.outputs.end(),
                       [](const entity_output& o) { return o.kind != entity_output::what::column; });
  };
  auto columns = [&] {
    return std::any_of(f_.outputs.begin(), f_.outputs.end(),
                       [](const entity_output& o) { return o.kind == entity_output::what::column; });
  };
  if (counted_order_ && common_ == nowhere) {
    const int counted = f_.order.front().by.entity;
    if (!columns()) {
      if (f_.subject < 0 || f_.subject == counted) fail("it is not clear who has them", f_.order.front().by.mark);
      display(f_.subject);
    }
  }
  if (!figures() && !counted_order_) {
    // "each" without a figure says no more than "every"; of other things than the subject it asks for all of them.
    for (const int e : f_.group_entities) {
      const bool shown = std::any_of(f_.outputs.begin(), f_.outputs.end(),
                                     [&](const entity_output& o) { return o.field.entity == e; });
      if (e != f_.subject && !shown) fail("each of several");
      if (!columns() && f_.thresholds.empty()) display(e);
    }
    for (const field_ref& f : f_.group_fields) {
      if (common_ == nowhere && f_.subject >= 0 && f.entity != f_.subject) fail("each of several");
      entity_output o;
      o.field = f;
      if (common_ == nowhere) add_output(o);
    }
    if (common_ == nowhere) {
      f_.group_entities.clear();
      f_.group_fields.clear();
    }
    if (f_.outputs.empty()) {
      if (f_.subject < 0) fail("it is not clear what is asked for");
      display(f_.subject);
    }
    return;
  }
  // Figures beside columns: a figure for each of them.
  int measured = -1;
  if (counted_order_) measured = f_.order.front().by.entity;
  for (const entity_output& o : f_.outputs) {
    if (o.kind == entity_output::what::column) continue;
    const int e = o.kind == entity_output::what::count ? o.entity : o.field.entity;
    if (measured >= 0 && measured != e) fail("figures of several things");
    measured = e;
  }
  for (const field_ref& f : f_.group_fields) {
    entity_output o;
    o.field = f;
    add_output(o);
  }
  for (const int e : f_.group_entities) {
    const bool shown = std::any_of(f_.outputs.begin(), f_.outputs.end(), [&](const entity_output& o) {
      return o.kind == entity_output::what::column && o.field.entity == e;
    });
    if (!shown) {
      if (e == measured) fail("each of what is counted");
      display(e);
    }
  }
  if (common_ != nowhere) return;
  const bool explicit_group = !f_.group_fields.empty() || !f_.group_entities.empty();
  for (const entity_output& o : f_.outputs) {
    if (o.kind != entity_output::what::column) continue;
    if (among_shown(f_.group_fields, o.field)) continue;
    if (!explicit_group && o.field.entity == measured && number_like(o.field) && !counted_order_ &&
        field(o.field).kind == field_kind::number) {
      // "the average age and weight": of the second nothing is said.
      const bool extreme = std::any_of(f_.outputs.begin(), f_.outputs.end(), [](const entity_output& x) {
        return x.aggregate == "MAX" || x.aggregate == "MIN";
      });
      (void)extreme;
      fail("it is not clear whether this is a figure or a group", o.mark);
    }
    if (explicit_group && !among_shown(f_.group_entities, o.field.entity)) {
      // "the average weight and year for each year" names the group itself; anything else would be one more group.
      if (o.field.entity == measured && !among_shown(f_.group_fields, o.field))
        fail("more groups than \"each\" names", o.mark);
    }
    // Of a thing that was named, each is a group; of a column alone, each of its values.
    if (o.field.entity == measured || !among_shown(f_.mentioned, o.field.entity)) {
      if (!among_shown(f_.group_fields, o.field)) f_.group_fields.push_back(o.field);
    } else if (!among_shown(f_.group_entities, o.field.entity)) {
      f_.group_entities.push_back(o.field.entity);
    }
  }
}

}  // namespace dragoman::nlq
