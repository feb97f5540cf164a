package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/budget"
	"atelier/workshop"
	"atelier/workshop/review"
)

// RV-01, RV-02, RV-04: the draft's changes and a picture of a page over HTTP.
func TestReviewOverHTTP(t *testing.T) {
	r := newLiveRig(t)
	at := "/api/v1/workspaces/" + r.ws
	w := r.result("write", `{"path":"/notes/a.md","content":"one\n"}`)
	r.result("edit", `{"path":"/notes/a.md","old_string":"one","new_string":"two"}`)
	file := url.QueryEscape("/notes/a.md")

	a := r.request("GET", at+"/draft/diff?path="+file, "")
	assert.NotContains(t, a.Body, `"text":"two"`, "no draft changes it")
	back := r.request("POST", at+"/files/"+w["file_id"].(string)+"/versions/"+w["version_id"].(string)+"/restore", "")
	require.Equal(t, 200, back.Status, back.Body)

	d := resultOf[review.ContentDiff](t, r.request("GET", at+"/draft/diff?path="+file, ""))
	require.NotEmpty(t, d.Message, "text is compared by its lines")
	a = r.request("GET", at+"/draft/diff/text?path=notes/a.md&max_lines=10", "")
	assert.Contains(t, a.Body, `"type":"removed","text":"two"`)
	assert.Contains(t, a.Body, `"type":"added","text":"one"`)
	for _, bad := range []string{"/draft/diff", "/draft/diff?path=/", "/draft/diff?path=notes/a.md&max_items=none", "/draft/diff/text?path=notes/a.md&max_lines=0", "/files/preview?path=notes/a.md&page=x", "/files/preview?path=notes/a.md&scale=big", "/files/preview?path=notes/a.md&page=9"} {
		assert.Equal(t, 400, r.request("GET", at+bad, "").Status, bad)
	}
	assert.Equal(t, 404, r.request("GET", at+"/draft/diff?path=none.md", "").Status)
	assert.Equal(t, 404, r.request("GET", at+"/files/preview?path=notes/a.md&version=old", "").Status)
	assert.Equal(t, 200, r.request("GET", at+"/files/preview?path=notes/a.md&version="+w["version_id"].(string), "").Status)

	a = r.request("GET", at+"/files/preview?path="+file+"&version=published", "")
	require.Equal(t, 200, a.Status, a.Body)
	assert.Equal(t, "image/png", a.Header.Get("Content-Type"))
	assert.Equal(t, "1", a.Header.Get("X-Page-Count"))
	assert.Equal(t, "text", a.Header.Get("X-Rendering"))
	img, err := png.Decode(bytes.NewReader([]byte(a.Body)))
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 100)

	a = r.request("POST", at+"/draft/discard", `{"paths":["/notes/a.md"]}`)
	require.Equal(t, 200, a.Status, a.Body)
	assert.Contains(t, r.request("GET", at+"/draft", "").Body, `"has_draft":false`)
	for _, path := range []string{"/draft/diff?path=a", "/draft/diff/text?path=a", "/files/preview?path=a", "/checkpoints", "/models"} {
		assert.Equal(t, 403, r.request("GET", at+path, "", "Authorization", "Bearer "+r.eveToken).Status, path)
	}
}

// TestDocumentErrors (A-06, H-06): what is wrong with a document is told with 400, and that
// memory is short with 503, not as an error of the server.
func TestDocumentErrors(t *testing.T) {
	r := newLiveRig(t)
	at := "/api/v1/workspaces/" + r.ws
	require.Equal(t, 200, r.request("PUT", at+"/files/content?path=/a.pdf", "%PDF-1.4\nnothing").Status)
	a := r.request("GET", at+"/files/preview?path=/a.pdf", "")
	assert.Equal(t, 400, a.Status)
	assert.Contains(t, a.Body, "a.pdf is damaged or not a PDF")
	assert.Contains(t, a.Body, `"code":"VALIDATION_ERROR"`)

	wait := &budget.WaitError{Want: 1 << 20, Limit: 2 << 20, Waited: time.Second}
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{&engine.ErrorInfo{ErrorCode: engine.CodeFileReadFailed, Detail: "x"}, 500, `{"error":"Internal server error","code":"INTERNAL_ERROR"}`},
		{fmt.Errorf("a: %w", formats.Errorf(formats.CodeEncrypted, "a.pdf needs a password")), 400, `{"error":"a.pdf needs a password","code":"VALIDATION_ERROR"}`},
		{formats.Errorf(formats.CodeUnavailable, "été.pdf could not be read"), 503, `{"error":"été.pdf could not be read","code":"UNAVAILABLE"}`},
		{&workshop.Fault{Code: workshop.Internal, Message: wait.Error(), Err: wait}, 503, `{"error":"The call waited 1s for memory: 0 MiB in use of a budget of 2 MiB, and this needs 1 MiB; try again when less is in progress, or raise the limit with --memory-limit","code":"UNAVAILABLE"}`},
	} {
		p := toProblem(c.err)
		b, err := json.Marshal(p)
		require.NoError(t, err)
		assert.Equal(t, c.status, p.status)
		assert.Equal(t, c.want, string(b))
		assert.Equal(t, c.status == 503, p.retry > 0)
	}
}

// Checkpoints are listed, shown and restored over HTTP, and a restore can be
// undone.
func TestCheckpointsOverHTTP(t *testing.T) {
	r := newLiveRig(t)
	at := "/api/v1/workspaces/" + r.ws + "/checkpoints"
	r.result("write", `{"path":"/a.md","content":"one\n"}`)
	made := resultOf[engine.CheckpointInfo](t, r.request("POST", at, `{"description":"before the rewrite"}`))
	r.result("edit", `{"path":"/a.md","old_string":"one","new_string":"two"}`)

	list := resultOf[engine.CheckpointsResult](t, r.request("GET", at, ""))
	require.NotEmpty(t, list.Checkpoints)
	assert.Contains(t, list.Checkpoints, made)
	one := resultOf[engine.CheckpointGetResult](t, r.request("GET", at+"/"+made.CheckpointID, ""))
	require.Len(t, one.Changes, 1)
	assert.Equal(t, "modified", one.Changes[0].ChangeType)

	back := resultOf[engine.CheckpointRestoreResult](t, r.request("POST", at+"/"+made.CheckpointID+"/restore", ""))
	assert.Equal(t, []string{"a.md"}, back.Restored)
	assert.Equal(t, "one\n", r.result("read", `{"path":"/a.md"}`)["content"])
	resultOf[engine.CheckpointRestoreResult](t, r.request("POST", at+"/"+back.CheckpointID+"/restore", ""))
	assert.Equal(t, "two\n", r.result("read", `{"path":"/a.md"}`)["content"])
	assert.Equal(t, 404, r.request("GET", at+"/ffffffff", "").Status)
	assert.Equal(t, 400, r.request("POST", at, `{"description":5}`).Status)
}

// The models that a run can name are listed.
func TestModelsOverHTTP(t *testing.T) {
	r := newLiveRig(t)
	got := resultOf[engine.ModelsResult](t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/models", ""))
	var names []string
	for _, m := range got.Models {
		names = append(names, m.ModelID)
	}
	assert.Contains(t, names, "pseudo")
}
