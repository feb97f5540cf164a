package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// usersUI serves the page to users. Each of two has one workspace.
type usersUI struct {
	*httpServer
	t      *testing.T
	m      *uiModel
	origin string
	ann    string // token
	bob    string
	ids    map[string]string // of workspaces by name
}

func startUsersUI(t *testing.T, flags ...string) *usersUI {
	u := &usersUI{t: t, m: newUIModel(t), ids: map[string]string{}}
	home := t.TempDir()
	u.httpServer = startHTTPWith(t, home, append([]string{"--ui"}, flags...), "OPENAI_BASE_URL="+u.m.URL+"/v1", "ATELIER_MODEL=scripted", "ATELIER_JWT_MINUTES=60")
	u.origin = strings.TrimSuffix(u.url, "/api/v1")
	u.admin(t, "user", "add", "--email", "bob@example.org", "--name", "Bob <b>Bold</b>")
	u.ann, u.bob = u.token, u.admin(t, "token", "--user", "bob@example.org")["access_token"].(string)
	for _, w := range [][3]string{{"Contracts of Ann", httpUser, "ann.md"}, {"Budget of Bob", "bob@example.org", "bob.md"}} {
		dir := filepath.Join(t.TempDir(), "folder")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, w[2]), []byte("Only for the owner.\n"), 0o644))
		u.ids[w[0]] = u.admin(t, "workspace", "add", "--name", w[0], "--owner", w[1], "--root", dir)["id"].(string)
	}
	return u
}

// enter opens the page in a new browser and signs in.
func (u *usersUI) enter(token string) *uiPage {
	u.t.Helper()
	page := (&uiProgram{t: u.t}).open(u.origin + "/")
	page.waitText("Sign in to Atelier")
	page.waitFor(`document.activeElement?.id === "token"`, "the field has the focus")
	command(u.t, page.ctx, input.InsertText, input.InsertTextParams{Text: token}) // people paste it
	page.keys("\r")
	return page
}

// TestUIUsers: two users sign in with their tokens, each sees only their workspaces,
// works in them, and signs out.
func TestUIUsers(t *testing.T) {
	campaign.Slow(t)
	u := startUsersUI(t)
	ann := u.enter(u.ann)
	ann.waitText("Contracts of Ann")
	bob := u.enter(u.bob)
	bob.waitText("Budget of Bob")
	require.NotContains(t, ann.text("body"), "Budget of Bob")
	require.NotContains(t, bob.text("body"), "Contracts of Ann")
	require.Contains(t, bob.text("body"), "Bob <b>Bold</b>", "a name is text")
	bob.inOrder("workspaces")
	bob.picture("workspaces")
	bob.size(390, 844)
	bob.inOrder("workspaces on a phone")
	bob.size(1280, 900)
	require.Equal(t, u.origin+"/", eval[string](t, ann.ctx, "location.href"), "nothing of the token is in the address")
	require.Empty(t, eval[string](t, ann.ctx, "document.cookie"), "no script reads the cookie")

	ann.click("Contracts of Ann")
	ann.waitText("What should be done?")
	u.m.then(uiAnswer{text: "I write it.", calls: []uiCall{{"write_text_file", `{"path":"new.md","content":"For Ann.\n"}`}}}, uiAnswer{text: "It is **written**."})
	ann.say("Write it.")
	ann.waitText("It is written.")
	ann.idle()
	ann.click("Review 1")
	ann.waitText("new.md")
	ann.picture("work")
	ann.inOrder("at work")
	ann.size(390, 844)
	ann.inOrder("at work on a phone")
	ann.picture("work-phone")
	ann.size(1280, 900)
	ann.clickIn("#pane-changes", "Publish all")
	ann.waitText("Published")
	status, runs := u.send(t, http.MethodGet, "/workspaces/"+u.ids["Contracts of Ann"]+"/runs", nil)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, runs, `"running":false`, "the API lists the run of the page")

	// After a reload the same workspace is shown.
	require.NoError(t, chromedp.Do(ann.ctx, chromedp.Reload()))
	ann.waitText("It is written.")

	// A member sees the workspace, until the membership is taken back.
	u.admin(t, "member", "add", "--workspace", u.ids["Contracts of Ann"], "--user", "bob@example.org")
	require.NoError(t, chromedp.Do(bob.ctx, chromedp.Reload()))
	bob.click("Contracts of Ann")
	bob.waitText("It is written.")
	u.admin(t, "member", "remove", "--workspace", u.ids["Contracts of Ann"], "--user", "bob@example.org")
	bob.say("What is new?")
	bob.waitText("you are not a member of this workspace")
	bob.click("Workspaces")
	bob.waitText("Budget of Bob")
	require.NotContains(t, bob.text("body"), "Contracts of Ann")

	ann.click("Sign out")
	ann.waitText("Sign in to Atelier")
	require.NoError(t, chromedp.Do(ann.ctx, chromedp.Reload()))
	ann.waitText("Sign in to Atelier")
	require.Empty(t, ann.reported())
	require.Empty(t, bob.reported())
}

// TestUITokenTakenBack: a wrong token lets nobody in; one that is taken back ends
// the session, and the page with it.
func TestUITokenTakenBack(t *testing.T) {
	campaign.Slow(t)
	u := startUsersUI(t)
	ann := u.enter(u.ann[:len(u.ann)-4] + "AAAA")
	ann.waitText("Invalid token signature")
	ann.inOrder("a wrong token")
	ann.picture("wrong")
	ann.keys(u.ann + "\r")
	ann.click("Contracts of Ann")
	ann.waitText("What should be done?")
	u.admin(t, "token", "revoke", "--user", httpUser)
	ann.waitText("Sign in to Atelier")
	ann.keys(u.ann + "\r")
	ann.waitText("it was taken back")
	status, _ := u.send(t, http.MethodGet, "/workspaces", nil)
	require.Equal(t, http.StatusUnauthorized, status, "the API refuses it too")
	ann.waitFor(`document.activeElement.id === "token"`, "the field has the focus")
	ann.keys(u.admin(t, "token", "--user", httpUser)["access_token"].(string) + "\r")
	ann.waitText("Contracts of Ann")
	require.Empty(t, ann.reported())
}

// TestUIUsersFromElsewhere: another origin and another host get nothing, also with
// a right token.
func TestUIUsersFromElsewhere(t *testing.T) {
	u := startUsersUI(t)
	try := func(method, path, host, origin string, body any) int {
		b, err := json.Marshal(body)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), method, u.origin+path, bytes.NewReader(b))
		require.NoError(t, err)
		if host != "" {
			r.Host = host
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		resp.Body.Close()
		return resp.StatusCode
	}
	token := obj{"token": u.ann}
	require.Equal(t, http.StatusNoContent, try(http.MethodPost, "/session", "", u.origin, token))
	require.Equal(t, http.StatusForbidden, try(http.MethodPost, "/session", "", "https://evil.example", token))
	require.Equal(t, http.StatusForbidden, try(http.MethodPost, "/session", "", "", token))
	require.Equal(t, http.StatusForbidden, try(http.MethodPost, "/session/end", "", "null", obj{}))
	require.Equal(t, http.StatusForbidden, try(http.MethodGet, "/session/ws", "", "https://evil.example", nil))
	require.Equal(t, http.StatusMisdirectedRequest, try(http.MethodGet, "/", "evil.example", "", nil))
	require.Equal(t, http.StatusMisdirectedRequest, try(http.MethodPost, "/session", "evil.example", "http://evil.example", token))
	require.Equal(t, http.StatusOK, try(http.MethodGet, "/", "", "", nil))
}
