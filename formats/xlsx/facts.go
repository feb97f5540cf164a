package xlsx

import (
	"context"
	"errors"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// maxFormulas is how many formulas of a workbook are held in memory; with more,
// they are read from the file as often as it takes.
const maxFormulas = 300_000

// formulaCell is a formula of the file.
type formulaCell struct {
	row, col int
	text     string        // of its own or of its group, shifted to it
	spill    cellref.Range // the block its result fills, for an array or data table
	table    bool          // a what-if data table: its inputs are elsewhere
	group    int           // 1 + index of its shared formula, 0 for none
	master   bool          // it holds the text of its group
	cached   bool          // it has a value
}

// facts are what one pass over a sheet finds out before it is edited.
type facts struct {
	info       sheetInfo
	skel       skeleton
	selfData   bool
	prefix     string
	used       cellref.Range
	formulas   []formulaCell
	many       bool // there were more than could be kept
	hasF       bool
	shared     map[int]sharedFormula
	exists     map[cellref.Cell]bool // edited cells that are there
	rowExists  map[int]bool
	hiddenRows map[int]bool           // of those with edited cells
	editedF    bool                   // an edited cell held a formula
	expand     map[int]sharedFormula  // groups whose master is edited
	strCells   map[int][]cellref.Cell // cells by shared string index, of those asked for
	styles     *sheetStyles           // the areas with the styles found in them
}

// scanOptions say what a scan is for.
type scanOptions struct {
	cells   map[cellref.Cell]value
	heights map[int]float64
	budget  *int         // formulas left to keep; a long one counts as several
	strings map[int]bool // shared strings whose cells are wanted
	areas   []styleArea  // formats to put on cells
	dates   map[cellref.Cell]*dateCell
}

// scanSheet reads the facts of a worksheet; errNoData when it has no rows.
func scanSheet(ctx context.Context, pkg *opc.Package, info sheetInfo, o scanOptions) (*facts, error) {
	s, rc, err := openRows(ctx, pkg, info.part)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	head, err := s.head()
	if err != nil && !errors.Is(err, errNoData) {
		return nil, err
	}
	f := &facts{info: info, selfData: s.selfData, prefix: s.prefix, exists: map[cellref.Cell]bool{}, rowExists: map[int]bool{}}
	if err != nil {
		f.skel = skeleton{doc: xmlscan.UTF8(head), cut: len(head)}
		return f, err
	}
	edited := map[int]bool{}
	for at := range o.cells {
		edited[at.Row] = true
	}
	for r := range o.heights {
		edited[r] = true
	}
	f.styles = newSheetStyles(o.areas, skeleton{doc: head, cut: len(head)}.colStyles())
	if f.styles != nil {
		f.styles.dates, f.styles.found = o.dates, map[cellref.Cell]int{}
	}
	if err := f.scanRows(s, o, edited); err != nil {
		return nil, err
	}
	tail, err := s.tail()
	if err != nil {
		return nil, err
	}
	f.skel = skeleton{doc: append(head, tail...), cut: len(head)}
	return f, nil
}

func (f *facts) scanRows(s *rowScanner, o scanOptions, edited map[int]bool) error {
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		switch ev {
		case evEnd:
			return nil
		case evRow:
			if edited[s.row] || f.styles.makes(s.row) {
				f.rowExists[s.row] = true
			}
			if edited[s.row] && hiddenRow(s.raw()[s.start:]) {
				if f.hiddenRows == nil {
					f.hiddenRows = map[int]bool{}
				}
				f.hiddenRows[s.row] = true
			}
			if f.styles != nil {
				f.styles.noteRow(s.row, s.raw()[s.start:])
			}
		case evCell:
			c := &s.cell
			if !c.blank() {
				f.used.Add(c.row, c.col)
			}
			if f.styles != nil {
				f.styles.noteCell(c.row, c.col, c.style)
			}
			hit := false
			if len(o.cells) > 0 && edited[c.row] {
				at := cellref.At(c.row, c.col)
				if _, hit = o.cells[at]; hit {
					f.exists[at] = true
				}
			}
			if c.hasF {
				f.formula(s, hit, o.budget)
			}
			if len(o.strings) > 0 && c.typ == typeShared && c.v.ok() {
				if i := atoi(trimSpace(s.text(c.v))); o.strings[i] {
					if f.strCells == nil {
						f.strCells = map[int][]cellref.Cell{}
					}
					f.strCells[i] = append(f.strCells[i], cellref.At(c.row, c.col))
				}
			}
		}
	}
}

// formula takes note of the current cell's formula.
func (f *facts) formula(s *rowScanner, edited bool, budget *int) {
	c := &s.cell
	f.hasF = true
	fa := readFormulaAttrs(s.text(c.fTag))
	text := ""
	if c.f.ok() {
		text = charData(s.text(c.f))
	}
	if fa.kind == "shared" && text != "" {
		if f.shared == nil {
			f.shared = map[int]sharedFormula{}
		}
		f.shared[fa.si] = sharedFormula{text, c.row, c.col}
		if edited {
			if f.expand == nil {
				f.expand = map[int]sharedFormula{}
			}
			f.expand[fa.si] = f.shared[fa.si]
		}
	}
	f.editedF = f.editedF || edited
	if budget == nil {
		return
	}
	if *budget <= 0 {
		f.many = true
		// Arrays still matter: their cells must not be edited one by one.
		if fa.ref.Empty() || fa.kind == "shared" {
			return
		}
	}
	*budget -= 1 + len(text)/128
	fc := formulaCell{row: c.row, col: c.col, text: text, cached: !c.noValue()}
	switch fa.kind {
	case "shared":
		fc.group, fc.master = fa.si+1, text != ""
		if m, ok := f.shared[fa.si]; ok && text == "" {
			*budget -= len(m.text) / 32
			fc.text = formula.Move(m.text, c.row-m.row, c.col-m.col)
		}
	case "array", "dataTable":
		fc.spill, fc.table = fa.ref, fa.kind == "dataTable"
	}
	f.formulas = append(f.formulas, fc)
}
