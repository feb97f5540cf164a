package xlsx

import (
	"context"
	"errors"
	"fmt"
	"io"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// CopyRange writes to dst a copy of src that prints the block of v alone, on one page,
// with the letters of columns and the numbers of rows at its edges. Hidden rows and
// columns stay hidden; a hidden sheet is shown. src stays as it is.
func CopyRange(ctx context.Context, src formats.Source, dst io.Writer, v RangeView) error {
	wb, err := open(ctx, src)
	if err == nil {
		err = wb.copyRange(ctx, dst, v)
	}
	return book.Typed(err, src.Name())
}

func (wb *workbook) copyRange(ctx context.Context, dst io.Writer, v RangeView) error {
	ed := wb.Package.Edit()
	ed.Fast()
	b := newBookEdit(wb)
	for i := range b.sheets {
		b.sheets[i].state = "hidden"
		if i == v.sheet {
			b.sheets[i].state = ""
		}
	}
	corner := func(row, col int) string { return fmt.Sprintf("$%s$%d", cellref.ColumnName(col), row) }
	area := formula.QuoteSheet(v.Sheet) + "!" + corner(v.block.R1, v.block.C1) + ":" + corner(v.block.R2, v.block.C2)
	b.set(book.DefinedName{Name: "_xlnm.Print_Area", Local: v.sheet, Text: area}, false)
	b.set(book.DefinedName{Name: "_xlnm.Print_Titles", Local: v.sheet}, false)
	if err := b.apply(ed); err != nil {
		return err
	}
	part := wb.Sheets[v.sheet].Part
	fa, err := scanSheet(ctx, wb.Package, wb.Sheets[v.sheet], scanOptions{})
	if errors.Is(err, sheetml.ErrNoCells) {
		return formats.Errorf(formats.CodeInvalid, "the sheet %s is empty", cellref.QuoteArg(v.Sheet))
	}
	if err != nil {
		return err
	}
	e := &sheetEdit{part: part, exists: map[cellref.Cell]bool{}, rowExists: map[int]bool{}, selfData: fa.selfData}
	e.head, e.tail = onePage(fa, v).Split(nil)
	ed.SetStream(part, spliceSheet(ctx, wb.Package, e))
	return ed.Write(ctx, dst)
}

// sheetPrSchema has the children of sheetPr (18.3.1.82).
var sheetPrSchema = element.NewSchema("tabColor outlinePr pageSetUpPr")

// onePage returns what a sheet has around its rows with a page set-up of one page
// (18.3.1.63). Its paper is A3 or A5: what is white around the cells is cut off, and
// a picture of a small page shows more of it.
func onePage(fa *facts, v RangeView) sheetml.Skeleton {
	k, p := fa.skel, fa.prefix
	lines := "1"
	if views := k.Elements("sheetView"); len(views) > 0 {
		if v, there := views[0].Attr("showGridLines"); there && !sheetml.IsTrue(v) {
			lines = "0"
		}
	}
	orientation, paper := "portrait", "8"
	if v.small {
		paper = "11"
	}
	if v.wide {
		orientation = "landscape"
	}
	k = k.Apply(dropChildren(k.Doc, "printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks", "colBreaks", "customSheetViews"))
	k = setSheetPr(k, p)
	for _, c := range []struct{ name, attrs string }{
		{"printOptions", `headings="1" gridLines="` + lines + `" gridLinesSet="1"`},
		{"pageMargins", `left="0.4" right="0.4" top="0.4" bottom="0.4" header="0" footer="0"`},
		{"pageSetup", `paperSize="` + paper + `" fitToWidth="1" fitToHeight="1" orientation="` + orientation + `"`},
	} {
		if edit, ok := element.Insert(k.Doc, sheetSchema, c.name, "<"+p+c.name+" "+c.attrs+"/>"); ok {
			k = k.Apply([]xmlscan.Splice{edit})
		}
	}
	return k
}

// setSheetPr makes the pages fit.
func setSheetPr(k sheetml.Skeleton, prefix string) sheetml.Skeleton {
	fit := "<" + prefix + `pageSetUpPr fitToPage="1"/>`
	sc := xmlscan.New(k.Doc[:k.Cut])
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth != 2 {
			continue
		}
		if t.Local != "sheetPr" {
			break
		}
		end := sc.Skip()
		e := element.Parse(string(k.Doc[t.Start:end]), "sheetPr", sheetPrSchema)
		e.Set("pageSetUpPr", fit)
		return k.Apply([]xmlscan.Splice{{Start: t.Start, End: end, New: []byte(e.String())}})
	}
	if edit, ok := element.Insert(k.Doc, sheetSchema, "sheetPr", "<"+prefix+"sheetPr>"+fit+"</"+prefix+"sheetPr>"); ok {
		k = k.Apply([]xmlscan.Splice{edit})
	}
	return k
}

// dropChildren returns the edits that remove children of the root.
func dropChildren(doc []byte, names ...string) (edits []xmlscan.Splice) {
	drop := map[string]bool{}
	for _, n := range names {
		drop[n] = true
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Depth == 2 {
			if end := sc.Skip(); drop[t.Local] {
				edits = append(edits, xmlscan.Splice{Start: t.Start, End: end})
			}
		}
	}
	return edits
}
