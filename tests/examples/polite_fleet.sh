#!/bin/sh
# Starts a fleet of two processes, and waits for both. Ctrl-C stops both.
#   polite_fleet.sh PROGRAM [OPTION]... HOST:PORT URL...
# PROGRAM is robots-polite-fleet. HOST:PORT is a Redis server.
program="$1"
shift
"$program" --processes 2 "$@" &
first=$!
"$program" --processes 2 "$@" &
second=$!
trap 'kill -INT "$first" "$second" 2>/dev/null' INT TERM
status=0
wait "$first" || status=1
wait "$second" || status=1
wait
exit "$status"
