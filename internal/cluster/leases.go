package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Leases are the leases of a bucket.
type Leases struct {
	c       *Cluster
	kv      jetstream.KeyValue
	stream  jetstream.Stream // of the bucket
	ttl     time.Duration
	lasting bool          // no server removes a key
	timeout time.Duration // of a request

	mu       sync.Mutex          // protects the fields below
	seen     map[string]sighting // by key
	watching bool
}

// leaseTime is the metadata of a bucket of lasting leases that says their time.
const leaseTime = "atelier-lease"

// Leases returns the leases of a bucket whose servers remove a key that was not renewed for
// the time to live, by their time of day. All processes of a cluster must use the same time to
// live, at least 500 ms.
func (c *Cluster) Leases(ctx context.Context, bucket string, ttl time.Duration) (*Leases, error) {
	if err := longEnough(ttl); err != nil {
		return nil, err
	}
	kv, err := c.Keys(ctx, bucket, ttl)
	if err != nil {
		return nil, err
	}
	return c.leasesOf(kv, nil, ttl), nil
}

// LastingLeases are Leases whose keys stay until a process removes them, so that no clock but
// the monotonic ones of the processes decides when a lease is over. Some process must Watch
// them, or those of processes that died stay for ever. A bucket of Leases becomes one of
// LastingLeases; processes that use it already see no difference, but Leases refuses it.
func (c *Cluster) LastingLeases(ctx context.Context, bucket string, ttl time.Duration) (l *Leases, err error) {
	if err := longEnough(ttl); err != nil {
		return nil, err
	}
	err = c.made(ctx, func(ctx context.Context) error {
		l, err = c.lastingLeases(ctx, bucket, ttl)
		return classified("bucket "+bucket, err)
	})
	return l, err
}

func (c *Cluster) lastingLeases(ctx context.Context, bucket string, ttl time.Duration) (*Leases, error) {
	meta := map[string]string{leaseTime: ttl.String()}
	conf := jetstream.KeyValueConfig{Bucket: prefix + bucket, History: 1, Replicas: c.opt.Replicas, Storage: jetstream.FileStorage, Metadata: meta}
	if _, err := c.js.CreateKeyValue(ctx, conf); err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return nil, err
	}
	stream, err := c.js.Stream(ctx, "KV_"+conf.Bucket)
	if err != nil {
		return nil, err
	}
	have := stream.CachedInfo().Config
	was, lasting := have.Metadata[leaseTime]
	if !lasting {
		was = have.MaxAge.String()
	}
	if was != ttl.String() {
		return nil, fmt.Errorf("%w: its leases end after %s, not %s; all processes of a cluster need the same", ErrMismatch, was, ttl)
	}
	if !lasting {
		if have.Metadata == nil {
			have.Metadata = meta
		}
		have.Metadata[leaseTime], have.MaxAge = ttl.String(), 0
		if stream, err = c.js.UpdateStream(ctx, have); err != nil {
			return nil, err
		}
	}
	kv, err := c.js.KeyValue(ctx, conf.Bucket)
	if err != nil {
		return nil, err
	}
	return c.leasesOf(kv, stream, ttl), nil
}

// leasesOf are leases; stream is nil unless they are lasting.
func (c *Cluster) leasesOf(kv jetstream.KeyValue, stream jetstream.Stream, ttl time.Duration) *Leases {
	return &Leases{c: c, kv: kv, stream: stream, lasting: stream != nil, ttl: ttl, timeout: min(c.opt.Timeout, ttl), seen: map[string]sighting{}}
}

func longEnough(ttl time.Duration) error {
	if ttl < 500*time.Millisecond {
		return fmt.Errorf("leases of %s: the shortest is 500ms", ttl)
	}
	return nil
}

