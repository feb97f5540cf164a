package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

func looseBool(b bool) *lenient.Bool {
	l := lenient.Bool(b)
	return &l
}

// column resolves the address of a cell to its table and the grid columns that
// the cell takes.
func (e *editing) column(ctx context.Context, at string) (table place, from, to int, err error) {
	cell, err := e.want(ctx, at, cellNode)
	if err != nil {
		return cell, 0, 0, err
	}
	row := cell.parent
	for i, c := range row.kidsOf(cellNode) {
		if c == cell.node {
			from = cell.gridStart(row, i)
		}
	}
	return place{cell.part, row.parent}, from, from + cell.span, nil
}

// gridColumns returns the widths of a table's grid with where they stand.
func (p *part) gridColumns(t *node) (cols []span, widths []int) {
	sc := xmlscan.New(p.doc[t.grid().start:t.grid().end])
	for sc.Next() {
		k := sc.Token()
		if k.Kind == xmlscan.Start && k.Local == "gridCol" && k.Depth == 2 {
			end := k.End
			if !k.Empty {
				end = sc.Skip()
			}
			cols = append(cols, span{t.grid().start + k.Start, t.grid().start + end})
			widths = append(widths, max(0, atoi(k.AttrLocal("w"))))
		}
	}
	return cols, widths
}

// addTableColumnArgs are the members of add_table_column.
type addTableColumnArgs struct {
	At    string   `json:"at" usage:"at (t0.r0.c1)"`
	Where string   `json:"where" jsonschema:"before or after at; default after"`
	Cells []string `json:"cells" usage:"cells" jsonschema:"{ops}: texts"`
	trackingArgs
}

// addTableColumn adds a column beside a cell's. The table keeps its width.
func (e *editing) addTableColumn(ctx context.Context, op addTableColumnArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, from, to, err := e.column(ctx, op.At)
	if err != nil {
		return rep, err
	}
	at := to
	switch strings.ToLower(op.Where) {
	case "", "after":
	case "before":
		at = from
	default:
		return rep, formats.Errorf(formats.CodeInvalid, "where is %q; it is before or after", op.Where)
	}
	rows := pl.kidsOf(rowNode)
	cols, widths := pl.gridColumns(pl.node)
	if len(cols) >= maxColumns {
		return rep, formats.Errorf(formats.CodeInvalid, "the table has %d columns already, the most there can be", len(cols))
	}
	if len(op.Cells) > len(rows) {
		return rep, formats.Errorf(formats.CodeInvalid, "the table has %d rows; %d texts were given", len(rows), len(op.Cells))
	}
	if e.rev != nil {
		rep.Warnings = append(rep.Warnings, "a new column is not recorded as a tracked change")
		e.rev = nil
	}
	shrink := func(w int) int { return w * len(cols) / (len(cols) + 1) }
	var splices []xmlscan.Splice
	if len(cols) > 0 {
		var sb strings.Builder
		neighbour := widths[min(max(from, 0), len(widths)-1)]
		for i := 0; i <= len(widths); i++ {
			if i == at {
				fmt.Fprintf(&sb, `<%[1]sgridCol %[1]sw="%[2]d"/>`, pl.prefix, shrink(neighbour))
			}
			if i < len(widths) {
				fmt.Fprintf(&sb, `<%[1]sgridCol %[1]sw="%[2]d"/>`, pl.prefix, shrink(widths[i]))
			}
		}
		splices = append(splices, xmlscan.Splice{Start: cols[0].start, End: cols[len(cols)-1].end, New: []byte(sb.String())})
	}
	for r, row := range rows {
		text := ""
		if r < len(op.Cells) {
			text = op.Cells[r]
			rep.Cells++
		}
		s, err := e.columnCell(pl.part, row, at, text, shrink, &rep)
		if err != nil {
			return rep, err
		}
		splices = append(splices, s...)
	}
	e.splice(pl.part, splices...)
	return rep, nil
}

