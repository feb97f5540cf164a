package formatstest

import (
	"regexp"
	"strconv"
	"strings"
)

// XlsxScan finds the visible texts of an xlsx: cells, page headers, comments,
// messages and lists of validations, drawings, charts, diagrams, tooltips,
// properties. Excepted are names of sheets (an option), what formulas result in,
// and texts for programs.
func XlsxScan(p *Package) []Visible { return scanXlsx(p, "name of a sheet") }

// XlsxNamesScan is XlsxScan with the names of sheets.
func XlsxNamesScan(p *Package) []Visible { return scanXlsx(p, "") }

func scanXlsx(p *Package, names string) []Visible {
	s := &sheetScan{p: p, results: map[string]bool{}, cells: map[string]bool{}}
	parts := p.Reachable()
	for _, name := range parts {
		if t := p.Tree(name); t != nil && t.Name == "x:sst" {
			for _, si := range t.Kids {
				s.strings = append(s.strings, richString(si))
			}
		}
	}
	for _, name := range parts {
		if t := p.Tree(name); t != nil && t.Name == "x:worksheet" {
			s.worksheet(name, t)
		}
	}
	for _, name := range parts {
		t := p.Tree(name)
		if t == nil {
			continue
		}
		switch t.Name {
		case "x:workbook":
			for _, sh := range t.All("x:sheet") {
				s.out = append(s.out, Visible{name, "sheet name", sh.Attr("name"), names})
			}
		case "x:pivotTableDefinition":
			t.Walk(func(n *Node) bool {
				for _, a := range pivotCaptions[n.Name] {
					s.add(name, "pivot", unescaped(n.Attr(a)))
				}
				return true
			})
		case "x:comments":
			for _, c := range t.All("x:text") {
				except := ""
				if strings.HasPrefix(richString(c), "[Threaded comment]") {
					except = "stand-in for a threaded comment"
				}
				s.out = append(s.out, Visible{name, "comment", richString(c), except})
			}
		case "xltc:ThreadedComments", "ThreadedComments":
			for _, c := range t.All("xltc:text", "text") {
				s.add(name, "comment", c.Text)
			}
		case "xdr:wsDr":
			s.drawing(name, t, "textbox")
		case "c:chartSpace", "cx:chartSpace", "c:userShapes":
			s.drawing(name, t, "chart")
		case "dgm:dataModel", "dsp:drawing":
			s.drawing(name, t, "smartart")
		case "cp:coreProperties":
			s.drawing(name, t, "property")
		}
	}
	s.controls(parts)
	return append(s.out, drawnWords(p)...)
}

// controls finds captions of form controls in VML drawings.
func (s *sheetScan) controls(parts []string) {
	for _, name := range parts {
		t := s.p.Tree(name)
		if t == nil || !strings.HasSuffix(name, ".vml") {
			continue
		}
		for _, shape := range t.All("v:shape") {
			if data := shape.All("ClientData"); len(data) == 0 || data[0].Attr("ObjectType") == "Note" {
				continue
			}
			for _, box := range shape.All("v:textbox") {
				for _, n := range box.All("div", "font", "b", "i", "u") {
					s.add(name, "control", n.Text)
				}
			}
		}
	}
}

// pivotCaptions are what a pivot table calls its fields.
var pivotCaptions = map[string][]string{
	"x:pivotTableDefinition": {"dataCaption", "rowHeaderCaption", "colHeaderCaption", "grandTotalCaption", "missingCaption", "errorCaption"},
	"x:dataField":            {"name"}, "x:pivotField": {"name", "subtotalCaption"},
}

type sheetScan struct {
	p              *Package
	strings        []string
	results, cells map[string]bool // texts of formulas' results, of cells
	out            []Visible
}

func (s *sheetScan) add(entry, part, text string) {
	s.out = append(s.out, Visible{Entry: entry, Part: part, Text: text})
}

// escapedChar is how SpreadsheetML writes a character that XML cannot hold.
var escapedChar = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

func unescaped(s string) string {
	return escapedChar.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.ParseUint(m[2:6], 16, 32)
		return string(rune(n))
	})
}

// richString returns the text of a CT_Rst, without its phonetic runs.
func richString(n *Node) string {
	var sb strings.Builder
	n.Walk(func(k *Node) bool {
		if k.Name == "x:t" {
			sb.WriteString(k.Text)
		}
		return k.Name != "x:rPh"
	})
	return unescaped(sb.String())
}

func (s *sheetScan) worksheet(entry string, t *Node) {
	t.Walk(func(n *Node) bool {
		switch n.Name {
		case "x:c":
			s.cell(entry, n)
			return false
		case "x:oddHeader", "x:oddFooter", "x:evenHeader", "x:evenFooter", "x:firstHeader", "x:firstFooter":
			except := ""
			if n.In("x:customSheetViews") {
				except = "a person's own view"
			}
			s.out = append(s.out, Visible{entry, strings.ToLower(n.Name[len(n.Name)-6:]), pageText(n.Text), except})
		case "x:dataValidation", "dataValidation", "x14:dataValidation":
			for _, a := range []string{"promptTitle", "prompt", "errorTitle", "error"} {
				s.add(entry, "prompt", unescaped(n.Attr(a)))
			}
			if n.Attr("type") == "list" {
				s.choices(entry, n)
			}
		case "x:hyperlink":
			s.add(entry, "tooltip", n.Attr("tooltip"))
		}
		return true
	})
}

func (s *sheetScan) choices(entry string, n *Node) {
	for _, f := range n.All("x:formula1") {
		if text := strings.TrimSpace(f.Text); len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
			for item := range strings.SplitSeq(strings.Trim(text, `"`), ",") {
				s.add(entry, "choice", item)
			}
		}
	}
}

func (s *sheetScan) cell(entry string, c *Node) {
	formula, v, text := false, "", ""
	for _, k := range c.Kids {
		switch k.Name {
		case "x:f":
			formula = true
		case "x:v":
			v = k.Text
		case "x:is":
			text = richString(k)
		}
	}
	switch c.Attr("t") {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 && i < len(s.strings) {
			text = s.strings[i]
		}
	case "str":
		text = unescaped(v)
	}
	if text == "" {
		return
	}
	if formula {
		s.results[text] = true
		s.out = append(s.out, Visible{entry, "formula", text, "result of a formula"})
		return
	}
	s.cells[text] = true
	s.add(entry, "cell", text)
}

// drawing takes over what is in a drawing; a chart's labels that formulas
// result in are theirs.
func (s *sheetScan) drawing(entry string, t *Node, part string) {
	d := drawingScan{entry: entry, part: part}
	t.Walk(d.visit)
	for _, v := range d.out {
		if part == "chart" && v.Except == "" && s.results[v.Text] && !s.cells[v.Text] {
			v.Except = "result of a formula"
		}
		s.out = append(s.out, v)
	}
}

var pageCode = regexp.MustCompile(`&(?:"[^"]*"|[Kk][0-9A-Fa-f+-]{0,6}|[+-]?\d+|[^&])`)

// pageText returns a page header without its codes (18.3.1.39).
func pageText(s string) string {
	parts := strings.Split(s, "&&")
	for i := range parts {
		parts[i] = pageCode.ReplaceAllString(parts[i], "")
	}
	return strings.Join(parts, "&")
}
