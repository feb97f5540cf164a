package web

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/workshop"
)

// S-23: the pages of a text are the text, whatever their size.
func TestPagesAreTheText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(rt, "text"), rapid.IntRange(1, 30).Draw(rt, "times"))
		size := rapid.IntRange(1, 50).Draw(rt, "size")
		c := Content{Text: text, Kind: "text", ContentType: "text/plain"}
		var sb strings.Builder
		req := PageRequest{URI: "https://h/x", MaxChars: size}
		for {
			p, err := PageOf(c, req, true)
			require.NoError(rt, err)
			require.LessOrEqual(rt, utf8.RuneCountInString(p.Content), size)
			require.Equal(rt, req.Cursor != "", p.CursorProvided)
			require.Equal(rt, req.Cursor != "", p.CursorUsed)
			require.False(rt, p.CursorReset)
			require.Empty(rt, p.CursorReason)
			require.Equal(rt, p.Truncated, p.NextCursor != "")
			sb.WriteString(p.Content)
			if !p.Truncated {
				break
			}
			require.NotEmpty(rt, p.Content)
			req.Cursor = p.NextCursor
		}
		require.Equal(rt, text, sb.String())
	})
}

// S-23: the sizes.
func TestPageSizes(t *testing.T) {
	c := Content{Text: strings.Repeat("é", 30_000)}
	for max, want := range map[int]int{0: DefaultChars, 1: 1, 20_000: 20_000, 20_001: MaxChars, 1 << 40: MaxChars} {
		p, err := PageOf(c, PageRequest{URI: "u", MaxChars: max}, false)
		require.NoError(t, err)
		require.Equal(t, want, utf8.RuneCountInString(p.Content))
		require.True(t, utf8.ValidString(p.Content))
	}
	_, err := PageOf(c, PageRequest{URI: "u", MaxChars: -1}, false)
	require.True(t, workshop.IsFault(err, workshop.Invalid))
	require.Equal(t, "max_chars", workshop.AsFault(err).Field)
}

// S-23: each reason of a cursor.
func TestCursorReasons(t *testing.T) {
	now := time.Unix(1000, 0)
	g := &Pager{Now: func() time.Time { return now }}
	text, loads := strings.Repeat("a", 100)+"é"+strings.Repeat("b", 100), 0
	load := func(context.Context, string) (Content, error) {
		loads++
		return Content{Text: text, Kind: "markdown", ContentType: "text/html"}, nil
	}
	read := func(uri, cursor string) Page {
		t.Helper()
		p, err := g.Read(ctx, PageRequest{URI: uri, Cursor: cursor, MaxChars: 60}, load)
		require.NoError(t, err)
		return p
	}
	first := read("https://h/a", "")
	require.Equal(t, Page{URI: "https://h/a", Content: text[:60], Truncated: true, NextCursor: first.NextCursor, Kind: "markdown", ContentType: "text/html"}, first)
	// Followed, from what is kept.
	second := read("https://h/a", first.NextCursor)
	require.Equal(t, 1, loads)
	require.Equal(t, text[60:121], second.Content)
	require.Equal(t, []any{true, true, false, ""}, []any{second.CursorProvided, second.CursorUsed, second.CursorReset, second.CursorReason})
	// Of another address.
	p := read("https://h/b", first.NextCursor)
	require.Equal(t, []any{text[:60], false, true, CursorMismatch}, []any{p.Content, p.CursorUsed, p.CursorReset, p.CursorReason})
	// No cursor at all.
	inside := cursor{digest("https://h/a"), digest(text), 101}.String() // within the é
	beyond := cursor{digest("https://h/a"), digest(text), 1000}.String()
	for _, bad := range []string{"x", "!!", strings.Repeat("A", 1000), base64.RawURLEncoding.EncodeToString([]byte(`{"u":1}`)), inside, beyond, cursor{digest("https://h/a"), digest(text), -5}.String()} {
		p = read("https://h/a", bad)
		require.Equal(t, []any{text[:60], true, false, true, CursorInvalid}, []any{p.Content, p.CursorProvided, p.CursorUsed, p.CursorReset, p.CursorReason}, bad)
	}
	// Forgotten after five minutes; the text is the same.
	before := loads
	now = now.Add(5 * time.Minute)
	p = read("https://h/a", first.NextCursor)
	require.Equal(t, before+1, loads)
	require.Equal(t, []any{text[60:121], true, false, CursorRecovered}, []any{p.Content, p.CursorUsed, p.CursorReset, p.CursorReason})
	// Forgotten, and the text is another.
	now = now.Add(5 * time.Minute)
	text = strings.Repeat("c", 200)
	p = read("https://h/a", first.NextCursor)
	require.Equal(t, []any{text[:60], false, true, CursorRestart}, []any{p.Content, p.CursorUsed, p.CursorReset, p.CursorReason})
	// The first page is always fetched.
	before = loads
	read("https://h/a", "")
	require.Equal(t, before+1, loads)
}

// S-23: at most 50 texts are kept, the latest used.
func TestPagerForgets(t *testing.T) {
	g := &Pager{}
	loads := 0
	load := func(_ context.Context, uri string) (Content, error) {
		loads++
		return Content{Text: uri + strings.Repeat("x", 10)}, nil
	}
	cursors := map[string]string{}
	for i := range 60 {
		uri := fmt.Sprintf("https://h/%d", i)
		p, err := g.Read(ctx, PageRequest{URI: uri, MaxChars: 5}, load)
		require.NoError(t, err)
		cursors[uri] = p.NextCursor
	}
	require.Equal(t, keepTexts, g.used.Len())
	require.Len(t, g.byURI, keepTexts)
	for uri, c := range map[string]string{"https://h/59": "", "https://h/10": "", "https://h/9": CursorRecovered} {
		p, err := g.Read(ctx, PageRequest{URI: uri, Cursor: cursors[uri], MaxChars: 5}, load)
		require.NoError(t, err)
		require.True(t, p.CursorUsed)
		if uri != "https://h/10" { // which of the two goes first is the map's order
			require.Equal(t, c, p.CursorReason, uri)
		}
	}
	_, err := g.Read(ctx, PageRequest{URI: "https://h/e"}, func(context.Context, string) (Content, error) { return Content{}, context.DeadlineExceeded })
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
