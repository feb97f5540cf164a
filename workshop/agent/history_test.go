package agent

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
)

func userRec(id, text string) workshop.Record {
	return workshop.Record{Type: workshop.TypeUser, MessageID: id, Role: "user", Text: text}
}

func assistantRec(id, text string, calls ...string) workshop.Record {
	r := workshop.Record{Type: workshop.TypeAssistant, MessageID: id, Role: "assistant", Text: text}
	for _, c := range calls {
		var rc workshop.RecordCall
		rc.ID, rc.Function.Name, rc.Function.Arguments = c, "list_files", "{}"
		r.ToolCalls = append(r.ToolCalls, rc)
	}
	return r
}

func resultRec(call, content string) workshop.Record {
	return workshop.Record{Type: workshop.TypeToolResult, ToolCallID: call, Content: content}
}

// summarized writes messages as "role:content" and, for calls, "role:content(ids)".
func summarized(ms []llm.Message) []string {
	var out []string
	for _, m := range ms {
		s := m.Role + ":" + m.Content
		for _, c := range m.ToolCalls {
			s += "(" + c.ID + ")"
		}
		if m.ToolCallID != "" {
			s += "←" + m.ToolCallID
		}
		out = append(out, s)
	}
	return out
}

func TestMessagesFromRecords(t *testing.T) { // W-52, W-53, W-54
	ms := messages([]workshop.Record{
		userRec("u1", "hello"),
		{Type: workshop.TypeSystem, Text: "published"},
		assistantRec("a1", "looking", "c1", "c2"),
		resultRec("c2", "two"), resultRec("c1", "one"),
		assistantRec("a2", "done"),
		assistantRec("a3", ""),
		{Type: "something new"},
		resultRec("c9", "an orphan"),
		userRec("u2", "more"),
	})
	require.Equal(t, []string{"user:hello", "assistant:looking(c1)(c2)", "tool:one←c1", "tool:two←c2", "assistant:done", "user:more"}, summarized(ms))
	require.Equal(t, llm.ToolCall{ID: "c1", Type: "function", Function: llm.FunctionCall{Name: "list_files", Arguments: "{}"}}, ms[1].ToolCalls[0])
}

func TestOpenCalls(t *testing.T) {
	rs := []workshop.Record{
		userRec("u1", "hello"),
		assistantRec("a1", "", "c1", "c2", "c3"),
		resultRec("c1", "one"),
		userRec("u2", "are you there?"),
	}
	require.Equal(t, []openCall{{"c2", "list_files"}, {"c3", "list_files"}}, openCalls(rs))
	require.Equal(t, []string{"user:hello", "assistant:(c1)(c2)(c3)", "tool:one←c1", "tool:" + interruptedResult + "←c2", "tool:" + interruptedResult + "←c3", "user:are you there?"}, summarized(messages(rs)))

	// Closed by a later run, the results still stand where the calls are.
	rs = append(rs, resultRec("c2", interruptedResult), resultRec("c3", interruptedResult))
	require.Empty(t, openCalls(rs))
	require.Equal(t, "user:are you there?", summarized(messages(rs))[5])
}

func TestRepeatedCallIDsKeepTheirOwnResults(t *testing.T) {
	rs := []workshop.Record{
		userRec("u1", "x"),
		assistantRec("a1", "", "call_0"), resultRec("call_0", "first"),
		assistantRec("a2", "", "call_0"), resultRec("call_0", "second"),
	}
	require.Equal(t, []string{"user:x", "assistant:(call_0)", "tool:first←call_0", "assistant:(call_0)", "tool:second←call_0"}, summarized(messages(rs)))
	require.Equal(t, []openCall{{"call_0", "list_files"}}, openCalls(rs[:4]))
}

// What an endpoint wants back with a call is there in the next request, in the
// next run and after a restart, also when the call got another id.
func TestWhatCallsKeepStaysWithThem(t *testing.T) { // W-17, W-54
	r := newRig(t, map[string]string{"a.txt": "x\n"})
	kept := func(ctx context.Context, onDelta func(string)) (llm.ChatResponse, error) {
		resp, err := calls("list_files", "{}")(ctx, onDelta)
		resp.ToolCalls[0].Keep = `{"host":"h","model":"m","reasoning":"because"}`
		resp.ToolCalls[0].ID = "same"
		return resp, err
	}
	m := play(kept, kept, says("ok"))
	_, err := r.run(m, "go")
	require.NoError(t, err)
	r.reopen()
	m2 := play(says("ok"))
	_, err = r.run(m2, "again")
	require.NoError(t, err)
	for _, req := range [][]llm.Message{m.requests[2], m2.requests[0]} {
		n := 0
		for _, msg := range req {
			for _, c := range msg.ToolCalls {
				require.Contains(t, c.Keep, "because")
				n++
			}
		}
		require.Equal(t, 2, n)
	}
}
