package all

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// difference is something that an independent reader (encoding/xml) finds in one
// of two files only.
type difference struct {
	aspect string // the kind of change, a key of aspects
	place  string // the sheet, slide or part it is in, as a review names it; "" for anywhere
	cell   string // of a cell: its address
	shape  string // of a shape: its name
	both   bool   // of a cell: it holds a formula on both sides
	part   string
}

// aspects says which kinds of facts report a kind of change. "items" are the
// changes listed in groups: cells, paragraphs, shapes.
var aspects = map[string][]string{
	"cell":        {"items"},
	"cell format": {"items", formats.FactFormat, formats.FactStyle, formats.FactRowHeight, formats.FactValue},
	"calculated":  {"items", formats.FactValue},
	"merge":       {formats.FactMerge},
	"column":      {formats.FactColumnWidth, formats.FactHiddenColumns, formats.FactOutline, formats.FactFormat, formats.FactColumns, formats.FactStyle},
	"row":         {formats.FactRowHeight, formats.FactHiddenRows, formats.FactOutline, formats.FactFormat, formats.FactRows, formats.FactStyle, formats.FactFilter, formats.FactPart},
	"view":        {formats.FactView, formats.FactHiddenSheet, formats.FactSheet},
	"protection":  {formats.FactProtection},
	"validation":  {formats.FactValidation},
	"conditional": {formats.FactCondFormat},
	"filter":      {formats.FactFilter},
	"link":        {formats.FactLink, formats.FactField},
	"page":        {formats.FactPageSetup, formats.FactHeader, formats.FactFooter, formats.FactSection},
	"object":      {formats.FactChart, formats.FactPicture, formats.FactShape, formats.FactComment, formats.FactNote, formats.FactObject, formats.FactControl, formats.FactTable, formats.FactMedia, formats.FactDiagram, formats.FactSlicer, formats.FactPivot, formats.FactLink, formats.FactLayout, formats.FactFormat, formats.FactHiddenText, formats.FactProperty, "items"},
	"comment":     {formats.FactComment, formats.FactNote, "items"},
	"table":       {formats.FactTable, formats.FactFormat, formats.FactFilter, formats.FactMerge, formats.FactTracked, "items"},
	"chart":       {formats.FactChart},
	"sheet":       {formats.FactSheet, formats.FactHiddenSheet, "items"},
	"name":        {formats.FactName, formats.FactPageSetup, formats.FactFilter, "items"},
	"property":    {formats.FactProperty},
	"theme":       {formats.FactTheme},
	"text":        {"items", formats.FactColumns, formats.FactRows, formats.FactTable, formats.FactParagraphs, formats.FactTracked, formats.FactField, formats.FactNote, formats.FactComment},
	"break":       {formats.FactBreak, "items", formats.FactParagraphs, formats.FactSection, formats.FactPageSetup, formats.FactFormat},
	"format":      {"items", formats.FactFormat, formats.FactStyle, formats.FactList, formats.FactHiddenText, formats.FactTracked, formats.FactParagraphs, formats.FactTable},
	"style":       {formats.FactStyle, formats.FactFormat, formats.FactList, formats.FactHiddenText},
	"list":        {formats.FactList},
	"field":       {formats.FactField, formats.FactLink, "items"},
	"bookmark":    {formats.FactBookmark, "items"},
	"note":        {formats.FactNote, "items"},
	"tracked":     {formats.FactTracked},
	"control":     {formats.FactControl},
	"equation":    {formats.FactEquation, "items"},
	"animation":   {formats.FactAnimation},
	"transition":  {formats.FactTransition},
	"slide":       {formats.FactSlide, formats.FactHiddenSlide, formats.FactSection, formats.FactLayout, "items"},
	"master":      {formats.FactMaster, formats.FactLayout, "items"},
	"header":      {formats.FactHeader, formats.FactFooter, "items"},
	"other":       nil, // any fact will do
	"part":        nil,
}

