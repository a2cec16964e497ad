// Limits of the cache of approved statements (proxy/statement_cache.h).
#pragma once

#include <cstddef>

namespace dragoman::limits {

inline constexpr std::size_t statement_cache_bytes = 16 * 1024 * 1024;           // over all principals
inline constexpr std::size_t statement_cache_bytes_max = 1024ull * 1024 * 1024;  // what a site may ask for
inline constexpr std::size_t statement_cache_text_max = 32 * 1024;               // a longer text is never kept

}  // namespace dragoman::limits
