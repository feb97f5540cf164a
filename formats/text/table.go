package text

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
)

const (
	maxColumns    = 200 // names listed in a map
	maxColumnName = 100 // characters of a name
)

// Table is what a map says of a csv or tsv file.
type Table struct {
	Delimiter   string   `json:"delimiter"`
	HasHeader   bool     `json:"has_header"` // whether the first row looks like names of columns
	Columns     []string `json:"columns"`    // the header row, or column letters; the first 200
	ColumnCount int      `json:"column_count"`
	RowCount    int      `json:"row_count"` // records below the header row; blank lines are none
}

// peekHead is the beginning of the text, for guessing its dialect.
func peekHead(ctx context.Context, cs charset, src formats.Source) ([]byte, error) {
	return io.ReadAll(io.LimitReader(cs.reader(ctx, src), 64<<10))
}

// tableStats counts records as the text streams by.
type tableStats struct {
	Table
	scan recordScanner
	rows int
}

func newTableStats(head []byte, ext string) *tableStats {
	d := delimiterOf(head, ext)
	t := &tableStats{scan: recordScanner{delim: d}}
	t.Delimiter = string(d)
	rows := sampleRows(head, d)
	if len(rows) > 0 {
		t.ColumnCount = len(rows[0])
		t.HasHeader = looksLikeHeader(rows)
		for i, name := range rows[0][:min(len(rows[0]), maxColumns)] {
			if !t.HasHeader {
				name = columnLetters(i)
			}
			t.Columns = append(t.Columns, clip(strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD"), maxColumnName))
		}
	}
	if t.Columns == nil {
		t.Columns = []string{}
	}
	return t
}

func (t *tableStats) add(b []byte) { t.rows += t.scan.count(b) }

func (t *tableStats) finish() *Table {
	t.rows += t.scan.end()
	t.RowCount = t.rows
	if t.HasHeader && t.RowCount > 0 {
		t.RowCount--
	}
	return &t.Table
}

// delimiterOf guesses the delimiter: the candidate that splits the first
// records into the same number (above one) of fields most often.
func delimiterOf(head []byte, ext string) byte {
	if ext == ".tsv" {
		return '\t'
	}
	best, bestScore := byte(','), 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		rows := sampleRows(head, d)
		if len(rows) == 0 || len(rows[0]) < 2 {
			continue
		}
		same := 0
		for _, r := range rows {
			if len(r) == len(rows[0]) {
				same++
			}
		}
		if score := same*1000/len(rows) + min(len(rows[0]), 50); score > bestScore {
			best, bestScore = d, score
		}
	}
	return best
}

// sampleRows parses the first records of head, leaving out one that may be cut.
func sampleRows(head []byte, delim byte) [][]string {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delim), true, -1
	var rows [][]string
	for len(rows) < 50 {
		row, err := r.Read()
		if err != nil {
			break
		}
		if r.InputOffset() >= int64(len(head)) && len(head) >= 64<<10 && len(rows) > 0 {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

// looksLikeHeader says whether the first row names columns: no number, date or
// empty cell in it, no name twice.
func looksLikeHeader(rows [][]string) bool {
	seen := map[string]bool{}
	for _, c := range rows[0] {
		c = strings.TrimSpace(c)
		if c == "" || seen[c] || !hasLetter(c) {
			return false
		}
		seen[c] = true
	}
	return true
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// columnLetters is the spreadsheet name of the 0-based column i.
func columnLetters(i int) string {
	s := ""
	for i++; i > 0; i = (i - 1) / 26 {
		s = string(rune('A'+(i-1)%26)) + s
	}
	return s
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// recordScanner counts records of RFC 4180 text: a quote opens a quoted field
// only at the start of a field.
type recordScanner struct {
	delim   byte
	quoted  bool // inside quotes
	inField bool // behind the first byte of a field
	content bool // the record has a byte
}

// count returns how many records end in b.
func (s *recordScanner) count(b []byte) int {
	n := 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.quoted {
			j := bytes.IndexByte(b[i:], '"')
			if j < 0 {
				return n
			}
			// A doubled quote closes and opens again at once: same count.
			i += j
			s.quoted, s.inField = false, false
			continue
		}
		switch {
		case c == '"' && !s.inField:
			s.quoted, s.content = true, true
		case c == '\n':
			n += s.end()
		case c == '\r':
		case c == s.delim:
			s.inField, s.content = false, true
		default:
			s.inField, s.content = true, true
		}
	}
	return n
}

// end counts the record that is open, if any.
func (s *recordScanner) end() int {
	had := s.content
	s.quoted, s.inField, s.content = false, false, false
	if had {
		return 1
	}
	return 0
}
