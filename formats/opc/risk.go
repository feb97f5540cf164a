package opc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// MaxRisks bounds what Risks lists.
const MaxRisks = 50

// Risks says what a changed package could do that the old one could not (reach
// out, run code, carry other files) and which parts it lost that a person would
// miss. It goes by what the parts lead to, from the package on, so it sees
// settings, templates, layouts and charts as well.
func Risks(ctx context.Context, before, after *Package) ([]string, error) {
	was, err := before.reach(ctx)
	if err != nil {
		return nil, err
	}
	now, err := after.reach(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, link := range sorted(now.links) {
		if !was.links[link] {
			out = append(out, "new external "+link)
		}
	}
	for _, name := range sorted(now.carried) {
		what := now.carried[name]
		switch _, had := was.carried[name]; {
		case !had && what == "macros":
			out = append(out, "new macros")
		case !had:
			out = append(out, "new "+what+": "+name)
		case !before.SamePart(name, after, name):
			same, err := sameContent(ctx, before, after, name)
			if err != nil {
				return nil, err
			}
			if !same && what == "macros" {
				out = append(out, "the macros changed")
			} else if !same {
				out = append(out, "another "+what+": "+name)
			}
		}
	}
	for _, name := range sorted(was.carried) {
		if was.carried[name] == "macros" && now.carried[name] == "" {
			out = append(out, "lost: the macros")
		}
	}
	for _, name := range sorted(was.kept) {
		if !now.kept[name] {
			out = append(out, "lost: "+name)
		}
	}
	return Clipped(out), nil
}

// Clipped keeps the first MaxRisks of a list and counts the others.
func Clipped(list []string) []string {
	if len(list) > MaxRisks {
		list = append(list[:MaxRisks:MaxRisks], fmt.Sprintf("and %d more", len(list)-MaxRisks))
	}
	return list
}

// reached is what the parts of a package lead to.
type reached struct {
	links   map[string]bool   // "hyperlink: https://…", outside the package
	targets map[string]string // the same by the whole address, of each the target
	carried map[string]string // parts that run or are other files, with what they are
	kept    map[string]bool   // parts that would be missed
}

// carriedKinds are the relationships to what runs or is another file, by the
// last word of their type.
var carriedKinds = map[string]string{
	"vbaProject": "macros", "oleObject": "embedded object", "package": "embedded object", "control": "control",
	"aFChunk": "embedded document", "subDocument": "embedded document", "xlMacrosheet": "sheet of Excel 4 macros",
	"xlIntlMacrosheet": "sheet of Excel 4 macros", "connections": "data connections", "queryTable": "data connections",
}

// keptKinds are the relationships to parts that a person would miss.
var keptKinds = []string{"image", "chart", "chartEx", "header", "footer", "footnotes", "endnotes", "comments", "diagramData", "video", "audio", "media", "pivotTable", "table"}

func (p *Package) reach(ctx context.Context) (*reached, error) {
	out := &reached{map[string]bool{}, map[string]string{}, map[string]string{}, map[string]bool{}}
	seen := map[string]bool{"": true}
	for queue := []string{""}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		rels, err := p.Rels(ctx, from)
		if err != nil {
			return nil, err
		}
		for _, r := range rels {
			kind := r.Type[strings.LastIndexByte(r.Type, '/')+1:]
			if r.External {
				out.links[kind+": "+clipped(r.Target)] = true
				out.targets[kind+": "+r.Target] = r.Target
				continue
			}
			if !p.Has(r.Target) {
				continue
			}
			// The workbook behind a chart is its data.
			if what := carriedKinds[kind]; what != "" && !(kind == "package" && strings.HasPrefix(path.Base(from), "chart")) {
				out.carried[r.Target] = what
			}
			if slices.Contains(keptKinds, kind) {
				out.kept[r.Target] = true
			}
			if key := fold(r.Target); !seen[key] {
				seen[key] = true
				queue = append(queue, r.Target)
			}
		}
	}
	return out, nil
}

// sameContent compares a part that is packed in two ways.
func sameContent(ctx context.Context, a, b *Package, name string) (bool, error) {
	hash := func(p *Package) ([]byte, error) {
		r, err := p.Stream(ctx, name)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		h := sha256.New()
		_, err = io.Copy(h, r)
		return h.Sum(nil), err
	}
	x, err := hash(a)
	if err != nil {
		return false, err
	}
	y, err := hash(b)
	return bytes.Equal(x, y), err
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// ShownLink is a key of Outside.Links as a person is shown it.
func ShownLink(link string) string {
	kind, target, ok := strings.Cut(link, ": ")
	if !ok {
		return clipped(link)
	}
	return kind + ": " + clipped(target)
}

// clipped shortens an address in the middle, so that its host and its end are
// seen.
func clipped(s string) string {
	r := []rune(s)
	if len(r) <= 160 {
		return s
	}
	return string(r[:120]) + "…" + string(r[len(r)-36:])
}

// Outside is what a package leads to or carries that acts beyond the document.
type Outside struct {
	Links   map[string]string // "hyperlink: https://…", the whole address → the target as written
	Carried map[string]string // parts that run or are other files → what they are
}

// Outside follows the relationships of the package from its root.
func (p *Package) Outside(ctx context.Context) (Outside, error) {
	r, err := p.reach(ctx)
	if err != nil {
		return Outside{}, err
	}
	return Outside{Links: r.targets, Carried: r.carried}, nil
}
