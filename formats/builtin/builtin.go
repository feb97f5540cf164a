// Package builtin assembles every format that ships with the program.
//
//	set := builtin.Formats(builtin.Options{CacheDir: home.CacheDir()})
//	f, err := set.Detect(ctx, src)
package builtin

import (
	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/image"
	"atelier/formats/odt"
	"atelier/formats/pdf"
	"atelier/formats/pptx"
	"atelier/formats/text"
	"atelier/formats/xlsx"
)

// Options are what formats need from their host; the zero value works.
type Options struct {
	// CacheDir is a folder that may be kept between runs, for compiled code of
	// the PDF reader; "" keeps nothing.
	CacheDir string
}

// Formats is the set of all formats. Making it costs nothing: whatever is
// expensive starts at its first use.
func Formats(o Options) *formats.Set {
	return formats.NewSet(
		text.Format(),
		xlsx.Format(),
		docx.Format(),
		pptx.Format(),
		pdf.Format(pdf.Options{CacheDir: o.CacheDir}),
		image.Format(),
		odt.Format(),
	)
}
