#!/bin/sh
# What the scripts of the NFS guest share: the daemon on port 10570, which logs into the file log, and what it tells.

export COLUMNSTORE_EXPORTER_LATENCY_INTERVAL=4s COLUMNSTORE_EXPORTER_LATENCY_COUNT=6
export COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL=400ms COLUMNSTORE_EXPORTER_COMMIT_COUNT=2
export COLUMNSTORE_EXPORTER_DISCOVERY_INTERVAL=1s COLUMNSTORE_EXPORTER_LATENCY_TARGET=10s

fail() { echo "FAIL: $*"; cat log database.log 2>/dev/null || true; exit 1; }
# seen WHAT FIGURE: a line of the report
seen() { echo "seen: $1 | $2"; }
ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }
wait_for() {
  n=0
  until "$@"; do
    n=$((n + 1))
    [ "$n" -lt 600 ] || fail "waited in vain for: $*"
    sleep 0.2
  done
}

# (busybox's wget crashes with a time-out)
fetch() { wget -q -O - "http://127.0.0.1:10570$1" 2>/dev/null; }
# metric NAME DIRECTORY: the value of a series of that directory
metric() { fetch /metrics | grep "^columnstore_storage_$1{.*directory=\"$2\"" | sed 's/.* //'; }
is() { [ "$(metric "$1" "$2")" = "$3" ]; }
hangs() { [ -n "$(metric in_flight_start_timestamp_seconds "$1")" ] && ! is in_flight_start_timestamp_seconds "$1" 0; }
# recovered DIRECTORY...: returns once each is measured again
recovered() {
  for d; do
    wait_for is success "$d" 1
    wait_for is in_flight_start_timestamp_seconds "$d" 0
  done
}
# scrape_ms: how long the slowest of ten scrapes takes
scrape_ms() {
  slowest=0
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    begun=$(ms)
    fetch /metrics >/dev/null || fail "no scrape"
    took=$(($(ms) - begun))
    [ "$took" -lt "$slowest" ] || slowest=$took
  done
  echo "$slowest"
}

start() {
  ./columnstore_exporter >>log 2>&1 &
  pid=$!
  wait_for sh -c 'wget -q -O - http://127.0.0.1:10570/-/healthy >/dev/null 2>&1'
}
# end: asks the daemon to end, which takes $took ms
end() {
  begun=$(ms)
  kill -TERM "$pid"
  n=0
  while kill -0 "$pid" 2>/dev/null; do
    n=$((n + 1))
    [ "$n" -lt 300 ] || fail "does not end"
    usleep 10000
  done
  took=$(($(ms) - begun))
}
# clean DIRECTORY...: fails where anything but a probe file, and the one's bulkRollback, is in them
clean() {
  for d; do
    for f in "$d"/.[!.]* "$d"/*; do
      case $f in
        */.columnstore_exporter-*.probe | */bulkRollback) ;;
        *) [ ! -e "$f" ] || fail "left behind: $f" ;;
      esac
    done
  done
}
