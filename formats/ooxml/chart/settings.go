package chart

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/internal/textclip"
)

// Setting is a setting of a chart in words.
type Setting struct {
	Key  string // the same for the same setting of the chart before and after an edit
	Text string
}

// maxSettings bounds the settings of one chart.
const maxSettings = 2000

// Settings lists what a person can set of a chart: title, legend, kinds, axes,
// and of each series its cells, colours, labels, markers and trend lines. values
// adds the values that the chart stores. An extended chart gives its title and
// series. The errors are those of the XML and of the context.
func Settings(ctx context.Context, part []byte, values bool) ([]Setting, error) {
	e, err := openEditor(ctx, part)
	if errors.Is(err, ErrExtended) || errors.Is(err, ErrNoChart) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &settings{editor: e, values: values}
	s.whole()
	for i, g := range e.groups {
		s.group(i, g)
	}
	n := 0
	for a := range e.plot.Kids() {
		if n < maxList && a.Space == Namespace && strings.HasSuffix(a.Local, "Ax") {
			s.axis(n, a)
			n++
		}
	}
	for _, one := range e.allSeries() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.series(one)
	}
	return s.out, nil
}

// settings collects the settings of a chart.
type settings struct {
	*editor
	values bool
	out    []Setting
}

// add notes a setting; an empty text is none.
func (s *settings) add(key, format string, args ...any) {
	if text := strings.TrimSpace(fmt.Sprintf(format, args...)); text != "" && len(s.out) < maxSettings {
		s.out = append(s.out, Setting{key, textclip.Head(text, maxText)})
	}
}

var legendWords = map[string]string{"b": "at the bottom", "t": "at the top", "l": "on the left", "r": "on the right", "tr": "at the top right"}

func (s *settings) whole() {
	if t := s.space.Child(Namespace, "title"); t != nil {
		if text := s.label(t.Child(Namespace, "tx")); text != "" {
			s.add("title", "title %s", quoted(text))
		} else {
			s.add("title", "title: the name of the series")
		}
	}
	if l := s.space.Child(Namespace, "legend"); l != nil {
		place := legendWords[l.Child(Namespace, "legendPos").Value("val")]
		if place == "" {
			place = "on the right"
		}
		s.add("legend", "legend %s", place)
	}
}

func (s *settings) group(i int, g *plotGroup) {
	kind := strings.ReplaceAll(g.kind.String(), "_", " ")
	if g.depth {
		kind = "3-D " + kind
	}
	what := kind
	if i > 0 {
		what = fmt.Sprintf("group %d", i+1)
	}
	s.add(fmt.Sprintf("group %d", i), "shown as %s", kind)
	for _, v := range []struct{ local, word string }{{"gapWidth", "gap"}, {"overlap", "overlap"}, {"holeSize", "hole"}} {
		if n := g.n.Child(Namespace, v.local); n != nil {
			s.add(fmt.Sprintf("group %d %s", i, v.local), "%s of %s %s %%", v.word, what, strings.TrimSuffix(n.Value("val"), "%"))
		}
	}
	s.add(fmt.Sprintf("group %d labels", i), "%s", labelWords(string(s.t.Raw(g.n.Child(Namespace, "dLbls")))))
}

// axisName names an axis by what it is and where.
func (s *settings) axisName(i int, n *node) string {
	if len(s.groups) > 0 {
		x, y := s.axisPair(s.groups[0])
		switch n {
		case x:
			return "x axis"
		case y:
			return "y axis"
		}
		if second := s.secondary(); second != nil {
			switch x, y := s.axisPair(second); n {
			case x:
				return "second x axis"
			case y:
				return "second y axis"
			}
		}
	}
	return "axis " + strconv.Itoa(i+1)
}

