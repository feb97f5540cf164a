package chart

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
)

// titleXML returns a title with a text, with the looks and place of the old one;
// "" for no text.
func (e *editor) titleXML(old *node, text, turn string, size int) string {
	if text == "" {
		return ""
	}
	var sb strings.Builder
	body, props, run := e.xml(`<a:bodyPr`+turn+`/><a:lstStyle/>`), "", ""
	if rich := old.Child(Namespace, "tx").Child(Namespace, "rich"); rich != nil {
		body = ""
		for _, local := range []string{"bodyPr", "lstStyle"} {
			body += string(e.t.Raw(rich.Child(nsA, local)))
		}
		p := rich.Child(nsA, "p")
		props = string(e.t.Raw(p.Child(nsA, "pPr")))
		run = string(e.t.Raw(p.Child(nsA, "r").Child(nsA, "rPr")))
	} else if old == nil {
		w := &writer{spec: &Spec{Slide: e.slide}}
		props = e.xml(fmt.Sprintf(`<a:pPr><a:defRPr sz="%d" b="0"/></a:pPr>`, w.textSize(size)))
	}
	sb.WriteString(e.xml(`<c:tx><c:rich>`) + body)
	for _, line := range strings.Split(text, "\n") {
		sb.WriteString(e.xml(`<a:p>`) + props + e.xml(`<a:r>`) + run + e.xml(`<a:t>`+escaped(line)+`</a:t></a:r></a:p>`))
	}
	sb.WriteString(e.xml(`</c:rich></c:tx>`))
	if old == nil {
		return e.xml(`<c:title>`) + sb.String() + e.xml(`<c:overlay val="0"/></c:title>`)
	}
	out := element.Parse(e.t.Raw(old), "", titleSchema)
	out.Set("tx", sb.String())
	return out.String()
}

// setTitle sets the title of the chart; "" removes it.
func (e *editor) setTitle(text string) {
	e.set(e.space, chartSchema, "title", e.titleXML(e.space.Child(Namespace, "title"), text, "", 1400))
	// Else a chart of one series shows the name of that.
	e.set(e.space, chartSchema, "autoTitleDeleted", e.xml(`<c:autoTitleDeleted val="`+boolValue(text == "")+`"/>`))
}

var legendPlaces = map[string]string{"bottom": "b", "top": "t", "left": "l", "right": "r", "top_right": "tr", "none": ""}

// setLegend puts the legend somewhere, or removes it.
func (e *editor) setLegend(word string) error {
	place, ok := legendPlaces[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), " ", "_")]
	if !ok {
		return formats.Errorf(formats.CodeInvalid, "legend must be none, bottom, top, left, right or top_right, not %s", quoted(word))
	}
	old := e.space.Child(Namespace, "legend")
	switch {
	case place == "":
		e.set(e.space, chartSchema, "legend", "")
	case old == nil:
		e.set(e.space, chartSchema, "legend", e.xml(`<c:legend><c:legendPos val="`+place+`"/><c:overlay val="0"/></c:legend>`))
	default:
		l := element.Parse(e.t.Raw(old), "", legendSchema)
		if old.Child(Namespace, "legendPos").Value("val") != place {
			l.Drop("layout") // a place that was set by hand
		}
		l.Set("legendPos", e.xml(`<c:legendPos val="`+place+`"/>`))
		e.set(e.space, chartSchema, "legend", l.String())
	}
	return nil
}

// labelShows are the elements of what labels show.
var labelShows = []struct{ word, local string }{
	{"value", "showVal"}, {"percent", "showPercent"}, {"category", "showCatName"}, {"series", "showSerName"}, {"bubble_size", "showBubbleSize"},
}

var labelPlaces = map[string]string{"center": "ctr", "inside_end": "inEnd", "inside_base": "inBase", "outside_end": "outEnd", "above": "t", "below": "b", "left": "l", "right": "r", "best_fit": "bestFit"}

// labels are what is set of the labels of a series.
type labels struct {
	show  string // words with commas; "": as it is
	place string // "": as it is
	code  string // number format; "": as it is
}

func (l labels) empty() bool { return l == labels{} }

