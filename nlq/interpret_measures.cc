// What is measured and what is ranked by it.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

// "The worst by cancellation rate" are those with the highest one; "lowest" and "highest" speak of the figure itself.
bool interpreter::judges(std::string words) {
  static const std::set<std::string> judging{
      "best", "worst", "بهترین", "بدترین", "برترین", "برتر", "ضعیف‌ترین"};
  for (char& c : words) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return judging.contains(words);
}

void interpreter::aggregate_frame() {
  q_.shape = query_shape::aggregate;
  if (average_frame()) {
    if (out_.ask) return;
  }
  take_ranking();
  if (out_.ask) return;
  take_row_conditions();
  take_metrics();
  if (out_.ask || conditioned_members()) return;
  // "list the new customers": a count of members where the members were asked for.
  if (q_.metrics.size() == 1 && !q_.top && (any(gram::list) || any(gram::which)) && !layer_.details.empty() &&
      !metric_marks_.empty() && !counting(metric_marks_[0].first)) {
    const metric* x = layer_.find_metric(q_.metrics[0].metric);
    const bool grouped = std::any_of(m_.begin(), m_.end(), [](const mark& m) {
      return !m.used && m.filter < 0 && (m.dimension >= 0 || m.is_grain());
    });
    if (x != nullptr && x->base != layer_.details.front().role && x->unit == measure_unit::count && !grouped) {
      std::vector<clarify_option> options;
      for (const mark& m : m_) {
        if (!m.is(gram::list) && !m.is(gram::which)) continue;
        const std::string number = replaced(m, say("number of", "تعداد"));
        options.push_back({0, say("their number", "تعدادشان"), number, ""});
        options.push_back(
            {0, say("their number by month", "تعدادشان در هر ماه"), number + say(" by month", " به تفکیک ماه"), ""});
        break;
      }
      ask(say("Only their number can be told by that date; is it the number you mean?",
              "بر پایه این تاریخ تنها تعدادشان گفته می‌شود؛ تعداد؟"),
          std::move(options));
      return;
    }
  }
  take_ratio();
  take_windows();
  take_share();
  take_groups();
  if (out_.ask) return;
  take_comparison();
  if (out_.ask) return;
  take_conditions();
  spread_values();
  take_filters();
  take_periods();
  if (out_.ask) return;
  find_units();
  if (q_.metrics.empty() && q_.median_attribute.empty()) {
    if (q_.top || q_.share != share_kind::none || q_.window == window_kind::rank) {
      add_metric(layer_.default_metric);
      const metric* x = layer_.find_metric(layer_.default_metric);
      if (x != nullptr)
        assume(fa() ? "شاخصی نام برده نشد: " + x->label.fa : "no measure was named: " + x->label.en, 0.1);
    } else {
      std::vector<clarify_option> options;
      for (const metric& x : layer_.metrics) {
        if (options.size() >= 5 || x.unit == measure_unit::none) continue;
        clarify_option o;
        o.label = x.label.in(lang_);
        std::string rest;
        for (const token& t : read_.words) rest += " " + t.raw;
        o.value = o.label + rest;
        o.description = x.definition.in(lang_);
        options.push_back(std::move(o));
      }
      ask(say("Which measure do you mean?", "کدام شاخص منظور است؟"), std::move(options));
    }
  }
}

// "sales of customers who bought cement": a condition on the members beside a measure of its own. It is not the measure
// of those purchases, and nothing here can say it, so its verb stays unaccounted for.
bool interpreter::conditioned_members() {
  const bool noun = std::any_of(metric_marks_.begin(), metric_marks_.end(), [&](const auto& x) {
    return m_[x.first].metric >= 0 && m_[x.first].dimension < 0 && !m_[x.first].is(gram::top) &&
           !m_[x.first].is(gram::bottom);
  });
  if (!noun) return false;
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].filter >= 0 || m_[i].dimension < 0 || !dim(m_[i].dimension).entity) continue;
    const index that = next(i);
    if (that == nowhere || !m_[that].is(gram::that)) continue;
    for (index k = that + 1; k < m_.size(); ++k) {
      if (m_[k].filter >= 0 || m_[k].metric >= 0 || m_[k].detail >= 0) continue;
      if (m_[k].verb < 0 && m_[k].event < 0 && m_[k].negated_event < 0) continue;
      // With a quantity of its own ("who bought more than …") it is the measure.
      if (!amounts_.empty() || any(gram::more) || any(gram::less) || q_.top) continue;
      out_.leftover.push_back(m_[k].words);
      return true;
    }
  }
  return false;
}

