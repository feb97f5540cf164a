package bucket

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
)

// JetStream is the store of a Choice that is no bucket.
const JetStream = "jetstream"

// ErrOther says that the servers of a cluster keep large contents elsewhere.
var ErrOther = errors.New("the cluster keeps its large contents elsewhere")

// Chosen is where a cluster keeps large contents.
type Chosen struct {
	Store   string `json:"store"`             // JetStream or s3://BUCKET[/PREFIX]
	Address string `json:"address,omitempty"` // of the bucket when it was chosen, for people
	// Moving: they are being moved from the bucket to JetStream, and no server may work.
	Moving bool `json:"moving,omitempty"`
}

func (c Chosen) String() string {
	switch {
	case c.Store == JetStream:
		return "JetStream"
	case c.Address != "":
		return c.Store + " at " + c.Address
	}
	return c.Store
}

// Choice is what the servers of a cluster agreed on. It is safe for concurrent use.
type Choice struct{ kv jetstream.KeyValue }

// The keys of its bucket.
const (
	storeKey   = "store"
	clusterKey = "cluster"
)

// OpenChoice finds the choice of a cluster; there may be none yet.
func OpenChoice(ctx context.Context, c *cluster.Cluster) (*Choice, error) {
	kv, err := c.Keys(ctx, "ws-contents", 0)
	return &Choice{kv}, err
}

// FindChoice is OpenChoice that makes nothing; cluster.ErrNotFound.
func FindChoice(ctx context.Context, c *cluster.Cluster) (*Choice, error) {
	kv, err := c.FindKeys(ctx, "ws-contents")
	return &Choice{kv}, err
}

// Get returns the choice and its number for Set; ok is false where there is none yet.
func (c *Choice) Get(ctx context.Context) (is Chosen, number uint64, ok bool, err error) {
	e, err := c.kv.Get(ctx, storeKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return is, 0, false, nil
	}
	if err != nil {
		return is, 0, false, asking(err)
	}
	if err := json.Unmarshal(e.Value(), &is); err != nil || is.Store == "" {
		return is, 0, false, errors.Join(errors.New("what the cluster says about the store of large contents cannot be read"), err)
	}
	return is, e.Revision(), true, nil
}

// Set changes the choice, unless it was changed after the number.
func (c *Choice) Set(ctx context.Context, to Chosen, number uint64) error {
	b, err := json.Marshal(to)
	if err != nil {
		return err
	}
	_, err = c.kv.Update(ctx, storeKey, b, number)
	return asking(err)
}

// Agree makes the choice where there is none, and refuses another one.
func (c *Choice) Agree(ctx context.Context, want Chosen) error {
	for {
		is, _, ok, err := c.Get(ctx)
		if err != nil {
			return err
		}
		if ok {
			return is.refuses(want)
		}
		if err = c.Set(ctx, want, 0); !cluster.IsConflict(err) {
			return err
		}
	}
}

// refuses is the error of a server that keeps contents elsewhere.
func (c Chosen) refuses(want Chosen) error {
	if c.Moving {
		return fmt.Errorf("%w: they are being moved from %s to JetStream; let 'atelier cluster contents move jetstream' end, or return with 'atelier cluster contents move bucket'", ErrOther, c)
	}
	if c.Store == want.Store {
		return nil
	}
	flag := "--cluster-contents " + c.Store
	if c.Store == JetStream {
		flag = "no --cluster-contents"
	}
	return fmt.Errorf("%w: in %s, not in %s; start this server with %s, or move them with 'atelier cluster contents move'", ErrOther, c, want, flag)
}

// Cluster is a name of the cluster that no other has.
func (c *Choice) Cluster(ctx context.Context) (string, error) {
	for {
		e, err := c.kv.Get(ctx, clusterKey)
		if err == nil {
			return string(e.Value()), nil
		}
		if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return "", asking(err)
		}
		name := strings.ToLower(rand.Text())
		if _, err = c.kv.Create(ctx, clusterKey, []byte(name)); err == nil {
			return name, nil
		} else if !cluster.IsConflict(err) {
			return "", asking(err)
		}
	}
}

func asking(err error) error { return cluster.Classified("the store of large contents", err) }
