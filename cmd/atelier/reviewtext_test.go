package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/workshop/review"
)

// RV-06: a change far into a long paragraph is visible, and the amount of
// omitted text is shown.
func TestRV06LongTexts(t *testing.T) {
	long := strings.Repeat("The parties agree that. ", 60)
	before, after := pair(long+"Three months.", long+"Six\nweeks.", false)
	assert.True(t, strings.HasPrefix(before, "…") && strings.HasSuffix(before, "agree that. Three months."), before)
	assert.True(t, strings.HasPrefix(after, "…") && strings.HasSuffix(after, "agree that. Six ⏎ weeks."), after)

	before, after = pair(long+"End.", long+"In the end. End.", false)
	assert.Contains(t, before, "agree that. End.")
	assert.True(t, strings.HasPrefix(after, "…") && strings.HasSuffix(after, "agree that. In the end. End."), after)

	before, after = pair(strings.Repeat("a b ", 3000)+"old", strings.Repeat("a b ", 3000)+"new", false)
	assert.True(t, strings.HasSuffix(before, " old") && strings.HasSuffix(after, " new"), after)

	_, after = pair("", strings.Repeat("x", maxShown+7), false)
	assert.Equal(t, strings.Repeat("x", maxShown)+"… (7 more characters; --all shows them)", after)
	_, after = pair("", strings.Repeat("x", maxShown+7), true)
	assert.Equal(t, strings.Repeat("x", maxShown+7), after)
	before, after = pair(strings.Repeat("one two ", 100), strings.Repeat("drei vier ", 100), false)
	assert.Contains(t, before, "(300 more characters")
	assert.Contains(t, after, "(500 more characters")
}

// RV-06: a terminal shows every fact of a file, with ⚠ before those that a
// person should look at.
func TestRV06FactsOnATerminal(t *testing.T) {
	var b strings.Builder
	long := strings.Repeat("a long state, ", 10)
	printFacts(&b, review.ContentDiff{Diff: formats.Diff{FactsOmitted: 3, Facts: []formats.Fact{
		{Kind: formats.FactHiddenColumns, Change: formats.Added, At: "Sales!C:C", New: "35 values", Warning: "hidden"},
		{Kind: formats.FactName, Change: formats.Changed, At: "rate", Old: "0.1", New: "0.2"},
		{Kind: formats.FactChart, Change: formats.Moved, At: "Sales!G2", Old: "Sales!E2", New: "bar chart"},
		{Kind: formats.FactMerge, Change: formats.Removed, At: "Sales!A1:C1"},
		{Kind: formats.FactFormat, Change: formats.Changed, At: "p1", Old: long + "A", New: long + "B"},
	}}}, palette{}, true)
	require.Equal(t, "  beside the text\n"+
		"  ⚠ hidden    columns  Sales!C:C  35 values\n"+
		"    changed   name  rate  0.1 → 0.2\n"+
		"    moved     chart  Sales!G2  (was Sales!E2)  bar chart\n"+
		"    removed   merge  Sales!A1:C1\n"+
		"    changed   format  p1\n    - "+long+"A\n    + "+long+"B\n"+
		"    and 3 more of these; --all shows everything\n", b.String())
}
