package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/engine/enginetest"
	"atelier/llm/replay"
	"atelier/workshop/agent"
)

func TestMain(m *testing.M) {
	enginetest.ServeTools()
	_ = os.Setenv(engine.EnvKeychain, "off") // the keys of who runs the tests are not theirs
	os.Exit(m.Run())
}

// toolRig is an engine with a scripted model and a real program with tools.
type toolRig struct {
	t    *testing.T
	e    *engine.Engine
	srv  *replay.Server
	id   string
	dir  string // the folder
	home string
	log  string // of the calls that reached the program

	wait    sync.WaitGroup
	mu      sync.Mutex
	asked   []agent.QuestionPending
	answers []obj
	rest    obj // the answer to questions after those; nil: there are none
	told    []agent.ServerProblems
}

// withTools plays a script; calls is the model's calls, one a request, each "NAME ARGS".
func withTools(t *testing.T, change func(*engine.Options), entries obj, calls ...string) *toolRig {
	var sb strings.Builder
	for i, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		if args == "" {
			args = "{}"
		}
		fmt.Fprintf(&sb, "-- model-%d --\n{\"call\":{\"id\":\"tc-%d\",\"name\":%q,\"arguments\":%s}}\n", i+1, i+1, name, args)
	}
	fmt.Fprintf(&sb, "-- model-* --\n{\"text\":\"Done.\"}\n")
	r := &toolRig{t: t, log: filepath.Join(t.TempDir(), "calls")}
	f, err := replay.Parse([]byte(sb.String()))
	require.NoError(t, err)
	r.srv, err = replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(r.srv.Close)
	r.e = newEngine(t, func(o *engine.Options) {
		o.BaseURL, o.APIKey, o.Model = r.srv.URL, "key-of-the-model", "replay"
		if change != nil {
			change(o)
		}
		r.home = o.Home
	})
	if entries == nil {
		entries = obj{"srv": enginetest.ToolServerEntry(t, "yes", r.log)}
	}
	b, err := json.Marshal(obj{"mcpServers": entries})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.home, "mcp.json"), b, 0o600))
	r.id, r.dir = folder(t, r.e, map[string]string{"a.txt": "the secret of the folder"})
	stop := r.e.Subscribe(func(n engine.Notification) {
		switch p := n.Params.(type) {
		case agent.ServerProblems:
			r.mu.Lock()
			r.told = append(r.told, p)
			r.mu.Unlock()
		case agent.QuestionPending:
			r.answer(p)
		}
	})
	t.Cleanup(stop)
	return r
}

func (r *toolRig) answer(q agent.QuestionPending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, q)
	if len(r.answers) == 0 && r.rest != nil {
		r.answers = []obj{r.rest}
	}
	if !assert.NotEmpty(r.t, r.answers, "%s", q.Questions[0].Question) {
		r.answers = []obj{{q.Questions[0].Name: "no"}}
	}
	b, err := json.Marshal(obj{"workbench_id": r.id, "question_id": q.QuestionID, "answers": r.answers[0]})
	assert.NoError(r.t, err)
	r.answers = r.answers[1:]
	r.wait.Go(func() {
		_, err := r.e.Call(context.Background(), "WorkshopAnswerQuestion", b)
		assert.NoError(r.t, err)
	})
}

// run sends a message and answers questions in turn. It returns the results of the calls.
func (r *toolRig) run(more obj, answers ...obj) []string {
	r.t.Helper()
	r.answers = answers
	before := len(r.results())
	p := obj{"workbench_id": r.id, "message_id": must(r.t, r.e, "WorkshopSendUserMessage", obj{"workbench_id": r.id, "text": "Go."})["message_id"]}
	for k, v := range more {
		p[k] = v
	}
	must(r.t, r.e, "WorkshopRunAgent", p)
	r.wait.Wait()
	assert.Empty(r.t, r.answers, "not asked for")
	return r.results()[before:]
}

func (r *toolRig) results() (out []string) {
	for _, m := range must(r.t, r.e, "WorkshopGetConversation", obj{"workbench_id": r.id})["messages"].([]any) {
		if rec := m.(obj); rec["type"] == "tool_result" {
			out = append(out, rec["content"].(string))
		}
	}
	return out
}

func (r *toolRig) events() (rows []obj) {
	for _, ev := range must(r.t, r.e, "EgressListEvents", obj{"workbench_id": r.id, "limit": 1000})["events"].([]any) {
		rows = append(rows, ev.(obj))
	}
	return rows
}

