package docx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats/docx/internal/audit"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

// fieldScan is a field that is open.
type fieldScan struct {
	instr, result strings.Builder
	para          int  // index of the paragraph in which it begins, -1 outside
	shows         bool // the result has begun
	toc           bool
}

// auditScan goes through a part for what is inside paragraphs.
type auditScan struct {
	*auditReader
	*part
	rels    map[string]opc.Relationship // by id
	next    int                         // node of the next paragraph
	open    []int                       // indexes of the paragraphs around, -1 for one that is not held
	fields  []*fieldScan
	simple  []int // depths of open fldSimple
	deleted int   // open tracked deletions
	instr   bool  // the next text is an instruction
	text    bool  // the next text is shown
}

// scan adds fields, links, bookmarks, references to notes, and tracked changes.
func (r *auditReader) scan(ctx context.Context, p *part) error {
	rels, err := r.ed.Rels(ctx, p.name)
	if err != nil {
		return err
	}
	s := auditScan{auditReader: r, part: p, rels: map[string]opc.Relationship{}}
	for _, rel := range rels {
		s.rels[rel.ID] = rel
	}
	sc := xmlscan.New(p.doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "Fallback" && t.Space == nsMC && s.repeats(t):
			s.skipTo(sc.Skip())
		case t.Kind == xmlscan.Start && t.Space == nsW:
			s.start(t)
		case t.Kind == xmlscan.End && t.Space == nsW:
			s.end(t)
		case t.Kind == xmlscan.Text || t.Kind == xmlscan.CData:
			s.chars(t)
		}
	}
	return corrupt(p.name, sc.Err())
}

// repeats reports whether what a Fallback has is also in a Choice before it.
func (s *auditScan) repeats(t xmlscan.Token) bool {
	i, _ := slices.BinarySearchFunc(s.nodes, t.Start, func(n *node, at int) int { return n.start - at })
	return i >= len(s.nodes) || s.nodes[i].hidden
}

// skipTo passes over the paragraphs before an offset.
func (s *auditScan) skipTo(end int) {
	for s.next < len(s.nodes) && s.nodes[s.next].start < end {
		s.next++
	}
}

// at returns the index of the paragraph that is open, -1 when there is none.
func (s *auditScan) at() int {
	if len(s.open) == 0 {
		return -1
	}
	return s.open[len(s.open)-1]
}

func (s *auditScan) start(t xmlscan.Token) {
	switch t.Local {
	case "p":
		s.paragraphStart(t)
	case "del", "moveFrom":
		s.change()
		if !t.Empty {
			s.deleted++
		}
	case "ins", "moveTo":
		s.change()
	case "fldChar":
		s.fieldChar(t)
	case "fldSimple":
		f := &fieldScan{para: s.at(), shows: true}
		f.instr.WriteString(t.AttrLocal("instr"))
		f.begin()
		s.fields = append(s.fields, f)
		if t.Empty {
			s.endField()
		} else {
			s.simple = append(s.simple, t.Depth)
		}
	case "instrText":
		s.instr = !t.Empty
	case "t":
		s.text = !t.Empty
	case "hyperlink":
		s.link(t)
	case "bookmarkStart":
		if s.room(len(s.out.Bookmarks)) {
			s.out.Bookmarks[strings.ToLower(t.AttrLocal("name"))] = s.at()
		}
	case "footnoteReference", "endnoteReference":
		if !s.room(len(s.out.NoteRefs)) {
			return
		}
		s.out.NoteRefs = append(s.out.NoteRefs, audit.NoteRef{Para: s.at(), ID: t.AttrLocal("id"), Word: strings.TrimSuffix(t.Local, "Reference")})
	default:
		if strings.HasSuffix(t.Local, "PrChange") {
			s.change()
		}
	}
}

// room reports whether a list has room for one more, and notes where it has not.
func (s *auditScan) room(have int) bool {
	if have >= auditParas {
		s.full = true
	}
	return have < auditParas
}

// paragraphStart opens a paragraph, and marks an entry of a table of contents.
func (s *auditScan) paragraphStart(t xmlscan.Token) {
	s.skipTo(t.Start)
	at := -1
	if s.next < len(s.nodes) && s.nodes[s.next].start == t.Start {
		if i, ok := s.index[s.nodes[s.next]]; ok {
			at = i
		}
		s.next++
	}
	if at >= 0 {
		p := &s.out.Paras[at]
		p.TOC = strings.HasPrefix(p.Style, "toc ") || slices.ContainsFunc(s.fields, func(f *fieldScan) bool { return f.toc && f.shows })
	}
	if !t.Empty {
		s.open = append(s.open, at)
	}
}

