package formatstest

import (
	"regexp"
	"strings"
)

// docxRoots names the kind of place by a part's root element.
var docxRoots = map[string]string{
	"w:document": "body", "w:hdr": "header", "w:ftr": "footer", "w:footnotes": "footnote", "w:endnotes": "endnote", "w:comments": "comment",
	"w:glossaryDocument": "placeholder", "w:numbering": "numbering", "c:chartSpace": "chart", "cx:chartSpace": "chart", "c:userShapes": "chart",
	"dgm:dataModel": "smartart", "dsp:drawing": "smartart", "cp:coreProperties": "property",
}

// DocxScan finds the visible texts of a docx: paragraphs (w:p, a:p), cached
// strings of charts, alternative texts, watermarks, texts of controls and form
// fields, list numbers' texts, properties.
func DocxScan(p *Package) []Visible {
	var out []Visible
	for _, name := range p.Reachable() {
		for _, r := range p.Rels(name) {
			switch r.Type {
			case "aFChunk", "package", "oleObject", "subDocument": // files of other programs, or whole documents, inside this one
				out = append(out, Visible{Entry: name, Part: "embedded file", Text: r.Target, Except: "embedded file"})
			}
		}
		tree := p.Tree(name)
		if tree == nil || docxRoots[tree.Name] == "" {
			continue
		}
		s := docxScan{entry: name, part: docxRoots[tree.Name]}
		tree.Walk(s.visit)
		out = append(out, s.out...)
	}
	return out
}

type docxScan struct {
	entry, part string
	out         []Visible
}

func (s *docxScan) add(part, text, except string) {
	s.out = append(s.out, Visible{Entry: s.entry, Part: part, Text: text, Except: except})
}

var onlyLevels = regexp.MustCompile(`^(?:%\d|\P{L})*$`)

func (s *docxScan) visit(n *Node) bool {
	switch n.Name {
	case "w:p", "a:p":
		s.paragraph(n)
	case "m:t":
		s.add("equation", n.Text, "equation")
	case "w:delText":
		s.add(s.part, n.Text, "deleted")
	case "w:instrText":
		s.add(s.part, n.Text, "field code")
	case "w:rt":
		s.add("ruby", wordText(n), "pronunciation guide")
	case "c:v":
		if n.In("c:strCache", "c:strLit", "c:tx", "c:multiLvlStrCache") && !n.In("c:numCache", "c:numLit") {
			s.add(s.part, n.Text, "")
		}
	case "cx:pt", "cx:v":
		if n.In("cx:strDim", "cx:txData") {
			s.add(s.part, n.Text, "")
		}
	case "wp:docPr", "pic:cNvPr", "wps:cNvPr", "cdr:cNvPr":
		s.add("alt text", n.Attr("descr"), "")
		s.add("alt text", n.Attr("title"), "")
	case "v:textpath":
		s.add("watermark", n.Attr("string"), "")
	case "v:shape", "v:rect", "v:group", "v:roundrect", "v:oval":
		s.add("alt text", n.Attr("alt"), "")
	case "w:listItem":
		s.add("control", n.Attr("displayText"), "")
	case "w:listEntry":
		s.add("form field", n.Attr("val"), "")
	case "w:default":
		if n.In("w:textInput") {
			s.add("form field", n.Attr("val"), "")
		}
	case "w:helpText", "w:statusText":
		s.add("form field", n.Attr("val"), "")
	case "w:tblCaption", "w:tblDescription":
		s.add("alt text", n.Attr("val"), "")
	case "w:hyperlink":
		s.add("tooltip", n.Attr("tooltip"), "")
	case "a:hlinkClick", "a:hlinkHover":
		s.add("tooltip", n.Attr("tooltip"), "")
	case "w:lvlText":
		s.levelText(n)
	case "dc:title", "dc:subject", "dc:description", "cp:keywords", "cp:category":
		s.add("property", n.Text, "")
	}
	return true
}

// levelText is the text of a list number, such as "Article %1."; of a bullet
// it is a character of a symbol font.
func (s *docxScan) levelText(n *Node) {
	text, why := n.Attr("val"), ""
	if onlyLevels.MatchString(text) {
		why = "no letter"
	}
	for _, k := range n.Up.Kids {
		if k.Name == "w:numFmt" && (k.Attr("val") == "bullet" || k.Attr("val") == "none") && len([]rune(text)) < 3 {
			why = "bullet"
		}
	}
	s.add("numbering", text, why)
}

// paragraph adds what is shown and what a tracked change took away, apart.
func (s *docxScan) paragraph(p *Node) {
	part := s.part
	if p.In("w:txbxContent") {
		part = "textbox"
	} else if p.In("w:tc") {
		part = "table"
	}
	var shown, gone strings.Builder
	for _, k := range p.Kids {
		gather(k, &shown, &gone)
	}
	s.add(part, shown.String(), "")
	s.add(part, gone.String(), "deleted")
}

// gather collects the text of a paragraph; paragraphs inside it have their own.
func gather(n *Node, shown, gone *strings.Builder) {
	switch n.Name {
	case "w:p", "a:p", "w:rt", "w:instrText", "w:delText", "a:fld":
		return
	case "w:t", "a:t":
		if n.In("w:moveFrom", "w:del") {
			gone.WriteString(n.Text)
		} else {
			shown.WriteString(n.Text)
		}
		return
	case "w:tab", "w:br", "w:cr", "a:br":
		if n.Up.Name == "w:r" || n.Name == "a:br" {
			shown.WriteByte(' ')
		}
	}
	for _, k := range n.Kids {
		gather(k, shown, gone)
	}
}

// wordText returns the text of all runs below n.
func wordText(n *Node) string {
	var sb strings.Builder
	for _, t := range n.All("w:t") {
		sb.WriteString(t.Text)
	}
	return sb.String()
}
