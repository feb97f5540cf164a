package xlsx

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lenient"
)

type setSparklinesArgs struct {
	rangeArgs
	Source      string            `json:"source" usage:"source" jsonschema:"{ops}: the cells to show, such as B2:E9: a row or column of them for each cell of range; without it the sparklines of range are changed"`
	Type        string            `json:"type" jsonschema:"{ops}: line, column or win_loss"`
	Points      []string          `json:"points" jsonschema:"{ops}: which to mark: high, low, first, last, negative, markers (all points of a line)"`
	PointColors map[string]string `json:"point_colors" jsonschema:"{ops}: RRGGBB of series, axis and those of points"`
	Axis        *lenient.Bool     `json:"axis" jsonschema:"{ops}: show the horizontal axis"`
	AxisMin     any               `json:"axis_min" jsonschema:"{ops}: a number, group (the same for all) or individual"`
	AxisMax     any               `json:"axis_max" jsonschema:"{ops}: as axis_min"`
	Dates       string            `json:"dates" jsonschema:"{ops}: cells with the dates of the points; none removes them"`
	LineWeight  *lenient.Float    `json:"line_weight" jsonschema:"{ops}: in points"`
	EmptyCells  string            `json:"empty_cells" jsonschema:"{ops}: gap, zero or connect"`
	HiddenCells *lenient.Bool     `json:"hidden_cells" jsonschema:"{ops}: show values of hidden rows and columns too"`
	RightToLeft *lenient.Bool     `json:"right_to_left" jsonschema:"{ops}"`
	removeArgs
}

// maxSparklines bounds the sparklines that one operation makes.
const maxSparklines = 10_000

// sparklineSpec is what set_sparklines comes to.
type sparklineSpec struct {
	cells  []cellref.Range
	lines  []sparkline       // new ones; none: those of cells are changed
	attrs  map[string]string // of the group; "" removes one
	colors map[string]string // by element, such as colorHigh: AARRGGBB
	dates  *string           // formula of the dates; "" removes it
}

// sparkline is one cell with the cells that it shows.
type sparkline struct {
	at      cellref.Cell
	formula string
}

// sparklineColors are the elements of a group's colours ([MS-XLSX] 2.6.66) by what the
// operation calls them, and their values in Excel's first style.
var sparklineColors = map[string][2]string{
	"series": {"colorSeries", "FF376092"}, "negative": {"colorNegative", "FFD00000"}, "axis": {"colorAxis", "FF000000"}, "markers": {"colorMarkers", "FFD00000"},
	"first": {"colorFirst", "FFD00000"}, "last": {"colorLast", "FFD00000"}, "high": {"colorHigh", "FFD00000"}, "low": {"colorLow", "FFD00000"},
}

// sparklinePoints are the attributes that mark points.
var sparklinePoints = []string{"markers", "high", "low", "first", "last", "negative"}

