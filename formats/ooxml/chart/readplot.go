package chart

import (
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// group is a group of series of one kind, such as barChart (21.2.2.16).
type group struct {
	kind     string
	grouping string
	depth    bool // 3-D
	first    int  // its first series in Content.Series
	axes     []string
}

// plot reads a child of plotArea (21.2.2.145).
func (r *partReader) plot(t xmlscan.Token) {
	switch name, isChart := strings.CutSuffix(t.Local, "Chart"); {
	case isChart:
		g := &group{first: len(r.out.Series)}
		g.kind, g.depth = strings.CutSuffix(name, "3D")
		r.children(func(t xmlscan.Token) { r.grouped(g, t) })
		r.endGroup(g)
	case strings.HasSuffix(t.Local, "Ax"):
		r.axis(t.Local)
	}
}

// grouped reads a child of a group of series.
func (r *partReader) grouped(g *group, t xmlscan.Token) {
	switch t.Local {
	case "barDir":
		if t.AttrLocal("val") != "bar" {
			g.kind = "column"
		}
	case "ofPieType":
		g.kind = map[string]string{"bar": "bar of pie"}[t.AttrLocal("val")]
		if g.kind == "" {
			g.kind = "pie of pie"
		}
	case "grouping":
		g.grouping = map[string]string{"stacked": "stacked ", "percentStacked": "100% stacked "}[t.AttrLocal("val")]
	case "axId":
		if len(g.axes) < maxList {
			g.axes = append(g.axes, t.AttrLocal("val"))
		}
	case "ser":
		if len(r.out.Series) >= MaxSeries {
			r.out.SeriesOmitted++
			return
		}
		var s Plotted
		r.children(func(t xmlscan.Token) { r.series(&s, t) })
		r.out.Series = append(r.out.Series, s)
	}
}

// endGroup gives the series of a group what the group says of them.
func (r *partReader) endGroup(g *group) {
	kind := g.grouping + g.kind
	if g.depth {
		kind = "3-D " + kind
	}
	r.out.addKind(kind)
	if r.firstAxes == nil {
		r.firstAxes = g.axes
	}
	second := len(g.axes) > 0 && !slices.Equal(g.axes, r.firstAxes)
	for i := g.first; i < len(r.out.Series); i++ {
		r.out.Series[i].Kind, r.out.Series[i].Second = kind, second
	}
}

// series reads a child of a series (21.2.2.170 and the other kinds of ser).
func (r *partReader) series(s *Plotted, t xmlscan.Token) {
	switch t.Local {
	case "tx":
		s.Name, s.NameRef = r.label()
	case "cat", "xVal":
		s.Categories = r.data()
	case "val", "yVal":
		s.Values = r.data()
	case "bubbleSize":
		s.Sizes = r.data()
	}
}

// axis reads an axis (21.2.2.25 and the other kinds); one without a title, or
// one that is not shown, does not count.
func (r *partReader) axis(kind string) {
	var a Axis
	deleted := false
	r.children(func(t xmlscan.Token) {
		switch t.Local {
		case "title":
			a.Title = r.title()
		case "delete":
			deleted = isOn(t)
		case "axPos":
			a.Place = "horizontal"
			if v := t.AttrLocal("val"); v == "l" || v == "r" {
				a.Place = "vertical"
			}
		}
	})
	if kind == "serAx" {
		a.Place = "depth"
	}
	if !deleted {
		r.out.addAxis(a)
	}
}

// addAxis adds an axis that has a title.
func (c *Content) addAxis(a Axis) {
	if a.Title == "" || len(c.Axes) >= maxList {
		return
	}
	if a.Place == "" {
		a.Place = "other"
	}
	if slices.ContainsFunc(c.Axes, func(b Axis) bool { return b.Place == a.Place }) {
		a.Place = "second " + a.Place
	}
	c.Axes = append(c.Axes, a)
}

// data reads a list of values with the cells that they come from: numRef, numLit,
// strRef, strLit or multiLvlStrRef (21.2.2.122 and on).
func (r *partReader) data() Data {
	var d Data
	var levels []Data
	var inside func(t xmlscan.Token)
	inside = func(t xmlscan.Token) {
		switch t.Local {
		case "numRef", "numLit":
			d.Numeric = true
			fallthrough
		case "strRef", "strLit", "multiLvlStrRef", "numCache", "strCache", "multiLvlStrCache":
			r.children(inside)
		case "lvl":
			l := Data{}
			r.children(func(t xmlscan.Token) { r.point(&l, t) })
			if len(levels) < maxList {
				levels = append(levels, l)
			}
		case "f":
			d.Formula = r.text()
		case "formatCode":
			d.Format = r.text()
		default:
			r.point(&d, t)
		}
	}
	r.children(inside)
	if len(levels) > 0 {
		d.Points = joinLevels(levels, d.Count)
		d.Count = max(d.Count, levels[0].Count)
	}
	return d
}

// point reads ptCount or pt (21.2.2.145 and 21.2.2.147), also of an extended
// chart.
func (r *partReader) point(d *Data, t xmlscan.Token) {
	switch t.Local {
	case "ptCount":
		n, _ := strconv.Atoi(t.AttrLocal("val"))
		d.Count = max(d.Count, n, 0)
	case "pt":
		i, err := strconv.Atoi(t.AttrLocal("idx"))
		if err != nil || i < 0 {
			return
		}
		d.Count = max(d.Count, i+1)
		if i >= MaxPoints || len(d.Points) >= MaxPoints {
			return
		}
		p := Point{Index: i}
		if t.Space == Namespace {
			r.children(func(t xmlscan.Token) {
				if t.Local == "v" {
					p.Text = r.text()
				}
			})
		} else {
			p.Text = r.text()
		}
		d.Points = append(d.Points, p)
	}
}

// joinLevels makes one label of the levels of each point, the outermost first.
// A level names the first point of those that it groups (21.2.2.99).
func joinLevels(levels []Data, count int) []Point {
	var out []Point
	names := make([]string, len(levels))
	at := make([]int, len(levels))
	for i := range min(max(count, levels[0].Count), MaxPoints) {
		var words []string
		for l := len(levels) - 1; l >= 0; l-- {
			points := levels[l].Points
			if l == 0 {
				names[l] = ""
			}
			for at[l] < len(points) && points[at[l]].Index <= i {
				names[l] = points[at[l]].Text
				at[l]++
			}
			if names[l] != "" {
				words = append(words, names[l])
			}
		}
		out = append(out, Point{Index: i, Text: oneLine(strings.Join(words, " / "))})
	}
	return out
}
