package reader

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// Bounds of estimates: over them a formula is shown without one.
const (
	maxEstimateFile  = 5 << 20
	maxEstimateXML   = 64 << 20 // inflated size of all sheets
	maxEstimateCells = 300_000  // of the workbook
	maxEstimateArea  = 100_000  // cells one formula reads
	maxEstimateWork  = 2_000_000
	maxEstimateDepth = 500
	maxEstimateRow   = 20_000 // the library makes all rows above a cell
	maxEstimateCol   = 500
	formulaWork      = 50 // of calculating one formula, beside the cells it reads; 2,000,000 take about two seconds
)

// estimable are the functions that the library calculates as Excel does.
var estimable = map[string]bool{
	"SUM": true, "AVERAGE": true, "MIN": true, "MAX": true, "COUNT": true, "COUNTA": true, "PRODUCT": true,
	"IF": true, "IFERROR": true, "AND": true, "OR": true, "NOT": true, "ABS": true, "INT": true, "MOD": true,
	"ROUND": true, "ROUNDUP": true, "ROUNDDOWN": true, "SUMIF": true, "COUNTIF": true,
	"CONCATENATE": true, "LEFT": true, "RIGHT": true, "MID": true, "LEN": true, "UPPER": true, "LOWER": true, "TRIM": true,
}

// estimator calculates simple formulas that have no cached value. The library
// never sees the file: it gets a scratch workbook with the cells one formula
// reads, their values found first, so that it neither recurses nor meets
// anything the estimator has not checked.
type estimator struct {
	unavailable string // why there are no estimates
	styles      *stylesheet.Formats
	sheets      map[string]int // lower-case name → index into cells and names
	names       []string
	cells       []map[cellref.Cell]*estCell
	scratch     *excelize.File
	placed      map[string]bool
	ctx         context.Context // of the read
	work        int
}

type estCell struct {
	typ     sheetml.CellType
	text    string // as in the file, shared strings looked up
	formula string // of a cell without value
	state   int8   // of the formula: 0 not tried, 1 being calculated, 2 known, 3 failed
	style   int
}

// estimator loads the cells of the workbook; one that is too large gives an
// estimator that says so.
func (wb reading) estimator(ctx context.Context, d *book.Display) (*estimator, error) {
	e := &estimator{styles: d.Styles, sheets: map[string]int{}, placed: map[string]bool{}, ctx: ctx}
	xml := int64(0)
	for _, sh := range wb.Sheets {
		if sh.Worksheet() {
			xml += wb.Package.Size(sh.Part)
		}
	}
	if wb.Package.Source().Size() > maxEstimateFile || xml > maxEstimateXML || d.Strings.Wanted != nil {
		e.unavailable = "the workbook is too large for estimates"
		return e, nil
	}
	left := maxEstimateCells
	for _, sh := range wb.Sheets {
		if !sh.Worksheet() {
			continue
		}
		cells, err := wb.estimateCells(ctx, d, sh.Part, &left)
		if err != nil {
			return nil, err
		}
		if left < 0 {
			return &estimator{unavailable: "the workbook has too many cells for estimates"}, nil
		}
		e.sheets[strings.ToLower(sh.Name)] = len(e.names)
		e.names = append(e.names, "S"+strconv.Itoa(len(e.names)+1))
		e.cells = append(e.cells, cells)
	}
	return e, nil
}

func (wb reading) estimateCells(ctx context.Context, d *book.Display, part string, left *int) (map[cellref.Cell]*estCell, error) {
	cells := map[cellref.Cell]*estCell{}
	own := &book.Display{Styles: d.Styles, Strings: d.Strings, Room: d.Room}
	for s, err := range wb.Rows(ctx, part, book.Window{Display: own}) {
		if err != nil || *left < 0 {
			return cells, book.IgnoreNoCells(err)
		}
		c := &s.Cell
		if s.Event != sheetml.WholeCell || c.Blank() {
			continue
		}
		*left--
		one := &estCell{typ: c.Type, style: c.Style}
		if c.HasFormula && c.Value.End == c.Value.Start && !(c.Type == sheetml.TypeString && c.Value.OK()) {
			one.formula = own.Formula(s)
			*left -= len(one.formula) / 64 // long ones count for more
		}
		one.text = heldText(own.Strings, s)
		cells[cellref.At(c.Row, c.Col)] = one
		*left -= len(one.text) / 1024
	}
	return cells, nil
}

// heldText is the value of the scanner's cell as text.
func heldText(strs *book.SharedStrings, s *sheetml.RowScanner) string {
	c := &s.Cell
	switch {
	case c.Type == sheetml.TypeShared:
		return strs.Held(sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))))
	case c.Type == sheetml.TypeInline && c.Inline.OK():
		return sheetml.PlainText(s.Text(c.Inline))
	case c.Value.OK():
		return sheetml.Unescape(sheetml.CharData(s.Text(c.Value)))
	}
	return ""
}

// value is the estimate of a formula cell as it would be shown; ok is false
// when there is none. A nil estimator has none.
func (e *estimator) value(sheet string, c *sheetml.Cell) (shown string, ok bool) {
	if e == nil || e.unavailable != "" {
		return "", false
	}
	at, known := e.sheets[strings.ToLower(sheet)]
	if !known {
		return "", false
	}
	one := e.cells[at][cellref.At(c.Row, c.Col)]
	if one == nil || !e.calculate(at, one, 0) {
		return "", false
	}
	f := e.styles.Format(one.style)
	if one.typ == sheetml.TypeNumber {
		v, err := strconv.ParseFloat(one.text, 64)
		return f.Number(v, e.styles.Date1904), err == nil
	}
	return f.Text(one.text), true
}

