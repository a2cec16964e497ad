#include "nlq/explain.h"

#include <algorithm>

namespace dragoman::nlq {
namespace {

class speaker {
 public:
  speaker(const query_intent& q, const semantic_layer& layer, const compiled& c) : q_(q), layer_(layer), c_(c) {}

  std::string text() const {
    std::string out = head();
    if (!q_.groups.empty() && q_.shape == query_shape::aggregate) {
      std::string list;
      for (const group& g : q_.groups) also(list, name(g));
      out += fa() ? "، به تفکیک " + list : (out.find(',') != std::string::npos ? ", by " : " by ") + list;
    }
    if (q_.top && q_.shape == query_shape::aggregate && q_.share != share_kind::top_of_total &&
        q_.share != share_kind::top_sum) {
      const std::string n = std::to_string(q_.top->rows);
      const bool one = q_.top->rows == 1;
      if (fa()) {
        out += one ? (q_.top->descending ? "، بیشترین آن‌ها" : "، کمترین آن‌ها")
                   : "، " + n + (q_.top->descending ? " تای نخست" : " تای آخر");
      } else {
        out += std::string(", the ") + (one ? "" : n + " ") + (q_.top->descending ? "highest" : "lowest");
      }
      if (q_.top->within)
        out += fa() ? " در هر " + name(q_.groups[*q_.top->within]) : " in each " + name(q_.groups[*q_.top->within]);
    }
    std::string filters;
    for (const value_filter& f : q_.filters) also(filters, value(f));
    for (const attribute_filter& f : q_.attribute_filters) {
      if (const attribute* a = layer_.find_attribute(f.attribute))
        also(filters, a->label.in(q_.lang) + " " + condition(f.op, f.low, f.high) + unit_of(a->unit));
    }
    for (const group_condition& c : q_.conditions) {
      if (c.metric >= q_.metrics.size()) continue;
      const metric* m = layer_.find_metric(q_.metrics[c.metric].metric);
      also(filters, metric_name(q_.metrics[c.metric]) + " " + condition(c.op, c.low, c.high) +
                        (m != nullptr ? unit_of(m->unit) : ""));
    }
    if (!filters.empty()) out += fa() ? "، با شرط " + filters : ", where " + filters;
    std::string periods;
    for (const period& p : q_.periods) also(periods, period_text(p, q_.lang));
    if (!periods.empty()) out += fa() ? "، در " + periods : ", in " + periods;
    if (q_.periods.empty() && q_.shape == query_shape::aggregate)
      out += fa() ? "، همه زمان‌ها" : ", all time";
    std::string said;
    for (const std::string& id : c_.applied_filters) {
      const named_filter* f = layer_.find_filter(id);
      if (f == nullptr || f->says.empty() || said.find(f->says.in(q_.lang)) != std::string::npos) continue;
      std::string what = f->says.in(q_.lang);
      for (const opened_filter& o : q_.opened)
        if (o.filter == id && o.also) what += (fa() ? " و نیز " : " and also ") + o.also->label;
      join(said, what);
    }
    for (const opened_filter& o : q_.opened)
      if (const named_filter* f = layer_.find_filter(o.filter); f != nullptr && !o.also)
        join(said, (fa() ? "نه فقط " : "not only ") + f->says.in(q_.lang));
    if (!said.empty()) out += " (" + said + ")";
    if (q_.count_rows) out = (fa() ? "تعداد: " : "The number of: ") + out;
    if (!q_.among.empty()) {
      query_intent before = q_.among.front();
      before.lang = q_.lang;  // said in the language of the question at hand
      const result<compiled> earlier = nlq::compile(before, layer_);
      if (earlier)
        out += (fa() ? "؛ فقط در میان پاسخ پیشین: " : "; only among the earlier answer: ") +
               without_stop(speaker(before, layer_, *earlier).text());
    }
    return out + ".";
  }

 private:
  static std::string without_stop(std::string sentence) {
    if (sentence.ends_with('.')) sentence.pop_back();
    return sentence;
  }
  bool fa() const { return q_.lang == language::persian; }
  void join(std::string& list, const std::string& item) const {
    if (item.empty()) return;
    if (!list.empty()) list += fa() ? "، " : ", ";
    list += item;
  }

  void also(std::string& list, const std::string& item) const {
    if (item.empty()) return;
    if (!list.empty()) list += fa() ? " و " : " and ";
    list += item;
  }

  // "broker" → "brokers", "category" → "categories". Persian counts in the singular.
  std::string several(const std::string& noun) const {
    if (fa() || noun.empty() || noun.ends_with("s")) return fa() ? noun : noun + (noun.ends_with("ss") ? "es" : "");
    const bool y =
        noun.ends_with("y") && noun.size() > 1 && std::string("aeiou").find(noun[noun.size() - 2]) == std::string::npos;
    if (y) return noun.substr(0, noun.size() - 1) + "ies";
    return noun + (noun.ends_with("ch") || noun.ends_with("x") ? "es" : "s");
  }
  static std::string capital(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
    return text;
  }

