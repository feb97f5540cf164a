package page

import (
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
	"atelier/internal/textsafe"
	"atelier/workshop/review"
)

// groupView shows a sheet, a slide or a part of a document.
type groupView struct {
	ID    string // if the group is itself a change, such as a slide that only moved
	Name  string
	Mark  *mark // of the group itself, nil if only its items changed
	From  string
	Count string
	Grid  *gridView  // the cells
	Items []itemView // the other items
}

// itemView shows one changed item.
type itemView struct {
	ID       string
	Mark     mark
	At, From string
	Old, New []span
	One      bool // both sides have the same text: New
	Notes    []string
}

func (v *view) group(g formats.DiffGroup, kind string) groupView {
	out := groupView{Name: textsafe.Text(g.Name), From: textsafe.Text(g.From)}
	if len(g.Items) > 0 {
		out.Count = formats.Count(len(g.Items), "change")
	} else {
		out.ID = v.nextID()
	}
	if g.Change != formats.Modified {
		m := markOf(string(g.Change))
		out.Mark = &m
	}
	if kind == string(formats.KindXlsx) {
		out.Grid = v.grid(g.Items)
	}
	if out.Grid != nil {
		return out
	}
	for _, it := range g.Items {
		out.Items = append(out.Items, v.item(it))
	}
	return out
}

// facts returns the changes of a file outside its texts, as one group.
func (v *view) facts(list []formats.Fact) groupView {
	out := groupView{Name: review.FactsTitle, Count: formats.Count(len(list), "change")}
	for _, f := range list {
		noun, verb := f.Words()
		m := markOf(string(f.Change))
		m.Word = verb
		it := itemView{ID: v.nextID(), Mark: m, At: textsafe.Text(strings.TrimSpace(noun + " " + f.At))}
		switch {
		case f.Change == formats.Moved:
			it.From, it.One, it.New = textsafe.Text(f.Old), true, []span{{Text: textsafe.Text(clipText(f.New))}}
		default:
			it.Old, it.New = markWords(f.Old, f.New)
		}
		if f.Warning != "" {
			it.Notes = []string{"⚠ " + textsafe.Text(f.Warning)}
		}
		out.Items = append(out.Items, it)
	}
	return out
}

func (v *view) item(it formats.DiffItem) itemView {
	out := itemView{ID: v.nextID(), Mark: markOf(string(it.Change)), At: textsafe.Text(it.At), From: textsafe.Text(it.From)}
	for _, n := range it.Notes {
		out.Notes = append(out.Notes, textsafe.Text(n))
	}
	out.One = it.Change == formats.Formatted || it.Change == formats.Moved
	if out.One {
		out.New = []span{{Text: textsafe.Text(clipText(it.New))}}
		return out
	}
	out.Old, out.New = markWords(it.Old, it.New)
	return out
}

// gridView shows the changed cells of a sheet at their places: one row for
// each changed row, one column for each changed column.
type gridView struct {
	Columns []string
	Rows    []gridRow
	Others  []itemView // items that belong to no row or cell
}

type gridRow struct {
	Number string
	Whole  *itemView // a row that was added, deleted or moved
	Cells  []gridCell
}

// gridCell is a cell of the grid; Item is nil if the cell did not change.
type gridCell struct {
	Column string
	Item   *itemView
}

// maxColumns is the maximum number of columns of a grid. Changes in more
// columns do not fit the page and are shown as a list.
const maxColumns = 8

var (
	// cellAddress matches the address of a cell, or of a block of cells.
	cellAddress = lazyregexp.New(`^([A-Z]{1,3})([1-9][0-9]*)(:[A-Z]{1,3}[1-9][0-9]*)?$`)
	rowAddress  = lazyregexp.New(`^row ([1-9][0-9]*)$`)
)

// grid arranges items as a grid. It returns nil if there are too many columns
// or no cells.
func (v *view) grid(items []formats.DiffItem) *gridView {
	var columns []string
	for _, it := range items {
		if m := cellAddress.FindStringSubmatch(it.At); m != nil && !slices.Contains(columns, m[1]) {
			if columns = append(columns, m[1]); len(columns) > maxColumns {
				return nil
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	slices.SortFunc(columns, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		if a < b {
			return -1
		}
		return 1
	})
	g := &gridView{Columns: columns}
	for _, it := range items {
		if m := rowAddress.FindStringSubmatch(it.At); m != nil {
			item := v.item(it)
			item.At = ""
			g.Rows = append(g.Rows, gridRow{Number: m[1], Whole: &item})
			continue
		}
		m := cellAddress.FindStringSubmatch(it.At)
		if m == nil {
			g.Others = append(g.Others, v.item(it))
			continue
		}
		row := len(g.Rows) - 1
		if row < 0 || g.Rows[row].Number != m[2] || g.Rows[row].Whole != nil {
			r := gridRow{Number: m[2]}
			for _, c := range columns {
				r.Cells = append(r.Cells, gridCell{Column: c})
			}
			g.Rows = append(g.Rows, r)
			row++
		}
		item := v.item(it)
		if m[3] != "" { // the grid shows where a cell is, but not how large a block is
			item.Notes = append([]string{it.At}, item.Notes...)
		}
		g.Rows[row].Cells[slices.Index(columns, m[1])].Item = &item
	}
	return g
}

// Where returns the address of an item, and the old address if it changed.
func (i itemView) Where() string {
	switch {
	case i.From != "" && i.At != "":
		return i.At + ", was " + i.From
	case i.From != "":
		return "was " + i.From
	}
	return i.At
}

// clipText shortens a text that is too long to be read.
func clipText(s string) string {
	r := []rune(s)
	if len(r) <= maxText {
		return s
	}
	return string(r[:maxText]) + "… (" + strconv.Itoa(len(r)-maxText) + " more characters)"
}

// maxText limits one text of the page, in characters.
const maxText = 20_000
