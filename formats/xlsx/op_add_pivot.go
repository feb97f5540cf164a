package xlsx

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

// Content types and relationships of the parts of pivot tables.
const (
	typePivot        = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml"
	typePivotCache   = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml"
	typePivotRecords = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheRecords+xml"
	relPivotCache    = opc.RelPrefix + "pivotCacheDefinition"
	relPivotRecords  = opc.RelPrefix + "pivotCacheRecords"
)

type addPivotArgs struct {
	Source string `json:"source" usage:"source" jsonschema:"{ops}: Sales!A1:F99 (the first row has the names), a table or a defined name"`
	Sheet  string `json:"sheet" usage:"sheet"`
	Cell   string `json:"cell" jsonschema:"{ops}: top left cell; default A3"`
	Name   string `json:"name" jsonschema:"{ops}: its name"`
	pivotLayoutArgs
	Overwrite lenient.Bool `json:"overwrite" jsonschema:"{ops}: also over filled cells"`
}

// addPivot makes a pivot table with its cache, and writes its values into cells.
func addPivot(ctx context.Context, e *structure, op addPivotArgs) error {
	if strings.TrimSpace(op.Sheet) == "" {
		return formats.Errorf(formats.CodeInvalid, "sheet is required: the sheet for the pivot table, a new one or one that is there")
	}
	src, err := e.pivotSourceOf(ctx, op.Source, e.wb.Find(op.Sheet))
	if err != nil {
		return err
	}
	data, err := src.read(ctx, e)
	if err != nil {
		return err
	}
	pivots, err := e.wb.allPivots(ctx)
	if err != nil {
		return err
	}
	t := newPivotTable(data)
	t.Now = e.now()
	if t.Name, err = pivotName(op.Name, pivots); err != nil {
		return err
	}
	design := &pivotDesign{t: t, data: data, new: true}
	if err := design.apply(op.pivotLayoutArgs); err != nil {
		return err
	}
	if len(t.Rows)+len(t.Columns)+len(t.Values) == 0 {
		return formats.Errorf(formats.CodeInvalid, "a pivot table needs row_fields, column_fields or value_fields")
	}
	at := cellref.At(3, 1)
	if op.Cell != "" {
		if at, err = cellref.ParseCell(op.Cell); err != nil {
			return err
		}
	}
	if n := len(t.Pages); n > 0 {
		at.Row += n + 1
	}
	p := newPlan(e.wb, false)
	s, err := p.writable(op.Sheet)
	if err != nil {
		return err
	}
	w := &pivotWrite{e: e, plan: p, sheet: s, t: t, data: data, at: at}
	if w.grid, err = t.Calculate(ctx, data); err != nil {
		return ofPivot(t, err)
	}
	if s.orig >= 0 && src.sheet == s.orig && src.area.Meets(w.grid.Whole(at)) {
		return formats.Errorf(formats.CodeInvalid, "the pivot table would need %s and overlap its source %s; give another cell or a new sheet", w.grid.Whole(at), src.said(e.wb))
	}
	if err := w.mayWrite(ctx, bool(op.Overwrite), cellref.Range{}, ""); err != nil {
		return err
	}
	if err := w.create(ctx, src, pivots); err != nil {
		return err
	}
	e.rep.Hits, e.rep.Made = 1, fmt.Sprintf("pivot table %s at %s", t.Name, formula.SheetPrefix(s.name)+w.grid.Place(at).String())
	return nil
}

// newPivotTable returns a table over a source with nothing on its axes.
func newPivotTable(data *pivot.Data) *pivot.Table {
	t := &pivot.Table{RowGrand: true, ColGrand: true, Words: pivot.English, Style: "PivotStyleLight16", Date1904: data.Date1904}
	for i, c := range data.Columns {
		f := pivot.NewField(c.Name, i)
		showDates(f, c.Format, data.Date1904)
		t.Fields = append(t.Fields, f)
	}
	return t
}

// pivotName checks the name of a new pivot table, or chooses one.
func pivotName(name string, have []*pivotPart) (string, error) {
	taken := map[string]bool{}
	for _, p := range have {
		taken[strings.ToLower(p.name)] = true
	}
	name = strings.TrimSpace(name)
	for n := 1; name == ""; n++ {
		if s := fmt.Sprintf("PivotTable%d", n); !taken[strings.ToLower(s)] {
			name = s
		}
	}
	switch {
	case taken[strings.ToLower(name)]:
		return "", formats.Errorf(formats.CodeInvalid, "there is a pivot table %s already; give another name, or use change_pivot or refresh_pivot", cellref.QuoteArg(name))
	case sheetml.UTF16Len(name) > 255:
		return "", formats.Errorf(formats.CodeInvalid, "the name of a pivot table has at most 255 characters")
	}
	return name, nil
}

// create writes the cells and the parts of a new pivot table.
func (w *pivotWrite) create(ctx context.Context, src *pivotSource, have []*pivotPart) error {
	e, t := w.e, w.t
	cacheID := 1
	for _, p := range have {
		cacheID = max(cacheID, p.cacheID+1)
	}
	for _, n := range cacheIDs(e.wb.XML) {
		cacheID = max(cacheID, n+1)
	}
	cachePart := e.ed.NewName(opc.Resolve(e.wb.Main, "pivotCache/pivotCacheDefinition%d.xml"))
	w.plan.deferEdit(w.sheet, func(ctx context.Context, s *sheetWork) error {
		if err := w.formats(ctx, s.f); err != nil {
			return err
		}
		ns, relNS := s.f.ns(sheetml.Namespace), s.f.ns(sheetml.RelNamespace)
		doc := t.XML(w.grid, w.at, ns, cacheID)
		part, _, err := s.f.ed.AddPart(ctx, s.part, "xl/pivotTables/pivotTable%d.xml", book.RelPivot, typePivot, []byte(doc))
		if err != nil {
			return err
		}
		cache := t.CacheXML(w.data, ns, relNS, src.xml(e.wb), excelTime(e.now(), w.data.Date1904))
		e.ed.Set(cachePart, []byte(cache))
		if err := e.ed.DeclareType(ctx, cachePart, typePivotCache); err != nil {
			return err
		}
		if _, err := e.ed.AddRel(ctx, part, opc.Relationship{Type: relPivotCache, Target: cachePart}); err != nil {
			return err
		}
		records, _, err := e.ed.AddPart(ctx, cachePart, "xl/pivotCache/pivotCacheRecords%d.xml", relPivotRecords, typePivotRecords, nil)
		if err != nil {
			return err
		}
		e.ed.SetStream(records, func(out io.Writer) error { return t.WriteRecords(ctx, w.data, ns, out) })
		return nil
	})
	if err := w.finish(ctx); err != nil {
		return err
	}
	return e.listCache(ctx, cachePart, cacheID)
}

// now is the time of the operation.
func (e *structure) now() time.Time {
	if e.opt.Now.IsZero() {
		return time.Now()
	}
	return e.opt.Now
}

// excelTime is a time as the number that a cell holds for it.
func excelTime(t time.Time, date1904 bool) float64 {
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t.UTC().Sub(base).Seconds() / 86400
}
