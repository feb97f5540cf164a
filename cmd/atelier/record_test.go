package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/llm/replay/redact"
	"atelier/workshop/agent"
)

// TestD21ServeRecords: the runs of a desktop app are recorded, each in a
// file: one with a question that is answered, one that fails, one that
// continues from both and is canceled while it waits for the model. Each
// replays, and none contains the key.
func TestD21ServeRecords(t *testing.T) {
	for _, api := range []string{"chat", "anthropic", "responses"} {
		t.Run(api, func(t *testing.T) { t.Parallel(); serveRecords(t, api) })
	}
}

// serveRecords records runs with an endpoint that is asked in an API.
func serveRecords(t *testing.T, api string) {
	user := t.TempDir() // the home of a user
	host, err := os.Hostname()
	require.NoError(t, err)
	srv := serveFixture(t, `
-- model-1 --
{"call":{"id":"1","name":"ask_user","arguments":{"questions":[{"name":"format","question":"Which?","schema":"{\"type\":\"string\"}"}]}}}
-- model-2 --
{"call":{"id":"2","name":"write_text_file","arguments":{"path":"a.md","content":"# key `+secret+` of xanthippe on `+host+`, see `+strings.ReplaceAll(user, `\`, `\\`)+`/docs\n"}}}
-- model-3 --
{"text":"Written."}
-- model-4 --
{"status":400,"body":{"error":{"message":"no such model for `+secret+`"}}}
-- model-5 --
{"hang":true}
`)
	dir, folder := filepath.Join(t.TempDir(), "recordings"), t.TempDir()
	home := t.TempDir()
	a := startAppWith(t, []string{"--home", home, "--record", dir}, "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+srv.URL, "ATELIER_API="+api, "ATELIER_MODEL=some-model", "HOME="+user, "USERPROFILE="+user, "USER=xanthippe", "USERNAME=xanthippe")
	var wb struct {
		ID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", obj{"name": "Docs", "root": folder}, &wb)
	say := func(text string) string {
		var msg struct {
			ID string `json:"message_id"`
		}
		a.call("WorkshopSendUserMessage", obj{"workbench_id": wb.ID, "text": text}, &msg)
		return a.start("WorkshopRunAgent", obj{"workbench_id": wb.ID, "message_id": msg.ID})
	}
	run := say("My key is " + secret)
	q, _ := a.await(0, "question", func(m message) bool { return m.Method == agent.EventQuestionPending })
	a.call("WorkshopAnswerQuestion", obj{"workbench_id": wb.ID, "question_id": q.Params["question_id"], "answers": obj{"format": "md"}}, nil)
	m, _ := a.reply(run)
	require.Nil(t, m.Error)
	m, _ = a.reply(say("Again"))
	require.NotNil(t, m.Error)
	run = say("And again")
	require.Eventually(t, func() bool { return len(srv.Requests()) == 5 }, time.Minute, 5*time.Millisecond)
	a.call("WorkshopCancelRun", obj{"workbench_id": wb.ID}, nil)
	m, _ = a.reply(run)
	require.NotNil(t, m.Error)

	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	out, err := exec.Command(program(t), "replay", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "3 files: 3 as recorded, 0 different")
	var all string
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, private := range []string{secret, home, folder, user, "xanthippe", "differs from the live run"} {
			require.NotContains(t, string(b), private)
		}
		all += string(b)
	}
	require.Contains(t, all, "# key REDACTED of $USER on ")
	require.Contains(t, all, ", see $HOME/docs")
	if len(host) > 2 && host != "localhost" {
		require.Contains(t, all, " on $HOST, see")
	}
	require.Contains(t, all, `"answers":[{"format":"md"}]`)
	require.Contains(t, all, `"cancel_after":"request","count":1`)
	require.Contains(t, all, `"status":400`)
	require.Equal(t, api != "chat", strings.Contains(all, `"api":"`+api+`"`))
}

// D-21: the machine's short name is redacted as well.
func TestD21ShortHostName(t *testing.T) {
	red := redact.New()
	hostNames(red, "anns-mac.local")
	require.Equal(t, "on $HOST, or $HOST", red.Text("on anns-mac, or anns-mac.local"))
}
