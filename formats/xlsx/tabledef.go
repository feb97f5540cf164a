package xlsx

import (
	"context"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// table is a table part (18.5.1.2).
type table struct {
	part    string
	doc     []byte
	name    string // displayName
	ref     cellref.Range
	headers int // header rows, 0 or 1
	totals  int
	columns []tableColumn
}

type tableColumn struct {
	name       string
	nameVal    sheetml.Span // value of the name attribute
	label      string
	labelVal   sheetml.Span // totalsRowLabel
	hasFormula bool
}

func (wb *workbook) tablesOf(ctx context.Context, sheetPart string) ([]*table, error) {
	rels, err := wb.pkg.Rels(ctx, sheetPart)
	if err != nil {
		return nil, err
	}
	var out []*table
	for _, r := range rels {
		if r.Type != relTable || r.External || !wb.pkg.Has(r.Target) {
			continue
		}
		if wb.pkg.Size(r.Target) > maxObjects {
			return nil, formats.Errorf(formats.CodeTooLarge, "the table %q has %d bytes; the limit is %d", r.Target, wb.pkg.Size(r.Target), maxObjects)
		}
		doc, err := wb.pkg.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		t, err := parseTable(r.Target, doc)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func parseTable(part string, doc []byte) (*table, error) {
	t := &table{part: part, doc: doc, headers: 1}
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			continue
		}
		switch {
		case tok.Local == "table" && tok.Depth == 1:
			t.name = tok.AttrLocal("displayName")
			if t.name == "" {
				t.name = tok.AttrLocal("name")
			}
			t.ref = cellref.ParseAttr(tok.AttrLocal("ref"))
			if v, ok := tok.Attr("headerRowCount"); ok {
				t.headers = max(sheetml.Atoi([]byte(v)), 0)
			}
			if v, ok := tok.Attr("totalsRowCount"); ok {
				t.totals = max(sheetml.Atoi([]byte(v)), 0)
			}
		case tok.Local == "tableColumn" && tok.Depth == 3:
			var c tableColumn
			for a := range tok.Attrs() {
				switch a.Name {
				case "name":
					c.name, c.nameVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
				case "totalsRowLabel":
					c.label, c.labelVal = sheetml.Unescape(a.Value()), sheetml.Piece(a.ValStart, a.ValEnd)
				}
			}
			t.columns = append(t.columns, c)
		case tok.Local == "calculatedColumnFormula" || tok.Local == "totalsRowFormula":
			if len(t.columns) > 0 {
				t.columns[len(t.columns)-1].hasFormula = true
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return t, nil
}
