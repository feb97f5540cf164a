package docx

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"atelier/formats/inventory"
	"atelier/formats/ooxml/xmlscan"
)

// el is an element of a part with all it holds; local is "" for character data.
// Parts are large: only paragraphs and properties are made into these, one at a
// time.
type el struct {
	space, local string
	attrs        []elAttr
	kids         []*el
	text         string
	start        int // offset in the part
}

type elAttr struct{ space, local, value string }

// readElement makes the element that sc has just begun, and leaves sc at its end.
func readElement(sc *xmlscan.Scanner) *el {
	root := newEl(sc)
	if sc.Token().Empty {
		return root
	}
	open := []*el{root}
	for len(open) > 0 && sc.Next() {
		top := open[len(open)-1]
		switch t := sc.Token(); t.Kind {
		case xmlscan.Start:
			e := newEl(sc)
			top.kids = append(top.kids, e)
			if !t.Empty {
				open = append(open, e)
			}
		case xmlscan.End:
			open = open[:len(open)-1]
		case xmlscan.Text:
			top.kids = append(top.kids, &el{text: xmlscan.Unescape(t.Bytes()), start: t.Start})
		case xmlscan.CData:
			b := t.Bytes()
			top.kids = append(top.kids, &el{text: string(b[len("<![CDATA[") : len(b)-len("]]>")]), start: t.Start})
		}
	}
	return root
}

func newEl(sc *xmlscan.Scanner) *el {
	t := sc.Token()
	e := &el{space: t.Space, local: t.Local, start: t.Start}
	for a := range t.Attrs() {
		prefix, local, ok := strings.Cut(a.Name, ":")
		space := ""
		switch {
		case !ok && prefix == "xmlns" || ok && prefix == "xmlns":
			continue
		case ok:
			space = sc.Namespace(prefix)
		default:
			local = prefix
		}
		e.attrs = append(e.attrs, elAttr{space, local, a.Value()})
	}
	return e
}

// elementAt makes the element at a span of the part, whose prefixes are bound at
// its root.
func (p *part) elementAt(start, end int) *el {
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Start == start {
			return readElement(sc)
		}
		name := t.Local
		if t.Prefix != "" {
			name = t.Prefix + ":" + name
		}
		doc := slices.Concat(p.doc[t.Start:t.End], p.doc[start:end], []byte("</"+name+">"))
		inner := xmlscan.New(doc)
		inner.Next()
		for inner.Next() {
			if inner.Token().Kind == xmlscan.Start {
				e := readElement(inner)
				e.shift(start - (t.End - t.Start))
				return e
			}
		}
		break
	}
	return &el{}
}

func (e *el) shift(by int) {
	e.start += by
	for _, k := range e.kids {
		k.shift(by)
	}
}

func (e *el) is(space, local string) bool { return e.local == local && e.space == space }

// w reports whether e is one of these elements of WordprocessingML.
func (e *el) w(locals ...string) bool {
	return e.space == nsW && slices.Contains(locals, e.local)
}

// attr returns the first attribute of that local name.
func (e *el) attr(local string) string {
	if e != nil {
		for _, a := range e.attrs {
			if a.local == local {
				return a.value
			}
		}
	}
	return ""
}

// rel returns the id of a relationship.
func (e *el) rel(local string) string {
	for _, a := range e.attrs {
		if a.local == local && a.space == nsR {
			return a.value
		}
	}
	return ""
}

// child returns the first child of that name, nil when there is none.
func (e *el) child(local string) *el {
	if e == nil {
		return nil
	}
	for _, k := range e.kids {
		if k.local == local {
			return k
		}
	}
	return nil
}

// find returns the first element below e for which want holds; what stop holds
// for is not looked into.
func (e *el) find(want, stop func(*el) bool) *el {
	for _, k := range e.kids {
		if k.local == "" || stop != nil && stop(k) {
			continue
		}
		if want(k) {
			return k
		}
		if f := k.find(want, stop); f != nil {
			return f
		}
	}
	return nil
}

// plain returns the character data below e.
func (e *el) plain() string {
	var sb strings.Builder
	var walk func(e *el)
	walk = func(e *el) {
		sb.WriteString(e.text)
		for _, k := range e.kids {
			walk(k)
		}
	}
	walk(e)
	return sb.String()
}

// on returns the state of an on/off element (17.17.4).
func (e *el) on() bool {
	switch e.attr("val") {
	case "0", "false", "off":
		return false
	}
	return e != nil
}

// Elements and attributes that say nothing to a reader: what programs note for
// themselves while they save.
var (
	irrelevantElements = []string{"proofErr", "lastRenderedPageBreak", "bookmarkEnd", "rsid", "nsid", "tmpl", "rsids"}
	irrelevantAttrs    = []string{"paraId", "textId", "anchorId", "editId", "Ignorable", "spid", "durableId"}
)

func (e *el) irrelevant() bool { return slices.Contains(irrelevantElements, e.local) }

func (e *el) irrelevantAttr(a elAttr) bool {
	switch {
	case strings.HasPrefix(a.local, "rsid") || slices.Contains(irrelevantAttrs, a.local):
		return true
	case a.local == "id" && a.space != nsR: // numbers within the part
		switch e.local {
		case "docPr", "cNvPr", "bookmarkStart", "bookmarkEnd", "ins", "del", "moveFrom", "moveTo", "rPrChange", "pPrChange", "sectPrChange", "tblPrChange", "tcPrChange", "trPrChange", "tblGridChange", "tblPrExChange", "cellIns", "cellDel", "cellMerge", "numberingChange", "permStart", "permEnd":
			return true
		}
	case a.local == "spidmax":
		return true
	}
	return false
}

// canon writes what an element means, with what target makes of the ids of
// relationships. Elements that leave holds for are left out.
func (e *el) canon(buf *bytes.Buffer, target func(id string) string, leave func(*el) bool) {
	if e.local == "" {
		canonField(buf, e.text)
		return
	}
	if e.irrelevant() || leave != nil && leave(e) {
		return
	}
	canonField(buf, e.space)
	canonField(buf, e.local)
	attrs := slices.Clone(e.attrs)
	slices.SortFunc(attrs, func(a, b elAttr) int { return strings.Compare(a.space+" "+a.local, b.space+" "+b.local) })
	for _, a := range attrs {
		if e.irrelevantAttr(a) {
			continue
		}
		v := a.value
		if a.space == nsR && target != nil {
			v = target(v)
		}
		canonField(buf, a.space+" "+a.local)
		canonField(buf, v)
	}
	buf.WriteByte(0xFE)
	elements := slices.ContainsFunc(e.kids, func(k *el) bool { return k.local != "" })
	for _, k := range e.kids {
		if elements && k.local == "" && strings.TrimSpace(k.text) == "" {
			continue
		}
		k.canon(buf, target, leave)
	}
	buf.WriteByte(0xFF)
}

func canonField(buf *bytes.Buffer, s string) {
	var n [4]byte
	binary.LittleEndian.PutUint32(n[:], uint32(len(s)))
	buf.Write(n[:])
	buf.WriteString(s)
}

// sum returns the checksum of what an element means.
func (e *el) sum(target func(id string) string, leave func(*el) bool) inventory.Sum {
	var buf bytes.Buffer
	e.canon(&buf, target, leave)
	return inventory.SumOf(buf.Bytes())
}
