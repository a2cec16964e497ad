// Times of the question: months meet their years, ends meet their clock, one calendar is settled for all.

#include <algorithm>

#include "nlq/interpreter.h"

namespace dragoman::nlq {

void interpreter::resolve_times() {
  for (index i = 0; i < m_.size(); ++i) {
    mark& m = m_[i];
    if (!m.time || m.filter >= 0) continue;
    switch (m.time->kind) {
      case time_kind::period: {
        period_slot slot;
        slot.when = m.time->when;
        slot.from = m.time->from;
        slot.to = m.time->to;
        slot.mark = i;
        slot.relative_year = m.time->relative_year;
        periods_.push_back(std::move(slot));
        m.used = true;
        break;
      }
      case time_kind::to_date:
        to_date_ = true;
        m.used = true;
        break;
      case time_kind::previous:
      case time_kind::same_time:
        previous_step_ = m.time->unit;
        previous_mark_ = i;
        m.used = true;
        break;
      case time_kind::fiscal: ask_fiscal(m); return;
      case time_kind::grain: break;
    }
  }
  // "brokers Mehr and Aban of 1402": behind a name and "and" a month that is also such a name is asked back.
  for (index i = 0; i < m_.size(); ++i) {
    if (!m_[i].is_period() || m_[i].filter >= 0) continue;
    const index joint = previous(i);
    const index named = joint != nowhere && m_[joint].is(gram::and_) ? previous(joint) : nowhere;
    if (named == nowhere || m_[named].filter < 0) continue;
    const std::string& of = filters_[static_cast<std::size_t>(m_[named].filter)].filter.dimension;
    for (const sense& s : lex_.exactly(read_.words[m_[i].at].text)) {
      if (s.kind != sense_kind::value || s.level > match_level::core) continue;
      if (dim(static_cast<int>(lex_.values()[s.index].dimension)).id != of) continue;
      const std::string& word = read_.words[m_[i].at].raw;
      std::string all;
      for (std::size_t k = m_[i].at; k < m_[i].at + m_[i].length; ++k)
        all += (all.empty() ? "" : " ") + read_.words[k].raw;
      const std::string& kind = dim(static_cast<int>(lex_.values()[s.index].dimension)).label.in(lang_);
      std::vector<clarify_option> options;
      options.push_back({0, say("the month", "ماه"), replaced(m_[i], say("month ", "ماه ") + all), ""});
      options.push_back({0, kind + " " + word, replaced(m_[i], kind + " " + all), ""});
      ask(fa() ? "«" + word + "» ماه است یا نام؟" : "Is \"" + word + "\" the month or a name?", std::move(options));
      return;
    }
  }
  for (const mark& m : m_) {
    if (!m.time || m.filter >= 0) continue;
    const calendar_kind c = m.time->when.calendar;
    if (m.time->kind != time_kind::period) continue;
    // Relative words follow the language and are no cue of their own.
    bool named = std::any_of(m.words.begin(), m.words.end(), [](unsigned char ch) { return ch >= '0' && ch <= '9'; }) ||
                 m.time->when.month_of_any_year.has_value() || m.time->is_point;
    for (std::size_t k = m.at; k < m.at + m.length; ++k) {
      for (char ch : read_.words[k].text) named = named || (ch >= '0' && ch <= '9');
    }
    if (!named || m.time->when.rolling) continue;
    (c == calendar_kind::persian ? persian_cue_ : gregorian_cue_) = true;
  }
  // "Nowruz sales": a day, four, thirteen? Only "since Nowruz" is clear.
  for (const mark& m : m_) {
    if (!m.is_point_alone()) continue;
    std::vector<clarify_option> options;
    const int year = date_in(calendar_kind::persian, *m.time->when.first).year;
    auto add = [&](int last_day, const char* en, const char* fa_text) {
      clarify_option o;
      o.label = say(en, fa_text);
      std::string y = std::to_string(year);
      o.value = replaced(m, fa() ? "۱ تا " + std::to_string(last_day) + " فروردین " + y
                                 : "1 to " + std::to_string(last_day) + " Farvardin " + y);
      options.push_back(std::move(o));
    };
    add(4, "the official holiday, 1 to 4 Farvardin", "تعطیلات رسمی، ۱ تا ۴ فروردین");
    add(13, "the whole season, 1 to 13 Farvardin", "ایام نوروز، ۱ تا ۱۳ فروردین");
    ask(say("Nowruz can be one day or several; which days do you mean?",
            "نوروز می‌تواند یک روز یا چند روز باشد؛ کدام روزها؟"),
        std::move(options));
    return;
  }
  join_month_and_year();
  // "the previous year" with nothing to be previous to: counted from the clock.
  const bool compares = any(gram::compare) || any(gram::growth) || any(gram::grew) || any(gram::fell);
  const bool goes_on =
      context_.session != nullptr && context_.session->last && !context_.session->last->periods.empty() && !complete();
  if (previous_step_ && periods_.empty() && !compares && !goes_on) {
    time_context clock = time_;
    period_slot slot;
    civil_date d = date_in(fa() ? calendar_kind::persian : calendar_kind::gregorian, clock.today);
    const calendar_kind cal = fa() ? calendar_kind::persian : calendar_kind::gregorian;
    switch (*previous_step_) {
      case grain::year: slot.when = year_period(cal, d.year - 1); break;
      case grain::month:
      case grain::quarter: {
        const int size = *previous_step_ == grain::month ? 1 : 3;
        int first = d.year * 12 + (d.month - 1) / size * size - size;
        slot.when = months_period(cal, first / 12, first % 12 + 1, first % 12 + size);
        break;
      }
      case grain::week:
      case grain::day: {
        const int size = *previous_step_ == grain::week ? 7 : 1;
        const int weekday = iso_weekday(clock.today);
        const int into = size == 1 ? 0 : cal == calendar_kind::persian ? (weekday + 1) % 7 : weekday - 1;
        slot.when.calendar = cal;
        slot.when.unit = *previous_step_;
        slot.when.first = clock.today - into - size;
        slot.when.last = clock.today - into - 1;
        break;
      }
    }
    slot.when.words = m_[previous_mark_].words;
    slot.mark = previous_mark_;
    periods_.push_back(slot);
    previous_step_.reset();
  }
  if (to_date_) {
    // "never so far" is never at all.
    const bool denied = any(gram::not_) || any(gram::without) ||
                        std::any_of(m_.begin(), m_.end(), [](const mark& m) { return m.negated_event >= 0; });
    if (periods_.empty() && denied) {
      // No limit of time.
    } else if (periods_.empty()) {
      period p;
      p.calendar = fa() ? calendar_kind::persian : calendar_kind::gregorian;
      p.last = context_.today;
      period_slot slot;
      slot.when = p;
      periods_.push_back(slot);
    } else {
      period& p = periods_.back().when;
      if (!p.last || *p.last > context_.today) {
        p.last = context_.today;
        p.calendar_aligned = false;
      }
    }
  }
  settle_calendar();
}

// "Bahman … 1402" apart, "Q1 sales in 2024"; a month that stays without a year waits for the frame.
void interpreter::join_month_and_year() {
  for (std::size_t i = 0; i < periods_.size(); ++i) {
    if (!periods_[i].when.month_of_any_year) continue;
    for (std::size_t j = 0; j < periods_.size(); ++j) {
      const period& y = periods_[j].when;
      if (i == j || y.month_of_any_year || !y.calendar_aligned || y.unit != grain::year || periods_[j].taken) continue;
      if (y.calendar != periods_[i].when.calendar && periods_[i].when.unit == grain::month &&
          periods_[i].when.month_count == 1)
        continue;
      civil_date d = date_in(y.calendar, *y.first);
      if (y.fiscal && y.fiscal_year > 0) {
        const int month = *periods_[i].when.month_of_any_year, count = periods_[i].when.month_count;
        const auto month_at = [&](int index) {
          return months_period(y.calendar, index / 12, index % 12 + 1, index % 12 + 1);
        };
        period inside;
        if (count > 1) {
          // "FY2024 Q2", "the first half of …": quarters and halves are counted from its start.
          const int at = d.year * 12 + d.month - 1 + month - 1;
          inside = month_at(at);
          inside.last = month_at(at + count - 1).last;
          inside.unit = periods_[i].when.unit;
        }
        // "March of fiscal year 2024": the one that lies in it.
        for (const int year : {d.year, d.year + 1}) {
          if (count > 1) break;
          period p = months_period(y.calendar, year, month, month);
          if (*p.first >= *y.first && *p.last <= *y.last) inside = p;
        }
        if (!inside.first) continue;
        inside.words = periods_[i].when.words + " " + y.words;
        periods_[i].when = inside;
        periods_.erase(periods_.begin() + static_cast<std::ptrdiff_t>(j));
        --i;
        break;
      }
      if (date_in(y.calendar, *y.last).year != d.year) continue;
      const int first = *periods_[i].when.month_of_any_year;
      period joined = months_period(y.calendar, d.year, first, first + periods_[i].when.month_count - 1);
      joined.words = periods_[i].when.words + " " + y.words;
      periods_[i].when = joined;
      periods_.erase(periods_.begin() + static_cast<std::ptrdiff_t>(j));
      --i;
      break;
    }
    if (i == static_cast<std::size_t>(-1)) i = 0;
  }
  // "March and April 2024": the year belongs to both.
  for (period_slot& p : periods_) {
    if (!p.when.month_of_any_year) continue;
    for (const period_slot& other : periods_) {
      if (other.when.month_of_any_year || !other.when.calendar_aligned || other.when.calendar != p.when.calendar ||
          other.when.unit == grain::year) {
        continue;
      }
      int year = date_in(p.when.calendar, *other.when.first).year;
      const int first = *p.when.month_of_any_year;
      std::string words = p.when.words;
      p.when = months_period(p.when.calendar, year, first, first + p.when.month_count - 1);
      p.when.words = words;
      break;
    }
  }
}

// Dates of a fiscal year that nobody declared would be a guess.
void interpreter::ask_fiscal(const mark& m) {
  const fiscal_year* rule = time_.fiscal;
  std::vector<clarify_option> options;
  const std::string_view text = m.words;
  std::string year;
  for (std::size_t k = m.at; k < m.at + m.length; ++k) {
    if (read_.words[k].is_number()) year = read_.words[k].text;
  }
  if (rule == nullptr && year.size() == 4) {
    clarify_option o;
    o.label = say("the calendar year ", "سال تقویمی ") + year;
    o.value = replaced(m, fa() ? "سال " + year : year);
    options.push_back(std::move(o));
  }
  if (rule == nullptr) {
    ask(fa() ? "لایه معنایی سال مالی را تعریف نکرده است؛ «" + std::string(text) + "» از کی تا کی است؟"
             : "The semantic layer does not say when the fiscal year starts; from which day to which is \"" +
                   std::string(text) + "\"?",
        std::move(options));
    return;
  }
  const bool persian = rule->calendar == calendar_kind::persian;
  ask(fa() ? std::string("سال مالی این داده‌ها ") + (persian ? "شمسی" : "میلادی") +
                 " است؛ کدام سال مالی؟"
           : std::string("Fiscal years of these data are years of the ") + (persian ? "Persian" : "Gregorian") +
                 " calendar; which one do you mean?");
}

void interpreter::settle_calendar() {
  q_.lang = lang_;
  bool persian = fa();
  if (persian_cue_ != gregorian_cue_) persian = persian_cue_;
  for (const mark& m : m_) {
    // "Persian months", "ماه میلادی"
    if (m.is_grain() && m.words.find(' ') != std::string::npos) {
      const std::string& calendar = read_.words[m.at].text;  // folded
      if (calendar == "gregorian") persian = false;
      if (calendar == "persian" || calendar == "jalali" || calendar == "shamsi") persian = true;
    }
  }
  q_.calendar = persian ? calendar_kind::persian : calendar_kind::gregorian;
}

}  // namespace dragoman::nlq
