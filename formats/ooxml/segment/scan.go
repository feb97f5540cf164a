package segment

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// Where is a place in a part.
type Where struct{ Place, Kind string }

// Options adapt Scan to a format and a part.
type Options struct {
	Where                      // of the part
	Dialect *paragraph.Dialect // of its paragraphs; nil: paragraph.Drawing
	// ID returns the ID of the text with the 1-based number n in its series.
	// Texts without letters count too, so that no ID depends on any text.
	// element is the local name of the element that has the text.
	ID func(s Series, n int, element string) string
	// Enter returns the place of what the element t holds, itself being in a
	// place; nil: the same place.
	Enter func(t xmlscan.Token, in Where) Where
	// Value reports whether the content of the element t is a text besides those
	// that all formats have; nil: never.
	Value func(t xmlscan.Token) bool
	// Attributes returns the attributes of the element t with text besides those
	// that all formats have; nil: none.
	Attributes func(t xmlscan.Token) []Named
	// PlainOnly says that Value and Attributes find nothing that matters, and that only
	// the text of paragraphs and whether it is in a fallback is asked for.
	PlainOnly bool
	// Space is memory for the texts of a plain part, which are then used until the next
	// scan with it; nil: they are kept.
	Space *Space
}

// Space is memory for the texts of one plain part after the other. The zero value is
// ready to use.
type Space struct {
	texts []Text
	paras paragraph.Space
}

// Named is an attribute with text: its local name and the kind of the text.
type Named struct{ Name, Kind string }

// Part is a part with its texts in document order.
type Part struct {
	Doc   []byte
	Texts []Text

	dialect    *paragraph.Dialect
	root       xmlscan.Token
	workbookID string // relationship to the workbook with a chart's data
}

// ctxStride is how many bytes are scanned between two looks at the context.
const ctxStride = 64 << 10

// Scan lists the texts of a part. The error is that of its XML or of the
// context.
func Scan(ctx context.Context, doc []byte, opt Options) (*Part, error) {
	if opt.Dialect == nil {
		opt.Dialect = paragraph.Drawing
	}
	plain := opt.PlainOnly && isPlain(doc)
	parse := paragraph.Parse
	if plain && opt.Space != nil {
		parse = func(doc []byte, d *paragraph.Dialect) ([]*paragraph.Paragraph, error) {
			return paragraph.ParseIn(&opt.Space.paras, doc, d)
		}
	}
	paras, err := parse(doc, opt.Dialect)
	if err != nil {
		return nil, err
	}
	if plain {
		return plainPart(doc, opt, paras), ctx.Err()
	}
	s := &scanner{Part: &Part{Doc: doc, dialect: opt.Dialect}, opt: opt, paras: paras, counts: map[Series]int{}, shown: map[shownCell]int{}}
	sc, looked := xmlscan.New(doc), -ctxStride
	for sc.Next() {
		t := sc.Token()
		if t.End-looked >= ctxStride {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			looked = t.End
		}
		switch t.Kind {
		case xmlscan.Start:
			s.start(t)
		case xmlscan.End:
			s.open = s.open[:len(s.open)-1]
		}
	}
	return s.Part, sc.Err()
}

// isPlain reports whether a part has no alternate content and nothing of a chart or
// diagram, whose namespaces have these words. The words are looked for where a namespace is
// declared: they begin with letters that are everywhere.
func isPlain(doc []byte) bool {
	if bytes.Contains(doc, []byte("Fallback")) {
		return false
	}
	for {
		i := bytes.Index(doc, []byte("xmlns"))
		if i < 0 {
			return true
		}
		doc = doc[i:]
		end := bytes.IndexByte(doc, '>') + 1
		if end == 0 {
			end = len(doc)
		}
		if declared := doc[:end]; bytes.Contains(declared, []byte("chart")) || bytes.Contains(declared, []byte("diagram")) {
			return false
		}
		doc = doc[end:]
	}
}

