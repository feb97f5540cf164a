package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"atelier/internal/trace"
)

// Bounds of an owner.
const (
	// maxMessage is the size in bytes up to which a record is a message; larger ones are in
	// the store. NATS takes messages of 1 MiB.
	maxMessage = 512 << 10
	// snapshotAfter is after how many bytes of records a snapshot replaces them. A takeover
	// reads at most about twice as much.
	snapshotAfter = 8 << 20
	// snapshotRecords is the same as a number.
	snapshotRecords = 5000
	// appendTries and captureTries bound what is done again. An append that fails at once,
	// as while the servers choose a leader, is tried for appendPatience.
	appendTries    = 5
	appendPatience = 5 * time.Second
	captureTries   = 5
	// snapshotPause is how long a snapshot that failed is not tried again: each try may wait
	// for a store that does not answer, and the calls of the workspace wait for it.
	snapshotPause = 30 * time.Second
)

// Workbench is what a Replica needs of an open workbench.
type Workbench interface {
	// Hold calls f while nothing changes the draft, the published files or the conversation.
	Hold(ctx context.Context, f func() error) error
	// PlacedObjects returns the folders in which objects were placed since the call before.
	PlacedObjects() [256]bool
}

// Options of Own.
type Options struct {
	Owner string // names this server in the log
	Log   *slog.Logger
	// Lost is called once, when another owner has begun or the log did not answer: nothing
	// may be acknowledged any more, and what was not is to be thrown away.
	Lost func(error)
	// Valid reports whether the lease of the workspace can be relied on now. A Commit that
	// finds nothing to replicate, as that of a call that only reads, asks it: another owner
	// may have begun. Own asks it too, after it has read the log. nil: always.
	Valid func() bool
	// SnapshotAfter is after how many bytes of records a snapshot is made; 0 is 8 MiB.
	SnapshotAfter int64
}

// Replica is the ownership of one workspace by this process: it puts what changes in the
// state folder into the log. It is safe for concurrent use.
type Replica struct {
	log   Log
	store Contents
	opt   Options
	fence uint64
	owned context.Context // ends when the ownership is lost
	end   context.CancelFunc
	read  *keptLog // what Own read, for Restore

	run     sync.Mutex // a round at a time; protects the fields below, with state what capture has
	capture *capturer
	bench   Workbench
	last    uint64 // number of the last message
	number  uint64 // of the last record
	names   uint64 // of contents that were given
	known   map[string]Content
	logged  int64     // bytes since the snapshot
	records int       // since the snapshot
	later   time.Time // before which no snapshot is tried

	state  sync.Mutex // protects what capture has, and the field below; it is taken after run
	flight *round     // whose changes are captured and perhaps not in the log yet

	mu          sync.Mutex  // protects the fields below; it is taken after the others
	next        *round      // that has not begun
	nextCompare *comparison // that has not begun
	lost        error
}

// round is a capture and its record, which several calls of Commit wait for.
type round struct {
	done chan struct{}
	err  error
}

// Commit returns when everything that changed before the call is in the log. A call whose
// answer says what it found or did is answered after it. The error is ErrFenced or
// ErrUncertain where the ownership is lost; then nothing may be acknowledged.
func (r *Replica) Commit(ctx context.Context) error {
	if err := r.Lost(); err != nil {
		return err
	}
	switch seen := r.compared(ctx); {
	case seen == nil:
		return ctx.Err()
	case seen.same:
		return r.acknowledge(ctx, seen)
	}
	r.mu.Lock()
	if r.lost != nil {
		defer r.mu.Unlock()
		return r.lost
	}
	mine := r.next
	first := mine == nil
	if first {
		mine = &round{done: make(chan struct{})}
		r.next = mine
	}
	r.mu.Unlock()
	if first {
		go r.do(context.WithoutCancel(ctx), mine) // others wait for it too
	}
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do carries a round out when the one before has ended. It waits for no log or store once the
// ownership is lost: the next take of the workspace on this server waits for its end.
func (r *Replica) do(ctx context.Context, mine *round) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.owned, cancel)()
	r.run.Lock()
	defer r.run.Unlock()
	r.mu.Lock()
	r.next = nil // who comes now may have changed what is already captured
	mine.err = r.lost
	r.mu.Unlock()
	if mine.err == nil {
		mine.err = r.once(ctx, mine)
	}
	r.state.Lock()
	if mine.err == nil && r.capture != nil {
		r.capture.drop()
	}
	r.flight = nil // what is not in the log is in the next record
	r.state.Unlock()
	if errors.Is(mine.err, ErrFenced) || errors.Is(mine.err, ErrUncertain) {
		r.lose(mine.err)
	}
	close(mine.done)
	if mine.err == nil && (r.logged >= r.opt.SnapshotAfter || r.records >= snapshotRecords) && !time.Now().Before(r.later) {
		if err := r.snapshot(ctx); err != nil {
			r.later = time.Now().Add(snapshotPause)
			r.opt.Log.Warn("the log of a workspace cannot be shortened", "err", err)
			if errors.Is(err, ErrFenced) || errors.Is(err, ErrUncertain) {
				r.lose(err)
			}
		}
	}
}

