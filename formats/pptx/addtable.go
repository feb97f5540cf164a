package pptx

import (
	"context"
	"fmt"
	"math"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const (
	nsTable = "http://schemas.openxmlformats.org/drawingml/2006/table"
	// mediumStyle2 is PowerPoint's own default, "Medium Style 2 - Accent 1".
	mediumStyle2 = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}"
	rowHeight    = 370840 // EMU, PowerPoint's own for 18 pt text
	maxTableSide = 1000   // rows or columns of a new table
)

func relTo(typ, part string) opc.Relationship { return opc.Relationship{Type: typ, Target: part} }

// addTableArgs are the members of add_table.
type addTableArgs struct {
	slideArgs
	Rows [][]Cell `json:"rows" usage:"rows" jsonschema:"{ops}: texts by row; the first is the head"`
	newObjectArgs
}

// addTable puts a table on a slide, its first row being the head.
func (d *deckEdit) addTable(ctx context.Context, c *call, a addTableArgs) error {
	cols := 0
	for _, row := range a.Rows {
		cols = max(cols, len(row))
	}
	switch {
	case cols == 0:
		return formats.Errorf(formats.CodeInvalid, "rows is required: a list of rows, each a list of texts")
	case len(a.Rows) > maxTableSide || cols > maxTableSide:
		return formats.Errorf(formats.CodeInvalid, "a table can have %d rows and columns at most, not %d by %d", maxTableSide, len(a.Rows), cols)
	}
	c.r.Cells = len(a.Rows) * cols
	return d.addObject(ctx, c, a.newObjectArgs, newObject{
		placeholder: "tbl", noun: "Table",
		place: func(room frame, x, y, w, h float64) frame {
			room.h = rowHeight * float64(len(a.Rows))
			f := d.onSlide(room.moved(x, y, w, h), x, math.NaN(), w, h)
			if f.y+f.h > float64(d.height) {
				c.warn("the table is higher than the slide: %d rows need %v inches; split it over several slides", len(a.Rows), inches(f.h))
			}
			return f
		},
		xml: func(t *tree, s objectShell) (string, error) {
			return s.graphicFrame(t.uri(nsTable), a.tableXML(cols, s.frame)), nil
		},
	})
}

// tableXML returns the a:tbl that fills a frame evenly.
func (a addTableArgs) tableXML(cols int, f frame) string {
	var sb strings.Builder
	sb.WriteString(`<a:tbl><a:tblPr firstRow="1" bandRow="1"><a:tableStyleId>` + mediumStyle2 + `</a:tableStyleId></a:tblPr><a:tblGrid>`)
	left, right := 0, 0
	for i := range cols {
		right = int(math.Round(f.w * float64(i+1) / float64(cols)))
		fmt.Fprintf(&sb, `<a:gridCol w="%d"/>`, right-left)
		left = right
	}
	sb.WriteString(`</a:tblGrid>`)
	for _, row := range a.Rows {
		fmt.Fprintf(&sb, `<a:tr h="%d">`, int(math.Round(f.h/float64(len(a.Rows)))))
		for i := range cols {
			text := ""
			if i < len(row) {
				text = string(row[i])
			}
			sb.WriteString(`<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>` + plainParagraphs(text) + `</a:txBody><a:tcPr/></a:tc>`)
		}
		sb.WriteString(`</a:tr>`)
	}
	return sb.String() + `</a:tbl>`
}

// plainParagraphs returns a paragraph for each line of text.
func plainParagraphs(text string) string {
	var sb strings.Builder
	for _, l := range strings.Split(newlines(text), "\n") {
		if l == "" {
			sb.WriteString(`<a:p/>`)
		} else {
			sb.WriteString(`<a:p><a:r><a:t>` + xmlscan.Escape(l) + `</a:t></a:r></a:p>`)
		}
	}
	return sb.String()
}
