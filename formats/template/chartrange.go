package template

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// grownRows are rows of a sheet that a block repeated, as they are in the end: first to
// once are those of the template, up to last the copies.
type grownRows struct {
	sheet             string
	first, once, last int
}

// grew notes that a block of a sheet has rows more, and moves those below it.
func (w *bookFiller) grew(s *sheet, b block, added int) {
	for i, g := range w.grown {
		if g.sheet == s.name && g.first > b.last {
			w.grown[i] = grownRows{g.sheet, g.first + added, g.once + added, g.last + added}
		}
	}
	w.grown = append(w.grown, grownRows{s.name, b.first, b.last, b.last + added})
}

// went notes that rows of a sheet are deleted in the end.
func (w *bookFiller) went(s *sheet, rows []int) {
	for i, g := range w.grown {
		n := 0
		for _, r := range rows {
			if r < g.first {
				n++
			}
		}
		if g.sheet == s.name {
			w.grown[i] = grownRows{g.sheet, g.first - n, g.once - n, g.last - n}
		}
	}
}

// column is a reference to cells of one column of a sheet.
var column = lazyregexp.New(`^(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Z]{1,3}\$?)(\d+)(?::(\$?[A-Z]{1,3}\$?)(\d+))?$`)

// longer returns a reference that ends with repeated rows with their copies.
func (g grownRows) longer(ref string) (string, bool) {
	m := column.FindStringSubmatch(ref)
	if m == nil || m[5] != "" && m[5] != m[3] || strings.ReplaceAll(m[1], "''", "'")+m[2] != g.sheet {
		return "", false
	}
	from, _ := strconv.Atoi(m[4])
	to := from
	if m[6] != "" {
		to, _ = strconv.Atoi(m[6])
	}
	if to != g.once || from > g.once || g.last == g.once {
		return "", false
	}
	return strings.TrimSuffix(ref, ref[strings.LastIndexByte(ref, '!')+1:]) + m[3] + m[4] + ":" + m[3] + strconv.Itoa(g.last), true
}

// chartRanges lets the series of charts that end with repeated rows have their copies
// too (21.2.2.63), and returns the parts of these charts, whose stored values are those
// of fewer cells.
func (w *bookFiller) chartRanges(ctx context.Context, ed *opc.Edit, pkg *opc.Package) (parts []string, err error) {
	if len(w.grown) == 0 {
		return nil, nil
	}
	for _, name := range pkg.Names() {
		if !strings.HasSuffix(pkg.ContentType(name), "drawingml.chart+xml") || pkg.Size(name) > maxPart {
			continue
		}
		doc, err := ed.ReadXML(ctx, name)
		if err != nil {
			return nil, err
		}
		t, err := tree.Parse(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		var edits []xmlscan.Splice
		for n := range t.Root.All() {
			if n.Is(nsChart, "ser") {
				edits = w.seriesRanges(t, n, edits)
			}
		}
		if len(edits) > 0 {
			ed.Set(name, xmlscan.Apply(doc, edits))
			parts = append(parts, name)
		}
	}
	return parts, nil
}

// seriesRanges makes the ranges of a series longer. A series whose name is in the
// repeated rows is one of several in rows, and stays.
func (w *bookFiller) seriesRanges(t *tree.Tree, ser *tree.Node, edits []xmlscan.Splice) []xmlscan.Splice {
	for _, g := range w.grown {
		if tx := ser.Down(nsChart, "tx", "strRef", "f"); tx != nil {
			if _, inside := g.longer(strings.TrimSpace(t.Text(tx))); inside {
				continue
			}
		}
		for _, part := range []string{"cat", "val", "xVal", "yVal", "bubbleSize"} {
			for ref := range ser.Child(nsChart, part).Kids() {
				f := ref.Child(nsChart, "f")
				if f == nil {
					continue
				}
				longer, ok := g.longer(strings.TrimSpace(t.Text(f)))
				if !ok {
					continue
				}
				edits = append(edits, t.SetText(f, []byte(xmlscan.Escape(longer))))
			}
		}
	}
	return edits
}