// elementAspects gives elements their aspect; an element that has none takes the
// one of the nearest element above it that has.
var elementAspects = map[string]string{
	"x:mergeCells": "merge", "x:cols": "column", "x:row": "row", "x:sheetViews": "view", "x:sheetProtection": "protection", "x:protectedRanges": "protection",
	"x:dataValidations": "validation", "x:conditionalFormatting": "conditional", "x:autoFilter": "filter", "x:sortState": "filter", "x:hyperlinks": "link",
	"x:pageMargins": "page", "x:pageSetup": "page", "x:printOptions": "page", "x:rowBreaks": "page", "x:colBreaks": "page", "x:headerFooter": "page",
	"x:drawing": "object", "x:legacyDrawing": "object", "x:oleObjects": "object", "x:controls": "object", "x:tableParts": "object", "x:tablePart": "object",
	"x:sheets": "sheet", "x:definedNames": "name", "x:workbookProtection": "protection", "x:bookViews": "view", "x:comments": "comment", "xltc:ThreadedComments": "comment",
	"x:table": "table", "c:chartSpace": "chart", "cx:chartSpace": "chart", "xdr:wsDr": "object", "a:theme": "theme",

	"w:t": "text", "w:delText": "text", "w:tab": "text", "w:br": "break", "w:cr": "break", "w:sectPr": "page", "w:drawing": "object", "w:pict": "object", "w:object": "object",
	"w:footnoteReference": "note", "w:endnoteReference": "note", "w:footnotes": "note", "w:endnotes": "note", "w:comments": "comment", "w:commentRangeStart": "comment", "w:commentRangeEnd": "comment", "w:commentReference": "comment",
	"w:bookmarkStart": "bookmark", "w:bookmarkEnd": "bookmark", "w:hyperlink": "link", "w:fldChar": "field", "w:instrText": "field", "w:fldSimple": "field", "w:sdtPr": "control",
	"w:ins": "tracked", "w:del": "tracked", "w:moveFrom": "tracked", "w:moveTo": "tracked", "w:pPrChange": "tracked", "w:rPrChange": "tracked",
	"w:rPr": "format", "w:pPr": "format", "w:tblPr": "table", "w:tblGrid": "table", "w:trPr": "table", "w:tcPr": "table", "w:tbl": "table", "m:oMath": "equation",
	"w:styles": "style", "w:numbering": "list", "w:hdr": "header", "w:ftr": "header",

	"a:t": "object", "p:sp": "object", "p:pic": "object", "p:graphicFrame": "object", "p:grpSp": "object", "p:cxnSp": "object", "p:spTree": "object",
	"p:timing": "animation", "p:transition": "transition", "p:sldIdLst": "slide", "p:sldMasterIdLst": "master", "p:sldLayoutIdLst": "master", "p:sldSz": "page",
	"p:notes": "note", "p:sld": "slide", "p:sldLayout": "master", "p:sldMaster": "master", "p:txStyles": "style", "p:bg": "format", "p:hf": "header", "p:cmLst": "comment",
}

// derived elements say what others say: the extent of a sheet, marks of spelling,
// ids of revisions. In workbooks cells, strings and formats are compared by what
// they come to.
var derived = []string{"x:dimension", "x:sheetData", "w:proofErr", "w:lastRenderedPageBreak", "w:rsids", "w:p", "w:r", "w:body", "w:document", "w:tr", "w:tc", "x:worksheet", "x:sst", "x:styleSheet", "x:calcChain", "xdr:clientData", "p:cSld"}

// untellable are parts whose content is derived from others in the package.
var untellable = []string{"xl/sharedStrings.xml", "xl/styles.xml", "xl/calcChain.xml", "[Content_Types].xml"}

type seenSheet struct {
	name, part, state string
	tree              *formatstest.Node
}

func sheetsOf(p *formatstest.Package) []seenSheet {
	main := mainPart(p)
	book := p.Tree(main)
	if book == nil {
		return nil
	}
	byID := map[string]string{}
	for _, r := range p.Rels(main) {
		byID[r.ID] = r.Target
	}
	var out []seenSheet
	for _, s := range book.All("x:sheet") {
		part := byID[s.Attr("r:id")]
		out = append(out, seenSheet{s.Attr("name"), part, s.Attr("state"), p.Tree(part)})
	}
	return out
}

func mainPart(p *formatstest.Package) string {
	for _, r := range p.Rels("") {
		if r.Type == "officeDocument" {
			return r.Target
		}
	}
	return ""
}

