package docx

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// edited applies operations and reads the result with addresses.
func edited(t testing.TB, src formats.Source, ops ...string) (formats.Source, formats.Report) {
	t.Helper()
	b, rep, err := applyWith(t, src, options(t), ops...)
	require.NoError(t, err)
	return formats.FromBytes("e.docx", b), rep
}

func applyWith(t testing.TB, src formats.Source, opt formats.ApplyOptions, ops ...string) ([]byte, formats.Report, error) {
	t.Helper()
	var raw []json.RawMessage
	for _, o := range ops {
		raw = append(raw, json.RawMessage(o))
	}
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(ctx, src, &out, raw, opt)
	return out.Bytes(), rep, err
}

type closer struct{ formats.Source }

func (closer) Close() error { return nil }

// editTime is when the edits of tests are made.
var editTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// options returns those of tests: a fixed time and one picture file.
func options(t testing.TB) formats.ApplyOptions {
	var pic bytes.Buffer
	require.NoError(t, png.Encode(&pic, image.NewGray(image.Rect(0, 0, 96, 48))))
	return formats.ApplyOptions{Author: "Ana B", Now: editTime,
		Open: func(_ context.Context, path string) (formats.SourceCloser, error) {
			if path != "a.png" {
				return nil, formats.Errorf(formats.CodeNotFound, "file not found: %s", path)
			}
			return closer{formats.FromBytes(path, pic.Bytes())}, nil
		}}
}

func readWith(t testing.TB, src formats.Source, section string, include ...string) string {
	t.Helper()
	text, err := Format().Reader.Read(ctx, src, formats.Selector{Section: section, Include: include})
	require.NoError(t, err)
	return text.Text
}

func mainXML(t testing.TB, src formats.Source) string {
	t.Helper()
	b, err := formats.ReadAll(src, 1<<24)
	require.NoError(t, err)
	return string(formatstest.Parts(t, b)[blankMain])
}

// good checks that applications will open a result.
func good(t testing.TB, src formats.Source) {
	t.Helper()
	b, err := formats.ReadAll(src, 1<<24)
	require.NoError(t, err)
	path := formatstest.Write(t, "good.docx", b)
	formatstest.Validate(t, path, "")
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, path)
	}
}

