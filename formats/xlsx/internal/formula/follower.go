package formula

import (
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/quote"
)

// Follower updates references after a change to sheets: rows or columns
// inserted or deleted, sheets renamed, tables or columns renamed or removed.
type Follower struct {
	Sheet  string                 // the sheet whose cells move, in lower case
	Shift  *cellref.Shift         // nil when no cell moves
	Names  map[string]string      // new names of sheets, by old name in lower case
	Tables map[string]TableChange // by table name in lower case
	Order  []string               // all sheet names in lower case, for 3-D spans
	Spans  bool                   // set when a 3-D reference over the shifted sheet was found; it is not changed
}

// TableChange says what happened to a table.
type TableChange struct {
	Now  string          // the new name, "" when the table is gone
	Gone map[string]bool // removed columns, in lower case
}

// Place says where a formula is and what its relative references mean.
type Place struct {
	Sheet string // lower-case name, "" for none
	// Keep says that relative references keep their distance instead of following
	// cells. In a defined name the distance is to the cell that uses the name; in
	// a rule it is to the first cell of its area, which moves by Delta.
	Keep  bool
	Delta int
}

// At returns the place of a formula in a cell of a sheet.
func (fo *Follower) At(sheet string) Place { return Place{Sheet: strings.ToLower(sheet)} }

// Formula returns f as it reads after the change. resized says that a range in
// it has grown, shrunk or lost all cells, so that its value may differ.
func (fo *Follower) Formula(f string, p Place) (now string, changed, resized bool) {
	if fo.Shift == nil && !strings.ContainsAny(f, "![") && (len(fo.Tables) == 0 || !fo.mayName(f)) {
		return f, false, false
	}
	var sb strings.Builder
	pos := 0
	put := func(from, to int, s string) {
		if f[from:to] != s {
			sb.WriteString(f[pos:from])
			sb.WriteString(s)
			pos = to
			changed = true
		}
	}
	var calls callStack
	for t := range Tokens(f) {
		if calls.see(f, t); len(fo.Names) > 0 && t.Kind == String && calls.address() {
			put(t.Start, t.End, fo.Address(f[t.Start:t.End]))
		}
		if len(fo.Names) > 0 && t.Body > t.Start && t.Sheet != "" {
			if s, ok := fo.prefix(t); ok {
				put(t.Start, t.Body, s)
			}
		}
		switch {
		case t.Kind == Structured:
			s, gone := fo.structured(f[t.Start:t.End])
			resized = resized || gone
			put(t.Start, t.End, s)
		case t.Kind == Name && t.Sheet == "" && fo.Tables != nil:
			if n, ok := fo.Tables[strings.ToLower(f[t.Start:t.End])]; ok {
				if n.Now == "" {
					n.Now, resized = "#REF!", true
				}
				put(t.Start, t.End, n.Now)
			}
		case t.Kind == Ref && fo.Shift != nil:
			if t.LastSheet != "" {
				fo.Spans = fo.Spans || fo.within(t)
				continue
			}
			s, size := fo.ref(t, p)
			resized = resized || size
			put(t.Body, t.End, s)
		}
	}
	if !changed {
		return f, false, false
	}
	sb.WriteString(f[pos:])
	return sb.String(), true, resized
}

// Address updates a string literal in a formula, quotes included, that begins
// with the name of a sheet, such as "Sales!A", "'Net sales'!" or "#Sales!A1".
func (fo *Follower) Address(s string) string {
	text, place := strings.CutPrefix(strings.ReplaceAll(strings.Trim(s, `"`), `""`, `"`), "#")
	bang := strings.LastIndexByte(text, '!')
	if bang < 1 || len(s) < 2 {
		return s
	}
	name := text[:bang]
	if q := len(name) - 1; q > 0 && name[0] == '\'' && name[q] == '\'' {
		name = strings.ReplaceAll(name[1:q], "''", "'")
	}
	now, ok := fo.Names[strings.ToLower(name)]
	if !ok {
		return s
	}
	to := SheetPrefix(now) + text[bang+1:]
	if place {
		to = "#" + to
	}
	return quote.Double(to)
}

// Text is Formula without resized.
func (fo *Follower) Text(f string, p Place) (string, bool) {
	now, changed, _ := fo.Formula(f, p)
	return now, changed
}

