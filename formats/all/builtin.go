package all

import (
	"time"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/html"
	"atelier/formats/image"
	"atelier/formats/localization"
	"atelier/formats/odt"
	"atelier/formats/pdf"
	"atelier/formats/pptx"
	"atelier/formats/reserve"
	"atelier/formats/subtitles"
	"atelier/formats/text"
	"atelier/formats/xlsx"
)

// Options are what formats need from their host; the zero value works.
type Options struct {
	// CacheDir is a folder that may be kept between runs, for compiled code of
	// the PDF reader; "" keeps nothing.
	CacheDir string
	// Timeout bounds each call that is made of a PDF; 0 is 30 seconds.
	Timeout time.Duration
	// Language is formats.Set.Language.
	Language string
}

// Formats returns the set of all formats. Making it costs nothing: whatever is
// expensive starts at its first use.
func Formats(o Options) *formats.Set {
	set := formats.NewSet(
		textFormat(),
		xlsx.Format(),
		docx.Format(),
		pptx.Format(),
		pdf.Format(pdf.Options{CacheDir: o.CacheDir, Timeout: o.Timeout}),
		image.Format(),
		odt.Format(),
	)
	set.Language = o.Language
	return set
}

// textFormat returns the text kind with what else can be translated of it.
func textFormat() *formats.Format {
	f := text.Format()
	by := formats.ByExtension{With: map[string]formats.Segmenter{}, Other: f.Segmenter}
	for _, ext := range html.Extensions {
		by.With[ext] = html.Segmenter()
	}
	for _, ext := range subtitles.Extensions {
		by.With[ext] = subtitles.Segmenter()
	}
	for _, ext := range localization.Extensions() {
		by.With[ext] = localization.Segmenter(ext)
	}
	f.Segmenter = by
	return reserve.Text(f, reserve.Needs{Segments: 8}) // reads hold a window
}
