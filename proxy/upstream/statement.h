// What is asked of the upstream, and how it ended. No ODBC here: these are the types that the rest of the product sees.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql_value.h"

namespace dragoman::upstream {

// A parameter of the statement, `@name` in its text. The upstream gets it as a parameter of sp_executesql, never as
// text. The type decides how the value is declared; a null_value is a NULL of that type.
struct parameter {
  std::string name;  // with its @
  sql_type type;
  sql_value value;
};

// SET options that change answers. Kept per session by the caller, brought to a leased connection only where they
// differ from what it has. An option that is not named has the connection's default.
class session_settings {
 public:
  // Takes one SET option, e.g. ("DATEFIRST", "1"), ("LANGUAGE", "Deutsch"), ("ANSI_NULLS", "off"). Names and values are
  // checked against a list and kept in one spelling, so nothing of a client's text reaches the upstream by this road.
  // errc::bad_argument for a value that does not fit; errc::unsupported_construct for a name that is not tracked.
  result<void> set(std::string_view name, std::string_view value);
  void clear() noexcept { values_.clear(); }
  const std::map<std::string, std::string, std::less<>>& values() const noexcept { return values_; }
  bool operator==(const session_settings&) const = default;

  // These settings, and those of `base` where they name none.
  session_settings over(const session_settings& base) const;
  // The SET statements that lead from `current` to this; empty when they agree.
  std::string difference_from(const session_settings& current) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;  // upper-case name to normalised value
};

struct statement {
  std::string sql;  // UTF-8, printed by the guard: strings in '…' and names in […] only, no comments
  std::vector<parameter> parameters;
  std::chrono::milliseconds timeout{0};  // of the upstream's work, not of a slow reader; 0 = options::query_timeout
  std::chrono::milliseconds lease_timeout{0};  // waiting for a connection; 0 = options::lease_timeout
  std::uint64_t row_cap = 0;                   // rows over all result sets, then the rest is cut; 0 = none
  session_settings settings;
};

// An INFO message of the upstream (PRINT, warnings), already without driver prefixes.
struct message {
  std::int32_t number = 0;
  std::string text;
};

// The end of a statement, whichever way.
struct outcome {
  std::optional<failure> error;  // none = all rows were delivered (or cut, see below)
  std::string error_id;          // when the upstream's own text was withheld: names the log line that has it
  std::uint64_t rows = 0;
  bool rows_cut = false;    // the row cap was reached
  bool stopped = false;     // the receiver wanted no more, or cancel was called
  bool rows_begun = false;  // on_columns was called: a response is under way
  std::vector<message> messages;
  std::chrono::microseconds lease_time{0};  // waiting for a connection, connecting included
  std::chrono::microseconds first_time{0};  // from the lease to the first columns
  std::chrono::microseconds total_time{0};  // from execute to the end
};

}  // namespace dragoman::upstream
