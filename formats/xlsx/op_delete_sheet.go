package xlsx

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
)

// deleteSheet takes a sheet out. Formulas planned so far that refer to
// it are rewritten here, those of the file when they are copied.
func (p *plan) deleteSheet(ctx context.Context, op sheetArgs) (int, error) {
	return 0, p.dropSheet(ctx, op.Sheet)
}

func (p *plan) dropSheet(ctx context.Context, name string) error {
	if strings.TrimSpace(name) == "" {
		return formats.Errorf(formats.CodeInvalid, "sheet is required")
	}
	i := p.find(name)
	if i < 0 {
		return book.UnknownSheet(name)
	}
	if !slices.ContainsFunc(p.sheets, func(s *planSheet) bool { return s != p.sheets[i] && s.info.State == "" }) {
		return formats.Errorf(formats.CodeInvalid, "cannot delete %q: a workbook needs at least one visible sheet", p.sheets[i].name)
	}
	if p.wb.Locked {
		p.warn("the structure of the workbook is protected; the sheet %q was deleted all the same", p.sheets[i].name)
	}
	s := p.sheets[i]
	rw := &formula.Rewriter{}
	if err := p.wb.deleteFrom(ctx, rw, s); err != nil {
		return err
	}
	if err := p.saidOfSlicers(ctx, s); err != nil {
		return err
	}
	p.sheets = append(p.sheets[:i:i], p.sheets[i+1:]...)
	if s.orig >= 0 {
		p.deleted = append(p.deleted, s)
	}
	p.fresh = false
	for _, other := range p.sheets {
		other.rewriteFormulas(rw)
	}
	return nil
}

// saidOfSlicers tells of slicers that filter what a deleted sheet held.
func (p *plan) saidOfSlicers(ctx context.Context, s *planSheet) error {
	if s.orig < 0 || !s.info.Worksheet() {
		return nil
	}
	tables, err := p.wb.TablesOf(ctx, s.info.Part)
	if err != nil {
		return err
	}
	said, err := p.wb.orphanedSlicers(ctx, tables, s.info.SheetID)
	p.at.Warnings = append(p.at.Warnings, said...)
	return err
}

// deleteFrom makes references to a sheet and to its tables refer to nothing.
func (wb *workbook) deleteFrom(ctx context.Context, rw *formula.Rewriter, s *planSheet) error {
	rw.DeleteSheet(s.name, wb.SheetOrder())
	if s.orig < 0 || !s.info.Worksheet() {
		return nil
	}
	tables, err := wb.TablesOf(ctx, s.info.Part)
	for _, t := range tables {
		rw.ChangeTable(t.Name, formula.TableChange{Removed: true})
	}
	return err
}