// check reads the words; shows has the elements that are on.
func (l labels) check() (shows []string, place string, err error) {
	for _, w := range strings.FieldsFunc(strings.ToLower(l.show), func(r rune) bool { return strings.ContainsRune(", +;", r) }) {
		known := w == "none"
		for _, s := range labelShows {
			if s.word == w || s.word == strings.TrimSuffix(w, "s") {
				shows, known = append(shows, s.local), true
			}
		}
		if !known {
			return nil, "", formats.Errorf(formats.CodeInvalid, "data_labels must be none, value, percent, category or series, or several with commas, not %s", quoted(l.show))
		}
	}
	if l.place != "" {
		if place = labelPlaces[strings.ReplaceAll(strings.ToLower(strings.TrimSpace(l.place)), " ", "_")]; place == "" {
			return nil, "", formats.Errorf(formats.CodeInvalid, "label_position must be center, inside_end, inside_base, outside_end, above, below, left, right or best_fit, not %s", quoted(l.place))
		}
	}
	return shows, place, nil
}

// labelPlacesOf lists the places that labels of a kind may have (21.2.3.10).
func (g *plotGroup) labelPlaces() []string {
	switch k := g.kind; {
	case g.depth || g.fixed:
	case k.bars() && k.Grouping == "":
		return []string{"ctr", "inEnd", "inBase", "outEnd"}
	case k.bars():
		return []string{"ctr", "inEnd", "inBase"}
	case k.Name == "line" || k.xy() || k.Name == "stock":
		return []string{"ctr", "t", "b", "l", "r"}
	case k.Name == "pie":
		return []string{"ctr", "inEnd", "outEnd", "bestFit"}
	}
	return nil
}

// setLabels sets the labels of a series (21.2.2.49).
func (e *editor) setLabels(s *plotSeries, l labels) error {
	shows, place, err := l.check()
	if err != nil {
		return err
	}
	old := e.get(s.n, "dLbls")
	inherited := s.group.labels != nil
	if s.n.Empty || old == "" && (len(shows) == 0 && !inherited) {
		if l.place != "" || l.code != "" && l.show == "" {
			if l.place != "" {
				e.warn(fmt.Sprintf("the series %s has no data labels; give data_labels too", quoted(s.name)))
			}
		}
		return nil
	}
	if old == "" && l.show == "" && l.place == "" {
		return nil
	}
	if old == "" {
		old = e.xml(`<c:dLbls><c:showLegendKey val="0"/><c:showVal val="0"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls>`)
		if l.show == "" {
			old = string(e.t.Raw(s.group.labels))
		}
	}
	el := element.Parse(old, "", labelsSchema)
	if l.show != "" {
		e.showLabels(s, el, shows)
	}
	if l.code != "" && el.Get("delete") == "" {
		el.Set("numFmt", e.numberFormat(l.code))
	}
	if place != "" {
		if !slices.Contains(s.group.labelPlaces(), place) {
			return formats.Errorf(formats.CodeInvalid, "labels of the series %s, shown as %s, cannot be at %s", quoted(s.name), s.group.kind, l.place)
		}
		if el.Get("delete") == "" {
			el.Set("dLblPos", e.xml(`<c:dLblPos val="`+place+`"/>`))
		}
	}
	e.set(s.n, seriesSchema, "dLbls", el.String())
	return nil
}

// showLabels makes labels show some things. Points lose settings of their own.
func (e *editor) showLabels(s *plotSeries, el *element.Element, shows []string) {
	if slices.Contains(shows, "showPercent") && !s.group.kind.round() && s.group.n.Local != "ofPieChart" {
		e.warn("only pie and doughnut charts show percentages in labels; in this chart the labels are empty or show values")
	}
	before := len(el.Children)
	el.Drop("dLbl")
	e.lostLabels += before - len(el.Children)
	el.Drop("delete")
	all := []string{"showLegendKey"}
	for _, w := range labelShows {
		all = append(all, w.local)
	}
	for _, local := range all {
		el.Set(local, e.xml(`<c:`+local+` val="`+boolValue(slices.Contains(shows, local))+`"/>`))
	}
}

func (e *editor) numberFormat(code string) string {
	return e.xml(`<c:numFmt formatCode="` + xmlscan.EscapeAttr(code) + `" sourceLinked="0"/>`)
}
