package reader

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// ReadFitting implements formats.FittingReader: as many whole rows as there is
// room for. A read of the workbook, or of a sheet, ends at the first row, or at
// the first columns, that X-12 or the room leaves out; its Next goes on there.
func (Reader) ReadFitting(ctx context.Context, src formats.Source, sel formats.Selector) (formats.Text, error) {
	wb, err := openReading(ctx, src)
	if err != nil {
		return formats.Text{}, err
	}
	read := wb.readFitting
	if sectionsOf(sel).only {
		read = wb.read // it is cut by characters
	}
	text, err := read(ctx, sel)
	return text, book.Typed(err, src.Name())
}

// fitting is a read that has only so much room.
type fitting struct {
	wb    reading
	d     *book.Display
	opt   pageOptions
	room  formats.TextLimit
	sheet bool // one sheet was asked for
	text  strings.Builder
	used  int      // of room.Part
	shown []string // what the text holds
	// part is what fits as a part of more, kept while the whole may fit yet.
	part  *formats.Text
	first *page              // that was shown
	last  *formats.ChunkInfo // of the last page
}

// tailRoom is kept for the lines behind the rows.
const tailRoom = 200

func (wb reading) readFitting(ctx context.Context, sel formats.Selector) (formats.Text, error) {
	picks, err := wb.selected(ctx, sel)
	if err != nil {
		return formats.Text{}, err
	}
	f := &fitting{wb: wb, room: sel.Limit, sheet: sel.Sheet != ""}
	if part := wb.RelPart(book.RelStrings); part != "" && wb.Package.Size(part) > book.BigStrings {
		for i := range picks { // what is shown is looked up before: not more than there can be
			picks[i].block.R2 = min(picks[i].block.R2, picks[i].block.R1+f.most()/6)
		}
	}
	if f.d, err = wb.readDisplay(ctx, picks); err != nil {
		return formats.Text{}, err
	}
	if f.opt, err = wb.readOptions(ctx, sel, f.d); err != nil {
		return formats.Text{}, err
	}
	f.opt.fit = f.most()
	for i := range picks {
		done, err := f.add(ctx, picks, i)
		if err != nil {
			return formats.Text{}, err
		}
		if done {
			return *f.part, nil
		}
	}
	if f.part != nil && f.text.Len() > f.room.Whole {
		return *f.part, nil
	}
	return formats.Text{Text: f.text.String(), Chunk: f.ended(picks)}, nil
}

// most is how many bytes are worth reading.
func (f *fitting) most() int { return max(f.room.Whole, f.room.Part) }

// page reads a pick by itself.
func (f *fitting) page(ctx context.Context, k chosen) (*page, error) {
	p := &page{chosen: k, wb: f.wb, d: f.d, sb: &strings.Builder{}, pageOptions: f.opt}
	return p, p.read(ctx)
}

// add reads pick i. done says that nothing more can be added: part is it then.
func (f *fitting) add(ctx context.Context, picks []chosen, i int) (done bool, err error) {
	k := picks[i]
	p, err := f.page(ctx, k)
	if err != nil {
		return false, err
	}
	sep := ""
	if f.text.Len() > 0 {
		sep = "\n\n"
	}
	text := sep + p.sb.String()
	cut := p.cutRows || p.cutBytes || p.cutCols
	long := f.used+formats.JSONLen(text) > f.room.Part
	if !cut && (!long || f.part == nil && i == 0 && len(p.ends) < 2) {
		if i == 0 || !k.onward || k.block.R1 == 1 || p.first > 0 { // else nothing stands behind what came before
			f.take(text, p)
		}
		return false, nil
	}
	if f.part == nil {
		if err := f.end(ctx, picks, i, p, sep, long); err != nil {
			return false, err
		}
	}
	if cut || f.text.Len()+len(text) > f.room.Whole {
		return true, nil
	}
	f.take(text, p) // the whole may fit where a part would not
	return false, nil
}

func (f *fitting) take(text string, p *page) {
	f.text.WriteString(text)
	f.used += formats.JSONLen(text)
	f.shown = append(f.shown, f.name(p.sheet, p.held()))
	f.last = p.chunk()
	f.begin(p)
}

func (f *fitting) begin(p *page) {
	if f.first == nil {
		f.first = p
	}
}

