package grid

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// What is kept between calls, by the hash of the file; costs are in bytes.
var (
	bookCache  = book.NewLRU[*bookFacts](32<<20, 1)
	sheetCache = book.NewLRU[*sheetFacts](16<<20, 1)
)

// Bounds of what is known of a sheet.
const (
	measureAtOnce = 8 << 20 // inflated bytes of a sheet up to which it is measured unasked
	maxSpans      = 2000
	maxMerged     = 50_000
)

// bookFacts is what windows need of a workbook. It does not change.
type bookFacts struct {
	display book.Display // without the texts of a large string table
	styles  []*formats.CellStyle
	big     bool // the string table is large: texts are looked up
}

func readBook(ctx context.Context, wb *book.Workbook) (*bookFacts, error) {
	key := wb.Package.Source().Hash()
	if f, ok := bookCache.Get(key); ok {
		return f, nil
	}
	f := &bookFacts{}
	var err error
	if f.display.Styles, err = wb.Styles(ctx); err != nil {
		return nil, err
	}
	if f.styles, err = readStyles(ctx, wb); err != nil {
		return nil, err
	}
	part := wb.RelPart(book.RelStrings)
	if f.big = part != "" && wb.Package.Size(part) > book.BigStrings; f.big {
		f.display.Strings = &book.SharedStrings{Part: part}
	} else if f.display.Strings, err = wb.Strings(ctx); err != nil {
		return nil, err
	}
	bookCache.Put(key, f, 4096+len(f.display.Strings.Doc)+48*len(f.display.Strings.Items)+320*len(f.styles))
	return f, nil
}

// newDisplay returns a display of its own for one pass.
func (f *bookFacts) newDisplay() *book.Display {
	return &book.Display{Styles: f.display.Styles.Clone(), Strings: f.display.Strings.Clone(), Braces: true, Room: book.NewAllowance(maxText)}
}

// sheetFacts is what is known of a sheet beside its cells. It does not change.
type sheetFacts struct {
	rows, columns         int
	exact                 bool
	spans                 []formats.ColumnSpan // Style is that of the file
	width, height         float64
	frozenRows, frozenCol int
	rightToLeft           bool
	merged                []cellref.Range
	notes                 []string
}

// readSheet returns what is known of a sheet; measure reads it to its end.
func readSheet(ctx context.Context, wb *book.Workbook, part string, measure bool) (*sheetFacts, error) {
	key := wb.Package.Source().Hash() + " " + part
	measure = measure || wb.Package.Size(part) <= measureAtOnce
	if f, ok := sheetCache.Get(key); ok && (f.exact || !measure) {
		return f, nil
	}
	head, err := wb.SheetHead(ctx, part)
	if err != nil && book.IgnoreNoCells(err) != nil {
		return nil, err
	}
	f := &sheetFacts{width: 8.43, height: 15}
	f.readHead(head)
	if dim := sheetml.Dimension(head); !dim.Empty() {
		f.rows, f.columns = dim.R2, dim.C2
	}
	if f.exact = measure && err == nil; f.exact {
		err = f.measure(ctx, wb, part)
	}
	if err = book.IgnoreNoCells(err); err != nil {
		return nil, err
	}
	sheetCache.Put(key, f, 1024+64*len(f.spans)+40*len(f.merged))
	return f, nil
}

// readHead reads what stands before the rows (18.3.1.99).
func (f *sheetFacts) readHead(head []byte) {
	sheetml.EachStartTag(head, func(t xmlscan.Token) bool {
		switch t.Local {
		case "sheetView":
			f.rightToLeft = sheetml.IsTrue(t.AttrLocal("rightToLeft"))
		case "pane":
			if s := t.AttrLocal("state"); s == "frozen" || s == "frozenSplit" {
				f.frozenCol, f.frozenRows = count(t.AttrLocal("xSplit"), 50), count(t.AttrLocal("ySplit"), 100)
			}
		case "sheetFormatPr":
			f.height = positive(t.AttrLocal("defaultRowHeight"), f.height, 409.5)
			f.width = positive(t.AttrLocal("defaultColWidth"), f.width, 255)
		case "col":
			f.addSpan(t)
		}
		return true
	})
}

