package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// F-13: active files over HTTP, and only in the workspace of the path.
func TestF13ActiveFilesOverHTTP(t *testing.T) {
	r := newRig(t)
	path := "/api/v1/workspaces/" + r.ws + "/active-files"
	a := r.request("GET", path, "")
	require.Equal(t, 200, a.Status, a.Body)
	assert.JSONEq(t, `{"success":true,"result":{"files":[]},"error":null}`, a.Body)
	a = r.request("PUT", path, `{"session_id":"somebody else's","files":[{"docPath":"Repo/A.cs","displayPath":"c:/A.cs","content":"aé","isDirty":true}]}`)
	require.Equal(t, 200, a.Status, a.Body)
	want := `{"success":true,"result":{"files":[{"docPath":"repo/a.cs","displayPath":"c:/A.cs","sizeBytes":3,"isDirty":true,"isActive":true}]},"error":null}`
	assert.JSONEq(t, want, a.Body)
	assert.JSONEq(t, want, r.request("GET", path, "").Body)
	for _, bad := range []string{``, `[]`, `{"files":[{"docPath":" ","content":""}]}`, `{"files":7}`} {
		a = r.request("PUT", path, bad)
		assert.Equal(t, 400, a.Status, "%s: %s", bad, a.Body)
		assert.True(t, json.Valid([]byte(a.Body)))
	}
	assert.JSONEq(t, want, r.request("GET", path, "").Body, "a list that is refused changes nothing")
	assert.Equal(t, 405, r.request("POST", path, "").Status)
}
