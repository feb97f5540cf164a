package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// specs returns the paragraphs an operation gives.
func (c contentArgs) specs(layout Layout, font Font) ([]Paragraph, error) {
	single := c.Text != nil || len(c.Runs) > 0
	switch {
	case single && len(c.Paragraphs) > 0:
		return nil, formats.Errorf(formats.CodeInvalid, "give text or paragraphs, not both")
	case single:
		return []Paragraph{{Text: c.Text, Runs: c.Runs, Layout: layout, Font: font}}, nil
	case len(c.Paragraphs) > 0:
		specs := slices.Clone(c.Paragraphs)
		for i, s := range specs {
			specs[i].Layout, specs[i].Font = s.Layout.over(layout), s.Font.over(font)
		}
		return specs, nil
	}
	return nil, formats.Errorf(formats.CodeInvalid, "text is required (or runs, or paragraphs)")
}

// bodyEnd returns where the body's content ends: before the properties of the
// last section (17.6.17).
func bodyEnd(p *part) int {
	body := p.stories[0]
	end := body.innerEnd
	sc := xmlscan.New(p.doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 3 && t.Is(nsW, "sectPr") {
			end = t.Start
		}
	}
	return end
}

func (d *document) body(ctx context.Context) (*part, error) {
	p, err := d.load(ctx, textPart{name: d.main, dialect: paragraph.Word})
	if err == nil && len(p.stories) == 0 {
		err = formats.Errorf(formats.CodeCorrupt, "%s has no body", p.name)
	}
	return p, err
}

// put replaces content of a story that may be written as an empty element.
func (e *editing) put(p *part, story *node, start, end int, content string) {
	s := xmlscan.Splice{Start: start, End: end, New: []byte(content)}
	if story.empty {
		tag := strings.TrimSuffix(string(p.doc[story.start:story.end]), "/>")
		name := strings.Fields(tag[1:])[0]
		s = xmlscan.Splice{Start: story.start, End: story.end, New: []byte(strings.TrimRight(tag, " ") + ">" + content + "</" + name + ">")}
	}
	e.splice(p, s)
}

// write makes paragraphs from specs that look like base.
func (e *editing) write(prefix string, specs []Paragraph, pPr, rPr string, rep *formats.OpReport) (string, error) {
	var sb strings.Builder
	for _, s := range specs {
		base, run := pPr, rPr
		if s.Style != "" {
			base, run = "", "" // a style brings its own look
		}
		xml, err := e.paragraphXML(prefix, s, base, run, rep)
		if err != nil {
			return "", err
		}
		sb.WriteString(xml)
	}
	return sb.String(), nil
}

// describeContents returns what a stretch of a part holds besides paragraphs.
func describeContents(xml []byte) string {
	var tables, drawings, sections, equations int
	sc := xmlscan.New(xml)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			switch t.Local { // the namespace is declared outside this stretch
			case "Fallback": // it repeats the drawing for older applications
				sc.Skip()
			case "tbl":
				tables++
			case "drawing", "pict", "object":
				drawings++
			case "oMath":
				equations++
			case "sectPr":
				sections++
			}
		}
	}
	var out []string
	for _, l := range []struct {
		n    int
		what string
	}{{tables, "tables"}, {drawings, "pictures or drawings"}, {equations, "equations"}, {sections, "section breaks"}} {
		if l.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", l.n, l.what))
		}
	}
	return strings.Join(out, ", ")
}

// nextAddress returns that of the block behind one.
func nextAddress(a string) string {
	i := strings.LastIndexFunc(a, func(r rune) bool { return r < '0' || r > '9' })
	return fmt.Sprintf("%s%d", a[:i+1], atoi(a[i+1:])+1)
}

// beside resolves where an insertion goes.
func (e *editing) beside(ctx context.Context, op besideArgs) (place, int, error) {
	pl, err := e.resolve(ctx, op.At)
	if err != nil {
		return pl, 0, err
	}
	if pl.kind == cellNode || pl.kind == rowNode || pl.kind == storyNode || pl.kind == boxNode {
		return pl, 0, formats.Errorf(formats.CodeInvalid, "%s is no paragraph or table to put something beside; use %s.p0", op.At, op.At)
	}
	switch strings.ToLower(op.Where) {
	case "", "after":
		return pl, pl.end, nil
	case "before":
		return pl, pl.start, nil
	}
	return pl, 0, formats.Errorf(formats.CodeInvalid, "where is %q; it is before or after", op.Where)
}

