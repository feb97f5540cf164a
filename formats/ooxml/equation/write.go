package equation

import (
	"fmt"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// Namespace is that of Office Math in transitional documents, StrictNamespace
// in strict ones.
const (
	Namespace       = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	StrictNamespace = "http://purl.oclc.org/ooxml/officeDocument/math"
)

// emptyBase is what scripts without a base stand at; nothing shows it.
const emptyBase = "\u200b"

// Names are the prefixes of elements where an equation is written, each with its
// colon.
type Names struct {
	Math, Word string
	Declare    string // namespace to declare for Math at the equation; "" for none
	Font       bool   // runs name the font for mathematics, as in WordprocessingML
}

// Declaration returns the attribute that declares the prefix for Math, with a blank
// before it; "" when none is needed.
func (n Names) Declaration() string {
	if n.Declare == "" {
		return ""
	}
	return " xmlns:" + strings.TrimSuffix(n.Math, ":") + `="` + n.Declare + `"`
}

func (n Names) element(local, content string) string {
	return "<" + n.Math + local + ">" + content + "</" + n.Math + local + ">"
}

// properties writes the properties of a structure: names and values.
func (n Names) properties(of string, pairs ...string) string {
	var sb strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&sb, `<%[1]s%[2]s %[1]sval="%[3]s"/>`, n.Math, pairs[i], xmlscan.Escape(pairs[i+1]))
	}
	return n.element(of+"Pr", sb.String())
}

// run writes text of one look.
func (n Names) run(text string, l look) string {
	m, w := n.Math, n.Word
	pr := ""
	switch {
	case l.text:
		pr = "<" + m + "nor/>"
	case l.scr != "":
		pr = fmt.Sprintf(`<%[1]sscr %[1]sval="%[2]s"/><%[1]ssty %[1]sval="%[3]s"/>`, m, l.scr, l.sty)
	case l.sty != "":
		pr = fmt.Sprintf(`<%[1]ssty %[1]sval="%[2]s"/>`, m, l.sty)
	}
	if pr != "" {
		pr = n.element("rPr", pr)
	}
	if n.Font {
		pr += fmt.Sprintf(`<%[1]srPr><%[1]srFonts %[1]sascii="Cambria Math" %[1]shAnsi="Cambria Math"/></%[1]srPr>`, w)
	}
	space := ""
	if strings.TrimSpace(text) != text {
		space = ` xml:space="preserve"`
	}
	return "<" + m + "r>" + pr + "<" + m + "t" + space + ">" + xmlscan.Escape(text) + "</" + m + "t></" + m + "r>"
}

// scripts writes a base with what stands below and above beside it; base alone
// without both.
func (n Names) scripts(base, sub, sup string) string {
	e := n.element("e", base)
	switch {
	case sub == "" && sup == "":
		return base
	case sup == "":
		return n.element("sSub", e+n.element("sub", sub))
	case sub == "":
		return n.element("sSup", e+n.element("sup", sup))
	}
	return n.element("sSubSup", e+n.element("sub", sub)+n.element("sup", sup))
}

// limits writes a base with what stands under and over it.
func (n Names) limits(base, under, over string) string {
	if under != "" {
		base = n.element("limLow", n.element("e", base)+n.element("lim", under))
	}
	if over != "" {
		base = n.element("limUpp", n.element("e", base)+n.element("lim", over))
	}
	return base
}

func (n Names) nary(chr string, inside bool, sub, sup, e string) string {
	pairs := []string{"chr", chr, "limLoc", map[bool]string{true: "undOvr", false: "subSup"}[inside]}
	if sub == "" {
		pairs = append(pairs, "subHide", "1")
	}
	if sup == "" {
		pairs = append(pairs, "supHide", "1")
	}
	return n.element("nary", n.properties("nary", pairs...)+n.element("sub", sub)+n.element("sup", sup)+n.element("e", e))
}

func (n Names) brackets(open, shut string, parts []string) string {
	return n.delimiters(open, "|", shut, parts)
}

func (n Names) delimiters(open, sep, shut string, parts []string) string {
	var sb strings.Builder
	if open != "(" || shut != ")" || len(parts) > 1 {
		sb.WriteString(n.properties("d", "begChr", open, "sepChr", sep, "endChr", shut))
	}
	for _, p := range parts {
		sb.WriteString(n.element("e", p))
	}
	return n.element("d", sb.String())
}

// matrix writes a table with aligned columns; all rows get as many cells as the longest.
func (n Names) matrix(rows [][]string, align string) string {
	columns := 1
	for _, r := range rows {
		columns = max(columns, len(r))
	}
	var sb strings.Builder
	sb.WriteString(n.element("mPr", n.element("mcs", n.element("mc", n.properties("mc", "count", fmt.Sprint(columns), "mcJc", align)))))
	for _, r := range rows {
		var cells strings.Builder
		for i := range columns {
			cell := ""
			if i < len(r) {
				cell = r[i]
			}
			cells.WriteString(n.element("e", cell))
		}
		sb.WriteString(n.element("mr", cells.String()))
	}
	return n.element("m", sb.String())
}

// stack writes equations below each other.
func (n Names) stack(lines []string) string {
	var sb strings.Builder
	for _, l := range lines {
		sb.WriteString(n.element("e", l))
	}
	return n.element("eqArr", sb.String())
}
