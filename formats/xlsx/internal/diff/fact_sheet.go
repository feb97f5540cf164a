package diff

import (
	"bytes"
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

// sheetSide is one side of a sheet while its things are listed.
type sheetSide struct {
	in    *inventory.Inventory
	book  *bookSide
	info  book.SheetInfo
	name  string // as the new file calls it
	doc   []byte // the sheet without its rows, references as they would read now
	rels  []opc.Relationship
	canon inventory.Canonicalizer
	parts map[string]inventory.Sum // of trees below the sheet
	scan  *sheetScan
	lone  bool // the sheet is in one file only
}

// sheetPart is an element of a sheet beside its rows.
type sheetPart struct {
	local string
	tag   xmlscan.Token
	raw   []byte
}

func sections(doc []byte) ([]sheetPart, error) {
	var out []sheetPart
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind == xmlscan.Start && t.Depth == 2 {
			out = append(out, sheetPart{t.Local, t, doc[t.Start:max(t.End, sc.Skip())]})
		}
	}
	return out, sc.Err()
}

// sheetThings lists what a pair of sheets holds beside its cells. Elements that
// are the same bytes on both sides, and mean the same, are left out.
func (x *bookDiff) sheetThings(ctx context.Context, s *sheetDiff) error {
	a, b, err := x.sheetSides(ctx, s)
	if err != nil {
		return err
	}
	sameRels := a != nil && b != nil && x.sameTree(ctx, a, b)
	for _, side := range []*sheetSide{a, b} {
		if err := side.related(ctx, sameRels); err != nil {
			return err
		}
	}
	if s.same && sameRels {
		return nil
	}
	if s.same { // what its relationships lead to differs
		for _, side := range []*sheetSide{a, b} {
			if err := side.rescan(ctx); err != nil {
				return err
			}
		}
	}
	secA, err := a.split()
	if err != nil {
		return err
	}
	secB, err := b.split()
	if err != nil {
		return err
	}
	if a != nil && b != nil {
		secA, secB = unequal(secA, secB, sameRels && x.sameRest())
	}
	if err := a.sections(secA); err != nil {
		return err
	}
	if err := b.sections(secB); err != nil {
		return err
	}
	return x.merges(ctx, s, mergesOf(secA), mergesOf(secB))
}

// rescan reads the sheet.
func (d *sheetSide) rescan(ctx context.Context) error {
	scan, err := d.book.scan(ctx, d.info, nil)
	if err == nil {
		d.doc, d.scan = scan.skel.Doc, scan
	}
	return err
}

// sheetSides reads what the elements of a pair of sheets need; a side that has
// no such sheet is nil.
func (x *bookDiff) sheetSides(ctx context.Context, s *sheetDiff) (a, b *sheetSide, err error) {
	if s.sheetPair.a >= 0 {
		if a, err = x.newSheetSide(ctx, x.inA, x.a, x.a.Sheets[s.sheetPair.a], s, s.a); err != nil {
			return nil, nil, err
		}
	}
	if s.sheetPair.b >= 0 {
		b, err = x.newSheetSide(ctx, x.inB, x.b, x.b.Sheets[s.sheetPair.b], s, s.b)
	}
	return a, b, err
}

// related tells what hangs on the sheet by relationships, unless told is set.
func (d *sheetSide) related(ctx context.Context, told bool) error {
	if d == nil {
		return nil
	}
	if d.info.Kind != "macrosheet" {
		d.in.Cover(d.info.Part)
	}
	if told {
		return nil
	}
	return d.objects(ctx)
}

// split returns the elements around the rows of the sheet; a nil side has none.
func (d *sheetSide) split() ([]sheetPart, error) {
	if d == nil {
		return nil, nil
	}
	parts, err := sections(d.doc)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", d.info.Part, err)
	}
	return parts, nil
}

