#!/bin/sh
# records.sh <robots-fleet-records> [<sites>...]: prints what these numbers of sites cost in Redis (Debian: redis-server),
# with and without compression, in one server and in a cluster of three. 1,000,000 sites need 7 GB without compression.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 200000
folder=$(mktemp -d)
first=${PORT:-17380}

# Starts a redis-server that writes nothing to the disk.
start() {
  port=$1
  shift
  if redis-cli -p "$port" ping >/dev/null 2>&1; then
    echo "A server uses port $port: set PORT." >&2
    exit 1
  fi
  mkdir -p "$folder/$port"
  redis-server --port "$port" --bind 127.0.0.1 --dir "$folder/$port" --save "" --appendonly no \
    --daemonize yes --pidfile "$folder/$port/pid" --logfile "$folder/$port/log" "$@"
  until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done
}
stop() {
  for pid in "$folder"/*/pid; do
    [ ! -f "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || true
  done
  while ls "$folder"/*/pid >/dev/null 2>&1; do sleep 0.1; done
  rm -rf "${folder:?}"/*
}
trap 'stop; rm -rf "$folder"' EXIT

printf 'records\tservers\tsites\toctets of a record\toctets of Redis\tserver us, publish\tclient us, publish\t'
printf 'server us, load\tclient us, load\n'
for sites in "$@"; do
  for mode in plain compressed; do
    start "$first"
    "$program" "redis://127.0.0.1:$first" "$sites" "$mode" "$first"
    stop
    three="$first $((first + 1)) $((first + 2))"
    members=
    for port in $three; do
      start "$port" --cluster-enabled yes
      members="$members 127.0.0.1:$port"
    done
    # shellcheck disable=SC2086
    redis-cli --cluster create $members --cluster-yes >"$folder/created"
    until redis-cli -p "$first" cluster info | grep -q cluster_state:ok; do sleep 0.1; done
    # shellcheck disable=SC2086
    "$program" "redis+cluster://127.0.0.1:$first" "$sites" "$mode" $three
    stop
  done
done
