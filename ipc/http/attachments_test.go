package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/llm/replay"
)

// TestAttachmentsOverHTTP: a task has files with their content; a path on the
// server is refused. The answer, the first event, the conversation and the
// model get the list (C-41, S-03).
func TestAttachmentsOverHTTP(t *testing.T) {
	f, err := replay.Parse([]byte("-- model-1 --\n" + `{"call":{"id":"tc-1","name":"read","arguments":{"uri":"file:brief.md"}}}` + "\n-- model-2 --\n" + `{"text":"Ten chairs."}` + "\n"))
	require.NoError(t, err)
	srv, err := replay.NewServer(f, replay.Options{})
	require.NoError(t, err)
	t.Cleanup(srv.Close)
	r := newRigWith(t, engine.Options{Model: "some-model", BaseURL: srv.URL})
	a := r.request("POST", r.runsPath(), `{"text":"What is wanted?","catalogue":"sila","attachments":[{"name":"brief.md","content":"VGVuIGNoYWlycw=="},{"name":"brief.md","content":""}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, a.Body, `"attachments":[{"name":"brief.md","uri":"file:brief.md","path":"files/brief.md","kind":"text","mime_type":"text/markdown","size":10},{"name":"brief-2.md","given_name":"brief.md"`)
	var reply struct{ Result startedRun }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &reply))
	events := r.follow(reply.Result.RunID, "", nil)
	require.Equal(t, eventSessionInit, events[0].name)
	assert.Len(t, events[0].data.Data["attachments"], 2)
	require.Equal(t, eventDone, events[len(events)-1].name)
	requests := srv.Requests()
	require.Len(t, requests, 2)
	assert.Contains(t, requests[0].Messages[len(requests[0].Messages)-1].Content, "- file:brief.md (files/brief.md, text, 10 bytes)")
	assert.Equal(t, "Ten chairs", requests[1].Messages[len(requests[1].Messages)-1].Content)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, `"attachments":[{`)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/draft", "").Body, "files/brief-2.md")

	before := r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body
	for body, want := range map[string]string{
		`[{"path":"/etc/hostname"}]`:                                                          "an attachment needs a name and its content in base64",
		`[{"name":"a.md","path":"/etc/hostname"}]`:                                            "an attachment needs a name and its content in base64",
		`[{"name":"../a.md","content":""}]`:                                                   "is not the name of a file",
		`[{"name":"a.md","content":"?"}]`:                                                     "is not base64",
		"[" + strings.Repeat(`{"name":"a","content":""},`, 20) + `{"name":"a","content":""}]`: "a message can have at most 20",
	} {
		a := r.request("POST", r.runsPath(), fmt.Sprintf(`{"text":"Look.","attachments":%s}`, body))
		assert.Equal(t, 400, a.Status, body)
		assert.Contains(t, a.Body, `"fields":{"attachments":"`, body)
		assert.Contains(t, a.Body, want, body)
	}
	a = r.request("POST", r.runsPath(), `{"text":"Look.","attachments":[{"name":"a.bin","content":"`+strings.Repeat("A", BodyMax)+`"}]}`)
	assert.Equal(t, 413, a.Status)
	assert.Contains(t, a.Body, "larger than 10 MiB")
	assert.Equal(t, before, r.request("GET", "/api/v1/workspaces/"+r.ws+"/conversation", "").Body, "nothing was stored")
}
