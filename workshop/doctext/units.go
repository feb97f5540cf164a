package doctext

import (
	"iter"
	"strconv"
	"strings"

	"atelier/formats/xlsx"
)

// Unit is a piece of a document that has an address: a cell, a paragraph or table
// row, a line of a shape or page.
type Unit struct {
	// At is the address as other tools take it: "Sales!B7", "p12", "t0.r1",
	// "slide_index 2, shape_id 4", "page 3", and "sheet \"Sales\"" for its name.
	At   string
	Text string // one line, never blank
}

// Units returns the pieces of a document that have an address, in order. A text
// file has none: its lines are counted.
func (d Doc) Units() iter.Seq[Unit] {
	return func(yield func(Unit) bool) {
		nextText, stopText := iter.Pull(strings.SplitSeq(d.Text, "\n"))
		defer stopText()
		nextAt, stopAt := iter.Pull(strings.SplitSeq(d.At, "\n"))
		defer stopAt()
		sheet := ""
		for _, p := range d.Parts {
			for range p.End - p.Start + 1 {
				line, _ := nextText()
				at, _ := nextAt()
				if p.Kind == "sheet" && at == "" && strings.HasPrefix(line, "Sheet: ") {
					if p.Name != sheet && !yield(Unit{"sheet " + strconv.Quote(p.Name), p.Name}) {
						return
					}
					sheet = p.Name
				} else if strings.TrimSpace(line) != "" && !d.unitsOf(p, at, line, yield) {
					return
				}
			}
		}
	}
}

// unitsOf yields the units of a line.
func (d Doc) unitsOf(p Part, at, line string, yield func(Unit) bool) bool {
	switch {
	case at == "" && (d.At != "" || p.Kind == "sheet" || p.Kind == "slide"): // a line that shows structure
		return true
	case p.Kind == "sheet":
		return sheetUnits(p.Name, at, line, yield)
	case p.Kind == "slide":
		return yield(Unit{slideAddress(p.Name) + ", " + at, line})
	case at != "":
		return yield(Unit{at, line})
	}
	return yield(Unit{p.Address(), line})
}

// sheetUnits yields the cells of a row, or the comment of a cell.
func sheetUnits(sheet, at, line string, yield func(Unit) bool) bool {
	if _, err := strconv.Atoi(at); err == nil {
		for _, c := range xlsx.RowCells(line) {
			if strings.TrimSpace(c.Text) != "" && !yield(Unit{xlsx.Address(sheet, c.Ref), c.Text}) {
				return false
			}
		}
		return true
	}
	if rest, ok := strings.CutPrefix(line, at); ok { // of the comment of a cell
		return yield(Unit{xlsx.Address(sheet, at) + " comment", strings.TrimPrefix(strings.TrimPrefix(rest, ":"), " ")})
	}
	return yield(Unit{xlsx.Address(sheet, at), line})
}

// Address returns the place of a part as other tools take it.
func (p Part) Address() string {
	switch p.Kind {
	case "sheet":
		return xlsx.Address(p.Name, "")
	case "slide":
		return slideAddress(p.Name)
	case "section":
		return "section " + strconv.Quote(p.Name)
	case "page":
		return "page " + p.Name
	}
	return p.Kind
}

// slideAddress returns the index of a slide, which tools count from 0.
func slideAddress(number string) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		return "slide " + number
	}
	return "slide_index " + strconv.Itoa(n-1)
}

// AddressAt returns the address of the first unit from line start to end, counted
// from 1; "" for a text without addresses.
func (d Doc) AddressAt(start, end int) string {
	for _, p := range d.Parts {
		if p.End < start || p.Start > end {
			continue
		}
		from, to := max(start, p.Start), min(end, p.End)
		part := Doc{Kind: d.Kind, Parts: []Part{{p.Kind, p.Name, from, to}}}
		part.Text, part.At = linesBetween(d.Text, from, to), linesBetween(d.At, from, to)
		if d.At != "" && strings.Trim(part.At, "\n") == "" {
			continue
		}
		for u := range part.Units() {
			return u.At
		}
	}
	return ""
}

// linesBetween returns the lines from start to end, counted from 1.
func linesBetween(s string, start, end int) string {
	n := 1
	for line := range strings.Lines(s) {
		if n == start {
			break
		}
		s, n = s[len(line):], n+1
	}
	to := 0
	for line := range strings.Lines(s) {
		if n > end {
			break
		}
		to, n = to+len(line), n+1
	}
	return strings.TrimSuffix(s[:to], "\n")
}
