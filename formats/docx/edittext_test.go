package docx

import (
	"testing"

	"atelier/formats"
)

// replace_text changes the text elements that hold what was found, and nothing
// else.
func TestReplaceTextEdits(t *testing.T) {
	box := func(text string) string {
		return wrx("", `<mc:AlternateContent><mc:Choice><w:txbxContent>`+wp(wr(text))+`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>`+wp(wr(text))+`</w:txbxContent></mc:Fallback></mc:AlternateContent>`)
	}
	checkEdits(t, []editCase{
		{
			name: "in one run",
			body: wp(wrp(bold, "one two"), wr(" three")),
			op:   `"op":"replace_text","search":"two","replace":"2 & <3>"`,
			want: wp(wrp(bold, "one 2 & <3>"), wr(" three")),
			rep:  hits(1),
		},
		{
			name: "over runs, with the formatting of the first",
			body: wp(wrp(bold, "one tw"), wr("o three"), wrp(italic, " four")),
			op:   `"op":"replace_text","search":"two","replace":"2"`,
			want: wp(wrp(bold, "one 2"), wr(" three"), wrp(italic, " four")),
			rep:  hits(1),
		},
		{
			name: "over three runs, the middle one as a whole",
			body: wp(wr("a b"), wrp(bold, "c"), wrp(italic, "d e")),
			op:   `"op":"replace_text","search":"bcd","replace":"X"`,
			want: wp(wr("a X"), wrx(bold, ""), wrp(italic, " e")),
			rep:  hits(1),
		},
		{
			name: "several in a run",
			body: wp(wr("cat cat, cat")),
			op:   `"op":"replace_text","search":"cat","replace":"a cat"`,
			want: wp(wr("a cat a cat, a cat")),
			rep:  hits(3),
		},
		{
			name: "nothing takes its place",
			body: wp(wr("one two three")),
			op:   `"op":"replace_text","search":" two","replace":""`,
			want: wp(wr("one three")),
			rep:  hits(1),
		},
		{
			name: "tabs and line breaks become elements",
			body: wp(wrp(bold, "one")),
			op:   `"op":"replace_text","search":"one","replace":"a\tb\nc"`,
			want: wp(wrx(bold, "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t>")),
			rep:  hits(1),
		},
		{
			name: "over a tab",
			body: wp(wrx("", "<w:t>a</w:t><w:tab/><w:t>b</w:t>")),
			op:   `"op":"replace_text","search":"a\tb","replace":"c"`,
			want: wp(wrx("", "<w:t>c</w:t>")),
			rep:  hits(1),
		},
		{
			name: "a hyphen that does not break is a character",
			body: wp(wrx("", "<w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t>")),
			op:   `"op":"replace_text","search":"co‑op","replace":"shop‑floor"`,
			want: wp(wrx("", "<w:t>shop</w:t><w:noBreakHyphen/><w:t>floor</w:t>")),
			rep:  hits(1),
		},
		{
			name: "a picture within stays",
			body: wp(wrx("", `<w:t>a</w:t><w:drawing/><w:t>b</w:t>`)),
			op:   `"op":"replace_text","search":"ab","replace":"c"`,
			want: wp(wrx("", `<w:t>c</w:t><w:drawing/>`)),
			rep:  hits(1),
		},
		{
			name: "bookmarks and comments within stay",
			body: wp(wr("o"), `<w:bookmarkStart w:id="1" w:name="x"/>`, wr("n"), `<w:bookmarkEnd w:id="1"/>`, wr("e")),
			op:   `"op":"replace_text","search":"one","replace":"two"`,
			want: wp(wr("two"), `<w:bookmarkStart w:id="1" w:name="x"/>`, wrx("", ""), `<w:bookmarkEnd w:id="1"/>`, wrx("", "")),
			rep:  hits(1),
		},
		{
			name: "in a link and in an insertion",
			body: wp(`<w:hyperlink w:anchor="x">`, wr("cat"), `</w:hyperlink>`, wins(7, wr(" cat"))),
			op:   `"op":"replace_text","search":"cat","replace":"dog"`,
			want: wp(`<w:hyperlink w:anchor="x">`, wr("dog"), `</w:hyperlink>`, wins(7, wr(" dog"))),
			rep:  hits(2),
		},
		{
			name: "not in a deletion, nor in the code of a field",
			body: wp(wdel(7, "", "cat"), wfield("REF cat", "cat")),
			op:   `"op":"replace_text","search":"cat","replace":"dog"`,
			want: wp(wdel(7, "", "cat"), wfield("REF cat", "dog")),
			rep: warned(1, "not replaced: 1 in tracked deletions",
				"some of this is in the result of a field (REF); what was done there goes when the field is updated"),
		},
		{
			name: "in any case",
			body: wp(wr("Straße STRASSE straße")),
			op:   `"op":"replace_text","search":"STRASSE","replace":"Weg"`,
			want: wp(wr("Straße Weg straße")),
			rep:  hits(1),
		},
		{
			name: "in this case",
			body: wp(wr("Cat cat")),
			op:   `"op":"replace_text","search":"cat","replace":"dog","match_case":true`,
			want: wp(wr("Cat dog")),
			rep:  hits(1),
		},
		{
			name: "whole words",
			body: wp(wr("cat concat cats cat's")),
			op:   `"op":"replace_text","search":"cat","replace":"dog","whole_word":true`,
			want: wp(wr("dog concat cats dog's")),
			rep:  hits(2),
		},
		{
			name: "groups of an expression",
			body: wp(wrp(bold, "2024-"), wr("05-17")),
			op:   `"op":"replace_text","search":"(\\d+)-(\\d+)-(\\d+)","replace":"$3.$2.$1","regex":true`,
			want: wp(wrp(bold, "17.05.2024"), wrx("", "")),
			rep:  hits(1),
		},
		{
			name: "a dollar without an expression is a dollar",
			body: wp(wr("price")),
			op:   `"op":"replace_text","search":"price","replace":"$1"`,
			want: wp(wr("$1")),
			rep:  hits(1),
		},
		{
			name: "in tables only",
			body: wp(wr("cat")) + wtbl(1, wtr(wtc(wp(wr("cat"))))) + wp(box("cat")),
			op:   `"op":"replace_text","search":"cat","replace":"dog","scope":["tables"]`,
			want: wp(wr("cat")) + wtbl(1, wtr(wtc(wp(wr("dog"))))) + wp(box("cat")),
			rep:  hits(1),
		},
		{
			name: "outside tables only",
			body: wp(wr("cat")) + wtbl(1, wtr(wtc(wp(wr("cat"))))) + wp(box("cat")),
			op:   `"op":"replace_text","search":"cat","replace":"dog","scope":["body"]`,
			want: wp(wr("dog")) + wtbl(1, wtr(wtc(wp(wr("cat"))))) + wp(box("cat")),
			rep:  hits(1),
		},
		{
			name: "at one address",
			body: wp(wr("cat")) + wtbl(2, wtr(wtc(wp(wr("cat"))), wtc(wp(wr("cat"))))),
			op:   `"op":"replace_text","search":"cat","replace":"dog","at":"t0.r0.c1"`,
			want: wp(wr("cat")) + wtbl(2, wtr(wtc(wp(wr("cat"))), wtc(wp(wr("dog"))))),
			rep:  hits(1),
		},
		{
			name: "what says so already",
			body: wp(wr("Cat cat")),
			op:   `"op":"replace_text","search":"cat","replace":"cat"`,
			want: wp(wr("cat cat")),
			rep:  warned(1, `1 already said "cat" and stay as they are`),
		},
		{
			name: "not there",
			body: wp(wr("Cat")),
			op:   `"op":"replace_text","search":"dog","replace":"cat"`,
			want: wp(wr("Cat")),
			rep:  formats.OpReport{Unchanged: true, Warnings: []string{`"dog" was not found; nothing was replaced`}},
		},
		{
			name: "not over paragraphs",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"replace_text","search":"one\ntwo","replace":"x"`,
			want: wp(wr("one")) + wp(wr("two")),
			rep:  formats.OpReport{Unchanged: true, Warnings: []string{"\"one\\ntwo\" was not found; nothing was replaced"}},
		},
		{
			name: "tracked",
			body: wp(wrp(bold, "one two"), wr(" three")),
			op:   `"op":"replace_text","search":"two three","replace":"2 three",` + tracked,
			want: wp(wrp(bold, "one "), wdel(1, bold, "two"), wins(2, wrp(bold, "2")), wr(" three")),
			rep:  hits(1),
		},
		{
			name: "tracked by another author, behind the numbers that are there",
			body: wp(`<w:bookmarkStart w:id="40" w:name="x"/><w:bookmarkEnd w:id="40"/>`, wr("one")),
			op:   `"op":"replace_text","search":"one","replace":"","author":"X & Y",` + tracked,
			want: wp(`<w:bookmarkStart w:id="40" w:name="x"/><w:bookmarkEnd w:id="40"/>`,
				`<w:del w:id="41" w:author="X &amp; Y" w:date="2026-01-02T03:04:05Z">`+wrx("", `<w:delText xml:space="preserve">one</w:delText>`)+`</w:del>`),
			rep: hits(1),
		},
		{
			name: "members that it does not take",
			body: wp(wr("one")),
			op:   `"op":"replace_text","search":"one","replace":"two","bold":true,"Scope":null`,
			want: wp(wr("two")),
			rep:  formats.OpReport{Hits: 1, Ignored: []formats.Ignored{{Name: "bold"}}},
		},
	})
}

func TestReplaceTextRefuses(t *testing.T) {
	checkBadEdits(t, withBody(t, wp(wr("one"))), []badEdit{
		{`"op":"replace_text","replace":"x"`, formats.CodeInvalid, "search is required"},
		{`"op":"replace_text","search":"x"`, formats.CodeInvalid, `replace is required; use "" to delete the text`},
		{`"op":"replace_text","search":7,"replace":""`, formats.CodeInvalid, "search: expected a string, got number"},
		{`"op":"replace_text","search":"(","replace":"","regex":true`, formats.CodeInvalid, "not a valid expression"},
		{`"op":"replace_text","search":"a","replace":"","match_case":"perhaps"`, formats.CodeInvalid, "match_case"},
		{`"op":"replace_text","search":"a","replace":"","scope":["cellar"]`, formats.CodeInvalid, `scope "cellar" is not one of body, tables`},
		{`"op":"replace_text","search":"a","replace":"","at":"p1"`, formats.CodeNotFound, "there is no p1: the text outside tables there has 1 paragraphs"},
		{`"op":"replace_text","search":"a","replace":"","at":"h0"`, formats.CodeNotFound, "there is no header 0"},
	})
}

// set_paragraph changes only the words that differ.
func TestSetParagraphEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "the words that differ",
			body: wp(wr("plain "), wrp(bold, "bold"), wr(" tail")),
			op:   `"op":"set_paragraph","at":"p0","text":"plain bold end"`,
			want: wp(wr("plain "), wrp(bold, "bold"), wr(" end")),
			rep:  hits(1),
		},
		{
			name: "a word at the end takes the formatting before it",
			body: wp(wr("one "), wrp(bold, "two")),
			op:   `"op":"set_paragraph","at":"p0","text":"one two three"`,
			want: wp(wr("one "), wrp(bold, "two three")),
			rep:  hits(1),
		},
		{
			name: "the same text",
			body: wp(wr("one "), wrp(bold, "two")),
			op:   `"op":"set_paragraph","at":"p0","text":"one two"`,
			want: wp(wr("one "), wrp(bold, "two")),
			rep:  formats.OpReport{Hits: 1, Unchanged: true},
		},
		{
			name: "no text; properties, pictures and marks stay",
			body: wp(wppr(`<w:jc w:val="center"/>`), `<w:bookmarkStart w:id="1" w:name="x"/>`, wrx("", "<w:t>a</w:t><w:drawing/>"), `<w:bookmarkEnd w:id="1"/>`),
			op:   `"op":"set_paragraph","at":"p0","text":""`,
			want: wp(wppr(`<w:jc w:val="center"/>`), `<w:bookmarkStart w:id="1" w:name="x"/>`, wrx("", "<w:drawing/>"), `<w:bookmarkEnd w:id="1"/>`),
			rep:  hits(1),
		},
		{
			name: "an empty paragraph takes the look of its mark",
			body: wp(wppr(`<w:jc w:val="center"/><w:rPr>` + bold + `</w:rPr>`)),
			op:   `"op":"set_paragraph","at":"p0","text":"new"`,
			want: wp(wppr(`<w:jc w:val="center"/><w:rPr>`+bold+`</w:rPr>`), wrp(bold, "new")),
			rep:  hits(1),
		},
		{
			name: "an empty element",
			body: wp() + wp(wr("b")),
			op:   `"op":"set_paragraph","at":"p0","text":"new"`,
			want: wp(wr("new")) + wp(wr("b")),
			rep:  hits(1),
		},
		{
			name: "runs in place of all text",
			body: wp(wrp(italic, "one"), wr(" two")),
			op:   `"op":"set_paragraph","at":"p0","runs":[{"text":"a","bold":true},{"text":" b","italic":false},{"text":""}]`,
			want: wp(wrx(`<w:b/><w:bCs/>`+italic, "<w:t>a</w:t>"), wrx(`<w:i w:val="0"/><w:iCs w:val="0"/>`, `<w:t xml:space="preserve"> b</w:t>`)),
			rep:  hits(1),
		},
		{
			name: "a style alone",
			body: wp(wppr(`<w:keepNext/>`), wr("one")),
			op:   `"op":"set_paragraph","at":"p0","style":"quote"`,
			want: wp(wppr(`<w:pStyle w:val="Quote"/><w:keepNext/>`), wr("one")),
			rep:  hits(1),
		},
		{
			name: "a style that is not there",
			body: wp(wr("one")),
			op:   `"op":"set_paragraph","at":"p0","style":"Fancy","text":"two"`,
			want: wp(wr("two")),
			rep:  warned(1, `the document has no paragraph style "Fancy"; the paragraph has none`),
		},
		{
			name: "layout in the order of the schema",
			body: wp(wppr(`<w:widowControl/><w:rPr>`+bold+`</w:rPr>`), wr("one")),
			op:   `"op":"set_paragraph","at":"p0","text":"two","alignment":"justify","space_before":6,"space_after":12,"line_spacing":1.5,"indent_left":1,"indent_right":0.5,"indent_first_line":-0.25,"keep_with_next":true,"page_break_before":false`,
			want: wp(wppr(`<w:keepNext/><w:pageBreakBefore w:val="0"/><w:widowControl/><w:spacing w:before="120" w:after="240" w:line="360" w:lineRule="auto"/><w:ind w:left="1440" w:right="720" w:hanging="360"/><w:jc w:val="both"/><w:rPr>`+bold+`</w:rPr>`), wr("two")),
			rep:  hits(1),
		},
		{
			name: "a font for all of the text",
			body: wp(wrp(bold, "one"), wr(" two")),
			op:   `"op":"set_paragraph","at":"p0","font_name":"Arial","font_color":"#c00000","font_size":10.5,"highlight_color":"Yellow","underline":true,"strike":false`,
			want: wp(wrp(`<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial"/><w:b/><w:strike w:val="0"/><w:color w:val="C00000"/><w:sz w:val="21"/><w:szCs w:val="21"/><w:highlight w:val="yellow"/><w:u w:val="single"/>`, "one"),
				wrp(`<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial"/><w:strike w:val="0"/><w:color w:val="C00000"/><w:sz w:val="21"/><w:szCs w:val="21"/><w:highlight w:val="yellow"/><w:u w:val="single"/>`, " two")),
			rep: hits(1),
		},
		{
			name: "the theme's font goes when a font is named",
			body: wp(wrp(`<w:rFonts w:asciiTheme="minorHAnsi" w:hAnsiTheme="minorHAnsi" w:eastAsia="MS Mincho"/>`, "one")),
			op:   `"op":"set_paragraph","at":"p0","font_name":"Arial"`,
			want: wp(wrp(`<w:rFonts w:eastAsia="MS Mincho" w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial"/>`, "one")),
			rep:  hits(1),
		},
		{
			name: "in a cell, by the cell's address",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"set_paragraph","at":"t0.r0.c0","text":"two"`,
			want: wtbl(1, wtr(wtc(wp(wr("two"))))) + wp(),
			rep:  hits(1),
		},
		{
			name: "an address as it is shown",
			body: wp(wr("zero")) + wp(wr("one")),
			op:   `"op":"set_paragraph","at":"[p1 Heading 1]","text":"two"`,
			want: wp(wr("zero")) + wp(wr("two")),
			rep:  hits(1),
		},
		{
			name: "tracked: the words that differ",
			body: wp(wr("one two three")),
			op:   `"op":"set_paragraph","at":"p0","text":"one 2 three",` + tracked,
			want: wp(wr("one "), wdel(1, "", "two"), wins(2, wr("2")), wr(" three")),
			rep:  hits(1),
		},
		{
			name: "tracked: runs",
			body: wp(wrp(bold, "one")),
			op:   `"op":"set_paragraph","at":"p0","runs":[{"text":"two"}],` + tracked,
			want: wp(wins(1, wrp(bold, "two")), wdel(2, bold, "one")),
			rep:  hits(1),
		},
		{
			name: "tracked: layout and font",
			body: wp(wppr(`<w:keepNext/>`), wrp(bold, "one")),
			op:   `"op":"set_paragraph","at":"p0","alignment":"right","italic":true,` + tracked,
			want: wp(wppr(`<w:keepNext/><w:jc w:val="right"/><w:pPrChange`+by(1)+`>`+wppr(`<w:keepNext/>`)+`</w:pPrChange>`),
				wrp(`<w:b/><w:i/><w:iCs/><w:rPrChange`+by(2)+`><w:rPr><w:b/></w:rPr></w:rPrChange>`, "one")),
			rep: hits(1),
		},
		{
			name: "in the result of a field",
			body: wp(wr("see "), `<w:fldSimple w:instr=" REF x ">`, wr("one"), `</w:fldSimple>`),
			op:   `"op":"set_paragraph","at":"p0","text":"see two"`,
			want: wp(wr("see "), `<w:fldSimple w:instr=" REF x ">`, wr("two"), `</w:fldSimple>`),
			rep:  warned(1, "some of this is in the result of a field (REF); what was done there goes when the field is updated"),
		},
	})
}

func TestSetParagraphRefuses(t *testing.T) {
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")), wp(wr("b")))))+wp()), []badEdit{
		{`"op":"set_paragraph","text":"x"`, formats.CodeInvalid, "at is required: an address such as"},
		{`"op":"set_paragraph","at":"p0"`, formats.CodeInvalid, "text is required (or runs, or a style)"},
		{`"op":"set_paragraph","at":"p0","text":"x","runs":[{"text":"y"}]`, formats.CodeInvalid, "give text or runs, not both"},
		{`"op":"set_paragraph","at":"p0","paragraphs":[{"text":"y"}]`, formats.CodeInvalid, "set_paragraph writes one paragraph"},
		{`"op":"set_paragraph","at":"t0","text":"x"`, formats.CodeInvalid, "t0 is a table; this operation needs a paragraph"},
		{`"op":"set_paragraph","at":"t0.r0","text":"x"`, formats.CodeInvalid, "t0.r0 is a row; this operation needs a paragraph"},
		{`"op":"set_paragraph","at":"t0.r0.c0","text":"x"`, formats.CodeInvalid, "t0.r0.c0 is a cell; this operation needs a paragraph"},
		{`"op":"set_paragraph","at":"t0.r0.c0.p2","text":"x"`, formats.CodeNotFound, "t0.r0.c0 has 2 paragraphs"},
		{`"op":"set_paragraph","at":"t0.r1.c0","text":"x"`, formats.CodeNotFound, "t0 has 1 rows"},
		{`"op":"set_paragraph","at":"x0.p0","text":"x"`, formats.CodeNotFound, "there is no text box 0"},
		{`"op":"set_paragraph","at":"cm1.p0","text":"x"`, formats.CodeNotFound, "there is no comment 1"},
		{`"op":"set_paragraph","at":"p0","alignment":"middle"`, formats.CodeInvalid, `alignment "middle" is not one of left, center, right, justify`},
		{`"op":"set_paragraph","at":"p0","space_after":-1`, formats.CodeInvalid, "space_after must not be negative"},
		{`"op":"set_paragraph","at":"p0","indent_left":23`, formats.CodeInvalid, "indent_left 23 is out of range; a page has at most 22 inches"},
		{`"op":"set_paragraph","at":"p0","font_size":1639`, formats.CodeInvalid, "font_size 1639 is out of range; it is 1 to 1638 points"},
		{`"op":"set_paragraph","at":"p0","font_color":"#12345"`, formats.CodeInvalid, "write RRGGBB, such as C00000, or auto"},
		{`"op":"set_paragraph","at":"p0","highlight_color":"beige"`, formats.CodeInvalid, `highlight_color "beige" is not one of black, blue`},
		{`"op":"set_paragraph","at":"p0","runs":[{"text":"a","font_size":0}]`, formats.CodeInvalid, "font_size 0 is out of range"},
		{`"op":"set_paragraph","at":"p0","bold":"maybe"`, formats.CodeInvalid, "bold"},
	})
}

// format_text cuts runs at the edges of what was found, and keeps the rest.
func TestFormatTextEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "the middle of a run",
			body: wp(wr("one two three")),
			op:   `"op":"format_text","search":"two","bold":true`,
			want: wp(wr("one "), wrp(`<w:b/><w:bCs/>`, "two"), wr(" three")),
			rep:  hits(1),
		},
		{
			name: "over runs, each keeps its own",
			body: wp(wrp(italic, "one tw"), wr("o three")),
			op:   `"op":"format_text","search":"two","underline":true`,
			want: wp(wrp(italic, "one "), wrp(italic+`<w:u w:val="single"/>`, "tw"), wrp(`<w:u w:val="single"/>`, "o"), wr(" three")),
			rep:  hits(1),
		},
		{
			name: "a whole run",
			body: wp(wr("one "), wrp(bold, "two")),
			op:   `"op":"format_text","search":"two","bold":false`,
			want: wp(wr("one "), wrp(`<w:b w:val="0"/><w:bCs w:val="0"/>`, "two")),
			rep:  hits(1),
		},
		{
			name: "all of a place",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"format_text","at":"p1","strike":true`,
			want: wp(wr("one")) + wp(wrp(`<w:strike/>`, "two")),
			rep:  hits(1),
		},
		{
			name: "each of several",
			body: wp(wr("a b a")) + wp(wr("A")),
			op:   `"op":"format_text","search":"a","match_case":true,"font_color":"auto"`,
			want: wp(wrp(`<w:color w:val="auto"/>`, "a"), wr(" b "), wrp(`<w:color w:val="auto"/>`, "a")) + wp(wr("A")),
			rep:  hits(2),
		},
		{
			name: "beside a picture in the same run",
			body: wp(wrx("", `<w:t>a</w:t><w:drawing/><w:t>b</w:t>`)),
			op:   `"op":"format_text","search":"b","italic":true`,
			want: wp(wrx("", `<w:t>a</w:t><w:drawing/>`), wrp(`<w:i/><w:iCs/>`, "b")),
			rep:  hits(1),
		},
		{
			name: "what looks so already",
			body: wp(wrp(`<w:b/><w:bCs/>`, "one")),
			op:   `"op":"format_text","search":"one","bold":true`,
			want: wp(wrp(`<w:b/><w:bCs/>`, "one")),
			rep:  formats.OpReport{Hits: 1, Unchanged: true},
		},
		{
			name: "not there",
			body: wp(wr("one")),
			op:   `"op":"format_text","search":"two","bold":true`,
			want: wp(wr("one")),
			rep:  formats.OpReport{Unchanged: true, Warnings: []string{"the text was not found; nothing was formatted"}},
		},
		{
			name: "tracked: what it was is recorded",
			body: wp(wrp(italic, "one two")),
			op:   `"op":"format_text","search":"two","bold":true,` + tracked,
			want: wp(wrp(italic, "one "), wrp(`<w:b/><w:bCs/><w:i/><w:rPrChange`+by(1)+`><w:rPr><w:i/></w:rPr></w:rPrChange>`, "two")),
			rep:  hits(1),
		},
		{
			name: "tracked: an older record stays",
			body: wp(wrp(`<w:i/><w:rPrChange w:id="5" w:author="A"><w:rPr/></w:rPrChange>`, "two")),
			op:   `"op":"format_text","search":"two","bold":true,` + tracked,
			want: wp(wrp(`<w:b/><w:bCs/><w:i/><w:rPrChange w:id="5" w:author="A"><w:rPr/></w:rPrChange>`, "two")),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))), []badEdit{
		{`"op":"format_text","search":"one"`, formats.CodeInvalid, "say how to format the text"},
		{`"op":"format_text","bold":true`, formats.CodeInvalid, "search or at is required"},
		{`"op":"format_text","search":"[","regex":true,"bold":true`, formats.CodeInvalid, "not a valid expression"},
		{`"op":"format_text","search":"one","font_size":"big"`, formats.CodeInvalid, "font_size"},
		{`"op":"format_text","search":"one","font_color":"blue"`, formats.CodeInvalid, `font_color "blue" is not a colour`},
		{`"op":"format_text","at":"t0","bold":true`, formats.CodeNotFound, "there is no t0"},
	})
}
