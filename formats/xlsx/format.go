package xlsx

import (
	"atelier/formats"
	"atelier/formats/xlsx/internal/audit"
	"atelier/formats/xlsx/internal/grid"
	"atelier/formats/xlsx/internal/reader"
)

// Format returns the xlsx format with all it can do.
func Format() *formats.Format {
	return &formats.Format{
		Kind:      formats.KindXlsx,
		Mapper:    reader.Mapper{},
		Reader:    reader.Reader{},
		Editor:    editor{},
		Segmenter: segmenter{},
		Auditor:   audit.Auditor{},
		Pictures:  reader.Reader{},
		Sheets:    grid.Viewer{},
		Differ:    differ,
	}
}

type (
	editor    struct{}
	segmenter struct{}
)
