package looks

import (
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// DXF says a format of a rule (18.8.14) in words.
func (lb *Book) DXF(i int) string {
	l := lb.dxfLook(i)
	if l == nil {
		return ""
	}
	return l.Say()
}

// DXFHides says how a format of a rule hides what cells hold; "" when it does not.
func (lb *Book) DXFHides(i int) string {
	if l := lb.dxfLook(i); l != nil {
		if l.props[lookColor] == "" && l.props[lookFill] == "" && l.props[lookNumber] == "" {
			return ""
		}
		return l.Hides()
	}
	return ""
}

func (lb *Book) dxfLook(i int) *Look {
	if i < 0 || i >= len(lb.DXFs) {
		return nil
	}
	return lb.dxfOf(lb.DXFs[i])
}

// DXFText is DXF for the element itself, which rules of the 2009 extension hold.
func (lb *Book) DXFText(dxf []byte) string { return lb.dxfOf(dxf).Say() }

func (lb *Book) dxfOf(dxf []byte) *Look {
	l := &Look{}
	_ = sheetml.EachChild(dxf, func(t xmlscan.Token, raw []byte) error {
		switch t.Local {
		case "font":
			lb.font(raw, l)
		case "fill":
			lb.fill(raw, l)
			if c := textColor(lb, raw, "bgColor"); c != "" { // what a solid fill of a rule has
				l.props[lookFill] = c
			}
		case "border":
			lb.border(raw, l)
		case "numFmt":
			l.props[lookNumber] = t.AttrLocal("formatCode")
		}
		return nil
	})
	return l
}

// textColor is the colour of the element called local.
func textColor(lb *Book, raw []byte, local string) string {
	sc := xmlscan.New(raw)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local {
			return lb.Color(t)
		}
	}
	return ""
}
