package reader

import (
	"fmt"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxArraysShown is how many array formulas a read names.
const maxArraysShown = 10

// noteArray notes an array formula that fills cells of the block.
func (p *page) noteArray(s *sheetml.RowScanner) {
	b, ok := p.arrays.Note(s)
	if !ok || p.collect || !p.block.Meets(b.Range) || p.cutRows || p.cutBytes {
		return
	}
	if p.arraysN++; p.arraysN > maxArraysShown {
		return
	}
	at, how := cellref.Name(b.R1, b.C1), "fills"
	if b.Dynamic {
		how = "spills into"
	}
	said := at + " " + how + " " + b.String()
	if !p.block.Has(b.R1, b.C1) || !p.formulas {
		if f := p.d.ShowFormula(s); f != "" {
			said = at + " (" + book.Clip(book.OneLine(f), 60) + ") " + how + " " + b.String()
		}
	}
	p.arraysSaid = append(p.arraysSaid, said)
}

// writeArrays says which cells hold values of an array formula in another cell.
func (p *page) writeArrays() {
	if p.arraysN == 0 {
		return
	}
	more := ""
	if n := p.arraysN - len(p.arraysSaid); n > 0 {
		more = fmt.Sprintf(", %d more", n)
	}
	fmt.Fprintf(p.sb, "\n(array formulas: %s%s)", strings.Join(p.arraysSaid, ", "), more)
}
