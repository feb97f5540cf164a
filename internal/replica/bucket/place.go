package bucket

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"atelier/internal/replica"
	"atelier/internal/s3"
)

// Place is a part of a bucket.
type Place struct {
	client *s3.Client
	prefix string // of the objects, with a slash at the end unless it is empty
	name   string // s3://BUCKET[/PREFIX]
}

var prefixes = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)

// OpenPlace returns the place that s3://BUCKET[/PREFIX] names; cfg has the rest. It reaches
// nothing yet.
func OpenPlace(name string, cfg s3.Config) (*Place, error) {
	rest, ok := strings.CutPrefix(name, "s3://")
	name = strings.TrimSuffix(name, "/")
	bucket, prefix, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	if !ok || prefix != "" && (!prefixes.MatchString(prefix) || len(prefix) > 200) {
		return nil, fmt.Errorf("%q is not s3://BUCKET or s3://BUCKET/PREFIX, with a prefix of letters, digits, _, -, . and /", name)
	}
	cfg.Bucket = bucket
	client, err := s3.New(cfg)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		prefix += "/"
	}
	return &Place{client, prefix, name}, nil
}

// Chosen is the place as the cluster notes it.
func (p *Place) Chosen() Chosen {
	if p == nil {
		return Chosen{Store: JetStream}
	}
	return Chosen{Store: p.name, Address: p.client.Host()}
}

// Close ends idle connections.
func (p *Place) Close() {
	if p != nil {
		p.client.Close()
	}
}

// failed is an error of the store for the callers of replica.
func (p *Place) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, s3.ErrNotFound) {
		return fmt.Errorf("%w: %w", replica.ErrNoContent, err)
	}
	if ctx.Err() != nil {
		return err
	}
	reason := err.Error()
	if e := (*s3.Error)(nil); errors.As(err, &e) {
		reason = e.Reason()
	}
	return &replica.StoreError{Store: p.Chosen().String(), Reason: reason, Err: err}
}

// put stores a small object.
func (p *Place) put(ctx context.Context, object string, b []byte) error {
	sum := sha256.Sum256(b)
	return p.client.Put(ctx, p.prefix+object, s3.Body{Size: int64(len(b)), SHA256: hex.EncodeToString(sum[:]), From: bytes.NewReader(b)})
}

// get returns a small object.
func (p *Place) get(ctx context.Context, object string) ([]byte, error) {
	r, err := p.client.Get(ctx, p.prefix+object)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 1<<20))
}

// markName is the object that names the cluster.
const markName = "atelier-cluster.json"

type mark struct {
	Cluster string `json:"cluster"`
	About   string `json:"about"`
}

// marked returns the cluster that the place belongs to, "" for none.
func (p *Place) marked(ctx context.Context) (string, error) {
	b, err := p.get(ctx, markName)
	if errors.Is(err, s3.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", p.failed(ctx, err)
	}
	var m mark
	if err := json.Unmarshal(b, &m); err != nil || m.Cluster == "" {
		return "", fmt.Errorf("%s has an object %s that is not Atelier's: choose another prefix", p.Chosen(), markName)
	}
	return m.Cluster, nil
}

// Mark makes the place that of a cluster, unless it is that of another.
func (p *Place) Mark(ctx context.Context, cluster string) error {
	of, err := p.marked(ctx)
	switch {
	case err != nil:
		return err
	case of == cluster:
		return nil
	case of != "":
		return fmt.Errorf("%s is the place of another cluster: choose another prefix", p.Chosen())
	}
	b, err := json.Marshal(mark{cluster, "Large contents of the workspaces of a cluster of Atelier. Remove nothing by hand."})
	if err != nil {
		return err
	}
	return p.failed(ctx, p.put(ctx, markName, b))
}

// Check refuses a place that is not that of the cluster.
func (p *Place) Check(ctx context.Context, cluster string) error {
	of, err := p.marked(ctx)
	switch {
	case err != nil:
		return err
	case of == "":
		return fmt.Errorf("%s is empty or another one than the cluster's: it does not have the object %s with the name of the cluster; look at the address, the bucket and the prefix", p.Chosen(), markName)
	case of != cluster:
		return fmt.Errorf("%s is the place of another cluster; look at the address, the bucket and the prefix", p.Chosen())
	}
	return nil
}

// Try puts an object, reads, lists and removes it, as servers will.
func (p *Place) Try(ctx context.Context) error {
	name := "atelier-try-" + strings.ToLower(rand.Text())
	if err := p.put(ctx, name, []byte(name)); err != nil {
		return p.failed(ctx, err)
	}
	b, err := p.get(ctx, name)
	if err != nil {
		return p.failed(ctx, err)
	}
	if string(b) != name {
		return fmt.Errorf("%s returns other bytes than it was given", p.Chosen())
	}
	list, err := p.client.List(ctx, p.prefix+name)
	if err != nil {
		return p.failed(ctx, err)
	}
	if len(list) != 1 || list[0].Name != p.prefix+name {
		return fmt.Errorf("%s does not list an object that was put", p.Chosen())
	}
	return p.failed(ctx, p.client.Remove(ctx, p.prefix+name))
}