  // "1234567.5" → "1,234,567.5"
  static std::string digits(const std::string& number) {
    const std::size_t dot = std::min(number.find('.'), number.size());
    std::string out = number;
    for (std::size_t at = dot; at > 3 && out[at - 4] != '-'; at -= 3) out.insert(at - 3, ",");
    return out;
  }
  std::string unit_of(measure_unit unit) const {
    return unit == measure_unit::percent ? (fa() ? " درصد" : " percent")
           : unit == measure_unit::days  ? (fa() ? " روز" : " days")
                                         : std::string{};
  }

  std::string grain_name(grain g, bool fiscal = false) const {
    static constexpr const char* en[] = {"day", "week", "month", "quarter", "year"};
    static constexpr const char* fa_names[] = {"روز", "هفته", "ماه", "فصل", "سال"};
    std::string calendar =
        q_.calendar == calendar_kind::persian ? (fa() ? " شمسی" : "Persian ") : (fa() ? " میلادی" : "");
    const auto i = static_cast<std::size_t>(g);
    if (fiscal) calendar = fa() ? " مالی" : "fiscal ";
    return fa() ? fa_names[i] + calendar : calendar + en[i];
  }

  std::string name(const group& g) const {
    if (g.time && g.fiscal) return grain_name(*g.time, true);
    if (g.time) return grain_name(*g.time);
    const dimension* d = layer_.find_dimension(g.dimension);
    if (d == nullptr) return g.dimension;
    // What is counted has its own places.
    std::string role = g.role;
    if (role.empty() && !q_.metrics.empty() && !q_.metrics[0].counted_from_fact) {
      if (auto own = d->owned_roles.find(q_.metrics[0].counted); own != d->owned_roles.end()) role = own->second;
    }
    return owned(*d, role, d->label.in(q_.lang));
  }

  std::string owned(const dimension& d, const std::string& role, const std::string& text) const {
    for (const auto& [owner, r] : d.owned_roles) {
      const dimension* o = layer_.find_dimension(owner);
      if (o == nullptr) continue;
      if (r == role || (role.empty() && !d.roles.empty() && r == d.roles.front())) {
        return fa() ? text + " " + o->label.fa : o->label.en + " " + text;
      }
    }
    return text;
  }

  std::string value(const value_filter& f) const {
    const dimension* d = layer_.find_dimension(f.dimension);
    if (d != nullptr && !d->cases.empty()) {
      return fa() ? (f.negated ? "جز " : "فقط ") + f.label : (f.negated ? "not " : "only ") + f.label;
    }
    const std::string label = d != nullptr ? owned(*d, f.role, d->label.in(q_.lang)) : f.dimension;
    if (fa() && !f.negated && f.label.starts_with(label)) return f.label;  // "تالار سیمان"
    if (fa()) return label + (f.negated ? " جز " : " ") + f.label;
    return label + (f.negated ? " is not " : " is ") + (f.values.size() > 1 && !f.negated ? "one of " : "") + f.label;
  }

  std::string condition(comparison op, const std::string& low_digits, const std::string& high_digits) const {
    const std::string low = digits(low_digits), high = digits(high_digits);
    switch (op) {
      case comparison::greater: return (fa() ? "بیش از " : "above ") + low;
      case comparison::greater_or_equal: return (fa() ? "دست‌کم " : "at least ") + low;
      case comparison::less: return (fa() ? "کمتر از " : "below ") + low;
      case comparison::less_or_equal: return (fa() ? "حداکثر " : "at most ") + low;
      case comparison::between: return fa() ? "بین " + low + " تا " + high : "between " + low + " and " + high;
      case comparison::equal: return (fa() ? "برابر " : "equal to ") + low;
      case comparison::not_equal: return (fa() ? "نه " : "not ") + low;
    }
    return low;
  }

