package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// killSoon kills the program a random moment after something was asked for, starts it
// again, and waits until the page is connected.
func (p *uiProgram) killSoon(page *uiPage) {
	p.t.Helper()
	time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
	p.kill()
	page.waitText("Not connected")
	p.start()
	page.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
}

// insist does something while the program is killed, and does it again as a person
// would when it is not done then.
func (p *uiProgram) insist(page *uiPage, done string, do func()) {
	p.t.Helper()
	do()
	p.killSoon(page)
	deadline := time.Now().Add(3 * time.Second)
	for !eval[bool](p.t, page.ctx, "Boolean("+done+")") {
		if time.Now().After(deadline) {
			do()
			break
		}
		time.Sleep(uiEvery)
	}
	page.waitFor(done, done)
}

// TestUIKilledInWalks: the program is killed at random moments while a person sets up a
// model and asks (walk 1), rejects a change (walk 3), publishes, restores and compares (walk 4), and changes the
// settings (walk 6). The page continues each time, and nothing that was told as done is lost.
func TestUIKilledInWalks(t *testing.T) {
	campaign.Slow(t)
	m := newUIModel(t)
	p := startUI(t)
	page := p.open(p.address)

	// Walk 1.
	page.waitText("Which model should work?")
	// With keys, since the list above grows meanwhile.
	eval[any](t, page.ctx, `[...document.querySelectorAll("dialog summary")].at(-1).focus()`)
	page.keys(kb.Enter)
	p.insist(page, `document.querySelector("dialog").innerText.includes("It is added.")`, func() {
		for _, f := range [][2]string{{"Short name", "house"}, {"Address", m.URL + "/v1\r"}} {
			eval[any](t, page.ctx, `(e => { e.focus(); e.select() })(document.querySelector("[aria-label='`+f[0]+`']"))`)
			page.keys(f[1])
		}
	})
	p.insist(page, `!document.querySelector("dialog")`, func() {
		page.click("house:scripted")
		page.click("Use this model")
	})
	m.then(uiAnswer{text: "There are five documents.", pace: 30 * time.Millisecond}, uiAnswer{text: "There are five documents."}, uiAnswer{text: "There are five documents."})
	p.insist(page, `document.querySelector(".log").innerText.includes("five documents.")`, func() {
		switch {
		case eval[bool](t, page.ctx, `[...document.querySelectorAll(".card button")].some(b => b.innerText.startsWith("Go on"))`):
			page.click("Go on")
		case eval[bool](t, page.ctx, `document.getElementById("composer").value !== ""`):
			page.field("Your message")
			page.keys(kb.Enter)
		default:
			page.say("How many?")
		}
	})
	page.idle()
	page.waitFor(`document.getElementById("composer").value === ""`, "a message that was stored is not offered again")
	require.Equal(t, 1, eval[int](t, page.ctx, `document.querySelectorAll(".entry.user").length`))

	// Walk 3.
	m.mu.Lock()
	m.answers = nil
	m.mu.Unlock()
	changeAll(m, page)
	require.NotContains(t, page.text(".cards"), "This was not finished", "the text that was cut off in walk 1 is above")
	page.click("Review 4")
	page.clickIn("#pane-changes", "contrato.docx")
	page.waitFor(`document.querySelector("#pane-changes button.reject")`, "its changes")
	p.insist(page, `document.querySelector("#pane-changes .head .sub").innerText.startsWith("3 files")`, func() { page.clickIn("#pane-changes .items", "Reject") })

	// Walk 4.
	p.insist(page, `document.querySelector("#pane-changes .blank")?.offsetParent`, func() { page.clickIn("#pane-changes", "Publish all") })
	text, err := os.ReadFile(filepath.Join(p.dir, "notas.md"))
	require.NoError(t, err)
	require.Equal(t, "# Notes\n\nAll new.\n", string(text))
	page.click("History")
	page.waitFor(`[...document.querySelectorAll("#pane-history .history > li > details")].filter(e => e.innerText.includes("Published")).length === 1`, "one publish, which was done once")
	page.field("Description")
	page.keys("kept")
	p.insist(page, `document.querySelector("#pane-history .history").innerText.includes("kept")`, func() {
		page.field("Description")
		page.keys(kb.Enter)
	})
	page.clickIn("#pane-history", "Published")
	page.clickIn("#pane-history details[open] .filebody", "notas.md")
	page.waitFor(`document.querySelector("#pane-history .lines")`, "what it changed")
	restored := func() bool {
		now, err := os.ReadFile(filepath.Join(p.dir, "notas.md"))
		return err == nil && string(now) != "# Notes\n\nAll new.\n"
	}
	page.click("Go back to before this")
	page.click("Restore 3 files")
	page.clickIn("dialog", "Restore")
	p.killSoon(page)
	if !restored() {
		page.click("Go back to before this")
		page.click("Restore 3 files")
		page.clickIn("dialog", "Restore")
	}
	require.Eventually(t, restored, uiPatience, uiEvery)
	require.NoFileExists(t, filepath.Join(p.dir, "summary.md"), "all or nothing")
	page.waitFor(`[...document.querySelectorAll("#pane-history .history > li > details")].filter(e => e.innerText.includes("Restored")).length === 1`, "one restore")

	// Walk 6.
	page.click("Settings")
	page.section("Context")
	page.clickIn(".settingbox", "The situation")
	page.field("Text of The situation")
	page.keys("We move next week.")
	p.insist(page, `document.querySelector(".settingbox").innerText.includes("We move next week.") && !document.querySelector("[data-unsaved]")`, func() { page.click("Save The situation") })
	page.section("Budgets")
	p.insist(page, `document.querySelector("[aria-label='Every folder']")?.innerText.includes("Saved")`, func() { page.fill(`[aria-label="Every folder"]`, "Tokens of a run", "500000\r") })
	page.section("Privacy")
	page.section("Budgets")
	page.waitFor(`[...document.querySelectorAll("[aria-label='Every folder'] input")][0]?.value === "500000"`, "it is stored")
	page.waitFor(`document.querySelector("[aria-label='This folder']")?.innerText.includes("500k is set elsewhere")`, "and counts for the folder")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitFor(`document.querySelector(".settingbox h3")?.innerText === "Budgets"`, "the address leads there again")
	page.keys(kb.Escape)
	page.waitText("I changed four files.")
	require.Empty(t, page.reported())
}
