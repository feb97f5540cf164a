package main

import (
	"fmt"
	"os"
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
	b, err := os.ReadFile(filepath.Join(need.Modules(t, "axe-core@4.14.1"), "node_modules", "axe-core", "axe.min.js"))
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
		page.conforms(axe, screen)
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
	for i, name := range []string{"sales.xlsx", "contrato.docx", "notas.md"} {
		page.clickIn("#pane-changes", name)
		page.waitFor(fmt.Sprintf(`document.querySelectorAll("#pane-changes .file .diff").length === %d`, i+1), "it is compared")
	}
	check("changes")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("The draft changes nothing.")
	check("published")
	page.click("History")
	page.clickIn("#pane-history", "Published")
	page.clickIn("#pane-history .filebody", "contrato.docx")
	page.waitFor(`document.querySelector("#pane-history .items ins")`, "what it changed")
	page.click("Go back to before this")
	page.waitText("Restoring it would change:")
	check("history")
	page.click("All contents of this file")
	page.waitText("What is different")
	page.waitFor(`document.querySelector("#pane-history .items ins")`, "the comparison")
	check("the contents of a file")
	page.choose(filepath.Join(p.dir, "notas.md"))
	page.waitFor(uiChips+`.length === 1`, "a file that waits")
	check("a file that waits")
	page.click("Settings")
	for _, name := range []string{"Models", "Privacy", "Approvals", "Context", "Skills", "Budgets", "Usage"} {
		page.section(name)
		page.waitFor(`!document.querySelector(".settingbox").innerText.includes("Reading")`, "what it shows")
		check("settings: " + name)
	}
	page.clickIn(".settings", "Back to the work")
	page.size(390, 844)
	check("on a phone")
	require.Empty(t, page.reported())
}

// conforms has axe-core look at the page, light and dark.
func (p *uiPage) conforms(axe, screen string) {
	p.t.Helper()
	p.waitFor(`!document.querySelector(".toast")`, "no message over the page")
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		_, err := chromedp.Run(p.ctx, chromedp.Evaluate[chromedp.Void](axe))
		require.NoError(p.t, err)
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`axe.run().then(r => r.violations.flatMap(v => v.nodes.slice(0, 5).map(n => v.id + ": " + n.html.slice(0, 150) + " " + n.failureSummary.replaceAll("\n", " "))))`, chromedp.EvalAwaitPromise))
		require.NoError(p.t, err)
		require.Empty(p.t, found, "%s, %s", screen, scheme)
	}
	p.scheme("light")
}

// TestUIAxeSignIn: the screens before a workspace of atelier http --ui conform.
func TestUIAxeSignIn(t *testing.T) {
	campaign.Slow(t)
	axe := axeCore(t)
	u := startUsersUI(t)
	page := u.enter("wrong")
	page.waitText("Invalid token")
	page.conforms(axe, "a wrong token")
	page.size(390, 844)
	page.conforms(axe, "a wrong token on a phone")
	page.keys(u.ann + "\r")
	page.waitText("Contracts of Ann")
	page.conforms(axe, "workspaces on a phone")
	page.picture("workspaces-phone")
	page.click("Contracts of Ann")
	page.waitText("What should be done?")
	page.conforms(axe, "at work on a phone")
	page.size(1280, 900)
	page.scheme("dark")
	page.picture("work-dark")
	page.conforms(axe, "at work")
}
