package docx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// maxColumns is what Word allows in a table.
const maxColumns = 63

// addTableArgs are the members of add_table.
type addTableArgs struct {
	placeArgs
	Rows      [][]string   `json:"rows" usage:"rows" jsonschema:"{ops}: cells by row"`
	HeaderRow lenient.Bool `json:"header_row" jsonschema:"{ops}: the first row is repeated on each page"`
	Style     string       `json:"style" jsonschema:"{ops}: style of the table by name or id"`
	trackingArgs
}

// addTable puts a new table beside a block, or at the end of the body.
func (e *editing) addTable(ctx context.Context, op addTableArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: len(op.Rows)}
	cols := 0
	for _, r := range op.Rows {
		cols = max(cols, len(r))
	}
	if cols == 0 {
		return rep, formats.Errorf(formats.CodeInvalid, `rows is required: the texts of the cells by row, such as [["Item","Price"],["Tea","2"]]`)
	}
	if cols > maxColumns {
		return rep, formats.Errorf(formats.CodeInvalid, "a table has at most %d columns, not %d", maxColumns, cols)
	}
	rep.Cells = cols * len(op.Rows)
	p, err := e.body(ctx)
	if err != nil {
		return rep, err
	}
	at, pl := bodyEnd(p), place{p, p.stories[0]}
	kids := p.stories[0].kids
	if op.At != "" {
		if pl, at, err = e.beside(ctx, besideArgs(op.placeArgs)); err != nil {
			return rep, err
		}
		kids = pl.parent.kids
	}
	xml, err := e.tableXML(pl.part, op, cols, &rep)
	if err != nil {
		return rep, err
	}
	before, after, tables := blocksAround(kids, at)
	// Two tables that touch become one, and a story or cell ends in a paragraph.
	if before != nil && before.kind == tableNode {
		xml = e.emptyParagraph(pl.prefix) + xml
	}
	if after == nil || after.kind == tableNode {
		xml += e.emptyParagraph(pl.prefix)
	}
	rep.Made = fmt.Sprintf("t%d", tables)
	if op.At == "" {
		e.put(pl.part, p.stories[0], at, at, xml)
		return rep, nil
	}
	if a := e.addressOf(ctx, pl); strings.Contains(a, ".") {
		rep.Made = a[:strings.LastIndex(a, ".")+1] + rep.Made
	}
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(xml)})
	return rep, nil
}

// blocksAround returns the blocks before and after a position, nil for none, and
// how many tables are before it.
func blocksAround(kids []*node, at int) (before, after *node, tables int) {
	for _, k := range kids {
		switch {
		case k.end <= at:
			before = k
			if k.kind == tableNode {
				tables++
			}
		case after == nil && k.start >= at:
			after = k
		}
	}
	return before, after, tables
}

// emptyParagraph returns a new paragraph without content.
func (e *editing) emptyParagraph(prefix string) string {
	if e.rev == nil {
		return "<" + prefix + "p/>"
	}
	return "<" + prefix + "p>" + markParagraph("", prefix, "ins", e.rev) + "</" + prefix + "p>"
}

func (e *editing) tableXML(p *part, op addTableArgs, cols int, rep *formats.OpReport) (string, error) {
	w := p.prefix
	el := func(name, attrs string) string { return "<" + w + name + attrs + "/>" }
	at := func(name, val string) string { return " " + w + name + `="` + escape(val) + `"` }
	style, ok := e.tableStyle(op.Style, rep)
	width := e.textWidth(p)
	var sb strings.Builder
	sb.WriteString("<" + w + "tbl><" + w + "tblPr>")
	if ok {
		sb.WriteString(el("tblStyle", at("val", style)))
	}
	sb.WriteString(el("tblW", at("w", strconv.Itoa(width))+at("type", "dxa")))
	if !ok {
		sb.WriteString("<" + w + "tblBorders>")
		for _, name := range []string{"top", "left", "bottom", "right", "insideH", "insideV"} {
			sb.WriteString(el(side(name, e.strict), at("val", "single")+at("sz", "4")+at("space", "0")+at("color", "auto")))
		}
		sb.WriteString("</" + w + "tblBorders>")
	}
	if !e.strict {
		sb.WriteString(el("tblLook", at("val", "04A0")))
	}
	sb.WriteString("</" + w + "tblPr><" + w + "tblGrid>")
	col := strconv.Itoa(width / cols)
	for range cols {
		sb.WriteString(el("gridCol", at("w", col)))
	}
	sb.WriteString("</" + w + "tblGrid>")
	for i, r := range op.Rows {
		row, err := e.newRowXML(w, r, cols, col, i == 0 && bool(op.HeaderRow), rep)
		if err != nil {
			return "", err
		}
		sb.WriteString(row)
	}
	sb.WriteString("</" + w + "tbl>")
	return sb.String(), nil
}

