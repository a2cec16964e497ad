// Words by which a sentence about figures is judged, in small letters as nlq/insight_figures.h makes them. Internal.
#pragma once

#include <string_view>

namespace dragoman::nlq {

bool is_order_word(std::u32string_view);    // asks the reader to do something, or speaks of secrets
bool is_opening_word(std::u32string_view);  // English: may begin a sentence with a capital letter
bool is_falling_word(std::u32string_view);  // turns a negative number into an unsigned one
bool is_highest_word(std::u32string_view);
bool is_lowest_word(std::u32string_view);
bool is_rank_word(std::u32string_view);        // "second", "دوم": behind the extreme
bool is_difference_word(std::u32string_view);  // "more", "gap", "rose": a number may be a difference of two
bool is_total_word(std::u32string_view);       // "of the total"
bool is_calendar_name(std::u32string_view);    // a month
int month_of(std::u32string_view);             // 1 to 12 Gregorian, 101 to 112 Persian; 0: none

}  // namespace dragoman::nlq
