package docx

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// guard is why an edit in a stretch of a part may not last or was not meant to
// be made.
type guard uint8

const (
	inField  guard = iota // the result of a field: updating it writes it anew (17.16.2)
	inLocked              // a content control locked against editing (17.5.2.23)
	inBound               // a content control that shows data of the document (17.5.2.6)
)

// guarded is a stretch of a part with a guard.
type guarded struct {
	span
	why   guard
	field string // its name, such as TOC
	head  int    // where the run of its beginning stands, or the simple field
}

// splice changes a part and notes what an answer must say of the places.
func (e *editing) splice(p *part, splices ...xmlscan.Splice) {
	for _, g := range p.guards(splices) {
		if e.met == nil {
			e.met = map[guarded]bool{}
		}
		e.met[guarded{why: g.why, field: g.field}] = true
		if g.why == inBound {
			e.noteBound(p)
		}
	}
	e.document.splice(p, splices...)
}

// noteBound remembers the texts of bound controls before the first edit.
func (e *editing) noteBound(p *part) {
	if e.rev != nil {
		e.boundTracked = true
	}
	if e.boundBefore == nil {
		e.boundBefore = map[string]map[binding]string{}
	}
	if e.boundBefore[p.name] == nil {
		e.boundBefore[p.name] = boundTexts(p.doc)
	}
}

// caveats returns the warnings about the places that the present operation
// edited.
func (e *editing) caveats() []string {
	var fields, out []string
	locked := false
	for g := range e.met {
		switch g.why {
		case inField:
			fields = append(fields, g.field)
		case inLocked:
			locked = true
		}
	}
	e.met = nil
	if len(fields) > 0 {
		slices.Sort(fields)
		out = append(out, fmt.Sprintf("some of this is in the result of a field (%s); what was done there goes when the field is updated", strings.Join(fields, ", ")))
	}
	if locked {
		out = append(out, "some of this is in a content control that is locked against editing; it was edited all the same")
	}
	return out
}

// writeBoundTexts puts new texts of bound controls where applications take them
// from. Where that cannot be done, it warns: they show the old text again.
func (e *editing) writeBoundTexts(ctx context.Context) (warnings []string, err error) {
	r := &replacement{document: e.document, bound: map[binding][2]string{}}
	for name, before := range e.boundBefore {
		doc, err := e.ed.ReadXML(ctx, name)
		if err != nil {
			return nil, err
		}
		for by, now := range boundTexts(doc) {
			if was, ok := before[by]; ok && was != now {
				r.bound[by] = [2]string{was, now}
			}
		}
	}
	if len(r.bound) == 0 {
		return nil, nil
	}
	left := len(r.bound)
	if !e.boundTracked {
		if left, err = r.writeBound(ctx); err != nil {
			return nil, err
		}
	}
	if left > 0 {
		return []string{fmt.Sprintf("%d content controls show data of the document that was not changed along; applications show the old text there again when they open it", left)}, nil
	}
	return nil, nil
}

// guards lists the guarded stretches in which splices fall.
func (p *part) guards(splices []xmlscan.Splice) []guarded {
	if len(splices) == 0 || p.word == "comments" || !bytes.Contains(p.doc, []byte("fld")) && !bytes.Contains(p.doc, []byte("sdtPr")) {
		return nil
	}
	all := guardedIn(p.doc)
	slices.SortStableFunc(all, func(a, b guarded) int { return a.start - b.start })
	sorted := slices.Clone(splices)
	slices.SortStableFunc(sorted, func(a, b xmlscan.Splice) int { return a.Start - b.Start })
	var out, open []guarded
	starts := map[int]bool{}
	for _, s := range sorted {
		starts[s.Start] = true
	}
	for _, s := range sorted {
		for len(all) > 0 && all[0].start <= s.Start {
			open, all = append(open, all[0]), all[1:]
		}
		open = slices.DeleteFunc(open, func(g guarded) bool { return g.end < s.Start })
		for _, g := range open {
			if s.End <= g.end && !(g.why == inField && starts[g.head]) { // else it is deleted as a whole
				out = append(out, g)
			}
		}
	}
	return out
}