// newRowXML returns a row of a new table with cells of a width; head is for one
// that is repeated on each page.
func (e *editing) newRowXML(w string, texts []string, cols int, width string, head bool, rep *formats.OpReport) (string, error) {
	trPr := ""
	if head {
		trPr = "<" + w + "tblHeader/>"
	}
	if e.rev != nil {
		trPr += "<" + w + "ins" + e.rev.Attrs(w) + "/>"
	}
	if trPr != "" {
		trPr = "<" + w + "trPr>" + trPr + "</" + w + "trPr>"
	}
	var sb strings.Builder
	sb.WriteString("<" + w + "tr>" + trPr)
	for c := range cols {
		text := ""
		if c < len(texts) {
			text = texts[c]
		}
		spec := Paragraph{Text: &text}
		if head {
			spec = Paragraph{Runs: []Run{{Text: text, Font: Font{Bold: looseBool(true)}}}}
		}
		para, err := e.paragraphXML(w, spec, "", "", rep)
		if err != nil {
			return "", err
		}
		sb.WriteString("<" + w + "tc><" + w + "tcPr><" + w + "tcW " + w + `w="` + width + `" ` + w + `type="dxa"/></` + w + "tcPr>" + para + "</" + w + "tc>")
	}
	return sb.String() + "</" + w + "tr>", nil
}

// tableStyle returns the style of a new table: the one that is wanted, else one
// that draws its lines; ok is false when the document has neither.
func (e *editing) tableStyle(want string, rep *formats.OpReport) (id string, ok bool) {
	if id, ok = e.styles.findKind("table", want); ok {
		return id, true
	}
	has := "plain borders"
	for _, usual := range []string{"Table List", "Table Grid"} {
		if id, ok = e.styles.findKind("table", usual); ok {
			has = e.styles.label(id)
			break
		}
	}
	if want != "" {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("the document has no table style %q; the table has %s", want, has))
	}
	return id, ok
}

// textWidth returns the space between the margins of the last section, in
// twips.
func (e *editing) textWidth(p *part) int {
	width, left, right := 11906, 1417, 1417
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Space != nsW {
			continue
		}
		switch t.Local {
		case "pgSz":
			if n := atoi(t.AttrLocal("w")); n > 0 {
				width = n
			}
		case "pgMar":
			if n := atoi(t.AttrLocal("left")); n >= 0 {
				left = n
			}
			if n := atoi(t.AttrLocal("right")); n >= 0 {
				right = n
			}
		}
	}
	return max(1440, width-left-right)
}

// setTableCellArgs are the members of set_table_cell.
type setTableCellArgs struct {
	At string `json:"at" usage:"at (t0.r1.c2)"`
	contentArgs
	Layout
	Font
	trackingArgs
}

// setTableCell makes a cell say something else; its look stays.
func (e *editing) setTableCell(ctx context.Context, op setTableCellArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Cells: 1}
	pl, err := e.want(ctx, op.At, cellNode)
	if err != nil {
		return rep, err
	}
	specs, err := op.specs(op.Layout, op.Font)
	if err != nil {
		return rep, err
	}
	paras := pl.kidsOf(paraNode)
	if len(paras) == 0 {
		return rep, formats.Errorf(formats.CodeUnsupported, "the cell has no paragraph of its own; set the paragraphs in it one by one")
	}
	at := e.addressOf(ctx, place{pl.part, paras[0]})
	first, err := e.relayout(ctx, at, place{pl.part, paras[0]}, specs[0].Layout, &rep)
	if err != nil {
		return rep, err
	}
	splices, err := e.cellSplices(place{first.part, first.parent}, specs, &rep)
	if err != nil {
		return rep, err
	}
	e.splice(first.part, splices...)
	if len(specs[0].Runs) > 0 {
		return rep, nil
	}
	return rep, e.refont(ctx, at, specs[0].Font)
}

