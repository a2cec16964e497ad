// Turns an upstream's diagnostics into what a client may read.
//
// A number whose text speaks only of the statement (types, functions, limits) is relayed as it is. A text that quotes
// values of rows is reworded without them, under its own number. Everything else may name objects, hosts or values
// that the principal does not know: the client gets a plain sentence with an error id, the log gets the text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "proxy/upstream/odbc.h"
#include "proxy/upstream/options.h"
#include "proxy/upstream/statement.h"

namespace dragoman::upstream {

struct classified {
  failure error;
  std::string error_id;  // empty when nothing was withheld
};

// `records` must hold at least one that is no warning, otherwise the outcome is an internal upstream_error.
classified classify(const std::vector<diagnostic>& records, bool own_texts = false);

// The warnings among them, as messages.
void collect_messages(const std::vector<diagnostic>& records, std::vector<message>& out, bool own_texts = false);

// Eight hexadecimal digits, unique enough to find one line of a log.
std::string new_error_id();

// One line of the log about a connection. A client of our own gateway has the same in its answer and logs it only on
// request.
template <class... Args>
void log_trouble(const options& o, fmt::format_string<Args...> text, Args&&... args) {
  if (o.own_texts)
    log::debug(text, std::forward<Args>(args)...);
  else
    log::warn(text, std::forward<Args>(args)...);
}

}  // namespace dragoman::upstream
