// Parameters on their way to sp_executesql.
//
// FreeTDS sends a statement with `?` markers as sp_executesql with parameters @P1, @P2, … in the order of the markers.
// So the first use of a parameter becomes `?` and every later one the name that the driver will give it: the upstream
// then sees one parameter, not several of equal value (which would break GROUP BY @p and plan reuse). Types that the
// driver cannot declare exactly (datetime, money, time …) are cast in the text.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/result.h"
#include "proxy/upstream/odbc.h"
#include "proxy/upstream/statement.h"

namespace dragoman::upstream {

// The text with its markers, and which parameter each marker stands for. Errors: 137 for a @name that has no
// parameter. @@names are left alone. A parameter that the text does not use is left out.
struct marked_text {
  std::string sql;
  std::vector<std::size_t> order;  // position in `parameters` of the first, second … marker
};
result<marked_text> mark_parameters(const std::string& sql, const std::vector<parameter>& parameters);

// What the parameters are cast to in the text; empty where the driver declares the type itself.
std::string cast_type_of(const sql_type& type);

// Owns what is bound, until the statement was executed.
class bound_parameters {
 public:
  result<void> bind(SQLHSTMT statement, const marked_text& text, const std::vector<parameter>& parameters);

 private:
  struct buffer {
    std::vector<std::uint8_t> data;
    SQLLEN indicator = 0;
  };
  std::deque<buffer> buffers_;  // stable addresses
};

}  // namespace dragoman::upstream
