package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// said puts a fact on a line.
func said(f formats.Fact) string {
	s := fmt.Sprintf("%s %s", f.Kind, f.Change)
	if f.At != "" {
		s += " at " + f.At
	}
	switch {
	case f.Old != "" && f.New != "":
		s += ": " + f.Old + " → " + f.New
	case f.Old+f.New != "":
		s += ": " + f.Old + f.New
	}
	if f.Warning != "" {
		s += " ⚠ " + f.Warning
	}
	return s
}

func allSaid(list []formats.Fact) (out []string) {
	for _, f := range list {
		out = append(out, said(f))
	}
	return out
}

// everyFact is what the review says of each step of everyOp: the number of texts
// that differ, then the facts.
var everyFact = [][]string{
	{"2", "link added at slide 2, “Content Placeholder 2”: “fett” → https://example.com/run ⚠ new external hyperlink: https://example.com/run", "slide added at slide 2: “Neu”, layout “Title and Content”"},
	{"2", "format changed at slide 1, “Title 1”, paragraph 1: no format of its own → centred", "format changed at slide 1, “Content Placeholder 2”, paragraph 1: no format of its own → centred", "format changed at slide 1, “Content Placeholder 2”, paragraph 2: level 2, centred"},
	{"1", "format changed at slide 1, “Content Placeholder 2”, paragraph 3: level 2, centred, space before 3 pt"},
	{"1", "shape added at slide 1, “Kasten”: text box"},
	{"1"},
	{"0", "shape changed at slide 1, “Kasten”: alt text “Ein Kasten”"},
	{"0", "link added at slide 1, “Kasten”: https://example.com/?a=1&b=2 ⚠ new external hyperlink: https://example.com/?a=1&b=2"},
	{"0", "link added at slide 1, “Kasten”: “Kasten neu” → mailto:a@example.com ⚠ new external hyperlink: mailto:a@example.com"},
	{"0", "shape changed at slide 1, “Kasten”: at 2.54 cm from the left, 12.7 cm from the top; 7.62 × 1.02 cm → at 2.54 cm from the left, 15.24 cm from the top; 7.62 × 1.27 cm"},
	{"1", "table added at slide 1, “Table 4”: table of 2 rows and 2 columns"},
	{"1"},
	{"1", "shape changed at slide 1, “Table 4”: at 15.24 cm from the left, 12.7 cm from the top; 7.62 × 2.06 cm → at 15.24 cm from the left, 12.7 cm from the top; 7.62 × 3.09 cm", "rows added at slide 1, “Table 4”, row 2: “x”, “y”"},
	{"1", "shape changed at slide 1, “Table 4”: at 15.24 cm from the left, 12.7 cm from the top; 7.62 × 3.09 cm → at 15.24 cm from the left, 12.7 cm from the top; 7.62 × 2.06 cm", "rows removed at slide 1, “Table 4”, row 1: “a”, “b”"},
	{"1", "columns added at slide 1, “Table 4”, column 2: “neu”", "column_width changed at slide 1, “Table 4”, column 1: 3.81 cm → 2.54 cm", "column_width changed at slide 1, “Table 4”, column 3: 3.81 cm → 2.54 cm"},
	{"1", "column_width changed at slide 1, “Table 4”, columns 1–2: 2.54 cm → 3.81 cm", "columns removed at slide 1, “Table 4”, column 2: “neu”"},
	{"0", "table changed at slide 1, “Table 4”: banded rows → banded rows off", "format changed at slide 1, “Table 4”, row 1, column 1, paragraph 1: no format of its own → 12 pt", "format changed at slide 1, “Table 4”, row 1, column 2, paragraph 1: no format of its own → 12 pt", "format changed at slide 1, “Table 4”, row 2, column 1, paragraph 1: no format of its own → 12 pt", "format changed at slide 1, “Table 4”, row 2, column 2, paragraph 1: no format of its own → 12 pt"},
	{"1", "picture added at slide 1, “Bild”: PNG picture of 40 × 30 pixels, 84 bytes, alt text “Bild”"},
	{"1", "chart added at slide 1, “Chart 6”: line chart “Kurve”, 1 series of Sheet1!$B$2:$B$3"},
	{"1", "chart changed at slide 1, “Chart 6”: series “Lauf”, values 1, 2 → series “Lauf”, values 1, 3", "chart changed at slide 1, “Chart 6”: data sheet (auto update val 0) → data sheet (auto update val 0) (in its details)", "chart changed at slide 1, “Chart 6”: the data sheet of the chart, XLSX file, 3.7 KiB → the data sheet of the chart, XLSX file, 3.7 KiB (in its details)"},
	{"1", "chart changed at slide 1, “Chart 6”: line chart “Kurve”, 1 series of Sheet1!$B$2:$B$3 → line chart “Linie”, 1 series of Sheet1!$B$2:$B$3", "chart changed at slide 1, “Chart 6”: title “Kurve” → title “Linie”", "chart changed at slide 1, “Chart 6”: series “Lauf”: data labels (num fmt formatCode 0.0 sourceLinked 0, show legend key val 0, show val val 1, show cat name val 0, show ser name val 0, show percent val 0, show b…", "chart changed at slide 1, “Chart 6”: category axis (ax id val 500000001, scaling (orientation val minMax), delete val 0, ax pos val b, num fmt formatCode General sourceLinked 1, major tick mark va… → category axis (ax id val 500000001, scaling (orientation val minMax), delete val 0, ax pos val b, title (tx (rich), overlay val 0), num fmt formatCode General …", "chart changed at slide 1, “Chart 6”: value axis (ax id val 500000002, scaling (orientation val minMax), delete val 0, ax pos val l, major gridlines (format (line w 9525)), num fmt formatCode Gener… → value axis (ax id val 500000002, scaling (orientation val minMax, min val 0), delete val 0, ax pos val l, major gridlines (format (line w 9525)), num fmt forma…", "chart changed at slide 1, “Chart 6”: legend (legend pos val t, overlay val 0)"},
	{"1", "chart changed at slide 1, “Chart 6”: line chart “Linie”, 1 series of Sheet1!$B$2:$B$3 → bar chart “Linie”, 1 series of Sheet1!$B$2:$B$3", "chart changed at slide 1, “Chart 6”: shown as line → shown as bar", "chart changed at slide 1, “Chart 6”: bar dir val col", "chart changed at slide 1, “Chart 6”: grouping val standard → grouping val clustered", "chart changed at slide 1, “Chart 6”: series “Lauf”: format (line w 28575 cap rnd (solid fill (scheme clr val accent1), round)) → series “Lauf”: format (solid fill (scheme clr val accent1))", "chart changed at slide 1, “Chart 6”: series “Lauf”: invert if negative val 0", "chart changed at slide 1, “Chart 6”: gap between bars val 80", "chart changed at slide 1, “Chart 6”: series “Lauf”: marker (symbol val circle, size val 5, format (solid fill (scheme clr val accent1), line w 9525 (solid fill)))", "chart changed at slide 1, “Chart 6”: series “Lauf”: smooth val 0", "chart changed at slide 1, “Chart 6”: marker val 1"},
	{"1", "note added at notes of slide 1: “Notiz”", "master added at notes master: 3 shapes"},
	{"1"},
	{"6", "slide added at slide 2: “Titel”, layout “Title and Content”, with 1 picture, 1 chart, 1 table, notes", "link added at slide 2, “Kasten”: https://example.com/?a=1&b=2", "link added at slide 2, “Kasten”: “Kasten neu” → mailto:a@example.com"},
	{"1", "picture removed at slide 2, “Bild”: PNG picture of 40 × 30 pixels, 84 bytes, alt text “Bild” ⚠ slide 2, “Bild”: lost: PNG picture of 40 × 30 pixels, 84 bytes"},
	{"0", "slide moved at slide 2: slide 1 → “Titel”"},
	{"0", "hidden_slide added at slide 1 ⚠ slide 1: the slide is hidden now"},
	{"0", "shape changed at slide 2, “Content Placeholder 2”: at 2.33 cm from the left, 5.07 cm from the top; 29.21 × 12.09 cm", "layout changed at slide 2: layout “Title and Content” → layout “Title Only”"},
	{"2", "link changed at slide 3, “Content Placeholder 2”: “fett” → https://example.com/run → “voll” → https://example.com/run"},
	{"0", "theme changed at theme of the master “Atelier”: accent1 2F6FED → accent1 C00000", "theme changed at theme of the master “Atelier”: majorFont “Calibri” → majorFont “Georgia”"},
	{"0", "style changed at master “Atelier”: title style, level 1: left, tab stops every 914400, East Asian line breaking, breaking words off, hanging punctuation, line spacing 90%, space before 0%, no bullet, 40 pt, bold, kerning 1200, colour the second text colour, font of headings, East Asian font of headings, complex script font of headings → title style, level 1: left, tab stops every 914400, East Asian line breaking, breaking words off, hanging punctuation, line spacing 90%, space before 0%, no bullet, 30 pt, bold, kerning 1200, colour the second text colour, font of headings, East Asian font of headings, complex script font of headings"},
	{"0", "format changed at slide 3: background: accent2"},
	{"0", "picture added at master “Atelier”, “Logo”: PNG picture of 40 × 30 pixels, 84 bytes, alt text “Logo”"},
	{"1", "shape added at slide 3, “TextBox 3”: text box"},
	{"1", "shape added at slide 3, “TextBox 4”: text box"},
	{"0", "shape changed at slide 3, “TextBox 3”: in front of “Content Placeholder 2” → behind all others", "shape changed at slide 3, “TextBox 4”: at 12.7 cm from the left, 5.08 cm from the top; 5.08 × 1.02 cm → at 12.7 cm from the left, 2.54 cm from the top; 5.08 × 1.02 cm"},
	{"0", "shape added at slide 3, “Paar”: group of shapes", "shape changed at slide 3, “TextBox 3”: in the group “Paar”", "shape changed at slide 3, “TextBox 4”: in the group “Paar”"},
	{"0", "shape changed at slide 3, “TextBox 3”: in the group “Paar”", "shape changed at slide 3, “TextBox 4”: in the group “Paar”", "shape removed at slide 3, “Paar”: group of shapes"},
	{"0", "transition added at slide 3: push dir u, takes 1 s, slow"},
	{"0"},
	{"0", "part added at presentation: parted into sections", "section added at presentation: section “Teil”, 3 slides"},
	{"0", "shape changed at slide 3, “TextBox 3”: turned by 10°", "format changed at slide 3, “TextBox 3”: fill: none → fill: accent2", "format changed at slide 3, “TextBox 3”: line: none", "format changed at slide 3, “TextBox 3”, paragraph 1: no format of its own → 14 pt"},
	{"2", "shape added at slide 3, “Footer Placeholder 5”: placeholder for footer 11", "shape added at slide 3, “Slide Number Placeholder 6”: placeholder for slide number 12"},
	{"6", "section changed at presentation: section “Teil”, 3 slides → section “Teil”, 2 slides", "slide removed at slide 3: “Gefüllt”, layout “Title and Content”", "link removed at slide 3, “Content Placeholder 2”: “voll” → https://example.com/run"},
}

// RV-03: what each operation changes is said, in the words of a person at an
// office, and nothing more is. The list holds every operation, as
// TestEveryOperationIsTried shows.
func TestFactsOfEveryOperation(t *testing.T) {
	require.Len(t, everyFact, len(everyOp))
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	for i, op := range everyOp {
		now, _, err := editWith(t, deck, files, op)
		require.NoError(t, err)
		d := diffOf(t, deck, now)
		items := 0
		for _, g := range d.Groups {
			items += len(g.Items)
		}
		require.Equal(t, strings.Join(everyFact[i], "\n"), strings.Join(append([]string{fmt.Sprint(items)}, allSaid(d.Facts)...), "\n"), op)
		deck = now
	}
}
