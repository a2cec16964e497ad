// The question gate: what is turned away before it is understood at all.
//
// Length, emptiness and gibberish, SQL behind or inside a question, orders to forget the rules, requests to change
// data. One standard sentence per language answers them all; which rule matched is for the audit only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nlq/semantics.h"
#include "nlq/text_tokens.h"

namespace dragoman::nlq {

// The name of the rule that turns the question away: empty, too_long, gibberish, confusable, injection, write.
std::optional<std::string> gate(std::string_view question, const tokens&);

std::string standard_refusal(language);

}  // namespace dragoman::nlq
