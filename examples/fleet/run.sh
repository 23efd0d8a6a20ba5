#!/usr/bin/env bash
# A fleet on one machine: three search servers with a shipper each, three replicas of ClickHouse
# with three ZooKeepers, and one page over all of them. A process that ends is started again.
#
#   bash examples/fleet/run.sh [--bin FOLDER] [--work FOLDER] [--seconds N] [--rate N]
#
# --bin      the folder with prescope and live_ab; they are built if it is not given
# --work     the folder for data, logs and process ids, which is emptied: build/fleet
# --seconds  how long the servers run; then the rest is shipped, and the summary over the fleet
#            printed. Without it the fleet runs until Ctrl-C
# --rate     queries a second to each server: 20
#
# Ends with 0 after Ctrl-C, and after --seconds if the fleet has all that its servers stored.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bin="" work=build/fleet seconds="" rate=20
while [ $# -gt 0 ]; do
  case "$1" in
    --bin) bin="$2"; shift ;;
    --work) work="$2"; shift ;;
    --seconds) seconds="$2"; shift ;;
    --rate) rate="$2"; shift ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
  shift
done

fail() { printf 'fleet: %s\n' "$*" >&2; exit 1; }

if [ -z "$bin" ]; then
  docs/dependencies/install.sh build test fleet
  [ -f build/release/build.ninja ] ||
    cmake --preset release -DPRESCOPE_BUILD_TESTS=OFF -DPRESCOPE_BUILD_BENCHMARKS=OFF
  cmake --build --preset release --target prescope_program live_ab
  bin=build/release/bin
fi >&2
clickhouse="$(PATH="$PATH:/usr/sbin" command -v clickhouse-server)" ||
  fail "the package clickhouse-server is missing"
[ -f /usr/share/java/zookeeper.jar ] || fail "the package zookeeper is missing"
bin="$(cd "$bin" && pwd)"
mkdir -p "$work"
work="$(cd "$work" && pwd)"
[ ! -e "$work/page.pid" ] || ! kill -0 "$(cat "$work/page.pid")" 2> /dev/null ||
  fail "a fleet runs in $work already"
