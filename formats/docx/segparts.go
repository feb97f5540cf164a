package docx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/paragraph"
)

// segPart is a part with translatable text.
type segPart struct {
	textPart
	kind string // formats.Segment.Part of its paragraphs
}

// segRels names the parts with translatable text by the last word of the
// relationship that leads to them, in the order they are listed.
var segRels = []struct {
	rel, what, kind string
	numbered        bool
	dialect         *paragraph.Dialect
}{
	{"header", "header", "header", true, paragraph.Word},
	{"footer", "footer", "footer", true, paragraph.Word},
	{"footnotes", "footnotes", "footnote", false, paragraph.Word},
	{"endnotes", "endnotes", "endnote", false, paragraph.Word},
	{"comments", "comments", "comment", false, paragraph.Word},
	{"chart", "chart", "chart", true, paragraph.Drawing},
	{"chartEx", "chart", "chart", true, paragraph.Drawing},
	{"chartUserShapes", "chart drawing", "chart", true, paragraph.Drawing},
	{"diagramData", "diagram", "smartart", true, paragraph.Drawing},
	{"diagramDrawing", "diagram drawing", "smartart", true, paragraph.Drawing},
	{"numbering", "numbering", "numbering", false, paragraph.Word},
	{"glossaryDocument", "placeholder texts", "placeholder", false, paragraph.Word},
	{"core-properties", "document properties", "property", false, paragraph.Drawing},
}

// segParts lists the main part, then those that can be come to from it, by kind
// and name.
func (d *document) segParts(ctx context.Context) ([]segPart, error) {
	found := map[string][]string{}
	seen := map[string]bool{d.main: true}
	queue := []string{"", d.main}
	for len(queue) > 0 {
		source := queue[0]
		queue = queue[1:]
		rels, err := d.ed.Rels(ctx, source)
		if err != nil {
			return nil, err
		}
		for _, rel := range rels {
			word := rel.Type[strings.LastIndexByte(rel.Type, '/')+1:]
			if rel.External || seen[rel.Target] || !segRel(word) || !d.ed.Has(rel.Target) {
				continue
			}
			seen[rel.Target] = true
			found[word] = append(found[word], rel.Target)
			queue = append(queue, rel.Target)
		}
	}
	parts := []segPart{{textPart{name: d.main, dialect: paragraph.Word}, "body"}}
	for _, r := range segRels {
		names := found[r.rel]
		slices.SortFunc(names, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		for i, n := range names {
			p := segPart{textPart{n, r.what, r.what, r.dialect}, r.kind}
			if r.numbered {
				p.what = fmt.Sprintf("%s %d", r.what, i+1)
			}
			parts = append(parts, p)
		}
	}
	return parts, nil
}

func segRel(word string) bool {
	for _, r := range segRels {
		if r.rel == word {
			return true
		}
	}
	return false
}
