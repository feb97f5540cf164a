package main

import (
	"bytes"
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/workshop/translate/page"
)

// translationPage is a report with every kind of thing, markup in a document
// among it.
func translationPage(t *testing.T) string {
	t.Helper()
	rows := func(list ...page.Row) iter.Seq2[page.Row, error] {
		return func(yield func(page.Row, error) bool) {
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	number := []page.Flag{{Code: "number", Message: `the number 30 is missing; the translation has 13`}}
	r := page.Report{
		Title: "contracts", Made: time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC), Version: "1.0", Engine: "gpt-5",
		Figures: []page.Figure{{Name: "Documents", Value: "3"}, {Name: "Words", Value: "4,182"}, {Name: "Repeated segments", Value: "96"}, {Name: "From the memory", Value: "41"}, {Name: "To look at", Value: "4"}, {Name: "Tokens", Value: "61,420"}, {Name: "Cost", Value: "0.31"}},
		Files: []page.File{
			{Input: "contracts/supply agreement.docx", Output: "translated/es/supply agreement.docx", From: "en", To: "es", Status: "flagged", Segments: 212, Words: 2804, Repetitions: 18, Memory: 22, Kinds: map[string]int{"number": 1, "term": 1, "left": 1}, Rows: rows(
				page.Row{Place: "paragraph 1", Part: "body", Source: "<1>Supply Agreement</1>", Target: "<1>Contrato de suministro</1>", Origin: "memory"},
				page.Row{Place: "paragraph 4", Part: "body", Source: "The <1>Seller</1> shall deliver the goods within 30 days<2/>.", Target: "El <1>vendedor</1> entregará los bienes en un plazo de 13 días<2/>.", Flags: append(number, page.Flag{Code: "term", Message: `the glossary says "parte vendedora" for "Seller"`})},
				page.Row{Place: "paragraph 5", Part: "body", Source: "Payment is due upon receipt of the invoice.", Target: "El pago vence a la recepción de la factura.", Origin: "person"},
				page.Row{Place: "footnote 2", Part: "footnote", Source: "See {annex}.", Flags: []page.Flag{{Code: "left", Message: `"{annex}" must stay as it is; left in the source language`}}},
				page.Row{Place: "paragraph 9", Part: "body", Source: `<script>document.title='owned'</script><img src='http://127.0.0.1:9/x' onerror='document.title=1'>`, Target: "x"},
			)},
			{Input: "contracts/supply agreement.docx", Output: "translated/ar/supply agreement.docx", From: "en", To: "ar", Status: "flagged", Segments: 212, Words: 1310, Repetitions: 78, Memory: 19, Kinds: map[string]int{"number": 1}, Rows: rows(
				page.Row{Place: "paragraph 1", Part: "body", Source: "<1>Supply Agreement</1>", Target: "<1>اتفاقية توريد</1>"},
				page.Row{Place: "paragraph 4", Part: "body", Source: "The <1>Seller</1> shall deliver the goods within 30 days<2/>.", Target: "يلتزم <1>البائع</1> بتسليم البضائع خلال 13 يومًا<2/>.", Flags: number},
			)},
			{Input: "contracts/old.doc", Output: "translated/es/old.doc", From: "en", To: "es", Status: "failed", Error: "the file is encrypted; save it without a password"},
		},
	}
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, r))
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// jsShown are the places of the segments that can be seen.
const jsShown = `Array.from(document.querySelectorAll("tr.seg")).filter(r => r.getClientRects().length).map(r => r.querySelector("th bdi").textContent)`

