package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// ErrInUse says that a cluster has workspaces.
var ErrInUse = errors.New("the cluster has workspaces already")

// Fresh makes the two streams in a cluster that has no workspaces, for logs that come from
// another cluster: messages get numbers above after, the highest there, since snapshots name
// numbers.
func Fresh(ctx context.Context, c *cluster.Cluster, after uint64) (*Store, error) {
	s, err := Open(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, one := range []jetstream.Stream{s.logs, s.contents} {
		info, err := one.Info(ctx)
		if err != nil {
			return nil, unanswered(err)
		}
		if info.State.Msgs > 0 {
			return nil, ErrInUse
		}
	}
	if err := s.js.DeleteStream(ctx, s.logs.CachedInfo().Config.Name); err != nil { // it is empty
		return nil, unanswered(err)
	}
	s.logs, err = c.Stream(ctx, "ws-log", jetstream.StreamConfig{Subjects: []string{logSubject + ">"}, DenyDelete: true, FirstSeq: after + 1})
	return s, err
}

// Workspaces are those that have a log.
func (s *Store) Workspaces(ctx context.Context) (ids []string, err error) {
	info, err := s.logs.Info(ctx, jetstream.WithSubjectFilter(logSubject+">"))
	if err != nil {
		return nil, fmt.Errorf("the workspaces cannot be listed: %w", unanswered(err))
	}
	for subject := range info.State.Subjects {
		ids = append(ids, strings.TrimPrefix(subject, logSubject))
	}
	return ids, nil
}
