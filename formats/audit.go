package formats

import (
	"cmp"
	"context"
	"slices"
)

// Auditor looks for likely mistakes in a document. It changes nothing.
type Auditor interface {
	Audit(ctx context.Context, src Source, opt AuditOptions) (*Audit, error)
	// AuditKinds lists the kinds of findings, without "map".
	AuditKinds() []string
}

// AuditOptions restrict an audit. The zero value looks at the whole document.
type AuditOptions struct {
	// Cell, as Sheet!A1, asks what the cell reads and what reads it, instead of
	// findings (xlsx only).
	Cell string
	// Kinds are the kinds of findings to look for; none stands for all.
	Kinds []string
}

// Wants reports whether the options ask for findings of a kind.
func (o AuditOptions) Wants(kind string) bool {
	return len(o.Kinds) == 0 || slices.Contains(o.Kinds, kind)
}

// Severity says how likely a finding is a mistake that matters.
type Severity string

// The severities, in the order in which findings are listed.
const (
	SeverityHigh   Severity = "high"
	SeverityMedium Severity = "medium"
	SeverityLow    Severity = "low"
)

// rank returns the place of a severity in a list of findings.
func (s Severity) rank() int {
	return slices.Index([]Severity{SeverityHigh, SeverityMedium, SeverityLow}, s)
}

// Finding is one likely mistake.
type Finding struct {
	Kind     string   `json:"kind"`
	Severity Severity `json:"severity"`
	At       string   `json:"at"`                 // address as operations take it: "Sheet1!B2:B9", "p12", "slide_index 1, shape_id 3"
	Fact     string   `json:"fact"`               // one sentence
	Expected string   `json:"expected,omitempty"` // what would be there without the mistake
}

// Audit is the result of an audit.
type Audit struct {
	Findings []Finding      // ranked, at most MaxFindings
	Omitted  int            // findings beyond MaxFindings
	Counts   map[string]int // of all findings, by kind
	Map      any            // xlsx: sheets and what flows between them; pptx: layouts, fonts, hidden slides
	Trace    any            // what AuditOptions.Cell asked for
	Unseen   []string       // what was not looked at, and why
}

// MaxFindings is the most findings that an Audit holds.
const MaxFindings = 5000

// Add adds a finding. A caller that adds without a bound drops those beyond a
// multiple of MaxFindings.
func (a *Audit) Add(f Finding) {
	a.count(f.Kind)
	a.Findings = append(a.Findings, f)
}

// Drop counts a finding that is not held.
func (a *Audit) Drop(kind string) {
	a.count(kind)
	a.Omitted++
}

func (a *Audit) count(kind string) {
	if a.Counts == nil {
		a.Counts = map[string]int{}
	}
	a.Counts[kind]++
}

// Rank sorts the findings by severity, and those of one severity by the order of
// kinds, and drops those beyond MaxFindings. Findings of one severity and kind
// keep their order.
func (a *Audit) Rank(kinds []string) {
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		return cmp.Or(x.Severity.rank()-y.Severity.rank(), slices.Index(kinds, x.Kind)-slices.Index(kinds, y.Kind))
	})
	if n := len(a.Findings) - MaxFindings; n > 0 {
		a.Omitted += n
		a.Findings = a.Findings[:MaxFindings]
	}
}
