// Package campaign says how much of a long test a run takes: a sample from a
// seed, or the whole.
//
//	for i, path := range formatstest.Corpus(t, "docx") {
//		if campaign.Skips(t, i, 3) { // one document in three
//			continue
//		}
//		…
//	}
//
// ATELIER_SEED chooses another sample, ATELIER_CAMPAIGN=full takes everything.
package campaign

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Full reports whether campaigns run whole (ATELIER_CAMPAIGN=full).
func Full() bool { return os.Getenv("ATELIER_CAMPAIGN") == "full" }

// Seed is ATELIER_SEED, 34 where it is not set.
func Seed() uint64 {
	if s, err := strconv.ParseUint(os.Getenv("ATELIER_SEED"), 10, 64); err == nil {
		return s
	}
	return 34
}

// Skips reports whether the ith item of a campaign is left out: all but one in
// every are, and with -short all but one in three times as many. The seed says
// which.
func Skips(t testing.TB, i, every int) bool {
	t.Helper()
	if Full() || every <= 1 && !testing.Short() {
		return false
	}
	if testing.Short() {
		every *= 3
	}
	return uint64(i)%uint64(every) != Seed()%uint64(every)
}

// Checks sets how many inputs rapid.Check draws in a test that takes long for
// each: 100 in a whole campaign, else sample.
func Checks(t testing.TB, sample int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f == nil {
		t.Fatal("the test does not use rapid")
	}
	was := f.Value.String()
	if err := f.Value.Set(strconv.Itoa(Of(sample, 100))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(was) })
}

// Of is how many of a campaign's n runs are made: n whole, else sample, with
// -short a third of that.
func Of(sample, n int) int {
	switch {
	case Full():
		return n
	case testing.Short():
		return max(sample/3, 1)
	}
	return min(sample, n)
}
