// Figures against figures: running and moving ones, shares of a whole, one period against another.

#include <algorithm>
#include <map>
#include <set>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

void interpreter::take_windows() {
  if (index i = find(gram::running_total); i != nowhere) {
    q_.window = window_kind::running_total;
    m_[i].used = true;
  } else if (index a = find(gram::moving_average); a != nowhere) {
    q_.window = window_kind::moving_average;
    q_.window_rows = 3;
    bool given = false;
    for (index k : {previous(a), next(a)}) {
      // "3 month moving average", "میانگین متحرک ۳ ماهه": the number and its grain stand together.
      if (k == nowhere) continue;
      if (m_[k].is_grain() && m_[k].time->unit == grain::quarter && !m_[k].time->adjective && !m_[k].used) {
        m_[k].used = true;  // "سه‌ماهه": three months in one word
        group months;
        months.time = grain::month;
        q_.groups.push_back(months);
        given = true;
        break;
      }
      index number = !m_[k].number.empty()                                       ? k
                     : previous(k) != nowhere && !m_[previous(k)].number.empty() ? previous(k)
                                                                                 : nowhere;
      if (number == nowhere || m_[number].used) continue;
      index unit = next(number);
      if (unit == nowhere) continue;
      std::optional<grain> g = free_grain(unit);
      if (!g) continue;
      q_.window_rows = std::atoi(m_[number].number.c_str());
      m_[number].used = m_[unit].used = true;
      group time;
      time.time = *g;
      q_.groups.push_back(time);
      given = true;
      break;
    }
    if (!given) assume(say("over 3 periods", "روی ۳ دوره"), 0.1);
    m_[a].used = true;
  } else if (index r = find(gram::rank); r != nowhere && !q_.top) {
    q_.window = window_kind::rank;
    m_[r].used = true;
  }
  if (index p = find(gram::period_over_period); p != nowhere) {
    // "Bahman 1403 against the month before" is one month against one.
    const bool one_before =
        m_[p].words.find("قبل") != std::string::npos || m_[p].words.find("پیش") != std::string::npos;
    if (one_before && periods_.size() == 1 && periods_[0].when.calendar_aligned &&
        periods_[0].when.unit == grain::month) {
      previous_step_ = grain::month;
      m_[p].used = true;
      return;
    }
    q_.window = window_kind::growth;
    const token& w = read_.words[m_[p].at];
    grain g = w.is("year") || w.is("yoy") || w.is("سال")      ? grain::year
              : w.is("quarter") || w.is("qoq") || w.is("فصل") ? grain::quarter
              : w.is("day") || w.is("روز")                    ? grain::day
                                                              : grain::month;
    group time;
    time.time = g;
    q_.groups.push_back(time);
    m_[p].used = true;
    use_all(gram::growth);
    use_all(gram::percent);
  }
}

