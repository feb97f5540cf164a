package review

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/internal/seqdiff"
	"atelier/internal/textclip"
	"atelier/workshop"
)

// maxTableText is the maximum size of a text that is compared as a table, in bytes; a
// larger one is compared by its lines.
const maxTableText = 8 << 20

// tableName is the group that the changes of a table are listed in.
const tableName = "table"

// tableDiff is the comparison of two texts with rows of fields, such as csv files.
type tableDiff struct {
	a, b    text.Records
	now     text.Editable
	steps   []seqdiff.Step
	items   []formats.DiffItem
	changes []tableChange // of the items
}

// tableChange is what an item tells: a step, and the field of a changed row, -1 for all.
type tableChange struct{ step, col int }

// isTable reports whether a file's lines are rows of a table.
func isTable(p workshop.Path) bool {
	switch strings.ToLower(path.Ext(string(p))) {
	case ".csv", ".tsv":
		return true
	}
	return false
}

// compareTables compares two contents of a file as tables. It returns nil where rows and
// fields would not tell every difference: other delimiters, line ends, blank lines.
func compareTables(ctx context.Context, p workshop.Path, before, after formats.Source) (*tableDiff, error) {
	if !isTable(p) || max(before.Size(), after.Size()) > maxTableText {
		return nil, nil
	}
	old, err := text.OpenEditable(ctx, before)
	if err != nil {
		return nil, ctx.Err()
	}
	t := &tableDiff{}
	if t.now, err = text.OpenEditable(ctx, after); err != nil || old.Encoding() != t.now.Encoding() {
		return nil, ctx.Err()
	}
	ext := strings.ToLower(path.Ext(string(p)))
	okA, okB := false, false
	if t.a, okA, err = text.SplitRecords(ctx, old.Text(), ext); err != nil {
		return nil, err
	}
	if t.b, okB, err = text.SplitRecords(ctx, t.now.Text(), ext); err != nil {
		return nil, err
	}
	if !okA || !okB || !t.a.Alike(t.b) || old.Text() == t.now.Text() {
		return nil, nil
	}
	return t, t.compare(ctx)
}

// compare aligns the rows and lists what changed.
func (t *tableDiff) compare(ctx context.Context) error {
	seed := maphash.MakeSeed()
	keys := func(rows [][]string) []uint64 {
		out := make([]uint64, len(rows))
		for i, row := range rows {
			out[i] = maphash.String(seed, strings.Join(row, "\n"))
		}
		return out
	}
	a, b := keys(t.a.Rows), keys(t.b.Rows)
	t.steps = seqdiff.Lists(len(a), len(b), seqdiff.Options{
		KeyA: func(i int) uint64 { return a[i] }, KeyB: func(j int) uint64 { return b[j] },
		Similar: func(i, j int) float64 { return similarRows(t.a.Rows[i], t.b.Rows[j]) },
	})
	t.pairRows()
	for k, s := range t.steps {
		if k%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.step(k, s)
	}
	d := formats.Diff{Groups: []formats.DiffGroup{{Name: tableName, Change: formats.Modified, Items: t.items}}}
	d.Identify()
	return nil
}

// pairRows takes as many rows that were removed as were added in one place for changed
// ones, one after the other: where a whole table was translated, its rows have little in
// common, and their cells tell more.
func (t *tableDiff) pairRows() {
	var out []seqdiff.Step
	for from := 0; from < len(t.steps); {
		to := from
		var gone, came []seqdiff.Step
		for ; to < len(t.steps) && !t.steps[to].Moved && (t.steps[to].A < 0 || t.steps[to].B < 0); to++ {
			if t.steps[to].B < 0 {
				gone = append(gone, t.steps[to])
			} else {
				came = append(came, t.steps[to])
			}
		}
		switch {
		case to == from:
			out, to = append(out, t.steps[from]), from+1
		case len(gone) != len(came):
			out = append(out, t.steps[from:to]...)
		default:
			for i, s := range gone {
				s.B, s.Kind = came[i].B, seqdiff.Changed
				out = append(out, s)
			}
		}
		from = to
	}
	t.steps = out
}

// similarRows is the part of the fields that both rows have at the same place.
func similarRows(a, b []string) float64 {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return float64(n) / float64(max(len(a), len(b), 1))
}

