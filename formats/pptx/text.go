package pptx

import (
	"context"
	"strings"
)

// paragraphText returns what a paragraph shows: runs, fields and formulas; a
// line break is "\n".
func (t *tree) paragraphText(p *node) string {
	var sb strings.Builder
	t.runs(&sb, p)
	return sb.String()
}

func (t *tree) runs(sb *strings.Builder, n *node) {
	for k := range content(n, shown) {
		switch {
		case k.Is(nsA, "r"), k.Is(nsA, "fld"):
			sb.WriteString(t.Text(k.Child(nsA, "t")))
		case k.Is(nsA, "br"):
			sb.WriteByte('\n')
		case k.Is(nsM, "t"):
			sb.WriteString(t.Text(k))
		case k.Space != nsA:
			t.runs(sb, k) // a14:m with Office Math inside
		}
	}
}

// level returns the outline level of a paragraph, 0 to 8 (21.1.2.2.7).
func level(p *node) int {
	return max(0, min(8, intOr(p.Child(nsA, "pPr").Value("lvl"), 0)))
}

// outline returns the text of a text body: a line for each paragraph, led by a
// tab for each level.
func (t *tree) outline(body *node) string {
	var lines []string
	for p := range body.Kids() {
		if p.Is(nsA, "p") {
			lines = append(lines, strings.Repeat("\t", level(p))+t.paragraphText(p))
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine returns the text of a body on a single line.
func (t *tree) oneLine(body *node) string {
	return strings.Join(strings.Fields(t.outline(body)), " ")
}

// tableText returns a table row by row, cells joined by tabs. A cell that is
// merged into another is empty.
func (t *tree) tableText(tbl *node) string {
	var rows []string
	for tr := range tbl.Kids() {
		if !tr.Is(nsA, "tr") {
			continue
		}
		var cells []string
		for tc := range tr.Kids() {
			if tc.Is(nsA, "tc") {
				cells = append(cells, t.oneLine(tc.Child(nsA, "txBody")))
			}
		}
		rows = append(rows, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	return strings.Join(rows, "\n")
}

// notesText returns what the notes page of a slide says, "" when it has none:
// the body placeholder and other text, not the page's own header and footer.
func (d *deck) notesText(ctx context.Context, slide string) (string, error) {
	rels, err := d.related(ctx, slide, relNotes)
	if err != nil || len(rels) == 0 {
		return "", err
	}
	t, err := d.tree(ctx, rels[0].Target)
	if err != nil {
		return "", err
	}
	var texts []string
	for s := range flat(shapes(t.spTree(), shown)) {
		if typ := s.phType(); s.body == nil || isFooterType(typ) || typ == "hdr" {
			continue
		}
		if text := strings.TrimSpace(t.outline(s.body)); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), nil
}
