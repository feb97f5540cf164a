package translate

import (
	"fmt"

	"atelier/formats"
	"atelier/workshop"
)

// Able reports why a file of a workbench cannot be translated, "" if it can, and
// whether a job leaves it out unless its params name it. It looks at the name only.
func Able(set *formats.Set, e workshop.Entry) (onlyNamed bool, why string) {
	kind := formats.TypeOfName(e.Name()).Kind
	if kind == "" {
		kind = e.Kind
	}
	switch {
	case set.Kind(kind).Segmenter != nil:
		return !Wanted(e.Name()) || hidden(e.Path), ""
	case kind == formats.KindImage:
		return false, "the text of pictures is not translated"
	case kind == formats.KindBinary || kind == "":
		return false, "it has no text that Atelier knows"
	case kind == formats.KindODT:
		return false, "odt files are only read; save it as docx"
	}
	return false, fmt.Sprintf("%s files are only read; translate the document that it was made of", kind)
}