func (s *auditScan) end(t xmlscan.Token) {
	switch t.Local {
	case "p":
		if len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	case "del", "moveFrom":
		s.deleted = max(0, s.deleted-1)
	case "fldSimple":
		if n := len(s.simple); n > 0 && s.simple[n-1] == t.Depth {
			s.simple = s.simple[:n-1]
			s.endField()
		}
	case "instrText":
		s.instr = false
	case "t":
		s.text = false
	}
}

// chars takes text into the fields that are open.
func (s *auditScan) chars(t xmlscan.Token) {
	if s.deleted > 0 || len(s.fields) == 0 || !s.instr && !s.text {
		return
	}
	text := xmlscan.Unescape(t.Bytes())
	if s.instr {
		if f := s.fields[len(s.fields)-1]; !f.shows && f.instr.Len() < maxResult {
			f.instr.WriteString(text)
		}
		return
	}
	for _, f := range s.fields[max(0, len(s.fields)-8):] {
		if f.shows && f.result.Len() < maxResult {
			f.result.WriteString(text)
		}
	}
}

// fieldChar takes the start, middle or end of a field (17.16.18).
func (s *auditScan) fieldChar(t xmlscan.Token) {
	if s.deleted > 0 {
		return
	}
	switch t.AttrLocal("fldCharType") {
	case "begin":
		s.fields = append(s.fields, &fieldScan{para: s.at()})
	case "separate":
		if n := len(s.fields); n > 0 {
			s.fields[n-1].shows = true
			s.fields[n-1].begin()
			if i := s.at(); i >= 0 && s.fields[n-1].toc {
				s.out.Paras[i].TOC = true
			}
		}
	case "end":
		s.endField()
	}
}

// begin looks at the instruction once it is whole.
func (f *fieldScan) begin() {
	f.toc = fieldNamed(f.instr.String(), "TOC")
}

func fieldNamed(instr, name string) bool {
	w := strings.Fields(instr)
	return len(w) > 0 && strings.EqualFold(w[0], name)
}

func (s *auditScan) endField() {
	n := len(s.fields)
	if n == 0 {
		return
	}
	f := s.fields[n-1]
	s.fields = s.fields[:n-1]
	instr := f.instr.String()
	if fieldNamed(instr, "SEQ") && f.para >= 0 {
		s.out.Paras[f.para].Seq = true
	}
	switch {
	case fieldNamed(instr, "PAGE"), fieldNamed(instr, "SEQ"), fieldNamed(instr, "NUMPAGES"): // many, and no target
	case s.room(len(s.out.Fields)):
		s.out.Fields = append(s.out.Fields, audit.Field{Para: f.para, Instr: instr, Result: f.result.String()})
	}
}

// link takes a hyperlink (17.16.22).
func (s *auditScan) link(t xmlscan.Token) {
	if !s.room(len(s.out.Links)) {
		return
	}
	id, anchor := "", t.AttrLocal("anchor")
	for a := range t.Attrs() {
		if strings.HasSuffix(a.Name, ":id") {
			id = a.Value()
		}
	}
	if id == "" {
		if anchor != "" {
			s.out.Links = append(s.out.Links, audit.Link{Para: s.at(), Anchor: anchor})
		}
		return
	}
	rel, ok := s.rels[id]
	switch {
	case !ok:
		s.out.Links = append(s.out.Links, audit.Link{Para: s.at()})
	case strings.HasPrefix(rel.Target, "#") && len(rel.Target) > 1 && rel.External:
		s.out.Links = append(s.out.Links, audit.Link{Para: s.at(), Anchor: rel.Target[1:]})
	}
}

// change counts a tracked change of the paragraph that is open.
func (s *auditScan) change() {
	i := s.at()
	if n := len(s.out.Changes); n > 0 && s.out.Changes[n-1].Para == i {
		s.out.Changes[n-1].Count++
		return
	}
	s.out.Changes = append(s.out.Changes, audit.Change{Para: i, Count: 1})
}
