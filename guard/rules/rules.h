// One declaration per rule; each lives in the file of its name.
#pragma once

#include <optional>

#include "base/result.h"

namespace dragoman::guard {

struct check_context;

std::optional<failure> check_constructs(check_context&);       // constructs.cc
std::optional<failure> check_columns(check_context&);          // columns.cc
std::optional<failure> check_join_only(check_context&);        // join_only.cc
std::optional<failure> check_functions(check_context&);        // functions.cc
std::optional<failure> check_table_reference(check_context&);  // table_reference.cc
std::optional<failure> check_datasource(check_context&);       // datasource.cc
std::optional<failure> check_hints(check_context&);            // hints.cc
std::optional<failure> check_complexity(check_context&);       // complexity.cc
std::optional<failure> check_row_count(check_context&);        // row_count.cc
std::optional<failure> check_required(check_context&);         // required.cc

}  // namespace dragoman::guard
