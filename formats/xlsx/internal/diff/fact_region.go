package diff

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// maxRegion bounds the blocks that a region keeps.
const maxRegion = 2000

// region gathers cells, given row by row, into blocks.
type region struct {
	rects []cellref.Range
	run   cellref.Range // of the row being read
	cells int
	held  int // cells of them that hold something
	lost  int // blocks not kept
}

func (g *region) add(row, col int, holds bool) {
	g.cells++
	if holds {
		g.held++
	}
	if g.run.R1 == row && g.run.C2 == col-1 {
		g.run.C2 = col
		return
	}
	g.commit()
	g.run = cellref.Block(row, col, row, col)
}

// commit puts the run of a row below the same run of the row before it, or makes
// it a block of its own.
func (g *region) commit() {
	if g.run.Empty() {
		return
	}
	for k := len(g.rects) - 1; k >= max(0, len(g.rects)-40); k-- {
		if r := &g.rects[k]; r.R2 == g.run.R1-1 && r.C1 == g.run.C1 && r.C2 == g.run.C2 {
			r.R2 = g.run.R2
			g.run = cellref.Range{}
			return
		}
	}
	if len(g.rects) < maxRegion {
		g.rects = append(g.rects, g.run)
	} else {
		g.lost++
	}
	g.run = cellref.Range{}
}

func (g *region) blocks() []cellref.Range {
	g.commit()
	return g.rects
}

func (g *region) String() string {
	var out []string
	for _, r := range g.blocks() {
		out = append(out, r.String())
	}
	return placesOf(out, g.lost)
}

// placesOf joins places; more counts those that are not in the list.
func placesOf(places []string, more int) string {
	const most = 12
	if len(places) > most {
		more += len(places) - most
		places = places[:most]
	}
	s := strings.Join(places, ", ")
	if more > 0 {
		s += fmt.Sprintf(" and %s", formats.Count(more, "more block"))
	}
	return s
}

// lines writes rows as 5:9 and columns as C:C.
func (s lineSpan) String(cols bool) string {
	if cols {
		return cellref.ColumnName(s.from) + ":" + cellref.ColumnName(s.to)
	}
	return fmt.Sprintf("%d:%d", s.from, s.to)
}

func countLines(cols bool, n int) string {
	if cols {
		return formats.Count(n, "column")
	}
	return formats.Count(n, "row")
}
