package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/groupcommit"
)

// Change is a write of a key that had the revision before.
type Change struct {
	Key    string
	Value  []byte // nil: the key is deleted
	Before uint64 // 0: it has never been written
}

// mostSent is how many writes of all calls of ChangeAll may have no answer yet.
const mostSent = 1024

// changedAtOnce is how many writes are sent before their answer is read; the server takes
// up to 1,000 as one.
const changedAtOnce = 500

// ChangeAll writes many keys with one round trip for every 500, each only if it has the
// revision before. Result i is the new revision of change i; 0: it was not written, since
// the key has another revision. With an error, which says that the cluster gave no answer
// to at least one, a revision of 0 may also have been written. Calls at the same time wait
// for each other when they have many writes.
//
// The writes of a round trip are first sent as one, which the server syncs once (an atomic
// batch, ADR-50 of NATS). Where it refuses that, such as when one of the keys has another
// revision, each is sent for itself.
func (c *Cluster) ChangeAll(ctx context.Context, kv jetstream.KeyValue, changes []Change) ([]uint64, error) {
	revs := make([]uint64, len(changes))
	for at := 0; at < len(changes); at += changedAtOnce {
		end := min(at+changedAtOnce, len(changes))
		some := changes[at:end]
		written, err := c.changeTogether(ctx, kv, some, revs[at:end])
		if err == nil && !written {
			err = c.changeEach(ctx, kv, some, revs[at:end])
		}
		if err != nil {
			return revs, classified("writing keys", err)
		}
	}
	return revs, nil
}

// ChangeTogether writes keys, at most 1,000, all or none: the result is nil where one has
// another revision than before, or the server does not take so many writes as one now. With
// an error they may have been written, unless NotWritten says that they were not.
func (c *Cluster) ChangeTogether(ctx context.Context, kv jetstream.KeyValue, changes []Change) ([]uint64, error) {
	revs := make([]uint64, len(changes))
	written, err := c.changeTogether(ctx, kv, changes, revs)
	if err != nil || !written {
		return nil, classified("writing keys", err)
	}
	return revs, nil
}

// changeTogether fills revs if it reports that the changes were written.
func (c *Cluster) changeTogether(ctx context.Context, kv jetstream.KeyValue, changes []Change, revs []uint64) (written bool, err error) {
	if len(changes) == 0 {
		return true, nil
	}
	if err := c.sent.Acquire(ctx, int64(len(changes))); err != nil {
		return false, err
	}
	defer c.sent.Release(int64(len(changes)))
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	batch := uuid.NewString()
	var answer *nats.Msg
	for i, ch := range changes {
		msg := ch.message(kv)
		msg.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(ch.Before, 10))
		msg.Header.Set("Nats-Batch-Id", batch)
		msg.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		if i < len(changes)-1 {
			err = c.conn.PublishMsg(msg)
		} else {
			msg.Header.Set("Nats-Batch-Commit", "1")
			answer, err = c.conn.RequestMsgWithContext(ctx, msg)
		}
		if err != nil && (i < len(changes)-1 || errors.Is(err, nats.ErrNoResponders)) {
			err = &notWrittenError{err}
		}
		if err != nil {
			return false, err
		}
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		Last  uint64              `json:"seq"`
		Count int                 `json:"count"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return false, err
	}
	if ack.Error != nil {
		if kindOf(ack.Error) == ErrUnreachable {
			return false, ack.Error
		}
		return false, nil // refused: nothing was written
	}
	if ack.Count != len(changes) {
		return false, errors.New("the server took a part of the writes") // it never does
	}
	for i := range revs {
		revs[i] = ack.Last - uint64(len(changes)-1-i)
	}
	return true, nil
}

// notWrittenError is an error of changes of which none was written.
type notWrittenError struct{ error }

func (e *notWrittenError) Unwrap() error { return e.error }

// NotWritten reports whether an error of ChangeTogether says that nothing was written.
func NotWritten(err error) bool {
	var e *notWrittenError
	return errors.As(err, &e)
}

func (ch Change) message(kv jetstream.KeyValue) *nats.Msg {
	msg := nats.NewMsg("$KV." + kv.Bucket() + "." + ch.Key)
	msg.Data = ch.Value
	if ch.Value == nil {
		msg.Header.Set("KV-Operation", "DEL")
	}
	return msg
}

func (c *Cluster) changeEach(ctx context.Context, kv jetstream.KeyValue, changes []Change, revs []uint64) error {
	if err := c.sent.Acquire(ctx, int64(len(changes))); err != nil {
		return err
	}
	defer c.sent.Release(int64(len(changes)))
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	acks := make([]jetstream.PubAckFuture, len(changes))
	var failed error
	for i, ch := range changes {
		ack, err := c.js.PublishMsgAsync(ch.message(kv), jetstream.WithExpectLastSequencePerSubject(ch.Before))
		if err != nil {
			failed = err
			break
		}
		acks[i] = ack
	}
	for i, ack := range acks {
		if ack == nil {
			break
		}
		select {
		case ok := <-ack.Ok():
			revs[i] = ok.Sequence
		case err := <-ack.Err():
			if !IsConflict(err) {
				failed = err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return failed
}

// Writer joins the writes of several goroutines to a bucket: those that come while a round
// trip is on its way are written together in the next.
type Writer struct{ group *groupcommit.Group[*joined] }

// joined are the changes of one call.
type joined struct {
	changes []Change
	revs    []uint64
	err     error
}

// Writer returns a writer to a bucket.
func (c *Cluster) Writer(kv jetstream.KeyValue) *Writer {
	return &Writer{groupcommit.New(changedAtOnce, func(calls []*joined) {
		var all []Change
		for _, j := range calls {
			all = append(all, j.changes...)
		}
		ctx := context.Background() // bounded by the time for requests
		revs, err := c.ChangeAll(ctx, kv, all)
		if err != nil && !errors.Is(err, ErrUnreachable) { // such as a value that is too large: the others are not to fail
			for _, j := range calls {
				j.revs, j.err = c.ChangeAll(ctx, kv, j.changes)
			}
			return
		}
		for _, j := range calls {
			j.revs, j.err = revs[:len(j.changes)], err
			revs = revs[len(j.changes):]
		}
	})}
}

// ChangeAll is Cluster.ChangeAll. When ctx ends, the changes may be written later.
func (w *Writer) ChangeAll(ctx context.Context, changes []Change) ([]uint64, error) {
	j := &joined{changes: changes}
	if err := w.group.Do(ctx, j, len(changes)); err != nil {
		return make([]uint64, len(changes)), err
	}
	return j.revs, j.err
}