// M-14, K-07: the program may be sent something after consent; what it says it only reads
// is called, what acts is asked about; each call that left has a row without content.
func TestK07ToolServerInARun(t *testing.T) {
	r := withTools(t, nil, nil, `read_file {"path":"a.txt"}`, `srv__get {"text":"one"}`, `srv__add {"text":"two"}`, `srv__add {"text":"three"}`, `srv__env`, `srv__add {"text":"four"}`)
	without := must(t, r.e, "WorkbenchGetClutter", obj{"workbench_id": r.id})
	got := r.run(nil, obj{"server": "always"}, obj{"approval": "once"}, obj{"approval": "no: enough"}, obj{"approval": "always"})
	require.Equal(t, []string{"note one", "added two"}, got[1:3])
	require.Contains(t, got[3], "the user refused srv__add: enough")
	require.NotContains(t, got[4], "key-of-the-model")
	require.Equal(t, "added four", got[5])
	require.Equal(t, []string{"get one", "add two", "env", "add four"}, enginetest.ToolCalls(t, r.log))
	require.Contains(t, r.asked[0].Questions[0].Question, "can hold what was read of a.txt")
	require.Equal(t, "srv", r.asked[1].Approval.Outside.Server)
	require.JSONEq(t, `{"text":"two"}`, r.asked[1].Approval.Outside.Arguments)

	var rows []string
	for _, ev := range r.events() {
		if ev["kind"] == "tool_server" {
			rows = append(rows, fmt.Sprint(ev["provider_id"], " ", ev["model_id"], " ", ev["bytes_out"], " ", ev["ended"], " ", ev["error"], " ", ev["files"]))
			require.NotContains(t, fmt.Sprint(ev), "two")
			require.Equal(t, false, ev["local"])
			require.Positive(t, ev["bytes_in"])
		}
	}
	require.Equal(t, []string{"srv srv__get 14 true <nil> [a.txt]", "srv srv__add 14 true <nil> [a.txt]", "srv srv__env 2 true <nil> [a.txt]", "srv srv__add 15 true <nil> [a.txt]"}, rows)

	list := must(t, r.e, "EgressListConsents", obj{"workbench_id": r.id})["consents"].([]any)
	require.Contains(t, fmt.Sprint(list), "tool-servers")
	granted := must(t, r.e, "WorkshopGetApprovals", obj{"workbench_id": r.id})["granted"].([]any)
	require.Equal(t, "srv__add", granted[0].(obj)["tool"])
	require.NotEmpty(t, granted[0].(obj)["of"])
	one := must(t, r.e, "ToolServersList", obj{"workbench_id": r.id})["servers"].([]any)[0].(obj)
	require.Equal(t, "ready", one["state"])
	require.Equal(t, true, one["allowed"])
	must(t, r.e, "EgressRevokeWorkshopConsent", obj{"workbench_id": r.id, "provider_id": "tool-servers", "model_id": "srv"})
	one = must(t, r.e, "ToolServersList", obj{"workbench_id": r.id})["servers"].([]any)[0].(obj)
	require.Equal(t, false, one["allowed"])
	must(t, r.e, "ToolServersAllow", obj{"workbench_id": r.id, "name": "srv", "allowed": true})
	one = must(t, r.e, "ToolServersList", obj{"workbench_id": r.id})["servers"].([]any)[0].(obj)
	require.Equal(t, true, one["allowed"])

	beside := func(fill obj) float64 { return fill["tokens"].(float64) - fill["conversation_tokens"].(float64) }
	require.Greater(t, beside(must(t, r.e, "WorkbenchGetClutter", obj{"workbench_id": r.id})), beside(without)+300)
	first := must(t, r.e, "WorkshopGetConversation", obj{"workbench_id": r.id})["messages"].([]any)[0].(obj)["message_id"]
	undone := must(t, r.e, "WorkshopUndoToMessage", obj{"workbench_id": r.id, "message_id": first, "before": true})
	require.Equal(t, []any{"srv__add was called 2 times; that is not undone", "srv__env was called; that is not undone", "srv__get was called; that is not undone"}, undone["notes"])
}

