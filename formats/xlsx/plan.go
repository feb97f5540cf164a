package xlsx

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// plan is what the operations of one Apply come to: all are collected before
// the first byte is written, so that later ones see earlier ones and a bad one
// leaves nothing behind.
type plan struct {
	wb       *workbook
	fresh    bool // a new workbook whose only sheet nobody has named yet
	sheets   []*planSheet
	deleted  []*planSheet // those that the file has
	warned   map[string]bool
	report   formats.Report
	opt      formats.ApplyOptions
	at       formats.OpReport // report of the op being taken in
	typed    bool             // its operations write cells as a person does
	spilling []string         // its formulas that would give several values
	noDates  []string         // its texts that look like dates and are none
}

// planSheet is a sheet as it will be.
type planSheet struct {
	name    string
	info    sheetInfo
	orig    int // index in wb.sheets, -1 for a new one
	cells   map[cellref.Cell]value
	widths  map[int]float64
	heights map[int]float64
	freeze  *cellref.Cell              // 0-based first scrolling row and column
	hf      map[string]string          // page headers and footers by element name
	areas   []styleArea                // formats to put on cells, in order
	styled  int                        // how many cells they format one by one
	objects []pending                  // what is done around the rows, in order
	fitted  bool                       // a width depends on what cells show
	raws    map[cellref.Cell]rawCell   // cells written as they are given here
	dates   map[cellref.Cell]*dateCell // texts that may become dates
	heads   []cellref.Range            // headers of tables that operations made
	edits   []xmlscan.Splice           // of what stands around the rows
}

func (s *planSheet) touched() bool {
	return len(s.cells) > 0 || len(s.widths) > 0 || len(s.heights) > 0 || s.freeze != nil || len(s.hf) > 0 || len(s.areas) > 0 || len(s.objects) > 0 || len(s.edits) > 0
}

