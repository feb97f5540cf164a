package chartdata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/tree"
	"atelier/formats/xlsx"
	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
)

// chartSpaceSchema is the order of the children of c:chartSpace (21.2.2.29).
var chartSpaceSchema = element.NewSchema("date1904 lang roundedCorners style clrMapOvr pivotSource protection chart spPr txPr externalData printSettings userShapes extLst")

// cellBlock is where the data of a chart are in its workbook: labels in one
// column, the values of each series in another, with its name above.
type cellBlock struct {
	sheet  string
	labels int   // column of the labels, counted from 0; -1: none
	cols   []int // columns of the series
	first  int   // row of the first point, counted from 1
	n      int   // points
}

var cellRef = lazyregexp.New(`^(?:'((?:[^']|'')+)'|([^'!:\[\]]+))!\$?([A-Z]{1,3})\$?([1-9]\d{0,6})(?::\$?([A-Z]{1,3})\$?([1-9]\d{0,6}))?$`)

// columnRef reads a reference to cells of one column.
func columnRef(f string) (sheet string, col, first, last int, ok bool) {
	m := cellRef.FindStringSubmatch(strings.TrimSpace(f))
	if m == nil || m[5] != "" && m[5] != m[3] {
		return "", 0, 0, 0, false
	}
	sheet = strings.ReplaceAll(m[1], "''", "'") + m[2]
	for _, r := range m[3] {
		col = col*26 + int(r-'A') + 1
	}
	first, _ = strconv.Atoi(m[4])
	if last = first; m[6] != "" {
		last, _ = strconv.Atoi(m[6])
	}
	return sheet, col - 1, first, last, last >= first
}

// ref returns the reference to n cells of a column.
func (b *cellBlock) ref(col, first, n int) string {
	sheet := b.sheet
	if !plainSheet.MatchString(sheet) {
		sheet = "'" + strings.ReplaceAll(sheet, "'", "''") + "'"
	}
	c := columnName(col)
	if n == 1 {
		return fmt.Sprintf("%s!$%s$%d", sheet, c, first)
	}
	return fmt.Sprintf("%s!$%s$%d:$%s$%d", sheet, c, first, c, first+n-1)
}

var plainSheet = lazyregexp.New(`^[A-Za-z_][A-Za-z_]*\d?$`)

// formula returns the reference of a list of values (21.2.2.63).
func formula(t *tree.Tree, n *node) string {
	for k := range n.Kids() {
		if f := k.Child(nsC, "f"); f != nil {
			return t.Text(f)
		}
	}
	return ""
}

// block finds the cells of a chart; ok is false when they are laid out in
// another way.
func (o *openChart) block() (b cellBlock, ok bool) {
	b.labels = -1
	used := map[int]bool{}
	for i, s := range o.series {
		sheet, col, first, last, ok := columnRef(formula(o.t, s.val))
		if !ok || i > 0 && (sheet != b.sheet || first != b.first || last-first+1 != b.n) || used[col] || first < 2 || last-first >= maxPoints {
			return b, false
		}
		if name := formula(o.t, s.n.Child(nsC, "tx")); name != "" {
			nameSheet, nameCol, at, to, ok := columnRef(name)
			if !ok || nameSheet != sheet || nameCol != col || at != first-1 || to != at {
				return b, false
			}
		}
		b.sheet, b.first, b.n, used[col] = sheet, first, last-first+1, true
		b.cols = append(b.cols, col)
	}
	for i, s := range o.series {
		f := formula(o.t, s.cat)
		if f == "" && b.labels < 0 {
			continue
		}
		sheet, col, first, last, ok := columnRef(f)
		if !ok || sheet != b.sheet || first != b.first || last-first+1 != b.n || used[col] || i > 0 && col != b.labels {
			return b, false
		}
		b.labels = col
	}
	return b, true
}

