package translate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/translate/translator"
)

// gate admits some batches at once, those of the first document first.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	free    int
	waiting map[int]int // documents that wait, and how often
	since   int         // how many must wait before the first is admitted
}

func (g *gate) admit(ctx context.Context, document int) (context.Context, func(), error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting[document]++
	if len(g.waiting) == g.since {
		g.since = 0
	}
	g.changed.Broadcast()
	for g.since > 0 || g.free == 0 || !g.isFirst(document) {
		g.changed.Wait()
	}
	g.free--
	if g.waiting[document]--; g.waiting[document] == 0 {
		delete(g.waiting, document)
	}
	g.changed.Broadcast()
	return ctx, sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.free++
		g.changed.Broadcast()
	}), nil
}

func (g *gate) isFirst(document int) bool {
	for d := range g.waiting {
		if d < document {
			return false
		}
	}
	return true
}

// asks notes the documents whose batches are asked for.
type asks struct {
	small
	documents []string
}

func (a *asks) Translate(ctx context.Context, b translator.Batch, accept func(id, target string) error) (translator.Usage, error) {
	a.mu.Lock()
	a.documents = append(a.documents, b.Document)
	a.mu.Unlock()
	return a.small.Translate(ctx, b, accept)
}

// claimsOf are shared texts of one process, which count claims.
type claimsOf struct {
	mu     sync.Mutex
	units  map[key]SharedUnit
	claims map[key]int
}

func (*claimsOf) Job() string { return "job" }
func (c *claimsOf) Look(_ context.Context, _ Made, keys []TextKey) (map[TextKey]SharedUnit, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[key]SharedUnit{}
	for _, k := range keys {
		if u, ok := c.units[k]; ok {
			found[k] = u
		}
	}
	return found, nil
}

func (c *claimsOf) Claim(_ context.Context, _ Made, keys []TextKey, _ func(SharedUnit) bool) (mine, others []TextKey, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		c.claims[k]++
		if _, done := c.units[k]; done {
			others = append(others, k)
		} else {
			mine = append(mine, k)
		}
	}
	return mine, others, nil
}
func (*claimsOf) Wait(context.Context, Made, []TextKey) error    { return nil }
func (*claimsOf) Release(context.Context, Made, []TextKey) error { return nil }
func (c *claimsOf) Put(_ context.Context, _ Made, units map[TextKey]SharedUnit) (map[TextKey]SharedUnit, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, u := range units {
		c.units[k] = u
	}
	return nil, nil
}

// Documents that are admitted in order are asked for one after the other, not all at once,
// so that the first are written while others are asked for. What this process has got since
// a document was looked up is not claimed among all processes.
func TestDocumentsInOrder(t *testing.T) {
	const docs, paragraphs = 4, 60
	dir := t.TempDir()
	for d := range docs {
		var text strings.Builder
		for i := range paragraphs {
			fmt.Fprintf(&text, "This is the paragraph %d of document %d.\n\nIt is in all documents %d.\n\n", i, d, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(d, ".md")), []byte(text.String()), 0o600))
	}
	g := &gate{free: 2, waiting: map[int]int{}, since: docs}
	g.changed = sync.NewCond(&g.mu)
	e := &asks{small: small{asked: map[string]int{}}}
	shared := &claimsOf{units: map[key]SharedUnit{}, claims: map[key]int{}}
	opt := options(t, nil)
	opt.Engine, opt.Batches, opt.Jobs, opt.Out, opt.Admit, opt.Shared = e, 8, docs, filepath.Join(t.TempDir(), "out"), g.admit, shared
	rep, err := Run(ctx, opt, []string{dir})
	require.NoError(t, err)
	require.Zero(t, rep.Failed())
	first, last := map[string]int{}, map[string]int{}
	for i, d := range e.documents {
		if _, ok := first[d]; !ok {
			first[d] = i
		}
		last[d] = i
	}
	for d := range docs - 2 {
		require.Less(t, last[fmt.Sprint(d, ".md")], first[fmt.Sprint(d+2, ".md")], e.documents)
	}
	require.Len(t, shared.claims, (docs+1)*paragraphs)
	for _, n := range shared.claims {
		require.Equal(t, 1, n, "a text was claimed that this process had")
	}
	require.Equal(t, 2, g.free, "each that was admitted has ended")
}
