package reader

import (
	"cmp"
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// Bounds of the search for islands, whatever the sheet.
const (
	MaxIslands  = 200 // kept, the largest
	islandHeads = 3   // first rows looked at for label and headers
	maxHeads    = 128 // cells of each that are kept
	headChars   = 60
)

// island is a block of cells apart from all others by a blank row or column on
// each side.
type island struct {
	cellref.Range
	Cells int
	heads []headRow // its first rows
}

type headRow struct {
	row, n int // n counts all cells with content, cells is bounded
	cells  []HeadCell
}

// HeadCell is a cell in one of the first rows of an island.
type HeadCell struct {
	Col    int
	Text   string
	shared int // 1 + index of a shared string, to be looked up; 0: text is it
	Label  bool
}

// Islands finds the islands of a sheet in one pass over its cells, with memory
// for one row.
type Islands struct {
	row     int
	Runs    []island  // of the current row, each one row high
	active  []*island // may still grow, by column; a blank column between each two
	at      int       // cursor into active for wants
	closed  []*island
	omitted int
}

// move begins another row.
func (g *Islands) move(row int) {
	if row == g.row {
		return
	}
	g.endRow()
	if row < g.row {
		g.close(1 << 30) // rows against the order, only in odd files
	}
	g.row, g.at = row, 0
}

// wants reports whether the text of the cell may become a label or a header.
func (g *Islands) wants(col int) bool {
	if g.at < len(g.active) && col < g.active[g.at].C1-1 && g.at > 0 {
		g.at = 0
	}
	for g.at < len(g.active) && g.active[g.at].C2+1 < col {
		g.at++
	}
	if g.at == len(g.active) || col < g.active[g.at].C1-1 || g.active[g.at].R2 < g.row-1 {
		return true
	}
	return len(g.active[g.at].heads) < islandHeads
}

// Add takes note of a cell with content; head is nil when its text is not wanted.
func (g *Islands) Add(row, col int, head *HeadCell) {
	g.move(row)
	if len(g.Runs) >= cellref.MaxCol {
		g.endRow() // more runs than columns: cells against the order
	}
	n := len(g.Runs) - 1
	if n < 0 || col > g.Runs[n].C2+1 || col < g.Runs[n].C2 {
		g.Runs = append(g.Runs, island{Range: cellref.Block(row, col, row, col)})
		n++
	}
	r := &g.Runs[n]
	r.C2 = max(r.C2, col)
	r.Cells++
	if head == nil {
		return
	}
	if r.heads == nil {
		r.heads = []headRow{{row: row}}
	}
	h := &r.heads[0]
	h.n++
	if len(h.cells) < maxHeads {
		h.cells = append(h.cells, *head)
	}
}

// colRun are cells with content side by side.
type colRun struct{ c1, c2, cells int }

// addRuns is Add for all cells of a row; it takes none, and returns false, where the text
// of one may be wanted.
func (g *Islands) addRuns(row int, runs []colRun) bool {
	g.move(row)
	if len(g.Runs) > 0 {
		return false // the row has come before
	}
	for i, k := 0, 0; i < len(runs); i++ {
		r := &runs[i]
		for k < len(g.active) && g.active[k].C2 < r.c2 {
			k++
		}
		if k == len(g.active) || g.active[k].C1 > r.c1 || g.active[k].R2 < row-1 || len(g.active[k].heads) < islandHeads {
			return false
		}
	}
	for _, r := range runs {
		g.Runs = append(g.Runs, island{Range: cellref.Block(row, r.c1, row, r.c2), Cells: r.cells})
	}
	return true
}

// endRow joins the runs of the row to the islands they touch.
func (g *Islands) endRow() {
	if len(g.Runs) == 0 {
		return
	}
	g.close(g.row - 1)
	slices.SortFunc(g.Runs, func(a, b island) int { return a.C1 - b.C1 })
	if len(g.active) == 1 && len(g.Runs) == 1 && g.Runs[0].C1 >= g.active[0].C1 && g.Runs[0].C2 <= g.active[0].C2 {
		g.active[0].join(&g.Runs[0])
		g.Runs = g.Runs[:0]
		return
	}
	// Both are in order of columns: one sweep merges what touches.
	var next []*island
	i := 0
	push := func(x *island) {
		if n := len(next) - 1; n >= 0 && x.C1 <= next[n].C2+1 {
			next[n].join(x)
			return
		}
		next = append(next, x)
	}
	for j := range g.Runs {
		run := g.Runs[j]
		for i < len(g.active) && g.active[i].C1 <= run.C1 {
			push(g.active[i])
			i++
		}
		push(&run)
	}
	for ; i < len(g.active); i++ {
		push(g.active[i])
	}
	g.active, g.Runs = next, g.Runs[:0]
}

// join makes a hold b too.
func (a *island) join(b *island) {
	a.R1, a.C1, a.R2, a.C2 = min(a.R1, b.R1), min(a.C1, b.C1), max(a.R2, b.R2), max(a.C2, b.C2)
	a.Cells += b.Cells
	for _, h := range b.heads {
		i, ok := slices.BinarySearchFunc(a.heads, h.row, func(x headRow, row int) int { return x.row - row })
		if !ok {
			if i < islandHeads {
				a.heads = slices.Insert(a.heads, i, h)
			}
			continue
		}
		have := &a.heads[i]
		have.n += h.n
		n := len(have.cells)
		if n == maxHeads && len(h.cells) > 0 && h.cells[0].Col >= have.cells[n-1].Col {
			continue
		}
		have.cells = append(have.cells, h.cells...)
		if n > 0 && len(have.cells) > n && have.cells[n].Col < have.cells[n-1].Col {
			slices.SortStableFunc(have.cells, func(x, y HeadCell) int { return x.Col - y.Col })
		}
		have.cells = have.cells[:min(len(have.cells), maxHeads)]
	}
	a.heads = a.heads[:min(len(a.heads), islandHeads)]
}

// close puts aside the islands that end before row.
func (g *Islands) close(row int) {
	keep := g.active[:0]
	for _, a := range g.active {
		if a.R2 >= row {
			keep = append(keep, a)
			continue
		}
		g.closed = append(g.closed, a)
	}
	clear(g.active[len(keep):])
	g.active = keep
	if len(g.closed) > 2*MaxIslands {
		g.trim()
	}
}

// trim keeps the largest.
func (g *Islands) trim() {
	slices.SortStableFunc(g.closed, func(a, b *island) int { return b.Cells - a.Cells })
	if len(g.closed) > MaxIslands {
		g.omitted += len(g.closed) - MaxIslands
		clear(g.closed[MaxIslands:])
		g.closed = g.closed[:MaxIslands]
	}
}

// Finish gives the islands from top left to bottom right, and how many smaller
// ones are left out.
func (g *Islands) Finish() ([]*island, int) {
	g.endRow()
	g.close(1 << 30)
	g.trim()
	// An island that grew around one that had ended holds it.
	out := g.closed
	for i := 0; i < len(out); i++ {
		for j := len(out) - 1; j > i; j-- {
			if out[i].Meets(out[j].Range) {
				out[i].join(out[j])
				out = slices.Delete(out, j, j+1)
				j = len(out)
			}
		}
	}
	slices.SortFunc(out, func(a, b *island) int { return cmp.Or(a.R1-b.R1, a.C1-b.C1) })
	return out, g.omitted
}

// region guesses label and headers. A first row of one text over more columns
// is a label; a row of labels only, above other rows, is the header.
func (a *island) region() RegionMap {
	m := RegionMap{Range: a.String()}
	h := 0
	for h < len(a.heads) && h < 2 && a.heads[h].n == 1 && a.heads[h].cells[0].Label && (a.C2 > a.C1 || a.R2 == a.R1) {
		if h == 0 {
			m.Label = a.heads[0].cells[0].Text
		}
		h++
	}
	if h >= len(a.heads) || a.heads[h].row >= a.R2 || a.C2 == a.C1 {
		return m
	}
	row := a.heads[h]
	if row.n*2 < a.C2-a.C1+1 {
		return m
	}
	for _, c := range row.cells {
		if !c.Label {
			return m
		}
	}
	m.HeaderRow = row.row
	for _, c := range row.cells {
		m.Headers = append(m.Headers, strings.TrimSpace(book.OneLine(c.Text)))
	}
	m.HeadersOmitted = row.n - len(row.cells)
	return m
}
