// The program's log: one line per event on stderr or in a file, through spdlog. Never a secret, never a row.
#pragma once

#include <spdlog/spdlog.h>

namespace dragoman::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

}  // namespace dragoman::log
