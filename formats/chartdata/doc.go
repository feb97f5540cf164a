// Package chartdata makes charts in documents and presentations and replaces their
// data, in the chart part and in the workbook that is embedded for it.
//
//	e := chartdata.Edit{Package: edit, Dir: "word"}
//	kind, err := e.Check("column", labels, series)
//	spec := chart.Spec{Title: "Sales"}
//	spec.Of(kind)
//	relID, err := e.Add(ctx, "word/document.xml", spec, chart.Options{}, labels, series)
//	err = e.Set(ctx, "word/charts/chart1.xml", labels, series)
//
// Cells in columns with the names above grow and shrink in place. Where new cells
// would cover others, or the data are laid out in another way, the data go into a
// new sheet of the same workbook. A chart without a workbook gets one; a linked
// workbook is refused.
package chartdata
