package xliff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop/translate/xliff"
)

// TR-10: the changes that translation tools make to a unit of 1.2.
func TestTR10OtherToolsOf12(t *testing.T) {
	for name, c := range map[string]struct {
		attr, body, source, target, problem string
		state                               xliff.State
		none                                bool
	}{
		"confirmed by the approved attribute alone": {
			attr: `approved="yes"`, body: `<source>a</source><target state="needs-review-translation">b</target>`,
			source: "a", target: "b", state: xliff.Reviewed,
		},
		"signed off": {body: `<source>a</source><target state="signed-off">b</target>`, source: "a", target: "b", state: xliff.Reviewed},
		"final":      {attr: `approved="no"`, body: `<source>a</source><target state="final">b</target>`, source: "a", target: "b", state: xliff.Final},
		"no state":   {body: `<source>a</source><target>b</target>`, source: "a", target: "b", state: xliff.Translated},
		"to be translated again": {
			body: `<source>a</source><target state="needs-adaptation">b</target>`, source: "a", target: "b", state: xliff.Initial,
		},
		"no target":    {body: `<source>a</source>`, source: "a", state: xliff.Initial, none: true},
		"empty target": {attr: `approved="yes"`, body: `<source>a</source><target state="translated"/>`, source: "a", state: xliff.Initial, none: true},
		"codes as bx and ex": {
			body:   `<source><g id="1">a</g><x id="2"/></source><target><bx id="1" rid="7"/>A<ex id="9" rid="7"/><ph id="2">br</ph></target>`,
			source: "<1>a</1><2/>", target: "<1>A</1><2/>", state: xliff.Translated,
		},
		"codes as bpt, ept and it": {
			body:   `<source><g id="1">a</g><g id="2">b</g></source><target><bpt id="1">&lt;b>text<sub>sub</sub></bpt>A<ept id="1">&lt;/b></ept><it id="2" pos="open">i</it>B<it id="2" pos="close">/i</it></target>`,
			source: "<1>a</1><2>b</2>", target: "<1>A</1><2>B</2>", state: xliff.Translated,
		},
		"a code of its own": {
			body:   `<source>a</source><target><g id="bold">a</g></target>`,
			source: "a", target: "a", problem: `the code <g> with the id "bold" is not one of the source text's tags`, state: xliff.Translated,
		},
		"segmented": {
			body:   `<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source><target state="final"><mrk mtype="seg" mid="1">Uno.</mrk> <mrk mtype="seg" mid="2">Dos.</mrk></target>`,
			source: "One. Two.", target: "Uno. Dos.", state: xliff.Final,
		},
		"segmented, a part is left": {
			body:   `<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source><target><mrk mtype="seg" mid="1">Uno.</mrk> <mrk mtype="seg" mid="2"></mrk></target>`,
			source: "One. Two.", target: "Uno. ", problem: "1 of its 2 parts has no translation", state: xliff.Translated,
		},
		"segmented, nothing is translated": {
			body:   `<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source><target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2"/></target>`,
			source: "One. Two.", state: xliff.Initial, none: true,
		},
		"segmented, translated as a whole": {
			body:   `<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk></seg-source><target>Uno y dos.</target>`,
			source: "One. Two.", target: "Uno y dos.", state: xliff.Translated,
		},
		"a character that XML has not": {
			body:   `<source>a<x id="u001B.1"/></source><target>b<x id="u001B.1" ctype="x-char"/></target>`,
			source: "a\x1b", target: "b\x1b", state: xliff.Translated,
		},
		"proposals, contexts and its own": {
			body:   `<source>a</source><target>b</target><context-group><context context-type="x-c">c</context></context-group><alt-trans><source>z</source><target state="final">no</target></alt-trans><t:x xmlns:t="urn:t"><source>no</source></t:x>`,
			source: "a", target: "b", state: xliff.Translated,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ns := range []string{` xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"`, ` xmlns="urn:oasis:names:tc:xliff:document:1.1" version="1.1"`, ` version="1.2"`} {
				d, err := xliff.Read(strings.NewReader(`<xliff` + ns + `><file original="a" source-language="en" target-language="es" datatype="plaintext"><header><skl><external-file href="x"/></skl></header><body><group><trans-unit id="u" ` + c.attr + `>` + c.body + `</trans-unit></group></body></file></xliff>`))
				require.NoError(t, err)
				require.Equal(t, xliff.File{Version: xliff.V12, Original: "a", From: "en", To: "es"}, d.File)
				require.Len(t, d.Units, 1)
				require.Equal(t, xliff.Unit{ID: "u", Source: c.source, Target: c.target, HasTarget: !c.none, State: c.state, Problem: c.problem}, d.Units[0])
			}
		})
	}
}

// Two files in one document of 1.2 have their own languages, locks and
// hashes.
func TestReaderOfTwoFilesOf12(t *testing.T) {
	const doc = `<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="a" source-language="und" target-language="es" datatype="x-md"><header><note from="atelier:sha256">AB</note><note>x</note></header><body><trans-unit id="1" translate="no"><source>x</source></trans-unit></body></file>
<file original="b" source-language="en" target-language="de" datatype="x-md"><body><group translate="no"><group translate="yes"><trans-unit id="1"><source>y</source><note from="Ann">n</note></trans-unit></group></group></body></file></xliff>`
	r, err := xliff.NewReader(strings.NewReader(doc))
	require.NoError(t, err)
	f, err := r.NextFile()
	require.NoError(t, err)
	require.Equal(t, xliff.File{Version: xliff.V12, Original: "a", Hash: "ab", To: "es"}, f)
	u, err := r.Next()
	require.NoError(t, err)
	require.True(t, u.Locked)
	f, err = r.NextFile()
	require.NoError(t, err)
	require.Equal(t, xliff.File{Version: xliff.V12, Original: "b", From: "en", To: "de"}, f)
	u, err = r.Next()
	require.NoError(t, err)
	require.False(t, u.Locked)
	require.Equal(t, []string{"n"}, u.Notes)
}
