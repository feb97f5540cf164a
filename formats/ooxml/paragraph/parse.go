package paragraph

import (
	"bytes"
	"strings"
	"unsafe"

	"atelier/formats/ooxml/xmlscan"
)

// Paragraph is one paragraph of a part.
type Paragraph struct {
	Start, End int  // its element's bytes
	Anchored   bool // it is inside another paragraph, as in a text box
	paired     bool // marks know their partners

	*source
	items   []item
	runs    []run
	conts   []container
	marks   []mark          // bookmarks, deletions …: bytes that a rebuild must keep
	closing int             // offset of the end tag; -1 for <w:p/>
	bodyPos int             // offset after the properties
	opens   map[string]bool // the starts of its runs, with properties, once dropEmptyRuns asked for them
}

// source is what the paragraphs of a part share.
type source struct {
	doc     []byte
	dialect *Dialect
	prefix  string // of their elements, with colon
}

type itemKind uint8

const (
	textItem   itemKind = iota // a text element
	breakItem                  // tab, line break, special hyphen: one character
	opaqueItem                 // anything else that has a place in the text
)

// item is one piece of a paragraph's content.
type item struct {
	span  // the element's bytes
	text  string
	run   int // index into runs; -1 beside runs
	cont  int // index of the innermost container; -1 outside
	mark  *mark
	kind  itemKind
	bound bool // opaque: its order among others matters (fields)
	ruby  bool // text: the base of a ruby, whose bytes hold its guide too
}

// mark is an element without visible extent, or a deletion, with its position.
type mark struct {
	span
	local, id, name string // of the element; name: of a bookmark
	cont            int
	partner         *mark // the other end of its range in the paragraph
	anchor          bool  // its place in the text matters
}

type span struct{ start, end int }

type run struct {
	span
	openEnd    int    // offset after its start tag
	closeStart int    // offset of its end tag
	rPr        span   // its properties' bytes; empty when it has none
	key        string // formatting as far as a reader sees it
}

// container is an inline element around runs: a hyperlink, an insertion …
type container struct {
	name            string
	start, openEnd  int
	closeStart, end int
	parent          int
}

// Parse lists the paragraphs of a part in the order they begin. doc must not change as long
// as they are in use.
func Parse(doc []byte, d *Dialect) ([]*Paragraph, error) {
	p := newParser(doc, d)
	defer p.release()
	return p.parse()
}

func (p *parser) parse() ([]*Paragraph, error) {
	for p.sc.Next() {
		t := p.sc.Token()
		switch t.Kind {
		case xmlscan.Start:
			p.startElement(t)
			if t.Empty {
				p.endElement(t)
			}
		case xmlscan.End:
			p.endElement(t)
		case xmlscan.Text, xmlscan.CData:
			p.addText(t)
		}
	}
	return p.out, p.sc.Err()
}

type frameKind uint8

const (
	inOther    frameKind = iota // outside paragraphs, in properties, inside opaque elements
	inPara                      // a paragraph
	inRun                       // a run
	inText                      // a text element
	inCont                      // a container
	inOpaque                    // an opaque element
	inMark                      // a mark or a deletion
	inBase                      // the base of a ruby
	inBaseText                  // a text element of one
)

type frame struct {
	kind  frameKind
	para  *Paragraph // the paragraph it belongs to; nil outside
	start int
	index int // of the run, container, item or mark it makes
}

type parser struct {
	doc   []byte
	d     *Dialect
	sc    *xmlscan.Scanner
	stack []frame
	out   []*Paragraph
	raw   []byte          // text of the text element being read, where that is one piece without references
	buf   strings.Builder // its text otherwise
	from  *source         // of the last paragraph
	base  bool            // inside the base of a ruby

	keys       map[string]string // formatting keys of runs by their properties
	keysPrefix string            // of the paragraphs that they are of

	space slabs
}

func (p *parser) top() frame {
	if len(p.stack) == 0 {
		return frame{}
	}
	return p.stack[len(p.stack)-1]
}

func (p *parser) push(k frameKind, para *Paragraph, start, index int) {
	p.stack = append(p.stack, frame{k, para, start, index})
}

// openContainer returns the innermost container that is open in the present
// paragraph.
func (p *parser) openContainer() int {
	para := p.top().para
	if len(para.conts) == 0 {
		return -1
	}
	for i := len(p.stack) - 1; i >= 0 && p.stack[i].para == para; i-- {
		if p.stack[i].kind == inCont {
			return p.stack[i].index
		}
	}
	return -1
}

