// Which columns hold what should not be read into words of questions or shown to a model: by their names (English,
// Persian, Persian in Latin letters) and by the shape of their values. A guess for a person to review.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql_type.h"

namespace dragoman::nlq {

enum class sensitive_kind : std::uint8_t {
  email,
  phone,
  national_id,  // of a person: Iran's, a social security or passport number
  card,         // number of a bank card
  account,      // IBAN or number of a bank account
  salary,
  birth_date,
  credential  // password, token, key, or a hash of one
};

// "national_id", as a semantics file has it; and in words: "a person's identity number".
std::string_view name_of(sensitive_kind) noexcept;
std::string_view words_of(sensitive_kind) noexcept;

// By the column's name, where a column of this type could hold it ("phone_verified bit" holds none).
std::optional<sensitive_kind> sensitive_by_name(std::string_view column, const sql_type&);

// By values: most of them must have one shape. Check digits decide where there are any.
std::optional<sensitive_kind> sensitive_by_values(const std::vector<std::string>& values);

// Either; the name first.
std::optional<sensitive_kind> looks_sensitive(std::string_view column, const sql_type&,
                                              const std::vector<std::string>& values);

}  // namespace dragoman::nlq
