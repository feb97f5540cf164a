package diff

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/rules"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lazyregexp"
)

// treeKinds are the parts below a sheet that are told with all they lead to.
var treeKinds = map[string]struct{ kind, word, lost string }{
	"queryTable": {formats.FactConnection, "query", "lost: a query"},
	"slicer":     {formats.FactSlicer, "slicer", "lost: a slicer"}, "timeline": {formats.FactSlicer, "timeline", "lost: a timeline"},
	"printerSettings": {formats.FactPageSetup, "settings of the printer", ""},
	"customProperty":  {formats.FactProperty, "property of the sheet", ""}, "tableSingleCells": {formats.FactTable, "cells bound to XML", ""},
	"namedSheetView": {formats.FactView, "named views of the sheet", ""},
}

// vml reads the drawings of notes and controls, one behind the other.
func (d *sheetSide) vml(ctx context.Context) (vml []byte, err error) {
	for _, r := range d.rels {
		if r.Type != opc.RelPrefix+"vmlDrawing" || r.External || !d.in.Package().Has(r.Target) {
			continue
		}
		b, err := d.in.Package().Read(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		vml = append(vml, b...)
		d.in.Cover(r.Target, opc.RelsName(r.Target))
	}
	return vml, nil
}

// objects lists what the sheet leads to.
func (d *sheetSide) objects(ctx context.Context) error {
	vml, err := d.vml(ctx)
	if err != nil {
		return err
	}
	notes := d.shapes(vml)
	for _, r := range d.rels {
		if r.External || !d.in.Package().Has(r.Target) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch kind := path.Base(r.Type); kind {
		case "drawing":
			err = d.drawing(ctx, r.Target)
		case "comments":
			err = d.notes(ctx, r.Target, notes)
		case "threadedComment":
			err = d.threads(ctx, r.Target)
		case "table":
			err = d.table(ctx, r.Target)
		case "pivotTable":
			err = d.pivot(ctx, r.Target)
		default:
			if k, ok := treeKinds[kind]; ok {
				err = d.tree(ctx, r.Target, inventory.Item{Kind: k.kind, Key: kind, Text: k.word, WarnRemoved: k.lost})
			}
		}
		if err != nil {
			return book.Typed(err, r.Target)
		}
	}
	return nil
}

// tree adds the thing of a part and all it leads to.
func (d *sheetSide) tree(ctx context.Context, part string, t inventory.Item) error {
	sum, parts, err := inventory.TreeSum(ctx, d.in.Package(), part, d.stops(part))
	if err != nil {
		return err
	}
	t.Sum, t.Parts = inventory.SumOf(sum[:], t.Sum[:]), append(t.Parts, parts...)
	d.thing(t)
	return nil
}

var (
	vmlIDs    = lazyregexp.New(`\s(?:o:)?(?:sp)?id="[^"]*"`)
	vmlObject = lazyregexp.New(`ObjectType="([^"]*)"`)
	vmlHidden = lazyregexp.New(`z-index:\d+;?|\s`)
	vmlPlaces = lazyregexp.New(`(?s)<x:(?:Row|Column)>[^<]*</x:(?:Row|Column)>`)
)

// shapes lists the controls among the shapes of the old drawing format, and sums
// those of notes by cell.
func (d *sheetSide) shapes(doc []byte) map[cellref.Cell]inventory.Sum {
	out := map[cellref.Cell]inventory.Sum{}
	for n, m := range book.VMLShape.FindAll(doc, 20_000) {
		kind := ""
		if g := vmlObject.FindSubmatch(m); g != nil {
			kind = string(g[1])
		}
		bare := vmlHidden.ReplaceAll(vmlPlaces.ReplaceAll(vmlIDs.ReplaceAll(m, nil), nil), nil)
		if kind == "Note" {
			out[book.NoteAt(m)] = inventory.SumOf(bare)
			continue
		}
		word, k := "picture in the header or footer", formats.FactPicture
		if kind != "" {
			word, k = "control: "+strings.ToLower(kind), formats.FactControl
		}
		d.thing(inventory.Item{Kind: k, Key: fmt.Sprintf("vml %s %d", kind, n), Text: word, Sum: inventory.SumOf(bare), WarnRemoved: "lost: " + word})
	}
	return out
}

// notes lists the notes of cells (18.7.3).
func (d *sheetSide) notes(ctx context.Context, part string, shapes map[cellref.Cell]inventory.Sum) error {
	doc, err := d.in.Package().ReadXML(ctx, part)
	if err != nil {
		return err
	}
	d.in.Cover(part, opc.RelsName(part))
	list, err := book.ParseNotes(part, doc, nil)
	if err != nil {
		return err
	}
	canon := inventory.Canonicalizer{IgnoreAttr: func(_ xmlscan.Token, a string) bool {
		return a == "authorId" || a == "ref" || a == "uid" || a == "shapeId"
	}}
	n := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "comment" {
			continue
		}
		sum, err := canon.Fragment(doc, doc[t.Start:max(t.End, sc.Skip())])
		if err != nil {
			return err
		}
		if n < len(list) {
			c := list[n]
			shape := shapes[c.At]
			d.thing(inventory.Item{Kind: formats.FactComment, Key: cellref.Name(c.At.Row, c.At.Col), At: cellref.Name(c.At.Row, c.At.Col), Text: commentText(c), Sum: inventory.SumOf(sum[:], shape[:]), WarnRemoved: "lost: a comment"})
		}
		n++
	}
	return sc.Err()
}