// M-14: without a person nothing is sent unless that was allowed, and nothing acts unless
// a rule names it; a policy of this machine only refuses whatever was allowed.
func TestM14ToolServerHeadless(t *testing.T) {
	two := []string{`srv__get {"text":"one"}`, `srv__add {"text":"two"}`}
	r := withTools(t, nil, nil, two...)
	got := r.run(obj{"headless": true})
	require.Contains(t, got[0], "nobody is there to allow it")
	require.Contains(t, got[1], "nobody is there to allow it")
	require.Empty(t, enginetest.ToolCalls(t, r.log))

	r = withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, nil, two...)
	got = r.run(obj{"headless": true})
	require.Equal(t, "note one", got[0])
	require.Contains(t, got[1], "nobody is there to ask")
	require.Equal(t, []string{"get one"}, enginetest.ToolCalls(t, r.log))

	r = withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, nil, two...)
	must(t, r.e, "WorkshopSetApprovals", obj{"workbench_id": r.id, "rules": []obj{{"tool": "srv__*", "action": "allow"}}})
	require.Equal(t, []string{"note one", "added two"}, r.run(obj{"headless": true}))

	r = withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, nil, two...)
	require.Equal(t, []string{"note one", "added two"}, r.run(obj{"headless": true, "allow_tools": []string{"srv__a*"}}))
	id := must(t, r.e, "WorkshopSendUserMessage", obj{"workbench_id": r.id, "text": "Go."})["message_id"]
	_, info := call(t, r.e, "WorkshopRunAgent", obj{"workbench_id": r.id, "message_id": id, "allow_tools": []string{"*"}})
	require.Contains(t, info.Detail, "names no tool of another program")

	r = withTools(t, func(o *engine.Options) { o.Egress = engine.EgressLocalOnly }, nil, two...)
	require.Contains(t, r.run(nil)[0], "egress is local_only")
	require.Empty(t, enginetest.ToolCalls(t, r.log))
}

// W-11, W-63: a program that hangs, dies or floods; one that does not start or does not
// answer is told once, and the run continues.
func TestW11ToolServersMisbehave(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	hang := enginetest.ToolServerEntry(t, "yes", log)
	hang["timeout"] = 1000
	r := withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, obj{
		"srv": enginetest.ToolServerEntry(t, "yes", log), "hung": hang, "wrong": enginetest.ToolServerEntry(t, "broken", log),
	}, `srv__fail`, `hung__hang`, `srv__flood`, `srv__die`, `srv__get {"text":"again"}`, `wrong__get {}`, `srv__picture`)
	must(t, r.e, "WorkshopSetApprovals", obj{"workbench_id": r.id, "rules": []obj{{"tool": "*__*", "action": "allow"}}})
	got := r.run(nil)
	require.Equal(t, "Error: there is no such note", got[0])
	require.Contains(t, got[1], "Error: ")
	require.Contains(t, got[1], "check before you repeat it")
	require.LessOrEqual(t, len(got[2]), 16<<10)
	require.Contains(t, got[2], "flood of words")
	require.Contains(t, got[3], "Error: server srv: ")
	require.Contains(t, got[3], "check before you repeat it")
	require.Equal(t, "note again", got[4], "it was started again")
	require.Contains(t, got[5], "the tools of the program wrong cannot be used now")
	require.Contains(t, got[6], "you cannot see images")
	told := slices.DeleteFunc(slices.Clone(r.told), func(p agent.ServerProblems) bool { return p.Waiting }) // on a slow machine
	require.Len(t, told, 1)
	require.Len(t, told[0].Servers, 1)
	require.Equal(t, "wrong", told[0].Servers[0].Server)
	require.Contains(t, told[0].Servers[0].Reason, "the licence has expired")
	require.NotContains(t, r.srv.Requests()[0].Messages[0].Content, "licence")
	require.Contains(t, enginetest.ToolCalls(t, log), "hang was canceled")
}

// A tool that changes while a run works is asked about again; one that vanished has an
// error; what descriptions and results say changes no rule.
func TestM14ToolServerChanges(t *testing.T) {
	r := withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, nil,
		`srv__add {"text":"1"}`, `srv__add {"text":"2"}`, `srv__inject`, `srv__add {"text":"3"}`, `srv__change`, `srv__add {"text":"4"}`, `srv__add {"text":"5"}`, `srv__fail`)
	r.rest = obj{"approval": "no"}
	got := r.run(nil, obj{"approval": "always"}, obj{"approval": "once"})
	require.Equal(t, []string{"added 1", "added 2", enginetest.Injection, "added 3", "changed"}, got[:5])
	// The program tells of its change beside the run: where that came before the next
	// request, the model has the new description already.
	if !strings.Contains(got[5], "its new description comes with the next request") {
		require.Contains(t, got[5], "the user refused srv__add")
	}
	require.Contains(t, got[6], "the user refused srv__add")
	for _, q := range r.asked[2:] {
		require.True(t, q.Approval.Outside.Changed)
	}
	require.Contains(t, got[7], "has no tool srv__fail any more")
	require.Equal(t, []string{"add 1", "add 2", "inject", "add 3", "change"}, enginetest.ToolCalls(t, r.log))
}

