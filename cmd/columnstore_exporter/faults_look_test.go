//go:build mariadb

package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reading is one scrape: values by series, as the text format has them, without the prefix columnstore_.
type reading map[string]float64

func parseReading(t *testing.T, exposition string) reading {
	r := reading{}
	for line := range strings.Lines(exposition) {
		series, found := strings.CutPrefix(strings.TrimSpace(line), "columnstore_")
		if i := strings.LastIndexByte(series, ' '); found {
			value, err := strconv.ParseFloat(series[i+1:], 64)
			if err != nil {
				t.Fatal(err)
			}
			r[series[:i]] = value
		}
	}
	return r
}

// look takes one reading, and with it the neighbour's last mean and the time of the answer.
func (s *stage) look() reading {
	s.Helper()
	asked := time.Now()
	text := s.daemon.get("/metrics")
	s.noteAnswer("/metrics", text, time.Since(asked))
	now := parseReading(s.T, text)
	mean, there := now[s.beside("read_run_avg_seconds")]
	if there && (len(s.means) == 0 || s.means[len(s.means)-1] != mean) {
		s.means = append(s.means, mean)
	}
	return now
}

func (s *stage) noteAnswer(path, body string, took time.Duration) {
	s.Helper()
	s.seen.answer = max(s.seen.answer, took)
	if body == "" || took > answerBound {
		s.Errorf("%s: %d bytes after %s", path, len(body), took)
	}
}

// answersQuickly asks all paths that must not depend on storage.
func (s *stage) answersQuickly() {
	s.Helper()
	for _, path := range []string{"/metrics", "/", "/api/v1/status", "/-/healthy"} {
		asked := time.Now()
		body := s.daemon.get(path)
		s.noteAnswer(path, body, time.Since(asked))
	}
}

// await looks until what holds.
func (s *stage) await(what string, holds func(now reading) bool) {
	s.Helper()
	s.daemon.eventually(what, func() bool { return holds(s.look()) })
}

// target names a series of the DBroot with the fault.
func (s *stage) target(name string, labels ...string) string { return series(name, s.dir, labels...) }

// bulkRollback names a series of its bulkRollback.
func (s *stage) bulkRollback(name string) string {
	return fmt.Sprintf(`storage_%s{dbroot="1",directory=%q,kind="bulkrollback"}`, name, s.dir+"/bulkRollback")
}

// beside names a series of the neighbour.
func (s *stage) beside(name string, labels ...string) string {
	return fmt.Sprintf(`storage_%s{dbroot="",directory=%q,kind="extra"%s}`, name, s.neighbour.Path(), strings.Join(labels, ""))
}

// sign is what a fault is to look like in the metrics.
type sign struct {
	what  string
	holds func(s *stage, now reading) bool
}

// hangs is an operation that has been in flight for longer than any here takes, on the DBroot or its bulkRollback.
func hangs() sign {
	return sign{"an operation in flight", func(s *stage, now reading) bool {
		age := func(series string) float64 {
			if start := now[series]; start > 0 {
				return float64(time.Now().UnixNano())/1e9 - start
			}
			return 0
		}
		return max(age(s.target("in_flight_start_timestamp_seconds")), age(s.bulkRollback("in_flight_start_timestamp_seconds"))) > 0.3
	}}
}

// fails is a failure of that reason in a run that has not measured.
func fails(op, why string) sign {
	return sign{op + " " + why, func(s *stage, now reading) bool {
		failed := s.target(op+"_failures_total", `,reason="`+why+`"`)
		return now[failed] > s.before[failed] && now[s.target("success")] == 0
	}}
}

// skips is a run that was not begun, for that reason.
func skips(why string) sign {
	return sign{"skipped: " + why, func(s *stage, now reading) bool {
		skipped := s.target("runs_skipped_total", `,reason="`+why+`"`)
		return now[skipped] > s.before[skipped]
	}}
}

// restarts is a worker that was lost.
func restarts() sign {
	return sign{"worker restarted", func(s *stage, now reading) bool {
		return now["exporter_worker_restarts_total"] > s.before["exporter_worker_restarts_total"]
	}}
}

// unharmed is a run that has begun and measured since, and no failure.
func unharmed() sign {
	return sign{"measured on", func(s *stage, now reading) bool {
		return now[s.target("runs_total")] > s.before[s.target("runs_total")]+1 && now[s.target("success")] == 1 && s.failures(now) == s.failures(s.before)
	}}
}

// fallsOnce is a read failure of that reason, which may be over by the time it is looked for.
func fallsOnce(why string) sign {
	return sign{"once read " + why, func(s *stage, now reading) bool {
		failed := s.target("read_failures_total", `,reason="`+why+`"`)
		return now[failed] > s.before[failed]
	}}
}

// adopts is a mount of that type that is measured.
func adopts(fstype string) sign {
	return sign{"measured on " + fstype, func(s *stage, now reading) bool {
		for series := range now {
			there := strings.HasPrefix(series, "storage_target_info{") && strings.Contains(series, "directory="+strconv.Quote(s.dir)) &&
				strings.Contains(series, `fstype="`+fstype+`"`)
			if there && now[s.target("runs_total")] > s.before[s.target("runs_total")] && now[s.target("success")] == 1 {
				return true
			}
		}
		return false
	}}
}

// either is one of two signs.
func either(a, b sign) sign {
	return sign{a.what + " or " + b.what, func(s *stage, now reading) bool { return a.holds(s, now) || b.holds(s, now) }}
}

// failures is how many requests of the DBroot have failed.
func (s *stage) failures(r reading) (n float64) {
	for series, value := range r {
		if strings.Contains(series, "_failures_total{") && strings.Contains(series, "directory="+strconv.Quote(s.dir)) {
			n += value
		}
	}
	return n
}
