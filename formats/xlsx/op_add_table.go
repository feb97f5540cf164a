package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/stylesheet"
	"atelier/internal/lazyregexp"
)

const typeTable = "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"

type addTableArgs struct {
	rangeArgs
	Name       string `json:"name" jsonschema:"{ops}: its name"`
	TableStyle string `json:"table_style" jsonschema:"{ops}: none, or such as TableStyleMedium2"`
	headerArgs
}

// tableSpec is a table to make.
type tableSpec struct {
	area    cellref.Range
	name    string // "" for the next TableN
	style   string
	headers bool
}

var tableStyleName = lazyregexp.New(`^TableStyle(Light([1-9]|1\d|2[01])|Medium([1-9]|1\d|2[0-8])|Dark([1-9]|1[01]))$`)

func (p *plan) addTable(ctx context.Context, op addTableArgs) (int, error) {
	area, err := cellref.ParseRange(op.Range)
	if err != nil {
		return 0, err
	}
	spec := tableSpec{area: area, name: strings.TrimSpace(op.Name), style: op.TableStyle, headers: op.HasHeader == nil || bool(*op.HasHeader)}
	if spec.name != "" {
		if err := checkTableName(spec.name); err != nil {
			return 0, err
		}
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	if spec.area, err = p.trim(ctx, s, area); err != nil {
		return 0, err
	}
	if h := spec.area.R2 - spec.area.R1; spec.headers && h < 1 {
		return 0, formats.Errorf(formats.CodeInvalid, "the table %s needs a row below its header", spec.area)
	}
	cells := 0
	if spec.headers {
		if cells, err = p.textHeaders(ctx, s, spec.area); err != nil {
			return 0, err
		}
	}
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error { return w.addTable(ctx, spec) })
	return cells, nil
}

// trim cuts a block of whole columns or rows down to what it holds.
func (p *plan) trim(ctx context.Context, s *planSheet, area cellref.Range) (cellref.Range, error) {
	if area.R2 < cellref.MaxRow && area.C2 < cellref.MaxCol {
		return area, nil
	}
	used := cellref.Range{}
	if s.orig >= 0 {
		err := p.wb.eachCell(ctx, s.info.Part, area, func(at cellref.Cell, _ cellView) error { used.Add(at.Row, at.Col); return nil })
		if err != nil {
			return cellref.Range{}, err
		}
	}
	for _, at := range planned(s.cells, area) {
		used.Add(at.Row, at.Col)
	}
	if used.Empty() {
		return cellref.Range{}, formats.Errorf(formats.CodeInvalid, "the range %s is empty", area)
	}
	if area.R2 == cellref.MaxRow {
		area.R1, area.R2 = used.R1, used.R2
	}
	if area.C2 == cellref.MaxCol {
		area.C1, area.C2 = used.C1, used.C2
	}
	return area, nil
}

// textHeaders makes the header row of a table text, as Excel wants it
// (18.5.1.3): empty cells get a name, equal ones a number behind it.
func (p *plan) textHeaders(ctx context.Context, s *planSheet, area cellref.Range) (int, error) {
	head := map[cellref.Cell]cellView{}
	row := cellref.Block(area.R1, area.C1, area.R1, area.C2)
	s.heads = append(s.heads, row)
	if s.orig >= 0 {
		if err := p.wb.eachCell(ctx, s.info.Part, row, func(at cellref.Cell, v cellView) error { head[at] = v; return nil }); err != nil {
			return 0, err
		}
	}
	for _, at := range planned(s.cells, row) {
		head[at] = s.cells[at].view(stylesheet.NewFormats(false))
	}
	seen := map[string]bool{}
	var changed []string
	for c := area.C1; c <= area.C2; c++ {
		at := cellref.At(area.R1, c)
		v := head[at]
		text := v.text
		if v.kind != valText {
			text = v.shown
		}
		if strings.TrimSpace(text) == "" {
			text = fmt.Sprintf("Column%d", c-area.C1+1)
		}
		base := text
		for n := 2; seen[strings.ToLower(text)]; n++ {
			text = base + strconv.Itoa(n)
		}
		if sheetml.UTF16Len(text) > 255 {
			return 0, formats.Errorf(formats.CodeInvalid, "the header in %s has %d characters; a table allows at most 255", cellref.Name(at.Row, at.Col), sheetml.UTF16Len(text))
		}
		seen[strings.ToLower(text)] = true
		if v.kind != valText || v.formula || text != v.text {
			s.set(at, value{kind: valText, s: text})
			changed = append(changed, fmt.Sprintf("%s = %q", cellref.Name(at.Row, at.Col), text))
		}
	}
	if n := len(changed); n > 0 {
		p.warnOp("headers of a table must be different texts; these were set: %s", strings.Join(changed[:min(n, 10)], ", "))
	}
	return len(changed), nil
}

