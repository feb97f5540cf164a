package page

import (
	"fmt"

	"atelier/internal/textsafe"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
)

// textView shows two texts side by side.
type textView struct {
	Counts string
	Hunks  []hunkView
	More   string // what follows this part
}

type hunkView struct {
	ID    string
	Label string // "lines 12 to 20"
	Rows  []lineRow
}

// lineRow has one line of each side; the number is 0 if that side has no
// line.
type lineRow struct {
	OldNumber, NewNumber int
	Old, New             []span
	OldMark, NewMark     string // "−", "+", ""
}

func (v *view) text(d *review.TextDiff) *textView {
	out := &textView{Counts: fmt.Sprintf("+%d −%d lines", d.Added, d.Removed)}
	for _, h := range d.Hunks {
		out.Hunks = append(out.Hunks, hunkView{ID: v.nextID(), Label: hunkLabel(h), Rows: alignRows(h)})
	}
	if d.Next != "" {
		out.More = fmt.Sprintf("This is the part up to line %d (%d %% of the file); there is more. atelier review --all shows everything.", d.Window.NewTo, d.Window.Percent)
	}
	return out
}

func hunkLabel(h textdiff.Hunk) string {
	from, to := 0, 0
	old := false
	for _, l := range h.Lines {
		n := l.NewLine
		if n == 0 {
			continue
		}
		if from == 0 {
			from = n
		}
		to = n
	}
	if from == 0 { // all lines of that side were deleted
		from, to, old = h.Lines[0].OldLine, h.Lines[len(h.Lines)-1].OldLine, true
	}
	s := fmt.Sprintf("Lines %d to %d", from, to)
	if from == to {
		s = fmt.Sprintf("Line %d", from)
	}
	if old {
		s += " of the published file"
	}
	return s
}

// alignRows puts lines side by side: each run of removed lines next to the run of
// added lines that follows it.
func alignRows(h textdiff.Hunk) []lineRow {
	var out []lineRow
	for i := 0; i < len(h.Lines); {
		if l := h.Lines[i]; l.Type == textdiff.Context {
			s := []span{{Text: lineText(l)}}
			out = append(out, lineRow{OldNumber: l.OldLine, NewNumber: l.NewLine, Old: s, New: s})
			i++
			continue
		}
		j := i
		for j < len(h.Lines) && h.Lines[j].Type == textdiff.Removed {
			j++
		}
		k := j
		for k < len(h.Lines) && h.Lines[k].Type == textdiff.Added {
			k++
		}
		out = append(out, sideBySide(h.Lines[i:j], h.Lines[j:k])...)
		i = k
	}
	return out
}

func sideBySide(removed, added []textdiff.Line) []lineRow {
	var out []lineRow
	for n := range max(len(removed), len(added)) {
		var r lineRow
		var old, now string
		if n < len(removed) {
			r.OldNumber, r.OldMark, old = removed[n].OldLine, "−", removed[n].Text
		}
		if n < len(added) {
			r.NewNumber, r.NewMark, now = added[n].NewLine, "+", added[n].Text
		}
		r.Old, r.New = markWords(old, now)
		if n < len(removed) {
			r.Old = markOmissions(r.Old, removed[n])
		}
		if n < len(added) {
			r.New = markOmissions(r.New, added[n])
		}
		out = append(out, r)
	}
	return out
}

// markOmissions adds how much of a long line was left out.
func markOmissions(s []span, l textdiff.Line) []span {
	if l.From > 0 {
		s = append([]span{{Text: fmt.Sprintf("(%d bytes) …", l.From)}}, s...)
	}
	if l.Cut > 0 {
		s = append(s, span{Text: fmt.Sprintf("… (%d bytes)", l.Cut)})
	}
	return s
}

func lineText(l textdiff.Line) string {
	s := textsafe.Text(clipText(l.Text))
	if l.Cut > 0 {
		s += fmt.Sprintf("… (%d bytes)", l.Cut)
	}
	return s
}