// "top 5 customers", "which hall has the most …", "۳ مشتری برتر هر تالار": what is ranked, how many, in each of what.
void interpreter::take_ranking() {
  index t = nowhere;
  bool descending = true;
  for (index i = 0; i < m_.size() && t == nowhere; ++i) {
    if (m_[i].used || m_[i].filter >= 0) continue;
    if (m_[i].is(gram::top)) t = i;
    if (m_[i].is(gram::bottom)) {
      t = i;
      descending = false;
    }
  }
  auto grouped_by_word = [&](index i) {
    index p = previous(i);
    return p != nowhere && (m_[p].is(gram::each) || m_[p].is(gram::breakdown) || m_[p].is(gram::by));
  };
  // "ten first customers", "ده مشتری اول"
  if (t == nowhere) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].used || !m_[i].is(gram::first)) continue;
      index p = previous(i), n = next(i);
      if (n != nowhere && m_[n].is(gram::and_)) continue;  // "first and last"
      // "the first 10 days of …" are a time, not the best ones.
      index after = n;
      while (after != nowhere && !m_[after].number.empty()) after = next(after);
      if ((after != nowhere && m_[after].is_grain()) || (p != nowhere && m_[p].is_grain())) continue;
      bool beside = (p != nowhere && is_subject(p)) || (n != nowhere && (is_subject(n) || !m_[n].number.empty()));
      if (beside) t = i;
    }
  }
  if (t == nowhere) return;

  std::vector<index> subjects;
  for (index i = 0; i < m_.size(); ++i) {
    if (is_subject(i) && !(counting(i) && m_[i].dimension >= 0)) subjects.push_back(i);
  }
  std::vector<index> plain;
  for (index i : subjects) {
    if (!grouped_by_word(i)) plain.push_back(i);
  }
  // "lowest and highest price … in each year": no member is ranked, the measure itself has an extreme.
  if (plain.empty()) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].used || m_[i].filter >= 0 || m_[i].metric < 0) continue;
      const metric& x = met(m_[i].metric);
      if (!x.minimum || !x.maximum) continue;
      bool taken = false;
      for (index k = i; k-- > 0;) {
        if (filler(k) || m_[k].is(gram::and_)) continue;
        bool low = m_[k].is(gram::bottom), high = m_[k].is(gram::top);
        if (m_[k].is(gram::average) && x.averaged && !m_[k].used) {
          metric_use plain_use;  // "lowest, highest and average price"
          plain_use.metric = x.id;
          q_.metrics.insert(q_.metrics.begin(), plain_use);
          m_[k].used = true;
          continue;
        }
        if (!low && !high) break;
        metric_use u;
        u.metric = x.id;
        u.variant = low ? metric_variant::minimum : metric_variant::maximum;
        q_.metrics.insert(q_.metrics.begin(), u);
        m_[k].used = true;
        taken = true;
      }
      if (taken) {
        m_[i].used = true;
        use_all(gram::and_);
        return;
      }
    }
  }
  if (subjects.empty()) return;
  auto directly = [&](index from, bool forward) -> index {
    for (index k = forward ? next(from) : previous(from); k != nowhere; k = forward ? next(k) : previous(k)) {
      if (is_subject(k)) return k;
      bool passes = !m_[k].number.empty() || m_[k].filter >= 0 || (m_[k].verb >= 0 && m_[k].metric < 0) ||
                    m_[k].is(gram::which) || m_[k].is(gram::that);
      if (!passes) return nowhere;
    }
    return nowhere;
  };
  index entity = directly(t, true);
  if (entity != nowhere && grouped_by_word(entity) && plain.size() > 0) entity = nowhere;
  if (entity == nowhere) entity = directly(t, false);
  if (entity != nowhere && grouped_by_word(entity) && plain.size() > 0) entity = nowhere;
  if (entity == nowhere) {
    for (index i : plain) {
      if (i < t) entity = i;
    }
  }
  if (entity == nowhere && !plain.empty()) entity = plain.front();
  if (entity == nowhere) entity = subjects.back();
  // "top customer provinces": the last noun of the chain is what is ranked.
  while (entity + 1 < m_.size() && is_subject(entity + 1) && !m_[entity + 1].break_before && !fa() &&
         m_[entity].dimension >= 0 && m_[entity + 1].dimension >= 0)
    ++entity;

  ranking r;
  r.descending = descending;
  index number = nowhere;
  for (index k : {next(t), previous(t), previous(entity), next(entity)}) {
    if (k != nowhere && !m_[k].number.empty() && !m_[k].used) {
      number = k;
      break;
    }
    if (k != nowhere && !m_[k].number.empty() && m_[k].used && m_[k].is_period() && m_[k].length == 1) continue;
  }
  if (number != nowhere) {
    r.rows = std::strtoll(m_[number].number.c_str(), nullptr, 10);
    m_[number].used = true;
  } else if (m_[entity].plural) {
    r.assumed_rows = true;
    r.rows = 10;
  } else {
    r.rows = 1;
  }
  judged_ranking_ = judges(m_[t].words);
  m_[t].used = true;
  // A second superlative is the same one said again ("top 5 brokers with the highest sales").
  for (index i = 0; i < m_.size(); ++i) {
    if (i != t && !m_[i].used && m_[i].filter < 0 && (m_[i].is(gram::top) || m_[i].is(gram::bottom))) {
      // "best and worst": two questions in one.
      const index joint = previous(i);
      const bool opposite = m_[i].is(gram::bottom) == r.descending;
      if (opposite && joint != nowhere && (m_[joint].is(gram::and_) || m_[joint].is(gram::or_))) continue;
      if (m_[i].is(gram::bottom)) r.descending = false;
      m_[i].used = true;
      for (index k : {next(i), previous(i)}) {
        // "which customers spent the most? top 5"
        if (number != nowhere || k == nowhere || m_[k].number.empty() || m_[k].used) continue;
        r.rows = std::strtoll(m_[k].number.c_str(), nullptr, 10);
        r.assumed_rows = false;
        number = k;
        m_[k].used = true;
      }
    }
  }
  top_entity_ = entity;
  if (r.assumed_rows) assume(say("no number was given: 10", "تعدادی گفته نشد: ۱۰"), 0.05);
  // "longest delivery", "cheapest": the word says by what.
  if (m_[t].metric >= 0) metric_marks_.emplace_back(t, add_metric(met(m_[t].metric).id));
  q_.top = r;
  add_group(entity);
  for (index i : subjects) {
    if (i == entity || m_[i].used || !grouped_by_word(i)) continue;
    const index by = previous(i);
    const bool measured_before = std::any_of(m_.begin(), m_.begin() + static_cast<std::ptrdiff_t>(std::min(t, entity)),
                                             [](const mark& m) { return m.metric >= 0 && m.filter < 0; });
    if (m_[i].is_grain() && measured_before && !m_[by].is(gram::each) && !m_[by].words.starts_with("in each")) {
      ask(say("The best of each period, or the periods of the one that is best overall?",
              "برترینِ هر دوره، یا دوره‌های آن که در کل برترین است؟"));
      return;
    }
    add_group(i, true);
    m_[previous(i)].used = true;
    q_.top->within = 0;
    break;
  }
}

