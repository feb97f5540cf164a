package xlsx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type refreshPivotArgs struct {
	Name      string       `json:"name" usage:"name? (default all)"`
	Overwrite lenient.Bool `json:"overwrite"`
}

// refreshPivot calculates pivot tables anew from their sources. Tables of one cache
// are refreshed together, as spreadsheet programs do.
func refreshPivot(ctx context.Context, e *structure, op refreshPivotArgs) error {
	pivots, err := e.wb.allPivots(ctx)
	if err != nil {
		return err
	}
	if len(pivots) == 0 {
		return formats.Errorf(formats.CodeNotFound, "the workbook has no pivot table")
	}
	wanted := map[string]bool{}
	if op.Name != "" {
		p, err := e.wb.pivotNamed(pivots, op.Name)
		if err != nil {
			return err
		}
		wanted[strings.ToLower(p.cache)] = true
	}
	plan := newPlan(e.wb, false)
	var caches []string
	for _, p := range pivots {
		k := strings.ToLower(p.cache)
		if op.Name != "" && !wanted[k] || slices.Contains(caches, k) {
			continue
		}
		caches = append(caches, k)
		var tables []*pivotPart
		for _, other := range pivots {
			if strings.EqualFold(other.cache, p.cache) {
				tables = append(tables, other)
			}
		}
		err := e.refreshCache(ctx, plan, tables, bool(op.Overwrite))
		if fe := (*formats.Error)(nil); errors.As(err, &fe) && op.Name == "" {
			e.warn("left as it was: %v", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return e.finishPivots(ctx, plan)
}

// pivotNamed finds a pivot table by its name.
// The name may follow that of its sheet: Summary!PivotTable1.
func (wb *workbook) pivotNamed(pivots []*pivotPart, name string) (*pivotPart, error) {
	name = strings.TrimSpace(name)
	var names []string
	var found *pivotPart
	for _, p := range pivots {
		sheet := wb.Sheets[p.sheet].Name
		if strings.EqualFold(formula.SheetPrefix(sheet)+p.name, name) || strings.EqualFold(sheet+"!"+p.name, name) {
			return p, nil
		}
		if strings.EqualFold(p.name, name) {
			if found != nil {
				return nil, formats.Errorf(formats.CodeInvalid, "several pivot tables are named %s; give the sheet too, such as %s", cellref.QuoteArg(name), formula.SheetPrefix(sheet)+p.name)
			}
			found = p
		}
		names = append(names, p.name)
	}
	if found == nil {
		return nil, formats.Errorf(formats.CodeNotFound, "there is no pivot table %s; there are %s", cellref.QuoteArg(name), upTo20(names, len(names)))
	}
	return found, nil
}

// finishPivots writes the planned cells of all sheets.
func (e *structure) finishPivots(ctx context.Context, p *plan) error {
	f := &finisher{plan: p, wb: e.wb, ed: e.ed, rw: &formula.Rewriter{}}
	any := false
	for _, s := range p.sheets {
		any = any || s.touched()
		e.rep.Cells += len(s.cells)
	}
	if !any {
		return nil
	}
	if err := f.finish(ctx); err != nil {
		return err
	}
	for _, warning := range p.report.Warnings {
		if warning != signatureWarning {
			e.warn("%s", warning)
		}
	}
	return nil
}

// pivotCache is a cache with the tables over it.
type pivotCache struct {
	part   string
	doc    []byte
	def    *pivot.Cache
	data   *pivot.Data
	src    *pivotSource
	parts  []*pivotPart
	docs   [][]byte
	tables []*pivot.Table
	ours   bool // an Atelier made it, with the looks of cells
}

// openCache reads a cache, its tables and its source. Its errors name the tables.
func (e *structure) openCache(ctx context.Context, parts []*pivotPart, source string) (*pivotCache, error) {
	c := &pivotCache{part: parts[0].cache, parts: parts}
	named := "the pivot table " + parts[0].name + " on sheet " + e.wb.Sheets[parts[0].sheet].Name
	wrap := func(err error) error {
		if fe := (*formats.Error)(nil); errors.As(err, &fe) {
			return formats.Errorf(fe.Code, "%s %w", named, err)
		}
		return err
	}
	if c.part == "" {
		return nil, formats.Errorf(formats.CodeUnsupported, "%s has no cache that says where its values come from", named)
	}
	if size := e.wb.Package.Size(c.part); size > book.MaxObjects {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has a cache definition of %d bytes; the limit is %d", named, size, book.MaxObjects)
	}
	var err error
	if c.doc, err = e.wb.Package.ReadXML(ctx, c.part); err != nil {
		return nil, err
	}
	c.ours = bytes.Contains(c.doc, []byte(`refreshedBy="Atelier"`))
	if c.def, err = pivot.ReadCache(ctx, c.doc, e.wb.Date1904); err != nil {
		return nil, wrap(err)
	}
	for _, p := range parts {
		doc, err := e.wb.Package.ReadXML(ctx, p.part)
		if err != nil {
			return nil, err
		}
		named = "the pivot table " + p.name + " on sheet " + e.wb.Sheets[p.sheet].Name
		t, err := pivot.ReadTable(ctx, doc, c.def)
		if err != nil {
			return nil, wrap(err)
		}
		t.Now, t.Date1904 = e.now(), e.wb.Date1904
		c.docs, c.tables = append(c.docs, doc), append(c.tables, t)
	}
	if source == "" {
		source = c.def.SourceName
		if source == "" {
			source = c.def.SourceRef
			if c.def.SourceSheet != "" {
				source = formula.QuoteSheet(c.def.SourceSheet) + "!" + c.def.SourceRef
			}
		}
	}
	if c.src, err = e.pivotSourceOf(ctx, source, parts[0].sheet); err != nil {
		return nil, formats.Errorf(formats.CodeOf(err), "%s: its source: %w", named, err)
	}
	if c.data, err = c.src.read(ctx, e); err != nil {
		return nil, formats.Errorf(formats.CodeOf(err), "%s: %w", named, err)
	}
	if err := c.def.Refresh(c.data, c.tables); err != nil {
		return nil, wrap(err)
	}
	return c, e.formatsOf(ctx, c)
}

// ofPivot names the table that cannot be calculated.
func ofPivot(t *pivot.Table, err error) error {
	if formats.CodeOf(err) == formats.CodeUnsupported {
		return formats.Errorf(formats.CodeUnsupported, "the pivot table %s %w", t.Name, err)
	}
	return err
}

// formatsOf gives the fields and values of tables the codes of their number formats.
func (e *structure) formatsOf(ctx context.Context, c *pivotCache) error {
	st, err := e.wb.Styles(ctx)
	if err != nil {
		return err
	}
	for _, t := range c.tables {
		for i := range t.Values {
			if m := &t.Values[i]; m.NumFmt > 0 {
				m.Format = st.CodeOf(m.NumFmt)
			}
		}
		for _, f := range t.Fields {
			if f.Column >= 0 {
				showDates(f, c.data.Columns[f.Column].Format, c.data.Date1904)
			}
		}
	}
	return nil
}

// refreshCache refreshes the tables of one cache.
func (e *structure) refreshCache(ctx context.Context, plan *plan, parts []*pivotPart, overwrite bool) error {
	c, err := e.openCache(ctx, parts, "")
	if err != nil {
		return err
	}
	var writes []*pivotWrite
	for i, p := range parts {
		w := &pivotWrite{e: e, plan: plan, sheet: plan.sheets[p.sheet], t: c.tables[i], data: c.data, at: cellref.At(p.at.R1, p.at.C1), reset: c.ours}
		if p.at.Empty() {
			return formats.Errorf(formats.CodeCorrupt, "the pivot table %s has no place", p.name)
		}
		if err := w.learnWords(ctx, p); err != nil {
			return err
		}
		if w.grid, err = w.t.Calculate(ctx, c.data); err != nil {
			return ofPivot(w.t, err)
		}
		if err := w.mayWrite(ctx, overwrite, p.whole(), p.part); err != nil {
			return err
		}
		writes = append(writes, w)
	}
	for i, w := range writes {
		p := parts[i]
		now, err := w.t.RefreshedXML(c.docs[i], w.grid, w.at)
		if err != nil {
			return book.CorruptPart(err, p.part)
		}
		if !bytes.Equal(now, c.docs[i]) {
			e.ed.Set(p.part, now)
		}
		changed, err := w.rewrite(ctx, p.whole())
		if err != nil {
			return err
		}
		e.rep.Hits++
		if changed > 0 && e.noSlicers(ctx, p) != nil {
			e.warn("the slicers of the pivot table %s stay as they were; they list new items once a spreadsheet program refreshes them", p.name)
		}
		if err := e.tellCharts(ctx, p, w.grid, w, false); err != nil {
			return err
		}
		e.wb.refreshed = append(e.wb.refreshed, p.part)
		note := fmt.Sprintf("pivot table %s at %s: %s", p.name, formula.SheetPrefix(w.sheet.name)+w.grid.Place(w.at).String(), formats.Count(changed, "cell changed", "cells changed"))
		e.rep.Notes = append(e.rep.Notes, note)
	}
	return e.writeCache(ctx, c)
}

// writeCache writes the definition and the records of a refreshed cache.
func (e *structure) writeCache(ctx context.Context, c *pivotCache) error {
	now, err := c.def.RefreshedCache(c.doc, c.data)
	if err != nil {
		return book.CorruptPart(err, c.part)
	}
	if !bytes.Equal(now, c.doc) {
		e.ed.Set(c.part, now)
	}
	t := &pivot.Table{Fields: c.def.Fields, Date1904: c.data.Date1904}
	if err := t.Intern(c.data); err != nil {
		return err
	}
	return e.writeRecords(ctx, c.part, t, c.data)
}

// smallRecords is the size of records that are compared before they are replaced.
const smallRecords = 8 << 20

// writeRecords writes the records of a cache where it has any and they differ.
func (e *structure) writeRecords(ctx context.Context, cache string, t *pivot.Table, data *pivot.Data) error {
	rels, err := e.wb.Package.Rels(ctx, cache)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type != relPivotRecords || r.External || !e.wb.Package.Has(r.Target) {
			continue
		}
		ns := sheetml.Namespace
		if e.wb.Strict {
			ns = "http://purl.oclc.org/ooxml/spreadsheetml/main"
		}
		if e.wb.Package.Size(r.Target) < smallRecords {
			var now bytes.Buffer
			if err := t.WriteRecords(ctx, data, ns, &now); err != nil {
				return err
			}
			if was, err := e.wb.Package.Read(ctx, r.Target); err != nil || bytes.Equal(was, now.Bytes()) {
				return err
			}
		}
		e.ed.SetStream(r.Target, func(out io.Writer) error { return t.WriteRecords(ctx, data, ns, out) })
	}
	return nil
}

// learnWords takes the words of a table from its cells, which may be in another
// language.
func (w *pivotWrite) learnWords(ctx context.Context, p *pivotPart) error {
	texts := map[cellref.Cell]string{}
	err := w.e.wb.eachCell(ctx, w.sheet.info.Part, p.at, func(at cellref.Cell, v cellView) error {
		if v.kind == valText && (at.Row == p.at.R2 || at.Row < p.at.R1+p.firstDataRow) && len(texts) < 1000 {
			texts[at] = v.text
		}
		return nil
	})
	if err != nil || p.firstDataRow == 0 {
		return err
	}
	word := func(row, col int, to *string, otherwise string) {
		if s := texts[cellref.At(row, col)]; s != "" && *to == otherwise {
			*to = s
		}
	}
	t := w.t
	compact := func(list []int) bool { return len(list) > 0 && list[0] >= 0 && t.Fields[list[0]].Compact }
	if compact(t.Rows) && (len(t.Rows) == 1 || t.Fields[t.Rows[0]].Outline) {
		word(p.at.R1+p.firstDataRow-1, p.at.C1, &t.Words.Rows, pivot.English.Rows)
	}
	if compact(t.Columns) {
		word(p.at.R1, p.at.C1+p.firstDataCol, &t.Words.Columns, pivot.English.Columns)
	}
	if t.ColGrand && len(t.Rows) > 0 && p.grand && (len(t.Values) < 2 || !slices.Contains(t.Rows, pivot.ValuesField)) {
		word(p.at.R2, p.at.C1, &t.Words.Grand, pivot.English.Grand)
	}
	return nil
}