var tableName = lazyregexp.New(`^[\p{L}_\\][\p{L}\p{N}_.\\]*$`)

func checkTableName(name string) error {
	a := cellref.ParseEnd(name)
	switch {
	case sheetml.UTF16Len(name) > 255, !tableName.MatchString(name):
		return formats.Errorf(formats.CodeInvalid, "invalid table name %s: it begins with a letter and holds letters, digits and underscores", cellref.QuoteArg(name))
	case a.Kind == cellref.CellEnd, strings.EqualFold(name, "r"), strings.EqualFold(name, "c"), r1c1.MatchString(name):
		return formats.Errorf(formats.CodeInvalid, "invalid table name %s: it looks like a cell", cellref.QuoteArg(name))
	}
	return nil
}

var r1c1 = lazyregexp.New(`(?i)^r\d+c\d+$`)

// tableNames is what the workbook has of tables: names in lower case, taken by
// defined names too, and the highest id.
type tableNames struct {
	taken map[string]bool
	id    int
}

func (f *finisher) tableNames(ctx context.Context) (*tableNames, error) {
	if f.tabNames != nil {
		return f.tabNames, nil
	}
	n := &tableNames{taken: map[string]bool{}}
	for _, d := range f.wb.Names {
		n.taken[strings.ToLower(d.Name)] = true
	}
	for _, part := range f.wb.Package.Names() {
		if !strings.HasSuffix(f.wb.Package.ContentType(part), ".table+xml") || !f.ed.Has(part) {
			continue
		}
		doc, err := f.ed.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
			for _, a := range []string{"name", "displayName"} {
				v, _ := t.Attr(a)
				n.taken[strings.ToLower(v)] = true
			}
			id, _ := t.Attr("id")
			n.id = max(n.id, sheetml.Atoi([]byte(id)))
			return false // the root says it all
		})
	}
	f.tabNames = n
	return n, nil
}

// addTable makes a table part (18.5.1.2) and ties it to the sheet.
func (w *sheetWork) addTable(ctx context.Context, spec tableSpec) error {
	if err := w.freeOfObjects(ctx, spec.area); err != nil {
		return err
	}
	names, err := w.f.tableNames(ctx)
	if err != nil {
		return err
	}
	if spec.name == "" {
		for n := 1; spec.name == "" || names.taken[strings.ToLower(spec.name)]; n++ {
			spec.name = fmt.Sprintf("Table%d", n)
		}
	}
	if names.taken[strings.ToLower(spec.name)] {
		return formats.Errorf(formats.CodeInvalid, "the name %s is taken; give another", spec.name)
	}
	names.taken[strings.ToLower(spec.name)] = true
	names.id++
	if spec.style, err = w.tableStyle(ctx, spec.style); err != nil {
		return err
	}
	headers, err := w.headers(ctx, spec)
	if err != nil {
		return err
	}
	_, id, err := w.f.ed.AddPart(ctx, w.part, "xl/tables/table%d.xml", book.RelTable, typeTable, []byte(spec.xml(w.f.ns(sheetml.Namespace), names.id, headers)))
	if err != nil {
		return err
	}
	w.appendTo("tableParts", "<"+w.prefix+"tablePart"+w.relAttr(id)+"/>", true)
	w.rep.Hits, w.rep.Made = 1, fmt.Sprintf("table %s %s!%s", spec.name, w.sheet.name, spec.area)
	return nil
}

// freeOfObjects refuses a table where another table, a merged cell, a filter,
// an array or a pivot table stands.
func (w *sheetWork) freeOfObjects(ctx context.Context, area cellref.Range) error {
	refuse := func(what string, r cellref.Range) error {
		return formats.Errorf(formats.CodeInvalid, "the table %s would overlap %s %s", area, what, r)
	}
	tabs, err := w.tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		if t.Ref.Meets(area) {
			return refuse("the table "+t.Name, t.Ref)
		}
	}
	for _, m := range w.skel.Merges() {
		if m.Meets(area) {
			return refuse("the merged cell", m)
		}
	}
	for _, fc := range w.multiCellFormulas {
		if fc.Spill.Meets(area) && (fc.Spill.R2 > fc.Spill.R1 || fc.Spill.C2 > fc.Spill.C1) {
			return refuse("the array formula in", fc.Spill)
		}
	}
	if t, _, ok := w.child("autoFilter"); ok && cellref.ParseAttr(t.AttrLocal("ref")).Meets(area) {
		r := cellref.ParseAttr(t.AttrLocal("ref"))
		return formats.Errorf(formats.CodeInvalid, "the table %s would overlap the filter over %s; remove that first (op autofilter, remove:true)", area, r)
	}
	p, err := w.pivotIn(ctx, area)
	if err == nil && !p.Empty() {
		err = refuse("the pivot table in", p)
	}
	return err
}

