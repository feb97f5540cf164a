package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Claims are the keys of a bucket that processes have by their leases: a process renews one
// lease and has any number of keys by it. A key is written only when it is claimed or released.
// It names the lease, whose key in the bucket of leases is used once, such as a random text.
// When that lease is over, each of the claims can be taken.
type Claims struct {
	c      *Cluster
	kv     jetstream.KeyValue
	stream jetstream.Stream // of the bucket
	leases *Leases

	mu     sync.Mutex          // protects the field below
	handed map[string]sighting // keys that are kept for a process, by key
}

// claimValue is the value of a key.
type claimValue struct {
	Holder
	Lease string `json:"lease"` // its key
	Nonce string `json:"nonce"` // of this claim; it tells its write from those of others
	// Handed: the process that had the key keeps it for this one, which has not taken it yet.
	Handed bool `json:"handed,omitempty"`
}

// Claims returns the claims of a bucket by leases, which are lasting. A bucket of leases
// with the name is ErrMismatch.
func (c *Cluster) Claims(ctx context.Context, bucket string, leases *Leases) (k *Claims, err error) {
	err = c.made(ctx, func(ctx context.Context) error {
		conf := jetstream.KeyValueConfig{Bucket: prefix + bucket, History: 1, Replicas: c.opt.Replicas, Storage: jetstream.FileStorage}
		if _, err = c.js.CreateKeyValue(ctx, conf); err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
			return classified("bucket "+bucket, err)
		}
		k, err = c.findClaims(ctx, bucket, leases)
		return err
	})
	return k, err
}

// FindClaims returns the claims of a bucket that other processes made; ErrNotFound.
func (c *Cluster) FindClaims(ctx context.Context, bucket string, leases *Leases) (*Claims, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	return c.findClaims(ctx, bucket, leases)
}

func (c *Cluster) findClaims(ctx context.Context, bucket string, leases *Leases) (*Claims, error) {
	stream, err := c.js.Stream(ctx, "KV_"+prefix+bucket)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	conf := stream.CachedInfo().Config
	if _, has := conf.Metadata[leaseTime]; has || conf.MaxAge != 0 {
		return nil, fmt.Errorf("bucket %s: %w: an earlier version keeps a lease for each of its keys; stop all processes that use it, then remove it: nats stream rm KV_%s%s", bucket, ErrMismatch, prefix, bucket)
	}
	kv, err := c.js.KeyValue(ctx, prefix+bucket)
	if err != nil {
		return nil, classified("bucket "+bucket, err)
	}
	return &Claims{c: c, kv: kv, stream: stream, leases: leases, handed: map[string]sighting{}}, nil
}

// Leases are those by which keys are claimed.
func (c *Claims) Leases() *Leases { return c.leases }

// Claim is a key that this process has, or had. It counts while its lease does.
type Claim struct {
	of    *Claims
	key   string
	by    *Lease
	nonce string
	rev   uint64
}

// claimTries is how often a claim is written whose key changes meanwhile, or is read from a
// server that lags behind.
const claimTries = 4

// Take claims a key that nobody has, by a lease. The error is a *HeldError when somebody has
// it by another lease that is not over; a lease that is overdue is ended. A key that is kept for
// another process (Claim.Hand) can be taken when that has not taken it in time. What this
// process has by the same lease is claimed again, since it may not know that an earlier claim
// of it was written: it must not claim a key twice at a time.
func (c *Claims) Take(ctx context.Context, key string, by *Lease, holder Holder) (*Claim, error) {
	n := rand.Text()
	value, err := json.Marshal(claimValue{Holder: holder, Lease: by.Key(), Nonce: n})
	if err != nil {
		return nil, err
	}
	var held Holder
	for try := range claimTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return nil, fmt.Errorf("claim %s: %w", key, ctx.Err())
			case <-time.After(time.Duration(try) * 10 * time.Millisecond):
			}
		}
		have, last, err := c.read(ctx, key)
		if err != nil {
			return nil, err
		}
		if held = have.Holder; have.Lease != "" && have.Lease != by.Key() && !c.notTaken(key, have, last) {
			over, err := c.leases.End(ctx, have.Lease)
			if err != nil {
				return nil, err
			}
			if !over {
				return nil, &HeldError{key, held}
			}
		}
		rev, err := c.write(ctx, Change{key, value, last})
		if err != nil { // the answer may have been lost, not the write
			have, last, rerr := c.read(ctx, key)
			if rerr != nil || have.Nonce != n {
				return nil, err
			}
			rev = last
		}
		if rev > 0 {
			return &Claim{c, key, by, n, rev}, nil
		}
	}
	return nil, &HeldError{key, held}
}