// step lists what one step of the alignment changed.
func (t *tableDiff) step(k int, s seqdiff.Step) {
	add := func(col int, it formats.DiffItem) {
		it.Revertible = true
		t.items, t.changes = append(t.items, it), append(t.changes, tableChange{k, col})
	}
	switch {
	case s.A < 0:
		add(-1, formats.DiffItem{Change: formats.Added, At: rowName(s.B), New: t.rowText(t.b.Rows[s.B])})
	case s.B < 0:
		add(-1, formats.DiffItem{Change: formats.Removed, At: rowName(s.A), Old: t.rowText(t.a.Rows[s.A])})
	case s.Moved:
		add(-1, formats.DiffItem{Change: formats.Moved, At: rowName(s.B), From: rowName(s.A), New: t.rowText(t.b.Rows[s.B])})
	case len(t.a.Rows[s.A]) != len(t.b.Rows[s.B]):
		add(-1, formats.DiffItem{Change: formats.Modified, At: rowName(s.B), Old: t.rowText(t.a.Rows[s.A]), New: t.rowText(t.b.Rows[s.B])})
	default:
		for c, was := range t.a.Rows[s.A] {
			now := t.b.Rows[s.B][c]
			if was == now {
				continue
			}
			it := formats.DiffItem{Change: formats.Modified, At: text.CellName(c, s.B), Old: text.FieldValue(was), New: text.FieldValue(now)}
			switch {
			case it.Old == it.New:
				it.Old, it.New, it.Notes = was, now, []string{"written with other quotes"}
			case it.Old == "":
				it.Change = formats.Added
			case it.New == "":
				it.Change = formats.Removed
			}
			add(c, it)
		}
	}
}

func rowName(i int) string { return fmt.Sprintf("row %d", i+1) }

// rowText is a row as a review shows it.
func (t *tableDiff) rowText(row []string) string {
	values := make([]string, len(row))
	for i, f := range row {
		values[i] = text.FieldValue(f)
	}
	return textclip.Head(strings.Join(values, ", "), 300)
}

// diff is the comparison with at most limit items.
func (t *tableDiff) diff(limit int) *formats.Diff {
	rows, cells, moved := 0, 0, 0
	for i, c := range t.changes {
		switch {
		case t.items[i].Change == formats.Moved:
			moved++
		case c.col < 0:
			rows++
		default:
			cells++
		}
	}
	count := func(n int, singular, verb string) string {
		if n == 0 {
			return ""
		}
		return formats.Count(n, singular) + verb
	}
	d := &formats.Diff{
		Summary: formats.Phrase(count(cells, "cell", ""), count(rows, "row", " added, removed or divided anew"), count(moved, "row", " moved")),
		Groups:  []formats.DiffGroup{{Name: tableName, Change: formats.Modified, Items: slices.Clone(t.items)}},
		Facts:   []formats.Fact{}, Warnings: t.risks(),
	}
	d.Trim(limit)
	return d
}

// risks warns of new fields that a spreadsheet would run.
func (t *tableDiff) risks() (out []string) {
	for i, c := range t.changes {
		s := t.steps[c.step]
		if s.B < 0 || s.Moved {
			continue
		}
		for col, f := range t.b.Rows[s.B] {
			if v := text.FieldValue(f); (c.col < 0 || c.col == col) && formulaText.MatchString(v) {
				if len(out) == maxWarnings {
					return append(out, "and more")
				}
				out = append(out, fmt.Sprintf("%s has text that a spreadsheet takes for a formula: %s", t.items[i].At, textclip.Head(v, 100)))
			}
		}
	}
	return out
}

// without is the newer table with some items taken back.
func (t *tableDiff) without(ids []string) text.Records {
	back := map[tableChange]bool{}
	for i, it := range t.items {
		if slices.Contains(ids, it.ID) {
			back[t.changes[i]] = true
		}
	}
	type line struct {
		row []string
		a   int // its row in the older table, -1 for none
	}
	var lines []line
	var returned []int // rows of the older table
	for k, s := range t.steps {
		all := back[tableChange{k, -1}]
		switch {
		case all && (s.B < 0 || s.Moved):
			returned = append(returned, s.A)
		case s.B < 0, all && s.A < 0: // stays away
		case all:
			lines = append(lines, line{t.a.Rows[s.A], s.A})
		default:
			row := slices.Clone(t.b.Rows[s.B])
			for c := range row {
				if back[tableChange{k, c}] {
					row[c] = t.a.Rows[s.A][c]
				}
			}
			lines = append(lines, line{row, s.A})
		}
	}
	slices.Sort(returned)
	for _, a := range returned {
		at, best := 0, -1 // behind the row that it was behind
		for i, l := range lines {
			if l.a < a && l.a > best {
				at, best = i+1, l.a
			}
		}
		lines = slices.Insert(lines, at, line{t.a.Rows[a], a})
	}
	out := t.b
	out.Rows = make([][]string, len(lines))
	for i, l := range lines {
		out.Rows[i] = l.row
	}
	return out
}

// rejectFields returns what writes a table without some changes.
func (t *tableDiff) rejectFields(ids []string, rj *workshop.Rejection) error {
	var places []string
	n := 0
	for _, it := range t.items {
		if slices.Contains(ids, it.ID) {
			n++
			places = append(places, it.At)
		}
	}
	if n < len(ids) {
		return workshop.Faultf(workshop.Conflict, "%s has no such change any more; review the file again", rj.Path).OnField("changes")
	}
	result := t.without(ids).String()
	if n == len(t.items) {
		result = t.a.String()
	}
	b, err := t.now.Bytes(result)
	if err != nil {
		return err
	}
	rj.Text = rejectText(rj.Path, n, places)
	rj.Meta["places"] = places[:min(len(places), mostPlaces)]
	rj.To = func(w io.Writer) error { _, err := w.Write(b); return err }
	return nil
}
