package xlsx

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

// following lets the whole workbook follow a change of one sheet.
type following struct {
	*structure
	fo     *follower
	sheet  int // index in wb.sheets of the sheet concerned
	facts  []*facts
	tables map[int][]*table
	dirty  []*cellSet // cells whose value changes, by sheet, where they were
	stale  []*cellSet
	unsure bool // every formula counts as changed
	calc   bool
	moved  bool // the calculation chain is wrong
	inject map[ref]string
	drop   map[string]bool  // relationship ids of the sheet's tables that go
	gone   []string         // their parts
	skip   map[string]bool  // parts written already
	extra  []xmlscan.Splice // of the workbook part
}

// look reads the facts of all worksheets; those without rows have none.
func (g *following) look(ctx context.Context) error {
	budget := maxFormulas
	g.facts = make([]*facts, len(g.wb.sheets))
	g.tables = map[int][]*table{}
	for i, s := range g.wb.sheets {
		g.dirty = append(g.dirty, &cellSet{})
		g.stale = append(g.stale, &cellSet{})
		if !s.worksheet() {
			continue
		}
		fa, err := scanSheet(ctx, g.wb.pkg, s, scanOptions{budget: &budget})
		if errors.Is(err, errNoData) && (i != g.sheet || g.fo == nil || g.fo.shift == nil) {
			continue
		}
		if err != nil {
			return err
		}
		g.facts[i] = fa
		if g.tables[i], err = g.wb.tablesOf(ctx, s.part); err != nil {
			return err
		}
	}
	return nil
}

// volatileByPlace are functions whose value depends on where things stand.
var volatileByPlace = map[string]bool{"ROW": true, "ROWS": true, "COLUMN": true, "COLUMNS": true, "CELL": true, "ADDRESS": true, "COUNTBLANK": true, "AREAS": true}

// sheetPlan is what becomes of the formulas of one sheet.
type sheetPlan struct {
	changed bool
	expand  map[int]sharedFormula
}

// formulas finds the formulas that change, the shared ones that have to be
// written out, and the cells whose values may be others.
func (g *following) formulas(ctx context.Context) ([]sheetPlan, error) {
	plans := make([]sheetPlan, len(g.facts))
	for i, fa := range g.facts {
		if fa == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &plans[i]
		p.expand = map[int]sharedFormula{}
		at := g.fo.at(g.wb.sheets[i].name)
		own := i == g.sheet && g.fo.shift != nil
		masters := map[int]formulaCell{}
		for _, fc := range fa.formulas {
			now, changed, resized := g.fo.formula(fc.text, at)
			p.changed = p.changed || changed
			if g.fo.shift == nil {
				continue
			}
			if resized || changesByPlace(fc.text) {
				g.dirty[i].add(fc.row, fc.col)
				g.stale[i].add(fc.row, fc.col)
			}
			if fc.group == 0 {
				continue
			}
			place, stays := ref{fc.row, fc.col}, true
			if own {
				place, stays = g.fo.shift.cell(place)
			}
			switch m, ok := masters[fc.group]; {
			case fc.master && stays:
				masters[fc.group] = formulaCell{row: place.row, col: place.col, text: now}
			case stays && (!ok || shiftFormula(m.text, place.row-m.row, place.col-m.col) != now):
				p.expand[fc.group-1] = fa.shared[fc.group-1]
			}
		}
		if fa.many {
			p.changed, g.unsure = true, g.unsure || g.fo.shift != nil
			if g.fo.shift != nil {
				p.expand = fa.shared
			}
		}
		p.changed = p.changed || len(p.expand) > 0 && !own
	}
	return plans, nil
}

func changesByPlace(f string) bool {
	for _, t := range lexFormula(f) {
		if t.kind == fFunc && volatileByPlace[strings.ToUpper(f[t.start:t.end])] {
			return true
		}
	}
	return false
}

