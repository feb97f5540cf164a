package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// TestUIFlow: a text document is shown in its flow; what a tool writes is marked in its
// place as it is written, also what was removed; the published side and the pages are one
// click away.
func TestUIFlow(t *testing.T) {
	campaign.Slow(t)
	m, _, page := workingUI(t)
	hold := make(chan struct{})
	m.then(
		uiAnswer{text: "First.", calls: []uiCall{{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":"Signed by both."},{"op":"replace_text","search":"contrato","replace":"acuerdo marco"}]}`}}},
		uiAnswer{text: "Wait |for it.", hold: hold, calls: []uiCall{{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"delete_paragraph","at":"p3"}]}`}}},
		uiAnswer{text: "Done now."},
	)
	page.say("Change it.")
	page.waitFor(`[...document.querySelectorAll(".flow .fchanged.added ins")].some(e => e.textContent === "Signed by both.")`, "the new paragraph is marked while the run continues")
	page.waitFor(`document.querySelector(".flow .fchanged.modified del")?.textContent.includes("ontrato") && document.querySelector(".flow .fchanged.modified ins")?.textContent.includes("acuerdo marco")`, "words are marked in place")
	require.False(t, eval[bool](t, page.ctx, `Boolean(document.querySelector(".flow .fchanged.removed"))`))
	close(hold)
	page.waitFor(`document.querySelector(".flow .fchanged.removed del")?.textContent.length > 3`, "what was removed is where it was")
	page.waitText("Done now.")
	page.idle()
	require.True(t, eval[bool](t, page.ctx, `Boolean(document.querySelector(".flow [role=heading]") && document.querySelector(".flow table"))`), "headings and tables")
	require.Equal(t, eval[int](t, page.ctx, `document.querySelectorAll(".flow .fblock").length`), eval[int](t, page.ctx, `new Set([...document.querySelectorAll(".flow .fblock")].map(e => e.key)).size`), "no block is there twice")
	page.picture("flow")
	page.inOrder("a document")

	eval[any](t, page.ctx, `document.querySelector(".flowscroll").focus()`)
	page.keys("n")
	page.waitFor(`document.activeElement.matches(".fchanged")`, "the first change has the focus")
	page.keys("nnp")
	page.waitFor(`document.querySelector(".flow .steps .sub").innerText.startsWith("2 of")`, "on and back")

	page.click("Published")
	page.waitFor(`document.querySelector(".flow .fblock") && !document.querySelector(".flow .fchanged")`, "what is published")
	page.click("Draft")
	page.waitFor(`document.querySelector(".flow .fchanged")`, "the draft again")
	page.scheme("dark")
	page.waitFor(`![...document.querySelectorAll(".flow span")].some(e => e.style.color === "rgb(31, 78, 95)")`, "its colours in the dark")
	page.picture("flow-dark")
	page.inOrder("a document in the dark")
	page.size(390, 844)
	page.click("Document")
	page.waitFor(`document.querySelector(".flow .fchanged")`, "on a phone")
	page.picture("flow-phone")
	page.inOrder("a document on a phone")
	page.size(1280, 800)
	page.scheme("light")
	page.click("Pages")
	page.waitFor(`document.querySelector(".docview img")?.alt.includes("contrato.docx")`, "its pages")
	require.Empty(t, page.reported())
}
