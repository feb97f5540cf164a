package xlsx

import (
	"context"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// Settle implements formats.Settler: it writes now with new values of the formulas that
// depend on cells which differ from those of was at the same place.
func (editor) Settle(ctx context.Context, was, now formats.Source, dst io.Writer, opt formats.ApplyOptions) (int, error) {
	opt.Calculate = true
	e := &edit{src: now, orig: was, name: now.Name(), opt: opt, rep: formats.Report{Ops: []formats.OpReport{}}}
	defer e.close()
	p, err := e.planned(ctx, false)
	if err != nil {
		return 0, book.Typed(err, now.Name())
	}
	old, err := open(ctx, was)
	if err != nil {
		return 0, book.Typed(err, was.Name())
	}
	// Formulas refer to sheets and names: if these differ, all are calculated.
	all := !slices.Equal(old.Names, p.wb.Names) || !slices.EqualFunc(old.Sheets, p.wb.Sheets, func(a, b book.SheetInfo) bool { return a.Name == b.Name })
	any := false
	for _, s := range p.sheets {
		i := sheetNamed(old, s.name)
		if !s.info.Worksheet() || !all && (i < 0 || old.Package.SamePart(old.Sheets[i].Part, p.wb.Package, s.info.Part)) {
			continue
		}
		was := ""
		if i >= 0 && !all {
			was = old.Sheets[i].Part
		}
		if s.restored, err = restoredCells(ctx, old, was, p.wb, s.info.Part); err != nil {
			return 0, book.Typed(err, now.Name())
		}
		any = any || s.restored != nil
	}
	if !any {
		_, err := io.Copy(dst, io.NewSectionReader(now, 0, now.Size()))
		return 0, err
	}
	e.pass.rep.Ops = append(e.pass.rep.Ops, formats.OpReport{Op: "settle"})
	err = book.Typed(e.write(ctx, dst), now.Name())
	return e.rep.Calculated, err
}

func sheetNamed(wb *workbook, name string) int {
	for i, s := range wb.Sheets {
		if strings.EqualFold(s.Name, name) {
			return i
		}
	}
	return -1
}

// restoration is the cells of a sheet that were written without an operation: all that
// others may read, and the formulas among them.
type restoration struct {
	cells, formulas *cellref.Set
	n               int // how many cells
}

// restoredCells returns the cells whose content differs between two parts, nil when there
// are none.
func restoredCells(ctx context.Context, was *workbook, partWas string, now *workbook, partNow string) (*restoration, error) {
	seed := maphash.MakeSeed()
	old := map[cellref.Cell]uint64{}
	err := eachStored(ctx, was, partWas, func(s *sheetml.RowScanner) {
		old[cellref.At(s.Cell.Row, s.Cell.Col)] = maphash.Bytes(seed, s.Raw()[s.Start:])
	})
	if err != nil {
		return nil, err
	}
	r := &restoration{cells: &cellref.Set{}, formulas: &cellref.Set{}}
	err = eachStored(ctx, now, partNow, func(s *sheetml.RowScanner) {
		at := cellref.At(s.Cell.Row, s.Cell.Col)
		h, there := old[at]
		if delete(old, at); there && h == maphash.Bytes(seed, s.Raw()[s.Start:]) {
			return
		}
		r.n++
		if r.cells.Add(at.Row, at.Col); s.Cell.HasFormula {
			r.formulas.Add(at.Row, at.Col)
		}
	})
	if err != nil {
		return nil, err
	}
	r.n += len(old)
	for at := range old {
		r.cells.Add(at.Row, at.Col)
	}
	if r.cells.Empty() {
		return nil, nil
	}
	return r, nil
}

// eachStored calls f with every cell of a sheet that holds something; part "" is a sheet
// without cells.
func eachStored(ctx context.Context, wb *workbook, part string, f func(s *sheetml.RowScanner)) error {
	if part == "" {
		return nil
	}
	for s, err := range wb.Rows(ctx, part, book.Window{}) {
		if err != nil {
			return book.IgnoreNoCells(err)
		}
		if s.Event == sheetml.WholeCell && !s.Cell.Blank() {
			f(s)
		}
	}
	return nil
}
