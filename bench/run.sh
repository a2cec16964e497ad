#!/usr/bin/env bash
# Runs the benchmarks of a built tree. usage: bench/run.sh BUILD_DIR [--peers] [--quick] [measure]...
# Writes BUILD_DIR/bench.json and the figures of docs/benchmarks.md. --peers installs sqlglot from PyPI, into a virtual
# environment under BUILD_DIR, and compares with it.
set -euo pipefail
build=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
options=()
peers=
for word in "$@"; do
  case "$word" in
    --peers) peers=$build/peers ;;
    *) options+=("$word") ;;
  esac
done
if [ -n "$peers" ]; then
  [ -x "$peers/bin/python" ] || python3 -m venv "$peers" || echo "bench: python3 has no venv" >&2
  if "$peers/bin/python" -c 'import sqlglot' 2>/dev/null ||
      "$peers/bin/python" -m pip install --quiet --disable-pip-version-check sqlglot; then
    options+=(--peers "$peers/bin/python")
  else
    echo "bench: sqlglot could not be installed; the comparison is not run" >&2
  fi
fi
exec "$build/bench/dragoman_bench" --build "$build" --out "$build/bench.json" --page "$here/docs/benchmarks.md" "${options[@]}"