// dependants spreads the changed values over the formulas that read them.
func (g *following) dependants(ctx context.Context) {
	hasF := false
	var facts []*facts
	var dirty []*cellSet
	var which []int
	graph := &depGraph{sheets: map[string]int{}, names: map[string][]definedName{}, tables: map[string]tablePlace{}}
	for i, fa := range g.facts {
		if fa == nil {
			continue
		}
		hasF = hasF || fa.hasF
		graph.sheets[strings.ToLower(g.wb.sheets[i].name)] = len(which)
		for _, t := range g.tables[i] {
			graph.tables[strings.ToLower(t.name)] = tablePlace{len(which), t.ref}
		}
		facts, dirty, which = append(facts, fa), append(dirty, g.dirty[i]), append(which, i)
	}
	if !hasF {
		return
	}
	for _, n := range g.wb.names {
		low := strings.ToLower(n.name)
		graph.names[low] = append(graph.names[low], n)
	}
	graph.dirty = dirty
	changed, ok := graph.run(ctx, facts)
	if !ok {
		g.unsure = true
		return
	}
	for k, i := range which {
		g.stale[i] = g.stale[i].union(changed[k])
	}
}

// write lets every part follow.
func (g *following) write(ctx context.Context) error {
	plans, err := g.formulas(ctx)
	if err != nil {
		return err
	}
	if g.fo.shift != nil {
		g.dependants(ctx)
	}
	for i := range g.facts {
		if g.facts[i] != nil {
			if err := g.sheetPart(ctx, i, plans[i]); err != nil {
				return err
			}
			g.calc = g.calc || !g.stale[i].empty() || g.unsure && g.facts[i].hasF
		}
	}
	if err := g.others(ctx); err != nil {
		return err
	}
	if err := g.book(ctx); err != nil {
		return err
	}
	f := &finisher{plan: newPlan(g.wb, false), wb: g.wb, ed: g.ed, drop: g.moved}
	return f.dropCalcChain(ctx)
}

// sheetPart writes sheet i when anything changes in it.
func (g *following) sheetPart(ctx context.Context, i int, p sheetPlan) error {
	fa, s := g.facts[i], g.wb.sheets[i]
	home := strings.ToLower(s.name)
	w := &walk{fo: g.fo, home: home, elems: formulaElems, drop: g.drop}
	edits, err := w.run(fa.skel.doc)
	if err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", s.part, err)
	}
	pkg, part := g.wb.pkg, s.part
	if i == g.sheet && g.fo.shift != nil {
		e := &shiftEdit{fo: g.fo, home: home, expand: p.expand, stale: g.stale[i], allStale: g.unsure, inject: g.inject}
		e.head, e.tail = fa.skel.split(edits)
		g.moved = g.moved || fa.hasF
		g.ed.SetStream(part, func(w io.Writer) error { return moveRows(ctx, pkg, part, e, w) })
		return nil
	}
	if !p.changed && len(edits) == 0 && g.stale[i].empty() && !(g.unsure && fa.hasF) {
		return nil
	}
	at := g.fo.at(s.name)
	e := &sheetEdit{part: part, exists: map[ref]bool{}, rowExists: map[int]bool{}, expand: p.expand, selfData: fa.selfData, stale: g.stale[i], allStale: g.unsure}
	e.rewrite = func(f string) (string, bool) { return g.fo.text(f, at) }
	e.head, e.tail = fa.skel.split(edits)
	g.ed.SetStream(part, func(w io.Writer) error { return spliceSheet(ctx, pkg, e, w) })
	return nil
}

