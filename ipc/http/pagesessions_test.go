package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"atelier/ipc/ws"
)

// TestPageSessions: a session ends when the user signs out, with its token, and
// when the token is taken back; a wrong token makes none.
func TestPageSessions(t *testing.T) {
	ends := map[string]func(r *pageRig, cookie *http.Cookie){
		"signed out": func(r *pageRig, cookie *http.Cookie) {
			req, err := http.NewRequest(http.MethodPost, r.http.URL+"/session/end", nil)
			require.NoError(t, err)
			req.Header.Set("Origin", r.http.URL)
			req.AddCookie(cookie)
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, http.StatusNoContent, resp.StatusCode)
		},
		"expired": func(r *pageRig, _ *http.Cookie) { r.clock.advance(DefaultLifetime + time.Second) },
		"taken back": func(r *pageRig, _ *http.Cookie) {
			_, err := r.accounts.RevokeTokens(context.Background(), "ANN@example.org")
			require.NoError(t, err)
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := newPageRig(t)
			r.rig.t = t
			cookie, status := r.signIn(r.annToken)
			require.Equal(t, http.StatusNoContent, status)
			require.True(t, cookie.HttpOnly)
			require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
			require.Equal(t, "/session", cookie.Path)
			require.NotContains(t, cookie.Value, r.annToken)
			p, err := r.connect(cookie)
			require.NoError(t, err)
			end(r, cookie)
			require.Equal(t, ws.StatusNotAdmitted, p.closed())
			_, err = r.connect(cookie)
			require.Equal(t, ws.StatusNotAdmitted, websocket.CloseStatus(err))
			if name != "signed out" {
				_, status = r.signIn(r.annToken)
				require.Equal(t, http.StatusUnauthorized, status)
			}
		})
	}
	r := newPageRig(t)
	for name, token := range map[string]string{"none": "", "not a token": "x", "of another secret": r.annToken[:len(r.annToken)-6] + "AAAAAA", "too long": strings.Repeat("x", 1<<20)} {
		cookie, status := r.signIn(token)
		require.Nil(t, cookie, name)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnauthorized}, status, name)
	}
	for _, cookie := range []*http.Cookie{nil, {Name: pageCookie, Value: ""}, {Name: pageCookie, Value: r.annToken}, {Name: cookieName, Value: r.annToken}} {
		_, err := r.connect(cookie)
		require.Equal(t, ws.StatusNotAdmitted, websocket.CloseStatus(err), "%v", cookie)
	}
}

// TestSessionsOfPageAreBounded: the oldest ends for another, of a user and in all.
func TestSessionsOfPageAreBounded(t *testing.T) {
	l := newSessions(time.Now, nil)
	add := func(user string) string {
		cookie, err := l.add(t.Context(), tokenClaims{user: user, expires: time.Now().Add(time.Hour)})
		require.NoError(t, err)
		return cookie
	}
	find := func(cookie string) *session {
		of, err := l.find(t.Context(), cookie)
		require.NoError(t, err)
		return of
	}
	var cookies []string
	for range sessionsOfUser + 3 {
		cookies = append(cookies, add("ann"))
	}
	require.Nil(t, find(cookies[2]))
	require.NotNil(t, find(cookies[3]))
	for i := range sessionsInAll {
		add(fmt.Sprint(i))
	}
	require.Nil(t, find(cookies[len(cookies)-1]))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep()
	require.Len(t, l.all, sessionsInAll)
}
