#!/usr/bin/env bash
# Builds the unit tests that run threads with ThreadSanitizer and runs them.
#   tools/sanitize_threads.sh [BUILD_DIR [TEST…]]
# unixODBC and FreeTDS are not built with it: what goes on inside them is not judged (tools/tsan.supp).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-tsan}
tools/install_packages.sh build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="" -DDRAGOMAN_BENCH=OFF -DDRAGOMAN_UNITY=ON \
  -DDRAGOMAN_SANITIZE=thread >/dev/null
tests=("${@:2}")
[ ${#tests[@]} -gt 0 ] || tests=(tds_server upstream proxy)
cmake --build "$build" -j"$(nproc)" --target "${tests[@]/#/test_}"
export TSAN_OPTIONS=suppressions=$PWD/tools/tsan.supp:halt_on_error=0:exitcode=66:second_deadlock_stack=1
export DRAGOMAN_SANITIZED=1
ctest --test-dir "$build" --output-on-failure --timeout 900 -R "^($(IFS='|'; echo "${tests[*]}"))\$"
