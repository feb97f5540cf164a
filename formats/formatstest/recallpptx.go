package formatstest

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// pptxRoots names the kind of place by a part's root element.
var pptxRoots = map[string]string{
	"p:sld": "slide", "p:notes": "notes", "p:sldMaster": "master", "p:sldLayout": "master", "p:notesMaster": "master", "p:handoutMaster": "master",
	"c:chartSpace": "chart", "cx:chartSpace": "chart", "c:userShapes": "chart", "dgm:dataModel": "smartart", "dsp:drawing": "smartart",
	"p:cmLst": "comment", "p188:cmLst": "comment", "p:presentation": "section", "cp:coreProperties": "property",
}

// PptxScan finds the visible texts of a pptx: paragraphs, cached strings of
// charts, comments, alternative texts, tooltips, names of sections, properties.
// Masters and layouts are excepted.
func PptxScan(p *Package) []Visible { return scanPptx(p, "master") }

// PptxMasterScan is PptxScan with masters and layouts.
func PptxMasterScan(p *Package) []Visible { return scanPptx(p, "") }

func scanPptx(p *Package, master string) []Visible {
	var out []Visible
	for _, name := range p.Reachable() {
		tree := p.Tree(name)
		if tree == nil || pptxRoots[tree.Name] == "" {
			continue
		}
		s := drawingScan{entry: name, part: pptxRoots[tree.Name]}
		if s.part == "master" {
			s.except = master
		}
		tree.Walk(s.visit)
		out = append(out, s.out...)
	}
	return append(out, drawnWords(p)...)
}

var wordsInBytes = regexp.MustCompile(`[A-Za-z]{3}[A-Za-z ,.'/-]*`)

// drawnWords finds words in metafiles (pictures that hold text as characters),
// which stay as they are like the words in any picture.
func drawnWords(p *Package) []Visible {
	var out []Visible
	for _, name := range p.Reachable() {
		if ext := strings.ToLower(path.Ext(name)); ext != ".wmf" && ext != ".emf" {
			continue
		}
		b := p.Parts[name]
		text := bytes.Join(wordsInBytes.FindAll(append(bytes.Clone(b), bytes.ReplaceAll(b, []byte{0}, nil)...), -1), []byte(" "))
		out = append(out, Visible{Entry: name, Part: "picture", Text: string(text), Except: "in a picture"})
	}
	return out
}

// drawingScan collects visible texts of DrawingML, PresentationML and what is
// in parts around them.
type drawingScan struct {
	entry, part, except string
	out                 []Visible
}

func (s *drawingScan) add(part, text string) {
	s.out = append(s.out, Visible{Entry: s.entry, Part: part, Text: text, Except: s.except})
}

func (s *drawingScan) visit(n *Node) bool {
	switch n.Name {
	case "a:p":
		part := s.part
		if n.In("a:tbl") {
			part = "table"
		}
		var shown, gone strings.Builder
		for _, k := range n.Kids {
			gather(k, &shown, &gone)
		}
		s.add(part, shown.String())
	case "m:t":
		s.out = append(s.out, Visible{Entry: s.entry, Part: "equation", Text: n.Text, Except: "equation"})
	case "p:text":
		s.add(s.part, n.Text)
	case "c:title":
		for _, k := range n.Kids {
			if k.Name == "c:tx" {
				return true
			}
		}
		s.out = append(s.out, Visible{Entry: s.entry, Part: "chart", Text: "Chart Title Axis", Except: "title made by the program"})
	case "c:v":
		if n.In("c:strCache", "c:strLit", "c:tx", "c:multiLvlStrCache", "dlblRangeCache", "c15:dlblRangeCache") && !n.In("c:numCache", "c:numLit") {
			s.add(s.part, n.Text)
		}
	case "cx:pt", "cx:v":
		if n.In("cx:strDim", "cx:txData") {
			s.add(s.part, n.Text)
		}
	case "a:hlinkClick", "a:hlinkHover", "a:hlinkMouseOver":
		s.add("tooltip", n.Attr("tooltip"))
	case "dc:title", "dc:subject", "dc:description", "cp:keywords", "cp:category":
		s.add("property", n.Text)
	}
	switch local := n.Name[strings.IndexByte(n.Name, ':')+1:]; {
	case local == "cNvPr":
		s.add("alt text", n.Attr("descr"))
		s.add("alt text", n.Attr("title"))
	case local == "section" && s.part == "section":
		s.add(s.part, n.Attr("name"))
	}
	return true
}
