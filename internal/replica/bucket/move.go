package bucket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"atelier/internal/replica"
	"atelier/internal/replica/stream"
)

// Moved is what a move did.
type Moved struct {
	Contents int   `json:"contents"` // that were moved
	Bytes    int64 `json:"bytes"`
	// Left are contents that stay where they are, since they are incomplete or not what their
	// name says: of a server that died while it stored one, or damaged.
	Left int `json:"left"`
}

// movesAtOnce is how many contents are moved at a time.
const movesAtOnce = 4

// mover copies contents from one store to another.
type mover struct {
	mu   sync.Mutex
	done Moved
	told func(Moved)
}

// ToBucket moves the contents that JetStream has to the bucket, one after the other: each is
// in the bucket before it is removed. Servers that keep contents in the bucket may work
// meanwhile. told is called now and then; nil: never.
func ToBucket(ctx context.Context, logs *stream.Store, to *Place, told func(Moved)) (Moved, error) {
	all, err := logs.AllContents(ctx)
	if err != nil {
		return Moved{}, err
	}
	m := &mover{told: told}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	for id, names := range all {
		from, into := logs.Contents(id), to.contents(id)
		for _, name := range names {
			group.Go(func() error {
				copied, err := m.copy(gctx, from, into, name)
				if err != nil || !copied {
					return err
				}
				return from.Remove(gctx, name)
			})
		}
	}
	err = group.Wait()
	return m.done, err
}

// ToJetStream copies the contents of the bucket to JetStream. No server may work meanwhile.
// Clear removes them from the bucket, when the servers know where they are.
func ToJetStream(ctx context.Context, from *Place, logs *stream.Store, told func(Moved)) (Moved, error) {
	list, err := from.all(ctx)
	if err != nil {
		return Moved{}, err
	}
	there, err := logs.AllContents(ctx)
	if err != nil {
		return Moved{}, err
	}
	has := map[string]bool{}
	for id, names := range there {
		for _, name := range names {
			has[id+"/"+name] = true
		}
	}
	m := &mover{told: told}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	for _, object := range list {
		id, name, _ := strings.Cut(object, "/")
		group.Go(func() error {
			into := logs.Contents(id)
			if has[object] { // by a move that was stopped, perhaps in part
				if err := into.Remove(gctx, name); err != nil {
					return err
				}
			}
			_, err := m.copy(gctx, from.contents(id), into, name)
			return err
		})
	}
	err = group.Wait()
	return m.done, err
}

// all are the contents of all workspaces, as ID/NAME.
func (p *Place) all(ctx context.Context) (names []string, err error) {
	list, err := p.client.List(ctx, p.prefix)
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	for _, o := range list {
		name := strings.TrimPrefix(o.Name, p.prefix)
		if strings.Count(name, "/") == 1 {
			names = append(names, name)
		}
	}
	return names, nil
}

// Count is how many contents the place has.
func (p *Place) Count(ctx context.Context) (int, error) {
	all, err := p.all(ctx)
	return len(all), err
}

// Clear removes the contents of all workspaces, and the mark.
func (p *Place) Clear(ctx context.Context) error {
	all, err := p.all(ctx)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	for _, name := range append(all, markName) {
		group.Go(func() error { return p.failed(gctx, p.client.Remove(gctx, p.prefix+name)) })
	}
	return group.Wait()
}

// copy copies a content; false: it is left.
func (m *mover) copy(ctx context.Context, from, into replica.Contents, name string) (bool, error) {
	c, f, err := spooled(ctx, from, name)
	if f != nil {
		defer os.Remove(f.Name())
		defer f.Close()
	}
	left := errors.Is(err, replica.ErrNoContent) || errors.Is(err, errDamaged)
	if err != nil && !left {
		return false, err
	}
	if !left {
		if err := into.Put(ctx, c, f); err != nil {
			return false, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if left {
		m.done.Left++
		return false, nil
	}
	m.done.Contents++
	m.done.Bytes += c.Size
	if m.told != nil && m.done.Contents%100 == 0 {
		m.told(m.done)
	}
	return true, nil
}

var errDamaged = errors.New("it is not what its name says")

// spooled copies a content to a temporary file, since its size and hash are needed before its
// first byte is sent, and checks the hash that its name begins with.
func spooled(ctx context.Context, from replica.Contents, name string) (c replica.Content, f *os.File, err error) {
	r, err := from.Get(ctx, name)
	if err != nil {
		return c, nil, err
	}
	defer r.Close()
	if f, err = os.CreateTemp("", "atelier-content-"); err != nil {
		return c, nil, err
	}
	h := sha256.New()
	c.Name = name
	if c.Size, err = io.Copy(io.MultiWriter(f, h), r); err != nil {
		return c, f, err
	}
	c.Hash = hex.EncodeToString(h.Sum(nil))
	if begins, _, _ := strings.Cut(name, "-"); !strings.HasPrefix(c.Hash, begins) {
		return c, f, fmt.Errorf("%s: %w", name, errDamaged)
	}
	_, err = f.Seek(0, io.SeekStart)
	return c, f, err
}
