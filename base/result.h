// `result<T>`: a value, or a `failure` that a person can read. Used for every expected failure; exceptions only end a
// session or the program.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/errc.h"

namespace dragoman {

// What went wrong, where, in words. `number` is 0 where reason_of(code).number holds, otherwise it replaces it (an
// upstream's own error, or a SQL Server number narrower than the code's). line and column count from 1; 0 = unknown.
struct failure {
  errc code = errc::internal;
  std::string message;  // UTF-8, a whole sentence; never a secret, never a value of a row
  std::int32_t number = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  failure() = default;
  failure(errc c, std::string text) : code(c), message(std::move(text)) {}
  failure(errc c, std::string text, std::uint32_t at_line, std::uint32_t at_column)
      : code(c), message(std::move(text)), line(at_line), column(at_column) {}

  std::int32_t error_number() const noexcept { return number != 0 ? number : reason_of(code).number; }
  std::uint8_t severity() const noexcept { return reason_of(code).severity; }
};

// Called by boost::system::result when value() is asked of a failure: a defect of the caller.
[[noreturn]] inline void throw_exception_from_error(const failure& f, const boost::source_location&) {
  throw std::logic_error("unchecked failure: " + f.message);
}

template <class T>
using result = boost::system::result<T, failure>;

}  // namespace dragoman
