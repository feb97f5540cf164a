package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Colours and fonts of the theme change, and nothing else; the answer names who sets its own.
func TestSetTheme(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`, `{"op":"add_slide","title":"B","paragraphs":[{"text":"c","font_color":"FF0000","font_name":"Arial"}]}`)
	deck = with(t, deck, map[string]func(string) string{newTheme: replace(t, `<a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/>`, `<a:latin typeface="Calibri" panose="020F0502020204030204"/><a:ea typeface=""/><a:cs typeface=""/><a:font script="Jpan" typeface="メイリオ"/>`)})
	op := `{"op":"set_theme","theme_colors":{"accent1":"#c00000","tx1":"222222"},"heading_font":"Georgia","body_font":"A & B"}`
	out, rep := editReport(t, deck, op)
	require.Equal(t, 4, rep.Ops[0].Hits)
	require.Equal(t, []string{"used by 2 slides", "these set colours themselves: slides 1", "these set fonts themselves: slides 1"}, rep.Ops[0].Notes)
	formatstest.SameParts(t, deck, out, newTheme)
	theme := part(t, out, newTheme)
	require.Contains(t, theme, `<a:dk1><a:srgbClr val="222222"/></a:dk1>`)
	require.Contains(t, theme, `<a:accent1><a:srgbClr val="C00000"/></a:accent1>`)
	require.Contains(t, theme, `<a:majorFont><a:latin typeface="Georgia"/><a:ea typeface=""/><a:cs typeface=""/><a:font script="Jpan" typeface="メイリオ"/>`)
	require.Contains(t, theme, `<a:minorFont><a:latin typeface="A &amp; B"/>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	_, rep = editReport(t, out, op)
	require.True(t, rep.Ops[0].Unchanged)
	require.Equal(t, []string{"theme changed at theme of the master “Atelier”: dk1 000000 → dk1 222222", "theme changed at theme of the master “Atelier”: accent1 2F6FED → accent1 C00000", "theme changed at theme of the master “Atelier”: majorFont “Calibri” → majorFont “Georgia”", "theme changed at theme of the master “Atelier”: minorFont “Calibri” → minorFont “A & B”"}, allSaid(diffOf(t, deck, out).Facts))
	for op, want := range map[string]string{
		`{"op":"set_theme"}`: "nothing to set",
		`{"op":"set_theme","theme_colors":{"accent7":"FF0000"}}`:            `themes have no colour "accent7"`,
		`{"op":"set_theme","theme_colors":{"accent1":"accent2"}}`:           `"accent2" is no colour`,
		`{"op":"set_theme","theme_colors":{"tx1":"FF0000","dk1":"00FF00"}}`: "dk1 is given twice",
		`{"op":"set_theme","body_font":"Arial","master":"Fremd"}`:           `the deck has no master "Fremd"; it has "Atelier"`,
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
}

// The styles of masters and layouts change by level; a layout that has its own is told.
func TestFormatMaster(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	out, rep := editReport(t, deck, `{"op":"format_master","style":"title","font_size":30,"font_color":"accent2","alignment":"center"}`)
	require.Equal(t, 1, rep.Ops[0].Hits)
	formatstest.SameParts(t, deck, out, newMaster)
	require.Contains(t, part(t, out, newMaster), `<p:titleStyle><a:lvl1pPr algn="ctr"`)
	require.Contains(t, part(t, out, newMaster), `<a:defRPr sz="3000" b="1" kern="1200"><a:solidFill><a:schemeClr val="accent2"/></a:solidFill>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	_, rep = editReport(t, out, `{"op":"format_master","style":"title","font_size":30,"font_color":"accent2","alignment":"center"}`)
	require.True(t, rep.Ops[0].Unchanged)

	// A bullet keeps the indents of its level.
	out = edit(t, deck, `{"op":"format_master","style":"body","bullet":"–","font_size":16}`)
	master := part(t, out, newMaster)
	require.Contains(t, master, `<a:lvl2pPr marL="685800" indent="-228600"`)
	require.GreaterOrEqual(t, strings.Count(master, `<a:buChar char="–"/>`), 5)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")

	one, rep := editReport(t, deck, `{"op":"format_master","layout":"title_only","style":"title","italic":true}`)
	formatstest.SameParts(t, deck, one, newLayouts+"4.xml")
	require.Equal(t, []string{"used by 0 slides"}, rep.Ops[0].Notes)
	require.Contains(t, part(t, one, newLayouts+"4.xml"), `<a:lvl1pPr><a:defRPr i="1"/></a:lvl1pPr>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", one), "")
	_, rep = editReport(t, one, `{"op":"format_master","style":"title","italic":false}`)
	require.Equal(t, []string{"used by 1 slide", `layouts that set such formats themselves: "Title Only"`}, rep.Ops[0].Notes)
	for op, want := range map[string]string{
		`{"op":"format_master","bold":true}`:                                 "style is required",
		`{"op":"format_master","style":"body","level":1}`:                    "nothing to set",
		`{"op":"format_master","style":"body","bold":true,"level":9}`:        "level must be",
		`{"op":"format_master","style":"body","bold":true,"layout":"Blank"}`: "has no place for such text",
		`{"op":"format_master","style":"body","bold":true,"layout":"Drei"}`:  `the deck has no layout "Drei"`,
		`{"op":"format_master","style":"body","font_color":"bunt"}`:          "is no colour",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
}

// Backgrounds come and go; a picture leaves with what showed it.
func TestSetBackground(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	out, rep, err := editWith(t, deck, files, `{"op":"set_background","slides":[1],"path":"a.png"}`, `{"op":"set_background","layout":"blank","color":"bg2"}`, `{"op":"set_background","color":"FFF4E0"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"used by 2 slides", "these set a background themselves: slides 1", `layouts that set a background themselves: "Section Header", "Blank"`}, rep.Ops[2].Notes)
	require.Contains(t, part(t, out, slide2), `<p:cSld><p:bg><p:bgPr><a:blipFill dpi="0" rotWithShape="1"><a:blip r:embed=`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	require.Contains(t, allSaid(diffOf(t, deck, out).Facts), "format changed at slide 2: background: PNG picture of 40 × 30 pixels, 84 bytes")
	back, _, err := editWith(t, out, files, `{"op":"set_background","slides":[1],"color":"none"}`, `{"op":"set_background","layout":"blank","color":"none"}`)
	require.NoError(t, err)
	formatstest.SameParts(t, deck, back, newMaster, "[Content_Types].xml")
	for op, want := range map[string]string{
		`{"op":"set_background"}`:                                         "give color or path",
		`{"op":"set_background","color":"none"}`:                          "a master has no other page",
		`{"op":"set_background","color":"red","slides":[0],"layout":"x"}`: "only one of them",
		`{"op":"set_background","color":"bunt"}`:                          "is no colour",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
}

// A logo is on the master once, however often it is set, and goes again.
func TestSetLogo(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	deck = with(t, deck, map[string]func(string) string{slide2: replace(t, `<p:sld `, `<p:sld showMasterSp="0" `)})
	files := map[string][]byte{"a.png": pngOf(t, 400, 100), "b.png": pngOf(t, 20, 20)}
	out, rep, err := editWith(t, deck, files, `{"op":"set_logo","path":"a.png","alt":"Firma","x":12,"y":7,"width":1}`)
	require.NoError(t, err)
	require.Equal(t, []string{"used by 2 slides"}, rep.Ops[0].Notes)
	require.Equal(t, []string{"the slides 1 hide the shapes of their master and do not show it"}, rep.Ops[0].Warnings)
	require.Contains(t, part(t, out, newMaster), `name="Logo" descr="Firma"`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	two, rep, err := editWith(t, out, files, `{"op":"set_logo","path":"b.png","alt":"neu","x":1,"y":0.6}`)
	require.NoError(t, err)
	require.Equal(t, []string{"replaced 1 earlier picture", "used by 2 slides"}, rep.Ops[0].Notes)
	require.Contains(t, rep.Ops[0].Warnings[0], `it lies over the place for the title of the layouts "Title and Content"`)
	require.Equal(t, 1, strings.Count(part(t, two, newMaster), `name="Logo"`))
	gone, rep, err := editWith(t, two, files, `{"op":"set_logo","path":""}`)
	require.NoError(t, err)
	require.Equal(t, 1, rep.Ops[0].Hits)
	formatstest.SameParts(t, deck, gone, "[Content_Types].xml")
	_, rep, err = editWith(t, deck, files, `{"op":"set_logo","path":""}`)
	require.NoError(t, err)
	require.True(t, rep.Ops[0].Unchanged)
	require.Equal(t, []string{`no picture is called "Logo" there; nothing was removed`}, rep.Ops[0].Warnings)
}

// On real decks: only themes, masters and layouts change, and no schema error is new.
func TestCorpusDesign(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	counts := map[string]int{}
	defer func() { formatstest.Report(t, "pptx  designs of real decks: %v", counts) }()
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		layouts, err := d.allLayouts(ctx, nil)
		require.NoError(t, err)
		out := file
		do := func(op string) {
			made, rep, err := editWith(t, out, files, op)
			if formats.CodeOf(err) == formats.CodeNotFound {
				counts["refused"]++
				return
			}
			require.NoError(t, err, op)
			counts[rep.Ops[0].Op] += rep.Ops[0].Hits
			out = made
		}
		do(`{"op":"set_theme","theme_colors":{"accent1":"C00000","folHlink":"112233","lt1":"FFFFF0"},"heading_font":"Georgia","body_font":"Verdana"}`)
		do(`{"op":"format_master","style":"title","font_size":30,"font_color":"accent2","alignment":"right","font_name":"Arial","space_before":2}`)
		do(`{"op":"format_master","style":"body","bold":true,"bullet":"–","line_spacing":1.5}`)
		do(string(mustJSON(t, map[string]any{"op": "format_master", "style": "body", "layout": layouts[0].name, "italic": true, "bullet": "number"})))
		do(string(mustJSON(t, map[string]any{"op": "format_master", "style": "title", "layout": layouts[0].name, "underline": true})))
		do(`{"op":"set_background","color":"bg2"}`)
		do(string(mustJSON(t, map[string]any{"op": "set_background", "path": "a.png", "layout": layouts[0].name})))
		do(`{"op":"set_logo","path":"a.png","alt":"x"}`)
		validate(t, name, out)
		now := formatstest.Parts(t, out)
		for part, data := range formatstest.Parts(t, file) {
			if part != "[Content_Types].xml" && !strings.Contains(part, "/theme/") && !strings.Contains(part, "slideLayout") && !strings.Contains(part, "slideMaster") {
				require.Equal(t, data, now[part], part)
			}
		}
		do(`{"op":"set_logo","path":""}`)
		do(string(mustJSON(t, map[string]any{"op": "set_background", "color": "none", "layout": layouts[0].name})))
		validate(t, name, out)
	})
}
