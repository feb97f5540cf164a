package xliff_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"atelier/workshop/translate/xliff"
)

// unit returns a document with one unit that contains body.
func unit(body string) string {
	return `<?xml version="1.0"?><xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:x="urn:some:tool" version="2.1" srcLang="en" trgLang="es">
<file id="f1"><unit id="u">` + body + `</unit></file></xliff>`
}

// TR-10: the changes that translation tools make to a unit.
func TestTR10OtherTools(t *testing.T) {
	for name, c := range map[string]struct {
		body, source, target, problem string
		state                         xliff.State
		none                          bool
	}{
		"split into sentences": {
			body: `<segment id="1" state="reviewed"><source>One <pc id="1">two</pc>.</source><target>Uno <pc id="1">dos</pc>.</target></segment>
<ignorable><source> </source></ignorable><segment id="2" state="final"><source>Three.</source><target>Tres.</target></segment>`,
			source: "One <1>two</1>. Three.", target: "Uno <1>dos</1>. Tres.", state: xliff.Reviewed,
		},
		"a code spans the split": {
			body: `<segment state="translated"><source>One <sc id="1"/>two.</source><target>Uno <sc id="1"/>dos.</target></segment><ignorable><source> </source><target>  </target></ignorable>
<segment state="translated"><source>Three<ec startRef="1"/>.</source><target>Tres<ec startRef="1"/>.</target></segment>`,
			source: "One <1>two. Three</1>.", target: "Uno <1>dos.  Tres</1>.", state: xliff.Translated,
		},
		"targets in another order": {
			body: `<segment state="final"><source>A</source><target order="3">a</target></segment><ignorable><source>, </source></ignorable>
<segment state="final"><source>B</source><target order="1">b</target></segment>`,
			source: "A, B", target: "b, a", state: xliff.Final,
		},
		"one sentence left": {
			body:   `<segment state="final"><source>A.</source><target>a.</target></segment><segment><source>B.</source></segment>`,
			source: "A.B.", target: "a.", problem: "1 of its 2 parts has no translation", state: xliff.Initial,
		},
		"no target":       {body: `<segment><source>A</source></segment>`, source: "A", state: xliff.Initial, none: true},
		"an empty target": {body: `<segment state="initial"><source>A</source><target/></segment>`, source: "A", state: xliff.Initial, none: true},
		"annotations and foreign parts": {
			body: `<x:history><x:segment><x:source>no</x:source></x:segment></x:history><notes><note x:a="b">hear, hear</note></notes>
<segment state="translated" x:lock="1"><source>A <mrk id="m1" type="term">b</mrk></source><target><sm id="m2" type="comment" value="?"/>a<em startRef="m2"/> <mrk id="m1" type="term">b</mrk></target></segment>`,
			source: "A b", target: "a b", state: xliff.Translated,
		},
		"character data and code points": {
			body:   `<segment state="translated"><source>1 <![CDATA[< 2 & 3]]></source><target>&#x31; &lt; 2 &amp; 3<cp hex="001B"/></target></segment>`,
			source: "1 &lt; 2 &amp; 3", target: "1 &lt; 2 &amp; 3\x1b", state: xliff.Translated,
		},
		"codes joined and turned": {
			body:   `<segment state="translated"><source><pc id="1"><pc id="2">x</pc></pc><ph id="3"/></source><target><ph id="3"/><pc id="2"><pc id="1">x</pc></pc></target></segment>`,
			source: "<1><2>x</2></1><3/>", target: "<3/><2><1>x</1></2>", state: xliff.Translated,
		},
		"a code of its own": {
			body:   `<segment state="translated"><source>a</source><target><pc id="bold">a</pc></target></segment>`,
			source: "a", target: "a", problem: `the code <pc> with the id "bold" is not one of the source text's tags`, state: xliff.Translated,
		},
		"an unknown state": {body: `<segment state="signed-off"><source>a</source><target>b</target></segment>`, source: "a", target: "b", state: xliff.Initial},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := xliff.Read(strings.NewReader(unit(c.body)))
			require.NoError(t, err)
			u := d.Units[0]
			require.Equal(t, c.source, u.Source)
			require.Equal(t, c.problem, u.Problem)
			require.Equal(t, c.state, u.State)
			require.Equal(t, !c.none, u.HasTarget)
			require.Equal(t, c.target, u.Target)
		})
	}
}

// Tools write UTF-8 with a byte order mark, or UTF-16.
func TestTR10Encodings(t *testing.T) {
	doc := unit(`<segment><source>é</source><target>ñ 𝄞</target></segment>`)
	for _, enc := range []struct {
		name string
		e    unicode.Endianness
		bom  unicode.BOMPolicy
	}{{"little", unicode.LittleEndian, unicode.UseBOM}, {"big", unicode.BigEndian, unicode.UseBOM}} {
		b, err := unicode.UTF16(enc.e, enc.bom).NewEncoder().String(strings.Replace(doc, `version="1.0"`, `version="1.0" encoding="UTF-16"`, 1))
		require.NoError(t, err)
		d, err := xliff.Read(strings.NewReader(b))
		require.NoError(t, err, enc.name)
		require.Equal(t, "ñ 𝄞", d.Units[0].Target)
	}
	d, err := xliff.Read(strings.NewReader("\ufeff" + doc))
	require.NoError(t, err)
	require.Equal(t, "ñ 𝄞", d.Units[0].Target)
}

// No document makes the reader panic or hang.
func FuzzRead(f *testing.F) {
	f.Add(unit(`<notes><note>n</note></notes><segment state="final"><source>A <pc id="1">b</pc><cp hex="1"/></source><target order="2"><sc id="1"/><ec startRef="1"/></target></segment>`))
	f.Add(`<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><mda:metadata xmlns:mda="urn:oasis:names:tc:xliff:metadata:2.0"><mda:metaGroup category="atelier"><mda:meta type="sha256">x</mda:meta></mda:metaGroup></mda:metadata></file></xliff>`)
	f.Add(`<xliff version="1.2"><file original="a"><header><note from="atelier:sha256">x</note></header><body><trans-unit id="u" approved="yes"><source>A <g id="1">b</g><x id="u0001.1"/></source><seg-source><mrk mtype="seg" mid="1">A</mrk></seg-source><target state="final"><bx id="1" rid="2"/><ex id="3" rid="2"/><it id="1" pos="close">x</it></target></trans-unit></body></file></xliff>`)
	f.Fuzz(func(t *testing.T, doc string) {
		d, err := xliff.Read(strings.NewReader(doc))
		if err != nil {
			return
		}
		for _, u := range d.Units {
			if u.Problem == "" && u.HasTarget {
				_ = u.Target
			}
		}
	})
}
