package main

import (
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

// farUI serves a page whose model is on another machine, in a folder with a skill, with
// a rule that calls that write need an answer.
func farUI(t *testing.T) (*uiModel, *uiProgram, *uiPage) {
	t.Helper()
	m := newUIModel(t)
	p := startUI(t, "OPENAI_BASE_URL=http://models.example.com/v1", "HTTP_PROXY="+m.URL, "http_proxy="+m.URL, "ATELIER_MODEL=", "OPENAI_API_KEY=k", "ATELIER_EGRESS=")
	p.kill()
	skill := filepath.Join(p.dir, ".atelier", "skills", "minutes")
	require.NoError(t, os.MkdirAll(skill, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: minutes\ndescription: How minutes are written.\n---\nBegin with the date.\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "config.json"), []byte(`{"approvals":[{"effect":"write","action":"ask"}]}`), 0o600))
	p.start()
	page := p.open(p.address)
	page.waitText("What should be done?")
	page.waitFor(`document.querySelector(".bar .model")?.offsetParent`, "the button of the model")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Click(chromedp.CSS(".bar .model"))))
	page.waitText("Which model should work?")
	page.field("Name of a model")
	page.keys("scripted")
	page.click("Use this model")
	page.waitFor(`!document.querySelector("dialog")`, "the dialog is closed")
	return m, p, page
}

