package docx

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/segment"
	"atelier/formats/ooxml/xmlscan"
)

// textValue is visible text outside paragraphs: the value of an attribute.
type textValue struct {
	span
	text    string
	kind    string // formats.Segment.Part
	notes   []string
	repeats int // index of an earlier value of the same kind and text, replaced together with this one; -1: none
}

const nsVML = "urn:schemas-microsoft-com:vml"

// valueScanner collects the visible texts in attributes of a part.
type valueScanner struct {
	sc     *xmlscan.Scanner
	above  []string // local names of the open elements
	numFmt string   // of the list level that is open
	out    []textValue
}

// textValues lists the visible texts in attributes of a part of Word, in order.
func textValues(doc []byte) ([]textValue, error) {
	s := &valueScanner{sc: xmlscan.New(doc)}
	for s.sc.Next() {
		t := s.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			s.start(t)
			if !t.Empty {
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
	default:
		kind, names := segment.Attributes(t)
		for _, name := range names {
			s.addAttr(t, name, kind)
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

// set returns the splice that makes the attribute say text.
func (p textValue) set(text string) xmlscan.Splice {
	return xmlscan.Splice{Start: p.start, End: p.end, New: []byte(xmlscan.EscapeAttr(text))}
}
