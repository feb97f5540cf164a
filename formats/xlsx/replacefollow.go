package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// lowered is what changed cells said, in lower case as Excel compares, and say.
func (r *replacer) lowered() map[string]string {
	out := map[string]string{}
	for i := range r.entries {
		if now, ok := r.now(i); ok {
			if text, ok := r.textOf(i); ok && r.cellWith(text) == i {
				out[strings.ToLower(text)] = now
			}
		}
	}
	return out
}

// followAttr gives the change of an attribute that repeats a cell's text.
func (r *replacer) followAttr(t xmlscan.Token, names ...string) []xmlscan.Splice {
	var out []xmlscan.Splice
	for a := range t.Attrs() {
		if slices.Index(names, a.Name) < 0 {
			continue
		}
		if now, ok := r.follow(sheetml.Unescape(a.Value())); ok {
			out = append(out, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(sheetml.EscapeAttr(now))})
		}
	}
	return out
}

// filters lets the criteria of tables' filters follow (18.3.2.6).
func (r *replacer) filters(f *finisher) {
	f.tableEdits = map[string][]xmlscan.Splice{}
	for _, tables := range r.tables {
		for _, t := range tables {
			sheetml.EachStartTag(t.Doc, func(tok xmlscan.Token) bool {
				if tok.Local == "filter" || tok.Local == "customFilter" {
					f.tableEdits[t.Part] = append(f.tableEdits[t.Part], r.followAttr(tok, "val")...)
				}
				return true
			})
		}
	}
}

// maxRecords is the largest part with records of a pivot table that is
// rewritten; Excel makes them anew from the cells when it refreshes.
const maxRecords = 16 << 20

// pivots lets the caches of pivot tables over cells follow: names of fields and
// items. Without that a table loses its fields when it is refreshed.
func (r *replacer) pivots(ctx context.Context, f *finisher) error {
	if !r.cellsChange() {
		return nil
	}
	for _, part := range r.wb.Package.Names() {
		ct := r.wb.Package.ContentType(part)
		if !strings.HasSuffix(ct, ".pivotCacheDefinition+xml") && !strings.HasSuffix(ct, ".pivotCacheRecords+xml") || r.wb.Package.Size(part) > maxRecords {
			continue
		}
		doc, err := r.wb.Package.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		edits, err := r.pivot(doc)
		if err != nil {
			return book.CorruptPart(err, part)
		}
		if len(edits) > 0 {
			f.ed.Set(part, xmlscan.Apply(doc, edits))
		}
	}
	return ctx.Err()
}

// pivot gives the changes of a part of a pivot cache. One of another source
// than cells, or with formulas over its fields, stays as it is.
func (r *replacer) pivot(doc []byte) ([]xmlscan.Splice, error) {
	var edits []xmlscan.Splice
	taken := map[string]bool{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "cacheSource":
			if t.AttrLocal("type") != "worksheet" {
				return nil, nil
			}
		case "calculatedItem":
			return nil, nil
		case "cacheField":
			if t.AttrLocal("formula") != "" {
				return nil, nil
			}
			edits = append(edits, distinctField(r.followAttr(t, "name"), taken)...)
		case "s":
			edits = append(edits, r.followAttr(t, "v")...)
		}
	}
	return edits, sc.Err()
}

// distinctField numbers a field whose new name another has already.
func distinctField(edits []xmlscan.Splice, taken map[string]bool) []xmlscan.Splice {
	for i := range edits {
		name := string(edits[i].New)
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = string(edits[i].New) + strconv.Itoa(n)
		}
		taken[strings.ToLower(name)] = true
		edits[i].New = []byte(name)
	}
	return edits
}
