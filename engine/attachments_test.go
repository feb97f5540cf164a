package engine_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/need"
	"atelier/workshop/tools/attachments"
)

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Files that come with a message are files of the chat (C-41, S-03): in the
// draft as files/NAME, read by every tool, named to the model, kept with the
// message, and taken back with it.
func TestAttachments(t *testing.T) {
	v := newRemote(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, map[int]string{1: toolCall(1, "read", `{"uri":"file:brief.md"}`), 2: toolCall(2, "read", `{"uri":"file:terms.docx"}`), 3: text("Done.")}[n])
	})
	e := newEngine(t, v.use, func(o *engine.Options) { o.Egress = engine.EgressAllowAll })
	var told []engine.MessageAttached
	defer e.Subscribe(func(n engine.Notification) {
		if p, ok := n.Params.(engine.MessageAttached); ok {
			told = append(told, p)
		}
	})()
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha"})
	word, err := filepath.Abs("../testdata/documents/contrato.docx")
	require.NoError(t, err)
	sent := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Compare them.", "attachments": []obj{
		{"name": "brief.md", "content": encoded("# Brief\n\nTen chairs — \u00e9.\n")}, {"name": "brief.md", "content": encoded("two")}, {"name": "terms.docx", "path": word}}})
	list := sent["attachments"].([]any)
	require.Equal(t, obj{"name": "brief.md", "uri": "file:brief.md", "path": "files/brief.md", "kind": "text", "mime_type": "text/markdown", "size": 28.0}, list[0])
	require.Equal(t, "brief-2.md", list[1].(obj)["name"])
	require.Equal(t, "brief.md", list[1].(obj)["given_name"])
	require.Equal(t, "docx", list[2].(obj)["kind"])
	require.Len(t, told, 1)
	require.Equal(t, sent["message_id"], told[0].MessageID)
	require.Len(t, told[0].Attachments, 3)
	require.NoDirExists(t, filepath.Join(dir, "files"), "the folder stays as it is until the draft is published")

	must(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": sent["message_id"], "catalogue": "sila"})
	require.Contains(t, v.bodies[0], `Compare them.\n\nAttached to this message (URI, path, kind, size):\n- file:brief.md (files/brief.md, text, 28 bytes)\n- file:brief-2.md (files/brief-2.md, text, 3 bytes), sent as brief.md, a name that was taken\n- file:terms.docx (files/terms.docx, docx,`)
	require.Contains(t, v.bodies[1], `"# Brief\n\nTen chairs — é.\n"`, "S-08: the text as it is")
	require.Contains(t, v.bodies[2], "File at files/terms.docx has non-text MIME type (application/vnd.openxmlformats-officedocument.wordprocessingml.document); read tool supports only text files", "S-11")
	read := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": "files/terms.docx"}})
	require.Contains(t, read["result"].(obj)["text"], "Contrato", "other tools read documents")

	records := must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"].([]any)
	require.Equal(t, "Compare them.", records[0].(obj)["text"])
	require.Equal(t, list, records[0].(obj)["metadata"].(obj)["attachments"])
	changed := must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any)
	require.Len(t, changed, 3)

	// A second message finds the names taken; an undo of it takes its files back
	// only, going back to the message brings them again.
	first := records[len(records)-1].(obj)["message_id"]
	again := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "And this.", "attachments": []obj{{"name": "BRIEF.md", "content": ""}}})
	require.Equal(t, "BRIEF-3.md", again["attachments"].([]any)[0].(obj)["name"])
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": again["message_id"], "before": true})
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"], 3)
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": again["message_id"]})
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"], 4)
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": first})
	must(t, e, "WorkshopUndoToMessage", obj{"workbench_id": id, "message_id": sent["message_id"], "before": true})
	require.Empty(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"])
	require.Equal(t, false, must(t, e, "DraftGetState", obj{"workbench_id": id})["has_draft"])
}

