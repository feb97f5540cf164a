package translate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop/translate/translator"
)

// small translates five texts at a time by upper case, and counts.
type small struct {
	mu      sync.Mutex
	asked   map[string]int
	atOnce  atomic.Int32
	most    atomic.Int32
	failing string // a batch with this text fails
}

func (*small) Name() string          { return "small" }
func (*small) Size() translator.Size { return translator.Size{Segments: 5, Chars: 1 << 20} }

func (s *small) Translate(_ context.Context, b translator.Batch, accept func(id, target string) error) (translator.Usage, error) {
	s.most.Store(max(s.most.Load(), s.atOnce.Add(1)))
	time.Sleep(2 * time.Millisecond)
	defer s.atOnce.Add(-1)
	for _, seg := range b.Segments {
		s.mu.Lock()
		s.asked[seg.Text]++
		s.mu.Unlock()
		if seg.Text == s.failing {
			return translator.Usage{Requests: 1}, errors.New("it fails")
		}
		_ = accept(seg.ID, strings.ToUpper(seg.Text))
	}
	return translator.Usage{Requests: 1}, nil
}

// Several batches of a document at once give the same output and figures as one after the
// other, ask for each text once, and keep what came when one of them fails.
func TestBatchesAtOnce(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "This is the paragraph %d.\n\nIt repeats %d.\n\n", i, i%17)
	}
	in := write(t, "a.md", text.String())
	run := func(batches int, failing, out string) (Report, *small) {
		e := &small{asked: map[string]int{}, failing: failing}
		opt := options(t, nil)
		opt.Engine, opt.Batches, opt.Out = e, batches, out
		rep, err := Run(ctx, opt, []string{in})
		require.NoError(t, err)
		return rep, e
	}
	one, _ := run(1, "", filepath.Join(t.TempDir(), "one"))
	out := filepath.Join(t.TempDir(), "many")
	failed, first := run(8, "This is the paragraph 100.", out)
	require.Contains(t, failed.Files[0].Error, "it fails")
	many, second := run(8, "", out)
	require.Greater(t, second.most.Load()+first.most.Load(), int32(2), "several at once")
	a, err := os.ReadFile(one.Files[0].Output)
	require.NoError(t, err)
	b, err := os.ReadFile(many.Files[0].Output)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	require.Equal(t, one.Total.Translated, many.Total.Translated)
	require.Equal(t, one.Total.Repetitions, many.Total.Repetitions)
	again := 0
	for text, n := range second.asked {
		require.Equal(t, 1, n, text)
		if first.asked[text] > 0 {
			again++
		}
	}
	require.LessOrEqual(t, again, 5, "only the texts of the batch that failed")
}

// Documents that share texts are not asked for in more requests than these texts fill: what
// another document asks for leaves room in a batch for the texts that follow.
func TestBatchesAreFilled(t *testing.T) {
	const docs, paragraphs = 4, 60
	dir := t.TempDir()
	for d := range docs {
		var text strings.Builder
		for i := range paragraphs {
			fmt.Fprintf(&text, "This is the paragraph %d of document %d.\n\nIt is in all documents %d.\n\n", i, d, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(d, ".md")), []byte(text.String()), 0o600))
	}
	for _, batches := range []int{1, 4} {
		e := &small{asked: map[string]int{}}
		opt := options(t, nil)
		opt.Engine, opt.Batches, opt.Jobs, opt.Out = e, batches, docs, filepath.Join(t.TempDir(), "out")
		rep, err := Run(ctx, opt, []string{dir})
		require.NoError(t, err)
		require.Equal(t, (docs+1)*paragraphs, len(e.asked))
		require.LessOrEqual(t, rep.Total.Turns, (docs+1)*paragraphs/5+docs, "a document has at most one batch with room")
	}
}
