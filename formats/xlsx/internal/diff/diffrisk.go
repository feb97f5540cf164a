package diff

import (
	"fmt"
	"sort"
	"strings"

	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/internal/lazyregexp"
)

// maxReaching bounds the warnings of new contents.
const maxReaching = 50

// reachingFunctions are those by which a formula gets or sends data, and the
// form of a DDE link.
var reachingFunctions = lazyregexp.New(`(?i)\b(WEBSERVICE|HYPERLINK|IMAGE|RTD|CALL|REGISTER\.ID|FILTERXML|IMPORTDATA|IMPORTXML|IMPORTHTML)\s*\(|[A-Za-z0-9_.]+\|[^!]*!`)

// formulaText is text that a spreadsheet takes for a formula when it is typed,
// pasted or read from csv.
var formulaText = lazyregexp.New(`^\s*(=|[+@]\s*[A-Za-z(]|-\s*[A-Za-z(].*[(!|])`)

// reaching notes the formulas among new cells that get or send data, and text
// that would become one.
func (x *bookDiff) reaching(sheet string, row int, cells []seenCell) {
	for _, c := range cells {
		if c.like && len(x.reach) <= 2*maxReaching {
			x.reach = append(x.reach, fmt.Sprintf("the text in %s!%s reads like a formula: %s", sheet, cellref.Name(row, c.col), book.Clip(c.shown, 100)))
		}
		if c.formula != "" && len(x.reach) <= 2*maxReaching && x.reachesOut(c) {
			x.reach = append(x.reach, fmt.Sprintf("the formula in %s!%s reaches out: %s", sheet, cellref.Name(row, c.col), book.Clip(c.content(), 100)))
		}
	}
}

// reaches are the warnings of new contents.
func (x *bookDiff) reaches() []string {
	sort.Strings(x.reach)
	if len(x.reach) > maxReaching {
		return append(x.reach[:maxReaching:maxReaching], fmt.Sprintf("and %d more", len(x.reach)-maxReaching))
	}
	return x.reach
}

// reachesOut reports whether the formula of a cell gets or sends data; of those
// that share a long one it is asked once.
func (x *bookDiff) reachesOut(c seenCell) bool {
	if !strings.ContainsAny(c.formula, "(|") {
		return false
	}
	out, known := x.reachOf[c.member]
	if c.member == 0 || !known {
		if out = reachingFunctions.MatchString(c.formula); c.member != 0 {
			x.reachOf[c.member] = out
		}
	}
	return out
}