func TestParagraphOperations(t *testing.T) {
	src := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"Head","style":"Heading 1"},{"runs":[{"text":"plain "},{"text":"bold","bold":true},{"text":" tail"}],"alignment":"justify","space_after":6},{"text":"last"}]}`)
	good(t, src)
	require.Equal(t, "[p0 Heading 1] Head\n[p1] plain bold tail\n[p2] last", readWith(t, src, "", "addresses"))

	out, rep := edited(t, src, `{"op":"insert_paragraph","at":"p1","text":"new"}`)
	require.Equal(t, "Head\nplain bold tail\nnew\nlast", read(t, out, ""))
	require.Equal(t, "p2", rep.Ops[0].Made)
	require.Equal(t, 2, strings.Count(mainXML(t, out), `<w:jc w:val="both"/>`), "it looks like the paragraph beside it")
	out, rep = edited(t, src, `{"op":"insert_paragraph","at":"p0","where":"before","paragraphs":[{"text":"one"},{"text":"two","style":"Quote"}]}`)
	require.Equal(t, "one\ntwo\nHead\nplain bold tail\nlast", read(t, out, ""))
	require.Equal(t, "p0-p1", rep.Ops[0].Made)
	require.Equal(t, 1, strings.Count(mainXML(t, out), `"Heading1"`), "what stands beside a heading is none")

	// Text alone changes what differs: the bold word stays bold.
	out, _ = edited(t, src, `{"op":"set_paragraph","at":"p1","text":"plain bold end"}`)
	require.Contains(t, mainXML(t, out), `<w:r><w:rPr><w:b/><w:bCs/></w:rPr><w:t>bold</w:t></w:r>`)
	require.Equal(t, "Head\nplain bold end\nlast", read(t, out, ""))
	out, _ = edited(t, src, `{"op":"set_paragraph","at":"p2","text":"","style":"Quote"}`, `{"op":"set_paragraph","at":"p2","text":"again"}`)
	require.Equal(t, "Head\nplain bold tail\nagain", read(t, out, ""))
	require.Contains(t, mainXML(t, out), `<w:pStyle w:val="Quote"/>`)
	out, _ = edited(t, src, `{"op":"set_paragraph","at":"p1","runs":[{"text":"a","italic":true},{"text":"b"}]}`)
	require.Contains(t, mainXML(t, out), `<w:r><w:rPr><w:i/><w:iCs/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>`)
	good(t, out)

	out, rep = edited(t, src, `{"op":"delete_paragraph","at":"p0","count":2}`)
	require.Equal(t, "last", read(t, out, ""))
	require.Equal(t, 2, rep.Ops[0].Hits)
	out, _ = edited(t, src, `{"op":"delete_paragraph","at":"p0","count":3}`)
	require.Equal(t, "", read(t, out, ""))
	good(t, out)

	out, rep = edited(t, src, `{"op":"format_paragraph","at":"p1","count":2,"alignment":"center","line_spacing":1.5,"indent_left":0.5,"indent_first_line":-0.25,"font_color":"#c00000","font_size":14,"font_name":"Arial","highlight_color":"Yellow","underline":true}`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	x := mainXML(t, out)
	require.Equal(t, 2, strings.Count(x, `<w:jc w:val="center"/>`))
	require.Contains(t, x, `<w:spacing w:after="120" w:line="360" w:lineRule="auto"/>`)
	require.Contains(t, x, `<w:ind w:left="720" w:hanging="360"/>`)
	require.Contains(t, x, `<w:color w:val="C00000"/><w:sz w:val="28"/><w:szCs w:val="28"/><w:highlight w:val="yellow"/><w:u w:val="single"/>`)
	good(t, out)

	out, _ = edited(t, src, `{"op":"format_text","search":"bold t","italic":true,"bold":false}`)
	require.Contains(t, mainXML(t, out), `<w:i/><w:iCs/></w:rPr><w:t xml:space="preserve"> t</w:t>`)
	require.Equal(t, "Head\nplain bold tail\nlast", read(t, out, ""))
	good(t, out)

	out, _ = edited(t, src, `{"op":"insert_page_break","at":"p1"}`, `{"op":"insert_page_break"}`)
	require.Equal(t, 2, strings.Count(mainXML(t, out), `<w:br w:type="page"/>`))
	good(t, out)
}

func TestReplaceTextForms(t *testing.T) {
	src := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"cat concat Cat 2024-05"},{"text":"cat"}]}`, `{"op":"add_table","rows":[["cat","x"]]}`, `{"op":"set_header","text":"cat header"}`)
	for _, c := range []struct {
		op   string
		hits int
		want string
	}{
		{`"search":"cat","replace":"dog"`, 6, "dog condog dog 2024-05\ndog\ndog\tx\n"},
		{`"search":"cat","replace":"dog","match_case":true`, 5, "dog condog Cat 2024-05\ndog\ndog\tx\n"},
		{`"search":"cat","replace":"dog","whole_word":true`, 5, "dog concat dog 2024-05\ndog\ndog\tx\n"},
		{`"search":"(\\d+)-(\\d+)","replace":"$2/$1","regex":true`, 1, "cat concat Cat 05/2024\ncat\ncat\tx\n"},
		{`"search":"cat","replace":"$1"`, 6, "$1 con$1 $1 2024-05\n$1\n$1\tx\n"},
		{`"search":"cat","replace":"dog","scope":["tables"]`, 1, "cat concat Cat 2024-05\ncat\ndog\tx\n"},
		{`"search":"cat","replace":"dog","scope":["headers"]`, 1, "cat concat Cat 2024-05\ncat\ncat\tx\n"},
		{`"search":"cat","replace":"dog","at":"p1"`, 1, "cat concat Cat 2024-05\ndog\ncat\tx\n"},
		{`"search":"cat","replace":"dog","at":"t0.r0.c0"`, 1, "cat concat Cat 2024-05\ncat\ndog\tx\n"},
		{`"search":"x*","replace":"","regex":true`, 1, "cat concat Cat 2024-05\ncat\ncat\t\n"},
	} {
		out, rep := edited(t, src, `{"op":"replace_text",`+c.op+`}`)
		require.Equal(t, c.hits, rep.Ops[0].Hits, c.op)
		require.Equal(t, c.want, read(t, out, ""), c.op)
	}
	out, _ := edited(t, src, `{"op":"replace_text","search":"cat","replace":"dog","scope":["headers"]}`)
	require.Equal(t, "dog header", read(t, out, "h0"))
}

