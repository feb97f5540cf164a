package translate

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/budget"
	"atelier/workshop/translate/translator"
)

// watchedEngine notes how many documents are at work when it is asked.
type watchedEngine struct {
	translator.Pseudo
	asked func()
}

func (w watchedEngine) Translate(ctx context.Context, b translator.Batch, accept func(id, target string) error) (translator.Usage, error) {
	w.asked()
	return w.Pseudo.Translate(ctx, b, accept)
}

// What documents hold while they are translated is bounded for all jobs of the process:
// with room for one, they are worked on one after the other, and each ends.
func TestTextsOfAllJobsShareMemory(t *testing.T) {
	room := budget.New(1)
	old := heldTexts
	heldTexts = func() *budget.Budget { return room }
	t.Cleanup(func() { heldTexts = old })
	docs := filepath.Join(formatstest.Root(t), "testdata", "documents")
	engine := watchedEngine{asked: func() { assert.LessOrEqual(t, room.Stats().Work, int64(1)) }}
	var jobs errgroup.Group
	for range 3 {
		opt := Options{To: []string{"es", "de"}, Out: filepath.Join(t.TempDir(), "out"), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Engine: engine}
		jobs.Go(func() error {
			rep, err := Run(ctx, opt, []string{docs})
			if err == nil {
				assert.Zero(t, rep.Failed())
			}
			return err
		})
	}
	require.NoError(t, jobs.Wait())
	require.Zero(t, room.Stats().Work)
	require.Positive(t, room.Stats().Waited)
}

// A document that waits for its turn ends with its job.
func TestWaitForTextsEnds(t *testing.T) {
	room := budget.New(1)
	old := heldTexts
	heldTexts = func() *budget.Budget { return room }
	t.Cleanup(func() { heldTexts = old })
	_, other, err := room.Reserve(ctx, 1)
	require.NoError(t, err)
	defer other.Release()
	opt := options(t, &answers{})
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	rep, err := Run(short, opt, []string{write(t, "a.txt", "One line.\n")})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 1, rep.Failed())
	require.EqualValues(t, 1, room.Stats().Waited)
}
