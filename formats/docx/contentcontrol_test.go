package docx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func TestAddContentControl(t *testing.T) {
	src := withBody(t, wp(wr("Name: "))+wp(wr("Due on 5 May, paid in "), wrp(bold, "EUR"), wr("."))+wp(wr("Clause"))+wtbl(1, wtr(wtc(wp(wr("cell"))))))
	out, rep := edited(t, src,
		`{"op":"add_content_control","at":"p0","type":"text","name":"client","title":"Client's name"}`,
		`{"op":"add_content_control","search":"5 May","type":"date","name":"due","format":"d MMMM yyyy","value":"2026-06-07"}`,
		`{"op":"add_content_control","search":"EUR","type":"dropdown","name":"currency","choices":["EUR","USD"]}`,
		`{"op":"add_content_control","at":"p0","type":"checkbox","name":"vip","value":"true"}`,
		`{"op":"add_content_control","at":"p2","type":"rich_text","name":"clause","locked":true}`,
		`{"op":"add_content_control","at":"t0","type":"rich_text","name":"prices"}`)
	require.Equal(t, "Name: Enter text.☒\nDue on 7 June 2026, paid in EUR.\nClause\ncell", read(t, out, ""))
	require.Equal(t, map[string]string{"client": "text (empty)", "vip": "checkbox true", "due": "date 7 June 2026", "currency": "dropdown EUR", "clause": "text Clause", "prices": "text cell"}, formValues(t, out))
	require.Equal(t, "p1", rep.Ops[1].Made)
	require.Contains(t, mainXML(t, out), wrp(bold, "EUR"), "the text keeps its formatting")
	good(t, out)
	filled, _ := edited(t, out, `{"op":"fill_form_field","name":"client","value":"Ana"}`, `{"op":"fill_form_field","name":"currency","value":"USD"}`, `{"op":"fill_form_field","name":"vip","value":"false"}`)
	require.Equal(t, "Name: Ana☐\nDue on 7 June 2026, paid in USD.\nClause\ncell", read(t, filled, ""))
	require.Contains(t, strings.Join(told(diff(t, src, out)), "\n"), "control added | p2:  → content control: ")

	// Taking them away leaves the text.
	back, _ := edited(t, filled, `{"op":"change_content_control","name":"client","unlink":true}`, `{"op":"change_content_control","name":"clause","unlink":true}`, `{"op":"change_content_control","name":"prices","unlink":true}`, `{"op":"change_content_control","name":"currency","unlink":true}`, `{"op":"change_content_control","name":"due","unlink":true}`, `{"op":"change_content_control","name":"vip","unlink":true}`)
	require.Equal(t, read(t, filled, ""), read(t, back, ""))
	require.NotContains(t, mainXML(t, back), "sdt")
	good(t, back)
}

func TestChangeContentControl(t *testing.T) {
	src := form(t)
	out, rep := edited(t, src, `{"op":"change_content_control","name":"colour","choices":["Red","Green"],"title":"Which colour","locked":true,"new_name":"tint"}`, `{"op":"change_content_control","name":"day","format":"dd.MM.yyyy"}`, `{"op":"fill_form_field","name":"day","value":"2026-03-04"}`)
	require.Contains(t, rep.Ops[0].Notes, `"colour" still shows "Blue", which is none of the choices`)
	require.Equal(t, "dropdown Blue", formValues(t, out)["tint"])
	require.Equal(t, "date 04.03.2026", formValues(t, out)["day"])
	good(t, out)
	lines := strings.Join(told(diff(t, src, out)), "\n")
	require.Contains(t, lines, "lock sdt locked")
	require.Contains(t, lines, "date format dd.MM.yyyy 2026-03-04")
	require.Contains(t, lines, "“Red”, “Green”")
	checkBadEdits(t, src, []badEdit{
		{`"op":"change_content_control","name":"colour"`, formats.CodeInvalid, "say what to change"},
		{`"op":"change_content_control","name":"nope","title":"x"`, formats.CodeNotFound, "there is no form field"},
		{`"op":"change_content_control","name":"day","choices":["a"]`, formats.CodeInvalid, "is no dropdown"},
		{`"op":"change_content_control","name":"colour","format":"d"`, formats.CodeInvalid, "is no date"},
		{`"op":"change_content_control","name":"colour","choices":["a","a"]`, formats.CodeInvalid, "there twice"},
		{`"op":"add_content_control","at":"p0","type":"x","name":"a"`, formats.CodeInvalid, "is not one of text"},
		{`"op":"add_content_control","at":"p0","type":"text"`, formats.CodeInvalid, "name is required"},
		{`"op":"add_content_control","at":"p0","type":"dropdown","name":"a"`, formats.CodeInvalid, "choices are required"},
		{`"op":"add_content_control","at":"p0","type":"text","name":"a","format":"d"`, formats.CodeInvalid, "that of a date"},
		{`"op":"add_content_control","at":"p0","type":"rich_text","name":"a","value":"x"`, formats.CodeInvalid, "takes no value"},
	})
}

