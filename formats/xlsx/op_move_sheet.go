package xlsx

import (
	"context"
	"errors"
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type moveSheetArgs struct {
	sheetArgs
	Position *lenient.Int `json:"position" usage:"position (1-based)" jsonschema:"{ops}: 1 is the first tab"`
}

// tabPosition returns the index that a sheet gets among n, from a 1-based
// position; def where none is given.
func tabPosition(given *lenient.Int, n, def int) (int, error) {
	if given == nil {
		return def, nil
	}
	if p := int(*given); p >= 1 && p <= n {
		return p - 1, nil
	}
	return 0, formats.Errorf(formats.CodeInvalid, "invalid position %d: expected 1 to %d", int(*given), n)
}

// moveSheet puts a sheet at another place among the tabs.
func moveSheet(ctx context.Context, e *structure, op moveSheetArgs) error {
	i, err := e.sheet(op.Sheet)
	if err != nil {
		return err
	}
	if op.Position == nil {
		return formats.Errorf(formats.CodeInvalid, "position is required: 1 is the first tab")
	}
	to, err := tabPosition(op.Position, len(e.wb.Sheets), 0)
	if err != nil {
		return err
	}
	if to == i {
		e.warn("the sheet %q is at position %d already; nothing was changed", e.wb.Sheets[i].Name, to+1)
		return nil
	}
	b := newBookEdit(e.wb)
	moved := b.sheets[i]
	b.sheets = slices.Insert(slices.Delete(b.sheets, i, i+1), to, moved)
	if b.calc, err = e.spans(ctx, i); err != nil {
		return err
	}
	e.lockedWarning()
	return b.apply(e.ed)
}

// spans reports whether a formula reads a span of sheets (Sheet1:Sheet3!A1),
// which another order of the sheets changes.
func (e *structure) spans(ctx context.Context, i int) (bool, error) {
	g := &following{structure: e, sheet: i}
	if err := g.look(ctx); err != nil {
		return false, err
	}
	spanning := func(f string) bool {
		return slices.ContainsFunc(formula.Lex(f), func(t formula.Token) bool { return t.LastSheet != "" })
	}
	for _, fa := range g.facts {
		if fa == nil {
			continue
		}
		for fc := range fa.formulas.all() {
			if spanning(fc.Text) {
				return true, nil
			}
		}
		if fa.many {
			return true, nil
		}
	}
	return slices.ContainsFunc(e.wb.Names, func(n book.DefinedName) bool { return spanning(n.Text) }), nil
}

func hideSheet(ctx context.Context, e *structure, op sheetArgs) error {
	return showSheet(ctx, e, op, "hidden")
}

func unhideSheet(ctx context.Context, e *structure, op sheetArgs) error {
	return showSheet(ctx, e, op, "")
}

// showSheet gives a sheet a state: "hidden", or "" for a sheet that is shown.
func showSheet(ctx context.Context, e *structure, op sheetArgs, state string) error {
	i, err := e.sheet(op.Sheet)
	if err != nil {
		return err
	}
	if e.wb.Sheets[i].State == state {
		e.warn("the sheet %q is %s already; nothing was changed", e.wb.Sheets[i].Name, map[bool]string{true: "shown", false: "hidden"}[state == ""])
		return nil
	}
	if state != "" && e.wb.Sheets[i].State == "" {
		visible := 0
		for _, s := range e.wb.Sheets {
			if s.State == "" {
				visible++
			}
		}
		if visible == 1 {
			return formats.Errorf(formats.CodeInvalid, "cannot hide %q: a workbook needs at least one visible sheet", e.wb.Sheets[i].Name)
		}
	}
	e.lockedWarning()
	b := newBookEdit(e.wb)
	b.sheets[i].state = state
	if err := b.apply(e.ed); err != nil {
		return err
	}
	if state != "" && e.wb.Sheets[i].Worksheet() {
		return e.deselect(ctx, e.wb.Sheets[i].Part)
	}
	return nil
}

// deselect takes a hidden sheet out of the selected tabs: what is typed into
// the others would go into it too.
func (e *structure) deselect(ctx context.Context, part string) error {
	fa, err := scanSheet(ctx, e.wb.Package, book.SheetInfo{Part: part}, scanOptions{})
	if errors.Is(err, sheetml.ErrNoCells) {
		return nil
	}
	if err != nil {
		return err
	}
	if edits := deselected(fa.skel); len(edits) > 0 {
		e.around(ctx, part, fa, edits)
	}
	return nil
}

// deselected takes the selection mark off the views of a sheet.
func deselected(k sheetml.Skeleton) []xmlscan.Splice {
	var edits []xmlscan.Splice
	for _, t := range k.Elements("sheetView") {
		for a := range t.Attrs() {
			if a.Name == "tabSelected" && sheetml.IsTrue(a.Value()) {
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte("0")})
			}
		}
	}
	return edits
}

// around writes a sheet with changes around its rows.
func (e *structure) around(ctx context.Context, part string, fa *facts, edits []xmlscan.Splice) {
	se := &sheetEdit{part: part, exists: map[cellref.Cell]bool{}, rowExists: map[int]bool{}, selfData: fa.selfData}
	se.head, se.tail = fa.skel.Split(edits)
	pkg := e.wb.Package
	e.ed.SetStream(part, spliceSheet(ctx, pkg, se))
}
