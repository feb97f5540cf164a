package docx

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

func (e *editing) acceptChanges(ctx context.Context, op Operation) (formats.OpReport, error) {
	return e.settle(ctx, op, true)
}

func (e *editing) rejectChanges(ctx context.Context, op Operation) (formats.OpReport, error) {
	return e.settle(ctx, op, false)
}

// settle accepts or rejects tracked changes (17.13.5) in every part with text,
// or those of one author.
func (e *editing) settle(ctx context.Context, op Operation, accept bool) (formats.OpReport, error) {
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
		doc, n, err := settle(p.doc, p.prefix, op.Author, accept)
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
func settle(doc []byte, prefix, author string, accept bool) (_ []byte, n int, err error) {
	s := settling{prefix: prefix, author: author, accept: accept}
	if doc, err = s.formatting(doc); err != nil {
		return nil, 0, err
	}
	if doc, err = s.content(doc); err != nil {
		return nil, 0, err
	}
	doc, err = s.join(doc)
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
	type open struct {
		name  string
		start int
		end   int // of the start tag
	}
	var stack []open
	var out []xmlscan.Splice
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End:
			stack = stack[:len(stack)-1]
		case t.Kind == xmlscan.Start:
			isChange := t.Space == nsW && (strings.HasSuffix(t.Local, "PrChange") || t.Local == "tblGridChange" || t.Local == "numberingChange" || t.Local == "tblPrExChange")
			if !isChange || !s.mine(t) || len(stack) == 0 {
				if !t.Empty {
					stack = append(stack, open{t.Local, t.Start, t.End})
				}
				continue
			}
			end := sc.Skip()
			if n := len(out); !s.accept && n > 0 && out[n-1].Start >= stack[len(stack)-1].end {
				again = true
				continue
			}
			s.n++
			if s.accept || t.Local == "numberingChange" {
				out = append(out, xmlscan.Splice{Start: t.Start, End: end})
				continue
			}
			parent := stack[len(stack)-1]
			// The record is the last child: what stands between the parent's start
			// tag and it are the present properties.
			now := parseProps(string(doc[parent.start:t.Start])+"</"+s.prefix+parent.name+">", s.prefix, parent.name, nil)
			old := oldProps(doc[t.Start:end], s.prefix, parent.name)
			out = append(out, xmlscan.Splice{Start: parent.end, End: end, New: []byte(restored(now, old))})
		}
	}
	return xmlscan.Apply(doc, out), again, sc.Err()
}

// oldProps are the properties that a record of change holds.
func oldProps(change []byte, prefix, name string) *props {
	sc := xmlscan.New(change)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 2 {
			return parseProps(string(change[t.Start:sc.Skip()]), prefix, name, nil)
		}
	}
	return parseProps("", prefix, name, nil)
}