// setSparklines adds sparklines to cells, changes those that are there, or removes them.
func (p *plan) setSparklines(ctx context.Context, op setSparklinesArgs) (int, error) {
	cells, err := ranges(op.Range)
	if err != nil {
		return 0, err
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	spec := &sparklineSpec{cells: cells, attrs: map[string]string{}, colors: map[string]string{}}
	if op.Remove {
		p.unused("", givenMember{"source", op.Source != ""}, givenMember{"type", op.Type != ""})
		p.deferEdit(s, func(_ context.Context, w *sheetWork) error { return w.setSparklines(spec, true) })
		return 0, nil
	}
	for _, read := range []func(setSparklinesArgs) error{spec.readLook, spec.readPoints, spec.readAxis} {
		if err := read(op); err != nil {
			return 0, err
		}
	}
	if err := p.readDates(s, op, spec); err != nil {
		return 0, err
	}
	if op.Source != "" {
		if spec.lines, err = p.sparklinesOf(s, cells, op.Source); err != nil {
			return 0, err
		}
	} else if len(spec.attrs) == 0 && len(spec.colors) == 0 && spec.dates == nil {
		return 0, formats.Errorf(formats.CodeInvalid, `source is required, such as "B2:E9"; to change sparklines give what to change, such as type or points`)
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error { return w.setSparklines(spec, false) })
	return 0, nil
}

// readLook reads the type and what is drawn.
func (spec *sparklineSpec) readLook(op setSparklinesArgs) error {
	types := map[string]string{"line": "", "column": "column", "winloss": "stacked", "stacked": "stacked"}
	if op.Type != "" {
		t, ok := types[plainWord(op.Type)]
		if !ok {
			return formats.Errorf(formats.CodeInvalid, "unknown type %s; use line, column or win_loss", cellref.QuoteArg(op.Type))
		}
		spec.attrs["type"] = t
	}
	if op.EmptyCells != "" {
		v, ok := map[string]string{"gap": "gap", "zero": "", "connect": "span", "span": "span"}[plainWord(op.EmptyCells)]
		if !ok {
			return formats.Errorf(formats.CodeInvalid, "unknown empty_cells %s; use gap, zero or connect", cellref.QuoteArg(op.EmptyCells))
		}
		spec.attrs["displayEmptyCellsAs"] = v
	}
	if w := op.LineWeight; w != nil {
		if *w <= 0 || *w > 1584 {
			return formats.Errorf(formats.CodeInvalid, "line_weight must be more than 0 and at most 1584 points")
		}
		spec.attrs["lineWeight"] = strconv.FormatFloat(float64(*w), 'f', -1, 64)
	}
	spec.flag("displayHidden", op.HiddenCells)
	spec.flag("rightToLeft", op.RightToLeft)
	spec.flag("displayXAxis", op.Axis)
	return nil
}

func (spec *sparklineSpec) flag(attr string, v *lenient.Bool) {
	if v != nil {
		spec.attrs[attr] = map[bool]string{true: "1"}[bool(*v)]
	}
}

// readPoints reads which points are marked, and the colours.
func (spec *sparklineSpec) readPoints(op setSparklinesArgs) error {
	if op.Points != nil {
		for _, name := range sparklinePoints {
			spec.attrs[name] = ""
		}
		for _, name := range op.Points {
			name = plainWord(name)
			if !slices.Contains(sparklinePoints, name) {
				return formats.Errorf(formats.CodeInvalid, "unknown point %s; use %s", cellref.QuoteArg(name), strings.Join(sparklinePoints, ", "))
			}
			spec.attrs[name] = "1"
		}
	}
	for name, color := range op.PointColors {
		element, ok := sparklineColors[plainWord(name)]
		if !ok {
			return formats.Errorf(formats.CodeInvalid, "unknown member %s of point_colors; use series, axis, %s", cellref.QuoteArg(name), strings.Join(sparklinePoints, ", "))
		}
		c, err := stylesheet.AsColor(color)
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "point_colors: %w, got %s", err, cellref.QuoteArg(color))
		}
		spec.colors[element[0]] = *c
	}
	return nil
}

// readAxis reads the ends of the vertical axis.
func (spec *sparklineSpec) readAxis(op setSparklinesArgs) error {
	for _, end := range []struct {
		v                    any
		name, kind, explicit string
	}{{op.AxisMin, "axis_min", "minAxisType", "manualMin"}, {op.AxisMax, "axis_max", "maxAxisType", "manualMax"}} {
		if end.v == nil {
			continue
		}
		if n, ok := end.v.(json.Number); ok && isNumber(n.String()) {
			spec.attrs[end.kind], spec.attrs[end.explicit] = "custom", n.String()
			continue
		}
		word, _ := end.v.(string)
		switch word = strings.TrimSpace(word); {
		case strings.EqualFold(word, "group"):
			spec.attrs[end.kind], spec.attrs[end.explicit] = "group", ""
		case strings.EqualFold(word, "individual"):
			spec.attrs[end.kind], spec.attrs[end.explicit] = "", ""
		case isNumber(word):
			spec.attrs[end.kind], spec.attrs[end.explicit] = "custom", word
		default:
			return formats.Errorf(formats.CodeInvalid, "%s must be a number, group or individual", end.name)
		}
	}
	return nil
}

