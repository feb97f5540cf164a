package docx

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// document is an open package with what every job needs of it.
type document struct {
	ed     *opc.Edit
	main   string // name of the main part
	styles styles
	strict bool
	parsed map[string]*part // by name, unchanged since
	lists  *numbering       // nil: not yet read

	reading bool       // it is not changed
	texts   []textPart // of textParts, of a document that is only read
	cut     *cutText   // the text that the last read returned a part of
}

func openDocument(ctx context.Context, src formats.Source) (*document, error) {
	pkg, err := opc.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	return documentOf(ctx, pkg)
}

func documentOf(ctx context.Context, pkg *opc.Package) (*document, error) {
	main, err := pkg.ExpectMain(ctx, formats.KindDocx, mainTypes...)
	if err != nil {
		return nil, err
	}
	d := &document{ed: pkg.Edit(), main: main, strict: pkg.Strict(ctx), parsed: map[string]*part{}}
	d.styles, err = d.readStyles(ctx)
	return d, err
}

// textPart is a part that holds text for a reader.
type textPart struct {
	name    string
	word    string // what it is: "", "header", "footnotes" …
	what    string // for people: "", "header 1", "footnotes" …
	dialect *paragraph.Dialect
}

// relWords names the parts with text that a document refers to, in the order
// they are listed.
var relWords = []struct {
	rel, word string
	numbered  bool
	drawing   bool
}{
	{"header", "header", true, false},
	{"footer", "footer", true, false},
	{"footnotes", "footnotes", false, false},
	{"endnotes", "endnotes", false, false},
	{"comments", "comments", false, false},
	{"chart", "chart", true, true},
	{"diagramData", "diagram", true, true},
}

// textParts lists the main part, then those it refers to by kind and name.
func (d *document) textParts(ctx context.Context) ([]textPart, error) {
	if d.texts != nil {
		return d.texts, nil
	}
	all, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	parts := []textPart{{name: d.main, dialect: paragraph.Word}}
	seen := map[string]bool{d.main: true}
	for _, w := range relWords {
		var names []string
		for _, rel := range all {
			if rel.Type == opc.RelPrefix+w.rel && !rel.External && !seen[rel.Target] && d.ed.Has(rel.Target) {
				seen[rel.Target] = true
				names = append(names, rel.Target)
			}
		}
		sort.Slice(names, func(i, j int) bool {
			return len(names[i]) < len(names[j]) || len(names[i]) == len(names[j]) && names[i] < names[j]
		})
		for i, n := range names {
			p := textPart{n, w.word, w.word, paragraph.Word}
			if w.numbered {
				p.what = fmt.Sprintf("%s %d", w.word, i+1)
			}
			if w.drawing {
				p.dialect = paragraph.Drawing
			}
			parts = append(parts, p)
		}
	}
	if d.reading {
		d.texts = parts
	}
	return parts, nil
}

// corrupt marks an XML error of a part.
func corrupt(part string, err error) error {
	if err == nil {
		return nil
	}
	return formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
}

// style is one of styles.xml.
type style struct {
	id, name, basedOn string
	kind              string // paragraph, character, table, numbering
	isDefault         bool
	outline           int // 1 to 9; 0: none
	list              listRef
	align             string // jc of a paragraph style; "": it says nothing
}

type styles map[string]style

func (d *document) readStyles(ctx context.Context) (styles, error) {
	all, err := d.ed.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	for _, rel := range all {
		if rel.Type == relStyles && !rel.External && d.ed.Has(rel.Target) {
			doc, err := d.ed.ReadXML(ctx, rel.Target)
			if err != nil {
				return nil, err
			}
			return parseStyles(doc, rel.Target)
		}
	}
	return styles{}, nil
}

func parseStyles(doc []byte, part string) (styles, error) {
	out := styles{}
	var cur style
	styleDepth := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Space != nsW {
			continue
		}
		if t.Kind == xmlscan.End && t.Local == "style" {
			out[cur.id] = cur
		}
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "style":
			styleDepth = t.Depth
			def := t.AttrLocal("default")
			cur = style{id: t.AttrLocal("styleId"), kind: t.AttrLocal("type"), isDefault: def == "1" || def == "true", list: listRef{at: -1}}
		case "name":
			cur.name = t.AttrLocal("val")
		case "basedOn":
			cur.basedOn = t.AttrLocal("val")
		case "outlineLvl":
			cur.outline = outlineLevel(t.AttrLocal("val"))
		case "numId":
			cur.list.num = t.AttrLocal("val")
		case "jc":
			if t.Depth == styleDepth+2 {
				cur.align = t.AttrLocal("val")
			}
		case "ilvl":
			cur.list.at = levelOf(t.AttrLocal("val"))
		}
	}
	return out, corrupt(part, sc.Err())
}

func outlineLevel(val string) int {
	if len(val) == 1 && val[0] >= '0' && val[0] <= '8' {
		return int(val[0]-'0') + 1
	}
	return 0
}

// level returns the heading level of paragraphs in the style: 1 to 9, 0 for
// Title, -1 when they are not headings. Names count, since ids are
// localised.
func (s styles) level(id string) int {
	for range 20 { // basedOn may run in a circle
		st, ok := s[id]
		name := strings.ToLower(st.name)
		if !ok {
			name = strings.ToLower(id)
		}
		compact := strings.ReplaceAll(name, " ", "")
		switch {
		case compact == "title":
			return 0
		case len(compact) == len("heading1") && strings.HasPrefix(compact, "heading") && compact[7] >= '1' && compact[7] <= '9':
			return int(compact[7] - '0')
		case st.outline > 0:
			return st.outline
		case !ok || st.basedOn == "" || st.basedOn == id:
			return -1
		}
		id = st.basedOn
	}
	return -1
}

// find looks a paragraph style up by id, else by name in any case.
func (s styles) find(want string) (id string, ok bool) { return s.findKind("paragraph", want) }

// findKind looks a style of a kind up; the lowest id of those with the name.
func (s styles) findKind(kind, want string) (id string, ok bool) {
	if st, ok := s[want]; ok && st.kind == kind {
		return want, true
	}
	squeeze := func(n string) string { return strings.ToLower(strings.ReplaceAll(n, " ", "")) }
	for have, st := range s {
		if st.kind == kind && squeeze(st.name) == squeeze(want) && (!ok || have < id) {
			id, ok = have, true
		}
	}
	return id, ok
}
