#!/usr/bin/env bash
# Builds the unit tests that run threads with ThreadSanitizer and runs them; or the program itself, through a few real
# clients.
#   tools/sanitize_threads.sh [BUILD_DIR [TEST…]]
#   tools/sanitize_threads.sh --clients [BUILD_DIR]
# unixODBC and FreeTDS are not built with it: what goes on inside them is not judged (tools/tsan.supp).
set -euo pipefail
cd "$(dirname "$0")/.."
clients=
if [ "${1:-}" = "--clients" ]; then clients=1; shift; fi
build=${1:-build-tsan}
tools/install_packages.sh build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="" -DDRAGOMAN_BENCH=OFF -DDRAGOMAN_UNITY=ON \
  -DDRAGOMAN_SANITIZE=thread >/dev/null
export TSAN_OPTIONS=suppressions=$PWD/tools/tsan.supp:halt_on_error=0:exitcode=66:second_deadlock_stack=1
export DRAGOMAN_SANITIZED=1
if [ -n "$clients" ]; then
  cmake --build "$build" -j"$(nproc)" --target dragoman model_server
  exec python3 tests/clients/run.py --build "$build" --all --only tsql,bsqldb,isql,tedious
fi
tests=("${@:2}")
[ ${#tests[@]} -gt 0 ] || tests=(tds_server upstream proxy)
cmake --build "$build" -j"$(nproc)" --target "${tests[@]/#/test_}"
ctest --test-dir "$build" --output-on-failure --timeout 900 -R "^($(IFS='|'; echo "${tests[*]}"))\$"
