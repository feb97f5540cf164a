package xlsx

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// rewriter changes formulas whose referents are renamed or gone.
type rewriter struct {
	deleted map[string]bool              // sheet names in lower case
	order   []string                     // all sheet names of the file, lower case, for 3-D spans
	renames map[string]map[string]string // table name → old column → new, lower case keys

	texts    func() map[string]string // texts in formulas that follow those of cells; lower case keys
	literals map[string]string        // them, once asked for
}

func (r *rewriter) deleteSheet(name string, order []string) {
	if r.deleted == nil {
		r.deleted = map[string]bool{}
	}
	r.deleted[strings.ToLower(name)] = true
	r.order = order
}

func (r *rewriter) renameColumn(table, from, to string) {
	if r.renames == nil {
		r.renames = map[string]map[string]string{}
	}
	t := strings.ToLower(table)
	if r.renames[t] == nil {
		r.renames[t] = map[string]string{}
	}
	r.renames[t][strings.ToLower(from)] = to
}

func (r *rewriter) idle() bool {
	return len(r.deleted) == 0 && len(r.renames) == 0 && r.texts == nil
}

// formula gives f with what it refers to followed: references to a deleted
// sheet become #REF!, renamed table columns take their new names, texts follow
// those of cells.
func (r *rewriter) formula(f string) (string, bool) {
	if r.idle() || !strings.ContainsAny(f, `!["`) {
		return f, false
	}
	var sb strings.Builder
	pos := 0
	put := func(end int, s string) {
		sb.WriteString(s)
		pos = end
	}
	var calls callStack
	for t := range formulaTokens(f) {
		calls.see(f, t)
		switch {
		case t.kind == fString:
			if r.texts == nil || calls.code() {
				continue
			}
			if s, ok := r.literal(f[t.start:t.end]); ok && s != f[t.start:t.end] {
				sb.WriteString(f[pos:t.start])
				put(t.end, s)
			}
		case t.sheetTo != "":
			if s, ok := r.narrow(t.sheet, t.sheetTo); ok {
				sb.WriteString(f[pos:t.start])
				if s == "" {
					put(t.end, "#REF!")
				} else {
					put(t.body, s+"!")
				}
			}
		case t.sheet != "" && r.deleted[strings.ToLower(t.sheet)]:
			sb.WriteString(f[pos:t.start])
			put(t.end, "#REF!")
		case t.kind == fStruct:
			if s, ok := r.structured(f[t.start:t.end]); ok {
				sb.WriteString(f[pos:t.start])
				put(t.end, s)
			}
		}
	}
	if pos == 0 {
		return f, false
	}
	sb.WriteString(f[pos:])
	return sb.String(), true
}

// narrow takes deleted sheets off the ends of a span of sheets, as Excel does;
// "" when none is left.
func (r *rewriter) narrow(from, to string) (string, bool) {
	a, b := slices.Index(r.order, strings.ToLower(from)), slices.Index(r.order, strings.ToLower(to))
	if a < 0 || b < 0 || !r.deleted[r.order[a]] && !r.deleted[r.order[b]] {
		return "", false
	}
	if a > b {
		a, b = b, a
	}
	for a <= b && r.deleted[r.order[a]] {
		a++
	}
	for b >= a && r.deleted[r.order[b]] {
		b--
	}
	switch {
	case a > b:
		return "", true
	case a == b:
		return quoteSheet(r.order[a]), true
	}
	return "'" + strings.ReplaceAll(r.order[a]+":"+r.order[b], "'", "''") + "'", true
}

// structured renames columns in Table[Column], Table[[#This Row],[Column]] and
// the like (18.17.6.2 and [MS-XLSX] 2.2.2.1).
func (r *rewriter) structured(s string) (string, bool) {
	i := strings.IndexByte(s, '[')
	cols := r.renames[strings.ToLower(s[:i])]
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
		end := bracketEnd(s, i)
		inner := s[i+1 : max(i+1, end-1)]
		// A bracket with brackets inside only groups.
		if strings.HasPrefix(strings.TrimSpace(inner), "[") {
			sb.WriteByte('[')
			i++
			continue
		}
		if to, ok := cols[strings.ToLower(unescapeColumn(inner))]; ok {
			sb.WriteString("[" + escapeColumn(to) + "]")
			changed = true
		} else {
			sb.WriteString(s[i:end])
		}
		i = end
	}
	return sb.String(), changed
}

// literal is the new form of a text in a formula, quotes included: of one that
// is all of a changed cell's text, or that with a comparison before it, as in
// COUNTIF(A:A,"<>Done").
func (r *rewriter) literal(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	if r.literals == nil {
		r.literals = r.texts()
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
	return `"` + strings.ReplaceAll(now, `"`, `""`) + `"`, true
}
