package docx

import (
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// props is a properties element (pPr, rPr, tblPr …) taken apart, so that single
// children can be changed. The others keep their bytes.
type props struct {
	prefix, name string
	open         string // start tag, without "/>" or ">"
	kids         []child
	order        []string // of children, as the schema demands
	strict       bool     // written for a strict document (ISO/IEC 29500-1)
}

// side returns a side of the page in the words of the document: strict ones
// have start and end for left and right.
func (p *props) side(name string) string { return side(name, p.strict) }

func side(name string, strict bool) string {
	switch {
	case strict && name == "left":
		return "start"
	case strict && name == "right":
		return "end"
	}
	return name
}

type child struct{ name, xml string }

// parseProps takes raw apart; "" is an element that is not there.
func parseProps(raw, prefix, name string, order []string) *props {
	p := &props{prefix: prefix, name: name, order: order, open: "<" + prefix + name}
	if raw == "" {
		return p
	}
	sc := xmlscan.New([]byte(raw))
	start := 0
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Depth == 1:
			p.open = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(raw[:t.End], ">"), "/"), " ")
		case t.Kind == xmlscan.Start && t.Depth == 2:
			start = t.Start
			if t.Empty {
				p.kids = append(p.kids, child{t.Local, raw[t.Start:t.End]})
			}
		case t.Kind == xmlscan.End && t.Depth == 2:
			p.kids = append(p.kids, child{t.Local, raw[start:t.End]})
		}
	}
	return p
}

// String writes the element, "" when it has no children.
func (p *props) String() string {
	if len(p.kids) == 0 {
		return ""
	}
	var sb strings.Builder
	sb.WriteString(p.open + ">")
	for _, k := range p.kids {
		sb.WriteString(k.xml)
	}
	sb.WriteString("</" + p.prefix + p.name + ">")
	return sb.String()
}

func (p *props) get(name string) string {
	for _, k := range p.kids {
		if k.name == name {
			return k.xml
		}
	}
	return ""
}

func (p *props) drop(names ...string) {
	p.kids = slices.DeleteFunc(p.kids, func(k child) bool { return slices.Contains(names, k.name) })
}

// set replaces or adds a child; xml is the whole element.
func (p *props) set(name, xml string) {
	for i := range p.kids {
		if p.kids[i].name == name {
			p.kids[i].xml = xml
			return
		}
	}
	at := len(p.kids)
	for i, k := range p.kids {
		if p.rank(k.name) > p.rank(name) {
			at = i
			break
		}
	}
	p.kids = slices.Insert(p.kids, at, child{name, xml})
}

// rank returns the place of a child in the order that the schema demands.
func (p *props) rank(name string) int {
	if i := slices.Index(p.order, name); i >= 0 {
		return i
	}
	return len(p.order) // extensions are last
}

// sort puts the children in order, for an element that is rewritten.
func (p *props) sort() {
	slices.SortStableFunc(p.kids, func(a, b child) int { return p.rank(a.name) - p.rank(b.name) })
}

// val sets a child whose only attribute is val; "" drops it.
func (p *props) val(name, val string) {
	if val == "" {
		p.drop(name)
		return
	}
	p.set(name, "<"+p.prefix+name+" "+p.prefix+`val="`+xmlscan.Escape(val)+`"/>`)
}

// flag sets an on/off child (17.17.4).
func (p *props) flag(name string, on bool) {
	if on {
		p.set(name, "<"+p.prefix+name+"/>")
	} else {
		p.set(name, "<"+p.prefix+name+" "+p.prefix+`val="0"/>`)
	}
}

// attr is an attribute to set; an empty value drops it.
type attr struct{ name, val string }

// attrs sets attributes of a child and keeps its others.
func (p *props) attrs(name string, set ...attr) {
	have := map[string]string{}
	var order []string
	if old := p.get(name); old != "" {
		sc := xmlscan.New([]byte(old))
		if sc.Next() {
			for a := range sc.Token().Attrs() {
				_, local, ok := strings.Cut(a.Name, ":")
				if !ok {
					local = a.Name
				}
				order = append(order, local)
				have[local] = a.Value()
			}
		}
	}
	for _, a := range set {
		if _, ok := have[a.name]; !ok {
			order = append(order, a.name)
		}
		have[a.name] = a.val
	}
	var sb strings.Builder
	sb.WriteString("<" + p.prefix + name)
	n := 0
	for _, k := range order {
		if have[k] != "" {
			sb.WriteString(" " + p.prefix + k + `="` + xmlscan.Escape(have[k]) + `"`)
			n++
		}
	}
	if n == 0 {
		p.drop(name)
		return
	}
	p.set(name, sb.String()+"/>")
}

// The order of children of CT_PPr, CT_RPr and CT_TblPr (ECMA-376-1, 17.3.1.26,
// 17.3.2.28, 17.4.60), of CT_TcPr and CT_TrPr (17.4.70, 17.4.82).
var (
	pPrOrder  = strings.Fields("pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange")
	rPrOrder  = strings.Fields("ins del moveFrom moveTo rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange")
	tcPrOrder = strings.Fields("cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark headers cellIns cellDel cellMerge tcPrChange")
	trPrOrder = strings.Fields("cnfStyle divId gridBefore gridAfter wBefore wAfter cantSplit trHeight tblHeader tblCellSpacing jc hidden ins del trPrChange")
)
