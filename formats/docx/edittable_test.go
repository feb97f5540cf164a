package docx

import (
	"strings"
	"testing"

	"atelier/formats"
)

// width is the properties of a cell of n twentieths of a point.
func widthOf(n string) string { return `<w:tcW w:w="` + n + `" w:type="dxa"/>` }

func cells(n int) formats.OpReport { return formats.OpReport{Cells: n} }

// A cell keeps its properties and the formatting of the words that stay.
func TestSetTableCellEdits(t *testing.T) {
	checkEdits(t, []editCase{
		{
			name: "the words that differ",
			body: wtbl(2, wtr(wtc(wp(wr("a"))), wtcp(`<w:noWrap/>`, wp(wrp(bold, "old"), wr(" text"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c1","text":"new text"`,
			want: wtbl(2, wtr(wtc(wp(wr("a"))), wtcp(`<w:noWrap/>`, wp(wrp(bold, "new"), wr(" text"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "by a paragraph in it",
			body: wtbl(1, wtr(wtc(wp(wr("old"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0.p0","text":"new"`,
			want: wtbl(1, wtr(wtc(wp(wr("new"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "one paragraph in place of several",
			body: wtbl(1, wtr(wtc(wp(wr("one")), wp(wr("two")), wp(wr("three"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0","text":"new"`,
			want: wtbl(1, wtr(wtc(wp(wr("new"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "several in place of one; they look like it",
			body: wtbl(1, wtr(wtc(wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "one"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0","paragraphs":[{"text":"1"},{"text":"2"}]`,
			want: wtbl(1, wtr(wtc(wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "1")), wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "2"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "a table in it stays, and an empty paragraph behind it",
			body: wtbl(1, wtr(wtc(wp(wr("one")), wtbl(1, wtr(wtc(wp(wr("in"))))), wp(wr("two"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0","text":"new"`,
			want: wtbl(1, wtr(wtc(wp(wr("new")), wtbl(1, wtr(wtc(wp(wr("in"))))), wp()))) + wp(),
			rep:  cells(1),
		},
		{
			name: "layout and font",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0","text":"new","alignment":"center","bold":true`,
			want: wtbl(1, wtr(wtc(wp(wppr(`<w:jc w:val="center"/>`), wrp(`<w:b/><w:bCs/>`, "new"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "of a nested table",
			body: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("in"))))), wp(wr("out"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0.t0.r0.c0","text":"new"`,
			want: wtbl(1, wtr(wtc(wtbl(1, wtr(wtc(wp(wr("new"))))), wp(wr("out"))))) + wp(),
			rep:  cells(1),
		},
		{
			name: "tracked",
			body: wtbl(1, wtr(wtc(wp(wr("one")), wp(wr("two"))))) + wp(),
			op:   `"op":"set_table_cell","at":"t0.r0.c0","text":"1",` + tracked,
			want: wtbl(1, wtr(wtc(wp(wdel(1, "", "one"), wins(2, wr("1"))), wp(wppr(`<w:rPr><w:del`+by(3)+`/></w:rPr>`), wdel(4, "", "two"))))) + wp(),
			rep:  cells(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a"))), "<w:tc>"+wtbl(1, wtr(wtc(wp())))+"</w:tc>"))+wp()), []badEdit{
		{`"op":"set_table_cell","text":"x"`, formats.CodeInvalid, "at is required"},
		{`"op":"set_table_cell","at":"t0.r0.c0"`, formats.CodeInvalid, "text is required (or runs, or paragraphs)"},
		{`"op":"set_table_cell","at":"p0","text":"x"`, formats.CodeInvalid, "p0 is a paragraph; this operation needs a cell"},
		{`"op":"set_table_cell","at":"t0","text":"x"`, formats.CodeInvalid, "t0 is a table; this operation needs a cell"},
		{`"op":"set_table_cell","at":"t0.r0.c2","text":"x"`, formats.CodeNotFound, "t0.r0 has 2 cells"},
		{`"op":"set_table_cell","at":"t1.r0.c0","text":"x"`, formats.CodeNotFound, "there is no t1.r0.c0"},
		{`"op":"set_table_cell","at":"t0.r0.c1","text":"x"`, formats.CodeUnsupported, "the cell has no paragraph of its own"},
		{`"op":"set_table_cell","at":"t0.r0.c0","text":"x","alignment":"up"`, formats.CodeInvalid, `alignment "up"`},
	})
}

// New rows look like the one beside them and join the merges around them.
func TestTableRowEdits(t *testing.T) {
	header := wtrp(`<w:tblHeader/>`, wtcp(widthOf("1000"), wp(wrp(bold, "Item"))), wtcp(widthOf("1000"), wp(wrp(bold, "Price"))))
	tea := wtrp(`<w:cantSplit/>`, wtcp(widthOf("1000")+`<w:shd w:val="clear"/>`, wp(wppr(`<w:jc w:val="right"/>`), wrp(italic, "Tea"))), wtcp(widthOf("1000"), wp(wr("2"))))
	like := func(a, b string) string {
		first := wp(wppr(`<w:jc w:val="right"/>`), wrp(italic, a))
		if a == "" {
			first = wp(wppr(`<w:jc w:val="right"/>`))
		}
		second := wp(wr(b))
		if b == "" {
			second = "<w:p></w:p>"
		}
		return wtrp(`<w:cantSplit/>`, wtcp(widthOf("1000")+`<w:shd w:val="clear"/>`, first), wtcp(widthOf("1000"), second))
	}
	tall := func(merge string, text string) string {
		return wtr(wtcp(`<w:vMerge`+merge+`/>`, wp(wr("m"))), wtc(wp(wr(text))))
	}
	joined := wtr(wtcp(`<w:vMerge/>`, wp(wr("x"))), wtc(wp(wr("y"))))
	checkEdits(t, []editCase{
		{
			name: "at the end",
			body: wtbl(2, header, tea) + wp(),
			op:   `"op":"add_table_row","at":"t0","cells":["Rum","9"]`,
			want: wtbl(2, header, tea, like("Rum", "9")) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r2"},
		},
		{
			name: "before one, with fewer texts than cells",
			body: wtbl(2, header, tea) + wp(),
			op:   `"op":"add_table_row","at":"t0.r1","where":"before","rows":[["Rum"],["","9"]]`,
			want: wtbl(2, header, like("Rum", ""), like("", "9"), tea) + wp(),
			rep:  formats.OpReport{Hits: 2, Cells: 3, Made: "t0.r1"},
		},
		{
			name: "behind a header row it is none",
			body: wtbl(2, header) + wp(),
			op:   `"op":"add_table_row","at":"t0.r0.c1","cells":["a","b"]`,
			want: wtbl(2, header, wtr(wtcp(widthOf("1000"), wp(wrp(bold, "a"))), wtcp(widthOf("1000"), wp(wrp(bold, "b"))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r1"},
		},
		{
			name: "within a merge it joins it",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2")) + wp(),
			op:   `"op":"add_table_row","at":"t0.r0","cells":["x","y"]`,
			want: wtbl(2, tall(` w:val="restart"`, "1"), joined, tall("", "2")) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r1"},
		},
		{
			name: "before a row that continues a merge it joins it",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2")) + wp(),
			op:   `"op":"add_table_row","at":"t0.r1","where":"before","cells":["x","y"]`,
			want: wtbl(2, tall(` w:val="restart"`, "1"), joined, tall("", "2")) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r1"},
		},
		{
			name: "before the merge it stays out of it",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2")) + wp(),
			op:   `"op":"add_table_row","at":"t0.r0","where":"before","cells":["x","y"]`,
			want: wtbl(2, wtr(wtc(wp(wr("x"))), wtc(wp(wr("y")))), tall(` w:val="restart"`, "1"), tall("", "2")) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r0"},
		},
		{
			name: "behind the merge it stays out of it",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2")) + wp(),
			op:   `"op":"add_table_row","at":"t0","cells":["x","y"]`,
			want: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2"), wtr(wtc(wp(wr("x"))), wtc(wp(wr("y"))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r2"},
		},
		{
			name: "tracked",
			body: wtbl(1, wtr(wtc(wp(wr("a"))))) + wp(),
			op:   `"op":"add_table_row","at":"t0","cells":["b"],` + tracked,
			want: wtbl(1, wtr(wtc(wp(wr("a")))), wtrp(`<w:ins`+by(1)+`/>`, wtc(wp(wppr(`<w:rPr><w:ins`+by(2)+`/></w:rPr>`), wins(3, wr("b")))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1, Made: "t0.r1"},
		},
		{
			name: "one goes",
			body: wtbl(2, header, tea, like("Rum", "9")) + wp(),
			op:   `"op":"delete_table_row","at":"t0.r1"`,
			want: wtbl(2, header, like("Rum", "9")) + wp(),
			rep:  hits(1),
		},
		{
			name: "two go, by a cell",
			body: wtbl(2, header, tea, like("Rum", "9")) + wp(),
			op:   `"op":"delete_table_row","at":"t0.r1.c1","count":2`,
			want: wtbl(2, header) + wp(),
			rep:  hits(2),
		},
		{
			name: "the row in which a merge begins",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2"), tall("", "3")) + wp(),
			op:   `"op":"delete_table_row","at":"t0.r0"`,
			want: wtbl(2, tall(` w:val="restart"`, "2"), tall("", "3")) + wp(),
			rep:  hits(1),
		},
		{
			name: "a row in the middle of a merge",
			body: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "2"), tall("", "3")) + wp(),
			op:   `"op":"delete_table_row","at":"t0.r1"`,
			want: wtbl(2, tall(` w:val="restart"`, "1"), tall("", "3")) + wp(),
			rep:  hits(1),
		},
		{
			name: "tracked: the row and what is in it",
			body: wtbl(1, wtr(wtc(wp(wr("a")))), wtr(wtc(wp(wr("b"))))) + wp(),
			op:   `"op":"delete_table_row","at":"t0.r0",` + tracked,
			want: wtbl(1, wtrp(`<w:del`+by(1)+`/>`, wtc(wp(wppr(`<w:rPr><w:del`+by(2)+`/></w:rPr>`), wdel(3, "", "a")))), wtr(wtc(wp(wr("b"))))) + wp(),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(2, tea, tea)+wp()), []badEdit{
		{`"op":"add_table_row","cells":["x"]`, formats.CodeInvalid, "at is required"},
		{`"op":"add_table_row","at":"p0","cells":["x"]`, formats.CodeInvalid, "p0 is not in a table; give an address such as t0 or t0.r1"},
		{`"op":"add_table_row","at":"t0","cells":["x","y","z"]`, formats.CodeInvalid, "the row has 2 cells; 3 texts were given"},
		{`"op":"add_table_row","at":"t0","where":"under","cells":["x"]`, formats.CodeInvalid, `where is "under"`},
		{`"op":"add_table_row","at":"t0","cells":[["x"]]`, formats.CodeInvalid, "cells"},
		{`"op":"add_table_row","at":"t3","cells":["x"]`, formats.CodeNotFound, "there is no t3"},
		{`"op":"delete_table_row","at":"t0"`, formats.CodeInvalid, "t0 is a whole table; name a row such as t0.r1, or use delete_table"},
		{`"op":"delete_table_row","at":"t0.r0","count":2`, formats.CodeInvalid, "these are all rows of the table; use delete_table"},
		{`"op":"delete_table_row","at":"t0.r1","count":2`, formats.CodeInvalid, "there are 1 rows from t0.r1 on; count is 2"},
		{`"op":"delete_table_row","at":"t0.r0","count":0`, formats.CodeInvalid, "count is 0"},
		{`"op":"delete_table_row","at":"p0"`, formats.CodeInvalid, "p0 is not in a table"},
	})
}

// A new column takes its room from the others; a cell over the place of it
// grows.
func TestTableColumnEdits(t *testing.T) {
	w := func(n string, text string) string { return wtcp(widthOf(n), wp(wr(text))) }
	checkEdits(t, []editCase{
		{
			name: "behind",
			body: wtbl(2, wtr(w("1000", "a"), w("1000", "b")), wtr(w("1000", "c"), w("1000", "d"))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r0.c1","cells":["x","y"]`,
			want: wtblw(3, 666, wtr(w("666", "a"), w("666", "b"), w("666", "x")), wtr(w("666", "c"), w("666", "d"), w("666", "y"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2},
		},
		{
			name: "before, with fewer texts than rows",
			body: wtbl(1, wtr(w("1000", "a")), wtr(w("1000", "b"))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r1.c0","where":"before","cells":["x"]`,
			want: wtblw(2, 500, wtr(w("500", "x"), w("500", "a")), wtr(wtcp(widthOf("500"), "<w:p></w:p>"), w("500", "b"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1},
		},
		{
			name: "a cell over its place grows",
			body: wtbl(2, wtr(wtcp(widthOf("2000")+`<w:gridSpan w:val="2"/>`, wp(wr("wide")))), wtr(w("1000", "c"), w("1000", "d"))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r1.c0","cells":["","y"]`,
			want: wtblw(3, 666, wtr(wtcp(widthOf("1333")+`<w:gridSpan w:val="3"/>`, wp(wr("wide")))), wtr(w("666", "c"), w("666", "y"), w("666", "d"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2},
		},
		{
			name: "it looks like the cell beside it, without its merges",
			body: wtbl(1, wtr(wtcp(widthOf("1000")+`<w:vMerge w:val="restart"/><w:noWrap/>`, wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "a"))))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r0.c0","cells":["x"]`,
			want: wtblw(2, 500, wtr(wtcp(widthOf("500")+`<w:vMerge w:val="restart"/><w:noWrap/>`, wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "a"))), wtcp(widthOf("500")+`<w:noWrap/>`, wp(wppr(`<w:jc w:val="right"/>`), wrp(bold, "x"))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1},
		},
		{
			name: "a shorter row stays as it is, but for its width",
			body: wtbl(3, wtr(w("1000", "a"), w("1000", "b"), w("1000", "c")), wtr(w("1000", "d"))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r0.c2","cells":["x","y"]`,
			want: wtblw(4, 750, wtr(w("750", "a"), w("750", "b"), w("750", "c"), w("750", "x")), wtr(w("750", "d"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2},
		},
		{
			name: "widths in hundredths stay",
			body: wtbl(1, wtr(wtcp(`<w:tcW w:w="5000" w:type="pct"/>`, wp(wr("a"))))) + wp(),
			op:   `"op":"add_table_column","at":"t0.r0.c0","cells":["x"]`,
			want: wtblw(2, 500, wtr(wtcp(`<w:tcW w:w="5000" w:type="pct"/>`, wp(wr("a"))), wtcp(`<w:tcW w:w="5000" w:type="pct"/>`, wp(wr("x"))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1},
		},
		{
			name: "one goes",
			body: wtbl(2, wtr(w("1000", "a"), w("1000", "b")), wtr(w("1000", "c"), w("1000", "d"))) + wp(),
			op:   `"op":"delete_table_column","at":"t0.r1.c0"`,
			want: wtbl(1, wtr(w("1000", "b")), wtr(w("1000", "d"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2},
		},
		{
			name: "a cell over it and its neighbour shrinks",
			body: wtbl(2, wtr(wtcp(widthOf("2000")+`<w:gridSpan w:val="2"/>`, wp(wr("wide")))), wtr(w("1000", "c"), w("1000", "d"))) + wp(),
			op:   `"op":"delete_table_column","at":"t0.r1.c1"`,
			want: wtbl(1, wtr(w("1000", "wide")), wtr(w("1000", "c"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1},
		},
		{
			name: "behind columns that are left out",
			body: wtbl(3, wtrp(`<w:gridBefore w:val="1"/>`, w("1000", "b"), w("1000", "c")), wtr(w("1000", "d"), w("1000", "e"), w("1000", "f"))) + wp(),
			op:   `"op":"delete_table_column","at":"t0.r0.c0"`,
			want: wtbl(2, wtrp(`<w:gridBefore w:val="1"/>`, w("1000", "c")), wtr(w("1000", "d"), w("1000", "f"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2},
		},
		{
			name: "not tracked, and told so",
			body: wtbl(2, wtr(w("1000", "a"), w("1000", "b"))) + wp(),
			op:   `"op":"delete_table_column","at":"t0.r0.c0",` + tracked,
			want: wtbl(1, wtr(w("1000", "b"))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 1, Warnings: []string{"the deletion of a column is not recorded as a tracked change"}},
		},
	})
	full := wtbl(63, wtr(strings.Repeat(wtc(wp()), 63)))
	checkBadEdits(t, withBody(t, wp(wr("one"))+wtbl(2, wtr(w("1000", "a"), w("1000", "b")), wtr(wtcp(`<w:gridSpan w:val="2"/>`, wp(wr("c")))))+wp()+full+wp()), []badEdit{
		{`"op":"add_table_column","cells":["x"]`, formats.CodeInvalid, "at is required"},
		{`"op":"add_table_column","at":"t0","cells":["x"]`, formats.CodeInvalid, "t0 is a table; this operation needs a cell"},
		{`"op":"add_table_column","at":"t0.r0.c0","where":"in"`, formats.CodeInvalid, `where is "in"`},
		{`"op":"add_table_column","at":"t0.r0.c0","cells":["x","y","z"]`, formats.CodeInvalid, "the table has 2 rows; 3 texts were given"},
		{`"op":"add_table_column","at":"t1.r0.c0"`, formats.CodeInvalid, "the table has 63 columns already, the most there can be"},
		{`"op":"delete_table_column","at":"t0.r1.c0"`, formats.CodeInvalid, "a row would have no cell left; delete the row or the table instead"},
		{`"op":"delete_table_column","at":"p0"`, formats.CodeInvalid, "p0 is a paragraph; this operation needs a cell"},
		{`"op":"delete_table_column","at":"t0.r0.c5"`, formats.CodeNotFound, "there is no t0.r0.c5"},
	})
}

// New tables have what applications need around them; a table goes as a whole.
func TestTableEdits(t *testing.T) {
	cell := func(content string) string {
		return wtcp(widthOf("4536"), content)
	}
	made := func(rows ...string) string {
		return `<w:tbl><w:tblPr><w:tblStyle w:val="TableList"/><w:tblW w:w="9072" w:type="dxa"/><w:tblLook w:val="04A0"/></w:tblPr><w:tblGrid><w:gridCol w:w="4536"/><w:gridCol w:w="4536"/></w:tblGrid>` + strings.Join(rows, "") + `</w:tbl>`
	}
	old := wtbl(1, wtr(wtc(wp(wr("old")))))
	plain := made(wtr(cell(wp(wr("a"))), cell(wp(wr("b")))))
	checkEdits(t, []editCase{
		{
			name: "between paragraphs",
			body: wp(wr("one")) + wp(wr("two")),
			op:   `"op":"add_table","at":"p0","rows":[["a","b"]]`,
			want: wp(wr("one")) + plain + wp(wr("two")),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0"},
		},
		{
			name: "at the end, which must be a paragraph",
			body: wp(wr("one")),
			op:   `"op":"add_table","rows":[["a","b"]]`,
			want: wp(wr("one")) + plain + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0"},
		},
		{
			name: "apart from the tables around it",
			body: old + old + wp(),
			op:   `"op":"add_table","at":"t0","rows":[["a","b"]]`,
			want: old + wp() + plain + wp() + old + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t1"},
		},
		{
			name: "a header row, and rows of different lengths",
			body: wp(wr("one")) + wp(),
			op:   `"op":"add_table","at":"p0","rows":[["H"],["a","b"]],"header_row":true,"style":"table grid"`,
			want: wp(wr("one")) + strings.Replace(made(wtrp(`<w:tblHeader/>`, cell(wp(wrp(`<w:b/><w:bCs/>`, "H"))), cell("<w:p></w:p>")), wtr(cell(wp(wr("a"))), cell(wp(wr("b"))))), "TableList", "TableGrid", 1) + wp(),
			rep:  formats.OpReport{Hits: 2, Cells: 4, Made: "t0"},
		},
		{
			name: "a style that is not there",
			body: wp(wr("one")) + wp(),
			op:   `"op":"add_table","at":"p0","rows":[["a","b"]],"style":"Fancy"`,
			want: wp(wr("one")) + plain + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0", Warnings: []string{`the document has no table style "Fancy"; the table has Table List`}},
		},
		{
			name: "in a cell",
			body: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			op:   `"op":"add_table","at":"t0.r0.c0.p0","where":"before","rows":[["a","b"]]`,
			want: wtbl(1, wtr(wtc(plain, wp(wr("one"))))) + wp(),
			rep:  formats.OpReport{Hits: 1, Cells: 2, Made: "t0.r0.c0.t0"},
		},
		{
			name: "a table goes",
			body: wp(wr("one")) + old + wp(wr("two")),
			op:   `"op":"delete_table","at":"t0.r0.c0"`,
			want: wp(wr("one")) + wp(wr("two")),
			rep:  hits(1),
		},
		{
			name: "the only block of a body",
			body: old,
			op:   `"op":"delete_table","at":"t0"`,
			want: wp(),
			rep:  hits(1),
		},
		{
			name: "a table in a cell",
			body: wtbl(1, wtr(wtc(old, wp(wr("one"))))) + wp(),
			op:   `"op":"delete_table","at":"t0.r0.c0.t0"`,
			want: wtbl(1, wtr(wtc(wp(wr("one"))))) + wp(),
			rep:  hits(1),
		},
		{
			name: "tracked: row by row",
			body: old + wp(),
			op:   `"op":"delete_table","at":"t0",` + tracked,
			want: wtbl(1, wtrp(`<w:del`+by(1)+`/>`, wtc(wp(wppr(`<w:rPr><w:del`+by(2)+`/></w:rPr>`), wdel(3, "", "old"))))) + wp(),
			rep:  hits(1),
		},
	})
	checkBadEdits(t, withBody(t, wp(wr("one"))), []badEdit{
		{`"op":"add_table"`, formats.CodeInvalid, "rows is required"},
		{`"op":"add_table","rows":[[],[]]`, formats.CodeInvalid, "rows is required"},
		{`"op":"add_table","rows":["a"]`, formats.CodeInvalid, "rows"},
		{`"op":"add_table","rows":[[` + strings.Repeat(`"",`, 63) + `""]]`, formats.CodeInvalid, "a table has at most 63 columns, not 64"},
		{`"op":"add_table","at":"p4","rows":[["a"]]`, formats.CodeNotFound, "there is no p4"},
		{`"op":"delete_table"`, formats.CodeInvalid, "at is required"},
		{`"op":"delete_table","at":"p0"`, formats.CodeInvalid, "p0 is not in a table"},
		{`"op":"delete_table","at":"t0"`, formats.CodeNotFound, "there is no t0"},
	})
}
