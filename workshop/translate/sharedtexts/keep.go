package sharedtexts

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Kept is what the bucket has. The cluster keeps texts for ever unless the operator bounds
// them.
type Kept struct {
	Texts  uint64     `json:"texts"`
	Bytes  uint64     `json:"bytes"` // on each server that keeps them
	Oldest *time.Time `json:"oldest,omitempty"`
	// Most is the bound in bytes; above it the oldest texts are discarded. 0: none.
	Most int64 `json:"most"`
}

// bucketOf returns the stream of the bucket; nil before the first translation of a cluster.
func bucketOf(ctx context.Context, c *cluster.Cluster) (jetstream.Stream, error) {
	s, err := c.JetStream().Stream(ctx, "KV_atelier-"+unitsBucket)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	return s, cluster.Classified("the texts of the cluster", err)
}

// Look returns what a cluster keeps.
func Look(ctx context.Context, c *cluster.Cluster) (k Kept, err error) {
	s, err := bucketOf(ctx, c)
	if err != nil || s == nil {
		return k, err
	}
	info := s.CachedInfo()
	k.Texts, k.Bytes, k.Most = info.State.Msgs, info.State.Bytes, max(0, info.Config.MaxBytes)
	if info.State.Msgs > 0 {
		k.Oldest = &info.State.FirstTime
	}
	return k, nil
}

// Forget removes the texts that were recorded before a time, by the clocks of the servers, and
// returns how many. A job that needs one of them asks for it again, and pays for it.
func Forget(ctx context.Context, c *cluster.Cluster, before time.Time) (forgotten uint64, err error) {
	s, err := bucketOf(ctx, c)
	if err != nil || s == nil {
		return 0, err
	}
	forgotten, err = forget(ctx, s, before)
	return forgotten, cluster.Classified("the texts of the cluster", err)
}

// forget removes the messages before a time. A bucket has one message for each key, in the
// order of their times.
func forget(ctx context.Context, s jetstream.Stream, before time.Time) (uint64, error) {
	info, err := s.Info(ctx)
	if err != nil || info.State.Msgs == 0 || !info.State.FirstTime.Before(before) {
		return 0, err
	}
	upto := info.State.LastSeq + 1
	if !info.State.LastTime.Before(before) {
		cons, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &before, HeadersOnly: true})
		if err != nil {
			return 0, err
		}
		m, err := cons.Next(jetstream.FetchMaxWait(10 * time.Second))
		if err != nil {
			return 0, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return 0, err
		}
		upto = meta.Sequence.Stream
	}
	had := info.State.Msgs
	if err := s.Purge(ctx, jetstream.WithPurgeSequence(upto)); err != nil {
		return 0, err
	}
	if info, err = s.Info(ctx, jetstream.WithDeletedDetails(false)); err != nil {
		return 0, err
	}
	return had - min(had, info.State.Msgs), nil
}

// Bound bounds the texts of a cluster, in bytes on each server: above it the oldest are
// discarded. 0 ends the bound.
func Bound(ctx context.Context, c *cluster.Cluster, most int64) error {
	if _, err := c.Keys(ctx, unitsBucket, 0); err != nil { // a bound before the first translation counts too
		return err
	}
	return c.BoundKeys(ctx, unitsBucket, most)
}
