package docx

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// textValue is visible text outside paragraphs: an attribute's value or the content
// of an element without children.
type textValue struct {
	span
	text    string
	kind    string // formats.Segment.Part
	notes   []string
	cell    bool // it shows a cell of a chart's data sheet
	repeats int  // index of an earlier value of the same kind and text, replaced together with this one; -1: none
}

const (
	nsChart   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	nsChartEx = "http://schemas.microsoft.com/office/drawing/2014/chartex"
	nsVML     = "urn:schemas-microsoft-com:vml"
	nsDC      = "http://purl.org/dc/elements/1.1/"
	nsCore    = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
)

const noteCell = "label of a chart; the cell of its data sheet follows"

// valueScanner collects the spots of a part.
type valueScanner struct {
	doc    []byte
	kind   string // of the part
	sc     *xmlscan.Scanner
	above  []string // local names of the open elements
	numFmt string   // of the list level that is open
	out    []textValue
}

// textValues lists the spots of a part in order.
func textValues(doc []byte, kind string) ([]textValue, error) {
	s := &valueScanner{doc: doc, kind: kind, sc: xmlscan.New(doc)}
	for s.sc.Next() {
		t := s.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			s.start(t)
			// The content of an element that is a spot is read with it.
			if !t.Empty && s.sc.Depth() == t.Depth {
				s.above = append(s.above, t.Local)
			}
		case xmlscan.End:
			s.above = s.above[:len(s.above)-1]
		}
	}
	first := map[[2]string]int{}
	for i := range s.out {
		key := [2]string{s.out[i].kind, s.out[i].text}
		k, known := first[key]
		if !known {
			first[key], k = i, -1
		}
		s.out[i].repeats = k
	}
	return s.out, s.sc.Err()
}

func (s *valueScanner) start(t xmlscan.Token) {
	switch t.Space {
	case nsW:
		s.startWord(t)
	case nsVML:
		s.addAttr(t, "alt", "alt text")
		if t.Local == "textpath" {
			s.addAttr(t, "string", "watermark")
		}
	case nsChart:
		cached := s.isUnder("strCache", "strLit", "multiLvlStrCache")
		if t.Local == "v" && (cached || s.isUnder("tx")) && !s.isUnder("numCache", "numLit") {
			s.addContent(t)
			if n := len(s.out); cached && n > 0 && s.out[n-1].start == t.End {
				s.out[n-1].cell, s.out[n-1].notes = true, []string{noteCell}
			}
		}
	case nsChartEx:
		if (t.Local == "pt" || t.Local == "v") && s.isUnder("strDim", "txData") {
			s.addContent(t)
		}
	case nsDC:
		if t.Local == "title" || t.Local == "subject" || t.Local == "description" {
			s.addContent(t)
		}
	case nsCore:
		if t.Local == "keywords" || t.Local == "category" {
			s.addContent(t)
		}
	default:
		switch t.Local {
		case "docPr", "cNvPr": // 20.4.2.5, 20.1.2.2.8
			s.addAttr(t, "descr", "alt text")
			s.addAttr(t, "title", "alt text")
		case "hlinkClick", "hlinkHover":
			s.addAttr(t, "tooltip", "tooltip")
		}
	}
}

// startWord handles elements of WordprocessingML (17.5.2, 17.16, 17.9, 17.4).
func (s *valueScanner) startWord(t xmlscan.Token) {
	switch t.Local {
	case "listItem":
		s.addAttr(t, "displayText", "control")
	case "listEntry", "helpText", "statusText":
		s.addAttr(t, "val", "form field")
	case "default":
		if s.isUnder("textInput") {
			s.addAttr(t, "val", "form field")
		}
	case "tblCaption", "tblDescription":
		s.addAttr(t, "val", "alt text")
	case "hyperlink":
		s.addAttr(t, "tooltip", "tooltip")
	case "lvl":
		s.numFmt = ""
	case "numFmt":
		s.numFmt = t.AttrLocal("val")
	case "lvlText":
		// A bullet is a character of a symbol font, not a letter.
		if text := t.AttrLocal("val"); s.numFmt != "bullet" && s.numFmt != "none" || len([]rune(text)) > 2 {
			s.addAttr(t, "val", "numbering", "%1 … %9 stand for numbers and must stay")
		}
	}
}

// isUnder reports whether an open element has one of the names.
func (s *valueScanner) isUnder(names ...string) bool {
	return slices.ContainsFunc(s.above, func(a string) bool { return slices.Contains(names, a) })
}

// addAttr adds the value of an attribute, when it is there.
func (s *valueScanner) addAttr(t xmlscan.Token, local, kind string, notes ...string) {
	for a := range t.Attrs() {
		if name := a.Name[strings.IndexByte(a.Name, ':')+1:]; name == local {
			s.out = append(s.out, textValue{span: span{a.ValStart, a.ValEnd}, text: a.Value(), kind: kind, notes: notes})
			return
		}
	}
}

// addContent adds the text of an element and moves to its end; one that has
// elements in it is left alone.
func (s *valueScanner) addContent(t xmlscan.Token) {
	if t.Empty {
		return
	}
	var text strings.Builder
	mixed := false
	for s.sc.Next() {
		in := s.sc.Token()
		switch in.Kind {
		case xmlscan.Text:
			text.WriteString(xmlscan.Unescape(in.Bytes()))
		case xmlscan.CData:
			b := in.Bytes()
			text.Write(b[len("<![CDATA[") : len(b)-len("]]>")])
		case xmlscan.Start:
			mixed = true
			s.sc.Skip()
		case xmlscan.End:
			if mixed {
				return
			}
			s.out = append(s.out, textValue{span: span{t.End, in.Start}, text: text.String(), kind: s.kind})
			return
		}
	}
}

// set returns the splice that makes the spot say text.
func (p textValue) set(doc []byte, text string) xmlscan.Splice {
	value := xmlscan.Escape(text)
	if p.start > 0 && (doc[p.start-1] == '"' || doc[p.start-1] == '\'') {
		value = xmlscan.EscapeAttr(text)
	}
	return xmlscan.Splice{Start: p.start, End: p.end, New: []byte(value)}
}
