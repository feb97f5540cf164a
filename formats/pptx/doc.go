// Package pptx reads and edits PowerPoint presentations (PresentationML,
// ECMA-376 part 1 clause 19), also macro-enabled ones, slide shows and
// templates, transitional and strict.
//
//	f := pptx.Format()
//	text, err := f.Reader.Read(ctx, src, formats.Selector{SlideIndex: &two})
//	rep, err := f.Editor.Apply(ctx, src, &out, ops, formats.ApplyOptions{})
//	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
//
// Slides are found through the presentation's slide list and relationships,
// never by file name; an index counts from 0 in presentation order, and hidden
// slides count.
//
// # Promises
//
//   - An edit changes the slides it names: all other parts are copied raw, and
//     on a slide only the paragraphs of the shape concerned are rewritten. A
//     paragraph whose text does not change keeps its bytes, whatever formatting
//     it has inside.
//   - A slide that goes takes along what only it used; a copy has charts,
//     diagrams and notes of its own and shares pictures and media. Sections,
//     custom shows and links between slides stay consistent.
//   - New text takes the formatting of the first run and the paragraph
//     properties of the paragraph it replaces or, beyond those, of the first
//     one on its level.
//   - A new slide uses a layout of the deck, found by what the layout is for.
//   - A segment's ID is the part and the position of its paragraph in it, so
//     it names the same place after Replace.
package pptx