// lookOf returns the formatting that a paragraph beside a block takes over.
func (e *editing) lookOf(pl place) (pPr, rPr string) {
	if pl.kind != paraNode || e.styles.level(pl.style) >= 0 {
		return "", ""
	}
	return layoutOf(pl), cleanRun(pl.paras[pl.para].FirstProperties(), pl.prefix)
}

// cleanRun drops from run properties what belongs to one run alone.
func cleanRun(rPr, prefix string) string {
	p := runProps(rPr, prefix)
	p.Drop("rPrChange", "ins", "del", "moveFrom", "moveTo", "vanish", "webHidden")
	if s := p.Get("rStyle"); strings.Contains(strings.ToLower(s), "hyperlink") || strings.Contains(strings.ToLower(s), "reference") {
		p.Drop("rStyle", "color", "u", "vertAlign")
	}
	return p.Optional()
}

// setParagraphArgs are the members of set_paragraph.
type setParagraphArgs struct {
	atArgs
	textArgs
	Paragraphs []Paragraph `json:"paragraphs" usage:"-"` // refused: set_paragraph writes one
	Layout
	Font
	trackingArgs
}

// setParagraph makes a paragraph say something else. Text alone changes only
// what differs, so formatting, pictures and fields around it stay.
func (e *editing) setParagraph(ctx context.Context, op setParagraphArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return rep, err
	}
	if len(op.Paragraphs) > 0 {
		return rep, formats.Errorf(formats.CodeInvalid, "set_paragraph writes one paragraph: give text or runs; use insert_paragraph for more")
	}
	if op.Text == nil && len(op.Runs) == 0 && op.Layout.empty() && op.Font.empty() {
		return rep, formats.Errorf(formats.CodeInvalid, "text is required (or runs, or a style)")
	}
	if pl, err = e.relayout(ctx, op.At, pl, op.Layout, &rep); err != nil {
		return rep, err
	}
	splices, err := e.textSplices(pl, Paragraph{Text: op.Text, Runs: op.Runs, Layout: op.Layout, Font: op.Font}, &rep)
	if err != nil {
		return rep, err
	}
	e.splice(pl.part, splices...)
	if len(op.Runs) > 0 {
		return rep, nil
	}
	return rep, e.refont(ctx, op.At, op.Font)
}

// refont gives the whole text of a paragraph direct formatting, in a round of
// its own.
func (e *editing) refont(ctx context.Context, at string, f Font) error {
	if f.empty() {
		return nil
	}
	pl, err := e.want(ctx, at, paraNode)
	if err != nil {
		return err
	}
	splices, err := e.fontSplices(pl, f)
	if err != nil {
		return err
	}
	e.splice(pl.part, splices...)
	return nil
}

// fontSplices give the whole text of a paragraph direct formatting.
func (e *editing) fontSplices(pl place, f Font) (splices []xmlscan.Splice, err error) {
	para := pl.paras[pl.para]
	splices = para.Restyle([]paragraph.Range{{Start: 0, End: len(para.Text())}}, func(rPr string) string {
		now, bad := f.apply(rPr, pl.prefix)
		if bad != nil {
			err = bad
		}
		if e.rev != nil {
			now = trackFormat(rPr, now, pl.prefix, e.rev)
		}
		return now
	})
	return splices, err
}

// relayout changes the layout of a paragraph in a round of its own, and finds
// the paragraph again.
func (e *editing) relayout(ctx context.Context, at string, pl place, l Layout, rep *formats.OpReport) (place, error) {
	splices, err := e.layoutSplices(pl, l, nil, rep)
	if err != nil || len(splices) == 0 {
		return pl, err
	}
	e.splice(pl.part, splices...)
	return e.want(ctx, at, paraNode)
}

