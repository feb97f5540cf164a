package chart

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
)

type node = tree.Node

// ErrExtended says that a part is an extended chart ([MS-ODRAWXML] 2.24.3),
// such as a waterfall or a treemap.
var ErrExtended = errors.New("the chart is of a newer kind (waterfall, treemap, histogram, funnel, box and whisker, sunburst or map)")

// editor is a chart part that is edited. Edits are collected by element and made
// by flush, so that all other bytes stay.
type editor struct {
	ctx              context.Context
	t                *tree.Tree
	space            *node // c:chart
	plot             *node // c:plotArea
	groups           []*plotGroup
	c, a             string // prefixes with colon
	declareA         bool   // a: is used and not declared yet
	slide            bool
	lost, lostSlices bool // what a change of kind removed
	lostLabels       int  // labels of single points that lost settings of their own
	warnings         []string
	pending          map[*node]map[string]change
	order            []*node // keys of pending
	splices          []xmlscan.Splice
}

// change is what the children of an element with one name become.
type change struct {
	rank int
	xml  string
}

// plotGroup is a group of series, such as barChart.
type plotGroup struct {
	n      *node
	kind   Kind
	fixed  bool // its kind is none of Kinds, such as a surface
	depth  bool // 3-D
	axes   []string
	labels *node // c:dLbls
	series []*plotSeries
}

// plotSeries is a c:ser.
type plotSeries struct {
	n     *node
	group *plotGroup
	name  string
}

// openEditor opens a part. The errors are ErrNoChart, ErrExtended, those of the
// XML and that of the context.
func openEditor(ctx context.Context, part []byte) (*editor, error) {
	e := &editor{ctx: ctx}
	t, err := tree.Parse(ctx, part, nil)
	if err != nil {
		return nil, err
	}
	if t.Root.Local != "chartSpace" {
		return nil, ErrNoChart
	}
	if t.Root.Space != Namespace {
		return nil, ErrExtended
	}
	e.open(t)
	if e.plot == nil {
		return nil, ErrNoChart
	}
	return e, nil
}

func (e *editor) open(t *tree.Tree) {
	e.t, e.groups, e.pending, e.order, e.splices = t, nil, map[*node]map[string]change{}, nil, nil
	e.space = t.Root.Child(Namespace, "chart")
	e.plot = e.space.Child(Namespace, "plotArea")
	e.c = colon(t.Root.Prefix)
	if a, ok := t.Root.PrefixOf(nsA); ok {
		e.a, e.declareA = colon(a), false
	} else {
		e.a = "a:"
	}
	for g := range e.plot.Kids() {
		if g.Space == Namespace && strings.HasSuffix(g.Local, "Chart") {
			e.groups = append(e.groups, e.groupOf(g))
		}
	}
}

func colon(prefix string) string {
	if prefix == "" {
		return ""
	}
	return prefix + ":"
}

// groupOf reads a group of series.
func (e *editor) groupOf(n *node) *plotGroup {
	g := &plotGroup{n: n}
	name := strings.TrimSuffix(n.Local, "Chart")
	name, g.depth = strings.CutSuffix(name, "3D")
	if name == "bar" && n.Child(Namespace, "barDir").Value("val") != "bar" {
		name = "column"
	}
	g.kind.Name = name
	g.fixed = !slices.Contains(Kinds, name)
	switch n.Child(Namespace, "grouping").Value("val") {
	case "stacked":
		g.kind.Grouping = "stacked"
	case "percentStacked":
		g.kind.Grouping = "percent"
	}
	if name == "scatter" {
		g.kind.Style = e.scatterStyle(n)
	}
	if name == "radar" && n.Child(Namespace, "radarStyle").Value("val") == "filled" {
		g.kind.Style = "filled"
	}
	for k := range n.Kids() {
		switch {
		case k.Is(Namespace, "dLbls"):
			g.labels = k
		case k.Is(Namespace, "axId"):
			g.axes = append(g.axes, k.Value("val"))
		case k.Is(Namespace, "ser"):
			s := &plotSeries{n: k, group: g}
			s.name = e.label(k.Child(Namespace, "tx"))
			g.series = append(g.series, s)
		}
	}
	return g
}

// scatterStyle tells by the first series whether points are joined.
func (e *editor) scatterStyle(n *node) string {
	s := n.Child(Namespace, "ser")
	if s != nil && s.Child(Namespace, "spPr").Child(nsA, "ln").Child(nsA, "noFill") != nil || n.Child(Namespace, "scatterStyle").Value("val") == "marker" {
		return ""
	}
	if s != nil && on(s.Child(Namespace, "smooth")) {
		return "smooth"
	}
	return "lines"
}

// on reads a boolean element; one that is absent is off.
func on(n *node) bool {
	return n != nil && n.Value("val") != "0" && n.Value("val") != "false"
}

