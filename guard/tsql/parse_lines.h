// `dragoman parse`: statements by the line, for measuring the parser from outside.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace dragoman::tsql {

// One line of input: id TAB statement [TAB anything]. In the statement \n, \r, \t and \\ are escapes. The answer,
// without a line end: id TAB ok TAB printed, or id TAB error TAB message, escaped the same way. The statement is read
// by parse_query; the message ends in its line and column.
std::string parse_line(std::string_view line);

// Every line of `in`, in its order; empty lines are skipped.
void parse_lines(std::istream& in, std::ostream& out);

// The escapes of the corpora and of this command.
std::string unescape_line(std::string_view text);
std::string escape_line(std::string_view text);

}  // namespace dragoman::tsql