// columnCell puts a cell into a row at a grid column, or widens the cell that
// spans it; the others are scaled by shrink.
func (e *editing) columnCell(p *part, row *node, at int, text string, shrink func(int) int, rep *formats.OpReport) ([]xmlscan.Splice, error) {
	cells := row.kidsOf(cellNode)
	var out []xmlscan.Splice
	done := false
	for i, c := range cells {
		from := p.gridStart(row, i)
		span := c.span
		if from < at && at < from+c.span {
			span, done = c.span+1, true
		}
		if from == at && !done {
			done = true
			xml, err := e.cellXML(p, narrow(cells[max(i-1, 0)], c), text, false, rep)
			if err != nil {
				return nil, err
			}
			out = append(out, xmlscan.Splice{Start: c.start, End: c.start, New: []byte(p.scaled(xml, shrink))})
		}
		out = append(out, p.cellWidth(c, span, shrink)...)
	}
	if !done && len(cells) > 0 {
		last := cells[len(cells)-1]
		if p.gridStart(row, len(cells)-1)+last.span < at {
			return out, nil // the row is shorter than that
		}
		xml, err := e.cellXML(p, narrow(last, last), text, false, rep)
		if err != nil {
			return nil, err
		}
		out = append(out, xmlscan.Splice{Start: last.end, End: last.end, New: []byte(p.scaled(xml, shrink))})
	}
	return out, nil
}

// narrow picks the one of two cells to take the look from: one that spans no
// columns, if it can be.
func narrow(a, b *node) *node {
	if a.span == 1 {
		return a
	}
	return b
}

// cellWidth returns a cell a span and scales its width.
func (p *part) cellWidth(c *node, span int, scale func(int) int) []xmlscan.Splice {
	raw := p.raw(c.props)
	pr := cellProps(raw, p.prefix)
	if span != c.span {
		setVal(pr, "gridSpan", strconv.Itoa(span))
		if span == 1 {
			pr.Drop("gridSpan")
		}
	}
	scaleWidth(pr, scale)
	if now := pr.Optional(); now != raw {
		return propsSplice(place{p, c}, now)
	}
	return nil
}

func scaleWidth(pr *element.Element, scale func(int) int) {
	w := pr.Get("tcW")
	if w == "" || strings.Contains(w, `"pct"`) || strings.Contains(w, `"auto"`) {
		return
	}
	if n := attrInt(w, "w"); n > 0 {
		setAttrs(pr, "tcW", attr{"w", strconv.Itoa(scale(n))})
	}
}

// scaled scales the width in the properties of a new cell, which spans one
// column.
func (p *part) scaled(cell string, scale func(int) int) string {
	open := "<" + p.prefix + "tc>"
	rest, ok := strings.CutPrefix(cell, open)
	if !ok || !strings.HasPrefix(rest, "<"+p.prefix+"tcPr") {
		return cell
	}
	end := strings.Index(rest, "</"+p.prefix+"tcPr>") + len("</"+p.prefix+"tcPr>")
	pr := cellProps(rest[:end], p.prefix)
	pr.Drop("gridSpan")
	scaleWidth(pr, scale)
	return open + pr.Optional() + rest[end:]
}

// deleteTableColumnArgs are the members of delete_table_column.
type deleteTableColumnArgs struct {
	At string `json:"at" usage:"at (t0.r0.c1)"`
	trackingArgs
}

// deleteTableColumn removes the columns that a cell takes.
func (e *editing) deleteTableColumn(ctx context.Context, op deleteTableColumnArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, from, to, err := e.column(ctx, op.At)
	if err != nil {
		return rep, err
	}
	if e.rev != nil {
		rep.Warnings = append(rep.Warnings, "the deletion of a column is not recorded as a tracked change")
		e.rev = nil
	}
	rows := pl.kidsOf(rowNode)
	var splices []xmlscan.Splice
	for _, row := range rows {
		cells := row.kidsOf(cellNode)
		left := len(cells)
		for i, c := range cells {
			a := pl.gridStart(row, i)
			over := min(a+c.span, to) - max(a, from)
			switch {
			case over <= 0:
			case over == c.span:
				splices = append(splices, xmlscan.Splice{Start: c.start, End: c.end})
				left--
				rep.Cells++
			default:
				splices = append(splices, pl.cellWidth(c, c.span-over, func(w int) int { return w * (c.span - over) / c.span })...)
			}
		}
		if left == 0 && len(cells) > 0 {
			return rep, formats.Errorf(formats.CodeInvalid, "a row would have no cell left; delete the row or the table instead")
		}
	}
	cols, _ := pl.gridColumns(pl.node)
	for i := from; i < to && i < len(cols); i++ {
		splices = append(splices, xmlscan.Splice{Start: cols[i].start, End: cols[i].end})
	}
	e.splice(pl.part, splices...)
	return rep, nil
}
