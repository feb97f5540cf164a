package page

import (
	"fmt"
	"strconv"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/textsafe"
)

// printFile writes a file's section, row by row.
func (p *printer) printFile(n int, f File) error {
	v := viewOf(n, f)
	if err := p.execute("file", v); err != nil {
		return err
	}
	rows, left, shown := f.Rows, 0, 0
	if rows == nil {
		rows = func(func(Row, error) bool) {}
	}
	written := 0
	for row, err := range rows {
		if err != nil {
			return fmt.Errorf("the segments of %s cannot be read: %w", f.Input, err)
		}
		if len(row.Flags) == 0 {
			if shown >= p.limits.File || p.plain >= p.limits.All {
				left++
				continue
			}
			shown++
			p.plain++
		}
		if written == 0 {
			if err := p.execute("rows", map[string]any{"From": f.From, "To": f.To, "Input": v.Input}); err != nil {
				return err
			}
		}
		written++
		if err := p.execute("row", rowOf(row, v.Dir, f.From, f.To)); err != nil {
			return err
		}
	}
	end := map[string]any{"Any": written > 0, "Left": ""}
	if left > 0 {
		end["Left"] = formats.Count(left, "more segment") + " without remarks not shown here; --xliff-out writes all of them"
	}
	return p.execute("end", end)
}

type rowView struct {
	Class, Place, Part, Origin string
	Source, Target             []piece
	Left                       bool
	Dir, From, To              string
	Flags                      []flagView
}

type flagView struct{ Name, Message string }

// piece is text or the chip of a tag.
type piece struct {
	Text string
	Chip string // "1", "/1" for a closing tag, "2/" for a single tag
}

func rowOf(r Row, dir, from, to string) rowView {
	v := rowView{Class: "seg", Place: textsafe.Text(r.Place), Part: textsafe.Text(r.Part), Source: splitPieces(r.Source), Target: splitPieces(r.Target), Left: r.Target == "", Dir: dir, From: from, To: to}
	switch r.Origin {
	case "memory":
		v.Origin = "from the memory"
	case "person":
		v.Origin = "by a person"
	}
	seen := map[string]bool{}
	for _, f := range r.Flags {
		class := classOf(f.Code)
		if !seen[class] {
			seen[class] = true
			v.Class += " k-" + class
		}
		v.Flags = append(v.Flags, flagView{nameOf(class), textsafe.Text(f.Message)})
	}
	if len(r.Flags) > 0 {
		v.Class += " flagged"
	}
	return v
}

func nameOf(class string) string {
	for _, k := range known {
		if k.code == class {
			return k.name
		}
	}
	return class
}

// maxText limits one text of the page, in characters.
const maxText = 5000

func splitPieces(tagged string) []piece {
	var out []piece
	left := maxText
	for _, t := range tags.Parse(tagged) {
		n := strconv.Itoa(t.N)
		switch t.Kind {
		case tags.Open:
			out = append(out, piece{Chip: n})
		case tags.Close:
			out = append(out, piece{Chip: "/" + n})
		case tags.Single:
			out = append(out, piece{Chip: n + "/"})
		default:
			r := []rune(t.Text)
			if len(r) > left {
				out = append(out, piece{Text: textsafe.Text(string(r[:left])) + "… (" + Number(len(r)-left) + " more characters)"})
				return out
			}
			left -= len(r)
			out = append(out, piece{Text: textsafe.Text(t.Text)})
		}
	}
	return out
}