// read returns the claim of a key, which is empty where there is none, and its revision.
func (c *Claims) read(ctx context.Context, key string) (v claimValue, rev uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.leases.timeout)
	defer cancel()
	found, err := c.c.Last(ctx, c.kv, []string{key})
	if err != nil {
		return v, 0, err
	}
	e := found[key]
	if e.Value != nil {
		v, err = claimOf(key, e.Value)
	}
	return v, e.Revision, err
}

func claimOf(key string, value []byte) (v claimValue, err error) {
	if err = json.Unmarshal(value, &v); err != nil || v.Lease == "" {
		err = errors.Join(fmt.Errorf("claim %s: its value is not valid", key), err)
	}
	return v, err
}

// write writes a key that has the revision before; the result is 0 if it has not.
func (c *Claims) write(ctx context.Context, ch Change) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, c.leases.timeout)
	defer cancel()
	revs, err := c.c.ChangeAll(ctx, c.kv, []Change{ch})
	return revs[0], err
}

// Fence is the fencing number: larger than that of each earlier claim of the bucket.
func (c *Claim) Fence() uint64 { return c.rev }

// releaseTime bounds the first try to release a claim; it is tried again every releaseEvery.
const (
	releaseTime  = time.Second
	releaseEvery = 250 * time.Millisecond
)

// Release lets another process have the key at once. It takes at most a second; where the
// cluster does not answer it is tried again for as long as the lease lasts, since other
// processes see the claim until then.
func (c *Claim) Release() { c.leave(c.release) }

// leave calls do until it reports that the claim is no longer there, or the lease is over.
func (c *Claim) leave(do func(context.Context) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	if do(ctx) || !c.by.Valid() {
		return
	}
	go func() {
		for {
			select {
			case <-c.by.Context().Done():
				return
			case <-time.After(releaseEvery):
			}
			if do(c.by.Context()) {
				return
			}
		}
	}()
}

// release reports whether the claim is no longer there.
func (c *Claim) release(ctx context.Context) bool {
	_, err := c.of.write(ctx, Change{c.key, nil, c.rev})
	return err == nil // another revision is another claim
}

// Holder returns who has a key, or for whom it is kept. The error is ErrNotFound when nobody
// has it, the lease of the one that has it is over, as far as this process knows, or the one for
// whom it is kept has not taken it in time.
func (c *Claims) Holder(ctx context.Context, key string) (Holder, error) {
	v, rev, err := c.read(ctx, key)
	switch {
	case err != nil:
		return Holder{}, err
	case v.Lease == "":
		return Holder{}, fmt.Errorf("claim %s: %w", key, ErrNotFound)
	case c.notTaken(key, v, rev):
		return Holder{}, fmt.Errorf("claim %s: %w: it was kept for %s, which did not take it", key, ErrNotFound, v.Owner)
	}
	alive, err := c.leases.alive(ctx, v.Lease)
	if err == nil && !alive {
		err = fmt.Errorf("claim %s of %s: %w: its lease is over", key, v.Owner, ErrNotFound)
	}
	if err != nil {
		return Holder{}, err
	}
	return v.Holder, nil
}

// Written returns whom each claim names, by key, also where its lease is over.
func (c *Claims) Written(ctx context.Context) (map[string]Holder, error) {
	all, err := c.list(ctx)
	out := map[string]Holder{}
	for key, e := range all {
		if e.Lease != "" {
			out[key] = e.Holder
		}
	}
	return out, err
}

// Held returns who has which key, and who has which lease, by key; a key that is kept for a
// process is not in it. It looks as Leases.Held.
func (c *Claims) Held(ctx context.Context) (claims, leases map[string]Held, err error) {
	all, err := c.list(ctx) // first, so that each lease that is named was there before
	if err == nil {
		leases, err = c.leases.Held(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	claims = map[string]Held{}
	for key, e := range all {
		if e.Lease != "" && !e.Handed {
			by, there := leases[e.Lease]
			claims[key] = Held{e.Holder, !there || by.Overdue}
		}
	}
	return claims, leases, nil
}

// listed is a key as list found it; without a lease it is the mark of a release.
type listed struct {
	claimValue
	rev uint64
}

// list returns all keys, with the marks of releases.
func (c *Claims) list(ctx context.Context) (map[string]listed, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*c.leases.timeout)
	defer cancel()
	watch, err := c.kv.WatchAll(ctx)
	if err != nil {
		return nil, classified("claims", err)
	}
	defer watch.Stop()
	all := map[string]listed{}
	for {
		var e jetstream.KeyValueEntry
		var open bool
		select {
		case e, open = <-watch.Updates():
		case <-ctx.Done():
		}
		switch {
		case !open:
			return nil, classified("claims", context.Cause(ctx))
		case e == nil:
			return all, nil
		}
		at := listed{rev: e.Revision()}
		if e.Operation() == jetstream.KeyValuePut {
			if at.claimValue, err = claimOf(e.Key(), e.Value()); err != nil {
				return nil, err
			}
		}
		all[e.Key()] = at
	}
}
