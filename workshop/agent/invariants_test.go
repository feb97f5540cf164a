package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/llm"
	"atelier/workshop"
)

// drawReply draws what a model may do in one answer, good and bad.
func drawReply(t *rapid.T) reply {
	text := rapid.SampledFrom([]string{"", "Let me see. ", "Fertig."}).Draw(t, "text")
	switch rapid.IntRange(0, 9).Draw(t, "reply") {
	case 0:
		return says(text)
	case 1:
		return fails(rapid.SampledFrom([]llm.Kind{llm.KindRateLimited, llm.KindUnavailable, llm.KindNetwork, llm.KindContextLength, llm.KindInvalid}).Draw(t, "kind"), 0)
	case 2:
		return func(_ context.Context, onDelta func(string)) (response, error) {
			onDelta("broken")
			return response{Content: "broken"}, &llm.Error{Kind: llm.KindUnavailable, Message: "cut", Emitted: true}
		}
	}
	var nameArgs []string
	for range rapid.IntRange(1, 7).Draw(t, "calls") {
		name := rapid.SampledFrom([]string{"list_files", "read_file", "get_file_info", "write_text_file", "wait", "nope", ""}).Draw(t, "tool")
		args := rapid.SampledFrom([]string{"", "{}", "{", "null", "[]", `{"path":"a.txt"}`, `{"path":"b.txt","content":"x"}`, `{"path":7}`, `{"path":"../x","content":""}`}).Draw(t, "args")
		nameArgs = append(nameArgs, name, args)
	}
	id := rapid.SampledFrom([]string{"", "call_0", "unique"}).Draw(t, "id")
	made := saysAndCalls(text, nameArgs...)
	return func(ctx context.Context, onDelta func(string)) (response, error) {
		resp, err := made(ctx, onDelta)
		for i := range resp.ToolCalls {
			if id != "unique" {
				resp.ToolCalls[i].ID = id
			}
		}
		return resp, err
	}
}

// TestWhateverTheModelDoes checks what must hold for every run (W-03, W-22,
// W-52, W-54, I-21): whatever the model answers, and whenever it is canceled.
func TestWhateverTheModelDoes(t *testing.T) {
	campaign.Checks(t, 80)
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, map[string]string{"a.txt": "hello"})
		r.cfg.Limits = Limits{Turns: 6, ToolTimeout: 2 * time.Millisecond, Retries: 2}
		r.addTool("wait", "write", func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
		var replies []reply
		for range rapid.IntRange(1, 6).Draw(rt, "replies") {
			replies = append(replies, drawReply(rt))
		}
		ctx := context.Background()
		if n := rapid.IntRange(0, 12).Draw(rt, "cancel"); n > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			r.events.on = func(Event) {
				if n--; n == 0 {
					cancel()
				}
			}
		}
		res, err := r.runCtx(ctx, play(replies...), "go")
		if err != nil {
			require.NotEmpty(rt, code(err))
			require.NotEmpty(rt, err.Error())
		} else {
			require.NotEmpty(rt, res.MessageID)
		}
		r.events.on = nil
		r.checkConversation(rt)
		r.checkEvents(rt)

		r.reopen()
		m := play(says("ok"))
		_, err = r.run(m, "again")
		require.NoError(rt, err)
		rs := r.records()
		require.Equal(rt, messages(rs[:len(rs)-1]), m.requests[0][1:])
	})
}

// checkConversation: ids are unique, and each call has one result, right after
// its message and in call order.
func (r *rig) checkConversation(t require.TestingT) {
	rs := r.records()
	seen := map[string]bool{}
	for i := 0; i < len(rs); i++ {
		require.False(t, seen[rs[i].MessageID])
		seen[rs[i].MessageID] = true
		for j, c := range rs[i].ToolCalls {
			require.NotEmpty(t, c.ID)
			require.False(t, seen[c.ID], "the call id %s is used twice", c.ID)
			seen[c.ID] = true
			require.Less(t, i+1+j, len(rs), "a call has no result")
			res := rs[i+1+j]
			require.Equal(t, workshop.TypeToolResult, res.Type)
			require.Equal(t, c.ID, res.ToolCallID)
			require.Equal(t, *res.Success, !strings.HasPrefix(res.Content, "Error: "), res.Content)
		}
		i += len(rs[i].ToolCalls)
	}
}

// checkEvents: each begun call ends once, and what was streamed is what is stored.
func (r *rig) checkEvents(t require.TestingT) {
	open := map[string]bool{}
	text := map[string]string{}
	for _, e := range r.events.list {
		require.Equal(t, r.wb.ID(), WorkbenchOf(e))
		switch p := e.Params.(type) {
		case ToolExecuting:
			require.False(t, open[p.ToolCallID])
			open[p.ToolCallID] = true
		case ToolComplete:
			require.True(t, open[p.ToolCallID])
			delete(open, p.ToolCallID)
		case StreamDelta:
			require.NotEmpty(t, p.TokenDelta)
			text[p.MessageID] += p.TokenDelta
		}
	}
	require.Empty(t, open)
	for _, rec := range r.records() {
		if rec.Type == workshop.TypeAssistant {
			require.Equal(t, rec.Text, text[rec.MessageID], fmt.Sprint(rec))
		}
	}
}

func TestWorkbenchOf(t *testing.T) {
	require.Equal(t, "w", WorkbenchOf(Event{Params: StreamDelta{WorkbenchID: "w"}}))
	require.Equal(t, "w", WorkbenchOf(Event{Params: &LoopWarning{WorkbenchID: "w"}}))
	require.Empty(t, WorkbenchOf(Event{}))
	require.Empty(t, WorkbenchOf(Event{Params: 7}))
	require.Empty(t, WorkbenchOf(Event{Params: struct{ WorkbenchID int }{7}}))
}
