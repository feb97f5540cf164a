package xlsx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// utf16Sheet is a sheet in UTF-16, which is in memory as a whole before its rows
// are read: only the pass over the rows can look at the context.
func utf16Sheet(rows int) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, `<?xml version="1.0" encoding="UTF-16"?><worksheet xmlns="%s"><sheetData>`, sheetml.Namespace)
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="inlineStr"><is><t>Name %d</t></is></c><c r="B%d"><v>%d</v></c><c r="C%d"><f>B%d*2</f></c></row>`, r, r, r, r, r, r, r)
	}
	sb.WriteString(`</sheetData></worksheet>`)
	out := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(sb.String())) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}

// A context that ends in the middle of a pass over rows ends the pass soon,
// whatever the pass is for.
func TestCancelledPassesEndSoon(t *testing.T) {
	const count = 6000
	file := raw(t, map[string]string{sheet1: utf16Sheet(count)}, "")
	other := raw(t, map[string]string{sheet1: strings.Replace(utf16Sheet(count), "N\x00a\x00m\x00e\x00 \x007\x00", "N\x00a\x00m\x00e\x00 \x008\x00", 1)}, "")
	edit := func(op string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := Format().Editor.Apply(ctx, src(file), io.Discard, []json.RawMessage{json.RawMessage(op)}, formats.ApplyOptions{})
			return err
		}
	}
	pass := func(read func(ctx context.Context, wb *workbook) error) func(context.Context) error {
		return func(ctx context.Context) error {
			wb, err := open(context.Background(), src(file))
			require.NoError(t, err)
			return read(ctx, wb)
		}
	}
	for name, run := range map[string]func(context.Context) error{
		"read": func(ctx context.Context) error {
			_, err := Format().Reader.Read(ctx, src(file), formats.Selector{Range: "A5990:C6000"})
			return err
		},
		"estimates": func(ctx context.Context) error {
			_, err := Format().Reader.Read(ctx, src(file), formats.Selector{Range: "A1:C1", Include: []string{formats.IncludeEstimates}})
			return err
		},
		"map": func(ctx context.Context) error {
			reader.MapCache.Clear()
			_, err := Format().Mapper.Map(ctx, src(file), formats.MapOptions{})
			return err
		},
		"segments": func(ctx context.Context) error {
			_, err := Format().Segmenter.Segments(ctx, src(file), formats.SegmentOptions{})
			return err
		},
		"comparison": func(ctx context.Context) error {
			_, err := Format().Differ.Diff(ctx, src(file), src(other), formats.DiffOptions{})
			return err
		},
		"typed rows": func(ctx context.Context) error {
			r, err := reader.Rows(ctx, src(file), "", "")
			if err != nil {
				return err
			}
			defer r.Close()
			for err == nil {
				_, err = r.Next()
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		},
		"filled cells": func(ctx context.Context) error {
			return reader.Filled(ctx, src(file), "", func(int, int) error { return nil })
		},
		"cells of an area": pass(func(ctx context.Context, wb *workbook) error {
			return wb.eachCell(ctx, sheet1, cellref.WholeSheet, func(cellref.Cell, cellView) error { return nil })
		}),
		"formulas": pass(func(ctx context.Context, wb *workbook) error {
			return wb.EachFormula(ctx, wb.Sheets[0], func(book.FormulaCell) error { return nil })
		}),
		"facts before an edit": pass(func(ctx context.Context, wb *workbook) error {
			_, err := scanSheet(ctx, wb.Package, wb.Sheets[0], scanOptions{})
			return err
		}),
		"table of a sheet": func(ctx context.Context) error {
			_, err := PickTable(ctx, src(file), "")
			return err
		},
		"copy for LibreOffice": pass(func(ctx context.Context, wb *workbook) error {
			return withoutCalculated(ctx, wb.Package, sheet1, io.Discard)
		}),
		"results of LibreOffice": pass(func(ctx context.Context, wb *workbook) error {
			return writeResults(ctx, wb.Package, sheet1, func(cellref.Cell) *blockCell { return nil }, io.Discard)
		}),
		"set_cells": edit(`{"op":"set_cells","sheet":"S1","cells":[{"cell":"A3000","value":"new"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			whole := xlsxtest.NewCounted(1 << 40)
			require.NoError(t, run(whole))
			asked := whole.Asked()
			if name != "comparison" { // which derives contexts: their questions are not counted
				require.Greater(t, asked, int64(count*3/256), "the pass hardly looks at its context")
			}
			half := xlsxtest.NewCounted(asked / 2)
			require.ErrorIs(t, run(half), context.Canceled)
			require.LessOrEqual(t, half.Asked(), asked/2+8, "the pass continued after its context ended")
		})
	}
}
