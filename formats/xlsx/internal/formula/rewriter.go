package formula

import (
	"slices"
	"strings"
	"unicode/utf16"

	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/quote"
)

// Rewriter updates formulas after a change of a workbook: rows or columns
// inserted, deleted or moved, sheets renamed or deleted, tables or columns renamed or
// removed, texts replaced. The zero value changes nothing.
type Rewriter struct {
	Sheet   string                 // the sheet whose cells move, in lower case
	Shift   *cellref.Shift         // nil when no cell moves
	Names   map[string]string      // new names of sheets, by old name in lower case
	Deleted map[string]bool        // names of deleted sheets in lower case
	Tables  map[string]TableChange // by table name in lower case
	Order   []string               // names of all sheets before the change in lower case, for 3-D spans
	Torn    int                    // counts ranges that lost or gained cells in a move
	Spans   bool                   // set when a 3-D reference over the shifted sheet was found; it is not changed

	Texts    func() map[string]string // new texts by old, in lower case; called once, on demand
	literals map[string]string        // the result of Texts
	buf      []byte                   // for reuse
}

// TableChange is what happened to a table.
type TableChange struct {
	Now     string            // its new name, "" when it keeps its name
	Removed bool              // the table is gone
	Gone    map[string]bool   // removed columns, in lower case
	Renamed map[string]string // new names of columns, by old name in lower case
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

// DeleteSheet notes a deleted sheet. order lists all sheets of the file in
// lower case.
func (rw *Rewriter) DeleteSheet(name string, order []string) {
	if rw.Deleted == nil {
		rw.Deleted = map[string]bool{}
	}
	rw.Deleted[strings.ToLower(name)] = true
	rw.Order = order
}

// ChangeTable notes what happened to a table.
func (rw *Rewriter) ChangeTable(name string, c TableChange) {
	if rw.Tables == nil {
		rw.Tables = map[string]TableChange{}
	}
	rw.Tables[strings.ToLower(name)] = c
}

// RenameColumn notes the new name of a table column.
func (rw *Rewriter) RenameColumn(table, from, to string) {
	c := rw.Tables[strings.ToLower(table)]
	if c.Renamed == nil {
		c.Renamed = map[string]string{}
	}
	c.Renamed[strings.ToLower(from)] = to
	rw.ChangeTable(table, c)
}

// Idle reports whether there is nothing to update.
func (rw *Rewriter) Idle() bool {
	return rw.Shift == nil && len(rw.Names) == 0 && len(rw.Deleted) == 0 && len(rw.Tables) == 0 && rw.Texts == nil
}

// At returns the place of a formula in a cell of a sheet.
func (rw *Rewriter) At(sheet string) Place { return Place{Sheet: strings.ToLower(sheet)} }

// Formula returns f as it reads after the change. References to what is gone
// become #REF!. resized says that a range in it has grown, shrunk, lost all
// cells or has them in another order, so that its value may differ.
func (rw *Rewriter) Formula(f string, p Place) (now string, changed, resized bool) {
	if !rw.concerns(f) {
		return f, false, false
	}
	if now, changed, resized, ok := rw.plain(f, p); ok {
		return now, changed, resized
	}
	r := rewriting{f: f}
	var calls callStack
	for t := range Tokens(f) {
		calls.see(f, t)
		switch {
		case t.Kind == String:
			rw.text(&r, t, &calls)
		case len(rw.Deleted) > 0 && t.Sheet != "" && rw.withoutSheets(&r, t):
		default:
			rw.reference(&r, t, p)
		}
	}
	if !r.changed {
		return f, false, r.resized
	}
	r.sb.WriteString(f[r.pos:])
	return r.sb.String(), true, r.resized
}

// rewriting is a formula that is being rewritten.
type rewriting struct {
	f       string
	sb      strings.Builder
	pos     int // f is copied as far as here
	changed bool
	resized bool
}

// put replaces f[from:to].
func (r *rewriting) put(from, to int, s string) {
	if r.f[from:to] == s {
		return
	}
	r.sb.WriteString(r.f[r.pos:from])
	r.sb.WriteString(s)
	r.pos, r.changed = to, true
}

// concerns reports whether the change may concern f.
func (rw *Rewriter) concerns(f string) bool {
	switch {
	case rw.Shift != nil:
		return true
	case rw.Texts != nil && strings.IndexByte(f, '"') >= 0:
		return true
	case strings.ContainsAny(f, "!["):
		return !rw.Idle()
	}
	return len(rw.Tables) > 0 && rw.mayName(f)
}

// text rewrites a string literal: the address of a renamed sheet, or the text of
// changed cells.
func (rw *Rewriter) text(r *rewriting, t Token, calls *callStack) {
	s := r.f[t.Start:t.End]
	if len(rw.Names) > 0 && calls.address() {
		s = rw.Address(s)
	}
	if rw.Texts != nil && !calls.code() {
		if now, ok := rw.literal(s); ok {
			s = now
		}
	}
	r.put(t.Start, t.End, s)
}

// withoutSheets rewrites a reference to a deleted sheet, or to a span of sheets
// that begins or ends with one; false when the reference stays.
func (rw *Rewriter) withoutSheets(r *rewriting, t Token) bool {
	switch {
	case t.LastSheet != "":
		s, ok := rw.narrow(t.Sheet, t.LastSheet)
		if !ok {
			return false
		}
		if s != "" {
			r.put(t.Start, t.Body, s+"!")
			return true
		}
	case !rw.Deleted[strings.ToLower(t.Sheet)]:
		return false
	}
	r.put(t.Start, t.End, "#REF!")
	r.resized = true
	return true
}

// reference rewrites a reference, or the name of a table.
func (rw *Rewriter) reference(r *rewriting, t Token, p Place) {
	if len(rw.Names) > 0 && t.Body > t.Start && t.Sheet != "" {
		if s, ok := rw.prefix(t); ok {
			r.put(t.Start, t.Body, s)
		}
	}
	switch {
	case t.Kind == Structured && rw.Tables != nil:
		s, gone := rw.structured(r.f[t.Start:t.End])
		r.resized = r.resized || gone
		r.put(t.Start, t.End, s)
	case t.Kind == Name && t.Sheet == "" && rw.Tables != nil:
		c := rw.Tables[strings.ToLower(r.f[t.Start:t.End])]
		if c.Removed {
			c.Now, r.resized = "#REF!", true
		}
		if c.Now != "" {
			r.put(t.Start, t.End, c.Now)
		}
	case t.Kind == Ref && rw.Shift != nil && t.LastSheet != "":
		rw.Spans = rw.Spans || rw.within(t)
	case t.Kind == Ref && rw.Shift != nil:
		s, size := rw.ref(t, p)
		r.resized = r.resized || size
		r.put(t.Body, t.End, s)
	}
}

// Address updates a string literal in a formula, quotes included, that begins
// with the name of a sheet, such as "Sales!A", "'Net sales'!" or "#Sales!A1".
func (rw *Rewriter) Address(s string) string {
	text, place := strings.CutPrefix(strings.ReplaceAll(strings.Trim(s, `"`), `""`, `"`), "#")
	bang := strings.LastIndexByte(text, '!')
	if bang < 1 || len(s) < 2 {
		return s
	}
	name := text[:bang]
	if q := len(name) - 1; q > 0 && name[0] == '\'' && name[q] == '\'' {
		name = strings.ReplaceAll(name[1:q], "''", "'")
	}
	now, ok := rw.Names[strings.ToLower(name)]
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
func (rw *Rewriter) Text(f string, p Place) (string, bool) {
	now, changed, _ := rw.Formula(f, p)
	return now, changed
}

// mayName reports whether f contains the name of any changed table.
func (rw *Rewriter) mayName(f string) bool {
	low := strings.ToLower(f)
	for n := range rw.Tables {
		if strings.Contains(low, n) {
			return true
		}
	}
	return false
}

// narrow removes deleted sheets from the ends of a span of sheets, as Excel
// does; the result is "" when none is left.
func (rw *Rewriter) narrow(from, to string) (string, bool) {
	a, b := slices.Index(rw.Order, strings.ToLower(from)), slices.Index(rw.Order, strings.ToLower(to))
	if a < 0 || b < 0 || !rw.Deleted[rw.Order[a]] && !rw.Deleted[rw.Order[b]] {
		return "", false
	}
	if a > b {
		a, b = b, a
	}
	for a <= b && rw.Deleted[rw.Order[a]] {
		a++
	}
	for b >= a && rw.Deleted[rw.Order[b]] {
		b--
	}
	switch {
	case a > b:
		return "", true
	case a == b:
		return QuoteSheet(rw.Order[a]), true
	}
	return "'" + strings.ReplaceAll(rw.Order[a]+":"+rw.Order[b], "'", "''") + "'", true
}

// prefix returns the sheet prefix of t with the new names.
func (rw *Rewriter) prefix(t Token) (string, bool) {
	from, to := t.Sheet, t.LastSheet
	hit := false
	if now, ok := rw.Names[strings.ToLower(from)]; ok {
		from, hit = now, true
	}
	if now, ok := rw.Names[strings.ToLower(to)]; ok && to != "" {
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
func (rw *Rewriter) within(t Token) bool {
	a, b, s := slices.Index(rw.Order, strings.ToLower(t.Sheet)), slices.Index(rw.Order, strings.ToLower(t.LastSheet)), slices.Index(rw.Order, rw.Sheet)
	return s >= min(a, b) && s <= max(a, b)
}

// ref returns the updated reference of t without its sheet prefix, and whether
// its size changed.
func (rw *Rewriter) ref(t Token, p Place) (string, bool) {
	a, b := t.From, t.To
	same := func() string {
		if b.Kind == cellref.NoEnd {
			return a.String()
		}
		return a.String() + ":" + b.String()
	}
	on := t.Sheet == "" && p.Sheet == rw.Sheet || t.Sheet != "" && strings.ToLower(t.Sheet) == rw.Sheet
	sh := *rw.Shift
	if across := sh.Cols && a.Kind == cellref.RowEnd || !sh.Cols && a.Kind == cellref.ColumnEnd; across || !on && !(p.Keep && p.Delta != 0) {
		return same(), across && on && sh.Moves() // the order of its cells changes
	}
	single := b.Kind == cellref.NoEnd
	x, y := a.Index(sh.Cols), a.Index(sh.Cols)
	if !single {
		y = b.Index(sh.Cols)
	}
	gone, moves := false, on && sh.Moves() && sh.Splits(cellref.Block(min(x, y), min(x, y), max(x, y), max(x, y)))
	size := y - x
	relA, relB := p.Keep && !a.Absolute(sh.Cols), p.Keep && !(single && a.Absolute(sh.Cols) || !single && b.Absolute(sh.Cols))
	switch {
	case relA && relB:
		x, y = x+p.Delta, y+p.Delta
		gone = min(x, y) < 1 || max(x, y) > sh.Limit()
	case relA || relB:
		x, y = rw.mixed(x, relA, on, p), rw.mixed(y, relB, on, p)
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
	if moves && y-x != size {
		rw.Torn++
	}
	return same(), y-x != size || moves && !single
}

// mixed updates one end of a range that has one relative and one absolute end.
func (rw *Rewriter) mixed(i int, relative, on bool, p Place) int {
	if relative {
		return i + p.Delta
	}
	if on {
		i, _ = rw.Shift.Index(i)
	}
	return i
}

// structured updates a structured reference (18.17.6.2 and [MS-XLSX] 2.2.2.1)
// such as Table[Column] or Table[[#This Row],[Column]]. gone says that the table
// or the column no longer exists.
func (rw *Rewriter) structured(s string) (now string, gone bool) {
	i := strings.IndexByte(s, '[')
	c, ok := rw.Tables[strings.ToLower(s[:i])]
	if !ok {
		return s, false
	}
	if c.Removed {
		return "#REF!", true
	}
	var sb strings.Builder
	if c.Now != "" {
		sb.WriteString(c.Now)
	} else {
		sb.WriteString(s[:i])
	}
	for i < len(s) {
		if s[i] != '[' {
			sb.WriteByte(s[i])
			i++
			continue
		}
		end := BracketEnd(s, i)
		inner := s[i+1 : max(i+1, end-1)]
		if strings.HasPrefix(strings.TrimSpace(inner), "[") { // it only groups brackets
			sb.WriteByte('[')
			i++
			continue
		}
		column := strings.ToLower(UnescapeColumn(inner))
		if c.Gone[column] {
			return "#REF!", true
		}
		if to, ok := c.Renamed[column]; ok {
			sb.WriteString("[" + escapeColumn(to) + "]")
		} else {
			sb.WriteString(s[i:end])
		}
		i = end
	}
	return sb.String(), false
}

// literal returns the new form of a string literal, quotes included. It
// replaces a literal that equals the text of a changed cell, also after a
// comparison operator as in COUNTIF(A:A,"<>Done").
func (rw *Rewriter) literal(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	if rw.literals == nil {
		rw.literals = rw.Texts()
	}
	text := strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	now, ok := rw.literals[strings.ToLower(text)]
	if !ok {
		bare := strings.TrimLeft(text, "<>=")
		if now, ok = rw.literals[strings.ToLower(bare)]; ok {
			now = text[:len(text)-len(bare)] + now
		}
	}
	if !ok || len(utf16.Encode([]rune(now))) > 255 { // the most a text in a formula may have
		return "", false
	}
	return quote.Double(now), true
}
