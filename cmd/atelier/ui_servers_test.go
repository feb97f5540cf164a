package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/engine/enginetest"
	"atelier/internal/campaign"
)

// serversUI serves a page whose folder has an entry for a program with tools, and whose
// user has one too.
func serversUI(t *testing.T) (m *uiModel, p *uiProgram, page *uiPage, log string) {
	t.Helper()
	m = newUIModel(t)
	p = startUI(t, "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted", "OPENAI_API_KEY=k", "ATELIER_EGRESS=")
	p.kill()
	log = filepath.Join(t.TempDir(), "calls")
	write := func(dir, name string) {
		b, err := json.Marshal(obj{"mcpServers": obj{name: enginetest.ToolServerEntry(t, "yes", log)}})
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mcp.json"), b, 0o600))
	}
	write(p.home, "mine")
	write(filepath.Join(p.dir, ".atelier"), "theirs")
	p.start()
	page = p.open(p.address)
	page.waitText("What should be done?")
	return m, p, page, log
}

// TestUIServers: tools of other programs are asked about with program, tool and
// arguments; programs are added, tried, approved, switched off and removed.
func TestUIServers(t *testing.T) {
	campaign.Slow(t)
	m, _, page, log := serversUI(t)
	m.then(uiAnswer{calls: []uiCall{{"mine__get", `{"text":"one"}`}, {"mine__add", `{"text":"<b>two</b>"}`}}}, uiAnswer{calls: []uiCall{{"mine__add", `{"text":"three"}`}}}, uiAnswer{text: "Noted."})
	page.say("Note it.")
	page.waitText("The tools of theirs cannot be used")
	page.waitText("May the model use this program?")
	require.Contains(t, page.text(".card"), "mine")
	page.picture("servers-consent")
	page.inOrder("a program")
	page.clickIn(".card", "Always")
	page.waitText("Allow mine__add?")
	require.Contains(t, page.text(".card .outside"), "<b>two</b>", "text of a model is text")
	require.Contains(t, page.text(".card .outside"), "cannot be taken back")
	page.picture("servers-approval")
	page.inOrder("a call of a program")
	page.waitFor(`document.activeElement.closest(".card")`, "the card has the focus")
	page.keys("1")
	page.waitFor(`document.querySelector(".card .outside")?.innerText.includes("three")`, "the next call")
	page.waitFor(`document.activeElement.closest(".card")`, "the card has the focus")
	page.keys("4")
	page.waitText("Noted.")
	page.idle()
	require.Equal(t, []string{"get one", "add <b>two</b>"}, enginetest.ToolCalls(t, log))

	page.click("Settings")
	page.waitText("Default model")
	page.section("Other tools")
	page.waitFor(`document.querySelector("[aria-label=mine].server")?.innerText.includes("running")`, "the program runs")
	page.waitText("new: not started until you approve it")
	page.click("Show the tools of mine")
	page.waitText("It works: 10 tools.")
	page.waitText("only reads")
	page.inOrder("programs with tools")
	page.picture("servers-settings")
	page.scheme("dark")
	page.picture("servers-settings-dark")
	page.scheme("light")
	page.size(390, 844)
	page.picture("servers-settings-phone")
	page.inOrder("programs with tools on a phone")
	page.size(1280, 800)

	page.click("Approve theirs")
	page.waitFor(`document.querySelector("[aria-label=theirs].server")?.innerText.includes("starts when it is needed")`, "it is approved")
	page.click("Forget the decision on theirs")
	page.waitText("new: not started until you approve it")

	page.click("Add a program on this machine")
	page.fill(".adding details[open]", "Short name", "extra")
	page.fill(".adding details[open]", "Command", `"`+os.Args[0]+`" -test.run=^$`)
	page.keys(kb.Enter)
	page.waitFor(`document.querySelector("[aria-label=extra].server")`, "its card")
	page.click("Switch off extra")
	page.waitFor(`document.querySelector("[aria-label=extra].server")?.innerText.includes("switched off")`, "it is off")
	page.click("Remove extra")
	page.waitText("Remove extra?")
	page.clickIn("dialog", "Remove")
	page.waitFor(`!document.querySelector("[aria-label=extra].server")`, "it is removed")

	page.section("Privacy")
	page.waitText("call of another program")
	page.clickIn(".settings", "Back to the work")
	require.Empty(t, page.reported())
}

// TestUIServersAxe: the screens about other programs conform.
func TestUIServersAxe(t *testing.T) {
	campaign.Slow(t)
	axe := axeCore(t)
	m, _, page, _ := serversUI(t)
	m.then(uiAnswer{calls: []uiCall{{"mine__die", `{}`}}}, uiAnswer{text: "Noted."})
	page.say("Note it.")
	page.waitText("May the model use this program?")
	page.conforms(axe, "a program")
	page.clickIn(".card", "Always")
	page.waitText("Allow mine__die?")
	page.conforms(axe, "a call of a program")
	page.clickIn(".card", "Do not allow")
	page.waitText("Noted.")
	page.idle()
	page.click("Settings")
	page.waitText("Default model")
	page.section("Other tools")
	page.waitText("new: not started until you approve it")
	page.click("Show the tools of mine")
	page.waitText("It works: 10 tools.")
	page.click("Add an address")
	page.conforms(axe, "programs with tools")
	page.size(390, 844)
	page.conforms(axe, "programs with tools on a phone")
	require.Empty(t, page.reported())
}
