// Package xlsx maps, reads, edits and translates Excel workbooks.
//
//	f := xlsx.Format()
//	m, err := f.Mapper.Map(ctx, src, formats.MapOptions{})                                // sheets and their sizes
//	text, err := f.Reader.Read(ctx, src, formats.Selector{Sheet: "Sales", Range: "A1:E50"})
//	report, err := f.Editor.Apply(ctx, src, &out, ops, formats.ApplyOptions{})
//	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
//	err = f.Segmenter.Replace(ctx, src, &out, map[string]string{segs[0].ID: "Ventas"}, formats.ReplaceOptions{})
//
// # How
//
// Worksheets are scanned as a stream by an own byte scanner, so that memory
// stays flat however large a sheet is. An edit is one more pass over the sheets
// it concerns: the bytes of cells nobody named are copied, those of edited
// cells are exchanged, and all other parts of the package are copied raw. Text
// boxes, sparklines, data bars, header images, rich text and whatever else we
// do not know stay as they were.
//
// Packages below internal: cellref (cells, ranges and how they move), formula,
// numfmt, sheetml (the XML of sheets) and stylesheet need no workbook; book is the
// open workbook, reader reads and maps it, diff compares two. book.Rows is the
// pass over the rows of a sheet; it looks at the context.
// Files named op_*.go each carry out one operation or a few related ones.
//
// Operations that only write into places are collected and done in one pass; an
// operation that moves cells, or renames or copies sheets, has a pass to itself
// (edit.go). A formula.Rewriter knows what became of cells, sheets and tables and
// rewrites formulas. A walk (followwalk.go) does so for all that refers to cells
// around the rows of a sheet: merges, rules, links, breaks, anchors. rewriteParts
// (followparts.go) runs it over tables, charts, drawings, notes and pivot tables,
// and bookEdit (bookedit.go) changes sheets and names in the workbook part.
//
// There are two copies of a sheet. copy_sheet copies parts byte for byte, since
// styles, texts and names are those of the same workbook. copy_sheet_from writes
// cells of another workbook through a plan, since all of these have other numbers
// there; what it cannot carry over it tells.
//
// A read or map of a sheet or string table of more than 8 MiB leaves an index
// behind, by the hash of the file: places from which the part can be inflated
// and scanned on. A later read starts at the one nearest to it. All that is kept
// between calls is bounded (see sheetindex.go) and depends on nothing but the
// bytes of the file.
//
// # Promises
//
//   - Apply without operations writes the same bytes.
//   - A formula that may depend on an edited cell loses its cached value, and
//     the workbook is marked for full calculation on load; formulas that
//     provably do not depend on it keep theirs.
//   - No edit leaves a reference to something that is gone: shared formulas,
//     the calculation chain, table column names and defined names follow.
//
// Clause numbers in comments are those of ECMA-376 part 1, 5th edition.
package xlsx
