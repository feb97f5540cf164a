package xlsx

import "atelier/formats/ooxml/segment"

const relCoreProps = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"

// properties adds the document properties that people read (OPC, clause 11).
func (c *collector) properties() error {
	rels, err := c.wb.Package.Rels(c.ctx, "")
	if err != nil {
		return err
	}
	for _, r := range rels {
		if r.Type != relCoreProps || r.External || !c.wb.Package.Has(r.Target) {
			continue
		}
		if err := c.sharedPart(r.Target, -1, segment.Where{Place: "document properties", Kind: "property"}); err != nil {
			return err
		}
	}
	return nil
}