// "share of each hall", "what percent of sales comes from export", "سهم ۵ مشتری برتر از کل فروش"
void interpreter::take_share() {
  if (q_.share == share_kind::top_sum) return;
  index s = find(gram::share);
  bool percent_form = false;
  if (s == nowhere) {
    index p = find(gram::percent);
    if (p == nowhere) return;
    // "in percent" beside growth or a rate only names the unit.
    bool rate = any(gram::growth) || any(gram::grew) || any(gram::fell) || q_.window == window_kind::growth;
    for (const metric_use& u : q_.metrics) {
      const metric* x = layer_.find_metric(u.metric);
      rate = rate || u.as_percent || (x != nullptr && x->unit == measure_unit::percent);
    }
    if (rate) return;
    s = p;
    percent_form = true;
    // "percentage of customers that bought": a share of members, which no measure adds up to.
    const index of = next(s);
    const bool noun =
        std::any_of(metric_marks_.begin(), metric_marks_.end(), [&](const auto& x) { return m_[x.first].metric >= 0; });
    if (!noun && of != nowhere && is_subject(of) && m_[of].dimension >= 0 && dim(m_[of].dimension).entity) return;
  }
  m_[s].used = true;
  use_all(gram::percent);
  use_all(gram::total);
  use_all(gram::all);
  // "the first five brokers have what percent of sales": of them together, whichever comes first.
  static const std::set<std::string> asks{"what percent", "what percentage", "چند درصد", "چه درصدی"};
  const bool together = top_entity_ != nowhere && (top_entity_ > s || (percent_form && asks.contains(m_[s].words)));
  if (q_.top && together && !q_.top->within) {
    // "what share do the top 10 customers have" is one figure; "top 10 brokers by share" is a list.
    index p = previous(top_entity_);
    (void)p;
    q_.share = share_kind::top_of_total;
    return;
  }
  // What stands beside the word decides: members share the whole, a value is a part of it.
  index after = next(s);
  while (after != nowhere && (m_[after].is(gram::total) || m_[after].is(gram::all))) after = next(after);
  index before = previous(s);
  std::vector<filter_slot*> free;
  for (filter_slot& f : filters_) {
    if (!f.taken) free.push_back(&f);
  }
  filter_slot* part = nullptr;
  auto filter_at = [&](index i) -> filter_slot* {
    if (i == nowhere || m_[i].filter < 0) return nullptr;
    return &filters_[static_cast<std::size_t>(m_[i].filter)];
  };
  bool members_beside =
      (after != nowhere && (is_subject(after) || m_[after].is(gram::each) || m_[after].is(gram::breakdown)) &&
       (filter_at(next(after)) == nullptr || !is_subject(after))) ||
      (before != nowhere && is_subject(before)) || q_.top.has_value();
  // "share of steel sales" by supplier: the value belongs to the measure, which is the whole.
  const bool measure_behind = after != nowhere && after + 1 < m_.size() && filter_at(after) != nullptr &&
                              m_[after + 1].metric >= 0 && m_[after + 1].filter < 0 && !m_[after + 1].break_before;
  const bool members_before = before != nowhere && is_subject(before);
  if (measure_behind && (q_.top || members_before) && !percent_form) {
    part = nullptr;
  } else if (filter_slot* f = filter_at(after); f != nullptr && !percent_form) {
    part = f;
  } else if (filter_slot* b = filter_at(before); b != nullptr && !percent_form) {
    part = b;
  } else if (after != nowhere && is_subject(after) && filter_at(next(after)) != nullptr && m_[after].plural &&
             next(after) == after + 1) {
    // "سهم مشتریان دولتی": the noun belongs to the value.
    part = filter_at(next(after));
    m_[after].used = true;
  } else if (!members_beside && !free.empty()) {
    part = percent_form ? free.back() : free.front();
  }
  if (part != nullptr) {
    q_.share = share_kind::part_of_whole;
    for (filter_slot& f : filters_) {
      bool same_chain = &f == part;
      if (!same_chain && f.filter.dimension == part->filter.dimension && !f.taken) {
        index low = std::min(f.mark, part->mark), high = std::max(f.mark, part->mark);
        same_chain = true;
        for (index k = low + 1; k < high; ++k) {
          if (!filler(k) && !m_[k].is(gram::and_) && m_[k].filter < 0) same_chain = false;
        }
      }
      if (same_chain) {
        q_.part.push_back(f.filter);
        f.taken = true;
      }
    }
    // The noun that the value describes ("government customers").
    const dimension* d = layer_.find_dimension(part->filter.dimension);
    for (index k : {part->mark > 0 ? part->mark - 1 : nowhere, part->mark + 1 < m_.size() ? part->mark + 1 : nowhere}) {
      if (k != nowhere && is_subject(k) && m_[k].dimension >= 0 && d != nullptr &&
          d->owner == dim(m_[k].dimension).id) {
        index p = previous(k);
        if (p == nowhere || !m_[p].is(gram::each)) m_[k].used = true;
      }
    }
  } else {
    q_.share = share_kind::of_total;
  }
}

