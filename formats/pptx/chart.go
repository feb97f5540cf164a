package pptx

import (
	"context"
	"slices"
	"strings"
)

// chartInfo is what a chart part says of itself.
type chartInfo struct {
	types      []string // bar, column, line, pie …; several in a combined chart
	title      string
	axes       []string // axis titles
	series     []string
	categories []string
}

// chart reads a chart part (21.2.2.27, or an extended chart of
// [MS-ODRAWXML] 2.24.3); nil when there is none.
func (d *deck) chart(ctx context.Context, part string) (*chartInfo, error) {
	if part == "" || !d.Has(part) {
		return nil, nil
	}
	t, err := d.tree(ctx, part)
	if err != nil {
		return nil, err
	}
	c := &chartInfo{}
	for n := range t.Root.All() {
		switch n.Space {
		case nsC:
			c.classic(t, n)
		case nsCX:
			c.extended(t, n)
		}
	}
	return c, nil
}

func (c *chartInfo) classic(t *tree, n *node) {
	switch {
	case n.In(nsC, "plotArea") && strings.HasSuffix(n.Local, "Chart"):
		c.addType(chartType(n))
	case n.Local == "title":
		text := t.chartLabel(n.Child(nsC, "tx"))
		if n.In(nsC, "chart") {
			c.title = text
		} else if text != "" {
			c.axes = append(c.axes, text)
		}
	case n.Local == "ser":
		if name := t.chartLabel(n.Child(nsC, "tx")); name != "" {
			c.series = append(c.series, name)
		}
	case n.Local == "cat" && len(c.categories) == 0:
		for v := range n.All() {
			if v.Is(nsC, "v") {
				c.categories = append(c.categories, oneLine(t.Text(v)))
			}
		}
	}
}

func (c *chartInfo) extended(t *tree, n *node) {
	switch {
	case n.Local == "series":
		c.addType(n.Value("layoutId"))
		if name := oneLine(t.Text(n.Down(nsCX, "tx", "txData", "v"))); name != "" {
			c.series = append(c.series, name)
		}
	case n.Local == "title" && n.In(nsCX, "chart"):
		if c.title = oneLine(t.Text(n.Down(nsCX, "tx", "txData", "v"))); c.title == "" {
			c.title = t.oneLine(n.Down(nsCX, "tx", "rich"))
		}
	}
}

func (c *chartInfo) addType(typ string) {
	if typ != "" && !slices.Contains(c.types, typ) {
		c.types = append(c.types, typ)
	}
}

// chartType returns the element name without its ending; a bar chart whose bars
// stand is a column chart (21.2.3.3).
func chartType(n *node) string {
	typ := strings.TrimSuffix(strings.TrimSuffix(n.Local, "Chart"), "3D")
	if typ == "bar" && n.Child(nsC, "barDir").Value("val") != "bar" {
		return "column"
	}
	return typ
}

// chartLabel returns the text of a c:tx on one line: rich text, or the cached
// text of a cell.
func (t *tree) chartLabel(tx *node) string {
	if tx == nil {
		return ""
	}
	if rich := tx.Child(nsC, "rich"); rich != nil {
		return t.oneLine(rich)
	}
	var words []string
	for v := range tx.All() {
		if v.Is(nsC, "v") {
			words = append(words, t.Text(v))
		}
	}
	return oneLine(strings.Join(words, " "))
}
