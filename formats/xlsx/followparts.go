package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// owners gives, for each part below a worksheet, the lower-case name of the
// sheet, found through relationships.
func (wb *workbook) owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range wb.Sheets {
		if s.Part == "" {
			continue
		}
		queue := []string{s.Part}
		for len(queue) > 0 {
			rels, err := wb.Package.Rels(ctx, queue[0])
			if err != nil {
				return nil, err
			}
			queue = queue[1:]
			for _, r := range rels {
				k := strings.ToLower(r.Target)
				if _, known := out[k]; r.External || known || !wb.Package.Has(r.Target) {
					continue
				}
				out[k] = strings.ToLower(s.Name)
				queue = append(queue, r.Target)
			}
		}
	}
	return out, nil
}

// others lets tables, charts, drawings, notes, pivots and controls follow.
func (g *following) others(ctx context.Context) error {
	owner, err := g.wb.owners(ctx)
	if err != nil {
		return err
	}
	for _, part := range g.wb.Package.Names() {
		if g.skip[strings.ToLower(part)] || !g.ed.Has(part) {
			continue
		}
		ct := g.wb.Package.ContentType(part)
		home := owner[strings.ToLower(part)]
		if strings.HasSuffix(ct, ".vmlDrawing") {
			doc, err := g.wb.Package.Read(ctx, part)
			if err != nil {
				return err
			}
			if now := followVML(g.rw, doc, home); string(now) != string(doc) {
				g.ed.Set(part, now)
			}
			continue
		}
		elems, ok := followed(ct)
		if !ok {
			continue
		}
		doc, err := g.wb.Package.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		edits, err := g.part(part, ct, home, elems, doc)
		if err != nil {
			return formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
		}
		if len(edits) > 0 {
			g.ed.Set(part, xmlscan.Apply(doc, edits))
		}
	}
	return nil
}

func (g *following) part(part, ct, home string, elems []string, doc []byte) ([]xmlscan.Splice, error) {
	if strings.HasSuffix(ct, ".pivotCacheDefinition+xml") {
		return g.pivotSource(doc)
	}
	w := &walk{rw: g.rw, home: home, elems: elems}
	for _, t := range g.tables[g.sheet] {
		if strings.EqualFold(t.Part, part) {
			w.table = t
			w.newID = maxID(doc)
		}
	}
	return w.run(doc)
}

// followed gives the elements whose text is a formula in a part of that type;
// ok is false for parts that refer to no cells.
func followed(contentType string) (elems []string, ok bool) {
	for suffix, elems := range map[string]string{
		".table+xml": "calculatedColumnFormula totalsRowFormula", ".chart+xml": "f sqref", ".chartex+xml": "f sqref",
		".drawing+xml": "", ".comments+xml": "", ".threadedcomments+xml": "", ".pivotTable+xml": "", ".controlproperties+xml": "",
		".tableSingleCells+xml": "", ".pivotCacheDefinition+xml": "", ".namedsheetviews+xml": "",
	} {
		if strings.HasSuffix(strings.ToLower(contentType), strings.ToLower(suffix)) {
			return strings.Fields(elems), true
		}
	}
	return nil, false
}

func maxID(doc []byte) int {
	n := 0
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "tableColumn" {
			n = max(n, sheetml.Atoi([]byte(t.AttrLocal("id"))))
		}
		return true
	})
	return n
}

// pivotSource follows the block a pivot cache was made from (18.10.1.95).
func (g *following) pivotSource(doc []byte) ([]xmlscan.Splice, error) {
	w := &walk{rw: g.rw, doc: doc}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && (t.Local == "worksheetSource" || t.Local == "rangeSet") {
			w.dataRef(t)
		}
	}
	return w.edits, sc.Err()
}

