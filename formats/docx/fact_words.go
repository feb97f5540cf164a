package docx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// wording describes one property: its name, and its value unless it is a
// switch.
type wording struct {
	label string
	value func(w *describer, e *el) string // nil: a switch
}

// describer writes properties in words, with the names of a side's styles and
// lists.
type describer struct {
	style func(id string) string
	list  func(numID, level string) string
	part  func(rel string) string // "header 1" for the id of a relationship
}

// Properties of runs (17.3.2).
var runWords = map[string]wording{
	"rStyle": {"character style", styleWord}, "rFonts": {"font", fontWord}, "b": {"bold", nil}, "bCs": {"bold of complex scripts", nil}, "i": {"italic", nil}, "iCs": {"italic of complex scripts", nil},
	"caps": {"capitals", nil}, "smallCaps": {"small capitals", nil}, "strike": {"strikethrough", nil}, "dstrike": {"double strikethrough", nil}, "outline": {"outline", nil}, "shadow": {"shadow", nil}, "emboss": {"embossing", nil}, "imprint": {"engraving", nil},
	"noProof": {"no proofing", nil}, "vanish": {"hidden text", nil}, "specVanish": {"hidden paragraph mark", nil}, "webHidden": {"hidden in web view", nil}, "color": {"font colour", colorWord}, "spacing": {"character spacing", twipsWord}, "w": {"character width", percentWord},
	"kern": {"kerning from", halfPointWord}, "position": {"raised by", halfPointWord}, "sz": {"font size", halfPointWord}, "szCs": {"font size of complex scripts", halfPointWord}, "highlight": {"highlight", valWord}, "u": {"underline", underlineWord},
	"effect": {"text effect", valWord}, "bdr": {"text border", borderWord}, "shd": {"text shading", shadingWord}, "vertAlign": {"super- or subscript", valWord}, "rtl": {"right to left", nil}, "cs": {"complex script", nil}, "em": {"emphasis mark", valWord}, "lang": {"language", langWord}, "fitText": {"text fitted to", twipsWord},
}

// Properties of paragraphs (17.3.1).
var paraWords = map[string]wording{
	"pStyle": {"style", styleWord}, "keepNext": {"keep with next", nil}, "keepLines": {"keep lines together", nil}, "pageBreakBefore": {"page break before", nil}, "framePr": {"text frame", attrsWord}, "widowControl": {"widow control", nil},
	"numPr": {"list", listWord}, "suppressLineNumbers": {"no line numbers", nil}, "pBdr": {"border", bordersWord}, "shd": {"shading", shadingWord}, "tabs": {"tab stops", tabsWord}, "suppressAutoHyphens": {"no hyphenation", nil}, "bidi": {"right to left", nil},
	"spacing": {"spacing", spacingWord}, "ind": {"indent", indentWord}, "contextualSpacing": {"no spacing within the style", nil}, "mirrorIndents": {"mirrored indents", nil}, "jc": {"alignment", alignWord}, "textAlignment": {"vertical alignment", valWord}, "textDirection": {"text direction", valWord}, "outlineLvl": {"outline level", outlineWord},
	"snapToGrid": {"snap to grid", nil}, "cnfStyle": {"place in the table style", attrsWord},
}

// Properties of tables, rows and cells (17.4).
var tableWords = map[string]wording{
	"tblStyle": {"table style", styleWord}, "tblW": {"width", widthWord}, "jc": {"alignment", alignWord}, "tblBorders": {"borders", bordersWord}, "shd": {"shading", shadingWord}, "tblLayout": {"layout", typeWord}, "tblCellMar": {"cell margins", marginsWord}, "tblInd": {"indent", widthWord}, "tblpPr": {"floating position", attrsWord},
	"tblLook": {"styled parts:", lookWord}, "tblCaption": {"title", valWord}, "tblDescription": {"description", valWord}, "bidiVisual": {"right to left", nil}, "tblCellSpacing": {"cell spacing", widthWord}, "tblGrid": {"column widths", gridWord},
	"trHeight": {"row height", heightWord}, "tblHeader": {"repeated header row", nil}, "cantSplit": {"not split over pages", nil}, "hidden": {"hidden row", nil}, "gridBefore": {"columns before", valWord}, "gridAfter": {"columns after", valWord}, "wBefore": {"width before", widthWord}, "wAfter": {"width after", widthWord},
	"tcW": {"cell width", widthWord}, "gridSpan": {"merged over columns:", valWord}, "vMerge": {"merged", vMergeWord}, "hMerge": {"merged", hMergeWord}, "tcBorders": {"cell borders", bordersWord}, "noWrap": {"no wrapping", nil}, "tcMar": {"margins", marginsWord}, "textDirection": {"text direction", valWord}, "tcFitText": {"fit text", nil}, "vAlign": {"vertical alignment", valWord}, "hideMark": {"end mark hidden", nil}, "cnfStyle": {"place in the table style", attrsWord},
}

