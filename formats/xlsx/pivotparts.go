package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// pivotPart is a pivot table of a workbook, as far as its root says.
type pivotPart struct {
	name    string
	sheet   int
	part    string
	relID   string
	cacheID int
	cache   string // part of its cache, "" for none
	at      cellref.Range
	pages   int // rows of page fields above

	firstDataRow, firstDataCol int
	grand                      bool // its last row has totals
}

// whole is where the table is with its page fields.
func (p *pivotPart) whole() cellref.Range {
	r := p.at
	if p.pages > 0 {
		r.R1 = max(1, r.R1-p.pages-1)
		r.C2 = max(r.C2, r.C1+1)
	}
	return r
}

// maxPivots bounds the pivot tables of a workbook that are looked at.
const maxPivots = 2000

// allPivots lists the pivot tables of a workbook, sheet by sheet.
func (wb *workbook) allPivots(ctx context.Context) ([]*pivotPart, error) {
	var out []*pivotPart
	for i, s := range wb.Sheets {
		if !s.Worksheet() {
			continue
		}
		list, err := wb.sheetPivots(ctx, i)
		if err != nil {
			return nil, err
		}
		if out = append(out, list...); len(out) > maxPivots {
			return out[:maxPivots], nil
		}
	}
	return out, nil
}

// sheetPivots lists the pivot tables of a sheet.
func (wb *workbook) sheetPivots(ctx context.Context, sheet int) ([]*pivotPart, error) {
	rels, err := wb.Package.Rels(ctx, wb.Sheets[sheet].Part)
	if err != nil {
		return nil, err
	}
	var out []*pivotPart
	for _, r := range rels {
		if r.Type != relPivotTable || r.External || !wb.Package.Has(r.Target) {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		p := &pivotPart{sheet: sheet, part: r.Target, relID: r.ID}
		p.root(doc)
		inner, err := wb.Package.Rels(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		for _, c := range inner {
			if c.Type == relPivotCache && !c.External && wb.Package.Has(c.Target) {
				p.cache = c.Target
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// root reads the root of a definition and its location.
func (p *pivotPart) root(doc []byte) {
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		switch t.Local {
		case "pivotTableDefinition":
			p.name = book.OneLine(t.AttrLocal("name"))
			p.cacheID = sheetml.Atoi([]byte(t.AttrLocal("cacheId")))
		case "location":
			p.at = cellref.ParseAttr(t.AttrLocal("ref"))
			p.pages = sheetml.Atoi([]byte(t.AttrLocal("rowPageCount")))
			p.firstDataRow, p.firstDataCol = sheetml.Atoi([]byte(t.AttrLocal("firstDataRow"))), sheetml.Atoi([]byte(t.AttrLocal("firstDataCol")))
			return false
		}
		return true
	})
	if i, j := bytes.Index(doc, []byte("rowItems")), bytes.Index(doc, []byte("/rowItems")); i >= 0 && j > i {
		p.grand = bytes.Contains(doc[i:j], []byte(`t="grand"`))
	}
}

// bookSchema has the children of workbook (18.2.27).
var bookSchema = element.NewSchema("fileVersion fileSharing workbookPr workbookProtection bookViews sheets functionGroups externalReferences definedNames calcPr oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes webPublishing fileRecoveryPr webPublishObjects extLst")

// listCache adds a cache to the workbook part (18.2.12).
func (e *structure) listCache(ctx context.Context, part string, id int) error {
	rel, err := e.ed.AddRel(ctx, e.wb.Main, opc.Relationship{Type: relPivotCache, Target: part})
	if err != nil {
		return err
	}
	doc, err := e.ed.ReadXML(ctx, e.wb.Main)
	if err != nil {
		return err
	}
	prefix, relPrefix := "", ""
	var list xmlscan.Token
	listEnd := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth > 2 {
			continue
		}
		if t.Depth == 1 {
			if t.Prefix != "" {
				prefix = t.Prefix + ":"
			}
			for a := range t.Attrs() {
				if p, ok := strings.CutPrefix(a.Name, "xmlns:"); ok && xmlscan.Transitional(a.Value()) == sheetml.RelNamespace {
					relPrefix = p
				}
			}
		}
		if t.Local == "pivotCaches" {
			list, listEnd = t, sc.Skip()
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, e.wb.Main)
	}
	item := fmt.Sprintf(`<%spivotCache cacheId="%d" %s:id="%s"/>`, prefix, id, relPrefix, rel)
	if relPrefix == "" {
		ns := sheetml.RelNamespace
		if e.wb.Strict {
			ns = xmlscan.Strict(ns)
		}
		item = fmt.Sprintf(`<%spivotCache cacheId="%d" xmlns:r="%s" r:id="%s"/>`, prefix, id, ns, rel)
	}
	if listEnd > 0 {
		e.ed.Set(e.wb.Main, xmlscan.Apply(doc, element.Append(doc, list, listEnd, item, 1)))
		return nil
	}
	edit, ok := element.Insert(doc, bookSchema, "pivotCaches", "<"+prefix+"pivotCaches>"+item+"</"+prefix+"pivotCaches>")
	if !ok {
		return formats.Errorf(formats.CodeCorrupt, "%s has no place for a pivot cache", e.wb.Main)
	}
	e.ed.Set(e.wb.Main, xmlscan.Apply(doc, []xmlscan.Splice{edit}))
	return nil
}

// cacheIDs lists the numbers of the caches of a workbook part.
func cacheIDs(doc []byte) (out []int) {
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "pivotCache" {
			out = append(out, sheetml.Atoi([]byte(t.AttrLocal("cacheId"))))
		}
		return true
	})
	return out
}
