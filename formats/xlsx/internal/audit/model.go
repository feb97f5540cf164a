package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/textclip"
)

// Bounds of what an audit holds of a workbook. What is beyond them is named in
// Audit.Unseen.
const (
	maxCells     = 1_000_000
	maxForms     = 100_000
	maxFormBytes = 24 << 20 // texts of distinct formulas
	maxTexts     = 300_000
	maxTextBytes = 16 << 20
	maxStrings   = 48 << 20 // inflated size of the table of shared strings
	keptText     = 60       // characters of a text that are kept
)

// valueKind is the kind of a cell's value.
type valueKind uint8

const (
	noValue valueKind = iota // a formula that was never calculated
	number
	words
	numeric // a text that reads as a number
	boolean
	failed // an error such as #REF!
)

// cell is a cell with content.
type cell struct {
	num   float64
	row   int32
	style int32
	form  int32 // index in model.forms, -1 for a constant
	text  int32 // index in model.texts, -1 for none
	col   uint16
	kind  valueKind
	spill bool // filled by the array formula or data table of another cell
}

// constant reports whether the cell holds a number that was typed.
func (c *cell) constant() bool { return c.form < 0 && !c.spill && c.kind == number }

// sheet is a worksheet as the audit holds it.
type sheet struct {
	info  book.SheetInfo
	index int    // in model.sheets
	cells []cell // by row and column
	cols  map[int][]int32
	cut   int // the first row that was not read, 0 when all were
}

// model is a workbook as the audit holds it.
type model struct {
	wb      *book.Workbook
	sheets  []*sheet
	byName  map[string]int
	styles  *stylesheet.Formats
	strings *book.SharedStrings // nil when too large to hold
	tables  map[string]tablePlace
	names   map[string][]book.DefinedName
	known   map[string]nameRefs

	forms     []*form
	formIDs   map[string]int32
	formBytes int

	texts     []string
	textIDs   map[string]int32
	textBytes int
	sharedIDs []sharedText // by index of the shared string

	count  int // cells held
	unseen []string
	units  map[int32]string // by style
}

// sharedText is what a shared string is to the audit.
type sharedText struct {
	known bool
	kind  valueKind
	text  int32
	num   float64
}

type tablePlace struct {
	sheet int
	table *book.Table
}

// load reads the cells of a workbook, small sheets before large ones, so that a
// limit cuts only the largest. The sheet first is read before all others.
func load(ctx context.Context, wb *book.Workbook, first int) (*model, error) {
	m := &model{wb: wb, byName: map[string]int{}, formIDs: map[string]int32{}, textIDs: map[string]int32{},
		tables: map[string]tablePlace{}, names: map[string][]book.DefinedName{}, known: map[string]nameRefs{}, units: map[int32]string{}}
	var err error
	if m.styles, err = wb.Styles(ctx); err != nil {
		return nil, err
	}
	if wb.Package.Size(wb.RelPart(book.RelStrings)) > maxStrings {
		m.unseen = append(m.unseen, "texts of cells: the table of shared strings is too large")
	} else if m.strings, err = wb.Strings(ctx); err != nil {
		return nil, err
	} else {
		m.sharedIDs = make([]sharedText, len(m.strings.Items))
	}
	if err := m.addSheets(ctx); err != nil {
		return nil, err
	}
	order := make([]int, len(m.sheets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if (a == first) != (b == first) {
			return map[bool]int{true: -1, false: 1}[a == first]
		}
		return cmp.Or(cmp.Compare(m.size(a), m.size(b)), a-b)
	})
	for _, i := range order {
		if err := m.read(ctx, m.sheets[i]); err != nil {
			return nil, err
		}
	}
	for _, s := range m.sheets {
		s.indexColumns()
		if s.cut == 1 {
			m.unseen = append(m.unseen, fmt.Sprintf("sheet %s: the workbook has more than %d cells", s.info.Name, maxCells))
		} else if s.cut > 0 {
			m.unseen = append(m.unseen, fmt.Sprintf("sheet %s from row %d on: the workbook has more than %d cells", s.info.Name, s.cut, maxCells))
		}
	}
	m.strings, m.sharedIDs, m.textIDs = nil, nil, nil
	return m, nil
}