// fill puts a text in place of what a labelled field of a part of the page has.
func (p *uiPage) fill(part, label, text string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q + " .labelled")].find(l => l.innerText.startsWith(%q))?.querySelector("input, select")`, part, label)
	p.waitFor(find, "a field "+label)
	eval[any](p.t, p.ctx, "(e => { e.focus(); e.select?.() })("+find+")")
	p.keys(text)
}

// section opens a section of the settings.
func (p *uiPage) section(name string) {
	p.t.Helper()
	p.clickIn(".settings nav", name)
	p.waitFor(fmt.Sprintf(`document.querySelector(".settingbox h3")?.innerText === %q`, name), "the section "+name)
}

// TestUISettings: endpoints and their keys, consents and the log of what left, what was
// allowed for good, standing context, skills, budgets and usage are seen and changed.
func TestUISettings(t *testing.T) {
	campaign.Slow(t)
	m, p, page := farUI(t)
	m.then(uiAnswer{calls: []uiCall{{"write_text_file", `{"path":"one.md","content":"Short.\n"}`}}}, uiAnswer{text: "Written."})
	page.say("Write it.")
	page.waitText("May your documents leave this machine?")
	page.clickIn(".card", "Allow")
	page.click("Do not use it") // the skill
	page.waitText("Allow write_text_file?")
	page.click("From now on")
	page.waitText("Written.")
	page.idle()

	// Models: an endpoint is added, gets a key that is never shown, is checked, and removed.
	page.click("Settings")
	page.waitFor(`document.querySelector(".settingbox h3")?.innerText === "Models"`, "the settings")
	require.Equal(t, "#settings/models", eval[string](t, page.ctx, "location.hash"))
	page.waitText("The key is in the environment.")
	page.fill(`[aria-label="Add an endpoint"]`, "Short name", "house")
	page.fill(`[aria-label="Add an endpoint"]`, "Address", m.URL+"/v1\r")
	page.waitText("It is added.")
	page.waitFor(`document.querySelector("[aria-label='Key of house']")`, "its card")
	page.field("Key of house")
	page.keys("sk-never-shown\r")
	page.waitText("A key is stored. It is not shown again.")
	require.False(t, eval[bool](t, page.ctx, `document.documentElement.outerHTML.includes("sk-never-shown") || [...document.querySelectorAll("input")].some(i => i.value.includes("sk-never"))`))
	page.click("Check house")
	page.waitText("It works")
	page.inOrder("models")
	page.picture("ui-settings")
	page.scheme("dark")
	page.picture("ui-settings-dark")
	page.inOrder("models in the dark")
	page.scheme("light")
	page.size(390, 844)
	page.picture("ui-settings-phone")
	page.inOrder("models on a phone")
	page.size(1280, 800)
	page.click("Forget the key of house")
	page.waitFor(`document.querySelector("[aria-label=house] .keystate")?.innerText === "There is no key."`, "the key is forgotten")
	eval[any](t, page.ctx, `document.querySelector("#endpoint-house").focus()`)
	page.keys(" ")
	page.waitText("Nothing asks it any more.")
	page.fill(".settingbox", "Default model", "house:scripted\r")
	page.waitText("Saved. A model that was chosen")
	page.click("Remove house")
	page.waitText("Remove house?")
	page.clickIn("dialog", "Remove")
	page.waitFor(`!document.querySelector("[aria-label=house]")`, "it is removed")

	// Privacy.
	page.section("Privacy")
	page.waitText("models.example.com")
	page.waitFor(`[...document.querySelectorAll(".settingtable")].length === 2`, "consents and the log")
	left := `document.querySelector("[aria-label='What left this machine'] tbody")?.innerText ?? ""`
	require.Contains(t, eval[string](t, page.ctx, left), "request of a run")
	page.field("Find in the log")
	page.keys("nowhere")
	page.waitText("Nothing of this kind is in the log.")
	page.keys(strings.Repeat(kb.Backspace, 7) + "EXAMPLE.com")
	page.waitFor(`(`+left+`).includes("models.example.com")`, "what was found")
	page.inOrder("privacy")
	page.picture("ui-settings-privacy")
	eval[any](t, page.ctx, `document.querySelector("[name=consent-mode][value=allow_all]").focus()`)
	page.keys(" ")
	page.waitText("Never ask again?")
	page.keys(kb.Escape)
	page.waitFor(`document.querySelector("[name=consent-mode][value=ask]")?.checked && !document.querySelector("dialog")`, "it asks as before")
	page.click("Take back the consent for scripted")
	page.waitText("None was given")

	// Approvals, context, skills.
	page.section("Approvals")
	page.waitText("in the settings file")
	page.picture("ui-settings-approvals")
	page.inOrder("approvals")
	page.click("Take back write_text_file")
	page.waitText("Nothing is.")
	page.click("Add a rule")
	page.fill(".settingbox", "Tool", "delete")
	page.fill(".settingbox", "Then", "never")
	page.clickIn(".settingform", "Add it")
	page.waitFor(`document.querySelector("[aria-label=Rules]")?.innerText.includes("delete on every file")`, "the rule")

	page.section("Context")
	page.clickIn(".settingbox", "The company")
	page.field("Text of The company")
	page.keys("We sell olive oil.")
	page.keys(kb.Escape)
	page.waitText("Leave without saving?")
	page.keys(kb.Escape)
	page.waitFor(`!document.querySelector("dialog")`, "it stays")
	page.click("Save The company")
	page.waitFor(`document.querySelector(".settingbox summary .sub")?.innerText.includes("We sell olive oil.")`, "it is saved")
	text, err := os.ReadFile(filepath.Join(p.dir, ".atelier", "context", "company.md"))
	require.NoError(t, err)
	require.Equal(t, "We sell olive oil.", string(text))
	page.inOrder("context")
	page.picture("ui-settings-context")

	page.section("Skills")
	page.waitText("declined")
	page.clickIn(".settingbox", "minutes")
	page.waitText("Begin with the date.")
	page.inOrder("skills")
	page.click("Approve it: minutes")
	page.waitFor(`[...document.querySelectorAll(".skill")].some(e => e.innerText.includes("minutes") && e.innerText.includes("used") && !e.innerText.includes("declined"))`, "it is used")

	// A budget that was set stops the next run; usage has what it took.
	page.section("Budgets")
	page.waitText("This folder has used")
	page.fill(`[aria-label="This folder"]`, "Tokens of a run", "900\r")
	page.waitText("Saved; from the next run on.")
	page.inOrder("budgets")
	page.picture("ui-settings-budgets")
	page.section("Usage")
	page.waitText("By day")
	require.Contains(t, page.text("[aria-label='By model']"), "scripted")
	page.inOrder("usage")
	page.picture("ui-settings-usage")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.NavigateBack()))
	page.waitFor(`document.querySelector(".settingbox h3")?.innerText === "Budgets"`, "the browser goes back")
	page.keys(kb.Escape)
	page.waitFor(`document.getElementById("composer").offsetParent && !document.querySelector(".settings").offsetParent`, "back at work")
	m.then(uiAnswer{text: "More.", calls: []uiCall{{"read_file", `{"path":"notas.md"}`}}}, uiAnswer{text: "Too much."})
	page.say("Go on.")
	page.waitText("May your documents leave this machine?") // the consent was taken back
	page.clickIn(".card", "Allow")
	page.waitText("The budget is used up")
	require.NoError(t, chromedp.Do(page.ctx, chromedp.Reload()))
	page.waitText("Settings")
	require.Empty(t, page.reported())
}
