package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// sheetParts adds new sheets, removes deleted ones and brings the workbook part
// up to date.
func (f *finisher) sheetParts(ctx context.Context) error {
	before, err := f.reachable(ctx)
	if err != nil {
		return err
	}
	for _, s := range f.sheets {
		if s.orig < 0 {
			id, err := f.addSheet(ctx, s)
			if err != nil {
				return err
			}
			s.info.RelID = id
		}
	}
	if err := f.editWorkbook(); err != nil {
		return err
	}
	for _, s := range f.deleted {
		if err := f.ed.RemoveRel(ctx, f.wb.Main, s.info.RelID); err != nil {
			return err
		}
	}
	if err := f.dropCalcChain(ctx); err != nil {
		return err
	}
	if len(f.deleted) > 0 {
		return f.dropOrphans(ctx, before)
	}
	return nil
}

// addSheet writes the part of a new sheet and returns its relationship id.
func (f *finisher) addSheet(ctx context.Context, s *planSheet) (string, error) {
	part := ""
	for n := len(f.wb.Sheets) + 1; ; n++ {
		if part = opc.Resolve(f.wb.Main, fmt.Sprintf("worksheets/sheet%d.xml", n)); !f.ed.Has(part) {
			break
		}
	}
	ns, relType := sheetml.Namespace, book.RelWorksheet
	if f.wb.Strict {
		ns = "http://purl.oclc.org/ooxml/spreadsheetml/main"
		relType = "http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet"
	}
	head := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<worksheet xmlns="` + ns + `"><dimension ref="A1"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/>`
	k := sheetml.Skeleton{Doc: []byte(head + "</worksheet>"), Cut: len(head)}
	s.dateAreas(nil)
	e := &sheetEdit{cells: s.cells, heights: s.heights, exists: map[cellref.Cell]bool{}, selfData: true, styles: newSheetStyles(s.areas, nil)}
	if err := f.resolveStyles(ctx, e.styles, s.cells); err != nil {
		return "", err
	}
	if err := f.resolveDates(ctx, s, e.styles); err != nil {
		return "", err
	}
	w, err := f.around(ctx, s, part, "", k.Apply(skeletonEdits(k, s, "")), e.styles)
	if err != nil {
		return "", err
	}
	e.hidden, e.fits = w.hidden, w.fits
	e.head, e.tail = w.skel.Split(nil)
	var out bytes.Buffer
	if err := splice(sheetml.NewRowScanner(bytes.NewReader(k.Doc)).Rows(ctx), e, &out); err != nil {
		return "", err
	}
	f.ed.Set(part, out.Bytes())
	if err := f.ed.AddContentType(ctx, part, book.TypeSheet); err != nil {
		return "", err
	}
	return f.ed.AddRel(ctx, f.wb.Main, opc.Relationship{Type: relType, Target: part})
}

// dropCalcChain removes the calculation chain when a formula is gone: an entry
// without a formula makes Excel offer a repair, a missing chain it rebuilds.
func (f *finisher) dropCalcChain(ctx context.Context) error {
	if !f.drop {
		return nil
	}
	for _, r := range f.wb.Rels {
		if r.Type != book.RelCalcChain || r.External {
			continue
		}
		if err := f.ed.RemoveRel(ctx, f.wb.Main, r.ID); err != nil {
			return err
		}
		if f.wb.Package.Has(r.Target) {
			f.ed.Remove(r.Target)
			if err := f.ed.RemoveContentType(ctx, r.Target); err != nil {
				return err
			}
		}
	}
	return nil
}

// reachable is the set of parts (folded names) that relationships lead to from
// the package, as the edit stands; nil when no sheet is deleted.
func (f *finisher) reachable(ctx context.Context) (map[string]string, error) {
	if len(f.deleted) == 0 {
		return nil, nil
	}
	seen := map[string]string{}
	queue := []string{""}
	for len(queue) > 0 {
		src := queue[0]
		queue = queue[1:]
		if !f.ed.Has(opc.RelsName(src)) {
			continue
		}
		rels, err := f.ed.Rels(ctx, src)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			k := strings.ToLower(r.Target)
			if _, known := seen[k]; r.External || known || !f.ed.Has(r.Target) {
				continue
			}
			seen[k] = r.Target
			queue = append(queue, r.Target)
		}
	}
	return seen, nil
}

// dropOrphans removes the parts that only deleted sheets led to.
func (f *finisher) dropOrphans(ctx context.Context, before map[string]string) error {
	after, err := f.reachable(ctx)
	if err != nil {
		return err
	}
	for k, part := range before {
		if _, still := after[k]; still || !f.ed.Has(part) {
			continue
		}
		f.ed.Remove(part)
		if rels := opc.RelsName(part); f.ed.Has(rels) {
			f.ed.Remove(rels)
		}
		if err := f.ed.RemoveContentType(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// editWorkbook brings sheets, names, views and calcPr of the workbook part up
// to date.
func (f *finisher) editWorkbook() error {
	b := newBookEdit(f.wb)
	b.rw, b.calc, b.sheets = f.rw, f.calc, nil
	for i, s := range f.sheets {
		b.sheets = append(b.sheets, bookSheet{s.orig, s.name, s.info.State, s.info.RelID})
		for _, n := range f.filters {
			if n.sheet == s {
				b.set(book.DefinedName{Name: filterName, Local: i, Text: n.text}, true)
			}
		}
		for _, n := range f.names {
			if n.sheet == s {
				b.set(book.DefinedName{Name: n.name, Local: i, Text: n.text}, false)
			}
		}
	}
	return b.apply(f.ed)
}
