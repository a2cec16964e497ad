// Whether a statement already does what a business rule asks for. Internal to guard/.
#pragma once

#include "guard/context.h"

namespace dragoman::guard {

bool has_required_filter(const check_context&, std::uint32_t source, const required_filter&);
bool has_required_join(const check_context&, std::uint32_t source, const required_join&);

}  // namespace dragoman::guard
