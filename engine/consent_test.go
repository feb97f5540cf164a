package engine_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// Nothing leaves before consent; the error names who would get what and how to
// allow it, and what was granted is what was shown.
func TestNothingLeavesBeforeConsent(t *testing.T) {
	v := newRemote(t, says("Done."))
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha", "b.txt": "beta"})
	_, info := runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Equal(t, "openai", info.ProviderID)
	require.Equal(t, "first", info.ModelID)
	require.Equal(t, id, info.WorkbenchID)
	require.Equal(t, []string{"a.txt", "b.txt"}, info.Paths)
	require.Equal(t, "models.example.com", info.Egress.Host)
	require.Equal(t, 2, info.Egress.NewFiles)
	require.Contains(t, info.Detail, "first at models.example.com (openai)")
	require.Contains(t, info.Hint, "EgressGrantWorkshopConsent")
	require.Contains(t, info.Hint, "--allow-egress")
	require.False(t, info.Retryable)
	_, info = call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Zero(t, v.count(), "nothing was sent")
	require.Empty(t, must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"])

	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	require.Equal(t, obj{"consented": false, "provider_id": "openai", "model_id": "first", "scope_hash": st["scope_hash"], "persisted": false, "mode": "ask",
		"host": "models.example.com", "local": false, "files": 2.0, "new_files": []any{"a.txt", "b.txt"}, "new_count": 2.0}, st)
	require.Equal(t, info.Egress.ScopeHash, st["scope_hash"])

	grant := obj{"workbench_id": id, "provider_id": "openai", "model_id": "first", "scope_hash": st["scope_hash"]}
	for name, bad := range map[string]obj{
		"scope_hash":  {"scope_hash": "00"},
		"provider of": {"provider_id": "second"},
		"model_id":    {"model_id": ""},
	} {
		p := obj{}
		for k, v := range grant {
			p[k] = v
		}
		for k, v := range bad {
			p[k] = v
		}
		_, info = call(t, e, "EgressGrantWorkshopConsent", p)
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode, name)
		require.Contains(t, info.Detail, name)
	}
	// A file that came after the user was shown the others is not granted.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.txt"), []byte("gamma"), 0o644))
	_, info = call(t, e, "EgressGrantWorkshopConsent", grant)
	require.Contains(t, info.Detail, "scope_hash")
	require.True(t, info.Retryable)
	require.NoError(t, os.Remove(filepath.Join(dir, "c.txt")))
	must(t, e, "EgressGrantWorkshopConsent", grant)
	_, info = runText(t, e, id, nil)
	require.Nil(t, info)
	require.Equal(t, 1, v.count())
}

// A consent is to a provider, a model and a set of files: another of these asks
// again, an edit, a removal and what the model makes itself do not.
func TestWhatAsksAgain(t *testing.T) {
	write := func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			io.WriteString(w, toolCall(n, "write_text_file", `{"path":"made.txt","content":"new"}`))
			return
		}
		io.WriteString(w, text("Done."))
	}
	v := newRemote(t, write)
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha", "b.txt": "beta"})
	file := func(name string) string { return filepath.Join(dir, name) }
	asks := func(why string, want ...string) {
		t.Helper()
		st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
		require.Equal(t, len(want) == 0, st["consented"], why)
		var got []string
		for _, f := range st["new_files"].([]any) {
			got = append(got, f.(string))
		}
		require.Equal(t, want, got, why)
	}
	grantNow(t, e, id, "first", true)
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	require.Equal(t, 2, v.count(), "what the model made did not ask in the middle of the run")
	asks("what the model made is in the draft")
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	require.FileExists(t, file("made.txt"))
	asks("what the model made is published")
	require.NoError(t, os.WriteFile(file("a.txt"), []byte("edited"), 0o644))
	asks("a file was edited")
	require.NoError(t, os.Remove(file("b.txt")))
	asks("a file was removed")
	require.NoError(t, os.WriteFile(file("~$a.docx"), []byte("lock"), 0o644))
	asks("an office program has a document open")

	require.NoError(t, os.WriteFile(file("later.txt"), []byte("secret"), 0o644))
	asks("a file was added", "later.txt")
	_, info = runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Contains(t, info.Detail, "1 file that came since")
	require.NoError(t, os.Remove(file("later.txt")))
	require.NoError(t, os.MkdirAll(file(".atelier/context"), 0o755))
	require.NoError(t, os.WriteFile(file(".atelier/context/company.md"), []byte("We are."), 0o644))
	asks("standing context was added", ".atelier/context/company.md")
	grantNow(t, e, id, "first", true)
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{{"docPath": "Elsewhere/x.cs", "content": "x"}, {"docPath": "w/a.txt", "content": "y"}}})
	asks("a file from elsewhere is open in the editor", "open in the editor: elsewhere/x.cs")
	must(t, e, "SessionSetActiveFiles", obj{"session_id": id, "files": []obj{}})
	asks("it was closed")
	before := v.count()
	_, info = runText(t, e, id, obj{"model_id": "another"})
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode, "another model of the provider")
	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": "second:big"})
	_, info = runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode, "another provider")
	require.Equal(t, "other.example.com", info.Egress.Host)
	require.Equal(t, before, v.count())
}

