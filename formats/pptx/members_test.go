package pptx

import (
	"reflect"
	"testing"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/lenient"
)

// needsSlide reports whether an operation needs the index of a slide.
func needsSlide(op string) bool {
	_, on := reflect.Zero(operations.Args(op)).Interface().(interface{ slideIndex() *lenient.Int })
	return on
}

// Each operation reads every member of its argument struct.
func TestOperationsReadTheirMembers(t *testing.T) {
	read := formatstest.MembersRead(t)
	for _, name := range operations.Names() {
		if needsSlide(name) { // apply finds the slide
			read[name] = append(read[name], "index")
		}
	}
	formatstest.CheckMembers(t, operations.Names(), operations.Takes, read)
}

func ignoredNote(rep formats.Report, i int) string { return formats.IgnoredNote(rep.Ops[i].Ignored) }