// guardedIn lists the guarded stretches of a part.
func guardedIn(doc []byte) []guarded {
	r := guardReader{doc: doc}
	sc := xmlscan.New(doc)
	for sc.Next() {
		r.take(sc.Token())
	}
	return r.out
}

// guardReader gathers guarded stretches, element by element.
type guardReader struct {
	doc      []byte
	fields   []*guardField   // those that are open
	controls []*guardControl // those that are open
	instr    bool            // in the code of a field
	run      int             // where the last run begins
	out      []guarded
}

// guardField is a complex field (17.16.18) that is open.
type guardField struct {
	instr  strings.Builder
	head   int
	result int // where its result begins; 0: not yet
}

// guardControl is a content control that is open.
type guardControl struct {
	depth, start int
	why          []guard
}

func (r *guardReader) take(t xmlscan.Token) {
	if n := len(r.fields); t.Kind == xmlscan.Text && r.instr && n > 0 {
		r.fields[n-1].instr.Write(t.Bytes())
	}
	r.instr = t.Kind == xmlscan.Start && t.Is(nsW, "instrText") && !t.Empty
	switch {
	case t.Space != nsW:
	case t.Kind == xmlscan.End:
		r.endControl(t)
	case t.Kind == xmlscan.Start:
		r.start(t)
	}
}

func (r *guardReader) start(t xmlscan.Token) {
	switch t.Local {
	case "r":
		r.run = t.Start
	case "fldSimple":
		if name := generated(t.AttrLocal("instr")); !t.Empty && name != "" {
			r.out = append(r.out, guarded{span: span{t.End, simpleFieldEnd(r.doc, t)}, why: inField, field: name, head: t.Start})
		}
	case "fldChar":
		r.fieldChar(t)
	default:
		r.control(t)
	}
}

// fieldChar takes an edge of a complex field.
func (r *guardReader) fieldChar(t xmlscan.Token) {
	n := len(r.fields)
	switch kind := t.AttrLocal("fldCharType"); {
	case kind == "begin":
		r.fields = append(r.fields, &guardField{head: r.run})
	case kind == "separate" && n > 0:
		r.fields[n-1].result = t.End
	case kind == "end" && n > 0:
		f := r.fields[n-1]
		r.fields = r.fields[:n-1]
		if name := generated(f.instr.String()); name != "" && f.result > 0 {
			r.out = append(r.out, guarded{span: span{f.result, t.Start}, why: inField, field: name, head: f.head})
		}
	}
}

// control takes the beginning of a content control, of its content, or what
// guards it.
func (r *guardReader) control(t xmlscan.Token) {
	if t.Local == "sdt" && !t.Empty {
		r.controls = append(r.controls, &guardControl{depth: t.Depth})
		return
	}
	if len(r.controls) == 0 {
		return
	}
	top := r.controls[len(r.controls)-1]
	switch {
	case t.Local == "sdtContent":
		top.start = t.End
	case t.Local == "lock" && strings.HasSuffix(strings.ToLower(t.AttrLocal("val")), "contentlocked"):
		top.why = append(top.why, inLocked)
	case t.Local == "dataBinding":
		top.why = append(top.why, inBound)
	}
}

func (r *guardReader) endControl(t xmlscan.Token) {
	n := len(r.controls)
	if n == 0 {
		return
	}
	switch top := r.controls[n-1]; {
	case t.Local == "sdtContent" && t.Depth == top.depth+1:
		for _, why := range top.why {
			r.out = append(r.out, guarded{span: span{top.start, t.Start}, why: why})
		}
	case t.Local == "sdt" && t.Depth == top.depth:
		r.controls = r.controls[:n-1]
	}
}

