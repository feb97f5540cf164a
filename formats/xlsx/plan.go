package xlsx

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/calc"
	"atelier/formats/xlsx/internal/cellref"
)

// plan is what the operations of one Apply come to: all are collected before
// the first byte is written, so that later ones see earlier ones and a bad one
// leaves nothing behind.
type plan struct {
	wb      *workbook
	fresh   bool // a new workbook whose only sheet nobody has named yet
	sheets  []*planSheet
	deleted []*planSheet // those that the file has
	warned  map[string]bool
	report  formats.Report
	opt     formats.ApplyOptions
	at      formats.OpReport // report of the op being taken in
	dynamic bool             // it writes dynamic array formulas
	typed   bool             // its operations write cells as a person does
	forms   *calc.Book       // names and sheets, to tell what a formula gives; nil until it is asked
	noDates []string         // its texts that look like dates and are none
	errors  []string         // its texts that became errors
	threads bool             // the workbook has comment threads, or its operations make some
	made    map[string]bool  // names that the operations of the call make, in lower case
	marked  int              // marks that the layouts of its sheets have
}

// planSheet is a sheet as it will be.
type planSheet struct {
	name       string
	info       book.SheetInfo
	orig       int // index in wb.sheets, -1 for a new one
	cells      map[cellref.Cell]value
	widths     map[int]float64
	unsized    map[int]float64 // widths for columns that have none of their own
	heights    map[int]float64
	hidden     hiddenRuns                 // rows to hide or to show
	freeze     *cellref.Cell              // 0-based first scrolling row and column
	hf         map[string]string          // page headers and footers by element name
	areas      []styleArea                // formats to put on cells, in order
	styled     int                        // how many cells they format one by one
	deferred   []deferredEdit             // what is done around the rows, in order
	colsFollow bool                       // the formats of whole columns are among them
	fitted     bool                       // a width depends on what cells show
	raws       map[cellref.Cell]rawCell   // cells written as they are given here
	dates      map[cellref.Cell]*dateCell // texts that may become dates
	heads      []cellref.Range            // headers of tables that operations made
	edits      []xmlscan.Splice           // of what stands around the rows
	arrays     []cellref.Cell             // where array formulas over several cells were put
	restored   *restoration               // cells that differ already, see Settle; nil none
	texts      *replacedTexts             // texts that are replaced as the sheet is written; nil none
	moved      *movedRows                 // rows that go to other places; nil none
	known      *facts                     // what an operation read of the sheet for this plan; nil nothing
}

func (s *planSheet) touched() bool {
	return len(s.cells) > 0 || s.texts != nil || s.moved != nil || len(s.widths) > 0 || len(s.heights) > 0 || len(s.hidden) > 0 || s.freeze != nil || len(s.hf) > 0 || len(s.areas) > 0 || len(s.deferred) > 0 || len(s.edits) > 0 || s.restored != nil
}

// plans reports whether the plan writes a cell, or moves another one there.
func (s *planSheet) plans(at cellref.Cell) bool {
	_, edited := s.cells[at]
	return edited || s.moved.has(at.Row, at.Col)
}

// writes reports whether the plan writes any cells.
func (s *planSheet) writes() bool { return len(s.cells) > 0 || s.texts != nil || s.moved != nil }

func newPlan(wb *workbook, fresh bool) *plan {
	p := &plan{wb: wb, fresh: fresh, warned: map[string]bool{}}
	for i, s := range wb.Sheets {
		p.sheets = append(p.sheets, &planSheet{name: s.Name, info: s, orig: i})
	}
	return p
}

// maxWarnings is as many as are of use to anyone.
const maxWarnings = 50

// warn adds a warning about the document once.
func (p *plan) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if !p.warned[w] && len(p.warned) < maxWarnings {
		p.warned[w] = true
		p.report.Warnings = append(p.report.Warnings, w)
	}
}

func (p *plan) find(name string) int {
	for i, s := range p.sheets {
		if strings.EqualFold(s.name, name) {
			return i
		}
	}
	return -1
}

// ensure gives the sheet of that name, making it when it is missing.
func (p *plan) ensure(name string) (*planSheet, error) {
	if i := p.find(name); i >= 0 && name != "" {
		p.fresh = false
		return p.sheets[i], nil
	}
	if err := checkSheetName(name); err != nil {
		return nil, err
	}
	if p.fresh {
		p.fresh = false
		p.sheets[0].name = name
		return p.sheets[0], nil
	}
	if p.wb.Locked {
		p.warn("the structure of the workbook is protected; the sheet %q was added all the same", name)
	}
	s := &planSheet{name: name, orig: -1, info: book.SheetInfo{Name: name, Kind: "worksheet"}}
	p.sheets = append(p.sheets, s)
	return s, nil
}

// writable gives the sheet to write cells to.
func (p *plan) writable(name string) (*planSheet, error) {
	if strings.TrimSpace(name) == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	s, err := p.ensure(name)
	if err != nil {
		return nil, err
	}
	if s.orig >= 0 && !s.info.Worksheet() {
		return nil, formats.Errorf(formats.CodeUnsupported, "the sheet %q is a %s: it has no cells", s.name, s.info.Kind)
	}
	return s, nil
}

func (s *planSheet) set(at cellref.Cell, v value) {
	if s.cells == nil {
		s.cells = map[cellref.Cell]value{}
	}
	s.cells[at] = v
	delete(s.dates, at)
}
