package tasks

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html"
)

// Checks of what a workbook shows and takes.

func init() {
	for name, c := range map[string]struct {
		least int
		text  string
		do    func(context.Context, *state, []string) error
	}{
		"coloured": {2, "coloured FILE SHEET!RANGE CELL …: of the range these cells (or ranges), and no others, have another background than most of it, as LibreOffice draws the sheet, with conditional formats; nothing of the sheet may be hidden", coloured},
		"valid":    {3, "valid FILE SHEET!RANGE PATTERN: each cell of the range has a validation \"TYPE OPERATOR VALUE VALUE2\" with the pattern; of a list \"list CHOICE,CHOICE\"", valid},
	} {
		Checks[name], least[name], doing[name] = c.text, c.least, c.do
	}
}

// drawnCell is a cell of a sheet that LibreOffice wrote as HTML.
type drawnCell struct{ text, colour string }

func coloured(ctx context.Context, s *state, a []string) error {
	b, err := s.calculated(ctx, a[0])
	if err != nil {
		return err
	}
	sheet, area, err := b.area(a[1])
	if err != nil {
		return err
	}
	drawn, err := s.drawn(ctx, a[0], b, sheet)
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, ref := range a[2:] {
		if err := b.each(sheet+"!"+ref, func(_, cell string) error { want[cell] = true; return nil }); err != nil {
			return err
		}
	}
	often := map[string]int{}
	for _, row := range area {
		for _, cell := range row {
			often[drawn[cell].colour]++
		}
	}
	base, most := "", 0
	for colour, n := range often {
		if n > most {
			base, most = colour, n
		}
	}
	var wrong []string
	for _, row := range area {
		for _, cell := range row {
			if has := drawn[cell].colour != base; has != want[cell] {
				wrong = append(wrong, fmt.Sprintf("%s (%s) has the background %q", cell, drawn[cell].text, drawn[cell].colour))
			}
			delete(want, cell)
		}
	}
	for cell := range want {
		wrong = append(wrong, cell+" is not in the range")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d cells are wrong, most have %q: %s", len(wrong), base, strings.Join(wrong[:min(len(wrong), 5)], ", "))
	}
	return nil
}

// drawn are the cells of a sheet as LibreOffice draws them. Its HTML begins with the
// first cell in use, so the first text of both tells where that is.
func (s *state) drawn(ctx context.Context, name string, b *book, sheet string) (map[string]drawnCell, error) {
	dir, err := os.MkdirTemp(s.scratch, "")
	if err != nil {
		return nil, err
	}
	out, err := s.office.Convert(ctx, filepath.Join(s.folder, filepath.FromSlash(name)), "html", dir)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	n, err := b.f.GetSheetIndex(sheet)
	if err != nil {
		return nil, err
	}
	grid, err := htmlTable(page, n)
	if err != nil {
		return nil, err
	}
	rows, err := b.f.GetRows(sheet)
	if err != nil {
		return nil, err
	}
	first := func(text func(r, c int) string, rows, columns int) (int, int) {
		for r := range rows {
			for c := range columns {
				if strings.TrimSpace(text(r, c)) != "" {
					return r, c
				}
			}
		}
		return 0, 0
	}
	r1, c1 := first(func(r, c int) string { return cellAt(rows, r, c) }, len(rows), 1000)
	r2, c2 := first(func(r, c int) string { return cellAt(grid, r, c).text }, len(grid), 1000)
	cells := map[string]drawnCell{}
	for r, row := range grid {
		for c, cell := range row {
			if at, err := excelize.CoordinatesToCellName(c+c1-c2+1, r+r1-r2+1); err == nil {
				cells[at] = cell
			}
		}
	}
	return cells, nil
}

func cellAt[T any](rows [][]T, r, c int) (t T) {
	if r < len(rows) && c < len(rows[r]) {
		return rows[r][c]
	}
	return t
}

// htmlTable reads the nth table of a page; a cell over several rows and columns is at
// each place that it covers.
func htmlTable(page []byte, n int) ([][]drawnCell, error) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var grid [][]drawnCell
	var text *drawnCell
	set := func(r, c int, cell drawnCell) {
		for len(grid) <= r {
			grid = append(grid, nil)
		}
		for len(grid[r]) <= c {
			grid[r] = append(grid[r], drawnCell{colour: "free"})
		}
		grid[r][c] = cell
	}
	table, row := -1, -1
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return nil, err
			}
			return nil, fmt.Errorf("LibreOffice drew %d tables", table+1)
		case html.TextToken:
			if text != nil {
				text.text += string(z.Text())
			}
		case html.EndTagToken:
			switch t := z.Token(); t.Data {
			case "td":
				text = nil
			case "table":
				if table == n {
					return grid, nil
				}
			}
		case html.StartTagToken:
			switch t := z.Token(); {
			case t.Data == "table":
				table++
			case table != n:
			case t.Data == "tr":
				row++
			case t.Data == "td":
				c := 0
				for cellAt(grid, row, c) != (drawnCell{}) && cellAt(grid, row, c).colour != "free" {
					c++
				}
				cell := drawnCell{colour: attribute(t, "bgcolor", "none")}
				down, _ := strconv.Atoi(attribute(t, "rowspan", "1"))
				across, _ := strconv.Atoi(attribute(t, "colspan", "1"))
				for r := range min(down, 1000) {
					for x := range min(across, 1000) {
						set(row+r, c+x, cell)
					}
				}
				text = &grid[row][c]
			}
		}
	}
}