func (f *sheetFacts) addSpan(t xmlscan.Token) {
	s := formats.ColumnSpan{First: count(t.AttrLocal("min"), cellref.MaxCol), Last: count(t.AttrLocal("max"), cellref.MaxCol),
		Width: positive(t.AttrLocal("width"), 0, 255), Hidden: sheetml.IsTrue(t.AttrLocal("hidden")), Style: count(t.AttrLocal("style"), 1<<17)}
	if n := len(f.spans); s.First < 1 || s.Last < s.First || n > 0 && s.First <= f.spans[n-1].Last {
		return
	}
	if len(f.spans) < maxSpans {
		f.spans = append(f.spans, s)
	} else if len(f.spans) == maxSpans && (len(f.notes) == 0 || f.notes[len(f.notes)-1] != manySpans) {
		f.notes = append(f.notes, manySpans)
	}
}

const manySpans = "The sheet sets the widths of more than 2000 groups of columns; the later ones are shown with the default width."

// measure reads all rows and what follows them. The pass leaves an index of a large
// sheet behind.
func (f *sheetFacts) measure(ctx context.Context, wb *book.Workbook, part string) error {
	f.rows, f.columns = 0, 0
	around := map[string]bool{}
	for s, err := range wb.Rows(ctx, part, book.Window{First: 1, Display: &book.Display{}}) {
		if err != nil {
			return err
		}
		switch s.Event {
		case sheetml.WholeCell:
			f.rows, f.columns = max(f.rows, s.Cell.Row), max(f.columns, s.Cell.Col)
		case sheetml.DataEnd:
			// The pass ends with this event, so what follows is read here.
			if err := s.EachTailTag(func(tag []byte, depth int) { f.tailTag(tag, around) }); err != nil {
				return err
			}
		}
	}
	for _, m := range f.merged {
		f.rows, f.columns = max(f.rows, m.R2), max(f.columns, m.C2)
	}
	f.rows, f.columns = min(f.rows, cellref.MaxRow), min(f.columns, cellref.MaxCol)
	f.note(around)
	return nil
}

func (f *sheetFacts) tailTag(tag []byte, around map[string]bool) {
	name := string(sheetml.LocalName(tag[1:]))
	switch name {
	case "mergeCell":
		if r := cellref.ParseAttr(sheetml.AttrOf(tag, "ref")); !r.Empty() && len(f.merged) < maxMerged {
			f.merged = append(f.merged, r)
		}
	case "conditionalFormatting", "drawing", "legacyDrawing", "sparklineGroup":
		around[name] = true
	}
}

// note says what a window does not show.
func (f *sheetFacts) note(around map[string]bool) {
	var left []string
	for _, k := range []struct{ element, words string }{{"conditionalFormatting", "conditional formats"}, {"drawing", "charts and pictures"}, {"legacyDrawing", "notes"}, {"sparklineGroup", "sparklines"}} {
		if around[k.element] {
			left = append(left, k.words)
		}
	}
	if len(left) > 0 {
		f.notes = append(f.notes, "Not drawn here: "+strings.Join(left, ", ")+". The pages show them.")
	}
	if len(f.merged) == maxMerged {
		f.notes = append(f.notes, "The sheet has more than 50,000 merged cells; the later ones are shown as single cells.")
	}
}

func count(s string, most int) int {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < 0 {
		return 0
	}
	return int(min(v, float64(most)))
}

func positive(s string, otherwise, most float64) float64 {
	if v, err := strconv.ParseFloat(s, 64); err == nil && v > 0 {
		return min(v, most)
	}
	return otherwise
}
