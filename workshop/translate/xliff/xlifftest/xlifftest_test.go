package xlifftest

import (
	"strings"
	"testing"

	"atelier/internal/need"

	"github.com/stretchr/testify/require"
)

const good = `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:x="urn:x" version="2.1" srcLang="en" trgLang="es">
<file id="f1" x:y="z"><x:any><x:file/></x:any><notes><note priority="2">n</note></notes>
<unit id="u1"><originalData><data id="d1">&lt;b&gt;</data></originalData>
<segment id="s1" state="translated" subState="x:y"><source>a <pc id="1" dataRefStart="d1">b</pc><ph id="2"/><mrk id="m1" translate="no">c</mrk><cp hex="0001"/></source><target order="1"><sc id="1"/>b<ec startRef="1"/><ph id="2"/></target></segment>
<ignorable><source> </source></ignorable></unit></file></xliff>`

// Every violated constraint is reported.
func TestProblemsNamesWhatIsWrong(t *testing.T) {
	require.Empty(t, Problems(strings.NewReader(good)))
	for _, c := range []struct{ old, now, want string }{
		{`version="2.1" `, ``, "<xliff> lacks version"},
		{`version="2.1"`, `version="1.2"`, "is no valid value"},
		{` trgLang="es"`, ``, "without trgLang"},
		{`srcLang="en"`, `srcLang="English language"`, "is no valid value"},
		{`<file id="f1" x:y="z">`, `<file x:y="z">`, "<file> lacks id"},
		{`<unit id="u1">`, `<unit id="u 1">`, "is no valid value"},
		{`<unit id="u1">`, `<unit id="u1" colour="red">`, "no attribute colour"},
		{`state="translated"`, `state="done"`, "is no valid value"},
		{`state="translated" `, ``, "subState without state"},
		{`subState="x:y"`, `subState="y"`, "is no valid value"},
		{`<ph id="2"/></target>`, `<ph id="3"/></target>`, "not in the source"},
		{`<ec startRef="1"/>`, `<ec startRef="9"/>`, `has no <sc>`},
		{`<ph id="2"/><mrk`, `<ph id="1"/><mrk`, "stands twice"},
		{`<cp hex="0001"/>`, `<cp hex="1"/>`, "is no valid value"},
		{`<cp hex="0001"/>`, `<b>x</b>`, "no element <b>"},
		{`<cp hex="0001"/>`, `<x:b/>`, `<source> holds`},
		{`<cp hex="0001"/>`, `<note>x</note>`, "may not stand in"},
		{`<segment id="s1"`, `<segment id="s1" x:y="z"`, "another namespace"},
		{`<ignorable><source> </source></ignorable>`, `<ignorable/>`, "<ignorable> holds"},
		{`<ignorable><source> </source></ignorable>`, `stray`, "may not hold text"},
		{`</unit>`, `</unit><unit id="u1"><segment><source/></segment></unit>`, `"u1" of a unit stands twice`},
		{`</notes>`, `</notes><notes><note/></notes>`, "<file> holds"},
		{`</xliff>`, ``, "not well-formed"},
	} {
		doc := strings.Replace(good, c.old, c.now, 1)
		require.NotEqual(t, good, doc, c.old)
		require.Contains(t, strings.Join(Problems(strings.NewReader(doc)), "\n"), c.want, "%s → %s", c.old, c.now)
	}
	require.Equal(t, []string{"there is no xliff element"}, Problems(strings.NewReader("")))
}

// If the standard's own schema is installed, it accepts the valid document.
func TestSchemaAgrees(t *testing.T) { Conforms(t, []byte(good)) }

const goodOld = `<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="a" source-language="en" target-language="es" datatype="x-docx" tool-id="t" xml:space="preserve"><header><note>n</note><tool tool-id="t" tool-name="T"/></header>
<body><group id="g"><trans-unit id="u1" approved="yes" maxwidth="3" size-unit="char"><source>a <g id="1">b</g><x id="2"/></source>
<seg-source><mrk mtype="seg" mid="s1">a <g id="1">b</g><x id="2"/></mrk></seg-source>
<target state="final"><mrk mtype="seg" mid="s1"><bpt id="1">&lt;b></bpt>b<ept id="1">&lt;/b></ept><x id="2"/></mrk></target>
<note priority="2">n</note><alt-trans><target>t</target></alt-trans></trans-unit></group></body></file></xliff>`

// The same for 1.2.
func TestProblemsNamesWhatIsWrongIn12(t *testing.T) {
	require.Empty(t, Problems(strings.NewReader(goodOld)))
	for _, c := range []struct{ old, now, want string }{
		{` version="1.2"`, ``, "<xliff> lacks version"},
		{`original="a" `, ``, "<file> lacks original"},
		{`datatype="x-docx"`, `datatype="docx"`, "is no valid value"},
		{`<target state="final">`, `<target state="reviewed">`, "is no valid value"},
		{`size-unit="char"`, `size-unit="letters"`, "is no valid value"},
		{`<trans-unit id="u1"`, `<trans-unit`, "<trans-unit> lacks id"},
		{`approved="yes"`, `approved="true"`, "is no valid value"},
		{`<x id="2"/></mrk></target>`, `<x id="3"/></mrk></target>`, "not in the source"},
		{`<x id="2"/></source>`, `<x id="1"/></source>`, "stands twice"},
		{`<x id="2"/></source>`, `<pc id="2"/></source>`, "XLIFF 1.2 has no element <pc>"},
		{`<mrk mtype="seg" mid="s1">a`, `<mrk mid="s1">a`, "<mrk> lacks mtype"},
		{`<note priority="2">n</note>`, `<note priority="2">n</note><source/>`, "<trans-unit> holds"},
		{`</trans-unit>`, `</trans-unit><trans-unit id="u1"><source/></trans-unit>`, "stands twice"},
		{`<header>`, `stray<header>`, "may not hold text"},
	} {
		doc := strings.Replace(goodOld, c.old, c.now, 1)
		require.NotEqual(t, goodOld, doc, c.old)
		require.Contains(t, strings.Join(Problems(strings.NewReader(doc)), "\n"), c.want, "%s → %s", c.old, c.now)
	}
}

func TestOldSchemaAgrees(t *testing.T) {
	if oldSchema(t) == "" {
		need.Absent(t, "the schema of XLIFF 1.2", "php-symfony-translation and libxml2-utils, or set "+OldSchema)
	}
	Conforms(t, []byte(goodOld))
}
