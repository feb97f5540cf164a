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

// fieldBody is a document with what fields show: headings, a bookmark, a table,
// sequences, properties.
func fieldBody(t testing.TB) formats.Source {
	src := withBody(t, styledPara("Heading1", "First part")+wp(wr("Here: "))+wp(`<w:bookmarkStart w:id="7" w:name="mark"/>`, wr("marked text"), `<w:bookmarkEnd w:id="7"/>`, wr(" and more"))+
		wtbl(2, wtr(wtc(wp(wr("Item"))), wtc(wp(wr("Price")))), wtr(wtc(wp(wr("Tea"))), wtc(wp(wr("1,200.50 €")))), wtr(wtc(wp(wr("Milk"))), wtc(wp(wr("3")))), wtr(wtc(wp(wr("Total"))), wtc(wp())))+
		styledPara("Heading1", "Second part")+wp(wr("end ")))
	return src
}

func TestInsertField(t *testing.T) {
	src := fieldBody(t)
	for code, want := range map[string][2]string{
		`DATE \@ "d MMMM yyyy"`:        {"2 January 2026", ""},
		`DATE`:                         {"2026-01-02", "dirty"},
		`TIME \@ "HH:mm"`:              {"03:04", ""},
		`PAGE`:                         {"1", "dirty"},
		`FILENAME`:                     {"t.docx", ""},
		`STYLEREF "Heading 1"`:         {"First part", ""},
		`STYLEREF 1 \* Upper`:          {"FIRST PART", ""},
		`REF mark \h`:                  {"marked text", ""},
		`MERGEFIELD Name`:              {"«Name»", ""},
		`{ IF 10 > 9 "more" "less" }`:  {"more", ""},
		`IF "a" = "b" "same" "other"`:  {"other", ""},
		`IF Name = "b" "same" "other"`: {"other", ""},
		`=2*(3+4)^2/7`:                 {"14", ""},
		`= 1234.5 \# "#,##0.00 €"`:     {"1,234.50 €", ""},
		`=ROUND(2/3, 2)`:               {"0.67", ""},
		`= FOO(1)`:                     {"?", "dirty"},
		`SEQ Figure \* ROMAN`:          {"I", ""},
		`QUOTE "some words"`:           {"some words", ""},
		`NUMWORDS`:                     {"?", "dirty"},
	} {
		out, rep := edited(t, src, opJSON(t, map[string]any{"op": "insert_field", "at": "p1", "code": code}))
		require.Equal(t, "Here: "+want[0], strings.Split(read(t, out, ""), "\n")[1], code)
		require.Equal(t, want[1] != "", strings.Contains(mainXML(t, out), "dirty"), code)
		require.Contains(t, rep.Ops[0].Notes[0], "shows ")
		good(t, out)
		gone, _ := edited(t, out, `{"op":"change_field","at":"p1","unlink":true}`)
		require.NotContains(t, mainXML(t, gone), "fldChar", code)
		require.Equal(t, read(t, out, ""), read(t, gone, ""))
	}
	out, _ := edited(t, src, `{"op":"insert_field","at":"t0.r3.c1","code":"=SUM(ABOVE) \\# \"0.00\""}`, `{"op":"insert_field","at":"t0.r3.c0","code":"=B2+B3*2"}`)
	require.Contains(t, read(t, out, ""), "Total1206.5\t1203.50")
	out, _ = edited(t, src, `{"op":"insert_field","search":"marked","code":"AUTHOR","result":"me",`+tracked+`}`)
	require.Contains(t, read(t, out, ""), "me text and more")
	good(t, out)
	no, _ := edited(t, out, `{"op":"reject_changes"}`)
	require.Equal(t, read(t, src, ""), read(t, no, ""))
	header, _ := edited(t, src, `{"op":"set_header","text":"x "}`, `{"op":"insert_field","at":"h0.p0","code":"STYLEREF \"Heading 1\""}`, `{"op":"insert_field","at":"h0.p0","code":"PAGE"}`)
	require.Contains(t, readWith(t, header, "", formats.IncludeHeaders), "x First part1")
}

func TestFieldFaults(t *testing.T) {
	src, _ := edited(t, fieldBody(t), `{"op":"insert_field","at":"p1","code":"PAGE"}`, `{"op":"insert_field","at":"p1","code":"NUMPAGES"}`)
	checkBadEdits(t, src, []badEdit{
		{`"op":"insert_field","at":"p1"`, formats.CodeInvalid, "code is required"},
		{`"op":"insert_field","at":"p1","code":"INCLUDETEXT a.docx"`, formats.CodeUnsupported, `"INCLUDETEXT" cannot be written`},
		{`"op":"insert_field","at":"p1","code":"HYPERLINK x"`, formats.CodeInvalid, "written by add_hyperlink"},
		{`"op":"insert_field","at":"p1","code":"IF { PAGE } = 1 a b"`, formats.CodeUnsupported, "fields in fields"},
		{`"op":"insert_field","at":"p1","code":"REF nowhere"`, formats.CodeNotFound, "no bookmark"},
		{`"op":"insert_field","at":"p1","code":"STYLEREF Nope"`, formats.CodeInvalid, "no paragraph style"},
		{`"op":"insert_field","at":"p1","code":"SEQ"`, formats.CodeInvalid, "needs a name"},
		{`"op":"insert_field","at":"p1","code":"SEQ a-b"`, formats.CodeInvalid, "no name of a sequence"},
		{`"op":"change_field","at":"p0","code":"PAGE"`, formats.CodeNotFound, "has no field"},
		{`"op":"change_field","at":"p1","code":"PAGE"`, formats.CodeInvalid, "2 fields: say with number which one: PAGE; NUMPAGES"},
		{`"op":"change_field","at":"p1","number":3`, formats.CodeInvalid, "number is 3"},
		{`"op":"change_field","at":"p1","number":1,"unlink":true,"code":"PAGE"`, formats.CodeInvalid, "takes no code"},
	})
}