rm -rf "$work"/{zk,ch,server,ship}[123] "$work"/*.{db,db-wal,db-shm,pid,log,txt}

# The page is at $base; $base + 10 + i is the HTTP port of ClickHouse i, and so on.
port() { echo $((base + $1 + ${2:-0})); }
is_taken() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
are_free() {
  local kind i
  is_taken "$base" && return 1
  for kind in 10 20 30 40 50 60; do
    for i in 1 2 3; do is_taken "$(port $kind $i)" && return 1; done
  done
  return 0
}
base=18700
until are_free; do
  base=$((base + 100))
  [ $base -lt 20000 ] || fail "no 100 free ports from 18700 on"
done
readonly http=10 native=20 between=30 zk_clients=40 zk_peers=50 zk_elections=60

write_zookeeper() {
  local folder="$work/zk$1" i
  mkdir -p "$folder"
  echo "$1" > "$folder/myid"
  {
    printf 'dataDir=%s\ntickTime=1000\ninitLimit=10\nsyncLimit=5\n' "$folder"
    printf 'clientPort=%s\nclientPortAddress=127.0.0.1\n' "$(port $zk_clients "$1")"
    printf 'admin.enableServer=false\n4lw.commands.whitelist=srvr\n'
    for i in 1 2 3; do
      echo "server.$i=127.0.0.1:$(port $zk_peers $i):$(port $zk_elections $i)"
    done
  } > "$folder/zoo.cfg"
}

# The user `default` has no password and serves the replicas among themselves.
write_clickhouse() {
  local folder="$work/ch$1" i
  mkdir -p "$folder"
  cat > "$folder/config.xml" << XML
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>$(port $http "$1")</http_port>
  <tcp_port>$(port $native "$1")</tcp_port>
  <interserver_http_port>$(port $between "$1")</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <path>$folder/data/</path>
  <tmp_path>$folder/tmp/</tmp_path>
  <users_config>$folder/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
  <mark_cache_size>67108864</mark_cache_size>
  <macros><shard>1</shard><replica>ch$1</replica></macros>
  <remote_servers><fleet><shard>
    <internal_replication>true</internal_replication>
$(for i in 1 2 3; do
    echo "    <replica><host>127.0.0.1</host><port>$(port $native $i)</port></replica>"
  done)
  </shard></fleet></remote_servers>
  <zookeeper>
$(for i in 1 2 3; do
    echo "    <node><host>127.0.0.1</host><port>$(port $zk_clients $i)</port></node>"
  done)
    <session_timeout_ms>10000</session_timeout_ms>
  </zookeeper>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
  <!-- A replica that was killed may find that most rows of a small table are in parts of its own.
       It puts these aside and fetches the others' rows, instead of refusing to start. -->
  <merge_tree><replicated_max_ratio_of_wrong_parts>1</replicated_max_ratio_of_wrong_parts></merge_tree>
</yandex>
XML
  cat > "$folder/users.xml" << XML
<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default><password/><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></default>
    <prescope><password>$(cat "$work/password.txt")</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota></prescope>
  </users>
</yandex>
XML
}

# A session of its own keeps Ctrl-C from the process: it is stopped in its turn.
start() { # NAME
  local name="$1" command
  local i="${1: -1}"
  case "$name" in
    zk?) command=(java -Xmx128m -cp /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar
      org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/$name/zoo.cfg") ;;
    ch?) command=("$clickhouse" "--config-file=$work/$name/config.xml") ;;
    server?) command=("$bin/live_ab" --mode paired --threads 1 --rate "$rate" --topics 60
      --documents 3000 --seconds 86400 --store "$work/$name.db"
      --fleet "$fleet" --server "$name") ;;
    ship?) command=("$bin/prescope" ship "$work/server$i.db" --to "$fleet?insert_quorum=2"
      --server "server$i" --follow --interval 1) ;;
    page) command=("$bin/prescope" serve "$fleet?select_sequential_consistency=1"
      --port "$base") ;;
  esac
  setsid "${command[@]}" >> "$work/$name.log" 2>&1 < /dev/null &
  echo $! > "$work/$name.pid"
  disown
}

runs() { [ -f "$work/$1.pid" ] && kill -0 "$(cat "$work/$1.pid")" 2> /dev/null; }
stop() { # NAMES: together, and at last by force
  local name i
  for name in "$@"; do ! runs "$name" || kill "$(cat "$work/$name.pid")" 2> /dev/null || true; done
  for name in "$@"; do
    for ((i = 0; i < 200; ++i)); do runs "$name" || break; sleep 0.05; done
    ! runs "$name" || kill -9 "$(cat "$work/$name.pid")" 2> /dev/null || true
    rm -f "$work/$name.pid"
  done
}
readonly databases=(zk1 zk2 zk3 ch1 ch2 ch3) servers=(server1 server2 server3)
readonly readers=(ship1 ship2 ship3 page)
stop_all() {
  trap '' INT TERM
  stop "${servers[@]}" "${readers[@]}"
  stop "${databases[@]}"
}
trap stop_all EXIT
trap 'exit 0' INT TERM

# ClickHouse 18.16 may crash while it starts: databases that have ended are started again.
wait_for() { # WHAT COMMAND...
  local what="$1" name last=$((SECONDS + 150))
  shift
  while [ $SECONDS -lt $last ]; do
    for name in "${databases[@]}"; do
      [ ! -f "$work/$name.pid" ] || runs "$name" || start "$name"
    done
    "$@" > "$work/start.log" 2>&1 && return
    sleep 0.1
  done
  tail -n 3 "$work/start.log" >&2
  fail "$what does not start; see $work/*.log"
}
# It crashes most easily if ZooKeeper has no leader yet.
has_leader() {
  (exec 3<> "/dev/tcp/127.0.0.1/$(port $zk_clients "$1")" && printf srvr >&3 &&
    timeout 1 cat <&3 | grep -q '^Mode: ')
}
answers() { curl -sf --noproxy '*' --max-time 2 "http://127.0.0.1:$1$2"; }

head -c 18 /dev/urandom | base64 | tr -d '/+' > "$work/password.txt"
chmod 600 "$work/password.txt"
export PRESCOPE_CLICKHOUSE_PASSWORD_FILE="$work/password.txt" PRESCOPE_CLICKHOUSE_USER=prescope
hosts="$(printf '127.0.0.1:%s,' "$(port $http 1)" "$(port $http 2)" "$(port $http 3)")"
readonly fleet="clickhouse://${hosts%,}/prescope"

for i in 1 2 3; do write_zookeeper $i; write_clickhouse $i; done
for name in zk1 zk2 zk3; do start $name; done
for i in 1 2 3; do wait_for "ZooKeeper $i" has_leader $i; done
for name in ch1 ch2 ch3; do start $name; done
for i in 1 2 3; do wait_for "ClickHouse $i" answers "$(port $http $i)" /ping; done
wait_for "the database" timeout 20 "$bin/prescope" fleet init "$fleet" --replicated fleet
for name in "${servers[@]}" ship1 ship2 ship3; do start "$name"; done
wait_for "the first observation" "$bin/prescope" log --summary "$fleet"
start page
wait_for "the page" answers "$base" /healthz

cat << TEXT
page         http://127.0.0.1:$base/
fleet        $fleet
user         prescope, with the password in $work/password.txt
processes    ${servers[*]} ${readers[*]} ${databases[*]}
             $work/NAME.pid and NAME.log; server1.db to server3.db are the stores
TEXT
[ -n "$seconds" ] || echo "Ctrl-C stops everything."

# Looks after the processes. A name is started again two seconds after its process has ended.
end=$((SECONDS + ${seconds:-1000000000}))
declare -A ended
while [ $SECONDS -lt $end ]; do
  sleep 0.5
  for name in "${databases[@]}" "${servers[@]}" "${readers[@]}"; do
    if runs "$name"; then continue; fi
    if [ -z "${ended[$name]:-}" ]; then
      echo "$name has ended"
      ended[$name]=$SECONDS
    elif [ $SECONDS -ge $((ended[$name] + 2)) ]; then
      echo "$name is started again"
      unset "ended[$name]"
      start "$name"
    fi
  done
done

stop "${servers[@]}"
stop ship1 ship2 ship3
for i in 1 2 3; do
  "$bin/prescope" ship "$work/server$i.db" --to "$fleet?insert_quorum=2" --server "server$i"
done
"$bin/prescope" log --summary "$fleet?select_sequential_consistency=1" | tee "$work/summary.txt"
"$bin/prescope" fleet check "$fleet?select_sequential_consistency=1" | tee "$work/check.txt"
