package xlsx

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"atelier/formats"
	"atelier/formats/libreoffice"
	"atelier/formats/opc"
	"atelier/formats/xmlscan"
)

func init() { structurals["recalculate"] = recalculate }

// recalcLimit bounds the workbook that LibreOffice is given, in bytes.
const recalcLimit = 64 << 20

// recalculate lets LibreOffice, where it is installed, calculate a throw-away
// copy, and takes the results into the cached values of the formulas. Nothing
// else of the file changes.
func recalculate(ctx context.Context, e *structure, _ Operation) error {
	if !libreoffice.Installed() {
		return formats.Errorf(formats.CodeUnsupported, "LibreOffice is not installed, so formulas cannot be calculated here; Excel and LibreOffice calculate them when they open the file")
	}
	if e.wb.pkg.Source().Size() > recalcLimit {
		return formats.Errorf(formats.CodeTooLarge, "the workbook is too large to calculate here; Excel calculates it when it opens the file")
	}
	g := &following{structure: e, sheet: -1, fo: &follower{}}
	if err := g.look(ctx); err != nil {
		return err
	}
	wanted, any, err := g.formulaCells()
	if err != nil || !any {
		return err
	}
	dir, err := os.MkdirTemp("", "atelier-calc-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := g.uncached(ctx, filepath.Join(dir, "book.xlsx")); err != nil {
		return err
	}
	calculated, err := libreoffice.Convert(ctx, filepath.Join(dir, "book.xlsx"), "xlsx", dir)
	if err != nil {
		return err
	}
	src, err := formats.OpenFile(calculated)
	if err != nil {
		return err
	}
	defer src.Close()
	done, err := open(ctx, src)
	if err != nil {
		return err
	}
	strs, err := done.strings(ctx)
	if err != nil {
		return err
	}
	for i, fa := range g.facts {
		k := done.find(e.wb.sheets[i].name)
		if fa == nil || wanted[i].empty() || k < 0 || !done.sheets[k].worksheet() {
			continue
		}
		results, err := readResults(ctx, done, done.sheets[k].part, wanted[i], strs)
		if err != nil {
			return err
		}
		if err := e.takeResults(ctx, e.wb.sheets[i].part, results); err != nil {
			return err
		}
	}
	if e.rep.Cells == 0 {
		e.warn("all values were up to date")
	}
	return nil
}

// formulaCells are the cells with formulas, of each sheet.
func (g *following) formulaCells() ([]*cellSet, bool, error) {
	out := make([]*cellSet, len(g.facts))
	any := false
	for i, fa := range g.facts {
		out[i] = &cellSet{}
		if fa == nil {
			continue
		}
		if fa.many {
			return nil, false, formats.Errorf(formats.CodeTooLarge, "the workbook has more than %d formulas; Excel calculates them when it opens the file", maxFormulas)
		}
		for _, fc := range fa.formulas {
			any = true
			out[i].add(fc.row, fc.col)
		}
	}
	if !any {
		g.warn("the workbook has no formulas")
	}
	return out, any, nil
}