// C-01: two hundred tools are found, and cost the request little before.
func TestC01ToolServerWithManyTools(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	r := withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, obj{"srv": enginetest.ToolServerEntry(t, "yes", log, enginetest.Many, "200")},
		`find_tools {"query":"archive drawer 117"}`, `srv__list_117`, `srv__get {}`)
	got := r.run(nil)
	require.True(t, strings.HasPrefix(got[0], "srv__list_117: "), got[0])
	require.Equal(t, "drawer 117", got[1])
	require.Contains(t, got[2], "srv__get: Reads a note.")
	names := func(i int) (n int) {
		for _, tool := range r.srv.Requests()[i].Tools {
			if strings.HasPrefix(tool.Function.Name, "srv__") {
				n++
			}
		}
		return n
	}
	require.Zero(t, names(0))
	require.Positive(t, names(1))
	require.Less(t, names(1), 20)
}

// M-02, M-22: runs that only read have only tools that only read.
func TestM02ToolServerReadOnlyRun(t *testing.T) {
	r := withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, nil, `srv__get {"text":"one"}`, `srv__add {"text":"two"}`)
	got := r.run(obj{"read_only": true})
	require.Equal(t, []string{"note one", "Error: unknown tool: srv__add"}, got)
}

// A folder's file counts after a person approved it, and never on a server.
func TestK07ToolServersOfAFolder(t *testing.T) {
	for _, server := range []bool{false, true} {
		r := withTools(t, func(o *engine.Options) { o.Egress, o.Ceiling = engine.EgressAllowAll, server }, obj{}, `mine__get {"text":"one"}`, `mine__get {"text":"two"}`)
		require.NoError(t, os.MkdirAll(filepath.Join(r.dir, ".atelier"), 0o755))
		b, err := json.Marshal(obj{"mcpServers": obj{"mine": enginetest.ToolServerEntry(t, "yes", r.log)}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".atelier", "mcp.json"), b, 0o644))
		require.Contains(t, r.run(nil)[0], "Error: ")
		require.Empty(t, enginetest.ToolCalls(t, r.log))
		if server {
			require.Empty(t, must(t, r.e, "ToolServersList", obj{"workbench_id": r.id})["servers"])
			_, info := call(t, r.e, "ToolServersDecide", obj{"workbench_id": r.id, "name": "mine", "decision": "approve", "hash": "x"})
			require.NotNil(t, info)
			continue
		}
		one := must(t, r.e, "ToolServersList", obj{"workbench_id": r.id})["servers"].([]any)[0].(obj)
		require.Equal(t, "needs_approval", one["state"])
		_, info := call(t, r.e, "ToolServersDecide", obj{"workbench_id": r.id, "name": "mine", "decision": "approve", "hash": "x"})
		require.NotNil(t, info, "what was not shown is not approved")
		must(t, r.e, "ToolServersDecide", obj{"workbench_id": r.id, "name": "mine", "decision": "approve", "hash": one["hash"]})
		tested := must(t, r.e, "ToolServersTest", obj{"workbench_id": r.id, "name": "mine"})
		require.Equal(t, "ready", tested["server"].(obj)["state"])
		require.Equal(t, true, tested["tools"].([]any)[len(tested["tools"].([]any))-1].(obj)["name"] != "")
	}
}

// The user's programs are added, switched and removed over the protocol.
func TestToolServersOverTheAPI(t *testing.T) {
	r := withTools(t, nil, obj{})
	entry := enginetest.ToolServerEntry(t, "yes", r.log)
	must(t, r.e, "ToolServersSet", obj{"name": "notes", "entry": entry})
	one := must(t, r.e, "ToolServersList", obj{})["servers"].([]any)[0].(obj)
	require.Equal(t, "notes", one["name"])
	require.Equal(t, "stdio", one["kind"])
	require.NotContains(t, fmt.Sprint(one), r.log, "values of variables are not told")
	must(t, r.e, "ToolServersEnable", obj{"name": "notes", "enabled": false})
	one = must(t, r.e, "ToolServersList", obj{})["servers"].([]any)[0].(obj)
	require.Equal(t, "off", one["state"])
	_, info := call(t, r.e, "ToolServersSet", obj{"name": "bad", "entry": obj{}})
	require.NotNil(t, info)
	must(t, r.e, "ToolServersRemove", obj{"name": "notes"})
	require.Empty(t, must(t, r.e, "ToolServersList", obj{})["servers"])
	_, info = call(t, r.e, "ToolServersRemove", obj{"name": "notes"})
	require.NotNil(t, info)
}

// W-11: a program that answers nothing holds a run for a bounded time.
func TestW11ToolServerIsMute(t *testing.T) {
	engine.WaitForServers(t, 2*time.Second)
	r := withTools(t, func(o *engine.Options) { o.Egress = engine.EgressAllowAll }, obj{"mute": enginetest.ToolServerEntry(t, "mute", "")})
	start := time.Now()
	r.run(nil)
	require.Less(t, time.Since(start), 20*time.Second)
	require.True(t, r.told[0].Waiting)
	require.Equal(t, "mute", r.told[len(r.told)-1].Servers[0].Server)
}
