package files

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/workshop"
)

// what a line is.
func TestA11Lines(t *testing.T) {
	for text, want := range map[string][]string{
		"":              nil,
		"\n":            {""},
		"a\nb":          {"a", "b"},
		"a\nb\n":        {"a", "b"},
		"a\r\nb\r\n":    {"a", "b"},
		"a\r\r\nb\rc\n": {"a\r", "b\rc"},
		"\n\n":          {"", ""},
		"a\u2028b\x0bc": {"a\u2028b\x0bc"},
	} {
		require.Equal(t, want, Lines(text), "%q", text)
		require.Equal(t, len(want), CountLines(text), "%q", text)
	}
}

// what offsets and limits of clients mean.
func TestA10LineRange(t *testing.T) {
	for _, c := range []struct{ offset, limit, total, from, to int }{
		{0, 0, 10, 0, 10}, {0, 3, 10, 0, 3}, {4, 3, 10, 4, 7}, {9, 3, 10, 9, 10}, {10, 3, 10, 10, 10}, {99, 3, 10, 10, 10},
		{-4, 0, 10, 6, 10}, {-4, 2, 10, 6, 8}, {-99, 2, 10, 0, 2}, {-1, 0, 0, 0, 0}, {0, 0, 0, 0, 0},
	} {
		from, to := FromOffset(c.offset, c.limit).In(c.total)
		require.Equal(t, []int{c.from, c.to}, []int{from, to}, "%+v", c)
	}
}

// A text that is too long to hold is read as one that is not.
func TestLongText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sb strings.Builder
		for range rapid.IntRange(0, 60).Draw(t, "lines") {
			piece := rapid.SampledFrom([]string{"", "a", "é", "中", "🎉", "\r", strings.Repeat("x🎉", 20_000), "word word"}).Draw(t, "piece")
			sb.WriteString(piece + rapid.SampledFrom([]string{"\n", "\n", "\r\n", ""}).Draw(t, "end"))
		}
		text := sb.String()
		r := FromOffset(rapid.IntRange(-70, 70).Draw(t, "offset"), rapid.IntRange(0, 70).Draw(t, "limit"))
		want := Content{Text: text}
		want.Window(r)
		got, ok, err := longText(context.Background(), workshop.Entry{}, held{formats.FromBytes("a.txt", []byte(text))}, r)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want.Text, got.Text)
		require.Equal(t, []any{want.Start0, want.End0, want.Total, want.Truncated}, []any{got.Start0, got.End0, got.Total, got.Truncated})
	})
	for _, text := range []string{"a\x00b", "\xff", strings.Repeat("a", 65535) + "\xe2\x82", "é\xc3", strings.Repeat("a", 65535) + "\xe2a\x82"} {
		_, ok, err := longText(context.Background(), workshop.Entry{}, held{formats.FromBytes("a.txt", []byte(text))}, LineRange{})
		require.NoError(t, err)
		require.False(t, ok, "%.20q is no UTF-8 text", text)
	}
}

type held struct{ formats.Source }

func (held) Close() error { return nil }

// An edit changes one place: as a naive one does on lists of lines.
func TestTextEditProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-c]{0,4}`), 1, 8).Draw(t, "lines")
		final := rapid.Bool().Draw(t, "final") || lines[len(lines)-1] == ""
		text := strings.Join(lines, end)
		if final {
			text += end
		}
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		if end == "\r\n" && !strings.Contains(text, end) {
			return // nothing says what its lines end with
		}
		got, err := TextEdit{Insert: true, Line: at, New: "new1\nnew2"}.apply(text)
		require.NoError(t, err)
		want := append(append(append([]string{}, lines[:at]...), "new1", "new2"), lines[at:]...)
		require.Equal(t, want, Lines(got), "%q", got)
		require.Equal(t, final, strings.HasSuffix(got, "\n"))
		if end == "\r\n" {
			require.Equal(t, strings.Count(got, "\n"), strings.Count(got, "\r\n"), "%q", got)
		}

		old := rapid.StringMatching(`[a-c]{1,3}`).Draw(t, "old")
		got, err = TextEdit{Old: old, New: "X"}.apply(text)
		switch n := strings.Count(text, old); n {
		case 1:
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(text, old, "X"), got)
		case 0:
			require.ErrorContains(t, err, "not found")
		default:
			require.ErrorContains(t, err, fmt.Sprintf("found %d times", n))
		}
	})
}

// numbers and marks of very many short lines are refused, with what to do;
// a call that is given up ends.
func TestFormattedTextIsBounded(t *testing.T) {
	a := ConcatArgs{Number: true, Ends: true}
	room := MaxFormatted
	c := Content{Text: strings.Repeat("a\n", 100_000)}
	require.NoError(t, a.format(t.Context(), &c, &room))
	require.Equal(t, MaxFormatted-len(c.Text), room)
	require.True(t, strings.HasPrefix(c.Text, "     1\ta$\n     2\ta$\n"))
	c = Content{Text: strings.Repeat("a\n", 3_000_000)}
	require.ErrorContains(t, a.format(t.Context(), &c, &room), "with offset and limit")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.format(ctx, &c, &room), context.Canceled)
}
