package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzToolBody: for any body, the answer is JSON with a status and code of
// docs/http.md, and there is no panic.
func FuzzToolBody(f *testing.F) {
	for _, s := range []string{`{"tool":"ls","args":{"path":"/"}}`, `{"tool":"read","args":{}}`, `{"tool":"x","args":null,"plan_mode":"TRUE"}`, `[]`, `{"tool":`, "{\"tool\":\"\xff\"}", `{"args":{"a":[[[]]]}}`, `null`} {
		f.Add([]byte(s))
	}
	r := newRig(f)
	status := map[int]string{http.StatusBadRequest: codeValidation, http.StatusNotFound: codeNotFound}
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("wait")) || bytes.Contains(body, []byte("panic")) || bytes.Contains(body, []byte("fault")) {
			t.Skip("only the real tools are meant: these misbehave on purpose")
		}
		req := httptest.NewRequest("POST", r.toolsPath(), bytes.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+r.annToken)
		w := httptest.NewRecorder()
		r.srv.Handler().ServeHTTP(w, req)
		require.True(t, utf8.Valid(w.Body.Bytes()))
		var reply struct {
			Success *bool
			Error   *string
			Code    string
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &reply), "%s", w.Body)
		if w.Code == 200 {
			require.True(t, *reply.Success)
			require.Nil(t, reply.Error)
			return
		}
		require.NotEmpty(t, *reply.Error)
		require.Equal(t, status[w.Code], reply.Code, "%d %s", w.Code, w.Body)
	})
}

// FuzzToken: a modified token is invalid.
func FuzzToken(f *testing.F) {
	r := newRig(f)
	f.Add(uint(0), "x")
	f.Add(uint(len(r.annToken)-1), "_")
	f.Add(uint(40), "..")
	f.Add(uint(3), "")
	last := r.annToken[len(r.annToken)-2:]
	f.Add(uint(len(r.annToken)-2), "\r"+last[:1])
	f.Add(uint(len(r.annToken)-2), last[:1]+"\n")
	f.Fuzz(func(t *testing.T, at uint, with string) {
		i := int(at % uint(len(r.annToken)))
		token := r.annToken[:i] + with + r.annToken[i+1:]
		id, err := r.tokens.Check(token)
		if token != r.annToken {
			require.Error(t, err)
			require.Empty(t, id)
		}
	})
}
