package docx

import (
	"fmt"

	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// layout is a part's paragraphs with where they stand.
type layout struct {
	paras   []*paragraph.Paragraph
	place   []string // of each paragraph, for people
	kind    []string // "textbox" or "table" of each paragraph that stands in one
	repeats []int    // index of the paragraph in the Choice that this one, in the Fallback, repeats; -1
}

// walker follows tables, text boxes and alternate content through a part.
type walker struct {
	layout
	what string
	next int // paragraph that begins next

	tables   []*tableState
	count    int // paragraphs outside tables
	tableN   int
	branches []branch
}

type tableState struct{ rows, cols int }

// branch is an open Choice or Fallback.
type branch struct {
	depth    int
	fallback bool
	first    int   // its first paragraph
	choice   []int // Fallback: the paragraphs of the Choice
}

// layOut reads a part. what names the part for places.
func layOut(doc []byte, d *paragraph.Dialect, what string) (*layout, error) {
	paras, err := paragraph.Parse(doc, d)
	if err != nil {
		return nil, err
	}
	w := &walker{what: what}
	w.paras = paras
	w.place, w.kind, w.repeats = make([]string, len(paras)), make([]string, len(paras)), make([]int, len(paras))
	for i := range w.repeats {
		w.repeats[i] = -1
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
			w.repeats[i] = b.choice[k]
		}
	}
	return nil
}

func (w *walker) start(t xmlscan.Token) {
	if w.next < len(w.paras) && t.Start == w.paras[w.next].Start {
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
			w.tables[n-1].rows++
			w.tables[n-1].cols = 0
		}
	case "tc":
		if n := len(w.tables); n > 0 {
			w.tables[n-1].cols++
		}
	}
}

func (w *walker) placeNow(i int) string {
	var where string
	switch n := len(w.tables); {
	case w.paras[i].Anchored:
		where = "text box"
		w.kind[i] = "textbox"
	case n > 0:
		w.kind[i] = "table"
		where = fmt.Sprintf("table %d, row %d, cell %d", w.tableN, w.tables[0].rows, w.tables[0].cols)
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
	if n := len(w.tables); n > 0 && t.Space == nsW && t.Local == "tbl" {
		w.tables = w.tables[:n-1]
	}
}
