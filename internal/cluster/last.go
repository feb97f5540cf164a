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
	answers := make(chan *nats.Msg, len(keys)+1) // SubscribeSync would make room for 65,536
	sub, err := c.conn.ChanSubscribe(inbox, answers)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	if err := c.conn.PublishRequest("$JS.API.DIRECT.GET.KV_"+bucket, inbox, request); err != nil {
		return err
	}
	for {
		var msg *nats.Msg
		select {
		case msg = <-answers:
		case <-ctx.Done():
			return ctx.Err()
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
