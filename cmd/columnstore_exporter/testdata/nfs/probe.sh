#!/bin/sh
# Runs in the NFS guest: the exporter on NFSv4.2 and v3, the server stopped and started under it.
set -eu
# shellcheck source=functions.sh
. ./functions.sh

commits() { metric commit_latency_seconds_count "$1" | grep -qv '^0$'; }
# calls OPERATION MOUNT: how many calls of it the mount has made; events FIELD MOUNT: one of its event counters
calls() { awk -v op="$1:" -v mount="$2" '$4 == "on" { at = $5 } at == mount && $1 == op { print $2 }' /proc/self/mountstats; }
events() { awk -v field="$1" -v mount="$2" '$4 == "on" { at = $5 } at == mount && $1 == "events:" { print $field }' /proc/self/mountstats; }
# silly MOUNT: how often a file that was open was removed, which leaves .nfs... behind until it is closed
silly() { events 23 "$1"; }
# fails_with REASON DIRECTORY: reads have failed for it
fails_with() { fetch /metrics | grep "^columnstore_storage_read_failures_total{.*directory=\"$2\".*reason=\"$1\"" | grep -qv ' 0$'; }

nfs_mount vers=3,hard /mnt/v3
mkdir -p /mnt/nfs/data1 /mnt/v3/data2
four=/mnt/nfs/data1 three=/mnt/v3/data2
export COLUMNSTORE_EXPORTER_DBROOTS="1=$four,2=$three"

echo "== mount facts"
./columnstore_exporter targets >found.txt
cat found.txt
grep -q "$four .*nfs4 .*:/" found.txt || fail "NFSv4 is not seen"
grep -q "$three .*nfs .*:/" found.txt || fail "NFSv3 is not seen"

echo "== proof: each read more is one READ call more"
# check COUNT DIRECTORY: measures; reports how many reads were started (slots that an emulated machine misses are not made up for)
check() {
  COLUMNSTORE_EXPORTER_COMMIT_COUNT=0 ./columnstore_exporter check --json --interval 50ms --count "$1" "$2" >report || fail "check: $(cat report)"
  started=$(sed -n 's/.*"requests": \([0-9]*\),.*/\1/p' report | head -n 1)
}
# prove VERSION MOUNT DIRECTORY
prove() {
  check 11 "$3"
  before=$(calls READ "$2"); check 11 "$3"; short=$(($(calls READ "$2") - before)); few=$started
  before=$(calls READ "$2"); check 61 "$3"; long=$(($(calls READ "$2") - before)); many=$started
  [ $((long - short)) -eq $((many - few)) ] || fail "$1: $few and $many reads were $short and $long READ calls"
  [ "$many" -gt "$few" ] || fail "$1: nothing was read"
  grep -q '"device_ratio": 1,\{0,1\}$' report || fail "$1: the ratio is not 1: $(grep device_ratio report)"
  seen "$1: reads more in a longer run, and READ calls more in mountstats" "$((many - few)), $((long - short))"
}
prove v4.2 /mnt/nfs "$four"
prove v3 /mnt/v3 "$three"

echo "== commits leave nothing, and rename nothing away"
touch /mnt/nfs/open && exec 5</mnt/nfs/open && rm /mnt/nfs/open && exec 5<&-
[ "$(silly /mnt/nfs)" = 1 ] || fail "the counter of silly renames does not count: $(silly /mnt/nfs)"
start
for d in $four $three; do
  wait_for is success "$d" 1
  wait_for is read_device_ratio "$d" 1
  wait_for commits "$d"
  seen "${d%/*}: commits, silly renames" "$(metric commit_latency_seconds_count "$d"), $(($(silly "${d%/*}") - $([ "$d" = "$four" ] && echo 1 || echo 0)))"
done
[ "$(silly /mnt/nfs)$(silly /mnt/v3)" = 10 ] || fail "files were removed while they were open"

echo "== the server goes away for a minute"
nfs_stop
stopped=$(ms)
for d in $four $three; do wait_for hangs "$d"; done
seen "server stopped: both directories show an operation in flight after" "$(($(ms) - stopped)) ms"
while [ $(($(ms) - stopped)) -lt 60000 ]; do
  seen_scrape=$(scrape_ms)
  sleep 5
done
fetch / >/dev/null || fail "no page while the server is away"
[ "$(fetch /-/healthy)" = healthy ] || fail "unhealthy"
seen "server stopped for a minute: slowest of ten scrapes" "$seen_scrape ms"
workers=$(fetch /metrics | sed -n 's/^columnstore_exporter_workers //p')
seen "server stopped for a minute: worker processes" "$workers"
nfs_start
started=$(ms)
recovered $four $three
seen "server started: both directories are measured again after" "$(($(ms) - started)) ms"

echo "== it ends on dead storage, and a new one starts there and recovers"
nfs_stop
for d in $four $three; do wait_for hangs "$d"; done
end
seen "server stopped: SIGTERM to the end" "$took ms"
start
for d in $four $three; do wait_for hangs "$d"; done
nfs_start
recovered $four $three

echo "== another file system is exported in the place of the old one"
mount -t tmpfs other /export
nfs_export rw,no_subtree_check,no_root_squash,fsid=1
for d in $four $three; do wait_for fails_with estale "$d"; done
seen "exported anew, another file system: failures" "estale"
umount /export
nfs_export
for d in $four $three; do wait_for is success "$d" 1; done
seen "the old one exported again" "measured, without a new mount"

echo "== nothing is left behind"
end
wait "$pid" || fail "exit code $?"
clean $four $three
seen "after the end" "nothing but the probe files"

echo "== root is nobody, the engine's user is somebody"
chown -R mysql:mysql "$four"
nfs_export rw,sync,no_subtree_check,root_squash
code=0
./columnstore_exporter check --count 3 --interval 50ms "$four" >report 2>&1 || code=$?
{ [ "$code" = 2 ] && grep -q 'permission denied' report; } || fail "root on root_squash: exit code $code: $(cat report)"
seen "root_squash, as root: check" "permission denied, exit code 2"
chmod 755 /trial columnstore_exporter
su mysql -c "./columnstore_exporter check --count 3 --interval 50ms $four" >report 2>&1 || fail "mysql on root_squash: $(cat report)"
[ "$(stat -c '%U %a' "$four"/.columnstore_exporter-*.probe)" = 'mysql 600' ] || fail "the probe file: $(ls -la "$four")"
seen "root_squash, as mysql: check" "measured; the probe file is mysql's, mode 600"
echo "== done"
