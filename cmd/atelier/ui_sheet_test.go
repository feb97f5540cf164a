package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// cellText returns what the grid shows in a cell of the pane that is seen.
func (p *uiPage) cellText(ref string) string {
	p.t.Helper()
	return eval[string](p.t, p.ctx, jsCell(ref)+`?.querySelector("span:not(.hide)")?.innerText ?? ""`)
}

// jsCell finds a cell of the grid that is seen, by its place.
func jsCell(ref string) string {
	return `(() => { const m = /^([A-Z]+)(\d+)$/.exec("` + ref + `"), c = [...m[1]].reduce((n, x) => n * 26 + x.charCodeAt(0) - 64, 0); const g = [...document.querySelectorAll(".sheetscroll")].find(e => e.offsetParent); return g && document.getElementById(g.id + "-" + m[2] + "-" + c) })()`
}

// TestUISheet: a workbook is a grid beside the conversation; what a tool writes is
// marked as it is written; keys move, find changes and other sheets; the published side
// is one click away.
func TestUISheet(t *testing.T) {
	campaign.Slow(t)
	m, _, page := workingUI(t)
	hold := make(chan struct{})
	m.then(
		uiAnswer{text: "First.", calls: []uiCall{{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E6","value":4711},{"cell":"L30","value":"far"}]}]}`}}},
		uiAnswer{text: "Wait |for it.", hold: hold, calls: []uiCall{{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E7","value":"second"}]}]}`}}},
		uiAnswer{text: "Done now."},
	)
	page.say("Change it.")
	page.waitFor(jsCell("E6")+`?.classList.contains("changed")`, "the change is marked while the run continues")
	require.Equal(t, "4,711", page.cellText("E6"))
	require.False(t, eval[bool](t, page.ctx, jsCell("E7")+`.classList.contains("changed")`))
	close(hold)
	page.waitFor(jsCell("E7")+`?.classList.contains("changed")`, "so is the next")
	require.Equal(t, "second", page.cellText("E7"))
	page.waitText("Done now.")
	page.idle()
	page.picture("sheet")
	page.inOrder("a sheet")

	// Merged cells span; frozen rows stay.
	wide := `(e => e.offsetWidth)`
	require.Greater(t, eval[int](t, page.ctx, wide+"("+jsCell("A1")+")"), 300)
	eval[any](t, page.ctx, `document.querySelector(".sheetscroll").focus()`)
	page.keys(kb.End)
	page.waitFor(jsCell("L1")+`?.classList.contains("on")`, "the end of the row")
	page.keys(strings.Repeat(kb.PageDown, 6))
	page.waitFor(jsCell("L30")+`?.classList.contains("changed")`, "the end of the sheet")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl))))
	page.waitFor(jsCell("A1")+`?.classList.contains("on")`, "the first cell")
	page.keys(kb.ArrowDown + kb.ArrowRight)
	page.waitFor(`document.querySelector(".cellname").value === "K2"`, "behind the merged cells")
	page.keys("n")
	page.waitFor(`document.querySelector(".cellname").value === "E6"`, "the first change")
	require.Contains(t, page.text(".holds"), "4711")
	require.Contains(t, page.text(".holds"), "→ 4")
	page.keys("p")
	page.waitFor(`document.querySelector(".cellname").value === "A30"`, "from the first to the last, a row that was empty")
	require.Contains(t, page.text(".holds"), "added")
	page.waitFor(`[...document.querySelectorAll(".number.changed.added")].some(e => e.innerText.startsWith("30"))`, "its number is marked")
	page.keys("nn")
	page.waitFor(`document.querySelector(".cellname").value !== "E6"`, "on")
	require.NotEmpty(t, page.cellText("A4"), "frozen rows are seen")

	// Another place, by its name.
	page.field("Go to a cell")
	page.keys(kb.Backspace + "nowhere" + kb.Enter)
	page.waitFor(`document.querySelector(".cellname").getAttribute("aria-invalid") === "true"`, "no cell")
	eval[any](t, page.ctx, `document.querySelector(".cellname").select()`)
	page.keys("I5" + kb.Enter)
	page.waitFor(`document.querySelector(".holds code")?.innerText.startsWith("=")`, "the formula of the cell")

	// The other side.
	page.click("Published")
	page.waitFor(jsCell("E6")+` && `+jsCell("E6")+`.innerText !== "4,711"`, "what is published")
	page.click("Draft")
	page.waitFor(jsCell("E6")+`?.querySelector("span").innerText === "4,711"`, "the draft again")

	// Another sheet.
	page.clickIn(".sheettabs", "Resumen")
	page.waitFor(`document.querySelector(".sheettabs [aria-selected=true]")?.innerText.includes("Resumen")`, "the sheet")
	page.waitFor(jsCell("A1")+`?.innerText.length > 3`, "its cells")
	page.picture("sheet-summary")
	page.clickIn(".sheettabs", "Sales")
	page.waitFor(jsCell("E6")+`?.classList.contains("changed")`, "the marks are there again")

	page.scheme("dark")
	page.picture("sheet-dark")
	page.inOrder("a sheet in the dark")
	page.size(390, 844)
	page.click("Document")
	page.waitFor(jsCell("A1")+`?.innerText.length > 3`, "the cells on a phone")
	page.picture("sheet-phone")
	page.inOrder("a sheet on a phone")
	page.size(1280, 800)
	page.scheme("light")

	// In the list of changes.
	page.click("Review 1")
	page.clickIn("#pane-changes", "sales.xlsx")
	page.clickIn("#pane-changes", "Whole file")
	page.waitFor(`document.querySelector("#pane-changes .cell.changed")`, "the grid in the list of changes")
	page.picture("sheet-changes")
	page.inOrder("a sheet among the changes")
	require.Empty(t, page.reported())
}
