package xlsx

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
	"atelier/internal/textclip"
)

type copySheetArgs struct {
	sheetArgs
	NewName  string       `json:"new_name" jsonschema:"{ops}"`
	Position *lenient.Int `json:"position" jsonschema:"{ops}: 1 is the first tab"`
}

// copySheet makes a copy of a worksheet: cells, formats, charts, pictures,
// notes, tables and pivot tables, which share the cache of the original.
// Formulas and charts that name the sheet itself name the copy in it.
func copySheet(ctx context.Context, e *structure, op copySheetArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	name := op.NewName
	for n := 2; strings.TrimSpace(name) == "" || op.NewName == "" && e.wb.Find(name) >= 0; n++ {
		tail := fmt.Sprintf(" (%d)", n)
		name = cutName(e.wb.Sheets[i].Name, book.MaxSheetNameLen-len(tail)) + tail
	}
	if err := e.freeName(name, -1); err != nil {
		return err
	}
	to, err := tabPosition(op.Position, len(e.wb.Sheets)+1, i+1)
	if err != nil {
		return err
	}
	c := &copier{following: &following{structure: e, sheet: i, rw: &formula.Rewriter{Names: map[string]string{strings.ToLower(e.wb.Sheets[i].Name): name}}}, made: map[string]string{}}
	if err := c.look(ctx); err != nil {
		return err
	}
	part, err := c.run(ctx)
	if err != nil {
		return err
	}
	id, err := e.ed.AddRel(ctx, e.wb.Main, opc.Relationship{Type: book.RelWorksheet, Target: part})
	if err != nil {
		return err
	}
	e.lockedWarning()
	e.rep.Made = name
	b := newBookEdit(e.wb)
	b.sheets = slices.Insert(b.sheets, to, bookSheet{orig: -1, name: name, relID: id})
	for _, n := range e.wb.Names {
		if n.Local == i {
			n.Text, _ = c.rw.Text(n.Text, formula.Place{Keep: true})
			n.Local = to
			b.set(n, n.Name == filterName)
		}
	}
	return b.apply(e.ed)
}

// cutName shortens a sheet name to n UTF-16 units.
func cutName(s string, n int) string {
	return strings.TrimRight(textclip.UTF16(s, n), " '")
}

// copier copies a sheet with the parts that are its own.
type copier struct {
	*following
	made   map[string]string // copies by folded name of the original
	ids    int               // highest table id
	tnames map[string]bool   // names of tables and defined names, lower case
}

// run writes the copies and returns the part of the new sheet.
func (c *copier) run(ctx context.Context) (string, error) {
	s := c.wb.Sheets[c.sheet]
	if err := c.nameTables(ctx); err != nil {
		return "", err
	}
	fa := c.facts[c.sheet]
	if fa == nil {
		return "", formats.Errorf(formats.CodeUnsupported, "the sheet %q has no cell data; it cannot be copied", s.Name)
	}
	part := c.newName(s.Part)
	if err := c.copyRels(ctx, s.Part, part); err != nil {
		return "", err
	}
	home := strings.ToLower(s.Name)
	w := &walk{rw: c.rw, home: home, elems: formulaElems}
	edits, err := w.run(fa.skel.Doc)
	if err != nil {
		return "", formats.Errorf(formats.CodeCorrupt, "%s: %w", s.Part, err)
	}
	edits = append(edits, deselected(fa.skel)...)
	for _, t := range fa.skel.Elements("sheetPr") {
		if _, ok := t.Attr("codeName"); ok {
			edits = append(edits, xmlscan.Splice{Start: t.Start, End: t.End, New: sheetml.EditTag(t.Bytes(), "", "codeName")})
		}
	}
	e := &sheetEdit{part: s.Part, exists: map[cellref.Cell]bool{}, rowExists: map[int]bool{}, selfData: fa.selfData}
	at := c.rw.At(s.Name)
	e.rewrite = func(f string) (string, bool) { return c.rw.Text(f, at) }
	e.head, e.tail = fa.skel.Split(edits)
	pkg := c.wb.Package
	c.ed.SetStream(part, spliceSheet(ctx, pkg, e))
	return part, c.ed.DeclareType(ctx, part, c.wb.Package.ContentType(s.Part))
}

// nameTables chooses names for the copies of the sheet's tables.
func (c *copier) nameTables(ctx context.Context) error {
	c.tnames = map[string]bool{}
	for _, n := range c.wb.Names {
		c.tnames[strings.ToLower(n.Name)] = true
	}
	for _, tabs := range c.tables {
		for _, t := range tabs {
			c.tnames[strings.ToLower(t.Name)] = true
			sheetml.EachStartTag(t.Doc, func(tok xmlscan.Token) bool {
				c.ids = max(c.ids, sheetml.Atoi([]byte(tok.AttrLocal("id"))))
				return false
			})
		}
	}
	for _, t := range c.tables[c.sheet] {
		if strings.Contains(string(t.Doc), `tableType="queryTable"`) {
			return formats.Errorf(formats.CodeUnsupported, "the table %s gets its data from elsewhere; a sheet with it cannot be copied", t.Name)
		}
		for n := 2; ; n++ {
			if now := t.Name + "_" + strconv.Itoa(n); !c.tnames[strings.ToLower(now)] {
				c.tnames[strings.ToLower(now)] = true
				c.rw.ChangeTable(t.Name, formula.TableChange{Now: now})
				break
			}
		}
	}
	return nil
}