// simpleFieldEnd returns where the content of a simple field ends; none holds
// another that is left open.
func simpleFieldEnd(doc []byte, t xmlscan.Token) int {
	closing := []byte("</" + strings.TrimPrefix(t.Prefix+":fldSimple>", ":"))
	if i := bytes.Index(doc[t.End:], closing); i >= 0 {
		return t.End + i
	}
	return t.End
}

// generated returns the name of a field whose result updating it writes anew,
// "" for links and for fields that people fill in.
func generated(instr string) string {
	m := fieldName.FindStringSubmatch(instr)
	if m == nil {
		return ""
	}
	switch name := strings.ToUpper(m[1]); name {
	case "HYPERLINK", "FORMTEXT", "MACROBUTTON", "GOTOBUTTON":
		return ""
	default:
		return name
	}
}

// notSearched says where a search would also find text that replace_text leaves
// alone: charts and diagrams, equations, tracked deletions.
func (e *editing) notSearched(ctx context.Context, find func(text string) (int, error)) (string, error) {
	parts, err := e.textParts(ctx)
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	for _, tp := range parts {
		doc, err := e.ed.ReadXML(ctx, tp.name)
		if err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		for what, texts := range leftTexts(doc, tp) {
			for _, t := range texts {
				n, err := find(t)
				if err != nil {
					return "", err
				}
				count[what] += n
			}
		}
	}
	var out []string
	for _, what := range []string{"equations", "charts", "diagrams", "tracked deletions"} {
		if n := count[what]; n > 0 {
			out = append(out, fmt.Sprintf("%d in %s", n, what))
		}
	}
	return strings.Join(out, ", "), nil
}

// leftTexts returns the texts of a part that replace_text does not change.
func leftTexts(doc []byte, tp textPart) map[string][]string {
	out := map[string][]string{}
	if tp.dialect == paragraph.Word && !bytes.Contains(doc, []byte("oMath")) && !bytes.Contains(doc, []byte("delText")) {
		return out
	}
	what, depth := "", 0 // of the text that is being gathered
	var sb strings.Builder
	in := false
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && what == "" && !t.Empty:
			switch {
			case t.Local == "oMath" && tp.word != "chart":
				what = "equations"
			case tp.word == "chart" && (t.Local == "p" || t.Local == "v"):
				what, in = "charts", t.Local == "v"
			case tp.word == "diagram" && t.Local == "p":
				what = "diagrams"
			case t.Is(nsW, "del") || t.Is(nsW, "moveFrom"):
				what = "tracked deletions"
			}
			depth = t.Depth
		case t.Kind == xmlscan.Start:
			in = what != "" && (t.Local == "t" || t.Local == "delText") && !t.Empty
		case t.Kind == xmlscan.Text && in:
			sb.WriteString(xmlscan.Unescape(t.Bytes()))
		case t.Kind == xmlscan.End:
			in = false
			if what != "" && t.Depth == depth {
				if sb.Len() > 0 {
					out[what] = append(out[what], sb.String())
				}
				what = ""
				sb.Reset()
			}
		}
	}
	return out
}

// lostWith returns what goes with a block besides its text, "" when nothing
// does.
func lostWith(xml []byte) string {
	what := describeContents(xml)
	notes, comments := 0, 0
	sc := xmlscan.New(xml)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start {
			switch t.Local {
			case "footnoteReference", "endnoteReference":
				notes++
			case "commentReference":
				comments++
			}
		}
	}
	list := []string{what}
	if notes > 0 {
		list = append(list, fmt.Sprintf("%d references to notes", notes))
	}
	if comments > 0 {
		list = append(list, fmt.Sprintf("%d comments", comments))
	}
	return strings.TrimPrefix(strings.Join(list, ", "), ", ")
}

// warnLost adds what went with deleted blocks to a report.
func warnLost(rep *formats.OpReport, xml []byte) {
	if lost := lostWith(xml); lost != "" {
		rep.Warnings = append(rep.Warnings, "with it went "+lost)
	}
}
