// Package odt reads OpenDocument text files (ODF 1.3 part 3): structure and
// text, so that a model can read them beside office documents. It does not edit
// them.
//
//	text, err := odt.Format().Reader.Read(ctx, src, formats.Selector{Section: "Terms"})
package odt
