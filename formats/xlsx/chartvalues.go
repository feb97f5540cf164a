package xlsx

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
)

// typeChart is the content type of charts (21.2), which keep the values of the cells
// that they show.
const typeChart = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"

// What the values of charts may take to follow their cells.
const (
	maxChartCells = 200_000 // cells of all charts together
	maxChartRows  = 2_000_000
	maxChartPart  = 8 << 20 // bytes of a chart
)

// chartsFollow gives charts the values of their cells where an edit changed those, so
// that programs that show stored values show the new ones. A chart whose stored values
// are not all those of its cells, such as one over hidden rows, stays as it is.
func (e *edit) chartsFollow(ctx context.Context, orig formats.Source) error {
	pkg := e.pass.wb.Package
	charts := slices.ContainsFunc(pkg.Names(), func(part string) bool { return pkg.ContentType(part) == typeChart })
	made := slices.ContainsFunc(e.rep.Ops, func(o formats.OpReport) bool { return o.Op == "add_chart" || strings.HasPrefix(o.Op, "copy_sheet") })
	if !charts && !made {
		return nil
	}
	if err := e.spoolOut(ctx); err != nil {
		return err
	}
	now, err := open(ctx, e.src)
	if err != nil {
		return err
	}
	e.pass = &pass{wb: now, ed: now.Package.Edit(), rep: &formats.Report{}}
	c := &chartValues{now: newChartCells(now)}
	if orig != nil {
		was, err := open(ctx, orig)
		if err != nil {
			return err
		}
		c.was = newChartCells(was)
	}
	changed, kept := 0, 0
	for _, part := range now.Package.Names() {
		if now.Package.ContentType(part) != typeChart || now.Package.Size(part) > maxChartPart {
			continue
		}
		doc, edits, left, err := c.chart(ctx, part)
		if err != nil {
			return err
		}
		if kept += left; len(edits) > 0 {
			e.pass.ed.Set(part, xmlscan.Apply(doc, edits))
			changed++
		}
	}
	if changed > 0 {
		e.rep.Effects = append(e.rep.Effects, formats.Count(changed, "chart stores", "charts store")+" the new values of its cells")
	}
	if kept > 0 {
		e.rep.Warnings = appendNew(e.rep.Warnings, []string{formats.Count(kept, "series or label of charts keeps", "series or labels of charts keep") + " the values stored before, since they are not those of all its cells; spreadsheet programs read the cells"})
	}
	return nil
}

// StoreChartValues copies a workbook and gives charts, named by their parts, the present
// values of all their cells.
func StoreChartValues(ctx context.Context, src formats.Source, dst io.Writer, parts []string) error {
	wb, err := open(ctx, src)
	if err != nil {
		return err
	}
	ed, c := wb.Package.Edit(), &chartValues{now: newChartCells(wb)}
	for _, part := range parts {
		doc, edits, _, err := c.chart(ctx, part)
		if err != nil {
			return err
		}
		ed.Set(part, xmlscan.Apply(doc, edits))
	}
	return ed.Write(ctx, dst)
}

// chartValues compares the cells of charts before and after an edit.
type chartValues struct {
	was, now *chartCells // was is nil for a new workbook
}

// chart returns the changes of a chart, and how many of its references should change
// and do not.
func (c *chartValues) chart(ctx context.Context, part string) (doc []byte, edits []xmlscan.Splice, left int, err error) {
	if doc, err = c.now.wb.Package.ReadXML(ctx, part); err != nil {
		return nil, nil, 0, err
	}
	refs := chartRefs(doc)
	var before []chartRef
	if c.was != nil && c.was.wb.Package.ContentType(part) == typeChart {
		old, err := c.was.wb.Package.ReadXML(ctx, part)
		if err != nil {
			return nil, nil, 0, err
		}
		if before = chartRefs(old); len(before) != len(refs) {
			return doc, nil, 0, nil
		}
	}
	for i := range refs {
		now, size, err := c.now.values(ctx, &refs[i])
		if err != nil {
			return nil, nil, 0, err
		}
		if now == nil {
			continue
		}
		if before != nil {
			was, had, err := c.was.values(ctx, &before[i])
			if err != nil {
				return nil, nil, 0, err
			}
			if was == nil || had == size && slices.Equal(was, now) {
				continue
			}
			if before[i].count != had {
				left++
				continue
			}
		}
		edits = append(edits, refs[i].store(now, size)...)
	}
	return doc, edits, left, nil
}

// chartCells reads cells of a workbook as charts store them.
type chartCells struct {
	wb   *workbook
	read map[string][]chartPoint
	size int // cells that were read
	rows int // rows looked at for them
}

func newChartCells(wb *workbook) *chartCells {
	return &chartCells{wb: wb, read: map[string][]chartPoint{}}
}

// chartPoint is a cell that a chart stores.
type chartPoint struct {
	index int
	text  string
}

