package page

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/internal/textsafe"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
)

func text(spans []span, without string) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Class != without {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// RV-06: words that differ are marked, and the texts stay whole.
func TestRV06Words(t *testing.T) {
	old, now := markWords("a term of three years, 8.90 €", "a term of five years, 9.20 €")
	require.Equal(t, []span{{"a term of ", ""}, {"three", "del"}, {" years, ", ""}, {"8.90", "del"}, {" €", ""}}, old)
	require.Equal(t, []span{{"a term of ", ""}, {"five", "ins"}, {" years, ", ""}, {"9.20", "ins"}, {" €", ""}}, now)
	old, now = markWords("nothing of this", "другой текст")
	require.Equal(t, []span{{"nothing of this", "del"}}, old)
	require.Equal(t, []span{{"другой текст", "ins"}}, now)
	rapid.Check(t, func(t *rapid.T) {
		words2 := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", " ", "  ", "7", "7.5", ",", "é", "\n", "\u202e"}))
		a, b := strings.Join(words2.Draw(t, "a"), ""), strings.Join(words2.Draw(t, "b"), "")
		before, after := markWords(a, b)
		require.Equal(t, textsafe.Text(a), text(before, "none"))
		require.Equal(t, textsafe.Text(b), text(after, "none"))
		require.NotContains(t, text(before, "none"), "\u202e")
	})
}

func TestVisible(t *testing.T) {
	require.Equal(t, "a\tb\nñ 漢", textsafe.Text("a\tb\nñ 漢"))
	for _, c := range []rune{0, 0x1b, 0x202e, 0x2066, 0xfeff, 0xe0041} {
		require.NotContains(t, textsafe.Text(string(c)), string(c))
		require.False(t, strings.ContainsFunc(textsafe.Text(string(c)), unicode.IsControl))
	}
}

// RV-06: cells are shown in a grid, and as a list if there are too many
// columns. Added rows are shown at their place.
func TestRV06Grid(t *testing.T) {
	v := &view{}
	g := v.grid([]formats.DiffItem{
		{Change: formats.Modified, At: "B2", Old: "1", New: "2"},
		{Change: formats.Added, At: "AA2", New: "x"},
		{Change: formats.Added, At: "row 3", New: "a, b"},
		{Change: formats.Removed, At: "C9", Old: "z"},
		{Change: formats.Modified, Notes: []string{"hidden → visible"}},
	})
	require.Equal(t, []string{"B", "C", "AA"}, g.Columns)
	require.Len(t, g.Rows, 3)
	require.NotNil(t, g.Rows[0].Cells[0].Item)
	require.Nil(t, g.Rows[0].Cells[1].Item)
	require.NotNil(t, g.Rows[0].Cells[2].Item)
	require.NotNil(t, g.Rows[1].Whole)
	require.Equal(t, "9", g.Rows[2].Number)
	require.Len(t, g.Others, 1)
	var wide []formats.DiffItem
	for _, c := range "ABCDEFGHI" {
		wide = append(wide, formats.DiffItem{Change: formats.Added, At: string(c) + "1", New: "1"})
	}
	require.Nil(t, v.grid(wide))
	require.Equal(t, 5, v.Changes)
}

// RV-06: text of a document never becomes markup of the page.
func TestRV06EscapesAnything(t *testing.T) {
	evil := rapid.StringOf(rapid.SampledFrom([]rune(`<>"'&;/!-=()scriptonal{}` + "`\n\x00\u202e")))
	rapid.Check(t, func(t *rapid.T) {
		e := func(name string) string { return "<evil " + evil.Draw(t, name) }
		r := Report{Title: e("title"), Made: time.Unix(0, 0), Files: []File{
			{Change: review.Change{Path: e("path"), ChangeType: "modified", FileKind: "xlsx", Summary: e("summary"), Warnings: []string{e("warning")}},
				Content: &review.ContentDiff{Diff: formats.Diff{Groups: []formats.DiffGroup{{Name: e("group"), From: e("from"), Change: formats.Renamed, Items: []formats.DiffItem{
					{Change: formats.Modified, At: "A1", Old: e("old"), New: e("new"), Notes: []string{e("note")}},
					{Change: formats.Moved, At: e("at"), From: e("was"), New: e("moved")},
				}}}}}, Note: e("pages"), Pages: []Page{{Number: 1, After: []byte(e("png"))}}},
			{Change: review.Change{Path: "b", ChangeType: "modified", FileKind: "text"}, Text: &review.TextDiff{Message: e("message"), Note: e("textnote"), Hunks: []textdiff.Hunk{{Lines: []textdiff.Line{
				{Type: textdiff.Removed, Text: e("line"), OldLine: 1}, {Type: textdiff.Context, Text: e("context"), OldLine: 2, NewLine: 1}}}}}},
		}}
		var b bytes.Buffer
		require.NoError(t, Write(&b, r))
		s := b.String()
		require.NotContains(t, s, "<evil")
		require.Contains(t, html.UnescapeString(s), "<evil")
		require.NotContains(t, s, "\u202e")
		doc, err := html.Parse(strings.NewReader(s))
		require.NoError(t, err)
		elements := map[string]int{}
		for n := range doc.Descendants() {
			require.NotEqual(t, html.CommentNode, n.Type, n.Data)
			if n.Type != html.ElementNode {
				continue
			}
			elements[n.Data]++
			require.Contains(t, ourElements, " "+n.Data+" ")
			for _, a := range n.Attr {
				require.Contains(t, ourAttributes, " "+a.Key+" ", n.Data)
			}
		}
		require.Equal(t, 1, elements["script"])
		require.Equal(t, 1, elements["img"])
		require.Equal(t, 3, elements["section"])
	})
}

// What the program itself writes.
const (
	ourElements   = " html head meta title style body a header div h1 h2 h3 bdi p strong button kbd span main section table thead tbody tr th td ul li details summary dl dt dd ins del figure figcaption img caption colgroup col footer script "
	ourAttributes = " lang charset http-equiv content name class href id hidden type role aria-live aria-label aria-labelledby aria-hidden tabindex scope open colspan dir src alt "
)

// The page of an empty draft says that the draft is empty.
func TestRV06Empty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, Report{Title: "x"}))
	require.Contains(t, b.String(), "The draft changes nothing.")
}