// A consent for now ends with the engine, one for good does not, and each can be
// taken back. One to an address is none to another.
func TestHowLongAConsentLasts(t *testing.T) {
	v := newRemote(t, says("Done."))
	home := t.TempDir()
	begin := func(change ...func(*engine.Options)) *engine.Engine {
		opt := engine.Options{Home: home, Keys: &memoryKeys{}}
		v.use(&opt)
		for _, f := range change {
			f(&opt)
		}
		e, err := engine.New(opt)
		require.NoError(t, err)
		return e
	}
	consented := func(e *engine.Engine, id string) (bool, bool) {
		st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
		return st["consented"].(bool), st["persisted"].(bool)
	}
	e := begin()
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	grantNow(t, e, id, "first", false)
	yes, kept := consented(e, id)
	require.True(t, yes)
	require.False(t, kept)
	require.NoError(t, e.Close())

	e = begin()
	yes, _ = consented(e, id)
	require.False(t, yes, "it ended with the engine")
	grantNow(t, e, id, "first", true)
	require.NoError(t, e.Close())

	e = begin()
	yes, kept = consented(e, id)
	require.True(t, yes)
	require.True(t, kept)
	require.NoError(t, e.Close())

	e = begin(func(o *engine.Options) { o.BaseURL = "http://elsewhere.example.com/v1" })
	yes, _ = consented(e, id)
	require.False(t, yes, "the provider has another address now")
	require.NoError(t, e.Close())

	e = begin()
	grantNow(t, e, id, "second:big", false)
	require.Equal(t, 1.0, must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id, "model_id": "second:big"})["revoked"])
	yes, _ = consented(e, id)
	require.True(t, yes, "only the other was taken back")
	require.Equal(t, 1.0, must(t, e, "EgressRevokeWorkshopConsent", obj{"workbench_id": id})["revoked"])
	yes, _ = consented(e, id)
	require.False(t, yes)
	var kinds []string
	for _, ev := range must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any) {
		kinds = append(kinds, ev.(obj)["kind"].(string))
	}
	require.Equal(t, []string{"consent_granted", "consent_granted", "consent_granted", "consent_revoked", "consent_revoked"}, kinds)
	require.NoError(t, e.Close())
	require.Zero(t, v.count())
}