// values returns what a chart stores of the cells that it refers to, and how many cells
// these are; nil where they are not a block of one sheet, or are too many.
func (c *chartCells) values(ctx context.Context, r *chartRef) ([]chartPoint, int, error) {
	toks := formula.Lex(r.formula)
	if len(toks) != 1 || toks[0].Kind != formula.Ref || toks[0].Sheet == "" || toks[0].LastSheet != "" {
		return nil, 0, nil
	}
	i, area := c.wb.Find(toks[0].Sheet), toks[0].Range()
	if i < 0 || area.Empty() || !c.wb.Sheets[i].Worksheet() {
		return nil, 0, nil
	}
	size := (area.R2 - area.R1 + 1) * (area.C2 - area.C1 + 1)
	key := strconv.FormatBool(r.numeric) + r.formula
	if points, ok := c.read[key]; ok {
		return points, size, nil
	}
	c.size += size
	if c.rows += area.R2; c.size > maxChartCells || c.rows > maxChartRows {
		return nil, 0, nil
	}
	points, wide := []chartPoint{}, area.C2-area.C1+1
	err := c.wb.eachPlace(ctx, c.wb.Sheets[i].Part, area, func(at cellref.Cell, v cellView) error {
		if text := v.point(r.numeric); text != "" && !v.blank && v.kind != valFormula {
			points = append(points, chartPoint{(at.Row-area.R1)*wide + at.Col - area.C1, text})
		}
		return nil
	})
	c.read[key] = points
	return points, size, book.IgnoreNoCells(err)
}

// chartRef is a reference of a chart with the values that it stores (21.2.2.120,
// 21.2.2.201).
type chartRef struct {
	formula string
	numeric bool
	prefix  string        // of its elements, with ":"
	count   int           // number of points that it says it has, -1 for none
	counts  sheetml.Span  // the attribute's value
	points  []storedPoint // in the order of the file
	end     int           // offset of the end of the points
}

// storedPoint is an element pt with its value.
type storedPoint struct {
	index      int
	start, end int
	value      sheetml.Span // the content of v
	text       string
}

// chartRefs lists the references of a chart that store values.
func chartRefs(doc []byte) []chartRef {
	var out []chartRef
	var r *chartRef
	depth := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && (t.Local == "numRef" || t.Local == "strRef"):
			r, depth = &chartRef{numeric: t.Local == "numRef", count: -1}, t.Depth
			if t.Prefix != "" {
				r.prefix = t.Prefix + ":"
			}
		case r == nil:
		case t.Kind == xmlscan.End && t.Depth == depth:
			if r.count >= 0 && r.end > 0 {
				out = append(out, *r)
			}
			r = nil
		case t.Kind == xmlscan.End && t.Depth == depth+1 && strings.HasSuffix(t.Local, "Cache"):
			r.end = t.Start
		case t.Kind == xmlscan.Start && t.Depth == depth+1 && t.Local == "f":
			end := sc.Skip()
			r.formula = sheetml.CharData(doc[t.End:max(t.End, sheetml.EndTagStart(doc, end))])
		case t.Kind == xmlscan.Start && t.Depth == depth+2 && t.Local == "ptCount":
			r.readCount(t)
		case t.Kind == xmlscan.Start && t.Depth == depth+2 && t.Local == "pt":
			p := storedPoint{index: sheetml.Atoi([]byte(t.AttrLocal("idx"))), start: t.Start}
			p.read(sc, doc)
			r.points = append(r.points, p)
		case t.Kind == xmlscan.Start && t.Depth == depth+2 && t.Local == "extLst" && r.end == 0:
			r.end = t.Start
			sc.Skip()
		}
	}
	return out
}

// readCount reads the element ptCount.
func (r *chartRef) readCount(t xmlscan.Token) {
	for a := range t.Attrs() {
		if a.Name == "val" {
			r.count, r.counts = sheetml.Atoi([]byte(a.Value())), sheetml.Span{Start: a.ValStart, End: a.ValEnd}
		}
	}
}

// read reads the rest of an element pt.
func (p *storedPoint) read(sc *xmlscan.Scanner, doc []byte) {
	t := sc.Token()
	if p.end = t.End; t.Empty {
		return
	}
	for sc.Next() {
		switch in := sc.Token(); {
		case in.Kind == xmlscan.End && in.Depth == t.Depth:
			p.end = in.End
			return
		case in.Kind == xmlscan.Start && in.Local == "v" && !in.Empty:
			end := sc.Skip()
			p.value = sheetml.Span{Start: in.End, End: sheetml.EndTagStart(doc, end)}
			p.text = sheetml.CharData(doc[p.value.Start:p.value.End])
		}
	}
}

// store returns the changes with which the reference stores points; those that are
// equal stay as they are.
func (r *chartRef) store(points []chartPoint, size int) []xmlscan.Splice {
	var edits []xmlscan.Splice
	if size != r.count {
		edits = append(edits, xmlscan.Splice{Start: r.counts.Start, End: r.counts.End, New: []byte(strconv.Itoa(size))})
	}
	insert := func(at int, p chartPoint) {
		x := `<` + r.prefix + `pt idx="` + strconv.Itoa(p.index) + `"><` + r.prefix + `v>` + xmlscan.Escape(p.text) + `</` + r.prefix + `v></` + r.prefix + `pt>`
		edits = append(edits, xmlscan.Splice{Start: at, End: at, New: []byte(x)})
	}
	for _, s := range r.points {
		for len(points) > 0 && points[0].index < s.index {
			insert(s.start, points[0])
			points = points[1:]
		}
		switch {
		case len(points) == 0 || points[0].index > s.index:
			edits = append(edits, xmlscan.Splice{Start: s.start, End: s.end})
			continue
		case sameStored(points[0].text, s.text, r.numeric):
		case s.value.OK():
			edits = append(edits, xmlscan.Splice{Start: s.value.Start, End: s.value.End, New: []byte(xmlscan.Escape(points[0].text))})
		default:
			edits = append(edits, xmlscan.Splice{Start: s.start, End: s.end})
			insert(s.end, points[0])
		}
		points = points[1:]
	}
	for _, p := range points {
		insert(r.end, p)
	}
	return edits
}

// sameStored reports whether two stored values are the same.
func sameStored(a, b string, numeric bool) bool {
	if a == b || !numeric {
		return a == b
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}
