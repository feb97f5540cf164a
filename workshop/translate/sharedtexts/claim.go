package sharedtexts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/internal/cluster"
	"atelier/workshop/translate"
)

// Claim implements translate.Shared. Most texts have never been claimed: so all are claimed
// as such, in one request, while their units are read. Where that fails, since one is known,
// the claims are read first.
//
// The units may be read before the claim is written: a unit that another process put in
// between has its mark among the claims, or the claim of that process, so this one fails.
func (t *Texts) Claim(ctx context.Context, made translate.Made, keys []translate.TextKey, again func(translate.SharedUnit) bool) (mine, others []translate.TextKey, err error) {
	session, err := t.alive(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := &claiming{t: t, keys: keys, names: keysOf(made, keys), again: again}
	if c.claim, err = json.Marshal(claimValue{Session: session}); err != nil {
		return nil, nil, err
	}
	var g errgroup.Group
	g.Go(func() (err error) {
		c.units, c.unitRevs, err = values[unitValue](ctx, t, t.units, c.names)
		return err
	})
	revs, werr := t.c.ChangeTogether(ctx, t.claims, c.first())
	if err := g.Wait(); err != nil {
		if revs != nil || werr != nil && !cluster.NotWritten(werr) {
			t.abandon()
		}
		return nil, nil, err
	}
	if werr == nil && revs != nil {
		mine, others = c.firstClaimed(ctx, revs)
		return mine, others, nil
	}
	if werr == nil || cluster.NotWritten(werr) {
		mine, others, werr, err = c.known(ctx)
	}
	if werr != nil {
		// A claim whose answer was lost would hold until this session ends: it ends now,
		// and the texts are claimed again later.
		t.abandon()
		if !errors.Is(werr, cluster.ErrUnreachable) {
			return nil, nil, werr
		}
		t.claimsAgain(ctx)
		return nil, keys, nil
	}
	return mine, others, err
}

// claiming is one call of Claim.
type claiming struct {
	t        *Texts
	keys     []translate.TextKey
	names    []string // of keys, in the buckets
	again    func(translate.SharedUnit) bool
	claim    []byte // the value
	units    map[string]unitValue
	unitRevs map[string]uint64
}

// first are the claims of texts that have never been claimed.
func (c *claiming) first() []cluster.Change {
	changes := make([]cluster.Change, len(c.names))
	for i, name := range c.names {
		changes[i] = cluster.Change{Key: name, Value: c.claim}
	}
	return changes
}

// firstClaimed keeps the claims of texts that are to be asked for, and ends those of texts
// that have had their unit for a long time.
func (c *claiming) firstClaimed(ctx context.Context, revs []uint64) (mine, others []translate.TextKey) {
	var done []cluster.Change
	c.t.mu.Lock()
	for i, name := range c.names {
		if u := c.units[name].Unit; u != nil && !c.again(*u) {
			others = append(others, c.keys[i])
			done = append(done, cluster.Change{Key: name, Value: doneClaim, Before: revs[i]})
			continue
		}
		c.hold(name, revs[i])
		mine = append(mine, c.keys[i])
	}
	c.t.mu.Unlock()
	if _, err := c.t.c.ChangeAll(ctx, c.t.claims, done); err != nil {
		c.t.abandon()
		return nil, c.keys
	}
	return mine, others
}

// hold records a claim of this process. t.mu is held.
func (c *claiming) hold(name string, revision uint64) {
	c.t.held[name] = claimed{revision, c.unitRevs[name], c.units[name].Unit}
}

// known claims texts some of which are claimed or were, after the units were read; unknown is the error of a write
// whose success is not known.
func (c *claiming) known(ctx context.Context) (mine, others []translate.TextKey, unknown, err error) {
	t := c.t
	claims, revs, err := values[claimValue](ctx, t, t.claims, c.names)
	if err != nil {
		return nil, nil, nil, err
	}
	dead, err := t.ended(ctx, claims)
	if err != nil {
		return nil, nil, nil, err
	}
	var changes []cluster.Change
	var at []int // index of each change in keys
	for i, name := range c.names {
		v, u := claims[name], c.units[name].Unit
		taken := v.Session != "" && !dead[v.Session]
		if taken || u == nil && v.Done || u != nil && !c.again(*u) {
			others = append(others, c.keys[i])
			continue
		}
		changes, at = append(changes, cluster.Change{Key: name, Value: c.claim, Before: revs[name]}), append(at, i)
	}
	written, unknown := t.c.ChangeAll(ctx, t.claims, changes)
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, rev := range written {
		if rev == 0 {
			others = append(others, c.keys[at[i]])
			continue
		}
		c.hold(changes[i].Key, rev)
		mine = append(mine, c.keys[at[i]])
	}
	return mine, others, unknown, nil
}

// ended returns the sessions of values that have ended.
func (t *Texts) ended(ctx context.Context, values map[string]claimValue) (map[string]bool, error) {
	out := map[string]bool{}
	for _, v := range values {
		if _, known := out[v.Session]; known || v.Session == "" {
			continue
		}
		err := patiently(ctx, func() error {
			_, _, err := t.sessions.Holder(ctx, v.Session)
			return err
		})
		if err != nil && !errors.Is(err, cluster.ErrNotFound) {
			return nil, err
		}
		out[v.Session] = err != nil
	}
	return out, nil
}

// Wait implements translate.Shared.
func (t *Texts) Wait(ctx context.Context, made translate.Made, keys []translate.TextKey) error {
	names := keysOf(made, keys)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 300*time.Millisecond) {
		claims, _, err := values[claimValue](ctx, t, t.claims, names)
		if err != nil {
			return err
		}
		dead, err := t.ended(ctx, claims)
		if err != nil {
			return err
		}
		var rest []string
		for _, name := range names {
			if s := claims[name].Session; s != "" && !dead[s] {
				rest = append(rest, name)
			}
		}
		if len(rest) == 0 {
			return nil
		}
		names = rest
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
