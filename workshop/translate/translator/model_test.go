package translator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/llm"
	"atelier/llm/pseudo"
)

var ctx = context.Background()

func batch(texts ...string) Batch {
	b := Batch{From: "es", To: "en", Document: "a.docx"}
	for i, t := range texts {
		b.Segments = append(b.Segments, Segment{Segment: formats.Segment{ID: fmt.Sprint("s", i), Text: t, Place: fmt.Sprint("paragraph ", i+1)}})
	}
	return b
}

// scripted answers request n (from 1) with what next says.
type scripted struct {
	next func(n int, m []llm.Message) (llm.ChatResponse, error)
	n    int
}

func (s *scripted) Chat(_ context.Context, r llm.Request) (llm.ChatResponse, error) {
	s.n++
	return s.next(s.n, r.Messages)
}

func put(pairs ...string) llm.ChatResponse {
	var ts []translation
	for i := 0; i < len(pairs); i += 2 {
		ts = append(ts, translation{pairs[i], pairs[i+1]})
	}
	b, _ := json.Marshal(map[string]any{"translations": ts})
	return llm.ChatResponse{ToolCalls: []llm.ToolCall{{ID: "c", Type: "function", Function: llm.FunctionCall{Name: "put_translations", Arguments: string(b)}}}}
}

// TR-03: what is refused is asked again with the reason, and only that.
func TestTR03ModelAsksAgain(t *testing.T) {
	m, err := NewModel(ModelOptions{Model: "m", Client: &scripted{next: func(n int, msgs []llm.Message) (llm.ChatResponse, error) {
		if n == 1 {
			return put("s0", "one", "s1", "bad", "nope", "x", "s0", "two"), nil
		}
		last := msgs[len(msgs)-1].Content
		require.Contains(t, last, "not good enough")
		require.Contains(t, last, "no segment has this id")
		require.Contains(t, last, `only these segments: ["s1"]`)
		return put("s1", "good"), nil
	}}})
	require.NoError(t, err)
	got := map[string]string{}
	u, err := m.Translate(ctx, batch("uno", "dos"), func(id, target string) error {
		if target == "bad" {
			return errors.New("not good enough")
		}
		got[id] = target
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"s0": "one", "s1": "good"}, got, "the first answer counts")
	require.Equal(t, 2, u.Requests)
	require.Equal(t, 2, u.ToolCalls)
}

// TR-05, TR-04: context, terms, similar texts and what must stay reach the model.
func TestOpeningTellsWhatHelps(t *testing.T) {
	b := batch("dos")
	b.Instructions = "Be formal."
	b.Segments[0].Before, b.Segments[0].After = "uno", "tres"
	b.Segments[0].Terms = []Term{{Source: "dos", Target: "two", Note: "number"}, {Source: "dos", Target: "deuce", Forbidden: true}}
	b.Segments[0].Suggestions = []Suggestion{{Source: "dos más", Target: "two more"}}
	b.Segments[0].Keep = []string{"ACME"}
	m := opening(b)
	require.Contains(t, m[1].Content, "from Spanish to English")
	require.Contains(t, m[1].Content, "Be formal.")
	for _, want := range []string{`"before":"uno"`, `"after":"tres"`, "dos → two (number)", "dos never → deuce", `"two more"`, `"keep":["ACME"]`} {
		require.Contains(t, m[3].Content, want)
	}
}

// TR-08: an endpoint that says it is busy makes all wait as long as it asks,
// however often; one that fails is given up after some tries.
func TestTR08BusyAndFailing(t *testing.T) {
	var waits []time.Duration
	sleep := func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	l := NewLimiter(0, 0)
	m, err := NewModel(ModelOptions{Model: "m", Limit: l, Sleep: sleep, Client: &scripted{next: func(n int, _ []llm.Message) (llm.ChatResponse, error) {
		if n < 3 {
			return llm.ChatResponse{}, &llm.Error{Kind: llm.KindRateLimited, RetryAfter: 30 * time.Second}
		}
		return put("s0", "one"), nil
	}}})
	require.NoError(t, err)
	take := func(string, string) error { return nil }
	u, err := m.Translate(ctx, batch("uno"), take)
	require.NoError(t, err)
	require.Equal(t, 3, u.Requests)
	require.Contains(t, waits, 30*time.Second)
	d, _ := l.next(0)
	require.Greater(t, d, 20*time.Second, "others wait too")

	m, err = NewModel(ModelOptions{Model: "m", Sleep: sleep, Client: &scripted{next: func(int, []llm.Message) (llm.ChatResponse, error) {
		return llm.ChatResponse{}, &llm.Error{Kind: llm.KindNetwork, Message: "no route"}
	}}})
	require.NoError(t, err)
	u, err = m.Translate(ctx, batch("uno"), take)
	require.ErrorContains(t, err, "no route")
	require.Equal(t, maxRetries+1, u.Requests)
}

// TR-08: a configured pace is kept, and half of it after a 429.
func TestTR08Pace(t *testing.T) {
	l := NewLimiter(60, 0)
	next := func(tokens int) time.Duration { d, _ := l.next(tokens); return max(d, 0) }
	require.Zero(t, next(0))
	require.InDelta(t, time.Second, next(0), float64(200*time.Millisecond))
	l.busy(0)
	require.LessOrEqual(t, float64(l.requests.Limit()), 0.5)
	for range 50 {
		l.fine()
	}
	require.InDelta(t, 1, float64(l.requests.Limit()), 1e-9, "it recovers, up to what was asked for")
	l = NewLimiter(0, 600)
	require.Zero(t, next(600))
	require.InDelta(t, 30*time.Second, next(300), float64(time.Second))
}

func TestPseudoTranslates(t *testing.T) {
	b := batch("uno", "Hola <1>mundo</1>")
	got := map[string]string{}
	take := func(id, target string) error { got[id] = target; return nil }
	_, err := Pseudo{}.Translate(ctx, b, take)
	require.NoError(t, err)
	require.Equal(t, pseudo.Translate("Hola <1>mundo</1>"), got["s1"])
	b.To = "he"
	_, err = Pseudo{}.Translate(ctx, b, take)
	require.NoError(t, err)
	require.Equal(t, pseudo.In("Hola <1>mundo</1>", 0, true), got["s1"])
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Pseudo{}.Translate(canceled, b, take)
	require.ErrorIs(t, err, context.Canceled)
}

func TestLanguageNames(t *testing.T) {
	for code, want := range map[string]string{"es": "Spanish", "pt-BR": "Brazilian Portuguese", "zh-TW": "Chinese (Taiwan)", "Klingonish": "Klingonish"} {
		require.Equal(t, want, LanguageName(code), code)
	}
}
