package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

func nothing(finish string) reply {
	return func(context.Context, func(string)) (llm.ChatResponse, error) {
		return llm.ChatResponse{FinishReason: finish, Reasoning: "Hm."}, nil
	}
}

// An answer without words is asked for once more; nobody is left with nothing.
func TestBlankAnswers(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "x"})
	m := play(nothing("stop"), says("Here I am."))
	res, err := r.run(m, "Hello")
	require.NoError(t, err)
	require.Equal(t, "Here I am.", res.Text)
	last := m.requests[1][len(m.requests[1])-1]
	require.Equal(t, llm.RoleUser, last.Role)
	require.Equal(t, "Hello\n\n"+blankNote, last.Content)

	_, err = r.run(play(nothing("length")), "Think hard")
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, CodeUnavailable, e.Code)
	require.True(t, e.Retryable)
	require.Contains(t, e.Detail, "its reasoning took all")

	m = play(calls("write_text_file", `{"path":"b.txt","content":"y"}`), nothing("stop"))
	res, err = r.run(m, "Write it")
	require.NoError(t, err, "the work is done")
	require.Empty(t, res.Text)
	require.Len(t, m.requests, 3)
	require.NotContains(t, r.results(), blankNote)
	for _, rec := range r.records() {
		require.NotContains(t, rec.Text, blankNote, "the note is for the model only")
	}
}
