package httpapi

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (r *rig) contentPath(path string) string {
	return "/api/v1/workspaces/" + r.ws + "/files/content?path=" + url.QueryEscape(path)
}

// TestOldDateDecidesNothing: a version that was made in the same second as the one that a
// caller has, or by a clock that is behind, is sent.
func TestOldDateDecidesNothing(t *testing.T) {
	r := newLiveRig(t)
	at := r.contentPath("/a.txt")
	require.Equal(t, 200, r.request("PUT", at, "first").Status)
	date := r.request("GET", at, "").Header.Get("Last-Modified")
	require.NotEmpty(t, date)
	require.Equal(t, 200, r.request("PUT", at, "second").Status)
	for _, later := range []string{date, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)} {
		a := r.request("GET", at, "", "If-Modified-Since", later)
		assert.Equal(t, 200, a.Status)
		assert.Equal(t, "second", a.Body)
	}
	a := r.request("GET", at, "", "Range", "bytes=3-", "If-Range", date)
	assert.Equal(t, "second", a.Body, "a part of another version")
}

// TestContent: documents are uploaded and downloaded byte for byte, with
// their hash as the tag, and are visible to tools, the draft and the trash.
func TestContent(t *testing.T) {
	r := newLiveRig(t)
	doc, err := os.ReadFile("../../testdata/documents/contrato.docx")
	require.NoError(t, err)
	put := func(path, body string, headers ...string) answer {
		return r.request("PUT", r.contentPath(path), body, append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
	}
	a := put("/in/contrato «1».docx", string(doc), "If-None-Match", "*")
	require.Equal(t, 200, a.Status, a.Body)
	info := r.result("file_info", `{"path":"/in/contrato «1».docx"}`)
	assert.Equal(t, true, info["synced"])
	tag := `"` + info["hash"].(string) + `"`
	a = r.request("GET", r.contentPath("in//contrato «1».docx"), "")
	assert.Equal(t, 200, a.Status)
	assert.Equal(t, tag, a.Header.Get("ETag"))
	assert.Equal(t, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", a.Header.Get("Content-Type"))
	assert.Contains(t, a.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''contrato%20")
	assert.Equal(t, "sandbox; default-src 'none'", a.Header.Get("Content-Security-Policy"))
	assert.True(t, strings.HasPrefix(a.Body, string(doc[:100])) && len(a.Body) == len(doc))
	assert.Equal(t, 304, r.request("GET", r.contentPath("/in/contrato «1».docx"), "", "If-None-Match", tag).Status)
	a = r.request("GET", r.contentPath("/in/contrato «1».docx"), "", "Range", "bytes=0-1")
	assert.Equal(t, 206, a.Status)
	assert.Equal(t, "PK", a.Body)

	// Conditions: changes by others are not overwritten.
	assert.Equal(t, 412, put("/in/contrato «1».docx", "x", "If-None-Match", "*").Status)
	assert.Equal(t, 412, put("/in/contrato «1».docx", "x", "If-Match", `"`+strings.Repeat("0", 64)+`"`).Status)
	a = put("/in/contrato «1».docx", "x", "If-Match", tag)
	assert.Equal(t, 200, a.Status, a.Body)
	assert.Equal(t, 412, put("/in/contrato «1».docx", "y", "If-Match", tag).Status, "the tag is stale")
	assert.Equal(t, 400, put("/a", "x", "If-Match", "abc").Status)
	assert.Equal(t, 400, put("/a", "x", "If-None-Match", tag).Status)

	// Invalid requests.
	for path, status := range map[string]int{"/none": 404, "/in": 400, "/": 400, "": 400, "/.atelier/x": 400, "/a\x00b": 400} {
		a := r.request("GET", r.contentPath(path), "")
		assert.Equal(t, status, a.Status, "%q %s", path, a.Body)
		assert.Contains(t, a.Body, `"code":`)
	}
	assert.Equal(t, 400, r.request("GET", r.contentPath("/in/x")+"&version=old", "").Status)
	a = put("/in", "x")
	assert.NotEqual(t, 200, a.Status, "a folder is there")
	assert.Equal(t, 403, r.request("GET", r.contentPath("/in/x"), "", "Authorization", "Bearer "+r.eveToken).Status)
}

// TestContentDraft: a document that a run changed can be downloaded before it
// is published.
func TestContentDraft(t *testing.T) {
	r := newLiveRig(t)
	r.result("write", `{"path":"/notas.md","content":"# Contrato\n\nEl precio es 5 EUR.\n"}`)
	r.follow(r.startRun("Translate all documents to English"), "", nil)
	published := r.request("GET", r.contentPath("/notas.md"), "").Body
	draft := r.request("GET", r.contentPath("/notas.md")+"&version=draft", "").Body
	assert.Contains(t, published, "El precio")
	assert.NotContains(t, draft, "El precio")
	assert.Contains(t, draft, "# [")
}

// TestContentCut: an interrupted upload changes nothing.
func TestContentCut(t *testing.T) {
	r := newLiveRig(t)
	require.Equal(t, 200, r.request("PUT", r.contentPath("/a.txt"), "before", "Content-Type", "text/plain").Status)
	conn, err := net.Dial("tcp", r.http.Listener.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(conn, "PUT "+r.contentPath("/a.txt")+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+r.annToken+"\r\nContent-Length: 1000\r\n\r\nafter")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	_, err = io.Copy(io.Discard, conn)
	require.NoError(t, err)
	conn.Close()
	assert.Equal(t, "before", r.request("GET", r.contentPath("/a.txt"), "").Body)
}

// TestContentLarge: a file larger than any JSON body is streamed.
func TestContentLarge(t *testing.T) {
	r := newLiveRig(t)
	big := bytes.Repeat([]byte("0123456789abcdef"), (BodyMax+1<<20)/16)
	req, err := http.NewRequest("PUT", r.http.URL+r.contentPath("/big.bin"), bytes.NewReader(big))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.annToken)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode)
	a := r.request("GET", r.contentPath("/big.bin"), "")
	assert.True(t, a.Body == string(big))
}