  std::string metric_name(const metric_use& u) const {
    const metric* m = layer_.find_metric(u.metric);
    std::string text;
    if (m != nullptr) {
      text = m->label.in(q_.lang);
      if (u.variant != metric_variant::plain) {
        for (const std::string_view mean : {"average ", "میانگین "}) {
          if (text.starts_with(mean)) text.erase(0, mean.size());
        }
      }
      if (u.variant == metric_variant::minimum) text = (fa() ? "کمترین " : "lowest ") + text;
      if (u.variant == metric_variant::maximum) text = (fa() ? "بیشترین " : "highest ") + text;
    } else if (const dimension* d = layer_.find_dimension(u.counted)) {
      text = (fa() ? "تعداد " : "number of ") + several(d->label.in(q_.lang));
    }
    std::string own;
    for (const value_filter& f : u.filters) join(own, f.label);
    if (!own.empty()) text = fa() ? text + " " + own : own + " " + text;
    if (!u.per_metric.empty()) {
      std::string below;
      if (u.per_metric[0] == '@') {
        if (const dimension* d = layer_.find_dimension(u.per_metric.substr(1))) below = d->label.in(q_.lang);
      } else if (const metric* b = layer_.find_metric(u.per_metric)) {
        for (const value_filter& f : u.per_filters) join(below, f.label);
        std::string noun = b->label.en, counted = b->label.fa;
        if (constexpr std::string_view number = "تعداد "; counted.starts_with(number)) counted.erase(0, number.size());
        if (!u.as_percent && noun.ends_with("s")) noun.pop_back();
        below = fa() ? counted + (below.empty() ? "" : " ") + below : below + (below.empty() ? "" : " ") + noun;
      }
      text += u.as_percent ? (fa() ? " به درصد از " : " as a percentage of ") : (fa() ? " به ازای هر " : " per ");
      text += below;
    }
    if (u.averaged_over)
      text = (fa() ? "میانگین " : "average ") + text + (fa() ? " در هر " : " per ") + grain_name(*u.averaged_over);
    if (!u.scale_name.empty() || !u.unit.empty()) {
      static const std::vector<std::pair<std::string, std::string>> scales{
          {"thousand", "هزار"}, {"million", "میلیون"}, {"billion", "میلیارد"}, {"trillion", "تریلیون"}};
      std::string unit = u.scale_name;
      if (fa()) {
        for (const auto& [en, persian] : scales) {
          if (en == u.scale_name) unit = persian;
        }
      }
      if (const unit_word* w = layer_.find_unit(u.unit)) unit += (unit.empty() ? "" : " ") + w->label.in(q_.lang);
      text += fa() ? " به " + unit : " in " + unit;
    }
    return text;
  }

  std::string head() const {
    switch (q_.shape) {
      case query_shape::list: {
        std::string list;
        for (const group& g : q_.groups) also(list, g.time ? name(g) : several(name(g)));
        return (fa() ? "فهرست " : "List of ") + list +
               (q_.distinct_facts ? (fa() ? " که در سفارش‌ها آمده‌اند" : " that occur in orders")
                                  : "");
      }
      case query_shape::detail: {
        std::string what = layer_.details.empty() ? "" : layer_.details.front().label.in(q_.lang);
        if (!q_.top) return fa() ? "تک‌تک " + what : capital(what) + " one by one";
        std::string n = std::to_string(q_.top->rows);
        if (!q_.rank_attribute.empty()) {
          const attribute* a = layer_.find_attribute(q_.rank_attribute);
          std::string by = a != nullptr ? a->label.in(q_.lang) : "";
          std::string whose;
          for (const std::string& id : q_.asked) {
            if (const dimension* d = layer_.find_dimension(id)) also(whose, d->label.in(q_.lang));
          }
          if (!whose.empty()) whose += fa() ? "ِ " : " of the ";
          if (!fa() && whose.empty()) whose = "the ";
          const bool one = q_.top->rows == 1;
          constexpr std::string_view plural = "‌ها";
          if (!fa() && one && what.ends_with("s")) what.pop_back();
          if (fa() && one && what.ends_with(plural)) what.resize(what.size() - plural.size());
          return fa() ? whose + (one ? std::string() : n + " مورد از ") + what +
                            (q_.top->descending ? " با بیشترین " : " با کمترین ") + by
                      : capital(whose) + (one ? std::string() : n + " ") + what +
                            (q_.top->descending ? " with the largest " : " with the smallest ") + by;
        }
        return fa() ? n + " مورد از " + (q_.oldest_first ? "نخستین " : "آخرین ") + what
                    : (q_.oldest_first ? "The first " : "The last ") + n + " " + what + " by date";
      }
      case query_shape::existence: {
        std::string text = q_.groups[0].time ? name(q_.groups[0]) : several(name(q_.groups[0]));
        if (q_.count_members) text = (fa() ? "تعداد " : "number of ") + text;
        text = capital(text);
        for (const event_clause& c : q_.clauses) {
          const event* e = layer_.find_event(c.event);
          std::string of;
          for (const value_filter& f : c.filters) also(of, value(f));
          for (const period& p : c.periods) also(of, period_text(p, q_.lang));
          text += fa() ? (c.negated ? " بدون " : " با ") : (c.negated ? " without " : " with ");
          text += e != nullptr ? e->label.in(q_.lang) : c.event;
          if (!of.empty()) text += " (" + of + ")";
          if (&c != &q_.clauses.back()) text += fa() ? " و" : " and";
        }
        return text;
      }
      case query_shape::aggregate: break;
    }
    std::string what;
    for (const metric_use& u : q_.metrics) join(what, metric_name(u));
    if (const attribute* a = layer_.find_attribute(q_.median_attribute))
      what = (fa() ? "میانه " : "Median ") + a->label.in(q_.lang);
    if (!fa()) what = capital(std::move(what));
    switch (q_.share) {
      case share_kind::of_total: what += fa() ? "، سهم از کل به درصد" : ", share of the total in percent"; break;
      case share_kind::part_of_whole: {
        std::string part;
        for (const value_filter& f : q_.part) join(part, value(f));
        what += fa() ? "، سهم " + part + " به درصد" : ", share of " + part + " in percent";
        break;
      }
      case share_kind::top_of_total:
        if (q_.top)
          what += fa() ? "، سهم " + std::to_string(q_.top->rows) + " تای نخست به درصد"
                       : ", share of the first " + std::to_string(q_.top->rows) + " in percent";
        break;
      case share_kind::top_sum:
        if (q_.top)
          what += fa() ? "، جمع " + std::to_string(q_.top->rows) + " تای نخست"
                       : ", the sum over the first " + std::to_string(q_.top->rows);
        break;
      case share_kind::none: break;
    }
    switch (q_.window) {
      case window_kind::running_total: what += fa() ? "، با جمع تجمعی" : ", with a running total"; break;
      case window_kind::moving_average:
        what += fa() ? "، با میانگین متحرک " + std::to_string(q_.window_rows) + " دوره‌ای"
                     : ", with a moving average over " + std::to_string(q_.window_rows) + " periods";
        break;
      case window_kind::rank: what += fa() ? "، با رتبه" : ", ranked"; break;
      case window_kind::growth:
        what += fa() ? "، با رشد نسبت به دوره پیش به درصد" : ", with growth against the period before in percent";
        break;
      case window_kind::none: break;
    }
    switch (q_.compare) {
      case compare_kind::none: break;
      case compare_kind::side_by_side: what += fa() ? "، مقایسه دو دوره" : ", two periods side by side"; break;
      case compare_kind::change_percent:
      case compare_kind::change_and_amounts:
        what += fa() ? "، تغییر میان دو دوره به درصد" : ", change between two periods in percent";
        break;
      case compare_kind::second_greater:
        what += fa() ? "، آن‌ها که در دوره دوم بیشتر دارند"
                     : ", those with more in the later period";
        break;
      case compare_kind::second_less:
        what += fa() ? "، آن‌ها که در دوره دوم کمتر دارند"
                     : ", those with less in the later period";
        break;
    }
    return what;
  }

