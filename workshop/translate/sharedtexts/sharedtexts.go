// Package sharedtexts keeps the texts of translation jobs in a cluster: it implements
// translate.Shared over a bucket of JetStream.
//
//	texts, err := sharedtexts.Join(ctx, c, sharedtexts.Options{Job: id, Process: "worker-3"})
//	defer texts.Close()
//	report, err := translate.Run(ctx, translate.Options{Shared: texts, …}, paths)
//
// Each text has a key, which names its language, recipe, text and limit. A bucket has the
// units, which are synced before they count. Another has the claims, in the memory of the
// servers: a process at a time has a claim on a text, and a text that has got its unit is
// marked there, so that a process that reads an old state of the units does not ask for it.
// All writes are compare-and-set. Those of a call are one round trip and one sync, and
// units that several calls put at the same time are too.
//
// A claim names the session of its process, a lease of the cluster. It holds as long as
// the session does: a claim of a session that has ended is taken over. The writes of a
// process that was paused longer than its session then fail, since the key has another
// revision. So a text is paid for twice only if a request was on its way when its
// process died or was away for longer than its session, when the cluster did not
// answer for so long that the session ended, or when all servers stopped, which forget
// the claims.
package sharedtexts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"atelier/internal/cluster"
	"atelier/workshop/translate"
)

// DefaultSession is how long a process may be silent before others take its claims over.
const DefaultSession = 10 * time.Second

// Options say who joins.
type Options struct {
	Job     string        // all processes of a job give the same
	Process string        // names this process for people
	Session time.Duration // 0: DefaultSession; all processes of the cluster need the same
}

// Texts are the shared texts as one process sees them.
type Texts struct {
	opt      Options
	c        *cluster.Cluster
	units    jetstream.KeyValue
	put      *cluster.Writer // to units
	claims   jetstream.KeyValue
	sessions *cluster.Leases

	mu      sync.Mutex
	id      string // of the session
	session *cluster.Lease
	held    map[string]claimed // by key
}

var _ translate.Shared = (*Texts)(nil)

// claimed is a claim of this process.
type claimed struct {
	revision uint64                // of the claim
	unit     uint64                // revision of the unit
	before   *translate.SharedUnit // the unit that there was
}

// unitValue is what a key of the units has.
type unitValue struct {
	Unit *translate.SharedUnit `json:"u,omitempty"`
}

// claimValue is what a key of the claims has.
type claimValue struct {
	Session string `json:"c,omitempty"` // that claims the text
	Done    bool   `json:"d,omitempty"` // it has got its unit
}

// claimsLast is how long the servers keep a claim, or the mark of a text that is done: an
// engine that takes longer for a batch may be asked twice.
const claimsLast = 30 * time.Minute

// unitsBucket has the units of all texts.
const unitsBucket = "text-units"

// Join begins a session. The caller closes it.
func Join(ctx context.Context, c *cluster.Cluster, opt Options) (*Texts, error) {
	if opt.Session == 0 {
		opt.Session = DefaultSession
	}
	t := &Texts{opt: opt, c: c, held: map[string]claimed{}}
	err := patiently(ctx, func() (err error) {
		if t.units, err = c.Keys(ctx, unitsBucket, 0); err != nil {
			return err
		}
		if t.claims, err = c.VolatileKeys(ctx, "text-claims", claimsLast); err != nil {
			return err
		}
		t.sessions, err = c.Leases(ctx, "text-sessions", opt.Session)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.put = c.Writer(t.units)
	return t, t.begin(ctx)
}

// begin begins a session.
func (t *Texts) begin(ctx context.Context) error {
	id := uuid.NewString()
	var lease *cluster.Lease
	err := patiently(ctx, func() (err error) {
		lease, err = t.sessions.Acquire(ctx, id, cluster.Holder{Owner: t.opt.Process})
		return err
	})
	if err != nil {
		return err
	}
	t.id, t.session = id, lease
	return nil
}

// Close ends the session, and with it all claims.
func (t *Texts) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session.Release()
}

// Job implements translate.Shared.
func (t *Texts) Job() string { return t.opt.Job }

// alive returns the session, a new one if the last was lost.
func (t *Texts) alive(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.session.Valid() {
		t.session.Release()
		if err := t.begin(ctx); err != nil {
			return "", err
		}
	}
	return t.id, nil
}

// keyOf is the bucket's key of a text.
func keyOf(made translate.Made, k translate.TextKey) string {
	h := sha256.Sum256([]byte(made.Language + "\x00" + made.Recipe))
	return hex.EncodeToString(h[:10]) + "." + hex.EncodeToString(k[:])
}

// keysOf are the bucket's keys of texts.
func keysOf(made translate.Made, keys []translate.TextKey) (names []string) {
	for _, k := range keys {
		names = append(names, keyOf(made, k))
	}
	return names
}

// patience is how long a process waits for a cluster that does not answer, such as one
// that chooses a leader.
const patience = 30 * time.Second

// values reads the values of keys of a bucket with their revisions.
func values[T any](ctx context.Context, t *Texts, kv jetstream.KeyValue, names []string) (map[string]T, map[string]uint64, error) {
	var entries map[string]cluster.Entry
	err := patiently(ctx, func() (err error) {
		entries, err = t.c.Last(ctx, kv, names)
		if errors.Is(err, cluster.ErrUnreachable) || errors.Is(err, cluster.ErrNotFound) {
			t.claimsAgain(ctx)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	values, revs := make(map[string]T, len(entries)), make(map[string]uint64, len(entries))
	for name, e := range entries {
		revs[name] = e.Revision
		if e.Value == nil {
			continue
		}
		var v T
		if err := json.Unmarshal(e.Value, &v); err != nil {
			return nil, nil, fmt.Errorf("a shared text is not valid: %w", err)
		}
		values[name] = v
	}
	return values, revs, nil
}

// claimsAgain makes the bucket of claims again if the servers have forgotten it.
func (t *Texts) claimsAgain(ctx context.Context) {
	_, _ = t.c.VolatileKeys(ctx, "text-claims", claimsLast) // the next request shows whether it is there
}

// patiently calls do again while the cluster cannot be reached.
func patiently(ctx context.Context, do func() error) error {
	return cluster.Patiently(ctx, patience, do)
}

// Look implements translate.Shared.
func (t *Texts) Look(ctx context.Context, made translate.Made, keys []translate.TextKey) (map[translate.TextKey]translate.SharedUnit, error) {
	names := keysOf(made, keys)
	units, _, err := values[unitValue](ctx, t, t.units, names)
	if err != nil {
		return nil, err
	}
	found := map[translate.TextKey]translate.SharedUnit{}
	for i, name := range names {
		if u := units[name].Unit; u != nil {
			found[keys[i]] = *u
		}
	}
	return found, nil
}

// abandon ends the session with all claims, also those that this process does not know
// of; the next claim begins another.
func (t *Texts) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session.Release()
	clear(t.held)
}