// copied are the kinds of part that belong to one sheet; others, such as
// pictures, are shared.
var copied = strings.Fields(".drawing+xml .chart+xml .chartex+xml .chartstyle+xml .chartcolorstyle+xml .drawingml.chartshapes+xml .comments+xml .threadedcomments+xml .vmldrawing .table+xml .controlproperties+xml .tablesinglecells+xml .namedsheetviews+xml .pivottable+xml")

func (c *copier) own(part string) bool {
	ct := strings.ToLower(c.wb.Package.ContentType(part))
	return slices.ContainsFunc(copied, func(s string) bool { return strings.HasSuffix(ct, s) })
}

// newName is a free part name like that of part.
func (c *copier) newName(part string) string {
	ext := path.Ext(part)
	base := strings.TrimRight(strings.TrimSuffix(part, ext), "0123456789")
	return c.ed.NewName(strings.ReplaceAll(base, "%", "%%") + "%d" + ext)
}

// copyRels copies the relationships of a part under the same ids, and the parts
// they lead to where those are the sheet's own.
func (c *copier) copyRels(ctx context.Context, from, to string) error {
	name := opc.RelsName(from)
	if !c.wb.Package.Has(name) {
		return nil
	}
	doc, err := c.wb.Package.ReadXML(ctx, name)
	if err != nil {
		return err
	}
	rels, err := c.wb.Package.Rels(ctx, from)
	if err != nil {
		return err
	}
	target := map[string]string{}
	for _, r := range rels {
		switch {
		case r.External || !c.wb.Package.Has(r.Target):
		case strings.HasSuffix(r.Type, "/slicer") || strings.HasSuffix(r.Type, "/timeline"):
			return formats.Errorf(formats.CodeUnsupported, "the sheet %q has slicers; a sheet with slicers cannot be copied", c.wb.Sheets[c.sheet].Name)
		case c.own(r.Target):
			part, err := c.copyPart(ctx, r.Target)
			if err != nil {
				return err
			}
			target[r.ID] = opc.Relative(to, part)
		default:
			target[r.ID] = opc.Relative(to, r.Target)
		}
	}
	c.ed.Set(opc.RelsName(to), retargeted(doc, target))
	return nil
}

// retargeted returns a part of relationships with new targets, by id.
func retargeted(doc []byte, target map[string]string) []byte {
	var edits []xmlscan.Splice
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		to, ok := target[t.AttrLocal("Id")]
		for a := range t.Attrs() {
			if ok && t.Local == "Relationship" && a.Name == "Target" {
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(xmlscan.Escape(to))})
			}
		}
		return true
	})
	return xmlscan.Apply(doc, edits)
}

// copyPart copies one part and returns the name of the copy.
func (c *copier) copyPart(ctx context.Context, part string) (string, error) {
	if to := c.made[strings.ToLower(part)]; to != "" {
		return to, nil
	}
	doc, err := c.wb.Package.Read(ctx, part)
	if err != nil {
		return "", err
	}
	to := c.newName(part)
	c.made[strings.ToLower(part)] = to
	c.ed.Set(to, doc) // takes the name while what it leads to is copied
	if err := c.copyRels(ctx, part, to); err != nil {
		return "", err
	}
	ct := c.wb.Package.ContentType(part)
	if !strings.HasSuffix(ct, vmlSuffix) {
		doc = xmlscan.UTF8(doc)
	}
	if doc, err = rewritePart(c.rw, ct, strings.ToLower(c.wb.Sheets[c.sheet].Name), nil, doc); err != nil {
		return "", book.CorruptPart(err, part)
	}
	if strings.HasSuffix(ct, ".table+xml") {
		c.ids++
		doc = xmlscan.Apply(doc, c.tableNames(doc))
	}
	c.ed.Set(to, doc)
	return to, c.ed.DeclareType(ctx, to, ct)
}

// tableNames gives a copied table its own id and name (18.5.1.2).
func (c *copier) tableNames(doc []byte) []xmlscan.Splice {
	var edits []xmlscan.Splice
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		for a := range t.Attrs() {
			now := ""
			switch a.Name {
			case "id":
				now = strconv.Itoa(c.ids)
			case "name", "displayName":
				now = c.rw.Tables[strings.ToLower(a.Value())].Now
			}
			if now != "" {
				edits = append(edits, xmlscan.Splice{Start: a.ValStart, End: a.ValEnd, New: []byte(sheetml.EscapeAttr(now))})
			}
		}
		return false
	})
	return edits
}
