package questions

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// TestM11Answers: answers must fit; one that does not leaves the question open,
// one that does closes it, and nobody else can answer.
func TestM11Answers(t *testing.T) {
	var qs Broker
	got, err := qs.Open("w1", tools.Asking{ID: "q1", Questions: []tools.Question{
		{Name: "framework", Schema: json.RawMessage(`{"type":"string","enum":["Jest","Vitest"]}`)},
		{Name: "count", Schema: json.RawMessage(`{"type":"integer","minimum":1,"maximum":10}`)},
	}})
	require.NoError(t, err)
	answers := func(framework, count string) tools.Answers {
		m := tools.Answers{}
		if framework != "" {
			m["framework"] = json.RawMessage(framework)
		}
		if count != "" {
			m["count"] = json.RawMessage(count)
		}
		return m
	}
	for name, a := range map[string]tools.Answers{
		"framework": answers(`"Mocha"`, `1`), "count": answers(`"Jest"`, `11`),
	} {
		err := qs.Answer("w1", "q1", a)
		require.True(t, workshop.IsFault(err, workshop.Invalid), "%v", err)
		assert.Equal(t, name, workshop.AsFault(err).Field)
	}
	for count, want := range map[string]string{
		`11`: "the answer to count does not fit its schema: maximum: 11 is greater than 10", `0`: "the answer to count does not fit its schema: minimum: 0 is less than 1",
		`null`: "the answer to count is missing",
	} {
		require.EqualError(t, qs.Answer("w1", "q1", answers(`"Jest"`, count)), want)
	}
	for _, a := range []tools.Answers{nil, answers(`"Jest"`, ""), answers(`"Jest"`, `1.5`), answers(`"Jest"`, `"1"`), answers(`5`, `1`),
		{"framework": json.RawMessage(`"Jest"`), "count": json.RawMessage(`1`), "more": json.RawMessage(`1`)}} {
		assert.True(t, workshop.IsFault(qs.Answer("w1", "q1", a), workshop.Invalid), "%s", a)
	}
	assert.True(t, workshop.IsFault(qs.Answer("w2", "q1", answers(`"Jest"`, `1`)), workshop.NotFound), "another workspace's")
	assert.True(t, workshop.IsFault(qs.Answer("w1", "q2", answers(`"Jest"`, `1`)), workshop.NotFound))
	assert.Empty(t, got)
	require.NoError(t, qs.Answer("w1", "q1", answers(`"Jest"`, `10`)))
	require.Equal(t, answers(`"Jest"`, `10`), <-got)
	assert.True(t, workshop.IsFault(qs.Answer("w1", "q1", answers(`"Jest"`, `10`)), workshop.NotFound), "answered already")
}

// TestQuestionsBounded: a workbench that never answers keeps a bounded number
// of questions, and takes none of another's.
func TestQuestionsBounded(t *testing.T) {
	var qs Broker
	first, err := qs.Open("w1", tools.Asking{ID: "first"})
	require.NoError(t, err)
	open := func(workbench, id string, asked ...tools.Question) error {
		_, err := qs.Open(workbench, tools.Asking{ID: id, Questions: asked})
		return err
	}
	require.NoError(t, open("w2", "other"))
	for i := range openMax + 5 {
		require.NoError(t, open("w1", fmt.Sprint(i)))
	}
	_, waits := <-first
	assert.False(t, waits, "whoever waits for a question that is forgotten is told so")
	assert.True(t, workshop.IsFault(qs.Answer("w1", "4", nil), workshop.NotFound))
	assert.NoError(t, qs.Answer("w1", "5", nil))
	assert.NoError(t, qs.Answer("w2", "other", nil))
	qs.Forget("6")
	assert.True(t, workshop.IsFault(qs.Answer("w1", "6", nil), workshop.NotFound))
	for _, schema := range []string{`nonsense`, `"x"`, `{"type":5}`, `{"$ref":"https://example.org/x"}`} {
		err := open("w1", "bad", tools.Question{Name: "q", Schema: json.RawMessage(schema)})
		assert.True(t, workshop.IsFault(err, workshop.Invalid), "%s: %v", schema, err)
	}
}

// A null that the schema allows is an answer.
func TestNullAnswers(t *testing.T) {
	var qs Broker
	got, err := qs.Open("w1", tools.Asking{ID: "q1", Questions: []tools.Question{{Name: "n", Schema: json.RawMessage(`{"type":["integer","null"]}`)}}})
	require.NoError(t, err)
	require.NoError(t, qs.Answer("w1", "q1", tools.Answers{"n": json.RawMessage(`null`)}))
	require.Equal(t, json.RawMessage(`null`), (<-got)["n"])
}