func commentText(c book.Comment) string {
	s := book.Clip(book.OneLine(c.Text), 200)
	if by := c.By(); by != "" {
		s = by + ": " + s
	}
	return s
}

// threads lists threaded comments ([MS-XLSX] 2.6.205).
func (d *sheetSide) threads(ctx context.Context, part string) error {
	doc, err := d.in.Package().ReadXML(ctx, part)
	if err != nil {
		return err
	}
	d.in.Cover(part, opc.RelsName(part))
	people, err := d.book.People(ctx)
	if err != nil {
		return err
	}
	return sheetml.EachChild(doc, func(t xmlscan.Token, raw []byte) error {
		c := book.Comment{Author: people[t.AttrLocal("personId")], Text: strings.Join(sheetml.TextsOf(raw, "text"), " "), Reply: t.AttrLocal("parentId") != ""}
		sum, err := inventory.Canonicalizer{IgnoreAttr: func(_ xmlscan.Token, a string) bool { return a == "ref" }}.Fragment(doc, raw)
		if err != nil {
			return err
		}
		text := commentText(c)
		if sheetml.IsTrue(t.AttrLocal("done")) {
			text += " (resolved)"
		}
		d.thing(inventory.Item{Kind: formats.FactComment, Key: "thread " + t.AttrLocal("id"), At: t.AttrLocal("ref"), Text: text, Sum: sum, WarnRemoved: "lost: a comment"})
		return nil
	})
}

// dxfSums stands for the formats of the style part that an element uses.
func (d *sheetSide) dxfSums(doc []byte) inventory.Sum {
	var used [][]byte
	sheetml.EachStartTag(doc, func(t xmlscan.Token) bool {
		for a := range t.Attrs() {
			if strings.HasSuffix(strings.ToLower(a.Name), "dxfid") {
				if i := sheetml.Atoi([]byte(a.Value())); i >= 0 && i < len(d.book.book.DXFs) {
					used = append(used, []byte(a.Name), d.book.book.DXFs[i])
				}
			}
		}
		return true
	})
	return inventory.SumOf(used...)
}

func ignoreDxf(_ xmlscan.Token, a string) bool {
	return a == "uid" || strings.HasSuffix(strings.ToLower(a), "dxfid")
}

