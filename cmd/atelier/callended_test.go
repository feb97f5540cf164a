package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
)

// A person sees how long each call took, and whether it failed, was stopped or
// changed nothing.
func TestCallsSayHowTheyEnded(t *testing.T) {
	var out bytes.Buffer
	p := newPrinter(&out, false)
	ended := func(e agent.ToolComplete) { p.notify(engine.Notification{Params: e}) }
	ended(agent.ToolComplete{ToolCallID: "1", ToolName: "read_file", Path: "a.md", Success: true, Elapsed: 30 * time.Millisecond})
	ended(agent.ToolComplete{ToolCallID: "2", ToolName: "read_file", Path: "b.md", Elapsed: 2 * time.Second})
	ended(agent.ToolComplete{ToolCallID: "3", ToolName: "xlsx_operations", Path: "c.xlsx", Success: true, Unchanged: true})
	p.notify(engine.Notification{Params: engine.RunCancelRequested{}})
	ended(agent.ToolComplete{ToolCallID: "4", ToolName: "read_file", Path: "d.md"})
	require.Equal(t, "· read_file a.md  30 ms\n· read_file b.md  2.0 s: failed; the model was told why\n· xlsx_operations c.xlsx: changed nothing\n· read_file d.md: was stopped\n", out.String())
}

// The line during a run has what is done, for how long, and the tokens so far.
func TestProgressHasTimeAndTokens(t *testing.T) {
	now := time.Unix(0, 0)
	p := newRunProgress(func() time.Time { return now })
	p.begin()
	now = now.Add(12 * time.Second)
	require.Equal(t, "… thinking, 12 s", p.says())
	p.notify(engine.Notification{Params: agent.RequestUsage{Run: spend.Totals{InputTokens: 12_345, OutputTokens: 678}}})
	p.notify(engine.Notification{Params: agent.ToolExecuting{ToolCallID: "1", ToolName: "read_file", Path: "a.md"}})
	now = now.Add(65 * time.Second)
	require.Equal(t, "… read_file a.md, 1 m 05 s; so far 12,345 tokens in, 678 out", p.says())
	p.notify(engine.Notification{Params: agent.ToolComplete{ToolCallID: "1"}})
	p.notify(engine.Notification{Params: agent.StreamDelta{TokenDelta: string(make([]byte, 400))}})
	require.Equal(t, "… writing, 1 ms; so far 12,345 tokens in, 678 out; about 100 tokens of this answer", p.says())
}
