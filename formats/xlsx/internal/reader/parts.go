package reader

import (
	"context"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// Parts implements formats.Parter: each sheet, its rows one line each as a read
// gives them. A sheet longer than one read is several parts of its name.
func (Reader) Parts(ctx context.Context, src formats.Source, emit func(formats.Part) error) error {
	wb, err := openReading(ctx, src)
	if err != nil {
		return err
	}
	for _, s := range wb.Sheets {
		if err := wb.sheetParts(ctx, s, emit); err != nil {
			return book.Typed(err, src.Name())
		}
	}
	return nil
}

func (wb reading) sheetParts(ctx context.Context, s book.SheetInfo, emit func(formats.Part) error) error {
	for block := cellref.WholeSheet; ; {
		mixed := map[int]bool{}
		text, cutAt, err := wb.blockText(ctx, chosen{sheet: s, block: block, ranged: true}, mixed)
		if err != nil {
			return err
		}
		next := cutAt
		if cutAt > block.R1 {
			text = withoutRow(text, cutAt) // it may be there in part and is read again
		} else {
			next = cutAt + 1 // a row longer than a read
		}
		if err := emit(formats.Part{Kind: "sheet", Name: s.Name, Text: text, At: lineAddresses(text, mixed)}); err != nil || cutAt == 0 {
			return err
		}
		block.R1 = next
	}
}

// blockText reads a block; cutAt is the row in which the read ended early, 0
// when it did not. mixed gets the rows whose cells RowCells could not tell apart.
func (wb reading) blockText(ctx context.Context, k chosen, mixed map[int]bool) (text string, cutAt int, err error) {
	picks := []chosen{k}
	d, err := wb.readDisplay(ctx, picks)
	if err != nil {
		return "", 0, err
	}
	var sb strings.Builder
	err = wb.eachPage(ctx, d, picks, func(p *page) { p.pageOptions, p.sb = pageOptions{comments: true, mixed: mixed}, &sb }, func(p *page) {
		if p.cutBytes {
			cutAt = p.shownEnd
		}
	})
	text = sb.String()
	if cutAt > 0 {
		cutAt = max(cutAt, k.block.R1)
		text, _, _ = strings.Cut(text, "\n... (truncated at row ")
	}
	return text, cutAt, err
}

// withoutRow drops the last line when it is that row's.
func withoutRow(text string, row int) string {
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return text
	}
	name, _, ok := strings.Cut(text[i+1:], ": ")
	if ok && strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strconv.Itoa(row) {
		return text[:i]
	}
	return text
}

var _ formats.Parter = Reader{}