func attribute(t html.Token, name, without string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return without
}

func valid(_ context.Context, s *state, a []string) error {
	b, err := s.book(a[0])
	if err != nil {
		return err
	}
	re, err := regexp.Compile(a[2])
	if err != nil {
		return err
	}
	rules := map[string]string{}
	sheet, _, err := b.area(a[1])
	if err != nil {
		return err
	}
	list, err := b.f.GetDataValidations(sheet)
	if err != nil {
		return err
	}
	for _, v := range list {
		rule, err := b.rule(sheet, v)
		if err != nil {
			return err
		}
		for ref := range strings.FieldsSeq(v.Sqref) {
			if err := b.each(sheet+"!"+ref, func(_, cell string) error { rules[cell] = rule; return nil }); err != nil {
				return err
			}
		}
	}
	return b.each(a[1], func(_, cell string) error {
		if rule := rules[cell]; !re.MatchString(rule) {
			return fmt.Errorf("the validation of %s is %q", cell, rule)
		}
		return nil
	})
}

// rule says in words what a validation allows; the choices of a list are read where
// they are.
func (b *book) rule(sheet string, v *excelize.DataValidation) (string, error) {
	one, two := bound(v.Formula1), bound(v.Formula2)
	if v.Type != "list" {
		operator := v.Operator
		if operator == "" {
			operator = "between" // ECMA-376 part 1, 18.3.1.32
		}
		return strings.Join(strings.Fields(v.Type+" "+operator+" "+one+" "+two), " "), nil
	}
	if list, err := strconv.Unquote(one); err == nil {
		return "list " + list, nil
	}
	ref := strings.ReplaceAll(one, "$", "")
	for _, n := range b.f.GetDefinedName() {
		if n.Name == ref {
			ref = strings.ReplaceAll(n.RefersTo, "$", "")
		}
	}
	if !strings.Contains(ref, "!") {
		ref = sheet + "!" + ref
	}
	var list []string
	err := b.each(ref, func(sheet, cell string) error {
		v, err := b.value(sheet, cell)
		list = append(list, v)
		return err
	})
	return "list " + strings.Join(list, ","), err
}

// bound is a bound of a validation; a number without the digits that binary fractions
// add.
func bound(s string) string {
	s = strings.TrimPrefix(s, "=")
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// rows are those of all sheets, as LibreOffice calculates them.
func (b *book) rows() (rows [][]string, err error) {
	for _, sheet := range b.f.GetSheetList() {
		list, err := b.f.GetRows(sheet, excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	return rows, nil
}

// sheetPart is the part of a sheet of a workbook.
func sheetPart(p map[string][]byte, name string) (string, error) {
	var wb struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := xml.Unmarshal(p["xl/workbook.xml"], &wb); err != nil {
		return "", err
	}
	var names []string
	for _, s := range wb.Sheets {
		if s.Name == name {
			return relationTarget(p, "xl/workbook.xml", s.ID)
		}
		names = append(names, s.Name)
	}
	return "", fmt.Errorf("there is no sheet %q, only %q", name, names)
}

// sheetCharts are the series of the charts of a sheet. What refers to cells is read
// from the workbook as LibreOffice calculates it.
func (s *state) sheetCharts(ctx context.Context, name, sheet string) (all []chartSeries, err error) {
	file, err := s.file(name)
	if err != nil {
		return nil, err
	}
	p, err := parts(file)
	if err != nil {
		return nil, err
	}
	b, err := s.calculated(ctx, name)
	if err != nil {
		return nil, err
	}
	part, err := sheetPart(p, sheet)
	if err != nil {
		return nil, err
	}
	rels, err := related(p, part)
	if err != nil {
		return nil, err
	}
	for drawing, kind := range rels {
		if kind != "drawing" {
			continue
		}
		inner, err := related(p, drawing)
		if err != nil {
			return nil, err
		}
		for target, kind := range inner {
			if kind != "chart" {
				continue
			}
			list, err := series(p[target])
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}
	for i := range all {
		if err := b.fill(&all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fill reads the cells that a series refers to.
func (b *book) fill(x *chartSeries) error {
	read := func(ref string) (list []string, err error) {
		err = b.each(strings.ReplaceAll(ref, "$", ""), func(sheet, cell string) error {
			v, err := b.value(sheet, cell)
			list = append(list, v)
			return err
		})
		return list, err
	}
	var errs []error
	if x.nameRef != "" {
		list, err := read(x.nameRef)
		x.name, errs = strings.Join(list, " "), append(errs, err)
	}
	if x.valuesRef != "" {
		list, err := read(x.valuesRef)
		x.values, errs = list, append(errs, err)
	}
	return errors.Join(errs...)
}

// relationTarget is the part that a relationship of another part leads to.
func relationTarget(p map[string][]byte, name, id string) (string, error) {
	var rels struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:",attr"`
		} `xml:"Relationship"`
	}
	if err := xml.Unmarshal(p[path.Join(path.Dir(name), "_rels", path.Base(name)+".rels")], &rels); err != nil {
		return "", err
	}
	for _, r := range rels.List {
		if r.ID == id {
			return partPath(name, r.Target), nil
		}
	}
	return "", fmt.Errorf("%s has no relationship %s", name, id)
}

// partPath is the part that a target in the relationships of another names.
func partPath(from, target string) string {
	if strings.HasPrefix(target, "/") {
		return target[1:]
	}
	return path.Join(path.Dir(from), target)
}