func (m *model) size(i int) int64 {
	if p := m.sheets[i].info.Part; p != "" {
		return m.wb.Package.Size(p)
	}
	return 0
}

// addSheets lists the sheets, tables and names that formulas may name.
func (m *model) addSheets(ctx context.Context) error {
	for i, info := range m.wb.Sheets {
		s := &sheet{info: info, index: i}
		m.sheets = append(m.sheets, s)
		if low := strings.ToLower(info.Name); m.byName[low] == 0 {
			m.byName[low] = i + 1
		}
		if !info.Worksheet() {
			continue
		}
		tables, err := m.wb.TablesOf(ctx, info.Part)
		if err != nil {
			return err
		}
		for _, t := range tables {
			m.tables[strings.ToLower(t.Name)] = tablePlace{i, t}
		}
	}
	for _, n := range m.wb.Names {
		low := strings.ToLower(n.Name)
		m.names[low] = append(m.names[low], n)
	}
	return nil
}

// errFull ends the reading of a sheet at the limit of cells.
var errFull = errors.New("too many cells")

// read reads the cells of a sheet.
func (m *model) read(ctx context.Context, s *sheet) error {
	if !s.info.Worksheet() {
		return nil
	}
	if m.count >= maxCells {
		s.cut = 1
		return nil
	}
	r := sheetReading{model: m, sheet: s, masters: map[int]int32{}}
	err := m.wb.EachSheetCell(ctx, s.info, r.cell)
	if errors.Is(err, errFull) {
		err = nil
	}
	if err != nil {
		return err
	}
	sorted := func(a, b cell) int { return cmp.Or(int(a.row-b.row), int(a.col)-int(b.col)) }
	if !slices.IsSortedFunc(s.cells, sorted) {
		slices.SortStableFunc(s.cells, sorted)
	}
	s.cells = slices.CompactFunc(s.cells, func(a, b cell) bool { return a.row == b.row && a.col == b.col })
	for _, block := range r.spills {
		s.each(block, func(c *cell) bool {
			c.spill = c.form < 0
			return true
		})
	}
	if r.lost > 0 {
		m.unseen = append(m.unseen, fmt.Sprintf("%d formulas of sheet %s: the workbook has more than %d distinct formulas, or they are too long", r.lost, s.info.Name, maxForms))
	}
	return nil
}

// sheetReading is a pass over the cells of a sheet.
type sheetReading struct {
	*model
	sheet   *sheet
	masters map[int]int32 // forms of shared formulas by index
	spills  []cellref.Range
	lost    int // formulas that there was no room for
}

// maxSpills bounds the blocks of array formulas that are remembered of a sheet.
const maxSpills = 10_000

// cell takes in the scanner's cell.
func (r *sheetReading) cell(s *sheetml.RowScanner) error {
	c := &s.Cell
	if c.Blank() {
		return nil
	}
	if r.count >= maxCells {
		r.sheet.cut = c.Row
		return errFull
	}
	r.count++
	out := cell{row: int32(c.Row), col: uint16(c.Col), style: int32(c.Style), form: -1, text: -1}
	if c.HasFormula {
		out.form = r.formula(s)
	}
	if !c.NoValue() || !c.HasFormula {
		r.value(s, &out)
	}
	r.sheet.cells = append(r.sheet.cells, out)
	return nil
}

// formula returns the form of the scanner's formula, noForm when there was no
// room for it.
func (r *sheetReading) formula(s *sheetml.RowScanner) int32 {
	c := &s.Cell
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	if (fa.Kind == "array" || fa.Kind == "dataTable") && !fa.Ref.Empty() && len(r.spills) < maxSpills {
		r.spills = append(r.spills, fa.Ref)
	}
	text := ""
	if c.Formula.OK() {
		text = sheetml.CharData(s.Text(c.Formula))
	}
	if text == "" && fa.Kind == "shared" {
		if id, ok := r.masters[fa.SharedIndex]; ok {
			return id
		}
	}
	id := r.intern(text, c.Row, c.Col, fa.Kind)
	if id == 0 && text != "" {
		r.lost++
	}
	if fa.Kind == "shared" && text != "" {
		r.masters[fa.SharedIndex] = id
	}
	return id
}