// held is the block that the page has read.
func (p *page) held() cellref.Range {
	if p.first == 0 {
		return cellref.Range{}
	}
	got := cellref.Block(max(p.first, p.block.R1), max(p.block.C1, 1), min(p.block.R2, p.lastRow), min(p.block.C2, max(p.maxCol, 1)))
	if p.cutRows || p.cutBytes {
		got.R2 = min(got.R2, p.shownEnd)
	}
	if !p.ranged {
		got.C2 = min(got.C2, windowCols)
	}
	return got
}

// end makes part: what fits, to the last whole row of page p, and how to go on.
func (f *fitting) end(ctx context.Context, picks []chosen, i int, p *page, sep string, long bool) error {
	k := picks[i]
	rows := p.ends
	for long && len(rows) > 0 && f.used+formats.JSONLen(sep+p.sb.String()[:rows[len(rows)-1].at]) > f.room.Part-tailRoom {
		rows = rows[:len(rows)-1]
	}
	switch {
	case len(rows) == 0 && f.text.Len() > 0: // the next part begins with this pick
		f.part = &formats.Text{Text: f.text.String(), Chunk: f.chunk(picks[i:])}
		return nil
	case len(rows) == 0 && len(p.ends) > 0:
		rows = p.ends[:1]
	}
	f.begin(p)
	to := p.shownEnd
	if len(rows) > 0 && long {
		to = rows[len(rows)-1].row
	}
	rowsBehind := p.lastRow > to || !p.complete
	if k.block.R2 = to; len(rows) < len(p.ends) { // again, with what belongs to these rows
		var err error
		if p, err = f.page(ctx, k); err != nil {
			return err
		}
	}
	var rest []chosen
	if p.cutCols { // the columns behind those of X-12, then the rows behind
		right := cellref.Block(max(p.first, 1), windowCols+1, to, p.maxCol)
		rest = append(rest, chosen{sheet: k.sheet, block: right, ranged: true})
	}
	if below := picks[i]; rowsBehind || !p.cutCols {
		if !below.ranged {
			below.block, below.onward, below.ranged = cellref.WholeSheet, true, true
		}
		below.block.R1 = to + 1
		rest = append(rest, below)
	}
	shown := append(f.shown[:len(f.shown):len(f.shown)], f.name(k.sheet, p.held()))
	c := f.chunk(append(rest, picks[i+1:]...))
	c.Range = strings.Join(shown, ", ")
	f.part = &formats.Text{Text: f.text.String() + sep + p.sb.String(), Chunk: c}
	return nil
}

// chunk says what was shown, and how to go on with rest.
func (f *fitting) chunk(rest []chosen) *formats.ChunkInfo {
	first, last := max(f.first.first, 1), max(f.first.lastRow, f.first.dim.R2, 1)
	c := &formats.ChunkInfo{ChunkIndex: (first - 1) / chunkRows, TotalChunks: (last + chunkRows - 1) / chunkRows, HasMore: true, Range: strings.Join(f.shown, ", ")}
	var ranges []string
	for _, k := range rest {
		one := k.block.String()
		if k.onward || !k.ranged {
			one = cellref.Name(k.block.R1, k.block.C1) + "-"
		}
		if f.sheet {
			ranges = append(ranges, one)
			continue
		}
		ranges = append(ranges, formula.SheetPrefix(k.sheet.Name)+one)
		if k.onward || !k.ranged {
			break // the sheets behind come with it
		}
	}
	if c.Next = fmt.Sprintf("range=%q", strings.Join(ranges, ",")); f.sheet {
		c.Next = fmt.Sprintf("sheet=%q %s", f.first.sheet.Name, c.Next)
	}
	return c
}

// name is a block as ChunkInfo.Range shows it.
func (f *fitting) name(s book.SheetInfo, r cellref.Range) string {
	switch {
	case r.Empty():
		return formula.SheetPrefix(s.Name) + "(empty)"
	case len(f.wb.Sheets) == 1:
		return r.String()
	}
	return formula.SheetPrefix(s.Name) + r.String()
}

// ended is the chunk of a read that gave all it was asked for: nil when that is
// the whole of the workbook or sheet.
func (f *fitting) ended(picks []chosen) *formats.ChunkInfo {
	k := picks[0]
	switch {
	case !k.ranged:
		return nil
	case len(picks) == 1 && f.last != nil && !k.onward:
		return f.last // of the asked range, with what stands below it
	case !picks[len(picks)-1].onward:
		return nil
	}
	return &formats.ChunkInfo{TotalChunks: 1, Range: strings.Join(f.shown, ", ")}
}
