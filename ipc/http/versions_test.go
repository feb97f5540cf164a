package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// resultOf decodes the result of an answer.
func resultOf[T any](t *testing.T, a answer) T {
	t.Helper()
	require.Equal(t, 200, a.Status, a.Body)
	var body struct{ Result T }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &body))
	return body.Result
}

// TOOLS-API, B3-04, B8-07: a version is listed, read, compared and restored
// by file and version_id; other files stay unchanged, and the restore can be
// undone.
func TestFileVersions(t *testing.T) {
	r := newLiveRig(t)
	w := r.result("write", `{"path":"/a.md","content":"one\n"}`)
	r.result("edit", `{"path":"/a.md","old_string":"one","new_string":"two"}`)
	r.result("write", `{"path":"/other.md","content":"other\n"}`)
	file, first := w["file_id"].(string), w["version_id"].(string)
	at := "/api/v1/workspaces/" + r.ws + "/files/" + file

	list := resultOf[engine.FileVersionsResult](t, r.request("GET", at+"/versions", ""))
	require.Len(t, list.Versions, 2)
	assert.Equal(t, first, list.Versions[1].VersionID)
	assert.True(t, list.Versions[0].Current)
	assert.Equal(t, "/a.md", list.Versions[0].Path)
	page := resultOf[engine.FileVersionsResult](t, r.request("GET", at+"/versions?limit=1", ""))
	require.Len(t, page.Versions, 1)
	assert.Equal(t, 2, page.Total)
	page = resultOf[engine.FileVersionsResult](t, r.request("GET", at+"/versions?limit=1&before="+page.Before, ""))
	require.Len(t, page.Versions, 1)
	assert.Equal(t, list.Versions[1], page.Versions[0])
	assert.Empty(t, page.Before)

	v := resultOf[engine.FileVersion](t, r.request("GET", at+"/versions/"+first, ""))
	assert.Equal(t, list.Versions[1], v)
	a := r.request("GET", at+"/versions/"+first+"/content", "")
	assert.Equal(t, "one\n", a.Body+"\n")
	assert.Equal(t, `"`+v.Hash+`"`, a.Header.Get("ETag"))
	a = r.request("GET", at+"/versions/"+first+"/diff", "")
	assert.Contains(t, a.Body, `"type":"removed","text":"one"`)
	assert.Contains(t, a.Body, `"type":"added","text":"two"`)
	a = r.request("GET", at+"/versions/"+first+"/diff?with="+v.Hash, "")
	assert.Contains(t, a.Body, `"same":true`)

	back := resultOf[engine.RestoreFileVersionResult](t, r.request("POST", at+"/versions/"+first+"/restore", ""))
	assert.Equal(t, file, back.FileID)
	assert.Equal(t, "/a.md", back.Path)
	assert.NotEqual(t, first, back.VersionID)
	assert.True(t, back.HasDraft)
	assert.Equal(t, "two\n", r.result("read", `{"path":"/a.md"}`)["content"], "what is published stays")
	draft := r.request("GET", "/api/v1/workspaces/"+r.ws+"/draft", "")
	assert.Contains(t, draft.Body, `"summary":"1 line of text added, 1 removed"`, "the review shows it")
	assert.NotContains(t, draft.Body, "other.md")
	v = resultOf[engine.FileVersion](t, r.request("GET", at+"/versions/"+back.VersionID, ""))
	assert.True(t, v.InDraft && v.Current)
	assert.Equal(t, r.ann.ID, v.Author)

	undo := `{"message_id":"` + back.MessageID + `","before":true}`
	assert.Equal(t, 200, r.request("POST", "/api/v1/workspaces/"+r.ws+"/undo", undo).Status)
	assert.Contains(t, r.request("GET", "/api/v1/workspaces/"+r.ws+"/draft", "").Body, `"has_draft":false`)

	// The versions of a deleted file stay and can restore it.
	r.result("rm", `{"path":"/a.md"}`)
	back = resultOf[engine.RestoreFileVersionResult](t, r.request("POST", at+"/versions/"+first+"/restore", ""))
	assert.Equal(t, file, back.FileID)
	assert.Equal(t, 200, r.request("POST", "/api/v1/workspaces/"+r.ws+"/draft/publish", "").Status)
	assert.Equal(t, "one\n", r.result("read", `{"path":"/a.md"}`)["content"])

	// Invalid requests.
	for path, status := range map[string]int{
		"/files/x/versions": 400, "/files/" + r.ws + "/versions": 404, "/files/" + file + "/versions/nope": 404, "/files/" + file + "/versions/nope/content": 404,
		"/files/" + file + "/versions/" + first + "/diff?with=nope": 404, "/files/" + file + "/versions?limit=x": 400, "/files/" + file + "/versions?limit=5000": 400, "/files/" + file + "/versions?before=nope": 404,
	} {
		a := r.request("GET", "/api/v1/workspaces/"+r.ws+path, "")
		assert.Equal(t, status, a.Status, "%s %s", path, a.Body)
	}
	assert.Equal(t, 404, r.request("POST", at+"/versions/nope/restore", "").Status)
	assert.Equal(t, 403, r.request("GET", at+"/versions", "", "Authorization", "Bearer "+r.eveToken).Status)
}
