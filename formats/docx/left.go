package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// unread returns what a read of lines of the body does not show, "" when it
// shows all; whole reads also leave out headers and footers.
func (d *document) unread(ctx context.Context, p *part, lines []line, sel formats.Selector, whole bool) (string, error) {
	if len(lines) == 0 {
		return "", nil
	}
	first, last := lines[0].node.start, 0
	for _, l := range lines {
		first, last = min(first, l.node.start), max(last, l.node.end)
	}
	n := countLeft(p.doc, first, last)
	if whole && !sel.Includes(formats.IncludeHeaders) {
		edges, err := d.edgesWithText(ctx)
		if err != nil {
			return "", err
		}
		n["headers and footers"] = edges
	}
	var out []string
	for _, l := range []struct{ what, include string }{
		{"tracked changes", formats.IncludeChanges}, {"headers and footers", formats.IncludeHeaders}, {"footnotes and endnotes", formats.IncludeNotes},
		{"comments", formats.IncludeComments}, {"pictures", ""}, {"charts", ""}, {"diagrams", ""}, {"equations", ""}} {
		switch {
		case n[l.what] == 0 || !leaves(sel, l.what) || l.include != "" && sel.Includes(l.include):
		case l.include == formats.IncludeChanges:
			out = append(out, fmt.Sprintf("%d tracked changes, read as if accepted (include %q)", n[l.what], l.include))
		case l.include != "":
			out = append(out, fmt.Sprintf("%d %s (include %q)", n[l.what], l.what, l.include))
		default:
			out = append(out, fmt.Sprintf("%d %s", n[l.what], l.what))
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return "not shown: " + strings.Join(out, ", "), nil
}

// countLeft counts in a stretch of the body what its text does not show.
func countLeft(doc []byte, first, last int) map[string]int {
	n := map[string]int{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Start >= last {
			break
		}
		if t.Kind != xmlscan.Start || t.Start < first {
			continue
		}
		switch t.Local {
		case "Fallback": // it repeats what is before it
			sc.Skip()
		case "ins", "del", "moveFrom", "moveTo":
			if t.Space == nsW {
				n["tracked changes"]++
			}
		case "footnoteReference", "endnoteReference":
			n["footnotes and endnotes"]++
		case "commentReference":
			n["comments"]++
		case "pic", "imagedata":
			n["pictures"]++
		case "chart":
			n["charts"]++
		case "relIds":
			n["diagrams"]++
		case "oMath":
			n["equations"]++
		}
	}
	return n
}

// edgesWithText counts the headers and footers that say something.
func (d *document) edgesWithText(ctx context.Context) (int, error) {
	parts, err := d.textParts(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, tp := range parts {
		if tp.word != "header" && tp.word != "footer" || tp.dialect != paragraph.Word {
			continue
		}
		p, err := d.load(ctx, tp)
		if err != nil {
			return 0, err
		}
		if len(p.stories) > 0 && strings.TrimSpace(p.text(p.stories[0])) != "" {
			n++
		}
	}
	return n, nil
}