// openRun returns the run that is open in the present paragraph, -1 when none.
func (p *parser) openRun() int {
	if f := p.top(); f.kind == inRun {
		return f.index
	}
	return -1
}

func (p *parser) startElement(t xmlscan.Token) {
	f := p.top()
	own := t.Space == p.d.space
	if own && t.Local == "p" {
		prefix := t.Prefix
		if prefix != "" {
			prefix += ":"
		}
		if p.from == nil || p.from.prefix != prefix {
			p.from = &source{doc: p.doc, dialect: p.d, prefix: prefix}
		}
		para := p.space.paragraph()
		*para = Paragraph{Start: t.Start, source: p.from, closing: -1, bodyPos: t.End, Anchored: f.para != nil}
		para.items, para.runs = p.space.scratch()
		p.out = append(p.out, para)
		p.push(inPara, para, t.Start, -1)
		return
	}
	switch f.kind {
	case inPara, inCont:
		p.startInline(f.para, t, own)
	case inRun:
		p.startInRun(f.para, t, own)
	case inText:
		// Of a ruby's guide and base (17.3.3.25) the base is text.
		p.base = own && t.Local == "rubyBase"
		kind := inOther
		if p.base {
			kind = inBase
		}
		p.push(kind, f.para, t.Start, -1)
	default:
		if p.base && own && t.Local == "t" {
			p.push(inBaseText, f.para, t.Start, -1)
			return
		}
		p.push(inOther, f.para, t.Start, -1)
	}
}

// startInline handles a child of a paragraph or container.
func (p *parser) startInline(para *Paragraph, t xmlscan.Token, own bool) {
	switch {
	case own && t.Local == "r":
		para.runs = append(para.runs, run{span: span{t.Start, t.End}, openEnd: t.End, closeStart: t.End})
		p.push(inRun, para, t.Start, len(para.runs)-1)
	case own && p.d.skip[t.Local]:
		p.push(inOther, para, t.Start, -2)
	case own && p.d.container[t.Local]:
		para.conts = append(para.conts, container{name: t.Local, start: t.Start, openEnd: t.End, parent: p.openContainer()})
		p.push(inCont, para, t.Start, len(para.conts)-1)
	case own && (p.d.mark[t.Local] || p.d.deleted[t.Local]):
		para.marks = append(para.marks, mark{span: span{t.Start, t.End}, local: t.Local, id: t.AttrLocal("id"), name: t.AttrLocal("name"), cont: p.openContainer()})
		p.push(inMark, para, t.Start, len(para.marks)-1)
	case own && t.Local == "br" && !p.d.breakInRun:
		p.addItem(para, breakItem, t, "\n", false)
	default:
		p.addItem(para, opaqueItem, t, "", false)
	}
}

// startInRun handles a child of a run.
func (p *parser) startInRun(para *Paragraph, t xmlscan.Token, own bool) {
	switch {
	case own && t.Local == "rPr":
		para.runs[p.openRun()].rPr.start = t.Start
		p.push(inOther, para, t.Start, -3)
	case own && t.Local == "t":
		p.begin()
		p.addItem(para, textItem, t, "", false)
		p.stack[len(p.stack)-1].kind = inText
	case own && t.Local == "ruby" && p.d == Word:
		p.begin()
		p.addItem(para, textItem, t, "", false)
		para.items[len(para.items)-1].ruby = true
		p.stack[len(p.stack)-1].kind = inText
	case own && t.Local == "noBreakHyphen":
		p.addItem(para, breakItem, t, "\u2011", false)
	case own && t.Local == "softHyphen":
		p.addItem(para, breakItem, t, "\u00ad", false)
	case own && t.Local == "tab":
		p.addItem(para, breakItem, t, "\t", false)
	case own && (t.Local == "cr" || t.Local == "br" && t.AttrLocal("type") != "page" && t.AttrLocal("type") != "column"):
		p.addItem(para, breakItem, t, "\n", false)
	case own && t.Local == "lastRenderedPageBreak":
		p.push(inOther, para, t.Start, -1)
	default:
		p.addItem(para, opaqueItem, t, "", own && (t.Local == "fldChar" || t.Local == "instrText"))
	}
}

// addItem appends an item and opens its frame.
func (p *parser) addItem(para *Paragraph, k itemKind, t xmlscan.Token, text string, bound bool) {
	para.items = append(para.items, item{kind: k, span: span{t.Start, t.End}, text: text, run: p.openRun(), cont: p.openContainer(), bound: bound})
	p.push(inOpaque, para, t.Start, len(para.items)-1)
}

// begin forgets the text read before.
func (p *parser) begin() {
	p.raw = nil
	p.buf.Reset()
}

