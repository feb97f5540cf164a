package crashtest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report counts the operations, kills and repairs of a run.
type Report struct {
	Seed     uint64
	Kills    int
	Where    map[string]int // by operation in flight
	Before   int            // kills in flight that left the state before the operation
	After    int            // … the state after it
	Repairs  map[string]int // by the messages of the repair
	Repaired int            // openings that repaired something
	Refused  int            // operations that were correctly refused
	Time     time.Duration
}

func newReport(seed uint64) Report {
	return Report{Seed: seed, Where: map[string]int{}, Repairs: map[string]int{}}
}

func (r *Report) killed(where string) {
	r.Kills++
	r.Where[where]++
}

func (r *Report) repaired(said []string) {
	if len(said) > 0 {
		r.Repaired++
	}
	for _, s := range said {
		r.Repairs[withoutDigits(s)]++
	}
}

// withoutDigits merges messages that differ only in numbers.
func withoutDigits(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return '0' <= r && r <= '9' }), "N")
}

// String returns the report as text.
func (r Report) String() string {
	var sb strings.Builder
	inFlight := r.Kills - r.Where["between operations"]
	fmt.Fprintf(&sb, "%d kills in %s, seed %d: %d in flight (%d found as before, %d as after), %d between operations; %d openings repaired something; %d operations rightly refused\n",
		r.Kills, r.Time.Round(time.Second), r.Seed, inFlight, r.Before, r.After, r.Where["between operations"], r.Repaired, r.Refused)
	for _, m := range []map[string]int{r.Where, r.Repairs} {
		names := keys(m)
		slices.SortStableFunc(names, func(a, b string) int { return m[b] - m[a] })
		for _, n := range names {
			fmt.Fprintf(&sb, "  %6d  %s\n", m[n], n)
		}
	}
	return sb.String()
}
