package xlsx

import (
	"context"
	"errors"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxFormulas is how many formulas are followed or calculated at once.
const maxFormulas = 300_000

// maxHeldFormulas is how many formulas of a workbook are held in memory; with more, they
// are read from the file as often as it takes. A test makes it smaller.
var maxHeldFormulas = 1_200_000

// facts are what one pass over a sheet finds out before it is edited.
type facts struct {
	info       book.SheetInfo
	skel       sheetml.Skeleton
	selfData   bool
	prefix     string
	used       cellref.Range
	formulas   formulaList
	many       bool // there were more than could be kept
	hasF       bool
	shared     map[int]book.SharedFormula
	exists     map[cellref.Cell]bool // edited cells that are there
	cellStyles map[cellref.Cell]int  // of those, but for the default
	rowExists  map[int]bool
	rowStyles  map[int]int                // of the rows with edited cells that have a format
	hiddenRows map[int]bool               // of the edited ones
	editedF    bool                       // an edited cell held a formula
	expand     map[int]book.SharedFormula // groups whose master is edited
	strCells   cellref.Set                // cells with shared strings that were asked for
	strHeads   []stringCell               // those of them that tables repeat
	styles     *sheetStyles               // the areas with the styles found in them
	layout     *book.PartLayout           // nil where it was not asked for
	ordered    bool                       // columns rise within every row
	column     int                        // of the last cell
}

// scanOptions say what a scan is for.
type scanOptions struct {
	cells   map[cellref.Cell]value
	heights map[int]float64
	hidden  hiddenRuns                                                                // rows to hide or to show
	budget  *int                                                                      // formulas left to keep; a long one counts as several
	strings func(int) bool                                                            // tells the shared strings whose cells are wanted; nil for none
	tables  []*book.Table                                                             // of the sheet
	each    func(*sheetml.RowScanner) error                                           // nil, or what looks at every cell too
	row     func(*sheetml.RowScanner)                                                 // the same of rows
	alike   func(*sheetml.RowScanner, *sheetml.RowForm, []sheetml.Span) (bool, error) // nil, or what takes in a row of a form instead of each; false where it does not
	areas   []styleArea                                                               // formats to put on cells
	dates   map[cellref.Cell]*dateCell
	marks   int // most marks of the layout; 0 for none
}

// scanSheet reads the facts of a worksheet; errNoData when it has no rows.
func scanSheet(ctx context.Context, pkg *opc.Package, info book.SheetInfo, o scanOptions) (*facts, error) {
	f := &facts{info: info, ordered: true, exists: map[cellref.Cell]bool{}, rowExists: map[int]bool{}}
	edited := o.rows()
	if o.marks > 0 {
		f.layout = &book.PartLayout{Marks: o.marks}
	}
	for s, err := range book.Rows(ctx, pkg, info.Part, book.Window{Layout: f.layout}) {
		if errors.Is(err, sheetml.ErrNoCells) {
			f.selfData, f.prefix = s.SelfData, s.Prefix
			f.skel = sheetml.Skeleton{Doc: xmlscan.UTF8(s.HeadXML), Cut: len(s.HeadXML)}
			return f, err
		}
		if err != nil {
			return nil, err
		}
		switch s.Event {
		case sheetml.HeadEnd:
			f.selfData, f.prefix = s.SelfData, s.Prefix
			f.styles = newSheetStyles(o.areas, sheetml.Skeleton{Doc: s.HeadXML, Cut: len(s.HeadXML)}.ColStyles())
			if f.styles != nil {
				f.styles.dates, f.styles.found = o.dates, map[cellref.Cell]int{}
			}
		case sheetml.RowStart:
			if o.row != nil {
				o.row(s)
			}
			f.row(s, edited, o.hidden)
			if err := f.alike(s, o, edited); err != nil {
				return nil, err
			}
		case sheetml.WholeCell:
			if o.each != nil {
				if err := o.each(s); err != nil {
					return nil, err
				}
			}
			f.cell(s, o, edited)
		case sheetml.DataEnd:
			if f.skel, err = s.Skeleton(); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// rows are the rows that are edited.
func (o scanOptions) rows() map[int]bool {
	edited := map[int]bool{}
	for at := range o.cells {
		edited[at.Row] = true
	}
	for r := range o.heights {
		edited[r] = true
	}
	return edited
}

// row takes note of the row whose start tag was read.
func (f *facts) row(s *sheetml.RowScanner, edited map[int]bool, hidden hiddenRuns) {
	f.column = 0
	_, hides := hidden.at(s.Row)
	if edited[s.Row] || hides || f.styles.makes(s.Row) {
		f.rowExists[s.Row] = true
	}
	if edited[s.Row] {
		f.rowStyle(s)
	}
	if (edited[s.Row] || hides) && hiddenRow(s.Raw()[s.Start:]) {
		if f.hiddenRows == nil {
			f.hiddenRows = map[int]bool{}
		}
		f.hiddenRows[s.Row] = true
	}
	if f.styles != nil {
		f.styles.noteRow(s.Row, s.Raw()[s.Start:])
	}
}

// cellStyle takes note of the format of an edited cell.
func (f *facts) cellStyle(at cellref.Cell, style int) {
	if style == 0 {
		return
	}
	if f.cellStyles == nil {
		f.cellStyles = map[cellref.Cell]int{}
	}
	f.cellStyles[at] = style
}

// rowStyle takes note of the format that the row gives to new cells (18.3.1.73).
func (f *facts) rowStyle(s *sheetml.RowScanner) {
	tag := s.Raw()[s.Start:]
	sp, ok := attrSpan(tag, "s")
	if !ok {
		return
	}
	if f.rowStyles == nil {
		f.rowStyles = map[int]int{}
	}
	f.rowStyles[s.Row] = sheetml.Atoi(tag[sp.Start:sp.End])
}

// cell takes note of the current cell.
func (f *facts) cell(s *sheetml.RowScanner, o scanOptions, edited map[int]bool) {
	c := &s.Cell
	f.ordered = f.ordered && c.Col > f.column
	f.column = c.Col
	if !c.Blank() {
		f.used.Add(c.Row, c.Col)
	}
	if f.styles != nil {
		f.styles.noteCell(c.Row, c.Col, c.Style)
	}
	hit := false
	if len(o.cells) > 0 && edited[c.Row] {
		at := cellref.At(c.Row, c.Col)
		if _, hit = o.cells[at]; hit {
			f.exists[at] = true
			f.cellStyle(at, c.Style)
		}
	}
	if c.HasFormula {
		f.formula(s, hit, o.budget)
	}
	if o.strings != nil && c.Type == sheetml.TypeShared && c.Value.OK() {
		f.sharedString(o, sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value))), cellref.At(c.Row, c.Col))
	}
}

// sharedString takes note of a cell with shared string i where it is wanted.
func (f *facts) sharedString(o scanOptions, i int, at cellref.Cell) {
	if !o.strings(i) {
		return
	}
	f.strCells.Add(at.Row, at.Col)
	if inTableLine(o.tables, at) {
		f.strHeads = append(f.strHeads, stringCell{i, at})
	}
}

// stringCell is a cell with a shared string.
type stringCell struct {
	n  int // its index
	at cellref.Cell
}

// sharedMaster takes note of the master of a shared formula, which has to be
// written out where the edit replaces it.
func (f *facts) sharedMaster(i int, m book.SharedFormula, edited bool) {
	if f.shared == nil {
		f.shared = map[int]book.SharedFormula{}
	}
	f.shared[i] = m
	if !edited {
		return
	}
	if f.expand == nil {
		f.expand = map[int]book.SharedFormula{}
	}
	f.expand[i] = m
}

// formula takes note of the current cell's formula.
func (f *facts) formula(s *sheetml.RowScanner, edited bool, budget *int) {
	c := &s.Cell
	f.hasF = true
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	text := ""
	if c.Formula.OK() {
		text = sheetml.CharData(s.Text(c.Formula))
	}
	if fa.Kind == "shared" && text != "" {
		f.sharedMaster(fa.SharedIndex, book.SharedFormula{Text: text, Row: c.Row, Col: c.Col}, edited)
	}
	f.editedF = f.editedF || edited
	if budget == nil {
		return
	}
	if *budget <= 0 {
		f.many = true
		// Arrays still matter: their cells must not be edited one by one.
		if fa.Ref.Empty() || fa.Kind == "shared" {
			return
		}
	}
	*budget -= 1 + len(text)/128
	fc := book.FormulaCell{Row: c.Row, Col: c.Col, Text: text, Cached: !c.NoValue()}
	switch fa.Kind {
	case "shared":
		fc.Group, fc.Master = fa.SharedIndex+1, text != ""
		if m, ok := f.shared[fa.SharedIndex]; ok && text == "" {
			*budget -= len(m.Text) / 32
			fc.Text = formula.Move(m.Text, c.Row-m.Row, c.Col-m.Col)
		}
	case "array", "dataTable":
		fc.Spill, fc.Table = fa.Ref, fa.Kind == "dataTable"
		fc.Dynamic = fa.Kind == "array" && s.HasCellMetadata()
		fc.Blocked = fc.Dynamic && c.Type == sheetml.TypeError && string(sheetml.TrimSpace(s.Text(c.Value))) == "#SPILL!"
	}
	f.formulas.add(fc)
}
