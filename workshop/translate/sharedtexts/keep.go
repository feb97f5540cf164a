package sharedtexts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// Kept is what the buckets have. The cluster keeps texts for ever unless the operator bounds
// them.
type Kept struct {
	Texts  uint64     `json:"texts"`
	Bytes  uint64     `json:"bytes"` // on each server that keeps them
	Oldest *time.Time `json:"oldest,omitempty"`
	// Most is the bound in bytes; above it the oldest texts are discarded. 0: none.
	Most int64 `json:"most"`
}

// streams returns those of the buckets; none before the first translation of a cluster.
func streams(ctx context.Context, c *cluster.Cluster) (list []jetstream.Stream, err error) {
	for i := range shards {
		s, err := c.JetStream().Stream(ctx, fmt.Sprint("KV_atelier-texts-", i))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return nil, cluster.Classified("the texts of the cluster", err)
		}
		list = append(list, s)
	}
	return list, nil
}

// Look returns what a cluster keeps.
func Look(ctx context.Context, c *cluster.Cluster) (k Kept, err error) {
	list, err := streams(ctx, c)
	if err != nil {
		return k, err
	}
	for _, s := range list {
		info := s.CachedInfo()
		k.Texts += info.State.Msgs
		k.Bytes += info.State.Bytes
		if at := info.State.FirstTime; info.State.Msgs > 0 && (k.Oldest == nil || at.Before(*k.Oldest)) {
			k.Oldest = &at
		}
		if most := info.Config.MaxBytes; most > 0 {
			k.Most += most
		}
	}
	return k, nil
}

// Forget removes the texts that were recorded before a time, by the clocks of the servers, and
// returns how many. A job that needs one of them asks for it again, and pays for it.
func Forget(ctx context.Context, c *cluster.Cluster, before time.Time) (forgotten uint64, err error) {
	list, err := streams(ctx, c)
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		n, err := forget(ctx, s, before)
		forgotten += n
		if err != nil {
			return forgotten, cluster.Classified("the texts of the cluster", err)
		}
	}
	return forgotten, nil
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
	if _, err := openUnits(ctx, c); err != nil { // a bound before the first translation counts too
		return err
	}
	list, err := streams(ctx, c)
	if err != nil {
		return err
	}
	for _, s := range list {
		conf := s.CachedInfo().Config
		conf.MaxBytes, conf.Discard = -1, jetstream.DiscardNew
		if most > 0 {
			conf.MaxBytes, conf.Discard = most/shards, jetstream.DiscardOld
		}
		if _, err := c.JetStream().UpdateStream(ctx, conf); err != nil {
			return cluster.Classified("the texts of the cluster", err)
		}
	}
	return nil
}