// owners gives, for each part below a worksheet, the lower-case name of the
// sheet, found through relationships.
func (wb *workbook) owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range wb.sheets {
		if s.part == "" {
			continue
		}
		queue := []string{s.part}
		for len(queue) > 0 {
			rels, err := wb.pkg.Rels(ctx, queue[0])
			if err != nil {
				return nil, err
			}
			queue = queue[1:]
			for _, r := range rels {
				k := strings.ToLower(r.Target)
				if _, known := out[k]; r.External || known || !wb.pkg.Has(r.Target) {
					continue
				}
				out[k] = strings.ToLower(s.name)
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
	for _, part := range g.wb.pkg.Names() {
		if g.skip[strings.ToLower(part)] || !g.ed.Has(part) {
			continue
		}
		ct := g.wb.pkg.ContentType(part)
		home := owner[strings.ToLower(part)]
		if strings.HasSuffix(ct, ".vmlDrawing") {
			doc, err := g.wb.pkg.Read(ctx, part)
			if err != nil {
				return err
			}
			if now := g.fo.vml(doc, home); string(now) != string(doc) {
				g.ed.Set(part, now)
			}
			continue
		}
		elems, ok := followed(ct)
		if !ok {
			continue
		}
		doc, err := g.wb.pkg.ReadXML(ctx, part)
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
	w := &walk{fo: g.fo, home: home, elems: elems}
	for _, t := range g.tables[g.sheet] {
		if strings.EqualFold(t.part, part) {
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
	walkHead(doc, func(t xmlscan.Token) bool {
		if t.Local == "tableColumn" {
			n = max(n, atoi([]byte(t.AttrLocal("id"))))
		}
		return true
	})
	return n
}

// pivotSource follows the block a pivot cache was made from (18.10.1.95).
func (g *following) pivotSource(doc []byte) ([]xmlscan.Splice, error) {
	w := &walk{fo: g.fo, doc: doc}
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
	w := &walk{fo: g.fo, doc: g.wb.xml, edits: g.extra}
	prefix := ""
	calcAt, hasCalc, sheetN := 0, false, 0
	var names frame
	sc := xmlscan.New(g.wb.xml)
	for sc.Next() {
		t := sc.Token()
		if t.Depth == 2 && (t.Kind == xmlscan.End || t.Empty) {
			switch t.Local {
			case "sheets", "functionGroups", "externalReferences", "definedNames":
				calcAt = t.End
			}
			if t.Local == "definedNames" && names.gone > 0 && names.gone == names.kids {
				w.remove(names.start, t.End, names.mark)
			}
		}
		if t.Kind != xmlscan.Start || t.Space != nsMain {
			continue
		}
		switch t.Local {
		case "workbook":
			if t.Prefix != "" {
				prefix = t.Prefix + ":"
			}
		case "sheet":
			if sheetN == g.sheet && g.fo.name != "" {
				for a := range t.Attrs() {
					if a.Name == "name" {
						w.put(a.ValStart, a.ValEnd, escapeAttrX(g.fo.name))
					}
				}
			}
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
			if v, _ := t.Attr("fullCalcOnLoad"); g.calc && !isTrue(v) {
				w.put(t.Start, t.End, string(editTag(t.Bytes(), ` fullCalcOnLoad="1"`, "fullCalcOnLoad")))
			}
		}
	}
	if err := sc.Err(); err != nil {
		return formats.Errorf(formats.CodeCorrupt, "%s: %w", g.wb.main, err)
	}
	if g.calc && !hasCalc && calcAt > 0 {
		w.put(calcAt, calcAt, "<"+prefix+`calcPr fullCalcOnLoad="1"/>`)
	}
	if len(w.edits) > 0 {
		g.ed.Set(g.wb.main, xmlscan.Apply(g.wb.xml, w.edits))
	}
	return nil
}

// definedName follows one name (18.2.5). A built-in one, such as a print area,
// goes with its cells: then the answer is true.
func (g *following) definedName(w *walk, t xmlscan.Token, end int) bool {
	if t.Empty {
		return false
	}
	p := standing{keep: true}
	if n, err := strconv.Atoi(t.AttrLocal("localSheetId")); err == nil && n >= 0 && n < len(g.wb.sheets) {
		p.sheet = strings.ToLower(g.wb.sheets[n].name)
	}
	from, to := t.End, endTagStart(w.doc, end)
	now, changed := g.fo.text(charData(w.doc[from:to]), p)
	if !changed {
		return false
	}
	if strings.HasPrefix(t.AttrLocal("name"), "_xlnm.") && strings.Contains(now, "#REF!") {
		var left []string
		for _, tok := range lexFormula(now) {
			if tok.kind == fRef {
				left = append(left, now[tok.start:tok.end])
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
