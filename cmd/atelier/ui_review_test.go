package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// changeAll has the model change a workbook, a document, a text and a deck.
func changeAll(m *uiModel, page *uiPage) {
	m.then(
		uiAnswer{text: "I change them.", calls: []uiCall{
			{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"Sales 2025"},{"cell":"B3","value":"=1+1"}]}]}`},
			{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":"Signed by both."}]}`},
			{"write_text_file", `{"path":"notas.md","content":"# Notes\n\nAll new.\n"}`},
			{"write_text_file", `{"path":"summary.md","content":"Short.\n"}`},
		}},
		uiAnswer{text: "I changed four files."},
	)
	page.say("Change them.")
	page.waitText("I changed four files.")
	page.idle()
}

// TestUIReview: what the draft changes is shown file by file, one file is
// rejected, one published, then the rest; a conflict is settled; history has it.
func TestUIReview(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	changeAll(m, page)
	page.waitText("Changes 4")
	page.waitFor(`document.querySelector(".document select").value === "summary.md"`, "the document follows the work")
	page.click("follow the work")
	eval[any](t, page.ctx, `document.querySelector("[aria-label=File]").focus()`)
	page.keys("contrato")
	page.waitFor(`document.querySelector(".docview .flow .fchanged")`, "its text with what changes")
	page.waitFor(`document.querySelector(".docdiff ins")`, "its changes")
	page.picture("ui-work")
	page.click("Review 4")
	page.waitText("What the draft changes")
	page.clickIn("#pane-changes", "sales.xlsx")
	page.waitFor(`document.querySelector(".grid")`, "the cells as a grid")
	require.Contains(t, page.text(".grid"), "Sales 2025")
	page.clickIn("#pane-changes", "contrato.docx")
	page.waitFor(`[...document.querySelectorAll(".items ins")].some(e => e.innerText === "Signed by both.")`, "the paragraph")
	eval[any](t, page.ctx, `document.getElementById("pane-changes").scrollTo({top: 0, behavior: "instant"})`)
	page.picture("ui-changes")
	page.clickIn("#pane-changes", "notas.md")
	page.waitFor(`[...document.querySelectorAll(".lines .added")].some(e => e.innerText.includes("All new."))`, "the lines")
	page.inOrder("changes")
	page.scheme("dark")
	page.picture("ui-dark")
	page.inOrder("changes in the dark")
	page.size(390, 844)
	page.waitFor(`!document.getElementById("pane-chat").offsetParent`, "one view at a time")
	page.picture("ui-phone")
	page.inOrder("changes on a phone")
	page.size(1280, 800)
	page.scheme("light")

	// Rejecting one file asks first.
	reject := `[...document.querySelectorAll(".file")].find(f => f.innerText.includes("notas.md")).querySelectorAll(".fileacts button")[1].focus()`
	eval[any](t, page.ctx, reject)
	page.keys(kb.Enter)
	page.waitText("Discard notas.md?")
	page.keys(kb.Escape)
	page.waitFor(`!document.querySelector("dialog")`, "nothing was discarded")
	eval[any](t, page.ctx, reject)
	page.keys(kb.Enter)
	page.waitText("Discard notas.md?")
	page.picture("confirm")
	page.clickIn("dialog", "Discard")
	page.waitText("Review 3")

	// The person's own change to a file of the draft is a conflict.
	was, err := os.ReadFile(filepath.Join(p.dir, "contrato.docx"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "summary.md"), []byte("Mine.\n"), 0o600))
	page.click("Publish all")
	page.waitText("changed outside")
	page.picture("conflict")
	page.inOrder("a conflict")
	now, err := os.ReadFile(filepath.Join(p.dir, "contrato.docx"))
	require.NoError(t, err)
	require.Equal(t, was, now, "all or nothing")
	page.click("Publish the draft over it")
	page.waitText("Published")
	page.waitText("The draft changes nothing.")
	text, err := os.ReadFile(filepath.Join(p.dir, "summary.md"))
	require.NoError(t, err)
	require.Equal(t, "Short.\n", string(text))

	page.click("History")
	page.clickIn("#pane-history", "Published")
	page.click("Go back to before this")
	page.waitText("Restoring it would change:")
	page.click("Restore 3 files")
	page.waitText("Restore this state?")
	page.clickIn("dialog", "Restore")
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(p.dir, "summary.md"))
		return err == nil && string(text) == "Mine.\n"
	}, uiPatience, uiEvery)
	require.Empty(t, page.reported())
}

