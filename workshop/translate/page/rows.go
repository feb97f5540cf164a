package page

import (
	"fmt"
	"iter"
	"strconv"

	"atelier/formats"
	"atelier/formats/tags"
	h "atelier/internal/htmlpage"
	"atelier/internal/textsafe"
)

// rows renders the rows of a file as they come, and how many the limits left out.
func (p *printer) rows(f File, v fileView) h.Node {
	return h.Stream(func(write func(h.Node) error) error {
		if f.Rows == nil {
			return nil
		}
		left, shown := 0, 0
		pull, stop := iter.Pull2(f.Rows)
		defer stop()
		next := func() (row Row, ok bool, err error) { // the next row within the limits
			for {
				row, err, ok := pull()
				switch {
				case !ok:
					return row, false, nil
				case err != nil:
					return row, false, fmt.Errorf("the segments of %s cannot be read: %w", f.Input, err)
				case len(row.Flags) > 0:
					return row, true, nil
				case shown < p.limits.File && p.plain < p.limits.All:
					shown++
					p.plain++
					return row, true, nil
				}
				left++
			}
		}
		row, ok, err := next()
		if err != nil {
			return err
		}
		if ok {
			if err := write(segmentTable(f, v, h.Stream(func(write func(h.Node) error) error {
				for ; ok && err == nil; row, ok, err = next() {
					if err := write(rowOf(row, v.Dir, f.From, f.To).node()); err != nil {
						return err
					}
				}
				return err
			}))); err != nil {
				return err
			}
		}
		if left == 0 {
			return nil
		}
		return write(h.Tag("p", "note", formats.Count(left, "more segment")+" without remarks not shown here; --xliff-out writes all of them"))
	})
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
