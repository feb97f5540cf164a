package xlsx

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// maxCopiedCells bounds what copy_sheet_from takes into memory.
const maxCopiedCells = 500_000

type copySheetFromArgs struct {
	Path string `json:"path" usage:"path" jsonschema:"{ops}: another workbook"`
	sheetArgs
	NewName string `json:"new_name" jsonschema:"{ops}"`
}

// sheetCopy is a sheet of another workbook on its way into this one.
type sheetCopy struct {
	p     *plan
	from  *workbook
	info  book.SheetInfo
	to    *planSheet
	d     *book.Display
	fixed func(style int) *stylesheet.Spec
	skip  int // style of the source that needs none here, -1: all do

	valued  int     // formulas copied as their values
	rules   int     // rules and validations left behind for their formulas
	hidden  int     // rows
	shift   float64 // from the source's calendar to this one, in days
	foreign *stylesheet.Foreign
}

// copySheetFrom makes a sheet from one of another workbook: values, formulas
// that stay within it, formats, sizes, merged cells, conditional formats,
// validations, links and comments.
func (p *plan) copySheetFrom(ctx context.Context, op copySheetFromArgs) (int, error) {
	switch {
	case strings.TrimSpace(op.Path) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "path is required: the workbook to copy from")
	case strings.TrimSpace(op.Sheet) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required: the sheet of %s to copy", op.Path)
	}
	from, closer, err := p.openOther(ctx, op.Path)
	if err != nil {
		return 0, err
	}
	defer closer()
	i := from.Find(op.Sheet)
	if i < 0 || !from.Sheets[i].Worksheet() {
		return 0, formats.Errorf(formats.CodeNotFound, "unknown sheet: %s (in %s)", op.Sheet, op.Path)
	}
	name := op.NewName
	if name == "" {
		name = from.Sheets[i].Name
	}
	if err := checkSheetName(name); err != nil {
		return 0, err
	}
	if j := p.find(name); j >= 0 && !p.fresh {
		return 0, formats.Errorf(formats.CodeInvalid, "there is a sheet %q already; give new_name", p.sheets[j].name)
	}
	c := &sheetCopy{p: p, from: from, info: from.Sheets[i]}
	if err := c.refuse(ctx); err != nil {
		return 0, err
	}
	if c.to, err = p.newSheet(name); err != nil {
		return 0, err
	}
	return c.copy(ctx)
}

// newSheet gives a sheet without content: a fresh workbook's only one, or a
// new one.
func (p *plan) newSheet(name string) (*planSheet, error) {
	if p.fresh {
		p.fresh = false
		p.sheets[0].name = name
		return p.sheets[0], nil
	}
	return p.ensure(name)
}

// refuse names what a copy would lose that the cells depend on, and notes what
// is left behind.
func (c *sheetCopy) refuse(ctx context.Context) error {
	rels, err := c.from.Package.Rels(ctx, c.info.Part)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, r := range rels {
		kind := r.Type[strings.LastIndexByte(r.Type, '/')+1:]
		if kind == "pivotTable" {
			return formats.Errorf(formats.CodeUnsupported, "the sheet %q has a pivot table, which cannot be copied to another workbook; copy its values with set_range", c.info.Name)
		}
		counts[kind]++
	}
	for _, k := range []struct{ rel, what string }{{"drawing", "its pictures, charts and shapes"}, {"table", "the frame of its tables (their cells are copied)"}, {"oleObject", "its embedded objects"}, {"control", "its form controls"}, {"ctrlProp", "its form controls"}, {"slicer", "its slicers"}} {
		if counts[k.rel] > 0 {
			c.p.warnOp("not copied with the sheet %q: %s", c.info.Name, k.what)
		}
	}
	return nil
}