// plainPart is a part whose texts are its paragraphs.
func plainPart(doc []byte, opt Options, paras []*paragraph.Paragraph) *Part {
	var texts []Text
	if opt.Space != nil {
		texts = opt.Space.texts[:0]
	}
	texts = slices.Grow(texts, len(paras))
	for i, para := range paras {
		texts = append(texts, Text{Series: Paragraph, Para: para, Index: i})
	}
	if opt.Space != nil {
		opt.Space.texts = texts
	}
	return &Part{Doc: doc, dialect: opt.Dialect, Texts: texts}
}

// scanner gathers the texts of a part.
type scanner struct {
	*Part
	opt    Options
	open   []element // from the root
	paras  []*paragraph.Paragraph
	next   int // index of the paragraph that begins next
	counts map[Series]int
	shown  map[shownCell]int // index of a text by the cell that it shows
}

// element is an open element.
type element struct {
	xmlscan.Token
	where   Where
	formula string              // of the cells that a chart refers to here
	levels  int                 // of labels that have begun in it
	choices map[string][]string // of alternate content: IDs of the texts of its choice
}

// shownCell is a cell of a chart's data with the text that the chart repeats.
type shownCell struct {
	formula string
	level   int
	index   string
	text    string
}

func (s *scanner) start(t xmlscan.Token) {
	in := s.opt.Where
	if n := len(s.open); n > 0 {
		in = Where{chartPlace(t, s.open[n-1].Token, s.open[n-1].where.Place), s.open[n-1].where.Kind}
	} else {
		s.root = t
	}
	if s.opt.Enter != nil {
		in = s.opt.Enter(t, in)
	}
	switch {
	case s.next < len(s.paras) && s.paras[s.next].Start == t.Start:
		s.addParagraph(t, in)
	case isChart(t):
		s.startChart(t, in)
	case s.isProperty(t):
		s.addValue(t, Where{in.Place + ", " + t.Local, in.Kind})
	case s.opt.Value != nil && s.opt.Value(t):
		s.addValue(t, in)
	}
	s.addAttributes(t, in)
	if !t.Empty {
		s.open = append(s.open, element{Token: t, where: in})
	}
}

// startChart takes note of an element of a chart.
func (s *scanner) startChart(t xmlscan.Token, in Where) {
	n := len(s.open)
	switch {
	case t.Local == "externalData": // 21.2.2.63
		s.workbookID = t.AttrLocal("id")
	case t.Local == "f" && n > 0:
		if _, text, ok := s.content(t); ok {
			s.open[n-1].formula = text
		}
	case t.Local == "lvl" && n > 0:
		s.open[n-1].levels++
	case s.isChartValue(t):
		s.addValue(t, in)
	}
}

func (s *scanner) add(series Series, t xmlscan.Token, in Where) *Text {
	s.counts[series]++
	s.Texts = append(s.Texts, Text{Series: series, ID: s.opt.ID(series, s.counts[series], t.Local), Place: in.Place, Kind: in.Kind})
	return &s.Texts[len(s.Texts)-1]
}

func (s *scanner) addParagraph(t xmlscan.Token, in Where) {
	u := s.add(Paragraph, t, in)
	u.Para, u.Index = s.paras[s.next], s.next
	s.next++
	fallback := false
	for i := len(s.open) - 1; i >= 0; i-- {
		switch e := &s.open[i]; {
		case e.Is(nsMC, "Fallback"):
			fallback, u.Fallback = true, true
		case e.Is(nsMC, "AlternateContent"):
			e.pairChoice(u, fallback)
			fallback = false
		}
	}
}