// lose ends the ownership.
func (r *Replica) lose(err error) {
	r.mu.Lock()
	first := r.lost == nil
	if first {
		r.lost = err
	}
	r.mu.Unlock()
	r.end()
	if first && r.opt.Lost != nil {
		r.opt.Lost(err)
	}
}

// Lose ends the ownership, as when its lease is over.
func (r *Replica) Lose() { r.lose(fmt.Errorf("%w: its lease is over", ErrFenced)) }

// Lost returns why the ownership is lost, nil while it is not.
func (r *Replica) Lost() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// once captures, stores the contents and appends the record. r.run is held.
func (r *Replica) once(ctx context.Context, mine *round) (err error) {
	rec := &Record{Kind: kindChange, Fence: r.fence, Number: r.number + 1}
	var span *trace.Span
	defer func() {
		span.FailIf(err, "not in the log")
		span.End()
	}()
	for try := 0; ; try++ {
		if err := r.bench.Hold(ctx, func() error { return r.captured(ctx, mine) }); err != nil {
			return fmt.Errorf("what changed cannot be replicated: %w", err)
		}
		if len(r.capture.changes) == 0 {
			if r.opt.Valid != nil && !r.opt.Valid() {
				return fmt.Errorf("%w: its lease is over", ErrFenced)
			}
			return nil
		}
		if try == 0 {
			ctx, span = trace.Start(ctx, "commit to the log", trace.Int("atelier.changes", len(r.capture.changes)))
		}
		err := r.storeContents(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, errChanged) || try >= captureTries {
			return fmt.Errorf("what changed cannot be replicated: %w", err)
		}
	}
	for _, p := range r.capture.changes {
		if p.data != nil || p.Op == opAppend || p.Op == opPages {
			p.Change.Data = rec.add(p.data)
		}
		rec.Changes = append(rec.Changes, p.Change)
	}
	message, err := rec.encode()
	if err != nil {
		return err
	}
	if len(message) > maxMessage {
		c, err := r.put(ctx, message)
		if err != nil {
			return err
		}
		if message, err = (&Record{Kind: kindChange, Fence: r.fence, Number: rec.Number, Payload: &c}).encode(); err != nil {
			return err
		}
	}
	span.Set(trace.Int("atelier.bytes", len(message)))
	n, err := r.append(ctx, r.last, message)
	if err != nil {
		return err
	}
	r.last, r.number = n, rec.Number
	r.logged += int64(len(message))
	r.records++
	return nil
}

// captured captures what changed for a round.
func (r *Replica) captured(ctx context.Context, mine *round) error {
	r.state.Lock()
	defer r.state.Unlock()
	err := r.capture.capture(ctx)
	if err == nil && len(r.capture.changes) > 0 {
		r.flight = mine
	}
	return err
}

// Close ends the ownership without giving it to another. Commit before it what counts.
func (r *Replica) Close() error {
	r.run.Lock()
	defer r.run.Unlock()
	r.forgetRead()
	r.mu.Lock()
	if r.lost == nil {
		r.lost = errors.New("the workspace is closed here")
	}
	r.mu.Unlock()
	r.end()
	if r.capture == nil {
		return nil
	}
	r.state.Lock()
	defer r.state.Unlock()
	c := r.capture
	r.capture = nil
	return c.close()
}

// Wait returns when the round and the snapshot that are in progress have ended.
func (r *Replica) Wait() {
	r.run.Lock()
	defer r.run.Unlock()
}
