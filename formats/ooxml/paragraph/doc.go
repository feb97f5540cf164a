// Package paragraph is the text of WordprocessingML (w:p) and DrawingML (a:p)
// paragraphs with a map back to the runs it is split over, by byte offset into
// a part (ECMA-376-1, 17.3 and 21.1.2).
//
//	ps, err := paragraph.Parse(part, paragraph.Word)
//	for _, p := range ps {
//		splices = append(splices, p.Replace(matches(p.Text()))...)
//	}
//	out := xmlscan.Apply(part, splices)
//
// Text is the visible text: runs, hyperlinks, content controls, the results of
// fields and tracked insertions; never field codes or tracked deletions.
// Paragraphs in text boxes and in both branches of mc:AlternateContent are
// their own paragraphs; for the one they are anchored in they are opaque.
//
// For translation, [Paragraph.Tagged] writes formatting as the numbered tags of
// package tags, and [Paragraph.Retag] writes a translation back. Everything
// that an edit does not concern keeps its bytes.
package paragraph
