package xlsx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// groupArgs are the members of operations on outline groups.
type groupArgs struct {
	Action  string `json:"action" jsonschema:"{ops}: group (default, one level deeper), ungroup, collapse, expand"`
	Summary string `json:"summary" jsonschema:"{ops}: where the totals of groups are: below (default) or above rows, right (default) or left of columns"`
}

type groupRowsArgs struct {
	rowsArgs
	groupArgs
}

type groupColumnsArgs struct {
	columnsArgs
	groupArgs
}

// groupRows makes outline groups of rows, or dissolves, collapses or expands them
// (18.3.1.73).
func groupRows(ctx context.Context, e *structure, op groupRowsArgs) error {
	i, runs, err := e.grouped(op.Sheet, op.groupArgs, false, op.runs)
	if err != nil {
		return err
	}
	g := &following{structure: e, sheet: i, rw: &formula.Rewriter{}}
	if err := g.look(ctx); err != nil {
		return err
	}
	fa := g.facts[i]
	if fa == nil {
		return formats.Errorf(formats.CodeUnsupported, "the sheet %q has no cell data; it cannot be written to", e.wb.Sheets[i].Name)
	}
	o := &outline{above: op.Summary == "above" || op.Summary == "" && !summaryLast(fa.skel, false), lines: map[int]outlineLine{}, dirty: map[int]bool{}}
	exists, err := o.readRows(ctx, e.wb, e.wb.Sheets[i].Part)
	if err != nil {
		return err
	}
	w := &sheetWork{skel: fa.skel, prefix: fa.prefix, rep: &e.rep}
	if done, err := o.apply(w, e.wb.Sheets[i].Name, op.groupArgs, runs); err != nil || !done {
		return err
	}
	e.saidProtected(fa, i)
	block := cellref.Range{}
	for row := range o.dirty {
		fa.rowExists[row] = exists[row]
		if o.hides[row] {
			block.Add(row, 1)
			block.Add(row, cellref.MaxCol)
		}
	}
	if !block.Empty() {
		g.dirtySubtotals(block)
		g.dependants(ctx)
	}
	w.setOutlineLevel("outlineLevelRow", o.deepest())
	fa.skel, g.touched, g.lines = w.skel, w.changed, o.changed()
	return g.write(ctx)
}

// groupColumns does so with columns (18.3.1.13).
func (p *plan) groupColumns(_ context.Context, op groupColumnsArgs) (int, error) {
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if err := op.check(true); err != nil {
		return 0, err
	}
	runs, err := op.runs()
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		o := &outline{cols: true, above: op.Summary == "left" || op.Summary == "" && !summaryLast(w.skel, true), lines: map[int]outlineLine{}, dirty: map[int]bool{}}
		o.readColumns(w.skel)
		done, err := o.apply(w, s.name, op.groupArgs, runs)
		if err != nil || !done {
			return err
		}
		w.setOutlineLevel("outlineLevelCol", o.deepest())
		w.writeOutline(o.changed())
		return nil
	})
	return 0, nil
}

// check refuses unknown words.
func (op groupArgs) check(cols bool) error {
	words := map[bool][]string{false: {"", "below", "above"}, true: {"", "right", "left"}}[cols]
	switch {
	case !slices.Contains([]string{"", "group", "ungroup", "collapse", "expand"}, op.Action):
		return formats.Errorf(formats.CodeInvalid, "unknown action %s; use group, ungroup, collapse or expand", cellref.QuoteArg(op.Action))
	case !slices.Contains(words, op.Summary):
		return formats.Errorf(formats.CodeInvalid, "unknown summary %s; use %s", cellref.QuoteArg(op.Summary), strings.Join(words[1:], " or "))
	}
	return nil
}

