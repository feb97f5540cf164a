package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// translatePage serves a folder with the built-in model and opens the page of
// translations.
func translatePage(t *testing.T, files map[string]string) (*uiProgram, *uiPage) {
	t.Helper()
	p := startUI(t, "ATELIER_MODEL=pseudo")
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
	}
	page := p.open(p.address)
	page.click("Close")
	page.click("Translate")
	page.waitText("files are chosen")
	return p, page
}

// onlyFile chooses one file.
func (p *uiPage) onlyFile(name string) {
	p.t.Helper()
	p.clickIn(".trfiles", "None")
	p.clickIn(".filetree", name)
	p.waitFor(`document.querySelector(".trfiles").innerText.includes("1 of ")`, "one file is chosen")
}

// into types the language.
func (p *uiPage) into(language string) {
	p.t.Helper()
	eval[any](p.t, p.ctx, `document.querySelector(".trfield input").focus()`)
	p.keys(language)
}

// segment is the text of the translation in the field.
func (p *uiPage) segment() string { return p.text(".target") }

// typeTarget replaces the translation in the field by keys; a chip is deleted too.
func (p *uiPage) typeTarget(text string) {
	p.t.Helper()
	eval[any](p.t, p.ctx, `(() => { const e = document.querySelector(".target"); e.focus(); getSelection().selectAllChildren(e); })()`)
	p.keys(text)
}

// chord presses a key with others held.
func (p *uiPage) chord(held chromedp.Modifier, key string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(held))))
}

const letter = "# The **offer**\n\nThe price is 1250 euros.\n\nThe seller delivers the goods & more.\n\nThe seller delivers the goods.\n\nTotal amount\n\nTotal amount\n"

