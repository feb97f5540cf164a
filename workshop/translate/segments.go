package translate

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"atelier/formats/tags"
	"atelier/internal/sqlitedb"
	"atelier/workshop/translate/check"
)

// Show selects segments by how far they are.
type Show string

// The selections.
const (
	ShowAll        Show = ""
	ShowOpen       Show = "open"       // left in the source language, or with remarks and not confirmed
	ShowLeft       Show = "left"       // in the source language
	ShowTranslated Show = "translated" // by anyone
	ShowMachine    Show = "machine"
	ShowMemory     Show = "memory"
	ShowPerson     Show = "person" // written or confirmed by a person
)

// Shows are all selections but ShowAll.
var Shows = []Show{ShowOpen, ShowLeft, ShowTranslated, ShowMachine, ShowMemory, ShowPerson}

var showSQL = map[Show]string{
	ShowAll:        "1",
	ShowOpen:       "(state = 'left' OR flags <> '[]' AND origin <> 'person')",
	ShowLeft:       "state = 'left'",
	ShowTranslated: "state = 'translated'",
	ShowMachine:    "state = 'translated' AND origin = 'machine'",
	ShowMemory:     "state = 'translated' AND origin = 'memory'",
	ShowPerson:     "state = 'translated' AND origin = 'person'",
}

// Filter selects segments; the zero value selects all.
type Filter struct {
	Text string     // in the source or the translation, without tags, in any case
	Show Show       //
	Code check.Code // with a remark of this kind
}

// where is the condition of a filter.
func (f Filter) where() (string, []any) {
	out, args := showSQL[f.Show], []any(nil)
	if f.Code != "" {
		out += " AND instr(flags, ?) > 0"
		args = append(args, `"code":"`+string(f.Code)+`"`)
	}
	return out, args
}

// contains reports whether a text with tags has a text in lower case. SQLite's LIKE
// would compare only ASCII letters in any case, and would see tags.
func contains(tagged []byte, text string) bool {
	if bytes.ContainsAny(tagged, "<&") {
		tagged = []byte(tags.Plain(string(tagged)))
	}
	return bytes.Contains(bytes.ToLower(tagged), []byte(text))
}

// SegmentRow is a segment of a document of a job.
type SegmentRow struct {
	Document string // the name of its record: the place of the translation
	Input    string // the original
	Language string
	Position int // in the document
	Row
}

// DocumentCounts count the segments of a document.
type DocumentCounts struct {
	Record
	Segments, Left, Open, Confirmed int
	Unwritten                       bool // the program ended before the document had them
}

// Segments reads the ledger of a job beside the job. It takes no lock, so it also
// works while the job is running, and sees the documents that are written.
type Segments struct {
	db *sql.DB
	l  *Ledger
}

// OpenSegments opens the ledger at path for reading; without a ledger there are no
// segments.
func OpenSegments(path string) (*Segments, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return &Segments{}, nil
	}
	db, err := sqlitedb.Open(path, sqlitedb.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &Segments{db, &Ledger{db: db}}, nil
}

// Close ends the reading.
func (s *Segments) Close() error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// Documents returns the records with these names, in their order. A record that
// another job made of the same place, in another language, is left out: languages
// has the language of each name.
func (s *Segments) Documents(ctx context.Context, names, languages []string) ([]Record, error) {
	if s.db == nil {
		return nil, nil
	}
	all, err := s.l.Records(ctx)
	if err != nil {
		return nil, err
	}
	return recordsNamed(all, names, languages), nil
}

func recordsNamed(all []Record, names, languages []string) []Record {
	by := make(map[string]Record, len(all))
	for _, r := range all {
		by[r.Output] = r
	}
	var out []Record
	for i, n := range names {
		if r, ok := by[n]; ok && r.Language == languages[i] {
			out = append(out, r)
		}
	}
	return out
}

// Window returns limit segments of documents from offset on, in document order, and
// the number of all that the filter selects. Memory use does not depend on that.
func (s *Segments) Window(ctx context.Context, documents []Record, f Filter, offset, limit int) (rows []SegmentRow, total int, err error) {
	if len(documents) == 0 {
		return nil, 0, nil
	}
	if f.Text != "" {
		return s.search(ctx, documents, f, offset, limit)
	}
	counts, err := s.count(ctx, documents, f)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range documents {
		n := counts[d.id]
		total += n
		if offset >= n || limit <= 0 {
			offset = max(0, offset-n)
			continue
		}
		part, err := s.part(ctx, d, f, offset, limit)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, part...)
		offset, limit = 0, limit-len(part)
	}
	return rows, total, nil
}