// intern returns the index of a formula's form; 0 is the form of formulas that
// are not known.
func (m *model) intern(text string, row, col int, kind string) int32 {
	if len(m.forms) == 0 {
		m.forms = append(m.forms, &form{unsure: true})
	}
	if text == "" || len(text) > formula.MaxBytes {
		return 0
	}
	key := book.RelativeForm(text, row, col)
	if kind == "array" {
		key = "{" + key + "}"
	}
	if id, ok := m.formIDs[key]; ok {
		return id
	}
	if len(m.forms) >= maxForms || m.formBytes+len(text)+len(key) > maxFormBytes {
		return 0
	}
	m.formBytes += len(text) + len(key)
	f := m.parse(text, row, col)
	f.array = kind == "array"
	id := int32(len(m.forms))
	m.forms, m.formIDs[key] = append(m.forms, f), id
	return id
}

// value reads the value of the scanner's cell.
func (r *sheetReading) value(s *sheetml.RowScanner, out *cell) {
	c := &s.Cell
	switch c.Type {
	case sheetml.TypeShared:
		i := sheetml.Atoi(sheetml.TrimSpace(s.Text(c.Value)))
		out.kind = words
		if i >= 0 && i < len(r.sharedIDs) {
			have := &r.sharedIDs[i]
			if !have.known {
				*have = r.textOf(r.strings.Text(i))
			}
			out.kind, out.text, out.num = have.kind, have.text, have.num
		}
	case sheetml.TypeInline, sheetml.TypeString:
		text := ""
		if c.Inline.OK() {
			text = sheetml.PlainText(s.Text(c.Inline))
		} else {
			text = sheetml.Unescape(sheetml.CharData(s.Text(c.Value)))
		}
		t := r.textOf(text)
		out.kind, out.text, out.num = t.kind, t.text, t.num
	case sheetml.TypeBool:
		out.kind = boolean
	case sheetml.TypeError:
		out.kind = failed
		out.text = r.keepText(sheetml.CharData(s.Text(c.Value)))
	default:
		v, err := strconv.ParseFloat(strings.TrimSpace(sheetml.CharData(s.Text(c.Value))), 64)
		if err == nil {
			out.kind, out.num = number, v
		} else if c.Type != sheetml.TypeDate && c.HasFormula {
			out.kind = noValue
		} else {
			out.kind = words
		}
	}
}

// textOf keeps a text and says what it is.
func (m *model) textOf(text string) sharedText {
	t := sharedText{known: true, kind: words, text: m.keepText(text)}
	if v, ok := readsAsNumber(text); ok {
		t.kind, t.num = numeric, v
	}
	return t
}

