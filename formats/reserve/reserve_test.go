package reserve

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/internal/budget"
)

// seen is a format that notes what is reserved while it works.
type seen struct {
	formats.Editor
	work int64
	err  error
}

func (s *seen) note() error {
	s.work = budget.Process.Stats().Work
	return s.err
}

func (s *seen) Map(context.Context, formats.Source, formats.MapOptions) (any, error) {
	return nil, s.note()
}

func (s *seen) Read(context.Context, formats.Source, formats.Selector) (formats.Text, error) {
	return formats.Text{}, s.note()
}

func (s *seen) Apply(context.Context, formats.Source, io.Writer, []json.RawMessage, formats.ApplyOptions) (formats.Report, error) {
	return formats.Report{}, s.note()
}

func (s *seen) Diff(context.Context, formats.Source, formats.Source, formats.DiffOptions) (*formats.Diff, error) {
	return nil, s.note()
}

func (s *seen) Segments(context.Context, formats.Source, formats.SegmentOptions) ([]formats.Segment, error) {
	return nil, s.note()
}

func (s *seen) Replace(context.Context, formats.Source, io.Writer, map[string]string, formats.ReplaceOptions) error {
	return s.note()
}

type partly struct{ seen }

func (s *partly) Parts(context.Context, formats.Source, func(formats.Part) error) error {
	return s.note()
}

func document(t *testing.T, n int) formats.Source {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, size := range map[string]int{"word/document.xml": n, "word/media/image1.png": 1 << 20} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, strings.Repeat("x", size))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return formats.FromBytes("a.docx", buf.Bytes())
}

// Each operation reserves by the size of the unpacked XML while it works, and returns it
// when it has ended, with an error too.
func TestOperationsReserve(t *testing.T) {
	ctx, s := t.Context(), &partly{}
	f := Office(&formats.Format{Kind: formats.KindDocx, Mapper: s, Reader: s, Editor: s, Differ: s, Segmenter: s},
		Needs{Read: 2, Edit: 3, Heavy: 10, HeavyOps: []string{"sort_range"}, Segments: 5, Diff: 4})
	src := document(t, 10<<20)
	for _, fails := range []error{nil, errors.New("damaged")} {
		s.err = fails
		check := func(mib int64, err error) {
			t.Helper()
			require.Equal(t, fails, err)
			require.Equal(t, mib, s.work>>20)
			require.Zero(t, budget.Process.Stats().Work)
		}
		_, err := f.Mapper.Map(ctx, src, formats.MapOptions{})
		check(24, err)
		_, err = f.Reader.Read(ctx, src, formats.Selector{})
		check(24, err)
		check(24, f.Reader.(formats.Parter).Parts(ctx, src, nil))
		_, err = f.Editor.Apply(ctx, src, nil, []json.RawMessage{json.RawMessage(`{"op":"replace_text"}`), json.RawMessage(`7`)}, formats.ApplyOptions{})
		check(34, err)
		_, err = f.Editor.Apply(ctx, src, nil, []json.RawMessage{json.RawMessage(`{"op":"sort_range"}`)}, formats.ApplyOptions{})
		check(104, err)
		_, err = f.Editor.Apply(ctx, nil, nil, nil, formats.ApplyOptions{})
		check(4, err)
		_, err = f.Differ.Diff(ctx, src, src, formats.DiffOptions{})
		check(84, err)
		_, err = f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
		check(54, err)
		check(54, f.Segmenter.Replace(ctx, src, nil, nil, formats.ReplaceOptions{}))
	}
	_, fits := f.Reader.(formats.FittingReader)
	require.False(t, fits, "it can do what the wrapped one can, and no more")
	require.Nil(t, f.Auditor)
	require.Equal(t, int64(10<<20), Size(src))
	require.Equal(t, int64(packed*5), Size(formats.FromBytes("a.xlsx", []byte("PK..."))), "no zip directory")
	require.Equal(t, int64(5), Size(formats.FromBytes("a.txt", []byte("12345"))))
}

// An operation whose time ends while it waits is not begun.
func TestWaitingEnds(t *testing.T) {
	s := &seen{}
	f := Office(&formats.Format{Reader: s}, Needs{Read: 2})
	_, all, err := budget.Process.Reserve(t.Context(), budget.Process.Limit())
	require.NoError(t, err)
	defer all.Release()
	src := document(t, 1<<20)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = f.Reader.Read(ctx, src, formats.Selector{})
	require.ErrorAs(t, err, new(*budget.WaitError))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, s.work)
}