// Properties of sections (17.6).
var sectionWords = map[string]wording{
	"pgSz": {"page", pageSizeWord}, "pgMar": {"margins", pageMarginsWord}, "cols": {"columns", columnsWord}, "type": {"begins at", valWord}, "titlePg": {"different first page", nil}, "pgNumType": {"page numbers", attrsWord}, "vAlign": {"vertical alignment", valWord}, "lnNumType": {"line numbers", attrsWord}, "pgBorders": {"page borders", bordersWord},
	"docGrid": {"document grid", attrsWord}, "textDirection": {"text direction", valWord}, "bidi": {"right to left", nil}, "headerReference": {"header", referenceWord}, "footerReference": {"footer", referenceWord}, "formProt": {"protected forms", nil}, "noEndnote": {"no endnotes", nil}, "paperSrc": {"paper source", attrsWord}, "footnotePr": {"footnote numbering", kidsWord}, "endnotePr": {"endnote numbering", kidsWord}, "rtlGutter": {"gutter at the right", nil},
}

func valWord(_ *describer, e *el) string       { return plainWord(e.attr("val")) }
func typeWord(_ *describer, e *el) string      { return plainWord(e.attr("type")) }
func styleWord(w *describer, e *el) string     { return w.style(e.attr("val")) }
func twipsWord(_ *describer, e *el) string     { return points(e.attr("val"), 20) }
func percentWord(_ *describer, e *el) string   { return e.attr("val") + " %" }
func halfPointWord(_ *describer, e *el) string { return points(e.attr("val"), 2) }

func outlineWord(_ *describer, e *el) string {
	if n := outlineLevel(e.attr("val")); n > 0 {
		return strconv.Itoa(n)
	}
	return "body text"
}

func fontWord(_ *describer, e *el) string {
	var out []string
	for _, a := range []string{"ascii", "hAnsi", "eastAsia", "cs"} {
		f := e.attr(a)
		if theme := e.attr(a + "Theme"); theme != "" {
			f = "theme font " + theme
		} else if theme := e.attr("cstheme"); a == "cs" && theme != "" {
			f = "theme font " + theme
		}
		if f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return attrsWord(nil, e)
	}
	return strings.Join(out, " / ")
}

var colorNames = map[string]string{"FFFFFF": "white", "000000": "black", "FF0000": "red", "0000FF": "blue", "00FF00": "green", "FFFF00": "yellow", "auto": "automatic"}

func colorName(hex string) string {
	if n := colorNames[strings.ToUpper(hex)]; n != "" {
		return n
	}
	if n := colorNames[hex]; n != "" {
		return n
	}
	return hex
}

func colorWord(_ *describer, e *el) string {
	out := colorName(e.attr("val"))
	if t := e.attr("themeColor"); t != "" {
		out = "theme colour " + t
		for _, a := range []string{"themeTint", "themeShade"} {
			if v := e.attr(a); v != "" {
				out += " " + strings.ToLower(a[5:]) + " " + v
			}
		}
	}
	return out
}

func underlineWord(_ *describer, e *el) string {
	v := e.attr("val")
	if v == "single" {
		v = ""
	}
	if c := e.attr("color"); c != "" && c != "auto" {
		v = strings.TrimSpace(v + " " + colorName(c))
	}
	return plainWord(v)
}

func shadingWord(_ *describer, e *el) string {
	fill := e.attr("fill")
	if t := e.attr("themeFill"); t != "" {
		fill = "theme colour " + t
	}
	out := colorName(fill)
	if v := e.attr("val"); v != "" && v != "clear" && v != "nil" {
		out = strings.TrimSpace(out + " pattern " + v + " " + colorName(e.attr("color")))
	}
	return out
}

func langWord(_ *describer, e *el) string {
	var out []string
	for _, a := range []string{"val", "eastAsia", "bidi"} {
		if v := e.attr(a); v != "" {
			out = append(out, v)
		}
	}
	return strings.Join(out, " / ")
}

func listWord(w *describer, e *el) string {
	level := e.child("ilvl").attr("val")
	if level == "" {
		level = "0"
	}
	return w.list(e.child("numId").attr("val"), level)
}

