#!/bin/sh
# Runs in the NFS guest: import trials beside the probes, the server stopped under both. With it come a MariaDB and two
# stand-ins for cpimport: good makes its entry in bulkRollback and loads the rows; stuck makes its entry again and again, until
# it gets SIGTERM.
set -eu
# shellcheck source=functions.sh
. ./functions.sh

# The client keeps attributes for an hour: looks that take its word for the server's show the hang late.
nfs_mount vers=4.2,hard,actimeo=3600 /mnt/cached
data=/mnt/cached/data1 back=/mnt/cached/data1/bulkRollback
mkdir -p $back
touch good/pids stuck/pids # to which each import adds its own
export COLUMNSTORE_EXPORTER_DBROOTS="1=$data" COLUMNSTORE_EXPORTER_STATE_DIR=/trial/state
export COLUMNSTORE_EXPORTER_INGEST_DSN='root@unix(/trial/mariadb/socket)/' COLUMNSTORE_EXPORTER_INGEST_ROWS=10

# value SERIES: its value; reaches COUNT SERIES: it is that much or more
value() { fetch /metrics | awk -v series="columnstore_$1" '$1 == series { print $2 }'; }
reaches() { [ "$(value "$2")" -ge "$1" ] 2>/dev/null; }
succeeded='ingest_duration_seconds_count{method="cpimport"}'
flight=ingest_in_flight_start_timestamp_seconds
# trials PROGRAM INTERVAL: starts the daemon with that program in the place of cpimport
trials() {
  export COLUMNSTORE_EXPORTER_INGEST_METHOD=cpimport COLUMNSTORE_EXPORTER_CPIMPORT_PATH="/trial/$1/standin"
  export COLUMNSTORE_EXPORTER_INGEST_INTERVAL="$2"
  start
}
# asked COMMAND...: does the same; where that fails, a trial is asked for
asked() { "$@" || ! kill -USR1 "$pid"; }
# starts PROGRAM: how often it was started; started COUNT PROGRAM: so often
starts() { wc -l <"$1/pids"; }
started() { [ "$(starts "$2")" = "$1" ]; }
# import_hangs: in a call that SIGKILL would end, and nothing less; import_gone: it has ended, or is about to
import_hangs() { grep -q '^State:.D' "/proc/$import/task"/*/status 2>/dev/null; }
import_gone() { ! grep -q '^State:.[^Z]' "/proc/$import/status" 2>/dev/null; }
last_import() { import=$(tail -n 1 "$1/pids"); }
# stop_during_import COUNT: stops the server in the midst of the import for which stuck is started for that time. No run is
# made beside an import: the directories' signal comes from the looks at them alone.
stop_during_import() {
  wait_for asked started "$1" stuck
  last_import stuck
  wait_for test -e $back/3000
  nfs_stop
  stopped=$(ms)
  wait_for import_hangs
  import_hung=$(($(ms) - stopped))
  for d in $data $back; do wait_for hangs "$d"; done
  both_hang=$(($(ms) - stopped))
  [ "$(grep -c 'import is stuck' log)" -lt "$1" ] || fail "the import's time limit told of it before the directories, after $both_hang ms"
}
# end_cleanly: ends the daemon, after which nothing but probe files is left
end_cleanly() {
  end
  wait "$pid" || fail "exit code $?"
  last_import good
  wait_for import_gone
  clean $data $back
}

echo "== a database"
./mariadb/run >database.log 2>&1 &
wait_for test -S mariadb/socket

echo "== trials beside probes"
runs() { metric runs_total $back; }
more_runs() { [ $(($(runs) - before)) -ge 2 ]; }
trials good 1h
recovered $data $back
before=$(runs)
wait_for asked reaches 3 "$succeeded"
wait_for more_runs
recovered $data $back
! fetch /metrics | grep '^columnstore_ingest_failures_total' | grep -v ' 0$' || fail "a trial failed"
seen "trials that have succeeded, runs in bulkRollback beside them" "$(value "$succeeded"), $(($(runs) - before))"
end_cleanly
imported=$(starts good)

echo "== the server goes away during an import"
export COLUMNSTORE_EXPORTER_INGEST_TIMEOUT=10s
trials stuck 10s
stop_during_import 1
since=$(value $flight)
{ [ -n "$since" ] && [ "$since" != 0 ]; } || fail "no import is in flight"
seen "server stopped during an import: it hangs after" "$import_hung ms"
seen "server stopped during an import: both directories show an operation in flight after" "$both_hang ms"
wait_for grep -q 'import is stuck, asking it to end' log
wait_for reaches 1 'ingest_skipped_total{reason="in_flight"}'
seen_scrape=$(scrape_ms)
[ "$(fetch /-/healthy)" = healthy ] || fail "unhealthy"
seen "import hangs: slowest of ten scrapes" "$seen_scrape ms"
[ "$(value $flight)" = "$since" ] || fail "in flight since $(value $flight), not $since"
import_hangs || fail "the import was ended"
started 1 stuck || fail "a second import beside it"
seen "import hangs longer than the time limit of 10 s: the next trial" "skipped as in_flight; the import is asked to end, shown in flight and not killed"
nfs_start
healed=$(ms)
wait_for import_gone
seen "server started: the import ends after" "$(($(ms) - healed)) ms"
wait_for reaches 1 'ingest_failures_total{reason="timeout"}'
grep -q 'asked to end by the exporter; exit status 1' log || fail "the import did not end as it was asked to"
seen "the trial" "failed as timeout; the import has ended with an exit status of its own"

echo "== the daemon ends on an import that hangs, and the next one finds it"
stop_during_import 2
end
import_hangs || fail "the import ended with the daemon"
seen "server stopped during an import: SIGTERM to the end of the daemon" "$took ms; the import hangs on"
unset COLUMNSTORE_EXPORTER_INGEST_TIMEOUT
trials good 1h
wait_for asked reaches 1 'ingest_skipped_total{reason="leftover"}'
import_hangs || fail "the import was ended"
started "$imported" good || fail "a second import beside it"
seen "the next daemon: a trial" "skipped as leftover"
nfs_start
healed=$(ms)
wait_for import_gone
seen "server started: the import that the first daemon has left ends after" "$(($(ms) - healed)) ms"
wait_for asked reaches 1 "$succeeded"
recovered $data $back
seen "the next trial" "succeeded"
end_cleanly
seen "after the end, in the DBroot and in bulkRollback" "nothing but the probe files"
echo "== done"