// calculate makes one, a formula of sheet index at, a cell with a value.
func (e *estimator) calculate(at int, one *estCell, depth int) bool {
	if one.formula == "" || one.state == 2 {
		return one.typ != sheetml.TypeError
	}
	if one.state != 0 || depth > maxEstimateDepth || e.work > maxEstimateWork || e.ctx.Err() != nil {
		return false
	}
	e.work += formulaWork
	one.state = 1
	prepared, ok := e.prepare(at, one.formula, depth)
	if ok {
		ok = e.run(prepared, one)
	}
	if one.state = 2; !ok {
		one.state = 3
	}
	return ok
}

// prepare checks a formula, puts the cells it reads into the scratch workbook
// and gives the formula with the scratch's names of sheets.
func (e *estimator) prepare(at int, f string, depth int) (string, bool) {
	var out strings.Builder
	if len(f) > 8192 {
		return "", false
	}
	for t := range formula.Tokens(f) {
		text := f[t.Start:t.End]
		switch t.Kind {
		case formula.Ref:
			sheet, known := e.sheetOf(t, at)
			if !known || !e.place(sheet, t.Range(), depth) {
				return "", false
			}
			text = e.names[sheet] + "!" + f[t.Body:t.End]
		default:
			if !estimableToken(t.Kind, text) {
				return "", false
			}
		}
		out.WriteString(text)
	}
	return out.String(), true
}

// sheetOf returns the sheet that a reference in sheet at names.
func (e *estimator) sheetOf(t formula.Token, at int) (sheet int, known bool) {
	if t.Sheet == "" {
		return at, true
	}
	sheet, known = e.sheets[strings.ToLower(t.Sheet)]
	return sheet, known && t.LastSheet == ""
}

// estimableToken reports whether the calculator knows a token that is no
// reference.
func estimableToken(kind formula.Kind, text string) bool {
	switch kind {
	case formula.Function:
		return estimable[strings.ToUpper(strings.TrimPrefix(text, "_xlfn."))]
	case formula.Name:
		c := text[0]
		return c >= '0' && c <= '9' || c == '.' || strings.EqualFold(text, "TRUE") || strings.EqualFold(text, "FALSE")
	case formula.String:
		return true
	case formula.Other:
		return !strings.ContainsAny(text, "{}@#[]!")
	}
	return false
}

// place puts the cells of a block into the scratch workbook, calculated first
// where they are formulas themselves.
func (e *estimator) place(sheet int, r cellref.Range, depth int) bool {
	area := (r.R2 - r.R1 + 1) * (r.C2 - r.C1 + 1)
	if r.R2 > maxEstimateRow || r.C2 > maxEstimateCol {
		return false
	}
	if e.work += area; r.Empty() || area > maxEstimateArea || e.work > maxEstimateWork {
		return false
	}
	for row := r.R1; row <= r.R2; row++ {
		for col := r.C1; col <= r.C2; col++ {
			if !e.placeCell(sheet, cellref.At(row, col), depth) {
				return false
			}
		}
	}
	return true
}

// placeCell is place for one cell.
func (e *estimator) placeCell(sheet int, at cellref.Cell, depth int) bool {
	one := e.cells[sheet][at]
	if one == nil {
		return true
	}
	if one.typ == sheetml.TypeError || one.typ == sheetml.TypeDate || !e.calculate(sheet, one, depth+1) {
		return false
	}
	return e.put(sheet, at, one) == nil
}

// put writes one cell into the scratch workbook, once.
func (e *estimator) put(sheet int, at cellref.Cell, one *estCell) error {
	name, cell := e.names[sheet], cellref.Name(at.Row, at.Col)
	if e.placed[name+cell] {
		return nil
	}
	e.placed[name+cell] = true
	if err := e.open(); err != nil {
		return err
	}
	switch one.typ {
	case sheetml.TypeNumber:
		v, err := strconv.ParseFloat(strings.TrimSpace(one.text), 64)
		if err != nil {
			return err
		}
		return e.scratch.SetCellFloat(name, cell, v, -1, 64)
	case sheetml.TypeBool:
		return e.scratch.SetCellBool(name, cell, sheetml.IsTrue(one.text) || one.text == "TRUE")
	}
	return e.scratch.SetCellStr(name, cell, one.text)
}

func (e *estimator) open() error {
	if e.scratch != nil {
		return nil
	}
	e.scratch = excelize.NewFile()
	for _, n := range e.names {
		if _, err := e.scratch.NewSheet(n); err != nil {
			return err
		}
	}
	return nil
}

// run lets the library calculate one formula over values. It may panic on what
// it does not know.
func (e *estimator) run(formula string, one *estCell) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if e.open() != nil {
		return false
	}
	// On a sheet of its own: no formula that is calculated reads a formula.
	const name, cell = "Sheet1", "A1"
	if e.scratch.SetCellFormula(name, cell, formula) != nil {
		return false
	}
	v, err := e.scratch.CalcCellValue(name, cell, excelize.Options{RawCellValue: true})
	if e.scratch.SetCellFormula(name, cell, "") != nil || err != nil {
		return false
	}
	one.typ, one.text = sheetml.TypeString, v
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		one.typ = sheetml.TypeNumber
	} else if v == "TRUE" || v == "FALSE" {
		one.typ = sheetml.TypeBool
	}
	return true
}

// note says why there are no estimates, "" when there can be.
func (e *estimator) note() string {
	if e == nil || e.unavailable == "" {
		return ""
	}
	return fmt.Sprintf("(no estimates: %s)", e.unavailable)
}
