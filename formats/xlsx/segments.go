package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/segment"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// unit is a segment with where it lives.
type unit struct {
	seg    formats.Segment
	home   int // index in workbook.sheets of the sheet it belongs to; -1 none
	tag    tagged
	rst    rst // of cells and comments
	sst    int // shared string, -1: none
	sheet  int // index in workbook.sheets of an inline cell, header or skel, else -1
	at     cellref.Cell
	hf     string // element name of a header or footer
	part   string // comments and drawings: the part, and the span to replace
	span   sheetml.Span
	write  func(text string) string // how the span says a plain text; nil: as rich text
	skel   bool                     // the span lies around the rows of sheet
	shared bool                     // it is of a part that package segment scans
	list   *choiceList              // it is an item of a list
	tab    int                      // 1 + index of the sheet whose name it is
	thread bool                     // it is a threaded comment
}

// cell reports whether the unit is the text of cells.
func (u *unit) cell() bool { return u.sst >= 0 || u.sheet >= 0 && u.hf == "" && !u.skel }

// collector gathers the units of a workbook in document order.
type collector struct {
	ctx        context.Context
	wb         *workbook
	strings    *book.SharedStrings
	seen       []int32 // by shared string: 1 + index of its entry, -1: it is not to be translated
	parts      map[string]bool
	entries    []entry
	headers    map[*unit][]headerUse
	tables     [][]*book.Table // by sheet
	home       int             // the sheet at hand
	texts      *textIndex      // nil: it is to be made
	results    map[string]bool // texts that formulas result in
	withText   []bool          // by sheet: it has cells to translate
	views      [][]sheetView   // by sheet
	lists      []*choiceList
	standIns   []standIn
	echoes     []echo
	skelEchoes [][]echo // by sheet, of what stands around the rows

	sharedParts map[string]segment.Where // the parts that package segment scans, with the place of their texts
	repeating   map[string]bool          // those that repeat texts of others
	diagrams    segment.Diagrams
	labels      []label // of charts, that follow cells
}

// standIn is the plain comment that Excel writes beside a threaded one.
type standIn struct {
	part string
	span sheetml.Span // between the tags of text
	rst  rst
}

// echo is an attribute that repeats the text of cells, and follows it.
type echo struct {
	part string
	span sheetml.Span
	text string
}

// label is a text of a chart, by its ID, that repeats the text of cells.
type label struct{ part, id, text string }

const (
	maxRepeated = 1024   // bytes of a text that other places may repeat
	maxResults  = 20_000 // results of formulas that labels of charts are held against
)

// headerUse says that a unit is the header of a table column.
type headerUse struct {
	table  *book.Table
	column int
}

// Segments lists the texts of cells (each shared string once, at its first
// use), page headers, messages and lists of validations, comments, drawings,
// charts and diagrams, properties, and as an option names of sheets. Numbers,
// formulas with what they result in, and strings that are only a URL, an e-mail
// address or have no letter are none.
func (segmenter) Segments(ctx context.Context, src formats.Source, opt formats.SegmentOptions) ([]formats.Segment, error) {
	wb, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	c, err := wb.collect(ctx)
	if err != nil {
		return nil, book.Typed(err, src.Name())
	}
	out := make([]formats.Segment, 0, len(c.entries))
	for i := range c.entries {
		if u := c.unitOf(&c.entries[i]); u.tab == 0 || opt.SheetNames {
			out = append(out, u.seg)
		}
	}
	return out, nil
}

func (wb *workbook) collect(ctx context.Context) (*collector, error) {
	ss, err := wb.Strings(ctx)
	if err != nil {
		return nil, err
	}
	n := len(wb.Sheets)
	c := &collector{ctx: ctx, wb: wb, strings: ss, parts: map[string]bool{}, headers: map[*unit][]headerUse{}, tables: make([][]*book.Table, n),
		results: map[string]bool{}, withText: make([]bool, n), views: make([][]sheetView, n), skelEchoes: make([][]echo, n),
		sharedParts: map[string]segment.Where{}, repeating: map[string]bool{}, diagrams: segment.Diagrams{}}
	for i, sh := range wb.Sheets {
		if sh.Worksheet() {
			if err := c.sheet(i); err != nil {
				return nil, err
			}
		}
	}
	c.choices()
	// Charts repeat texts of cells, so all cells come first.
	for i, sh := range wb.Sheets {
		if sh.Part == "" {
			continue
		}
		if err := c.related(i); err != nil {
			return nil, err
		}
	}
	c.order()
	c.sheetNames()
	return c, c.properties()
}

// put adds a unit of plain text, when it is to be translated.
func (c *collector) put(u *unit, text string) *unit {
	if !tags.Translatable(text) {
		return nil
	}
	u.tag = tag([]run{{text: text}})
	u.seg.Text = u.tag.text
	c.addUnit(u)
	return u
}

