package translate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/workshop/translate/check"
)

// manyRows makes a ledger with documents of n segments each.
func manyRows(t testing.TB, documents, n int) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "job.db")
	l, err := OpenLedger(ctx, path)
	require.NoError(t, err)
	defer l.Close()
	for d := range documents {
		r := Record{Output: fmt.Sprintf("d%d.md", d), Input: fmt.Sprintf("in%d.md", d), Language: "es", SourceHash: "s", Recipe: "r", OutputHash: "o"}
		require.NoError(t, l.writing(ctx, &r, func(yield func(workRow, error) bool) {
			for i := range n {
				row := Row{formats.Segment{ID: fmt.Sprint(i), Place: fmt.Sprintf("line %d", i), Text: fmt.Sprintf("The <1>Größe</1> &amp; number %d of the document", i)}, Unit{Target: fmt.Sprintf("El <1>tamaño</1> %d", i), State: StateTranslated, Origin: FromMachine}}
				if i%10 == 3 {
					row.Flags = []check.Finding{{Code: check.Number, Message: "a number"}}
				}
				if i%10 == 4 {
					row.State, row.Target = StateLeft, ""
				}
				if i%10 == 5 {
					row.Origin = FromPerson
				}
				if !yield(workRow{Row: row}, nil) {
					return
				}
			}
		}))
		r.Status = StatusOK
		require.NoError(t, l.written(ctx, &r))
	}
	return path
}

// Windows of any filter are those of the whole list, and are read while a job holds
// the ledger.
func TestSegmentsWindow(t *testing.T) {
	ctx := context.Background()
	path := manyRows(t, 3, 40)
	l, err := OpenLedger(ctx, path)
	require.NoError(t, err)
	defer l.Close()
	s, err := OpenSegments(path)
	require.NoError(t, err)
	defer s.Close()
	documents, err := s.Documents(ctx, []string{"d2.md", "d0.md", "none.md", "d1.md"}, []string{"es", "es", "es", "de"})
	require.NoError(t, err)
	require.Len(t, documents, 2, "in the order of the names; of another language is another job's")
	for f, want := range map[Filter]int{
		{}: 80, {Show: ShowOpen}: 16, {Show: ShowLeft}: 8, {Show: ShowPerson}: 8, {Show: ShowMachine}: 64, {Show: ShowMemory}: 0, {Code: check.Number}: 8, {Code: check.Tags}: 0,
		{Text: "größe & NUMBER 1"}: 22, {Text: "<1>"}: 0, {Text: "TAMAÑO 3"}: 20, {Text: "number", Show: ShowLeft}: 8,
	} {
		all, total, err := s.Window(ctx, documents, f, 0, 1000)
		require.NoError(t, err)
		require.Equal(t, want, total, "%+v", f)
		require.Len(t, all, total, "%+v", f)
		require.True(t, slices.IsSortedFunc(all, func(a, b SegmentRow) int {
			if a.Document != b.Document {
				return map[bool]int{true: -1, false: 1}[a.Document == "d2.md"]
			}
			return a.Position - b.Position
		}))
		for at := 0; at <= total; at += 7 {
			part, n, err := s.Window(ctx, documents, f, at, 7)
			require.NoError(t, err)
			require.Equal(t, total, n)
			require.Equal(t, all[at:min(at+7, total)], append(all[:0:0], part...), "%+v from %d", f, at)
		}
	}
	counts, err := s.Counts(ctx, documents)
	require.NoError(t, err)
	require.Equal(t, [4]int{40, 4, 8, 4}, [4]int{counts[0].Segments, counts[0].Left, counts[0].Open, counts[0].Confirmed})
	none, err := OpenSegments(filepath.Join(t.TempDir(), "job.db"))
	require.NoError(t, err)
	documents, err = none.Documents(ctx, []string{"d0.md"}, []string{"es"})
	require.NoError(t, err)
	require.Empty(t, documents)
}

// A window of 100,000 segments is read wherever it is. The limit ends a search whose time
// grows with the square of the segments; the usual one takes milliseconds.
func TestSegmentsWindowOfMany(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s, err := OpenSegments(manyRows(t, 1, 100_000))
	require.NoError(t, err)
	defer s.Close()
	documents, err := s.Documents(ctx, []string{"d0.md"}, []string{"es"})
	require.NoError(t, err)
	for _, c := range []struct {
		f    Filter
		at   int
		want int
	}{{Filter{}, 99_950, 50}, {Filter{Show: ShowOpen}, 19_990, 10}, {Filter{Text: "number 54321 "}, 0, 1}, {Filter{Text: "tamaño"}, 80_000, 100}} {
		rows, _, err := s.Window(ctx, documents, c.f, c.at, 100)
		require.NoError(t, err, "%+v", c.f)
		require.Len(t, rows, c.want, "%+v", c.f)
	}
}
