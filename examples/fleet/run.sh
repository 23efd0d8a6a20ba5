#!/usr/bin/env bash
# Three search servers, each with a store and a shipper, one ClickHouse, one page; see README.md.
#
#   run.sh BIN_FOLDER [SECONDS]
set -euo pipefail

bin=$(cd "${1:?the folder of prescope and live_ab}" && pwd)
seconds=${2:-600}
folder=$(mktemp -d)
pids=()

# Ends what this script has started, and nothing else.
finish() {
  kill "${pids[@]}" 2> /dev/null || true
  wait
  rm -rf "$folder"
}
trap finish EXIT

free_port() {
  python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() {
  local name=$1
  shift
  "$@" > "$folder/$name.log" 2>&1 &
  pids+=($!)
  echo "$name: process $!, $folder/$name.log"
}

port=$(free_port)
mkdir "$folder/clickhouse"
cat > "$folder/clickhouse/users.xml" << 'XML'
<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>
<password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota>
</default></users></yandex>
XML
cat > "$folder/clickhouse/config.xml" << XML
<yandex><logger><level>warning</level><console>1</console></logger>
<listen_host>127.0.0.1</listen_host><http_port>$port</http_port>
<path>$folder/clickhouse/data/</path><tmp_path>$folder/clickhouse/tmp/</tmp_path>
<users_config>$folder/clickhouse/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size></yandex>
XML
server=$(PATH=$PATH:/usr/sbin command -v clickhouse-server)
start clickhouse "$server" --config-file="$folder/clickhouse/config.xml"
fleet=clickhouse://127.0.0.1:$port/prescope
until "$bin/prescope" fleet init "$fleet" 2> "$folder/init.log"; do
  kill -0 "${pids[0]}" || { cat "$folder/clickhouse.log"; exit 1; }
  sleep 0.2
done

# One seed, so that all servers have the same judgements, as a real fleet has.
for number in 1 2 3; do
  start "search$number" "$bin/live_ab" --mode paired --seconds "$seconds" --topics 200 \
    --documents 2000 --threads 1 --rate 20 --seed 1 --store "$folder/search$number.db"
  start "ship$number" "$bin/prescope" ship "$folder/search$number.db" --to "$fleet" \
    --server "search$number" --follow --interval 1
done

until "$bin/prescope" log --summary "$fleet" > "$folder/summary.txt" 2>&1; do sleep 0.5; done
start page "$bin/prescope" serve "$fleet"
until grep -qs http "$folder/page.log"; do sleep 0.1; done
echo "the page of all servers: $(cat "$folder/page.log")"
for number in 1 2 3; do wait "${pids[$((2 * number - 1))]}" || true; done
sleep 3
"$bin/prescope" log --summary "$fleet"
"$bin/prescope" fleet check "$fleet"
