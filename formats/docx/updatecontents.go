package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// updateContentsArgs are the members of update_contents.
type updateContentsArgs struct {
	At    string        `json:"at" usage:"at? (a paragraph of the table; default all tables of contents and of figures)"`
	Pages *lenient.Bool `json:"pages" usage:"pages?" jsonschema:"{ops}: page numbers from LibreOffice's layout, default true; false leaves those that are there"`
}

// maxTables bounds the tables of contents of a document.
const maxTables = 50

// contentsField is a TOC field (17.16.5.68) with its entries.
type contentsField struct {
	fieldAt
	in          instruction
	first, last *node // the paragraphs of its separator and its end
	entries     []*node
	headEnd     int  // behind the separator, in first
	tail        span // from its end on, in last; zero when last holds nothing else
}

// updateContents writes the entries of tables of contents and of figures anew:
// texts, numbers, levels, links and, where LibreOffice can tell them, page
// numbers. Entries that are right keep their bytes; new ones look like those of
// their level. It is not recorded as a tracked change.
func (e *editing) updateContents(ctx context.Context, op updateContentsArgs) (formats.OpReport, error) {
	rep := formats.OpReport{}
	if e.opt.TrackChanges {
		rep.Warnings = append(rep.Warnings, "tables of contents are updated without being recorded as a tracked change")
	}
	all, err := e.contentsFields(ctx)
	if err != nil {
		return rep, err
	}
	if len(all) == 0 {
		return rep, formats.Errorf(formats.CodeNotFound, "the body has no table of contents; add_table_of_contents makes one")
	}
	if op.At != "" {
		pl, err := e.want(ctx, op.At, paraNode)
		if err != nil {
			return rep, err
		}
		all = slices.DeleteFunc(all, func(f *contentsField) bool {
			return pl.name != e.main || pl.start < f.first.start || pl.end > f.last.end
		})
		if len(all) == 0 {
			return rep, formats.Errorf(formats.CodeInvalid, "%s is in no table of contents", op.At)
		}
	}
	marks := map[string]bool{}
	for i := range all { // each changes the offsets of the others
		now, err := e.contentsFields(ctx)
		if err != nil {
			return rep, err
		}
		f := now[slices.IndexFunc(now, func(g *contentsField) bool { return g.number() == all[i].number() })]
		if err := e.updateOne(ctx, f, marks, &rep); err != nil {
			if len(all) == 1 || ctx.Err() != nil {
				return rep, err
			}
			rep.Warnings = append(rep.Warnings, "not updated: "+err.Error())
		}
	}
	return rep, e.fillPages(ctx, op, marks, &rep)
}

// number identifies a table among those of the document while others change: its
// place in their order.
func (f *contentsField) number() int { return f.nested }

