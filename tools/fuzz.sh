#!/usr/bin/env bash
# Builds every fuzz target with clang's libFuzzer, ASan and UBSan, and runs each for the given seconds (60).
# Two run at a time. Inputs that were found interesting stay in build-fuzz/corpus/<target>.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
build=${2:-build-fuzz}
export CC=clang CXX=clang++
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="" -DDRAGOMAN_BENCH=OFF -DDRAGOMAN_UNITY=ON \
  -DDRAGOMAN_TESTS=OFF -DDRAGOMAN_FUZZ=ON -DDRAGOMAN_SANITIZE=address,undefined >/dev/null
targets=()
for source in tests/fuzz/fuzz_*.cc; do targets+=("$(basename "$source" .cc)"); done
cmake --build "$build" -j"$(nproc)" --target "${targets[@]}"
run_one() {
  local target=$1
  mkdir -p "$build/corpus/$target"
  local seeds=()
  [ -d "tests/fuzz/seeds/${target#fuzz_}" ] && seeds=("tests/fuzz/seeds/${target#fuzz_}")
  local binary
  binary=$(find "$build" -name "$target" -type f -perm -u+x | head -n 1)
  if "$binary" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
      -artifact_prefix="$build/$target-" "$build/corpus/$target" "${seeds[@]}" >"$build/$target.log" 2>&1; then
    echo "fuzz: $target clean, $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$build/$target.log" | grep -o '[0-9]*$') runs in $seconds s"
  else
    echo "fuzz: $target FAILED"; tail -n 40 "$build/$target.log"; return 1
  fi
}
export -f run_one; export build seconds
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'run_one {}'
