package docx

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// formatTableArgs are the members of format_table.
type formatTableArgs struct {
	At        string          `json:"at" usage:"at (t0)"`
	Widths    []lenient.Float `json:"widths" jsonschema:"{ops}: of its columns, inches"`
	Alignment string          `json:"alignment" usage:"alignment? (of the table on the page: left, center, right)" jsonschema:"left, center, right or justify"`
}

// formatTable sets the widths of all columns of a table, which then are fixed
// (17.4.52), and where the table stands between the margins (17.4.28). It is not
// recorded as a tracked change.
func (e *editing) formatTable(ctx context.Context, op formatTableArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.want(ctx, op.At, tableNode)
	if err != nil {
		return rep, err
	}
	if len(op.Widths) == 0 && op.Alignment == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "say what to set: widths, alignment")
	}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "the layout of the table is not recorded as a tracked change")
	}
	props := tableProps(pl.raw(pl.props), pl.prefix)
	if op.Alignment != "" {
		jc, ok := map[string]string{"left": "left", "start": "left", "center": "center", "centre": "center", "right": "right", "end": "right"}[strings.ToLower(op.Alignment)]
		if !ok {
			return rep, formats.Errorf(formats.CodeInvalid, "alignment %q is not one of left, center, right for a table", op.Alignment)
		}
		setVal(props, "jc", side(jc, e.strict))
		if jc != "left" {
			props.Drop("tblInd") // it counts for tables at the left only
		}
	}
	var splices []xmlscan.Splice
	if len(op.Widths) > 0 {
		widths, err := op.twips(pl)
		if err != nil {
			return rep, err
		}
		total := 0
		for _, w := range widths {
			total += w
		}
		setAttrs(props, "tblW", attr{"w", strconv.Itoa(total)}, attr{"type", "dxa"})
		setAttrs(props, "tblLayout", attr{"type", "fixed"})
		splices = columnSplices(pl, widths)
		if room := e.textWidth(pl.part); pl.name == e.main && pl.parent.kind == storyNode && total > room+20 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("the table is %.4g inches wide, the text of the page %.4g", float64(total)/1440, float64(room)/1440))
		}
	}
	if now := props.String(); now != pl.raw(pl.props) {
		splices = append([]xmlscan.Splice{tablePropsSplice(pl, now)}, splices...)
	}
	e.splice(pl.part, splices...)
	return rep, nil
}

// twips returns the widths in twentieths of a point.
func (op formatTableArgs) twips(pl place) ([]int, error) {
	cols, _ := pl.gridColumns(pl.node)
	n := len(cols)
	for _, row := range pl.kidsOf(rowNode) {
		cells := row.kidsOf(cellNode)
		if len(cells) > 0 {
			n = max(n, pl.gridStart(row, len(cells)-1)+cells[len(cells)-1].span)
		}
	}
	if len(op.Widths) != n {
		return nil, formats.Errorf(formats.CodeInvalid, "the table has %d columns; widths has %d", n, len(op.Widths))
	}
	out := make([]int, n)
	for i, w := range op.Widths {
		if w < 0.05 || w > maxMargin {
			return nil, formats.Errorf(formats.CodeInvalid, "a width must be 0.05 to %d inches, not %v", maxMargin, w)
		}
		out[i] = int(math.Round(float64(w) * 1440))
	}
	return out, nil
}

// columnSplices write the grid of a table and the widths of its cells.
func columnSplices(pl place, widths []int) []xmlscan.Splice {
	var grid strings.Builder
	for _, w := range widths {
		fmt.Fprintf(&grid, `<%[1]sgridCol %[1]sw="%[2]d"/>`, pl.prefix, w)
	}
	var out []xmlscan.Splice
	switch cols, _ := pl.gridColumns(pl.node); {
	case len(cols) > 0:
		out = append(out, xmlscan.Splice{Start: cols[0].start, End: cols[len(cols)-1].end, New: []byte(grid.String())})
	case pl.grid().end > 0:
		out = append(out, xmlscan.Splice{Start: pl.grid().start, End: pl.grid().end, New: []byte("<" + pl.prefix + "tblGrid>" + grid.String() + "</" + pl.prefix + "tblGrid>")})
	default:
		at := max(pl.inner, pl.props.end)
		out = append(out, xmlscan.Splice{Start: at, End: at, New: []byte("<" + pl.prefix + "tblGrid>" + grid.String() + "</" + pl.prefix + "tblGrid>")})
	}
	for _, row := range pl.kidsOf(rowNode) {
		for i, c := range row.kidsOf(cellNode) {
			width := 0
			from := pl.gridStart(row, i)
			for k := from; k < min(from+c.span, len(widths)); k++ {
				width += widths[k]
			}
			pr := cellProps(pl.raw(c.props), pl.prefix)
			setAttrs(pr, "tcW", attr{"w", strconv.Itoa(width)}, attr{"type", "dxa"})
			if now := pr.Optional(); now != pl.raw(c.props) {
				out = append(out, propsSplice(place{pl.part, c}, now)...)
			}
		}
	}
	return out
}

// tablePropsSplice writes the properties of a table.
func tablePropsSplice(pl place, now string) xmlscan.Splice {
	if pl.props.end > 0 {
		return xmlscan.Splice{Start: pl.props.start, End: pl.props.end, New: []byte(now)}
	}
	return xmlscan.Splice{Start: pl.inner, End: pl.inner, New: []byte(now)}
}
