#!/usr/bin/env bash
# Every C++ file as clang-format 14 with the tree's .clang-format writes it; --fix rewrites them.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || tools/install_packages.sh fuzz
mapfile -t files < <(git ls-files '*.h' '*.cc')
if [ "${1:-}" = "--fix" ]; then clang-format -i "${files[@]}"; exit 0; fi
bad=0
for file in "${files[@]}"; do
  if ! clang-format "$file" | cmp -s - "$file"; then echo "format: $file"; bad=$((bad + 1)); fi
done
echo "format: ${#files[@]} files, $bad to be formatted"
[ "$bad" -eq 0 ]
