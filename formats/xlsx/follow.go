package xlsx

import (
	"slices"
	"strings"

	"atelier/formats/xlsx/internal/cellref"
)

// follower lets references follow what happens to sheets: rows or columns
// that come or go, new names, tables and columns that are gone or renamed.
type follower struct {
	sheet  string            // name in lower case of the sheet whose cells move
	shift  *cellref.Shift    // nil: no cell moves
	names  map[string]string // new names of sheets, by the old in lower case
	tables map[string]name   // by table name in lower case
	order  []string          // all sheet names in lower case, for 3-D spans
	spans  bool              // a 3-D reference over the shifted sheet was met: it stays
}

// name says what became of a table.
type name struct {
	now  string          // its new name, "" when it is gone
	gone map[string]bool // its columns that are gone, in lower case
}

// standing says where a formula stands and what its relative references mean.
type standing struct {
	sheet string // lower-case name, "" for none
	// relative references keep their distance instead of following cells: those
	// of a defined name to wherever it is used, those of a rule to the first cell
	// of its area, which moves by delta.
	keep  bool
	delta int
}

func (fo *follower) at(sheet string) standing { return standing{sheet: strings.ToLower(sheet)} }

// formula gives f as it reads afterwards. resized says that a range in it has
// grown or shrunk or lost its cells, so that its value may be another.
func (fo *follower) formula(f string, p standing) (now string, changed, resized bool) {
	if fo.shift == nil && !strings.ContainsAny(f, "![") && (len(fo.tables) == 0 || !fo.mayName(f)) {
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
	for t := range formulaTokens(f) {
		if calls.see(f, t); len(fo.names) > 0 && t.kind == fString && calls.address() {
			put(t.start, t.end, fo.address(f[t.start:t.end]))
		}
		if len(fo.names) > 0 && t.body > t.start && t.sheet != "" {
			if s, ok := fo.prefix(t); ok {
				put(t.start, t.body, s)
			}
		}
		switch {
		case t.kind == fStruct:
			s, gone := fo.structured(f[t.start:t.end])
			resized = resized || gone
			put(t.start, t.end, s)
		case t.kind == fName && t.sheet == "" && fo.tables != nil:
			if n, ok := fo.tables[strings.ToLower(f[t.start:t.end])]; ok {
				if n.now == "" {
					n.now, resized = "#REF!", true
				}
				put(t.start, t.end, n.now)
			}
		case t.kind == fRef && fo.shift != nil:
			if t.sheetTo != "" {
				fo.spans = fo.spans || fo.within(t)
				continue
			}
			s, size := fo.ref(t, p)
			resized = resized || size
			put(t.body, t.end, s)
		}
	}
	if !changed {
		return f, false, false
	}
	sb.WriteString(f[pos:])
	return sb.String(), true, resized
}

// address follows a text in a formula, quotes included, that begins with the
// name of a sheet, such as "Sales!A", "'Net sales'!" or "#Sales!A1".
func (fo *follower) address(s string) string {
	text, place := strings.CutPrefix(strings.ReplaceAll(strings.Trim(s, `"`), `""`, `"`), "#")
	bang := strings.LastIndexByte(text, '!')
	if bang < 1 || len(s) < 2 {
		return s
	}
	name := text[:bang]
	if q := len(name) - 1; q > 0 && name[0] == '\'' && name[q] == '\'' {
		name = strings.ReplaceAll(name[1:q], "''", "'")
	}
	now, ok := fo.names[strings.ToLower(name)]
	if !ok {
		return s
	}
	to := sheetPrefix(now) + text[bang+1:]
	if place {
		to = "#" + to
	}
	return `"` + strings.ReplaceAll(to, `"`, `""`) + `"`
}

// text is formula without the details.
func (fo *follower) text(f string, p standing) (string, bool) {
	now, changed, _ := fo.formula(f, p)
	return now, changed
}

func (fo *follower) mayName(f string) bool {
	low := strings.ToLower(f)
	for n := range fo.tables {
		if strings.Contains(low, n) {
			return true
		}
	}
	return false
}

// prefix is the sheet prefix of t under the new name.
func (fo *follower) prefix(t ftok) (string, bool) {
	from, to := t.sheet, t.sheetTo
	hit := false
	if now, ok := fo.names[strings.ToLower(from)]; ok {
		from, hit = now, true
	}
	if now, ok := fo.names[strings.ToLower(to)]; ok && to != "" {
		to, hit = now, true
	}
	if !hit {
		return "", false
	}
	if to == "" {
		return sheetPrefix(from), true
	}
	if plainName(from) && plainName(to) {
		return from + ":" + to + "!", true
	}
	return quoteSheet(from+":"+to) + "!", true
}

// within reports whether the shifted sheet lies in a 3-D span.
func (fo *follower) within(t ftok) bool {
	a, b, s := slices.Index(fo.order, strings.ToLower(t.sheet)), slices.Index(fo.order, strings.ToLower(t.sheetTo)), slices.Index(fo.order, fo.sheet)
	return s >= min(a, b) && s <= max(a, b)
}

// ref follows the reference of t, without its sheet prefix.
func (fo *follower) ref(t ftok, p standing) (string, bool) {
	a, b := t.a, t.b
	same := func() string {
		if b.Kind == cellref.NoEnd {
			return a.String()
		}
		return a.String() + ":" + b.String()
	}
	on := t.sheet == "" && p.sheet == fo.sheet || t.sheet != "" && strings.ToLower(t.sheet) == fo.sheet
	sh := *fo.shift
	if sh.Cols && a.Kind == cellref.RowEnd || !sh.Cols && a.Kind == cellref.ColumnEnd || !on && !(p.keep && p.delta != 0) {
		return same(), false
	}
	single := b.Kind == cellref.NoEnd
	x, y := a.Index(sh.Cols), a.Index(sh.Cols)
	if !single {
		y = b.Index(sh.Cols)
	}
	gone := false
	size := y - x
	relA, relB := p.keep && !a.Absolute(sh.Cols), p.keep && !(single && a.Absolute(sh.Cols) || !single && b.Absolute(sh.Cols))
	switch {
	case relA && relB:
		x, y = x+p.delta, y+p.delta
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

// mixed follows one end of a range whose other end is of the other kind.
func (fo *follower) mixed(i int, relative, on bool, p standing) int {
	if relative {
		return i + p.delta
	}
	if on {
		i, _ = fo.shift.Index(i)
	}
	return i
}

// structured follows Table[…].
func (fo *follower) structured(s string) (now string, gone bool) {
	i := strings.IndexByte(s, '[')
	t, ok := fo.tables[strings.ToLower(s[:i])]
	if !ok {
		return s, false
	}
	if t.now == "" {
		return "#REF!", true
	}
	for j := i; j < len(s); j++ {
		if s[j] != '[' {
			continue
		}
		end := bracketEnd(s, j)
		inner := s[j+1 : max(j+1, end-1)]
		if strings.HasPrefix(strings.TrimSpace(inner), "[") {
			continue
		}
		if t.gone[strings.ToLower(unescapeColumn(inner))] {
			return "#REF!", true
		}
		j = end - 1
	}
	return t.now + s[i:], false
}
