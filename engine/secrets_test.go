package engine_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

const password = "correct-horse-battery"

// reads answers with a call that reads a file, then with words, over and over.
func reads(path string) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) {
		if n%2 == 1 {
			io.WriteString(w, toolCall(n, "read_file", `{"path":"`+path+`"}`))
			return
		}
		io.WriteString(w, text("Done."))
	}
}

func (v *remote) sent(s string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Contains(strings.Join(v.bodies, "\n"), s)
}

// W-32: a consent to the files of a folder does not extend to its secrets: they are
// not sent with it, and once a rule unlocks one, the consent is asked for again.
func TestW32ConsentDoesNotExtendToSecrets(t *testing.T) {
	v := newRemote(t, reads(".env"))
	e := newEngine(t, v.use)
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha", ".env": "PASSWORD=" + password})
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	require.Equal(t, 2, v.count())
	require.False(t, v.sent(password))
	require.True(t, v.sent("it matches .env*"), "the model is told why, and how the user can allow it")
	require.True(t, v.sent("approval rule that names it"))

	rules := func(rs ...obj) {
		must(t, e, "WorkshopSetApprovals", obj{"workbench_id": id, "rules": rs})
	}
	rules(obj{"action": "allow"})
	_, info = runText(t, e, id, nil)
	require.Nil(t, info, "a rule about everything unlocks nothing")
	require.False(t, v.sent(password))

	rules(obj{"path": ".env", "effect": "read", "action": "allow"})
	n := v.count()
	_, info = runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, []string{".env"}, info.Paths)
	require.Contains(t, info.Detail, ".env would go along, which models are not given otherwise: an earlier consent does not extend to that")
	require.Equal(t, n, v.count())
	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	require.Equal(t, []any{".env"}, st["new_files"])
	grantNow(t, e, id, "first", true)
	_, info = runText(t, e, id, nil)
	require.Nil(t, info)
	require.True(t, v.sent(password), "now it is what the person wants")

	// The conversation carries it now: to another model it goes only with a consent
	// of its own, rule or not.
	rules()
	// A call of the person's own reads it, rule or not.
	r := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": ".env"}})
	require.Contains(t, r["result"].(map[string]any)["text"], password)
	_, info = runText(t, e, id, nil)
	require.Nil(t, info, "this model has its consent")
	grantFiles := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id, "model_id": "second:big"})
	require.Contains(t, grantFiles["new_files"], ".env")
}

// A rule that is made while a run is at work unlocks nothing that the consent with
// which it began does not cover: the request that would carry it is not made.
func TestW32UnlockedInTheMiddleOfARun(t *testing.T) {
	var e *engine.Engine
	var id string
	v := newRemote(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			must(t, e, "WorkshopSetApprovals", obj{"workbench_id": id, "rules": []obj{{"path": ".env", "action": "allow"}}})
		}
		reads(".env")(n, w, r)
	})
	e = newEngine(t, v.use)
	id, _ = folder(t, e, map[string]string{".env": "PASSWORD=" + password})
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.NotNil(t, info)
	require.Equal(t, 1, v.count())
	require.False(t, v.sent(password))
}

// What the user has open in the editor is not told either, when it is a secret or
// listed in .atelier/ignore; a translation leaves such documents out and says so.
func TestW32SecretsBesideTools(t *testing.T) {
	v := newRemote(t, says("Done."))
	e := newEngine(t, v.use, func(o *engine.Options) { o.Egress = engine.EgressAllowAll })
	id, dir := folder(t, e, map[string]string{"a.txt": "Hello everyone.", "pay.md": password, ".env": "x"})
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".atelier"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".atelier", "ignore"), []byte("pay.md\n"), 0o644))
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "w/.env", "content": password}, {"docPath": "w/pay.md", "content": password},
		{"docPath": "elsewhere/id_rsa", "content": password}, {"docPath": "elsewhere/fine.txt", "content": "fine content"}}})
	_, info := runText(t, e, id, obj{"catalogue": "aptix"})
	require.Nil(t, info)
	require.True(t, v.sent("fine content"))
	require.False(t, v.sent(password))
}
