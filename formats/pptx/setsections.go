package pptx

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setSectionsArgs are the members of set_sections.
type setSectionsArgs struct {
	Sections *[]sectionIn `json:"sections" usage:"sections ([{name, slide: index of its first slide}]; [] removes them)" jsonschema:"{ops}: all sections, each with its name and the index of its first slide" shape:"[{\"name\":\"…\",\"slide\":0},…]"`
}

// sectionIn is a section as an operation gives it.
type sectionIn struct {
	Name  string       `json:"name"`
	Slide *lenient.Int `json:"slide" jsonschema:"index of its first slide"`
}

const (
	maxSections    = 500
	sectionsURI    = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"
	defaultSection = "Default Section"
)

// setSections parts the presentation into sections ([MS-PPTX] 2.3.24): each begins at its
// slide and ends before the next. A section that keeps its name keeps its id.
func (d *deckEdit) setSections(ctx context.Context, c *call, a setSectionsArgs) error {
	list, err := d.checkSections(c, a)
	if err != nil {
		return err
	}
	t, err := d.tree(ctx, d.main)
	if err != nil {
		return err
	}
	old := t.sectionList()
	if len(list) == 0 {
		if old == nil {
			return nil
		}
		c.r.Hits = 1
		d.setTree(t, []xmlscan.Splice{cutWithParents(old)})
		return nil
	}
	c.r.Hits = len(list)
	xml := d.sectionsXML(t, old, list)
	switch ext := t.Root.Child(nsP, "extLst"); {
	case old != nil:
		d.setTree(t, []xmlscan.Splice{{Start: old.Start, End: old.After, New: []byte(xml)}})
	default:
		name := qualify(t.Root.Prefix, "ext")
		xml = "<" + name + ` uri="` + sectionsURI + `">` + xml + "</" + name + ">"
		if ext != nil {
			d.setTree(t, t.InsertLast(ext, []byte(xml)))
			return nil
		}
		name = qualify(t.Root.Prefix, "extLst")
		d.setTree(t, []xmlscan.Splice{t.insertIntoPresentation("extLst", "<"+name+">"+xml+"</"+name+">")})
	}
	return nil
}

// checkSections returns the sections in the order of the slides; what is before the first
// one becomes a section, too.
func (d *deckEdit) checkSections(c *call, a setSectionsArgs) ([]sectionIn, error) {
	switch {
	case a.Sections == nil:
		return nil, formats.Errorf(formats.CodeInvalid, "sections is required; use [] to remove all sections")
	case len(*a.Sections) > maxSections:
		return nil, formats.Errorf(formats.CodeTooLarge, "at most %d sections", maxSections)
	}
	list := slices.Clone(*a.Sections)
	for i, s := range list {
		switch {
		case strings.TrimSpace(s.Name) == "" || len(s.Name) > 1000:
			return nil, formats.Errorf(formats.CodeInvalid, "section %d needs a name", i)
		case s.Slide == nil || *s.Slide < 0 || int(*s.Slide) >= len(d.deck.slides):
			return nil, formats.Errorf(formats.CodeInvalid, "section %s needs slide: the index of its first slide, 0 to %d", quote(s.Name), len(d.deck.slides)-1)
		}
	}
	slices.SortStableFunc(list, func(a, b sectionIn) int { return int(*a.Slide) - int(*b.Slide) })
	for i := 1; i < len(list); i++ {
		if *list[i].Slide == *list[i-1].Slide {
			return nil, formats.Errorf(formats.CodeInvalid, "the sections %s and %s begin at the same slide", quote(list[i-1].Name), quote(list[i].Name))
		}
	}
	if len(list) > 0 && *list[0].Slide > 0 {
		first := lenient.Int(0)
		list = append([]sectionIn{{defaultSection, &first}}, list...)
		c.note("the slides before the first section are in %s", quote(defaultSection))
	}
	return list, nil
}

// sectionList returns the list of sections, nil when there is none.
func (t *tree) sectionList() *node {
	for n := range t.Root.Child(nsP, "extLst").All() {
		if n.Is(nsP14, "sectionLst") {
			return n
		}
	}
	return nil
}

// cutWithParents returns the edit that removes an element with the extension, and the list
// of extensions, that hold nothing else.
func cutWithParents(n *node) xmlscan.Splice {
	for p := n.Parent; p != nil && (p.Local == "ext" || p.Local == "extLst") && p.First == n && n.Next == nil; p = n.Parent {
		n = p
	}
	return xmlscan.Splice{Start: n.Start, End: n.After}
}

// sectionsXML returns the list of sections.
func (d *deck) sectionsXML(t *tree, old *node, list []sectionIn) string {
	ids, used := map[string]string{}, map[string]bool{}
	for s := range old.Kids() {
		if name := s.Value("name"); ids[name] == "" {
			ids[name] = s.Value("id")
		}
	}
	prefix, decl := "p14", ` xmlns:p14="`+nsP14+`"`
	if old != nil {
		prefix, decl = old.Prefix, ""
		for a := range old.Attributes() {
			decl += " " + a.Name + `="` + xmlscan.EscapeAttr(a.Value()) + `"`
		}
	}
	var sb strings.Builder
	fmt.Fprintf(&sb, "<%s%s>", qualify(prefix, "sectionLst"), decl)
	for i, s := range list {
		id := ids[s.Name]
		for n := 0; id == "" || used[id]; n++ {
			h := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", s.Name, i, n))
			x := fmt.Sprintf("%X", h[:16])
			id = "{" + x[:8] + "-" + x[8:12] + "-4" + x[13:16] + "-A" + x[17:20] + "-" + x[20:] + "}" // a GUID of version 4
		}
		used[id] = true
		end := len(d.slides)
		if i+1 < len(list) {
			end = int(*list[i+1].Slide)
		}
		fmt.Fprintf(&sb, `<%s name="%s" id="%s"><%s>`, qualify(prefix, "section"), xmlscan.EscapeAttr(s.Name), id, qualify(prefix, "sldIdLst"))
		for _, slide := range d.slides[int(*s.Slide):end] {
			fmt.Fprintf(&sb, `<%s id="%s"/>`, qualify(prefix, "sldId"), slide.id)
		}
		fmt.Fprintf(&sb, `</%s></%s>`, qualify(prefix, "sldIdLst"), qualify(prefix, "section"))
	}
	return sb.String() + "</" + qualify(prefix, "sectionLst") + ">"
}
