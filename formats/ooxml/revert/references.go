package revert

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

const nsRelationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

// reference says that an attribute of an element names another element by its id.
type reference struct{ kind, attr string }

// references and targets are what elements of documents refer to, by local name:
// ECMA-376-1 17.13.4 (comments), 17.11 (notes), 17.9 (lists), 17.7 (styles).
var (
	references = map[string]reference{
		"commentReference": {"comment", "id"}, "footnoteReference": {"footnote", "id"}, "endnoteReference": {"endnote", "id"},
		"numId": {"list", "val"}, "pStyle": {"style", "val"}, "rStyle": {"style", "val"}, "tblStyle": {"style", "val"},
	}
	marks   = map[string]string{"commentRangeStart": "comment", "commentRangeEnd": "comment"}
	targets = map[string]reference{
		"comment": {"comment", "id"}, "footnote": {"footnote", "id"}, "endnote": {"endnote", "id"}, "num": {"list", "numId"}, "style": {"style", "styleId"},
	}
	// both are kinds whose targets do not show without a reference.
	both = []string{"comment", "footnote", "endnote"}
)

// maxScanned bounds the parts whose references are looked at, in bytes.
const maxScanned = 16 << 20

// referenceCount gathers the references of a package.
type referenceCount struct {
	named, there map[string]map[string]bool // by kind
	sheets       map[string]bool            // names of worksheets, in lower case
	toSheets     map[string]bool
	filters      int // of worksheets
	filterNames  int // defined names of them (18.2.5)
	out          map[string]int
}

// broken counts the references of a package that lead nowhere, and what nothing refers
// to although it shows by a reference only, by kind.
func broken(ctx context.Context, src formats.Source) (map[string]int, error) {
	p, err := opc.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	r := &referenceCount{named: map[string]map[string]bool{}, there: map[string]map[string]bool{}, sheets: map[string]bool{}, toSheets: map[string]bool{}, out: map[string]int{}}
	for _, name := range p.Names() {
		if !isXML(name) || strings.HasSuffix(name, ".rels") || p.Size(name) > maxScanned {
			continue
		}
		doc, err := p.ReadXML(ctx, name)
		if err != nil {
			return nil, err
		}
		rels, err := p.Rels(ctx, name)
		if err != nil {
			return nil, err
		}
		r.part(name, doc, rels)
	}
	r.count()
	return r.out, ctx.Err()
}

// part notes what one part refers to and has.
func (r *referenceCount) part(name string, doc []byte, rels []opc.Relationship) {
	note := func(in map[string]map[string]bool, kind, id string) {
		if in[kind] == nil {
			in[kind] = map[string]bool{}
		}
		in[kind][id] = true
	}
	sc := xmlscan.New(doc)
	legacy := false
	authors, used := 0, map[string]bool{}
	filtered := false // the sheet says so and has no filter yet
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		if ref, ok := references[t.Local]; ok {
			if id := t.AttrLocal(ref.attr); id != "" && !(ref.kind == "list" && id == "0") {
				note(r.named, ref.kind, id)
			}
		}
		if kind, ok := marks[t.Local]; ok {
			note(r.named, kind+" mark", t.AttrLocal("id"))
		}
		if to, ok := targets[t.Local]; ok {
			if special := t.AttrLocal("type"); to.kind == "style" || special == "" || special == "normal" {
				note(r.there, to.kind, t.AttrLocal(to.attr))
			}
		}
		for a := range t.Attrs() {
			if prefix, _, ok := strings.Cut(a.Name, ":"); ok && sc.Namespace(prefix) == nsRelationships {
				if id := a.Value(); id != "" && !slices.ContainsFunc(rels, func(o opc.Relationship) bool { return o.ID == id }) {
					r.out["relationship"]++
				}
			}
		}
		switch {
		case t.Local == "sheet" && path.Base(name) == "workbook.xml":
			r.sheets[strings.ToLower(t.AttrLocal("name"))] = true
		case t.Local == "legacyDrawing":
			legacy = true
		case t.Local == "autoFilter" && strings.Contains(name, "/worksheets/"):
			r.filters++
			filtered = false
		case t.Local == "sheetPr" && t.AttrLocal("filterMode") == "1":
			filtered = true
		case t.Local == "author" && t.Depth == 3: // of the comments of a worksheet
			authors++
		case t.Local == "comment" && t.AttrLocal("authorId") != "":
			used[t.AttrLocal("authorId")] = true
		case (t.Local == "f" || t.Local == "definedName" || t.Local == "formula1" || t.Local == "formula2" || t.Local == "formula") && !t.Empty:
			if t.AttrLocal("name") == "_xlnm._FilterDatabase" {
				r.filterNames++
			}
			if n, err := strconv.Atoi(t.AttrLocal("localSheetId")); err == nil && n >= len(r.sheets) {
				r.out["sheet"]++
			}
			r.formula(xmlscan.Unescape(doc[t.End:max(t.End, sc.Skip())]))
		}
	}
	r.legacy(name, legacy, rels)
	if filtered {
		r.out["filter"]++
	}
	if authors != len(used) && path.Base(path.Dir(name)) == "xl" {
		r.out["author"]++
	}
}

// toSheet finds the sheets that a formula names: Sales!A1, 'My sheet'!A1.
var toSheet = lazyregexp.New(`'((?:[^'\[\]]|'')+)'!|([\pL_][\pL\pN_.]*)!`)

func (r *referenceCount) formula(text string) {
	for _, m := range toSheet.FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(m[1], "''", "'") + m[2]
		r.toSheets[strings.ToLower(name)] = true
	}
}

// legacy counts worksheets with the boxes of comments without the comments, or the
// other way round.
func (r *referenceCount) legacy(name string, there bool, rels []opc.Relationship) {
	comments := slices.ContainsFunc(rels, func(o opc.Relationship) bool { return path.Base(o.Type) == "comments" })
	boxes := slices.ContainsFunc(rels, func(o opc.Relationship) bool { return path.Base(o.Type) == "vmlDrawing" })
	if strings.Contains(name, "/worksheets/") && (comments && !there || there && boxes && !comments) {
		r.out["boxes of comments"]++
	}
}

// count counts the references that lead nowhere.
func (r *referenceCount) count() {
	for kind, ids := range r.named {
		kind = strings.TrimSuffix(kind, " mark")
		for id := range ids {
			if !r.there[kind][id] {
				r.out[kind]++
			}
		}
	}
	for _, kind := range both {
		for id := range r.there[kind] {
			if !r.named[kind][id] {
				r.out[kind]++
			}
		}
	}
	if n := r.filterNames - r.filters; n > 0 {
		r.out["filter"] += n
	}
	if len(r.sheets) > 0 {
		for name := range r.toSheets {
			if !r.sheets[name] {
				r.out["sheet"]++
			}
		}
	}
}
