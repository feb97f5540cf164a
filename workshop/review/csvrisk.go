package review

import (
	"encoding/csv"
	"fmt"
	"path"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/internal/textclip"
	"atelier/workshop/review/textdiff"
)

// maxWarnings limits the warnings about one file.
const maxWarnings = 50

// formulaText matches text that a spreadsheet interprets as a formula when it
// opens a csv file (CWE-1236). Signed numbers do not match.
var formulaText = lazyregexp.New(`^\s*(=|[+@]\s*[A-Za-z(]|-\s*[A-Za-z(].*[(!|])`)

// csvRisks returns warnings about fields of new lines that a spreadsheet
// would run.
func csvRisks(name string, hunks []textdiff.Hunk) []string {
	var out []string
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv":
	default:
		return nil
	}
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Type != textdiff.Added {
				continue
			}
			for _, f := range splitFields(l.Text) {
				if !formulaText.MatchString(f) {
					continue
				}
				if len(out) == maxWarnings {
					return append(out, "and more")
				}
				out = append(out, fmt.Sprintf("line %d has text that a spreadsheet takes for a formula: %s", l.NewLine, textclip.Head(f, 100)))
			}
		}
	}
	return out
}

// splitFields splits a line at the delimiter that gives the most fields.
func splitFields(line string) []string {
	best := []string{line}
	for _, c := range ",;\t|" {
		r := csv.NewReader(strings.NewReader(line))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord = c, true, -1
		// A pipe may also be part of a formula, so it needs more fields to
		// count as the delimiter.
		if f, err := r.Read(); err == nil && (len(f) > len(best) && c != '|' || len(f) > 2 && len(best) == 1) {
			best = f
		}
	}
	return best
}