// count counts the selected segments by the id of their document.
func (s *Segments) count(ctx context.Context, documents []Record, f Filter) (map[int64]int, error) {
	where, args := f.where()
	counts := map[int64]int{}
	for part := range slices.Chunk(documents, 500) {
		rows, err := s.db.QueryContext(ctx, `SELECT document, count(*) FROM segment WHERE document IN (`+marks(len(part))+`) AND `+where+` GROUP BY document`, append(ids(part), args...)...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var id int64
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				rows.Close()
				return nil, err
			}
			counts[id] = n
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// search is Window for a text: it looks at the segments one by one, and keeps the
// window.
func (s *Segments) search(ctx context.Context, documents []Record, f Filter, offset, limit int) (rows []SegmentRow, total int, err error) {
	where, args := f.where()
	text := strings.ToLower(f.Text)
	for _, d := range documents {
		var at []int
		n, err := s.positions(ctx, d, where, args, text, func(i, position int) {
			if i += total; i >= offset && i < offset+limit {
				at = append(at, position)
			}
		})
		if err != nil {
			return nil, 0, err
		}
		total += n
		for _, position := range at {
			row, err := s.read(ctx, d, "position = ?", position)
			if err != nil {
				return nil, 0, err
			}
			rows = append(rows, row...)
		}
	}
	return rows, total, nil
}

// positions calls take with the index and the position of each segment of a document
// that has a text.
func (s *Segments) positions(ctx context.Context, d Record, where string, args []any, text string, take func(i, position int)) (n int, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT position, source, target FROM segment WHERE document = ? AND `+where+` ORDER BY position`, append([]any{d.id}, args...)...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var source, target sql.RawBytes
	for rows.Next() {
		var position int
		if err := rows.Scan(&position, &source, &target); err != nil {
			return 0, err
		}
		if contains(source, text) || contains(target, text) {
			take(n, position)
			n++
		}
	}
	return n, rows.Err()
}

func marks(n int) string { return "?" + strings.Repeat(", ?", n-1) }

func ids(documents []Record) []any {
	out := make([]any, len(documents))
	for i, d := range documents {
		out[i] = d.id
	}
	return out
}

func (s *Segments) part(ctx context.Context, d Record, f Filter, offset, limit int) ([]SegmentRow, error) {
	where, args := f.where()
	return s.read(ctx, d, where+" ORDER BY position LIMIT ? OFFSET ?", append(args, limit, offset)...)
}

// read reads the segments of a document that a condition selects.
func (s *Segments) read(ctx context.Context, d Record, where string, args ...any) ([]SegmentRow, error) {
	args = append([]any{d.id}, args...)
	rows, err := s.db.QueryContext(ctx, `SELECT position, id, place, part, notes, max_length, source, target, state, origin, flags FROM segment
		WHERE document = ? AND `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []SegmentRow
	for rows.Next() {
		r := SegmentRow{Document: d.Output, Input: d.Input, Language: d.Language}
		var notes, flags string
		err := rows.Scan(&r.Position, &r.ID, &r.Place, &r.Part, &notes, &r.MaxLength, &r.Text, &r.Target, &r.State, &r.Origin, &flags)
		if err := errors.Join(err, json.Unmarshal([]byte(notes), &r.Notes), json.Unmarshal([]byte(flags), &r.Flags)); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// Counts counts the segments of each document.
func (s *Segments) Counts(ctx context.Context, documents []Record) ([]DocumentCounts, error) {
	out := make([]DocumentCounts, len(documents))
	at := map[int64]*DocumentCounts{}
	for i, d := range documents {
		out[i] = DocumentCounts{Record: d, Unwritten: d.Status == statusWriting}
		at[d.id] = &out[i]
	}
	for part := range slices.Chunk(documents, 500) {
		rows, err := s.db.QueryContext(ctx, `SELECT document, count(*), sum(`+showSQL[ShowLeft]+`), sum(`+showSQL[ShowOpen]+`), sum(`+showSQL[ShowPerson]+`)
			FROM segment WHERE document IN (`+marks(len(part))+`) GROUP BY document`, ids(part)...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var id int64
			var c DocumentCounts
			if err := rows.Scan(&id, &c.Segments, &c.Left, &c.Open, &c.Confirmed); err != nil {
				rows.Close()
				return nil, err
			}
			d := at[id]
			d.Segments, d.Left, d.Open, d.Confirmed = c.Segments, c.Left, c.Open, c.Confirmed
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