// text is what was read since begin. It is part of the document where it can be: texts
// are most of it.
func (p *parser) text() string {
	if len(p.raw) > 0 {
		return unsafe.String(&p.raw[0], len(p.raw)) // doc stays as it is
	}
	return p.buf.String()
}

func (p *parser) addText(t xmlscan.Token) {
	f := p.top()
	if f.kind != inBaseText && (f.kind != inText || f.para.items[f.index].ruby) {
		return
	}
	b := t.Bytes()
	if t.Kind == xmlscan.Text && p.raw == nil && p.buf.Len() == 0 && bytes.IndexByte(b, '&') < 0 {
		p.raw = b
		return
	}
	p.buf.Write(p.raw)
	if p.raw = nil; t.Kind == xmlscan.CData {
		p.buf.Write(b[len("<![CDATA[") : len(b)-len("]]>")])
	} else {
		p.buf.WriteString(xmlscan.Unescape(b))
	}
}

// endElement closes the frame of the element that t ends.
func (p *parser) endElement(t xmlscan.Token) {
	f := p.top()
	p.stack = p.stack[:len(p.stack)-1]
	switch f.kind {
	case inPara:
		f.para.End = t.End
		if !t.Empty {
			f.para.closing = t.Start
		}
		f.para.setFormattingKeys(p)
		p.space.keep(f.para)
	case inRun:
		f.para.runs[f.index].end, f.para.runs[f.index].closeStart = t.End, t.Start
	case inCont:
		c := &f.para.conts[f.index]
		c.closeStart, c.end = t.Start, t.End
		if t.Empty {
			c.closeStart = t.End
		}
	case inText:
		it := &f.para.items[f.index]
		it.end, it.text = t.End, p.text()
	case inOpaque:
		f.para.items[f.index].end = t.End
	case inMark:
		f.para.marks[f.index].end = t.End
	case inBase:
		p.base = false
	case inOther:
		switch f.index {
		case -2:
			if len(f.para.items) == 0 && len(f.para.runs) == 0 && p.top().kind == inPara {
				f.para.bodyPos = t.End
			}
		case -3:
			f.para.runs[p.top().index].rPr.end = t.End
		}
	}
}

// setFormattingKeys computes what formatting each run shows.
func (p *Paragraph) setFormattingKeys(by *parser) {
	for i := range p.runs {
		if r := &p.runs[i]; r.rPr.end > 0 {
			r.key = by.formattingKey(p, p.doc[r.rPr.start:r.rPr.end])
		}
	}
}

// maxKeys bounds the properties of runs whose keys a parser keeps: most runs of a
// document have one of a few.
const maxKeys = 500

// formattingKey returns the properties of a run without those that do not show.
func (p *parser) formattingKey(para *Paragraph, raw []byte) string {
	if p.keysPrefix != para.prefix {
		p.keys, p.keysPrefix = nil, para.prefix
	}
	if key, ok := p.keys[string(raw)]; ok {
		return key
	}
	key := p.d.invisibleProps.ReplaceAllString(string(raw), "")
	key = strings.Replace(key, "<"+para.prefix+"rFonts/>", "", 1)
	name := para.prefix + "rPr"
	if key == "<"+name+"/>" || key == "<"+name+"></"+name+">" {
		key = ""
	}
	if p.keys == nil || len(p.keys) >= maxKeys {
		p.keys = map[string]string{}
	}
	p.keys[string(raw)] = key
	return key
}

// Text returns the paragraph as a reader sees it; tabs and line breaks are "\t"
// and "\n".
func (p *Paragraph) Text() string {
	if len(p.items) == 1 {
		return strings.Clone(p.items[0].text)
	}
	return p.Peek()
}

// Peek is Text that may be part of the document, for callers that do not keep it.
func (p *Paragraph) Peek() string {
	if len(p.items) == 1 {
		return p.items[0].text
	}
	n := 0
	for _, it := range p.items {
		n += len(it.text)
	}
	var sb strings.Builder
	sb.Grow(n)
	for _, it := range p.items {
		sb.WriteString(it.text)
	}
	return sb.String()
}

// TextBefore returns how many bytes of Text stand before an offset of the part.
func (p *Paragraph) TextBefore(offset int) int {
	n := 0
	for _, it := range p.items {
		if it.end <= offset {
			n += len(it.text)
		}
	}
	return n
}

// HasOpaque reports whether the paragraph holds something besides text, such as
// a picture or a field.
func (p *Paragraph) HasOpaque() bool {
	for _, it := range p.items {
		if it.kind == opaqueItem {
			return true
		}
	}
	return false
}
