package xlsx

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
)

// controls collects the captions of buttons, boxes and other form controls,
// which stand in the sheet's VML drawing (ECMA-376-4, 19.1 and 19.4.2.12). A
// drawing of an older program need not be XML: then it is left alone. Comments
// stand there too, but without their text.
func (c *collector) controls(i int, part string) error {
	if c.parts[part] {
		return nil
	}
	c.parts[part] = true
	doc, err := c.wb.Package.ReadXML(c.ctx, part)
	if err != nil {
		return err
	}
	var found, texts []sheetml.Span
	box := 0 // depth of the open text box
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "shape":
			texts = nil
		case t.Kind == xmlscan.Start && t.Local == "textbox" && !t.Empty:
			box = t.Depth
		case t.Kind == xmlscan.End && t.Depth == box:
			box = 0
		case t.Kind == xmlscan.Text && box > 0:
			texts = append(texts, sheetml.Piece(t.Start, t.End))
		case t.Kind == xmlscan.Start && t.Local == "ClientData" && t.AttrLocal("ObjectType") != "Note":
			found = append(found, texts...)
			texts = nil
		}
	}
	if sc.Err() != nil {
		return nil //nolint:nilerr // see above
	}
	for n, at := range found {
		text := sheetml.CharData(doc[at.Start:at.End])
		inner := strings.TrimSpace(text)
		if inner == "" {
			continue
		}
		at.Start += strings.Index(string(doc[at.Start:at.End]), strings.TrimSpace(string(doc[at.Start:at.End])))
		at.End = at.Start + len(strings.TrimSpace(string(doc[at.Start:at.End])))
		u := &unit{sst: -1, sheet: -1, home: i, part: part, span: at, write: xmlscan.Escape}
		u.seg = formats.Segment{ID: fmt.Sprintf("control:%d:%d", i+1, n+1), Place: c.wb.Sheets[i].Name + ", form control", Part: "control"}
		c.put(u, inner)
	}
	return nil
}