// readDates reads the cells with the dates of the points.
func (p *plan) readDates(s *planSheet, op setSparklinesArgs, spec *sparklineSpec) error {
	switch {
	case op.Dates == "":
		return nil
	case strings.EqualFold(op.Dates, "none"):
		spec.dates, spec.attrs["dateAxis"] = new(string), ""
		return nil
	}
	on, r, err := p.sparklineSource(s, op.Dates, "dates")
	if err != nil {
		return err
	}
	if r.R1 != r.R2 && r.C1 != r.C2 {
		return formats.Errorf(formats.CodeInvalid, "dates %s must be one row or column", r)
	}
	f := formula.SheetPrefix(on) + r.String()
	spec.dates, spec.attrs["dateAxis"] = &f, "1"
	return nil
}

// sparklineSource reads Sheet!A1:B2 or A1:B2, on sheet s when it names none.
func (p *plan) sparklineSource(s *planSheet, text, what string) (sheet string, r cellref.Range, err error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "=")
	if name, rng, ok := cellref.CutSheet(text); ok {
		n := p.find(name)
		if n < 0 {
			return "", r, book.UnknownSheet(name)
		}
		s, text = p.sheets[n], rng
	}
	if r, err = cellref.ParseRange(strings.ReplaceAll(text, "$", "")); err != nil {
		return "", r, formats.Errorf(formats.CodeInvalid, "%s: %w", what, err)
	}
	return s.name, r, nil
}

// sparklinesOf gives each cell its row or column of the source, as Excel does.
func (p *plan) sparklinesOf(s *planSheet, cells []cellref.Range, source string) ([]sparkline, error) {
	on, src, err := p.sparklineSource(s, source, "source")
	if err != nil {
		return nil, err
	}
	if len(cells) > 1 {
		return nil, formats.Errorf(formats.CodeInvalid, "range must be one cell, row or column of cells where source is given, got %s", cellref.FormatList(cells))
	}
	at := cells[0]
	rows, cols := src.R2-src.R1+1, src.C2-src.C1+1
	n := (at.R2 - at.R1 + 1) * (at.C2 - at.C1 + 1)
	if n > maxSparklines {
		return nil, formats.Errorf(formats.CodeTooLarge, "range %s has more than %d cells; take a smaller one", at, maxSparklines)
	}
	byRow := at.C1 == at.C2
	switch {
	case at.R1 != at.R2 && at.C1 != at.C2:
		return nil, formats.Errorf(formats.CodeInvalid, "range %s must be one cell, or one row or column of cells", at)
	case n == 1 && rows > 1 && cols > 1:
		return nil, formats.Errorf(formats.CodeInvalid, "source %s must be one row or column for the one cell %s", src, at)
	case n == 1:
		return []sparkline{{cellref.At(at.R1, at.C1), formula.SheetPrefix(on) + src.String()}}, nil
	case byRow && rows == n, !byRow && cols != n && rows == n:
		byRow = true
	case cols == n:
		byRow = false
	default:
		return nil, formats.Errorf(formats.CodeInvalid, "source %s has %d rows and %d columns; for the %d cells of %s it needs as many rows, or as many columns", src, rows, cols, n, at)
	}
	out := make([]sparkline, n)
	for i := range out {
		shown := cellref.Block(src.R1+i, src.C1, src.R1+i, src.C2)
		if !byRow {
			shown = cellref.Block(src.R1, src.C1+i, src.R2, src.C1+i)
		}
		out[i].at = cellref.At(at.R1+i, at.C1)
		if at.R1 == at.R2 {
			out[i].at = cellref.At(at.R1, at.C1+i)
		}
		out[i].formula = formula.SheetPrefix(on) + shown.String()
	}
	return out, nil
}
