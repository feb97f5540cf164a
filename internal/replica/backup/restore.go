package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/replica/stream"
)

// ErrDamaged says that a file of the copy is not what was written.
var ErrDamaged = errors.New("the copy is damaged")

// Restore puts a copy into a cluster that has no workspaces and no accounts. The whole copy
// is read and checked before.
func Restore(ctx context.Context, c *cluster.Cluster, dir string) (rep Report, err error) {
	m, err := readManifest(dir)
	if err != nil {
		return rep, err
	}
	r := &restorer{dir: dir, m: m, c: c}
	ids, err := r.check()
	if err != nil {
		return rep, err
	}
	if err := r.empty(ctx); err != nil {
		return rep, err
	}
	if r.s, err = stream.Fresh(ctx, c, m.Last); err != nil {
		return rep, err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, id := range ids {
		g.Go(func() error {
			if err := r.workspace(gctx, id); err != nil {
				return fmt.Errorf("workspace %s cannot be restored: %w", id, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return rep, r.half(err)
	}
	// Accounts come last: without them no server lets anybody in.
	for bucket, ttl := range m.TTL {
		if bucket != "accounts" {
			if err := r.bucket(ctx, bucket, time.Duration(ttl)); err != nil {
				return rep, r.half(err)
			}
		}
	}
	if _, ok := m.TTL["accounts"]; ok {
		if err := r.bucket(ctx, "accounts", 0); err != nil {
			return rep, r.half(err)
		}
	}
	rep = m.Report
	rep.Workspaces, rep.Contents, rep.Keys = len(ids), int(r.contents.Load()), int(r.keys.Load())
	return rep, nil
}

type restorer struct {
	dir string
	m   manifest
	c   *cluster.Cluster
	s   *stream.Store

	contents, keys atomic.Int64
}

func (r *restorer) half(err error) error {
	return fmt.Errorf("%w; the cluster has a part of the copy now: remove its streams whose names contain atelier- (nats stream rm), and restore again", err)
}

// empty refuses a cluster that has accounts.
func (r *restorer) empty(ctx context.Context) error {
	kv, err := r.c.JetStream().KeyValue(ctx, "atelier-accounts")
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return cluster.Classified("accounts", err)
	}
	keys, err := kv.ListKeys(ctx)
	if err != nil {
		return cluster.Classified("accounts", err)
	}
	defer func() { _ = keys.Stop() }()
	for key := range keys.Keys() {
		if strings.HasPrefix(key, "user.") {
			return errors.New("the cluster has accounts already: restore into an empty one")
		}
	}
	return nil
}

// check reads the whole copy, and returns the workspaces.
func (r *restorer) check() (ids []string, err error) {
	for name, want := range r.m.Files {
		b, err := os.Open(filepath.Join(r.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		h := sha256.New()
		_, err = io.Copy(h, b)
		b.Close()
		if err != nil {
			return nil, err
		}
		if hex.EncodeToString(h.Sum(nil)) != want {
			return nil, fmt.Errorf("%w: %s is not what was written", ErrDamaged, name)
		}
		if strings.Contains(name, "/contents/") {
			r.contents.Add(1)
		}
		if id, ok := strings.CutSuffix(name, "/log"); ok {
			ids = append(ids, strings.TrimPrefix(id, "workspaces/"))
		}
	}
	for _, id := range ids {
		if !safe.MatchString(id) {
			return nil, fmt.Errorf("%w: %q is not the id of a workspace", ErrDamaged, id)
		}
	}
	if int(r.contents.Load()) != r.m.Contents || len(ids) != r.m.Workspaces {
		return nil, fmt.Errorf("%w: it has %d contents of %d workspaces, and %d of %d were written", ErrDamaged, r.contents.Load(), len(ids), r.m.Contents, r.m.Workspaces)
	}
	return ids, nil
}

// putContents puts the contents of a workspace into the cluster.
func (r *restorer) putContents(ctx context.Context, id string) error {
	store, folder := r.s.Contents(id), "workspaces/"+id+"/contents/"
	for path, sum := range r.m.Files {
		name, ok := strings.CutPrefix(path, folder)
		if !ok {
			continue
		}
		in, err := os.Open(filepath.Join(r.dir, filepath.FromSlash(path)))
		if err != nil {
			return err
		}
		st, err := in.Stat()
		if err == nil {
			err = store.Put(ctx, replica.Content{Name: name, Size: st.Size(), Hash: sum}, in)
		}
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// workspace puts the contents of a workspace into the cluster, and then the log that names
// them.
func (r *restorer) workspace(ctx context.Context, id string) error {
	if err := r.putContents(ctx, id); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(r.dir, "workspaces", id, "log"))
	if err != nil {
		return err
	}
	defer f.Close()
	in, log, last := bufio.NewReader(f), r.s.Log(id), uint64(0)
	for {
		n, err := binary.ReadUvarint(in)
		if err == io.EOF {
			return nil
		}
		if err != nil || n > 64<<20 {
			return fmt.Errorf("%w: its log cannot be read", ErrDamaged)
		}
		message := make([]byte, n)
		if _, err := io.ReadFull(in, message); err != nil {
			return fmt.Errorf("%w: its log cannot be read", ErrDamaged)
		}
		if last, err = log.Append(ctx, last, message); err != nil {
			return err
		}
	}
}

func (r *restorer) bucket(ctx context.Context, bucket string, ttl time.Duration) error {
	if !copied(bucket) {
		return fmt.Errorf("%w: it has a bucket %q", ErrDamaged, bucket)
	}
	kv, err := r.c.Keys(ctx, bucket, ttl)
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(r.dir, "keys", bucket+".jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var changes []cluster.Change
	flush := func() error {
		revs, err := r.c.ChangeAll(ctx, kv, changes)
		for i, rev := range revs {
			if err == nil && rev == 0 {
				err = fmt.Errorf("the key %s of the bucket %s is there already", changes[i].Key, bucket)
			}
		}
		r.keys.Add(int64(len(changes)))
		changes = changes[:0]
		return err
	}
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e entry
			if err := json.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("%w: keys/%s.jsonl: %w", ErrDamaged, bucket, err)
			}
			if e.Value == nil {
				e.Value = []byte{} // nil deletes
			}
			changes = append(changes, cluster.Change{Key: e.Key, Value: e.Value})
		}
		if len(changes) >= 256 || err == io.EOF {
			if ferr := flush(); ferr != nil {
				return ferr
			}
		}
		if err == io.EOF {
			if most := r.m.Most[bucket]; most > 0 {
				return r.c.BoundKeys(ctx, bucket, most)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}