// cellSplices make a cell hold the paragraphs of specs, the first of which is
// laid out already.
func (e *editing) cellSplices(pl place, specs []Paragraph, rep *formats.OpReport) ([]xmlscan.Splice, error) {
	paras := pl.kidsOf(paraNode)
	first := place{pl.part, paras[0]}
	splices, err := e.textSplices(first, specs[0], rep)
	if err != nil {
		return nil, err
	}
	pPr, rPr := e.lookOf(first)
	more, err := e.write(pl.prefix, specs[1:], pPr, rPr, rep)
	if err != nil {
		return nil, err
	}
	if more != "" {
		splices = append(splices, xmlscan.Splice{Start: first.end, End: first.end, New: []byte(more)})
	}
	for _, n := range paras[1:] {
		if e.rev != nil {
			splices = append(splices, e.trackDelete(pl.part, n)...)
			continue
		}
		if last := pl.kids[len(pl.kids)-1]; n == last && len(pl.kids) > len(paras) {
			// A table stands before it: the cell must end in a paragraph.
			splices = append(splices, xmlscan.Splice{Start: n.start, End: n.end, New: []byte("<" + pl.prefix + "p/>")})
			continue
		}
		splices = append(splices, xmlscan.Splice{Start: n.start, End: n.end, New: []byte(strayMarks(pl.part, n))})
	}
	return splices, nil
}

// table resolves an address to a table and, when it names one, a row.
func (e *editing) tableAt(ctx context.Context, at string) (table place, row int, err error) {
	pl, err := e.resolve(ctx, at)
	if err != nil {
		return pl, 0, err
	}
	row = -1
	for n := pl.node; n != nil; n = n.parent {
		if n.kind == rowNode && row < 0 && n.parent != nil {
			for i, r := range n.parent.kidsOf(rowNode) {
				if r == n {
					row = i
				}
			}
		}
		if n.kind == tableNode {
			return place{pl.part, n}, row, nil
		}
	}
	return pl, 0, formats.Errorf(formats.CodeInvalid, "%s is not in a table; give an address such as t0 or t0.r1", at)
}

// addTableRowArgs are the members of add_table_row.
type addTableRowArgs struct {
	At    string     `json:"at" usage:"at (t0 or t0.r1)"`
	Where string     `json:"where" jsonschema:"before or after at; default after"`
	Cells []string   `json:"cells" usage:"cells" jsonschema:"{ops}: texts"`
	Rows  [][]string `json:"rows" usage:"or rows" jsonschema:"{ops}: cells of several rows"`
	trackingArgs
}

// addTableRow adds rows that look like the one beside them.
func (e *editing) addTableRow(ctx context.Context, op addTableRowArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	pl, at, err := e.tableAt(ctx, op.At)
	if err != nil {
		return rep, err
	}
	rows := pl.kidsOf(rowNode)
	if len(rows) == 0 {
		return rep, formats.Errorf(formats.CodeUnsupported, "the table has no rows to take the look from")
	}
	if at < 0 {
		at = len(rows) - 1
	}
	texts := op.Rows
	if len(texts) == 0 {
		texts = [][]string{op.Cells}
	}
	pos, where := rows[at].end, at+1
	var below *node // the row that will stand behind the new ones
	switch strings.ToLower(op.Where) {
	case "", "after":
		if at+1 < len(rows) {
			below = rows[at+1]
		}
	case "before":
		pos, where, below = rows[at].start, at, rows[at]
	default:
		return rep, formats.Errorf(formats.CodeInvalid, "where is %q; it is before or after", op.Where)
	}
	var sb strings.Builder
	for _, cells := range texts {
		xml, err := e.rowXML(pl.part, rows[at], below, cells, &rep)
		if err != nil {
			return rep, err
		}
		rep.Cells += len(cells)
		sb.WriteString(xml)
	}
	rep.Hits = len(texts)
	rep.Made = fmt.Sprintf("%s.r%d", e.addressOf(ctx, pl), where)
	e.splice(pl.part, xmlscan.Splice{Start: pos, End: pos, New: []byte(sb.String())})
	return rep, nil
}

