package docx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/paragraph"
)

// everyText returns the text of each story of each part, text boxes too.
func everyText(t testing.TB, src formats.Source) string {
	t.Helper()
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	return textsOf(t, d)
}

func textsOf(t testing.TB, d *document) string {
	t.Helper()
	parts, err := d.textParts(ctx)
	require.NoError(t, err)
	var sb strings.Builder
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		require.NoError(t, err)
		for _, list := range [][]*node{p.stories, p.boxes} {
			for i, s := range list {
				fmt.Fprintf(&sb, "--- %s %d\n%s\n", tp.name, i, p.text(s))
			}
		}
	}
	return sb.String()
}

// everyPlace returns the address of the first paragraph with text in the body,
// in each header, footer, note and text box, and of a cell.
func everyPlace(t testing.TB, src formats.Source) (paras []string, cell string) {
	t.Helper()
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	parts, err := d.textParts(ctx)
	require.NoError(t, err)
	for _, tp := range parts {
		if tp.dialect != paragraph.Word || tp.word == "comments" {
			continue
		}
		p, err := d.load(ctx, tp)
		require.NoError(t, err)
		for _, story := range append(append([]*node{}, p.stories...), p.boxes...) {
			all := p.addresses(story, d.storyStep(ctx, p, story))
			found := false
			for _, n := range p.nodes {
				a := all[n]
				if a == "" || strings.TrimSpace(p.text(n)) == "" {
					continue
				}
				if n.parent.kind == cellNode && cell == "" {
					cell = all[n.parent]
				}
				if n.parent == story && !found && len(paras) < 12 {
					found = true
					paras = append(paras, a)
				}
			}
		}
	}
	return paras, cell
}

// placeEdits are edits of text in every place, in groups that do not disturb
// each other's addresses.
func placeEdits(t testing.TB, src formats.Source) map[string][]string {
	t.Helper()
	paras, cell := everyPlace(t, src)
	out := map[string][]string{}
	add := func(group string, members map[string]any) {
		b, err := json.Marshal(members)
		require.NoError(t, err)
		out[group] = append(out[group], string(b))
	}
	for i, at := range paras {
		add("set_paragraph", map[string]any{"op": "set_paragraph", "at": at, "text": fmt.Sprintf("new & <text>\t%d", i)})
		add("runs", map[string]any{"op": "set_paragraph", "at": at, "runs": []any{map[string]any{"text": "bold", "bold": true}, map[string]any{"text": " rest"}}})
		add("insert_paragraph", map[string]any{"op": "insert_paragraph", "at": at, "where": []string{"before", "after"}[i%2], "text": "inserted"})
		add("delete_paragraph", map[string]any{"op": "delete_paragraph", "at": at})
	}
	if cell != "" {
		add("set_table_cell", map[string]any{"op": "set_table_cell", "at": cell, "text": "cell"})
		add("cells", map[string]any{"op": "set_table_cell", "at": cell, "paragraphs": []any{map[string]any{"text": "one"}, map[string]any{"text": "two"}}})
	}
	slices.Reverse(out["delete_paragraph"]) // text boxes before what holds them
	add("replace_text", map[string]any{"op": "replace_text", "search": `[a-m]\w+`, "regex": true, "replace": "«x»"})
	for _, at := range paras {
		if op := map[byte]string{'h': "set_header", 'f': "set_footer"}[at[0]]; op != "" && !strings.HasPrefix(at, "fn") {
			add("edges", map[string]any{"op": op, "at": at, "paragraphs": []any{map[string]any{"text": "ACME {page}"}, map[string]any{"text": "of {pages}", "alignment": "right"}}})
			add("edge", map[string]any{"op": op, "at": at, "text": "{page}", "style": "No such style"})
		}
	}
	add("body", map[string]any{"op": "append_paragraph", "text": "appended"})
	add("body", map[string]any{"op": "insert_page_break", "at": "p0", "where": "before"})
	add("body", map[string]any{"op": "add_table", "rows": [][]string{{"a", "b"}, {"c"}}})
	return out
}

// requireRevision holds if an edit, tracked, can be taken back and accepted:
// then the text is what it was, and what the edit makes untracked. With valid it also has no
// schema error that the untracked edit does not have.
func requireRevision(t *testing.T, base formats.Source, valid bool, ops []string) (tracked formats.Source) {
	t.Helper()
	on := options(t)
	on.TrackChanges = true
	out, _, err := applyWith(t, base, on, ops...)
	require.NoError(t, err)
	tracked = formats.FromBytes("tracked.docx", out)
	want, _, err := applyWith(t, base, options(t), ops...)
	require.NoError(t, err)
	no, _ := edited(t, tracked, `{"op":"reject_changes"}`)
	requireSameLines(t, everyText(t, base), everyText(t, no), "reject", ops)
	yes, _ := edited(t, tracked, `{"op":"accept_changes"}`)
	requireSameLines(t, everyText(t, formats.FromBytes("want.docx", want)), everyText(t, yes), "accept", ops)
	if valid {
		formatstest.Validate(t, formatstest.Write(t, "tracked.docx", out), formatstest.Write(t, "want.docx", want))
	}
	return tracked
}

// requireSameLines says where two texts first differ.
func requireSameLines(t *testing.T, want, got, what string, ops []string) {
	t.Helper()
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < len(a) || i < len(b); i++ {
		from, x, y := max(0, i-3), a[min(i, len(a)):], b[min(i, len(b)):]
		if len(x) == 0 || len(y) == 0 || x[0] != y[0] {
			require.Failf(t, what, "line %d\nwant %q\ngot  %q\nafter %q\n%s", i, x[:min(3, len(x))], y[:min(3, len(y))], a[from:i], ops)
		}
	}
}

// track_changes records every text edit in every place, and taking it back
// gives the text as it was.
func TestCorpusTrackedEverywhere(t *testing.T) {
	counts := map[string]int{}
	for i, path := range formatstest.Sample(t, "docx") {
		if i%2 != 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			clean, _, err := applyWith(t, formats.FromBytes(filepath.Base(path), b), options(t), `{"op":"accept_changes"}`)
			if err != nil {
				counts["refused"]++
				return
			}
			base := formats.FromBytes("base.docx", clean)
			for group, ops := range placeEdits(t, base) {
				t.Run(group, func(t *testing.T) {
					out := requireRevision(t, base, i%18 == 0, ops)
					if i%18 == 0 && group == "set_paragraph" && !testing.Short() {
						b, err := formats.ReadAll(out, 1<<28)
						require.NoError(t, err)
						formatstest.LibreOfficeOpens(t, formatstest.Write(t, "tracked.docx", b))
					}
					counts[group] += len(ops)
				})
			}
		})
	}
	formatstest.Report(t, "docx  tracked edits taken back and accepted: %v", counts)
}
