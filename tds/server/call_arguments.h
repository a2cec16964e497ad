// The arguments of the system procedures of a session, read by position, and the errors of wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tds/rpc_request.h"
#include "tds/server/response.h"

namespace dragoman::tds::server {

inline constexpr std::string_view handle_name = "handle";  // tedious looks for it without an @

failure no_such_handle(std::int32_t handle);                                  // 8179
failure missing_argument(std::string_view procedure, std::string_view name);  // 201
failure numbered(errc code, std::int32_t number, std::string text);

// The text of an argument; NULL and an empty one are the same. 201 where it is absent, 214 where it is no text.
result<std::string> text_of(rpc_call& call, std::size_t index, std::string_view name);
// Of an absent argument, a NULL and what is no whole number: nothing.
std::optional<std::int32_t> integer_of(const rpc_call& call, std::size_t index);

const sql_type& handle_type();  // int

// The error, and its number as the return status.
void fail_call(response& out, const failure& f);
// The new value of an argument that the client sent as OUTPUT; others get none.
void return_integer(response& out, const rpc_call& call, std::size_t index, std::int64_t value);

}  // namespace dragoman::tds::server