// grouped finds the sheet and the rows of an operation.
func (e *structure) grouped(sheet string, op groupArgs, cols bool, places func() ([]lineRun, error)) (int, []lineRun, error) {
	i, err := e.worksheet(sheet)
	if err != nil {
		return 0, nil, err
	}
	if err := op.check(cols); err != nil {
		return 0, nil, err
	}
	runs, err := places()
	if err != nil {
		return 0, nil, err
	}
	n := 0
	for _, r := range runs {
		if n += r.to - r.from + 1; n > maxHidden {
			return 0, nil, formats.Errorf(formats.CodeTooLarge, "%d rows are too many to group at once; the limit is %d: name only the rows that hold something", n, maxHidden)
		}
	}
	return i, runs, nil
}

// apply does what the operation says and reports whether anything changed.
func (o *outline) apply(w *sheetWork, sheet string, op groupArgs, runs []lineRun) (bool, error) {
	names := make([]string, 0, len(runs))
	for _, r := range runs {
		names = append(names, runName(o.cols, r.from, r.to))
	}
	where := listed(names, len(names))
	switch op.Action {
	case "", "group":
		if err := o.group(runs); err != nil {
			return false, err
		}
		for _, g := range o.groupsIn(runs) {
			w.rep.Notes = append(w.rep.Notes, g.name(o.cols))
		}
		w.rep.Notes = w.rep.Notes[:min(len(w.rep.Notes), 20)]
	case "ungroup":
		if n := o.ungroup(runs); n > 0 {
			w.rep.Notes = append(w.rep.Notes, formats.Count(n, "collapsed group was", "collapsed groups were")+" shown first")
		}
	default:
		groups := o.groupsIn(runs)
		if len(groups) == 0 {
			return false, formats.Errorf(formats.CodeInvalid, "no group is in %s of sheet %q; make one first (action group)", where, sheet)
		}
		for _, g := range groups {
			if op.Action == "expand" {
				o.expand(g)
			} else {
				o.collapse(g)
			}
		}
	}
	o.hides = map[int]bool{}
	for i := range o.dirty {
		o.hides[i] = o.lines[i].hidden != o.was[i].hidden
	}
	changed := w.setSummary(o.cols, op.Summary)
	if len(o.dirty) == 0 && !changed {
		w.warn("%s of sheet %q is so already; nothing was changed", where, sheet)
		return false, nil
	}
	w.rep.Hits = max(len(o.dirty), 1)
	return true, nil
}

// name says what a group is: 3:5, level 2.
func (g outlineGroup) name(cols bool) string {
	return fmt.Sprintf("group %s, level %d", runName(cols, g.from, g.to), g.level)
}

// readRows reads what the rows of a sheet say of groups, and which of them the
// file has.
func (o *outline) readRows(ctx context.Context, wb *workbook, part string) (exists map[int]bool, err error) {
	exists = map[int]bool{}
	for s, err := range wb.Rows(ctx, part, book.Window{}) {
		if err != nil {
			return nil, err
		}
		if s.Event == sheetml.RowStart {
			exists[s.Row] = true
			o.note(s.Row, s.Row, s.Raw()[s.Start:])
		}
	}
	o.remember()
	return exists, nil
}

// readColumns reads what the columns of a sheet say of groups.
func (o *outline) readColumns(k sheetml.Skeleton) {
	cols, _, _ := sheetml.ReadColumns(k)
	for _, c := range cols {
		o.note(c.From, c.To, c.Tag)
	}
	o.remember()
}

// note takes in the tag of lines.
func (o *outline) note(from, to int, tag []byte) {
	l := outlineLine{hidden: sheetml.IsTrue(sheetml.AttrOf(tag, "hidden")), collapsed: sheetml.IsTrue(sheetml.AttrOf(tag, "collapsed"))}
	l.level = min(max(sheetml.Atoi([]byte(sheetml.AttrOf(tag, "outlineLevel"))), 0), maxOutline)
	for i := from; i <= to && l != (outlineLine{}); i++ {
		o.lines[i] = l
	}
}

