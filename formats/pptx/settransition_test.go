package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// Transitions come, change and go; what is not named stays.
func TestSetTransition(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	of := func(file []byte) string {
		s := part(t, file, slide1)
		_, s, _ = strings.Cut(s, `</p:clrMapOvr>`)
		return strings.TrimSuffix(s, `</p:sld>`)
	}
	step := func(file []byte, members, want string) []byte {
		t.Helper()
		out, rep := editReport(t, file, `{"op":"set_transition","slides":[0],`+members+`}`)
		require.Equal(t, 1, rep.Ops[0].Hits)
		require.Equal(t, want, of(out))
		formatstest.SameParts(t, file, out, slide1)
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
		_, rep = editReport(t, out, `{"op":"set_transition","slides":[0],`+members+`}`)
		require.True(t, rep.Ops[0].Unchanged, members)
		return out
	}
	out := step(deck, `"effect":"push","direction":"up"`, `<p:transition spd="med"><p:push dir="u"/></p:transition>`)
	require.Equal(t, []string{"transition added at slide 1: push dir u, medium speed"}, allSaid(diffOf(t, deck, out).Facts))
	out = step(out, `"after":5,"on_click":false`, `<p:transition spd="med" advClick="0" advTm="5000"><p:push dir="u"/></p:transition>`)
	out = step(out, `"effect":"fade through black"`, `<p:transition spd="med" advClick="0" advTm="5000"><p:fade thruBlk="1"/></p:transition>`)
	long := step(out, `"duration":2`, `<mc:AlternateContent xmlns:mc="`+nsMC+`"><mc:Choice xmlns:p14="`+nsP14+`" Requires="p14"><p:transition xmlns:p14="`+nsP14+`" p14:dur="2000" spd="slow" advClick="0" advTm="5000"><p:fade thruBlk="1"/></p:transition></mc:Choice><mc:Fallback><p:transition spd="slow" advClick="0" advTm="5000"><p:fade thruBlk="1"/></p:transition></mc:Fallback></mc:AlternateContent>`)
	next := edit(t, long, `{"op":"set_transition","slides":[0],"duration":0.4,"on_click":true}`)
	require.Equal(t, 1, strings.Count(of(next), `p14:dur="400"`))
	require.Equal(t, 2, strings.Count(of(next), `spd="fast"`))
	require.NotContains(t, of(next), "advClick")
	morph := edit(t, next, `{"op":"set_transition","slides":[0],"effect":"morph"}`)
	require.Contains(t, of(morph), `<p159:morph option="byObject"/>`)
	require.Contains(t, of(morph), `<mc:Fallback><p:transition spd="fast" advTm="5000"><p:fade/></p:transition></mc:Fallback>`)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", morph), "")
	step(morph, `"effect":"none"`, `<p:transition advTm="5000"/>`)
	gone := edit(t, out, `{"op":"set_transition","effect":"none","after":-1,"on_click":true}`)
	require.NotContains(t, of(gone), "advTm")

	all, rep := editReport(t, deck, `{"op":"set_transition","effect":"wipe"}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Contains(t, part(t, all, slide2), `<p:wipe/>`)
	formatstest.SameParts(t, deck, edit(t, all, `{"op":"set_transition","effect":"none"}`))
	_, rep = editReport(t, deck, `{"op":"set_transition","duration":2}`)
	require.Equal(t, []string{"the slides 0, 1 have no effect; duration needs one"}, rep.Ops[0].Warnings)
	require.True(t, rep.Ops[0].Unchanged)
	for op, want := range map[string]string{
		`{"op":"set_transition"}`:                                    "nothing to set",
		`{"op":"set_transition","effect":"spiral"}`:                  "there is no effect \"spiral\"; use blinds, checker",
		`{"op":"set_transition","effect":"fade","direction":"left"}`: "has no direction",
		`{"op":"set_transition","effect":"push","direction":"in"}`:   "the directions of push are down, left, right, up",
		`{"op":"set_transition","effect":"push","duration":100}`:     "duration must be",
		`{"op":"set_transition","after":-2}`:                         "after must be",
	} {
		_, _, err := tryEdit(deck, op)
		require.ErrorContains(t, err, want, op)
	}
	// Every effect is one that the schema knows.
	for name, e := range effects {
		dir := ""
		for d := range e.dirs {
			dir = d
		}
		out := edit(t, deck, encode(map[string]any{"op": "set_transition", "effect": name, "direction": dir}))
		formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	}
}

// The sound of a transition stays with another effect.
func TestSetTransitionKeepsSound(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"A"}`)
	deck = with(t, deck, map[string]func(string) string{
		slide1:         replace(t, `</p:clrMapOvr>`, `</p:clrMapOvr><p:transition xmlns:q="`+nsR+`" spd="slow"><p:zoom/><p:sndAc><p:stSnd><p:snd q:embed="rId31" name="gong.wav"/></p:stSnd></p:sndAc></p:transition>`),
		relsOf(slide1): replace(t, `</Relationships>`, rel(31, nsR+"/audio", "../media/gong.wav")+`</Relationships>`), "ppt/media/gong.wav": always("RIFF"),
		"[Content_Types].xml": replace(t, `</Types>`, `<Default Extension="wav" ContentType="audio/x-wav"/></Types>`),
	})
	out := edit(t, deck, `{"op":"set_transition","effect":"fade","duration":1}`)
	require.Equal(t, 2, strings.Count(part(t, out, slide1), `q:embed="rId31"`))
	require.Contains(t, part(t, out, relsOf(slide1)), "gong.wav")
	require.Contains(t, formatstest.Parts(t, out), "ppt/media/gong.wav")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	require.Contains(t, allSaid(diffOf(t, deck, out).Facts)[0], "plays the sound “gong.wav”")
}

func TestCorpusSetTransition(t *testing.T) {
	corpus(t, func(t *testing.T, name string, file []byte) {
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		var except []string
		for _, s := range d.slides {
			except = append(except, s.part)
		}
		out := file
		for _, op := range []string{`"after":3`, `"effect":"split","direction":"in"`, `"duration":3,"on_click":false`, `"effect":"morph"`} {
			out = edit(t, out, `{"op":"set_transition",`+op+`}`)
		}
		formatstest.SameParts(t, file, out, except...)
		validate(t, name, out)
		out = edit(t, out, `{"op":"set_transition","effect":"none","after":-1,"on_click":true}`)
		validate(t, name, out)
	})
}
