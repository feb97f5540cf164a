package textdiff_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/internal/campaign"
	"atelier/workshop/review/textdiff"
)

var ctx = context.Background()

// all compares two texts window by window, with at most maxLines changed
// lines in each.
func all(t require.TestingT, before, after textdiff.Text, maxLines int) (lines []textdiff.Line, windows int) {
	opt := textdiff.Options{MaxLines: maxLines}
	for {
		w, err := textdiff.Compare(ctx, before, after, opt)
		require.NoError(t, err)
		windows++
		n := 0
		for _, h := range w.Hunks {
			for _, l := range h.Lines {
				if l.Type != textdiff.Context {
					n++
				}
			}
			lines = append(lines, h.Lines...)
		}
		require.Equal(t, w.Added+w.Removed, n)
		require.LessOrEqual(t, n, maxLines)
		if w.Next == nil {
			return lines, windows
		}
		require.NotEqual(t, opt.Start, *w.Next, "no progress")
		opt.Start = *w.Next
	}
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// check verifies a diff: each shown line is the line with that number, and
// both texts are the same without the removed and added lines.
func check(t require.TestingT, before, after string, lines []textdiff.Line) {
	old, young := split(before), split(after)
	gone, come := map[int]bool{}, map[int]bool{}
	lastOld, lastNew := 0, 0
	for _, l := range lines {
		if l.OldLine > 0 {
			require.Equal(t, old[l.OldLine-1], l.Text, "old line %d", l.OldLine)
			require.Greater(t, l.OldLine, lastOld)
			lastOld = l.OldLine
		}
		if l.NewLine > 0 {
			require.Equal(t, young[l.NewLine-1], l.Text, "new line %d", l.NewLine)
			require.Greater(t, l.NewLine, lastNew)
			lastNew = l.NewLine
		}
		switch l.Type {
		case textdiff.Removed:
			gone[l.OldLine] = true
		case textdiff.Added:
			come[l.NewLine] = true
		default:
			require.Positive(t, l.OldLine)
			require.Positive(t, l.NewLine)
		}
	}
	rest := func(list []string, without map[int]bool) (out []string) {
		for i, s := range list {
			if !without[i+1] {
				out = append(out, s)
			}
		}
		return out
	}
	require.Equal(t, rest(old, gone), rest(young, come))
}

func TestRV02Small(t *testing.T) {
	for _, c := range []struct {
		before, after  string
		removed, added int
	}{
		{"", "", 0, 0},
		{"", "a\nb\n", 0, 2},
		{"a\nb\n", "", 2, 0},
		{"a\nb", "a\nb\n", 0, 0},
		{"a\nb", "a\nb\nc", 0, 1},
		{"a\nb\nc\n", "a\nX\nc\n", 1, 1},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n", 0, 1},
		{"\n\n\n", "\n\n", 1, 0},
	} {
		lines, _ := all(t, strings.NewReader(c.before), strings.NewReader(c.after), 2000)
		check(t, c.before, c.after, lines)
		removed, added := 0, 0
		for _, l := range lines {
			switch l.Type {
			case textdiff.Removed:
				removed++
			case textdiff.Added:
				added++
			}
		}
		require.Equal(t, []int{c.removed, c.added}, []int{removed, added}, "%q → %q", c.before, c.after)
	}
}

// A hunk has three equal lines on each side, and close changes share a hunk.
func TestRV02Neighbours(t *testing.T) {
	var a, b strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintln(&a, "line", i)
		if i == 20 || i == 25 || i == 60 {
			fmt.Fprintln(&b, "changed", i)
		} else {
			fmt.Fprintln(&b, "line", i)
		}
	}
	w, err := textdiff.Compare(ctx, strings.NewReader(a.String()), strings.NewReader(b.String()), textdiff.Options{})
	require.NoError(t, err)
	require.Len(t, w.Hunks, 2)
	first, second := w.Hunks[0].Lines, w.Hunks[1].Lines
	require.Equal(t, "line 17", first[0].Text)
	require.Equal(t, "line 28", first[len(first)-1].Text)
	require.Equal(t, "line 57", second[0].Text)
	require.Equal(t, "line 63", second[len(second)-1].Text)
	require.Len(t, second, 8)
}

// RV-02: the diff is correct for all differences and window boundaries.
func TestRV02Property(t *testing.T) {
	defer textdiff.SmallWindows(200, 12, 5)()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "x", "}", "alpha", "beta gamma", "a longer line that stands for itself", "\r"})
		before := rapid.SliceOfN(word, 0, 60).Draw(t, "before")
		var after []string
		for _, l := range before {
			switch rapid.IntRange(0, 9).Draw(t, "edit") {
			case 0:
			case 1:
				after = append(after, l, word.Draw(t, "new"))
			case 2:
				after = append(after, rapid.SliceOfN(rapid.Just("inserted block of lines"), 0, 30).Draw(t, "block")...)
				after = append(after, l)
			default:
				after = append(after, l)
			}
		}
		text := func(l []string, end bool) string {
			s := strings.ReplaceAll(strings.Join(l, "\n"), "\r", "")
			if end && s != "" {
				s += "\n"
			}
			return s
		}
		a := text(before, rapid.Bool().Draw(t, "endA"))
		b := text(after, rapid.Bool().Draw(t, "endB"))
		lines, _ := all(t, strings.NewReader(a), strings.NewReader(b), rapid.IntRange(1, 40).Draw(t, "max"))
		check(t, a, b, lines)
	})
}