func slideParts(p *formatstest.Package) []string {
	main := mainPart(p)
	deck := p.Tree(main)
	if deck == nil {
		return nil
	}
	byID := map[string]string{}
	for _, r := range p.Rels(main) {
		byID[r.ID] = r.Target
	}
	var out []string
	for _, s := range deck.All("p:sldId") {
		out = append(out, byID[s.Attr("r:id")])
	}
	return out
}

// differences reads both files and lists what is in one only.
func differences(kind formats.Kind, a, b *formatstest.Package) []difference {
	var out []difference
	places := placeNames(kind, a, b)
	if kind == formats.KindXlsx {
		out = append(out, cellDifferences(a, b)...)
	}
	for _, part := range bothParts(a, b) {
		// The boxes of comments (.vml) follow their cells.
		if slices.Contains(untellable, part) || strings.HasSuffix(part, ".rels") || kind == formats.KindXlsx && strings.HasSuffix(part, ".vml") {
			continue
		}
		x, inA := a.Parts[part]
		y, inB := b.Parts[part]
		if string(x) == string(y) {
			continue
		}
		if !inA || !inB {
			out = append(out, difference{aspect: "part", part: part})
			continue
		}
		ta, tb := a.Tree(part), b.Tree(part)
		if ta == nil || tb == nil {
			out = append(out, difference{aspect: "part", part: part})
			continue
		}
		out = append(out, treeDifferences(part, places[part], a, b, ta, tb)...)
	}
	return out
}

