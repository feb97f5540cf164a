package docx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// What a new paragraph looks like is said by the caller, or comes from plain
// text beside it; never from a list, heading or special style that happens to
// stand there.

// surroundings are where new paragraphs go.
type surroundings struct {
	look *place  // the block whose style and layout they take where it is plain text; nil: none
	near []place // where list "continue" looks for a list
}

// newParagraphs is the XML of paragraphs with where each took its look from.
type newParagraphs struct {
	xml     string
	origins []origin
	at      int // offset in the part where it was put
	moved   int // by how much that moved what stands behind
}

// origin says where a paragraph took its style, list and formatting from.
type origin struct {
	list    *source // the paragraph whose list it joined
	like    *source // the paragraph it is like
	layout  *source // the plain text beside it whose layout it has
	beside  *source // what stands beside it and was not taken
	untaken string  // what that is, in words
}

// source is a paragraph of the document before the operation.
type source struct {
	part    string
	start   int
	address string
}

func (e *editing) source(ctx context.Context, pl place) *source {
	return &source{pl.name, pl.start, e.addressOf(ctx, pl)}
}

// theOneBefore is the source of what goes on from a paragraph that the same
// operation wrote.
var theOneBefore = &source{address: "the paragraph before it"}

const (
	listContinue = "continue"
	listNone     = "none"
)

// newParagraphs writes the paragraphs of an operation. around is nil where
// nothing stands beside them.
func (e *editing) newParagraphs(ctx context.Context, p *part, lists listArgs, specs []Paragraph, around *surroundings, rep *formats.OpReport) (newParagraphs, error) {
	var out newParagraphs
	if around == nil {
		around = &surroundings{}
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return out, err
	}
	var sb strings.Builder
	l := looking{editing: e, nb: nb, part: p, surroundings: around}
	for _, s := range specs {
		if s.List == "" && s.Like == "" {
			s.List, s.Like = lists.List, lists.Like
		}
		pPr, rPr, from, err := l.lookFor(ctx, s)
		if err != nil {
			return out, err
		}
		if pPr, err = e.pPr(pPr, p.prefix, s.Layout, rep); err != nil {
			return out, err
		}
		if strings.EqualFold(s.List, listNone) {
			pPr = e.unlisted(nb, pPr, p.prefix)
		}
		l.written, l.joined = pPr, s.Style == "" && from.like == nil && from.list != nil && from.list != theOneBefore
		s.Layout = Layout{}
		xml, err := e.paragraphXML(p.prefix, s, pPr, rPr, rep)
		if err != nil {
			return out, err
		}
		sb.WriteString(xml)
		out.origins = append(out.origins, from)
	}
	out.xml = sb.String()
	rep.Warnings = uniqueStrings(rep.Warnings)
	return out, nil
}

// looking finds the look of the paragraphs of one operation.
type looking struct {
	*editing
	*surroundings
	nb      *numbering
	part    *part  // where they go
	written string // properties of the paragraph written before
	joined  bool   // that one is another item of the list beside
}

// lookFor returns the properties that a paragraph and its text begin from.
func (l *looking) lookFor(ctx context.Context, s Paragraph) (pPr, rPr string, from origin, err error) {
	list := strings.ToLower(s.List)
	switch {
	case list != "" && list != listContinue && list != listNone:
		err = formats.Errorf(formats.CodeInvalid, "list is %q; it is continue or none", s.List)
	case s.Like != "" && s.Style != "":
		err = formats.Errorf(formats.CodeInvalid, "like takes the style of %s too; give like or style, not both", s.Like)
	case s.Like != "" && list == listContinue:
		err = formats.Errorf(formats.CodeInvalid, "like takes the list of %s too; give like or list \"continue\", not both", s.Like)
	case s.Like != "":
		return l.likeness(ctx, s.Like)
	case list == listContinue:
		pPr, from, err = l.continued(ctx, s)
	case l.look == nil || s.Style != "": // a style brings its own look
	case !l.plain(l.nb, *l.look):
		from.beside, from.untaken = l.notTaken(ctx, l.nb, *l.look)
	default:
		var fonts string
		pPr, fonts = l.lookOf(*l.look)
		at := l.source(ctx, *l.look)
		if pPr != "" {
			from.layout = at
		}
		if visibleProps(fonts, l.part.prefix) != "" {
			from.beside, from.untaken = at, "whose text has formatting of its own"
		}
	}
	return pPr, "", from, err
}

// likeness returns the properties of the paragraph at an address and of its
// text.
func (l *looking) likeness(ctx context.Context, at string) (pPr, rPr string, from origin, err error) {
	pl, err := l.want(ctx, at, paraNode)
	if err != nil {
		return "", "", from, err
	}
	from.like = l.source(ctx, pl)
	if _, ok := l.nb.listOf(l.styles, pl.style, pl.list); ok {
		from.list = from.like
	}
	p := paraProps(pl.raw(pl.props), pl.prefix)
	mark := cleanRun(p.Get("rPr"), pl.prefix)
	outline := p.Get("outlineLvl")
	ofOnePlace(p)
	if outline != "" {
		p.Set("outlineLvl", outline)
	}
	if mark != "" {
		p.Set("rPr", mark) // the look of a list label
	}
	pPr, rPr = p.Optional(), cleanRun(markProperties(pl), pl.prefix)
	if pl.name != l.part.name {
		pPr, rPr = carried(pPr, pl.prefix, l.part.prefix), carried(rPr, pl.prefix, l.part.prefix)
	}
	return pPr, rPr, from, nil
}

