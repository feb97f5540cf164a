package segment

import (
	"bytes"
	"strings"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// Where is a place in a part.
type Where struct{ Place, Kind string }

// Options adapt Scan to a format and a part.
type Options struct {
	Where // of the part
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
	// Attributes returns the kind and the names of the attributes of the element
	// t with text besides those that all formats have; nil: none.
	Attributes func(t xmlscan.Token) (kind string, names []string)
}

// Part is a part with its texts in document order.
type Part struct {
	Doc   []byte
	Texts []Text

	root       xmlscan.Token
	workbookID string // relationship to the workbook with a chart's data
}

// Scan lists the texts of a part. The error is that of its XML.
func Scan(doc []byte, opt Options) (*Part, error) {
	paras, err := paragraph.Parse(doc, paragraph.Drawing)
	if err != nil {
		return nil, err
	}
	s := &scanner{Part: &Part{Doc: doc}, opt: opt, paras: make(map[int]int, len(paras)), list: paras, counts: map[Series]int{}, shown: map[shownCell]int{}}
	for i, p := range paras {
		s.paras[p.Start] = i
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		switch t := sc.Token(); t.Kind {
		case xmlscan.Start:
			s.start(t)
		case xmlscan.End:
			s.open = s.open[:len(s.open)-1]
		}
	}
	return s.Part, sc.Err()
}

// scanner gathers the texts of a part.
type scanner struct {
	*Part
	opt    Options
	open   []element // from the root
	paras  map[int]int
	list   []*paragraph.Paragraph
	counts map[Series]int
	shown  map[shownCell]int // index of a text by the cell that it shows

	alternate int               // offset of the alternate content at hand
	choices   map[string]string // IDs of the texts of its choice
}

// element is an open element.
type element struct {
	xmlscan.Token
	where   Where
	formula string // of the cells that a chart refers to here
	levels  int    // of labels that have begun in it
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
	k, isPara := s.paras[t.Start]
	switch {
	case isPara:
		s.addParagraph(t, k, in)
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

func (s *scanner) addParagraph(t xmlscan.Token, k int, in Where) {
	u := s.add(Paragraph, t, in)
	u.Para, u.Index = s.list[k], k
	var alternate int
	if alternate, u.Fallback = s.alternative(); alternate == 0 {
		return
	}
	if alternate != s.alternate {
		s.alternate, s.choices = alternate, map[string]string{}
	}
	if text := u.Para.Tagged(); u.Fallback {
		u.Repeats = s.choices[text]
	} else {
		s.choices[text] = u.ID
	}
}

// alternative returns the offset after the start tag of the alternate content
// around the present place, 0 when there is none, and whether the place is in
// its fallback.
func (s *scanner) alternative() (alternate int, fallback bool) {
	for i := len(s.open) - 1; i >= 0; i-- {
		switch e := s.open[i]; {
		case e.Is(nsMC, "Fallback"):
			fallback = true
		case e.Is(nsMC, "AlternateContent"):
			return e.End, fallback
		}
	}
	return 0, fallback
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
	kind, names := Attributes(t)
	if kind == "" && s.opt.Attributes != nil {
		kind, names = s.opt.Attributes(t)
	}
	if kind == "" {
		return
	}
	for a := range t.Attrs() {
		for _, name := range names {
			if a.Name == name {
				u := s.add(Attribute, t, Where{in.Place, kind})
				u.Plain, u.at = a.Value(), []location{{a.ValStart, a.ValEnd}}
			}
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