func bothParts(a, b *formatstest.Package) []string {
	var out []string
	for n := range a.Parts {
		out = append(out, n)
	}
	for n := range b.Parts {
		if _, ok := a.Parts[n]; !ok {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}

// placeNames says how a review calls the place of a part.
func placeNames(kind formats.Kind, a, b *formatstest.Package) map[string]string {
	out := map[string]string{}
	for _, p := range []*formatstest.Package{a, b} {
		switch kind {
		case formats.KindXlsx:
			for _, s := range sheetsOf(p) {
				out[s.part] = s.name
			}
		case formats.KindPptx:
			for i, part := range slideParts(p) {
				out[part] = fmt.Sprintf("slide %d", i+1)
			}
		}
	}
	return out
}

// treeDifferences compares the elements of two parts as multisets.
func treeDifferences(part, place string, a, b *formatstest.Package, ta, tb *formatstest.Node) []difference {
	count := map[string]int{}
	aspect, shape := map[string]string{}, map[string]string{}
	note := func(p *formatstest.Package, root *formatstest.Node, by int) {
		targets := map[string]string{}
		for _, r := range p.Rels(part) {
			targets[r.ID] = r.Type + " " + r.Target // its content is compared there
		}
		root.Walk(func(n *formatstest.Node) bool {
			if n.Name == "x:sheetData" {
				for _, row := range n.All("x:row") {
					key := "x:row " + attrs(row, targets, "spans", "s", "customFormat", "dyDescent", "x14ac:dyDescent")
					if strings.Contains(key, "hidden") || strings.Contains(key, "ht=") || strings.Contains(key, "outlineLevel") {
						count[key] += by
						aspect[key] = "row"
					}
				}
				return false
			}
			if n.Name == "w:p" { // runs may be split where their formatting changes
				text := ""
				for _, k := range n.All("w:t", "w:delText", "w:tab", "w:cr") {
					text += k.Text + map[string]string{"w:tab": "\t", "w:cr": "\n"}[k.Name]
				}
				if text != "" {
					count["w:p "+text] += by
					aspect["w:p "+text] = "text"
				}
			}
			if n.Name == "w:bookmarkEnd" || n.Name == "w:bookmarkStart" && n.Attr("name") == "_GoBack" {
				return true // ends go by number; where the cursor was last
			}
			if slices.Contains(derived, n.Name) || n.Name == "w:t" || n.Name == "w:delText" {
				return true
			}
			key := n.Name + " " + attrs(n, targets)
			if len(n.Kids) == 0 {
				key += " " + n.Text
			}
			name := ""
			if place != "" {
				name = shapeOf(n)
			}
			key += "\x00" + name
			count[key] += by
			aspect[key], shape[key] = aspectOf(part, n), name
			return true
		})
	}
	note(a, ta, 1)
	note(b, tb, -1)
	seen := map[string]bool{}
	var out []difference
	for key, n := range count {
		if id := aspect[key] + "\x00" + shape[key]; n != 0 && aspect[key] != "" && !seen[id] {
			seen[id] = true
			out = append(out, difference{aspect: aspect[key], place: place, shape: shape[key], part: part})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].aspect < out[j].aspect })
	return out
}

// shapeOf returns the name of the innermost shape that holds an element of a
// slide.
func shapeOf(n *formatstest.Node) string {
	for at := n; at != nil; at = at.Up {
		if !slices.Contains([]string{"p:sp", "p:pic", "p:graphicFrame", "p:cxnSp"}, at.Name) {
			continue
		}
		for _, k := range at.Kids {
			for _, c := range k.Kids {
				if c.Name == "p:cNvPr" {
					name := []rune(c.Attr("name"))
					return string(name[:min(len(name), 40)]) // reviews clip long names
				}
			}
		}
	}
	return ""
}

// attrs are an element's attributes; a relationship stands for what it leads to.
func attrs(n *formatstest.Node, targets map[string]string, except ...string) string {
	var out []string
	for k, v := range n.Attrs {
		if n.Name == "x:sheet" && k != "name" && k != "state" {
			continue // numbers by which programs find the sheet again
		}
		if strings.HasPrefix(k, "rsid") || k == "paraId" || k == "textId" || k == "Ignorable" || slices.Contains(except, k) {
			continue
		}
		if strings.HasPrefix(k, "r:") && targets[v] != "" {
			v = targets[v]
		}
		out = append(out, k+"="+v)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// holdsObjects reports whether n is in a paragraph that has no text, but
// something else, such as a picture: how it looks is reported with that.
func holdsObjects(n *formatstest.Node) bool {
	for at := n; at != nil; at = at.Up {
		if at.Name == "w:p" {
			for _, t := range at.All("w:t", "w:delText") {
				if strings.TrimSpace(t.Text) != "" {
					return false
				}
			}
			return len(at.All("w:drawing", "w:pict", "w:object", "w:br", "w:footnoteRef", "w:endnoteRef", "m:oMath", "w:sectPr", "w:fldChar", "w:footnoteReference", "w:commentReference")) > 0
		}
	}
	return false
}

func aspectOf(part string, n *formatstest.Node) string {
	if strings.HasPrefix(part, "docProps/") {
		return "property"
	}
	for at := n; at != nil; at = at.Up {
		if a := elementAspects[at.Name]; a != "" {
			if a == "format" && holdsObjects(n) {
				return "object format"
			}
			return a
		}
	}
	return "other"
}

// cellDifferences compares the cells of sheets of the same name: what they hold,
// what formulas came to, how they look.
func cellDifferences(a, b *formatstest.Package) []difference {
	was := map[string]map[string]cellState{}
	looksA, looksB := looks(a), looks(b)
	for _, s := range sheetsOf(a) {
		was[s.name] = cellsOf(a, s, looksA)
	}
	var out []difference
	for _, s := range sheetsOf(b) {
		old, ok := was[s.name]
		if !ok {
			continue
		}
		now := cellsOf(b, s, looksB)
		all := map[string]bool{}
		for at := range old {
			all[at] = true
		}
		for at := range now {
			all[at] = true
		}
		for at := range all {
			x, y := old[at], now[at]
			if x.look == "" {
				x.look = first(looksA) // a cell that is not there looks like the first format
			}
			if y.look == "" {
				y.look = first(looksB)
			}
			d := difference{place: s.name, cell: at, part: s.part, both: x.formula != "" && y.formula != ""}
			switch {
			case !sameFormula(x.formula, y.formula) || x.formula == "" && x.value != y.value:
				d.aspect = "cell"
			case x.formula != "" && x.value != y.value:
				d.aspect = "calculated"
			}
			if d.aspect != "" {
				out = append(out, d)
			}
			if x.look != y.look {
				d.aspect = "cell format"
				out = append(out, d)
			}
		}
	}
	return out
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// sameFormula takes a member of a shared formula, which has no text of its own,
// for any formula.
func sameFormula(a, b string) bool {
	return a == b || a != "" && b != "" && (a == "shared" || b == "shared")
}

type cellState struct{ value, formula, look string }

func cellsOf(p *formatstest.Package, s seenSheet, looks []string) map[string]cellState {
	out := map[string]cellState{}
	if s.tree == nil {
		return out
	}
	strs := sharedTexts(p)
	for _, c := range s.tree.All("x:c") {
		st := cellState{}
		for _, k := range c.Kids {
			switch k.Name {
			case "x:v":
				st.value = k.Text
				if i, err := strconv.Atoi(k.Text); err == nil && c.Attr("t") == "s" && i < len(strs) {
					st.value = strs[i]
				} else if v, err := strconv.ParseFloat(k.Text, 64); err == nil && c.Attr("t") != "str" {
					st.value = strconv.FormatFloat(v, 'g', -1, 64)
				}
			case "x:f":
				if st.formula = "=" + k.Text; k.Text == "" {
					st.formula = "shared"
				}
			case "x:is":
				st.value = runsText(k)
			}
		}
		i, _ := strconv.Atoi(c.Attr("s"))
		if i < len(looks) {
			st.look = looks[i]
		}
		if st.value == "" && st.formula == "" && i == 0 {
			continue
		}
		if c.Attr("t") == "b" || c.Attr("t") == "e" {
			st.value = c.Attr("t") + st.value
		}
		out[c.Attr("r")] = st
	}
	return out
}

func sharedTexts(p *formatstest.Package) []string {
	sst := p.Tree("xl/sharedStrings.xml")
	if sst == nil {
		return nil
	}
	var out []string
	for _, si := range sst.Kids {
		out = append(out, runsText(si))
	}
	return out
}

// runsText returns the text of a string item with the formatting of its runs.
func runsText(si *formatstest.Node) string {
	var b strings.Builder
	si.Walk(func(n *formatstest.Node) bool {
		switch {
		case n.Name == "x:rPh" || n.Name == "x:phoneticPr":
			return false
		case n.Name == "x:t":
			b.WriteString(n.Text)
		case n.In("x:rPr"):
			fmt.Fprintf(&b, "{%s %s}", n.Name, attrs(n, nil))
		}
		return true
	})
	return b.String()
}

// looks returns what each cell format comes to, fonts and fills written out.
func looks(p *formatstest.Package) []string {
	st := p.Tree("xl/styles.xml")
	if st == nil {
		return nil
	}
	list := func(name string) []string {
		var out []string
		for _, k := range st.Kids {
			if k.Name == name {
				for _, e := range k.Kids {
					out = append(out, dump(e))
				}
			}
		}
		return out
	}
	fonts, fills, borders := list("x:fonts"), list("x:fills"), list("x:borders")
	codes := map[string]string{}
	for _, n := range st.All("x:numFmt") {
		codes[n.Attr("numFmtId")] = n.Attr("formatCode")
	}
	at := func(list []string, i string) string {
		n, err := strconv.Atoi(i)
		if err != nil || n >= len(list) {
			return ""
		}
		return list[n]
	}
	var out []string
	for _, k := range st.Kids {
		if k.Name != "x:cellXfs" {
			continue
		}
		for _, xf := range k.Kids {
			code := xf.Attr("numFmtId")
			if c := codes[code]; c != "" {
				code = c
			}
			s := strings.Join([]string{code, at(fonts, xf.Attr("fontId")), at(fills, xf.Attr("fillId")), at(borders, xf.Attr("borderId"))}, "|")
			for _, e := range xf.Kids {
				s += dump(e)
			}
			out = append(out, s)
		}
	}
	return out
}

func dump(n *formatstest.Node) string {
	s := "<" + n.Name + " " + attrs(n, nil)
	for _, k := range n.Kids {
		s += dump(k)
	}
	return s + ">"
}

// reported reports whether a review carries a difference.
func told(d *formats.Diff, kind formats.Kind, x difference) bool {
	kinds := aspects[x.aspect]
	whole := kind == formats.KindPptx && slices.ContainsFunc(d.Facts, func(f formats.Fact) bool { return f.Kind == formats.FactSlide })
	for _, f := range d.Facts {
		where := f.At + " " + f.Old + " " + f.New + " " + f.Warning
		if f.Kind == formats.FactPart && x.cell == "" && x.shape == "" && (f.At == x.part || x.place != "" && strings.Contains(where, x.place)) {
			return true // named by its element and part, with a warning
		}
		if kinds != nil && !slices.Contains(kinds, f.Kind) {
			continue
		}
		switch {
		case x.aspect == "part":
			return true
		case x.place == "" || whole:
			return true
		case x.cell != "":
			if covers(f.At, x.place, x.cell) {
				return true
			}
		case x.shape != "":
			if strings.Contains(where, x.place) && strings.Contains(where, x.shape) {
				return true
			}
		case strings.Contains(where, x.place):
			return true
		}
	}
	if kinds == nil {
		return len(d.Groups) > 0
	}
	if kind == formats.KindXlsx && moved(d, x.place) {
		return true // rows or columns came or went, and all addresses after them differ
	}
	if kind == formats.KindXlsx && followed(d) && (x.both || slices.Contains([]string{"chart", "table", "filter", "conditional", "validation", "name", "other"}, x.aspect)) {
		return true // it refers to what came, went or has another name
	}
	if !slices.Contains(kinds, "items") {
		return false
	}
	return toldByItem(d, kind, x)
}

func toldByItem(d *formats.Diff, kind formats.Kind, x difference) bool {
	for _, g := range d.Groups {
		switch {
		case kind == formats.KindPptx && x.place != "" && !strings.HasPrefix(g.Name+":", x.place+":"), x.cell != "" && g.Name != x.place:
			continue
		case x.cell == "" && x.shape == "":
			return true
		}
		for _, it := range g.Items {
			if x.cell != "" && covers(it.At, "", x.cell) || x.shape != "" && strings.Contains(it.At, x.shape) {
				return true
			}
		}
	}
	return false
}

// moved reports whether a review reports that rows or columns of a sheet, or of
// any where the place is not known, came, went or moved.
func moved(d *formats.Diff, sheet string) bool {
	for _, f := range d.Facts {
		if (f.Kind == formats.FactRows || f.Kind == formats.FactColumns) && strings.Contains(f.At, sheet) {
			return true
		}
	}
	for _, g := range d.Groups {
		if g.Name == sheet || sheet == "" {
			for _, it := range g.Items {
				if strings.HasPrefix(it.At, "row ") || strings.HasPrefix(it.At, "rows ") || strings.HasPrefix(it.At, "column") {
					return true
				}
			}
		}
	}
	return false
}

// followed reports whether a review reports anything that formulas follow:
// rows, columns and sheets that came, went or have other names.
func followed(d *formats.Diff) bool {
	for _, f := range d.Facts {
		if f.Kind == formats.FactRows || f.Kind == formats.FactColumns || f.Kind == formats.FactSheet {
			return true
		}
	}
	return moved(d, "")
}

// covers reports whether an address such as Sales!A1:C3,E5 or B2 holds a cell.
func covers(at, sheet, cell string) bool {
	if sheet != "" && !strings.Contains(at, sheet) {
		return false
	}
	if sheet != "" && strings.Contains(at, " more block") {
		return true // too many places to name: they are counted
	}
	col, row := splitCell(cell)
	if i := strings.LastIndexByte(at, '!'); i >= 0 {
		at = at[i+1:]
	}
	for _, piece := range strings.FieldsFunc(at, func(r rune) bool { return r == ',' || r == ' ' }) {
		from, to, _ := strings.Cut(piece, ":")
		if to == "" {
			to = from
		}
		c1, r1, ok1 := address(from)
		c2, r2, ok2 := address(to)
		if ok1 && ok2 && (c1 == 0 || col >= c1) && (c2 == 0 || col <= c2) && (r1 == 0 || row >= r1) && (r2 == 0 || row <= r2) {
			return true
		}
	}
	return false
}

// address reads A1, A or 1; what is not there is 0.
func address(s string) (col, row int, ok bool) {
	s = strings.ReplaceAll(s, "$", "")
	i := 0
	for i < len(s) && s[i] >= 'A' && s[i] <= 'Z' {
		col = col*26 + int(s[i]-'A') + 1
		i++
	}
	if i < len(s) {
		n, err := strconv.Atoi(s[i:])
		if err != nil {
			return 0, 0, false
		}
		row = n
	}
	return col, row, len(s) > 0 && i <= 3
}
