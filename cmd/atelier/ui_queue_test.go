package main

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUIQueue: while another user's run has the only place, the page says that its run waits,
// also after a reload and in a second window, and that it no longer does.
func TestUIQueue(t *testing.T) {
	campaign.Slow(t)
	u := startUsersUI(t, "--max-runs", "1")
	first, second := make(chan struct{}), make(chan struct{})
	ann := u.enter(u.ann)
	ann.click("Contracts of Ann")
	u.m.then(uiAnswer{text: "I write it.", calls: []uiCall{{"write_text_file", `{"path":"new.md","content":"For Ann.\n"}`}}}, uiAnswer{text: "An earlier run."})
	ann.say("Go ahead.")
	ann.waitText("An earlier run.")
	ann.idle()

	u.m.then(uiAnswer{text: "Bob has the place |until the end.", hold: first}, uiAnswer{text: "Now it is |your turn.", hold: second})
	bob := u.enter(u.bob)
	bob.click("Budget of Bob")
	bob.say("Take long.")
	bob.waitText("Bob has the place")

	ann.say("Is it my turn?")
	ann.waitText("Waits, since the server is busy: it is the next.")
	for _, scheme := range []string{"light", "dark"} {
		ann.clickIn("[role=tablist]", "Document")
		ann.scheme(scheme)
		ann.picture("queue-" + scheme)
		ann.inOrder("a run that waits, " + scheme)
		ann.size(390, 844)
		ann.clickIn("[role=tablist]", "Conversation")
		ann.picture("queue-phone-" + scheme)
		ann.inOrder("a run that waits on a phone, " + scheme)
		ann.size(1280, 900)
	}

	// The draft can be published meanwhile.
	ann.click("Review 1")
	ann.clickIn("#pane-changes", "Publish all")
	ann.waitText("Published")

	// The run is another window's too, and a message to it is refused before it is typed.
	window := u.enter(u.ann)
	window.click("Contracts of Ann")
	window.waitText("Waits, since the server is busy: it is the next.")
	require.NoError(t, chromedp.Do(window.ctx, chromedp.Reload()))
	window.waitText("Is it my turn?")
	window.waitText("Waits, since the server is busy: it is the next.")
	window.picture("queue-again")
	require.Contains(t, window.text(".progress"), "Waits, since", "though the page was told of an earlier run")
	require.Equal(t, 1.0, eval[float64](t, window.ctx, `document.querySelectorAll(".entry.call").length`))
	require.True(t, eval[bool](t, window.ctx, `document.querySelector(".sendrow .primary").disabled`), "a run that waits takes no messages")

	// One that is stopped no longer waits, in both.
	window.click("Stop")
	ann.waitText("Stopped.")
	ann.idle()
	window.waitText("stopped before it had its turn")
	window.idle()
	window.picture("queue-stopped")
	ann.picture("queue-stopped-mine")

	// One of a program waits likewise, and the page follows it from its beginning.
	status, answer := u.send(t, http.MethodPost, "/workspaces/"+u.ids["Contracts of Ann"]+"/runs", obj{"text": "From a program."})
	require.Equal(t, http.StatusOK, status, answer)
	for _, page := range []*uiPage{ann, window} {
		page.waitText("Waits, since the server is busy: it is the next.")
	}
	close(first)
	for _, page := range []*uiPage{ann, window} {
		page.waitText("Now it is")
		require.NotContains(t, page.text(".progress"), "Waits")
		require.False(t, eval[bool](t, page.ctx, `document.querySelector(".sendrow .primary").disabled`))
	}
	close(second)
	for _, page := range []*uiPage{ann, window} {
		page.waitText("Now it is your turn.")
		page.idle()
	}
	require.Empty(t, ann.reported())
	require.Empty(t, bob.reported())
	require.Empty(t, window.reported())
}