// contentsFields lists the tables of contents of the body; nested holds their
// place in the order.
func (e *editing) contentsFields(ctx context.Context) ([]*contentsField, error) {
	p, err := e.body(ctx)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(ctx, p.doc)
	if err != nil {
		return nil, corrupt(p.name, err)
	}
	var out []*contentsField
	for _, f := range fields {
		if f.simple || f.sep.end == 0 || !strings.EqualFold(firstWord(f.instr), "TOC") {
			continue
		}
		if len(out) == maxTables {
			return nil, formats.Errorf(formats.CodeTooLarge, "the document has more than %d tables of contents; name one with at", maxTables)
		}
		c := &contentsField{fieldAt: f, in: parseInstruction(f.instr)}
		c.nested = len(out)
		for _, n := range p.nodes {
			if n.start <= f.sep.start && f.sep.end <= n.end {
				c.first = n
			}
			if n.start <= f.end.start && f.end.end <= n.end {
				c.last = n
			}
		}
		if c.first != nil && c.last != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// check refuses tables that cannot be written here, and finds their entries.
func (f *contentsField) check(p *part, at string) error {
	cannot := func(why string) error {
		return formats.Errorf(formats.CodeUnsupported, "the table of contents at %s %s; update it in Word", at, why)
	}
	for name, what := range map[string]string{`\f`: "lists TC fields", `\b`: "lists a part of the document only", `\d`: "has chapter numbers", `\s`: "has chapter numbers"} {
		if _, ok := f.in.get(name); ok {
			return cannot(what)
		}
	}
	if f.first.parent != f.last.parent || f.first.parent == nil {
		return cannot("does not begin and end in one place")
	}
	for _, k := range f.first.parent.kids {
		if k.start < f.first.start || k.start > f.last.start {
			continue
		}
		if k.kind != paraNode {
			return cannot("holds a table")
		}
		f.entries = append(f.entries, k)
	}
	raw := p.doc[f.first.start:f.last.end]
	sc := xmlscan.New(raw)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && slices.Contains([]string{"ins", "del", "moveFrom", "moveTo", "sectPr", "drawing", "pict"}, t.Local) {
			return cannot(map[bool]string{true: "has tracked changes", false: "holds more than text"}[t.Local != "sectPr" && t.Local != "drawing" && t.Local != "pict"])
		}
	}
	f.headEnd = f.sep.end
	f.tail = span{f.end.start, f.last.innerEnd}
	if f.last != f.first && strings.TrimSpace(plainText(p.doc[f.last.inner:f.end.start])) == "" {
		f.entries = f.entries[:len(f.entries)-1] // it only holds the end
		f.tail = span{}
	}
	return nil
}

// picker returns which paragraphs a table lists, and with which level and text.
func (e *editing) picker(ctx context.Context, f *contentsField) (func(p *part, n *node) (int, string), error) {
	for _, name := range []string{`\c`, `\a`} {
		if id, ok := f.in.get(name); ok {
			p, err := e.body(ctx)
			if err != nil {
				return nil, err
			}
			return e.captions(ctx, p, id, name == `\a`)
		}
	}
	from, to := 0, 0
	if r, ok := f.in.get(`\o`); ok {
		if from, to = 1, 9; r != "" {
			if _, err := fmt.Sscanf(r, "%d-%d", &from, &to); err != nil {
				from, to = 1, 9
			}
		}
	}
	_, outlines := f.in.get(`\u`)
	styled := map[string]int{}
	if list, ok := f.in.get(`\t`); ok {
		words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' })
		for i := 0; i+1 < len(words); i += 2 {
			if id, ok := e.styles.find(strings.TrimSpace(words[i])); ok {
				styled[id] = max(1, atoi(strings.TrimSpace(words[i+1])))
			}
		}
	}
	v := &view{styles: e.styles}
	return func(p *part, n *node) (int, string) {
		if n.start >= f.first.start && n.end <= f.last.end {
			return 0, ""
		}
		text := oneSpaced(p.paras[n.para].Text())
		if level := styled[n.style]; level > 0 {
			return level, text
		}
		level := e.styles.level(n.style)
		if outlines {
			level = v.level(p, n)
		}
		if level < max(1, from) || to > 0 && level > to {
			return 0, ""
		}
		return level, text
	}, nil
}

// captions picks the paragraphs with a number of a sequence (17.16.5.56); bare
// leaves out the words and the number before the text.
func (e *editing) captions(ctx context.Context, p *part, id string, bare bool) (func(p *part, n *node) (int, string), error) {
	fields, err := fieldsOf(ctx, p.doc)
	if err != nil {
		return nil, corrupt(p.name, err)
	}
	ends := map[int]int{} // paragraph → end of its field
	for _, f := range fields {
		in := parseInstruction(f.instr)
		if in.name != "SEQ" || len(in.args) == 0 || !strings.EqualFold(in.args[0], id) {
			continue
		}
		i, ok := slices.BinarySearchFunc(p.nodes, f.all.start, func(n *node, at int) int { return n.start - at })
		if !ok {
			i--
		}
		if i >= 0 && f.all.end <= p.nodes[i].end {
			ends[p.nodes[i].start] = f.all.end
		}
	}
	before := p
	return func(p *part, n *node) (int, string) {
		end, ok := ends[n.start]
		if !ok || p != before {
			return 0, ""
		}
		text := p.paras[n.para].Text()
		if bare {
			text = strings.TrimLeft(text[p.paras[n.para].TextBefore(end):], " .:–-\t")
		}
		return 1, oneSpaced(text)
	}, nil
}

// updateOne writes the entries of one table.
func (e *editing) updateOne(ctx context.Context, f *contentsField, marks map[string]bool, rep *formats.OpReport) error {
	p, err := e.body(ctx)
	if err != nil {
		return err
	}
	at := e.addressOf(ctx, place{p, f.first})
	if err := f.check(p, at); err != nil {
		return err
	}
	pick, err := e.picker(ctx, f)
	if err != nil {
		return err
	}
	number := f.number()
	list, err := e.contentsEntries(ctx, pick)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return formats.Errorf(formats.CodeInvalid, "the table of contents at %s has nothing to list: the document has no such headings or captions", at)
	}
	_, figures := f.in.get(`\c`)
	if _, bare := f.in.get(`\a`); bare {
		figures = true
	}
	if err := e.contentsStyles(ctx, list, figures); err != nil {
		return err
	}
	all, err := e.contentsFields(ctx) // again, as bookmarks moved it
	if err != nil {
		return err
	}
	f = all[number]
	if p, err = e.body(ctx); err != nil {
		return err
	}
	if err := f.check(p, at); err != nil {
		return err
	}
	w, err := e.contentsWriter(ctx, p, f, figures)
	if err != nil {
		return err
	}
	xml := w.write(list)
	after := e.paragraphAfter(ctx, place{p, f.last}, f.last.end)
	lastEntry := f.entries[len(f.entries)-1]
	e.document.splice(p, xmlscan.Splice{Start: f.first.start, End: lastEntry.end, New: []byte(xml)})
	for _, n := range list {
		if w.paged(n.level) {
			marks[n.mark] = true
		}
	}
	rep.Hits += len(list)
	if by := len(list) - len(f.entries); rep.Moved == "" {
		rep.Moved = movedBy(after, by)
	}
	rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s", at, w.said(list)))
	return nil
}
