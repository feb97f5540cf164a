package acp

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
)

// asking rules let the person decide about every change.
func asking(o *engine.Options) {
	o.Approvals = approvals.Policy{{Action: "ask", Tool: "write_text_file"}}
}

const writes = `
-- model-1 --
{"call":{"id":"a","name":"write_text_file","arguments":{"path":"new.md","content":"text\n"}}}
-- model-2 --
{"text":"So."}
`

// Approvals are permission requests about the call.
func TestApproval(t *testing.T) {
	for answer, want := range map[string]sdk.ToolCallStatus{"once": sdk.ToolCallStatusCompleted, "no": sdk.ToolCallStatusFailed, "made-up": sdk.ToolCallStatusFailed} {
		r := newRig(t, writes, nil, asking)
		r.choose = func(sdk.RequestPermissionRequest) string { return answer }
		require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Write"), answer)
		require.Len(t, r.asked, 1)
		require.EqualValues(t, "a", r.asked[0].ToolCall.ToolCallId)
		require.Contains(t, *r.asked[0].ToolCall.Title, "Allow write_text_file")
		require.Equal(t, sdk.PermissionOptionKindAllowAlways, r.asked[0].Options[2].Kind)
		u := r.wait(func(u sdk.SessionUpdate) bool { return u.ToolCallUpdate != nil && u.ToolCallUpdate.ToolCallId == "a" })
		require.Equal(t, want, *u.ToolCallUpdate.Status, answer)
	}
	// A client that cancels the question ends the turn.
	r := newRig(t, writes, nil, asking)
	r.choose = func(sdk.RequestPermissionRequest) string { return "" }
	require.Equal(t, sdk.StopReasonCancelled, r.prompt("Write"))
}

// Questions with choices are permission requests; others are asked in the text, and
// the next prompt answers.
func TestQuestions(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"call":{"id":"a","name":"ask_user","arguments":{"questions":[{"name":"colour","question":"Which colour?","schema":"{\"type\":\"string\",\"enum\":[\"red\",\"blue\"]}"},{"name":"sure","question":"Sure?","schema":"{\"type\":\"boolean\"}"},{"name":"how","question":"How many?","schema":"{\"type\":\"integer\",\"minimum\":2}"}]}}}
-- model-2 --
{"text":"Thanks."}
`, nil)
	r.choose = func(p sdk.RequestPermissionRequest) string { return string(p.Options[1].OptionId) }
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Ask me"))
	require.Len(t, r.asked, 2)
	require.Equal(t, []string{"red", "blue"}, []string{r.asked[0].Options[0].Name, r.asked[0].Options[1].Name})
	require.Contains(t, r.said(), "How many?")
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("one"))
	require.Contains(t, r.said(), "That does not fit")
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("3"))
	require.Contains(t, r.said(), "Thanks.")
	ms := r.srv.Requests()[1].Messages
	var got struct {
		Answers map[string]any `json:"answers"`
	}
	require.NoError(t, json.Unmarshal([]byte(ms[len(ms)-1].Content), &got))
	require.Equal(t, map[string]any{"colour": "blue", "sure": false, "how": 3.0}, got.Answers)
}

// A run that waits for a typed answer is canceled by session/cancel, and the session
// continues.
func TestCancelWhileAQuestionWaits(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"call":{"id":"a","name":"ask_user","arguments":{"questions":[{"name":"n","question":"Name?","schema":"{\"type\":\"string\"}"}]}}}
-- model-2 --
{"text":"Next."}
`, nil)
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Ask"))
	require.NoError(t, r.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: r.id}))
	require.Eventually(t, func() bool {
		st, err := engine.CallAs[engine.WorkshopState](t.Context(), r.e, "WorkshopGetState", engine.WorkbenchRef{WorkbenchID: string(r.id)})
		return err == nil && !st.Running
	}, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Go on"))
	require.Contains(t, r.said(), "Next.")
}

// Plan mode: the plan is shown, accepted with a permission request, and the mode
// changes to work.
func TestPlanMode(t *testing.T) {
	r := newRig(t, `
-- model-1 --
{"call":{"id":"a","name":"plan_write","arguments":{"title":"Rename","path":"rename","content":"1. Rename the party\n2. Check the dates\n"}}}
-- model-2 --
{"call":{"id":"b","name":"ask_user","arguments":{"questions":[{"name":"a","question":"Accept?","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}"}]}}}
-- model-3 --
{"call":{"id":"c","name":"exit_plan_mode","arguments":{"plan_file_path":"/plans/rename.plan"}}}
-- model-4 --
{"text":"Now I work."}
`, map[string]string{"a.md": "x"})
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("/plan Rename the party"))
	log := r.log()
	p := r.wait(func(u sdk.SessionUpdate) bool { return u.Plan != nil })
	require.Equal(t, "Rename the party", p.Plan.Entries[0].Content, log)
	require.Len(t, p.Plan.Entries, 2)
	require.Equal(t, sdk.PermissionOptionKindRejectOnce, r.asked[0].Options[1].Kind)
	require.NotContains(t, log, "not found")
	r.wait(func(u sdk.SessionUpdate) bool {
		return u.CurrentModeUpdate != nil && u.CurrentModeUpdate.CurrentModeId == modeWork
	})
}

// A run in phases shows its phases and the items of its plan, each with its state.
func TestPlanOfPhases(t *testing.T) {
	var p plan
	require.Len(t, p.phase("research"), 4)
	p.phaseDone("research")
	require.Equal(t, sdk.PlanEntryStatusInProgress, p.phase("plan")[1].Status)
	p.phase("implement")
	p.item(agent.ImplementProgress{CurrentItem: 1, TotalItems: 2, ItemLabel: "Rename"})
	got := p.item(agent.ImplementProgress{CurrentItem: 2, TotalItems: 3, ItemLabel: "Check"})
	var lines []string
	for _, e := range got {
		lines = append(lines, string(e.Status)+" "+e.Content)
	}
	require.Equal(t, []string{"completed Read the documents", "completed Write a plan", "in_progress Carry out the plan",
		"completed Rename", "in_progress Check", "pending Item 3", "pending Sum up"}, lines)
}

// Nothing is sent to a model elsewhere before the person allowed it; files come with
// the question.
func TestConsent(t *testing.T) {
	elsewhere := func(o *engine.Options) {
		at := strings.TrimPrefix(o.BaseURL, "http://")
		at, _, _ = strings.Cut(at, "/")
		o.BaseURL = "http://models.example.com/v1"
		o.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, at)
		}}}
	}
	r := newRig(t, "-- model-1 --\n{\"text\":\"Hello.\"}\n", map[string]string{"secret plan.md": "x"}, elsewhere)
	r.choose = func(sdk.RequestPermissionRequest) string { return consentNo }
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Hi"))
	require.Contains(t, r.said(), "Nothing was sent")
	require.Empty(t, r.srv.Requests())
	require.Contains(t, *r.asked[0].ToolCall.Title, "models.example.com")
	require.Contains(t, r.asked[0].ToolCall.Content[0].Content.Content.Text.Text, "secret plan.md")
	r.choose = func(sdk.RequestPermissionRequest) string { return consentNow }
	require.Equal(t, sdk.StopReasonEndTurn, r.prompt("Hi"))
	require.Contains(t, r.said(), "Hello.")
	require.Len(t, r.asked, 2)
}
