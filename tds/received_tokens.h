// The tokens of a response other than COLMETADATA and rows, MS-TDS 2.2.7, for the side that reads (TDS 7.2 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "tds/token_writer.h"

namespace dragoman::tds {

// ERROR and INFO.
struct received_message {
  std::int32_t number = 0;
  std::uint8_t state = 0;
  std::uint8_t severity = 0;
  std::string text;  // UTF-8
};

// DONE, DONEPROC, DONEINPROC.
struct received_done {
  std::uint16_t status = 0;
  std::uint64_t rows = 0;
};

// How many bytes the token at the beginning takes. nullopt: not all of it is there, or it is none of them (`in` need
// not be told apart here: a response's bytes end).
std::optional<std::size_t> token_size(byte_span in);
bool is_known_token(std::uint8_t token) noexcept;  // one that token_size can measure

// `in` is the whole token.
std::optional<received_message> read_message(byte_span in);
received_done read_done(byte_span in);

}  // namespace dragoman::tds