var alignNames = map[string]string{"both": "justified", "start": "left", "end": "right", "center": "centred", "distribute": "distributed"}

func alignWord(_ *describer, e *el) string { return alignName(e.attr("val")) }

// alignName returns an alignment (17.18.44) in words.
func alignName(val string) string {
	if n := alignNames[val]; n != "" {
		return n
	}
	return val
}

func borderWord(_ *describer, e *el) string {
	v := e.attr("val")
	if v == "nil" || v == "none" || v == "" {
		return "none"
	}
	out := v + " " + points(e.attr("sz"), 8)
	if c := e.attr("color"); c != "" && c != "auto" {
		out += " " + colorName(c)
	}
	return strings.TrimSpace(out)
}

// bordersWord says the borders of each side, those that are alike together.
func bordersWord(w *describer, e *el) string {
	return eachSide(e, func(k *el) string { return borderWord(w, k) })
}

func marginsWord(_ *describer, e *el) string {
	return eachSide(e, func(k *el) string { return width(k.attr("w"), k.attr("type")) })
}

func eachSide(e *el, say func(*el) string) string {
	var order []string
	sides := map[string][]string{}
	for _, k := range e.kids {
		if k.local == "" {
			continue
		}
		v := say(k)
		if sides[v] == nil {
			order = append(order, v)
		}
		sides[v] = append(sides[v], sideName(k.local))
	}
	var out []string
	for _, v := range order {
		out = append(out, strings.Join(sides[v], " and ")+" "+v)
	}
	return strings.Join(out, ", ")
}

func sideName(s string) string {
	switch s {
	case "start":
		return "left"
	case "end":
		return "right"
	case "insideH":
		return "between rows"
	case "insideV":
		return "between columns"
	}
	return s
}

func tabsWord(_ *describer, e *el) string {
	var out []string
	for _, k := range e.kids {
		if k.local == "tab" {
			out = append(out, strings.TrimSpace(k.attr("val")+" "+length20(k.attr("pos"))+" "+strings.TrimPrefix(k.attr("leader"), "none")))
		}
	}
	return strings.Join(out, ", ")
}

func spacingWord(_ *describer, e *el) string {
	var out []string
	for _, a := range []string{"before", "after"} {
		if v := e.attr(a + "Lines"); v != "" && v != "0" {
			out = append(out, a+" "+ratio(v, 100)+" lines")
		} else if v := e.attr(a); v != "" {
			out = append(out, a+" "+points(v, 20))
		}
	}
	if v := e.attr("line"); v != "" {
		switch rule := e.attr("lineRule"); rule {
		case "exact", "atLeast":
			out = append(out, "lines "+map[string]string{"exact": "exactly", "atLeast": "at least"}[rule]+" "+points(v, 20))
		default:
			out = append(out, "lines "+ratio(v, 240))
		}
	}
	if len(out) == 0 {
		return attrsWord(nil, e)
	}
	return strings.Join(out, ", ")
}

func indentWord(_ *describer, e *el) string {
	var out []string
	for _, a := range []struct{ attr, word string }{{"left", "left"}, {"start", "left"}, {"right", "right"}, {"end", "right"}, {"firstLine", "first line"}, {"hanging", "hanging"}} {
		if v := e.attr(a.attr); v != "" {
			out = append(out, a.word+" "+length20(v))
		}
	}
	if len(out) == 0 {
		return attrsWord(nil, e)
	}
	return strings.Join(out, ", ")
}

func widthWord(_ *describer, e *el) string { return width(e.attr("w"), e.attr("type")) }

func width(v, kind string) string {
	switch kind {
	case "auto", "nil":
		return "automatic"
	case "pct":
		if share, ok := strings.CutSuffix(v, "%"); ok { // the form of strict documents (22.9.2.9)
			return ratio(share, 1) + " %"
		}
		return ratio(v, 50) + " %" // in fiftieths (17.18.90)
	}
	return length20(v)
}

func heightWord(_ *describer, e *el) string {
	out := length20(e.attr("val"))
	if r := e.attr("hRule"); r == "exact" {
		out = "exactly " + out
	}
	return out
}

func vMergeWord(_ *describer, e *el) string {
	if e.attr("val") == "restart" {
		return "with the cells below"
	}
	return "with the cell above"
}

func hMergeWord(_ *describer, e *el) string {
	if e.attr("val") == "restart" {
		return "with the cells to the right"
	}
	return "with the cell to the left"
}

