package template

import (
	"maps"
	"slices"
	"strings"

	"atelier/formats"
)

// Limits of one filling.
const (
	maxNesting = 20       // blocks in blocks
	maxText    = 32 << 20 // bytes that a part may grow to, and that values may add
	maxPart    = 32 << 20 // bytes of a part of a template
	maxSteps   = 100_000  // repetitions of blocks, also of those without text
	// MaxRecords limits the records of one call.
	MaxRecords = 10_000
	maxNoted   = 20 // places that are named
)

func tooDeep() error {
	return formats.Errorf(formats.CodeTooLarge, "blocks are nested more than %d deep; nothing was written", maxNesting)
}

func tooLarge() error {
	return formats.Errorf(formats.CodeTooLarge, "the filled file would have more than %d MiB of text; give fewer rows, or one file for each row", maxText>>20)
}

// Tally counts what was filled, over all files of a call.
type Tally struct {
	Filled  map[string]int    // placeholder name → how often
	Missing map[string]string // placeholder as written → first place; it stays
	Loose   map[string]string // control tag without a partner → first place; it stays
	Empty   map[string]int    // placeholder name → values that were empty
	Notes   []string
	used    map[string]bool
	more    int
}

// NewTally returns an empty tally.
func NewTally() *Tally {
	return &Tally{Filled: map[string]int{}, Missing: map[string]string{}, Loose: map[string]string{}, Empty: map[string]int{}, used: map[string]bool{}}
}

func (t *Tally) use(name string) {
	name = strings.TrimLeft(name, "!")
	name = strings.TrimPrefix(name, "not ")
	name, _, _ = strings.Cut(name, "==")
	name, _, _ = strings.Cut(name, "!=")
	head, _, _ := strings.Cut(strings.TrimSpace(name), ".")
	t.used[normal(head)], t.used[normal(name)] = true, true
}

func (t *Tally) fill(name, text string) {
	t.use(name)
	t.Filled[name]++
	if text == "" {
		t.Empty[name]++
	}
}

func (t *Tally) note(m map[string]string, raw, place string) {
	if _, ok := m[raw]; !ok && len(m) >= maxNoted {
		t.more++
	} else if !ok {
		m[raw] = place
	}
}

func (t *Tally) missing(raw, place string) { t.note(t.Missing, raw, place) }
func (t *Tally) loose(raw, place string)   { t.note(t.Loose, raw, place) }

// Note adds a sentence about the call, once.
func (t *Tally) Note(s string) {
	if !slices.Contains(t.Notes, s) && len(t.Notes) < maxNoted {
		t.Notes = append(t.Notes, s)
	}
}

// Unused lists the names of the records that no placeholder used.
func (t *Tally) Unused(records []Record) []string {
	all := map[string]bool{}
	for _, r := range records {
		for k := range r {
			if !t.used[normal(k)] {
				all[k] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// More is the number of places beyond those that Missing and Loose name.
func (t *Tally) More() int { return t.more }