// table tells a table (18.5.1.2).
func (d *sheetSide) table(ctx context.Context, part string) error {
	doc, err := d.in.Package().ReadXML(ctx, part)
	if err != nil {
		return err
	}
	t, err := book.ParseTable(part, doc)
	if err != nil {
		return err
	}
	text, filter := tableWords(t, doc)
	rels, err := d.in.Package().Rels(ctx, part)
	if err != nil {
		return err
	}
	canon := inventory.Canonicalizer{Rels: rels, IgnoreAttr: ignoreDxf, Ignore: func(e xmlscan.Token) bool { return e.Local == "autoFilter" && e.Depth == 2 }}
	sum, err := canon.Element(doc)
	if err != nil {
		return err
	}
	dxf := d.dxfSums(doc)
	d.thing(inventory.Item{Kind: formats.FactTable, Key: "table " + strings.ToLower(t.Name), At: t.Ref.String(), Text: text, Sum: inventory.SumOf(sum[:], dxf[:]), Parts: []string{part}, WarnRemoved: "lost: table " + t.Name})
	if filter.Kind != "" {
		d.thing(filter)
	}
	for _, r := range rels {
		if k, ok := treeKinds[path.Base(r.Type)]; ok && !r.External && d.in.Package().Has(r.Target) {
			if err := d.tree(ctx, r.Target, inventory.Item{Kind: k.kind, Key: path.Base(r.Type) + " " + t.Name, Text: k.word + " of table " + t.Name, WarnRemoved: k.lost}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tableWords describes a table, and its filter as a fact for itself; without a
// filter that has no kind.
func tableWords(t *book.Table, doc []byte) (text string, filter inventory.Item) {
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, c.Name)
	}
	text = "table " + t.Name
	if t.Headers == 0 {
		text += " without a header row"
	}
	if t.Totals > 0 {
		text += " with a total row"
	}
	_ = sheetml.EachChild(doc, func(e xmlscan.Token, raw []byte) error {
		switch e.Local {
		case "tableStyleInfo":
			if name := e.AttrLocal("name"); name != "" {
				text += ", style " + name
			}
		case "sortState":
			if by := rules.Sorted(raw); by != "" {
				text += ", " + by
			}
		case "autoFilter":
			words, criteria := filterWords(raw)
			if filter = (inventory.Item{Kind: formats.FactFilter, Key: "filter of " + t.Name, At: e.AttrLocal("ref"), Text: words + " of table " + t.Name}); criteria {
				filter.WarnAdded = "the filter of table " + t.Name + " hides rows"
			}
		}
		return nil
	})
	return text + ", columns " + book.Clip(strings.Join(columns, ", "), 200), filter
}

// pivot tells a pivot table (18.10.1.73) with its cache.
func (d *sheetSide) pivot(ctx context.Context, part string) error {
	over := *d.book.Workbook
	over.Package = d.in.Package()
	p, err := reader.ReadPivot(ctx, &over, part)
	if err != nil {
		return err
	}
	doc, err := d.in.Package().ReadXML(ctx, part)
	if err != nil {
		return err
	}
	text := "pivot table " + p.Name
	if p.Source != "" {
		text += " of " + p.Source
	}
	layout, err := reader.PivotLayout(ctx, &over, part)
	if err != nil {
		return err
	}
	if layout != "" {
		text += ", " + book.Clip(layout, 400)
	}
	return d.tree(ctx, part, inventory.Item{Kind: formats.FactPivot, Key: "pivot " + p.Name, At: p.Range, Text: text, Sum: d.dxfSums(doc), WarnRemoved: "lost: pivot table " + p.Name})
}

// drawing lists what hangs on the cells of the sheet (20.5.2.35).
func (d *sheetSide) drawing(ctx context.Context, part string) error {
	pkg := d.in.Package()
	doc, err := pkg.ReadXML(ctx, part)
	if err != nil {
		return err
	}
	rels, err := pkg.Rels(ctx, part)
	if err != nil {
		return err
	}
	d.in.Cover(part)
	canon := inventory.Canonicalizer{Rels: rels, Target: func(n string) inventory.Sum { return d.canon.Target(n) }, Ignore: func(t xmlscan.Token) bool {
		return t.Depth == 4 && (t.Local == "col" || t.Local == "row")
	}}
	n := 0
	err = sheetml.EachChild(doc, func(t xmlscan.Token, raw []byte) error {
		n++
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return d.anchored(ctx, doc, raw, rels, canon)
	})
	if failed := d.coverNamed(ctx, doc, rels); failed != nil {
		return failed
	}
	return err
}

// coverNamed counts what shapes of a drawing name as told; the rest of what the
// drawing leads to is told by its relationships.
func (d *sheetSide) coverNamed(ctx context.Context, doc []byte, rels []opc.Relationship) error {
	for _, r := range rels {
		if r.External || !d.in.Package().Has(r.Target) {
			continue
		}
		_, parts, err := inventory.TreeSum(ctx, d.in.Package(), r.Target, d.stops(r.Target))
		if err != nil {
			return err
		}
		if bytes.Contains(doc, []byte(`"`+r.ID+`"`)) {
			d.in.Cover(parts...)
		}
	}
	return nil
}

// anchored tells one anchor of a drawing.
func (d *sheetSide) anchored(ctx context.Context, doc, raw []byte, rels []opc.Relationship, canon inventory.Canonicalizer) error {
	sum, err := canon.Fragment(doc, raw)
	if err != nil {
		return err
	}
	o := &anchoredObject{pkg: d.in.Package(), rels: rels, raw: raw, item: inventory.Item{Kind: formats.FactShape, Text: "shape", WarnRemoved: "lost: a shape"}}
	sc := xmlscan.New(raw)
	for sc.Next() {
		switch t := sc.Token(); t.Kind {
		case xmlscan.Start:
			if err := o.start(ctx, sc, t); err != nil {
				return err
			}
		case xmlscan.End:
			o.end(t)
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	o.describe()
	o.item.Sum = inventory.SumOf(sum[:], o.item.Sum[:])
	o.item.Key = "object " + o.name
	o.item.At = reader.AnchorRange(o.from, o.to)
	d.thing(o.item)
	if o.chart == "" {
		return nil
	}
	settings, err := inventory.ChartSettings(ctx, o.pkg, o.chart, o.item.Key, o.name, false)
	for _, t := range settings {
		t.Of = d.name + " " + t.Of
		d.thing(t)
	}
	return err
}

// anchoredObject is the object of an anchor while the anchor is read.
type anchoredObject struct {
	pkg          *opc.Package
	rels         []opc.Relationship
	raw          []byte
	item         inventory.Item
	kind         string // its element
	name, alt    string
	text         string
	hidden       bool
	chart        string       // its part
	from, to, at cellref.Cell // at is the cell being read
}

// target is the part that a relationship of the drawing leads to.
func (o *anchoredObject) target(id string) string {
	for _, r := range o.rels {
		if r.ID == id && !r.External {
			return r.Target
		}
	}
	return ""
}

// content is the content of an element with text.
func (o *anchoredObject) content(sc *xmlscan.Scanner, t xmlscan.Token) []byte {
	return o.raw[t.End:max(t.End, sheetml.EndTagStart(o.raw, sc.Skip()))]
}

func (o *anchoredObject) end(t xmlscan.Token) {
	switch t.Local {
	case "from":
		o.from = o.at
	case "to":
		o.to = o.at
	}
}

func (o *anchoredObject) start(ctx context.Context, sc *xmlscan.Scanner, t xmlscan.Token) error {
	switch t.Local {
	case "Fallback":
		sc.Skip()
	case "from", "to", "col", "row":
		o.place(sc, t)
	case "cNvPr":
		if o.name == "" {
			o.name, o.alt = t.AttrLocal("name"), t.AttrLocal("descr")
			o.hidden = sheetml.IsTrue(t.AttrLocal("hidden"))
		}
	case "pic", "sp", "cxnSp", "grpSp", "graphicFrame", "contentPart":
		if o.kind == "" {
			o.kind = t.Local
		}
	case "t":
		if !t.Empty {
			o.text += sheetml.CharData(o.content(sc, t)) + " "
		}
	default:
		return o.payload(ctx, sc, t)
	}
	return nil
}

// place reads the cell of a corner.
func (o *anchoredObject) place(sc *xmlscan.Scanner, t xmlscan.Token) {
	switch {
	case t.Local == "from" || t.Local == "to":
		o.at = cellref.Cell{}
	case t.Depth != 3:
	case t.Local == "col":
		o.at.Col = 1 + sheetml.Atoi(sheetml.TrimSpace(o.content(sc, t)))
	case t.Local == "row":
		o.at.Row = 1 + sheetml.Atoi(sheetml.TrimSpace(o.content(sc, t)))
	}
}

// payload reads what the object shows: a picture, chart, diagram or slicer.
func (o *anchoredObject) payload(ctx context.Context, sc *xmlscan.Scanner, t xmlscan.Token) error {
	switch t.Local {
	case "blip":
		if o.kind != "pic" {
			return nil
		}
		p, err := inventory.PictureItem(ctx, o.pkg, o.target(blipID(t)))
		if err != nil {
			return err
		}
		o.item.Kind, o.item.Text, o.item.WarnRemoved, o.item.Parts = p.Kind, p.Text, p.WarnRemoved, p.Parts
	case "chart":
		o.chart = o.target(book.RelIDOf(sc, t))
		c, err := inventory.ChartItem(ctx, o.pkg, o.chart)
		if err != nil {
			return err
		}
		if o.item = c; c.Text == "" {
			o.item.Text, o.item.WarnAdded = "a chart that is missing from the file", "lost: the chart is missing from the file"
		}
	case "relIds":
		o.item.Kind, o.item.Text, o.item.WarnRemoved = formats.FactDiagram, "diagram", "lost: a diagram"
	case "slicer", "timeslicer":
		o.item.Kind, o.item.Text, o.item.WarnRemoved = formats.FactSlicer, "slicer "+t.AttrLocal("name"), "lost: slicer "+t.AttrLocal("name")
	}
	return nil
}

var shapeWords = map[string]string{"cxnSp": "line", "grpSp": "group of shapes", "contentPart": "ink"}

// describe words the object.
func (o *anchoredObject) describe() {
	it := &o.item
	if it.Kind == formats.FactShape {
		if it.Text = shapeWords[o.kind]; it.Text == "" {
			it.Text = "shape"
		}
		if text := strings.TrimSpace(o.text); text != "" {
			it.Text += " “" + book.Clip(text, 120) + "”"
		} else if o.name != "" {
			it.Text += " " + o.name
		}
	} else if o.alt != "" {
		it.Text += ", described “" + book.Clip(o.alt, 120) + "”"
	}
	if o.hidden {
		it.Text, it.WarnAdded = it.Text+", hidden", "hidden: "+it.Text
	}
}

// blipID is the r:embed of a picture.
func blipID(t xmlscan.Token) string { return t.AttrLocal("embed") }
