package pptx

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
)

const (
	relPresProps   = nsR + "/presProps"
	relViewProps   = nsR + "/viewProps"
	relTableStyles = nsR + "/tableStyles"
	relThumbnail   = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"
)

// layouts compares masters and layouts, those of slides, notes and handouts,
// and the themes of the masters.
func (f *deckFacts) layouts() error {
	partOf := map[string]string{}
	for part, key := range f.b.keys {
		partOf[key] = part
	}
	for _, s := range []*comparedSide{f.a, f.b} {
		for _, part := range s.pageParts() {
			key := s.keys[part]
			if strings.HasPrefix(key, "slide ") || strings.HasPrefix(key, "notes of ") {
				continue
			}
			kind := formats.FactMaster
			if strings.HasPrefix(key, "layout") {
				kind = formats.FactLayout
			}
			var err error
			switch {
			case s.single[part]:
				err = s.oneSidedPage(part, kind, "")
			case s == f.a:
				err = f.pages(part, partOf[key], func(_, _ *placedShape) bool { return false })
			}
			if err == nil && kind == formats.FactMaster && !s.single[part] {
				err = s.themes(part)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pageParts returns the parts of all pages in a fixed order.
func (s *comparedSide) pageParts() []string {
	out := slices.Collect(maps.Keys(s.keys))
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(s.keys[a]+a, s.keys[b]+b) })
	return out
}

// themes reports the themes of a master.
func (s *comparedSide) themes(part string) error {
	list, err := s.d.related(s.ctx, part, relTheme)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := s.in.AddTheme(s.ctx, r.Target, "theme of the "+s.labels[part]); err != nil {
			return err
		}
	}
	return nil
}

// presentation compares the main part: slide size, sections, custom shows,
// protection, fonts.
func (f *deckFacts) presentation() error {
	for _, s := range []*comparedSide{f.a, f.b} {
		p, err := s.openPart(s.d.main, "presentation", "presentation")
		if err != nil {
			return err
		}
		p.mainPart()
		s.in.Add(p.items...)
		p.items = nil
	}
	return nil
}

// openPart opens a part that is not a page.
func (s *comparedSide) openPart(part, key, at string) (*page, error) {
	p := &page{comparedSide: s, part: part, key: key, at: at, byID: map[string]int{}, used: map[string]bool{}}
	var err error
	if p.t, err = s.d.tree(s.ctx, part); err != nil {
		return nil, err
	}
	if p.rels, err = s.d.Rels(s.ctx, part); err != nil {
		return nil, err
	}
	for i, r := range p.rels {
		p.byID[r.ID] = i
	}
	s.in.Cover(part, opc.RelsName(part))
	return p, nil
}

func (p *page) mainPart() {
	root := p.t.Root
	p.addAttributes(nil, formats.FactProperty, "main", "", root)
	nth := map[string]int{}
	for k := range root.Kids() {
		key := fmt.Sprintf("main %s %d", k.Local, nth[k.Local])
		nth[k.Local]++
		sum := p.sum(nil, k)
		switch k.Local {
		case "sldIdLst":
			p.addAttributes(nil, formats.FactPart, "slides", "", k)
			p.addKids(nil, formats.FactPart, "slides", "list of slides:", k, p.listed)
			for s := range k.Kids() {
				if p.listed(s) { // the slides are reported by themselves, but not what else a list entry says
					p.addKids(nil, formats.FactPart, "slide entry "+p.relMeaning(s.RelValue("id")), "list of slides:", s, nil)
				}
			}
		case "sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst":
			p.pageList(key, formats.FactMaster, k)
		case "sldSz", "notesSz":
			what := map[string]string{"sldSz": "slide size ", "notesSz": "size of notes and handouts "}[k.Local]
			text := what + hundredths(k.Value("cx"), 360000) + " × " + hundredths(k.Value("cy"), 360000) + " cm"
			if typ := k.Value("type"); typ != "" {
				text += " (" + splitCapitals(typ) + ")"
			}
			p.addProperty(nil, formats.FactPageSetup, key, text, sum)
		case "modifyVerifier":
			p.addItem(inventory.Item{Kind: formats.FactProtection, Key: key, Text: "a password is asked for before it is changed", Sum: sum, WarnRemoved: "no password is asked for any more before it is changed"})
		case "embeddedFontLst":
			for e := range k.Kids() {
				face := e.Child(nsP, "font").Value("typeface")
				p.addProperty(nil, formats.FactStyle, "font "+face, "embedded font "+face, p.sum(nil, e))
			}
		case "custShowLst":
			for c := range k.Kids() {
				var list []string
				for s := range c.Child(nsP, "sldLst").Kids() {
					if r := p.relByID(s.RelValue("id")); r != nil {
						list = append(list, p.labels[r.Target])
					}
				}
				p.addProperty(nil, formats.FactSection, "custom show "+c.Value("id"), "custom show "+quoted(c.Value("name"))+": "+clip(strings.Join(list, ", "), 200), p.sum(nil, c))
			}
		case "defaultTextStyle":
			p.levels(nil, "default style", k)
		case "extLst":
			p.mainExtensions(k)
		default:
			p.addElement(nil, formats.FactProperty, key, "", k)
		}
	}
	p.mainParts()
}

// listed reports whether an entry of the slide list is a slide's.
func (p *page) listed(n *node) bool {
	r := p.relByID(n.RelValue("id"))
	return n.Is(nsP, "sldId") && r != nil && r.Type == relSlide && p.keys[r.Target] != ""
}

// mainExtensions reports the sections ([MS-PPTX] 2.3.24) and other extensions.
func (p *page) mainExtensions(list *node) {
	p.addAttributes(nil, formats.FactPart, "main extLst", "", list)
	byID := map[string]string{}
	for _, s := range p.d.slides {
		byID[s.id] = p.keys[s.part]
	}
	nth := 0
	for ext := range list.Kids() {
		isSection := func(n *node) bool { return n.Is(nsP14, "section") }
		text := "extension data " + p.describeElement(ext, 100)
		if k := ext.First; k != nil && k.Is(nsP14, "sectionLst") {
			text = "parted into sections"
		}
		p.addProperty(nil, formats.FactPart, fmt.Sprintf("main ext %d", nth), text, p.sum(isSection, ext))
		nth++
		for n := range ext.All() {
			if !isSection(n) {
				continue
			}
			ids := n.Child(nsP14, "sldIdLst")
			count, sums := 0, [][]byte{[]byte(n.Value("id"))}
			for s := range ids.Kids() {
				count++
				key := byID[s.Value("id")]
				if key == "" {
					key = "no slide " + s.Value("id")
				}
				sums = append(sums, []byte(key))
			}
			rest := p.sumBut(n, func(k *node) bool { return k == ids }, "name", "id")
			p.addProperty(nil, formats.FactSection, "section "+n.Value("id"), "section "+quoted(n.Value("name"))+", "+formats.Count(count, "slide"), inventory.SumOf(sums...), rest)
		}
	}
}

// mainParts reports the parts that belong to the presentation as a whole.
func (p *page) mainParts() {
	nth := map[string]int{}
	for _, r := range p.rels {
		if r.External || p.identity(r.Target) != "" && p.used[r.ID] {
			continue
		}
		if p.identity(r.Target) != "" || !p.pkg.Has(r.Target) {
			p.addProperty(nil, formats.FactPart, fmt.Sprintf("leads %s %d", r.Type, nth[r.Type]), "belongs with: "+splitCapitals(path.Base(r.Type)), inventory.SumOf([]byte(p.relSum(r))))
			nth[r.Type]++
			continue
		}
		p.addProperty(nil, formats.FactPart, fmt.Sprintf("leads %s %d", r.Type, nth[r.Type]), "belongs with: "+splitCapitals(path.Base(r.Type)))
		nth[r.Type]++
		var err error
		switch r.Type {
		case relTheme:
		case relPresProps:
			err = p.listPart(r.Target, formats.FactProperty, "show and print settings")
		case relViewProps:
			err = p.listPart(r.Target, formats.FactView, "view")
		case relTableStyles:
			err = p.tableStyles(r.Target)
		case relAuthors, relModernAuthors:
			err = p.listPart(r.Target, formats.FactProperty, "people who comment")
		default:
			kind := path.Base(r.Type)
			if kind == "vbaProject" {
				continue // what runs is reported with what the package reaches
			}
			text := map[string]string{"printerSettings": "settings of a printer", "tags": "tags of add-ins", "customXml": "custom XML data", "revisionInfo": "data of joint editing", "font": "embedded font", "changesInfo": "data of joint editing", "smartTags": "smart tags"}[kind]
			if text == "" {
				text = "a part that goes with it: " + splitCapitals(kind)
			}
			if kind == "tags" || kind == "customXml" {
				text += p.describePart(r.Target)
			}
			p.addProperty(nil, formats.FactProperty, "part "+kind+" "+r.Target, text, p.sumTree(r.Target))
		}
		if err != nil && p.err == nil {
			p.err = err
		}
	}
}

// describePart returns a look into a part of XML.
func (s *comparedSide) describePart(part string) string {
	p, err := s.openPart(part, "", "")
	if err != nil {
		return ""
	}
	return ": " + p.describeElement(p.t.Root, 160)
}

// listPart reports a part of settings element by element.
func (s *comparedSide) listPart(part, kind, at string) error {
	p, err := s.openPart(part, "part "+at, at)
	if err != nil {
		return err
	}
	p.addAttributes(nil, kind, "root", "", p.t.Root)
	p.addKids(nil, kind, "root", "", p.t.Root, func(n *node) bool {
		if n.Local == "cmAuthor" || n.Local == "author" {
			p.addProperty(nil, kind, "author "+n.Value("id"), quoted(n.Value("name")), p.sum(nil, n))
			return true
		}
		if n.Is(nsP, "showPr") {
			p.addItem(inventory.Item{Kind: kind, Key: "show", Text: p.describeElement(n, 200), Sum: p.sum(nil, n)})
			return true
		}
		return false
	})
	for _, r := range p.rels {
		p.relSum(r)
	}
	s.in.Add(p.items...)
	return nil
}

// tableStyles reports the styles of tables by name (20.1.4.2.27).
func (s *comparedSide) tableStyles(part string) error {
	p, err := s.openPart(part, "table styles", "table styles")
	if err != nil {
		return err
	}
	p.addAttributes(nil, formats.FactStyle, "root", "", p.t.Root)
	for n := range p.t.Root.Kids() {
		p.addProperty(nil, formats.FactStyle, "style "+n.Value("styleId"), "table style "+quoted(n.Value("styleName")), p.sum(nil, n))
	}
	s.in.Add(p.items...)
	return nil
}

// tableStyle returns the name of a style of tables; built-in ones have only an
// id.
func (s *comparedSide) tableStyle(id string) string {
	list, err := s.d.related(s.ctx, s.d.main, relTableStyles)
	if err == nil && len(list) > 0 {
		if t, err := s.d.tree(s.ctx, list[0].Target); err == nil {
			for n := range t.Root.Kids() {
				if n.Value("styleId") == id {
					return quoted(n.Value("styleName"))
				}
			}
		}
	}
	return id
}

// others reports the properties of the document and what else the package
// holds.
func (f *deckFacts) others() error {
	for _, s := range []*comparedSide{f.a, f.b} {
		if err := s.in.AddProperties(s.ctx); err != nil {
			return err
		}
		rels, err := s.d.Rels(s.ctx, "")
		if err != nil {
			return err
		}
		for _, r := range rels {
			if r.Type == relThumbnail && !r.External && s.pkg.Has(r.Target) {
				s.in.Add(inventory.Item{Kind: formats.FactProperty, Key: "thumbnail", At: "document properties", Text: "small picture of the first slide", Sum: s.sumTree(r.Target)})
			}
		}
	}
	return nil
}
