package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
)

// fieldResult is what a field shows.
type fieldResult struct {
	text  string
	dirty bool   // it may be wrong: an application updates it when it opens the document
	note  string // why, or what is to know
}

// tell says what a field shows.
func (r fieldResult) tell(rep *formats.OpReport) {
	rep.Notes = append(rep.Notes, fmt.Sprintf("shows %q", clip(r.text, 60)))
	if r.dirty {
		rep.Notes = append(rep.Notes, "the field is marked to be updated: Word does it on opening or with F9")
	}
	if r.note != "" {
		rep.Notes = append(rep.Notes, r.note)
	}
}

// resultOf returns what a field at an offset of a part shows (17.16.5).
func (e *editing) resultOf(ctx context.Context, in instruction, pl place, at int) (fieldResult, error) {
	var r fieldResult
	var err error
	switch in.name {
	case "DATE", "TIME", "SAVEDATE":
		r = e.dateResult(in)
	case "PAGE", "NUMPAGES", "SECTION", "SECTIONPAGES":
		r = fieldResult{text: "1", dirty: pl.word != "header" && pl.word != "footer", note: "applications show the number when they lay out the pages"}
	case "AUTHOR", "TITLE", "SUBJECT", "KEYWORDS", "COMMENTS", "LASTSAVEDBY":
		r, err = e.propertyResult(ctx, in.name)
	case "FILENAME":
		_, path := in.get(`\p`)
		r = fieldResult{text: e.file, dirty: path || e.file == ""}
	case "SEQ":
		if pl.name != e.main {
			r = fieldResult{text: "1", dirty: true}
		} else {
			r, err = e.sequenceResult(ctx, in, at)
		}
	case "STYLEREF":
		r, err = e.styleResult(ctx, in, pl, at)
	case "REF":
		r, err = e.bookmarkResult(ctx, in)
	case "MERGEFIELD":
		r = fieldResult{text: "«" + in.args[0] + "»"}
	case "QUOTE":
		r = fieldResult{text: strings.Join(in.args, " ")}
	case "IF":
		r = ifResult(in)
	case "=":
		r, err = e.formulaResult(ctx, in, pl)
	default:
		r = fieldResult{text: "?", dirty: true}
	}
	r.text = cased(in, r.text)
	return r, err
}

// cased applies the switches for letters (17.16.4.3).
func cased(in instruction, text string) string {
	for _, s := range in.switches {
		if s.name != `\*` {
			continue
		}
		switch strings.ToLower(s.arg) {
		case "upper":
			text = strings.ToUpper(text)
		case "lower":
			text = strings.ToLower(text)
		case "firstcap":
			if text != "" {
				r := []rune(text)
				text = strings.ToUpper(string(r[0])) + string(r[1:])
			}
		case "caps":
			words := strings.Split(text, " ")
			for i, w := range words {
				if r := []rune(w); len(r) > 0 {
					words[i] = strings.ToUpper(string(r[0])) + string(r[1:])
				}
			}
			text = strings.Join(words, " ")
		}
	}
	return text
}

func (e *editing) dateResult(in instruction) fieldResult {
	_, now := e.opt.Revisor()
	picture, ok := in.get(`\@`)
	r := fieldResult{note: "applications show the present date when they open or print the document"}
	switch {
	case !ok && in.name == "TIME":
		picture, r.dirty = "HH:mm", true
	case !ok:
		picture, r.dirty = "yyyy-MM-dd", true
	}
	if in.name == "SAVEDATE" {
		r.note = ""
	}
	if strings.Contains(picture, "MMM") || strings.Contains(picture, "ddd") {
		r.note = strings.TrimPrefix(r.note+"; names of months and days are English until then", "; ")
	}
	r.text = shownDate(now, picture)
	return r
}

// coreNames are the elements of document properties that fields show.
var coreNames = map[string]string{"AUTHOR": "creator", "TITLE": "title", "SUBJECT": "subject", "KEYWORDS": "keywords", "COMMENTS": "description", "LASTSAVEDBY": "lastModifiedBy"}

func (e *editing) propertyResult(ctx context.Context, name string) (fieldResult, error) {
	rels, err := e.ed.Rels(ctx, "")
	if err != nil {
		return fieldResult{}, err
	}
	for _, rel := range rels {
		if !strings.HasSuffix(rel.Type, "/core-properties") || rel.External || !e.ed.Has(rel.Target) {
			continue
		}
		doc, err := e.ed.ReadXML(ctx, rel.Target)
		if err != nil {
			return fieldResult{}, err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 && t.Local == coreNames[name] {
				if text := readElement(sc).plain(); text != "" {
					return fieldResult{text: text}, nil
				}
			}
		}
	}
	return fieldResult{text: "", note: "the document has no such property, so the field shows nothing"}, nil
}

