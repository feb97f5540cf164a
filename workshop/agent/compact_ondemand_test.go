package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop/agent/runerr"
)

func (r *rig) compact(client llm.Client, opt CompactOptions) (Compacted, error) {
	r.cfg.Client = client
	return Compact(context.Background(), r.cfg, opt)
}

func TestCompactWhenAsked(t *testing.T) {
	files := map[string]string{}
	var replies []reply
	for i := range 3 {
		files[fmt.Sprintf("f%d.txt", i)] = manyLines(100)
		replies = append(replies, calls("read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i)))
	}
	r := newRig(t, files)
	talk(t, r, "The budget is 4711 euros.", 2000)
	_, err := r.run(play(append(replies, says("Read all."))...), "Read the files.")
	require.NoError(t, err)
	n := len(r.records())
	before := summarized(messages(r.records()))

	m := play(says("SUMMARY ONE"), says("SUMMARY TWO"))
	done, err := r.compact(m, CompactOptions{Keep: "the budget"})
	require.NoError(t, err)
	require.Contains(t, m.requests[0][0].Content, "The person asks you to keep above all: the budget")
	require.Equal(t, []string{"SUMMARY ONE", "SUMMARY TWO"}, done.Summaries)
	require.Equal(t, CompactedAsked, done.Reason)
	require.Equal(t, 8, done.Summarised)
	require.Less(t, done.TokensAre, done.TokensWere)
	require.Equal(t, done.ContextCompacted, params[ContextCompacted](r.events)[0])
	sum := func(s string) string { return "user:" + summaryBegin + s + summaryEnd }
	want := []string{sum("SUMMARY ONE"), "user:Read the files.", sum("SUMMARY TWO"), "assistant:Read all."}
	require.Equal(t, want, summarized(messages(r.records())))
	require.Len(t, r.records(), n+2, "what is stored stays")

	r.reopen()
	require.Equal(t, want, summarized(messages(r.records())), "also after a restart (W-54)")
	_, err = r.wb.UndoTo(t.Context(), done.UndoTo)
	require.NoError(t, err)
	require.Equal(t, before, summarized(messages(r.records())), "an undo takes it back")

	done, err = r.compact(play(says("SUMMARY THREE")), CompactOptions{KeepTurns: 1})
	require.NoError(t, err)
	require.Equal(t, append([]string{sum("SUMMARY THREE")}, before[2:]...), summarized(messages(r.records())))
	require.Equal(t, 2, done.Summarised)
}

func TestCompactWithNothingToSumUp(t *testing.T) {
	r := newRig(t, nil)
	done, err := r.compact(play(says("never")), CompactOptions{})
	require.NoError(t, err)
	require.Empty(t, done.Summaries)
	require.Equal(t, done.TokensWere, done.TokensAre)
	talk(t, r, "hello", 10)
	talk(t, r, "hello again", 3000)
	done, err = r.compact(play(says("never")), CompactOptions{})
	require.NoError(t, err)
	require.Empty(t, done.Summaries, "the first turn is short, the second is the last")
	require.Empty(t, params[ContextCompacted](r.events))
}

func TestCompactRefusals(t *testing.T) {
	const key = "sk-very-secret-key"
	r := newRig(t, nil)
	talk(t, r, "first", 2000)
	talk(t, r, "second", 10)
	n := len(r.records())
	r.cfg.APIKey = key
	for want, c := range map[string]struct {
		opt    CompactOptions
		client llm.Client
		code   string
	}{
		"keep_turns must be 0 or more": {CompactOptions{KeepTurns: -1}, play(says("x")), runerr.CodeValidation},
		"4000 characters":              {CompactOptions{Keep: strings.Repeat("ä", 4001)}, play(says("x")), runerr.CodeValidation},
		"the summary is empty":         {CompactOptions{}, play(says("")), runerr.CodeUnavailable},
		"longer than what it sums up":  {CompactOptions{}, play(says(strings.Repeat("and on ", 3000))), runerr.CodeUnavailable},
		"unauthorized":                 {CompactOptions{}, play(fails(llm.KindUnauthorized, 0)), runerr.CodeAuthFailed},
		"[key]": {CompactOptions{}, play(func(context.Context, func(string)) (response, error) {
			return response{}, &llm.Error{Kind: llm.KindInvalid, Message: "bad " + key}
		}), runerr.CodeValidation},
	} {
		_, err := r.compact(c.client, c.opt)
		require.ErrorContains(t, err, want)
		require.Equal(t, c.code, code(err))
		require.NotContains(t, err.Error(), key)
		require.Len(t, r.records(), n)
	}
}

// What the user says while the summary is made comes after it.
func TestCompactWhileTheUserSpeaks(t *testing.T) {
	r := newRig(t, nil)
	for range 3 {
		talk(t, r, "Go on.", 1000)
	}
	spoken := says("SUMMARY")
	_, err := r.compact(play(func(ctx context.Context, onDelta func(string)) (response, error) {
		r.say("Go on.")
		return spoken(ctx, onDelta)
	}), CompactOptions{KeepTurns: 1})
	require.NoError(t, err)
	answer := "assistant:" + strings.TrimSpace(strings.Repeat("word ", 1000))
	require.Equal(t, []string{"user:" + summaryBegin + "SUMMARY" + summaryEnd, "user:Go on.", answer, "user:Go on."}, summarized(messages(r.records())))
}