// continued returns the properties of another item of the list beside, or of
// that which the paragraph written before began.
func (l *looking) continued(ctx context.Context, s Paragraph) (pPr string, from origin, err error) {
	if _, ok := l.listIn(l.nb, l.written); ok && !l.joined {
		from.list = theOneBefore
		return l.itemOf(l.nb, l.written, s), from, nil
	}
	for _, pl := range l.near {
		if _, ok := l.nb.listOf(l.styles, pl.style, pl.list); !ok || pl.kind != paraNode {
			continue
		}
		from.list = l.source(ctx, pl)
		return l.itemOf(l.nb, layoutOf(pl), s), from, nil
	}
	return "", from, formats.Errorf(formats.CodeInvalid, `no list stands beside it to continue; put it beside an item of the list, or name one with like, such as like: "p7"`)
}

// carried returns an element with its content as it stands in another part: in
// that part's prefix, without extensions that the part may not declare.
func carried(xml, prefix, to string) string {
	var sb strings.Builder
	sc := xmlscan.New([]byte(xml))
	for sc.Next() {
		t := sc.Token()
		own := t.Prefix == strings.TrimSuffix(prefix, ":")
		switch {
		case t.Kind == xmlscan.Start && !own:
			sc.Skip()
		case t.Kind == xmlscan.Start:
			sb.WriteString("<" + to + t.Local)
			for a := range t.Attrs() {
				if local, ok := strings.CutPrefix(a.Name, prefix); ok {
					sb.WriteString(" " + to + local + `="` + escape(a.Value()) + `"`)
				}
			}
			if t.Empty {
				sb.WriteByte('/')
			}
			sb.WriteByte('>')
		case t.Kind == xmlscan.End:
			sb.WriteString("</" + to + t.Local + ">")
		}
	}
	return sb.String()
}

// itemOf returns the properties of a list item that a paragraph begins from:
// all of them, or where it has a style of its own, the list.
func (e *editing) itemOf(nb *numbering, pPr string, s Paragraph) string {
	if s.Style == "" {
		return pPr
	}
	m, _ := e.listIn(nb, pPr)
	p := paraProps("", prefixOf(pPr))
	p.Set("numPr", numPr(p.Prefix(), m.num, m.level))
	return p.Optional()
}

func numPr(prefix, num string, level int) string {
	return fmt.Sprintf(`<%[1]snumPr><%[1]silvl %[1]sval="%[2]d"/><%[1]snumId %[1]sval="%[3]s"/></%[1]snumPr>`, prefix, level, escape(num))
}

// unlisted takes a paragraph out of any list: one that a style brings is
// switched off (17.9.18).
func (e *editing) unlisted(nb *numbering, pPr, prefix string) string {
	p := paraProps(pPr, prefix)
	p.Drop("numPr")
	out := p.Optional()
	if _, ok := e.listIn(nb, out); ok {
		p.Set("numPr", numPr(prefix, "0", 0))
		out = p.Optional()
	}
	return out
}

// listIn returns the list of a paragraph with properties.
func (e *editing) listIn(nb *numbering, pPr string) (membership, bool) {
	p := paraProps(pPr, prefixOf(pPr))
	n := element.Parse(p.Get("numPr"), p.Prefix()+"numPr", nil)
	return nb.listOf(e.styles, attrText(p.Get("pStyle"), "val"), listRef{num: attrText(n.Get("numId"), "val"), at: levelOf(attrText(n.Get("ilvl"), "val"))})
}

// relist returns how the properties of paragraphs change that join the list
// beside them or leave theirs; nil when list says nothing.
func (e *editing) relist(ctx context.Context, p *part, run []*node, list string, rep *formats.OpReport) (func(pPr string) string, error) {
	if list == "" {
		return nil, nil
	}
	nb, err := e.numbering(ctx)
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(list) {
	case listNone:
		rep.Notes = append(rep.Notes, "no list")
		return func(pPr string) string { return e.unlisted(nb, pPr, p.prefix) }, nil
	case listContinue:
	default:
		return nil, formats.Errorf(formats.CodeInvalid, "list is %q; it is continue or none", list)
	}
	first, last := place{p, run[0]}, place{p, run[len(run)-1]}
	for _, n := range []*node{first.across(first.start), last.across(last.end)} {
		if n == nil || n.kind != paraNode {
			continue
		}
		if m, ok := nb.listOf(e.styles, n.style, n.list); ok {
			rep.Notes = append(rep.Notes, fmt.Sprintf("list of %s, level %d", e.addressOf(ctx, place{p, n}), m.level))
			return func(pPr string) string {
				pr := paraProps(pPr, p.prefix)
				pr.Set("numPr", numPr(p.prefix, m.num, m.level))
				return pr.Optional()
			}, nil
		}
	}
	return nil, formats.Errorf(formats.CodeInvalid, "no list stands beside %s to continue", e.addressOf(ctx, first))
}
