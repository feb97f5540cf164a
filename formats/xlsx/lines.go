package xlsx

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/diff"
	"atelier/internal/lazyregexp"
)

var differ = diff.Differ{Follow: diff.Follow{Sheet: followSheet, Parts: followParts}}

const (
	// maxMovedBlocks bounds the blocks of rows of a sheet that are taken for moved ones;
	// more of them were sorted.
	maxMovedBlocks = 8
	// maxLineChanges bounds the blocks of a sheet's rows or columns that go back one by
	// one; more of them go back with the whole file.
	maxLineChanges = 100
)

// LinesChanged implements formats.LineEditor.
func (editor) LinesChanged(ctx context.Context, before, after formats.Source) (formats.LineChanges, error) {
	found, err := differ.Lines(ctx, before, after)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	l := &lineChanges{before: before}
	for _, s := range found {
		if err := l.add(ctx, s, after); err != nil {
			return nil, err
		}
	}
	if len(l.changes) == 0 && len(l.blocks) == 0 {
		return nil, nil
	}
	return l, nil
}

// lineChanges implements formats.LineChanges.
type lineChanges struct {
	before  formats.Source
	sheets  []*linesOfSheet
	changes []lineChange
	blocks  []formats.LineBlock
}

// lineChange is a piece of a sheet's lines.
type lineChange struct{ sheet, piece int }

// linesOfSheet is the rows or the columns of a sheet on both sides.
type linesOfSheet struct {
	diff.SheetLines
	first int   // the place of its first line change
	of    []int // line changes of the pieces, -1 for those that are on both sides
	older []int // pieces in the order of the older content
	newer []int
}

// add adds the lines of a sheet. Rows that moved are taken for moved by an operation
// that all references follow, or for sorted: for what leaves fewer cells that differ.
func (l *lineChanges) add(ctx context.Context, s diff.SheetLines, after formats.Source) error {
	moved := 0
	for _, p := range s.Pieces {
		if p.Moved {
			moved++
		}
	}
	if moved == 0 {
		l.addPieces(s)
		return nil
	}
	sorted := s
	sorted.Pieces = s.Stay
	if moved <= maxMovedBlocks {
		as, err := differing(ctx, l.before, after, s)
		if err != nil {
			return err
		}
		stay, err := differing(ctx, l.before, after, sorted)
		if err != nil {
			return err
		}
		if as <= stay {
			l.addPieces(s)
			return nil
		}
	}
	for _, w := range s.Windows {
		l.blocks = append(l.blocks, formats.LineBlock{Part: s.Part, From: w[0], To: w[1]})
	}
	l.addPieces(sorted)
	return nil
}

// differing counts the cells of a sheet that differ once the older content has the lines
// of the newer one.
func differing(ctx context.Context, before, after formats.Source, s diff.SheetLines) (int, error) {
	l := &lineChanges{before: before}
	l.addPieces(s)
	aligned := before
	if len(l.changes) > 0 {
		var err error
		if aligned, err = l.Align(ctx, after, nil); err != nil {
			return cellref.MaxRow * cellref.MaxCol, ctx.Err()
		}
	}
	a, err := open(ctx, aligned)
	if err != nil {
		return 0, err
	}
	b, err := open(ctx, after)
	if err != nil {
		return 0, err
	}
	r, err := restoredCells(ctx, a, s.OldPart, b, s.Part)
	if err != nil || r == nil {
		return 0, err
	}
	return r.n, nil
}

func (l *lineChanges) addPieces(s diff.SheetLines) {
	one := &linesOfSheet{SheetLines: s, first: len(l.changes), of: make([]int, len(s.Pieces))}
	for i, p := range s.Pieces {
		if p.A > 0 {
			one.older = append(one.older, i)
		}
		if p.B > 0 {
			one.newer = append(one.newer, i)
		}
		if one.of[i] = -1; p.A == 0 || p.B == 0 || p.Moved {
			one.of[i] = len(l.changes)
			l.changes = append(l.changes, lineChange{len(l.sheets), i})
		}
	}
	if len(l.changes)-one.first > maxLineChanges {
		l.changes = l.changes[:one.first]
		return
	}
	slices.SortFunc(one.older, func(i, j int) int { return cmp.Compare(s.Pieces[i].A, s.Pieces[j].A) })
	slices.SortFunc(one.newer, func(i, j int) int { return cmp.Compare(s.Pieces[i].B, s.Pieces[j].B) })
	if len(l.changes) > one.first {
		l.sheets = append(l.sheets, one)
	}
}

func (l *lineChanges) Len() int { return len(l.changes) }

func (l *lineChanges) Blocks() []formats.LineBlock { return l.blocks }

func (l *lineChanges) piece(k int) (*linesOfSheet, diff.LinePiece) {
	s := l.sheets[l.changes[k].sheet]
	return s, s.Pieces[l.changes[k].piece]
}

