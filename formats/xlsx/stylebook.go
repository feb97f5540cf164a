package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

const typeStyles = "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"

// stylesOrder is the order of the children of styleSheet (18.8.39).
var stylesOrder = []string{"numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs", "tableStyles", "colors", "extLst"}

// styleBook is the style part while records are added to it. Records that are
// there keep their bytes; equal ones are used again.
type styleBook struct {
	part   string
	doc    []byte
	prefix string
	lists  map[string]*styleList
	nextID int // number format
	made   map[string]int
}

// styleList is one of the lists of records, such as fonts.
type styleList struct {
	name       string
	start, end int // of the element; end 0: the part has none
	tag        xmlscan.Token
	items      [][]byte
	index      map[string]int
	old        int // how many the part has
}

// styleBook reads the workbook's style part once per edit; a workbook without
// one gets it.
func (f *finisher) styleBook(ctx context.Context) (*styleBook, error) {
	if f.book != nil {
		return f.book, nil
	}
	b := newStyleBook(f.wb.relPart(relStyles), nil)
	if b.part == "" {
		doc := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + stylesXML
		if f.wb.strict {
			doc = strings.ReplaceAll(doc, sheetml.Namespace, xmlscan.Strict(sheetml.Namespace))
		}
		b.part = opc.Resolve(f.wb.main, "styles.xml")
		for n := 1; f.ed.Has(b.part); n++ {
			b.part = opc.Resolve(f.wb.main, fmt.Sprintf("styles%d.xml", n))
		}
		f.ed.Set(b.part, []byte(doc))
		if err := f.ed.DeclareType(ctx, b.part, typeStyles); err != nil {
			return nil, err
		}
		if _, err := f.ed.AddRel(ctx, f.wb.main, opc.Relationship{Type: relStyles, Target: b.part}); err != nil {
			return nil, err
		}
	}
	doc, err := f.ed.ReadXML(ctx, b.part)
	if err != nil {
		return nil, err
	}
	b.doc = doc
	if err := b.parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", b.part, err)
	}
	f.book = b
	return b, nil
}

func newStyleBook(part string, doc []byte) *styleBook {
	return &styleBook{part: part, doc: doc, lists: map[string]*styleList{}, nextID: 164, made: map[string]int{}}
}

func (b *styleBook) parse() error {
	for _, n := range stylesOrder {
		b.lists[n] = &styleList{name: n, index: map[string]int{}}
	}
	sc := xmlscan.New(b.doc)
	var cur *styleList
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Depth == 1 && t.Kind == xmlscan.Start && t.Prefix != "":
			b.prefix = t.Prefix + ":"
		case t.Depth == 2 && t.Kind == xmlscan.Start:
			if cur = b.lists[t.Local]; cur != nil && cur.end == 0 {
				cur.tag, cur.start, cur.end = t, t.Start, t.End
			}
		case t.Depth == 2 && t.Kind == xmlscan.End:
			if cur != nil {
				cur.end = t.End
			}
			cur = nil
		case t.Depth == 3 && t.Kind == xmlscan.Start && cur != nil:
			end := sc.Skip()
			if cur.name == "numFmts" {
				if id, err := strconv.Atoi(t.AttrLocal("numFmtId")); err == nil {
					b.nextID = max(b.nextID, id+1)
				}
			}
			cur.push(b.doc[t.Start:end])
		}
	}
	for _, l := range b.lists {
		l.old = len(l.items)
	}
	// The first two fills are kept for Excel itself (18.8.21), and every cell
	// without a style has record 0.
	b.need("fonts", 1, "<"+b.prefix+"font/>")
	b.need("fills", 1, "<"+b.prefix+`fill><`+b.prefix+`patternFill patternType="none"/></`+b.prefix+`fill>`)
	b.need("fills", 2, "<"+b.prefix+`fill><`+b.prefix+`patternFill patternType="gray125"/></`+b.prefix+`fill>`)
	b.need("borders", 1, "<"+b.prefix+"border/>")
	b.need("cellXfs", 1, "<"+b.prefix+`xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`)
	return sc.Err()
}

func (l *styleList) push(raw []byte) int {
	if _, known := l.index[string(raw)]; !known {
		l.index[string(raw)] = len(l.items)
	}
	l.items = append(l.items, raw)
	return len(l.items) - 1
}

func (b *styleBook) need(list string, n int, xml string) {
	if l := b.lists[list]; len(l.items) < n {
		l.push([]byte(xml))
	}
}

// put gives the index of a record equal to xml, adding it when there is none.
func (b *styleBook) put(list, xml string) int {
	l := b.lists[list]
	if i, ok := l.index[xml]; ok {
		return i
	}
	return l.push([]byte(xml))
}

// item is a record of a list, nil when the index is none.
func (b *styleBook) item(list string, index string) []byte {
	i, err := strconv.Atoi(index)
	if l := b.lists[list]; err == nil && i >= 0 && i < len(l.items) {
		return l.items[i]
	}
	return nil
}

// numFmt is the id of a format code.
func (b *styleBook) numFmt(code string) string {
	if code == "General" {
		return "0"
	}
	for _, raw := range b.lists["numFmts"].items {
		if sheetml.AttrOf(raw, "formatCode") == code {
			return sheetml.AttrOf(raw, "numFmtId")
		}
	}
	for id, c := range builtinFormats {
		// 5 to 8, 27 to 36, 41 to 44 and above 49 depend on the language of the
		// Excel that opens the file.
		if c == code && (id < 5 || id > 8 && id < 23 && id != 14 && id != 22 || id > 44 && id < 50) {
			return strconv.Itoa(id)
		}
	}
	id := strconv.Itoa(b.nextID)
	b.nextID++
	b.lists["numFmts"].push([]byte("<" + b.prefix + `numFmt numFmtId="` + id + `" formatCode="` + xmlscan.Escape(code) + `"/>`))
	return id
}

// write puts the part with the records added into the edit.
func (b *styleBook) write(f *finisher) {
	doc := b.doc
	for i := len(stylesOrder) - 1; i >= 0; i-- { // from the end, so that offsets hold
		l := b.lists[stylesOrder[i]]
		n := len(l.items) - l.old
		if n == 0 {
			continue
		}
		var sb strings.Builder
		for _, it := range l.items[l.old:] {
			sb.Write(it)
		}
		if l.end > 0 {
			doc = xmlscan.Apply(doc, sheetml.AppendToList(doc, l.tag, l.end, sb.String(), n))
			continue
		}
		at := sheetml.InsertionPoint(doc, stylesOrder, l.name)
		doc = xmlscan.Apply(doc, []xmlscan.Splice{{Start: at, End: at, New: []byte("<" + b.prefix + l.name + ` count="` + strconv.Itoa(n) + `">` + sb.String() + "</" + b.prefix + l.name + ">")}})
	}
	if len(doc) != len(b.doc) {
		f.ed.Set(b.part, doc)
	}
}
