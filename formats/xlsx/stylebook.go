package xlsx

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

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

// bytes returns the part with the added records, and whether there are any.
func (b *styleBook) bytes() (doc []byte, changed bool) {
	doc = b.doc
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
	return doc, len(doc) != len(b.doc)
}

const stylesXML = `<styleSheet xmlns="` + sheetml.Namespace + `"><fonts count="1"><font><sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="0"/><tableStyles count="0" defaultTableStyle="TableStyleMedium2" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`