// TestUITranslate: files and a language are chosen, words are counted, the
// translation is made; segments are corrected with keys, tags are kept, equal texts
// follow, and the document has it.
func TestUITranslate(t *testing.T) {
	campaign.Slow(t)
	p, page := translatePage(t, map[string]string{"letters/offer.md": letter, "scan.png": "x"})
	page.waitText("the text of pictures is not translated")
	page.picture("translate-form")
	page.inOrder("the form")
	page.onlyFile("offer.md")
	page.into("es")
	page.click("Estimate")
	page.waitText("Words to ask for")
	page.picture("translate-estimate")
	page.inOrder("an estimate")
	require.Contains(t, page.text(".figures"), "22")
	eval[any](t, page.ctx, `document.querySelector(".trform .primary").focus()`)
	page.keys(kb.Enter)
	page.waitFor(`document.querySelectorAll(".segrow .segtext").length === 12`, "the segments")
	page.waitFor(`document.querySelector(".target").innerText.includes("ö")`, "the first translation")
	page.picture("translate-segments")
	page.inOrder("the editor")

	// A tag that is lost is put back; until then nothing can be confirmed.
	page.typeTarget("La oferta")
	page.waitText("Missing:")
	require.True(t, eval[bool](t, page.ctx, `document.querySelector(".segpane .primary").disabled`))
	page.inOrder("a tag is missing")
	page.click("Put in formatting 1")
	page.click("Put in end of formatting 1")
	page.waitFor(`!document.querySelector(".segpane .primary").disabled`, "the tags are there")
	eval[any](t, page.ctx, `(() => { const e = document.querySelector(".target"), c = e.querySelector(".chip.open"); const r = document.createRange(); r.setStartAfter(c); r.collapse(true); getSelection().removeAllRanges(); getSelection().addRange(r); })()`)
	page.chord(chromedp.ModifierAlt, kb.ArrowLeft) // moves the first chip over a word
	page.waitFor(`[...document.querySelector(".target").childNodes].map(n => n.dataset?.tag ?? n.data).join("") === "La <1>oferta</1>"`, "the chip moved")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("2.")`, "the next segment")
	page.waitFor(`document.querySelector("#seg-0 .confirmed")`, "the first is confirmed")

	// A number that differs is a remark, and is saved.
	page.typeTarget("El precio es 1520 euros.")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector("#seg-1 .segstate").innerText.includes("⚠")`, "a remark")
	page.chord(chromedp.ModifierAlt, kb.ArrowUp)
	page.waitFor(`document.querySelector(".segchecks").innerText.includes("1,250") || document.querySelector(".segchecks").innerText.includes("1250")`, "the remark is explained")
	page.chord(chromedp.ModifierAlt, kb.ArrowDown)
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("3.")`, "the third")
	page.typeTarget("El vendedor entrega la mercancía & más.")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector("#seg-2 .confirmed")`, "the third is confirmed")

	// The memory offers it for a similar text.
	page.waitFor(`document.querySelector(".match strong")?.innerText.includes("%")`, "a match")
	page.picture("ui-translate")
	page.chord(chromedp.ModifierAlt, "1")
	page.waitFor(`document.querySelector(".target").innerText.includes("mercancía")`, "the match is taken")
	page.typeTarget("El vendedor entrega la mercancía.")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("5.")`, "the fifth")
	page.typeTarget("Importe total")
	page.click("also equal texts")
	page.click("Confirm")
	page.waitFor(`document.querySelectorAll(".segrow .confirmed").length === 6`, "all are confirmed")
	page.click("Review and publish")
	page.waitText("What the draft changes")
	page.clickIn("#pane-changes", "Publish all")
	page.waitText("The draft changes nothing.")
	out, err := os.ReadFile(filepath.Join(p.dir, "translated", "es", "letters", "offer.md"))
	require.NoError(t, err)
	require.Equal(t, "# La **oferta**\n\nEl precio es 1520 euros.\n\nEl vendedor entrega la mercancía & más.\n\nEl vendedor entrega la mercancía.\n\nImporte total\n\nImporte total\n", string(out))
	require.Empty(t, page.reported())
}

// TestUITranslateFinds: segments are filtered, text is replaced in all of them after
// a look, XLIFF comes back from a translation tool.
func TestUITranslateFinds(t *testing.T) {
	campaign.Slow(t)
	_, page := translatePage(t, map[string]string{"offer.md": letter})
	page.onlyFile("offer.md")
	page.into("ar")
	eval[any](t, page.ctx, `document.querySelector(".trform .primary").click()`)
	page.waitFor(`document.querySelectorAll(".segrow .segtext").length === 12`, "the segments")
	require.Equal(t, "rtl", eval[string](t, page.ctx, `getComputedStyle(document.querySelector(".target")).direction`))
	page.picture("translate-rtl")
	page.field("Find in segments")
	page.keys("SELLER")
	page.waitFor(`document.querySelectorAll(".segrow").length === 2`, "two segments")
	page.typeTarget("vendedor uno & más")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelector(".seghead h2").innerText.startsWith("2.")`, "the second")
	page.typeTarget("vendedor dos")
	page.chord(chromedp.ModifierCtrl, kb.Enter)
	page.waitFor(`document.querySelectorAll(".segrow .confirmed").length === 2`, "both are confirmed")
	page.click("Find and replace")
	page.field("Find")
	page.keys(kb.End)
	eval[any](t, page.ctx, `document.querySelector("dialog [aria-label=Find]").select()`)
	page.keys("vendedor")
	page.field("Replace by")
	page.keys("proveedor\r")
	page.waitText("2 places in 2 segments")
	page.picture("translate-replace")
	page.inOrder("find and replace")
	page.click("Replace in 2 segments")
	page.waitText("2 segments were changed.")
	page.clickIn("dialog", "Close")
	page.waitFor(`[...document.querySelectorAll(".segrow")].every(r => r.innerText.includes("proveedor"))`, "the list has it")

	// XLIFF, corrected elsewhere.
	page.click("XLIFF and TMX")
	xliff, err := chromedp.Run(page.ctx, chromedp.Evaluate[string](`new Promise(done => { const make = URL.createObjectURL; URL.createObjectURL = b => { b.text().then(done); return make.call(URL, b); }; [...document.querySelectorAll(".exchange button")].find(b => b.innerText.startsWith("Download XLIFF 2.1")).click(); })`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	require.Contains(t, xliff, "proveedor dos")
	back := strings.Replace(xliff, "proveedor dos", "proveedor tres", 1)
	eval[any](t, page.ctx, fmt.Sprintf(`(() => { const bytes = Uint8Array.from(atob(%q), c => c.charCodeAt(0)), d = new DataTransfer(); d.items.add(new File([bytes], "offer.md.xlf")); const i = document.querySelector("input[aria-label^='Take in XLIFF']"); i.files = d.files; i.dispatchEvent(new Event("change")); })()`, base64.StdEncoding.EncodeToString([]byte(back))))
	page.waitText("1 segment was corrected")
	page.waitFor(`document.querySelector(".seglist").innerText.includes("proveedor tres")`, "the list has it")
	page.waitFor(`document.querySelector(".target").innerText === "proveedor tres"`, "the field has it")
	page.inOrder("after XLIFF")
	page.scheme("dark")
	page.picture("translate-dark")
	page.inOrder("the editor in the dark")
	page.size(390, 844)
	page.picture("translate-phone")
	page.inOrder("the editor on a phone")
	page.click("All translations")
	page.waitText("Translations of this folder")
	page.picture("translate-phone-form")
	page.inOrder("the form on a phone")
	require.Empty(t, page.reported())
}
