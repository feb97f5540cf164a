package xlsx

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/formula"
)

// maxFollowed bounds the insertions and deletions that references are followed
// through; with more of them, what refers to cells that moved counts as changed.
const maxFollowed = 100

// followers are what makes the old workbook's references those of the new one:
// sheets that were renamed, rows and columns that came or went.
func (x *bookDiff) makeFollowers(sheets []*sheetDiff) {
	names := map[string]string{}
	var order []string
	for _, s := range sheets {
		if s.sheetPair.a >= 0 && s.sheetPair.b >= 0 {
			if was := x.a.sheets[s.sheetPair.a].name; was != s.name {
				names[strings.ToLower(was)] = s.name
			}
		}
		order = append(order, strings.ToLower(s.name))
	}
	if len(names) > 0 {
		x.renamed = names
		x.followers = append(x.followers, &formula.Follower{Names: names, Order: order})
	}
	n := 0
	for _, s := range sheets {
		n += len(s.rows.shifts) + len(s.cols.shifts)
	}
	if n > maxFollowed {
		return
	}
	for _, s := range sheets {
		for _, m := range []*lineMap{s.rows, s.cols} {
			for i := range m.shifts {
				x.followers = append(x.followers, &formula.Follower{Sheet: strings.ToLower(s.name), Shift: &m.shifts[i], Order: order})
			}
		}
	}
}

// follow is an old formula of a sheet as it would read now.
func (x *bookDiff) follow(f, sheet string) string {
	was := f
	for _, fo := range x.followers {
		f, _ = fo.Text(f, formula.Place{Sheet: strings.ToLower(sheet)})
	}
	if broke(was, f) {
		return was
	}
	return f
}

// broke reports whether a formula lost what it refers to, which is to be told.
func broke(was, now string) bool {
	return strings.Count(now, "#REF!") > strings.Count(was, "#REF!")
}

// followName is the same of a defined name.
func (x *bookDiff) followName(f, sheet string) string {
	was := f
	for _, fo := range x.followers {
		f, _ = fo.Text(f, formula.Place{Sheet: strings.ToLower(sheet), Keep: true})
	}
	if broke(was, f) {
		return was
	}
	return f
}

// followDoc is a part of the old workbook that belongs to a sheet as it would
// read now.
func (x *bookDiff) followDoc(doc []byte, sheet string, elems []string, part string) ([]byte, error) {
	for _, fo := range x.followers {
		w := &walk{fo: fo, home: strings.ToLower(sheet), elems: elems}
		if part != "" {
			t, err := parseTable(part, doc)
			if err != nil {
				return nil, err
			}
			w.table, w.newID = t, maxID(doc)
		}
		edits, err := w.run(doc)
		if err != nil {
			return nil, err
		}
		edits = slices.DeleteFunc(edits, func(e xmlscan.Splice) bool { return bytes.Contains(e.New, []byte("#REF!")) })
		if len(edits) > 0 {
			doc = xmlscan.Apply(doc, edits)
		}
	}
	return doc, nil
}

// followed is the old package with tables, charts, drawings, notes and pivots as
// they would read now.
func (x *bookDiff) followedPackage(ctx context.Context) (*opc.Package, error) {
	if len(x.followers) == 0 {
		return x.a.pkg, nil
	}
	owner, err := x.a.owners(ctx)
	if err != nil {
		return nil, err
	}
	parts := map[string][]byte{}
	for _, part := range x.a.pkg.Names() {
		ct := x.a.pkg.ContentType(part)
		home := owner[strings.ToLower(part)]
		if now, ok := x.renamed[home]; ok {
			home = strings.ToLower(now)
		}
		if strings.HasSuffix(ct, ".vmlDrawing") {
			doc, err := x.a.pkg.Read(ctx, part)
			if err != nil {
				return nil, err
			}
			for _, fo := range x.followers {
				doc = followVML(fo, doc, home)
			}
			parts[part] = doc
			continue
		}
		elems, ok := followed(ct)
		if !ok || x.a.pkg.Size(part) > maxObjects {
			continue
		}
		doc, err := x.a.pkg.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(ct, ".pivotCacheDefinition+xml") {
			for _, fo := range x.followers {
				edits, err := (&following{fo: fo}).pivotSource(doc)
				if err != nil {
					return nil, err
				}
				doc = xmlscan.Apply(doc, edits)
			}
			parts[part] = doc
			continue
		}
		table := ""
		if strings.HasSuffix(ct, ".table+xml") {
			table = part
		}
		if parts[part], err = x.followDoc(doc, home, elems, table); err != nil {
			return nil, err
		}
	}
	return x.a.pkg.With(parts), nil
}
