package xlsx

import (
	"atelier/formats"
	"atelier/formats/reserve"
	"atelier/formats/xlsx/internal/audit"
	"atelier/formats/xlsx/internal/grid"
	"atelier/formats/xlsx/internal/reader"
)

// Format returns the xlsx format with all it can do.
func Format() *formats.Format {
	return reserve.Office(&formats.Format{
		Kind:      formats.KindXlsx,
		Mapper:    reader.Mapper{},
		Reader:    reader.Reader{},
		Editor:    editor{},
		Segmenter: segmenter{},
		Auditor:   audit.Auditor{},
		Pictures:  reader.Reader{},
		Sheets:    grid.Viewer{},
		Differ:    differ,
	}, reserve.Needs{
		Read: 1.2, Edit: 1.2, Audit: 2, Segments: 5, Bulk: 1.5, Diff: 0.5,
		Heavy: 5.5, HeavyOps: []string{"sort_range"}, Most: 1 << 30,
	})
}

type (
	editor    struct{}
	segmenter struct{}
)
