package xlsx

import (
	"bufio"
	"context"
	"io"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type hideRowsArgs struct {
	rowsArgs
	hiddenArgs
}

type hideColumnsArgs struct {
	columnsArgs
	hiddenArgs
}

// hiddenArgs is the member of operations that hide or show.
type hiddenArgs struct {
	Hidden *lenient.Bool `json:"hidden" jsonschema:"{ops}: false shows them again"`
}

// maxHidden bounds the rows that hiding makes elements for.
const maxHidden = 100_000

func hides(op hiddenArgs) bool { return op.Hidden == nil || bool(*op.Hidden) }

// hideRows hides rows or shows them again (18.3.1.73).
func hideRows(ctx context.Context, e *structure, op hideRowsArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	r, err := rowsNamed(op.rowsArgs)
	if err != nil {
		return err
	}
	first, n := r.first, r.n
	hide := hides(op.hiddenArgs)
	if hide && n > maxHidden {
		return formats.Errorf(formats.CodeTooLarge, "%d rows are too many to hide at once; the limit is %d", n, maxHidden)
	}
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{})
	if err != nil {
		return err
	}
	if e.hiddenAlready(ctx, i, first, first+n-1, hide) {
		return nil
	}
	e.saidProtected(fa, i)
	h := &rowHider{first: first, last: first + n - 1, next: first, hide: hide, selfData: fa.selfData && hide}
	h.head, h.tail = fa.skel.Split(nil)
	part := e.wb.Sheets[i].Part
	e.ed.SetStream(part, func(dst io.Writer) error {
		pass := *h // a stream may be written twice
		return rowCopier(ctx, e.wb.Package, part, pass.event)(dst)
	})
	e.rep.Hits = n
	return nil
}

// hiddenAlready reports, and says, whether all of the rows are hidden already,
// or none where they are to show again.
func (e *structure) hiddenAlready(ctx context.Context, i, first, last int, hide bool) bool {
	hidden := 0
	for s, err := range e.wb.Rows(ctx, e.wb.Sheets[i].Part, book.Window{Last: last}) {
		if err != nil {
			return false // the pass that writes says what is wrong
		}
		if s.Event == sheetml.RowStart && s.Row >= first && hiddenRow(s.Raw()[s.Start:]) {
			hidden++
		}
	}
	if hide && hidden <= last-first || !hide && hidden > 0 {
		return false
	}
	e.saidHidden(runName(false, first, last), hide)
	return true
}

func (e *structure) saidHidden(what string, hide bool) {
	if hide {
		e.warn("%s is hidden already; nothing was changed", what)
	} else {
		e.warn("nothing in %s is hidden; nothing was changed", what)
	}
}

// saidProtected warns that the sheet of an edit is protected.
func (e *structure) saidProtected(fa *facts, i int) {
	if len(fa.skel.Elements("sheetProtection")) > 0 {
		e.warn("the sheet %q is protected; it was edited all the same", e.wb.Sheets[i].Name)
	}
}

// rowHider is one pass that sets the hidden mark of rows.
type rowHider struct {
	first, last int
	next        int // first of them not yet met
	hide        bool
	selfData    bool // <sheetData/> has to be opened
	head, tail  []byte
}

func (h *rowHider) event(w *bufio.Writer, s *sheetml.RowScanner) error {
	switch s.Event {
	case sheetml.HeadEnd:
		head := h.head
		if h.selfData {
			head = append(head[:len(head)-2:len(head)-2], '>')
		}
		_, err := w.Write(head)
		return err
	case sheetml.RowStart:
		h.missing(w, s, s.Row)
		if s.Row < h.first || s.Row > h.last {
			break
		}
		h.next = max(h.next, s.Row+1)
		mark := ""
		if h.hide {
			mark = ` hidden="1"`
		}
		w.Write(s.Raw()[:s.Start])
		_, err := w.Write(sheetml.EditTag(s.Raw()[s.Start:], mark, "hidden"))
		return err
	case sheetml.DataEnd:
		h.missing(w, s, cellref.MaxRow+1)
		w.Write(s.Raw())
		if h.selfData {
			w.WriteString("</" + s.Prefix + "sheetData>")
		}
		_, err := w.Write(h.tail)
		return err
	}
	_, err := w.Write(s.Raw())
	return err
}

// missing writes the rows to hide before the given one that the file lacks.
func (h *rowHider) missing(w *bufio.Writer, s *sheetml.RowScanner, before int) {
	for ; h.hide && h.next < before && h.next <= h.last; h.next++ {
		w.WriteString("<" + s.Prefix + `row r="` + strconv.Itoa(h.next) + `" hidden="1"/>`)
	}
}

// hideColumns hides columns or shows them again (18.3.1.13).
func hideColumns(ctx context.Context, e *structure, op hideColumnsArgs) error {
	i, err := e.worksheet(op.Sheet)
	if err != nil {
		return err
	}
	r, err := columnsNamed(op.columnsArgs)
	if err != nil {
		return err
	}
	first, n, hide := r.first, r.n, hides(op.hiddenArgs)
	fa, err := scanSheet(ctx, e.wb.Package, e.wb.Sheets[i], scanOptions{})
	if err != nil {
		return err
	}
	now, rest := fa.skel.HiddenColumns(), 0
	for c := first; c < first+n; c++ {
		if now[c] != hide {
			rest++
		}
	}
	if rest == 0 {
		e.saidHidden(runName(true, first, first+n-1), hide)
		return nil
	}
	e.saidProtected(fa, i)
	old, start, end := sheetml.ReadColumns(fa.skel)
	cols := hiddenColumns(old, sheetml.ColumnRange{From: first, To: first + n - 1}, hide, fa.prefix, fa.skel.DefaultWidth())
	e.rep.Hits = n
	if len(cols) == 0 {
		return nil
	}
	var edits []xmlscan.Splice
	edits = append(edits, colsXML(fa.skel, cols, start, end, fa.prefix)...)
	e.around(ctx, e.wb.Sheets[i].Part, fa, edits)
	return nil
}

// hiddenColumns sets the hidden mark of a run, splitting definitions at its ends.
func hiddenColumns(cols []sheetml.ColumnRange, run sheetml.ColumnRange, hide bool, prefix, width string) []sheetml.ColumnRange {
	mark := ""
	if hide {
		mark = ` hidden="1"`
	}
	var out []sheetml.ColumnRange
	next := run.From
	gap := func(to int) {
		if hide && next <= to {
			out = append(out, sheetml.Columns(next, to, []byte("<"+prefix+`col width="`+width+`" hidden="1"/>`)))
		}
	}
	for _, c := range cols {
		if c.To < run.From || c.From > run.To {
			out = append(out, c)
			continue
		}
		if c.From < run.From {
			out = append(out, sheetml.Columns(c.From, run.From-1, c.Tag))
		}
		gap(c.From - 1)
		out = append(out, sheetml.Columns(max(c.From, run.From), min(c.To, run.To), sheetml.EditTag(c.Tag, mark, "hidden")))
		if c.To > run.To {
			out = append(out, sheetml.Columns(run.To+1, c.To, c.Tag))
		}
		next = max(next, c.To+1)
	}
	gap(run.To)
	return out
}
