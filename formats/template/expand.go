package template

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

const (
	nsWord    = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	nsDrawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsChart   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	nsDiagram = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
)

// filler fills the parts of one file.
type filler struct {
	tally *Tally
	known map[string]bool // names of the data
	lang  *language
	left  int // bytes that values may still add
	steps int // repetitions of blocks so far
	ids   int // drawing numbers given so far

	opener   func(context.Context, string) (formats.SourceCloser, error)
	files    map[string]*file // pictures that were read
	pictured int              // bytes of them
	pictures bool             // the text that is filled may have them
	marks    []picture
	nonce    string            // begins the marks
	boxes    map[string]string // check boxes by tag or title: the sign of a ticked one
}

// stretch is a run of bytes of an expanded part that have the same data.
type stretch struct {
	start int
	scope *scope
}

// expander writes a part with its blocks repeated or left out.
type expander struct {
	*filler
	ctx       context.Context
	t         *tree.Tree
	ns        string
	name      string // of the part
	out       bytes.Buffer
	stretches []stretch
	copies    int // above 0 what is written is a copy of something
}

// step counts a repetition of a block.
func (f *filler) step(ctx context.Context) error {
	if f.steps++; f.steps > maxSteps {
		return formats.Errorf(formats.CodeTooLarge, "the blocks repeat more than %d times; give fewer items", maxSteps)
	}
	if f.steps&255 == 0 {
		return ctx.Err()
	}
	return nil
}

func partTooLarge(name string) error {
	return formats.Errorf(formats.CodeTooLarge, "%s of the template has more than %d MiB, which is too much to fill", name, maxPart>>20)
}

// part fills one part. bodies, when it has several, are the records of copies of
// the whole body of a document, one after another.
func (f *filler) part(ctx context.Context, ed *opc.Edit, name, ns string, s *scope, bodies []*scope) error {
	doc, err := ed.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	if len(doc) > maxPart {
		return partTooLarge(name)
	}
	was := doc
	if ns == nsWord {
		if doc, err = f.fields(ctx, doc); err != nil {
			return err
		}
	}
	t, err := tree.Parse(ctx, doc, nil)
	if err != nil {
		return err
	}
	e := &expander{filler: f, ctx: ctx, t: t, ns: ns, name: name}
	if len(bodies) > 1 {
		err = e.bodies(bodies)
	} else {
		e.raw(0, t.Root.Start, s)
		err = e.element(t.Root, s, 0)
		e.raw(t.Root.After, len(doc), s)
	}
	if err != nil {
		return err
	}
	out, err := e.texts(s)
	if err == nil && ns == nsWord {
		out, err = e.drawPictures(ctx, ed, out)
		if err == nil {
			out, err = f.ticked(ctx, out)
		}
	}
	if err == nil && !bytes.Equal(out, was) {
		ed.Set(name, out)
	}
	return err
}

// texts fills the paragraphs of the expanded part.
func (e *expander) texts(s *scope) ([]byte, error) {
	doc := e.out.Bytes()
	dialect := paragraph.Word
	if e.ns == nsDrawing {
		dialect = paragraph.Drawing
	}
	list, err := paragraph.Parse(doc, dialect)
	if err != nil {
		return nil, err
	}
	var splices []xmlscan.Splice
	for i, p := range list {
		if i&255 == 0 && e.ctx.Err() != nil {
			return nil, e.ctx.Err()
		}
		at := s
		if k := sort.Search(len(e.stretches), func(k int) bool { return e.stretches[k].start > p.Start }); k > 0 {
			at = e.stretches[k-1].scope
		}
		text := p.Text()
		ranges, err := e.inline(e.ctx, text, at, func() string { return fmt.Sprintf("%s, paragraph %q", e.name, clip(text)) })
		if err != nil {
			return nil, err
		}
		splices = append(splices, p.Replace(ranges)...)
	}
	return xmlscan.Apply(doc, splices), nil
}

// raw writes bytes of the part as they are.
func (e *expander) raw(start, end int, s *scope) {
	if start >= end {
		return
	}
	if n := len(e.stretches); n == 0 || e.stretches[n-1].scope != s {
		e.stretches = append(e.stretches, stretch{e.out.Len(), s})
	}
	b := e.t.Doc[start:end]
	if e.copies > 0 {
		b = e.unlike(b)
	}
	e.out.Write(b)
}