// textSplices make a paragraph say spec.
func (e *editing) textSplices(pl place, spec Paragraph, rep *formats.OpReport) ([]xmlscan.Splice, error) {
	para := pl.paras[pl.para]
	if splices, done := e.aroundEquations(pl, spec, rep); done {
		return splices, nil
	}
	if len(spec.Runs) > 0 {
		runs, err := runsXML(pl.prefix, spec, cleanRun(para.FirstProperties(), pl.prefix))
		if err != nil {
			return nil, err
		}
		if e.rev != nil && runs != "" {
			runs = "<" + pl.prefix + "ins" + e.rev.Attrs(pl.prefix) + ">" + runs + "</" + pl.prefix + "ins>"
		}
		return para.SetContent(runs, e.rev), nil
	}
	if spec.Text == nil || *spec.Text == para.Text() {
		return nil, nil
	}
	ranges := difference(para.Text(), *spec.Text)
	switch {
	case e.rev != nil:
		return para.Track(ranges, e.rev), nil
	case para.Text() == "":
		base := cleanRun(markProperties(pl), pl.prefix)
		runs, err := runsXML(pl.prefix, Paragraph{Text: spec.Text}, base)
		return para.SetContent(runs, nil), err
	}
	return para.Replace(anchored(para.Text(), ranges)), nil
}

// markProperties returns the run properties of the paragraph mark, which text
// typed into an empty paragraph takes.
func markProperties(pl place) string {
	if r := pl.paras[pl.para].FirstProperties(); r != "" {
		return r
	}
	return paraProps(pl.raw(pl.props), pl.prefix).Get("rPr")
}

// layoutSplices change a paragraph's properties; relist, when not nil, puts
// them in a list or takes them out of one.
func (e *editing) layoutSplices(pl place, l Layout, relist func(pPr string) string, rep *formats.OpReport) ([]xmlscan.Splice, error) {
	if l.empty() && relist == nil {
		return nil, nil
	}
	before := pl.raw(pl.props)
	now, err := e.pPr(before, pl.prefix, l, rep)
	if relist != nil {
		now = relist(now)
	}
	if err != nil || now == before {
		return nil, err
	}
	if e.rev != nil {
		now = trackLayout(before, now, pl.prefix, e.rev)
	}
	return propsSplice(pl, now), nil
}

// trackLayout records in paragraph properties what they were (17.13.5.29).
func trackLayout(before, now, prefix string, rev *paragraph.Revision) string {
	p := paraProps(now, prefix)
	if p.Get("pPrChange") != "" {
		return now
	}
	old := paraProps(before, prefix)
	old.Drop("rPr", "sectPr", "pPrChange")
	was := old.Optional()
	if was == "" {
		was = "<" + prefix + "pPr/>"
	}
	p.Set("pPrChange", "<"+prefix+"pPrChange"+rev.Attrs(prefix)+">"+was+"</"+prefix+"pPrChange>")
	return p.Optional()
}

// propsSplice writes the properties of a block that may have none yet.
func propsSplice(pl place, now string) []xmlscan.Splice {
	if pl.props.end > 0 {
		return []xmlscan.Splice{{Start: pl.props.start, End: pl.props.end, New: []byte(now)}}
	}
	if pl.empty {
		tag := strings.TrimRight(strings.TrimSuffix(string(pl.doc[pl.start:pl.end]), "/>"), " ")
		name := strings.Fields(tag[1:])[0]
		return []xmlscan.Splice{{Start: pl.start, End: pl.end, New: []byte(tag + ">" + now + "</" + name + ">")}}
	}
	at := max(pl.inner, pl.before().end)
	return []xmlscan.Splice{{Start: at, End: at, New: []byte(now)}}
}

// formatParagraphArgs are the members of format_paragraph.
type formatParagraphArgs struct {
	severalArgs
	Layout
	List string `json:"list" jsonschema:"new paragraphs, format_paragraph: continue (the list beside it) or none; without it, a list comes only with a style or like"`
	Font
	trackingArgs
}

