package pptx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	xmltree "atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
	"atelier/internal/lenient"
)

// addTableRowArgs are the members of add_table_row.
type addTableRowArgs struct {
	slideArgs
	tableArgs
	Row   *lenient.Int `json:"row" jsonschema:"table row, counted from 0"`
	Cells []Cell       `json:"cells" usage:"cells" jsonschema:"{ops}: its texts"`
}

// addTableRow adds a row that looks like the one above it, or below it when that is the
// head or there is none above; at the end of a table whose rows alternate it looks like the
// last but one.
func (d *deckEdit) addTableRow(ctx context.Context, c *call, a addTableRowArgs) error {
	t, f, err := d.findTable(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.tables() {
		g := gridOf(s.tbl)
		at := len(g.rows)
		if a.Row != nil {
			if at = int(*a.Row); at < 0 || at > len(g.rows) {
				return formats.Errorf(formats.CodeInvalid, "row must be 0 to %d, the place the new row gets, not %d", len(g.rows), at)
			}
		}
		if len(g.rows) == 0 {
			return formats.Errorf(formats.CodeUnsupported, "the table has no row to copy")
		}
		model, shifted := t.rowModel(s.tbl, g, at)
		if shifted {
			c.warn("the fills of the rows alternate by hand; those below the new row were not changed")
		}
		if at == len(g.rows) && isTrue(s.tbl.Child(nsA, "tblPr").Value("lastRow")) {
			c.warn("the style of the table shows its last row as total; that is the new row now")
		}
		if n := len(g.cells[model]); len(a.Cells) > n {
			return formats.Errorf(formats.CodeInvalid, "cells has %d texts, the table has %d columns", len(a.Cells), n)
		}
		row, spans := t.newRow(g, at, model, a.Cells)
		pos := g.rows[0].Start
		if at > 0 {
			pos = g.rows[at-1].After
		}
		splices = append(splices, xmlscan.Splice{Start: pos, End: pos, New: row})
		splices = append(splices, spans...)
		splices = append(splices, t.growFrame(s, intOr(g.rows[model].Value("h"), 0))...)
		c.r.Made = fmt.Sprintf("row %d", at)
	}
	c.r.Hits, c.r.Cells = 1, len(a.Cells)
	d.setTree(t, splices)
	return nil
}

// rowModel returns the row that a new one at index at looks like; shifted reports that
// fills which alternate by hand no longer do below it.
func (t *tree) rowModel(tbl *node, g grid, at int) (model int, shifted bool) {
	model = max(0, at-1)
	first := btoi(isTrue(tbl.Child(nsA, "tblPr").Value("firstRow"))) // of the body
	if at > 0 && model < first && len(g.rows) > first {
		return first, false
	}
	alternate := len(g.rows)-first >= 3
	for r := first; r+2 < len(g.rows) && alternate; r++ {
		alternate = t.rowFills(g, r) == t.rowFills(g, r+2) && t.rowFills(g, r) != t.rowFills(g, r+1)
	}
	if !alternate || at <= first {
		return model, false
	}
	if at == len(g.rows) {
		return at - 2, false
	}
	return model, true
}

// rowFills returns the fills that the cells of a row have of their own.
func (t *tree) rowFills(g grid, r int) string {
	var sb strings.Builder
	for _, tc := range g.cells[r] {
		for k := range tc.Child(nsA, "tcPr").Kids() {
			if isFill(k) {
				sb.Write(t.Raw(k))
			}
		}
		sb.WriteByte('|')
	}
	return sb.String()
}

var rowID = lazyregexp.New(`(:rowId\b[^>]*\sval=")(\d+)(")`)

// newRow writes a row for the place at after that at index model, with the
// splices that stretch cells which reach over the new row.
func (t *tree) newRow(g grid, at, model int, texts []Cell) ([]byte, []xmlscan.Splice) {
	tr := g.rows[model]
	var own, spans []xmlscan.Splice
	for col, tc := range g.cells[model] {
		text := ""
		if col < len(texts) {
			text = string(texts[col])
		}
		inside := at > 0 && at < len(g.rows) && col < len(g.cells[at]) && isTrue(g.cells[at][col].Value("vMerge"))
		own = append(own, t.cellStart(tc, inside))
		if body := tc.Child(nsA, "txBody"); body != nil {
			own = append(own, t.setLines(body, splitLines(text))...)
		} else if text != "" && !tc.Empty {
			own = append(own, t.setCell(tc, splitLines(text))...)
		}
		if inside {
			if r, oc := g.origin(at, col); oc == col {
				n := intOr(g.cells[r][col].Value("rowSpan"), 1)
				spans = append(spans, t.SetAttr(g.cells[r][col], "rowSpan", strconv.Itoa(n+1)))
			}
		}
	}
	for i := range own {
		own[i].Start -= tr.Start
		own[i].End -= tr.Start
	}
	row := xmlscan.Apply(t.Raw(tr), own)
	// A row's id must be its own ([MS-ODRAWXML] 2.30.4).
	if m := rowID.FindSubmatchIndex(row); m != nil {
		old, _ := strconv.ParseUint(string(row[m[4]:m[5]]), 10, 32)
		row = xmlscan.Apply(row, []xmlscan.Splice{{Start: m[4], End: m[5], New: strconv.AppendUint(nil, uint64(t.freeID(rowID, uint32(old))), 10)}})
	}
	return row, spans
}

// cellStart returns the start tag of a copied cell: merged into the one above
// when merged, else its own cell.
func (t *tree) cellStart(tc *node, merged bool) xmlscan.Splice {
	tag := xmltree.DropAttrs(tc.Token, tc.Bytes(), "rowSpan", "vMerge", "gridSpan", "hMerge")
	if merged {
		tag = xmltree.DropAttrs(tc.Token, tc.Bytes(), "rowSpan", "vMerge")
		n := 1 + len(qualify(tc.Prefix, tc.Local))
		tag = fmt.Appendf(nil, `%s vMerge="1"%s`, tag[:n], tag[n:])
	}
	return xmlscan.Splice{Start: tc.Start, End: tc.End, New: tag}
}

// freeID returns an id that no row, or column, of the part has.
func (t *tree) freeID(kind *lazyregexp.Regexp, like uint32) uint32 {
	used := map[string]bool{}
	for _, m := range kind.FindAllSubmatch(t.Doc, -1) {
		used[string(m[2])] = true
	}
	for {
		like++
		if !used[strconv.FormatUint(uint64(like), 10)] {
			return like
		}
	}
}

// growFrame makes the frame of a table higher by that many EMU.
func (t *tree) growFrame(s *shape, by int) []xmlscan.Splice {
	ext := s.xfrm().Child(nsA, "ext")
	if ext == nil {
		return nil
	}
	return []xmlscan.Splice{t.SetAttr(ext, "cy", strconv.Itoa(max(0, intOr(ext.Value("cy"), 0)+by)))}
}

// deleteTableRowArgs are the members of delete_table_row.
type deleteTableRowArgs struct {
	slideArgs
	tableArgs
	Row *lenient.Int `json:"row" usage:"row" jsonschema:"table row, counted from 0"`
}

// deleteTableRow removes a row. A cell that reaches from it over rows below
// continues in the next row.
func (d *deckEdit) deleteTableRow(ctx context.Context, c *call, a deleteTableRowArgs) error {
	t, f, err := d.findTable(ctx, c, a.tableArgs)
	if err != nil {
		return err
	}
	var splices []xmlscan.Splice
	for _, s := range f.tables() {
		g := gridOf(s.tbl)
		r, err := rowIndex(a.Row, len(g.rows))
		if err != nil {
			return err
		}
		if len(g.rows) == 1 {
			return formats.Errorf(formats.CodeInvalid, "the table has no other row; use delete_shape to delete it")
		}
		splices = append(splices, xmlscan.Splice{Start: g.rows[r].Start, End: g.rows[r].After})
		splices = append(splices, t.shrinkSpans(g, r)...)
		splices = append(splices, t.growFrame(s, -intOr(g.rows[r].Value("h"), 0))...)
	}
	c.r.Hits = 1
	d.setTree(t, splices)
	return nil
}

// shrinkSpans adjusts the cells that reach over row r, which goes.
func (t *tree) shrinkSpans(g grid, r int) (out []xmlscan.Splice) {
	span := func(n int) string {
		if n < 2 {
			return ""
		}
		return strconv.Itoa(n)
	}
	for col, tc := range g.cells[r] {
		rows := intOr(tc.Value("rowSpan"), 1)
		switch {
		case rows > 1 && r+1 < len(g.rows) && col < len(g.cells[r+1]):
			// The next row's cell becomes the one that shows the text.
			heir := g.cells[r+1][col]
			s := t.SetAttr(tc, "rowSpan", span(rows-1))
			s.Start, s.End = s.Start-tc.Start, s.End-tc.Start
			out = append(out, xmlscan.Splice{Start: heir.Start, End: heir.After, New: xmlscan.Apply(t.Raw(tc), []xmlscan.Splice{s})})
		case isTrue(tc.Value("vMerge")):
			if or, oc := g.origin(r, col); oc == col && or < r {
				if n := intOr(g.cells[or][col].Value("rowSpan"), 1); n > 1 {
					out = append(out, t.SetAttr(g.cells[or][col], "rowSpan", span(n-1)))
				}
			}
		}
	}
	return out
}