var (
	unique    = lazyregexp.New(`\s\w+:(?:paraId|textId)="[^"]*"|<\w+:(?:bookmarkStart|bookmarkEnd|commentRangeStart|commentRangeEnd|commentReference)(?:\s[^>]*)?/>|<(\w*:?)rowId\s[^>]*/>`)
	drawingID = lazyregexp.New(`(<wp:docPr\s[^>]*?\bid=")\d+"`)
)

// unlike takes from a copy what only one place of a file may have.
func (e *expander) unlike(b []byte) []byte {
	b = unique.ReplaceAll(b, nil)
	return drawingID.ReplaceAllFunc(b, func(m []byte) []byte {
		e.ids++
		return fmt.Appendf(nil, `%s%d"`, m[:bytes.LastIndexByte(m[:len(m)-1], '"')+1], 1_000_000+e.ids)
	})
}

// element writes an element with what is in it.
func (e *expander) element(n *tree.Node, s *scope, depth int) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	if e.out.Len() > maxText {
		return tooLarge()
	}
	if n.Empty || !bytes.ContainsAny(e.t.Raw(n), "{") && !e.implicit(n) {
		e.raw(n.Start, n.After, s)
		return nil
	}
	start := e.out.Len()
	e.raw(n.Start, n.End, s)
	var kids []*tree.Node
	for k := range n.Kids() {
		kids = append(kids, k)
	}
	if err := e.children(n, kids, s, depth); err != nil {
		return err
	}
	e.complete(n, start)
	e.raw(n.Close, n.After, s)
	return nil
}

// implicit reports whether there may be placeholders without braces below n.
func (e *expander) implicit(n *tree.Node) bool {
	return bytes.ContainsAny(e.t.Raw(n), "[") || bytes.Contains(e.t.Raw(n), []byte("«"))
}

// complete gives a cell or text frame that lost its last paragraph an empty one,
// which it must have, and drops a table of Word without rows.
func (e *expander) complete(n *tree.Node, start int) {
	made := e.out.Bytes()[start:]
	prefix := ""
	if n.Prefix != "" {
		prefix = n.Prefix + ":"
	}
	switch {
	case e.ns == nsWord && n.Is(nsWord, "tc"), e.ns == nsDrawing && (n.Local == "txBody" || n.Is(nsChart, "rich") || n.Is(nsDiagram, "t")),
		e.ns == nsWord && (n.Local == "txbxContent" || n.Local == "hdr" || n.Local == "ftr" || n.Local == "footnote"):
		if e.ns == nsDrawing {
			prefix, _ = n.PrefixOf(nsDrawing)
			prefix += ":"
		}
		if !bytes.Contains(made, []byte("</"+prefix+"p>")) && !bytes.Contains(made, []byte("<"+prefix+"p/>")) {
			e.out.WriteString("<" + prefix + "p/>")
		}
	}
}

// children writes the children of an element: blocks are repeated or left out.
func (e *expander) children(n *tree.Node, kids []*tree.Node, s *scope, depth int) error {
	if depth > maxNesting*8 {
		return tooDeep()
	}
	at := n.End
	tags, owner := e.controls(kids)
	for i := 0; i < len(kids); {
		k := kids[i]
		e.raw(at, k.Start, s)
		next, err := e.child(kids, i, tags, owner, s, depth)
		if err != nil {
			return err
		}
		i, at = next, kids[next-1].After
	}
	e.raw(at, n.Close, s)
	return nil
}

// controls returns the tags of the children that hold one tag and nothing else,
// and for each child the index of its tag or -1.
func (e *expander) controls(kids []*tree.Node) (tags []token, owner []int) {
	owner = make([]int, len(kids))
	for i, k := range kids {
		owner[i] = -1
		if !k.Is(e.ns, "p") && !k.Is(e.ns, "tr") {
			continue
		}
		text := strings.TrimSpace(e.textIn(k))
		if list := e.tokens(text); len(list) == 1 && list[0].raw == text && list[0].kind != valueToken && !holdsMore(k) {
			t := list[0]
			t.start = i // the child that it stands in
			owner[i] = len(tags)
			tags = append(tags, t)
		}
	}
	return tags, owner
}