func TestTableOperations(t *testing.T) {
	src := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"a"},{"text":"b"}]}`,
		`{"op":"add_table","at":"p0","rows":[["Item","Price"],["Tea","2"],["Milk"]],"header_row":true}`)
	good(t, src)
	require.Equal(t, "[p0] a\n[t0.r0] Item\tPrice\n[t0.r1] Tea\t2\n[t0.r2] Milk\t\n[p1] b", readWith(t, src, "", "addresses"))
	for _, c := range []struct{ op, want, made string }{
		{`"op":"set_table_cell","at":"t0.r1.c1","text":"3"`, "Item\tPrice\nTea\t3\nMilk\t", ""},
		{`"op":"set_table_cell","at":"t0.r1.c1","paragraphs":[{"text":"3"},{"text":"or 4"}]`, "Item\tPrice\nTea\t3 or 4\nMilk\t", ""},
		{`"op":"add_table_row","at":"t0","cells":["Rum","9"]`, "Item\tPrice\nTea\t2\nMilk\t\nRum\t9", "t0.r3"},
		{`"op":"add_table_row","at":"t0.r1","where":"before","rows":[["Rum","9"],["Gin"]]`, "Item\tPrice\nRum\t9\nGin\t\nTea\t2\nMilk\t", "t0.r1"},
		{`"op":"delete_table_row","at":"t0.r1"`, "Item\tPrice\nMilk\t", ""},
		{`"op":"delete_table_row","at":"t0.r1","count":2`, "Item\tPrice", ""},
		{`"op":"add_table_column","at":"t0.r0.c1","cells":["Qty","1","2"]`, "Item\tPrice\tQty\nTea\t2\t1\nMilk\t\t2", ""},
		{`"op":"add_table_column","at":"t0.r0.c0","where":"before","cells":["No"]`, "No\tItem\tPrice\n\tTea\t2\n\tMilk\t", ""},
		{`"op":"delete_table_column","at":"t0.r2.c0"`, "Price\n2\n", ""},
	} {
		out, rep := edited(t, src, "{"+c.op+"}")
		require.Equal(t, c.want, read(t, out, "t0"), c.op)
		require.Equal(t, c.made, rep.Ops[0].Made, c.op)
		good(t, out)
	}
	out, _ := edited(t, src, `{"op":"delete_table","at":"t0"}`)
	require.Equal(t, "a\nb", read(t, out, ""))
	good(t, out)
	out, _ = edited(t, src, `{"op":"add_table","rows":[["z"]]}`, `{"op":"add_table","at":"t0","rows":[["y"]]}`)
	require.Equal(t, "y", read(t, out, "t1"), "a gap keeps neighbours apart")
	require.Equal(t, "z", read(t, out, "t2"))
	good(t, out)
}

// Vertical merges and cells over several columns keep the grid whole.
func TestTableOperationsKeepMerges(t *testing.T) {
	p := func(s string) string { return `<w:p><w:r><w:t>` + s + `</w:t></w:r></w:p>` }
	tc := func(pr, s string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/>` + pr + `</w:tcPr>` + p(s) + `</w:tc>`
	}
	src := withBody(t, `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>`+
		`<w:tr>`+tc(`<w:vMerge w:val="restart"/>`, "tall")+tc(`<w:gridSpan w:val="2"/>`, "wide")+`</w:tr>`+
		`<w:tr>`+tc(`<w:vMerge/>`, "")+tc("", "b")+tc("", "c")+`</w:tr></w:tbl>`+p("end"))
	out, _ := edited(t, src, `{"op":"delete_table_row","at":"t0.r0"}`)
	require.Contains(t, mainXML(t, out), `<w:vMerge w:val="restart"/>`, "the merge begins in the next row")
	good(t, out)
	out, _ = edited(t, src, `{"op":"add_table_row","at":"t0.r0","cells":["","x"]}`)
	require.Equal(t, 2, strings.Count(mainXML(t, out), `<w:vMerge/>`), "a row inside a merge joins it")
	good(t, out)
	out, _ = edited(t, src, `{"op":"add_table_column","at":"t0.r1.c1","cells":["n1","n2"]}`)
	require.Contains(t, mainXML(t, out), `<w:gridSpan w:val="3"/>`, "a cell over the place of the new column grows")
	require.Equal(t, "tall\twide\n\tb\tn2\tc", read(t, out, "t0"))
	good(t, out)
	back, _ := edited(t, out, `{"op":"delete_table_column","at":"t0.r1.c2"}`)
	require.Equal(t, read(t, src, ""), read(t, back, ""))
	require.Contains(t, mainXML(t, back), `<w:gridSpan w:val="2"/>`)
	good(t, back)
}