// formatParagraph changes style and direct formatting of paragraphs, and of
// their text where the operation says so.
func (e *editing) formatParagraph(ctx context.Context, op formatParagraphArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if op.Layout.empty() && op.Font.empty() && op.List == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "say how to format the paragraph: style, list, alignment, space_before, space_after, line_spacing, indent_left … or font members")
	}
	pl, run, err := e.several(ctx, op.severalArgs)
	if err != nil {
		return rep, err
	}
	relist, err := e.relist(ctx, pl.part, run, op.List, &rep)
	if err != nil {
		return rep, err
	}
	var splices []xmlscan.Splice
	for _, n := range run {
		rep.Hits++
		one := place{pl.part, n}
		s, err := e.layoutSplices(one, op.Layout, relist, &rep)
		if err != nil {
			return rep, err
		}
		splices = append(splices, s...)
		if op.Font.empty() {
			continue
		}
		if s, err = e.fontSplices(one, op.Font); err != nil {
			return rep, err
		}
		splices = append(splices, s...)
	}
	rep.Warnings = uniqueStrings(rep.Warnings)
	e.splice(pl.part, splices...)
	return rep, nil
}

func uniqueStrings(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// several returns the paragraphs from at on, in the same story or cell.
func (e *editing) several(ctx context.Context, op severalArgs) (place, []*node, error) {
	pl, err := e.want(ctx, op.At, paraNode)
	if err != nil {
		return pl, nil, err
	}
	n := 1
	if op.Count != nil {
		n = int(*op.Count)
	}
	if n < 1 {
		return pl, nil, formats.Errorf(formats.CodeInvalid, "count is %d; it must be 1 or more", n)
	}
	if pl.node.parent == nil {
		return pl, []*node{pl.node}, nil
	}
	all := pl.node.parent.kidsOf(paraNode)
	for i, k := range all {
		if k != pl.node {
			continue
		}
		if i+n > len(all) {
			return pl, nil, formats.Errorf(formats.CodeInvalid, "there are only %d paragraphs from %s on; count is %d", len(all)-i, op.At, n)
		}
		return pl, all[i : i+n], nil
	}
	return pl, nil, formats.Errorf(formats.CodeInvalid, "%s cannot be counted from", op.At)
}

// deleteParagraphArgs are the members of delete_paragraph.
type deleteParagraphArgs struct {
	severalArgs
	trackingArgs
}

// deleteParagraph removes paragraphs with all that is in them.
func (e *editing) deleteParagraph(ctx context.Context, op deleteParagraphArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	pl, run, err := e.several(ctx, op.severalArgs)
	if err != nil {
		return rep, err
	}
	rep.Hits = len(run)
	gone, next := 0, e.paragraphAfter(ctx, pl, run[len(run)-1].end)
	var splices []xmlscan.Splice
	for _, n := range run {
		one := place{pl.part, n}
		sect := paraProps(pl.raw(n.props), pl.prefix).Get("sectPr")
		switch {
		case e.rev != nil:
			splices = append(splices, e.trackDelete(pl.part, n)...)
		case sect != "" || e.lastOf(n, run):
			// A section's layout, or a cell or story, needs its paragraph: it
			// stays, without content.
			splices = append(splices, xmlscan.Splice{Start: n.start, End: n.end, New: []byte("<" + pl.prefix + "p>" + emptied(one) + "</" + pl.prefix + "p>")})
			warnLost(&rep, pl.doc[max(n.inner, n.props.end):n.innerEnd])
			if sect == "" {
				rep.Warnings = append(rep.Warnings, "what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays")
			}
			if sect != "" {
				rep.Warnings = append(rep.Warnings, "a section ends at that paragraph: its text is gone, the section break stays")
			}
		default:
			splices = append(splices, xmlscan.Splice{Start: n.start, End: n.end, New: []byte(strayMarks(pl.part, n))})
			gone++
			warnLost(&rep, pl.doc[n.start:n.end])
		}
	}
	rep.Warnings = uniqueStrings(rep.Warnings)
	rep.Moved = movedBy(next, -gone)
	e.splice(pl.part, splices...)
	return rep, nil
}

// paragraphAfter returns the address of the first paragraph from an offset on in what
// holds pl, "" when there is none.
func (e *editing) paragraphAfter(ctx context.Context, pl place, from int) string {
	if pl.parent == nil {
		return ""
	}
	for _, k := range pl.parent.kids {
		if k.kind == paraNode && k.start >= from {
			return e.addressOf(ctx, place{pl.part, k})
		}
	}
	return ""
}

// movedBy says where the paragraph of an address is after by paragraphs were put before
// it; "" when there is no such paragraph or it stays.
func movedBy(address string, by int) string {
	if address == "" || by == 0 {
		return ""
	}
	i := strings.LastIndexFunc(address, func(r rune) bool { return r < '0' || r > '9' })
	return fmt.Sprintf("the former %s is now %s%d, and so on", address, address[:i+1], atoi(address[i+1:])+by)
}

// emptied returns the properties of a paragraph whose content goes.
func emptied(pl place) string {
	p := paraProps(pl.raw(pl.props), pl.prefix)
	p.Drop("pPrChange")
	return p.Optional()
}

// lastOf reports whether n is the end of a story or cell and deleting run leaves
// that without a paragraph at its end, which it needs (17.4.65).
func (e *editing) lastOf(n *node, run []*node) bool {
	if n.parent == nil || len(n.parent.kids) == 0 || run[len(run)-1] != n || n.parent.kids[len(n.parent.kids)-1] != n {
		return false
	}
	gone := len(run)
	for _, k := range slices.Backward(n.parent.kids) {
		if gone > 0 && k == run[gone-1] {
			gone--
			continue
		}
		return k.kind == tableNode
	}
	return true
}

// strayMarks keeps the range marks of a paragraph that goes: the other end of
// a bookmark or comment may stand elsewhere.
func strayMarks(p *part, n *node) string {
	sc := xmlscan.New(p.doc[n.start:n.end])
	ends := map[string]string{} // kind+id → bytes
	var order []string
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		name, isStart := strings.CutSuffix(t.Local, "Start")
		if !isStart {
			var isEnd bool
			if name, isEnd = strings.CutSuffix(t.Local, "End"); !isEnd {
				continue
			}
		}
		switch name {
		case "bookmark", "commentRange", "perm", "moveFromRange", "moveToRange":
			key := name + t.AttrLocal("id")
			if _, both := ends[key]; both {
				delete(ends, key)
				continue
			}
			ends[key] = string(t.Bytes())
			order = append(order, key)
		}
	}
	var sb strings.Builder
	for _, k := range order {
		sb.WriteString(ends[k])
		delete(ends, k)
	}
	return sb.String()
}

