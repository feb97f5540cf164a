// Package opc reads and edits the zip package under docx, xlsx and pptx files
// (Open Packaging Conventions, ECMA-376 part 2).
//
//	pkg, err := opc.Open(ctx, src)
//	main, err := pkg.MainPart(ctx)               // through relationships, never by name
//	xml, err := pkg.ReadXML(ctx, main)
//	…
//	ed := pkg.Edit()
//	ed.Set(main, edited)
//	err = ed.Write(ctx, dst)
//
// Parts that an edit does not name are copied raw: compressed bytes, order and
// metadata stay. An Edit without changes writes the very bytes of the source.
// Limits are checked before memory is taken. Entry names are keys, never
// paths of the host.
package opc