func newPlan(wb *workbook, fresh bool) *plan {
	p := &plan{wb: wb, fresh: fresh, warned: map[string]bool{}}
	for i, s := range wb.sheets {
		p.sheets = append(p.sheets, &planSheet{name: s.name, info: s, orig: i})
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

// run takes one op into the plan.
func (p *plan) run(ctx context.Context, index int, raw json.RawMessage) error {
	op, err := decodeOp(raw)
	rep := formats.OpReport{Index: index, Op: op.Op, Ignored: members.Ignored(raw)}
	if err == nil {
		p.at = rep
		rep.Cells, err = p.do(ctx, op)
		rep.Warnings = p.at.Warnings
	}
	if err != nil {
		return formats.InOp(err, index, op.Op)
	}
	p.report.Ops = append(p.report.Ops, rep)
	return nil
}

func (p *plan) do(ctx context.Context, op Operation) (cells int, err error) {
	if do := cellOps[op.Op]; do != nil {
		return do(p, ctx, op)
	}
	if op.Op == "" {
		_, names := editor{}.Operation()
		return 0, formats.Errorf(formats.CodeInvalid, "op is required; it is one of %s", strings.Join(names, ", "))
	}
	return 0, &formats.Error{Code: formats.CodeInvalid, Message: "unsupported op: " + op.Op}
}

func (p *plan) ensureSheet(_ context.Context, op Operation) (int, error) {
	_, err := p.ensure(op.Sheet)
	return 0, err
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
	if p.wb.locked {
		p.warn("the structure of the workbook is protected; the sheet %q was added all the same", name)
	}
	s := &planSheet{name: name, orig: -1, info: sheetInfo{name: name, kind: "worksheet"}}
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
	if s.orig >= 0 && !s.info.worksheet() {
		return nil, formats.Errorf(formats.CodeUnsupported, "the sheet %q is a %s: it has no cells", s.name, s.info.kind)
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

func (p *plan) setCells(ctx context.Context, op Operation) (int, error) {
	if strings.TrimSpace(op.Sheet) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	if len(op.Cells) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "cells is required")
	}
	type edit struct {
		at   cellref.Cell
		v    value
		date *dateCell
	}
	edits := make([]edit, 0, len(op.Cells))
	for i, c := range op.Cells {
		if i&1023 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		at, err := cellref.ParseCell(c.Cell)
		if err != nil {
			return 0, err
		}
		v, date, err := p.typedValue(at, c.Value, c.Type)
		if err != nil {
			return 0, inCell(err, at)
		}
		edits = append(edits, edit{at, v, date})
	}
	p.saidOfValues()
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	for i, e := range edits {
		if !op.Cells[i].keep {
			s.setDate(e.at, e.v, e.date)
		}
		if err := s.styleCells(op.styleOf(i), cellref.Block(e.at.Row, e.at.Col, e.at.Row, e.at.Col)); err != nil {
			return 0, inCell(err, e.at)
		}
	}
	return len(edits), nil
}

// styleOf is the style of a cell of set_cells: its own, over that of all.
func (op Operation) styleOf(i int) map[string]any {
	own := op.Cells[i].Style
	switch {
	case own == nil:
		return op.Style
	case op.Style == nil:
		return own
	}
	all := maps.Clone(op.Style)
	maps.Copy(all, own)
	return all
}

func inCell(err error, at cellref.Cell) error {
	return formats.Errorf(formats.CodeInvalid, "cell %s: %w", cellref.Name(at.Row, at.Col), err)
}

func (p *plan) setRange(ctx context.Context, op Operation) (int, error) {
	switch {
	case strings.TrimSpace(op.Sheet) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "sheet is required")
	case strings.TrimSpace(op.Start) == "":
		return 0, formats.Errorf(formats.CodeInvalid, "start is required")
	case len(op.Values) == 0:
		return 0, formats.Errorf(formats.CodeInvalid, "values is required")
	}
	at, err := cellref.ParseCell(op.Start)
	if err != nil {
		return 0, err
	}
	typ := op.Type
	if op.Literal {
		typ = "text"
	}
	vals, dates := map[cellref.Cell]value{}, map[cellref.Cell]*dateCell{}
	for i, row := range op.Values {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for j, raw := range row {
			to := cellref.At(at.Row+i, at.Col+j)
			if to.Row > cellref.MaxRow || to.Col > cellref.MaxCol {
				return 0, formats.Errorf(formats.CodeInvalid, "the values reach beyond the sheet: row %d, column %d of the block", i+1, j+1)
			}
			as := typ
			if _, isText := raw.(string); !isText && bool(op.Literal) {
				as = "" // literal is about strings only
			}
			if vals[to], dates[to], err = p.typedValue(to, raw, as); err != nil {
				return 0, inCell(err, to)
			}
		}
	}
	p.saidOfValues()
	p.saidRagged(op.Values)
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	block := cellref.Range{}
	for to, v := range vals {
		s.setDate(to, v, dates[to])
		block.Add(to.Row, to.Col)
	}
	return len(vals), s.styleCells(op.Style, block)
}

// deleteSheet takes a sheet out. Formulas planned so far that refer to
// it are rewritten here, those of the file when they are copied.
func (p *plan) deleteSheet(_ context.Context, op Operation) (int, error) {
	return 0, p.dropSheet(op.Sheet)
}

func (p *plan) dropSheet(name string) error {
	if strings.TrimSpace(name) == "" {
		return formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	i := p.find(name)
	if i < 0 {
		return unknownSheet(name)
	}
	visible := 0
	for j, s := range p.sheets {
		if j != i && s.info.state == "" {
			visible++
		}
	}
	if visible == 0 {
		return formats.Errorf(formats.CodeInvalid, "cannot delete %q: a workbook needs at least one visible sheet", p.sheets[i].name)
	}
	if p.wb.locked {
		p.warn("the structure of the workbook is protected; the sheet %q was deleted all the same", p.sheets[i].name)
	}
	s := p.sheets[i]
	rw := &formula.Rewriter{}
	rw.DeleteSheet(s.name, p.wb.sheetOrder())
	p.sheets = append(p.sheets[:i:i], p.sheets[i+1:]...)
	if s.orig >= 0 {
		p.deleted = append(p.deleted, s)
	}
	p.fresh = false
	for _, other := range p.sheets {
		for at, v := range other.cells {
			if v.formula() {
				if f, changed := rw.Formula(v.s); changed {
					other.cells[at] = value{v.kind, f}
				}
			}
		}
	}
	return nil
}

func (p *plan) setWidths(_ context.Context, op Operation) (int, error) {
	if len(op.Columns) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "columns is required")
	}
	widths := map[int]float64{}
	var auto []int
	for _, c := range op.Columns {
		r, err := columnRange(c.Column)
		if err != nil {
			return 0, err
		}
		w, fit, err := columnWidth(c)
		if err != nil {
			return 0, err
		}
		for col := r.C1; col <= r.C2; col++ {
			delete(widths, col)
			if fit {
				auto = append(auto, col)
			} else {
				widths[col] = w
			}
		}
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	s.setWidths(p, widths, auto)
	return 0, nil
}

func (p *plan) setHeights(_ context.Context, op Operation) (int, error) {
	if len(op.Rows) == 0 {
		return 0, formats.Errorf(formats.CodeInvalid, "rows is required")
	}
	for _, r := range op.Rows {
		if r.Row < 1 || r.Row > cellref.MaxRow {
			return 0, formats.Errorf(formats.CodeInvalid, "invalid row %d: expected 1 to %d", r.Row, cellref.MaxRow)
		}
		if !(r.Height >= 0 && r.Height <= 409) {
			return 0, formats.Errorf(formats.CodeInvalid, "invalid height %v of row %d: expected 0 to 409", r.Height, r.Row)
		}
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	if s.heights == nil {
		s.heights = map[int]float64{}
	}
	for _, r := range op.Rows {
		s.heights[int(r.Row)] = r.Height
	}
	return 0, nil
}

func (p *plan) freezePanes(_ context.Context, op Operation) (int, error) {
	var at cellref.Cell
	if op.Row != nil {
		at.Row = int(*op.Row)
	}
	if op.Column != nil {
		var err error
		if at.Col, err = columnIndex(op.Column); err != nil {
			return 0, err
		}
	}
	if op.Row == nil && op.Column == nil {
		return 0, formats.Errorf(formats.CodeInvalid, "row or column is required")
	}
	if at.Row < 0 || at.Row >= cellref.MaxRow || at.Col < 0 || at.Col >= cellref.MaxCol {
		return 0, formats.Errorf(formats.CodeInvalid, "row %d, column %d is outside the sheet", at.Row, at.Col)
	}
	s, err := p.writable(op.Sheet)
	if err != nil {
		return 0, err
	}
	s.freeze = &at
	return 0, nil
}
