package docx

import (
	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/reserve"
)

// Format returns the docx format: it maps, reads, edits, segments, compares and audits.
func Format() *formats.Format {
	return reserve.Office(
		&formats.Format{Kind: formats.KindDocx, Mapper: mapper{}, Reader: reader{}, Blocks: reader{}, Editor: editor{}, Segmenter: segmenter{}, Auditor: auditor{}, Differ: differ{}, Pictures: illustrated{}},
		reserve.Needs{Read: 11, Edit: 12, Audit: 16, Segments: 14, Diff: 14})
}

const (
	nsW  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	nsMC = "http://schemas.openxmlformats.org/markup-compatibility/2006"

	relStyles    = opc.RelPrefix + "styles"
	relSignature = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"

	typePrefix  = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	macroPrefix = "application/vnd.ms-word."
)

// mainTypes are the content types a document part may have: docx, dotx, docm, dotm.
var mainTypes = []string{
	typePrefix + "document.main+xml",
	typePrefix + "template.main+xml",
	macroPrefix + "document.macroEnabled.main+xml",
	macroPrefix + "template.macroEnabledTemplate.main+xml",
}
