package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"atelier/internal/replica"
	"atelier/internal/replica/stream"
	"atelier/internal/s3"
)

// Store has the logs and contents of all workspaces.
type Store struct {
	logs    *stream.Store
	choice  *Choice
	place   *Place // nil: JetStream has the contents
	cluster string

	looks singleflight.Group // at the place

	mu   sync.Mutex
	seen time.Time // when the place was last seen to be that of the cluster
}

// Open returns the store of a cluster whose servers keep contents in a place, nil for
// JetStream. It makes the choice where there is none; ErrOther: there is another one.
func Open(ctx context.Context, logs *stream.Store, choice *Choice, place *Place) (*Store, error) {
	s := &Store{logs: logs, choice: choice, place: place}
	_, _, chosen, err := choice.Get(ctx)
	if err != nil {
		return nil, err
	}
	if place != nil {
		if s.cluster, err = choice.Cluster(ctx); err != nil {
			return nil, err
		}
		if !chosen {
			if err := errors.Join(place.Try(ctx), place.Mark(ctx, s.cluster)); err != nil {
				return nil, err
			}
		}
	}
	if err := choice.Agree(ctx, place.Chosen()); err != nil || place == nil {
		return s, err
	}
	if err := s.mine(ctx); err != nil || !chosen {
		return s, err
	}
	return s, place.Try(ctx)
}

// seenFor is how long a place counts as seen.
const seenFor = 5 * time.Second

// mine checks that the store answers and that the place is that of the cluster.
func (s *Store) mine(ctx context.Context) error {
	if s.place == nil {
		return nil
	}
	s.mu.Lock()
	seen := time.Since(s.seen) < seenFor
	s.mu.Unlock()
	if seen {
		return nil
	}
	// One look for all that wait: a store that is silent would make them wait one after the other.
	look := s.looks.DoChan("", func() (any, error) {
		err := s.place.Check(context.WithoutCancel(ctx), s.cluster)
		if err == nil {
			s.mu.Lock()
			s.seen = time.Now()
			s.mu.Unlock()
		}
		return nil, err
	})
	select {
	case r := <-look:
		return r.Err
	case <-ctx.Done():
		return fmt.Errorf("%s was asked whether it is the cluster's: %w", s.place.Chosen(), ctx.Err())
	}
}

// Ready reports whether workspaces may be taken: the choice is still the one of Open, and the
// store answers.
func (s *Store) Ready(ctx context.Context) error {
	is, _, ok, err := s.choice.Get(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: nobody knows where; start the servers again", ErrOther)
	}
	if err := is.refuses(s.place.Chosen()); err != nil {
		return err
	}
	return s.mine(ctx)
}

// Log returns that of a workspace.
func (s *Store) Log(id string) replica.Log { return s.logs.Log(id) }

// Contents returns those of a workspace.
func (s *Store) Contents(id string) replica.Contents {
	if s.place == nil {
		return s.logs.Contents(id)
	}
	return &layered{s.place.contents(id), s.logs.Contents(id), sync.Mutex{}, nil}
}

// contents are those of a workspace in the bucket.
func (p *Place) contents(id string) *contents {
	c := &contents{p: p, prefix: p.prefix + id + "/"}
	if !prefixes.MatchString(id) || strings.Contains(id, "/") {
		c.bad = fmt.Errorf("%q cannot name a workspace", id)
	}
	return c
}

type contents struct {
	p      *Place
	prefix string
	bad    error
}

func (c *contents) object(name string) (string, error) {
	if c.bad == nil && (!prefixes.MatchString(name) || strings.Contains(name, "/")) {
		return "", fmt.Errorf("%q cannot name a content", name)
	}
	return c.prefix + name, c.bad
}

// Put implements replica.Contents.
func (c *contents) Put(ctx context.Context, what replica.Content, r io.ReadSeeker) error {
	object, err := c.object(what.Name)
	if err != nil {
		return err
	}
	return c.p.failed(ctx, c.p.client.Put(ctx, object, s3.Body{Size: what.Size, SHA256: what.Hash, From: r}))
}

// Get implements replica.Contents.
func (c *contents) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	object, err := c.object(name)
	if err != nil {
		return nil, err
	}
	r, err := c.p.client.Get(ctx, object)
	if err != nil {
		return nil, c.p.failed(ctx, err)
	}
	return &reading{r, c.p, ctx}, nil
}

// reading gives the errors of reading their kind.
type reading struct {
	io.ReadCloser
	p   *Place
	ctx context.Context
}

func (r *reading) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = r.p.failed(r.ctx, err)
	}
	return n, err
}

// Names implements replica.Contents.
func (c *contents) Names(ctx context.Context) ([]string, error) {
	if c.bad != nil {
		return nil, c.bad
	}
	list, err := c.p.client.List(ctx, c.prefix)
	if err != nil {
		return nil, c.p.failed(ctx, err)
	}
	var names []string
	for _, o := range list {
		names = append(names, strings.TrimPrefix(o.Name, c.prefix))
	}
	return names, nil
}

// Remove implements replica.Contents.
func (c *contents) Remove(ctx context.Context, name string) error {
	object, err := c.object(name)
	if err != nil {
		return err
	}
	return c.p.failed(ctx, c.p.client.Remove(ctx, object))
}

// layered has what is new in the bucket, and finds what was stored before in JetStream.
type layered struct {
	bucket replica.Contents
	before replica.Contents

	mu  sync.Mutex
	has map[string]bool // names in JetStream, as of the last Names; nil: not known
}

// Put implements replica.Contents.
func (l *layered) Put(ctx context.Context, c replica.Content, r io.ReadSeeker) error {
	return l.bucket.Put(ctx, c, r)
}

// Get implements replica.Contents. What is being moved to the bucket is there before it is
// gone from JetStream, so the bucket is asked again.
func (l *layered) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := l.bucket.Get(ctx, name)
	if err == nil {
		return r, nil
	}
	r, berr := l.before.Get(ctx, name)
	switch {
	case berr == nil:
		return r, nil
	case !errors.Is(err, replica.ErrNoContent):
		return nil, err
	case !errors.Is(berr, replica.ErrNoContent):
		return nil, berr
	}
	return l.bucket.Get(ctx, name)
}

// Names implements replica.Contents.
func (l *layered) Names(ctx context.Context) ([]string, error) {
	names, err := l.bucket.Names(ctx)
	if err != nil {
		return nil, err
	}
	before, err := l.before.Names(ctx)
	if err != nil {
		return nil, err
	}
	has, all := map[string]bool{}, map[string]bool{}
	for _, name := range before {
		has[name], all[name] = true, true
	}
	for _, name := range names {
		all[name] = true
	}
	l.mu.Lock()
	l.has = has
	l.mu.Unlock()
	return slices.Collect(maps.Keys(all)), nil
}

// Remove implements replica.Contents.
func (l *layered) Remove(ctx context.Context, name string) error {
	err := l.bucket.Remove(ctx, name)
	l.mu.Lock()
	there := l.has == nil || l.has[name]
	l.mu.Unlock()
	if there {
		err = errors.Join(err, l.before.Remove(ctx, name))
	}
	return err
}
