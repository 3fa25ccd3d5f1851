//go:build linux

package ingest

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
)

// healthTimeout bounds one look at the server without its table locks.
const healthTimeout = 20 * time.Second

// Health asks the server how it is. While a LOAD DATA of a trial is under way, or a server that is down is left alone for
// a moment, it returns what it knows from before:
// at the very first a Database without a Time.
func (r *Runner) Health(ctx context.Context) Database {
	r.health.Lock()
	defer r.health.Unlock()
	if time.Now().Before(r.askNext) {
		return r.last
	}
	began := time.Now()
	d, err := r.look(ctx)
	switch {
	case errors.Is(err, mariadb.ErrBusy):
		return r.last
	case err != nil:
		d.Error = err.Error()
		r.askNext = time.Now().Add(r.backoff.Fail(0))
	default:
		r.backoff.Reset()
	}
	d.Time = began
	r.last = d
	return d
}

func (r *Runner) look(ctx context.Context) (d Database, err error) {
	quick, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	session, err := r.server.Open(quick)
	if err != nil {
		return d, err
	}
	defer session.Close()
	d.Up = true
	facts, err := session.Facts(quick)
	d.Version, d.ColumnStore = facts.Version, facts.ColumnStore
	if err != nil {
		return d, err
	}
	if !d.ColumnStore {
		r.sayPlain()
		return d, nil
	}
	system, err := session.System(quick)
	if err != nil {
		return d, err
	}
	d.Ready, d.Primary, d.ReadOnly = &system.Ready, &system.Primary, &system.ReadOnly
	if system.Ready {
		err = r.lookAtLocks(ctx, session, &d)
	}
	return d, err
}

// lockPace keeps the cost of asking for all table locks in proportion: it grows with the number of tables.
type lockPace struct {
	next  time.Time
	count int
	own   bool
}

// lockShare is how much of the time may be spent on asking for table locks: one part of so many.
const lockShare = 50

// lookAtLocks asks for the locks, or returns the last answer when that took long and is young.
func (r *Runner) lookAtLocks(ctx context.Context, session *mariadb.Session, d *Database) error {
	if began := time.Now(); !began.Before(r.locks.next) {
		locks, err := session.Locks(ctx, r.table)
		r.locks.next = time.Now().Add(lockShare * time.Since(began))
		if err != nil {
			return err
		}
		r.locks.count, r.locks.own = len(locks), false
		for _, lock := range locks {
			r.locks.own = r.locks.own || r.isOwn(lock)
		}
	}
	count, own := r.locks.count, r.locks.own
	d.TableLocks, d.TableLocked = &count, &own
	return nil
}

// sayPlain says once that ColumnStore's checks do not apply.
func (r *Runner) sayPlain() {
	r.plain.Do(func() {
		r.log.Info("the server has no ColumnStore: its state and its table locks are not looked at", zap.Stringer("table", r.table))
	})
}