// TestUIRejectsChanges: single changes are rejected by a click: a cell, lines, and a
// bookmark with the field that needs it, which is named first. The conversation tells of
// each, and undo takes it back where it was made and there, by itself. A discarded file
// comes back in the same way.
func TestUIRejectsChanges(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	m.then(uiAnswer{calls: []uiCall{
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E5","value":1000},{"cell":"E6","value":2000}]}]}`},
		{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"add_cross_reference","at":"p32","to":"p19"}]}`},
	}}, uiAnswer{text: "Changed."})
	page.say("Change them.")
	page.waitText("Changed.")
	page.idle()
	page.click("Review 2")
	page.waitText("What the draft changes")
	page.clickIn("#pane-changes", "sales.xlsx")
	page.waitFor(`document.querySelector("[aria-label='Reject E5']")`, "a button at the cell")
	page.picture("ui-reject")
	page.inOrder("changes with buttons")
	eval[any](t, page.ctx, `document.querySelector("[aria-label='Reject E5']").focus()`)
	page.keys(kb.Enter)
	page.waitFor(`document.querySelector("[aria-label='Reject E6']") && !document.querySelector("[aria-label='Reject E5']")`, "the other cell stays changed")
	page.waitFor(`document.activeElement.getAttribute("aria-label") === "Reject E6"`, "the focus is on the next change")
	page.waitText("Rejected 1 change of sales.xlsx.")
	page.waitText("You rejected 1 change of sales.xlsx: Sales E5")
	page.picture("ui-rejected")
	page.inOrder("a rejection that can be undone")
	page.clickIn(".strip", "Undo")
	page.waitFor(`document.querySelector("[aria-label='Reject E5']") && document.querySelector(".strip").hidden`, "the change is there again")
	page.waitFor(`!document.querySelector(".log").innerText.includes("You rejected")`, "the step is gone")
	require.Contains(t, page.text(".log"), "Changed.", "the message stays")
	page.click("Bring it back")
	page.waitFor(`!document.querySelector("[aria-label='Reject E5']")`, "it is rejected again")
	page.waitText("You rejected 1 change of sales.xlsx: Sales E5")

	page.clickIn("#pane-changes", "contrato.docx")
	page.waitFor(`document.querySelector("[aria-label^='Reject bookmark']")`, "a button at the bookmark")
	eval[any](t, page.ctx, `document.querySelector("[aria-label^='Reject bookmark']").click()`)
	page.waitText("Reject these together?")
	require.Contains(t, page.text("dialog .listed"), "field p32", "what goes along is named")
	page.picture("ui-together")
	page.inOrder("what goes together")
	page.clickIn("dialog", "Reject all")
	page.waitText("Review 1")
	page.waitFor(`document.activeElement.innerText === "Undo"`, "the file is gone, the focus is not")

	page.clickIn(".file[open]", "Reject this file")
	page.clickIn("dialog", "Discard")
	page.waitText("The draft changes nothing.")
	page.waitText("You discarded the draft: sales.xlsx")
	page.clickIn(".entry.note:last-child", "Undo from here")
	page.waitText("Review 1")
	page.waitFor(`!document.querySelector(".log").innerText.includes("You discarded")`, "the step is gone")
	require.Contains(t, page.text(".log"), "You rejected 1 change of sales.xlsx", "one step by itself")
	published, err := os.ReadFile(filepath.Join(p.dir, "contrato.docx"))
	require.NoError(t, err)
	require.NotEmpty(t, published)
	require.Empty(t, page.reported())
}

// TestUIReviewWithKeys: from a task to published without a mouse.
func TestUIReviewWithKeys(t *testing.T) {
	campaign.Slow(t)
	m, p, page := workingUI(t)
	hold := make(chan struct{})
	m.then(uiAnswer{calls: []uiCall{
		{"ask_user", `{"questions":[{"name":"q","question":"How long?","schema":"{\"enum\":[\"short\",\"long\"]}"}]}`}}},
		uiAnswer{calls: []uiCall{
			{"write_text_file", `{"path":"summary.md","content":"Short.\n"}`},
			{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E5","value":1000},{"cell":"E6","value":2000}]}]}`}}},
		uiAnswer{text: "Written. |And more", hold: hold})
	page.waitFor(`document.activeElement.id === "composer"`, "the composer has the focus")
	page.keys("Write it.\r")
	page.waitText("How long?")
	page.waitFor(`document.activeElement.closest(".card")`, "the question has the focus")
	require.Equal(t, 1, eval[int](t, page.ctx, jsPrimaries), "one button is the first to press")
	page.keys("1")
	page.waitText("Written.")
	page.waitFor(`!document.activeElement.closest(".card")`, "the question is answered")
	eval[any](t, page.ctx, `document.getElementById("composer").focus()`)
	page.keys(kb.Escape)
	page.waitFor(`document.activeElement.id === "stop"`, "Escape leads to Stop")
	page.keys(kb.Enter)
	page.waitText("Stopped. What was finished is kept.")
	page.idle()
	close(hold)
	require.Contains(t, m.sent(), "short")
	eval[any](t, page.ctx, `document.getElementById("composer").focus()`)
	tabTo := func(name string) {
		t.Helper()
		for range 60 {
			page.keys(kb.Tab)
			if strings.HasPrefix(eval[string](t, page.ctx, `document.activeElement.innerText.trim()`), name) {
				require.True(t, eval[bool](t, page.ctx, `getComputedStyle(document.activeElement).outlineStyle !== "none"`), "the focus is seen")
				return
			}
		}
		t.Fatalf("Tab does not reach %s", name)
	}
	tabTo("Review 2")
	page.keys(kb.Enter)
	page.waitFor(`document.activeElement.id === "tab-changes"`, "the tab has the focus")
	require.Equal(t, 1, eval[int](t, page.ctx, jsPrimaries), "one button is the first to press")
	tabTo("sales.xlsx")
	page.keys(kb.Enter)
	page.waitFor(`document.querySelector("[aria-label='Reject E5']")`, "the changes of the file")
	tabTo("Reject this file")
	tabTo("Reject")
	page.keys(kb.Enter)
	page.waitFor(`document.activeElement.getAttribute("aria-label") === "Reject E6"`, "the focus is on what is left")
	tabTo("Undo")
	page.keys(kb.Enter)
	page.waitFor(`document.querySelector("[aria-label='Reject E5']")`, "the change is there again")
	eval[any](t, page.ctx, `document.getElementById("tab-changes").focus()`)
	tabTo("Publish all")
	tabTo("Discard all")
	page.keys(kb.Tab + " ") // the first file
	page.waitFor(`document.querySelector("#pane-changes .head .primary").innerText === "Publish 1 file"`, "one file is chosen")
	tabTo("Publish 1 file")
	page.keys(kb.Enter)
	page.waitText("1 file is in the folder now.")
	require.NoFileExists(t, filepath.Join(p.dir, "summary.md"), "the other file waits")
	eval[any](t, page.ctx, `document.getElementById("tab-changes").focus()`)
	tabTo("Publish all")
	page.keys(kb.Enter)
	page.waitText("The draft changes nothing.")
	require.FileExists(t, filepath.Join(p.dir, "summary.md"))
	require.Empty(t, page.reported())
}

