package pptx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// section is a named group of slides that stand together ([MS-PPTX] 2.3.24).
type section struct {
	list   *node    // p14:sldIdLst
	slides []string // ids as listed
}

// sectionsOf lists the sections of a presentation part.
func sectionsOf(t *tree) []section {
	var out []section
	for n := range t.Root.Child(nsP, "extLst").All() {
		if n.Is(nsP14, "sldIdLst") {
			s := section{list: n}
			for k := range n.Kids() {
				s.slides = append(s.slides, k.Value("id"))
			}
			out = append(out, s)
		}
	}
	return out
}

// sectionsAfterMove returns the sections with the slide that is at index to of
// order in the section it now is in: its own when a neighbour is in that, else
// that of the slide before it, or after it when it is the first.
func sectionsAfterMove(t *tree, order []slideRef, to int) []section {
	sections := sectionsOf(t)
	of := func(i int) int {
		if i < 0 || i >= len(order) {
			return -1
		}
		return slices.IndexFunc(sections, func(s section) bool { return slices.Contains(s.slides, order[i].id) })
	}
	own, before, behind := of(to), of(to-1), of(to+1)
	target := before
	if to == 0 {
		target = behind
	}
	if own < 0 || own == before || own == behind || target < 0 {
		return sections
	}
	id := order[to].id
	sections[own].slides = slices.DeleteFunc(slices.Clone(sections[own].slides), func(s string) bool { return s == id })
	sections[target].slides = append(slices.Clone(sections[target].slides), id)
	return sections
}

// resection writes the sections' lists again, in the presentation's order and
// without slides that are not in it.
func (t *tree) resection(sections []section, order []slideRef) []xmlscan.Splice {
	var out []xmlscan.Splice
	for _, s := range sections {
		var sb strings.Builder
		for _, slide := range order {
			if slices.Contains(s.slides, slide.id) {
				fmt.Fprintf(&sb, `<%s id="%s"/>`, qualify(s.list.Prefix, "sldId"), slide.id)
			}
		}
		var old []string
		for k := range s.list.Kids() {
			old = append(old, k.Value("id"))
		}
		var now []string
		for _, slide := range order {
			if slices.Contains(s.slides, slide.id) {
				now = append(now, slide.id)
			}
		}
		if slices.Equal(old, now) {
			continue
		}
		if s.list.Empty {
			out = append(out, t.InsertLast(s.list, []byte(sb.String()))...)
		} else {
			out = append(out, xmlscan.Splice{Start: s.list.End, End: s.list.Close, New: []byte(sb.String())})
		}
	}
	return out
}
