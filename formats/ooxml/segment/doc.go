// Package segment lists the translatable texts of the parts that documents,
// presentations and workbooks have in common, and writes their translations:
// charts (ECMA-376-1, 21.2) and extended charts ([MS-ODRAWXML] 2.24), diagrams
// (21.4), drawings, and the core properties (ECMA-376-2, clause 8).
//
//	p, err := segment.Scan(ctx, doc, segment.Options{Place: "slide 3, chart", Kind: "chart", ID: id})
//	for _, t := range p.Texts {
//		fmt.Println(t.ID, t.Place, t.Tagged())
//	}
//	changed, err := p.Replace(map[string]string{p.Texts[0].ID: "Ventas"})
//
// A format adds what only it has: the order of its parts, the names of places,
// and its own elements with text (Options).
package segment
