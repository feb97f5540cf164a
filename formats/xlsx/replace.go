package xlsx

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/tags"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// Replace writes a copy of src with the named segments replaced. What repeats a
// cell's text follows it: column names of tables (where two would be equal in
// one table the later one gets a number, as Excel does it), labels of charts,
// fields and items of pivot tables, filters, choices of lists, and texts in
// formulas that are all of a cell's text. Formulas that may depend on a changed
// cell lose their values and are calculated where opt asks for it.
func (segmenter) Replace(ctx context.Context, src formats.Source, dst io.Writer, named map[string]string, opt formats.ReplaceOptions) error {
	return replaceTargets(ctx, src, dst, &targets{named: named}, opt, &edit{src: src, orig: src, name: src.Name()})
}

// replaceTargets is Replace after the changes that e has made already.
func replaceTargets(ctx context.Context, src formats.Source, dst io.Writer, targets *targets, opt formats.ReplaceOptions, e *edit) error {
	wb, err := open(ctx, src)
	if err != nil {
		return err
	}
	if e.opt.Calculate = opt.Calculate; opt.Calculate {
		wb.former = &formerValues{lost: e.due}
	}
	ed := wb.Package.Edit()
	rep := &formats.Report{}
	if !targets.empty() {
		c, err := wb.collect(ctx)
		if err != nil {
			return book.Typed(err, src.Name())
		}
		r := &replacer{collector: c, lang: opt.Language, runs: map[*unit][]run{}, plain: map[*unit]string{}, shared: map[string]string{}, sharedIn: map[string]bool{}}
		defer r.written.Close() // the edit has been written when this returns
		if err := r.take(targets); err != nil {
			return err
		}
		if tabs := r.tabs(); len(tabs) > 0 {
			return book.Typed(r.renamed(ctx, dst, targets, tabs, opt, e), src.Name())
		}
		f := &finisher{plan: newPlan(wb, false), wb: wb, ed: ed, rw: &formula.Rewriter{}}
		if err := r.write(ctx, f); err != nil {
			return book.Typed(err, src.Name())
		}
		rep.Warnings = f.plan.report.Warnings
	}
	e.pass = &pass{wb: wb, ed: ed, rep: rep}
	return book.Typed(e.writeReplaced(ctx, dst, opt), src.Name())
}

// writeReplaced writes the workbook after the texts were replaced, with the values of
// formulas that depend on them.
func (e *edit) writeReplaced(ctx context.Context, dst io.Writer, opt formats.ReplaceOptions) error {
	defer e.close()
	wb := e.pass.wb
	e.former, e.rep.Warnings = wb.former, e.pass.rep.Warnings
	e.due = e.due || wb.due
	e.dropped.then(wb.dropped)
	if e.due && opt.Calculate {
		if err := e.calculateAfter(ctx); err != nil {
			return err
		}
	}
	if w := e.dropped.warning(); w != "" {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{w})
	}
	if e.rep.Calculated > 0 {
		if err := e.chartsFollow(ctx, e.orig); err != nil {
			return err
		}
	}
	if r := opt.Report; r != nil {
		r.Effects = append(r.Effects, e.rep.Effects...)
		r.Warnings = appendNew(r.Warnings, e.rep.Warnings)
		r.Calculated += e.rep.Calculated
	}
	return e.pass.ed.Write(ctx, dst)
}

// charset names the letters that a run's font was chosen for (18.4.1), which
// another language may not use.
var charset = lazyregexp.New(`<(?:\w+:)?charset\s[^>]*/>`)

type replacer struct {
	*collector
	lang    string           // of the targets, "" when unknown
	runs    map[*unit][]run  // of the units that change, texts with formatting
	written changedTexts     // contents and plain texts of the other shared strings that change
	plain   map[*unit]string // plain texts

	shared   map[string]string // tagged texts by ID, of the parts that package segment scans
	sharedIn map[string]bool   // the parts that have one
}

// follow is what cells that said text, and change, say now.
func (r *replacer) follow(text string) (string, bool) {
	i := r.cellWith(text)
	if i < 0 {
		return "", false
	}
	return r.now(i)
}

// cellsChange reports whether any cell gets another text.
func (r *replacer) cellsChange() bool {
	if r.written.size > 0 {
		return true
	}
	for u := range r.runs {
		if u.cell() {
			return true
		}
	}
	return false
}

// distinctHeaders numbers translated column names that would be equal.
func (r *replacer) distinctHeaders() {
	byTable := map[*book.Table]map[int]*unit{}
	for u, uses := range r.headers {
		if r.runs[u] == nil {
			continue
		}
		for _, h := range uses {
			if byTable[h.table] == nil {
				byTable[h.table] = map[int]*unit{}
			}
			byTable[h.table][h.column] = u
		}
	}
	for _, tables := range r.tables {
		for _, t := range tables {
			r.distinct(t, byTable[t])
		}
	}
}

// distinct makes the new names of a table's columns differ.
func (r *replacer) distinct(t *book.Table, renamed map[int]*unit) {
	if len(renamed) == 0 {
		return
	}
	taken := map[string]bool{}
	for i, c := range t.Columns {
		if renamed[i] == nil {
			taken[strings.ToLower(c.Name)] = true
		}
	}
	for i := range t.Columns {
		u := renamed[i]
		if u == nil {
			continue
		}
		name := plainOf(r.runs[u])
		for n := 2; taken[strings.ToLower(plainOf(r.runs[u]))]; n++ {
			r.runs[u] = []run{{text: fmt.Sprintf("%s%d", name, n)}}
		}
		taken[strings.ToLower(plainOf(r.runs[u]))] = true
	}
}

