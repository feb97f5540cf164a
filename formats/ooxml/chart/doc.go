// Package chart writes and edits chart parts (ECMA-376-1, 21.2), and reads those of
// any office file. The data of a chart are in cells; the part holds references to
// them and what they show:
//
//	xml := chart.XML(chart.Spec{Kind: "column", Series: []chart.Series{{
//		Categories: &chart.Data{Formula: "Sheet1!$A$2:$A$3", Count: 2, Points: []chart.Point{{0, "north"}, {1, "south"}}},
//		Values:     chart.Data{Formula: "Sheet1!$B$2:$B$3", Numeric: true, Count: 2, Points: []chart.Point{{0, "3"}, {1, "5"}}},
//	}}})
//
// Read returns what a chart shows, with the values that the part stores, and
// Content.Text puts it into words:
//
//	content, err := chart.Read(ctx, part)
//	text := content.Text(xlsx.NumberText)
//
// Edit changes a part and keeps all other bytes; Settings says in words what can be
// set, for reviews:
//
//	out, warnings, err := chart.Edit(ctx, part, chart.Change{Type: "line", Options: chart.Options{Legend: "top"}})
package chart
