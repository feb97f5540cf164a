package xlsx

import (
	"slices"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	relCoreProps = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
	nsCore       = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
	nsDC         = "http://purl.org/dc/elements/1.1/"
)

// properties adds the document properties that people read (OPC, clause 11).
func (c *collector) properties() error {
	rels, err := c.wb.Package.Rels(c.ctx, "")
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type != relCoreProps || r.External || !c.wb.Package.Has(r.Target) || c.parts[r.Target] {
			continue
		}
		c.parts[r.Target] = true
		doc, err := c.wb.Package.ReadXML(c.ctx, r.Target)
		if err != nil {
			return err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			t := sc.Token()
			if t.Kind != xmlscan.Start || t.Empty || t.Depth != 2 ||
				!(t.Space == nsDC && slices.Contains([]string{"title", "subject", "description"}, t.Local) || t.Space == nsCore && (t.Local == "keywords" || t.Local == "category")) {
				continue
			}
			end := sheetml.EndTagStart(doc, sc.Skip())
			u := &unit{sst: -1, sheet: -1, home: -1, part: r.Target, span: sheetml.Piece(t.End, end), write: xmlscan.Escape}
			u.seg = formats.Segment{ID: "property:" + t.Local, Place: "document properties, " + t.Local, Part: "property"}
			c.put(u, sheetml.CharData(doc[t.End:end]))
		}
		if err := book.CorruptPart(sc.Err(), r.Target); err != nil {
			return err
		}
	}
	return nil
}
