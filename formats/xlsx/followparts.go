package xlsx

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// owners gives, for each part below a worksheet, the lower-case name of the
// sheet, found through relationships.
func (wb *workbook) owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range wb.Sheets {
		if s.Part == "" {
			continue
		}
		if err := wb.own(ctx, s.Part, strings.ToLower(s.Name), out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// own adds the parts below a sheet that no sheet has yet.
func (wb *workbook) own(ctx context.Context, part, sheet string, owner map[string]string) error {
	for queue := []string{part}; len(queue) > 0; queue = queue[1:] {
		rels, err := wb.Package.Rels(ctx, queue[0])
		if err != nil {
			return err
		}
		for _, r := range rels {
			k := strings.ToLower(r.Target)
			if _, known := owner[k]; r.External || known || !wb.Package.Has(r.Target) {
				continue
			}
			owner[k] = sheet
			queue = append(queue, r.Target)
		}
	}
	return nil
}

// rewriteParts rewrites what refers to cells in the parts beside sheets and
// workbook: tables, charts, drawings, notes, pivot tables and controls. tables
// are those of the sheet whose cells move; parts in skip stay.
func (wb *workbook) rewriteParts(ctx context.Context, ed *opc.Edit, rw *formula.Rewriter, tables []*book.Table, skip map[string]bool) error {
	if rw.Idle() {
		return nil
	}
	var owner map[string]string
	if rw.Shift != nil || len(rw.Names) > 0 {
		var err error
		if owner, err = wb.owners(ctx); err != nil {
			return err
		}
	}
	for _, part := range wb.Package.Names() {
		low, ct := strings.ToLower(part), wb.Package.ContentType(part)
		vml := strings.HasSuffix(ct, vmlSuffix)
		if _, ok := followed(ct); !ok && !vml || skip[low] || !ed.Has(part) {
			continue
		}
		read := ed.ReadXML
		if vml {
			read = ed.Read
		}
		doc, err := read(ctx, part)
		if err != nil {
			return err
		}
		now, err := rewritePart(rw, ct, owner[low], tableIn(tables, part), doc)
		if err != nil {
			return book.CorruptPart(err, part)
		}
		if !bytes.Equal(now, doc) {
			ed.Set(part, now)
		}
	}
	return nil
}

// tableIn returns the table of a part, nil for none.
func tableIn(tables []*book.Table, part string) *book.Table {
	for _, t := range tables {
		if strings.EqualFold(t.Part, part) {
			return t
		}
	}
	return nil
}

// vmlSuffix ends the content type of the shapes of notes and controls.
const vmlSuffix = ".vmlDrawing"

// rewritePart returns a part of that content type with its references
// rewritten. home is the lower-case name of the sheet it belongs to, tab the
// table that it is, nil for another part or one of a sheet whose cells stay.
func rewritePart(rw *formula.Rewriter, contentType, home string, tab *book.Table, doc []byte) ([]byte, error) {
	if strings.HasSuffix(contentType, vmlSuffix) {
		return followVML(rw, doc, home), nil
	}
	edits, err := partEdits(rw, contentType, home, tab, doc)
	if err != nil || len(edits) == 0 {
		return doc, err
	}
	return xmlscan.Apply(doc, edits), nil
}

// partEdits returns the changes that rewritePart makes to an XML part.
func partEdits(rw *formula.Rewriter, contentType, home string, tab *book.Table, doc []byte) ([]xmlscan.Splice, error) {
	if strings.HasSuffix(contentType, ".pivotCacheDefinition+xml") {
		return pivotSourceEdits(rw, doc)
	}
	w := &walk{rw: rw, home: home, table: tab}
	w.elems, _ = followed(contentType)
	if tab != nil {
		w.newID = maxID(doc)
	}
	return w.run(doc)
}

// followed gives the elements whose text is a formula in a part of that type;
// ok is false for parts that refer to no cells.
func followed(contentType string) (elems []string, ok bool) {
	for suffix, elems := range map[string]string{
		".table+xml": "calculatedColumnFormula totalsRowFormula", ".chart+xml": "f sqref", ".chartex+xml": "f sqref",
		".drawing+xml": "", ".comments+xml": "", ".threadedcomments+xml": "", ".pivotTable+xml": "", ".controlproperties+xml": "",
		".tableSingleCells+xml": "", ".pivotCacheDefinition+xml": "", ".namedsheetviews+xml": "",
	} {
		if strings.HasSuffix(strings.ToLower(contentType), strings.ToLower(suffix)) {
			return strings.Fields(elems), true
		}
	}
	return nil, false
}

func maxID(doc []byte) int {
	n := 0
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		if t.Local == "tableColumn" {
			n = max(n, sheetml.Atoi([]byte(t.AttrLocal("id"))))
		}
		return true
	})
	return n
}

// pivotSourceEdits rewrites the block that a pivot cache was made from (18.10.1.95).
func pivotSourceEdits(rw *formula.Rewriter, doc []byte) ([]xmlscan.Splice, error) {
	w := &walk{rw: rw, doc: doc}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && (t.Local == "worksheetSource" || t.Local == "rangeSet") {
			w.dataRef(t)
		}
	}
	return w.edits, sc.Err()
}

// dropPart removes a part of the sheet with its relationship and declaration.
func (g *following) dropPart(ctx context.Context, source string, r opc.Relationship) error {
	if err := g.ed.RemoveRel(ctx, source, r.ID); err != nil {
		return err
	}
	g.ed.Remove(r.Target)
	if rels := opc.RelsName(r.Target); g.ed.Has(rels) {
		g.ed.Remove(rels)
	}
	return g.ed.RemoveContentType(ctx, r.Target)
}