func gridWord(_ *describer, e *el) string {
	var out []string
	for _, k := range e.kids {
		if k.local == "gridCol" {
			out = append(out, length20(k.attr("w")))
		}
	}
	if len(out) > 20 {
		out = append(out[:20], fmt.Sprintf("and %d more", len(out)-20))
	}
	return strings.Join(out, ", ")
}

func lookWord(_ *describer, e *el) string {
	var out []string
	bits, err := strconv.ParseUint(e.attr("val"), 16, 32)
	if err == nil && e.attr("firstRow") == "" { // the older way of writing it
		for _, b := range []struct {
			bit  uint64
			word string
		}{{0x20, "first row"}, {0x40, "last row"}, {0x80, "first column"}, {0x100, "last column"}} {
			if bits&b.bit != 0 {
				out = append(out, b.word)
			}
		}
		if bits&0x200 == 0 {
			out = append(out, "bands of rows")
		}
		if bits&0x400 == 0 {
			out = append(out, "bands of columns")
		}
		return strings.Join(out, ", ")
	}
	for _, a := range []struct{ attr, word string }{{"firstRow", "first row"}, {"lastRow", "last row"}, {"firstColumn", "first column"}, {"lastColumn", "last column"}} {
		if v := e.attr(a.attr); v == "1" || v == "true" {
			out = append(out, a.word)
		}
	}
	if v := e.attr("noHBand"); v == "0" || v == "false" {
		out = append(out, "bands of rows")
	}
	if v := e.attr("noVBand"); v == "0" || v == "false" {
		out = append(out, "bands of columns")
	}
	if len(out) == 0 {
		return e.attr("val")
	}
	return strings.Join(out, ", ")
}

func pageSizeWord(_ *describer, e *el) string {
	out := length20(e.attr("w")) + " × " + length20(e.attr("h"))
	if e.attr("orient") == "landscape" {
		out += ", landscape"
	}
	return out
}

func pageMarginsWord(_ *describer, e *el) string {
	var out []string
	for _, a := range []string{"top", "right", "bottom", "left", "header", "footer", "gutter"} {
		if v := e.attr(a); v != "" && !(a == "gutter" && v == "0") {
			out = append(out, a+" "+length20(v))
		}
	}
	return strings.Join(out, ", ")
}

func columnsWord(_ *describer, e *el) string {
	n := e.attr("num")
	if n == "" {
		n = "1"
	}
	out := n
	if v := e.attr("space"); v != "" {
		out += ", " + length20(v) + " apart"
	}
	if v := e.attr("sep"); v == "1" || v == "true" {
		out += ", with a line between"
	}
	return out
}

func referenceWord(w *describer, e *el) string { return "(" + w.part(e.rel("id")) + ")" }

func kidsWord(_ *describer, e *el) string {
	var out []string
	for _, k := range e.kids {
		if k.local != "" {
			out = append(out, strings.TrimSpace(splitWords(k.local)+" "+attrsWord(nil, k)))
		}
	}
	return strings.Join(out, ", ")
}

// attrsWord says attributes as they are called.
func attrsWord(_ *describer, e *el) string {
	var out []string
	for _, a := range e.attrs {
		switch {
		case e.irrelevantAttr(a):
		case a.local == "val":
			out = append(out, plainWord(a.value))
		default:
			out = append(out, splitWords(a.local)+" "+a.value)
		}
	}
	return clip(strings.Join(out, ", "), 200)
}

// plainWord writes a value such as dotDash in words.
func plainWord(s string) string { return splitWords(s) }

// splitWords takes a name such as autoHyphenation apart.
func splitWords(s string) string {
	var sb strings.Builder
	low := false // the letter before was a small one
	for _, r := range s {
		if low && r >= 'A' && r <= 'Z' {
			sb.WriteByte(' ')
			r += 'a' - 'A'
			low = false
		} else {
			low = r >= 'a' && r <= 'z'
		}
		sb.WriteRune(r)
	}
	return sb.String()
}

// ratio returns a number in hundredths, trimmed.
func ratio(v string, per float64) string {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return v
	}
	out := strconv.FormatFloat(f/per, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(out, "0"), ".")
}

func points(v string, per float64) string {
	if _, err := strconv.ParseFloat(v, 64); err != nil {
		return v
	}
	return ratio(v, per) + " pt"
}

// length20 returns a length in twentieths of a point.
func length20(v string) string {
	if _, err := strconv.ParseFloat(v, 64); err != nil {
		return v
	}
	return ratio(v, 1440/2.54) + " cm"
}
