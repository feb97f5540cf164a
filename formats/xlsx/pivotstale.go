package xlsx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// markPivots notes the pivot tables whose source has cells that change.
func (f *finisher) markPivots(ctx context.Context) error {
	return f.wb.stalePivots(ctx, func(sheet int, r cellref.Range) bool {
		for i, s := range f.keep {
			if s.orig == sheet {
				return f.seeds[i].Meets(r)
			}
		}
		return false
	})
}

// stalePivots notes the pivot tables whose source changes.
func (wb *workbook) stalePivots(ctx context.Context, changes func(sheet int, r cellref.Range) bool) error {
	caches := false
	for _, r := range wb.Rels {
		caches = caches || r.Type == relPivotCache
	}
	if !caches {
		return nil
	}
	pivots, err := wb.allPivots(ctx)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, p := range pivots {
		k := strings.ToLower(p.cache)
		hit, known := changed[k]
		if !known {
			if hit, err = wb.sourceChanges(ctx, p, changes); err != nil {
				return err
			}
			changed[k] = hit
		}
		if hit {
			if wb.stale == nil {
				wb.stale = map[string]string{}
			}
			wb.stale[p.part] = fmt.Sprintf("%s on sheet %q", p.name, wb.Sheets[p.sheet].Name)
		}
	}
	return nil
}

// sourceChanges reports whether the source of a pivot table has cells that change.
func (wb *workbook) sourceChanges(ctx context.Context, p *pivotPart, changes func(sheet int, r cellref.Range) bool) (bool, error) {
	if p.cache == "" || wb.Package.Size(p.cache) > book.MaxObjects {
		return false, nil
	}
	doc, err := wb.Package.ReadXML(ctx, p.cache)
	if err != nil {
		return false, err
	}
	var ref, sheet, name string
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "worksheetSource" && t.AttrLocal("id") == "" {
			ref, sheet, name = t.AttrLocal("ref"), t.AttrLocal("sheet"), t.AttrLocal("name")
		}
		return t.Local != "cacheFields"
	})
	if name != "" {
		e := &structure{wb: wb}
		src, err := e.namedSource(ctx, name)
		if err != nil || src == nil {
			return false, nil
		}
		return changes(src.sheet, src.area), nil
	}
	i := p.sheet
	if sheet != "" {
		i = wb.Find(sheet)
	}
	r := cellref.ParseAttr(ref)
	return i >= 0 && !r.Empty() && changes(i, r), nil
}

// notePivots takes over what a pass did to pivot tables.
func (e *edit) notePivots(wb *workbook) {
	if e.stale == nil {
		e.stale = map[string]string{}
	}
	maps.Copy(e.stale, wb.stale)
	for _, part := range wb.refreshed {
		delete(e.stale, part)
	}
}

// stalePivots tells which pivot tables show values of before.
func (e *edit) stalePivots() string {
	if len(e.stale) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Values(e.stale))
	verb := map[bool]string{true: "shows", false: "show"}[len(names) == 1]
	return fmt.Sprintf("%s %s the values from before this change: %s; op refresh_pivot calculates them anew", formats.Count(len(names), "pivot table", "pivot tables"), verb, upTo20(names, len(names)))
}
