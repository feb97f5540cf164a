package docx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// settleArgs are the members of accept_changes and reject_changes.
type settleArgs struct {
	Author string `json:"author" jsonschema:"{ops}: only those of this author"`
}

func (e *editing) acceptChanges(ctx context.Context, op settleArgs) (formats.OpReport, error) {
	return e.settle(ctx, op, true)
}

func (e *editing) rejectChanges(ctx context.Context, op settleArgs) (formats.OpReport, error) {
	return e.settle(ctx, op, false)
}

// settle accepts or rejects tracked changes (17.13.5) in every part with text,
// or those of one author.
func (e *editing) settle(ctx context.Context, op settleArgs, accept bool) (formats.OpReport, error) {
	rep := formats.OpReport{}
	parts, err := e.textParts(ctx)
	if err != nil {
		return rep, err
	}
	for _, tp := range parts {
		if tp.dialect != paragraph.Word {
			continue
		}
		p, err := e.load(ctx, tp)
		if err != nil {
			return rep, err
		}
		doc, n, err := settle(ctx, p.doc, p.prefix, op.Author, accept)
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		if err != nil {
			return rep, corrupt(p.name, err)
		}
		if n > 0 {
			rep.Hits += n
			e.set(p.name, doc)
		}
	}
	if rep.Hits == 0 {
		w := "there are no tracked changes"
		if op.Author != "" {
			w += " by " + op.Author
		}
		rep.Warnings = append(rep.Warnings, w)
	}
	return rep, nil
}

// settle does so for one part; n is how many changes it met.
func settle(ctx context.Context, doc []byte, prefix, author string, accept bool) (_ []byte, n int, err error) {
	s := settling{prefix: prefix, author: author, accept: accept}
	if doc, err = s.formatting(doc); err != nil {
		return nil, 0, err
	}
	if doc, err = s.content(doc); err != nil {
		return nil, 0, err
	}
	doc, err = s.join(ctx, doc)
	return doc, s.n, err
}

type settling struct {
	prefix, author string
	accept         bool
	n              int
}

func (s *settling) mine(t xmlscan.Token) bool {
	return s.author == "" || t.AttrLocal("author") == s.author
}

// formatting settles changes of properties: accepted, the record goes; rejected,
// the old properties come back. A record inside properties that go back is
// settled first, and the outer one in the next round.
func (s *settling) formatting(doc []byte) ([]byte, error) {
	for {
		now, again, err := s.formattingOnce(doc)
		if err != nil || !again {
			return now, err
		}
		doc = now
	}
}

func (s *settling) formattingOnce(doc []byte) (_ []byte, again bool, err error) {
	var stack []xmlscan.Token // the open elements
	var out []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.End {
			stack = stack[:len(stack)-1]
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		if !recordsFormatting(t) || !s.mine(t) || len(stack) == 0 {
			if !t.Empty {
				stack = append(stack, t)
			}
			continue
		}
		end, parent := sc.Skip(), stack[len(stack)-1]
		if n := len(out); !s.accept && n > 0 && out[n-1].Start >= parent.End {
			again = true
			continue
		}
		s.n++
		if s.accept || t.Local == "numberingChange" {
			out = append(out, xmlscan.Splice{Start: t.Start, End: end})
			continue
		}
		// The record is the last child: what stands between the parent's start
		// tag and it are the present properties.
		now := element.Parse(doc[parent.Start:t.Start], "", nil)
		old := recordedProps(doc[t.Start:end])
		out = append(out, xmlscan.Splice{Start: parent.End, End: end, New: []byte(restored(parent.Local, now, old))})
	}
	return xmlscan.Apply(doc, out), again, sc.Err()
}

// recordsFormatting reports whether an element records what properties were.
func recordsFormatting(t xmlscan.Token) bool {
	return t.Space == nsW && (strings.HasSuffix(t.Local, "PrChange") || t.Local == "tblGridChange" || t.Local == "numberingChange" || t.Local == "tblPrExChange")
}

// recordedProps returns the properties that a record of change holds.
func recordedProps(change []byte) *element.Element {
	var none []byte
	sc := xmlscan.New(change)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 2 {
			return element.Parse(change[t.Start:sc.Skip()], "", nil)
		}
	}
	return element.Parse(none, "", nil)
}

// restored returns the content of properties of that name that go back to old.
// What the record does not cover stays: in paragraphs the mark and the section,
// in sections the headers (17.13.5.29, 17.13.5.32).
func restored(name string, now, old *element.Element) string {
	keepFirst := map[string][]string{"sectPr": {"headerReference", "footerReference"}, "rPr": {"ins", "del", "moveFrom", "moveTo"}}[name]
	keepLast := map[string][]string{"pPr": {"rPr", "sectPr"}, "trPr": {"ins", "del"}, "tcPr": {"cellIns", "cellDel", "cellMerge"}}[name]
	var sb strings.Builder
	pick := func(p *element.Element, names []string, want bool) {
		for _, k := range p.Children {
			if slices.Contains(names, k.Local) == want {
				sb.WriteString(k.XML)
			}
		}
	}
	pick(now, keepFirst, true)
	if name == "sectPr" || name == "rPr" {
		pick(old, keepFirst, false)
		return sb.String()
	}
	pick(old, keepLast, false)
	pick(now, keepLast, true)
	return sb.String()
}

// frames of content: what is open around a change.
type changeFrame struct {
	name   string
	start  int
	unwrap bool
	first  int // splices made before it
	gone   int // children that went
	kept   int // children that stay
}

// hollow reports whether an element around runs lost all of them, and goes too.
func (f changeFrame) hollow() bool {
	return (f.name == "hyperlink" || f.name == "fldSimple" || f.unwrap) && f.gone > 0 && f.kept == 0
}

