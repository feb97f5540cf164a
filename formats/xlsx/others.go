package xlsx

import (
	"context"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

// otherParts rewrites the formulas that stand outside sheets: in tables and
// charts.
func (f *finisher) otherParts(ctx context.Context) error {
	if f.rw.Idle() {
		return nil
	}
	for _, part := range f.wb.Package.Names() {
		if !f.ed.Has(part) {
			continue
		}
		var names []string
		switch ct := f.wb.Package.ContentType(part); {
		case strings.HasSuffix(ct, ".table+xml"):
			names = []string{"calculatedColumnFormula", "totalsRowFormula"}
		case strings.HasSuffix(ct, ".chart+xml"), strings.HasSuffix(ct, ".chartex+xml"):
			names = []string{"f"}
		default:
			continue
		}
		doc, err := f.ed.ReadXML(ctx, part)
		if err != nil {
			return err
		}
		if edits := rewriteElements(doc, f.rw, names...); len(edits) > 0 {
			f.ed.Set(part, xmlscan.Apply(doc, edits))
		}
	}
	return nil
}
