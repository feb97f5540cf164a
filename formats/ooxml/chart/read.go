package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/textclip"
)

// What Read keeps of a chart, so that a hostile one cannot fill an answer.
const (
	MaxSeries = 30  // series
	MaxPoints = 100 // points of each list of values
	maxText   = 200 // characters of a text
	maxList   = 20  // kinds, axes, and texts of a label
	maxLooks  = 60
)

// Content is what a chart shows, as its part stores it: the values are those of
// the time when a program last drew the chart.
type Content struct {
	Kinds         []string // "column", "stacked bar", "3-D pie", "waterfall" …, each once
	Title         string
	Axes          []Axis // those with a title
	Series        []Plotted
	SeriesOmitted int    // series behind the first MaxSeries
	Pivot         string // the pivot table that it shows; "": none
	Date1904      bool   // of dates among the values
	// Looks are legend, scales of axes, labels, trend lines and error bars in words,
	// up to 60.
	Looks []string
}

// Axis is an axis with a title.
type Axis struct {
	Place string // "horizontal", "vertical", "second vertical", "depth"
	Title string
}

// Plotted is one series with its cached values. Of each list the points with an
// index below MaxPoints are kept; Count says how many there are.
type Plotted struct {
	Kind       string
	Second     bool // on the second pair of axes
	Name       string
	NameRef    string // the cells of the name; "": a literal
	Categories Data   // labels, or the x values of a scatter or bubble chart
	Values     Data
	Sizes      Data // of bubbles
}

// ErrNoChart says that a part is no chart.
var ErrNoChart = errors.New("the part is no chart")

// Read returns what the chart in a part shows: a chart of ECMA-376-1, 21.2.2.29,
// or an extended one of [MS-ODRAWXML] 2.24.3. Elements that are missing are
// empty. The errors are those of the XML and of ctx, and ErrNoChart.
func Read(ctx context.Context, part []byte) (*Content, error) {
	r := &partReader{ctx: ctx, sc: xmlscan.New(part), out: &Content{}}
	for r.sc.Next() && r.sc.Token().Kind != xmlscan.Start {
	}
	switch t := r.sc.Token(); {
	case r.sc.Err() != nil:
	case t.Local != "chartSpace":
		return nil, ErrNoChart
	case t.Space == Namespace:
		r.children(r.space)
	default:
		(&extendedReader{partReader: r}).read()
	}
	if err := errors.Join(r.err, r.sc.Err()); err != nil {
		return nil, err
	}
	if r.autoTitle && r.out.Title == "" && len(r.out.Series) == 1 {
		r.out.Title = r.out.Series[0].Name
	}
	list, err := Settings(ctx, part, false)
	if err != nil {
		return nil, err
	}
	if r.out.Looks = lookWords(list); len(r.out.Looks) > maxLooks {
		r.out.Looks = append(r.out.Looks[:maxLooks:maxLooks], fmt.Sprintf("… %d more", len(r.out.Looks)-maxLooks))
	}
	return r.out, nil
}

// partReader reads the elements of a chart part one after another.
type partReader struct {
	ctx       context.Context
	err       error // of ctx
	sc        *xmlscan.Scanner
	out       *Content
	autoTitle bool     // the title has no text: programs show the name of the only series
	firstAxes []string // ids of the axes of the first group of series
	steps     int
}

// children calls f for each child of the element just begun. f may read the
// child with children or text; what it does not read is skipped.
func (r *partReader) children(f func(t xmlscan.Token)) {
	parent := r.sc.Token()
	if parent.Empty {
		return
	}
	for r.err == nil && r.sc.Next() {
		if r.steps++; r.steps%4096 == 0 {
			r.err = r.ctx.Err()
		}
		t := r.sc.Token()
		if t.Kind == xmlscan.End && t.Depth == parent.Depth {
			return
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		if t.Local != "extLst" && t.Local != "Fallback" { // what other programs add, or show instead
			f(t)
		}
		if now := r.sc.Token(); now.Kind == xmlscan.Start && now.Start == t.Start {
			r.sc.Skip()
		}
	}
}

// text returns the character data of the element just begun, on one line.
func (r *partReader) text() string { return oneLine(r.raw()) }

// raw is text with its blanks.
func (r *partReader) raw() string {
	t := r.sc.Token()
	if t.Empty {
		return ""
	}
	var sb strings.Builder
	for r.sc.Next() {
		now := r.sc.Token()
		if now.Kind == xmlscan.End && now.Depth == t.Depth {
			break
		}
		b := now.Bytes()
		switch now.Kind {
		case xmlscan.CData:
			b = b[len("<![CDATA[") : len(b)-len("]]>")]
		case xmlscan.Text:
			b = []byte(xmlscan.Unescape(b[:min(len(b), 16*maxText)]))
		default:
			continue
		}
		sb.Write(b[:min(len(b), max(0, 8*maxText-sb.Len()))])
	}
	return sb.String()
}

func oneLine(s string) string {
	return textclip.Head(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " "), maxText)
}

// space reads a child of chartSpace (21.2.2.29).
func (r *partReader) space(t xmlscan.Token) {
	switch t.Local {
	case "date1904":
		r.out.Date1904 = isOn(t)
	case "pivotSource":
		r.children(func(t xmlscan.Token) {
			if t.Local == "name" {
				r.out.Pivot = r.text()
			}
		})
	case "chart":
		r.children(r.chart)
	}
}

// isOn reads a boolean val, which is true when it is absent.
func isOn(t xmlscan.Token) bool {
	v, given := t.Attr("val")
	return !given || v == "1" || v == "true"
}

// chart reads a child of chart (21.2.2.27).
func (r *partReader) chart(t xmlscan.Token) {
	switch t.Local {
	case "title":
		r.out.Title, r.autoTitle = r.title(), true
	case "autoTitleDeleted":
		r.autoTitle = r.autoTitle && !isOn(t)
	case "plotArea":
		r.children(r.plot)
	}
}

// title returns the text of a title (21.2.2.210): rich text, or what a cell
// holds.
func (r *partReader) title() (text string) {
	r.children(func(t xmlscan.Token) {
		if t.Local == "tx" {
			text, _ = r.label()
		}
	})
	return text
}

// label reads a tx element: its text, and the cells that it comes from.
func (r *partReader) label() (text, ref string) {
	var words []string
	var inside func(t xmlscan.Token)
	inside = func(t xmlscan.Token) {
		switch t.Local {
		case "v", "p":
			one := ""
			if t.Local == "p" {
				one = r.paragraph()
			} else {
				one = r.text()
			}
			if len(words) < maxList {
				words = append(words, one)
			}
		case "f":
			ref = r.text()
		case "rich", "strRef", "strCache", "pt", "txData":
			r.children(inside)
		}
	}
	r.children(inside)
	return oneLine(strings.Join(words, " ")), ref
}

// paragraph returns the text of a paragraph, whose runs may split words.
func (r *partReader) paragraph() string {
	var sb strings.Builder
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "r", "fld":
			r.children(func(t xmlscan.Token) {
				if t.Local == "t" && sb.Len() < 8*maxText {
					sb.WriteString(r.raw())
				}
			})
		case "br":
			sb.WriteByte(' ')
		}
	})
	return sb.String()
}

// addKind adds a kind of the plot area, once.
func (c *Content) addKind(kind string) {
	if kind != "" && !slices.Contains(c.Kinds, kind) && len(c.Kinds) < maxList {
		c.Kinds = append(c.Kinds, kind)
	}
}
