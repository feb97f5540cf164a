package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// messages are the texts of a validation (18.3.1.32) with the most characters
// that Excel takes.
var messages = map[string]int{"promptTitle": 32, "prompt": 255, "errorTitle": 32, "error": 255}

// maxList is the most characters of a list written into a validation.
const maxList = 255

// choiceList is a list of choices that a validation holds itself: "Yes,No".
type choiceList struct {
	sheet int
	span  sheetml.Span // of the formula's text around the rows
	items []string
	units []*unit // of the items; nil where there is nothing to translate
}

// around collects what stands around the rows of a sheet: messages and lists of
// validations, tooltips of links. doc is the sheet without its rows.
func (c *collector) around(i int, doc []byte) error {
	sc := xmlscan.New(doc)
	n, kind := 0, ""
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "sheetView":
			if t.Depth == 3 { // deeper ones belong to custom views
				c.views[i] = append(c.views[i], viewOf(t))
			}
		case "filter", "customFilter":
			c.repeat(i, t, "val")
		case "cfRule":
			c.repeat(i, t, "text")
		case "dataValidation":
			n++
			kind = t.AttrLocal("type")
			c.attributes(i, t, fmt.Sprintf("validation:%d:%d", i+1, n), "prompt", t.AttrLocal("sqref"), messages)
		case "hyperlink":
			c.attributes(i, t, fmt.Sprintf("link:%d:%s", i+1, t.AttrLocal("ref")), "tooltip", t.AttrLocal("ref"), map[string]int{"tooltip": 255})
		case "formula1":
			if kind == "list" && !t.Empty {
				c.list(i, fmt.Sprintf("list:%d:%d", i+1, n), doc, sheetml.Piece(t.End, sheetml.EndTagStart(doc, sc.Skip())))
			}
		}
	}
	return book.CorruptPart(sc.Err(), c.wb.Sheets[i].Part)
}

// sheetView is a view of a sheet as far as its direction goes.
type sheetView struct {
	attrs int          // where an attribute can be put
	value sheetml.Span // of rightToLeft, if it is there
	rtl   bool
}

func viewOf(t xmlscan.Token) sheetView {
	v := sheetView{attrs: t.Start + sheetml.NameLen(t.Bytes())}
	for a := range t.Attrs() {
		if a.Name == "rightToLeft" {
			v.value, v.rtl = sheetml.Piece(a.ValStart, a.ValEnd), sheetml.IsTrue(a.Value())
		}
	}
	return v
}

// repeat takes note of an attribute that may repeat a cell's text.
func (c *collector) repeat(i int, t xmlscan.Token, name string) {
	for a := range t.Attrs() {
		if a.Name == name {
			c.skelEchoes[i] = append(c.skelEchoes[i], echo{span: sheetml.Piece(a.ValStart, a.ValEnd), text: sheetml.Unescape(a.Value())})
		}
	}
}

func (c *collector) attributes(i int, t xmlscan.Token, id, kind, at string, names map[string]int) {
	for a := range t.Attrs() {
		most, ok := names[a.Name]
		if !ok {
			continue
		}
		u := &unit{sst: -1, sheet: i, home: i, skel: true, span: sheetml.Piece(a.ValStart, a.ValEnd), write: sheetml.EscapeAttr}
		u.seg = formats.Segment{ID: id + ":" + a.Name, Place: strings.TrimSuffix(c.wb.Sheets[i].Name+"!"+at, "!") + ", " + a.Name, Part: kind, MaxLength: most}
		c.put(u, sheetml.Unescape(a.Value()))
	}
}

// list takes the items of a list written into a validation. Those that cells
// hold too must stay equal to them, so that they are translated with them.
func (c *collector) list(i int, id string, doc []byte, at sheetml.Span) {
	text := strings.TrimSpace(sheetml.CharData(doc[at.Start:at.End]))
	toks := formula.Lex(text)
	if len(toks) != 1 || toks[0].Kind != formula.String || len(text) < 2 {
		return
	}
	l := &choiceList{sheet: i, span: at, items: strings.Split(strings.ReplaceAll(text[1:len(text)-1], `""`, `"`), ",")}
	room := max(maxList-sheetml.UTF16Len(text)+2, 0) / len(l.items)
	for k, item := range l.items {
		item = strings.TrimSpace(item)
		u := &unit{sst: -1, sheet: i, home: i, skel: true, list: l}
		u.seg = formats.Segment{ID: id + ":" + strconv.Itoa(k+1), Place: c.wb.Sheets[i].Name + ", list of choices", Part: "choice", MaxLength: sheetml.UTF16Len(item) + room,
			Notes: []string{"choice of a list: no comma; cells that hold it say the same"}}
		l.units = append(l.units, c.put(u, item))
	}
	c.lists = append(c.lists, l)
}

// choices bounds the texts of cells that are choices of a list as well, and
// leaves those to the cells.
func (c *collector) choices() {
	own := map[*unit]bool{}
	for _, l := range c.lists {
		for k, u := range l.units {
			if u == nil {
				continue
			}
			at := c.cellWith(strings.TrimSpace(l.items[k]))
			if at < 0 {
				continue
			}
			cell := c.special(at)
			if cell.seg.MaxLength == 0 || u.seg.MaxLength < cell.seg.MaxLength {
				cell.seg.MaxLength = u.seg.MaxLength
			}
			if note := "also a choice of a list: no comma"; !slices.Contains(cell.seg.Notes, note) {
				cell.seg.Notes = append(cell.seg.Notes, note)
			}
			own[u] = true
			l.units[k] = nil
		}
	}
	if len(own) == 0 {
		return
	}
	c.entries = slices.DeleteFunc(c.entries, func(e entry) bool { return e.unit != nil && own[e.unit] })
	c.texts = nil
}

// sheetNames adds the names of the sheets, behind all else.
func (c *collector) sheetNames() {
	for i, s := range c.wb.Sheets {
		u := &unit{sst: -1, sheet: -1, home: -1, tab: i + 1}
		u.seg = formats.Segment{ID: fmt.Sprintf("sheet:%d", i+1), Place: "name of the sheet " + s.Name, Part: "sheet name", MaxLength: book.MaxSheetNameLen,
			Notes: []string{`at most 31 characters, none of : \ / ? * [ ]; different from the other sheets' names`}}
		c.put(u, s.Name)
	}
}