// uncached writes the workbook without cached values to path, so that every
// formula in it is calculated.
func (g *following) uncached(ctx context.Context, path string) error {
	pkg := g.wb.pkg
	ed := pkg.Edit()
	ed.Fast()
	for i, fa := range g.facts {
		if fa == nil || !fa.hasF {
			continue
		}
		e := &sheetEdit{part: g.wb.sheets[i].part, exists: map[ref]bool{}, rowExists: map[int]bool{}, selfData: fa.selfData, allStale: true}
		e.head, e.tail = fa.skel.split(nil)
		ed.SetStream(e.part, func(w io.Writer) error { return spliceSheet(ctx, pkg, e, w) })
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(ed.Write(ctx, f), f.Close())
}

// readResults takes the values of the wanted cells.
func readResults(ctx context.Context, wb *workbook, part string, wanted *cellSet, strs *sharedStrings) (map[ref]*blockCell, error) {
	s, rc, err := openRows(ctx, wb.pkg, part)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	if _, err := s.head(); err != nil {
		return nil, err
	}
	out := map[ref]*blockCell{}
	b := &block{facts: &facts{}}
	for {
		ev, err := s.next()
		if err != nil {
			return nil, err
		}
		if ev == evEnd {
			return out, nil
		}
		if ev != evCell || !wanted.has(s.cell.row, s.cell.col) {
			continue
		}
		c := b.take(s)
		switch {
		case c.typ == typeShared:
			c.v, c.typ = xmlscan.Escape(strs.text(atoi(trimSpace([]byte(c.v))))), typeString
		case c.is != "":
			c.v, c.typ = xmlscan.Escape(richText([]byte(c.is))), typeString
		}
		out[ref{s.cell.row, s.cell.col}] = c
	}
}

// takeResults writes results into the cached values of a sheet that differ.
func (e *structure) takeResults(ctx context.Context, part string, results map[ref]*blockCell) error {
	s, rc, err := openRows(ctx, e.wb.pkg, part)
	if err != nil {
		return err
	}
	defer rc.Close()
	// First only to count: a sheet that is up to date stays as it is.
	head, err := s.head()
	if err != nil {
		return err
	}
	n := 0
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		if ev == evEnd {
			break
		}
		if ev == evCell && e.result(s, results) != nil {
			n++
		}
	}
	if e.rep.Cells += n; n == 0 {
		return nil
	}
	pkg := e.wb.pkg
	e.ed.SetStream(part, func(dst io.Writer) error { return writeResults(ctx, pkg, part, head, e, results, dst) })
	return nil
}

func writeResults(ctx context.Context, pkg *opc.Package, part string, head []byte, e *structure, results map[ref]*blockCell, dst io.Writer) error {
	s, rc, err := openRows(ctx, pkg, part)
	if err != nil {
		return err
	}
	defer rc.Close()
	if _, err := s.head(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(dst, 64<<10)
	w.Write(head)
	for {
		ev, err := s.next()
		if err != nil {
			return err
		}
		raw := s.raw()
		if ev == evCell {
			if cuts := e.result(s, results); cuts != nil {
				raw = xmlscan.Apply(raw, cuts)
			}
		}
		w.Write(raw)
		if ev == evEnd {
			tail, err := s.tail()
			if err != nil {
				return err
			}
			w.Write(tail)
			return w.Flush()
		}
	}
}

// result gives the changes that put the new value into the current cell, nil
// when it has that value. An error that only LibreOffice sees, such as a
// function it does not know, is not taken over.
func (e *structure) result(s *rowScanner, results map[ref]*blockCell) []xmlscan.Splice {
	c := &s.cell
	now := results[ref{c.row, c.col}]
	if now == nil || !c.hasF {
		return nil
	}
	old := ""
	if c.v.ok() {
		old = string(s.text(c.v))
	}
	if now.typ == typeError && c.typ != typeError {
		e.warn("LibreOffice gives %s for %s; it was left as it is", charData([]byte(now.v)), cellName(c.row, c.col))
		return nil
	}
	if now.typ == c.typ && sameValue(c.typ, old, now.v) {
		return nil
	}
	typ := ""
	if t := typeNames[now.typ]; t != "" {
		typ = ` t="` + t + `"`
	}
	v := "<" + s.prefix + "v>" + now.v + "</" + s.prefix + "v>"
	cuts := []xmlscan.Splice{{Start: c.vElem.start, End: c.vElem.end, New: []byte(v)}}
	if !c.vElem.ok() {
		cuts[0].Start, cuts[0].End = c.fElem.end, c.fElem.end
	}
	if c.typAttr.ok() {
		return append(cuts, xmlscan.Splice{Start: c.typAttr.start, End: c.typAttr.end, New: []byte(typ)})
	}
	return append(cuts, xmlscan.Splice{Start: c.tagEnd - 1, End: c.tagEnd - 1, New: []byte(typ)})
}

// sameValue compares numbers as far as both programs keep their digits.
func sameValue(typ cellType, a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return typ == typeNumber && errX == nil && errY == nil && math.Abs(x-y) <= 1e-12*max(math.Abs(x), math.Abs(y)) || charData([]byte(a)) == charData([]byte(b))
}