// mayName reports whether f contains the name of any changed table.
func (fo *Follower) mayName(f string) bool {
	low := strings.ToLower(f)
	for n := range fo.Tables {
		if strings.Contains(low, n) {
			return true
		}
	}
	return false
}

// prefix returns the sheet prefix of t with the new names.
func (fo *Follower) prefix(t Token) (string, bool) {
	from, to := t.Sheet, t.LastSheet
	hit := false
	if now, ok := fo.Names[strings.ToLower(from)]; ok {
		from, hit = now, true
	}
	if now, ok := fo.Names[strings.ToLower(to)]; ok && to != "" {
		to, hit = now, true
	}
	if !hit {
		return "", false
	}
	if to == "" {
		return SheetPrefix(from), true
	}
	if PlainName(from) && PlainName(to) {
		return from + ":" + to + "!", true
	}
	return QuoteSheet(from+":"+to) + "!", true
}

// within reports whether the shifted sheet is inside a 3-D span.
func (fo *Follower) within(t Token) bool {
	a, b, s := slices.Index(fo.Order, strings.ToLower(t.Sheet)), slices.Index(fo.Order, strings.ToLower(t.LastSheet)), slices.Index(fo.Order, fo.Sheet)
	return s >= min(a, b) && s <= max(a, b)
}

// ref returns the updated reference of t without its sheet prefix, and whether
// its size changed.
func (fo *Follower) ref(t Token, p Place) (string, bool) {
	a, b := t.From, t.To
	same := func() string {
		if b.Kind == cellref.NoEnd {
			return a.String()
		}
		return a.String() + ":" + b.String()
	}
	on := t.Sheet == "" && p.Sheet == fo.Sheet || t.Sheet != "" && strings.ToLower(t.Sheet) == fo.Sheet
	sh := *fo.Shift
	if sh.Cols && a.Kind == cellref.RowEnd || !sh.Cols && a.Kind == cellref.ColumnEnd || !on && !(p.Keep && p.Delta != 0) {
		return same(), false
	}
	single := b.Kind == cellref.NoEnd
	x, y := a.Index(sh.Cols), a.Index(sh.Cols)
	if !single {
		y = b.Index(sh.Cols)
	}
	gone := false
	size := y - x
	relA, relB := p.Keep && !a.Absolute(sh.Cols), p.Keep && !(single && a.Absolute(sh.Cols) || !single && b.Absolute(sh.Cols))
	switch {
	case relA && relB:
		x, y = x+p.Delta, y+p.Delta
		gone = min(x, y) < 1 || max(x, y) > sh.Limit()
	case relA || relB:
		x, y = fo.mixed(x, relA, on, p), fo.mixed(y, relB, on, p)
		gone = min(x, y) < 1 || max(x, y) > sh.Limit()
	case !on:
	default:
		flip := x > y
		if flip {
			x, y = y, x
		}
		var ok bool
		x, y, ok = sh.Span(x, y)
		gone = !ok
		if flip {
			x, y = y, x
		}
	}
	if gone {
		return "#REF!", true
	}
	a.SetIndex(sh.Cols, x)
	b.SetIndex(sh.Cols, y)
	return same(), y-x != size
}

// mixed updates one end of a range that has one relative and one absolute end.
func (fo *Follower) mixed(i int, relative, on bool, p Place) int {
	if relative {
		return i + p.Delta
	}
	if on {
		i, _ = fo.Shift.Index(i)
	}
	return i
}

// structured updates Table[…]. gone says that the table or the column no longer
// exists.
func (fo *Follower) structured(s string) (now string, gone bool) {
	i := strings.IndexByte(s, '[')
	t, ok := fo.Tables[strings.ToLower(s[:i])]
	if !ok {
		return s, false
	}
	if t.Now == "" {
		return "#REF!", true
	}
	for j := i; j < len(s); j++ {
		if s[j] != '[' {
			continue
		}
		end := BracketEnd(s, j)
		inner := s[j+1 : max(j+1, end-1)]
		if strings.HasPrefix(strings.TrimSpace(inner), "[") {
			continue
		}
		if t.Gone[strings.ToLower(UnescapeColumn(inner))] {
			return "#REF!", true
		}
		j = end - 1
	}
	return t.Now + s[i:], false
}
