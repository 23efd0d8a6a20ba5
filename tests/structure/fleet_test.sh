#!/usr/bin/env bash
# The fleet of examples/fleet loses nothing and counts nothing twice while its processes are killed,
# shows its page, and leaves nothing running.
#   fleet_test.sh BIN_FOLDER
set -euo pipefail
bin="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
work="$folder/fleet"
fail() { printf '%s\n' "$*"; cat "$folder/said"; exit 1; }
if ! PATH="$PATH:/usr/sbin" command -v clickhouse-server > /dev/null ||
  [ ! -f /usr/share/java/zookeeper.jar ]; then
  echo "skipped: needs the packages clickhouse-server and zookeeper"
  exit 77
fi

bash examples/fleet/run.sh --bin "$bin" --work "$work" --seconds 30 > "$folder/said" 2>&1 &
example=$!
for ((i = 0; i < 1500; ++i)); do
  ! grep -q '^page ' "$folder/said" || break
  kill -0 "$example" 2> /dev/null || fail "the fleet did not start"
  sleep 0.1
done
page="$(awk '$1 == "page" { print $2 }' "$folder/said")"
pids="$(cat "$work"/*.pid)"
[ "$(wc -w <<< "$pids")" -eq 13 ] || fail "there should be 13 processes"
curl -sf --noproxy '*' "${page}api/summary" | grep -q '"experiment":"live_ab"' ||
  fail "the page shows no summary"
for name in ch2 ship1 server3; do
  sleep 1
  kill -9 "$(cat "$work/$name.pid")"
done
wait "$example" || fail "the fleet lacks what its servers stored"
for name in ch2 ship1 server3; do
  grep -q "^$name is started again" "$folder/said" || fail "$name was not started again"
done

# The summary over the fleet adds up the sessions of the stores.
sums() {
  tr -d ',' | awk '/^Epoch / {
      for (i = 2; i < NF; ++i) {
        if ($(i + 1) == "observations") observations += $i
        if ($(i + 1) == "visits" && $(i + 2) == "compared") visits += $i
      }
    }
    END { print observations + 0, visits + 0 }'
}
for store in "$work"/server[123].db; do
  for session in 1 2; do
    "$bin/prescope" log --summary "$store" --session "$session" 2> /dev/null || true
  done
done > "$folder/stores"
fleet="$(sums < "$work/summary.txt")" stores="$(sums < "$folder/stores")"
[ "$fleet" = "$stores" ] || fail "observations and visits compared: fleet $fleet, stores $stores"
[ "${fleet##* }" -gt 20 ] || fail "only ${fleet##* } visits were compared"

for pid in $pids; do
  ! kill -0 "$pid" 2> /dev/null || fail "process $pid still runs"
done
query="$(bash examples/fleet/report.sh pairs experiment="it's" epoch=1 cutoff=10 a='a\b' b=c)"
for part in "experiment = 'it\\'s'" "arm = 'a\\\\b'" "<= 10"; do
  grep -qF -- "$part" <<< "$query" || fail "report.sh does not fill in $part: $query"
done
! grep -q '{' <<< "$query" || fail "report.sh leaves parameters: $query"
