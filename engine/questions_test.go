package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// TestM11Answers: answers must fit; one that does not leaves the question open,
// one that does closes it, and nobody else can answer.
func TestM11Answers(t *testing.T) {
	var qs questions
	var got []map[string]json.RawMessage
	asked := []Asked{
		{"framework", json.RawMessage(`{"type":"string","enum":["Jest","Vitest"]}`)},
		{"count", json.RawMessage(`{"type":"integer","minimum":1,"maximum":10}`)},
	}
	require.NoError(t, qs.ask("w1", "q1", asked, func(a map[string]json.RawMessage) { got = append(got, a) }))
	answers := func(framework, count string) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		if framework != "" {
			m["framework"] = json.RawMessage(framework)
		}
		if count != "" {
			m["count"] = json.RawMessage(count)
		}
		return m
	}
	for name, a := range map[string]map[string]json.RawMessage{
		"framework": answers(`"Mocha"`, `1`), "count": answers(`"Jest"`, `11`),
	} {
		err := qs.answer("w1", "q1", a)
		require.True(t, workshop.IsFault(err, workshop.Invalid), "%v", err)
		assert.Equal(t, name, workshop.AsFault(err).Field)
	}
	for _, a := range []map[string]json.RawMessage{nil, answers(`"Jest"`, ""), answers(`"Jest"`, `1.5`), answers(`"Jest"`, `"1"`), answers(`5`, `1`),
		{"framework": json.RawMessage(`"Jest"`), "count": json.RawMessage(`1`), "more": json.RawMessage(`1`)}} {
		assert.True(t, workshop.IsFault(qs.answer("w1", "q1", a), workshop.Invalid), "%s", a)
	}
	assert.True(t, workshop.IsFault(qs.answer("w2", "q1", answers(`"Jest"`, `1`)), workshop.NotFound), "another workspace's")
	assert.True(t, workshop.IsFault(qs.answer("w1", "q2", answers(`"Jest"`, `1`)), workshop.NotFound))
	assert.Empty(t, got)
	require.NoError(t, qs.answer("w1", "q1", answers(`"Jest"`, `10`)))
	require.Len(t, got, 1)
	assert.True(t, workshop.IsFault(qs.answer("w1", "q1", answers(`"Jest"`, `10`)), workshop.NotFound), "answered already")
}

// TestQuestionsBounded: a workbench that never answers keeps a bounded number
// of questions, and takes none of another's.
func TestQuestionsBounded(t *testing.T) {
	var qs questions
	nothing := func(map[string]json.RawMessage) {}
	require.NoError(t, qs.ask("w2", "other", nil, nothing))
	for i := range questionsMax + 5 {
		require.NoError(t, qs.ask("w1", fmt.Sprint(i), nil, nothing))
	}
	assert.True(t, workshop.IsFault(qs.answer("w1", "4", nil), workshop.NotFound))
	assert.NoError(t, qs.answer("w1", "5", nil))
	assert.NoError(t, qs.answer("w2", "other", nil))
	qs.forget("6")
	assert.True(t, workshop.IsFault(qs.answer("w1", "6", nil), workshop.NotFound))
	for _, schema := range []string{`nonsense`, `"x"`, `{"type":5}`, `{"$ref":"https://example.org/x"}`} {
		err := qs.ask("w1", "bad", []Asked{{"q", json.RawMessage(schema)}}, nothing)
		assert.True(t, workshop.IsFault(err, workshop.Invalid), "%s: %v", schema, err)
	}
}
