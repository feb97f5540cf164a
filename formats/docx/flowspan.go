package docx

import (
	"context"
	"slices"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/formats/ooxml/equation"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/budget"
)

// spanReader makes the spans of a paragraph.
type spanReader struct {
	*flowWindow
	base  formats.TextSpan // how its style looks
	spans []formats.TextSpan
	last  []byte // the text of the last span: thousands of runs that look alike are one span
	size  int    // bytes of text
}

// walk takes the content of a paragraph, or of what is around runs, which look like look.
func (s *spanReader) walk(e *el, look formats.TextSpan, link, change string) {
	for _, k := range e.kids {
		switch {
		case k.local == "" || strings.HasSuffix(k.local, "Pr"):
		case k.is(nsMath, "oMath") || k.is(nsMath, "oMathPara"):
			s.object("equation", equation.Text(s.part.doc[k.start:]), link, change)
		case isDrawing(k):
			s.object("picture", drawingWords(k), link, change)
		case !k.w(k.local):
		case k.local == "r":
			s.run(k, s.runLook(k.child("rPr"), look), link, change)
		case k.local == "ins" || k.local == "moveTo":
			s.walk(k, look, link, "inserted")
		case k.local == "del" || k.local == "moveFrom":
			s.walk(k, look, link, "deleted")
		case k.local == "hyperlink":
			to := s.links[k.rel("id")]
			if a := k.attr("anchor"); a != "" {
				to += "#" + a
			}
			s.walk(k, look, to, change)
		default: // content controls, smart tags, simple fields
			s.walk(k, look, link, change)
		}
	}
}

// run takes the content of a run.
func (s *spanReader) run(r *el, look formats.TextSpan, link, change string) {
	text := func(t string) {
		look.Text, look.Link, look.Change = t, link, change
		s.add(look)
	}
	for _, k := range r.kids {
		switch {
		case isDrawing(k):
			s.object("picture", drawingWords(k), link, change)
		case !k.w(k.local):
		case k.local == "t" || k.local == "delText":
			text(k.plain())
		case k.local == "tab" || k.local == "ptab":
			text("\t")
		case k.local == "noBreakHyphen":
			text("-")
		case k.local == "cr":
			text("\n")
		case k.local == "br":
			if t := k.attr("type"); t == "page" || t == "column" {
				s.object("break", t+" break", link, change)
			} else {
				text("\n")
			}
		case k.local == "sym":
			s.object("object", "symbol", link, change)
		case k.local == "footnoteReference" || k.local == "endnoteReference" || k.local == "commentReference":
			s.object(strings.TrimSuffix(k.local, "Reference"), k.attr("id"), link, change)
		}
	}
}

func (s *spanReader) object(kind, words, link, change string) {
	s.add(formats.TextSpan{Object: kind, Text: clip(words, 200), Link: link, Change: change})
}

// add appends a span, or its text to the last one if both look alike.
func (s *spanReader) add(t formats.TextSpan) {
	s.size += len(t.Text) + 16
	text := t.Text
	t.Text = ""
	if n := len(s.spans); n > 0 && t.Object == "" && s.spans[n-1] == t {
		s.last = append(s.last, text...)
		return
	}
	if text != "" || t.Object != "" {
		s.end()
		s.spans, s.last = append(s.spans, t), append(s.last, text...)
	}
}

// end gives the last span its text.
func (s *spanReader) end() {
	if n := len(s.spans); n > 0 {
		s.spans[n-1].Text, s.last = string(s.last), s.last[:0]
	}
}

// runLook is look with the properties of a run over it (17.3.2).
func (s *spanReader) runLook(rPr *el, look formats.TextSpan) formats.TextSpan {
	if rPr == nil {
		return look
	}
	if st := rPr.child("rStyle"); st != nil {
		look = overLook(s.lookOf(st.attr("val")), look)
	}
	for _, k := range rPr.kids {
		setLook(&look, k.local, k.attr("val"))
	}
	return look
}

// overLook is the look of a character style within a paragraph. What it does not set is
// that of the paragraph; toggles are taken together (17.7.3).
func overLook(st, base formats.TextSpan) formats.TextSpan {
	base.Bold, base.Italic, base.Strike = base.Bold != st.Bold, base.Italic != st.Italic, base.Strike != st.Strike
	base.Underline = base.Underline || st.Underline
	for _, m := range []struct{ to, from *string }{{&base.Color, &st.Color}, {&base.Raised, &st.Raised}, {&base.Highlight, &st.Highlight}} {
		if *m.from != "" {
			*m.to = *m.from
		}
	}
	return base
}

