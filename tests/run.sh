#!/usr/bin/env bash
# All tests: the unit tests of every folder, then the real clients. usage: tests/run.sh BUILD_DIR [--all-clients]
# The last line is the summary; exit status 1 when anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tests/run.sh BUILD_DIR [--all-clients]}
clients=()
[ "${2:-}" = "--all-clients" ] && clients=(--all --page docs/clients.md)
ctest --test-dir "$build" --output-on-failure --timeout 600 2>&1 | tee "$build/ctest.log"
unit=${PIPESTATUS[0]}
python3 tests/clients/run.py --build "$build" "${clients[@]}" 2>&1 | tee "$build/clients.log"
real=${PIPESTATUS[0]}
summary=$(grep -E '^[0-9]+% tests passed' "$build/ctest.log" | tail -n 1)
echo
echo "unit: ${summary:-none ran}; $(tail -n 1 "$build/clients.log")"
[ "$unit" -eq 0 ] && [ "$real" -eq 0 ]