// pairChoice takes a text of a choice of alternate content, or lets one of its
// fallback follow the text of the choice that says the same: the first the
// first.
func (e *element) pairChoice(u *Text, fallback bool) {
	text := u.Para.Tagged()
	if !fallback {
		if e.choices == nil {
			e.choices = map[string][]string{}
		}
		e.choices[text] = append(e.choices[text], u.ID)
	} else if ids := e.choices[text]; len(ids) > 0 && u.Repeats == "" {
		u.Repeats, e.choices[text] = ids[0], ids[1:]
	}
}

// addValue adds the content of an element without child elements. Each series
// of a chart repeats the labels: those of one cell are one text.
func (s *scanner) addValue(t xmlscan.Token, in Where) {
	at, text, ok := s.content(t)
	if !ok {
		return
	}
	cell := s.cellOf(t, text)
	if first, known := s.shown[cell]; known && cell.formula != "" && s.Texts[first].empty == t.Empty {
		s.counts[Value]++
		s.Texts[first].at = append(s.Texts[first].at, at)
		return
	}
	u := s.add(Value, t, in)
	u.Plain, u.Cells, u.empty, u.at = text, cell.formula, t.Empty, []location{at}
	if cell.formula != "" {
		s.shown[cell] = len(s.Texts) - 1
	}
}

// cellOf returns the cell that the value t of a chart shows; without a formula
// when the chart names none.
func (s *scanner) cellOf(t xmlscan.Token, text string) shownCell {
	cell := shownCell{text: text}
	for i := len(s.open) - 1; i >= 0 && cell.formula == ""; i-- {
		e := &s.open[i]
		if cell.level == 0 {
			cell.level = e.levels
		}
		cell.formula = e.formula
	}
	if cell.index = t.AttrLocal("idx"); cell.index == "" && len(s.open) > 0 {
		cell.index = s.open[len(s.open)-1].AttrLocal("idx")
	}
	return cell
}

func (s *scanner) addAttributes(t xmlscan.Token, in Where) {
	texts := attributes(t)
	if texts == nil && s.opt.Attributes != nil {
		texts = s.opt.Attributes(t)
	}
	if texts == nil {
		return
	}
	for a := range t.Attrs() {
		local := a.Name[strings.IndexByte(a.Name, ':')+1:]
		if i := slices.IndexFunc(texts, func(n Named) bool { return n.Name == local }); i >= 0 {
			u := s.add(Attribute, t, Where{in.Place, texts[i].Kind})
			u.Plain, u.at = a.Value(), []location{{a.ValStart, a.ValEnd}}
		}
	}
}

// content returns the text of an element; ok is false when it holds elements.
func (s *scanner) content(t xmlscan.Token) (at location, text string, ok bool) {
	if t.Empty {
		return location{t.Start, t.End}, "", true
	}
	var sb strings.Builder
	for i := t.End; ; {
		n := bytes.IndexByte(s.Doc[i:], '<')
		if n < 0 {
			return at, "", false // the scanner will say so
		}
		sb.WriteString(xmlscan.Unescape(s.Doc[i : i+n]))
		i += n
		switch rest := s.Doc[i:]; {
		case bytes.HasPrefix(rest, []byte("</")):
			text = strings.ReplaceAll(sb.String(), "\r\n", "\n") // XML 1.0, 2.11
			return location{t.End, i}, text, true
		case bytes.HasPrefix(rest, []byte(cdata)):
			inner, _, _ := bytes.Cut(rest[len(cdata):], []byte("]]>"))
			sb.Write(inner)
			i = min(i+len(cdata)+len(inner)+len("]]>"), len(s.Doc))
		case bytes.HasPrefix(rest, []byte("<!--")):
			inner, _, _ := bytes.Cut(rest, []byte("-->"))
			i = min(i+len(inner)+len("-->"), len(s.Doc))
		case bytes.HasPrefix(rest, []byte("<?")):
			inner, _, _ := bytes.Cut(rest, []byte("?>"))
			i = min(i+len(inner)+len("?>"), len(s.Doc))
		default:
			return at, "", false
		}
	}
}

const cdata = "<![CDATA["