// setLook takes one property of text.
func setLook(t *formats.TextSpan, name, val string) {
	on := val != "0" && val != "false" && val != "off"
	switch name {
	case "b":
		t.Bold = on
	case "i":
		t.Italic = on
	case "strike", "dstrike":
		t.Strike = on
	case "u":
		t.Underline = val != "none"
	case "color":
		t.Color = plainHex(val)
	case "highlight":
		if t.Highlight = val; val == "none" {
			t.Highlight = ""
		}
	case "vertAlign":
		if t.Raised = val; val == "baseline" {
			t.Raised = ""
		}
	}
}

// lookProp is a property of text: the name of its element and val.
type lookProp struct{ name, val string }

// styleTexts reads the properties of text that each style sets, by its id.
func (d *document) styleTexts(ctx context.Context) (map[string][]lookProp, error) {
	_, doc, err := d.related(ctx, "styles")
	if err != nil {
		return nil, err
	}
	own := map[string][]lookProp{}
	id, depth, in := "", 0, false
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Local == "style" && t.Kind == xmlscan.Start:
			id, depth = t.AttrLocal("styleId"), t.Depth
		case t.Local == "rPr" && t.Depth == depth+1:
			in = t.Kind == xmlscan.Start && !t.Empty
		case in && t.Kind == xmlscan.Start && t.Depth == depth+2:
			own[id] = append(own[id], lookProp{t.Local, t.AttrLocal("val")})
		}
	}
	return own, sc.Err()
}

// lookOf is how the text of a style looks, with the styles that it is based on.
func (w *flowWindow) lookOf(id string) formats.TextSpan {
	look, known := w.looks[id]
	if _, is := w.styles[id]; known || !is {
		return look
	}
	chain := w.styles.chain(id)
	for i := len(chain) - 1; i >= 0; i-- {
		for _, p := range w.texts[chain[i].id] {
			setLook(&look, p.name, p.val)
		}
	}
	w.looks[id] = look
	return look
}

// drawingWords says what is drawn: its alternative text, else its name.
func drawingWords(e *el) string {
	props := e.find(func(k *el) bool { return k.local == "docPr" }, nil)
	if props == nil {
		return ""
	}
	if t := props.attr("descr"); t != "" {
		return t
	}
	return props.attr("name")
}

// flowCache keeps the documents drawn last, by the hash of the file.
type flowCache struct {
	sync.Mutex // guards all below
	list       []cachedFlow
}

type cachedFlow struct {
	hash string
	flow *flow
	size int // bytes of the body
	kept *budget.Entry
}

const maxFlows, maxFlowBytes = 4, 24 << 20

// flowSize is the memory of a flow, about, as a multiple of the size of the body.
const flowSize = 3

var flows flowCache

func (c *flowCache) get(hash string) *flow {
	c.Lock()
	defer c.Unlock()
	for i, k := range c.list {
		if k.hash == hash {
			k.kept.Touch()
			c.list = append(append(c.list[:i:i], c.list[i+1:]...), k)
			return k.flow
		}
	}
	return nil
}

// put keeps a document and drops those used longest ago.
func (c *flowCache) put(hash string, f *flow, size int) {
	c.Lock()
	defer c.Unlock()
	if size > maxFlowBytes {
		return
	}
	kept := budget.Process.Keep(int64(flowSize*size), func() { c.forget(f) })
	if kept == nil {
		return
	}
	c.list = append(c.list, cachedFlow{hash, f, size, kept})
	sum := 0
	for i := len(c.list) - 1; i >= 0; i-- {
		if sum += c.list[i].size; sum > maxFlowBytes || len(c.list)-i > maxFlows {
			for _, k := range c.list[:i+1] {
				k.kept.Forget()
			}
			c.list = append([]cachedFlow{}, c.list[i+1:]...)
			break
		}
	}
}

// forget drops a document whose memory is needed.
func (c *flowCache) forget(f *flow) {
	c.Lock()
	defer c.Unlock()
	c.list = slices.DeleteFunc(c.list, func(k cachedFlow) bool { return k.flow == f })
}
