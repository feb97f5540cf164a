package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// RV-06: a change deep in a long paragraph is seen, and what is left out is said.
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
