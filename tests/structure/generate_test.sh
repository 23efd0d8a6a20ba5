#!/usr/bin/env bash
# The generator writes the same bytes for the same seed, in any time zone, and says that its data is
# synthetic.
#   generate_test.sh PROGRAM
set -euo pipefail
program="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

TZ=WEST+9 "$program" --out "$folder/a" --seed 3 --documents 800 --topics 20 > "$folder/said"
TZ=EAST-9 "$program" --out "$folder/b" --seed 3 --documents 800 --topics 20 > /dev/null
"$program" --out "$folder/c" --seed 4 --documents 800 --topics 20 > /dev/null
diff -r "$folder/a" "$folder/b" || fail "the same seed gave other files"
! cmp -s "$folder/a/qrels.txt" "$folder/c/qrels.txt" || fail "another seed gave the same citations"

grep -q '^synthetic data: 800 patent documents' "$folder/said" || fail "not called synthetic"
[[ "$(head -1 "$folder/a/qrels.txt")" = "# synthetic data"* ]] || fail "qrels.txt not called synthetic"
[ "$(zcat "$folder/a/patents.jsonl.gz" | grep -c '"synthetic":true')" -eq 800 ] ||
  fail "not every patent is marked as synthetic"
[ "$(wc -l < "$folder/a/topics.tsv")" -eq 20 ] || fail "topics.tsv has not 20 topics"

status=0
"$program" --out "$folder/d" --documents 10 --topics 20 2> "$folder/said" || status=$?
[ "$status" -eq 2 ] || fail "too few documents: exit code $status, expected 2"
grep -q '10 documents are too few for 20 topics' "$folder/said" || fail "$(cat "$folder/said")"
