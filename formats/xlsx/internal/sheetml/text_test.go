package sheetml

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// hardText draws texts with what XML and ST_Xstring escape.
func hardText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", " ", "  ", "\n", "\t", "<", ">", "&", `"`, "'", "_x0041_", "_x", "_x005F_", "x00", "é", "😀", "]]>", "_x000a_", "_", "_x0041", "_x00aa", "x0042_"})
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return strings.Join(p, "") })
}

func TestTextsComeBackThroughXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hardText().Draw(t, "text")
		var el struct {
			Text string `xml:",chardata"`
			N    string `xml:"n,attr"`
			Keep string `xml:"space,attr"`
		}
		doc := strings.Replace(TextElement("", s), "<t", `<t n="`+EscapeAttr(s)+`"`, 1)
		require.NoError(t, xml.Unmarshal([]byte(doc), &el), doc)
		require.Equal(t, s, Unescape(el.Text), doc)
		require.Equal(t, s, Unescape(el.N), doc)
		require.Equal(t, s, PlainText([]byte(TextElement("x:", s))))
		blanks := strings.TrimSpace(s) != s || strings.Contains(s, "  ") || strings.ContainsAny(s, "\n\t")
		require.Equal(t, blanks, el.Keep == "preserve", doc)
		require.Equal(t, len(utf16.Encode([]rune(s))), UTF16Len(s))
		long := strings.Repeat(s, 40)
		require.Equal(t, len(utf16.Encode([]rune(long))), UTF16Len(long))
	})
}

func TestEscapedTexts(t *testing.T) {
	for in, want := range map[string]string{"_x0041_": "A", "_x0041": "_x0041", "_x00zz_": "_x00zz_", "_xD800_": "_xD800_", "_x005F_x0041_": "_x0041_", "_x000D_\n": "\n", "a\r\nb": "a\nb", "a_x000a_b": "a\nb", "": ""} {
		require.Equal(t, want, Unescape(in), in)
	}
	for in, want := range map[string]string{"a\r\nb": "a\nb", "_x0041_": "_x005F_x0041_", "_x41_": "_x41_", "a\x01b": "ab", "<&>": "&lt;&amp;&gt;"} {
		require.Equal(t, want, Escape(in), in)
	}
}

// The attributes of a tag are those that encoding/xml reads, before and after an edit.
func TestAttributesByEncodingXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"r", "s", "t", "spans", "ht", "customFormat"}), 0, 6, rapid.ID[string]).Draw(t, "names")
		tag := "<c"
		for _, n := range names {
			q := rapid.SampledFrom([]string{`"`, `'`}).Draw(t, "quote")
			tag += rapid.SampledFrom([]string{" ", "\n"}).Draw(t, "blank") + n + rapid.SampledFrom([]string{"=", " = "}).Draw(t, "equals") + q + rapid.SampledFrom([]string{"1", "", "a>b", "/>", "x=y"}).Draw(t, "value") + q
		}
		tag += rapid.SampledFrom([]string{">", "/>", " />", " >"}).Draw(t, "end")
		read := func(tag string) (out []string) {
			if !strings.HasSuffix(tag, "/>") {
				tag += "</c>"
			}
			tok, err := xml.NewDecoder(strings.NewReader(tag)).Token()
			require.NoError(t, err, tag)
			for _, a := range tok.(xml.StartElement).Attr {
				out = append(out, a.Name.Local+"="+a.Value)
			}
			return out
		}
		var got []string
		for i := NameLen([]byte(tag)); ; {
			name, a, b, next := NextAttr([]byte(tag), i)
			if next < 0 {
				break
			}
			got = append(got, string(name)+"="+tag[a:b])
			i = next
		}
		require.Equal(t, read(tag), got, tag)

		drop := rapid.SampledFrom([]string{"s", "t"}).Draw(t, "drop")
		now := string(EditTag([]byte(tag), ` new="1"`, drop, "r"))
		want := append(slices.DeleteFunc(got, func(a string) bool { return strings.HasPrefix(a, drop+"=") || strings.HasPrefix(a, "r=") }), "new=1")
		require.Equal(t, want, read(now), "%s → %s", tag, now)
		require.Equal(t, strings.HasSuffix(tag, "/>"), strings.HasSuffix(now, "/>"))
	})
}

