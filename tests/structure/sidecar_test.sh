#!/usr/bin/env bash
# The service of examples/sidecar tells `prescope collect` what it served, and the results have a
# verdict.
#   sidecar_test.sh BIN_FOLDER
set -euo pipefail
if ! command -v javac > /dev/null || ! [ -f /usr/share/java/lucene-core-8.7.0.jar ]; then
  echo "skipped: Java or Lucene is not installed (docs/dependencies/install.sh test)"
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { cat "$folder/said"; printf '%s\n' "$*"; exit 1; }

bash examples/sidecar/run.sh --bin "$1" --work "$folder/work" --visits 500 --rate 0 \
  > "$folder/said" 2>&1 || fail "the example failed"
grep -q '^  1,000 lines accepted, 0 duplicates, 0 refused$' "$folder/said" ||
  fail "not every line was accepted"
grep -q '500 visits compared' "$folder/said" || fail "not every visit was compared"
grep -q '^bm25 is better than tfidf by ' "$folder/said" || fail "there is no verdict"
