package segment

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

const (
	nsA    = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsC    = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	nsC15  = "http://schemas.microsoft.com/office/drawing/2012/chart"
	nsCX   = "http://schemas.microsoft.com/office/drawing/2014/chartex"
	nsDgm  = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
	nsDsp  = "http://schemas.microsoft.com/office/drawing/2008/diagram"
	nsMC   = "http://schemas.openxmlformats.org/markup-compatibility/2006"
	nsDC   = "http://purl.org/dc/elements/1.1/"
	nsCore = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
)

func isChart(t xmlscan.Token) bool { return t.Space == nsC || t.Space == nsCX || t.Space == nsC15 }

// isChartValue reports whether t is an element of a chart with a name or label
// (21.2.2.235, [MS-ODRAWXML] 2.24.3).
func (s *scanner) isChartValue(t xmlscan.Token) bool {
	switch {
	case t.Is(nsC, "v"):
		return s.isUnder("strCache", "strLit", "multiLvlStrCache", "dlblRangeCache", "tx") && !s.isUnder("numCache", "numLit")
	case t.Is(nsCX, "pt"):
		return s.isUnder("strDim")
	case t.Is(nsCX, "v"):
		return s.isUnder("txData")
	}
	return false
}

// isProperty reports whether t is a document property for people.
func (s *scanner) isProperty(t xmlscan.Token) bool {
	return (t.Space == nsDC && slices.Contains([]string{"title", "subject", "description"}, t.Local) ||
		t.Space == nsCore && (t.Local == "keywords" || t.Local == "category")) && len(s.open) == 1 && s.root.Is(nsCore, "coreProperties")
}

// isUnder reports whether an open element has one of the names.
func (s *scanner) isUnder(names ...string) bool {
	return slices.ContainsFunc(s.open, func(e element) bool { return slices.Contains(names, e.Local) })
}

var (
	altTexts = []Named{{"descr", "alt text"}, {"title", "alt text"}} // 20.1.2.2.8
	tooltips = []Named{{"tooltip", "tooltip"}}                       // 21.1.2.3.5
)

// attributes returns the attributes of the element t with text.
func attributes(t xmlscan.Token) []Named {
	switch t.Local {
	case "cNvPr", "docPr":
		return altTexts
	case "hlinkClick", "hlinkHover", "hlinkMouseOver":
		if t.Space == nsA {
			return tooltips
		}
	}
	return nil
}

// chartPlace returns the place of what is in t, an element of parent, which is
// in place.
func chartPlace(t, parent xmlscan.Token, place string) string {
	switch {
	case t.Space != nsC:
	case t.Local == "title" && parent.Local == "chart":
		return place + " title"
	case t.Local == "title":
		return place + " axis title"
	case t.Local == "ser":
		return place + " series"
	case t.Local == "cat":
		return strings.TrimSuffix(place, " series") + " category"
	}
	return place
}
