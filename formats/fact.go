package formats

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Changed is the change of a Fact that is on both sides and differs.
const Changed Change = "changed"

// Fact is one change other than to the text of cells, paragraphs and shapes: a
// hidden row, a merge, a chart, a rule, page set-up. A review lists all of
// them.
type Fact struct {
	ID         string `json:"id"`     // depends on the two contents only
	Kind       string `json:"kind"`   // one of the Fact kinds below
	Change     Change `json:"change"` // Added, Changed, Removed, Moved
	At         string `json:"at,omitempty"`
	Old        string `json:"old,omitempty"` // in words; of a moved item where it was
	New        string `json:"new,omitempty"`
	Warning    string `json:"warning,omitempty"` // why a person should look, in a sentence that names the place
	Revertible bool   `json:"revertible"`        // it can be taken back without the whole file
	// Requires are the IDs of the changes that have to be taken back with this one, in
	// reviews that ask for it.
	Requires []string `json:"requires,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why it is not Revertible, in reviews that ask for Requires
}

// The kinds of facts. States such as FactHiddenRows are Added where the state
// begins and Removed where it ends.
const (
	FactSheet         = "sheet"
	FactSlide         = "slide"
	FactSection       = "section"
	FactRows          = "rows"
	FactColumns       = "columns"
	FactParagraphs    = "paragraphs"
	FactHiddenRows    = "hidden_rows"
	FactHiddenColumns = "hidden_columns"
	FactHiddenSheet   = "hidden_sheet"
	FactHiddenSlide   = "hidden_slide"
	FactHiddenText    = "hidden_text"
	FactHiddenShape   = "hidden_shape"
	FactRowHeight     = "row_height"
	FactColumnWidth   = "column_width"
	FactOutline       = "outline"
	FactMerge         = "merge"

	FactChart    = "chart"
	FactDiagram  = "diagram"
	FactPicture  = "picture"
	FactShape    = "shape"
	FactTable    = "table"
	FactPivot    = "pivot_table"
	FactSlicer   = "slicer"
	FactMedia    = "media"
	FactObject   = "embedded_object"
	FactMacros   = "macros"
	FactControl  = "control"
	FactComment  = "comment"
	FactNote     = "note"
	FactLink     = "link"
	FactField    = "field"
	FactBookmark = "bookmark"
	FactEquation = "equation"
	FactBreak    = "break"
	FactSymbol   = "symbol"

	FactValidation = "validation"
	FactCondFormat = "conditional_format"
	FactFilter     = "filter"
	FactProtection = "protection"

	FactName       = "name"
	FactValue      = "calculated_value"
	FactFormat     = "format"
	FactStyle      = "style"
	FactList       = "list"
	FactTheme      = "theme"
	FactLayout     = "layout"
	FactMaster     = "master"
	FactPageSetup  = "page_setup"
	FactHeader     = "header"
	FactFooter     = "footer"
	FactView       = "view"
	FactProperty   = "property"
	FactTracked    = "tracked_change"
	FactAnimation  = "animation"
	FactTransition = "transition"
	FactConnection = "connection"

	// FactPart is a part of the file with a difference that no other kind of
	// fact covers.
	FactPart = "part"
)

// factWords are the nouns for kinds whose name is not suitable in a summary,
// and the verbs for states.
var factWords = map[string]struct{ one, many, added, removed string }{
	FactHiddenRows:    {"rows", "blocks of rows", "hidden", "shown again"},
	FactHiddenColumns: {"columns", "blocks of columns", "hidden", "shown again"},
	FactHiddenSheet:   {"sheet", "sheets", "hidden", "shown again"},
	FactHiddenSlide:   {"slide", "slides", "hidden", "shown again"},
	FactHiddenText:    {"text", "texts", "hidden", "shown again"},
	FactHiddenShape:   {"shape", "shapes", "hidden", "shown again"},
	FactMedia:         {"media file", "media files", "", ""},
	FactObject:        {"embedded object", "embedded objects", "", ""},
	FactRows:          {"block of rows", "blocks of rows", "", ""},
	FactColumns:       {"block of columns", "blocks of columns", "", ""},
	FactProperty:      {"property", "properties", "", ""},
	FactMacros:        {"macros", "macro projects", "", ""},
	FactParagraphs:    {"empty paragraphs", "groups of empty paragraphs", "", ""},
	FactPageSetup:     {"page set-up", "page set-ups", "", ""},
	FactTracked:       {"tracked change", "tracked changes", "", ""},
	FactPart:          {"other part", "other parts", "", ""},
	FactValue:         {"calculated values", "groups of calculated values", "", ""},
	FactCondFormat:    {"conditional format", "conditional formats", "", ""},
	FactPivot:         {"pivot table", "pivot tables", "", ""},
	FactView:          {"view", "views", "", ""},
}

// FactID returns the ID of a fact: it names the two states, so that the same
// change has the same ID in every review.
func FactID(kind, key string, change Change, before, after string) string {
	h := sha256.New()
	for _, s := range []string{kind, key, string(change), before, after} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Follows reports whether the fact follows from other changes: values that were
// calculated, and that a program is to calculate them.
func (f Fact) Follows() bool {
	return f.Kind == FactValue || f.Kind == FactProperty && f.At == "calculation"
}

// Words returns what a fact is about and what happened to it: "columns",
// "hidden".
func (f Fact) Words() (noun, verb string) { return factNoun(f.Kind, 1), factVerb(f.Kind, f.Change) }

func factNoun(kind string, n int) string {
	w := factWords[kind]
	if w.one == "" {
		w.one = strings.ReplaceAll(kind, "_", " ")
		w.many = w.one + "s"
	}
	if n == 1 {
		return w.one
	}
	return w.many
}

func factVerb(kind string, change Change) string {
	switch w := factWords[kind]; {
	case change == Added && w.added != "":
		return w.added
	case change == Removed && w.removed != "":
		return w.removed
	}
	return string(change)
}

// FactWord names what happened to n facts of a kind: "chart added", "2 merges
// removed", "rows hidden".
func FactWord(kind string, change Change, n int) string {
	if n == 1 {
		return factNoun(kind, 1) + " " + factVerb(kind, change)
	}
	return fmt.Sprintf("%d %s %s", n, factNoun(kind, n), factVerb(kind, change))
}

// FactSummary counts facts by kind and change in the order of the list, without
// calculated values: the format counts their cells.
func FactSummary(facts []Fact) []string {
	type key struct {
		kind   string
		change Change
	}
	count := map[key]int{}
	var order []key
	for _, f := range facts {
		if f.Kind == FactValue {
			continue
		}
		k := key{f.Kind, f.Change}
		if count[k] == 0 {
			order = append(order, k)
		}
		count[k]++
	}
	out := make([]string, len(order))
	for i, k := range order {
		out[i] = FactWord(k.kind, k.change, count[k])
	}
	return out
}

// MaxWarnings bounds the warnings of one file.
const MaxWarnings = 50

// SetFacts puts facts into a diff that has its groups and the summary of their
// items: in a fixed order, with the warnings they carry first, and at most
// limit of them. The facts are appended to the summary. Counts include the
// facts beyond the limit.
func (d *Diff) SetFacts(facts []Fact, items []string, limit int) {
	slices.SortStableFunc(facts, func(a, b Fact) int {
		warns := func(f Fact) int {
			if f.Warning != "" {
				return 0
			}
			return 1
		}
		return cmp.Compare(warns(a), warns(b))
	})
	items = slices.DeleteFunc(items, func(s string) bool { return s == "" })
	said := FactSummary(facts)
	const most = 8
	if len(said) > most {
		said = append(said[:most:most], Count(len(said)-most, "other kind")+" of change")
	}
	switch d.Summary = strings.Join(append(items, said...), ", "); {
	case d.Summary == "" && len(d.Groups) == 0:
		d.Summary = "the content is the same; it is stored in another way"
	case d.Summary == "":
		d.Summary = Count(len(d.Groups), "group") + " changed"
	}
	more, before := 0, len(d.Warnings)
	for _, f := range facts {
		switch {
		case f.Warning == "" || slices.Contains(d.Warnings, f.Warning):
		case len(d.Warnings) < before+MaxWarnings:
			d.Warnings = append(d.Warnings, f.Warning)
		default:
			more++
		}
	}
	if more > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("and %d more", more))
	}
	if len(facts) > limit {
		d.FactsOmitted = len(facts) - limit
		facts = facts[:limit]
	}
	if d.Facts = facts; facts == nil {
		d.Facts = []Fact{} // an empty list in JSON
	}
}