// rowXML returns a new row that looks like another.
func (e *editing) rowXML(p *part, like, below *node, texts []string, rep *formats.OpReport) (string, error) {
	cells := like.kidsOf(cellNode)
	if len(texts) > len(cells) {
		return "", formats.Errorf(formats.CodeInvalid, "the row has %d cells; %d texts were given", len(cells), len(texts))
	}
	w := p.prefix
	pr := rowProps(p.raw(like.props), w)
	pr.Drop("tblHeader", "ins", "del", "trPrChange")
	if e.rev != nil {
		pr.Set("ins", "<"+w+"ins"+e.rev.Attrs(w)+"/>")
	}
	var sb strings.Builder
	sb.WriteString("<" + w + "tr>" + pr.Optional())
	for i, c := range cells {
		text := ""
		if i < len(texts) {
			text = texts[i]
		}
		xml, err := e.cellXML(p, c, text, p.mergesInto(below, like, i), rep)
		if err != nil {
			return "", err
		}
		sb.WriteString(xml)
	}
	sb.WriteString("</" + w + "tr>")
	return sb.String(), nil
}

// mergesInto reports whether the cell of row below that stands under cell i of
// like goes on a vertical merge, which a row between them must then join.
func (p *part) mergesInto(below, like *node, i int) bool {
	if below == nil || below == like && !p.mergeGoesOn(like.kidsOf(cellNode)[i]) {
		return false
	}
	at := p.gridStart(like, i)
	for k, c := range below.kidsOf(cellNode) {
		if p.gridStart(below, k) == at {
			return p.mergeGoesOn(c)
		}
	}
	return false
}

// vMerge returns the vertical merge of a cell: "", "restart" or "continue"
// (17.4.84).
func (p *part) vMerge(c *node) string {
	xml := cellProps(p.raw(c.props), p.prefix).Get("vMerge")
	switch {
	case xml == "":
		return ""
	case strings.Contains(xml, "restart"):
		return "restart"
	}
	return "continue"
}

func (p *part) mergeGoesOn(c *node) bool { return p.vMerge(c) == "continue" }

// cellXML returns a new cell that looks like another.
func (e *editing) cellXML(p *part, like *node, text string, merged bool, rep *formats.OpReport) (string, error) {
	w := p.prefix
	pr := cellProps(p.raw(like.props), w)
	pr.Drop("vMerge", "hMerge", "cellIns", "cellDel", "cellMerge", "tcPrChange")
	if merged {
		pr.Set("vMerge", "<"+w+"vMerge/>")
	}
	pPr, rPr := "", ""
	if ps := like.kidsOf(paraNode); len(ps) > 0 {
		pl := place{p, ps[0]}
		pPr, rPr = e.lookOf(pl)
		if rPr == "" {
			rPr = cleanRun(markProperties(pl), w)
		}
	}
	para, err := e.paragraphXML(w, Paragraph{Text: &text}, pPr, rPr, rep)
	if err != nil {
		return "", err
	}
	return "<" + w + "tc>" + pr.Optional() + para + "</" + w + "tc>", nil
}

// deleteTableRowArgs are the members of delete_table_row.
type deleteTableRowArgs struct {
	At    string       `json:"at" usage:"at (t0.r1)"`
	Count *lenient.Int `json:"count" jsonschema:"how many from at on; default 1"`
	trackingArgs
}

