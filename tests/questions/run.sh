#!/usr/bin/env bash
# Asks every question of the demo set and fails below 97 % right rows, at one wrong answer, or at an unsafe one that got
# rows. usage: run.sh DRAGOMAN
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
set_file="$root/../shared/data/demo_questions.jsonl"
if [ ! -f "$set_file" ]; then
  echo "demo questions: not run, ../shared is absent"
  exit 77
fi
exec "$1" eval --set "$set_file" --config "$root/conf/demo/dragoman.yaml" --now 2025-03-10 --size small \
  --min-right 97 --max-wrong 0
