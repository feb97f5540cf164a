package terms

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// The first row of a CSV may name its columns. Without such a row the first
// column is the source, the second the target, the third a note.
var (
	sourceNames    = []string{"source", "source term", "term", "src"}
	targetNames    = []string{"target", "target term", "translation", "tgt"}
	noteNames      = []string{"note", "notes", "comment", "comments", "definition", "description", "context", "remark"}
	caseNames      = []string{"case", "case sensitive", "case_sensitive", "casesensitive", "match case"}
	forbiddenNames = []string{"forbidden", "not", "avoid", "do not use", "forbidden target"}
	statusNames    = []string{"status", "usage"}
)

// column is the content of a CSV column: "*note", "*case", "*forbidden",
// "*status", "*skip", targetWord, or a language ("" is that of the source).
type column string

func readCSV(r io.Reader) ([]concept, error) {
	br := bufio.NewReader(r)
	cr := csv.NewReader(br)
	cr.Comma = findSeparator(br)
	cr.FieldsPerRecord = -1
	cr.LazyQuotes = true
	cr.ReuseRecord = true
	cr.Comment = '#'
	var cols []column
	var out []concept
	for {
		rec, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("line %d: %w", pe.Line, pe.Err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := cr.FieldPos(0)
		if cols == nil {
			head, ok, err := parseHeader(rec)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			if cols = head; ok {
				continue
			}
		}
		c, err := rowOf(cols, rec)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(c.words) == 0 {
			continue // an empty row
		}
		if len(out) == maxTerms {
			return nil, fmt.Errorf("line %d: a glossary holds at most %d terms; split it", line, maxTerms)
		}
		out = append(out, c)
	}
}

// findSeparator returns the most frequent of , ; tab in the first line.
func findSeparator(br *bufio.Reader) rune {
	head, _ := br.Peek(4096)
	for len(head) > 0 && head[0] == '#' { // the commas of a comment do not count
		_, rest, ok := strings.Cut(string(head), "\n")
		if !ok {
			break
		}
		head = []byte(rest)
	}
	line, _, _ := strings.Cut(string(head), "\n")
	best, most := ',', 0
	for _, sep := range []rune{'\t', ';', ','} {
		if n := strings.Count(line, string(sep)); n > most {
			best, most = sep, n
		}
	}
	return best
}

// parseHeader parses the row that names the columns. ok is false if the row is
// already a term; then the columns are source, target, note.
func parseHeader(rec []string) (cols []column, ok bool, err error) {
	langs, known, targets := 0, 0, 0
	for _, f := range rec {
		name := strings.ToLower(strings.TrimSpace(f))
		col := column("*skip")
		switch {
		case slices.Contains(sourceNames, name):
			col, known = "", known+1
		case slices.Contains(targetNames, name):
			col, known, targets = targetWord, known+1, targets+1
		case slices.Contains(noteNames, name):
			col = "*note"
		case slices.Contains(caseNames, name):
			col = "*case"
		case slices.Contains(forbiddenNames, name):
			col = "*forbidden"
		case slices.Contains(statusNames, name):
			col = "*status"
		case isLanguage(name):
			col, langs = column(canonical(name)), langs+1
		}
		cols = append(cols, col)
	}
	switch {
	case known >= 1 && langs+targets >= 1 || langs >= 2:
		return cols, true, nil
	case len(rec) < 2:
		return nil, false, errors.New("a glossary needs two columns at least: the term and its translation, separated by a comma, a semicolon or a tab")
	}
	return []column{"", targetWord, "*note"}, false, nil
}

func isLanguage(name string) bool {
	if len(name) < 2 || len(name) > 11 {
		return false
	}
	t, err := language.Parse(name)
	return err == nil && t != language.Und
}

func rowOf(cols []column, rec []string) (concept, error) {
	var c concept
	status := ""
	for i, f := range rec {
		if i >= len(cols) {
			break
		}
		f = strings.TrimSpace(f)
		var err error
		switch col := cols[i]; col {
		case "*skip":
		case "*note":
			c.note = f
		case "*case":
			c.caseSensitive = isYes(f)
		case "*status":
			status = strings.ToLower(f)
		case "*forbidden":
			if isNo(f) {
				break
			}
			if isYes(f) { // the row's own target is the forbidden one
				status = "forbidden"
				break
			}
			err = c.addWord(word{lang: targetWord, text: f, forbidden: true})
		default:
			err = c.addWord(word{lang: string(col), text: f})
		}
		if err != nil {
			return c, err
		}
	}
	if status == "forbidden" || status == "deprecated" || status == "do not use" {
		first := true // the first word is the source
		for i := range c.words {
			if !first {
				c.words[i].forbidden = true
			}
			first = false
		}
	}
	if len(c.words) == 1 && c.words[0].lang == "" {
		return c, fmt.Errorf("the term %q has no translation", c.words[0].text)
	}
	return c, nil
}

func isYes(s string) bool {
	return slices.Contains([]string{"yes", "y", "true", "1", "x", "case sensitive", "sensitive", "si", "sí", "ja", "oui"}, strings.ToLower(s))
}

func isNo(s string) bool {
	return slices.Contains([]string{"", "no", "n", "false", "0"}, strings.ToLower(s))
}
