package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type changePivotArgs struct {
	Name   string `json:"name" usage:"name"`
	Source string `json:"source" usage:"source?"`
	pivotLayoutArgs
	Overwrite lenient.Bool `json:"overwrite"`
}

// changePivot gives a pivot table other fields, filters, options or another source,
// and calculates it anew.
func changePivot(ctx context.Context, e *structure, op changePivotArgs) error {
	pivots, err := e.wb.allPivots(ctx)
	if err != nil {
		return err
	}
	if strings.TrimSpace(op.Name) == "" {
		return formats.Errorf(formats.CodeInvalid, "name is required: the pivot table to change")
	}
	p, err := e.wb.pivotNamed(pivots, op.Name)
	if err != nil {
		return err
	}
	shared := 0
	for _, other := range pivots {
		if strings.EqualFold(other.cache, p.cache) {
			shared++
		}
	}
	c, err := e.openCache(ctx, []*pivotPart{p}, op.Source)
	if err != nil {
		return err
	}
	t := c.tables[0]
	if err := (&pivotWrite{e: e, sheet: newPlan(e.wb, false).sheets[p.sheet], t: t}).learnWords(ctx, p); err != nil { // from the cells as they are before
		return err
	}
	design := &pivotDesign{t: t, data: c.data}
	if err := design.apply(op.pivotLayoutArgs); err != nil {
		return err
	}
	if shared > 1 && (op.Source != "" || len(t.Fields) != len(c.def.Fields) || !sameGroups(c.def.Fields, t.Fields)) {
		return formats.Errorf(formats.CodeUnsupported, "%s the values of %s, so that its source and its groups cannot be changed alone; make another table with add_pivot", formats.Count(shared-1, "other pivot table shares", "other pivot tables share"), p.name)
	}
	plan := newPlan(e.wb, false)
	w := &pivotWrite{e: e, plan: plan, sheet: plan.sheets[p.sheet], t: t, data: c.data, at: cellref.At(p.whole().R1, p.at.C1), reset: true}
	if n := len(t.Pages); n > 0 {
		w.at.Row += n + 1
	}
	if w.grid, err = t.Calculate(ctx, c.data); err != nil {
		return ofPivot(t, err)
	}
	if err := w.mayWrite(ctx, bool(op.Overwrite), p.whole(), p.part); err != nil {
		return err
	}
	if bytes.Contains(c.docs[0], []byte("<formats")) || bytes.Contains(c.docs[0], []byte("<conditionalFormats")) || bytes.Contains(c.docs[0], []byte("<chartFormats")) {
		e.warn("formats that a person gave to parts of the pivot table %s are gone; its number formats stay", p.name)
	}
	changed, err := w.rewrite(ctx, p.whole())
	if err != nil {
		return err
	}
	ns, relNS := sheetml.Namespace, sheetml.RelNamespace
	if e.wb.Strict {
		ns, relNS = "http://purl.oclc.org/ooxml/spreadsheetml/main", "http://purl.oclc.org/ooxml/officeDocument/relationships"
	}
	plan.deferEdit(w.sheet, func(ctx context.Context, s *sheetWork) error {
		if err := w.formats(ctx, s.f); err != nil {
			return err
		}
		e.ed.Set(p.part, []byte(t.XML(w.grid, w.at, ns, p.cacheID)))
		return nil
	})
	if err := e.tellCharts(ctx, p, w.grid, w, true); err != nil {
		return err
	}
	e.rep.Hits = 1
	e.wb.refreshed = append(e.wb.refreshed, p.part)
	e.rep.Notes = append(e.rep.Notes, fmt.Sprintf("pivot table %s at %s: %s", p.name, formula.SheetPrefix(w.sheet.name)+w.grid.Place(w.at).String(), formats.Count(changed, "cell changed", "cells changed")))
	if err := e.finishPivots(ctx, plan); err != nil {
		return err
	}
	return e.changeCache(ctx, c, t, op.Source != "", ns, relNS)
}

// changeCache writes the cache of a table that was changed.
func (e *structure) changeCache(ctx context.Context, c *pivotCache, t *pivot.Table, moved bool, ns, relNS string) error {
	if len(t.Fields) == len(c.def.Fields) && !moved && sameGroups(c.def.Fields, t.Fields) {
		c.def.Fields = t.Fields
		return e.writeCache(ctx, c)
	}
	source := c.src.xml(e.wb)
	doc := t.CacheXML(c.data, ns, relNS, source, excelTime(e.now(), c.data.Date1904))
	rels, err := e.wb.Package.Rels(ctx, c.part)
	if err != nil {
		return err
	}
	id := ""
	for _, r := range rels {
		if r.Type == relPivotRecords {
			id = r.ID
		}
	}
	if id == "" {
		doc = strings.Replace(doc, ` r:id="rId1"`, ` saveData="0"`, 1)
	} else {
		doc = strings.Replace(doc, ` r:id="rId1"`, ` r:id="`+sheetml.EscapeAttr(id)+`"`, 1)
	}
	e.ed.Set(c.part, []byte(doc))
	return e.writeRecords(ctx, c.part, t, c.data)
}

// sameGroups reports whether the fields of a cache are grouped and calculated as before.
func sameGroups(a, b []*pivot.Field) bool {
	for i := range a {
		if a[i].Formula != b[i].Formula {
			return false
		}
		g, h := a[i].Group, b[i].Group
		if (g == nil) != (h == nil) || g != nil && (g.By != h.By || g.Base != h.Base || g.Parent != h.Parent || g.Interval != h.Interval || g.AutoStart != h.AutoStart || g.AutoEnd != h.AutoEnd || g.Start != h.Start || g.End != h.End) {
			return false
		}
	}
	return true
}
