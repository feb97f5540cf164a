package reader

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// maxPicks is how many ranges one read may name.
const maxPicks = 50

// chosen is one block of one sheet to read.
type chosen struct {
	sheet  book.SheetInfo
	block  cellref.Range
	ranged bool // asked for by a range: no window
	whole  bool // a table or name: what stands below it is no part of it
	onward bool // all from a cell on
}

// selected resolves W-35 and W-37: which blocks of which sheets. A range is
// A1:E50, B2, A:C or 3:9, with or without a sheet before a "!"; or a table,
// Table[Column], or a defined name; several with commas. A201- is all from row
// 201 on: of the sheet that sel names, else of that and the sheets behind it.
func (wb reading) selected(ctx context.Context, sel formats.Selector) ([]chosen, error) {
	if len(wb.Sheets) == 0 {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s has no sheets", wb.Package.Source().Name())
	}
	base := -1
	if sel.Sheet != "" {
		if base = wb.Find(sel.Sheet); base < 0 {
			return nil, book.UnknownSheet(sel.Sheet)
		}
	}
	if strings.TrimSpace(sel.Range) == "" {
		return wb.wholeSheets(base), nil
	}
	pieces := splitRanges(sel.Range)
	if len(pieces) > maxPicks {
		return nil, formats.Errorf(formats.CodeInvalid, "%d ranges at once; at most %d are read, ask for the rest afterwards", len(pieces), maxPicks)
	}
	var picks []chosen
	for _, p := range pieces {
		more, err := wb.pick(ctx, p, base)
		if err != nil {
			return nil, err
		}
		if picks = append(picks, more...); len(picks) > maxPicks && !more[0].onward {
			return nil, formats.Errorf(formats.CodeInvalid, "more than %d ranges at once", maxPicks)
		}
	}
	return picks, nil
}

// wholeSheets are all of a sheet, or of every sheet for -1.
func (wb reading) wholeSheets(base int) (picks []chosen) {
	sheets := wb.Sheets
	if base >= 0 {
		sheets = wb.Sheets[base : base+1]
	}
	for _, s := range sheets {
		picks = append(picks, chosen{sheet: s, block: cellref.WholeSheet})
	}
	return picks
}

