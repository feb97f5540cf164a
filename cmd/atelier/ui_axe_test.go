package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// axeCore returns the script of axe-core, which npm brings.
func axeCore(t *testing.T) string {
	t.Helper()
	npm := need.Program(t, "npm", "npm and nodejs")
	dir := t.TempDir()
	out, err := exec.Command(npm, "install", "--prefix", dir, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "axe-core@4.14.1").CombinedOutput()
	if err != nil {
		t.Logf("%s", out)
		need.Absent(t, "axe-core", "it with npm, which needs a network")
	}
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(b)
}

// TestUIAxe: axe-core finds no violation of WCAG 2.2 AA or of its best practices on
// any screen, light, dark, and on a phone.
func TestUIAxe(t *testing.T) {
	campaign.Slow(t)
	axe := axeCore(t)
	m := newUIModel(t)
	p := startUI(t)
	page := p.open(p.address)
	check := func(screen string) {
		t.Helper()
		page.waitFor(`!document.querySelector(".toast")`, "no message over the page")
		for _, scheme := range []string{"light", "dark"} {
			page.scheme(scheme)
			_, err := chromedp.Run(page.ctx, chromedp.Evaluate[chromedp.Void](axe))
			require.NoError(t, err)
			found, err := chromedp.Run(page.ctx, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.flatMap(v => v.nodes.slice(0, 5).map(n => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary.replaceAll("\n", " "))))`, chromedp.EvalAwaitPromise))
			require.NoError(t, err)
			require.Empty(t, found, "%s, %s", screen, scheme)
		}
		page.scheme("light")
	}
	page.waitText("Which model should work?")
	check("models")
	page.click("Another endpoint")
	page.field("Short name")
	page.keys("house")
	page.field("Address")
	page.keys(m.URL + "/v1\r")
	page.waitText("It is added.")
	page.click("house:scripted")
	page.click("Try it")
	page.waitText("streaming")
	check("a model that was tried")
	page.click("Use this model")
	page.waitFor(`!document.querySelector("dialog")`, "the dialog is closed")
	check("nothing said yet")
	m.then(uiAnswer{text: "# Title\n\nText with `code`.\n\n| a |\n|---|\n| 1 |\n", calls: []uiCall{{"ask_user", askTwo}}}, uiAnswer{text: "Fine."})
	page.say("Ask me.")
	page.waitText("How many?")
	check("questions")
	page.keys("1\tx\r")
	page.waitText("Fine.")
	page.idle()
	changeAll(m, page)
	page.click("xlsx_operations")
	check("an open call")
	for file, seen := range map[string]string{"sales.xlsx": ".sheet .cell.changed", "contrato.docx": ".flow .fchanged"} {
		eval[any](t, page.ctx, `(() => { const c = document.querySelector("[aria-label=File]"); c.value = "`+file+`"; c.dispatchEvent(new Event("change")) })()`)
		page.waitFor(`document.querySelector(".docview `+seen+`")`, file)
		check(file)
	}
	page.click("Review 4")
	page.waitText("What the draft changes")
	for _, name := range []string{"sales.xlsx", "contrato.docx", "notas.md"} {
		page.clickIn("#pane-changes", name)
	}
	page.waitFor(`document.querySelectorAll(".file .diff").length === 3`, "all are compared")
	check("changes")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("The draft changes nothing.")
	check("published")
	page.click("History")
	page.click("Before a publish")
	page.waitText("Restoring it would change:")
	check("history")
	page.size(390, 844)
	check("on a phone")
	require.Empty(t, page.reported())
}
