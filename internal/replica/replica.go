package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
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

// Own takes over a workspace: from now on no earlier owner can acknowledge anything. The
// state that counts is then restored with Restore, and Begin is called when the workbench
// is open. empty: the log had no state, so that a new workspace is to be made.
func Own(ctx context.Context, log Log, store Contents, opt Options) (r *Replica, empty bool, err error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.SnapshotAfter == 0 {
		opt.SnapshotAfter = snapshotAfter
	}
	r = &Replica{log: log, store: store, opt: opt, known: map[string]Content{}}
	r.owned, r.end = context.WithCancel(context.Background())
	read := &keptLog{Log: log}
	r.read = read
	defer func() {
		if err != nil {
			read.drop()
		}
	}()
	for {
		fence, state := uint64(0), false
		read.drop()
		last, err := log.Read(ctx, func(number uint64, message []byte) error {
			read.keep(number, message)
			rec, err := decode(message)
			if err == nil {
				fence = max(fence, rec.Fence)
				state = state || rec.Kind != kindTakeover
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
		// A server that took the workspace after the lease ended answers reads without asking
		// the log, so it must not be fenced.
		if opt.Valid != nil && !opt.Valid() {
			return nil, false, errOver
		}
		r.fence, r.number = fence+1, 1
		b, err := (&Record{Kind: kindTakeover, Fence: r.fence, Number: 1, Owner: opt.Owner}).encode()
		if err != nil {
			return nil, false, err
		}
		r.last, err = r.append(ctx, last, b)
		if errors.Is(err, ErrFenced) && ctx.Err() == nil {
			pause(ctx) // the old owner, or another new one, was faster
			continue
		}
		read.keep(r.last, b)
		return r, !state, err
	}
}

// Fence returns the number of the ownership, which rises.
func (r *Replica) Fence() uint64 { return r.fence }

// append adds a message after last, also where the log does not answer at once: the same
// message after the same one is stored once.
func (r *Replica) append(ctx context.Context, last uint64, message []byte) (uint64, error) {
	var err error
	for try, begun := 0, time.Now(); try < appendTries || time.Since(begun) < appendPatience; try++ {
		var n uint64
		if n, err = r.log.Append(ctx, last, message); err == nil {
			return n, nil
		}
		if errors.Is(err, ErrFenced) {
			if try == 0 {
				return 0, err
			}
			// The first try may have been stored, and its answer lost.
			n, ours, ferr := r.follows(ctx, last, message)
			if ours {
				return n, nil
			}
			if n > 0 {
				return 0, err
			}
			err = fmt.Errorf("%w: %w", ErrUncertain, errors.Join(err, ferr)) // what follows was not found yet
		}
		if !errors.Is(err, ErrUncertain) || ctx.Err() != nil {
			break
		}
		pause(ctx)
	}
	return 0, err
}

// pause waits before what failed is tried again.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// follows reports whether the message after last is this one.
func (r *Replica) follows(ctx context.Context, last uint64, message []byte) (n uint64, ours bool, err error) {
	_, err = r.log.Read(ctx, func(number uint64, found []byte) error {
		if number > last && n == 0 {
			n, ours = number, string(found) == string(message)
		}
		return nil
	})
	return n, ours, err
}

// restoreTold is the least time between two lines about a restore that waits.
const restoreTold = 5 * time.Second

// upTo is the number of the last message of a state, 0 without one.
func (st *State) upTo() uint64 {
	if st == nil {
		return 0
	}
	return st.Last
}

// Restore is the function Restore for the state that this owner took over. It waits for a
// log that does not have all of it yet.
func (r *Replica) Restore(ctx context.Context, dir, local string) (*State, error) {
	var told time.Time
	defer r.forgetRead()
	for {
		st, err := Restore(ctx, r.read, r.store, dir, local)
		switch {
		case err == nil && st.Last == r.last:
			return st, nil
		case err == nil && st.Last > r.last:
			err = ErrFenced
		case err == nil || errors.Is(err, ErrUncertain):
			if time.Since(told) > restoreTold {
				r.opt.Log.Warn("a workspace cannot be made from its log yet; trying again", "folder", dir, "have", st.upTo(), "of", r.last, "err", err)
				told = time.Now()
			}
			if err == nil {
				err = os.RemoveAll(dir)
			}
			if err = errors.Join(err, ctx.Err()); err == nil || errors.Is(err, ErrUncertain) && ctx.Err() == nil {
				pause(ctx)
				continue
			}
		}
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
}

// forgetRead forgets what Own read.
func (r *Replica) forgetRead() {
	r.read.drop()
	r.read.over = true
}

// Follow starts following the state folder dir that was restored as st, before the
// workbench is opened.
func (r *Replica) Follow(ctx context.Context, dir string, st *State) error {
	r.run.Lock()
	defer r.run.Unlock()
	if st.Last != r.last {
		return fmt.Errorf("%w: the state that was restored ends before this ownership", ErrFenced)
	}
	r.state.Lock()
	defer r.state.Unlock()
	r.known, r.logged, r.records = st.known, st.logged, st.Records
	r.capture = newCapturer(dir)
	if err := r.capture.capture(ctx); err != nil {
		return err
	}
	r.capture.drop()
	return nil
}

// Begin starts acknowledging what happens in the open workbench. What opening it changed is
// in the log when Begin returns; without Follow before it that is its whole state folder dir.
func (r *Replica) Begin(ctx context.Context, bench Workbench, dir string) error {
	r.forgetRead() // where nothing was restored
	r.run.Lock()
	r.state.Lock()
	r.bench = bench
	if r.capture == nil {
		r.capture = newCapturer(dir)
	}
	r.capture.objects.placed = bench.PlacedObjects
	r.capture.objects.captures = 0 // opening the workbench may have changed any of them
	r.state.Unlock()
	r.run.Unlock()
	return r.Commit(ctx)
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
