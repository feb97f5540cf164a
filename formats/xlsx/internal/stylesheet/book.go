package stylesheet

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// stylesOrder is the order of the children of styleSheet (18.8.39).
var (
	stylesOrder  = []string{"numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs", "tableStyles", "colors", "extLst"}
	stylesSchema = element.NewSchema(strings.Join(stylesOrder, " "))
)

// Book is a style part to which records are added. Existing records keep their
// bytes, and equal ones are used again.
type Book struct {
	Part   string
	Doc    []byte
	Prefix string
	Lists  map[string]*list
	nextID int // number format
	made   map[string]int
}

// list is one list of records, such as the fonts.
type list struct {
	name       string
	start, end int // of the element; end 0: the part has none
	tag        xmlscan.Token
	Items      [][]byte
	index      map[string]int
	old        int // how many the part has
}

// NewBook returns a Book of the part with content doc. Call Parse before
// anything else.
func NewBook(part string, doc []byte) *Book {
	return &Book{Part: part, Doc: doc, Lists: map[string]*list{}, nextID: 164, made: map[string]int{}}
}

// Parse reads the lists of the part.
func (b *Book) Parse() error {
	for _, n := range stylesOrder {
		b.Lists[n] = &list{name: n, index: map[string]int{}}
	}
	sc := xmlscan.New(b.Doc)
	var cur *list
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Depth == 1 && t.Kind == xmlscan.Start && t.Prefix != "":
			b.Prefix = t.Prefix + ":"
		case t.Depth == 2 && t.Kind == xmlscan.Start:
			if cur = b.Lists[t.Local]; cur != nil && cur.end == 0 {
				cur.tag, cur.start, cur.end = t, t.Start, t.End
			}
		case t.Depth == 2 && t.Kind == xmlscan.End:
			if cur != nil {
				cur.end = t.End
			}
			cur = nil
		case t.Depth == 3 && t.Kind == xmlscan.Start && cur != nil:
			if id, err := strconv.Atoi(t.AttrLocal("numFmtId")); err == nil && cur.name == "numFmts" {
				b.nextID = max(b.nextID, id+1)
			}
			cur.push(b.Doc[t.Start:sc.Skip()])
		}
	}
	for _, l := range b.Lists {
		l.old = len(l.Items)
	}
	// The first two fills are kept for Excel itself (18.8.21), and every cell
	// without a style has record 0.
	b.need("fonts", 1, "<"+b.Prefix+"font/>")
	b.need("fills", 1, "<"+b.Prefix+`fill><`+b.Prefix+`patternFill patternType="none"/></`+b.Prefix+`fill>`)
	b.need("fills", 2, "<"+b.Prefix+`fill><`+b.Prefix+`patternFill patternType="gray125"/></`+b.Prefix+`fill>`)
	b.need("borders", 1, "<"+b.Prefix+"border/>")
	b.need("cellXfs", 1, "<"+b.Prefix+`xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`)
	return sc.Err()
}

// push appends a record and returns its index.
func (l *list) push(raw []byte) int {
	if _, known := l.index[string(raw)]; !known {
		l.index[string(raw)] = len(l.Items)
	}
	l.Items = append(l.Items, raw)
	return len(l.Items) - 1
}

// need adds xml to a list that has fewer than n records.
func (b *Book) need(list string, n int, xml string) {
	if l := b.Lists[list]; len(l.Items) < n {
		l.push([]byte(xml))
	}
}

// Put returns the index of a record equal to xml and adds it when there is
// none.
func (b *Book) Put(list, xml string) int {
	l := b.Lists[list]
	if i, ok := l.index[xml]; ok {
		return i
	}
	return l.push([]byte(xml))
}

// Item returns a record of a list, nil when there is no such index.
func (b *Book) Item(list string, index string) []byte {
	i, err := strconv.Atoi(index)
	if l := b.Lists[list]; err == nil && i >= 0 && i < len(l.Items) {
		return l.Items[i]
	}
	return nil
}

// numFmt returns the id of a format code and adds it when there is none.
func (b *Book) numFmt(code string) string {
	if code == "General" {
		return "0"
	}
	for _, raw := range b.Lists["numFmts"].Items {
		if sheetml.AttrOf(raw, "formatCode") == code {
			return sheetml.AttrOf(raw, "numFmtId")
		}
	}
	for id, c := range BuiltinFormats {
		// 5 to 8, 27 to 36, 41 to 44 and above 49 depend on the language of the
		// Excel that opens the file.
		if c == code && (id < 5 || id > 8 && id < 23 && id != 14 && id != 22 || id > 44 && id < 50) {
			return strconv.Itoa(id)
		}
	}
	id := strconv.Itoa(b.nextID)
	b.nextID++
	b.Lists["numFmts"].push([]byte("<" + b.Prefix + `numFmt numFmtId="` + id + `" formatCode="` + xmlscan.Escape(code) + `"/>`))
	return id
}

// NumberFormatID returns the id of a number format, which is added where the part
// lacks it.
func (b *Book) NumberFormatID(code string) int { return sheetml.Atoi([]byte(b.numFmt(code))) }

// Bytes returns the part with the added records, and whether there are any.
func (b *Book) Bytes() (doc []byte, changed bool) {
	doc = b.Doc
	for i := len(stylesOrder) - 1; i >= 0; i-- { // from the end, so that offsets hold
		l := b.Lists[stylesOrder[i]]
		n := len(l.Items) - l.old
		if n == 0 {
			continue
		}
		var sb strings.Builder
		for _, it := range l.Items[l.old:] {
			sb.Write(it)
		}
		if l.end > 0 {
			doc = xmlscan.Apply(doc, element.Append(doc, l.tag, l.end, sb.String(), n))
			continue
		}
		made := "<" + b.Prefix + l.name + ` count="` + strconv.Itoa(n) + `">` + sb.String() + "</" + b.Prefix + l.name + ">"
		if edit, ok := element.Insert(doc, stylesSchema, l.name, made); ok {
			doc = xmlscan.Apply(doc, []xmlscan.Splice{edit})
		}
	}
	return doc, len(doc) != len(b.Doc)
}

// Empty is the style part of a new workbook.
const Empty = `<styleSheet xmlns="` + sheetml.Namespace + `"><fonts count="1"><font><sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="0"/><tableStyles count="0" defaultTableStyle="TableStyleMedium2" defaultPivotStyle="PivotStyleLight16"/></styleSheet>`
