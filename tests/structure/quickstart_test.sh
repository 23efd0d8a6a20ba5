#!/usr/bin/env bash
# The quickstart's experiment on the quickstart's collection, with fewer topics: it runs, says that
# the data is synthetic, and gives a picture as real collections do (PRES@100 between 0.3 and 0.7,
# the arms apart, but by less than 0.1).
#   quickstart_test.sh BIN_FOLDER
set -euo pipefail
bin="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { printf '%s\n' "$*"; cat "$folder/said"; exit 1; }

"$bin/quickstart_generate" --out "$folder/data" --seed 1 --topics 60 > /dev/null
"$bin/prescope" index --engine lucenepp --out "$folder/index" "$folder/data/patents.jsonl.gz" \
  > /dev/null 2>&1
"$bin/prescope" replay examples/quickstart/replay.toml --index "$folder/index" \
  --qrels "$folder/data/qrels.txt" --json "$folder/replay.json" > "$folder/said" 2> /dev/null

grep -q 'synthetic' "$folder/said" || fail "the table does not say that the data is synthetic"
grep -q 'synthetic' "$folder/replay.json" || fail "the JSON does not say that the data is synthetic"

# arm topics PRES@100 ...: the first line of each arm under these titles.
pres() { awk -v arm="$1" '$3 == "PRES@100" { on = 1 } on && $1 == arm { print $3; exit }' "$folder/said"; }
tfidf="$(pres tfidf)" bm25="$(pres bm25)"
awk -v a="$tfidf" -v b="$bm25" 'BEGIN {
  between = a > 0.3 && a < 0.7 && b > 0.3 && b < 0.7
  apart = b - a < 0 ? a - b : b - a
  exit !(between && apart > 0 && apart < 0.1)
}' || fail "no realistic picture: PRES@100 is '$tfidf' for tfidf and '$bm25' for bm25"

# In a build folder that the tests have used, the module is there twice: built, and installed.
module=lib/prescope/engines/prescope-engine-lucenepp.so
build="$folder/build"
for place in "$build/$module" "$build/installed/prefix/$module"; do
  mkdir -p "${place%/*}"
  : > "$place"
done
eval "$(grep '^engine=' examples/quickstart/run.sh)"
[ -f "$engine" ] || fail "run.sh does not find the module in a build folder that has it twice: $engine"