  const query_intent& q_;
  const semantic_layer& layer_;
  const compiled& c_;
};

}  // namespace

std::string interpretation_of(const query_intent& q, const semantic_layer& layer, const compiled& c) {
  return speaker(q, layer, c).text();
}

std::vector<std::string> caveats_of(const query_intent& q, const semantic_layer& layer, const compiled& c) {
  std::vector<std::string> out;
  const bool fa = q.lang == language::persian;
  for (const metric_use& u : q.metrics) {
    const metric* m = layer.find_metric(u.metric);
    if (m != nullptr && !m->caveat.empty()) out.push_back(m->caveat.in(q.lang));
  }
  if (c.own_dates) out.push_back(fa ? "هر شاخص بر پایه تاریخ خودش" : "each measure by its own date");
  auto values_used = [&](const std::vector<value_filter>& list) {
    for (const value_filter& f : list) {
      const dimension* d = layer.find_dimension(f.dimension);
      if (d != nullptr && !d->cases.empty()) return true;
    }
    return false;
  };
  const bool only_default = std::any_of(c.applied_filters.begin(), c.applied_filters.end(), [&](const std::string& id) {
    const named_filter* f = layer.find_filter(id);
    return f != nullptr && f->yields_to_grouping;
  });
  bool cases_grouped = std::any_of(q.groups.begin(), q.groups.end(), [&](const group& g) {
    const dimension* d = layer.find_dimension(g.dimension);
    return d != nullptr && !d->cases.empty();
  });
  if (only_default && (values_used(q.filters) || values_used(q.part) || cases_grouped)) {
    out.push_back(fa ? "سفارش‌های ارزی در این رقم نیستند"
                     : "orders in foreign currency are not part of this figure");
  }
  if (layer.first_day && layer.last_day && q.compare != compare_kind::none) {
    for (const period& p : q.periods) {
      if ((p.first && *p.first < *layer.first_day) || (p.last && *p.last > *layer.last_day)) {
        out.push_back(fa ? "داده‌های " + period_text(p, q.lang) + " کامل نیست"
                         : "the data of " + period_text(p, q.lang) + " are partial");
      }
    }
  }
  return out;
}

}  // namespace dragoman::nlq
