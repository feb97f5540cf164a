package pptx

import (
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// The line of each operation names all members that the operation reads, and
// no others.
func TestOperationsReadTheirMembers(t *testing.T) {
	handlers := map[string]any{}
	for _, o := range operations {
		handlers[o.name] = o.do
	}
	read := formatstest.MembersRead(t, handlers)
	for _, o := range operations {
		if o.onSlide { // apply finds the slide
			read[o.name] = append(read[o.name], "index")
		}
	}
	formatstest.CheckMembers(t, members.Takes, read, nil)
}

func ignoredNote(rep formats.Report, i int) string { return formats.IgnoredNote(rep.Ops[i].Ignored) }