// splitRanges splits at commas outside quotes and brackets.
func splitRanges(s string) []string {
	var out []string
	start, depth, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && depth == 0:
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// pick resolves one range; base is the sheet asked for, -1 for none.
func (wb reading) pick(ctx context.Context, text string, base int) ([]chosen, error) {
	text = strings.TrimSpace(text)
	at := base
	if name, rng, ok := cellref.CutSheet(text); ok {
		if at = wb.Find(name); at < 0 {
			return nil, book.UnknownSheet(name)
		}
		if base >= 0 && base != at {
			return nil, formats.Errorf(formats.CodeInvalid, "the range %s is on another sheet than the sheet asked for, %s; give one of them", cellref.QuoteArg(text), wb.Sheets[base].Name)
		}
		text = strings.TrimSpace(rng)
	} else if !strings.Contains(text, ":") || strings.Contains(text, "[") {
		// A name comes first: T is a table before it is a column.
		if picks, err := wb.named(ctx, text, base); len(picks) > 0 || err != nil {
			return picks, err
		}
	}
	if m := onwardForm.FindStringSubmatch(text); m != nil {
		return wb.onward(m[1]+m[2], cellref.At(sheetml.Atoi([]byte(m[2])), cellref.ParseEnd(m[1]).Col), at, base)
	}
	block, err := cellref.ParseRange(text)
	if err != nil {
		return nil, formats.Errorf(formats.CodeInvalid, "%w, the name of a table such as Table1 or Table1[Column], or a defined name", err)
	}
	if at < 0 {
		at = max(0, slices.IndexFunc(wb.Sheets, book.SheetInfo.Worksheet))
	}
	return []chosen{{sheet: wb.Sheets[at], block: block, ranged: true}}, nil
}

var onwardForm = lazyregexp.New(`^([A-Za-z]{1,3})([0-9]{1,7})-$`)

// onward is what stands from a cell on, called name, in the sheet of index at and,
// where no sheet was asked for, in those behind it.
func (wb reading) onward(name string, from cellref.Cell, at, base int) ([]chosen, error) {
	if from.Row < 1 || from.Row > cellref.MaxRow || from.Col < 1 || from.Col > cellref.MaxCol {
		return nil, formats.Errorf(formats.CodeInvalid, "%s is beyond the last cell of a sheet", cellref.QuoteArg(name))
	}
	if at < 0 {
		at = max(0, slices.IndexFunc(wb.Sheets, book.SheetInfo.Worksheet))
	}
	picks := []chosen{{sheet: wb.Sheets[at], block: cellref.Block(from.Row, from.Col, cellref.MaxRow, cellref.MaxCol), ranged: true, onward: true}}
	if base >= 0 {
		return picks, nil
	}
	for _, s := range wb.Sheets[at+1:] {
		picks = append(picks, chosen{sheet: s, block: cellref.WholeSheet, ranged: true, onward: true})
	}
	return picks, nil
}

// named finds a table or a defined name, none when there is no such.
func (wb reading) named(ctx context.Context, text string, base int) ([]chosen, error) {
	name, inner, isCol := strings.Cut(text, "[")
	if p, err := wb.pickTable(ctx, name, "["+inner, isCol); p != nil || err != nil {
		return p, err
	}
	def := wb.definedName(text, base)
	if def == nil {
		return nil, nil
	}
	picks := wb.rangesOf(def, base)
	if len(picks) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "the name %s is not a range of cells: it stands for %s", cellref.QuoteArg(text), book.Clip(def.Text, 100))
	}
	return picks, nil
}

// definedName finds a name, best that of the sheet base; nil when there is none.
func (wb reading) definedName(text string, base int) *book.DefinedName {
	var def *book.DefinedName
	for i := range wb.Names {
		n := &wb.Names[i]
		if strings.EqualFold(n.Name, text) && (n.Local == base && base >= 0 || def == nil) {
			def = n
		}
	}
	return def
}

// rangesOf lists the ranges that a defined name stands for; none when it stands
// for anything else.
func (wb reading) rangesOf(def *book.DefinedName, base int) []chosen {
	var picks []chosen
	for t := range formula.Tokens(def.Text) {
		switch t.Kind {
		case formula.Ref:
			i := wb.Find(t.Sheet)
			if t.Sheet == "" {
				i = max(def.Local, base)
			}
			if i < 0 || t.LastSheet != "" {
				picks = nil
			} else if r := t.Range(); !r.Empty() {
				picks = append(picks, chosen{sheet: wb.Sheets[i], block: r, ranged: true, whole: true})
			}
			continue
		case formula.Other:
			if c := def.Text[t.Start]; c == ',' || c <= ' ' || c == '(' || c == ')' {
				continue
			}
		}
		return nil
	}
	return picks
}

// pickTable finds a table with its structured reference (18.17.6.2); nil when
// no table has the name.
func (wb reading) pickTable(ctx context.Context, name, spec string, hasSpec bool) ([]chosen, error) {
	for _, sh := range wb.Sheets {
		if !sh.Worksheet() {
			continue
		}
		tables, err := wb.TablesOf(ctx, sh.Part)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(tables, func(t *book.Table) bool { return strings.EqualFold(t.Name, strings.TrimSpace(name)) })
		if i < 0 {
			continue
		}
		block := tables[i].Ref
		if hasSpec {
			if block, err = tables[i].Structured(spec); err != nil {
				return nil, err
			}
		}
		return []chosen{{sheet: sh, block: block, ranged: true, whole: true}}, nil
	}
	return nil, nil
}
