package xlsx

import (
	"context"
	"slices"
	"strconv"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	relMetadata  = opc.RelPrefix + "sheetMetadata"
	typeMetadata = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml"

	// dynamicName is the type of the metadata of dynamic array formulas, dynamicURI the
	// identifier of its extension ([MS-XLSX] 2.2.4.8 and 2.4.58).
	dynamicName = "XLDAPR"
	dynamicURI  = "{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"
	dynamicNS   = "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"
)

// metadataSchema has the children of metadata (CT_Metadata, 18.9.10).
var metadataSchema = element.NewSchema("metadataTypes metadataStrings mdxMetadata futureMetadata cellMetadata valueMetadata extLst")

// dynamicMetadata returns the number that the attribute cm of a cell has for a dynamic
// array formula. It adds the metadata part and its records where the workbook lacks
// them.
func (wb *workbook) dynamicMetadata(ctx context.Context, ed *opc.Edit) (int, error) {
	for _, r := range wb.Rels {
		if r.Type != relMetadata || r.External || !wb.Package.Has(r.Target) {
			continue
		}
		doc, err := wb.Package.ReadXML(ctx, r.Target)
		if err != nil {
			return 0, err
		}
		m := &cellMetadata{doc: doc}
		n := m.dynamic()
		if m.changed {
			ed.Set(r.Target, m.doc)
		}
		return n, nil
	}
	ns, relType := sheetml.Namespace, relMetadata
	if wb.Strict {
		ns, relType = xmlscan.Strict(ns), xmlscan.Strict(relMetadata)
	}
	part := opc.Resolve(wb.Main, "metadata.xml")
	for n := 2; ed.Has(part); n++ {
		part = opc.Resolve(wb.Main, "metadata"+strconv.Itoa(n)+".xml")
	}
	m := &cellMetadata{doc: []byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<metadata xmlns="` + ns + `"></metadata>`)}
	n := m.dynamic()
	ed.Set(part, m.doc)
	if err := ed.AddContentType(ctx, part, typeMetadata); err != nil {
		return 0, err
	}
	_, err := ed.AddRel(ctx, wb.Main, opc.Relationship{Type: relType, Target: part})
	return n, err
}

// cellMetadata is a metadata part (18.9).
type cellMetadata struct {
	doc     []byte
	changed bool
}

// dynamic returns the number of the cell metadata of dynamic arrays, which it adds
// where it is missing.
func (m *cellMetadata) dynamic() int {
	p := m.prefix()
	kind := 1 + m.index("metadataTypes", "", func(xml []byte) bool { return rootAttr(xml, "name") == dynamicName })
	if kind == 0 {
		kind = m.add("metadataTypes", "", `<`+p+`metadataType name="`+dynamicName+`" minSupportedVersion="120000" copy="1" pasteAll="1" pasteValues="1" merge="1" splitFirst="1" rowColShift="1" clearFormats="1" clearComments="1" assign="1" coerce="1" cellMeta="1"/>`)
	}
	record := m.index("futureMetadata", dynamicName, isDynamic)
	if record < 0 {
		record = m.add("futureMetadata", dynamicName, `<`+p+`bk><`+p+`extLst><`+p+`ext uri="`+dynamicURI+`"><xda:dynamicArrayProperties xmlns:xda="`+dynamicNS+`" fDynamic="1" fCollapsed="0"/></`+p+`ext></`+p+`extLst></`+p+`bk>`) - 1
	}
	n := 1 + m.index("cellMetadata", "", func(xml []byte) bool { return isRecord(xml, kind, record) })
	if n == 0 {
		n = m.add("cellMetadata", "", `<`+p+`bk><`+p+`rc t="`+strconv.Itoa(kind)+`" v="`+strconv.Itoa(record)+`"/></`+p+`bk>`)
	}
	return n
}

// prefix returns the prefix of the part's elements with its colon.
func (m *cellMetadata) prefix() string {
	sc := xmlscan.New(m.doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			if t.Prefix != "" {
				return t.Prefix + ":"
			}
			return ""
		}
	}
	return ""
}

// list returns a child of the root with the spans of its children. A child with
// another name attribute than named is another one.
func (m *cellMetadata) list(local, named string) (t xmlscan.Token, end int, items []sheetml.Span, ok bool) {
	sc := xmlscan.New(m.doc)
	for sc.Next() {
		x := sc.Token()
		switch {
		case x.Kind != xmlscan.Start || x.Depth < 2:
		case x.Depth == 2 && !ok && x.Local == local && x.AttrLocal("name") == named:
			t, ok, end = x, true, x.End
			for !x.Empty && sc.Next() {
				y := sc.Token()
				if y.Kind == xmlscan.End && y.Depth == 2 {
					end = y.End
					break
				}
				if y.Kind == xmlscan.Start {
					items = append(items, sheetml.Piece(y.Start, sc.Skip()))
				}
			}
		default:
			sc.Skip()
		}
	}
	return t, end, items, ok
}

// index returns the index of the first item of a list that is wanted, -1 for none.
func (m *cellMetadata) index(local, named string, wanted func(xml []byte) bool) int {
	_, _, items, _ := m.list(local, named)
	return slices.IndexFunc(items, func(s sheetml.Span) bool { return wanted(m.doc[s.Start:s.End]) })
}

// add adds an item to a list, which it makes where it is missing, and returns how many
// items the list has then.
func (m *cellMetadata) add(local, named, item string) int {
	m.changed = true
	t, end, items, ok := m.list(local, named)
	if ok {
		m.doc = xmlscan.Apply(m.doc, element.Append(m.doc, t, end, item, 1))
		return len(items) + 1
	}
	p := m.prefix()
	name := ""
	if named != "" {
		name = ` name="` + named + `"`
	}
	if edit, ok := element.Insert(m.doc, metadataSchema, local, "<"+p+local+name+` count="1">`+item+"</"+p+local+">"); ok {
		m.doc = xmlscan.Apply(m.doc, []xmlscan.Splice{edit})
	}
	return 1
}

// rootAttr returns an attribute of the first element of xml.
func rootAttr(xml []byte, local string) string {
	sc := xmlscan.New(xml)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			return t.AttrLocal(local)
		}
	}
	return ""
}

// isDynamic reports whether a record of future metadata is that of a dynamic array
// whose values are shown.
func isDynamic(xml []byte) (found bool) {
	sheetml.EachStartTag(xml, func(t xmlscan.Token) bool {
		if t.Local == "dynamicArrayProperties" {
			found = sheetml.IsTrue(t.AttrLocal("fDynamic")) && !sheetml.IsTrue(t.AttrLocal("fCollapsed"))
		}
		return !found
	})
	return found
}

// isRecord reports whether a block of cell metadata has the one record.
func isRecord(xml []byte, kind, record int) bool {
	n, found := 0, false
	sheetml.EachStartTag(xml, func(t xmlscan.Token) bool {
		if t.Local == "rc" {
			n++
			found = t.AttrLocal("t") == strconv.Itoa(kind) && t.AttrLocal("v") == strconv.Itoa(record)
		}
		return true
	})
	return n == 1 && found
}