// insertPageBreakArgs are the members of insert_page_break.
type insertPageBreakArgs struct {
	placeArgs
	trackingArgs
}

// insertPageBreak puts a page break before a paragraph, or at the end.
func (e *editing) insertPageBreak(ctx context.Context, op insertPageBreakArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	brk := func(prefix string) string {
		run := "<" + prefix + "r><" + prefix + "br " + prefix + `type="page"/></` + prefix + "r>"
		if e.rev == nil {
			return "<" + prefix + "p>" + run + "</" + prefix + "p>"
		}
		return "<" + prefix + "p>" + markParagraph("", prefix, "ins", e.rev) + "<" + prefix + "ins" + e.rev.Attrs(prefix) + ">" + run + "</" + prefix + "ins></" + prefix + "p>"
	}
	if op.At == "" {
		p, err := e.body(ctx)
		if err != nil {
			return rep, err
		}
		end := bodyEnd(p)
		e.put(p, p.stories[0], end, end, brk(p.prefix))
		return rep, nil
	}
	pl, at, err := e.beside(ctx, besideArgs(op.placeArgs))
	if err != nil {
		return rep, err
	}
	if pl.name != e.main {
		return rep, formats.Errorf(formats.CodeInvalid, "a page break can stand in the body only; %s is in %s", op.At, pl.what)
	}
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(brk(pl.prefix))})
	return rep, nil
}

// namespaceDecl declares a namespace on an element where the part may not have
// it bound, in the form the package uses.
func (e *editing) namespaceDecl(prefix, uri string) string {
	if e.strict {
		uri = xmlscan.Strict(uri)
	}
	return ` xmlns:` + prefix + `="` + uri + `"`
}

// nsR is the namespace of relationship ids.
const nsR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// addRelated adds a part that the document refers to.
func (e *editing) addRelated(ctx context.Context, pattern, rel, contentType, content string) (name, id string, err error) {
	if e.strict {
		content = strings.ReplaceAll(content, nsW, xmlscan.Strict(nsW))
		content = strings.ReplaceAll(content, nsR, xmlscan.Strict(nsR))
	}
	return e.ed.AddPart(ctx, e.main, pattern, opc.RelPrefix+rel, contentType, []byte(content))
}
