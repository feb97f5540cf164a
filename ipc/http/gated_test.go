package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing of an answer leaves before it is kept: a short one with finish, each part of a
// stream with its flush, and parts of a long one.
func TestGatedAnswer(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		write      func(w http.ResponseWriter)
		commits    int
	}{
		{"short", "application/json", func(w http.ResponseWriter) { _, _ = w.Write([]byte("{}")) }, 0},
		{"stream", "text/event-stream", func(w http.ResponseWriter) {
			for range 3 {
				_, _ = w.Write([]byte("data: x\n"))
				_, _ = w.Write([]byte("\n"))
				_ = http.NewResponseController(w).Flush()
			}
		}, 3},
		{"long", "text/plain", func(w http.ResponseWriter) {
			for range 10 {
				_, _ = w.Write([]byte(strings.Repeat("x", 100<<10)))
			}
		}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			commits, kept := 0, 0
			var g *gated
			g = newGated(rec, func() error { commits++; kept += len(g.held); return nil })
			g.Header().Set("Content-Type", c.kind)
			c.write(g)
			assert.Equal(t, c.commits, commits)
			assert.Equal(t, kept, rec.Body.Len(), "what left was not kept, or the other way round")
			require.NoError(t, g.finish())
			want := httptest.NewRecorder()
			c.write(want)
			assert.Equal(t, want.Body.String(), rec.Body.String())
		})
	}
}

// An answer that cannot be kept does not leave, and neither do its headers.
func TestGatedAnswerThatIsLost(t *testing.T) {
	rec := httptest.NewRecorder()
	rec.Header().Set("X-Request-Id", "1")
	g := newGated(rec, func() error { return errors.New("lost") })
	g.Header().Set("Content-Length", "7")
	g.WriteHeader(http.StatusCreated)
	_, err := g.Write([]byte("a write"))
	require.NoError(t, err)
	require.Error(t, http.NewResponseController(g).Flush())
	_, err = g.Write([]byte("more"))
	require.Error(t, err)
	require.False(t, g.sent)
	g.discard()
	assert.Empty(t, rec.Body.String())
	assert.Equal(t, http.Header{"X-Request-Id": {"1"}}, rec.Header())
}
