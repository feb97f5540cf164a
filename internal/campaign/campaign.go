// Package campaign decides how much of a long test a run executes: a small
// sample, a larger one, or everything.
//
//	for i, path := range formatstest.Corpus(t, "docx") {
//		if campaign.Skips(t, i, 3) { // one document in three (or six)
//			continue
//		}
//		…
//	}
//
// ATELIER_CAMPAIGN selects how much: "full" everything, "large" a large sample,
// "slow" an eighth of that, and without it the same without the tests that call Slow,
// so that go test ends in a few minutes.
// ATELIER_SEED selects another sample.
package campaign

import (
	"flag"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // defines the flag that init sets
)

// A property test without Checks draws a quarter of rapid's 100 inputs in a small
// sample; -rapid.checks sets another number.
func init() {
	if level := os.Getenv("ATELIER_CAMPAIGN"); level == "" || level == "slow" {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
}

// Full reports whether campaigns run completely (ATELIER_CAMPAIGN=full).
func Full() bool { return os.Getenv("ATELIER_CAMPAIGN") == "full" }

// Small reports whether to take the small samples of go test: not with "large",
// nor in a full campaign, nor with -short, whose samples are others.
func Small() bool { return os.Getenv("ATELIER_CAMPAIGN") != "large" && !Full() && !testing.Short() }

// Slow leaves a test that takes seconds out of go test by itself, if a smaller one would
// show nothing or a smaller one is there too. Continuous integration runs one in six of
// them, others each day, and .ci/run full all.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv("ATELIER_CAMPAIGN") == "" && !testing.Short() {
		t.Skip("left out, since it takes seconds: set ATELIER_CAMPAIGN=slow")
	}
}

// Leaves reports whether go test by itself leaves out the ith item of a test that
// goes over many and takes seconds for it: all but one in every. Continuous
// integration takes all.
func Leaves(i, every int) bool {
	return os.Getenv("ATELIER_CAMPAIGN") == "" && !testing.Short() && uint64(i)%uint64(every) != Seed()%uint64(every)
}

// One is Slow for the ith of n tests that take long: the seed selects one of them. A full
// campaign runs all.
func One(t testing.TB, i, n int) {
	t.Helper()
	Slow(t)
	if !Full() && Seed()%uint64(n) != uint64(i) {
		t.Skip("left out: ATELIER_SEED selects another one, and ATELIER_CAMPAIGN=full all")
	}
}

// OnlyFull leaves a test that takes minutes out of all but full campaigns.
func OnlyFull(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("left out, since it takes minutes: set ATELIER_CAMPAIGN=full")
	}
}

// Seed returns ATELIER_SEED, or 34 if it is not set.
func Seed() uint64 {
	if s, err := strconv.ParseUint(os.Getenv("ATELIER_SEED"), 10, 64); err == nil {
		return s
	}
	return 34
}

// smallPart is how many times smaller the samples of go test are than large ones.
const smallPart = 8

// Skips reports whether to skip the ith item of a campaign. A large sample keeps
// one item in every, go test one in smallPart times as many, and with -short one in
// three times as many; with every = 1 only -short skips. The seed selects which.
func Skips(t testing.TB, i, every int) bool {
	t.Helper()
	if Full() || every <= 1 && !testing.Short() {
		return false
	}
	switch {
	case testing.Short():
		every *= 3
	case Small():
		every *= smallPart
	}
	return uint64(i)%uint64(every) != Seed()%uint64(every)
}

// Checks sets how many inputs rapid.Check draws in a test that takes long for
// each: 100 in a full campaign, else sample.
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

// Of returns how many of a campaign's n runs to execute: n in a full campaign,
// sample in a large sample, else an eighth of that, and with -short a third of it.
func Of(sample, n int) int {
	switch {
	case Full():
		return n
	case testing.Short():
		return max(sample/3, 1)
	case Small():
		return max(min(sample, n)/smallPart, 1)
	}
	return min(sample, n)
}