func TestChangeField(t *testing.T) {
	src := withBody(t, wp(wr("a "), `<w:fldSimple w:instr=" AUTHOR ">`, wrp(bold, "Ana"), `</w:fldSimple>`, wr(" b "), wfield("MERGEFIELD x", "«x»")))
	out, rep := edited(t, src, `{"op":"change_field","at":"p0","number":1,"code":"DATE \\@ \"yyyy\""}`, `{"op":"change_field","at":"p0","number":2,"result":"filled"}`)
	require.Equal(t, "a 2026 b filled", read(t, out, ""))
	require.Contains(t, mainXML(t, out), wrp(bold, "2026"), "the result keeps its formatting")
	require.Contains(t, rep.Ops[0].Notes, `was AUTHOR, which showed "Ana"`)
	require.Contains(t, strings.Join(told(diff(t, src, out)), "\n"), `field AUTHOR → field DATE \@ "yyyy"`)
	good(t, out)
}

// Captions count by themselves, also those behind a new one, and a table lists
// them.
func TestAddCaption(t *testing.T) {
	src := withBody(t, wp(wr("start"))+wtbl(1, wtr(wtc(wp(wr("cell")))))+wp(wr("middle"))+wtbl(1, wtr(wtc(wp(wr("cell")))))+wp(wr("end")))
	src, _ = edited(t, src, `{"op":"add_image","at":"p0","path":"a.png","alt":"x"}`)
	out, rep := edited(t, src, `{"op":"add_caption","at":"t1","text":"Second & last"}`, `{"op":"add_caption","at":"t0.r0.c0","text":"First"}`, `{"op":"add_caption","at":"p1","text":"A dot"}`)
	require.Equal(t, []string{"start", "", "Figure 1: A dot", "Table 1: First", "cell", "middle", "Table 2: Second & last", "cell", "end"}, strings.Split(read(t, out, ""), "\n"))
	require.Contains(t, rep.Ops[1].Notes[1], "1 other field of the sequence Table got the number that follows")
	require.Equal(t, "p2", rep.Ops[2].Made)
	x := mainXML(t, out)
	require.Equal(t, 2, strings.Count(x, `<w:pStyle w:val="Caption"/><w:keepNext/>`), "a caption above stays with its table")
	good(t, out)
	list, _ := edited(t, out, `{"op":"add_table_of_contents","at":"p0","label":"Table","text":"Tables"}`, `{"op":"update_contents","pages":false}`)
	require.Equal(t, []string{"start", "Tables", "Table 1: First\t?", "Table 2: Second & last\t?"}, strings.Split(read(t, list, ""), "\n")[:4])
	good(t, list)
	_, rep = edited(t, out, `{"op":"add_caption","at":"p0","text":"x","label":"Photo"}`)
	require.Contains(t, rep.Ops[0].Warnings[0], "has no picture, table or equation")
	trackedOut, _ := edited(t, src, `{"op":"add_caption","at":"t0","text":"First",`+tracked+`}`)
	good(t, trackedOut)
	no, _ := edited(t, trackedOut, `{"op":"reject_changes"}`)
	require.Equal(t, mainXML(t, src), mainXML(t, no))
	checkBadEdits(t, src, []badEdit{
		{`"op":"add_caption","at":"p9","text":"x"`, formats.CodeNotFound, "p9"},
		{`"op":"add_caption","at":"t0","text":"x","label":"two words"`, formats.CodeInvalid, "no name of a sequence"},
		{`"op":"add_table_of_contents","at":"p0","label":"Figure"`, formats.CodeInvalid, "no captions with the label Figure"},
		{`"op":"add_table_of_contents","at":"p0","label":"Figure","level":2`, formats.CodeInvalid, "give one of them"},
	})
}

// Over the real documents: each field becomes text; text and other parts stay, no
// schema error comes. Fields and captions come in.
func TestCorpusFields(t *testing.T) {
	done, unlinked := 0, 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, err := d.body(ctx)
		require.NoError(t, err)
		styles, _, err := d.related(ctx, "styles")
		require.NoError(t, err)
		out, _, err := applyWith(t, src, options(t), `{"op":"insert_field","at":"p0","code":"DATE"}`, `{"op":"add_caption","at":"p0","text":"A caption"}`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		done++
		formatstest.SameParts(t, b, out, d.main, styles)
		formatstest.Validate(t, formatstest.Write(t, "fields.docx", out), path)
		fields, err := fieldsOf(ctx, p.doc)
		require.NoError(t, err)
		text := readWith(t, src, "")
		for _, f := range fields[:min(len(fields), 5)] {
			for _, n := range p.nodes {
				if n.start > f.all.start || n.end < f.all.end || n.hidden || f.form || firstWord(f.instr) == "HYPERLINK" {
					continue
				}
				at := d.addressOf(ctx, place{p, n})
				out, _, err := applyWith(t, src, options(t), `{"op":"change_field","at":"`+at+`","number":1,"unlink":true}`)
				if err != nil {
					require.NotEmpty(t, formats.CodeOf(err), path)
					continue
				}
				require.Equal(t, text, readWith(t, formats.FromBytes("o.docx", out), ""), path)
				formatstest.Validate(t, formatstest.Write(t, "unlinked.docx", out), path)
				unlinked++
			}
		}
	}
	formatstest.Report(t, "docx  fields and captions in %d real documents, %d fields made text", done, unlinked)
}