// What cannot be attached is refused with what is wrong and the limit, and
// neither the draft nor the conversation has anything of it.
func TestAttachmentsRefused(t *testing.T) {
	e := newEngine(t)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha"})
	outside := t.TempDir()
	large := filepath.Join(outside, "large.bin")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, attachments.MaxBytes+1))
	link := filepath.Join(outside, "link.txt")
	need.Symlink(t, filepath.Join(dir, "a.txt"), link)
	many := make([]obj, attachments.MaxFiles+1)
	for i := range many {
		many[i] = obj{"name": "a.txt", "content": ""}
	}
	good := obj{"name": "good.txt", "content": encoded("good")}
	for want, list := range map[string][]obj{
		"a message can have at most 20": many,
		"large.bin is too large to be attached: it has 104857601 bytes, and the limit is 104857600": {good, {"path": large}},
		"the limit for attachments is 200":      {{"name": strings.Repeat("x", 201), "content": ""}},
		"needs a name":                          {good, {"content": ""}},
		`"x/y.md" is not the name of a file`:    {{"name": "x/y.md", "content": ""}},
		`"..\\y.md" is not the name of a file`:  {{"name": `..\y.md`, "content": ""}},
		`".." is not the name of a file`:        {{"name": "..", "content": ""}},
		"characters that a name cannot have":    {{"name": "a\x1b[2J.md", "content": ""}},
		`the name ".atelier-tmp-1" is reserved`: {{"name": ".atelier-tmp-1", "content": ""}},
		`the name "~$x.docx" is reserved`:       {{"name": "~$x.docx", "content": ""}},
		`the name "nul.txt" is reserved`:        {{"name": "nul.txt", "content": ""}},
		"begins or ends with a blank":           {{"name": "a.md ", "content": ""}},
		"is not base64":                         {{"name": "a.md", "content": "%%%"}},
		"not both":                              {{"path": large, "content": "AAAA"}},
		"is not absolute":                       {{"path": "a.txt"}},
		"it is not a regular file":              {{"path": link}},
		"no such file":                          {{"path": filepath.Join(outside, "none")}},
	} {
		_, info := call(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Look.", "attachments": list})
		require.NotNil(t, info, want)
		require.Equal(t, engine.CodeValidationFailed, info.ErrorCode, want)
		require.Contains(t, info.Detail, want)
	}
	require.Empty(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"])
	require.Empty(t, must(t, e, "WorkshopGetConversation", obj{"workbench_id": id})["messages"])
}

// A file that came with a message is one more file that a consent has to cover,
// what is published keeps its name, and the ignore file holds for it too.
func TestAttachmentsNeedConsent(t *testing.T) {
	v := newRemote(t, says("Done."))
	e := newEngine(t, v.use)
	id, dir := folder(t, e, map[string]string{"a.txt": "alpha"})
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "files"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "files", "kept.txt"), []byte("mine"), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".atelier"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".atelier", "ignore"), []byte("private*\n"), 0o644))
	grantNow(t, e, id, "first", true)
	sent := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Look.", "attachments": []obj{
		{"name": "kept.txt", "content": encoded("new")}, {"name": "private.txt", "content": encoded("mine")}}})
	list := sent["attachments"].([]any)
	require.Equal(t, "kept-2.txt", list[0].(obj)["name"])
	require.Contains(t, list[1].(obj)["not_readable"], "ignore")
	run := obj{"workbench_id": id, "message_id": sent["message_id"]}
	_, info := call(t, e, "WorkshopRunAgent", run)
	require.Equal(t, engine.CodeEgressConsent, info.ErrorCode)
	require.Contains(t, info.Paths, "files/kept-2.txt")
	require.Zero(t, v.count())
	grantNow(t, e, id, "first", true)
	must(t, e, "WorkshopRunAgent", run)
	require.Contains(t, v.bodies[0], `- file:private.txt (files/private.txt, text, 4 bytes), not readable by you`)
}

// Files are not attached while a run works: it would meet them before the
// message.
func TestAttachmentsWaitForARun(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	v := newRemote(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		io.WriteString(w, text("Done."))
	})
	e := newEngine(t, v.use, func(o *engine.Options) { o.Egress = engine.EgressAllowAll })
	id, _ := folder(t, e, map[string]string{"a.txt": "alpha"})
	done := make(chan *engine.ErrorInfo)
	msg := must(t, e, "WorkshopSendUserMessage", obj{"workbench_id": id, "text": "Do it."})["message_id"]
	go func() {
		_, info := call(t, e, "WorkshopRunAgent", obj{"workbench_id": id, "message_id": msg})
		done <- info
	}()
	<-asked
	send := obj{"workbench_id": id, "text": "And this.", "attachments": []obj{{"name": "b.txt", "content": encoded("beta")}}}
	_, info := call(t, e, "WorkshopSendUserMessage", send)
	require.Contains(t, info.Detail, "a run is already in progress")
	require.True(t, info.Retryable)
	close(release)
	require.Nil(t, <-done)
	must(t, e, "WorkshopSendUserMessage", send)
}
