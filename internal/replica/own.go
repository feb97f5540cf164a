package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"
)

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
