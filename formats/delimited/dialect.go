package delimited

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"unicode"
)

// HeadBytes is how many bytes of a text Detect examines.
const HeadBytes = 64 << 10

// Dialect describes the format of a delimiter-separated text.
type Dialect struct {
	Delimiter byte
	HasHeader bool     // whether the first record looks like names of columns
	First     []string // the first record, nil when there is none
}

// Detect guesses the dialect from the first HeadBytes of a text. ext is the
// extension of its file, ".tsv" for tabs.
func Detect(head []byte, ext string) Dialect {
	d := Dialect{Delimiter: Delimiter(head, ext)}
	if rows := sampleRecords(head, d.Delimiter); len(rows) > 0 {
		d.First, d.HasHeader = rows[0], looksLikeHeader(rows[0])
	}
	return d
}

// Delimiter guesses what separates columns: the candidate that splits the first
// records into the same number (above one) of fields most often.
func Delimiter(head []byte, ext string) byte {
	if ext == ".tsv" {
		return '\t'
	}
	best, bestScore := byte(','), 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		rows := sampleRecords(head, d)
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

// sampleRecords parses the first records of head, leaving out one that may be cut.
func sampleRecords(head []byte, delim byte) [][]string {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = rune(delim), true, -1
	var rows [][]string
	for len(rows) < 50 {
		row, err := r.Read()
		if err != nil {
			break
		}
		if r.InputOffset() >= int64(len(head)) && len(head) >= HeadBytes && len(rows) > 0 {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

// looksLikeHeader reports whether a record names columns: no number, date or
// empty cell in it, no name twice.
func looksLikeHeader(row []string) bool {
	seen := map[string]bool{}
	for _, c := range row {
		c = strings.TrimSpace(c)
		if c == "" || seen[c] || strings.IndexFunc(c, unicode.IsLetter) < 0 {
			return false
		}
		seen[c] = true
	}
	return true
}

// Letters returns the spreadsheet name of the 0-based column i: 0 is A, 26 is
// AA.
func Letters(i int) string {
	s := ""
	for i++; i > 0; i = (i - 1) / 26 {
		s = string(rune('A'+(i-1)%26)) + s
	}
	return s
}

// Names makes one name for each of n columns from a header record, which may be
// nil: trimmed, never empty (a column letter instead), and unique in any case
// by a number after the later ones, as SQL wants them.
func Names(header []string, n int) []string {
	names := make([]string, n)
	taken := map[string]bool{}
	for i := range names {
		name := Letters(i)
		if i < len(header) {
			if h := strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(header[i], "\x00", ""), "\uFFFD")), " "); h != "" {
				name = h
			}
		}
		base := name
		for k := 2; taken[strings.ToLower(name)]; k++ {
			name = base + "_" + strconv.Itoa(k)
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}
