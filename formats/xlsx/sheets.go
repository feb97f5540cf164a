package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
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
	doc := []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<worksheet xmlns="` + ns + `"><dimension ref="A1"/><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/></worksheet>`)
	rows := sheetml.NewRowScanner(bytes.NewReader(doc))
	head, err := rows.Head()
	if err != nil {
		return "", err
	}
	k := sheetml.Skeleton{Doc: doc, Cut: len(head)}
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
	e.head, e.tail = w.skel.Split(nil)
	var out bytes.Buffer
	if err := splice(rows, e, &out); err != nil {
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

// bookEdit collects the changes to the workbook part.
type bookEdit struct {
	f        *finisher
	doc      []byte
	edits    []xmlscan.Splice
	prefix   string
	relNS    string // prefix bound to the relationships namespace, with colon
	calcAt   int    // where a calcPr would go
	hasCalc  bool
	newIndex map[int]int // old sheet index → new
}

// editWorkbook brings sheets, names, views and calcPr of the workbook part up
// to date; it stays as it is when nothing changed.
func (f *finisher) editWorkbook() error {
	b := &bookEdit{f: f, doc: f.wb.XML, newIndex: map[int]int{}}
	for i, s := range f.sheets {
		if s.orig >= 0 {
			b.newIndex[s.orig] = i
		}
	}
	sc := xmlscan.New(b.doc)
	sheetN := 0
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && (t.Kind == xmlscan.End || t.Empty) {
			switch t.Local {
			case "sheets", "functionGroups", "externalReferences", "definedNames":
				b.calcAt = t.End
			}
		}
		if t.Local == "definedNames" && t.Depth == 2 {
			switch {
			case t.Empty:
				b.addNames(t.Start, t.End, false)
			case t.Kind == xmlscan.End:
				b.addNames(t.Start, t.Start, true)
			}
		}
		if t.Kind == xmlscan.End && t.Local == "sheets" && t.Depth == 2 {
			b.addSheets(t.Start)
		}
		if t.Kind != xmlscan.Start || t.Space != sheetml.Namespace {
			continue
		}
		switch t.Local {
		case "workbook":
			b.root(t)
		case "sheet":
			end := sc.Skip()
			b.sheet(t, end, sheetN)
			sheetN++
		case "definedName":
			if end := sc.Skip(); !b.setName(t, end) {
				b.name(t, end)
			}
		case "workbookView", "customWorkbookView":
			b.view(t)
		case "calcPr":
			b.calcPr(t)
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", f.wb.Main, err)
	}
	b.addNames(b.calcAt, b.calcAt, false)
	if f.calc && !b.hasCalc && b.calcAt > 0 {
		b.put(b.calcAt, b.calcAt, "<"+b.prefix+`calcPr fullCalcOnLoad="1"/>`)
	}
	if len(b.edits) > 0 {
		f.ed.Set(f.wb.Main, xmlscan.Apply(b.doc, b.edits))
	}
	return nil
}

func (b *bookEdit) put(from, to int, s string) {
	b.edits = append(b.edits, xmlscan.Splice{Start: from, End: to, New: []byte(s)})
}

func (b *bookEdit) root(t xmlscan.Token) {
	if t.Prefix != "" {
		b.prefix = t.Prefix + ":"
	}
	for a := range t.Attrs() {
		if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok && xmlscan.Transitional(a.Value()) == sheetml.RelNamespace {
			b.relNS = p + ":"
		}
	}
}

func (b *bookEdit) sheet(t xmlscan.Token, end, i int) {
	to, stays := b.newIndex[i]
	if !stays {
		b.put(t.Start, end, "")
		return
	}
	if s := b.f.sheets[to]; s.name != s.info.Name {
		for a := range t.Attrs() {
			if a.Name == "name" {
				b.put(a.ValStart, a.ValEnd, sheetml.EscapeAttr(s.name))
			}
		}
	}
}

// addSheets inserts the new sheets before the end tag of sheets.
func (b *bookEdit) addSheets(at int) {
	id := 0
	for _, s := range b.f.wb.Sheets {
		id = max(id, s.SheetID)
	}
	rel, ns := b.relNS, ""
	if rel == "" {
		rel, ns = "r:", ` xmlns:r="`+sheetml.RelNamespace+`"`
		if b.f.wb.Strict {
			ns = ` xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships"`
		}
	}
	for _, s := range b.f.sheets {
		if s.orig >= 0 {
			continue
		}
		id++
		b.put(at, at, fmt.Sprintf(`<%ssheet%s name="%s" sheetId="%d" %sid="%s"/>`, b.prefix, ns, sheetml.EscapeAttr(s.name), id, rel, s.info.RelID))
	}
}

// name follows a defined name: gone with its sheet, renumbered, or rewritten.
func (b *bookEdit) name(t xmlscan.Token, end int) {
	for a := range t.Attrs() {
		if a.Name != "localSheetId" {
			continue
		}
		n, err := strconv.Atoi(a.Value())
		to, stays := b.newIndex[n]
		if err != nil {
			continue
		}
		if !stays && n < len(b.f.wb.Sheets) {
			b.put(t.Start, end, "")
			return
		}
		if stays && to != n {
			b.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
	if t.Empty {
		return
	}
	from, to := t.End, sheetml.EndTagStart(b.doc, end)
	text := sheetml.CharData(b.doc[from:to])
	if now, changed := b.f.rw.Text(text, formula.Place{}); changed {
		b.put(from, to, xmlscan.Escape(now))
	}
}

// view keeps the active and the first tab on sheets that exist.
func (b *bookEdit) view(t xmlscan.Token) {
	if len(b.f.deleted) == 0 {
		return
	}
	for a := range t.Attrs() {
		if a.Name != "activeTab" && a.Name != "firstSheet" {
			continue
		}
		n, err := strconv.Atoi(a.Value())
		if err != nil {
			continue
		}
		to, stays := b.newIndex[n]
		if !stays {
			to = b.f.firstVisible(min(n, len(b.f.sheets)-1))
		}
		if to != n {
			b.put(a.ValStart, a.ValEnd, strconv.Itoa(to))
		}
	}
}

// firstVisible is the visible sheet at or before i, else the first one.
func (p *plan) firstVisible(i int) int {
	for j := i; j >= 0; j-- {
		if p.sheets[j].info.State == "" {
			return j
		}
	}
	for j, s := range p.sheets {
		if s.info.State == "" {
			return j
		}
	}
	return 0
}

func (b *bookEdit) calcPr(t xmlscan.Token) {
	b.hasCalc = true
	if !b.f.calc {
		return
	}
	if v, ok := t.Attr("fullCalcOnLoad"); ok && sheetml.IsTrue(v) {
		return
	}
	b.put(t.Start, t.End, string(sheetml.EditTag(t.Bytes(), ` fullCalcOnLoad="1"`, "fullCalcOnLoad")))
}
