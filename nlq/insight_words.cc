#include "nlq/insight_words.h"

#include <unordered_map>
#include <unordered_set>

namespace dragoman::nlq {

namespace {

using word_set = std::unordered_set<std::u32string_view>;

const std::unordered_map<std::u32string_view, int>& months_in_prose() {
  static const std::unordered_map<std::u32string_view, int> all = {
      {U"january", 1},       {U"february", 2},  {U"march", 3},      {U"april", 4},     {U"may", 5},
      {U"june", 6},          {U"july", 7},      {U"august", 8},     {U"september", 9}, {U"october", 10},
      {U"november", 11},     {U"december", 12}, {U"jan", 1},        {U"feb", 2},       {U"mar", 3},
      {U"apr", 4},           {U"jun", 6},       {U"jul", 7},        {U"aug", 8},       {U"sep", 9},
      {U"sept", 9},          {U"oct", 10},      {U"nov", 11},       {U"dec", 12},      {U"farvardin", 101},
      {U"ordibehesht", 102}, {U"khordad", 103}, {U"tir", 104},      {U"mordad", 105},  {U"shahrivar", 106},
      {U"mehr", 107},        {U"aban", 108},    {U"azar", 109},     {U"dey", 110},     {U"bahman", 111},
      {U"esfand", 112},      {U"فروردین", 101}, {U"اردیبهشت", 102}, {U"خرداد", 103},   {U"تیر", 104},
      {U"مرداد", 105},       {U"شهریور", 106},  {U"آبان", 108},     {U"آذر", 109},     {U"بهمن", 111},
      {U"اسفند", 112},       {U"ژانویه", 1},    {U"فوریه", 2},      {U"مارس", 3},      {U"آوریل", 4},
      {U"ژوئن", 6},          {U"ژوئیه", 7},     {U"اوت", 8},        {U"سپتامبر", 9},   {U"اکتبر", 10},
      {U"نوامبر", 11},       {U"دسامبر", 12},
  };
  return all;
}

}  // namespace

bool is_order_word(std::u32string_view w) {
  static const word_set all = {
      U"ignore",     U"disregard", U"instruction", U"instructions", U"prompt", U"password", U"passwords", U"passwd",
      U"secret",     U"secrets",   U"credential",  U"credentials",  U"click",  U"visit",    U"download",  U"login",
      U"email",      U"contact",   U"phone",       U"call",         U"send",   U"transfer", U"pay",       U"execute",
      U"sql",        U"drop",      U"delete",      U"you",          U"your",   U"please",   U"must",      U"assistant",
      U"system",     U"http",      U"https",       U"url",          U"link",   U"website",  U"نادیده",    U"دستور",
      U"دستورالعمل", U"رمز",       U"گذرواژه",     U"کلیک",         U"لینک",   U"پیوند",    U"نشانی",     U"تماس",
      U"دانلود",     U"ایمیل",     U"رایانامه",    U"وبسایت",       U"سایت",   U"بفرستید",  U"ارسال",     U"واریز",
      U"لطفا",       U"لطفاً",      U"شما",         U"باید",         U"اجرا",   U"حذف",      U"مراجعه",
  };
  return all.contains(w);
}

bool is_opening_word(std::u32string_view w) {
  static const word_set all = {
      U"the",
      U"a",
      U"an",
      U"in",
      U"of",
      U"on",
      U"over",
      U"at",
      U"for",
      U"from",
      U"by",
      U"with",
      U"without",
      U"among",
      U"across",
      U"between",
      U"within",
      U"during",
      U"compared",
      U"overall",
      U"together",
      U"combined",
      U"both",
      U"all",
      U"only",
      U"most",
      U"each",
      U"every",
      U"no",
      U"there",
      U"this",
      U"these",
      U"that",
      U"those",
      U"it",
      U"its",
      U"they",
      U"their",
      U"while",
      U"whereas",
      U"however",
      U"although",
      U"though",
      U"and",
      U"but",
      U"also",
      U"as",
      U"after",
      U"before",
      U"since",
      U"about",
      U"around",
      U"approximately",
      U"roughly",
      U"nearly",
      U"almost",
      U"more",
      U"less",
      U"fewer",
      U"half",
      U"average",
      U"result",
      U"results",
      U"rows",
      U"data",
      U"figures",
      U"values",
      U"value",
      U"share",
      U"shares",
      U"first",
      U"second",
      U"third",
      U"next",
      U"followed",
      U"leading",
      U"lowest",
      U"highest",
      U"largest",
      U"smallest",
      U"top",
      U"bottom",
      U"based",
      U"according",
      U"per",
      U"then",
      U"still",
      U"just",
      U"other",
      U"others",
      U"another",
      U"one",
      U"two",
      U"three",
      U"four",
      U"five",
      U"six",
      U"seven",
      U"eight",
      U"nine",
      U"ten",
      U"eleven",
      U"twelve",
      U"twenty",
      U"thirty",
      U"total",
      U"totals",
      U"sum",
      U"growth",
      U"here",
      U"out",
      U"exactly",
      U"not",
      U"none",
      U"neither",
      U"compare",
      U"twice",
      U"such",
  };
  return all.contains(w);
}

bool is_falling_word(std::u32string_view w) {
  static const word_set all = {
      U"fell",      U"fall",      U"falls",  U"fallen",   U"falling", U"dropped",   U"drops",   U"decrease",
      U"decreased", U"decreases", U"down",   U"declined", U"decline", U"declines",  U"lower",   U"less",
      U"fewer",     U"loss",      U"losses", U"lost",     U"shrank",  U"reduction", U"reduced", U"negative",
      U"below",     U"کاهش",      U"افت",    U"کمتر",     U"پایین",   U"زیان",      U"منفی",    U"کاسته",
  };
  return all.contains(w);
}

bool is_highest_word(std::u32string_view w) {
  static const word_set all = {U"highest", U"largest", U"biggest",  U"greatest", U"leads",
                               U"led",     U"leading", U"leader",   U"tops",     U"best",
                               U"maximum", U"بیشترین", U"بالاترین", U"بزرگترین", U"پیشتاز"};
  return all.contains(w);
}

bool is_lowest_word(std::u32string_view w) {
  static const word_set all = {U"lowest",  U"smallest", U"fewest",    U"least",   U"minimum",
                               U"weakest", U"کمترین",   U"پایینترین", U"کوچکترین"};
  return all.contains(w);
}

bool is_rank_word(std::u32string_view w) {
  static const word_set all = {U"second", U"third", U"fourth", U"fifth", U"next", U"after", U"followed", U"not",
                               U"behind", U"دوم",   U"سوم",    U"چهارم", U"پنجم", U"پس",    U"بعد",      U"سپس"};
  return all.contains(w);
}

bool is_difference_word(std::u32string_view w) {
  static const word_set all = {
      U"difference", U"differ",   U"differs",   U"gap",       U"margin", U"more",    U"higher",
      U"greater",    U"larger",   U"ahead",     U"behind",    U"above",  U"rose",    U"rise",
      U"rises",      U"risen",    U"rising",    U"grew",      U"grow",   U"grows",   U"growth",
      U"grown",      U"increase", U"increased", U"increases", U"change", U"changed", U"up",
      U"exceeds",    U"exceeded", U"exceeding", U"gained",    U"gain",   U"added",   U"by",
      U"apart",      U"اختلاف",   U"تفاوت",     U"فاصله",     U"بیشتر",  U"بالاتر",  U"پایینتر",
      U"افزایش",     U"رشد",      U"تغییر",     U"جلوتر",     U"عقبتر",  U"بزرگتر",  U"کوچکتر",
  };
  return all.contains(w) || is_falling_word(w);
}

bool is_total_word(std::u32string_view w) {
  static const word_set all = {U"total", U"whole", U"all", U"overall", U"sum", U"کل", U"جمع", U"مجموع", U"همه"};
  return all.contains(w);
}

bool is_calendar_name(std::u32string_view w) {
  return months_in_prose().contains(w);
}

int month_of(std::u32string_view w) {
  const auto found = months_in_prose().find(w);
  return found == months_in_prose().end() ? 0 : found->second;
}

}  // namespace dragoman::nlq
