package calc

import (
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// Book is a workbook as an Evaluator reads it: cells with their values and
// formulas, names and tables. Load makes one of a file; tests make one with
// NewBook, SetValue and SetFormula.
type Book struct {
	Date1904   bool
	Iterates   *Iteration // nil: circular formulas are not calculated
	sheets     []*sheet
	sheetIndex map[string]int // by name in lower case
	names      map[string][]*definedName
	tables     map[string]*table
	formulas   []*form
	forms      map[string]int32 // index in formulas by relative form
	key        []byte           // the relative form of the last formula
	resized    []resized
	spilled    int   // cells of the results of those
	written    int   // bytes of the different formulas
	tooMany    int32 // the number of a formula for those over the limit
	calculated int   // bytes of the texts of results
	texts      []string
	objects    []*object
	anySheet   bool // a sheet that is not there counts as the first one; see NeedsArray
}

type sheet struct {
	name      string
	worksheet bool
	filtered  bool // an autofilter hides rows of it
	grid      grid
	merges    []cellref.Range
}

// definedName is a name of the workbook, or of one sheet.
type definedName struct {
	local  int // index of the sheet, or none
	text   string
	root   node // parsed at its first use
	reason *Reason
	busy   bool // it is being calculated
}

// table is what structured references need of a table.
type table struct {
	sheet           int
	ref             cellref.Range
	headers, totals int
	columns         map[string]int // index by name in lower case
}

// form is a formula, which cells that are alike relative to their places share.
type form struct {
	root    node
	reason  *Reason       // why it cannot be calculated
	array   bool          // it is calculated as an array formula
	block   cellref.Range // of an array formula: the cells that its result fills
	sheet   int           // of an array formula
	spills  bool          // the block follows the size of the result
	blocked string        // what is in the way of its result, which would fill wanted
	wanted  cellref.Range
	former  cellref.Range // the block in the file where it has another one now, else empty
	text    string        // as written for row and col
	row     int
	col     int
	table   *dataTable // of a what-if data table, which has no text
	reads   *reads     // what it may read; collected when it is asked for

	language bool // it uses a function whose result may depend on the language
	joins    bool // it joins texts, among which numbers may be
	skipped  bool // SUBTOTAL and AGGREGATE do not count its cells
}

// NewBook returns an empty workbook with sheets.
func NewBook(sheets ...string) *Book {
	b := &Book{sheetIndex: map[string]int{}, names: map[string][]*definedName{}, tables: map[string]*table{}, forms: map[string]int32{}}
	for _, name := range sheets {
		b.addSheet(name, true)
	}
	return b
}

// AddSheet adds an empty worksheet.
func (b *Book) AddSheet(name string) { b.addSheet(name, true) }

func (b *Book) addSheet(name string, worksheet bool) *sheet {
	s := &sheet{name: name, worksheet: worksheet}
	b.sheetIndex[strings.ToLower(name)] = len(b.sheets)
	b.sheets = append(b.sheets, s)
	return s
}

// DefineName adds a name; local is the index of its sheet, -1 for the workbook.
func (b *Book) DefineName(name string, local int, text string) {
	if local < 0 {
		local = none
	}
	low := strings.ToLower(name)
	b.names[low] = append(b.names[low], &definedName{local: local, text: text})
}

// AddTable adds a table of a sheet.
func (b *Book) AddTable(sheet int, t *book.Table) {
	n := &table{sheet: sheet, ref: t.Ref, headers: t.Headers, totals: t.Totals, columns: map[string]int{}}
	for i, c := range t.Columns {
		n.columns[strings.ToLower(c.Name)] = i
	}
	b.tables[strings.ToLower(t.Name)] = n
}

// find returns a cell, nil for an empty one.
func (b *Book) find(at Place) *cell { return b.sheets[at.Sheet].grid.find(at.Row, at.Col) }

// SetValue puts a constant into a cell.
func (b *Book) SetValue(at Place, v Value) {
	c := b.sheets[at.Sheet].grid.put(at.Row, at.Col)
	c.formula = 0
	b.store(c, v, stored)
}

// SetFormula puts a formula, without its "=", into a cell. It is due.
func (b *Book) SetFormula(at Place, text string) {
	c := b.sheets[at.Sheet].grid.put(at.Row, at.Col)
	c.formula = b.formula(text, at.Row, at.Col)
	c.state = due
}

// SetArrayFormula puts an array formula into a block of cells. With spills the
// block is where its result is now and follows its size.
func (b *Book) SetArrayFormula(sheet int, block cellref.Range, text string, spills bool) {
	index := b.arrayForm(sheet, block, text, spills)
	for row := block.R1; row <= block.R2; row++ {
		for col := block.C1; col <= block.C2; col++ {
			c := b.sheets[sheet].grid.put(row, col)
			c.formula, c.state = index, due
		}
	}
}

// formula returns the number of a formula, which it parses unless one that is
// alike was.
func (b *Book) formula(text string, row, col int) int32 {
	b.key = book.AppendRelativeForm(b.key[:0], text, row, col)
	if i, ok := b.forms[string(b.key)]; ok {
		return i
	}
	key := string(b.key)
	if b.overLimit(text) {
		return b.tooMany
	}
	f := &form{text: text, row: row, col: col}
	b.parseForm(f)
	b.formulas = append(b.formulas, f)
	b.forms[key] = int32(len(b.formulas))
	return int32(len(b.formulas))
}

// overLimit reports whether there are too many different formulas for another one.
func (b *Book) overLimit(text string) bool {
	if b.written += len(text); len(b.formulas) < maxForms && b.written <= maxWritten {
		return false
	}
	if b.tooMany == 0 {
		b.formulas = append(b.formulas, &form{reason: &Reason{Code: ReasonLimit, Text: "the workbook has too many different formulas"}})
		b.tooMany = int32(len(b.formulas))
	}
	return true
}

// arrayForm adds an array formula.
func (b *Book) arrayForm(sheet int, block cellref.Range, text string, spills bool) int32 {
	if b.overLimit(text) {
		return b.tooMany
	}
	f := &form{text: text, row: block.R1, col: block.C1, array: true, block: block, sheet: sheet, spills: spills}
	b.parseForm(f)
	b.formulas = append(b.formulas, f)
	return int32(len(b.formulas))
}

func (b *Book) parseForm(f *form) {
	p := &parser{text: f.text, row: f.row, col: f.col, book: b}
	root, err := p.whole()
	f.language, f.joins, f.skipped = p.language, p.joins, p.skipped
	if err != nil {
		f.reason = &Reason{Code: ReasonSyntax, Text: err.Error()}
		return
	}
	if c, ok := root.(*chainNode); ok {
		root = &sumNode{c}
	}
	f.root = root
}

// store puts a value into a cell.
func (b *Book) store(c *cell, v Value, s state) {
	c.kind, c.num, c.text, c.state = v.kind, v.num, 0, s
	switch v.kind {
	case Text:
		b.texts = append(b.texts, v.str)
		c.text = int32(len(b.texts) - 1)
	case Unknown:
		b.objects = append(b.objects, v.obj)
		c.text = int32(len(b.objects) - 1)
	}
}

// load returns the value of a cell.
func (b *Book) load(c *cell) Value {
	switch c.kind {
	case Text:
		return Value{kind: Text, str: b.texts[c.text]}
	case Unknown:
		return Value{kind: Unknown, obj: b.objects[c.text]}
	}
	return Value{kind: c.kind, num: c.num}
}

// Forget makes all formulas due.
func (b *Book) Forget() {
	for _, s := range b.sheets {
		for i := range s.grid.rows {
			cells := s.grid.rows[i].cells
			for k := range cells {
				if cells[k].formula != 0 {
					cells[k].state = due
				}
			}
		}
	}
}
