#!/usr/bin/env bash
# prescope beside a search service that has no line of C++: a Lucene 8 server in the shape of
# OpenSearch, with two ranking configurations; a service in JavaScript that answers users from it;
# and `prescope collect`, which the service tells what it served.
#
#   bash examples/sidecar/run.sh [--bin FOLDER] [--work FOLDER] [--visits N] [--rate N]
#
# --bin     the folder with prescope and quickstart_generate; they are built if it is not given
# --work    where everything is put: build/sidecar
# --visits  ends after so many visits and prints the results; without it, Ctrl-C ends it
# --rate    visits a second, 0 for as many as there can be: 20
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bin="" work=build/sidecar visits=0 rate=20
while [ $# -gt 0 ]; do
  case "$1" in
    --bin) bin="$2"; shift ;;
    --work) work="$2"; shift ;;
    --visits) visits="$2"; shift ;;
    --rate) rate="$2"; shift ;;
    *) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
  shift
done

fail() { printf 'sidecar: %s\n' "$*" >&2; exit 1; }

if [ -z "$bin" ]; then
  docs/dependencies/install.sh build test
  [ -f build/release/build.ninja ] ||
    cmake --preset release -DPRESCOPE_BUILD_TESTS=OFF -DPRESCOPE_BUILD_BENCHMARKS=OFF
  cmake --build --preset release --target prescope_program quickstart_generate
  bin=build/release/bin
fi >&2
readonly jars=/usr/share/java
readonly class_path="$jars/lucene-core-8.7.0.jar:$jars/lucene-analyzers-common-8.7.0.jar:$jars/gson.jar"
if ! command -v javac > /dev/null || ! [ -f "$jars/lucene-core-8.7.0.jar" ]; then
  fail "Java or Lucene is missing; run docs/dependencies/install.sh test"
fi

mkdir -p "$work"
rm -rf "$work"/{data,classes,sidecar.store,sidecar.store-wal,sidecar.store-shm}
"$bin/quickstart_generate" --out "$work/data" --seed 1 --documents 4000 --topics 500 >&2
cp examples/sidecar/experiment.toml "$work/experiment.toml"
javac -d "$work/classes" -cp "$class_path" tests/support/lucene_front/LuceneFront.java

# Each process ends with this one.
pids=()
stop() { kill "${pids[@]}" 2> /dev/null || true; wait 2> /dev/null || true; }
trap stop EXIT

# url_in FILE PID: prints the URL that the process writes when it listens.
url_in() {
  local url
  for _ in $(seq 300); do
    url="$(grep -o 'http://127[0-9.:]*' "$1" | head -n 1)"
    [ -z "$url" ] || { echo "$url"; return; }
    kill -0 "$2" 2> /dev/null || break
    sleep 0.1
  done
  cat "$1" >&2
  fail "a server did not start"
}

# A pipe that nobody writes to: the server ends with its standard input.
mkfifo -m 600 "$work/data/open"
java -cp "$work/classes:$class_path" LuceneFront "$work/data/patents.jsonl.gz" \
  <> "$work/data/open" > "$work/search.log" 2>&1 &
pids+=($!)
search_url="$(url_in "$work/search.log" $!)"

"$bin/prescope" collect "$work/experiment.toml" --store "$work/sidecar.store" --port 0 \
  > "$work/results.txt" 2> "$work/collect.log" &
collect=$!
pids+=("$collect")
collect_url="$(url_in "$work/collect.log" $collect)"
echo "the page: $collect_url" >&2

node examples/sidecar/service.mjs "$search_url" "$collect_url" "$work/data/topics.tsv" \
  "$visits" "$rate" &
service=$!
pids+=("$service")
trap 'kill $service 2> /dev/null' INT  # the results are printed then, too
wait $service || [ "$visits" = 0 ] || fail "the service failed"

kill -INT $collect
wait $collect || { cat "$work/collect.log" >&2; fail "prescope collect failed"; }
cat "$work/results.txt"
