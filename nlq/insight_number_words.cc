#include "nlq/insight_number_words.h"

#include <unordered_map>

namespace dragoman::nlq {

const number_word* find_number_word(std::u32string_view word) {
  using enum word_sort;
  // clang-format off
  static const std::unordered_map<std::u32string_view, number_word> all = {
      {U"zero", {small, 0}}, {U"one", {small, 1}}, {U"two", {small, 2}}, {U"three", {small, 3}},
      {U"four", {small, 4}}, {U"five", {small, 5}}, {U"six", {small, 6}}, {U"seven", {small, 7}},
      {U"eight", {small, 8}}, {U"nine", {small, 9}}, {U"ten", {small, 10}}, {U"eleven", {small, 11}},
      {U"twelve", {small, 12}}, {U"thirteen", {small, 13}}, {U"fourteen", {small, 14}}, {U"fifteen", {small, 15}},
      {U"sixteen", {small, 16}}, {U"seventeen", {small, 17}}, {U"eighteen", {small, 18}},
      {U"nineteen", {small, 19}}, {U"twenty", {small, 20}}, {U"thirty", {small, 30}}, {U"forty", {small, 40}},
      {U"fifty", {small, 50}}, {U"sixty", {small, 60}}, {U"seventy", {small, 70}}, {U"eighty", {small, 80}},
      {U"ninety", {small, 90}}, {U"hundred", {hundred, 100}}, {U"dozen", {hundred, 12}},
      {U"thousand", {multiplier, 1e3L}}, {U"lakh", {multiplier, 1e5L}}, {U"million", {multiplier, 1e6L}},
      {U"crore", {multiplier, 1e7L}}, {U"billion", {multiplier, 1e9L}}, {U"trillion", {multiplier, 1e12L}},
      {U"quadrillion", {multiplier, 1e15L}}, {U"dozens", {many, 0}}, {U"hundreds", {many, 0}},
      {U"thousands", {many, 0}}, {U"lakhs", {many, 0}}, {U"millions", {many, 0}}, {U"crores", {many, 0}},
      {U"billions", {many, 0}}, {U"trillions", {many, 0}}, {U"bps", {many, 0}}, {U"percent", {percent, 0}},
      {U"pct", {percent, 0}}, {U"percentage", {percent, 0}}, {U"pp", {percent, 0}}, {U"times", {times, 0}},
      {U"fold", {times, 0}}, {U"twice", {twice, 2}}, {U"double", {twice, 2}}, {U"doubled", {twice, 2}},
      {U"doubles", {twice, 2}}, {U"doubling", {twice, 2}}, {U"thrice", {twice, 3}}, {U"triple", {twice, 3}},
      {U"tripled", {twice, 3}}, {U"tripling", {twice, 3}}, {U"quadruple", {twice, 4}}, {U"quadrupled", {twice, 4}},
      {U"tenfold", {twice, 10}}, {U"twofold", {twice, 2}}, {U"threefold", {twice, 3}}, {U"half", {half, .5L}},
      {U"halved", {half, .5L}}, {U"halves", {half, .5L}}, {U"first", {ordinal, 1}}, {U"second", {ordinal, 2}},
      {U"third", {denominator, 3}}, {U"thirds", {denominator, 3}}, {U"quarter", {denominator, 4}},
      {U"quarters", {denominator, 4}}, {U"fourth", {denominator, 4}}, {U"fourths", {denominator, 4}},
      {U"fifth", {denominator, 5}}, {U"fifths", {denominator, 5}}, {U"sixth", {denominator, 6}},
      {U"seventh", {denominator, 7}}, {U"eighth", {denominator, 8}}, {U"eighths", {denominator, 8}},
      {U"ninth", {denominator, 9}}, {U"tenth", {denominator, 10}}, {U"tenths", {denominator, 10}},
      {U"صفر", {small, 0}}, {U"یک", {small, 1}}, {U"دو", {small, 2}}, {U"سه", {small, 3}}, {U"چهار", {small, 4}},
      {U"پنج", {small, 5}}, {U"شش", {small, 6}}, {U"هفت", {small, 7}}, {U"هشت", {small, 8}}, {U"نه", {small, 9}},
      {U"ده", {small, 10}}, {U"یازده", {small, 11}}, {U"دوازده", {small, 12}}, {U"سیزده", {small, 13}},
      {U"چهارده", {small, 14}}, {U"پانزده", {small, 15}}, {U"شانزده", {small, 16}}, {U"هفده", {small, 17}},
      {U"هجده", {small, 18}}, {U"نوزده", {small, 19}}, {U"بیست", {small, 20}}, {U"سی", {small, 30}},
      {U"چهل", {small, 40}}, {U"پنجاه", {small, 50}}, {U"شصت", {small, 60}}, {U"هفتاد", {small, 70}},
      {U"هشتاد", {small, 80}}, {U"نود", {small, 90}}, {U"صد", {hundred, 100}}, {U"یکصد", {small, 100}},
      {U"دویست", {small, 200}}, {U"سیصد", {small, 300}}, {U"چهارصد", {small, 400}}, {U"پانصد", {small, 500}},
      {U"ششصد", {small, 600}}, {U"هفتصد", {small, 700}}, {U"هشتصد", {small, 800}}, {U"نهصد", {small, 900}},
      {U"هزار", {multiplier, 1e3L}}, {U"میلیون", {multiplier, 1e6L}}, {U"میلیارد", {multiplier, 1e9L}},
      {U"بیلیون", {multiplier, 1e12L}}, {U"تریلیون", {multiplier, 1e12L}}, {U"هزاران", {many, 0}},
      {U"صدها", {many, 0}}, {U"دهها", {many, 0}}, {U"میلیونها", {many, 0}}, {U"میلیاردها", {many, 0}},
      {U"درصد", {percent, 0}}, {U"برابر", {times, 0}}, {U"نصف", {half, .5L}}, {U"نیم", {half, .5L}},
      {U"نیمی", {half, .5L}}, {U"ثلث", {half, 1.0L / 3}}, {U"ربع", {half, .25L}}, {U"اول", {ordinal, 1}},
      {U"نخست", {ordinal, 1}}, {U"دوم", {denominator, 2}}, {U"سوم", {denominator, 3}}, {U"چهارم", {denominator, 4}},
      {U"پنجم", {denominator, 5}}, {U"ششم", {denominator, 6}}, {U"هفتم", {denominator, 7}},
      {U"هشتم", {denominator, 8}}, {U"نهم", {denominator, 9}}, {U"دهم", {denominator, 10}}, {U"صدم", {many, 0}},
  };
  // clang-format on
  const auto found = all.find(word);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace dragoman::nlq
