package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUICards: a call that needs approval, a budget that is used up, and consent to
// send documents are each answered with one key.
func TestUICards(t *testing.T) {
	campaign.Slow(t)
	m := newUIModel(t)
	p := startUI(t, "OPENAI_BASE_URL=http://models.example.com/v1", "HTTP_PROXY="+m.URL, "http_proxy="+m.URL, "ATELIER_MODEL=scripted", "OPENAI_API_KEY=k", "ATELIER_EGRESS=")
	p.kill()
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "config.json"), []byte(`{"approvals":[{"effect":"write","action":"ask"}],"budget":{"tokens":20000}}`), 0o600))
	p.start()
	page := p.open(p.address)
	page.waitText("What should be done?")
	write := func(path string) uiAnswer {
		return uiAnswer{calls: []uiCall{{"write_text_file", `{"path":"` + path + `","content":"Short.\n"}`}}}
	}
	m.then(write("one.md"), write("two.md"), uiAnswer{text: "Written, but for one."})
	page.say("Write them.")
	page.waitText("May your documents leave this machine?")
	page.waitText("models.example.com")
	require.Contains(t, page.text(".card .paths"), "clientes.csv")
	require.Empty(t, m.sent(), "nothing was sent")
	page.picture("consent")
	page.inOrder("consent")
	page.clickIn(".card", "Allow")
	page.waitText("Allow write_text_file?")
	require.Contains(t, page.text(".card"), "one.md")
	require.Contains(t, page.text(".card"), "on every file")
	page.picture("approval")
	page.inOrder("approval")
	page.waitFor(`document.activeElement.closest(".card")`, "the card has the focus")
	page.keys("1")
	page.waitFor(`document.querySelector(".card")?.innerText.includes("two.md")`, "the next call")
	page.waitFor(`document.activeElement.closest(".card")`, "the card has the focus")
	page.keys("4")
	page.waitText("Written, but for one.")
	page.idle()
	require.Contains(t, m.sent(), "Short.")
	page.waitText("Review 1")

	m.then(uiAnswer{text: "More.", calls: []uiCall{{"read_file", `{"path":"notas.md"}`}}, uses: 19_900}, uiAnswer{text: "With more."})
	page.say("Go on.")
	page.waitText("The budget is used up")
	page.picture("budget")
	page.inOrder("a budget")
	page.waitFor(`document.activeElement.closest(".card")`, "the card has the focus")
	page.keys("1")
	page.waitText("With more.")
	page.idle()
	require.Empty(t, page.reported())
}

// TestUIOpensTheBrowser: the browser is given a file that only the owner can read,
// not the address, and the file is gone when the address was used.
func TestUIOpensTheBrowser(t *testing.T) {
	campaign.Slow(t)
	bin, told := t.TempDir(), filepath.Join(t.TempDir(), "told")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$@\" > "+told+".new && mv "+told+".new "+told+"\n"), 0o700))
	p := &uiProgram{t: t, home: t.TempDir()}
	p.cmd = exec.Command(program(t), "ui", t.TempDir(), "--home", p.home)
	p.cmd.Env = append(os.Environ(), "ATELIER_MODEL=pseudo", "DISPLAY=:9", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.run()
	t.Cleanup(p.stop)
	require.Eventually(t, func() bool { _, err := os.Stat(told); return err == nil }, uiPatience, uiEvery)
	b, err := os.ReadFile(told)
	require.NoError(t, err)
	require.NotRegexp(t, `[0-9a-f]{64}`, string(b))
	file := strings.TrimSpace(string(b))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), p.address)
	page := p.open("file://" + file)
	page.waitText("What should be done?")
	require.Regexp(t, regexp.MustCompile(`^http://[0-9a-f]{32}\.localhost:\d+/$`), eval[string](t, page.ctx, "location.href"))
	require.Eventually(t, func() bool { _, err := os.Stat(file); return os.IsNotExist(err) }, uiPatience, 10*time.Millisecond)
}