// deleteTableRow removes rows. A cell merged from above into the rows that stay
// begins its merge there anew.
func (e *editing) deleteTableRow(ctx context.Context, op deleteTableRowArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	pl, at, err := e.tableAt(ctx, op.At)
	if err != nil {
		return rep, err
	}
	if at < 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "%s is a whole table; name a row such as %s.r1, or use delete_table", op.At, op.At)
	}
	rows := pl.kidsOf(rowNode)
	n := 1
	if op.Count != nil {
		n = int(*op.Count)
	}
	switch {
	case n < 1 || at+n > len(rows):
		return rep, formats.Errorf(formats.CodeInvalid, "there are %d rows from %s on; count is %d", len(rows)-at, op.At, n)
	case n == len(rows) && e.rev == nil:
		return rep, formats.Errorf(formats.CodeInvalid, "these are all rows of the table; use delete_table")
	}
	rep.Hits = n
	var splices []xmlscan.Splice
	for _, r := range rows[at : at+n] {
		if e.rev != nil {
			splices = append(splices, e.trackDelete(pl.part, r)...)
		} else {
			splices = append(splices, xmlscan.Splice{Start: r.start, End: r.end})
		}
	}
	if e.rev == nil && at+n < len(rows) {
		splices = append(splices, e.restartMerges(pl.part, rows[at:at+n], rows[at+n])...)
	}
	e.splice(pl.part, splices...)
	return rep, nil
}

// restartMerges begins in row the vertical merges that began in gone rows.
func (e *editing) restartMerges(p *part, gone []*node, row *node) []xmlscan.Splice {
	began := map[int]bool{}
	for _, r := range gone {
		for i, c := range r.kidsOf(cellNode) {
			if p.vMerge(c) == "restart" {
				began[p.gridStart(r, i)] = true
			}
		}
	}
	var out []xmlscan.Splice
	for i, c := range row.kidsOf(cellNode) {
		if began[p.gridStart(row, i)] && p.mergeGoesOn(c) {
			pr := cellProps(p.raw(c.props), p.prefix)
			setVal(pr, "vMerge", "restart")
			out = append(out, propsSplice(place{p, c}, pr.Optional())...)
		}
	}
	return out
}

// gridStart returns the grid column at which cell i of a row begins (17.4.17).
func (p *part) gridStart(row *node, i int) int {
	at := 0
	if xml := rowProps(p.raw(row.props), p.prefix).Get("gridBefore"); xml != "" {
		at = max(0, attrInt(xml, "val"))
	}
	for _, c := range row.kidsOf(cellNode)[:i] {
		at += c.span
	}
	return at
}

// attrText returns the value of an attribute of an element, "" when there is
// none.
func attrText(xml, name string) string {
	sc := xmlscan.New([]byte(xml))
	if !sc.Next() {
		return ""
	}
	return sc.Token().AttrLocal(name)
}

// attrInt returns a number among the attributes of an element, -1 when there is
// none.
func attrInt(xml, name string) int {
	sc := xmlscan.New([]byte(xml))
	if !sc.Next() {
		return -1
	}
	return atoi(sc.Token().AttrLocal(name))
}

// deleteTableArgs are the members of delete_table.
type deleteTableArgs struct {
	At string `json:"at" usage:"at (t0)"`
	trackingArgs
}

// deleteTable removes a table; what must end in a paragraph gets one.
func (e *editing) deleteTable(ctx context.Context, op deleteTableArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, _, err := e.tableAt(ctx, op.At)
	if err != nil {
		return rep, err
	}
	if e.rev != nil {
		e.splice(pl.part, e.trackDelete(pl.part, pl.node)...)
		return rep, nil
	}
	with := ""
	if len(pl.parent.kids) == 1 {
		with = "<" + pl.prefix + "p/>"
	}
	e.splice(pl.part, xmlscan.Splice{Start: pl.start, End: pl.end, New: []byte(with)})
	return rep, nil
}

// trackDelete records a block as deleted.
func (e *editing) trackDelete(p *part, n *node) []xmlscan.Splice {
	var out []xmlscan.Splice
	switch n.kind {
	case paraNode:
		pl := place{p, n}
		// Properties first: both may be put at the same place.
		out = append(propsSplice(pl, markParagraph(p.raw(n.props), p.prefix, "del", e.rev)), p.paras[n.para].TrackDelete(e.rev)...)
	case rowNode:
		pr := rowProps(p.raw(n.props), p.prefix)
		pr.Set("del", "<"+p.prefix+"del"+e.rev.Attrs(p.prefix)+"/>")
		out = propsSplice(place{p, n}, pr.Optional())
		fallthrough
	default:
		for _, k := range n.kids {
			out = append(out, e.trackDelete(p, k)...)
		}
	}
	return out
}