// jsPrimaries counts the buttons that are seen and look like the first to press.
const jsPrimaries = `(() => {
	const probe = document.createElement("button");
	probe.className = "primary";
	document.body.append(probe);
	const look = getComputedStyle(probe).backgroundColor;
	probe.remove();
	return [...document.querySelectorAll("button")].filter(b => b.offsetParent && !b.disabled && getComputedStyle(b).backgroundColor === look).length;
})()`

// TestUIMarkup: names and contents that are markup are text everywhere, also in
// answers, arguments, results, questions and diffs.
func TestUIMarkup(t *testing.T) {
	const evil = `<img src=x onerror=document.title='owned'><script>document.title='owned'</script>`
	m, _, page := workingUI(t)
	name := `<b onclick=alert(1)>.html`
	m.then(
		uiAnswer{text: evil + "\n\n[a](javascript:document.title='owned') **" + evil + "**\n\n```html\n" + evil + "\n```\n\n| " + evil + " |\n|---|\n| " + evil + " |\n", calls: []uiCall{
			{"write_text_file", `{"path":` + quoted(name) + `,"content":` + quoted(evil+"\n") + `}`},
			{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":` + quoted(evil) + `}]}`},
			{"ask_user", `{"questions":[{"name":"q","question":` + quoted(evil) + `,"schema":"{\"type\":\"boolean\"}"}]}`},
		}},
		uiAnswer{text: "Done."},
	)
	page.say(evil)
	page.waitText("Yes")
	require.Equal(t, "Atelier", eval[string](t, page.ctx, "document.title"))
	page.click("Yes")
	page.waitText("Done.")
	page.idle()
	for i := range 3 {
		eval[any](t, page.ctx, fmt.Sprintf(`document.querySelectorAll(".call summary")[%d].click()`, i))
	}
	page.click("Review")
	page.waitText("What the draft changes")
	eval[any](t, page.ctx, `document.querySelectorAll(".file > summary").forEach(e => e.click())`)
	page.waitFor(`document.querySelectorAll(".file .diff").length === 2`, "all files are compared")
	page.click("Document")
	page.waitText("follow the work")
	require.Equal(t, "Atelier", eval[string](t, page.ctx, "document.title"))
	require.Zero(t, eval[int](t, page.ctx, `document.querySelectorAll("img[src=x], [onclick], [onerror], a[href^=javascript]").length + document.scripts.length - 1`))
	require.Contains(t, page.text(".log"), "<script>document.title='owned'</script>")
	require.Empty(t, page.reported())
}

// TestUIReviewLarge: what a first answer leaves out of a large change is shown on
// demand.
func TestUIReviewLarge(t *testing.T) {
	campaign.Slow(t)
	m, _, page := workingUI(t)
	var lines, cells strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	for i := range 1500 {
		fmt.Fprintf(&cells, `{"cell":"K%d","value":%d},`, i+100, i)
	}
	m.then(uiAnswer{calls: []uiCall{
		{"write_text_file", `{"path":"long.md","content":` + quoted(lines.String()) + `}`},
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[` + strings.TrimSuffix(cells.String(), ",") + `]}]}`},
	}}, uiAnswer{text: "Long."})
	page.say("Make it long.")
	page.waitText("Long.")
	page.idle()
	page.click("Review 2")
	page.clickIn("#pane-changes", "long.md")
	count := `document.querySelectorAll("#pane-changes .lines .added").length`
	page.waitFor(count+" === 2000", "the first part")
	for _, n := range []string{"4000", "5000"} {
		page.clickIn("#pane-changes", "Show more")
		page.waitFor(count+" === "+n, n)
	}
	page.clickIn("#pane-changes", "sales.xlsx")
	page.waitText("500 more changes are not shown.")
	page.clickIn("#pane-changes", "Show more")
	page.waitFor(`!document.body.innerText.includes("are not shown") && document.querySelectorAll("#pane-changes .items tbody tr").length === 1500`, "all cells")
	require.Empty(t, page.reported())
}