// styleResult returns the text of the paragraph that a STYLEREF at an offset shows:
// the last one before it in the style, else the first behind it.
func (e *editing) styleResult(ctx context.Context, in instruction, pl place, at int) (fieldResult, error) {
	id, ok := e.styles.find(in.args[0])
	if n := atoi(in.args[0]); !ok && n >= 1 && n <= maxLevels {
		id, ok = e.styles.find(fmt.Sprintf("heading %d", n))
	}
	if !ok {
		return fieldResult{}, formats.Errorf(formats.CodeInvalid, "STYLEREF: the document has no paragraph style %q", clip(in.args[0], 60))
	}
	p, err := e.body(ctx)
	if err != nil {
		return fieldResult{}, err
	}
	label, err := e.listLabels(ctx)
	if err != nil {
		return fieldResult{}, err
	}
	var hit *node
	for _, n := range p.nodes {
		if n.style != id || n.hidden || n.gone || strings.TrimSpace(p.paras[n.para].Text()) == "" {
			continue
		}
		if hit != nil && (pl.name != e.main || n.start > at) {
			break
		}
		hit = n
	}
	r := fieldResult{dirty: pl.name != e.main}
	if r.dirty {
		r.note = "in a header or footer it follows the page"
	}
	if hit == nil {
		r.note = "no paragraph has that style yet"
		r.dirty = true
		return r, nil
	}
	r.text = p.paras[hit.para].Text()
	for _, s := range []string{`\n`, `\r`, `\w`} {
		if _, ok := in.get(s); ok {
			r.text = strings.TrimRight(label(p, hit), ".")
		}
	}
	return r, nil
}

// bookmarkResult returns what a REF shows: the text of a bookmark, or the number of
// its paragraph.
func (e *editing) bookmarkResult(ctx context.Context, in instruction) (fieldResult, error) {
	p, err := e.body(ctx)
	if err != nil {
		return fieldResult{}, err
	}
	at, id := span{}, ""
	sc := xmlscan.New(p.doc)
	for sc.Next() && at.end == 0 {
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start:
		case at.start == 0 && t.Is(nsW, "bookmarkStart") && strings.EqualFold(t.AttrLocal("name"), in.args[0]):
			at.start, id = t.Start, t.AttrLocal("id")
		case at.start > 0 && t.Is(nsW, "bookmarkEnd") && t.AttrLocal("id") == id:
			at.end = t.Start
		}
	}
	if at.start == 0 {
		return fieldResult{}, formats.Errorf(formats.CodeNotFound, "REF: the body has no bookmark %q; add_cross_reference makes a reference to a paragraph", clip(in.args[0], 60))
	}
	for _, s := range []string{`\n`, `\r`, `\w`} {
		if _, ok := in.get(s); !ok {
			continue
		}
		label, err := e.listLabels(ctx)
		if err != nil {
			return fieldResult{}, err
		}
		i, _ := slices.BinarySearchFunc(p.nodes, at.start, func(n *node, at int) int { return n.start - at })
		if i > 0 && p.nodes[i-1].end > at.start {
			i--
		}
		if i < len(p.nodes) {
			return fieldResult{text: strings.TrimRight(label(p, p.nodes[i]), ".")}, nil
		}
	}
	if at.end <= at.start {
		return fieldResult{text: "?", dirty: true}, nil
	}
	var sb strings.Builder
	for _, n := range p.nodes {
		if n.end > at.start && n.start < at.end && sb.Len() < 4096 {
			para := p.paras[n.para]
			text := para.Text()
			from, to := para.TextBefore(at.start), para.TextBefore(at.end)
			if sb.Len() > 0 {
				sb.WriteString(" ")
			}
			sb.WriteString(text[min(from, to):max(from, to)])
		}
	}
	return fieldResult{text: sb.String()}, nil
}

// ifResult evaluates an IF whose sides are written out (17.16.5.21).
func ifResult(in instruction) fieldResult {
	unknown := fieldResult{text: "?", dirty: true}
	a := in.args
	if len(a) == 1 || len(a) < 4 {
		return unknown
	}
	left, op, right, yes, no := a[0], a[1], a[2], a[3], ""
	if len(a) > 4 {
		no = a[4]
	}
	order := strings.Compare(left, right)
	x, okX := parseNumber(left, ".")
	y, okY := parseNumber(right, ".")
	if okX && okY {
		order = 0
		if x < y {
			order = -1
		} else if x > y {
			order = 1
		}
	}
	is, known := map[string]bool{"=": order == 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[op]
	switch {
	case !known || strings.ContainsAny(right, "*?"):
		return unknown
	case is:
		return fieldResult{text: yes}
	}
	return fieldResult{text: no}
}
