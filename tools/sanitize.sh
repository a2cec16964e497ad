#!/usr/bin/env bash
# Builds unit tests with AddressSanitizer and UndefinedBehaviorSanitizer (leaks included) and runs them; then the
# program itself, through a few real clients.
#   tools/sanitize.sh [BUILD_DIR [TEST…]]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-asan}
tools/install_packages.sh build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="" -DDRAGOMAN_BENCH=OFF -DDRAGOMAN_UNITY=ON \
  -DDRAGOMAN_SANITIZE=address,undefined >/dev/null
tests=("${@:2}")
[ ${#tests[@]} -gt 0 ] || tests=(base catalog tsql guard tds tds_server llm retrieval nlq sandbox demo upstream proxy)
cmake --build "$build" -j"$(nproc)" --target "${tests[@]/#/test_}" dragoman model_server
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:strict_string_checks=1
export LSAN_OPTIONS=suppressions=$PWD/tools/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export DRAGOMAN_SANITIZED=1
ctest --test-dir "$build" --output-on-failure --timeout 600 -R "^($(IFS='|'; echo "${tests[*]}"))\$"
# All of the unit tests: the gateway too, as clients meet it. Reports end it with another status than 0.
[ $# -gt 1 ] || python3 tests/clients/run.py --build "$build" --all --only tsql,bsqldb,isql,tedious
