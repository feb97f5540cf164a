package pptx

import (
	"atelier/formats"
	"atelier/formats/reserve"
)

// Format returns the pptx format: it maps, reads, edits and segments.
func Format() *formats.Format {
	return reserve.Office(
		&formats.Format{Kind: formats.KindPptx, Mapper: mapper{}, Reader: reader{}, Editor: editor{}, Segmenter: segmenter{}, Differ: differ{}, Auditor: auditor{}, Pictures: illustrated{}},
		reserve.Needs{Read: 4, Edit: 8, Audit: 12, Segments: 8, Diff: 24})
}

// Namespaces, in the transitional form that xmlscan reports for strict
// documents too.
const (
	nsP   = "http://schemas.openxmlformats.org/presentationml/2006/main"
	nsA   = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsR   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	nsC   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	nsDgm = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
	nsMC  = "http://schemas.openxmlformats.org/markup-compatibility/2006"
	nsM   = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	nsCX  = "http://schemas.microsoft.com/office/drawing/2014/chartex"
	nsDsp = "http://schemas.microsoft.com/office/drawing/2008/diagram"
	nsP14 = "http://schemas.microsoft.com/office/powerpoint/2010/main"
)

// Relationship types, transitional; the last ones are Microsoft's own.
const (
	relSlide          = nsR + "/slide"
	relLayout         = nsR + "/slideLayout"
	relMaster         = nsR + "/slideMaster"
	relNotes          = nsR + "/notesSlide"
	relChart          = nsR + "/chart"
	relChartShapes    = nsR + "/chartUserShapes"
	relDiagramData    = nsR + "/diagramData"
	relComments       = nsR + "/comments"
	relChartEx        = "http://schemas.microsoft.com/office/2014/relationships/chartEx"
	relDiagramDrawing = "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing"
	relSignature      = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
	relModernComments = "http://schemas.microsoft.com/office/2018/10/relationships/comments"
)

const (
	typePrefix  = "application/vnd.openxmlformats-officedocument.presentationml."
	slideType   = typePrefix + "slide+xml"
	macroPrefix = "application/vnd.ms-powerpoint."
)

// mainTypes are the content types a presentation part may have: pptx, ppsx,
// potx, and pptm, ppsm, potm, ppam.
var mainTypes = []string{
	typePrefix + "presentation.main+xml",
	typePrefix + "slideshow.main+xml",
	typePrefix + "template.main+xml",
	macroPrefix + "presentation.macroEnabled.main+xml",
	macroPrefix + "slideshow.macroEnabled.main+xml",
	macroPrefix + "template.macroEnabled.main+xml",
	macroPrefix + "addin.macroEnabled.main+xml",
}
