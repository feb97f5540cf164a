package docx

import (
	"testing"

	"atelier/formats"
)

// madeAt is the answer of an operation that made n paragraphs at an address,
// with a note on their look.
func madeAt(n int, at string, notes ...string) formats.OpReport {
	return formats.OpReport{Hits: n, Made: at, Notes: notes}
}

const plainNote = "style Normal; no list"

// insert_paragraph and append_paragraph put paragraphs beside others, which
// keep their bytes.
func TestInsertParagraphEdits(t *testing.T) {
	lined := wppr(`<w:spacing w:after="40"/>`)
	checkEdits(t, []editCase{
		{
			name: "after",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"insert_paragraph","at":"p0","text":"new & <b>"`,
			want: wp(wr("one")) + wp(wr("new & <b>")) + wp(wr("two")),
			rep:  madeAt(1, "p1", plainNote),
		},
		{
			name: "before",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"insert_paragraph","at":"p0","where":"Before","text":"new"`,
			want: wp(wr("new")) + wp(wr("one")) + wp(wr("two")),
			rep:  madeAt(1, "p0", plainNote),
		},
		{
			name: "with tabs and line breaks",
			body: wp(wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","text":"a\tb\nc "`,
			want: wp(wr("one")) + wp(wrx("", `<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t xml:space="preserve">c </w:t>`)),
			rep:  madeAt(1, "p1", plainNote),
		},
		{
			name: "without text",
			body: wp(wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","text":""`,
			want: wp(wr("one")) + "<w:p></w:p>",
			rep:  madeAt(1, "p1", plainNote),
		},
		{
			name: "beside plain text with a layout of its own",
			body: wp(lined, wr("one")) + wp(wr("two")),
			op:   `"op":"insert_paragraph","at":"p0","text":"new"`,
			want: wp(lined, wr("one")) + wp(lined, wr("new")) + wp(wr("two")),
			rep:  madeAt(1, "p1", "style Normal and layout of p0; no list"),
		},
		{
			name: "the layout beside, changed",
			body: wp(lined, wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","text":"new","space_after":3,"alignment":"center"`,
			want: wp(lined, wr("one")) + wp(wppr(`<w:spacing w:after="60"/><w:jc w:val="center"/>`), wr("new")),
			rep:  madeAt(1, "p1", "style Normal and layout of p0; no list"),
		},
		{
			name: "not the section, the frame or the change of the paragraph beside",
			body: wp(wppr(`<w:pageBreakBefore/><w:jc w:val="right"/><w:sectPr/><w:pPrChange w:id="1" w:author="A"><w:pPr/></w:pPrChange>`), wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","text":"new"`,
			want: wp(wppr(`<w:pageBreakBefore/><w:jc w:val="right"/><w:sectPr/><w:pPrChange w:id="1" w:author="A"><w:pPr/></w:pPrChange>`), wr("one")) + wp(wppr(`<w:jc w:val="right"/>`), wr("new")),
			rep:  madeAt(1, "p1", "style Normal and layout of p0; no list"),
		},
		{
			name: "beside a heading",
			body: styledPara("Heading1", "Head"),
			op:   `"op":"insert_paragraph","at":"p0","text":"new"`,
			want: styledPara("Heading1", "Head") + wp(wr("new")),
			rep:  madeAt(1, "p1", `style Normal; no list (not as p0 beside it, which is [Heading 1]: like: "p0" takes that)`),
		},
		{
			name: "like another",
			body: wp(wppr(`<w:pStyle w:val="Quote"/><w:keepNext/>`), wrp(bold, "one")) + wp(wr("two")),
			op:   `"op":"insert_paragraph","at":"p1","text":"new","like":"p0"`,
			want: wp(wppr(`<w:pStyle w:val="Quote"/><w:keepNext/>`), wrp(bold, "one")) + wp(wr("two")) + wp(wppr(`<w:pStyle w:val="Quote"/><w:keepNext/>`), wrp(bold, "new")),
			rep:  madeAt(1, "p2", "style Quote; no list; formatting of p0"),
		},
		{
			name: "in a style, with runs",
			body: wp(wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","style":"heading 2","runs":[{"text":"a "},{"text":"b","italic":true}]`,
			want: wp(wr("one")) + wp(wppr(`<w:pStyle w:val="Heading2"/>`), wr("a "), wrp(`<w:i/><w:iCs/>`, "b")),
			rep:  madeAt(1, "p1", "style Heading 2; no list"),
		},
		{
			name: "several, each with its own",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"insert_paragraph","at":"p1","where":"before","bold":true,"paragraphs":[{"text":"a"},{"text":"b","bold":false}]`,
			want: wp(wr("one")) + wp(wrp(`<w:b/><w:bCs/>`, "a")) + wp(wrp(`<w:b w:val="0"/><w:bCs w:val="0"/>`, "b")) + wp(wr("two")),
			rep:  madeAt(2, "p1-p2", plainNote),
		},
		{
			name: "in a cell",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"insert_paragraph","at":"t0.r0.c0.p0","text":"new"`,
			want: wtbl(1, wtr(wtc(wp(wr("one")), wp(wr("new"))))) + wp(),
			rep:  madeAt(1, "t0.r0.c0.p1", plainNote),
		},
		{
			name: "before a table",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"insert_paragraph","at":"t0","where":"before","text":"new"`,
			want: wp(wr("new")) + wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			rep:  madeAt(1, "p0", plainNote),
		},
		{
			name: "tracked, with its mark",
			body: wp(wr("one")),
			op:   `"op":"insert_paragraph","at":"p0","text":"new",` + tracked,
			want: wp(wr("one")) + wp(wppr(`<w:rPr><w:ins`+by(1)+`/></w:rPr>`), wins(2, wr("new"))),
			rep:  madeAt(1, "p1", plainNote),
		},
		{
			name: "at the end of the body",
			body: wp(wr("one")) + wtbl(1, wtr(wtc(wp(wr("cell"))))) + wp(),
			op:   `"op":"append_paragraph","text":"new"`,
			want: wp(wr("one")) + wtbl(1, wtr(wtc(wp(wr("cell"))))) + wp() + wp(wr("new")),
			rep:  madeAt(1, "p2", plainNote),
		},
		{
			name: "at the end of an empty body",
			body: "",
			op:   `"op":"append_paragraph","paragraphs":[{"text":"a","style":"Title"},{"text":"b"}]`,
			want: wp(wppr(`<w:pStyle w:val="Title"/>`), wr("a")) + wp(wr("b")),
			rep:  madeAt(2, "p0-p1", "p0: style Title; no list", "p1: style Normal; no list"),
		},
		{
			name: "a style that is not there",
			body: wp(wr("one")),
			op:   `"op":"append_paragraph","text":"new","style":"Fancy"`,
			want: wp(wr("one")) + wp(wr("new")),
			rep:  formats.OpReport{Hits: 1, Made: "p1", Notes: []string{plainNote}, Warnings: []string{`the document has no paragraph style "Fancy"; the paragraph has none`}},
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")))))+wp()), []badEdit{
		{`"op":"insert_paragraph","at":"p0"`, formats.CodeInvalid, "text is required (or runs, or paragraphs)"},
		{`"op":"insert_paragraph","text":"x"`, formats.CodeInvalid, "at is required"},
		{`"op":"insert_paragraph","at":"p0","text":"x","paragraphs":[{"text":"y"}]`, formats.CodeInvalid, "give text or paragraphs, not both"},
		{`"op":"insert_paragraph","at":"p0","text":"x","runs":[{"text":"y"}]`, formats.CodeInvalid, "give text or runs, not both"},
		{`"op":"insert_paragraph","at":"p0","where":"beside","text":"x"`, formats.CodeInvalid, `where is "beside"; it is before or after`},
		{`"op":"insert_paragraph","at":"t0.r0.c0","text":"x"`, formats.CodeInvalid, "use t0.r0.c0.p0"},
		{`"op":"insert_paragraph","at":"p9","text":"x"`, formats.CodeNotFound, "there is no p9"},
		{`"op":"insert_paragraph","at":"p0","text":"x","list":"begin"`, formats.CodeInvalid, `list is "begin"; it is continue or none`},
		{`"op":"insert_paragraph","at":"p0","text":"x","list":"continue"`, formats.CodeInvalid, "no list stands beside it to continue"},
		{`"op":"insert_paragraph","at":"p0","text":"x","like":"p0","style":"Quote"`, formats.CodeInvalid, "give like or style, not both"},
		{`"op":"insert_paragraph","at":"p0","text":"x","like":"p0","list":"continue"`, formats.CodeInvalid, `give like or list "continue", not both`},
		{`"op":"insert_paragraph","at":"p0","text":"x","like":"t0"`, formats.CodeInvalid, "t0 is a table; this operation needs a paragraph"},
		{`"op":"append_paragraph"`, formats.CodeInvalid, "text is required"},
		{`"op":"append_paragraph","text":"x","line_spacing":-1`, formats.CodeInvalid, "line_spacing must not be negative"},
		{`"op":"append_paragraph","paragraphs":[{"text":"x"},{"text":"y","font_size":0}]`, formats.CodeInvalid, "font_size 0 is out of range"},
	})
}

// delete_paragraph removes paragraphs; what must stay for others stays.
func TestDeleteParagraphEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "one",
			body: wp(wr("one")) + wp(wr("two")) + wp(wr("three")),
			op:   `"op":"delete_paragraph","at":"p1"`,
			want: wp(wr("one")) + wp(wr("three")),
			rep:  hits(1),
		},
		{
			name: "several; a table between them stays",
			body: wp(wr("one")) + wp(wr("two")) + wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(wr("three")) + wp(wr("four")),
			op:   `"op":"delete_paragraph","at":"p1","count":2`,
			want: wp(wr("one")) + wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(wr("four")),
			rep:  hits(2),
		},
		{
			name: "the only one stays without text",
			body: wp(wppr(`<w:jc w:val="right"/><w:pPrChange w:id="1" w:author="A"><w:pPr/></w:pPrChange>`), wr("one")),
			op:   `"op":"delete_paragraph","at":"p0"`,
			want: wp(wppr(`<w:jc w:val="right"/>`)),
			rep:  warned(1, "what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays"),
		},
		{
			name: "the last of a cell behind a table in it stays without text",
			body: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("in"))))), wp(wr("out"))))) + wp(),
			op:   `"op":"delete_paragraph","at":"t0.r0.c0.p0"`,
			want: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("in"))))), "<w:p></w:p>"))) + wp(),
			rep:  warned(1, "what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays"),
		},
		{
			name: "the last behind a table stays, though others go with it",
			body: wtbl(1, wtr(wtc(wp(wr("one")), wtbl(1, wtr(wtc(wp(wr("in"))))), wp(wr("two"))))) + wp(),
			op:   `"op":"delete_paragraph","at":"t0.r0.c0.p0","count":2`,
			want: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("in"))))), "<w:p></w:p>"))) + wp(),
			rep:  warned(2, "what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays"),
		},
		{
			name: "the last of the body behind a table stays",
			body: wtbl(1, wtr(wtc(wp(wr("in"))))) + wp(wr("two")),
			op:   `"op":"delete_paragraph","at":"p0"`,
			want: wtbl(1, wtr(wtc(wp(wr("in"))))) + "<w:p></w:p>",
			rep:  warned(1, "what holds that paragraph needs one at its end: its text is gone, an empty paragraph stays"),
		},
		{
			name: "the end of a section stays without text",
			body: wp(wppr(`<w:sectPr><w:cols w:num="2"/></w:sectPr>`), wr("one")) + wp(wr("two")),
			op:   `"op":"delete_paragraph","at":"p0"`,
			want: wp(wppr(`<w:sectPr><w:cols w:num="2"/></w:sectPr>`)) + wp(wr("two")),
			rep:  warned(1, "a section ends at that paragraph: its text is gone, the section break stays"),
		},
		{
			name: "the other ends of ranges stay",
			body: wp(`<w:bookmarkStart w:id="1" w:name="x"/>`, wr("one"), `<w:bookmarkStart w:id="2" w:name="y"/><w:bookmarkEnd w:id="2"/>`) + wp(wr("two"), `<w:bookmarkEnd w:id="1"/>`),
			op:   `"op":"delete_paragraph","at":"p0"`,
			want: `<w:bookmarkStart w:id="1" w:name="x"/>` + wp(wr("two"), `<w:bookmarkEnd w:id="1"/>`),
			rep:  hits(1),
		},
		{
			name: "what went with it is told",
			body: wp(wrx("", `<w:drawing/>`), wr("one"), wrx("", `<w:footnoteReference w:id="2"/>`), wrx("", `<w:endnoteReference w:id="2"/>`), wrx("", `<w:commentReference w:id="0"/>`)) + wp(),
			op:   `"op":"delete_paragraph","at":"p0"`,
			want: wp(),
			rep:  warned(1, "with it went 1 pictures or drawings, 2 references to notes, 1 comments"),
		},
		{
			name: "tracked",
			body: wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "one"), `<w:hyperlink w:anchor="x">`, wr("two"), `</w:hyperlink>`) + wp(wr("three")),
			op:   `"op":"delete_paragraph","at":"p0",` + tracked,
			want: wp(wppr(`<w:jc w:val="right"/><w:rPr><w:del`+by(1)+`/></w:rPr>`), wdel(2, bold, "one"), `<w:hyperlink w:anchor="x">`, wdel(3, "", "two"), `</w:hyperlink>`) + wp(wr("three")),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")))))+wp()), []badEdit{
		{`"op":"delete_paragraph"`, formats.CodeInvalid, "at is required"},
		{`"op":"delete_paragraph","at":"p0","count":0`, formats.CodeInvalid, "count is 0; it must be 1 or more"},
		{`"op":"delete_paragraph","at":"p0","count":-2`, formats.CodeInvalid, "count is -2"},
		{`"op":"delete_paragraph","at":"p1","count":2`, formats.CodeInvalid, "there are only 1 paragraphs from p1 on; count is 2"},
		{`"op":"delete_paragraph","at":"t0"`, formats.CodeInvalid, "t0 is a table"},
		{`"op":"delete_paragraph","at":"p2"`, formats.CodeNotFound, "there is no p2"},
		{`"op":"delete_paragraph","at":"p0","count":"many"`, formats.CodeInvalid, "count"},
	})
}

// set_paragraphs replaces the content of the body, but not its last section.
func TestSetParagraphsEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "all of it",
			body: wp(wr("one")) + wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(wppr(`<w:sectPr/>`), wrx("", "<w:drawing/>")),
			op:   `"op":"set_paragraphs","paragraphs":[{"text":"new"},{"text":"head","style":"Heading 1"}]`,
			want: wp(wr("new")) + wp(wppr(`<w:pStyle w:val="Heading1"/>`), wr("head")),
			rep:  warned(2, "the replaced content also had 1 tables, 1 pictures or drawings, 1 section breaks, which are gone; headers, footers and page layout of the last section stay"),
		},
		{
			name: "nothing",
			body: wp(wr("one")),
			op:   `"op":"set_paragraphs","paragraphs":[]`,
			want: wp(),
			rep:  formats.OpReport{},
		},
		{
			name: "tracked: the old content is deleted, the new inserted behind it",
			body: wp(wr("one")),
			op:   `"op":"set_paragraphs","paragraphs":[{"text":"new"}],` + tracked,
			want: wp(wppr(`<w:rPr><w:del`+by(3)+`/></w:rPr>`), wdel(4, "", "one")) + wp(wppr(`<w:rPr><w:ins`+by(1)+`/></w:rPr>`), wins(2, wr("new"))),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))), []badEdit{
		{`"op":"set_paragraphs"`, formats.CodeInvalid, "paragraphs is required"},
		{`"op":"set_paragraphs","paragraphs":"x"`, formats.CodeInvalid, "paragraphs: expected an array, got string"},
		{`"op":"set_paragraphs","paragraphs":[{"text":"a","list":"continue"}]`, formats.CodeInvalid, "no list stands beside it"},
		{`"op":"set_paragraphs","paragraphs":[{"text":"a","like":"p4"}]`, formats.CodeNotFound, "there is no p4"},
		{`"op":"set_paragraphs","paragraphs":[{"text":"a","alignment":"up"}]`, formats.CodeInvalid, `alignment "up"`},
	})
}

// format_paragraph changes properties in their order, and keeps the text.
func TestFormatParagraphEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "two of three",
			body: wp(wr("one")) + wp(wr("two")) + wp(wr("three")),
			op:   `"op":"format_paragraph","at":"p1","count":2,"alignment":"End"`,
			want: wp(wr("one")) + wp(wppr(`<w:jc w:val="right"/>`), wr("two")) + wp(wppr(`<w:jc w:val="right"/>`), wr("three")),
			rep:  hits(2),
		},
		{
			name: "an empty element",
			body: wp() + wp(wr("two")),
			op:   `"op":"format_paragraph","at":"p0","keep_with_next":true`,
			want: wp(wppr(`<w:keepNext/>`)) + wp(wr("two")),
			rep:  hits(1),
		},
		{
			name: "attributes beside those that change",
			body: wp(wppr(`<w:spacing w:before="100" w:beforeAutospacing="1" w:after="200" w:line="300" w:lineRule="exact"/><w:ind w:left="100" w:firstLine="50"/>`), wr("one")),
			op:   `"op":"format_paragraph","at":"p0","space_before":0,"line_spacing":2,"indent_first_line":-0.5`,
			want: wp(wppr(`<w:spacing w:before="0" w:after="200" w:line="480" w:lineRule="auto"/><w:ind w:left="100" w:hanging="720"/>`), wr("one")),
			rep:  hits(1),
		},
		{
			name: "an indent of the first line in place of a hanging one",
			body: wp(wppr(`<w:ind w:left="720" w:hanging="720"/>`), wr("one")),
			op:   `"op":"format_paragraph","at":"p0","indent_first_line":0.5,"indent_left":0`,
			want: wp(wppr(`<w:ind w:left="0" w:firstLine="720"/>`), wr("one")),
			rep:  hits(1),
		},
		{
			name: "the text's font",
			body: wp(wr("one "), `<w:hyperlink w:anchor="x">`, wrp(bold, "two"), `</w:hyperlink>`),
			op:   `"op":"format_paragraph","at":"p0","italic":true`,
			want: wp(wrp(`<w:i/><w:iCs/>`, "one "), `<w:hyperlink w:anchor="x">`, wrp(`<w:b/><w:i/><w:iCs/>`, "two"), `</w:hyperlink>`),
			rep:  hits(1),
		},
		{
			name: "what it is already",
			body: wp(wppr(`<w:jc w:val="center"/>`), wr("one")),
			op:   `"op":"format_paragraph","at":"p0","alignment":"centre"`,
			want: wp(wppr(`<w:jc w:val="center"/>`), wr("one")),
			rep:  formats.OpReport{Hits: 1, Unchanged: true},
		},
		{
			name: "another style, and the one that is not there",
			body: styledPara("Quote", "one"),
			op:   `"op":"format_paragraph","at":"p0","style":"Fancy","keep_with_next":true`,
			want: wp(wppr(`<w:pStyle w:val="Quote"/><w:keepNext/>`), wr("one")),
			rep:  warned(1, `the document has no paragraph style "Fancy"; the paragraph keeps Quote`),
		},
		{
			name: "out of the list that a style brings",
			body: styledPara("ListBullet", "one"),
			op:   `"op":"format_paragraph","at":"p0","list":"none"`,
			want: wp(wppr(`<w:pStyle w:val="ListBullet"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>`), wr("one")),
			rep:  formats.OpReport{Hits: 1, Notes: []string{"no list"}},
		},
		{
			name: "tracked",
			body: wp(wppr(`<w:keepNext/><w:rPr>`+bold+`</w:rPr>`), wr("one")),
			op:   `"op":"format_paragraph","at":"p0","alignment":"right",` + tracked,
			want: wp(wppr(`<w:keepNext/><w:jc w:val="right"/><w:rPr>`+bold+`</w:rPr><w:pPrChange`+by(1)+`>`+wppr(`<w:keepNext/>`)+`</w:pPrChange>`), wr("one")),
			rep:  hits(1),
		},
		{
			name: "tracked, without properties before",
			body: wp(wr("one")),
			op:   `"op":"format_paragraph","at":"p0","alignment":"right",` + tracked,
			want: wp(wppr(`<w:jc w:val="right"/><w:pPrChange`+by(1)+`><w:pPr/></w:pPrChange>`), wr("one")),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))), []badEdit{
		{`"op":"format_paragraph","at":"p0"`, formats.CodeInvalid, "say how to format the paragraph"},
		{`"op":"format_paragraph","alignment":"left"`, formats.CodeInvalid, "at is required"},
		{`"op":"format_paragraph","at":"p0","count":2,"alignment":"left"`, formats.CodeInvalid, "there are only 1 paragraphs"},
		{`"op":"format_paragraph","at":"p0","list":"continue"`, formats.CodeInvalid, "no list stands beside p0 to continue"},
		{`"op":"format_paragraph","at":"p0","list":"begin"`, formats.CodeInvalid, `list is "begin"`},
		{`"op":"format_paragraph","at":"p0","indent_first_line":-30`, formats.CodeInvalid, "indent_first_line -30 is out of range"},
		{`"op":"format_paragraph","at":"p0","space_before":"x"`, formats.CodeInvalid, "space_before"},
	})
}

// A page break is the only content of its paragraph.
func TestPageBreakEdits(t *testing.T) {
	brk := wp(wrx("", `<w:br w:type="page"/>`))
	checkEdits(t, []editCase{
		{
			name: "after a paragraph",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"insert_page_break","at":"p0"`,
			want: wp(wr("one")) + brk + wp(wr("two")),
			rep:  hits(1),
		},
		{
			name: "before a table",
			body: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(),
			op:   `"op":"insert_page_break","at":"t0","where":"before"`,
			want: brk + wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(),
			rep:  hits(1),
		},
		{
			name: "at the end",
			body: wp(wr("one")),
			op:   `"op":"insert_page_break"`,
			want: wp(wr("one")) + brk,
			rep:  hits(1),
		},
		{
			name: "tracked",
			body: wp(wr("one")),
			op:   `"op":"insert_page_break",` + tracked,
			want: wp(wr("one")) + wp(wppr(`<w:rPr><w:ins`+by(1)+`/></w:rPr>`), wins(2, wrx("", `<w:br w:type="page"/>`))),
			rep:  hits(1),
		},
	})
	src, _ := edited(t, withBody(t, wp(wr("one"))), `{"op":"set_header","text":"top"}`)
	checkBadEdits(t, src, []badEdit{
		{`"op":"insert_page_break","at":"h0.p0"`, formats.CodeInvalid, "a page break can stand in the body only; h0.p0 is in header 1"},
		{`"op":"insert_page_break","at":"p0","where":"in"`, formats.CodeInvalid, `where is "in"`},
		{`"op":"insert_page_break","at":"p7"`, formats.CodeNotFound, "there is no p7"},
	})
}
