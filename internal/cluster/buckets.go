package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// prefix is before the names of buckets and streams in an account that others may use.
const prefix = "atelier-"

// Keys returns the bucket of keys of that name, and makes it if there is none. Values
// expire ttl after they were written; 0: never. Each key has its last value only.
func (c *Cluster) Keys(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	return c.keys(ctx, name, ttl, jetstream.FileStorage)
}

// VolatileKeys is Keys in the memory of the servers: it is empty, or gone, when all
// servers that have it have stopped. A caller that then gets ErrNotFound or
// ErrUnreachable asks for the bucket again, which makes it.
func (c *Cluster) VolatileKeys(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	return c.keys(ctx, name, ttl, jetstream.MemoryStorage)
}

func (c *Cluster) keys(ctx context.Context, name string, ttl time.Duration, storage jetstream.StorageType) (kv jetstream.KeyValue, err error) {
	err = c.made(ctx, func(ctx context.Context) error {
		kv, err = c.makeKeys(ctx, name, ttl, storage)
		return err
	})
	return kv, err
}

// FindKeys returns a bucket of keys that other processes made; ErrNotFound.
func (c *Cluster) FindKeys(ctx context.Context, name string) (jetstream.KeyValue, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	kv, err := c.js.KeyValue(ctx, prefix+name)
	return kv, classified("bucket "+name, err)
}

// made calls do, which makes what is not there. Where another process makes the same, the
// servers say for a moment both that it is there and that it is not: then do is called
// again. So it is after half of the time without an answer, which a change of the leader
// loses.
func (c *Cluster) made(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	for {
		tried, stop := context.WithTimeout(ctx, c.opt.Timeout/2)
		err := do(tried)
		late := tried.Err() != nil
		stop()
		if err == nil || !late && !errors.Is(err, ErrNotFound) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *Cluster) makeKeys(ctx context.Context, name string, ttl time.Duration, storage jetstream.StorageType) (jetstream.KeyValue, error) {
	// CreateKeyValue cannot allow atomic writes; the rest is as it would be there.
	_, err := c.js.CreateStream(ctx, jetstream.StreamConfig{Name: "KV_" + prefix + name, Subjects: []string{"$KV." + prefix + name + ".>"}, MaxMsgsPerSubject: 1, MaxAge: ttl,
		Storage: storage, Replicas: c.opt.Replicas, Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, AllowDirect: true, AllowAtomicPublish: true})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil, classified("bucket "+name, err)
	}
	kv, err := c.js.KeyValue(ctx, prefix+name)
	if err != nil {
		return nil, classified("bucket "+name, err)
	}
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, classified("bucket "+name, err)
	}
	if status.TTL() != ttl {
		return nil, fmt.Errorf("bucket %s: %w: its values expire after %s, not %s; all processes of a cluster need the same", name, ErrMismatch, status.TTL(), ttl)
	}
	return kv, nil
}

// BoundKeys bounds the bucket of keys of that name, which is there, in bytes on each server:
// above it the oldest values are discarded. 0 ends the bound.
func (c *Cluster) BoundKeys(ctx context.Context, name string, most int64) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	s, err := c.js.Stream(ctx, "KV_"+prefix+name)
	if err != nil {
		return classified("bucket "+name, err)
	}
	conf := s.CachedInfo().Config
	conf.MaxBytes, conf.Discard = -1, jetstream.DiscardNew
	if most > 0 {
		conf.MaxBytes, conf.Discard = most, jetstream.DiscardOld
	}
	_, err = c.js.UpdateStream(ctx, conf)
	return classified("bucket "+name, err)
}

// Contents returns the store of contents of that name, and makes it if there is none.
func (c *Cluster) Contents(ctx context.Context, name string) (o jetstream.ObjectStore, err error) {
	conf := jetstream.ObjectStoreConfig{Bucket: prefix + name, Replicas: c.opt.Replicas, Storage: jetstream.FileStorage}
	err = c.made(ctx, func(ctx context.Context) error {
		o, err = c.js.CreateObjectStore(ctx, conf)
		if errors.Is(err, jetstream.ErrBucketExists) {
			o, err = c.js.ObjectStore(ctx, conf.Bucket)
		}
		return classified("store "+name, err)
	})
	return o, err
}

// Stream returns the stream of that name, and makes it if there is none. conf has what
// differs from a stream on disk with the replicas of the cluster, such as its storage; its
// Name is set here. The settings of a stream that exists stay as they are.
func (c *Cluster) Stream(ctx context.Context, name string, conf jetstream.StreamConfig) (s jetstream.Stream, err error) {
	conf.Name, conf.Replicas = prefix+name, c.opt.Replicas
	err = c.made(ctx, func(ctx context.Context) error {
		s, err = c.js.CreateStream(ctx, conf)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			s, err = c.js.Stream(ctx, conf.Name)
		}
		return classified("stream "+name, err)
	})
	if err != nil {
		return nil, err
	}
	if have := s.CachedInfo().Config; have.Retention != conf.Retention {
		return nil, fmt.Errorf("stream %s: %w: its retention is %s, not %s", name, ErrMismatch, have.Retention, conf.Retention)
	}
	return s, nil
}

// FindStream returns a stream that other processes made; ErrNotFound.
func (c *Cluster) FindStream(ctx context.Context, name string) (jetstream.Stream, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	s, err := c.js.Stream(ctx, prefix+name)
	return s, classified("stream "+name, err)
}

// Classified brings an error of a request to JetStream that a caller made itself under
// one of the kinds; what names the request for people.
func Classified(what string, err error) error { return classified(what, err) }

// bounded bounds a request: one that a server did not get has no answer.
func (c *Cluster) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.opt.Timeout)
}
