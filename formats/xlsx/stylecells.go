package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
)

// existing gives a worksheet that is there.
func (p *plan) existing(name string) (*planSheet, error) {
	if strings.TrimSpace(name) == "" {
		return nil, formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	if p.find(name) < 0 {
		return nil, book.UnknownSheet(name)
	}
	return p.writable(name)
}

// ranges reads a list of ranges with commas or blanks between them.
func ranges(s string) ([]cellref.Range, error) {
	var out []cellref.Range
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		r, err := cellref.ParseRange(strings.ReplaceAll(part, "$", ""))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, formats.Errorf(formats.CodeInvalid, "range is required, for example A1:C3")
	}
	return out, nil
}

// colFormats lets the formats of whole columns follow, once per call.
func (s *planSheet) colFormats(p *plan) {
	if s.colsFollow {
		return
	}
	s.colsFollow = true
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		for _, a := range s.areas {
			if !a.wholeCols() {
				continue
			}
			b, err := w.f.styleBook(ctx)
			if err != nil {
				return err
			}
			w.edit(colStyleEdits(w.skel, a, b, w.prefix)...)
		}
		return nil
	})
}

// styleCells puts a style on the cells of set_cells or set_range.
func (s *planSheet) styleCells(style map[string]any, rects ...cellref.Range) error {
	if len(style) == 0 {
		return nil
	}
	spec, err := stylesheet.ParseSpec(style)
	if err != nil {
		return err
	}
	for _, r := range rects {
		s.areas = append(s.areas, styleArea{r, spec})
	}
	return nil
}

// resolveStyles gives the styles noted in a sheet the ones they become.
func (f *finisher) resolveStyles(ctx context.Context, y *sheetStyles, cells map[cellref.Cell]value) error {
	if y == nil {
		return nil
	}
	y.noteMissing(cells)
	b, err := f.styleBook(ctx)
	if err != nil {
		return err
	}
	keys := make([][2]int, 0, len(y.become))
	for k := range y.become {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		y.become[k] = b.CellXf(k[0], y.combos[k[1]])
	}
	return nil
}

// colStyleEdits sets the format of whole columns (18.3.1.13), splitting the
// definitions that a column range cuts.
func colStyleEdits(k sheetml.Skeleton, a styleArea, b *stylesheet.Book, prefix string) []xmlscan.Splice {
	cols, start, end := sheetml.ReadColumns(k)
	var out []sheetml.ColumnRange
	next := a.C1
	add := func(from, to int) {
		if from <= to {
			attrs := ` width="` + k.DefaultWidth() + `" style="` + strconv.Itoa(b.CellXf(0, a.spec)) + `"`
			out = append(out, sheetml.Columns(from, to, []byte("<"+prefix+"col"+attrs+"/>")))
		}
	}
	for _, c := range cols {
		if c.To < a.C1 || c.From > a.C2 {
			out = append(out, c)
			continue
		}
		if c.From < a.C1 {
			out = append(out, sheetml.Columns(c.From, a.C1-1, c.Tag))
		}
		from, to := max(c.From, a.C1), min(c.To, a.C2)
		add(next, from-1)
		next = to + 1
		old, _ := strconv.Atoi(sheetml.AttrOf(c.Tag, "style"))
		tag := sheetml.EditTag(c.Tag, ` style="`+strconv.Itoa(b.CellXf(old, a.spec))+`"`, "style")
		out = append(out, sheetml.Columns(from, to, tag))
		if c.To > a.C2 {
			out = append(out, sheetml.Columns(a.C2+1, c.To, c.Tag))
		}
	}
	add(next, a.C2)
	return colsXML(k, out, start, end, prefix)
}

// colsXML writes the column definitions in place of those at [start,end).
func colsXML(k sheetml.Skeleton, cols []sheetml.ColumnRange, start, end int, prefix string) []xmlscan.Splice {
	slices.SortStableFunc(cols, func(a, b sheetml.ColumnRange) int { return a.From - b.From })
	var sb strings.Builder
	sb.WriteString("<" + prefix + "cols>")
	for _, c := range cols {
		sb.Write(sheetml.EditTag(c.Tag, ` min="`+strconv.Itoa(c.From)+`" max="`+strconv.Itoa(c.To)+`"`, "min", "max"))
	}
	sb.WriteString("</" + prefix + "cols>")
	if start < 0 {
		start = k.Before("sheetData")
		end = start
	}
	return []xmlscan.Splice{{Start: start, End: end, New: []byte(sb.String())}}
}
