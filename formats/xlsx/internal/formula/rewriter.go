package formula

import (
	"slices"
	"strings"
	"unicode/utf16"

	"atelier/internal/quote"
)

// Rewriter updates formulas after sheets are deleted, table columns renamed and
// texts replaced.
type Rewriter struct {
	Deleted map[string]bool              // names of deleted sheets in lower case
	order   []string                     // all sheet names of the file, lower case, for 3-D spans
	Renames map[string]map[string]string // table name → old column → new, lower case keys

	Texts    func() map[string]string // new texts by old, in lower case; called once, on demand
	literals map[string]string        // the result of Texts
}

// DeleteSheet notes a deleted sheet. order lists all sheets of the file in
// lower case.
func (r *Rewriter) DeleteSheet(name string, order []string) {
	if r.Deleted == nil {
		r.Deleted = map[string]bool{}
	}
	r.Deleted[strings.ToLower(name)] = true
	r.order = order
}

// RenameColumn notes the new name of a table column.
func (r *Rewriter) RenameColumn(table, from, to string) {
	if r.Renames == nil {
		r.Renames = map[string]map[string]string{}
	}
	t := strings.ToLower(table)
	if r.Renames[t] == nil {
		r.Renames[t] = map[string]string{}
	}
	r.Renames[t][strings.ToLower(from)] = to
}

// Idle reports whether there is nothing to update.
func (r *Rewriter) Idle() bool {
	return len(r.Deleted) == 0 && len(r.Renames) == 0 && r.Texts == nil
}

// Formula returns the updated formula and whether it changed. References to a
// deleted sheet become #REF!, table columns get their new names, and texts
// change like those of the cells.
func (r *Rewriter) Formula(f string) (string, bool) {
	if r.Idle() || !strings.ContainsAny(f, `!["`) {
		return f, false
	}
	var sb strings.Builder
	pos := 0
	put := func(end int, s string) {
		sb.WriteString(s)
		pos = end
	}
	var calls callStack
	for t := range Tokens(f) {
		calls.see(f, t)
		switch {
		case t.Kind == String:
			if r.Texts == nil || calls.code() {
				continue
			}
			if s, ok := r.literal(f[t.Start:t.End]); ok && s != f[t.Start:t.End] {
				sb.WriteString(f[pos:t.Start])
				put(t.End, s)
			}
		case t.LastSheet != "":
			if s, ok := r.narrow(t.Sheet, t.LastSheet); ok {
				sb.WriteString(f[pos:t.Start])
				if s == "" {
					put(t.End, "#REF!")
				} else {
					put(t.Body, s+"!")
				}
			}
		case t.Sheet != "" && r.Deleted[strings.ToLower(t.Sheet)]:
			sb.WriteString(f[pos:t.Start])
			put(t.End, "#REF!")
		case t.Kind == Structured:
			if s, ok := r.structured(f[t.Start:t.End]); ok {
				sb.WriteString(f[pos:t.Start])
				put(t.End, s)
			}
		}
	}
	if pos == 0 {
		return f, false
	}
	sb.WriteString(f[pos:])
	return sb.String(), true
}

// narrow removes deleted sheets from the ends of a span of sheets, as Excel
// does; the result is "" when none is left.
func (r *Rewriter) narrow(from, to string) (string, bool) {
	a, b := slices.Index(r.order, strings.ToLower(from)), slices.Index(r.order, strings.ToLower(to))
	if a < 0 || b < 0 || !r.Deleted[r.order[a]] && !r.Deleted[r.order[b]] {
		return "", false
	}
	if a > b {
		a, b = b, a
	}
	for a <= b && r.Deleted[r.order[a]] {
		a++
	}
	for b >= a && r.Deleted[r.order[b]] {
		b--
	}
	switch {
	case a > b:
		return "", true
	case a == b:
		return QuoteSheet(r.order[a]), true
	}
	return "'" + strings.ReplaceAll(r.order[a]+":"+r.order[b], "'", "''") + "'", true
}

// structured renames columns in Table[Column], Table[[#This Row],[Column]] and
// similar references (18.17.6.2 and [MS-XLSX] 2.2.2.1).
func (r *Rewriter) structured(s string) (string, bool) {
	i := strings.IndexByte(s, '[')
	cols := r.Renames[strings.ToLower(s[:i])]
	if cols == nil {
		return s, false
	}
	var sb strings.Builder
	sb.WriteString(s[:i])
	changed := false
	for i < len(s) {
		if s[i] != '[' {
			sb.WriteByte(s[i])
			i++
			continue
		}
		end := BracketEnd(s, i)
		inner := s[i+1 : max(i+1, end-1)]
		// A bracket with brackets inside only groups.
		if strings.HasPrefix(strings.TrimSpace(inner), "[") {
			sb.WriteByte('[')
			i++
			continue
		}
		if to, ok := cols[strings.ToLower(UnescapeColumn(inner))]; ok {
			sb.WriteString("[" + escapeColumn(to) + "]")
			changed = true
		} else {
			sb.WriteString(s[i:end])
		}
		i = end
	}
	return sb.String(), changed
}

// literal returns the new form of a string literal, quotes included. It
// replaces a literal that equals the text of a changed cell, also after a
// comparison operator as in COUNTIF(A:A,"<>Done").
func (r *Rewriter) literal(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	if r.literals == nil {
		r.literals = r.Texts()
	}
	text := strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	now, ok := r.literals[strings.ToLower(text)]
	if !ok {
		bare := strings.TrimLeft(text, "<>=")
		if now, ok = r.literals[strings.ToLower(bare)]; ok {
			now = text[:len(text)-len(bare)] + now
		}
	}
	if !ok || len(utf16.Encode([]rune(now))) > 255 { // the most a text in a formula may have
		return "", false
	}
	return quote.Double(now), true
}
