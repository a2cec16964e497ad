// An answer on a terminal: messages, then the grid, then what went wrong.
#pragma once

#include <iosfwd>
#include <string_view>

#include "proxy/own_client.h"

namespace dragoman::proxy {

void print_answer(std::ostream& out, const client_answer& answer, std::size_t rows_max);
// JSON lines or CSV, for `ask --out`.
void print_csv(std::ostream& out, const client_answer& answer);
void print_json(std::ostream& out, const client_answer& answer);

}  // namespace dragoman::proxy
