#!/usr/bin/env bash
# The whole of prescope in one go, on synthetic data: builds it, makes a patent collection, indexes
# it with Lucene++, runs every topic under two ranking configurations and says which one is better.
#
#   bash examples/quickstart/run.sh [OPTIONS OF `prescope replay`]
#
# The program is built in build/release, as tests/run.sh builds it; everything else that this makes
# is under build/quickstart. A second run starts from what is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly seed=1 documents=20000 topics=500
readonly work=build/quickstart
readonly build=build/release data="$work/data" index="$work/index"
readonly prescope="$build/bin/prescope"

heading() { printf '\n== %s\n' "$*" >&2; }

# Shows what a command says on a terminal; elsewhere only when it fails.
quietly() {
  if [ -t 2 ]; then
    "$@" >&2
  elif ! "$@" > "$work/log.txt" 2>&1; then
    cat "$work/log.txt" >&2
    return 1
  fi
}

# up_to_date FILE KEY: FILE says that this was made from KEY.
up_to_date() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

mkdir -p "$work"

heading "Packages"
docs/dependencies/install.sh build

heading "Build ($build)"
[ -f "$build/build.ninja" ] ||
  quietly cmake --preset release -DPRESCOPE_BUILD_TESTS=OFF -DPRESCOPE_BUILD_BENCHMARKS=OFF
quietly cmake --build --preset release --target prescope_program prescope-engine-lucenepp quickstart_generate

heading "Synthetic patents ($data)"
data_key="seed $seed documents $documents topics $topics $(sha256sum < "$build/bin/quickstart_generate")"
if ! up_to_date "$data/made-from" "$data_key"; then
  rm -rf "$data"
  "$build/bin/quickstart_generate" --out "$data" --seed "$seed" --documents "$documents" \
    --topics "$topics" >&2
  echo "$data_key" > "$data/made-from"
fi

heading "Index ($index)"
engine="$build/lib/prescope/engines/prescope-engine-lucenepp.so"
index_key="$data_key $(cat "$prescope" "$engine" | sha256sum)"
if ! up_to_date "$work/index.made-from" "$index_key"; then
  rm -f "$work/index.made-from"
  "$prescope" index --engine lucenepp --out "$index" "$data/patents.jsonl.gz" >&2
  echo "$index_key" > "$work/index.made-from"
fi

heading "Replay (examples/quickstart/replay.toml)"
outputs=()
[[ " $*" == *" --json"* ]] || outputs+=(--json "$work/replay.json")
[[ " $*" == *" --runs-out"* ]] || outputs+=(--runs-out "$work/runs")
"$prescope" replay examples/quickstart/replay.toml "${outputs[@]}" "$@"

cat >&2 <<END

All of the above is about synthetic data. The result as JSON and the TREC runs of both arms:
  $work/replay.json and $work/runs, or where --json and --runs-out said
What to try next:
  edit an arm in examples/quickstart/replay.toml and start this again
  bash examples/quickstart/run.sh --threads 2
  $prescope replay --help
END
