package sharedtexts

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"atelier/internal/cluster"
	"atelier/workshop/translate"
)

// putFor is how long Put tries while the cluster does not answer: what was paid for is
// not given up easily.
const putFor = time.Minute

// pending is a unit on its way into the bucket.
type pending struct {
	key      translate.TextKey
	unit     translate.SharedUnit
	before   *translate.SharedUnit // what the key had when the text was claimed
	revision uint64                // that the key has now, as far as is known
	known    bool                  // the revision is
}

// Put implements translate.Shared. A claim that another process took over meanwhile is
// no reason to lose a unit that was paid for: it is written over the claim, whose process
// then uses it.
func (t *Texts) Put(ctx context.Context, made translate.Made, units map[translate.TextKey]translate.SharedUnit) (map[translate.TextKey]translate.SharedUnit, error) {
	ctx, cancel := context.WithTimeout(ctx, putFor)
	defer cancel()
	open := t.pending(made, units)
	instead := map[translate.TextKey]translate.SharedUnit{}
	for {
		err := t.write(ctx, open)
		if len(open) > 0 {
			if rerr := t.reread(ctx, open, instead); rerr != nil {
				err = rerr
			}
		}
		if len(open) == 0 {
			t.markDone(ctx, made, units)
			return instead, nil
		}
		if err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (t *Texts) pending(made translate.Made, units map[translate.TextKey]translate.SharedUnit) map[string]*pending {
	open := make(map[string]*pending, len(units))
	for k, u := range units {
		open[keyOf(made, k)] = &pending{key: k, unit: u}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, p := range open {
		if h, ok := t.held[name]; ok {
			p.before, p.revision, p.known = h.before, h.unit, true
		}
	}
	return open
}

// write writes what is open, and takes out of it what was written.
func (t *Texts) write(ctx context.Context, open map[string]*pending) error {
	var changes []cluster.Change
	for name, p := range open {
		if !p.known {
			continue
		}
		b, err := json.Marshal(unitValue{&p.unit})
		if err != nil {
			return err
		}
		changes = append(changes, cluster.Change{Key: name, Value: b, Before: p.revision})
	}
	revs, err := t.put.ChangeAll(ctx, changes)
	for i, rev := range revs {
		if rev != 0 {
			delete(open, changes[i].Key)
		}
	}
	return err
}

// doneClaim is the claimValue of a text that has got its unit.
var doneClaim = []byte(`{"d":true}`)

// markDone ends the claims on texts that have their unit.
func (t *Texts) markDone(ctx context.Context, made translate.Made, units map[translate.TextKey]translate.SharedUnit) {
	var changes []cluster.Change
	t.mu.Lock()
	for k := range units {
		name := keyOf(made, k)
		if h, ok := t.held[name]; ok {
			changes = append(changes, cluster.Change{Key: name, Value: doneClaim, Before: h.revision})
			delete(t.held, name)
		}
	}
	t.mu.Unlock()
	if _, err := t.c.ChangeAll(ctx, t.claims, changes); err != nil {
		t.abandon() // the units are there: the claims end with the session
	}
}

// reread finds out what became of the keys that were not written: they have the unit
// although the answer was lost, or another one that counts, or are to be written again.
func (t *Texts) reread(ctx context.Context, open map[string]*pending, instead map[translate.TextKey]translate.SharedUnit) error {
	names := make([]string, 0, len(open))
	for name := range open {
		names = append(names, name)
	}
	units, revs, err := values[unitValue](ctx, t, t.units, names)
	if err != nil {
		return err
	}
	for name, p := range open {
		u := units[name].Unit
		switch {
		case u == nil, reflect.DeepEqual(u, p.before):
			p.revision, p.known = revs[name], true
		case reflect.DeepEqual(*u, p.unit):
			delete(open, name)
		default:
			instead[p.key] = *u
			delete(open, name)
		}
	}
	return nil
}

// Release implements translate.Shared. When the cluster does not answer, the session is
// ended, and with it the claims.
func (t *Texts) Release(ctx context.Context, made translate.Made, keys []translate.TextKey) error {
	var changes []cluster.Change
	t.mu.Lock()
	for _, k := range keys {
		name := keyOf(made, k)
		h, ok := t.held[name]
		if !ok {
			continue // it has its unit
		}
		delete(t.held, name)
		changes = append(changes, cluster.Change{Key: name, Before: h.revision})
	}
	t.mu.Unlock()
	if len(changes) == 0 {
		return nil
	}
	if _, err := t.c.ChangeAll(ctx, t.claims, changes); err != nil {
		t.abandon()
	}
	return nil
}
