package xlsx

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// results reads what LibreOffice made of the cells without a value.
func (r *recalculation) results(ctx context.Context, path string) error {
	src, err := formats.OpenFile(path)
	if err != nil {
		return err
	}
	defer src.Close()
	done, err := open(ctx, src)
	if err != nil {
		return err
	}
	strs, err := done.Strings(ctx)
	if err != nil {
		return err
	}
	for _, u := range r.sheets {
		if u == nil {
			continue
		}
		if err := u.takeFrom(ctx, done, strs); err != nil {
			return err
		}
	}
	return nil
}

// takeFrom takes the results of the sheet from a calculated workbook.
func (u *uncalculated) takeFrom(ctx context.Context, done *workbook, strs *book.SharedStrings) error {
	if k := done.Find(u.name); k >= 0 && done.Sheets[k].Worksheet() {
		if err := u.read(ctx, done, done.Sheets[k].Part, strs); err != nil {
			return err
		}
	}
	for at := range u.formulas {
		if u.results[at] == nil && u.why[at] == "" {
			u.why[at] = "LibreOffice gives no result"
		}
	}
	return nil
}

// read takes the results of a sheet.
func (u *uncalculated) read(ctx context.Context, wb *workbook, part string, strs *book.SharedStrings) error {
	b := &block{room: wb.Allowance, facts: &facts{shared: map[int]book.SharedFormula{}}}
	for s, err := range wb.Rows(ctx, part, book.Window{}) {
		if err != nil {
			return err
		}
		at := cellref.At(s.Cell.Row, s.Cell.Col)
		if s.Event != sheetml.WholeCell || !u.cells.Has(at.Row, at.Col) {
			continue
		}
		c, err := b.take(s)
		if err != nil {
			return err
		}
		switch {
		case c.typ == sheetml.TypeShared:
			c.v, c.typ = xmlscan.Escape(strs.Text(sheetml.Atoi(sheetml.TrimSpace([]byte(c.v))))), sheetml.TypeString
		case c.is != "":
			c.v, c.typ = xmlscan.Escape(sheetml.PlainText([]byte(c.is))), sheetml.TypeString
		}
		if why := u.doubt(at, c); why != "" {
			u.why[at] = why
		} else if c.v != "" || c.typ == sheetml.TypeString {
			u.results[at] = c
		}
	}
	return nil
}

// trusted are the errors that every program gives for the same formula.
var trusted = map[string]bool{"#DIV/0!": true, "#N/A": true, "#NUM!": true, "#NULL!": true, "#REF!": true}

// doubt says why a result is not taken: LibreOffice does not know a function
// or name of the formula, which it shows by writing it in small letters, or
// gives an error that only it may see.
func (u *uncalculated) doubt(at cellref.Cell, c *blockCell) string {
	whole := u.formulas[at]
	for t := range formula.Tokens(c.f) {
		name := c.f[t.Start:t.End]
		if t.Kind == formula.Function && name != strings.ToUpper(name) && strings.Contains(strings.ToUpper(whole), strings.ToUpper(formula.BareFunction(name))) {
			if bare := formula.BareFunction(name); bare != strings.ToUpper(bare) {
				return "LibreOffice does not know " + strings.ToUpper(bare)
			}
		}
		if t.Kind == formula.Name && !strings.Contains(whole, name) {
			return "LibreOffice does not know the name " + name
		}
	}
	if v := sheetml.CharData([]byte(c.v)); c.typ == sheetml.TypeError && (!trusted[v] || strings.Contains(whole, "[")) {
		return "LibreOffice gives " + v
	}
	return ""
}

// takeResults writes results into the cells of a sheet that have no value.
func (e *structure) takeResults(ctx context.Context, part string, results map[cellref.Cell]*blockCell) error {
	e.rep.Cells += len(results)
	rows := func(yield func(int) bool) {
		for at := range results {
			if !yield(at.Row) {
				return
			}
		}
	}
	e.setResults(ctx, part, rows, func(at cellref.Cell) *blockCell { return results[at] })
	return nil
}

