package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// drop drops files of the machine on the page, as a file manager does.
func (p *uiPage) drop(files ...string) {
	p.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1}
	for _, step := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		command(p.t, p.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: step, X: 300, Y: 300, Data: data})
	}
}

// choose gives files to the button that attaches.
func (p *uiPage) choose(files ...string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), files)))
}

const uiChips = `[...document.querySelectorAll(".chips li")].map(e => e.querySelector("bdi").innerText)`

// TestUIAttach: files are chosen, dropped and pasted, taken away again, sent with a
// message that shows them, and read by the model; or added to the folder. Limits are
// told. What waits is sent after the program was killed and started again.
func TestUIAttach(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	from := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(from, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	long := file("long.csv", "who;what\n"+strings.Repeat("somebody;something else\n", 400_000)) // 9.6 MB: three parts
	brief := file("brief.md", "Ten chairs are wanted.\n")
	huge := file("huge.bin", "")
	require.NoError(t, os.Truncate(huge, 100<<20+1))
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for i := range 200 {
		img.Set(i, i/2, color.RGBA{200, 30, 30, 255})
	}
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, img))

	page.choose(long, huge)
	page.waitText("huge.bin has 100.0 MB; the limit is 100.0 MB.")
	page.drop(brief, file("other.md", "x\n"), file("chair.png", picture.String()))
	page.waitFor(uiChips+`.length === 4`, "the files that were dropped")
	page.drop(from)
	page.waitText("Folders cannot be attached")
	eval[any](t, page.ctx, `(() => { const d = new DataTransfer(); d.items.add(new File(["pasted"], "image.png", {type: "image/png"})); document.getElementById("composer").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})) })()`)
	page.waitFor(uiChips+`.length === 5`, "the picture that was pasted")
	page.picture("ui-attach")
	page.inOrder("files that wait")
	for _, name := range []string{"Remove image.png", "Remove other.md"} {
		eval[any](t, page.ctx, `document.querySelector("[aria-label='`+name+`']").focus()`)
		page.keys(kb.Enter)
	}
	page.waitFor(uiChips+`.join() === "long.csv,brief.md,chair.png"`, "two were taken away")
	m.then(uiAnswer{calls: []uiCall{{"read_file", `{"path":"files/brief.md"}`}}}, uiAnswer{text: "Ten of |them.", hold: nil})
	page.say("What is wanted?")
	page.waitText("Ten of them.")
	page.idle()
	for _, want := range []string{"Ten chairs are wanted.", "long.csv", "chair.png"} {
		require.Contains(t, m.sent(), want)
	}
	page.waitFor(`document.querySelector(".attached img")?.naturalWidth > 50`, "the picture in the message")
	require.Contains(t, page.text(".attached"), "long.csv")
	page.waitText("Review 3")
	require.Empty(t, eval[[]string](t, page.ctx, uiChips))
	page.picture("ui-attached")
	page.inOrder("a message with files")
	page.scheme("dark")
	page.inOrder("a message with files in the dark")
	page.scheme("light")

	// Not while a run is in progress; they wait.
	hold := make(chan struct{})
	m.then(uiAnswer{text: "Working |on it.", hold: hold})
	page.say("Go on.")
	page.waitText("Working")
	page.drop(file("late.md", "Late.\n"))
	page.say("This too.")
	page.waitText("Files can be sent when the run has ended.")
	close(hold)
	page.waitText("Working on it.")
	page.idle()
	p.kill()
	page.waitText("Not connected")
	p.start()
	page.waitFor(`document.querySelector(".bar .lost").innerText === ""`, "it is connected again")
	m.then(uiAnswer{text: "Seen, late."})
	page.field("Your message")
	page.keys(kb.Enter)
	page.waitText("Seen, late.")
	page.idle()
	require.Contains(t, m.sent(), "late.md")

	// Into the folder.
	page.choose(file("added.md", "Added.\n"), file("notas.md", "mine"))
	page.waitFor(uiChips+`.length === 2`, "two files")
	page.click("Add to the folder instead")
	page.waitText("notas.md is not added: a file of that name is there already.")
	page.waitFor(uiChips+`.join() === "notas.md"`, "the other is in the folder")
	text, err := os.ReadFile(filepath.Join(p.dir, "added.md"))
	require.NoError(t, err)
	require.Equal(t, "Added.\n", string(text))
	page.size(390, 844)
	page.click("Conversation")
	page.picture("ui-attach-phone")
	page.inOrder("files on a phone")
	require.Empty(t, page.reported())
}