// newSheetSide reads what the sheet's elements need.
func (x *bookDiff) newSheetSide(ctx context.Context, in *inventory.Inventory, w *bookSide, info book.SheetInfo, s *sheetDiff, sc *sheetScan) (*sheetSide, error) {
	d := &sheetSide{in: in, book: w, info: info, name: s.name, scan: sc, doc: sc.skel.Doc, parts: map[string]inventory.Sum{}, lone: s.sheetPair.a < 0 || s.sheetPair.b < 0}
	if info.Part == "" {
		return d, nil
	}
	var err error
	if d.rels, err = in.Package().Rels(ctx, info.Part); err != nil {
		return nil, err
	}
	if in == x.inA && len(d.doc) > 0 {
		if d.doc, err = x.follows.Sheet(x.followers, d.doc, s.name); err != nil {
			return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", info.Part, err)
		}
	}
	d.canon = inventory.Canonicalizer{Rels: d.rels, Target: func(part string) inventory.Sum {
		sum, known := d.parts[part]
		if !known {
			sum, _, _ = inventory.TreeSum(ctx, in.Package(), part, d.stops(part))
			d.parts[part] = sum
		}
		return sum
	}, IgnoreAttr: func(e xmlscan.Token, attr string) bool {
		return attr == "uid" || attr == "dxfId" || attr == "priority" && e.Local == "cfRule"
	}}
	return d, nil
}

// stops keeps a tree below one part from reaching other sheets.
func (d *sheetSide) stops(root string) func(string) bool {
	return func(part string) bool { return d.book.isSheet(part) && !strings.EqualFold(part, root) }
}

func (w *bookSide) isSheet(part string) bool {
	if strings.EqualFold(part, w.Main) {
		return true
	}
	for _, s := range w.Sheets {
		if strings.EqualFold(s.Part, part) {
			return true
		}
	}
	return false
}

// sameTree reports whether all that two sheets lead to is stored as the same
// bytes; then it counts as told.
func (x *bookDiff) sameTree(ctx context.Context, a, b *sheetSide) bool {
	if len(x.followers) > 0 || !strings.EqualFold(a.info.Part, b.info.Part) {
		return false
	}
	seen := map[string]bool{}
	queue := []string{b.info.Part}
	for len(queue) > 0 {
		part := queue[0]
		queue = queue[1:]
		relsName := opc.RelsName(part)
		if !x.samePart(relsName) {
			return false
		}
		rels, err := x.b.Package.Rels(ctx, part)
		if err != nil {
			return false
		}
		for _, r := range rels {
			if r.External || seen[r.Target] || x.b.isSheet(r.Target) {
				continue
			}
			seen[r.Target] = true
			if !x.samePart(r.Target) {
				return false
			}
			queue = append(queue, r.Target)
		}
	}
	for part := range seen {
		x.inB.Cover(part)
	}
	return true
}

// samePart reports whether both packages lack a part or store the same bytes.
func (x *bookDiff) samePart(name string) bool {
	a, b := x.a.Package, x.b.Package
	if !a.Has(name) || !b.Has(name) {
		return a.Has(name) == b.Has(name)
	}
	return a.SamePart(name, b, name)
}

// unequal leaves out the elements that are the same bytes on both sides.
func unequal(a, b []sheetPart, sure bool) ([]sheetPart, []sheetPart) {
	text := func(list []sheetPart) map[string][]byte {
		m := map[string][]byte{}
		for _, s := range list {
			m[s.local] = append(m[s.local], s.raw...)
		}
		return m
	}
	if !sure {
		return a, b
	}
	x, y := text(a), text(b)
	same := map[string]bool{}
	for local := range x {
		same[local] = bytes.Equal(x[local], y[local])
	}
	cut := func(list []sheetPart) []sheetPart {
		var out []sheetPart
		for _, s := range list {
			if !same[s.local] {
				out = append(out, s)
			}
		}
		return out
	}
	return cut(a), cut(b)
}

