package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// publishAll publishes the draft with the keys.
func (p *uiPage) publishAll() {
	p.t.Helper()
	p.click("Review")
	p.clickIn("#pane-changes", "Publish all")
	p.waitText("The draft changes nothing.")
}

// TestUIHistory: the time line has every publish with what it changed in each file; of
// one file any two contents are compared; one file goes back into the draft, and the
// whole folder to a state that was kept, each seen before it is done.
func TestUIHistory(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	before, err := os.ReadFile(filepath.Join(p.dir, "notas.md"))
	require.NoError(t, err)
	changeAll(m, page)
	page.publishAll()
	page.click("History")
	page.field("Description")
	page.keys("before lunch\r")
	page.waitText("before lunch")
	m.then(uiAnswer{calls: []uiCall{
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"Sales 2026"},{"cell":"B3","value":7}]}]}`},
		{"write_text_file", `{"path":"notas.md","content":"# Notes\n\nNewer.\n"}`},
	}}, uiAnswer{text: "Once more."})
	page.say("Change them again.")
	page.waitText("Once more.")
	page.idle()
	page.publishAll()

	page.click("History")
	page.waitFor(`document.querySelectorAll("#pane-history .history > li > details").length === 3`, "two publishes and the kept state")
	require.Equal(t, 1, eval[int](t, page.ctx, `document.querySelectorAll("#pane-history .day").length`), "all are of today")
	page.clickIn("#pane-history", "Published 2 files: notas.md, sales.xlsx")
	page.clickIn("#pane-history .filebody", "sales.xlsx")
	page.waitFor(`document.querySelector("#pane-history .grid")`, "the cells as a grid")
	for _, want := range []string{"Sales 2025", "Sales 2026"} {
		require.Contains(t, page.text("#pane-history .grid"), want[len(want)-1:])
	}
	page.clickIn("#pane-history", "Pages")
	page.waitFor(`[...document.querySelectorAll("#pane-history .pages img")].filter(i => !i.hidden && i.naturalWidth > 50).length === 2`, "pictures of both")
	require.NotEqual(t, eval[string](t, page.ctx, `document.querySelectorAll("#pane-history .pages img")[0].alt`), eval[string](t, page.ctx, `document.querySelectorAll("#pane-history .pages img")[1].alt`))
	page.inOrder("history")
	page.picture("ui-history")
	page.scheme("dark")
	page.picture("ui-history-dark")
	page.inOrder("history in the dark")
	page.scheme("light")

	// Any two contents of a file.
	page.clickIn("#pane-history", "All contents of this file")
	page.waitFor(`document.querySelectorAll(".versions li").length >= 3`, "three contents and steps")
	eval[any](t, page.ctx, `[...document.querySelectorAll(".versions input[name=from]")].at(-1).focus()`)
	page.keys(" ")
	page.waitFor(`(t => t.includes("Ventas") || t.includes("Sales 2026"))(document.querySelector("#pane-history .grid")?.innerText ?? "")`, "the oldest against the newest")
	page.waitFor(`[...document.querySelectorAll(".versions input[name=from]")].at(-1).checked`, "the choice is shown")
	page.inOrder("contents of a file")
	page.picture("ui-versions")
	page.size(390, 844)
	page.picture("ui-versions-phone")
	page.inOrder("contents of a file on a phone")
	page.size(1280, 800)

	// One file, seen first.
	eval[any](t, page.ctx, `(s => { s.value = "notas.md"; s.dispatchEvent(new Event("change")) })(document.querySelector("[aria-label='Whose history']"))`)
	page.waitFor(`document.querySelector("#pane-history h3 bdi")?.innerText === "notas.md"`, "the other file")
	page.waitFor(`document.querySelectorAll(".versions .quiet").length > 0`, "its contents")
	eval[any](t, page.ctx, `[...document.querySelectorAll(".versions .quiet")].at(-1).focus()`)
	page.keys(kb.Enter)
	page.waitText("Put it into the draft")
	page.waitFor(`document.querySelector("#pane-history .card .lines .removed")?.innerText`, "what it changes")
	require.Equal(t, 0, eval[int](t, page.ctx, `document.querySelectorAll(".review:not([hidden])").length`), "nothing was done yet")
	page.keys(kb.Enter) // the button has the focus
	page.waitText("It is in the draft now")
	page.waitText("Review 1")
	page.publishAll()
	text, err := os.ReadFile(filepath.Join(p.dir, "notas.md"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(text))

	// The whole folder, seen first.
	page.click("History")
	page.click("‹ All files")
	page.clickIn("#pane-history", "before lunch")
	page.click("Go back to this state")
	page.waitText("Restoring it would change:")
	page.clickIn("#pane-history .card", "notas.md")
	page.waitFor(`document.querySelector("#pane-history .card .lines .added")?.innerText.includes("Notes")`, "what it makes of a file")
	page.picture("ui-restore")
	page.inOrder("restoring a state")
	page.click("Restore 2 files")
	page.waitText("Restore this state?")
	page.clickIn("dialog", "Restore")
	page.waitText("Restored.")
	text, err = os.ReadFile(filepath.Join(p.dir, "notas.md"))
	require.NoError(t, err)
	require.Equal(t, "# Notes\n\nAll new.\n", string(text))
	page.waitFor(`document.querySelector("#pane-history .history > li > details").innerText.includes("Restored")`, "the restore is in the time line")
	require.Empty(t, page.reported())
}
