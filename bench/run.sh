#!/usr/bin/env bash
# Runs the benchmarks of a built tree. usage: bench/run.sh BUILD_DIR [--peers] [--quick] [measure]...
# Writes BUILD_DIR/bench.json and the figures of docs/benchmarks.md.
set -euo pipefail
build=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
options=()
for word in "$@"; do
  case "$word" in
    --peers) echo "bench: peers are measured where their programs are installed; none is installed by this script" >&2 ;;
    *) options+=("$word") ;;
  esac
done
exec "$build/bench/dragoman_bench" --build "$build" --out "$build/bench.json" --page "$here/docs/benchmarks.md" "${options[@]}"