// comesBack reports whether it is a deletion that is rejected.
func (f changeFrame) comesBack() bool {
	return f.unwrap && (f.name == "del" || f.name == "moveFrom")
}

// joinMark is left in the properties of a paragraph whose mark goes.
const joinMark = "atelierJoin"

// content settles insertions, deletions and moves.
func (s *settling) content(doc []byte) ([]byte, error) {
	c := contentSettling{settling: s, doc: doc}
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch t := sc.Token(); t.Kind {
		case xmlscan.Start:
			c.startElement(sc, t)
		case xmlscan.End:
			c.endElement(t)
		}
	}
	return xmlscan.Apply(doc, c.out), sc.Err()
}

// contentSettling is the state of content.
type contentSettling struct {
	*settling
	doc     []byte
	stack   []changeFrame
	out     []xmlscan.Splice
	restore int // open deletions that come back: their text is text again
}

// restores reports whether an element is deleted text that comes back.
func (c *contentSettling) restores(t xmlscan.Token) bool {
	return c.restore > 0 && (t.Local == "delText" || t.Local == "delInstrText")
}

func (c *contentSettling) startElement(sc *xmlscan.Scanner, t xmlscan.Token) {
	push := changeFrame{name: t.Local, start: t.Start, first: len(c.out)}
	if t.Space == nsW {
		gone := false
		c.out, gone = c.element(c.doc, sc, t, c.stack, &push, c.out)
		if gone {
			count(c.stack, true)
			return
		}
		if c.restores(t) {
			c.out = append(c.out, c.rename(c.doc, t))
		}
		if push.comesBack() && !t.Empty {
			c.restore++
		}
	}
	if t.Empty {
		count(c.stack, false)
	} else {
		c.stack = append(c.stack, push)
	}
}

func (c *contentSettling) endElement(t xmlscan.Token) {
	top := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	if top.comesBack() {
		c.restore--
	}
	count(c.stack, top.hollow())
	switch {
	case top.hollow():
		c.out = append(c.out[:top.first], xmlscan.Splice{Start: top.start, End: t.End})
	case top.unwrap:
		c.out = append(c.out, xmlscan.Splice{Start: t.Start, End: t.End})
	case c.restores(t):
		c.out = append(c.out, c.rename(c.doc, t))
	}
}

// count notes for the element that is open that a child went or stays.
func count(stack []changeFrame, gone bool) {
	switch n := len(stack); {
	case n == 0:
	case gone:
		stack[n-1].gone++
	default:
		stack[n-1].kept++
	}
}

// rename makes delText t and delInstrText instrText.
func (s *settling) rename(doc []byte, t xmlscan.Token) xmlscan.Splice {
	now := map[string]string{"delText": "t", "delInstrText": "instrText"}[t.Local]
	return xmlscan.Splice{Start: t.Start, End: t.End, New: []byte(strings.Replace(string(doc[t.Start:t.End]), t.Local, now, 1))}
}

// element settles one element; gone says that it was removed with its content.
func (s *settling) element(doc []byte, sc *xmlscan.Scanner, t xmlscan.Token, stack []changeFrame, push *changeFrame, out []xmlscan.Splice) (_ []xmlscan.Splice, gone bool) {
	parent, grand := "", ""
	if n := len(stack); n > 0 {
		parent = stack[n-1].name
		if n > 1 {
			grand = stack[n-2].name
		}
	}
	switch t.Local {
	case "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd",
		"customXmlInsRangeStart", "customXmlInsRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd",
		"customXmlMoveFromRangeStart", "customXmlMoveFromRangeEnd", "customXmlMoveToRangeStart", "customXmlMoveToRangeEnd":
		if s.author != "" {
			return out, false
		}
		return append(out, xmlscan.Splice{Start: t.Start, End: sc.Skip()}), true
	case "tr":
		if what := s.rowChange(doc[t.Start:]); what != "" {
			s.n++
			if what == "gone" {
				return append(out, xmlscan.Splice{Start: t.Start, End: sc.Skip()}), true
			}
		}
		return out, false
	case "ins", "moveTo", "del", "moveFrom", "cellIns", "cellDel":
	default:
		return out, false
	}
	if !s.mine(t) {
		return out, false
	}
	stays := (t.Local == "ins" || t.Local == "moveTo" || t.Local == "cellIns") == s.accept
	switch {
	case parent == "trPr" || parent == "tcPr": // the row was looked at before
		return append(out, xmlscan.Splice{Start: t.Start, End: sc.Skip()}), true
	case parent == "rPr" && grand == "pPr":
		s.n++
		sp := xmlscan.Splice{Start: t.Start, End: sc.Skip()}
		if !stays {
			sp.New = []byte("<" + s.prefix + joinMark + "/>")
		}
		return append(out, sp), true
	case stays:
		s.n++
		push.unwrap = true
		return append(out, xmlscan.Splice{Start: t.Start, End: t.End}), t.Empty
	}
	s.n++
	return append(out, xmlscan.Splice{Start: t.Start, End: sc.Skip()}), true
}

// rowChange reports whether a row that begins here is a tracked one: "gone"
// when it does not stay, "kept", or "".
func (s *settling) rowChange(row []byte) string {
	sc := xmlscan.New(row)
	in := false
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "trPr" && t.Depth == 2:
			in = !t.Empty
		case t.Kind == xmlscan.End && t.Local == "trPr", t.Kind == xmlscan.Start && t.Local == "tc":
			return ""
		case t.Kind == xmlscan.Start && in && t.Depth == 3 && (t.Local == "ins" || t.Local == "del") && s.mine(t):
			if (t.Local == "ins") == s.accept {
				return "kept"
			}
			return "gone"
		}
	}
	return ""
}
