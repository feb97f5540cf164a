package reader

import (
	"context"
	"fmt"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// What a read shows of the objects of one sheet; it counts those behind.
const (
	maxChartsShown = 100
	maxPivotsShown = 50
	maxRulesShown  = 200
)

// maxObjectXML bounds the parts of charts and pivot tables that one read parses, in
// bytes.
const maxObjectXML = 64 << 20

// sections are what a read shows of a sheet besides its cells.
type sections struct {
	asked []string // of the Include constants
	only  bool     // without cells: no range and nothing about cells was asked for
	all   bool     // asked for with everything: what is not there is not told
	left  *int64   // of maxObjectXML
}

// takes reports whether a part may still be read.
func (s *sections) takes(size int64) bool {
	if size > book.MaxObjects || size > *s.left {
		return false
	}
	*s.left -= size
	return true
}

// sectionWords are the words of an Include for sections, in the order of the text.
var sectionWords = []string{formats.IncludeCharts, formats.IncludePivots, formats.IncludeRules, formats.IncludePage}

// sectionsOf returns the sections that a selector asks for. A read that asks for
// nothing else, without a range, leaves out the cells.
func sectionsOf(sel formats.Selector) sections {
	left := int64(maxObjectXML)
	s := sections{left: &left}
	for _, w := range sectionWords {
		if sel.Includes(w) {
			s.asked = append(s.asked, w)
		}
	}
	s.all = slices.Contains(sel.Include, formats.IncludeAll)
	s.only = len(s.asked) > 0 && sel.Range == "" && !slices.ContainsFunc(sel.Include, func(w string) bool {
		return w == formats.IncludeAll || w == formats.IncludeFormulas || w == formats.IncludeHidden || w == formats.IncludeComments || w == formats.IncludeEstimates
	})
	return s
}

// writeSections puts what was asked for of the sheet behind its cells. Where the
// read goes on from an earlier one, that showed it.
func (p *page) writeSections(ctx context.Context) error {
	if p.onward && p.block.R1 > 1 {
		return nil
	}
	for _, w := range p.sections.asked {
		var err error
		switch w {
		case formats.IncludeCharts:
			err = p.writeCharts(ctx)
		case formats.IncludePivots:
			err = p.writePivots(ctx)
		case formats.IncludeRules:
			err = p.writeRules(ctx)
		case formats.IncludePage:
			err = p.writePage(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// touches reports whether an object that covers r is in the block that is read. An
// object without a place is.
func (p *page) touches(r cellref.Range) bool {
	return r.Empty() || p.block.Meets(r)
}

// sectionList writes the lines of a section under its heading.
type sectionList struct {
	p       *page
	heading string
	max     int
	shown   int
	omitted int
}

// room reports whether one more item is shown; it counts those that are not.
func (l *sectionList) room() bool {
	if l.shown >= l.max || l.p.sb.Len() > maxReadBytes {
		l.omitted++
		return false
	}
	l.shown++
	if l.shown == 1 {
		fmt.Fprintf(l.p.sb, "\n%s:", l.heading)
	}
	return true
}

// end says what was left out, or that there is nothing.
func (l *sectionList) end() {
	switch {
	case l.omitted > 0:
		fmt.Fprintf(l.p.sb, "\n... (%d more)", l.omitted)
	case l.shown == 0 && !l.p.sections.all:
		fmt.Fprintf(l.p.sb, "\n%s: none", l.heading)
	}
}

func (p *page) list(heading string, most int) *sectionList {
	return &sectionList{p: p, heading: heading, max: most}
}