void interpreter::take_metrics() {
  auto fact_metric = [&](const mark& m) { return m.detail >= 0 && m.metric >= 0; };
  index last_metric = nowhere;
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (m.used || m.filter >= 0) continue;
    if (m.is(gram::median)) {
      for (index k = next(i); k != nowhere; k = next(k)) {
        if (m_[k].attribute >= 0 && m_[k].filter < 0) {
          q_.median_attribute = layer_.attributes[static_cast<std::size_t>(m_[k].attribute)].id;
          m_[k].used = m.used = true;
          break;
        }
      }
      continue;
    }
    if (m.metric >= 0 && (m.is(gram::top) || m.is(gram::bottom))) continue;  // "cheapest" that ranked nothing
    if (m.metric >= 0) {
      // "value of cancelled orders": the orders are what the value is of.
      if (fact_metric(m) && !counting(i) && last_metric != nowhere) {
        bool beside = true, of = false;
        for (index k = last_metric + 1; k < i; ++k) {
          if (m_[k].is(gram::and_) || m_[k].break_before || m_[k].is(gram::compare)) beside = false;
          if (m_[k].is(gram::preposition)) of = true;
          const bool between = m_[k].is(gram::total) || (m_[k].is_grain() && m_[k].time->adjective);
          if (!filler(k) && m_[k].filter < 0 && !between) beside = false;
        }
        if (beside && !m.break_before && (of || fa())) {
          m.used = true;
          continue;
        }
      }
      // "first and last order date": the earlier word shares the rest of the phrase.
      if (m.length > 1 && i >= 2 && m_[i - 1].is(gram::and_) && m_[i - 2].length == 1 && !m_[i - 2].used) {
        const std::string key = read_.words[m_[i - 2].at].text + squash(read_.words, m.at + 1, m.length - 1);
        for (const sense& x : lex_.exactly(key)) {
          if (x.kind != sense_kind::metric) continue;
          add_metric(layer_.metrics[x.index].id);
          m_[i - 2].used = m_[i - 1].used = true;
          break;
        }
      }
      // "first and last order of each broker": their dates.
      if (fact_metric(m) && (any(gram::each) || any(gram::breakdown))) {
        const detail_list& list = layer_.details[static_cast<std::size_t>(m.detail)];
        std::vector<std::string> ends;
        for (index k = previous(i); k != nowhere && !list.first_metric.empty(); k = previous(k)) {
          if (m_[k].is(gram::and_)) continue;
          if (m_[k].used || !(m_[k].is(gram::first) || m_[k].is(gram::last))) break;
          ends.insert(ends.begin(), m_[k].is(gram::first) ? list.first_metric : list.last_metric);
          m_[k].used = true;
          // "dates of the first and last order": what the ends are.
          if (index w = previous(k); w != nowhere && free_grain(w) == grain::day && !m_[w].time->adjective)
            m_[w].used = true;
        }
        if (!ends.empty()) {
          for (const std::string& end : ends) metric_marks_.emplace_back(i, add_metric(end));
          use_all(gram::and_);
          m.used = true;
          continue;
        }
      }
      // "excluding returned orders": the noun of what is left out.
      if (fact_metric(m) && !counting(i) && !q_.metrics.empty() && i > 0 && m_[i - 1].filter >= 0 &&
          filters_[static_cast<std::size_t>(m_[i - 1].filter)].filter.negated) {
        m.used = true;
        continue;
      }
      // "how many commodities does each hall trade": a verb here.
      if (m.verb >= 0 && !m.plural && !q_.metrics.empty() && !q_.metrics.back().counted.empty() &&
          !m_[i > 0 ? i - 1 : 0].is(gram::and_)) {
        m.used = true;
        continue;
      }
      // "number of suppliers with orders", "how many brokers have export orders": the orders only say which.
      if (fact_metric(m) && !counting(i) && q_.metrics.size() == 1 && metric_marks_.size() == 1) {
        const metric* first = layer_.find_metric(q_.metrics[0].metric);
        bool joined = m.break_before;
        for (index k = metric_marks_[0].first; k < i; ++k) joined = joined || m_[k].is(gram::and_);
        if (!joined && (!q_.metrics[0].counted.empty() || (first != nullptr && !first->counts.empty()))) {
          q_.metrics[0].counted_from_fact = !q_.metrics[0].counted.empty();
          m.used = true;
          continue;
        }
      }
      const std::string id = met(m.metric).id;
      // "sales per order", "orders per active customer": one figure divided by the other.
      if (index per = previous(i); per != nowhere && per + 1 == i && !m_[per].used &&
                                   (m_[per].words == "per" || m_[per].words.find("ازای") != std::string::npos) &&
                                   q_.metrics.size() == 1 && q_.metrics[0].per_metric.empty() &&
                                   q_.metrics[0].variant == metric_variant::plain && q_.metrics[0].metric != id &&
                                   layer_.find_metric(q_.metrics[0].metric) != nullptr &&
                                   !layer_.find_metric(q_.metrics[0].metric)->averaged) {
        q_.metrics[0].per_metric = id;
        q_.metrics[0].per_shares_filters = fact_metric(m);
        m.used = m_[per].used = true;
        continue;
      }
      const std::size_t known = q_.metrics.size();
      std::size_t at = add_metric(id);
      if (known > 0 && q_.metrics.size() > known && last_metric != nowhere) {
        // Two measures side by side are listed, joined or named for the order; otherwise one says something about the
        // other that no frame holds ("delivery date of the last order").
        // "ratio of A to B"
        bool joined = false;
        const index ratio = find(gram::ratio);
        for (index k = last_metric + 1; k < i && ratio < last_metric; ++k)
          joined = joined || m_[k].is(gram::to) || m_[k].words == "to" || m_[k].words == "به";
        for (index k = last_metric + 1; k <= i && !joined; ++k) {
          joined = m_[k].break_before ||
                   (k < i && std::any_of(m_[k].grams.begin(), m_[k].grams.end(), [](gram g) {
                      return g == gram::and_ || g == gram::or_ || g == gram::with || g == gram::by ||
                             g == gram::compare || g == gram::also || g == gram::that || g == gram::but ||
                             g == gram::except || g == gram::at_least || g == gram::at_most || g == gram::more_than ||
                             g == gram::less_than || g == gram::between || g == gram::ratio || g == gram::as_percent_of;
                    }));
        }
        if (!joined) out_.leftover.push_back(m.words);
      }
      metric_marks_.emplace_back(i, at);
      m.used = true;
      last_metric = i;
      if (counting(i)) {
        index h = previous(i);
        while (h != nowhere && !m_[h].is(gram::how_many)) h = previous(h);
        if (h != nowhere) m_[h].used = true;
      }
      continue;
    }
    if (m.dimension >= 0 && counting(i)) {
      index h = previous(i);
      while (h != nowhere && !m_[h].is(gram::how_many)) h = previous(h);
      const dimension& d = dim(m.dimension);
      const metric* counts = nullptr;
      for (const metric& x : layer_.metrics) {
        if (x.counts == d.id) counts = &x;
      }
      if (counts != nullptr) {
        metric_marks_.emplace_back(i, add_metric(counts->id));
      } else {
        metric_use u;
        u.counted = d.id;
        const std::string role_id = d.roles.empty() ? std::string{} : d.roles.front();
        bool facts = role_id.empty() || !periods_.empty();
        for (const filter_slot& f : filters_) facts = facts || fact_level(f.filter, role_id);
        for (const mark& x : m_) facts = facts || ((x.event >= 0 || x.verb >= 0 || x.detail >= 0) && x.filter < 0);
        u.counted_from_fact = facts;
        if (facts) u.counted_event = event_named();
        q_.metrics.push_back(u);
        metric_marks_.emplace_back(i, q_.metrics.size() - 1);
      }
      m.used = true;
      if (h != nowhere) m_[h].used = true;
    }
  }
  // "value of the cancelled orders": an attribute before the facts that have it is added up.
  for (index i = 0; i < m_.size() && q_.median_attribute.empty(); ++i) {
    if (m_[i].used || m_[i].filter >= 0 || m_[i].attribute < 0 || m_[i].metric >= 0) continue;
    const std::string& sum = layer_.attributes[static_cast<std::size_t>(m_[i].attribute)].sum_metric;
    const bool only_facts = std::all_of(q_.metrics.begin(), q_.metrics.end(), [&](const metric_use& u) {
      return std::any_of(layer_.details.begin(), layer_.details.end(),
                         [&](const detail_list& l) { return l.entity == u.metric && u.filters.empty(); });
    });
    if (sum.empty() || !only_facts || any(gram::average) || any(gram::how_many)) continue;
    q_.metrics.clear();
    metric_marks_.clear();
    metric_marks_.emplace_back(i, add_metric(sum));
    m_[i].used = true;
    for (index k = i + 1; k < m_.size(); ++k) {
      if (fact_noun(k)) m_[k].used = true;
    }
    break;
  }
  if (q_.metrics.empty() && q_.median_attribute.empty()) {
    for (index i = 0; i < m_.size(); ++i) {
      if (m_[i].verb >= 0 && m_[i].filter < 0) {
        // "what did they buy" asks for things as well as for a sum.
        if (!read_.words.empty() && read_.words[0].is("what") && !any(gram::how_much) && !any(gram::total) &&
            !any(gram::share) && !any(gram::percent) && !any(gram::each) && !any(gram::by) && !any(gram::breakdown) &&
            !q_.top) {
          std::string rest;
          for (std::size_t w = 1; w < read_.words.size(); ++w) rest += " " + read_.words[w].raw;
          std::vector<clarify_option> options;
          options.push_back({0, "the total", "how much" + rest, ""});
          for (const dimension& d : layer_.dimensions)
            if (options.size() < 5 && d.looked_up && !d.label.empty())
              options.push_back({0, "by " + d.label.in(lang_), "how much" + rest + " by " + d.label.in(lang_), ""});
          ask(say("What exactly: how much in value, or which commodities?", "دقیقا چه چیزی: ارزش آن یا فهرست کالاها؟"),
              std::move(options));
          return;
        }
        metric_marks_.emplace_back(i, add_metric(met(m_[i].verb).id));
        m_[i].used = true;
        break;
      }
      if (m_[i].event >= 0 && m_[i].filter < 0) {
        metric_marks_.emplace_back(i, add_metric(layer_.events[static_cast<std::size_t>(m_[i].event)].metric));
        m_[i].used = true;
        break;
      }
    }
  }
  // "how many days": the unit of what is measured, asked for by name.
  for (index i = 0; i < m_.size(); ++i) {
    if (m_[i].used || !m_[i].is_grain() || m_[i].time->unit != grain::day || !counting(i)) continue;
    bool days = std::any_of(q_.metrics.begin(), q_.metrics.end(), [&](const metric_use& u) {
      const metric* x = layer_.find_metric(u.metric);
      return x != nullptr && x->unit == measure_unit::days;
    });
    if (!days) continue;
    m_[previous(i)].used = true;
    m_[i].used = true;
  }
  if (q_.top && !q_.top->within && top_entity_ != nowhere && !any(gram::share) && !any(gram::percent)) {
    // "total sales of the top 10 customers", "فروش ۱۰ مشتری برتر روی هم": one figure.
    const index sum = find(gram::total);
    index measure = nowhere;
    for (const auto& [i, at] : metric_marks_) measure = std::min(measure, i);
    index first = top_entity_;
    for (index k : {previous(top_entity_), previous(previous(top_entity_) == nowhere ? 0 : previous(top_entity_))}) {
      if (k != nowhere && (m_[k].is(gram::top) || m_[k].is(gram::bottom) || !m_[k].number.empty()))
        first = std::min(first, k);
    }
    static const std::set<std::string> joining{"together", "combined", "altogether", "taken together", "روی هم",
                                               "با هم",    "باهم",     "جمعا",       "سرجمع",          "put together"};
    if (sum != nowhere && q_.top->rows > 1 &&
        ((sum < first && measure < first) || (sum > top_entity_ && joining.contains(m_[sum].words)))) {
      q_.share = share_kind::top_sum;
      m_[sum].used = true;
    }
  }
  if (q_.top) use_all(gram::rank);  // "rank the top 5": the order is the rank
  if (q_.top && !q_.metrics.empty()) {
    // Ranked by the measure behind "by", else by the first.
    for (const auto& [i, at] : metric_marks_) {
      index p = previous(i);
      if (p != nowhere && m_[p].is(gram::by)) q_.top->metric = at;
    }
    const metric* by = layer_.find_metric(q_.metrics[q_.top->metric].metric);
    if (judged_ranking_ && by != nullptr && by->lower_is_better) q_.top->descending = !q_.top->descending;
  }
}

}  // namespace dragoman::nlq
