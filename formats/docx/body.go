package docx

import (
	"fmt"
	"strings"

	"atelier/formats/paragraph"
	"atelier/formats/xmlscan"
)

// line is what one paragraph or table row of a part reads as.
type line struct {
	text  string
	level int // of a heading; -1 when it is none
}

// layout is a part's paragraphs with where they stand.
type layout struct {
	paras  []*paragraph.Paragraph
	place  []string // of each paragraph, for people
	twin   []int    // index of the paragraph in the Choice that this one, in the Fallback, repeats; -1
	lines  []line
	tables []tableSize
}

type tableSize struct {
	Rows int `json:"rows"`
	Cols int `json:"cols"`
}

// walker follows tables, text boxes and alternate content through a part.
type walker struct {
	layout
	styles  styles
	what    string
	next    int // paragraph that begins next
	open    []int
	styleOf map[int]string // by paragraph
	outline map[int]int

	tables   []*tableState
	count    int // paragraphs outside tables
	tableN   int
	branches []branch
}

type tableState struct {
	size  tableSize
	cells []string
	cols  int
	cell  []string
}

// branch is an open Choice or Fallback.
type branch struct {
	depth    int
	fallback bool
	first    int   // its first paragraph
	choice   []int // Fallback: the paragraphs of the Choice
}

// lay reads a part. what names the part for places.
func lay(doc []byte, d *paragraph.Dialect, st styles, what string) (*layout, error) {
	paras, err := paragraph.Parse(doc, d)
	if err != nil {
		return nil, err
	}
	w := &walker{styles: st, what: what, styleOf: map[int]string{}, outline: map[int]int{}}
	w.paras = paras
	w.place, w.twin = make([]string, len(paras)), make([]int, len(paras))
	for i := range w.twin {
		w.twin[i] = -1
	}
	var lastChoice []int
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start:
			if t.Space == nsMC && (t.Local == "Choice" || t.Local == "Fallback") && !t.Empty {
				b := branch{depth: t.Depth, fallback: t.Local == "Fallback", first: w.next}
				if b.fallback {
					b.choice = lastChoice
				}
				w.branches = append(w.branches, b)
			}
			w.start(t)
			if t.Empty {
				w.end(t)
			}
		case t.Kind == xmlscan.End:
			w.end(t)
			if n := len(w.branches); n > 0 && w.branches[n-1].depth == t.Depth && t.Space == nsMC {
				lastChoice = w.closeBranch()
			}
		}
	}
	w.layout.tables = append([]tableSize{}, w.layout.tables...)
	return &w.layout, sc.Err()
}

// closeBranch pairs the paragraphs of a Fallback with those of its Choice.
func (w *walker) closeBranch() (choice []int) {
	b := w.branches[len(w.branches)-1]
	w.branches = w.branches[:len(w.branches)-1]
	var mine []int
	for i := b.first; i < w.next; i++ {
		mine = append(mine, i)
	}
	if !b.fallback {
		return mine
	}
	for k, i := range mine {
		if k < len(b.choice) && w.paras[i].Tagged() == w.paras[b.choice[k]].Tagged() {
			w.twin[i] = b.choice[k]
		}
	}
	return nil
}

func (w *walker) inFallback() bool {
	for _, b := range w.branches {
		if b.fallback && len(b.choice) > 0 {
			return true
		}
	}
	return false
}

func (w *walker) start(t xmlscan.Token) {
	if w.next < len(w.paras) && t.Start == w.paras[w.next].Start {
		w.open = append(w.open, w.next)
		w.place[w.next] = w.placeNow(w.next)
		w.next++
		return
	}
	if t.Space != nsW {
		return
	}
	switch t.Local {
	case "tbl":
		if len(w.tables) == 0 {
			w.tableN++
		}
		w.tables = append(w.tables, &tableState{})
	case "tr":
		if n := len(w.tables); n > 0 {
			w.tables[n-1].size.Rows++
			w.tables[n-1].cells, w.tables[n-1].cols = nil, 0
		}
	case "tc":
		if n := len(w.tables); n > 0 {
			w.tables[n-1].cols++
			w.tables[n-1].cell = nil
		}
	case "pStyle":
		if n := len(w.open); n > 0 {
			w.styleOf[w.open[n-1]] = t.AttrLocal("val")
		}
	case "outlineLvl":
		if n := len(w.open); n > 0 {
			w.outline[w.open[n-1]] = outlineLevel(t.AttrLocal("val"))
		}
	}
}

func (w *walker) placeNow(i int) string {
	var where string
	switch n := len(w.tables); {
	case w.paras[i].Anchored:
		where = "text box"
	case n > 0:
		where = fmt.Sprintf("table %d, row %d, cell %d", w.tableN, w.tables[0].size.Rows, w.tables[0].cols)
	default:
		w.count++
		where = fmt.Sprintf("paragraph %d", w.count)
	}
	if w.what != "" {
		return w.what + ", " + where
	}
	return where
}

func (w *walker) end(t xmlscan.Token) {
	if n := len(w.open); n > 0 && w.paras[w.open[n-1]].End == t.End {
		i := w.open[n-1]
		w.open = w.open[:n-1]
		w.emit(i)
		return
	}
	n := len(w.tables)
	if t.Space != nsW || n == 0 {
		return
	}
	top := w.tables[n-1]
	switch t.Local {
	case "tc":
		top.cells = append(top.cells, strings.Join(top.cell, " "))
	case "tr":
		top.size.Cols = max(top.size.Cols, top.cols)
		if row := strings.Join(top.cells, "\t"); n == 1 {
			w.lines = append(w.lines, line{row, -1})
		} else if row = strings.TrimSpace(row); row != "" {
			w.tables[n-2].cell = append(w.tables[n-2].cell, row)
		}
	case "tbl":
		w.tables = w.tables[:n-1]
		if n == 1 {
			w.layout.tables = append(w.layout.tables, top.size)
		}
	}
}

// emit makes the line of a paragraph: in a table, a part of its cell.
func (w *walker) emit(i int) {
	if w.inFallback() {
		return
	}
	text := w.paras[i].Text()
	if n := len(w.tables); n > 0 && !w.paras[i].Anchored {
		if text != "" {
			w.tables[n-1].cell = append(w.tables[n-1].cell, strings.ReplaceAll(text, "\n", " "))
		}
		return
	}
	level := -1
	if !w.paras[i].Anchored {
		level = w.styles.level(w.styleOf[i])
		if o := w.outline[i]; o > 0 {
			level = o
		}
	}
	if level >= 0 && strings.TrimSpace(text) == "" {
		level = -1 // an empty heading begins nothing
	}
	w.lines = append(w.lines, line{text, level})
}