// RV-06: facts have their own group, each with its states and its warning,
// and no content of a document is interpreted as HTML.
func TestRV06Facts(t *testing.T) {
	var b bytes.Buffer
	d := formats.Diff{Facts: []formats.Fact{
		{ID: "1", Kind: formats.FactHiddenColumns, Change: formats.Added, At: "Sales!C:C", New: "35 values", Warning: "Sales!C:C: hidden with 35 values"},
		{ID: "2", Kind: formats.FactName, Change: formats.Changed, At: "rate", Old: "0.1", New: "<b>0.2\u202e"},
		{ID: "3", Kind: formats.FactChart, Change: formats.Moved, At: "Sales!G2", Old: "Sales!E2", New: "bar chart"},
	}, FactsOmitted: 2}
	require.NoError(t, Write(&b, Report{Title: "x", Files: []File{{Change: review.Change{Path: "a.xlsx", FileKind: "xlsx", ChangeType: "modified"}, Content: &review.ContentDiff{Diff: d}}}}))
	page := b.String()
	for _, want := range []string{review.FactsTitle, ">hidden</span>", "columns Sales!C:C", "35 values", "⚠ Sales!C:C: hidden with 35 values", "name rate", "&lt;b&gt;", "⟦U+202E⟧", "chart Sales!G2, was Sales!E2", "2 more changes not shown here"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "<b>0.2")
}

// RV-06: similar formulas are one change, shown at the first of their cells
// with the range.
func TestRV06BlocksInAGrid(t *testing.T) {
	v := &view{}
	g := v.grid([]formats.DiffItem{{Change: formats.Modified, At: "B3", Old: "1", New: "2"}, {Change: formats.Added, At: "G2:G36", New: "=E2*F2…"}})
	require.NotNil(t, g)
	require.Equal(t, []string{"B", "G"}, g.Columns)
	require.Len(t, g.Rows, 2)
	require.Equal(t, "2", g.Rows[1].Number)
	require.Equal(t, []string{"G2:G36"}, g.Rows[1].Cells[1].Item.Notes)
}
