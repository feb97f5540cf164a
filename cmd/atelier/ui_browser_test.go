package main

import (
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUIFirstMinute: nothing is configured. An address of an endpoint is typed, its
// model is tried and chosen, and a task is answered, with mouse and keys.
func TestUIFirstMinute(t *testing.T) {
	m := newUIModel(t)
	p := startUI(t)
	page := p.open(p.address)
	page.waitText("Which model should work?")
	page.picture("first")
	page.inOrder("the choice of a model")
	page.click("Another endpoint")
	page.field("Short name")
	page.keys("house")
	page.field("Address")
	page.keys(m.URL + "/v1\r")
	page.waitText("It is added.")
	page.click("house:scripted")
	page.click("Try it")
	page.waitText("streaming")
	page.picture("tried")
	page.click("Use this model")
	page.waitFor(`!document.querySelector("dialog")`, "the dialog is closed")
	require.Equal(t, "house:scripted", page.text(".bar .model"))
	require.Equal(t, "olivares", page.text(".bar .folder"))
	require.NotContains(t, eval[string](t, page.ctx, "location.href"), "#", "the token is out of the address")
	m.then(uiAnswer{text: "There are **five** documents here."})
	page.keys("What is in this folder?\r") // the composer has the focus
	page.waitText("There are five documents here.")
	require.Equal(t, "five", page.text(".answer strong"))
	require.Empty(t, page.reported())
}

// TestUIChoosesAFolder: without a folder the page offers one that was worked on,
// and a list of the folders of the machine, which the keyboard walks.
func TestUIChoosesAFolder(t *testing.T) {
	campaign.Slow(t)
	m := newUIModel(t)
	p := startUI(t, "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted")
	p.stop()
	require.NoError(t, os.MkdirAll(filepath.Join(filepath.Dir(p.dir), "papers", "letters"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(p.dir), "papers", "letters", "one.md"), []byte("Dear\n"), 0o600))
	p.noFolder, p.env = true, append(p.env, "HOME="+filepath.Dir(p.dir))
	p.start()
	page := p.open(p.address)
	page.waitText("Which folder?")
	page.waitText("olivares") // it was worked on
	page.click("Choose …")
	page.waitText("2 folders, 0 files")
	page.picture("picker")
	page.inOrder("the list of folders")
	page.keys(kb.ArrowDown + kb.ArrowRight)
	page.waitText("1 folder, 0 files")
	page.keys(kb.ArrowLeft)
	page.waitText("2 folders, 0 files")
	page.clickIn("dialog", "papers")
	page.waitText("1 folder, 0 files")
	page.clickIn("dialog", "letters")
	page.waitText("0 folders, 1 file")
	page.keys(kb.Enter)
	page.waitText("What should be done?")
	require.Equal(t, "letters", page.text(".bar .folder"))
	require.Empty(t, page.reported())
}

// workingUI serves a page whose model is set up already.
func workingUI(t testing.TB) (*uiModel, *uiProgram, *uiPage) {
	m := newUIModel(t)
	p := startUI(t, "OPENAI_BASE_URL="+m.URL+"/v1", "ATELIER_MODEL=scripted")
	page := p.open(p.address)
	page.waitText("What should be done?")
	return m, p, page
}

const (
	askColour = `{"questions":[{"name":"colour","question":"Which colour?","schema":"{\"type\":\"string\",\"enum\":[\"Red\",\"Green\"]}"}]}`
	askTwo    = `{"questions":[{"name":"n","question":"How many?","schema":"{\"type\":\"integer\"}"},{"name":"why","question":"Why?","schema":"{\"type\":\"string\"}"}]}`
	askPlan   = `{"questions":[{"name":"plan","question":"1. Read\n2. Write","schema":"{\"type\":\"string\",\"enum\":[\"Accept\",\"Reject\"]}","buttons":[{"label":"Accept","value":"Accept","variant":"primary"},{"label":"Reject","value":"Reject"}]}]}`
)

// TestUIAtWork: an answer streams, calls open to arguments and results, questions
// are answered with keys, a run is steered and stopped, answers are made again,
// messages are edited and taken back.
func TestUIAtWork(t *testing.T) {
	m, _, page := workingUI(t)
	hold := make(chan struct{})
	m.then(
		uiAnswer{text: "I look first.", calls: []uiCall{{"read_file", `{"path":"notas.md"}`}, {"read_file", `{"path":"absent.md"}`}}},
		uiAnswer{text: "Half of it, |and the rest.", hold: hold},
		uiAnswer{text: "I ask.", calls: []uiCall{{"ask_user", askColour}}},
		uiAnswer{calls: []uiCall{{"ask_user", askTwo}}},
		uiAnswer{calls: []uiCall{{"ask_user", askPlan}}},
		uiAnswer{text: "All is answered."},
	)
	page.say("Read the notes.")
	page.waitText("Half of it,")
	require.NotContains(t, page.text(".log"), "and the rest", "the answer streams")
	page.waitFor(`document.querySelectorAll(".call.done").length === 1 && document.querySelectorAll(".call.failed").length === 1`, "the calls have ended")
	page.picture("streams")
	page.say("Keep it short.") // to the run, which sees it after its answer
	page.waitText("Is read")
	page.waitFor(`document.getElementById("composer").value === ""`, "the message is sent") // a question takes no focus from what is typed
	close(hold)
	page.waitText("Which colour?")
	require.Contains(t, m.sent(), "Keep it short.")
	page.waitFor(`document.activeElement.closest(".card")`, "the question has the focus")
	page.picture("question")
	page.inOrder("a question")
	page.keys("2")
	page.waitText("How many?")
	page.keys("12\tbecause\r")
	page.waitText("2. Write")
	page.keys("1")
	page.waitText("All is answered.")
	page.idle()
	for _, want := range []string{"Green", "12", "because", "Accept"} {
		require.Contains(t, m.sent(), want)
	}
	page.click("read_file") // its line, which opens
	page.waitText("Arguments")
	page.waitFor(`document.querySelector(".call[open] pre:last-of-type")?.innerText.length > 5`, "the result")

	// The last message again, changed.
	m.then(uiAnswer{text: "The second answer."}, uiAnswer{text: "The third answer."})
	page.click("Answer again")
	page.waitText("The second answer.")
	page.idle()
	require.NotContains(t, page.text(".log"), "All is answered.")
	page.field("Your message")
	page.keys(kb.ArrowUp) // edit the last message
	page.waitFor(`document.getElementById("composer").value.length > 3`, "the words are there to be changed")
	page.keys(" Now!\r")
	page.waitText("The third answer.")
	page.idle()
	require.NotContains(t, page.text(".log"), "The second answer.")
	require.Contains(t, m.sent(), "Now!")

	// Stopped, and taken back.
	m.then(uiAnswer{text: "This takes long |indeed.", hold: make(chan struct{})})
	page.say("Take your time.")
	page.waitText("This takes long")
	page.keys(kb.Escape) // leads to the stop button
	page.keys(kb.Enter)
	page.waitText("Stopped.")
	page.click("Undo from here")
	page.waitText("Bring it back")
	page.click("Bring it back")
	page.waitText("The third answer.")
	require.Empty(t, page.reported())
}

// TestUILocalServer: a server of models at a usual port of this machine is offered,
// and used with one click.
func TestUILocalServer(t *testing.T) {
	campaign.Slow(t)
	l, err := net.Listen("tcp", "127.0.0.1:11434")
	if err != nil {
		t.Skipf("another program has the port of Ollama: %v", err)
	}
	m := &uiModel{}
	m.Server = httptest.NewUnstartedServer(m)
	m.Listener.Close()
	m.Listener = l
	m.Start()
	t.Cleanup(m.CloseClientConnections)
	t.Cleanup(m.Close)
	p := startUI(t)
	page := p.open(p.address)
	page.waitText("Ollama runs on this machine")
	page.picture("local")
	page.inOrder("a local server")
	page.click("Use Ollama")
	page.waitText("streaming")
	page.click("Use this model")
	page.waitFor(`document.querySelector(".bar .model").innerText === "ollama:scripted"`, "the model is chosen")
	m.then(uiAnswer{text: "Here I am."})
	page.say("Hello?")
	page.waitText("Here I am.")
	require.Empty(t, page.reported())
}