// readsAsNumber reports whether a text is a number that was stored as text. A
// code with leading zeros is none.
func readsAsNumber(s string) (float64, bool) {
	s = strings.Trim(s, " \u00a0\t\n")
	if s == "" || len(s) > 20 {
		return 0, false
	}
	bare := strings.TrimLeft(s, "+-")
	if len(s)-len(bare) > 1 || bare == "" || (bare[0] < '0' || bare[0] > '9') && bare[0] != '.' {
		return 0, false
	}
	if len(bare) > 1 && bare[0] == '0' && bare[1] != '.' {
		return 0, false
	}
	percent := strings.HasSuffix(bare, "%")
	plain := strings.TrimSuffix(s, "%")
	if whole, _, _ := strings.Cut(strings.TrimLeft(plain, "+-"), "."); strings.Contains(whole, ",") {
		if !grouped(whole) {
			return 0, false
		}
		plain = strings.ReplaceAll(plain, ",", "")
	}
	if strings.Trim(plain, "+-.0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(plain, 64)
	if percent {
		v /= 100
	}
	return v, err == nil
}

// grouped reports whether commas are between groups of three digits.
func grouped(s string) bool {
	parts := strings.Split(s, ",")
	for i, p := range parts {
		if len(p) != 3 && i > 0 || len(p) > 3 || p == "" {
			return false
		}
	}
	return true
}

// keepText keeps the beginning of a text.
func (m *model) keepText(s string) int32 {
	s = textclip.Head(book.OneLine(strings.TrimSpace(s)), keptText)
	if id, ok := m.textIDs[s]; ok {
		return id
	}
	if len(m.texts) >= maxTexts || m.textBytes+len(s) > maxTextBytes {
		return -1
	}
	m.textBytes += len(s)
	id := int32(len(m.texts))
	m.texts = append(m.texts, strings.Clone(s))
	m.textIDs[m.texts[id]] = id
	return id
}

// textAt returns the text of a cell, "" when it has none or it was not kept.
func (m *model) textAt(c *cell) string {
	if c == nil || c.text < 0 {
		return ""
	}
	return m.texts[c.text]
}

// indexColumns makes the index of cells by column.
func (s *sheet) indexColumns() {
	s.cols = map[int][]int32{}
	counts := map[int]int{}
	for i := range s.cells {
		counts[int(s.cells[i].col)]++
	}
	for i := range s.cells {
		col := int(s.cells[i].col)
		if s.cols[col] == nil {
			s.cols[col] = make([]int32, 0, counts[col])
		}
		s.cols[col] = append(s.cols[col], int32(i))
	}
}

// find returns the index of the first cell at or after a position.
func (s *sheet) find(row, col int) int {
	return sort.Search(len(s.cells), func(i int) bool {
		c := &s.cells[i]
		return int(c.row) > row || int(c.row) == row && int(c.col) >= col
	})
}

// at returns a cell, nil when it is blank.
func (s *sheet) at(row, col int) *cell {
	if i := s.find(row, col); i < len(s.cells) && int(s.cells[i].row) == row && int(s.cells[i].col) == col {
		return &s.cells[i]
	}
	return nil
}

// each calls fn for the cells of a block until it returns false.
func (s *sheet) each(r cellref.Range, fn func(*cell) bool) {
	if r.C1 == r.C2 && s.cols != nil {
		col := s.cols[r.C1]
		for i := sort.Search(len(col), func(i int) bool { return int(s.cells[col[i]].row) >= r.R1 }); i < len(col); i++ {
			if c := &s.cells[col[i]]; int(c.row) > r.R2 || !fn(c) {
				return
			}
		}
		return
	}
	for i := s.find(r.R1, r.C1); i < len(s.cells) && int(s.cells[i].row) <= r.R2; i++ {
		c := &s.cells[i]
		switch {
		case int(c.col) < r.C1:
		case int(c.col) > r.C2:
			i = s.find(int(c.row)+1, r.C1) - 1
		case !fn(c):
			return
		}
	}
}

// used returns the block of cells with content.
func (s *sheet) used() cellref.Range {
	var r cellref.Range
	for i := range s.cells {
		r.Add(int(s.cells[i].row), int(s.cells[i].col))
	}
	return r
}

// address returns a block of the sheet as operations take it.
func (s *sheet) address(r cellref.Range) string {
	return formula.SheetPrefix(s.info.Name) + r.String()
}

// show returns the value of a cell as a person sees it.
func (m *model) show(c *cell) string {
	switch {
	case c == nil:
		return ""
	case c.kind == number:
		return m.styles.Format(int(c.style)).Number(c.num, m.styles.Date1904)
	case c.kind == boolean:
		return "a logical value"
	}
	return m.textAt(c)
}

// blocksRead yields what the formula of a cell reads: the indexes of sheets with blocks.
func (m *model) blocksRead(s *sheet, c *cell) iter.Seq2[int, cellref.Range] {
	return func(yield func(int, cellref.Range) bool) {
		f := m.forms[c.form]
		for i := range f.refs {
			r := &f.refs[i]
			b, ok := f.block(r, int(c.row), int(c.col))
			if !ok || r.passive {
				continue
			}
			from, to := r.sheet, r.last
			if r.sheet == ownSheet {
				from, to = s.index, s.index
			}
			for n := from; n <= to; n++ {
				if !yield(n, b) {
					return
				}
			}
		}
	}
}
