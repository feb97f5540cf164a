package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"atelier/internal/buildinfo"
	"atelier/internal/cluster"
	"atelier/internal/replica"
	"atelier/internal/replica/bucket"
	"atelier/internal/replica/stream"
)

// Report is what was copied.
type Report struct {
	Workspaces int   `json:"workspaces"`
	Contents   int   `json:"contents"`
	Keys       int   `json:"keys"`
	Bytes      int64 `json:"bytes"`
	// LeftOut are the buckets and streams of the cluster that are not copied: they say who
	// works with what now. Unknown are others that are not copied.
	LeftOut []string `json:"left_out"`
	Unknown []string `json:"unknown"`
}

// manifest is what the folder has.
type manifest struct {
	Format  int               `json:"format"`
	Version string            `json:"version"` // of the program
	Begun   time.Time         `json:"begun"`
	Last    uint64            `json:"last"`  // the highest number of a message of the logs
	Files   map[string]string `json:"files"` // SHA-256 by path
	TTL     map[string]int64  `json:"ttl"`   // of buckets, in nanoseconds
	Most    map[string]int64  `json:"most"`  // of buckets that are bounded, in bytes
	Report
}

const (
	format       = 1
	manifestName = "manifest.json"
	atOnce       = 4 // workspaces
)

// copied reports whether a bucket is copied: those that must outlive the servers.
func copied(bucket string) bool {
	return slices.Contains([]string{"accounts", "accounts-spending", "jobs", "text-units", "ws-waiting"}, bucket)
}

// passing reports whether a bucket or stream says only who works with what now, or where.
func passing(name string) bool {
	return slices.Contains([]string{"atelier-requests", "KV_atelier-formed", "KV_atelier-page-sessions", "KV_atelier-text-claims", "KV_atelier-text-sessions", "KV_atelier-workers",
		"KV_atelier-ws-contents", "KV_atelier-ws-leases", "KV_atelier-ws-owners", "KV_atelier-ws-servers"}, name)
}

// safe are names that can be those of files.
var safe = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// writer writes a copy.
type writer struct {
	dir string
	mu  sync.Mutex // protects m
	m   manifest
}

// Write copies a cluster into a folder, which is empty or not there. place is where the
// cluster keeps large contents, nil for JetStream.
func Write(ctx context.Context, c *cluster.Cluster, place *bucket.Place, dir string) (Report, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Report{}, err
	}
	if has, err := os.ReadDir(dir); err != nil || len(has) > 0 {
		return Report{}, errors.Join(err, fmt.Errorf("the folder %s is not empty: name one that is, or a new one", dir))
	}
	w := &writer{dir: dir, m: manifest{Format: format, Version: buildinfo.Version(), Begun: time.Now().UTC(), Files: map[string]string{}, TTL: map[string]int64{}, Most: map[string]int64{}}}
	w.m.LeftOut, w.m.Unknown = []string{}, []string{}
	s, err := stream.Open(ctx, c)
	if err != nil {
		return Report{}, err
	}
	contents, err := contentsOf(ctx, c, s, place)
	if err != nil {
		return Report{}, err
	}
	if err := w.all(ctx, c, s, contents); err != nil {
		return Report{}, fmt.Errorf("%w; the copy in %s is not complete: remove it, and copy again", err, dir)
	}
	return w.m.Report, nil
}

