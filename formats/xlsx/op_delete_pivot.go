package xlsx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type deletePivotArgs struct {
	Name       string       `json:"name" usage:"name"`
	KeepValues lenient.Bool `json:"keep_values" jsonschema:"{ops}: its values stay as ordinary cells"`
}

// deletePivot takes a pivot table away, with its cells unless they are to stay, and
// with its cache when no other table uses that.
func deletePivot(ctx context.Context, e *structure, op deletePivotArgs) error {
	pivots, err := e.wb.allPivots(ctx)
	if err != nil {
		return err
	}
	if strings.TrimSpace(op.Name) == "" {
		return formats.Errorf(formats.CodeInvalid, "name is required: the pivot table to delete")
	}
	p, err := e.wb.pivotNamed(pivots, op.Name)
	if err != nil {
		return err
	}
	if err := e.noSlicers(ctx, p); err != nil {
		return err
	}
	plan := newPlan(e.wb, false)
	s := plan.sheets[p.sheet]
	if !op.KeepValues {
		s.raws = map[cellref.Cell]rawCell{}
		err := e.wb.eachPlace(ctx, s.info.Part, p.whole(), func(at cellref.Cell, _ cellView) error {
			s.set(at, value{})
			s.raws[at] = rawCell{}
			return nil
		})
		if err != nil {
			return err
		}
	}
	e.rep.Hits = 1
	if err := e.finishPivots(ctx, plan); err != nil {
		return err
	}
	if err := e.removePart(ctx, s.info.Part, p.relID, p.part); err != nil {
		return err
	}
	for _, other := range pivots {
		if other != p && strings.EqualFold(other.cache, p.cache) {
			return nil
		}
	}
	return e.removeCache(ctx, p.cache)
}

// noSlicers refuses to delete a pivot table that slicers filter.
func (e *structure) noSlicers(ctx context.Context, p *pivotPart) error {
	for _, part := range e.wb.Package.Names() {
		ct := strings.ToLower(e.wb.Package.ContentType(part))
		if !strings.Contains(ct, "slicercache+xml") && !strings.Contains(ct, "timelinecache+xml") || e.wb.Package.Size(part) > book.MaxObjects {
			continue
		}
		doc, err := e.wb.Package.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		used := false
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			used = used || t.Local == "pivotTable" && strings.EqualFold(t.AttrLocal("name"), p.name)
			return !used && ctx.Err() == nil
		})
		if used {
			return formats.Errorf(formats.CodeUnsupported, "slicers or timelines filter the pivot table %s; delete them in a spreadsheet program first", p.name)
		}
	}
	return ctx.Err()
}

// removePart removes a part with the relationship that leads to it.
func (e *structure) removePart(ctx context.Context, source, relID, part string) error {
	if err := e.ed.RemoveRel(ctx, source, relID); err != nil {
		return err
	}
	return e.ed.RemovePart(ctx, part)
}

// removeCache removes a cache with its records and its entry in the workbook part.
func (e *structure) removeCache(ctx context.Context, cache string) error {
	if cache == "" {
		return nil
	}
	rels, err := e.ed.Rels(ctx, cache)
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type == relPivotRecords && !r.External && e.ed.Has(r.Target) {
			if err := e.removePart(ctx, cache, r.ID, r.Target); err != nil {
				return err
			}
		}
	}
	for _, r := range e.wb.Rels {
		if r.Type != relPivotCache || !strings.EqualFold(r.Target, cache) {
			continue
		}
		if err := e.unlistCache(ctx, r.ID); err != nil {
			return err
		}
		return e.removePart(ctx, e.wb.Main, r.ID, cache)
	}
	return e.ed.RemovePart(ctx, cache)
}

// unlistCache takes a cache out of the workbook part, with the list when it is empty.
func (e *structure) unlistCache(ctx context.Context, relID string) error {
	doc, err := e.ed.ReadXML(ctx, e.wb.Main)
	if err != nil {
		return err
	}
	var list, entry xmlscan.Splice
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "pivotCaches" && t.Depth == 2:
			list.Start = t.Start
		case t.Kind == xmlscan.End && t.Local == "pivotCaches" && t.Depth == 2:
			list.End = t.End
		case t.Kind == xmlscan.Start && t.Local == "pivotCache" && t.Depth == 3:
			n++
			if t.AttrLocal("id") == relID {
				entry = xmlscan.Splice{Start: t.Start, End: sc.Skip()}
			}
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, e.wb.Main)
	}
	switch {
	case entry.End == 0:
		return nil
	case n == 1 && list.End > 0:
		entry = list
	}
	e.ed.Set(e.wb.Main, xmlscan.Apply(doc, []xmlscan.Splice{entry}))
	return nil
}
