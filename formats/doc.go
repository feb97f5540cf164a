// Package formats detects the kind of a file and defines what can be done with
// each kind: map, read, edit, compare, translate.
//
// Each kind of file (text, csv, xlsx, docx, pptx, pdf, image) is one package of
// pure functions below this one, from a [Source] to an [io.Writer]. They do not
// depend on workbenches, models or tools, so each can be used and fuzzed alone.
// The common path:
//
//	set := all.Formats(all.Options{})       // every format we ship
//	f, err := set.Detect(ctx, src)                 // by content first, name second
//	text, err := f.Read(ctx, src, formats.Selector{Sheet: "Sales", Range: "A1:E50"})
//	report, err := f.Editor.Apply(ctx, src, &out, ops, formats.ApplyOptions{})
//
// # Promises
//
//   - An edit changes what was asked and nothing else. Parts of a package that
//     no operation concerns are copied raw; inside a touched part untouched
//     elements keep their bytes. Apply without operations writes the same bytes.
//   - All operations of one Apply are done, or none.
//   - Bad input gives an [*Error] with a code and a sentence that names what is
//     wrong. No input causes a panic, a hang or unbounded memory.
//   - Every function gives up soon after its context is done.
package formats
