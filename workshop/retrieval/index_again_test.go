package retrieval

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/internal/budget"
	"atelier/workshop"
	"atelier/workshop/doctext"
)

// failing reads PDF, and fails as often as it says.
type failing struct {
	fails int
	err   error
}

func (f *failing) Read(context.Context, formats.Source, formats.Selector) (formats.Text, error) {
	return formats.Text{}, f.err
}

func (f *failing) Parts(_ context.Context, _ formats.Source, emit func(formats.Part) error) error {
	if f.fails > 0 {
		f.fails--
		return f.err
	}
	return emit(formats.Part{Kind: "page", Name: "1", Text: "olives"})
}

// A document that could not be read because the machine lacked memory is told, and read
// again though it did not change; one that is damaged is not read again.
func TestIndexReadsAgainWhatLackedMemory(t *testing.T) {
	for _, c := range []struct {
		err  error
		want []string
	}{
		{formats.Errorf(formats.CodeUnavailable, "the program that reads PDF did not start"), []string{"repo/a.pdf"}},
		{&budget.WaitError{Want: 1 << 20}, []string{"repo/a.pdf"}},
		{formats.Errorf(formats.CodeCorrupt, "a.pdf is damaged"), []string{}},
	} {
		r := newRig(t, map[string]string{"a.pdf": "%PDF-1.4"})
		old := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(r.dir, "a.pdf"), old, old))
		reader := &failing{fails: 1, err: c.err}
		r.ix.docs = doctext.NewCache(formats.NewSet(&formats.Format{Kind: formats.KindPDF, Reader: reader}), doctext.CacheOptions{})
		require.Empty(t, r.found("olives"))
		skipped, err := r.ix.Skipped(ctx, 9)
		require.NoError(t, err)
		require.Equal(t, map[workshop.Path]string{"a.pdf": c.err.Error()}, skipped)
		require.Equal(t, c.want, r.found("olives"), "%v", c.err)
		skipped, err = r.ix.Skipped(ctx, 9)
		require.NoError(t, err)
		require.Len(t, skipped, 1-len(c.want))
	}
}
