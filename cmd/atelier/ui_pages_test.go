package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/need"
)

// TestUIPagesFramed: the slides of both sides are shown side by side, and what
// differs is framed where it is.
func TestUIPagesFramed(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	m, _, page := workingUI(t)
	m.then(
		uiAnswer{calls: []uiCall{{"pptx_operations", `{"path":"presentacion.pptx","operations":[{"op":"replace_text","search":"Almazara familiar","replace":"Empresa"},{"op":"replace_text","search":"Gama de productos","replace":"Productos"}]}`}}},
		uiAnswer{text: "Two slides are changed."},
	)
	page.say("Shorten them.")
	page.waitText("Two slides are changed.")
	page.idle()
	page.click("Review 1")
	page.clickIn("#pane-changes", "presentacion.pptx")
	page.waitFor(`[...document.querySelectorAll("#pane-changes ins, #pane-changes del")].length`, "the changes")
	page.clickIn("#pane-changes", "Pages")
	page.waitText("no difference to see")
	page.click("Next page that differs")
	page.waitText("2 of ")
	page.waitText("1 place differs")
	// The frame of the draft is around the first line below the title.
	at := eval[[]float64](t, page.ctx, `(() => { const f = document.querySelectorAll(".framed")[1], r = f.querySelector(".frame").getBoundingClientRect(), o = f.getBoundingClientRect(); return [(r.top - o.top) / o.height, (r.bottom - o.top) / o.height, (r.right - r.left) / o.width]; })()`)
	require.Greater(t, at[0], 0.15)
	require.Less(t, at[1], 0.6)
	require.Less(t, at[2], 0.8)
	eval[any](t, page.ctx, `document.querySelector(".pagepair").scrollIntoView({block: "center", behavior: "instant"})`)
	page.picture("ui-framed")
	page.inOrder("pages of both sides")
	page.click("Next page that differs")
	page.waitText("4 of ")
	page.waitText("1 place differs")
	require.Empty(t, page.reported())
}