// TR-06: in a browser the report runs clean, filters and finds, and is named
// and readable throughout, in the light, in the dark and on a phone.
func TestTR06Browser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: left out with -short")
	}
	ctx, seen := browser(t, translationPage(t), true)
	require.Equal(t, "Translation of contracts", eval[string](t, ctx, `document.title`), "markup in a document does not run")
	press(t, ctx, kb.Tab)
	require.Equal(t, "#documents", eval[string](t, ctx, `document.activeElement.getAttribute("href")`))
	require.Len(t, eval[[]string](t, ctx, jsShown), 7)

	click := func(id string) {
		t.Helper()
		require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.ID(id))))
	}
	click("show-number")
	require.Equal(t, []string{"paragraph 4", "paragraph 4"}, eval[[]string](t, ctx, jsShown))
	click("show-flagged")
	require.Equal(t, []string{"paragraph 4", "footnote 2", "paragraph 4"}, eval[[]string](t, ctx, jsShown))
	press(t, ctx, kb.ArrowDown) // radio buttons answer to arrows
	require.Equal(t, []string{"footnote 2"}, eval[[]string](t, ctx, jsShown), "left in the source language")
	click("show-plain")
	require.Len(t, eval[[]string](t, ctx, jsShown), 4)
	click("show-all")

	press(t, ctx, "/")
	require.Equal(t, "search", eval[string](t, ctx, `document.activeElement.id`))
	press(t, ctx, "VENDEDOR entregará") // over a tag
	require.Eventually(t, func() bool {
		return eval[string](t, ctx, `document.getElementById("found").textContent`) == "1 segment"
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, []string{"paragraph 4"}, eval[[]string](t, ctx, jsShown))
	press(t, ctx, kb.Escape)
	require.Len(t, eval[[]string](t, ctx, jsShown), 7)
	require.Equal(t, []string{"paragraph 1", "paragraph 4"}, eval[[]string](t, ctx, `(() => { const w = document.getElementById("which"); w.value = "f2"; w.dispatchEvent(new Event("change")); const out = `+jsShown+`; w.value = ""; w.dispatchEvent(new Event("change")); return out; })()`))
	require.Equal(t, "rtl", eval[string](t, ctx, `getComputedStyle(document.querySelector("#f2 tr.seg div.text")).direction`))

	looks(t, ctx)
	reportPictures(t, ctx, "translation-light.png")
	command(t, ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	looks(t, ctx)
	reportPictures(t, ctx, "translation-dark.png")
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(380, 800)))
	require.Empty(t, eval[[]string](t, ctx, jsSideways), "the page scrolls sideways on a phone")
	require.Empty(t, seen(), "errors, console lines or requests")
}

// TR-06: without its script the report shows and filters the same; only the
// search is not offered.
func TestTR06BrowserWithoutScript(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: left out with -short")
	}
	ctx, seen := browser(t, translationPage(t), false)
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.ID("show-term"))))
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.ID("documents")))
	require.NoError(t, err)
	require.Contains(t, text, "parte vendedora")
	require.NotContains(t, text, "Payment is due")
	body, err := chromedp.Run(ctx, chromedp.OuterHTML(chromedp.CSS("body")))
	require.NoError(t, err)
	require.Regexp(t, `<div class="keys" id="searching" hidden`, body)
	require.Empty(t, seen())
}

// looks checks names, outline and contrast of the page as it stands.
func looks(t *testing.T, ctx context.Context) {
	t.Helper()
	require.Empty(t, eval[[]string](t, ctx, jsUnnamed))
	require.Empty(t, eval[[]string](t, ctx, `Array.from(document.querySelectorAll("input, select")).filter(e => !e.labels.length).map(e => e.outerHTML)`), "fields without a label")
	require.Empty(t, eval[[]string](t, ctx, jsStructure))
	require.Empty(t, eval[[]string](t, ctx, jsContrast), "contrast of text below 4.5 : 1")
	require.Empty(t, eval[[]string](t, ctx, jsSideways), "the page scrolls sideways")
}

func reportPictures(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if *reviewPicture == "" {
		return
	}
	eval[chromedp.Void](t, ctx, `document.activeElement.blur(); window.scrollTo({top:0, behavior:"instant"})`)
	b, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*reviewPicture, name), b, 0o644))
}
