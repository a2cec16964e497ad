// Whether a word may be a slip of the pen for another. Internal to nlq/.
#pragma once

#include <string_view>

namespace dragoman::nlq {

// Folded UTF-8 words. One edit apart, and of a kind that fingers make: two letters swapped, a letter left out inside
// the word, one doubled or caught beside its key, one taken for its neighbour on the keyboard or for a letter that
// sounds the same. "Ramadan" is no slip for "Hamadan", "loyal" none for "local": other edits make other words.
bool is_slip(std::string_view written, std::string_view known);

}  // namespace dragoman::nlq
