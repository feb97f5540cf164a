package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Entry is the last value of a key with its revision.
type Entry struct {
	Value    []byte // nil: the key was deleted
	Revision uint64
	At       time.Time // when it was written, by the clock of a server of the cluster
}

// lastAtOnce is how many keys one request of Last asks for; the server allows 1,024.
const lastAtOnce = 512

// Last returns the last entries of keys of a bucket, also of deleted ones; a key that has
// none is not in the result. It takes one request for many keys (a direct get of several
// subjects, ADR-31 of NATS). Any replica may answer, so that an entry that was written a
// moment ago may be missing or old.
func (c *Cluster) Last(ctx context.Context, kv jetstream.KeyValue, keys []string) (map[string]Entry, error) {
	found := make(map[string]Entry, len(keys))
	for len(keys) > 0 {
		n := min(len(keys), lastAtOnce)
		if err := c.last(ctx, kv.Bucket(), keys[:n], found); err != nil {
			return nil, classified("reading keys", err)
		}
		keys = keys[n:]
	}
	return found, nil
}

func (c *Cluster) last(ctx context.Context, bucket string, keys []string, found map[string]Entry) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	head := "$KV." + bucket + "."
	subjects := make([]string, len(keys))
	for i, k := range keys {
		subjects[i] = head + k
	}
	request, err := json.Marshal(map[string]any{"multi_last": subjects})
	if err != nil {
		return err
	}
	inbox := c.conn.NewRespInbox()
	sub, err := c.conn.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	if err := c.conn.PublishRequest("$JS.API.DIRECT.GET.KV_"+bucket, inbox, request); err != nil {
		return err
	}
	for {
		msg, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		switch status := msg.Header.Get("Status"); status {
		case "":
		case "204", "404": // the end; none
			return nil
		case "503":
			return nats.ErrNoResponders
		default:
			return fmt.Errorf("the server answered %s %s", status, msg.Header.Get("Description"))
		}
		rev, err := strconv.ParseUint(msg.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil {
			return errors.New("an answer of the server has no sequence")
		}
		e := Entry{Value: msg.Data, Revision: rev}
		e.At, _ = time.Parse(time.RFC3339Nano, msg.Header.Get("Nats-Time-Stamp")) // zero where a server does not say it
		if op := msg.Header.Get("KV-Operation"); op == "DEL" || op == "PURGE" {
			e.Value = nil
		}
		found[strings.TrimPrefix(msg.Header.Get("Nats-Subject"), head)] = e
	}
}

// Change is a write of a key that had the revision before.
type Change struct {
	Key    string
	Value  []byte // nil: the key is deleted
	Before uint64 // 0: it has never been written
}

// mostSent is how many writes of all calls of ChangeAll may have no answer yet: a server
// that syncs each takes about a thousand in a second.
const mostSent = 1024

// changedAtOnce is how many writes of one call are sent before their answers are read.
const changedAtOnce = 256

// ChangeAll writes many keys with one round trip for every 256, each only if it has the
// revision before. Result i is the new revision of change i; 0: it was not written, since
// the key has another revision. With an error, which says that the cluster gave no answer
// to at least one, a revision of 0 may also have been written. Calls at the same time wait
// for each other when they have many writes.
func (c *Cluster) ChangeAll(ctx context.Context, kv jetstream.KeyValue, changes []Change) ([]uint64, error) {
	revs := make([]uint64, len(changes))
	for at := 0; at < len(changes); at += changedAtOnce {
		end := min(at+changedAtOnce, len(changes))
		if err := c.changeSome(ctx, kv, changes[at:end], revs[at:end]); err != nil {
			return revs, classified("writing keys", err)
		}
	}
	return revs, nil
}

func (c *Cluster) changeSome(ctx context.Context, kv jetstream.KeyValue, changes []Change, revs []uint64) error {
	if err := c.sent.Acquire(ctx, int64(len(changes))); err != nil {
		return err
	}
	defer c.sent.Release(int64(len(changes)))
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	acks := make([]jetstream.PubAckFuture, len(changes))
	var failed error
	for i, ch := range changes {
		msg := nats.NewMsg("$KV." + kv.Bucket() + "." + ch.Key)
		msg.Data = ch.Value
		if ch.Value == nil {
			msg.Header.Set("KV-Operation", "DEL")
		}
		ack, err := c.js.PublishMsgAsync(msg, jetstream.WithExpectLastSequencePerSubject(ch.Before))
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
