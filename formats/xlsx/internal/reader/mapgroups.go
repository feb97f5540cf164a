package reader

import (
	"bytes"
	"fmt"
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// groups counts outline groups (18.3.1.73) and keeps the first of them: lines side
// by side that are in any, with the deepest level.
type groups struct {
	count int
	last  int // line of the last one
	spans []groupSpan
}

type groupSpan struct{ from, to, levels int }

// add takes in lines of a level, in order.
func (g *groups) add(from, to, level int) {
	if level == 0 {
		return
	}
	joins := g.count > 0 && g.last == from-1
	if g.last = to; !joins {
		g.count++
	}
	switch n := len(g.spans); {
	case joins && n == g.count:
		g.spans[n-1].to, g.spans[n-1].levels = to, max(g.spans[n-1].levels, level)
	case !joins && n < 20:
		g.spans = append(g.spans, groupSpan{from, to, level})
	}
}

// column adds the columns of a col element (18.3.1.13).
func (g *groups) column(t xmlscan.Token) {
	if t.Local != "col" || t.Depth != 3 {
		return
	}
	level, _ := strconv.Atoi(t.AttrLocal("outlineLevel"))
	from, _ := strconv.Atoi(t.AttrLocal("min"))
	to, _ := strconv.Atoi(t.AttrLocal("max"))
	if from >= 1 && to >= from && to <= cellref.MaxCol {
		g.add(from, to, max(level, 0))
	}
}

func (g *groups) shown(name func(int) string) []string {
	var out []string
	for _, s := range g.spans {
		text := name(s.from) + ":" + name(s.to)
		if s.levels > 1 {
			text += fmt.Sprintf(" (%d levels)", s.levels)
		}
		out = append(out, text)
	}
	return out
}

// outlineLevel reads the start tag of a row.
func outlineLevel(tag []byte) int {
	if e := bytes.IndexByte(tag, '>'); e >= 0 {
		tag = tag[:e+1]
	}
	if !bytes.Contains(tag, []byte("outlineLevel")) {
		return 0
	}
	return max(sheetml.Atoi([]byte(sheetml.AttrOf(tag, "outlineLevel"))), 0)
}