// The modes: allow_all needs approval and outlives the engine, a policy of
// local_only is above everything.
func TestConsentModes(t *testing.T) {
	v := newRemote(t, says("Done."))
	home := t.TempDir()
	at := func(egress string) *engine.Engine {
		return newEngine(t, v.use, func(o *engine.Options) { o.Home, o.Egress = home, egress })
	}
	e := at("")
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	require.Equal(t, "ask", must(t, e, "UserGetConsentMode", nil)["mode"])
	_, info := call(t, e, "UserSetConsentMode", obj{"mode": "allow_all"})
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	require.Contains(t, info.Detail, "approved")
	_, info = call(t, e, "UserSetConsentMode", obj{"mode": "local_only", "approved": true})
	require.Equal(t, engine.CodeValidationFailed, info.ErrorCode)
	require.Equal(t, "ask", must(t, e, "UserGetConsentMode", nil)["mode"])
	must(t, e, "UserSetConsentMode", obj{"mode": "allow_all", "approved": true})
	_, info = runText(t, e, id, nil)
	require.Nil(t, info)
	require.Equal(t, 1, v.count())
	_, info = runText(t, e, id, nil)
	require.Nil(t, info)
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	require.Len(t, events, 3)
	require.Equal(t, "allowed", events[0].(obj)["kind"], "what the scope is, once")
	require.Equal(t, []any{"a.txt"}, events[0].(obj)["files"])
	require.Equal(t, events[1].(obj)["scope_hash"], events[0].(obj)["scope_hash"])
	require.NoError(t, e.Close())

	e = at(engine.EgressLocalOnly)
	require.Equal(t, "local_only", must(t, e, "UserGetConsentMode", nil)["mode"])
	for method, p := range map[string]obj{
		"WorkshopRunAgent":           {"message_id": must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "x"})["message_id"]},
		"TranslateStart":             {"to": []string{"es"}},
		"EgressGrantWorkshopConsent": {"provider_id": "openai", "model_id": "first", "scope_hash": must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})["scope_hash"]},
		"UserSetConsentMode":         {"mode": "allow_all", "approved": true},
		"ProvidersValidate":          {"provider_id": "openai"},
	} {
		p["workbench_id"] = id
		_, info = call(t, e, method, p)
		require.NotNil(t, info, method)
		require.Equal(t, engine.CodeEgressBlocked, info.ErrorCode, method)
	}
	failed := must(t, e, "ModelsList", obj{"provider_id": "openai"})["failed"].([]any)
	require.Equal(t, engine.CodeEgressBlocked, failed[0].(obj)["error"].(obj)["error_code"])
	require.Equal(t, 2, v.count(), "nothing more was sent")
	must(t, e, "WorkshopSetActiveModel", obj{"workbench_id": id, "model_id": engine.PseudoModel})
	_, info = runText(t, e, id, nil)
	require.Nil(t, info, "the built-in model is here")
	require.NoError(t, e.Close())

	e = at(engine.EgressAllowAll)
	must(t, e, "UserSetConsentMode", obj{"mode": "ask"})
	require.Equal(t, "allow_all", must(t, e, "UserGetConsentMode", nil)["mode"], "the settings count more")
	require.NoError(t, e.Close())
	require.Equal(t, "ask", must(t, at(""), "UserGetConsentMode", nil)["mode"])
}

// This machine needs no consent; what went there is in the log all the same.
func TestLocalModelsNeedNoConsent(t *testing.T) {
	v := newRemote(t, says("Done."))
	e := newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL = "m", v.URL+"/v1" })
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	st := must(t, e, "EgressGetConsentStatus", obj{"workbench_id": id})
	require.Equal(t, true, st["consented"])
	require.Equal(t, true, st["local"])
	_, info := runText(t, e, id, nil)
	require.Nil(t, info)
	events := must(t, e, "EgressListEvents", obj{"workbench_id": id})["events"].([]any)
	require.Len(t, events, 1)
	require.Equal(t, true, events[0].(obj)["local"])
	// A private address may be anybody's.
	e = newEngine(t, func(o *engine.Options) { o.Model, o.BaseURL = "m", "http://192.168.1.20:8080/v1" })
	id, _ = folder(t, e, nil)
	_, info = runText(t, e, id, nil)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Contains(t, info.Detail, "the conversation")
}