// FindLeases returns the leases of a bucket that other processes made; ErrNotFound.
func (c *Cluster) FindLeases(ctx context.Context, bucket string) (*Leases, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	kv, err := c.js.KeyValue(ctx, prefix+bucket)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	stream, err := c.js.Stream(ctx, "KV_"+prefix+bucket)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	conf := stream.CachedInfo().Config
	said, lasting := conf.Metadata[leaseTime]
	if !lasting {
		return c.leasesOf(kv, nil, conf.MaxAge), nil
	}
	ttl, err := time.ParseDuration(said)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: the time of its leases is not valid: %w", bucket, err)
	}
	return c.leasesOf(kv, stream, ttl), nil
}

// Holder returns who has a lease and the revision of its last renewal, which is at least
// its fencing number. The error is ErrNotFound when nobody has it, or when this process has
// seen no renewal for its whole time.
func (l *Leases) Holder(ctx context.Context, key string) (Holder, uint64, error) {
	h, rev, err := l.written(ctx, key)
	if err == nil && l.see(key, rev) {
		return Holder{}, 0, fmt.Errorf("lease %s of %s: %w: it was not renewed for %s", key, h.Owner, ErrNotFound, l.ttl)
	}
	return h, rev, err
}

// written is Holder as a server says it, which may lag behind: also of a lease that is overdue.
func (l *Leases) written(ctx context.Context, key string) (Holder, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	e, err := l.kv.Get(ctx, key)
	if err != nil {
		return Holder{}, 0, classified("lease "+key, err)
	}
	h, err := holderOf(e)
	return h, e.Revision(), err
}

func holderOf(e jetstream.KeyValueEntry) (Holder, error) {
	var v leaseValue
	if err := json.Unmarshal(e.Value(), &v); err != nil {
		return Holder{}, fmt.Errorf("lease %s: its value is not valid: %w", e.Key(), err)
	}
	return v.Holder, nil
}

// Held is a lease as Leases.Held sees it.
type Held struct {
	Holder
	// Overdue: it was not renewed for its whole time. Its holder no longer works with it, and
	// any process can take it.
	Overdue bool
}

// Held returns who has which lease, by key. It looks until each was renewed once, which takes
// a quarter of the time to live, and for the whole time where one is not renewed.
func (l *Leases) Held(ctx context.Context) (map[string]Held, error) {
	waiting := map[string]bool{} // not renewed yet
	all := false                 // those that were there are known
	held, err := l.look(ctx, l.ttl, func(e jetstream.KeyValueEntry) (enough bool) {
		switch {
		case e == nil:
			all = true
		case all || e.Operation() != jetstream.KeyValuePut:
			delete(waiting, e.Key())
		default:
			waiting[e.Key()] = true
		}
		return all && len(waiting) == 0
	})
	out := map[string]Held{}
	for key, h := range held {
		out[key] = Held{h, waiting[key]}
	}
	return out, err
}

// Written returns whom each lease names, by key, also where that is overdue.
func (l *Leases) Written(ctx context.Context) (map[string]Holder, error) {
	return l.look(ctx, 0, func(e jetstream.KeyValueEntry) bool { return e == nil })
}

// look reads all leases and then what becomes of them, for a time. note is called with each
// change, and with nil after the leases that were there before; it says when it has enough.
func (l *Leases) look(ctx context.Context, most time.Duration, note func(e jetstream.KeyValueEntry) (enough bool)) (map[string]Holder, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*l.timeout+most)
	defer cancel()
	watch, err := l.kv.WatchAll(ctx)
	if err != nil {
		return nil, classified("leases", err)
	}
	defer watch.Stop()
	out := map[string]Holder{}
	var over <-chan time.Time
	for {
		var e jetstream.KeyValueEntry
		var open bool
		select {
		case e, open = <-watch.Updates():
			if !open {
				return nil, classified("leases", context.Cause(ctx))
			}
		case <-over:
			return out, nil
		case <-ctx.Done():
			return nil, classified("leases", ctx.Err())
		}
		switch {
		case e == nil: // all that there are were told
			timer := time.NewTimer(most)
			defer timer.Stop()
			over = timer.C
		case e.Operation() != jetstream.KeyValuePut:
			delete(out, e.Key())
		default:
			if out[e.Key()], err = holderOf(e); err != nil {
				return nil, err
			}
		}
		if note(e) {
			return out, nil
		}
	}
}
