package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUITranslateKilled: the program is killed in the middle of a job, and of a
// correction, and started again: the page continues, and nothing is lost.
func TestUITranslateKilled(t *testing.T) {
	campaign.Slow(t)
	release := make(chan struct{})
	m := serveSegments(t, func(n int, w http.ResponseWriter, _ []asked) bool {
		if n > 2 {
			select {
			case <-release:
			case <-time.After(uiPatience):
			}
		}
		return false
	})
	p := startUI(t, "OPENAI_BASE_URL="+m.URL, "ATELIER_MODEL=m")
	var long strings.Builder
	for i := range 200 {
		fmt.Fprintf(&long, "The paragraph number %d is here.\n\n", i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "long.md"), []byte(long.String()), 0o600))
	page := p.open(p.address)
	page.waitText("What should be done?")
	page.click("Translate")
	page.waitText("files are chosen")
	page.onlyFile("long.md")
	page.into("es")
	eval[any](t, page.ctx, `document.querySelector(".trform .primary").click()`)
	page.waitFor(`document.querySelector(".trresults")?.innerText.includes("of 200 segments")`, "progress of the file")
	page.picture("translate-progress")
	page.inOrder("a job at work")
	p.kill()
	page.waitText("Not connected")
	close(release)
	p.start()
	page.waitText("The program ended while it translated.")
	page.picture("translate-interrupted")
	page.inOrder("an interrupted job")
	before := m.counts()
	page.click("Go on")
	page.waitFor(`document.querySelector(".segbar")?.innerText.includes("200 segments")`, "the editor")
	for text, n := range m.counts() {
		require.LessOrEqual(t, n, max(before[text], 1)+1, text)
	}

	// A correction that is sent while the program is away.
	page.waitFor(`document.querySelector(".target").innerText`, "the first segment")
	p.kill()
	page.waitText("Not connected, trying again")
	page.typeTarget("El primer párrafo 0.")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitText("your corrections are sent when the program is there again")
	page.picture("translate-away")
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("2.")`, "the next segment")
	page.typeTarget("El segundo párrafo 1.")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("3.")`, "the third segment")
	page.typeTarget("Lo que se escribe")
	p.start()
	page.waitFor(`document.querySelectorAll(".segrow .confirmed").length === 2 && document.querySelector("#seg-0").innerText.includes("El primer párrafo 0.")`, "both are stored")
	page.waitFor(`!document.body.innerText.includes("your corrections are sent")`, "nothing waits")
	require.Equal(t, "Lo que se escribe", page.segment(), "what is being typed stays")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("Review 1") // moves the button beside it
	page.click("Translate")
	page.click("translated/ → es")
	page.waitFor(`document.querySelector("#seg-1")?.innerText.includes("El segundo párrafo 1.")`, "a new page has them too")
	page.click("Review and publish")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("The draft changes nothing.")
	out, err := os.ReadFile(filepath.Join(p.dir, "translated", "es", "long.md"))
	require.NoError(t, err)
	require.Contains(t, string(out), "El primer párrafo 0.\n\nEl segundo párrafo 1.\n")
	require.Empty(t, page.reported())
}

// TestUITranslateTwoPages: what one page corrects the other shows, and what is being
// typed there stays.
func TestUITranslateTwoPages(t *testing.T) {
	campaign.Slow(t)
	p, one := translatePage(t, map[string]string{"offer.md": letter})
	p.kill()
	p.start() // for a second address
	one.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
	two := p.open(p.address)
	two.click("Close")
	one.onlyFile("offer.md")
	one.into("es")
	eval[any](t, one.ctx, `document.querySelector(".trform .primary").click()`)
	one.waitFor(`document.querySelectorAll(".segrow .segtext").length === 12`, "the segments")
	two.click("Translate")
	two.click("translated/ → es")
	two.waitFor(`document.querySelectorAll(".segrow .segtext").length === 12`, "the segments")
	two.waitFor(`document.querySelector(".target").innerText.includes("ö")`, "the first")
	two.typeTarget("Sin guardar")
	one.waitFor(`document.querySelector(".target").innerText.includes("ö")`, "the first")
	eval[any](t, one.ctx, `document.querySelector(".seglist").focus()`)
	one.chord(chromedp.ModifierCtrl, kb.Enter)
	one.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("2.")`, "the second")
	one.typeTarget("El precio es 1250 euros.")
	one.chord(chromedp.ModifierCtrl, kb.Enter)
	two.waitFor(`document.querySelectorAll(".segrow .confirmed").length === 2 && document.querySelector("#seg-1").innerText.includes("El precio")`, "the other page shows it")
	require.Equal(t, "Sin guardar", two.segment())
	require.Empty(t, one.reported())
	require.Empty(t, two.reported())
}

// TestUITranslateMany: of 100,000 segments only windows are fetched; the end is
// reached at once, and the answer to a key stays quick.
func TestUITranslateMany(t *testing.T) {
	campaign.Slow(t)
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "Line %d of many\n\n", i)
	}
	_, page := translatePage(t, map[string]string{"many.md": text.String()})
	page.onlyFile("many.md")
	page.into("es")
	eval[any](t, page.ctx, `document.querySelector(".trform .primary").click()`)
	page.waitFor(`document.querySelector(".segbar")?.innerText.includes("100,000 segments")`, "the segments")
	page.waitFor(`document.querySelector("#seg-0")?.innerText.includes("Line 0 of")`, "the first")
	require.Less(t, eval[int](t, page.ctx, `document.querySelectorAll(".segrow").length`), 60)
	eval[any](t, page.ctx, `document.querySelector(".seglist").focus()`)
	begin := time.Now()
	page.keys(kb.End)
	page.waitFor(`document.querySelector("#seg-99999")?.innerText.includes("Line 99999 of")`, "the last")
	t.Logf("the last segment after %v", time.Since(begin))
	require.Less(t, time.Since(begin), 5*time.Second)
	begin = time.Now()
	page.field("Find in segments")
	page.keys("line 54321 ")
	page.waitFor(`document.querySelectorAll(".segrow").length === 1`, "what is looked for")
	t.Logf("found after %v", time.Since(begin))
	require.Less(t, time.Since(begin), 10*time.Second)
	page.waitFor(`document.querySelector(".seghead").innerText.startsWith("1.")`, "it is open")
	begin = time.Now()
	page.typeTarget("Línea 54321 de muchas")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector(".segrow .confirmed")`, "it is stored")
	t.Logf("stored after %v", time.Since(begin))
	require.Empty(t, page.reported())
}
