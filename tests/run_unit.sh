#!/usr/bin/env bash
# The unit tests of every folder. usage: tests/run_unit.sh BUILD_DIR
set -euo pipefail
ctest --test-dir "$1" --output-on-failure --timeout 600
