package formats

import (
	"slices"
	"strings"
)

// Ignored is a member of an operation, or of an object within one, that it does
// not take.
type Ignored struct {
	Name  string `json:"name"`
	In    string `json:"in,omitempty"`     // the member whose objects had it: "cells", "paragraphs.runs"
	SetIn string `json:"set_in,omitempty"` // where the operation takes it
}

// IgnoredNote returns which members were ignored, "" when none were: "ignored
// bold; it is set in runs".
func IgnoredNote(list []Ignored) string {
	var notes []string
	for len(list) > 0 {
		first := list[0]
		alike := func(i Ignored) bool { return i.In == first.In && i.SetIn == first.SetIn }
		var names []string
		for _, i := range list {
			if alike(i) {
				names = append(names, i.Name)
			}
		}
		list = slices.DeleteFunc(slices.Clone(list), alike)
		note := "ignored " + strings.Join(names, ", ")
		if first.In != "" {
			note += " in " + first.In
		}
		if first.SetIn != "" && len(names) > 1 {
			note += "; they are set in " + first.SetIn
		} else if first.SetIn != "" {
			note += "; it is set in " + first.SetIn
		}
		notes = append(notes, note)
	}
	return strings.Join(notes, "; ")
}
