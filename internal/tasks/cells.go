package tasks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// book is a workbook as excelize reads it.
type book struct{ f *excelize.File }

func openBook(b []byte) (*book, error) {
	f, err := excelize.OpenReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return &book{f}, nil
}

// book is a workbook of the result.
func (s *state) book(name string) (*book, error) {
	if bk := s.books[name]; bk != nil {
		return bk, nil
	}
	b, err := s.file(name)
	if err != nil {
		return nil, err
	}
	bk, err := openBook(b)
	if err == nil {
		if s.books == nil {
			s.books = map[string]*book{}
		}
		s.books[name] = bk
	}
	return bk, err
}

// calculated is the workbook with the values that LibreOffice gives its formulas.
func (s *state) calculated(ctx context.Context, name string) (*book, error) {
	key := "calculated " + name
	if bk := s.books[key]; bk != nil {
		return bk, nil
	}
	if _, err := s.book(name); err != nil {
		return nil, err
	}
	if s.office == nil {
		return nil, fmt.Errorf("%w: LibreOffice is not installed", errNeeds)
	}
	dir, err := os.MkdirTemp(s.scratch, "")
	if err != nil {
		return nil, err
	}
	out, err := s.office.Convert(ctx, filepath.Join(s.folder, filepath.FromSlash(name)), "xlsx", dir)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	bk, err := openBook(b)
	if err != nil {
		return nil, err
	}
	s.books[key] = bk
	return bk, nil
}

func (b *book) text() (string, error) {
	var sb strings.Builder
	for _, sheet := range b.f.GetSheetList() {
		rows, err := b.f.GetRows(sheet)
		if err != nil {
			return "", err
		}
		for _, r := range rows {
			sb.WriteString(strings.Join(r, "\t") + "\n")
		}
	}
	return sb.String(), nil
}

// area is a range of a sheet: Sheet!A1:B2, 'My sheet'!A1.
func (b *book) area(ref string) (sheet string, cells [][]string, err error) {
	at := strings.LastIndexByte(ref, '!')
	if at < 0 {
		return "", nil, fmt.Errorf("%q is not SHEET!RANGE", ref)
	}
	sheet = strings.Trim(ref[:at], "'")
	if i, err := b.f.GetSheetIndex(sheet); err != nil || i < 0 {
		return "", nil, fmt.Errorf("there is no sheet %q, only %q", sheet, b.f.GetSheetList())
	}
	from, to, ok := strings.Cut(ref[at+1:], ":")
	if !ok {
		to = from
	}
	c1, r1, err := excelize.CellNameToCoordinates(from)
	c2, r2, err2 := excelize.CellNameToCoordinates(to)
	if err = errors.Join(err, err2); err != nil {
		return "", nil, err
	}
	for r := r1; r <= r2; r++ {
		var row []string
		for c := c1; c <= c2; c++ {
			name, err := excelize.CoordinatesToCellName(c, r)
			if err != nil {
				return "", nil, err
			}
			row = append(row, name)
		}
		cells = append(cells, row)
	}
	return sheet, cells, nil
}

// each calls do for the cells of a range, row by row.
func (b *book) each(ref string, do func(sheet, cell string) error) error {
	sheet, cells, err := b.area(ref)
	if err != nil {
		return err
	}
	for _, row := range cells {
		for _, cell := range row {
			if err := do(sheet, cell); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *book) value(sheet, cell string) (string, error) {
	return b.f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
}

func cells(ctx context.Context, s *state, a []string) error {
	b, err := s.calculated(ctx, a[0])
	if err != nil {
		return err
	}
	want := a[2:]
	err = b.each(a[1], func(sheet, cell string) error {
		if len(want) == 0 {
			return errors.New("there are fewer values than cells")
		}
		got, err := b.value(sheet, cell)
		if err != nil {
			return err
		}
		if !sameValue(got, want[0]) {
			return fmt.Errorf("%s is %q, not %q", cell, got, want[0])
		}
		want = want[1:]
		return nil
	})
	if err == nil && len(want) > 0 {
		err = errors.New("there are more values than cells")
	}
	return err
}

func sameValue(got, want string) bool {
	if want == "*" || got == want {
		return true
	}
	x, err := strconv.ParseFloat(got, 64)
	y, err2 := strconv.ParseFloat(want, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(y))
}

func formula(_ context.Context, s *state, a []string) error {
	b, err := s.book(a[0])
	if err != nil {
		return err
	}
	return b.each(a[1], func(sheet, cell string) error {
		f, err := b.f.GetCellFormula(sheet, cell)
		if err != nil {
			return err
		}
		return matches(cell, f, a[2])
	})
}

func untouched(_ context.Context, s *state, a []string) error {
	now, err := s.book(a[0])
	if err != nil {
		return err
	}
	old, err := openBook(s.before[a[0]])
	if err != nil {
		return err
	}
	for _, ref := range a[1:] {
		err := old.each(ref, func(sheet, cell string) error {
			f, err := old.f.GetCellFormula(sheet, cell)
			g, err2 := now.f.GetCellFormula(sheet, cell)
			if err = errors.Join(err, err2); err == nil && f != g {
				return fmt.Errorf("the formula of %s was %q and is %q", cell, f, g)
			}
			v, err := old.value(sheet, cell)
			w, err2 := now.value(sheet, cell)
			if err = errors.Join(err, err2); err == nil && f == "" && v != w {
				return fmt.Errorf("%s was %q and is %q", cell, v, w)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func sheets(_ context.Context, s *state, a []string) error {
	b, err := s.book(a[0])
	if err != nil {
		return err
	}
	if got := b.f.GetSheetList(); !slices.Equal(got, a[1:]) {
		return fmt.Errorf("they are %q", got)
	}
	return nil
}

func (s *state) pdf(ctx context.Context, name string) (string, error) {
	if s.office == nil {
		return "", fmt.Errorf("%w: LibreOffice is not installed", errNeeds)
	}
	if _, err := s.file(name); err != nil {
		return "", err
	}
	host := filepath.Join(s.folder, filepath.FromSlash(name))
	if path.Ext(name) == ".pdf" {
		return host, nil
	}
	if p := s.pdfs[name]; p != "" {
		return p, nil
	}
	dir, err := os.MkdirTemp(s.scratch, "")
	if err != nil {
		return "", err
	}
	out, err := s.office.Convert(ctx, host, "pdf", dir)
	if err == nil {
		if s.pdfs == nil {
			s.pdfs = map[string]string{}
		}
		s.pdfs[name] = out
	}
	return out, err
}

func opens(ctx context.Context, s *state, a []string) error {
	p, err := s.pdf(ctx, a[0])
	if err != nil || len(a) == 1 {
		return err
	}
	n, err := s.office.Pages(ctx, p)
	if err == nil && strconv.Itoa(n) != a[1] {
		err = fmt.Errorf("it has %d pages", n)
	}
	return err
}

func look(ctx context.Context, s *state, a []string) error {
	p, err := s.pdf(ctx, a[0])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	text, err := s.office.PageText(ctx, p, n)
	if err != nil {
		return err
	}
	return matches("the page", text, a[2])
}