// Owns implements formats.LineChanges.
func (l *lineChanges) Owns(k int, f formats.Fact) bool {
	s, p := l.piece(k)
	kind := formats.FactRows
	if s.Cols {
		kind = formats.FactColumns
	}
	sheet, at, ok := cutSheet(f.At)
	if f.Kind != kind || !ok || !strings.EqualFold(sheet, s.Name) {
		return false
	}
	from, to, ok := parseLines(at, s.Cols)
	switch {
	case !ok:
		return false
	case f.Change == formats.Added:
		return p.B > 0 && (p.A == 0 || p.Moved) && from >= p.B && to < p.B+p.N
	case f.Change == formats.Removed:
		return p.A > 0 && (p.B == 0 || p.Moved) && from >= p.A && to < p.A+p.N
	}
	return f.Change == formats.Moved && p.Moved && from >= p.B && to < p.B+p.N
}

// OwnsItem implements formats.LineChanges.
func (l *lineChanges) OwnsItem(k int, sheet string, it formats.DiffItem) bool {
	s, p := l.piece(k)
	at, ok := strings.CutPrefix(it.At, map[bool]string{false: "row ", true: "column "}[s.Cols])
	if !ok || !strings.EqualFold(sheet, s.Name) {
		return false
	}
	n, _, ok := parseLines(at+":"+at, s.Cols)
	switch {
	case !ok:
		return false
	case it.Change == formats.Removed:
		return p.A > 0 && (p.B == 0 || p.Moved) && n >= p.A && n < p.A+p.N
	case it.Change == formats.Moved:
		return p.Moved && n >= p.B && n < p.B+p.N
	}
	return it.Change == formats.Added && p.B > 0 && (p.A == 0 || p.Moved) && n >= p.B && n < p.B+p.N
}

// cutSheet splits a place such as Sales!B7.
func cutSheet(at string) (sheet, place string, ok bool) {
	i := strings.LastIndexByte(at, '!')
	if i < 0 {
		return "", at, false
	}
	return at[:i], at[i+1:], true
}

// parseLines reads rows such as 3:5, or columns such as C:E.
func parseLines(s string, cols bool) (from, to int, ok bool) {
	a, b, ok := strings.Cut(s, ":")
	if !ok {
		b = a
	}
	x, y := cellref.ParseEnd(a), cellref.ParseEnd(b)
	if cols {
		return x.Col, y.Col, x.Kind == cellref.ColumnEnd && y.Kind == cellref.ColumnEnd
	}
	return x.Row, y.Row, x.Kind == cellref.RowEnd && y.Kind == cellref.RowEnd
}

// undone is the pieces of the content in which some line changes are undone, in order:
// what came is left out, and what went or moved comes behind what it was behind.
func (s *linesOfSheet) undone(undo []int) []int {
	back := func(i int) bool { return s.of[i] >= 0 && slices.Contains(undo, s.of[i]) }
	var out []int
	for _, i := range s.newer {
		if !back(i) {
			out = append(out, i)
		}
	}
	for k, i := range s.older {
		if !back(i) {
			continue
		}
		at := 0
		for j := k - 1; j >= 0; j-- {
			if p := slices.Index(out, s.older[j]); p >= 0 {
				at = p + 1
				break
			}
		}
		out = slices.Insert(out, at, i)
	}
	return out
}

// starts returns the first line of each piece of a list, by piece.
func (s *linesOfSheet) starts(list []int) map[int]int {
	out := make(map[int]int, len(list))
	n := 1
	for _, i := range list {
		out[i] = n
		n += s.Pieces[i].N
	}
	return out
}

// addresses finds cells, rows and columns in a place.
var addresses = lazyregexp.New(`[A-Z]{1,3}[0-9]+|[0-9]+|[A-Z]{1,3}`)

// Place implements formats.LineChanges.
func (l *lineChanges) Place(undo []int, sheet, at string) string {
	for _, s := range l.sheets {
		if !strings.EqualFold(s.Name, sheet) {
			continue
		}
		list := s.undone(undo)
		starts := s.starts(list)
		line := func(n int) int {
			for _, i := range list {
				if p := s.Pieces[i]; n >= starts[i] && n < starts[i]+p.N && p.B > 0 {
					return p.B + n - starts[i]
				}
			}
			return n
		}
		at = addresses.ReplaceAllStringFunc(at, func(ref string) string {
			end := cellref.ParseEnd(ref)
			switch {
			case end.Kind == cellref.CellEnd && s.Cols:
				return cellref.Name(end.Row, line(end.Col))
			case end.Kind == cellref.CellEnd:
				return cellref.Name(line(end.Row), end.Col)
			case end.Kind == cellref.ColumnEnd && s.Cols:
				return cellref.ColumnName(line(end.Col))
			case end.Kind == cellref.RowEnd && !s.Cols:
				return strconv.Itoa(line(end.Row))
			}
			return ref
		})
	}
	return at
}
