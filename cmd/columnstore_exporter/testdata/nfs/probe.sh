#!/bin/sh
# Runs in the NFS guest: the exporter on NFSv4.2 and v3, the server stopped and started under it.
set -eu

fail() { echo "FAIL: $*"; cat log 2>/dev/null || true; exit 1; }
# (busybox's wget crashes with a time-out)
fetch() { wget -q -O - "http://127.0.0.1:10570$1" 2>/dev/null; }
# metric NAME DIRECTORY: the value of a series of that directory
metric() { fetch /metrics | grep "^columnstore_storage_$1{.*directory=\"$2\"" | sed 's/.* //'; }
is() { [ "$(metric "$1" "$2")" = "$3" ]; }
hangs() { [ -n "$(metric in_flight_start_timestamp_seconds "$1")" ] && ! is in_flight_start_timestamp_seconds "$1" 0; }
commits() { metric commit_latency_seconds_count "$1" | grep -qv '^0$'; }
wait_for() {
  n=0
  until "$@"; do
    n=$((n + 1))
    [ "$n" -lt 600 ] || fail "waited in vain for: $*"
    sleep 0.2
  done
}
# reads: how many READ calls the mount at /mnt/nfs has made
reads() { awk '$4 == "on" { at = $5 } at == "/mnt/nfs" && $1 == "READ:" { print $2 }' /proc/self/mountstats; }
start() {
  ./columnstore_exporter >>log 2>&1 &
  pid=$!
  wait_for sh -c 'wget -q -O - http://127.0.0.1:10570/-/healthy >/dev/null 2>&1'
}

nfs_mount vers=3,hard /mnt/v3
mkdir -p /mnt/nfs/data1 /mnt/v3/data2
four=/mnt/nfs/data1 three=/mnt/v3/data2
export COLUMNSTORE_EXPORTER_DBROOTS="1=$four,2=$three"
export COLUMNSTORE_EXPORTER_LATENCY_INTERVAL=4s COLUMNSTORE_EXPORTER_LATENCY_COUNT=6
export COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL=400ms COLUMNSTORE_EXPORTER_COMMIT_COUNT=2
export COLUMNSTORE_EXPORTER_DISCOVERY_INTERVAL=1s COLUMNSTORE_EXPORTER_LATENCY_TARGET=10s

echo "== mount facts"
./columnstore_exporter targets
./columnstore_exporter targets | grep -q "$four .*nfs4 .*:/" || fail "NFSv4 is not seen"
./columnstore_exporter targets | grep -q "$three .*nfs .*:/" || fail "NFSv3 is not seen"

echo "== proof: each read more is one READ call more"
# check COUNT: measures; reports how many reads were started (slots that an emulated machine misses are not made up for)
check() {
  COLUMNSTORE_EXPORTER_COMMIT_COUNT=0 ./columnstore_exporter check --json --interval 50ms --count "$1" "$four" >report || fail "check: $(cat report)"
  started=$(sed -n 's/.*"requests": \([0-9]*\),.*/\1/p' report | head -n 1)
}
check 11
before=$(reads); check 11; short=$(($(reads) - before)); few=$started
before=$(reads); check 61; long=$(($(reads) - before)); many=$started
echo "$few and $many reads were $short and $long READ calls"
[ $((long - short)) -eq $((many - few)) ] || fail "they do not agree"
[ "$many" -gt "$few" ] || fail "nothing was read"
grep -q '"device_ratio": 1,\{0,1\}$' report || fail "the ratio is not 1: $(grep device_ratio report)"

echo "== commits and nothing left behind"
start
for d in $four $three; do
  wait_for is success "$d" 1
  wait_for is read_device_ratio "$d" 1
  wait_for commits "$d"
done

echo "== the server goes away"
nfs_stop
for d in $four $three; do wait_for hangs "$d"; done
fetch /metrics >/dev/null || fail "no scrape while the server is away"
fetch / >/dev/null || fail "no page while the server is away"
[ "$(fetch /-/healthy)" = healthy ] || fail "unhealthy"
kill -TERM "$pid"
n=0
while kill -0 "$pid" 2>/dev/null; do n=$((n + 1)); [ "$n" -lt 30 ] || fail "does not end"; sleep 0.1; done

echo "== a new one starts on dead storage, and recovers with the server"
start
for d in $four $three; do wait_for hangs "$d"; done
nfs_start
for d in $four $three; do
  wait_for is success "$d" 1
  wait_for is in_flight_start_timestamp_seconds "$d" 0
done
kill -TERM "$pid"
wait "$pid" || fail "exit code $?"
for f in "$four"/.[!.]* "$four"/* "$three"/.[!.]* "$three"/*; do
  case $f in
    *.probe) ;;
    *) [ ! -e "$f" ] || fail "left behind: $f" ;;
  esac
done
echo "== done"