func (c *sheetCopy) copy(ctx context.Context) (int, error) {
	var err error
	if c.d, err = c.from.Display(ctx); err != nil {
		return 0, err
	}
	if c.foreign, err = c.from.ForeignStyles(ctx, c.p.wb.Workbook); err != nil {
		return 0, err
	}
	specs := map[int]*stylesheet.Spec{}
	c.fixed = func(style int) *stylesheet.Spec {
		if specs[style] == nil {
			specs[style] = &stylesheet.Spec{Fixed: c.foreign.Xf(style)}
		}
		return specs[style]
	}
	mine, err := c.p.wb.ForeignStyles(ctx, c.p.wb.Workbook)
	if err != nil {
		return 0, err
	}
	if c.skip = -1; *mine.Xf(0) == *c.foreign.Xf(0) {
		c.skip = 0
	}
	if c.from.Date1904 != c.p.wb.Date1904 {
		c.shift = 1462 // days between the two calendars (18.17.4.1)
		if c.p.wb.Date1904 {
			c.shift = -c.shift
		}
	}
	skel, cells, err := c.rows(ctx)
	if err != nil {
		return 0, err
	}
	if err := c.around(ctx, skel); err != nil {
		return 0, err
	}
	if c.valued > 0 {
		c.p.warnOp("copied as values, since they refer to other sheets, names or tables: %s", formats.Count(c.valued, "formula"))
	}
	if c.rules > 0 {
		c.p.warnOp("not copied with the sheet %q: %s to other sheets, names or tables", c.info.Name, formats.Count(c.rules, "rule or validation that refers", "rules or validations that refer"))
	}
	if c.hidden > 0 {
		c.p.warnOp("shown in the copy, though hidden in %q: %s", c.info.Name, formats.Count(c.hidden, "row"))
	}
	return cells, nil
}

// rows copies the cells and what rows say.
func (c *sheetCopy) rows(ctx context.Context) (sheetml.Skeleton, int, error) {
	cells, row := 0, &rowRun{}
	for s, err := range c.from.Rows(ctx, c.info.Part, book.Window{}) {
		if errors.Is(err, sheetml.ErrNoCells) {
			err = formats.Errorf(formats.CodeUnsupported, "the sheet %q has no cells to copy", c.info.Name)
		}
		if err != nil {
			return sheetml.Skeleton{}, 0, err
		}
		if s.Event != sheetml.WholeCell {
			row.end(c)
		}
		switch s.Event {
		case sheetml.RowStart:
			c.row(s)
		case sheetml.WholeCell:
			if cells++; cells > maxCopiedCells {
				return sheetml.Skeleton{}, 0, formats.Errorf(formats.CodeTooLarge, "the sheet %q has more than %d cells; copy the file instead and delete what is not needed", c.info.Name, maxCopiedCells)
			}
			if err := c.cell(s); err != nil {
				return sheetml.Skeleton{}, 0, inCell(err, cellref.At(s.Cell.Row, s.Cell.Col))
			}
			row.add(c, s.Cell.Row, s.Cell.Col, s.Cell.Style)
		case sheetml.DataEnd:
			skel, err := s.Skeleton()
			return skel, cells, err
		}
	}
	return sheetml.Skeleton{}, cells, nil
}

// row takes the height and format of a row.
func (c *sheetCopy) row(s *sheetml.RowScanner) {
	tag := s.Raw()[s.Start:]
	if st := rowStyle(tag); st >= 0 {
		c.to.areas = append(c.to.areas, styleArea{cellref.Block(s.Row, 1, s.Row, cellref.MaxCol), c.fixed(st)})
	}
	if ht, err := strconv.ParseFloat(sheetml.AttrOf(closed(tag), "ht"), 64); err == nil && ht >= 0 && ht <= 409 {
		if c.to.heights == nil {
			c.to.heights = map[int]float64{}
		}
		c.to.heights[s.Row] = ht
	}
	if sheetml.IsTrue(sheetml.AttrOf(closed(tag), "hidden")) {
		c.hidden++
	}
}

// closed makes a start tag an element of its own.
func closed(tag []byte) []byte {
	if bytes.HasSuffix(tag, []byte("/>")) {
		return tag
	}
	return append(bytes.Clone(tag[:len(tag)-1]), '/', '>')
}

// rowRun gathers cells beside each other that look the same into one area.
type rowRun struct {
	cellref.Range
	style int
}

func (r *rowRun) add(c *sheetCopy, row, col, style int) {
	if !r.Empty() && r.style == style && r.R1 == row && r.C2 == col-1 {
		r.C2 = col
		return
	}
	r.end(c)
	r.Range, r.style = cellref.Block(row, col, row, col), style
}