// all copies everything, and then writes the manifest.
func (w *writer) all(ctx context.Context, c *cluster.Cluster, s *stream.Store, contents func(id string) replica.Contents) error {
	ids, err := s.Workspaces(ctx)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, id := range ids {
		g.Go(func() error {
			if err := w.workspace(gctx, s.Log(id), contents(id), id); err != nil {
				return fmt.Errorf("workspace %s cannot be copied: %w", id, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	// Accounts after workspaces: a workspace that is made meanwhile has an account and no
	// content, not the other way round.
	if err := w.buckets(ctx, c); err != nil {
		return err
	}
	b, err := json.MarshalIndent(w.m, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.write(manifestName, func(out io.Writer) error { _, err := out.Write(b); return err })
	return err
}

// contentsOf returns the contents of workspaces, where the cluster keeps them.
func contentsOf(ctx context.Context, c *cluster.Cluster, logs *stream.Store, place *bucket.Place) (func(id string) replica.Contents, error) {
	choice, err := bucket.OpenChoice(ctx, c)
	if err != nil {
		return nil, err
	}
	is, _, ok, err := choice.Get(ctx)
	switch in := ok && is.Store != bucket.JetStream; {
	case err != nil:
		return nil, err
	case is.Moving:
		return nil, fmt.Errorf("the large contents of the cluster are being moved from %s to JetStream: wait for its end", is)
	case !in && place == nil:
		return logs.Contents, nil
	case !in:
		return nil, errors.New("the cluster keeps its large contents in JetStream: leave out --cluster-contents")
	case place == nil:
		return nil, fmt.Errorf("the cluster keeps its large contents in %s: name it with --cluster-contents %s, and give its keys", is, is.Store)
	}
	s, err := bucket.Open(ctx, logs, choice, place)
	if err != nil {
		return nil, err
	}
	return s.Contents, nil
}

// write writes a file that is on disk when it returns, and returns its SHA-256.
func (w *writer) write(name string, f func(io.Writer) error) (sum string, err error) {
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	h, n := sha256.New(), &counter{}
	buffered := bufio.NewWriter(io.MultiWriter(out, h, n))
	err = f(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	w.mu.Lock()
	w.m.Bytes += n.n
	w.mu.Unlock()
	return hex.EncodeToString(h.Sum(nil)), err
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

func (w *writer) workspace(ctx context.Context, log replica.Log, store replica.Contents, id string) error {
	if !safe.MatchString(id) {
		return errors.New("its id is not letters, digits and hyphens")
	}
	folder := "workspaces/" + id + "/"
	contents := 0
	messages, last, err := replica.Export(ctx, log, store, func(c replica.Content, r io.Reader) error {
		if !safe.MatchString(c.Name) {
			return fmt.Errorf("the name %q of a content is not letters, digits and hyphens", c.Name)
		}
		name := folder + "contents/" + c.Name
		sum, err := w.write(name, func(out io.Writer) error { _, err := io.Copy(out, r); return err })
		if err == nil {
			contents++
			w.mu.Lock()
			w.m.Files[name] = sum
			w.mu.Unlock()
		}
		return err
	})
	if err != nil {
		return err
	}
	sum, err := w.write(folder+"log", func(out io.Writer) error {
		for _, m := range messages {
			if _, err := out.Write(append(binary.AppendUvarint(nil, uint64(len(m))), m...)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.m.Files[folder+"log"], w.m.Last = sum, max(w.m.Last, last)
	w.m.Workspaces++
	w.m.Contents += contents
	return nil
}

// entry is a line of the keys of a bucket.
type entry struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

func (w *writer) buckets(ctx context.Context, c *cluster.Cluster) error {
	list := c.JetStream().StreamNames(ctx)
	var names []string
	for name := range list.Name() {
		names = append(names, name)
	}
	if err := list.Err(); err != nil {
		return cluster.Classified("the buckets of the cluster", err)
	}
	slices.Sort(names)
	for _, name := range names {
		bucket, ok := strings.CutPrefix(name, "KV_atelier-")
		switch {
		case ok && copied(bucket):
			if err := w.bucket(ctx, c, bucket); err != nil {
				return fmt.Errorf("the bucket %s cannot be copied: %w", bucket, err)
			}
		case name == "atelier-ws-log" || name == "atelier-ws-content":
		case passing(name):
			w.m.LeftOut = append(w.m.LeftOut, name)
		default:
			w.m.Unknown = append(w.m.Unknown, name)
		}
	}
	return nil
}

func (w *writer) bucket(ctx context.Context, c *cluster.Cluster, bucket string) error {
	kv, err := c.JetStream().KeyValue(ctx, "atelier-"+bucket)
	if err != nil {
		return cluster.Classified(bucket, err)
	}
	stream, err := c.JetStream().Stream(ctx, "KV_atelier-"+bucket)
	if err != nil {
		return cluster.Classified(bucket, err)
	}
	all, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return cluster.Classified(bucket, err)
	}
	defer func() { _ = all.Stop() }()
	n := 0
	sum, err := w.write("keys/"+bucket+".jsonl", func(out io.Writer) error {
		enc := json.NewEncoder(out)
		for {
			select {
			case e, ok := <-all.Updates():
				if !ok {
					return errors.New("the cluster ended the list of keys")
				}
				if e == nil {
					return nil
				}
				n++
				if err := enc.Encode(entry{e.Key(), e.Value()}); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				return errors.New("the cluster did not answer for a minute")
			}
		}
	})
	w.m.Files["keys/"+bucket+".jsonl"], w.m.TTL[bucket] = sum, int64(stream.CachedInfo().Config.MaxAge)
	if most := stream.CachedInfo().Config.MaxBytes; most > 0 {
		w.m.Most[bucket] = most
	}
	w.m.Keys += n
	return err
}

// readManifest reads what a folder has.
func readManifest(dir string) (m manifest, err error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s has no %s: it is not a copy of a cluster, or the copy was not completed", dir, manifestName)
	}
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		return m, fmt.Errorf("%s cannot be read: %w", manifestName, err)
	}
	if m.Format != format {
		return m, fmt.Errorf("the copy has the format %d, and this version of the program reads %d", m.Format, format)
	}
	return m, nil
}