// Two periods side by side, their difference, or the members for which one is greater.
void interpreter::take_comparison() {
  if (q_.window == window_kind::growth) return;
  index g = find(gram::growth);
  index up = find(gram::grew), down = find(gram::fell), more = find(gram::more), less = find(gram::less),
        c = find(gram::compare);
  // "bought less in 1403 than in 1402", "در ۱۴۰۳ کمتر از ۱۴۰۲"
  for (index i = 0; i < m_.size() && c == nowhere && periods_.size() == 2; ++i) {
    if (m_[i].used || !(m_[i].is(gram::more_than) || m_[i].is(gram::less_than))) continue;
    const index n = next(i);
    if (n == nowhere || n != periods_[1].mark) continue;
    (m_[i].is(gram::more_than) ? more : less) = i;
    c = i;
  }
  const bool growth = g != nowhere || up != nowhere || down != nowhere;
  const bool timed = std::any_of(q_.groups.begin(), q_.groups.end(), [](const group& x) { return x.time.has_value(); });
  const bool signal = growth || c != nowhere || previous_step_.has_value();

  if (g != nowhere && timed && periods_.size() < 2 && !previous_step_) {
    // "yearly growth of sales": against the period before, row by row.
    q_.window = window_kind::growth;
    m_[g].used = true;
    use_all(gram::percent);
    use_all(gram::compare);
    return;
  }
  // A range between whose ends something changed.
  if (signal && periods_.size() == 1 && periods_[0].from && periods_[0].to && !previous_step_ && !timed) {
    period_slot second = periods_[0];
    second.when = *periods_[0].to;
    periods_[0].when = *periods_[0].from;
    periods_[0].from = periods_[0].to = std::nullopt;
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
  }
  // "last year" beside a named period is the year before that one.
  if (signal && periods_.size() == 2) {
    for (std::size_t k = 0; k < 2; ++k) {
      period_slot& rel = periods_[k];
      const period_slot& other = periods_[1 - k];
      if (rel.relative_year && !other.relative_year && other.when.first && other.when.last) {
        period p = nlq::previous(other.when, grain::year);
        p.words = rel.when.words;
        rel.when = p;
        rel.relative_year = false;
      }
    }
  }
  if (previous_step_ && periods_.size() == 1 && periods_[0].when.first && periods_[0].when.last) {
    period_slot second = periods_[0];
    grain step = *previous_step_;
    if (step == grain::day && periods_[0].when.calendar_aligned) step = periods_[0].when.unit;
    second.when = nlq::previous(periods_[0].when, step);
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
    previous_step_.reset();
  } else if (previous_step_ && periods_.empty()) {
    // "compared to the previous month" with nothing named: the current one.
    const calendar_kind cal = q_.calendar;
    civil_date d = date_in(cal, context_.today);
    period now =
        *previous_step_ == grain::month ? months_period(cal, d.year, d.month, d.month) : year_period(cal, d.year);
    period_slot a, b;
    a.when = now;
    b.when = nlq::previous(now, *previous_step_ == grain::month ? grain::month : grain::year);
    periods_.push_back(a);
    periods_.push_back(b);
    assume(fa() ? "دوره جاری با دوره پیش از آن" : "the current period against the one before");
    previous_step_.reset();
  }
  if (growth && periods_.size() == 1 && periods_[0].when.first && periods_[0].when.last) {
    period_slot second = periods_[0];
    second.when = nlq::previous(periods_[0].when, periods_[0].when.unit == grain::month ? grain::month : grain::year);
    second.from = second.to = std::nullopt;
    periods_.push_back(second);
    assume(say("compared with the period before", "در مقایسه با دوره پیش از آن"), 0.1);
  }
  if (growth && periods_.empty()) {
    std::vector<clarify_option> options;
    const int year = date_in(q_.calendar, context_.today).year;
    std::string rest;
    for (const token& t : read_.words) rest += (rest.empty() ? "" : " ") + t.raw;
    for (int y : {year, year - 1}) {
      clarify_option o;
      o.label = std::to_string(y) + say(" against ", " نسبت به ") + std::to_string(y - 1);
      o.value =
          rest + say(" in ", " در ") + std::to_string(y) + say(" compared to ", " نسبت به ") + std::to_string(y - 1);
      options.push_back(std::move(o));
    }
    clarify_option yearly;
    yearly.label = say("year by year", "سال به سال");
    yearly.value = rest + say(" by year", " به تفکیک سال");
    options.push_back(std::move(yearly));
    ask(say("Between which periods?", "میان کدام دوره‌ها؟"), std::move(options));
    return;
  }
  if (periods_.size() != 2 || timed || periods_[0].when.month_of_any_year || periods_[1].when.month_of_any_year) {
    if (c != nowhere && (filters_.size() >= 2 || !q_.groups.empty() || periods_.size() >= 2)) use_all(gram::compare);
    return;
  }
  if (q_.window != window_kind::none || q_.share != share_kind::none || !q_.median_attribute.empty()) return;
  if ((q_.top || any(gram::total)) && !signal && more == nowhere && less == nowhere) return;

  // Two periods that nothing joins are no comparison: one of them was meant to say more about the other.
  if (!signal && more == nowhere && less == nowhere) {
    const index low = std::min(periods_[0].mark, periods_[1].mark), high = std::max(periods_[0].mark, periods_[1].mark);
    bool joined = false;
    for (index k = low + 1; k <= high; ++k) {
      joined = joined || m_[k].break_before || (k < high && (m_[k].is(gram::and_) || m_[k].is(gram::or_)));
    }
    // "Mehr to Aban 1402 and 1403": a year beside some months was meant otherwise.
    if (!joined || periods_[0].when.unit != periods_[1].when.unit) {
      out_.leftover.push_back(periods_[1].when.words);
      return;
    }
  }
  // In the order of time; which side was named first decides "more in A than in B".
  const bool swapped = periods_[0].when.first > periods_[1].when.first;
  if (swapped) std::swap(periods_[0], periods_[1]);
  const bool first_named_later = swapped;
  q_.compare = compare_kind::side_by_side;
  if (more != nowhere && c != nowhere) {
    q_.compare = first_named_later ? compare_kind::second_greater : compare_kind::second_less;
    m_[more].used = true;
  } else if (less != nowhere && c != nowhere) {
    q_.compare = first_named_later ? compare_kind::second_less : compare_kind::second_greater;
    m_[less].used = true;
  } else if (g != nowhere) {
    const std::string& w = m_[g].words;
    bool change = w.find("chang") != std::string::npos || w.find("تغییر") != std::string::npos;
    q_.compare = change ? compare_kind::change_and_amounts : compare_kind::change_percent;
  } else if (up != nowhere || down != nowhere) {
    const bool asks_which = std::any_of(m_.begin(), m_.end(), [](const mark& m) {
      return m.is(gram::which) || m.is(gram::that) || m.is(gram::list) || m.is(gram::with);
    });
    const bool of_groups = !q_.groups.empty() && asks_which;
    q_.compare = !of_groups      ? compare_kind::change_percent
                 : up != nowhere ? compare_kind::second_greater
                                 : compare_kind::second_less;
  }
  for (index k : {g, up, down, c}) use(k);
  use_all(gram::compare);
  use_all(gram::percent);
  use_all(gram::and_);
  // "growth above 10 %"
  for (amount_slot& a : amounts_) {
    if (a.taken || !a.percent || !growth || q_.groups.empty()) continue;
    q_.change_op = a.op;
    bool falling = down != nowhere && up == nowhere;
    q_.change_threshold = falling ? "-" + a.low : a.low;
    if (falling)
      q_.change_op = a.op == comparison::greater ? comparison::less
                     : a.op == comparison::less  ? comparison::greater
                                                 : a.op;
    q_.compare = compare_kind::change_percent;
    a.taken = true;
  }
}

}  // namespace dragoman::nlq
