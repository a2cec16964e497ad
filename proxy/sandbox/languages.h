// The languages of a session (sys.syslanguages): what LOGIN7 and SET LANGUAGE may name, and what each brings along.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::sandbox {

struct language {
  std::string_view name;        // as @@LANGUAGE and ENVCHANGE 2 say it
  std::string_view alias;       // its English name, accepted as well
  std::string_view date_order;  // of SET DATEFORMAT
  std::int32_t first_day;       // of SET DATEFIRST, 1 = Monday
};

// By name or alias, without regard to ASCII case; null for what SQL Server does not know either.
const language* find_language(std::string_view name) noexcept;
const language& default_language() noexcept;  // us_english

// A date order as the style of CONVERT that reads it; -1 for mdy, and for the orders that nobody uses.
int style_of_date_order(std::string_view order) noexcept;

}  // namespace dragoman::sandbox