func (r *rowRun) end(c *sheetCopy) {
	if !r.Empty() && r.style != c.skip {
		c.to.areas = append(c.to.areas, styleArea{r.Range, c.fixed(r.style)})
	}
	r.Range = cellref.Range{}
}

// cell copies the value of the scanner's cell.
func (c *sheetCopy) cell(s *sheetml.RowScanner) error {
	cl := &s.Cell
	if cl.Blank() {
		return nil
	}
	at := cellref.At(cl.Row, cl.Col)
	if cl.HasFormula {
		c.d.Note(s)
		fa := sheetml.ReadFormulaAttrs(s.Text(cl.FormulaTag))
		f, ok := c.local(c.d.Formula(s))
		if ok && f != "" && fa.Kind != "array" && fa.Kind != "dataTable" {
			c.to.set(at, value{kind: valFormula, s: f})
			return nil
		}
		c.valued++
	}
	v, err := c.value(s)
	if err == nil && v.kind != valClear {
		c.to.set(at, v)
	}
	return err
}

// value is the cell's constant or cached value.
func (c *sheetCopy) value(s *sheetml.RowScanner) (value, error) {
	cl := &s.Cell
	text := strings.TrimSpace(sheetml.CharData(s.Text(cl.Value)))
	switch cl.Type {
	case sheetml.TypeShared:
		return c.rich(c.d.Strings.Raw(sheetml.Atoi(sheetml.TrimSpace(s.Text(cl.Value))))), nil
	case sheetml.TypeInline:
		return c.rich(s.Text(cl.Inline)), nil
	case sheetml.TypeString:
		return value{kind: valText, s: sheetml.Unescape(sheetml.CharData(s.Text(cl.Value)))}, nil
	case sheetml.TypeBool:
		return value{kind: valBool, s: stylesheet.FlagText(sheetml.IsTrue(text))}, nil
	case sheetml.TypeError:
		return value{kind: valFormula, s: text}, nil
	case sheetml.TypeDate:
		if n, ok := numfmt.ISOSerial(text, c.p.wb.Date1904); ok {
			return value{kind: valNumber, s: strconv.FormatFloat(n, 'f', -1, 64)}, nil
		}
		return value{kind: valText, s: text}, nil
	}
	if text == "" {
		return value{}, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return value{}, formats.Errorf(formats.CodeCorrupt, "%s is no number", cellref.QuoteArg(text))
	}
	if c.shift != 0 && c.d.Styles.Format(cl.Style).IsDate() {
		text = strconv.FormatFloat(n+c.shift, 'f', -1, 64)
	}
	return value{kind: valNumber, s: text}, nil
}

// rich keeps the formatting of a text within a cell.
func (c *sheetCopy) rich(raw []byte) value {
	r := parseRst(raw)
	formatted := false
	for _, x := range r.runs {
		formatted = formatted || len(x.props) > 0
	}
	if !formatted {
		return value{kind: valText, s: sheetml.PlainText(raw)}
	}
	r.rest = nil // phonetics refer to fonts by number
	xml := r.xml(r.runs)
	if r.prefix != "" {
		xml = strings.ReplaceAll(strings.ReplaceAll(xml, "<"+r.prefix, "<"), "</"+r.prefix, "</")
	}
	return value{kind: valRich, s: c.foreign.Plain([]byte(xml))}
}

// local gives a formula that refers to its own sheet only, without that
// sheet's name; false for one that needs anything else of its workbook.
func (c *sheetCopy) local(f string) (string, bool) {
	var sb strings.Builder
	pos := 0
	for t := range formula.Tokens(f) {
		switch {
		case t.Kind == formula.External, t.Kind == formula.Structured, t.LastSheet != "":
			return "", false
		case t.Sheet != "" && !strings.EqualFold(t.Sheet, c.info.Name):
			return "", false
		case t.Kind == formula.Name:
			word := strings.ToUpper(f[t.Body:t.End])
			if _, err := strconv.ParseFloat(word, 64); err != nil && word != "TRUE" && word != "FALSE" {
				return "", false
			}
		}
		if t.Sheet != "" {
			sb.WriteString(f[pos:t.Start])
			pos = t.Body
		}
	}
	return sb.String() + f[pos:], true
}
