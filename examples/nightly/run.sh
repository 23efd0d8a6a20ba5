#!/usr/bin/env bash
# Five nights of an index, each gated against the one that was pinned:
#
#   ordinary    documents came and went                       PASS          0
#   reanalysed  two boilerplate words are no longer indexed   PASS          0
#   broken      the analyser cuts abstracts off               REGRESSION    1
#   ids         the ids lost their kind codes                 BAD INPUT     2
#   slow        the same rankings, found the long way         REGRESSION    1
#
#   bash examples/nightly/run.sh [--bin FOLDER] [--work FOLDER]
#
# --bin   the folder with prescope and quickstart_generate; they are built if it is not given
# --work  where everything is put: build/nightly
#
# Ends with 0 if every night ended as it has to, else with 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly seed=1 documents=4000 topics=300
bin="" work=build/nightly
while [ $# -gt 0 ]; do
  case "$1" in
    --bin) bin="$2"; shift ;;
    --work) work="$2"; shift ;;
    *) sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
  shift
done

heading() { printf '\n== %s\n' "$*"; }

if [ -z "$bin" ]; then
  heading "Packages and build" >&2
  docs/dependencies/install.sh build >&2
  [ -f build/release/build.ninja ] ||
    cmake --preset release -DPRESCOPE_BUILD_TESTS=OFF -DPRESCOPE_BUILD_BENCHMARKS=OFF >&2
  cmake --build --preset release \
    --target prescope_program prescope-engine-lucenepp quickstart_generate >&2
  bin=build/release/bin
fi
readonly prescope="$bin/prescope" data="$work/data" store="$work/nights.db"
readonly experiment="$work/nightly.toml"
export PRESCOPE="$prescope"

mkdir -p "$work"
rm -rf "$data" "$store" "$store"-wal "$store"-shm "$work"/reports
"$bin/quickstart_generate" --out "$data" --seed "$seed" --documents "$documents" --topics "$topics"
# The experiment of this folder, at the place of the data.
sed "s|../../build/nightly/||" examples/nightly/nightly.toml > "$experiment"

# The publisher's documents, a JSON line each, as they were last night and are tonight.
patents() { zcat "$data/patents.jsonl.gz"; }
# The newest one in fifty came tonight.
yesterday() { patents | awk -v last=$((documents - documents / 50)) 'NR <= last'; }
# One in two hundred of the documents that nobody cites or searches for was withdrawn.
without_withdrawn() {
  awk -F '"' -v named="$data/qrels.txt" '
    BEGIN { while ((getline line < named) > 0) { split(line, part, " "); keep[part[1]] = keep[part[3]] = 1 } }
    $4 in keep || ++others % 200 != 0'
}
# Removes the words of another stop list.
without_boilerplate() {
  sed -E 's/ (wherein|said)\b//g'
}
with_short_abstracts() { sed -E 's/"abstract":"([^"]{60})[^"]*"/"abstract":"\1"/'; }
without_kind_codes() { sed -E 's/"id":"([A-Z]{2}[0-9]+)[A-Z][0-9]"/"id":"\1"/'; }

index() { # NAME < JSON lines
  cat > "$work/$1.jsonl"
  "$prescope" index --engine lucenepp --out "$work/$1" "$work/$1.jsonl" 2> "$work/$1.log" ||
    { cat "$work/$1.log" >&2; return 1; }
  rm "$work/$1.jsonl"
}

failed=0
night() { # NAME EXPECTED_EXIT_CODE EXPECTED_WORDS EXPERIMENT INDEX
  heading "$1: expected exit code $2"
  local code=0 said="$work/reports/$1/said.txt"
  mkdir -p "$work/reports/$1"
  bash examples/nightly/gate_tonight.sh "$store" "$4" "$work/reports/$1" --index "$5" \
    > "$said" 2>&1 || code=$?
  sed -n '1,12p' "$said"
  if [ "$code" -ne "$2" ] || ! grep -q "$3" "$said"; then
    failed=1
    printf 'NOT AS EXPECTED: exit code %s, expected %s, with "%s"; all that was said:\n' "$code" "$2" "$3"
    cat "$said"
  fi
}

heading "Yesterday, pinned"
yesterday | index yesterday
"$prescope" pin "$store" --from "$experiment" --why "the index before the first night"

patents | without_withdrawn | index ordinary
night ordinary 0 'PASS' "$experiment" "$work/ordinary"

patents | without_withdrawn | without_boilerplate | index reanalysed
night reanalysed 0 'PASS' "$experiment" "$work/reanalysed"

patents | without_withdrawn | with_short_abstracts | index broken
night broken 1 'REGRESSION' "$experiment" "$work/broken"

patents | without_withdrawn | without_kind_codes | index ids
night ids 2 'an id problem' "$experiment" "$work/ids"

# The arm reads claims and descriptions, too, with a weight that hardly changes an order.
{ cat "$experiment"; printf 'fields.claims = 1e-7\nfields.description = 1e-7\n'; } > "$work/slow.toml"
night slow 1 'slower than' "$work/slow.toml" "$work/yesterday"

heading "History"
"$prescope" history "$store" --html "$work/history.html"
printf '\nAll of it is about synthetic data. Pages: %s/history.html, %s/reports/*/gate.html\n' "$work" "$work"
exit "$failed"
