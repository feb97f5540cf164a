package xlsx

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// copy writes the workbook for LibreOffice to path. Formulas that have a value
// are left out of it and their values stay, so that what is calculated reads
// the values that the file shows and not those of another program or language.
func (r *recalculation) copy(ctx context.Context, path string) error {
	pkg := r.wb.Package
	ed := pkg.Edit()
	ed.Fast()
	for _, info := range r.wb.Sheets {
		if info.Worksheet() && !r.asIs {
			ed.SetStream(info.Part, func(w io.Writer) error { return withoutCalculated(ctx, pkg, info.Part, w) })
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(ed.Write(ctx, f), f.Close())
}

// withoutCalculated copies a sheet without the formulas that have a value.
// Those of a group that have none are written out.
func withoutCalculated(ctx context.Context, pkg *opc.Package, part string, dst io.Writer) error {
	w := bufio.NewWriterSize(dst, 64<<10)
	d := &book.Display{}
	for s, err := range book.Rows(ctx, pkg, part, book.Window{Display: d}) {
		if errors.Is(err, sheetml.ErrNoCells) {
			w.Write(s.HeadXML)
			return w.Flush()
		}
		if err != nil {
			return err
		}
		raw := s.Raw()
		switch s.Event {
		case sheetml.HeadEnd:
			raw = s.HeadXML
		case sheetml.WholeCell:
			if cut, ok := calculatedCut(s, d); ok {
				raw = xmlscan.Apply(raw, []xmlscan.Splice{cut})
			}
		case sheetml.DataEnd:
			w.Write(raw)
			if raw, err = s.Tail(); err != nil {
				return err
			}
		}
		w.Write(raw)
	}
	return w.Flush()
}

// calculatedCut is what becomes of the current cell's formula in the copy.
// SUBTOTAL and AGGREGATE do not count cells that hold them, so these stay.
func calculatedCut(s *sheetml.RowScanner, d *book.Display) (xmlscan.Splice, bool) {
	c := &s.Cell
	if !c.HasFormula {
		return xmlscan.Splice{}, false
	}
	fa := sheetml.ReadFormulaAttrs(s.Text(c.FormulaTag))
	if fa.Kind == "array" || fa.Kind == "dataTable" {
		return xmlscan.Splice{}, false
	}
	text := d.Formula(s)
	if up := strings.ToUpper(text); !c.NoValue() && !strings.Contains(up, "SUBTOTAL(") && !strings.Contains(up, "AGGREGATE(") {
		return xmlscan.Splice{Start: c.FormulaElement.Start, End: c.FormulaElement.End}, true
	}
	if fa.Kind != "shared" {
		return xmlscan.Splice{}, false
	}
	plain := "<" + s.Prefix + "f>" + xmlscan.Escape(text) + "</" + s.Prefix + "f>"
	return xmlscan.Splice{Start: c.FormulaElement.Start, End: c.FormulaElement.End, New: []byte(plain)}, true
}
