package text

import (
	"path"
	"strings"

	"atelier/formats"
)

// Format returns the text kind: Mapper, Reader and Segmenter. It has no Editor;
// tools write text files whole.
func Format() *formats.Format {
	f := format{}
	return &formats.Format{Kind: formats.KindText, Mapper: f, Reader: f, Segmenter: segmenter}
}

type format struct{}

func ext(src formats.Source) string { return strings.ToLower(path.Ext(src.Name())) }

func isTable(src formats.Source) bool { return ext(src) == ".csv" || ext(src) == ".tsv" }
