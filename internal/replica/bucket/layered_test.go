package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/replica"
	"atelier/internal/replica/replicatest"
	"atelier/internal/s3"
)

// gone is a store that answers nothing.
type gone struct{ replica.Contents }

func (gone) Get(context.Context, string) (io.ReadCloser, error) { return nil, replica.ErrStore }

// moving puts a content into the bucket and removes it from JetStream between two looks.
type moving struct {
	*replicatest.Memory
	to *replicatest.Memory
}

func (m moving) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := m.Memory.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return nil, errors.Join(err, m.to.Put(ctx, replica.Content{Name: name}, bytes.NewReader(b)), m.Remove(ctx, name), replica.ErrNoContent)
}

// What was stored before there was a bucket is found, listed and removed, and what is moved
// to the bucket meanwhile is found too.
func TestLayered(t *testing.T) {
	ctx := t.Context()
	var bucket, before replicatest.Memory
	l := &layered{bucket: &bucket, before: &before}
	put := func(c replica.Contents, name string) {
		require.NoError(t, c.Put(ctx, replica.Content{Name: name}, bytes.NewReader([]byte(name))))
	}
	get := func(name string) error {
		r, err := l.Get(ctx, name)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, name, string(b))
		return nil
	}
	put(&before, "old")
	put(&before, "both")
	put(&bucket, "both")
	put(l, "new")
	for _, name := range []string{"old", "both", "new"} {
		require.NoError(t, get(name))
	}
	require.ErrorIs(t, get("none"), replica.ErrNoContent)
	_, err := before.Get(ctx, "new")
	require.ErrorIs(t, err, replica.ErrNoContent, "a new content is in JetStream")
	names, err := l.Names(ctx)
	require.NoError(t, err)
	slices.Sort(names)
	require.Equal(t, []string{"both", "new", "old"}, names)

	l.before = moving{&before, &bucket}
	require.NoError(t, get("old"))
	l.before = &before
	for _, name := range names {
		require.NoError(t, l.Remove(ctx, name))
		require.ErrorIs(t, get(name), replica.ErrNoContent)
	}
	l.bucket = gone{}
	require.ErrorIs(t, get("new"), replica.ErrStore)
	put(&before, "there")
	require.NoError(t, get("there"), "the bucket is not needed for what JetStream has")
}

func TestPlaceNames(t *testing.T) {
	cfg := s3.Config{Key: "k", Secret: "hidden"}
	for name, object := range map[string]string{"s3://documents": "", "s3://documents/": "", "s3://documents/a/b.c": "a/b.c/", "s3://documents/a/": "a/"} {
		p, err := OpenPlace(name, cfg)
		require.NoError(t, err, name)
		require.Equal(t, object, p.prefix)
	}
	for _, name := range []string{"documents", "s3://", "s3://documents/../x", "s3://documents/a//b", "s3://documents/ä", "s3://documents/.a", "https://documents"} {
		_, err := OpenPlace(name, cfg)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "hidden")
	}
	p, err := OpenPlace("s3://documents/a", cfg)
	require.NoError(t, err)
	for _, bad := range []string{"", "..", "a/b", "a b"} {
		_, err := p.contents("w1").object(bad)
		require.Error(t, err, bad)
		require.Error(t, p.contents(bad).bad, bad)
	}
	require.ErrorContains(t, Chosen{Store: JetStream}.refuses(p.Chosen()), "start this server with no --cluster-contents")
	require.ErrorContains(t, Chosen{Store: "s3://x", Moving: true}.refuses(Chosen{Store: "s3://x"}), "are being moved")
	require.NoError(t, p.Chosen().refuses(Chosen{Store: "s3://documents/a", Address: "https://another.name"}))
	require.Equal(t, Chosen{Store: JetStream}, (*Place)(nil).Chosen())
}
