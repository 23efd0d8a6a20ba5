#!/usr/bin/env bash
# The fleet of examples/fleet loses nothing and counts nothing twice while its search servers,
# shippers, replicas and ZooKeepers are killed at random, while replicas lose their disks one after
# the other, and while all of ClickHouse is away. The example starts again what was killed.
#   kills_test.sh BIN_FOLDER [KILLS [SEED...]]
# The bar, which takes about an hour: kills_test.sh build/release/bin 60 1 2 3 4 5 6 7 8 9 10
set -euo pipefail
if [ $# -gt 3 ]; then
  for seed in "${@:3}"; do bash "$0" "$1" "$2" "$seed"; done
  exit
fi
bin="$1" kills="${2:-6}" seed="${3:-$RANDOM}"
folder="$(mktemp -d)"
work="$folder/fleet"
example="" failed=""
clean_up() {
  if [ -n "$example" ]; then
    kill -CONT "$example" 2> /dev/null || true
    kill "$example" 2> /dev/null || true
    wait "$example" || true
  fi
  [ -n "$failed" ] || rm -rf "$folder"
}
trap clean_up EXIT
fail() {
  failed=1
  tail -n 30 "$folder/said"
  printf 'seed %s: %s; see %s\n' "$seed" "$*" "$folder"
  exit 1
}
if ! PATH="$PATH:/usr/sbin" command -v clickhouse-server > /dev/null ||
  [ ! -f /usr/share/java/zookeeper.jar ]; then
  echo "skipped: needs the packages clickhouse-server and zookeeper"
  exit 77
fi
RANDOM="$seed"

bash examples/fleet/run.sh --bin "$bin" --work "$work" --rate 5 > "$folder/said" 2>&1 &
example=$!
for ((i = 0; i < 1500; ++i)); do
  ! grep -q '^page ' "$folder/said" 2> /dev/null || break
  kill -0 "$example" 2> /dev/null || fail "the fleet did not start"
  sleep 0.1
done
page="$(awk '$1 == "page" { print $2 }' "$folder/said")"
fleet="$(awk '$1 == "fleet" { print $2 }' "$folder/said")?select_sequential_consistency=1"
export PRESCOPE_CLICKHOUSE_USER=prescope PRESCOPE_CLICKHOUSE_PASSWORD_FILE="$work/password.txt"
IFS=, read -ra replicas <<< "$(sed 's|.*://||; s|/.*||' <<< "$fleet")"
[ "$(cat "$work"/*.pid | wc -w)" -eq 13 ] || fail "there should be 13 processes"
curl -sf --noproxy '*' "${page}api/summary" | grep -q '"experiment":"live_ab"' ||
  fail "the page shows no summary"

ask() { # REPLICA SQL
  curl -sS --fail-with-body --noproxy '*' --max-time 60 --data-binary "$2" \
    "http://${replicas[$1 - 1]}/"
}
wait_for() { # WHAT COMMAND...
  local what="$1" i
  shift
  for ((i = 0; i < 900; ++i)); do
    ! "$@" > /dev/null 2>&1 || return 0
    sleep 0.1
  done
  fail "$what"
}
kill_9() { # NAMES
  local name
  for name in "$@"; do kill -9 "$(cat "$work/$name.pid")" 2> /dev/null || true; done
}
# A replica without its configuration is not started again.
keep_down() { local i; for i in "$@"; do mv "$work/ch$i/config.xml" "$work/ch$i/config.off"; done; }
let_start() { local i; for i in "$@"; do mv "$work/ch$i/config.off" "$work/ch$i/config.xml"; done; }

kill_some() { # NUMBER
  local all=(ch1 ch2 ch3 ship1 ship2 ship3 server1 server2 server3 zk1 zk2 zk3) name i
  for ((i = 0; i < $1; ++i)); do
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    name="${all[RANDOM % ${#all[@]}]}"
    while ! kill -9 "$(cat "$work/$name.pid")" 2> /dev/null; do  # it was killed and is not back yet
      name="${all[RANDOM % ${#all[@]}]}"
    done
    echo "kill -9 $name"
  done
}

# The disk of a replica is lost; what the tables are is copied from another.
lose_disk() { # REPLICA OTHER
  echo "ch$1 loses its disk"
  keep_down "$1"
  kill_9 "ch$1"
  sleep 1
  rm -rf "$work/ch$1/data"
  mkdir -p "$work/ch$1/data/flags"
  cp -r "$work/ch$2/data/metadata" "$work/ch$1/data/"
  touch "$work/ch$1/data/flags/force_restore_data"
  let_start "$1"
}

# What a replica has lost is with the others; another one may lose its disk only after that.
has_caught_up() { # REPLICA
  local table
  for table in observations epochs judgements shipped spools fleet; do
    ask "$1" "SYSTEM SYNC REPLICA prescope.$table" || return 1
  done
}

rows_in_stores() {
  local i rows=0
  for i in 1 2 3; do
    rows=$((rows + $(sqlite3 -readonly "$work/server$i.db" 'SELECT count(*) FROM observations')))
  done
  echo "$rows"
}

kill_some $((kills / 3))
for part in $((kills / 3)) $((kills - 2 * (kills / 3))); do
  lost=$((RANDOM % 3 + 1))
  for i in 1 2 3; do wait_for "ch$i does not catch up" has_caught_up $i; done
  lose_disk $lost $((lost % 3 + 1))
  kill_some "$part"
done

echo "all of ClickHouse is away"
keep_down 1 2 3
kill_9 ch1 ch2 ch3
before="$(rows_in_stores)"
grown() { [ "$(rows_in_stores)" -gt $((before + 300)) ]; }
wait_for "the servers do not go on without ClickHouse" grown
let_start 1 2 3
for i in 1 2 3; do wait_for "ClickHouse $i does not come back" ask $i 'SELECT 1'; done

# From here on nothing is started again: servers end, and the rest is shipped.
kill -STOP "$example"
for name in server1 server2 server3 ship1 ship2 ship3; do
  pid="$(cat "$work/$name.pid")"
  kill "$pid" 2> /dev/null || true
  while grep -q . "/proc/$pid/cmdline" 2> /dev/null; do sleep 0.1; done  # a zombie has none
done
for i in 1 2 3; do
  "$bin/prescope" ship "$work/server$i.db" --to "$fleet&insert_quorum=2" --server "server$i"
done
"$bin/prescope" fleet check "$fleet" || fail "the fleet lacks observations"

# Each replica by itself has what the stores have, each row once; a row that was sent twice counts
# once (FINAL).
columns='seq, time_ms, latency_ns, first_rank, depth, num_ret, flags'
for i in 1 2 3; do
  store="$work/server$i.db"
  sqlite3 -readonly -separator $'\t' "$store" "SELECT $columns FROM observations ORDER BY seq" \
    > "$folder/stored"
  rows="$(wc -l < "$folder/stored")"
  [ "$rows" -gt 0 ] || fail "server$i stored nothing"
  [ "$(sqlite3 -readonly -separator ' ' "$store" 'SELECT min(seq), max(seq) FROM observations')" = \
    "1 $rows" ] || fail "the numbers of server$i have a gap"
  [ "$(sqlite3 -readonly -separator ' ' "$store" \
    'SELECT acknowledged, (SELECT sum(rows) FROM sink_epochs) FROM sinks')" = "$rows $rows" ] ||
    fail "not all of server$i was acknowledged"
  for replica in 1 2 3; do
    ask $replica "SYSTEM SYNC REPLICA prescope.observations" || fail "ch$replica does not catch up"
    ask $replica "SELECT $columns FROM prescope.observations FINAL
      WHERE server = 'server$i' ORDER BY seq" > "$folder/there"
    [ "$(ask $replica "SELECT uniqExact(seq), min(seq), max(seq), countIf(spool != 0), uniqExact(spool)
      FROM prescope.observations FINAL WHERE server = 'server$i'" | tr '\t' ' ')" = \
      "$rows 1 $rows $rows 1" ] || fail "ch$replica lacks rows of server$i, or has some twice"
    cmp "$folder/stored" "$folder/there" || fail "ch$replica has other rows than server$i"
  done
done
[ -s "$folder/there" ] || fail "nothing was compared"

# The summary over the fleet adds up the sessions of the stores.
sums() {
  tr -d ',' | awk '/^Epoch / {
      for (i = 2; i < NF; ++i) {
        if ($(i + 1) ~ /^observations?$/) observations += $i
        if ($(i + 1) ~ /^visits?$/ && $(i + 2) == "compared") visits += $i
      }
    }
    END { print observations + 0, visits + 0 }'
}
for store in "$work"/server[123].db; do
  sessions="$(sqlite3 -readonly "$store" 'SELECT max(number) FROM sessions')"
  for ((session = 1; session <= sessions; ++session)); do
    "$bin/prescope" log --summary "$store" --session "$session" 2> /dev/null || true
  done
done > "$folder/stores"
joined="$("$bin/prescope" log --summary "$fleet" | sums)" stores="$(sums < "$folder/stores")"
[ "$joined" = "$stores" ] || fail "observations and visits compared: fleet $joined, stores $stores"
[ "${joined##* }" -gt 20 ] || fail "only ${joined##* } visits were compared"

pids="$(cat "$work"/*.pid)"
kill -CONT "$example"
kill "$example"
wait "$example" || fail "the example does not end with 0"
example=""
for pid in $pids; do
  ! kill -0 "$pid" 2> /dev/null || fail "process $pid still runs"
done
echo "seed $seed, $kills kills: $(grep -c 'is started again' "$folder/said") processes were" \
  "started again; observations and visits compared: $joined"
query="$(bash examples/fleet/report.sh pairs experiment="it's" epoch=1 cutoff=10 a='a\b' b=c)"
for part in "experiment = 'it\\'s'" "arm = 'a\\\\b'" "<= 10"; do
  grep -qF -- "$part" <<< "$query" || fail "report.sh does not fill in $part: $query"
done
! grep -q '{' <<< "$query" || fail "report.sh leaves parameters: $query"
