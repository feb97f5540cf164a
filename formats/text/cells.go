package text

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/quote"
	"atelier/internal/textclip"
)

// field is one cell: its bytes with quotes, and where it stands.
type field struct {
	start, end int
	quoted     bool
	row, col   int // 1-based; rows count records, the header too
}

// value returns the cell's text without quotes.
func (f field) value(s string) string {
	v := s[f.start:f.end]
	if !f.quoted {
		return v
	}
	v = v[1:]
	if i := strings.LastIndexByte(v, '"'); i >= 0 {
		v = v[:i] + v[i+1:]
	}
	return strings.ReplaceAll(v, `""`, `"`)
}

// splitFields splits a delimiter-separated text (RFC 4180). Empty lines are not
// records, as in encoding/csv.
func splitFields(ctx context.Context, s string, delim byte) ([]field, error) {
	var out []field
	row := 1
	for pos, n := 0, 0; pos < len(s); n++ {
		if err := checkContext(ctx, n); err != nil {
			return nil, err
		}
		if s[pos] == '\n' || strings.HasPrefix(s[pos:], "\r\n") {
			pos += strings.IndexByte(s[pos:], '\n') + 1
			continue
		}
		for col := 1; ; col++ {
			f := field{start: pos, row: row, col: col, quoted: pos < len(s) && s[pos] == '"'}
			if f.quoted {
				pos = closingQuote(s, pos+1)
			}
			for pos < len(s) && s[pos] != delim && s[pos] != '\n' {
				pos++
			}
			f.end = pos
			if pos > f.start && pos < len(s) && s[pos] == '\n' && s[pos-1] == '\r' {
				f.end--
			}
			out = append(out, f)
			if pos >= len(s) || s[pos] == '\n' {
				break
			}
			pos++
		}
		pos++
		row++
	}
	return out, nil
}

// closingQuote returns the offset after the quote that ends a quoted field.
func closingQuote(s string, pos int) int {
	for {
		n := strings.IndexByte(s[pos:], '"')
		if n < 0 {
			return len(s)
		}
		pos += n + 1
		if pos >= len(s) || s[pos] != '"' {
			return pos
		}
		pos++
	}
}

// tableUnits makes a segment of each cell that has language in it. Cells that
// begin with '=' are formulas to a spreadsheet, and are left alone.
func tableUnits(ctx context.Context, s, ext string) ([]Unit, error) {
	delim := delimiterOf(headOf(s), ext)
	all, err := splitFields(ctx, s, delim)
	if err != nil {
		return nil, err
	}
	ending := "\n"
	if i := strings.IndexByte(s, '\n'); i > 0 && s[i-1] == '\r' {
		ending = "\r\n"
	}
	var names []string
	var units []Unit
	for _, f := range all {
		v := strings.ReplaceAll(f.value(s), "\r\n", "\n")
		if f.row == 1 {
			names = append(names, textclip.Fit(strings.TrimSpace(v), 40))
		}
		core := strings.TrimSpace(v)
		if !Translatable(core) || strings.HasPrefix(core, "=") {
			continue
		}
		place := fmt.Sprintf("row %d, column %s", f.row, columnLetters(f.col-1))
		if f.row > 1 && f.col <= len(names) && hasLetter(names[f.col-1]) {
			place = fmt.Sprintf("row %d, %s", f.row, names[f.col-1])
		}
		u := Unit{Segment: formats.Segment{ID: fmt.Sprintf("r%dc%d", f.row, f.col), Text: tags.Escape(core), Place: place}, Start: f.start, End: f.end}
		lead, tail, _ := strings.Cut(v, core)
		u.Write = func(target string, _ func(start, end int) string) (string, error) {
			t := strings.TrimSpace(tags.Plain(target))
			if looksLikeFormula(t) && !looksLikeFormula(core) {
				return "", errors.New("the text begins like a formula, which a spreadsheet would run; begin it with a letter")
			}
			return quoteField(strings.ReplaceAll(lead+t+tail, "\n", ending), f.quoted, delim), nil
		}
		units = append(units, u)
	}
	return units, nil
}

// looksLikeFormula reports whether a spreadsheet takes a text for a formula.
func looksLikeFormula(s string) bool { return s != "" && strings.IndexByte("=+-@", s[0]) >= 0 }

// quoteField writes a field, in quotes when it was or must be.
func quoteField(v string, quoted bool, delim byte) string {
	// Any usual delimiter is quoted, so that guessing it again gives the same.
	if !quoted && v != "" && !strings.ContainsAny(v, "\"\r\n,;\t|"+string(delim)) {
		return v
	}
	return quote.Double(v)
}
