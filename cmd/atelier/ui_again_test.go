package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

const uiPatience, uiEvery = time.Minute, 50 * time.Millisecond

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
	campaign.Slow(t)
	m, p, one := workingUI(t)
	p.kill()
	one.waitText("Not connected")
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

// TestUITwoPagesFollow: a page shows messages, runs, failures and undos of another
// page as they happen.
func TestUITwoPagesFollow(t *testing.T) {
	campaign.Slow(t)
	m, p, one := workingUI(t)
	p.kill()
	one.waitText("Not connected")
	p.start() // for a second address
	one.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
	two := p.open(p.address)
	two.waitText("What should be done?")
	m.then(
		uiAnswer{calls: []uiCall{{"write_text_file", `{"path":"summary.md","content":"Short.\n"}`}}},
		uiAnswer{text: "It is written."},
		uiAnswer{fails: true},
	)
	one.say("Write it.")
	two.waitText("Write it.")
	two.waitText("It is written.")
	two.waitText("Review 1")
	two.idle()
	one.idle()
	one.say("Once more.")
	two.waitText("Once more.")
	two.waitFor(`document.querySelector(".cards .card")`, "the card that says why the run ended")
	one.waitFor(`document.querySelector(".cards .card")`, "the same card")
	two.idle()
	one.click("Undo from here")
	two.waitFor(`document.querySelectorAll(".entry").length === 0`, "the undo of the other page")
	two.waitFor(`!document.querySelector(".bar .review")?.offsetParent`, "no review")
	require.Empty(t, one.reported())
	require.Empty(t, two.reported())
}

// TestUIWithoutTheName: a browser that does not find names below localhost has the
// page at the IP address.
func TestUIWithoutTheName(t *testing.T) {
	campaign.Slow(t)
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

// TestUIKilledAtRandom: the program is killed at random moments of a run and started
// again, until the run ends. The page then shows what a page that is opened anew
// shows: nothing is lost, nothing is there twice.
func TestUIKilledAtRandom(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	for i := range 12 {
		m.then(uiAnswer{text: fmt.Sprintf("Step %d of many words, and then some more words.", i), pace: 20 * time.Millisecond,
			calls: []uiCall{{"write_text_file", fmt.Sprintf(`{"path":"step%d.md","content":"%d\n"}`, i, i)}}})
	}
	m.then(uiAnswer{text: "All steps are done."})
	page.say("Do the steps.")
	kills := 0
	for range 4 {
		time.Sleep(time.Duration(rand.IntN(1200)) * time.Millisecond)
		if strings.Contains(page.text(".log"), "All steps are done.") {
			break
		}
		p.kill()
		kills++
		page.waitText("Not connected")
		p.start()
		page.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
		page.waitText("This was not finished")
		page.click("Go on")
	}
	page.waitText("All steps are done.")
	page.idle()
	// Text that was cut off by a kill is shown by this page only: it is stored nowhere.
	shown := func() string {
		return eval[string](t, page.ctx, `[...document.querySelectorAll(".entry")].filter(e => !e.matches(".note") && !e.innerText.includes("cut off")).map(e => e.querySelector(".said, .prose, summary").textContent.trim().replace(/\s+[\d.]+ s$/, "")).join("\n")`)
	}
	before := shown()
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("All steps are done.")
	require.Equal(t, shown(), before)
	t.Logf("%d kills", kills)
	require.Empty(t, page.reported())
}
