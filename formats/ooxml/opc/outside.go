package opc

import (
	"context"
	"path"
	"strings"
)

// carriedKinds are the relationships to macros, controls and embedded files, by
// the last word of their type.
var carriedKinds = map[string]string{
	"vbaProject": "macros", "oleObject": "embedded object", "package": "embedded object", "control": "control",
	"aFChunk": "embedded document", "subDocument": "embedded document", "xlMacrosheet": "sheet of Excel 4 macros",
	"xlIntlMacrosheet": "sheet of Excel 4 macros", "connections": "data connections", "queryTable": "data connections",
}

// ShownLink returns a key of Outside.Links as a person is shown it.
func ShownLink(link string) string {
	kind, target, ok := strings.Cut(link, ": ")
	if !ok {
		return clipLink(link)
	}
	return kind + ": " + clipLink(target)
}

// clipLink shortens an address in the middle, so that its host and its end are
// seen.
func clipLink(s string) string {
	r := []rune(s)
	if len(r) <= 160 {
		return s
	}
	return string(r[:120]) + "…" + string(r[len(r)-36:])
}

// Outside lists what a package links to outside of itself, and the active
// content and other files that it contains.
type Outside struct {
	Links   map[string]string // "hyperlink: https://…", the whole address → the target as written
	Carried map[string]string // parts that run or are other files → what they are
}

// Outside follows all relationships from the root of the package.
func (p *Package) Outside(ctx context.Context) (Outside, error) {
	out := Outside{map[string]string{}, map[string]string{}}
	seen := map[string]bool{"": true}
	for queue := []string{""}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		rels, err := p.Rels(ctx, from)
		if err != nil {
			return Outside{}, err
		}
		for _, r := range rels {
			kind := r.Type[strings.LastIndexByte(r.Type, '/')+1:]
			if r.External {
				out.Links[kind+": "+r.Target] = r.Target
				continue
			}
			if !p.Has(r.Target) {
				continue
			}
			// The workbook behind a chart is its data.
			if what := carriedKinds[kind]; what != "" && !(kind == "package" && strings.HasPrefix(path.Base(from), "chart")) {
				out.Carried[r.Target] = what
			}
			if key := foldName(r.Target); !seen[key] {
				seen[key] = true
				queue = append(queue, r.Target)
			}
		}
	}
	return out, nil
}
