package xlsx

import (
	"bytes"
	"context"
	"slices"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
)

// Undo implements formats.LineChanges.
func (l *lineChanges) Undo(ctx context.Context, src formats.Source, undo []int, opt formats.ApplyOptions) (formats.Source, error) {
	return l.each(ctx, src, opt, func(s *linesOfSheet) (string, []cellref.Shift) {
		return s.Name, s.shifts(s.newer, s.undone(undo))
	})
}

// Align implements formats.LineChanges.
func (l *lineChanges) Align(ctx context.Context, like formats.Source, undo []int) (formats.Source, error) {
	src, err := l.each(ctx, l.before, formats.ApplyOptions{}, func(s *linesOfSheet) (string, []cellref.Shift) {
		return s.OldName, s.shifts(s.older, s.undone(undo))
	})
	if err != nil {
		return nil, err
	}
	for _, s := range l.sheets {
		src, err = s.fill(ctx, src, s.OldPart, like, s.Part, s.spans(undo, func(i int) bool { return s.Pieces[i].A == 0 }))
		if err != nil {
			return nil, err
		}
	}
	return src, nil
}

// Fill implements formats.LineChanges.
func (l *lineChanges) Fill(ctx context.Context, src, from formats.Source, undo []int) (formats.Source, error) {
	for _, s := range l.sheets {
		var err error
		src, err = s.fill(ctx, src, s.Part, from, s.OldPart, s.spans(undo, func(i int) bool { return s.Pieces[i].B == 0 }))
		if err != nil {
			return nil, err
		}
	}
	return src, nil
}

// spans returns the lines of some pieces of the content in which line changes are undone.
func (s *linesOfSheet) spans(undo []int, want func(piece int) bool) (out []cellref.Run) {
	at := 1
	for _, i := range s.undone(undo) {
		if want(i) {
			out = append(out, cellref.Run{At: at, Count: s.Pieces[i].N})
		}
		at += s.Pieces[i].N
	}
	return out
}

// each shifts the lines of all sheets.
func (l *lineChanges) each(ctx context.Context, src formats.Source, opt formats.ApplyOptions, shifts func(s *linesOfSheet) (sheet string, list []cellref.Shift)) (formats.Source, error) {
	e := &edit{src: src, orig: src, name: src.Name(), opt: opt, rep: formats.Report{Ops: []formats.OpReport{}}}
	defer e.close()
	any := false
	for _, s := range l.sheets {
		sheet, list := shifts(s)
		for _, sh := range list {
			any = true
			err := runAlone(ctx, e, sh, func(ctx context.Context, st *structure, sh cellref.Shift) error {
				i, err := st.worksheet(sheet)
				if err != nil {
					return err
				}
				return st.shift(ctx, i, sh)
			})
			if err != nil {
				return nil, book.Typed(err, src.Name())
			}
			e.pass.rep.Ops = append(e.pass.rep.Ops, formats.OpReport{Op: "shift"})
		}
	}
	if !any {
		return src, nil
	}
	var out bytes.Buffer
	if err := e.write(ctx, &out); err != nil {
		return nil, book.Typed(err, src.Name())
	}
	return formats.FromBytes(src.Name(), out.Bytes()), nil
}

// shifts returns what makes the lines of one order those of another: some are deleted,
// some move, some are inserted.
func (s *linesOfSheet) shifts(from, to []int) (out []cellref.Shift) {
	var runs []cellref.Run
	flush := func() {
		if len(runs) > 0 {
			out = append(out, cellref.NewShift(s.Cols, runs))
		}
		runs = nil
	}
	var list []int // what stays, in the present order
	at := 1
	for _, i := range from {
		n := s.Pieces[i].N
		switch k := len(runs) - 1; {
		case slices.Contains(to, i):
			list = append(list, i)
		case k >= 0 && runs[k].At-runs[k].Count == at:
			runs[k].Count -= n
		default:
			runs = append(runs, cellref.Run{At: at, Count: -n})
		}
		at += n
	}
	flush()
	prev := -1
	for _, i := range to {
		if !slices.Contains(list, i) {
			continue
		}
		if s.Pieces[i].Moved {
			out = s.moveBehind(out, &list, i, prev)
		}
		prev = i
	}
	at = 1
	for _, i := range to {
		n := s.Pieces[i].N
		switch k := len(runs) - 1; {
		case slices.Contains(list, i):
			at += n
		case k >= 0 && runs[k].At == at:
			runs[k].Count += n
		default:
			runs = append(runs, cellref.Run{At: at, Count: n})
		}
	}
	flush()
	return out
}

// moveBehind moves a piece of a list behind another one, -1 to its beginning.
func (s *linesOfSheet) moveBehind(out []cellref.Shift, list *[]int, piece, behind int) []cellref.Shift {
	was := slices.Index(*list, piece)
	to := slices.Index(*list, behind) + 1
	if was == to {
		return out
	}
	starts := s.starts(*list)
	before := 1
	if to > 0 {
		before = starts[behind] + s.Pieces[behind].N
	}
	out = append(out, cellref.Shift{Cols: s.Cols, At: starts[piece], Count: s.Pieces[piece].N, To: before})
	*list = slices.Delete(*list, was, was+1)
	*list = slices.Insert(*list, slices.Index(*list, behind)+1, piece)
	return out
}