// book lets the workbook part follow: names, the sheet's own name, calcPr.
func (g *following) book(ctx context.Context) error {
	w := &walk{rw: g.rw, doc: g.wb.XML, edits: g.extra}
	prefix := ""
	calcAt, hasCalc, sheetN := 0, false, 0
	var names frame
	sc := xmlscan.New(g.wb.XML)
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && (t.Kind == xmlscan.End || t.Empty) {
			if slices.Contains(beforeCalcPr, t.Local) {
				calcAt = t.End
			}
			if t.Local == "definedNames" && names.gone > 0 && names.gone == names.kids {
				w.remove(names.start, t.End, names.mark)
			}
		}
		if t.Kind != xmlscan.Start || t.Space != sheetml.Namespace {
			continue
		}
		switch t.Local {
		case "workbook":
			if t.Prefix != "" {
				prefix = t.Prefix + ":"
			}
		case "sheet":
			g.sheetName(w, t, g.wb.Sheets[min(sheetN, len(g.wb.Sheets)-1)].Name)
			sheetN++
		case "definedNames":
			names = frame{start: t.Start, mark: len(w.edits)}
		case "definedName":
			names.kids++
			if g.definedName(w, t, sc.Skip()) {
				names.gone++
			}
		case "calcPr":
			hasCalc = true
			w.calcOnLoad(t, g.calc)
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", g.wb.Main, err)
	}
	if g.calc && !hasCalc && calcAt > 0 {
		w.put(calcAt, calcAt, "<"+prefix+`calcPr fullCalcOnLoad="1"/>`)
	}
	if len(w.edits) > 0 {
		g.ed.Set(g.wb.Main, xmlscan.Apply(g.wb.XML, w.edits))
	}
	return nil
}

// beforeCalcPr are the children of workbook behind which calcPr stands (18.2.27).
var beforeCalcPr = []string{"sheets", "functionGroups", "externalReferences", "definedNames"}

// sheetName gives a sheet element its new name.
func (g *following) sheetName(w *walk, t xmlscan.Token, old string) {
	now, ok := g.rw.Names[strings.ToLower(old)]
	if !ok {
		return
	}
	for a := range t.Attrs() {
		if a.Name == "name" {
			w.put(a.ValStart, a.ValEnd, sheetml.EscapeAttr(now))
		}
	}
}

// calcOnLoad marks calcPr for a full calculation on load, if calc.
func (w *walk) calcOnLoad(t xmlscan.Token, calc bool) {
	if v, _ := t.Attr("fullCalcOnLoad"); calc && !sheetml.IsTrue(v) {
		w.put(t.Start, t.End, string(sheetml.EditTag(t.Bytes(), ` fullCalcOnLoad="1"`, "fullCalcOnLoad")))
	}
}

// definedName follows one name (18.2.5). A built-in one, such as a print area,
// goes with its cells: then the answer is true.
func (g *following) definedName(w *walk, t xmlscan.Token, end int) bool {
	if t.Empty {
		return false
	}
	p := formula.Place{Keep: true}
	if n, err := strconv.Atoi(t.AttrLocal("localSheetId")); err == nil && n >= 0 && n < len(g.wb.Sheets) {
		p.Sheet = strings.ToLower(g.wb.Sheets[n].Name)
	}
	from, to := t.End, sheetml.EndTagStart(w.doc, end)
	now, changed := g.rw.Text(sheetml.CharData(w.doc[from:to]), p)
	if !changed {
		return false
	}
	if strings.HasPrefix(t.AttrLocal("name"), "_xlnm.") && strings.Contains(now, "#REF!") {
		var left []string
		for tok := range formula.Tokens(now) {
			if tok.Kind == formula.Ref {
				left = append(left, now[tok.Start:tok.End])
			}
		}
		if now = strings.Join(left, ","); now == "" {
			w.put(t.Start, end, "")
			return true
		}
	}
	w.put(from, to, xmlscan.Escape(now))
	return false
}

// dropPart removes a part of the sheet with its relationship and declaration.
func (g *following) dropPart(ctx context.Context, source string, r opc.Relationship) error {
	if err := g.ed.RemoveRel(ctx, source, r.ID); err != nil {
		return err
	}
	g.ed.Remove(r.Target)
	if rels := opc.RelsName(r.Target); g.ed.Has(rels) {
		g.ed.Remove(rels)
	}
	return g.ed.RemoveContentType(ctx, r.Target)
}