// restored is the content of properties that go back to old. What the record
// does not cover stays: in paragraphs the mark and the section, in sections the
// headers (17.13.5.29, 17.13.5.32).
func restored(now, old *props) string {
	keepFirst := map[string][]string{"sectPr": {"headerReference", "footerReference"}, "rPr": {"ins", "del", "moveFrom", "moveTo"}}[now.name]
	keepLast := map[string][]string{"pPr": {"rPr", "sectPr"}, "trPr": {"ins", "del"}, "tcPr": {"cellIns", "cellDel", "cellMerge"}}[now.name]
	var sb strings.Builder
	pick := func(p *props, names []string, want bool) {
		for _, k := range p.kids {
			hit := false
			for _, n := range names {
				hit = hit || k.name == n
			}
			if hit == want {
				sb.WriteString(k.xml)
			}
		}
	}
	pick(now, keepFirst, true)
	if now.name == "sectPr" || now.name == "rPr" {
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
}

// joinMark is left in the properties of a paragraph whose mark goes.
const joinMark = "atelierJoin"

// content settles insertions, deletions and moves.
func (s *settling) content(doc []byte) ([]byte, error) {
	var stack []changeFrame
	var out []xmlscan.Splice
	restore := 0 // open deletions that come back: their text is text again
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.End {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			switch {
			case top.unwrap:
				out = append(out, xmlscan.Splice{Start: t.Start, End: t.End})
				if top.name == "del" || top.name == "moveFrom" {
					restore--
				}
			case restore > 0 && (t.Local == "delText" || t.Local == "delInstrText"):
				out = append(out, s.rename(doc, t))
			}
			continue
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		push := changeFrame{name: t.Local, start: t.Start}
		if t.Space == nsW {
			gone := false
			out, gone = s.element(doc, sc, t, stack, &push, out)
			if gone {
				continue
			}
			if restore > 0 && (t.Local == "delText" || t.Local == "delInstrText") {
				out = append(out, s.rename(doc, t))
			}
			if push.unwrap && (t.Local == "del" || t.Local == "moveFrom") && !t.Empty {
				restore++
			}
		}
		if !t.Empty {
			stack = append(stack, push)
		}
	}
	return xmlscan.Apply(doc, out), sc.Err()
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

// rowChange says whether a row that begins here is a tracked one: "gone" when
// it does not stay, "kept", or "".
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

// join merges each paragraph whose mark went into the next one, whose mark and
// properties stay; one without content just goes (17.13.5.15). Tables without
// rows go too.
func (s *settling) join(doc []byte) ([]byte, error) {
	for range 100_000 { // each round joins what can be joined at once
		p, err := parsePart(textPart{dialect: paragraph.Word}, doc)
		if err != nil {
			return nil, err
		}
		var out []xmlscan.Splice
		taken := map[*node]bool{}
		for _, n := range p.nodes {
			raw := p.raw(n.props)
			if !strings.Contains(raw, joinMark) || taken[n] {
				continue
			}
			pr := parseProps(raw, s.prefix, "pPr", pPrOrder)
			r := parseProps(pr.get("rPr"), s.prefix, "rPr", rPrOrder)
			r.drop(joinMark)
			if rest := r.String(); rest != "" {
				pr.set("rPr", rest)
			} else {
				pr.drop("rPr")
			}
			next := following(n)
			content := string(p.doc[n.props.end:n.innerEnd])
			switch {
			case pr.get("sectPr") != "" || next == nil && strings.TrimSpace(content) != "" || next == nil && onlyBlock(n):
				out = append(out, xmlscan.Splice{Start: n.props.start, End: n.props.end, New: []byte(pr.String())})
			case strings.TrimSpace(content) == "":
				out = append(out, xmlscan.Splice{Start: n.start, End: n.end})
			case taken[next] || strings.Contains(p.raw(next.props), joinMark):
				continue // that one first, from the end
			default:
				taken[next] = true
				at := next.inner
				if next.props.end > 0 {
					at = next.props.end
				}
				if next.empty {
					out = append(out, xmlscan.Splice{Start: n.start, End: next.end, New: []byte("<" + s.prefix + "p>" + content + "</" + s.prefix + "p>")})
					continue
				}
				out = append(out, xmlscan.Splice{Start: n.start, End: n.end}, xmlscan.Splice{Start: at, End: at, New: []byte(content)})
			}
		}
		for _, n := range tablesOf(p) {
			if len(n.kids) == 0 {
				out = append(out, xmlscan.Splice{Start: n.start, End: n.end})
			}
		}
		if len(out) == 0 {
			return doc, nil
		}
		doc = xmlscan.Apply(doc, out)
	}
	return doc, nil
}

// following is the paragraph directly behind one, nil when something else is.
func following(n *node) *node {
	if n.parent == nil {
		return nil
	}
	for i, k := range n.parent.kids {
		if k == n && i+1 < len(n.parent.kids) && n.parent.kids[i+1].kind == paraNode {
			return n.parent.kids[i+1]
		}
	}
	return nil
}

// onlyBlock reports whether a container would be left without a last paragraph.
func onlyBlock(n *node) bool {
	if n.parent == nil {
		return true
	}
	kids := n.parent.kids
	return len(kids) == 1 || kids[len(kids)-1] == n && (n.parent.kind != storyNode || kids[len(kids)-2].kind == tableNode)
}

func tablesOf(p *part) []*node {
	var out []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n.kind == tableNode {
			out = append(out, n)
		}
		for _, k := range n.kids {
			walk(k)
		}
	}
	for _, s := range p.stories {
		walk(s)
	}
	for _, b := range p.boxes {
		walk(b)
	}
	return out
}