// thing adds one with its place in this sheet.
func (d *sheetSide) thing(t inventory.Item) {
	if t.Key == "" {
		t.Key = t.At
	}
	t.Key = d.name + " " + t.Key
	if t.At == "" {
		t.At = d.name
	} else {
		t.At = d.name + "!" + t.At
	}
	d.in.Add(t)
}

// sum is the Sum of an element of the sheet.
func (d *sheetSide) sum(raw []byte) (inventory.Sum, error) { return d.canon.Fragment(d.doc, raw) }

// sections lists the things of elements.
func (d *sheetSide) sections(list []sheetPart) error {
	left := map[string]inventory.Sum{}
	for _, s := range list {
		err := d.part(s)
		if err == errUntold {
			left[s.local], err = d.sum(s.raw)
		}
		if err != nil {
			return formats.Errorf(formats.CodeCorrupt, "%s: %w", d.info.Part, err)
		}
	}
	if len(left) > 0 && !d.lone {
		d.in.Leftover(d.info.Part, "sheet "+d.name, left)
	}
	return nil
}

var errUntold = formats.Errorf(formats.CodeUnsupported, "an element that is not told")

func (d *sheetSide) part(s sheetPart) error {
	switch s.local {
	case "dimension", "sheetData", "cols", "mergeCells", "drawing", "legacyDrawing", "tableParts":
		return nil // derived, or told by rows, columns, merges and objects
	case "conditionalFormatting":
		return d.conditional(s.raw)
	case "dataValidations":
		return d.validations(s.raw)
	case "hyperlinks":
		return d.links(s.raw)
	case "autoFilter":
		return d.filter(s.raw)
	case "extLst":
		return d.extensions(s.raw)
	case "oleObjects", "controls":
		return d.embedded(s)
	case "legacyDrawingHF", "drawingHF", "picture":
		return d.plain(s, formats.FactPicture, map[string]string{"picture": "background picture", "legacyDrawingHF": "picture in header or footer", "drawingHF": "picture in header or footer"}[s.local], "lost: a picture of the page")
	case "sheetProtection":
		return d.protection(s)
	case "protectedRanges":
		return d.children(s.raw, func(t xmlscan.Token, raw []byte) error {
			return d.element(raw, inventory.Item{Kind: formats.FactProtection, Key: "range " + t.AttrLocal("name"), At: t.AttrLocal("sqref"), Text: "may be edited while the sheet is protected: “" + t.AttrLocal("name") + "”", WarnAdded: "may be edited although the sheet is protected"})
		})
	}
	if d.lone {
		return nil // how a sheet that came or went is set up is part of that
	}
	switch s.local {
	case "sheetViews":
		return d.views(s.raw)
	case "sheetPr":
		return d.settings(s)
	case "sheetFormatPr":
		return d.defaults(s)
	case "printOptions", "pageMargins", "pageSetup":
		return d.page(s)
	case "headerFooter":
		return d.headers(s.raw)
	case "rowBreaks", "colBreaks":
		return d.breaks(s)
	case "ignoredErrors":
		return d.plain(s, formats.FactView, "marks of errors that are not shown", "")
	case "sortState":
		return d.plain(s, formats.FactFilter, "sorted over "+s.tag.AttrLocal("ref"), "")
	case "phoneticPr":
		return d.plain(s, formats.FactFormat, "reading aids (phonetics)", "")
	}
	return errUntold
}

// plain tells an element in one word.
func (d *sheetSide) plain(s sheetPart, kind, word, lost string) error {
	return d.element(s.raw, inventory.Item{Kind: kind, Key: s.local, Text: word, WarnRemoved: lost})
}

// element adds the thing with the Sum of the element.
func (d *sheetSide) element(raw []byte, t inventory.Item) error {
	sum, err := d.sum(raw)
	if err != nil {
		return err
	}
	t.Sum = inventory.SumOf(sum[:], t.Sum[:])
	d.thing(t)
	return nil
}

// children calls f with each child of an element.
func (d *sheetSide) children(raw []byte, f func(t xmlscan.Token, raw []byte) error) error {
	return sheetml.EachChild(raw, f)
}
