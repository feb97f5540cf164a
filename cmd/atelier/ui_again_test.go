package main

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const uiPatience, uiEvery = 30 * time.Second, 50 * time.Millisecond

// TestUIKilledInARun: the program is killed while the model works, and started
// again. The page connects by itself, shows what was finished once, and the run is
// gone on with.
func TestUIKilledInARun(t *testing.T) {
	m, p, page := workingUI(t)
	m.then(
		uiAnswer{text: "First.", calls: []uiCall{{"write_text_file", `{"path":"summary.md","content":"Short.\n"}`}}},
		uiAnswer{text: "Half of |it.", hold: make(chan struct{})},
	)
	page.say("Write it.")
	page.waitText("Half of")
	p.kill()
	page.waitText("Not connected")
	p.start()
	page.waitText("This was not finished")
	page.waitText("The program ended while it worked")
	require.Equal(t, 1, strings.Count(page.text(".log"), "First."))
	require.Equal(t, 1, eval[int](t, page.ctx, `document.querySelectorAll(".call.done").length`))
	page.waitText("Review 1")
	page.picture("killed")
	page.inOrder("after a kill")
	m.then(uiAnswer{text: "Now it is whole."})
	page.click("Go on")
	page.waitText("Now it is whole.")
	page.idle()
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("Now it is whole.")
	require.Empty(t, page.reported())
}

// TestUITwoPages: what one page does the other shows, also what it missed; both
// see a question, one answers.
func TestUITwoPages(t *testing.T) {
	m, p, one := workingUI(t)
	p.kill()
	p.start() // for a second address
	one.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
	hold := make(chan struct{})
	m.then(
		uiAnswer{text: "Half of |it.", hold: hold, calls: []uiCall{{"ask_user", askColour}}},
		uiAnswer{text: "Green it is."},
	)
	one.say("Ask me.")
	one.waitText("Half of")
	two := p.open(p.address)
	two.waitText("Half of") // from the beginning of the run
	two.waitText("Ask me.")
	close(hold)
	one.waitText("Which colour?")
	two.waitText("Which colour?")
	two.click("Green")
	one.waitText("Green it is.")
	two.waitText("Green it is.")
	one.waitFor(`!document.querySelector(".cards .card")`, "the question is closed")
	two.idle()
	require.Equal(t, 1, strings.Count(two.text(".log"), "Half of it."))
	require.Empty(t, one.reported())
	require.Empty(t, two.reported())
}

// TestUIWithoutTheName: a browser that does not find names below localhost has the
// page at the IP address.
func TestUIWithoutTheName(t *testing.T) {
	m := newUIModel(t)
	p := startUI(t, "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted")
	page := p.open(p.plain)
	page.waitText("What should be done?")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("What should be done?")
	require.Empty(t, page.reported())

	late := p.open(p.address) // its token was used
	late.waitText("This browser is not let in")
	late.inOrder("not let in")
	late.picture("closed")
}