// holdsMore reports whether a paragraph or row has something besides text that must
// stay: the end of a section, a picture, a note.
func holdsMore(n *tree.Node) bool {
	for k := range n.All() {
		switch k.Local {
		case "sectPr", "drawing", "pict", "object", "footnoteReference", "endnoteReference":
			return true
		}
	}
	return false
}

// textIn returns the text of the t elements of n.
func (e *expander) textIn(n *tree.Node) string {
	if !bytes.ContainsAny(e.t.Raw(n), "{[") && !bytes.Contains(e.t.Raw(n), []byte("«")) {
		return ""
	}
	var sb strings.Builder
	for k := range n.All() {
		switch {
		case k.Is(e.ns, "t"):
			sb.WriteString(e.t.Text(k))
		case k.Is(e.ns, "tab"), k.Is(e.ns, "br"), k.Is(e.ns, "p"):
			sb.WriteByte('\n')
		}
	}
	return sb.String()
}

// child writes kids[i], or the block that begins with it, and returns the index of
// the child after it.
func (e *expander) child(kids []*tree.Node, i int, tags []token, owner []int, s *scope, depth int) (int, error) {
	k := kids[i]
	if o := owner[i]; o >= 0 && tags[o].opens() {
		otherwise, end := partner(tags, o)
		if end >= 0 {
			place := func() string { return e.name }
			scopes, ok := e.choose(tags[o], s, place)
			last := tags[end].start
			if !ok { // all of it stays
				for _, n := range kids[i : last+1] {
					e.raw(n.Start, n.After, s)
				}
				return last + 1, nil
			}
			yes, no := kids[i+1:last], []*tree.Node(nil)
			if otherwise >= 0 {
				at := tags[otherwise].start
				yes, no = kids[i+1:at], kids[at+1:last]
			}
			if len(scopes) == 0 {
				return last + 1, e.sequence(no, s, depth+1)
			}
			return last + 1, e.repeat(scopes, func(s *scope) error { return e.sequence(yes, s, depth+1) })
		}
	}
	if k.Is(e.ns, "tr") {
		if scopes, ok := e.rowScopes(k, s); ok {
			return i + 1, e.repeat(scopes, func(s *scope) error { return e.element(k, s, depth+1) })
		}
	}
	return i + 1, e.element(k, s, depth+1)
}

// repeat writes something once for each scope; what follows the first is a copy.
func (e *expander) repeat(scopes []*scope, write func(*scope) error) error {
	for i, s := range scopes {
		if err := e.step(e.ctx); err != nil {
			return err
		}
		if i == 1 {
			e.copies++
			defer func() { e.copies-- }()
		}
		if err := write(s); err != nil {
			return err
		}
	}
	return nil
}

// sequence writes sibling elements, of which some are blocks.
func (e *expander) sequence(kids []*tree.Node, s *scope, depth int) error {
	if depth > maxNesting*8 {
		return tooDeep()
	}
	tags, owner := e.controls(kids)
	for i := 0; i < len(kids); {
		next, err := e.child(kids, i, tags, owner, s, depth)
		if err != nil {
			return err
		}
		i = next
	}
	return nil
}

// rowScopes returns for which data a table row is written: where its first tag
// and its last are those of one block, or a field is of a list, as in
// {{items.price}}. ok is false for other rows.
func (e *expander) rowScopes(row *tree.Node, s *scope) (scopes []*scope, ok bool) {
	text := e.textIn(row)
	list := e.tokens(text)
	if len(list) == 0 {
		return nil, false
	}
	if first := list[0]; first.opens() {
		otherwise, end := partner(list, 0)
		if end == len(list)-1 && otherwise < 0 && strings.Contains(strings.TrimSpace(text[first.start:list[end].end]), "\n") {
			scopes, ok = e.choose(first, s, func() string { return e.name })
			for _, sc := range scopes {
				sc.strip = true
			}
			return scopes, ok
		}
	}
	for _, t := range list {
		if t.kind != valueToken {
			continue
		}
		if l, isList := s.listOf(t.name); isList {
			e.tally.use(l)
			return s.each(l)
		}
	}
	return nil, false
}