// attrs are the attributes of a line.
func (l outlineLine) attrs() string {
	s := hiddenAttr(l.hidden)
	if l.level > 0 {
		s += ` outlineLevel="` + strconv.Itoa(l.level) + `"`
	}
	if l.collapsed {
		s += ` collapsed="1"`
	}
	return s
}

// outlineAttrs are the names of these attributes.
var outlineAttrs = []string{"hidden", "outlineLevel", "collapsed"}

// writeOutline writes the changed lines into the definitions of columns.
func (w *sheetWork) writeOutline(lines map[int]outlineLine) {
	var runs []lineRun
	for _, col := range slices.Sorted(maps.Keys(lines)) {
		if n := len(runs) - 1; n >= 0 && runs[n].to == col-1 && lines[runs[n].from] == lines[col] {
			runs[n].to = col
			continue
		}
		runs = append(runs, lineRun{col, col})
	}
	width := w.skel.DefaultWidth()
	w.edit(columnEdits(w.skel, runs, w.prefix, func(run int, tag []byte) []byte {
		attrs := lines[runs[run].from].attrs()
		switch {
		case tag != nil:
			return sheetml.EditTag(tag, attrs, outlineAttrs...)
		case attrs == "":
			return nil
		}
		return []byte("<" + w.prefix + `col width="` + width + `"` + attrs + "/>")
	})...)
}

// summaryLast reports whether summaries follow their groups (18.3.1.61), as they
// do unless the sheet says something else.
func summaryLast(k sheetml.Skeleton, cols bool) bool {
	for _, t := range k.Elements("outlinePr") {
		v, said := t.Attr(map[bool]string{false: "summaryBelow", true: "summaryRight"}[cols])
		return !said || sheetml.IsTrue(v)
	}
	return true
}

// sheetPrChildren has the children of sheetPr (18.3.1.82).
var sheetPrChildren = element.NewSchema("tabColor outlinePr pageSetUpPr")

// setSummary says where the summaries of groups stand, and reports whether that
// changes anything.
func (w *sheetWork) setSummary(cols bool, where string) bool {
	last := where == "below" || where == "right"
	if where == "" || last == summaryLast(w.skel, cols) {
		return false
	}
	attr := map[bool]string{false: "summaryBelow", true: "summaryRight"}[cols]
	add := ` ` + attr + `="0"`
	if last {
		add = ""
	}
	for _, t := range w.skel.Elements("outlinePr") {
		w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: sheetml.EditTag(t.Bytes(), add, attr)})
		return true
	}
	own := "<" + w.prefix + "outlinePr" + add + "/>"
	t, end, ok := w.child("sheetPr")
	switch {
	case !ok:
		w.insert("sheetPr", "<"+w.prefix+"sheetPr>"+own+"</"+w.prefix+"sheetPr>")
	case t.Empty:
		tag := t.Bytes()
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(string(tag[:len(tag)-2]) + ">" + own + "</" + w.prefix + "sheetPr>")})
	default:
		if edit, ok := element.Insert(w.skel.Doc[t.Start:end], sheetPrChildren, "outlinePr", own); ok {
			edit.Start, edit.End = edit.Start+t.Start, edit.End+t.Start
			w.edit(edit)
		}
	}
	return true
}

// setOutlineLevel says how deep the groups of a sheet are (18.3.1.81), from which
// Excel takes the room for their buttons.
func (w *sheetWork) setOutlineLevel(attr string, level int) {
	add := ""
	if level > 0 {
		add = ` ` + attr + `="` + strconv.Itoa(level) + `"`
	}
	if all := w.skel.Elements("sheetFormatPr"); len(all) > 0 {
		t := all[0]
		if now := t.AttrLocal(attr); now != strconv.Itoa(level) && (now != "" || level > 0) {
			w.edit(xmlscan.Splice{Start: t.Start, End: t.End, New: sheetml.EditTag(t.Bytes(), add, attr)})
		}
		return
	}
	if level > 0 {
		w.insert("sheetFormatPr", "<"+w.prefix+`sheetFormatPr defaultRowHeight="15"`+add+"/>")
	}
}