// repeated is a document with a repeating section of two items.
func repeated(t testing.TB) formats.Source {
	item := func(id, who string) string {
		return sdt(`<w:id w:val="`+id+`"/><w15:repeatingSectionItem/>`, wp(wr("Person: "), sdt(`<w:tag w:val="who"/><w:id w:val="9`+id+`"/><w:text/>`, wr(who)), `<w:bookmarkStart w:id="3" w:name="b`+id+`"/><w:bookmarkEnd w:id="3"/>`))
	}
	return changedParts(t, withBody(t, sdt(`<w:tag w:val="people"/><w:id w:val="5"/><w15:repeatingSection/>`, item("1", "Ana")+item("2", "Ben"))+wp(wr("end"))),
		swap(t, blankMain, ` xmlns:mc="`, ` xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" mc:Ignorable="w15" xmlns:mc="`))
}

func TestChangeRepeatingSection(t *testing.T) {
	src := repeated(t)
	out, rep := edited(t, src, `{"op":"change_repeating_section","name":"people","values":{"who":"Cleo"}}`, `{"op":"change_repeating_section","name":"people","number":1}`, `{"op":"change_repeating_section","name":"people","number":3,"delete":true}`)
	require.Equal(t, "Person: Ana\nPerson: Ana\nPerson: Cleo\nend", read(t, out, ""))
	require.Contains(t, rep.Ops[0].Notes, `"people" has 3 items now; the new one is number 3`)
	require.Contains(t, rep.Ops[1].Notes, "copied with their values: who")
	x := mainXML(t, out)
	for _, id := range []string{"417000001", "417000002"} {
		require.Equal(t, 1, strings.Count(x, `w:id w:val="`+id+`"`), "ids are unique")
	}
	require.Equal(t, 1, strings.Count(x, "bookmarkStart"), "bookmarks are not copied")
	good(t, out)
	checkBadEdits(t, src, []badEdit{
		{`"op":"change_repeating_section","name":"nobody"`, formats.CodeNotFound, "there is no form field"},
		{`"op":"change_repeating_section","name":"people","number":3`, formats.CodeInvalid, "has 2 items"},
		{`"op":"change_repeating_section","name":"people","values":{"x":"y"}`, formats.CodeNotFound, `no control "x"`},
	})
}

// Over the real documents: a control goes around the first paragraph and away again;
// text and other parts stay, no schema error comes.
func TestCorpusContentControls(t *testing.T) {
	done := 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		out, _, err := applyWith(t, src, options(t), `{"op":"add_content_control","at":"p0","type":"rich_text","name":"ours"}`, `{"op":"add_content_control","at":"p0","type":"checkbox","name":"tick"}`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		formatstest.SameParts(t, b, out, d.main)
		formatstest.Validate(t, formatstest.Write(t, "controls.docx", out), path)
		back, _, err := applyWith(t, formats.FromBytes("c.docx", out), options(t), `{"op":"change_content_control","name":"ours","unlink":true}`)
		require.NoError(t, err, path)
		require.Equal(t, strings.Replace(readWith(t, formats.FromBytes("o.docx", out), ""), "☐", "", 1), readWith(t, src, ""), path)
		formatstest.Validate(t, formatstest.Write(t, "back.docx", back), path)
		done++
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  content controls in %d real documents", done)
}