// pivotIn returns where a pivot table of the sheet is that meets area; an empty
// range for none.
func (w *sheetWork) pivotIn(ctx context.Context, area cellref.Range) (cellref.Range, error) {
	if !w.f.ed.Has(opc.RelsName(w.part)) {
		return cellref.Range{}, nil
	}
	rels, err := w.f.ed.Rels(ctx, w.part)
	if err != nil {
		return cellref.Range{}, err
	}
	for _, r := range rels {
		if r.Type != book.RelPivot || r.External || !w.f.ed.Has(r.Target) {
			continue
		}
		doc, err := w.f.ed.ReadXML(ctx, r.Target)
		if err != nil {
			return cellref.Range{}, err
		}
		for _, t := range (sheetml.Skeleton{Doc: doc}).Elements("location") {
			if p := cellref.ParseAttr(t.AttrLocal("ref")); p.Meets(area) {
				return p, nil
			}
		}
	}
	return cellref.Range{}, nil
}

// tableStyle checks the name of a table style; "" is Excel's default one.
func (w *sheetWork) tableStyle(ctx context.Context, name string) (string, error) {
	switch {
	case name == "":
		return "TableStyleMedium2", nil
	case strings.EqualFold(name, "none"):
		return "", nil
	case tableStyleName.MatchString(name):
		return name, nil
	}
	b, err := w.f.styleBook(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range b.Lists["tableStyles"].Items {
		if sheetml.AttrOf(s, "name") == name {
			return name, nil
		}
	}
	return "", formats.Errorf(formats.CodeInvalid, "unknown table style %s; use none, TableStyleLight1 to 21, TableStyleMedium1 to 28, TableStyleDark1 to 11, or one of the workbook's own", cellref.QuoteArg(name))
}

// headers are the column names; a header cell that a later operation made
// something other than text becomes text again.
func (w *sheetWork) headers(ctx context.Context, spec tableSpec) ([]string, error) {
	names := make([]string, spec.area.C2-spec.area.C1+1)
	for i := range names {
		names[i] = fmt.Sprintf("Column%d", i+1)
	}
	if !spec.headers {
		return names, nil
	}
	seen := map[string]bool{}
	err := w.each(ctx, cellref.Block(spec.area.R1, spec.area.C1, spec.area.R1, spec.area.C2), func(at cellref.Cell, v cellView) error {
		i := at.Col - spec.area.C1
		if p, ok := w.sheet.cells[at]; ok && p.kind != valRich {
			text, err := headerText(p, i)
			if err != nil {
				return inCell(err, at)
			}
			w.sheet.cells[at] = value{kind: valText, s: text}
			v.text = text
		}
		names[i] = v.text
		if seen[strings.ToLower(v.text)] {
			return formats.Errorf(formats.CodeInvalid, "the table %s would have two columns named %q; header names must differ", spec.area, v.text)
		}
		seen[strings.ToLower(v.text)] = true
		return nil
	})
	return names, err
}

func (spec tableSpec) xml(ns string, id int, headers []string) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+`<table xmlns="%s" id="%d" name="%s" displayName="%[3]s" ref="%s"`, ns, id, sheetml.EscapeAttr(spec.name), spec.area)
	if !spec.headers {
		sb.WriteString(` headerRowCount="0"`)
	}
	sb.WriteString(` totalsRowShown="0">`)
	if spec.headers {
		fmt.Fprintf(&sb, `<autoFilter ref="%s"/>`, spec.area)
	}
	fmt.Fprintf(&sb, `<tableColumns count="%d">`, len(headers))
	for i, h := range headers {
		fmt.Fprintf(&sb, `<tableColumn id="%d" name="%s"/>`, i+1, sheetml.EscapeAttr(h))
	}
	sb.WriteString(`</tableColumns><tableStyleInfo`)
	if spec.style != "" {
		fmt.Fprintf(&sb, ` name="%s"`, sheetml.EscapeAttr(spec.style))
	}
	sb.WriteString(` showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/></table>`)
	return sb.String()
}