func (s *settings) axis(i int, n *node) {
	name := s.axisName(i, n)
	add := func(key, format string, args ...any) { s.add(name+" "+key, name+" "+format, args...) }
	if on(n.Child(Namespace, "delete")) {
		add("hidden", "hidden")
	}
	if t := n.Child(Namespace, "title"); t != nil {
		add("title", "title %s", quoted(s.label(t.Child(Namespace, "tx"))))
	}
	if f := n.Child(Namespace, "numFmt"); f != nil && !on1(f.Value("sourceLinked")) {
		add("format", "number format %s", f.Value("formatCode"))
	}
	if n.Child(Namespace, "majorGridlines") != nil {
		add("grid", "with grid lines")
	}
	for _, v := range []struct{ key, text string }{{"min", "begins at"}, {"max", "ends at"}, {"logBase", "logarithmic, base"}} {
		if c := n.Child(Namespace, "scaling").Child(Namespace, v.key); c != nil {
			add(v.key, "%s %s", v.text, c.Value("val"))
		}
	}
	if n.Child(Namespace, "scaling").Child(Namespace, "orientation").Value("val") == "maxMin" {
		add("orientation", "reversed")
	}
	if u := n.Child(Namespace, "majorUnit"); u != nil {
		add("unit", "in steps of %s", u.Value("val"))
	}
}

func on1(v string) bool { return v == "1" || v == "true" }

func (s *settings) series(one *plotSeries) {
	idx := one.n.Child(Namespace, "idx").Value("val")
	name := quoted(one.name)
	if one.name == "" {
		name = idx
	}
	add := func(key, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); text != "" {
			s.add("series "+idx+" "+key, "series %s: %s", name, text)
		}
	}
	if ref := s.formulaOf(one.n.Child(Namespace, "tx")); ref != "" {
		s.add("series "+idx, "series %s, named by %s", name, ref)
	} else {
		s.add("series "+idx, "series %s", name)
	}
	if len(s.groups) > 1 {
		where := ""
		if s.slotOf(one.group).second {
			where = " on the second axis"
		}
		add("kind", "shown as %s%s", strings.ReplaceAll(one.group.kind.String(), "_", " "), where)
	}
	for _, v := range []struct{ local, word string }{{"val", "values"}, {"yVal", "values"}, {"cat", "categories"}, {"xVal", "x values"}, {"bubbleSize", "sizes"}} {
		n := one.n.Child(Namespace, v.local)
		if ref := s.formulaOf(n); ref != "" {
			add(v.local, "%s %s", v.word, ref)
		}
		if s.values && n != nil {
			add(v.local+" list", "%s %s", v.word, s.points(n))
		}
	}
	s.seriesLook(one, add)
}

func (s *settings) seriesLook(one *plotSeries, add func(key, format string, args ...any)) {
	sp := one.n.Child(Namespace, "spPr")
	add("colour", "%s", colorWords("colour", sp))
	if ln := sp.Child(nsA, "ln"); ln != nil {
		if w, err := strconv.Atoi(ln.Value("w")); err == nil && ln.Child(nsA, "noFill") == nil {
			add("line", "line of %s pt %s", number(float64(w)/12700), strings.TrimPrefix(colorWords("", ln), " "))
		}
		if ln.Child(nsA, "noFill") != nil && one.group.kind.linear() {
			add("line", "no line")
		}
	}
	if m := one.n.Child(Namespace, "marker"); m != nil {
		add("marker", "markers %s %s", m.Child(Namespace, "symbol").Value("val"), colorWords("", m.Child(Namespace, "spPr")))
	}
	if on(one.n.Child(Namespace, "smooth")) {
		add("smooth", "smooth line")
	}
	for k := range one.n.Kids() {
		switch {
		case k.Is(Namespace, "dPt"):
			idx := intOf(k.Child(Namespace, "idx")) + 1
			words := colorWords("colour", k.Child(Namespace, "spPr"))
			if words == "" {
				words = colorWords("colour", k.Child(Namespace, "marker").Child(Namespace, "spPr"))
			}
			if words != "" {
				add(fmt.Sprintf("point %d", idx), "point %d: %s", idx, words)
			}
		case k.Is(Namespace, "trendline"):
			add("trend "+k.Child(Namespace, "trendlineType").Value("val"), "%s", s.trendWords(k))
		case k.Is(Namespace, "errBars"):
			add("error bars "+k.Child(Namespace, "errDir").Value("val"), "error bars")
		}
	}
	add("labels", "%s", labelWords(string(s.t.Raw(one.n.Child(Namespace, "dLbls")))))
}

// formulaOf returns the reference of a list of values or a name.
func (s *settings) formulaOf(n *node) string {
	for k := range n.Kids() {
		if f := k.Child(Namespace, "f"); f != nil {
			return oneLine(s.t.Text(f))
		}
	}
	return ""
}