func TestHeadersFootersPicturesLinks(t *testing.T) {
	src := made(t, sample)
	out, rep := edited(t, src, `{"op":"set_header","text":"ACME & Co"}`, `{"op":"set_footer","text":"\tpage {page} of {pages}","alignment":"center"}`, `{"op":"set_header","type":"first","text":"cover"}`, `{"op":"set_footer","type":"even","text":"even"}`)
	require.Equal(t, []string{"h0", "f0", "h1", "f1"}, []string{rep.Ops[0].Made, rep.Ops[1].Made, rep.Ops[2].Made, rep.Ops[3].Made})
	require.Equal(t, "ACME & Co", read(t, out, "h0"))
	require.Equal(t, "\tpage 1 of 1", read(t, out, "f0"))
	good(t, out)
	again, rep := edited(t, out, `{"op":"set_header","text":"New Co"}`)
	require.Equal(t, "New Co", read(t, again, "h0"))
	require.Empty(t, rep.Ops[0].Made, "the header that is there is used")
	good(t, again)

	out, rep = edited(t, src, `{"op":"add_image","path":"a.png","alt":"a \"grey\" box","at":"p2","width":2}`, `{"op":"add_image","path":"a.png"}`)
	require.Equal(t, "p3", rep.Ops[0].Made)
	good(t, out)
	m, err := Format().Mapper.Map(ctx, out, formats.MapOptions{})
	require.NoError(t, err)
	require.Equal(t, []ImageMap{{"p3", `a "grey" box`}, {"p9", ""}}, m.(*Map).Images)
	require.True(t, m.(*Map).Sections[1].HasImages)
	_, _, err = applyWith(t, src, formats.ApplyOptions{}, `{"op":"add_image","path":"a.png"}`)
	require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
	_, _, err = applyWith(t, src, options(t), `{"op":"add_image","path":"b.png"}`)
	require.ErrorContains(t, err, "file not found: b.png")

	out, _ = edited(t, src, `{"op":"add_hyperlink","search":"intro","url":"https://example.com/?a=1&b=2"}`, `{"op":"add_hyperlink","at":"p0","text":" more","url":"#top"}`)
	require.Contains(t, mainXML(t, out), `</w:rPr><w:t>intro</w:t></w:r></w:hyperlink>`)
	require.Equal(t, "before more", read(t, out, "p0"))
	good(t, out)
	_, _, err = applyWith(t, src, options(t), `{"op":"add_hyperlink","search":"intro","url":"javascript:alert(1)"}`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}

func TestComments(t *testing.T) {
	src := made(t, sample)
	out, rep := edited(t, src, `{"op":"add_comment","at":"p2","text":"why?"}`, `{"op":"add_comment","search":"& b","text":"check","author":"Bo"}`, `{"op":"add_comment","at":"p0","text":"third"}`)
	require.Equal(t, []string{"cm0", "cm1", "cm2"}, []string{rep.Ops[0].Made, rep.Ops[1].Made, rep.Ops[2].Made})
	good(t, out)
	text := readWith(t, out, "Terms", "comments")
	require.Equal(t, "Terms\na & b[cm1]\tc\n\n[cm1] comment by Bo, 2026-01-02T03:04:05Z:\ncheck", text)
	out, _ = edited(t, out, `{"op":"set_paragraph","at":"cm1.p0","text":"checked"}`, `{"op":"delete_comment","id":0}`)
	require.NotContains(t, mainXML(t, out), `w:id="0"`)
	require.Contains(t, readWith(t, out, "", "comments"), "checked")
	good(t, out)
	out, _ = edited(t, out, `{"op":"delete_comment","id":1}`, `{"op":"delete_comment","at":"cm2"}`)
	require.Equal(t, read(t, src, ""), readWith(t, out, "", "comments", "notes", "changes"))
	require.NotContains(t, mainXML(t, out), "comment")
	good(t, out)
}

// Bad addresses and values say what is wrong; nothing is written.
func TestBadOperations(t *testing.T) {
	src := made(t, sample, `{"op":"add_table","rows":[["x"]]}`)
	for op, want := range map[string]string{
		`"op":"set_paragraph","at":"p99","text":"x"`:                   "there is no p99",
		`"op":"set_paragraph","at":"t0.r0.c7","text":"x"`:              "t0.r0 has 1 cells",
		`"op":"set_paragraph","at":"zz","text":"x"`:                    "is not an address",
		`"op":"set_paragraph","text":"x"`:                              "at is required",
		`"op":"set_paragraph","at":"p1"`:                               "text is required",
		`"op":"set_paragraph","at":"#00000001","text":"x"`:             "no paragraph has the id",
		`"op":"set_paragraph","at":"fn9.p0","text":"x"`:                "there is no footnote 9",
		`"op":"set_table_cell","at":"p1","text":"x"`:                   "this operation needs a cell",
		`"op":"insert_paragraph","at":"p1"`:                            "text is required",
		`"op":"insert_paragraph","at":"p1","where":"in","text":"x"`:    "before or after",
		`"op":"insert_paragraph","at":"t0.r0","text":"x"`:              "no paragraph or table",
		`"op":"delete_paragraph","at":"p1","count":99`:                 "count is 99",
		`"op":"delete_paragraph","at":"p1","count":0`:                  "count is 0",
		`"op":"format_paragraph","at":"p1"`:                            "say how to format",
		`"op":"format_paragraph","at":"p1","alignment":"middle"`:       "left, center, right, justify",
		`"op":"format_paragraph","at":"p1","space_before":-1`:          "must not be negative",
		`"op":"format_paragraph","at":"p1","indent_left":99`:           "out of range",
		`"op":"format_text","search":"a","font_color":"red"`:           "RRGGBB",
		`"op":"format_text","search":"a","highlight_color":"pinkish"`:  "is not one of",
		`"op":"format_text","search":"a","font_size":0`:                "out of range",
		`"op":"format_text","bold":true`:                               "search or at is required",
		`"op":"replace_text","search":"(","replace":"","regex":true`:   "not a valid expression",
		`"op":"replace_text","search":"a","replace":"","scope":["no"]`: "is not one of body",
		`"op":"add_table"`: "rows is required",
		`"op":"add_table_row","at":"t0","cells":["a","b"]`:                "1 cells; 2 texts",
		`"op":"delete_table_row","at":"t0"`:                               "whole table",
		`"op":"delete_table_row","at":"t0.r0"`:                            "use delete_table",
		`"op":"delete_table_column","at":"t0.r0.c0"`:                      "no cell left",
		`"op":"add_table_row","at":"p0"`:                                  "not in a table",
		`"op":"set_header","type":"odd","text":"x"`:                       "default, first, even",
		`"op":"set_header"`:                                               "text is required",
		`"op":"set_header","at":"cm0","text":"x"`:                         "no comment 0",
		`"op":"add_image"`:                                                "path is required",
		`"op":"add_image","path":"a.png","width":-1`:                      "more than 0",
		`"op":"add_hyperlink","search":"Terms"`:                           "url is required",
		`"op":"add_hyperlink","search":"nowhere","url":"https://x.test"`:  "was not found",
		`"op":"add_comment","at":"p0"`:                                    "text is required",
		`"op":"delete_comment"`:                                           "id is required",
		`"op":"delete_comment","id":7`:                                    "there is no comment 7",
		`"op":"set_paragraph","at":"p1","text":"x","runs":[{"text":"y"}]`: "not both",
	} {
		b, _, err := applyWith(t, src, options(t), "{"+op+"}")
		require.ErrorContains(t, err, want, op)
		require.NotEmpty(t, formats.CodeOf(err), op)
		require.Empty(t, b, op)
	}
}

func TestReadSelectorsAndParts(t *testing.T) {
	src := made(t, sample, `{"op":"add_table","at":"p4","rows":[["x","y"]]}`, `{"op":"set_header","text":"top"}`)
	require.Equal(t, "Terms\na & b\tc\nx\ty\nSub", read(t, src, "p3-p5"))
	require.Equal(t, "[t0.r0] x\ty", readWith(t, src, "t0", "addresses"))
	require.Equal(t, "y", read(t, src, "t0.r0.c1"))
	require.Equal(t, "Sub", read(t, src, "p5"))
	require.Contains(t, readWith(t, src, "", "headers", "addresses"), "\n\n[h0] header 1:\n[h0.p0 Header] top")
	require.NotContains(t, read(t, src, ""), "top")
	ids := withBody(t, `<w:p xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" w14:paraId="0A1B2C3D"><w:r><w:t>named</w:t></w:r></w:p>`)
	require.Equal(t, "[p0 #0A1B2C3D] named", readWith(t, ids, "", "addresses"))
	out, _ := edited(t, ids, `{"op":"set_paragraph","at":"#0a1b2c3d","text":"renamed"}`)
	require.Equal(t, "renamed", read(t, out, "#0A1B2C3D"))
}