// setResults writes results into the cells of a sheet; result returns nil for a cell
// that stays as it is, as all do outside of rows.
func (e *structure) setResults(ctx context.Context, part string, rows iter.Seq[int], result func(cellref.Cell) *blockCell) {
	pkg := e.wb.Package
	write := func(dst io.Writer) error { return writeResults(ctx, pkg, part, result, dst) }
	l := e.wb.Layouts.Of(part)
	if !l.OK() {
		e.ed.SetStream(part, write)
		return
	}
	touched := make([]bool, len(l.Rows))
	for row := range rows {
		touched[placeOf(l.Rows, row)] = true
	}
	var r resultWriter
	event := func(w *bufio.Writer, s *sheetml.RowScanner, _ int) error {
		_, err := w.Write(r.event(s, result))
		return err
	}
	if patches := rowPatches(ctx, l, touched, event); saves(l, patches) {
		e.ed.SetPatched(part, write, l.Deflated, patches)
		return
	}
	e.ed.SetStream(part, write)
}

// resultWriter makes cells with their results.
type resultWriter struct {
	cuts []xmlscan.Splice // for reuse
	cell []byte
}

// event returns the current event, a cell with its result. It is valid until the next one.
func (r *resultWriter) event(s *sheetml.RowScanner, result func(cellref.Cell) *blockCell) []byte {
	if s.Event == sheetml.WholeCell {
		if now := result(cellref.At(s.Cell.Row, s.Cell.Col)); now != nil {
			r.cuts = appendResultCuts(r.cuts[:0], s, now)
			r.cell = xmlscan.AppendApplied(r.cell[:0], s.Raw(), r.cuts)
			return r.cell
		}
	}
	return s.Raw()
}

func writeResults(ctx context.Context, pkg *opc.Package, part string, result func(cellref.Cell) *blockCell, dst io.Writer) error {
	w := bufio.NewWriterSize(dst, 64<<10)
	var r resultWriter
	for s, err := range book.Rows(ctx, pkg, part, book.Window{}) {
		if err != nil {
			return err
		}
		raw := r.event(s, result)
		switch s.Event {
		case sheetml.HeadEnd:
			raw = s.HeadXML
		case sheetml.DataEnd:
			w.Write(raw)
			if raw, err = s.Tail(); err != nil {
				return err
			}
		}
		w.Write(raw)
	}
	return w.Flush()
}

// appendResultCuts puts a value into the current cell, or takes away the one that it has
// where there is no other one.
func appendResultCuts(cuts []xmlscan.Splice, s *sheetml.RowScanner, now *blockCell) []xmlscan.Splice {
	c := &s.Cell
	if now.v == "" && now.typ != sheetml.TypeString {
		return appendValueCuts(cuts, c)
	}
	typ := ""
	if t := typeNames[now.typ]; t != "" {
		typ = ` t="` + t + `"`
	}
	v := "<" + s.Prefix + "v>" + now.v + "</" + s.Prefix + "v>"
	tagEnd, open := c.TagEnd-1, ""
	if s.Raw()[c.TagEnd-2] == '/' {
		// A cell of an array's block that is empty but for its format.
		tagEnd, open = c.TagEnd-2, ">"
		v += "</" + s.Prefix + "c>"
	}
	if c.TypeAttr.OK() {
		cuts = append(cuts, xmlscan.Splice{Start: c.TypeAttr.Start, End: c.TypeAttr.End, New: []byte(typ)})
		typ = ""
	}
	switch {
	case open != "":
		return append(cuts, xmlscan.Splice{Start: tagEnd, End: c.TagEnd, New: []byte(typ + open + v)})
	case c.ValueElement.OK():
		cuts = append(cuts, xmlscan.Splice{Start: c.ValueElement.Start, End: c.ValueElement.End, New: []byte(v)})
	case c.FormulaElement.OK():
		cuts = append(cuts, xmlscan.Splice{Start: c.FormulaElement.End, End: c.FormulaElement.End, New: []byte(v)})
	default:
		cuts = append(cuts, xmlscan.Splice{Start: c.TagEnd, End: c.TagEnd, New: []byte(v)})
	}
	if typ != "" {
		cuts = append(cuts, xmlscan.Splice{Start: tagEnd, End: tagEnd, New: []byte(typ)})
	}
	return cuts
}