// label returns the text of a c:tx on one line.
func (e *editor) label(tx *node) string {
	var words []string
	for k := range tx.All() {
		if k.Is(Namespace, "v") || k.Is(nsA, "t") {
			words = append(words, e.t.Text(k))
		}
	}
	return oneLine(strings.Join(words, " "))
}

// allSeries lists the series in the order of the file.
func (e *editor) allSeries() []*plotSeries {
	var out []*plotSeries
	for _, g := range e.groups {
		out = append(out, g.series...)
	}
	return out
}

// xml returns an element written with the prefixes c: and a:.
func (e *editor) xml(raw string) string {
	if _, bound := e.t.Root.PrefixOf(nsA); !bound && strings.Contains(raw, "<a:") {
		e.declareA = true
	}
	if e.c == "c:" && e.a == "a:" {
		return raw
	}
	return strings.NewReplacer("<c:", "<"+e.c, "</c:", "</"+e.c, "<a:", "<"+e.a, "</a:", "</"+e.a).Replace(raw)
}

// get returns the children of n with a name as they will be, "" for none.
func (e *editor) get(n *node, local string) string {
	if c, ok := e.pending[n][local]; ok {
		return c.xml
	}
	return e.raw(n, local)
}

// raw returns the children of n with a name as they are.
func (e *editor) raw(n *node, local string) string {
	var sb strings.Builder
	for k := range n.Kids() {
		if k.Is(Namespace, local) || k.Space != Namespace && k.Local == local {
			sb.Write(e.t.Raw(k))
		}
	}
	return sb.String()
}

// set makes xml the children of n with a name; "" removes them.
func (e *editor) set(n *node, schema *element.Schema, local, xml string) {
	if e.pending[n] == nil {
		e.pending[n] = map[string]change{}
		e.order = append(e.order, n)
	}
	e.pending[n][local] = change{schema.Rank(local), xml}
}

// flush makes the edits and reads the part again.
func (e *editor) flush() error {
	splices := e.splices
	for _, n := range e.order {
		splices = append(splices, e.edits(n)...)
	}
	if e.declareA {
		root := e.t.Root
		at := root.End - 1
		uri := nsA
		if e.t.Strict() {
			uri = xmlscan.Strict(nsA)
		}
		splices = append(splices, xmlscan.Splice{Start: at, End: at, New: []byte(` xmlns:a="` + uri + `"`)})
	}
	if len(splices) == 0 {
		return e.ctx.Err()
	}
	t, err := tree.Parse(e.ctx, xmlscan.Apply(e.t.Doc, splices), nil)
	if err != nil {
		return err
	}
	e.open(t)
	return nil
}

// edits returns the edits of the children of n.
func (e *editor) edits(n *node) []xmlscan.Splice {
	type named struct {
		local string
		change
	}
	var list []named
	for local, c := range e.pending[n] {
		if c.xml != e.raw(n, local) {
			list = append(list, named{local, c})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Compare(a.rank, b.rank) })
	if n.Empty && len(list) > 0 {
		raw := string(e.t.Raw(n))
		head := strings.TrimRight(strings.TrimSuffix(raw, "/>"), " ")
		for i, c := range list {
			if i == 0 {
				head += ">"
			}
			head += c.xml
		}
		return []xmlscan.Splice{{Start: n.Start, End: n.After, New: []byte(head + "</" + n.Name() + ">")}}
	}
	var out []xmlscan.Splice
	for _, c := range list {
		first := true
		for k := range n.Kids() {
			if !k.Is(Namespace, c.local) && (k.Space == Namespace || k.Local != c.local) {
				continue
			}
			s := xmlscan.Splice{Start: k.Start, End: k.After}
			if first {
				s.New, first = []byte(c.xml), false
			}
			out = append(out, s)
		}
		if first {
			at := e.placeOf(n, c.rank)
			out = append(out, xmlscan.Splice{Start: at, End: at, New: []byte(c.xml)})
		}
	}
	return out
}

// placeOf returns the offset for a child of a rank.
func (e *editor) placeOf(n *node, rank int) int {
	schema := schemaOf(n)
	for k := range n.Kids() {
		if schema.Rank(k.Local) > rank {
			return k.Start
		}
	}
	return n.Close
}

func (e *editor) warn(text string) {
	if !slices.Contains(e.warnings, text) && len(e.warnings) < 20 {
		e.warnings = append(e.warnings, text)
	}
}

// typed gives an error of reading a part a code for people.
func typed(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), formats.CodeOf(err) != "":
		return err
	case errors.Is(err, ErrExtended):
		return formats.Errorf(formats.CodeUnsupported, "%w", err)
	}
	return formats.Errorf(formats.CodeCorrupt, "the chart is damaged: %w", err)
}

func escaped(s string) string { return xmlscan.Escape(s) }