// numbered returns a text of n different lines, some of them replaced.
func numbered(n int, replaced map[int]string) []byte {
	var b bytes.Buffer
	for i := range n {
		if s, ok := replaced[i]; ok {
			b.WriteString(s)
			continue
		}
		fmt.Fprintf(&b, "%d: the quick brown fox jumps over the lazy dog\n", i)
	}
	return b.Bytes()
}

// RV-02: a change between two equal halves of tens of MB is found.
func TestRV02ChangeInTheMiddle(t *testing.T) {
	n := 600_000 // 31 MB
	if campaign.Small() || testing.Short() {
		n /= 10
	}
	a := numbered(n, nil)
	b := numbered(n, map[int]string{n / 2: "here\n"})
	w, err := textdiff.Compare(ctx, bytes.NewReader(a), bytes.NewReader(b), textdiff.Options{})
	require.NoError(t, err)
	require.Nil(t, w.Next)
	require.Len(t, w.Hunks, 1)
	require.Len(t, w.Hunks[0].Lines, 8)
	l := w.Hunks[0].Lines[4]
	require.Equal(t, textdiff.Line{Type: textdiff.Added, Text: "here", NewLine: n/2 + 1}, l)
}

// RV-02: an insertion larger than any window is shown as an insertion, and
// the text after it is compared again.
func TestRV02LargeInsertion(t *testing.T) {
	campaign.Slow(t)
	n, inserted := 100_000, 200_000 // 9 MB
	if testing.Short() {
		n, inserted = 20_000, 30_000 // still more than a window
	}
	var block strings.Builder
	for i := range inserted {
		fmt.Fprintf(&block, "inserted line number %d of a large block\n", i)
	}
	a := numbered(n, nil)
	b := numbered(n, map[int]string{1000: block.String(), n - 5: "near the end\n"})
	for _, turn := range []bool{false, true} {
		x, y := bytes.NewReader(a), bytes.NewReader(b)
		if turn {
			x, y = y, x
		}
		lines, windows := all(t, x, y, 20_000)
		removed, added := 0, 0
		for _, l := range lines {
			switch l.Type {
			case textdiff.Removed:
				removed++
			case textdiff.Added:
				added++
			}
		}
		want := []int{2, inserted + 1}
		if turn {
			want = []int{inserted + 1, 2}
		}
		require.Equal(t, want, []int{removed, added})
		require.Greater(t, windows, 1)
	}
}

// RV-02: texts without a common line are shown as blocks of both, in parts.
func TestRV02NothingInCommon(t *testing.T) {
	campaign.Slow(t)
	var a, b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	lines, windows := all(t, strings.NewReader(a.String()), strings.NewReader(b.String()), 2000)
	require.Equal(t, 30, windows)
	check(t, a.String(), b.String(), lines)
	require.Equal(t, textdiff.Removed, lines[0].Type)
	require.Equal(t, textdiff.Added, lines[300].Type, "old and new lines take turns")
}

// RV-02: of a line of many MB the part around the change is shown, and the
// size of the rest.
func TestRV02LongLine(t *testing.T) {
	a := bytes.Repeat([]byte("0123456789"), 2<<20)
	b := bytes.Clone(a)
	copy(b[11<<20:], "CHANGED")
	w, err := textdiff.Compare(ctx, bytes.NewReader(a), bytes.NewReader(b), textdiff.Options{})
	require.NoError(t, err)
	require.Len(t, w.Hunks[0].Lines, 2)
	l := w.Hunks[0].Lines[1]
	require.Contains(t, l.Text, "CHANGED")
	require.Equal(t, int64(len(b)), l.From+int64(len(l.Text))+l.Cut)
	require.Less(t, len(l.Text), 5000)
}

func TestRV02Cancel(t *testing.T) {
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err := textdiff.Compare(done, strings.NewReader("a"), strings.NewReader("b"), textdiff.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkMiddle compares 10 million lines (500 MB) with one change in the
// middle.
func BenchmarkMiddle(b *testing.B) {
	const n = 10_000_000
	x := numbered(n, nil)
	y := numbered(n, map[int]string{n / 2: "here\n"})
	b.SetBytes(int64(len(x)))
	b.ReportAllocs()
	for b.Loop() {
		w, err := textdiff.Compare(ctx, bytes.NewReader(x), bytes.NewReader(y), textdiff.Options{})
		if err != nil || len(w.Hunks) != 1 {
			b.Fatal(w, err)
		}
	}
}

// BenchmarkNothingInCommon is the worst case: every line is searched for up
// to the end of the other text.
func BenchmarkNothingInCommon(b *testing.B) {
	x := bytes.ReplaceAll(numbered(2_000_000, nil), []byte("fox"), []byte("cat"))
	y := numbered(2_000_000, nil)
	b.SetBytes(int64(len(x)))
	b.ReportAllocs()
	for b.Loop() {
		w, err := textdiff.Compare(ctx, bytes.NewReader(x), bytes.NewReader(y), textdiff.Options{})
		if err != nil || w.Next == nil {
			b.Fatal(w, err)
		}
	}
}