// book returns the workbook that is embedded for the chart: its part, and the
// file that it is linked to instead; "" where there is none (21.2.2.63).
func (o *openChart) book() (part, link string) {
	ext := o.t.Root.Child(nsC, "externalData")
	for _, r := range o.rels {
		if ext == nil || r.ID != ext.RelValue("id") {
			continue
		}
		if r.External {
			return "", r.Target
		}
		return r.Target, ""
	}
	return "", ""
}

// writeBook puts the data into the workbook of the chart: into the cells
// where they are, or into a new sheet where these are laid out in another way or
// new ones would cover others. data gets the references.
func (o *openChart) writeBook(ctx context.Context, data *chartData) error {
	part, link := o.book()
	switch {
	case link != "":
		return formats.Errorf(formats.CodeUnsupported, "the data of the chart are in the linked file %s: change them there, or delete the chart and use add_chart", strconv.Quote(textclip.Head(link, 200)))
	case part == "" || !o.Package.Has(part):
		return o.newBook(ctx, data)
	}
	raw, err := o.Package.Read(ctx, part)
	if err != nil {
		return err
	}
	book := formats.FromBytes(path.Base(part), raw)
	old, ok := o.block()
	if ok {
		ok, err = data.fits(ctx, book, old)
	}
	var ops []json.RawMessage
	if err == nil && ok {
		ops, err = data.cellOps(old)
	} else if err == nil {
		ops, err = data.sheetOps(ctx, book)
		o.warn("the cells of the chart's data could not take the new data; they are in the new sheet %s of its workbook", quote(data.block.sheet))
	}
	if err != nil {
		return formats.Errorf(formats.CodeUnsupported, "the workbook of the chart cannot be changed: %w", err)
	}
	if len(ops) == 0 {
		return nil
	}
	var out bytes.Buffer
	rep, err := xlsx.Format().Editor.Apply(ctx, book, &out, ops, formats.ApplyOptions{})
	if err != nil {
		return formats.Errorf(formats.CodeUnsupported, "the workbook of the chart cannot be changed: %w", err)
	}
	for _, r := range rep.Ops {
		o.Cells += r.Cells
		for _, w := range r.Warnings {
			o.warn("workbook of the chart: %s", w)
		}
	}
	for _, w := range rep.Warnings {
		o.warn("workbook of the chart: %s", w)
	}
	o.Package.Set(part, out.Bytes())
	return nil
}

// newBook gives a chart without a workbook one.
func (o *openChart) newBook(ctx context.Context, data *chartData) error {
	data.fill()
	data.place(firstSheet)
	op, err := data.rangeOp()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if _, err := xlsx.Format().Editor.Apply(ctx, nil, &out, []json.RawMessage{op}, formats.ApplyOptions{}); err != nil {
		return err
	}
	dir := strings.ReplaceAll(o.Dir, "%", "%%")
	_, id, err := o.Package.AddPart(ctx, o.part, path.Join(dir, "embeddings", "Microsoft_Excel_Worksheet")+"%d.xlsx", nsR+"/package", bookType, out.Bytes())
	if err != nil {
		return err
	}
	root := o.t.Root
	doc := o.t.Doc
	if ext := root.Child(nsC, "externalData"); ext != nil {
		doc = append(append([]byte{}, doc[:ext.Start]...), doc[ext.After:]...)
	}
	xml := fmt.Sprintf(`<c:externalData xmlns:r="%s" r:id="%s"><c:autoUpdate val="0"/></c:externalData>`, uri(o.t, nsR), id)
	if root.Prefix != "c" {
		xml = strings.ReplaceAll(xml, "c:", strings.TrimPrefix(root.Prefix+":", ":"))
	}
	s, ok := element.Insert(doc, chartSpaceSchema, "externalData", xml)
	if !ok {
		return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged", o.part)
	}
	o.Package.Set(o.part, append(append(append([]byte{}, doc[:s.Start]...), s.New...), doc[s.End:]...))
	o.Cells += len(data.list) * data.n
	o.warn("the chart had no workbook with its data and got one")
	return nil
}
