// Package html takes the translatable text out of web pages (.html, .htm,
// .xhtml) and puts it back: formats.Segmenter for them. Reading them is the
// work of package text.
//
//	segs, err := html.Segmenter().Segments(ctx, src, formats.SegmentOptions{})
//
// A segment is what is between two block elements, with inline elements as
// tags; titles, labels of forms, and the attributes and meta elements that
// people see or hear are their own segments. What is replaced is spliced into
// the page: every other byte stays, however malformed the markup is.
//
// Not translated: scripts and styles, code (code, kbd, samp, var, and pre with
// code in it), elements with translate="no" or the class notranslate, comments,
// data-* attributes, values that a form sends, letters of formulas (MathML).
//
// Markup is read as the HTML standard's tokenizer does (WHATWG, 13.2.5), with
// positions; no tree is built, since pages may omit tags.
package html