func TestSmallReaders(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "17": 17, "007": 7, "": -1, "-1": -1, "1.5": -1, " 1": -1, "99999999999999999999": -1} {
		require.Equal(t, want, Atoi([]byte(in)), in)
	}
	for in, want := range map[string]string{"x:row r": "row", "row>": "row", "row/>": "row", "a:b:c\n": "c", "": ""} {
		require.Equal(t, want, string(LocalName([]byte(in))), in)
	}
	for in, want := range map[string]bool{"1": true, "true": true, "TRUE": true, "on": true, "0": false, "false": false, "": false, "off": false} {
		require.Equal(t, want, IsTrue(in), in)
	}
	for in, want := range map[string]bool{"<b/>": true, `<b val="1"/>`: true, `<b val="true"/>`: true, `<b val="0"/>`: false, `<b val='false'/>`: false, "": false} {
		require.Equal(t, want, IsOn(in), in)
	}
	for in, want := range map[string]FormulaAttrs{
		`<f>`: {SharedIndex: -1}, `<f t="normal">`: {SharedIndex: -1}, `<f t="shared" si="4" ref="A1:B2">`: {Kind: "shared", SharedIndex: 4, Ref: cellref.Block(1, 1, 2, 2)}, `<x:f ref='C3' t='array'/>`: {Kind: "array", SharedIndex: -1, Ref: cellref.Block(3, 3, 3, 3)}, `<f t="shared" si="x" ref="?">`: {Kind: "shared", SharedIndex: -1},
	} {
		require.Equal(t, want, ReadFormulaAttrs([]byte(in)), in)
	}
	require.Equal(t, "<x:a><x:b/></x:a>", WithPrefix("<a><b/></a>", "x:"))
	require.Equal(t, "<a><b/></a>", WithPrefix("<a><b/></a>", ""))
}

// Rules keep exactly the cells that are not cut, and their formulas still mean the
// same cells.
func TestCutSqrefsBySets(t *testing.T) {
	rect := rapid.Custom(func(t *rapid.T) cellref.Range {
		r, c := rapid.IntRange(1, 8).Draw(t, "row"), rapid.IntRange(1, 8).Draw(t, "column")
		return cellref.Block(r, c, r+rapid.IntRange(0, 4).Draw(t, "height"), c+rapid.IntRange(0, 4).Draw(t, "width"))
	})
	cells := func(rects []cellref.Range) map[cellref.Cell]bool {
		m := map[cellref.Cell]bool{}
		for _, r := range rects {
			for row := r.R1; row <= r.R2; row++ {
				for col := r.C1; col <= r.C2; col++ {
					m[cellref.At(row, col)] = true
				}
			}
		}
		return m
	}
	rapid.Check(t, func(t *rapid.T) {
		have, cut := rapid.SliceOfN(rect, 1, 3).Draw(t, "have"), rapid.SliceOfN(rect, 1, 2).Draw(t, "cut")
		rule := func(sqref, f string) string {
			return `<rule sqref="` + sqref + `"><formula>` + f + `</formula></rule>`
		}
		doc := `<w xmlns="` + Namespace + `">` + rule(cellref.FormatList(have), "J20&lt;$A$1") + rule("Z99", "A1") + `</w>`
		edits, touched := CutSqrefs([]byte(doc), "rule", cut)
		now := string(xmlscan.Apply([]byte(doc), edits))
		left := cells(have)
		for c := range cells(cut) {
			delete(left, c)
		}
		if len(left) == len(cells(have)) {
			require.Zero(t, touched)
			require.Equal(t, doc, now)
			return
		}
		require.Equal(t, 1, touched)
		require.Contains(t, now, rule("Z99", "A1"))
		if len(left) == 0 {
			require.Equal(t, `<w xmlns="`+Namespace+`">`+rule("Z99", "A1")+`</w>`, now)
			return
		}
		_, after, _ := strings.Cut(now, `sqref="`)
		list, rest, _ := strings.Cut(after, `"`)
		require.Equal(t, left, cells(cellref.ParseList(list)), now)
		was, is := cellref.TopLeft(have), cellref.TopLeft(cellref.ParseList(list))
		want := Escape(formula.Move("J20<$A$1", is.Row-was.Row, is.Col-was.Col))
		require.True(t, strings.HasPrefix(rest, "><formula>"+want+"<"), "%s, not %s", now, want)
	})
}