// write hands the changes to the finisher.
func (r *replacer) write(ctx context.Context, f *finisher) error {
	if len(r.runs)+len(r.plain)+len(r.shared) == 0 && r.written.size == 0 {
		return nil
	}
	splices := map[string][]xmlscan.Splice{}
	r.writeCells(f, splices)
	r.writePlain(f, splices)
	for _, e := range r.echoes {
		if now, ok := r.follow(e.text); ok {
			splices[e.part] = append(splices[e.part], xmlscan.Splice{Start: e.span.Start, End: e.span.End, New: []byte(sheetml.EscapeAttr(now))})
		}
	}
	for _, s := range r.standIns {
		if now, ok := r.standIn(s); ok {
			splices[s.part] = append(splices[s.part], xmlscan.Splice{Start: s.span.Start, End: s.span.End, New: []byte(s.rst.xml(now))})
		}
	}
	r.writeLists(f)
	r.around(f)
	r.filters(f)
	if err := r.writeParts(ctx, f, splices); err != nil {
		return err
	}
	if r.cellsChange() {
		f.rw.Texts = r.lowered
	}
	if err := r.pivots(ctx, f); err != nil {
		return err
	}
	if err := f.finish(ctx); err != nil {
		return err
	}
	if r.written.err != nil {
		return r.written.err
	}
	return f.signature(ctx)
}

// writeCells hands the texts with formatting to the finisher; those that are
// beside sheets go to splices by their part.
func (r *replacer) writeCells(f *finisher, splices map[string][]xmlscan.Splice) {
	special := map[int]string{}
	for u, runs := range r.runs {
		r.withoutCharset(runs)
		switch {
		case u.hf != "":
			s := f.sheets[u.sheet]
			if s.hf == nil {
				s.hf = map[string]string{}
			}
			s.hf[u.hf] = headerString(runs)
		case u.sst >= 0:
			special[u.sst] = u.rst.xml(runs)
		case u.sheet >= 0:
			f.sheets[u.sheet].set(u.at, value{kind: valRich, s: u.rst.xml(runs)})
		default:
			splices[u.part] = append(splices[u.part], xmlscan.Splice{Start: u.span.Start, End: u.span.End, New: []byte(u.rst.xml(runs))})
		}
	}
	r.writeStrings(f, special)
}

// writePlain does the same with the plain texts.
func (r *replacer) writePlain(f *finisher, splices map[string][]xmlscan.Splice) {
	for u, text := range r.plain {
		if u.list != nil {
			continue
		}
		e := xmlscan.Splice{Start: u.span.Start, End: u.span.End, New: []byte(u.write(text))}
		if u.skel {
			f.sheets[u.sheet].edits = append(f.sheets[u.sheet].edits, e)
		} else {
			splices[u.part] = append(splices[u.part], e)
		}
	}
}

// standIn puts the threaded comments that change into their stand-in, in which
// each has indented lines of its own.
func (r *replacer) standIn(s standIn) ([]run, bool) {
	now := map[string]string{}
	for u, text := range r.plain {
		if u.thread {
			now["    "+tags.Plain(u.seg.Text)] = "    " + text
		}
	}
	runs := slices.Clone(s.rst.runs)
	changed := false
	for i := range runs {
		lines := strings.Split(runs[i].text, "\n")
		for k, line := range lines {
			if text, ok := now[line]; ok {
				lines[k], changed = text, true
			}
		}
		runs[i].text = strings.Join(lines, "\n")
	}
	return runs, changed
}

// writeParts sets the parts beside sheets.
func (r *replacer) writeParts(ctx context.Context, f *finisher, splices map[string][]xmlscan.Splice) error {
	for part, edits := range splices {
		doc, err := f.wb.Package.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		if len(edits) > 0 {
			f.ed.Set(part, xmlscan.Apply(doc, edits))
		}
	}
	for _, l := range r.labels {
		if now, ok := r.follow(l.text); ok {
			r.shared[l.id], r.sharedIn[l.part] = tags.Escape(now), true
		}
	}
	if len(r.shared) > 0 {
		maps.Copy(r.sharedIn, r.repeating)
	}
	for part := range r.sharedIn {
		if err := r.writeShared(ctx, f, part); err != nil {
			return err
		}
	}
	return nil
}

// writeShared sets a part that package segment scans, with what the language
// needs.
func (r *replacer) writeShared(ctx context.Context, f *finisher, part string) error {
	doc, err := f.wb.Package.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	in := r.sharedParts[part]
	p, err := r.wb.scanShared(ctx, doc, part, in)
	if err != nil {
		return err
	}
	r.diagrams.Pair(p)
	now, err := p.Replace(r.shared)
	if err != nil || !now.Edited {
		return err
	}
	if r.lang != "" && len(now.Paras) > 0 {
		set := paragraph.Setting{Language: r.lang}
		if in.Kind == "textbox" { // its text is on the left by default
			set.Align = func(int) string { return "l" }
		}
		if now.Doc, err = paragraph.SetLanguage(now.Doc, func(i int) bool { return now.Paras[i] }, set); err != nil {
			return book.CorruptPart(err, part)
		}
	}
	f.ed.Set(part, now.Doc)
	return nil
}
