package reader

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
)

// The window of a read without a range, the chunk of W-42, and what
// bounds a read with a range.
const (
	windowRows   = 200
	windowCols   = 50
	chunkRows    = 50
	maxReadBytes = 4 << 20
)

// Read gives the selected cells as lines of "A1: value, B1: value" below
// "Sheet: name". Without a range each sheet is cut to a window of
// 200 rows × 50 columns; a range is given whole up to 4 MiB of text. Of merged
// cells only the first is shown, as in a spreadsheet program.
//
// sel.Include knows formulas ("=A1+1 → 3"), estimates (of formulas without a
// value), hidden (marks hidden rows, columns and sheets), comments, and sections
// about charts, pivots, rules and page. A read without a range that asks for
// sections alone shows no cells.
func (Reader) Read(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	wb, err := openReading(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	text, err := wb.read(ctx, sel)
	return text, book.Typed(err, src.Name())
}

func (wb reading) read(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	picks, err := wb.selected(ctx, sel)
	if err != nil {
		return formats.Text{}, err
	}
	d, err := wb.readDisplay(ctx, picks)
	if err != nil {
		return formats.Text{}, err
	}
	d.Braces = true
	opt, err := wb.readOptions(ctx, sel, d)
	if err != nil {
		return formats.Text{}, err
	}
	var out formats.Text
	var sb strings.Builder
	err = wb.eachPage(ctx, d, picks, func(p *page) { p.pageOptions, p.sb = opt, &sb }, func(p *page) {
		if out.Chunk == nil && (len(picks) == 1 || !p.ranged || p.cutBytes) {
			out.Chunk = p.chunk()
		}
	})
	out.Text = sb.String()
	return out, err
}

func (wb reading) readOptions(ctx context.Context, sel formats.Selector, d *book.Display) (opt pageOptions, err error) {
	opt = pageOptions{
		formulas: sel.Includes(formats.IncludeFormulas), hidden: sel.Includes(formats.IncludeHidden),
		comments: sel.Includes(formats.IncludeComments), onLoad: wb.calcOnLoad(),
		sections: sectionsOf(sel),
	}
	if sel.Includes(formats.IncludeEstimates) {
		opt.estimate, err = wb.estimator(ctx, d)
	}
	return opt, err
}

// eachPage reads the picks one after another: set prepares each page, done
// sees each that was read.
func (wb reading) eachPage(ctx context.Context, d *book.Display, picks []chosen, set func(*page), done ...func(*page)) error {
	var own strings.Builder
	for i, k := range picks {
		p := &page{chosen: k, wb: wb, d: d, sb: &own}
		set(p)
		if i > 0 {
			p.sb.WriteString("\n\n")
		}
		if p.sb.Len() > maxReadBytes {
			fmt.Fprintf(p.sb, "... (truncated: %d more %s)", len(picks)-i, map[bool]string{true: "ranges", false: "sheets; read them by name"}[k.ranged])
			return nil
		}
		if err := p.read(ctx); err != nil {
			return err
		}
		for _, f := range done {
			f(p)
		}
	}
	return nil
}

// Reader implements formats.Reader, and reads parts and what fits.
type Reader struct{}