func TestSkeletonOfASheet(t *testing.T) {
	head := `<w xmlns="` + Namespace + `"><dimension ref="B2:C9"/><sheetFormatPr defaultColWidth="11.5"/><cols><col min="5" max="6" style="2" hidden="1"/><col min="1" max="3" width="4" style="0"></col><col min="9" max="99999" style="x"/></cols><sheetData>`
	tail := `</sheetData><mergeCells><mergeCell ref="A1:B2"/><mergeCell ref="b-d"/><mergeCell ref="C3"/></mergeCells></w>`
	k := Skeleton{Doc: []byte(head + tail), Cut: len(head)}
	require.Equal(t, cellref.Block(2, 2, 9, 3), Dimension([]byte(head)))
	require.True(t, Dimension([]byte("<w><sheetData>")).Empty())
	require.Equal(t, map[int]int{5: 2, 6: 2}, k.ColStyles())
	require.Equal(t, map[int]bool{5: true, 6: true}, k.HiddenColumns())
	require.Equal(t, []cellref.Range{cellref.Block(1, 1, 2, 2), cellref.Block(3, 3, 3, 3)}, k.Merges())
	require.Equal(t, "11.5", k.DefaultWidth())
	require.Equal(t, "9.140625", Skeleton{Doc: []byte("<w/>"), Cut: 0}.DefaultWidth())
	require.Len(t, k.Elements("mergeCell"), 3)
	require.Empty(t, k.Elements("hyperlink"))
	require.Equal(t, strings.Index(head, "<sheetFormatPr"), k.Before("cols", "sheetFormatPr"))
	require.Equal(t, k.Cut, k.Before("sheetViews"))
	cols, start, end := ReadColumns(k)
	require.Equal(t, strings.Index(head, "<cols>"), start)
	require.Equal(t, strings.Index(head, "<sheetData>"), end)
	require.Equal(t, []ColumnRange{Columns(1, 3, []byte(`<col min="1" max="3" width="4" style="0"/>`)), Columns(5, 6, []byte(`<col min="5" max="6" style="2" hidden="1"/>`)), Columns(9, cellref.MaxCol, []byte(`<col min="9" max="99999" style="x"/>`))}, cols)
	_, start, _ = ReadColumns(Skeleton{Doc: []byte("<w><sheetData></sheetData></w>"), Cut: 14})
	require.Equal(t, -1, start)
}

// Edits before, at and behind the place of the rows go where they belong.
func TestSkeletonEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := "<a><b/><sheetData></sheetData><c/></a>"
		k := Skeleton{Doc: []byte(doc), Cut: strings.Index(doc, "</sheetData>")}
		at := rapid.IntRange(0, len(doc)).Draw(t, "at")
		end := rapid.IntRange(at, len(doc)).Filter(func(e int) bool { return at >= k.Cut || e <= k.Cut }).Draw(t, "end")
		edit := xmlscan.Splice{Start: at, End: end, New: []byte("NEW")}
		want := doc[:at] + "NEW" + doc[end:]
		head, tail := k.Split([]xmlscan.Splice{edit})
		require.Equal(t, want, string(head)+string(tail), fmt.Sprint(at, end))
		now := k.Apply([]xmlscan.Splice{edit})
		require.Equal(t, want, string(now.Doc))
		require.Equal(t, len(head), now.Cut)
		require.Equal(t, at < k.Cut, strings.Contains(string(head), "NEW"))
		require.Equal(t, k, k.Apply(nil))
	})
}

// What looks like an escape only after characters were left out is escaped too.
func TestEscapesThatArise(t *testing.T) {
	for s, want := range map[string]string{
		"_x0041_x0042_":   "_x0041_x0042_",
		"_x00\x0141_":     "_x0041_",
		"_x0041\n":        "_x0041\n",
		"_x0041_x0042\t_": "_x0041_x0042\t_",
	} {
		require.Equal(t, want, Unescape(CharData([]byte(Escape(s)))), s)
		require.Equal(t, want, Unescape(CharData([]byte(EscapeAttr(s)))), s)
	}
}
