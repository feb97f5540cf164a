package pptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// timingOf wraps the steps of a main sequence, and what is beside it.
func timingOf(steps, beside, builds string) string {
	if builds != "" {
		builds = `<p:bldLst>` + builds + `</p:bldLst>`
	}
	return `<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst><p:seq><p:cTn id="2" nodeType="mainSeq"><p:childTnLst>` + steps + `</p:childTnLst></p:cTn></p:seq>` + beside + `</p:childTnLst></p:cTn></p:par></p:tnLst>` + builds + `</p:timing>`
}

// stepOn returns a step that animates the given shapes at once.
func stepOn(ids ...string) string {
	var sb strings.Builder
	for _, id := range ids {
		sb.WriteString(`<p:par><p:cTn id="9"><p:childTnLst><p:set><p:cBhvr><p:cTn id="8"/><p:tgtEl><p:spTgt spid="` + id + `"/></p:tgtEl></p:cBhvr></p:set></p:childTnLst></p:cTn></p:par>`)
	}
	return `<p:par><p:cTn id="7"><p:childTnLst>` + sb.String() + `</p:childTnLst></p:cTn></p:par>`
}

// Of the animations of a shape that goes, the largest step that concerns only
// it goes too; nothing becomes an empty list, which the schema forbids.
func TestUnanimate(t *testing.T) {
	media := func(id string) string {
		return `<p:video><p:cMediaNode><p:cTn id="20"/><p:tgtEl><p:spTgt spid="` + id + `"/></p:tgtEl></p:cMediaNode></p:video>`
	}
	build := func(id string) string { return `<p:bldP spid="` + id + `" grpId="0"/>` }
	for name, tc := range map[string]struct{ in, out string }{
		"one of two steps":        {timingOf(stepOn("5")+stepOn("6"), "", build("5")+build("6")), timingOf(stepOn("6"), "", build("6"))},
		"one shape of a step":     {timingOf(stepOn("5", "6"), "", ""), timingOf(stepOn("6"), "", "")},
		"all steps":               {timingOf(stepOn("5")+stepOn("5"), "", build("5")), ""},
		"all steps but the film":  {timingOf(stepOn("5"), media("6"), ""), `<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst>` + media("6") + `</p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>`},
		"the film":                {timingOf(stepOn("6"), media("5"), ""), timingOf(stepOn("6"), "", "")},
		"the last build":          {timingOf(stepOn("6"), "", build("5")), timingOf(stepOn("6"), "", "")},
		"nothing of it":           {timingOf(stepOn("6"), "", build("6")), timingOf(stepOn("6"), "", build("6"))},
		"no timing":               {"", ""},
		"an id that ends like it": {timingOf(stepOn("15"), "", build("55")), timingOf(stepOn("15"), "", build("55"))},
	} {
		tr, err := parse(ctx, "x", []byte(`<p:sld xmlns:p="`+nsP+`">`+tc.in+`</p:sld>`))
		require.NoError(t, err)
		require.Equal(t, `<p:sld xmlns:p="`+nsP+`">`+tc.out+`</p:sld>`, string(applied(tr, tr.unanimate(map[string]bool{"5": true})...)), name)
	}
}

// An id that two shapes have keeps its animation while one of them is left.
func TestUnanimateSharedID(t *testing.T) {
	deck := with(t, deckWith(t, sp(5, "A", "", para("a"))+sp(5, "B", "", para("b"))), map[string]func(string) string{slide1: replace(t, `</p:sld>`, timingOf(stepOn("5"), "", "")+`</p:sld>`)})
	out := edit(t, deck, `{"op":"delete_shape","index":0,"shape_name":"A"}`)
	require.Contains(t, part(t, out, slide1), stepOn("5"))
	out = edit(t, out, `{"op":"delete_shape","index":0,"shape_name":"B"}`)
	require.NotContains(t, part(t, out, slide1), "timing")
}