// sheet collects the cells and page headers of a worksheet.
func (c *collector) sheet(i int) error {
	sh := c.wb.Sheets[i]
	tables, err := c.wb.TablesOf(c.ctx, sh.Part)
	if err != nil {
		return err
	}
	c.tables[i] = tables
	var arrays book.ArrayBlocks
	for s, err := range c.wb.Rows(c.ctx, sh.Part, book.Window{}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		switch {
		case s.Event == sheetml.DataEnd:
			k, err := s.Skeleton()
			if err != nil {
				return err
			}
			c.pageHeaders(i, k.Doc)
			if err := c.around(i, k.Doc); err != nil {
				return err
			}
		case s.Event != sheetml.WholeCell:
		case !s.Cell.HasFormula && arrays.Of(s.Cell.Row, s.Cell.Col).Empty():
			c.cell(i, s, tables)
		case s.Cell.Type == sheetml.TypeString && s.Cell.Value.OK() && len(s.Text(s.Cell.Value)) <= maxRepeated && len(c.results) < maxResults:
			c.results[sheetml.Unescape(sheetml.CharData(s.Text(s.Cell.Value)))] = true
		}
		if s.Event == sheetml.WholeCell {
			arrays.Note(s)
		}
	}
	return nil
}

// cell collects the current cell when it holds translatable text.
func (c *collector) cell(i int, s *sheetml.RowScanner, tables []*book.Table) {
	c.home = i
	at := cellref.At(s.Cell.Row, s.Cell.Col)
	k := -1 // index of the entry
	inline := func(raw []byte) {
		if u := c.add(fmt.Sprintf("cell:%d:%s", i+1, cellref.Name(at.Row, at.Col)), c.placeOf(i, at), raw); u != nil {
			u.sheet, u.at, k = i, at, len(c.entries)-1
		}
	}
	switch {
	case s.Cell.Type == sheetml.TypeShared && s.Cell.Value.OK():
		k = c.sharedCell(sheetml.Atoi(sheetml.TrimSpace(s.Text(s.Cell.Value))), at)
	case s.Cell.Type == sheetml.TypeInline && s.Cell.Inline.OK():
		inline(s.Text(s.Cell.Inline))
	case s.Cell.Type == sheetml.TypeString && s.Cell.Value.OK():
		inline([]byte(sheetml.TextElement(s.Prefix, sheetml.Unescape(sheetml.CharData(s.Text(s.Cell.Value))))))
	}
	if k < 0 {
		return
	}
	c.withText[i] = true
	for _, t := range tables {
		if col := t.HeaderAt(at); col >= 0 {
			u := c.special(k)
			c.headers[u] = append(c.headers[u], headerUse{t, col})
			u.seg.MaxLength, u.seg.Part = 255, "table header"
			u.seg.Notes = append(u.seg.Notes, fmt.Sprintf("column name of the table %s: must differ from its other column names", t.Name))
		}
	}
}

// add makes the unit of a CT_Rst; nil when it is not to be translated.
func (c *collector) add(id, place string, raw []byte) *unit {
	if !tags.Translatable(sheetml.PlainText(raw)) {
		return nil
	}
	r := parseRst(bytes.Clone(raw))
	u := &unit{tag: tag(r.runs), rst: r, sst: -1, sheet: -1, home: c.home}
	u.seg = formats.Segment{ID: id, Text: u.tag.text, Place: place, Part: "cell", MaxLength: maxCellText}
	c.addUnit(u)
	return u
}

var headerNames = []string{"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"}

func (c *collector) pageHeaders(i int, doc []byte) {
	k := sheetml.Skeleton{Doc: doc, Cut: len(doc)}
	for _, name := range headerNames {
		for _, t := range k.Elements(name) {
			if t.Empty || t.Depth != 3 { // deeper ones belong to custom views
				continue
			}
			n := sheetml.TextEnd(doc[t.End:])
			runs := headerRuns(sheetml.CharData(doc[t.End : t.End+n]))
			if !tags.Translatable(plainOf(runs)) {
				continue
			}
			u := &unit{tag: tag(runs), sst: -1, sheet: i, home: i, hf: name}
			u.seg = formats.Segment{ID: fmt.Sprintf("page:%d:%s", i+1, name), Text: u.tag.text, Place: c.wb.Sheets[i].Name + ", " + name, Part: strings.ToLower(name[len(name)-6:]), MaxLength: 255}
			c.addUnit(u)
		}
	}
}

// runsFor turns a target for u into runs, or says why it cannot be taken.
func (u *unit) runsFor(target string) ([]run, error) {
	var runs []run
	err := tags.Check(u.tag.text, target)
	if !u.shared {
		runs, err = u.tag.apply(target)
	}
	if err == nil && u.seg.MaxLength > 0 {
		text := tags.Plain(target)
		if u.hf != "" {
			text = headerString(runs)
		}
		if n := sheetml.UTF16Len(text); n > u.seg.MaxLength {
			err = formats.Errorf(formats.CodeInvalid, "it has %d characters; at most %d fit here", n, u.seg.MaxLength)
		}
	}
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "segment %s: %w", u.seg.ID, err)
	}
	return runs, nil
}