// points lists the first values of a series.
func (s *settings) points(n *node) string {
	var out []string
	total := 0
	for v := range n.All() {
		if v.Is(Namespace, "v") {
			if total++; len(out) < 20 {
				out = append(out, textclip.Head(oneLine(s.t.Text(v)), 30))
			}
		}
	}
	text := strings.Join(out, ", ")
	if total > len(out) {
		text += fmt.Sprintf(", … %d more", total-len(out))
	}
	return text
}

// colorWords names the fill of a shape or line, "" for none that is one colour.
func colorWords(word string, n *node) string {
	f := n.Child(nsA, "solidFill")
	for c := range f.Kids() {
		if v := c.Value("val"); v != "" {
			return strings.TrimSpace(word + " " + v)
		}
	}
	if n.Child(nsA, "gradFill") != nil {
		return strings.TrimSpace(word + " gradient")
	}
	return ""
}

var trendWords = map[string]string{"linear": "linear", "exp": "exponential", "log": "logarithmic", "poly": "polynomial", "power": "power", "movingAvg": "moving average"}

// trendWords describes a trend line (21.2.2.211).
func (s *settings) trendWords(n *node) string {
	val := func(local string) string { return n.Child(Namespace, local).Value("val") }
	kind := trendWords[val("trendlineType")]
	out := kind + " trend line"
	if v := val("order"); v != "" && kind == "polynomial" {
		out += " of order " + v
	}
	if v := val("period"); v != "" && kind == "moving average" {
		out += " of " + v + " points"
	}
	if name := s.t.Text(n.Child(Namespace, "name")); name != "" {
		out += " " + quoted(oneLine(name))
	}
	for _, v := range []string{"forward", "backward"} {
		if d := val(v); d != "" && d != "0" {
			out += ", " + d + " " + v
		}
	}
	if on(n.Child(Namespace, "dispEq")) {
		out += ", with its equation"
	}
	if on(n.Child(Namespace, "dispRSqr")) {
		out += ", with R²"
	}
	return out
}

// labelWords says what labels show (21.2.2.49), "" where they show nothing.
func labelWords(xml string) string {
	if xml == "" {
		return ""
	}
	l := element.Parse(xml, "", labelsSchema)
	if d := l.Get("delete"); d != "" && on1(valueOf(d)) {
		return "no labels"
	}
	var shows []string
	single := 0
	for _, c := range l.Children {
		if c.Local == "dLbl" {
			single++
		}
	}
	for _, w := range labelShows {
		if x := l.Get(w.local); x != "" && valueOf(x) != "0" && valueOf(x) != "false" {
			shows = append(shows, strings.ReplaceAll(w.word, "_", " "))
		}
	}
	out := ""
	if len(shows) > 0 {
		out = "labels with " + strings.Join(shows, ", ")
		for word, place := range labelPlaces {
			if valueOf(l.Get("dLblPos")) == place {
				out += ", " + strings.ReplaceAll(word, "_", " ")
			}
		}
		if f := l.Get("numFmt"); f != "" {
			if code, _ := element.Parse(f, "", nil).Attr("formatCode"); code != "" {
				out += ", as " + code
			}
		}
	}
	if single > 0 {
		out = strings.TrimPrefix(out+fmt.Sprintf(", %s of single points", formats.Count(single, "label", "labels")), ", ")
	}
	return out
}

// lookWords are the settings that a reader of the chart sees beside its data:
// legend, axes, labels, trend lines. Names of series are those of the chart.
func lookWords(list []Setting) []string {
	var out []string
	for _, s := range list {
		key := " " + s.Key + " "
		shown := s.Key == "legend" || strings.Contains(key, " axis ") && !strings.Contains(key, " title ") && !strings.Contains(key, " grid ") && !strings.HasSuffix(s.Text, " General") &&
			!strings.HasPrefix(s.Text, "second x axis") && !(strings.HasPrefix(s.Text, "axis ") && strings.HasSuffix(s.Text, "hidden"))
		for _, w := range []string{" trend ", " error bars ", " labels ", " smooth "} {
			shown = shown || strings.Contains(key, w)
		}
		if shown {
			out = append(out, s.Text)
		}
	}
	return out
}
