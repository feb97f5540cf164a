// Package element edits small XML elements whose children have an order, such
// as the properties of a paragraph or a cell format. A schema lists the
// children in that order; an element is its start tag and its children, each as
// written, so that one can be set or dropped while the others keep their bytes.
//
//	var runSchema = element.NewSchema("rStyle rFonts b bCs i iCs … color sz")
//
//	e := element.Parse(raw, "w:rPr", runSchema)
//	e.Set("color", `<w:color w:val="C00000"/>`)
//	e.Drop("vanish")
//	out := e.Optional()
//
// Insert and Append do the same for children of a whole part, which is not taken
// apart.
package element
