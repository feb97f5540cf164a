package main

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUITranslateAxe: axe-core finds no violation on the screens of translations,
// light and dark.
func TestUITranslateAxe(t *testing.T) {
	campaign.Slow(t)
	axe := axeCore(t)
	_, page := translatePage(t, map[string]string{"letters/offer.md": letter, "scan.png": "x"})
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
	page.clickIn(".trset", "More")
	check("the form")
	page.onlyFile("offer.md")
	page.into("es")
	page.click("Estimate")
	page.waitText("Words to ask for")
	check("an estimate")
	eval[any](t, page.ctx, `document.querySelector(".trform .primary").click()`)
	page.waitFor(`document.querySelector(".target")?.innerText.includes("ö")`, "the segments")
	page.waitText("The memory has nothing like it.")
	page.typeTarget("La oferta")
	page.waitText("Missing:")
	check("a missing tag")
	page.click("XLIFF and TMX")
	page.click("Files 1")
	check("files")
	page.click("Find and replace")
	page.field("Replace by")
	page.keys("x")
	check("find and replace")
}
