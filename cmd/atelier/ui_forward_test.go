package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUICommands: the page shows what commands of the command line do on its folder,
// while it has that open.
func TestUICommands(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	command := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program(t), append(args, "--in", p.dir, "--home", p.home)...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "OPENAI_BASE_URL="+m.URL, "ATELIER_MODEL=scripted")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Run(), "%v: %s", args, &out)
		return out.String()
	}
	m.then(uiAnswer{text: "I change the workbook.", calls: []uiCall{
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"Sales 2025"},{"cell":"B3","value":"=1+1"}]}]}`},
		{"write_text_file", `{"path":"summary.md","content":"Short.\n"}`},
	}}, uiAnswer{text: "Changed from the terminal."})
	out := command("run", "Change the workbook.")
	require.Contains(t, out, "Changed from the terminal.")
	page.waitText("Changed from the terminal.")
	page.waitText("Changes 2")
	page.picture("ui-command-run")

	command("review", "sales.xlsx", "--reject", "1,2")
	page.waitText("Changes 1")
	command("publish")
	page.waitFor(`!document.body.innerText.includes("Changes 1")`, "the draft is published")
	require.FileExists(t, p.dir+"/summary.md")
	command("tools", "call", "write_text_file", `{"path":"more.md","content":"More.\n"}`)
	page.waitText("Changes 1")
	command("discard")
	page.waitFor(`!document.body.innerText.includes("Changes 1")`, "the draft is discarded")
	page.waitText("You discarded the draft: more.md")
	command("undo")
	page.waitText("Changes 1")
	require.FileExists(t, p.dir+"/summary.md", "only the discarding was taken back")
	command("undo") // the rejection, and what was published since
	require.NoFileExists(t, p.dir+"/summary.md")
	page.waitText("Changes 2")
	page.picture("ui-command-undo")
	command("undo")
	page.waitFor(`!document.body.innerText.includes("Changes 2")`, "the run was taken back")

	// What is typed on the page continues in the same conversation.
	m.then(uiAnswer{text: "Hello from the page."})
	page.say("And now?")
	page.waitText("Hello from the page.")
	require.NotContains(t, m.sent(), "Changed from the terminal.", "the run of the command was taken back")
	require.Empty(t, page.reported())
}
