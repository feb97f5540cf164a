package sheetml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// sheetXML draws a worksheet part with what XML allows and spreadsheets seldom
// write: prefixes, both quotes, '>' in attributes, comments, CDATA, entities, blanks
// in tags, rows and cells without a reference.
func sheetXML(t *rapid.T) string {
	p := rapid.SampledFrom([]string{"", "x:"}).Draw(t, "prefix")
	bind := ` xmlns="` + Namespace + `"`
	if p != "" {
		bind = ` xmlns:x="` + Namespace + `"`
	}
	gap := func() string {
		return rapid.SampledFrom([]string{"", "", "", "\n ", "<!-- > <" + p + `c r="Z9"><` + p + "v>9</" + p + "v></" + p + "c> -->", `<?note a="b" > c?>`}).Draw(t, "gap")
	}
	attrs := func(pairs ...string) string {
		s := ""
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				q := rapid.SampledFrom([]string{`"`, `'`}).Draw(t, "quote")
				s += rapid.SampledFrom([]string{" ", "\n\t"}).Draw(t, "blank") + pairs[i] + "=" + q + pairs[i+1] + q
			}
		}
		return s + rapid.SampledFrom([]string{"", "", ` n="a>b/'c"`, ` n='>"'`, " "}).Draw(t, "more")
	}
	text := func() string {
		piece := rapid.SampledFrom([]string{"", "1", "7.5", "a b", "&lt;&amp;", "&#65;&#x42;", "<![CDATA[<v>]]>", "<![CDATA[]]>", "<![CDATA[a]]]>", "é", "]", "&gt;", "\r\n", "\r", "<!-- > -->", "<?p >?>"})
		return strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "text"), "")
	}
	element := func(name, attrs, content string) string {
		if content == "" && rapid.Bool().Draw(t, "short") {
			return "<" + p + name + attrs + "/>"
		}
		return "<" + p + name + attrs + ">" + content + "</" + p + name + rapid.SampledFrom([]string{"", " "}).Draw(t, "blank") + ">"
	}
	cell := func(row int) string {
		ref, style := "", ""
		if rapid.Bool().Draw(t, "ref") {
			ref = cellref.Name(row, rapid.IntRange(1, cellref.MaxCol).Draw(t, "column"))
		}
		if rapid.Bool().Draw(t, "styled") {
			style = strconv.Itoa(rapid.IntRange(0, 300).Draw(t, "style"))
		}
		typ := rapid.SampledFrom([]string{"", "n", "s", "inlineStr", "str", "b", "e", "d"}).Draw(t, "type")
		content := gap()
		if rapid.Bool().Draw(t, "formula") {
			content += element("f", attrs("t", rapid.SampledFrom([]string{"", "shared", "array"}).Draw(t, "kind"), "si", rapid.SampledFrom([]string{"", "3"}).Draw(t, "si")), text())
		}
		if rapid.Bool().Draw(t, "value") {
			content += gap() + element("v", attrs(), text())
		}
		if rapid.Bool().Draw(t, "inline") {
			runs := element("t", "", text())
			if rapid.Bool().Draw(t, "rich") {
				runs += element("r", "", element("rPr", "", element("rFont", attrs("val", "Arial"), ""))+element("t", ` xml:space="preserve"`, text())) + element("rPh", ` sb="0" eb="1"`, element("t", "", "no"))
			}
			content += element("is", "", gap()+runs)
		}
		return element("c", attrs("r", ref, "s", style, "t", typ), content+gap())
	}
	var sb strings.Builder
	sb.WriteString(rapid.SampledFrom([]string{"", "\xef\xbb\xbf", `<?xml version="1.0"?>` + "\n<!-- <sheetData/> -->"}).Draw(t, "start"))
	sb.WriteString("<" + p + "worksheet" + bind + ">" + gap() + element("dimension", attrs("ref", "A1:B2"), "") + gap() + "<" + p + "sheetData" + attrs() + ">")
	row := 0
	for range rapid.IntRange(0, 4).Draw(t, "rows") {
		row++
		ref := ""
		if rapid.Bool().Draw(t, "ref") {
			row += rapid.IntRange(0, 500).Draw(t, "skip")
			ref = strconv.Itoa(row)
		}
		content := ""
		for range rapid.IntRange(0, 4).Draw(t, "cells") {
			content += gap() + cell(row)
		}
		sb.WriteString(gap() + element("row", attrs("spans", "1:3", "r", ref), content))
	}
	sb.WriteString(gap() + "</" + p + "sheetData>" + gap())
	for range rapid.IntRange(0, 3).Draw(t, "behind") {
		sb.WriteString(element("mergeCells", "", element("mergeCell", attrs("ref", "A1:B2"), "")) + gap())
	}
	return sb.String() + "</" + p + "worksheet>"
}

// plainCell is what two readers must agree on.
type plainCell struct {
	Row, Col, Style int
	Type            CellType
	Value, Formula  string
	Inline          string
	HasFormula      bool
}

// byScanner reads the cells with a buffer that begins with size bytes, and checks
// that head, events and tail are the bytes of the part.
func byScanner(r io.Reader, size int) (cells []plainCell, rows []int, whole []byte, err error) {
	s := &RowScanner{w: window{r: r, buf: make([]byte, size)}}
	head, err := s.Head()
	if err != nil {
		return nil, nil, nil, err
	}
	whole = bytes.Clone(head)
	for {
		ev, err := s.Next()
		if err != nil {
			return cells, rows, whole, err
		}
		whole = append(whole, s.Raw()...)
		c := &s.Cell
		switch ev {
		case RowStart:
			rows = append(rows, s.Row)
		case WholeCell:
			cells = append(cells, plainCell{c.Row, c.Col, c.Style, c.Type, CharData(s.Text(c.Value)), CharData(s.Text(c.Formula)), PlainText(s.Text(c.Inline)), c.HasFormula})
		case DataEnd:
			tail, err := s.Tail()
			return cells, rows, append(whole, tail...), err
		}
	}
}

// byEncodingXML reads the same with encoding/xml.
func byEncodingXML(t require.TestingT, doc string) (cells []plainCell, rows []int) {
	dec := xml.NewDecoder(strings.NewReader(doc))
	types := map[string]CellType{"s": TypeShared, "inlineStr": TypeInline, "str": TypeString, "b": TypeBool, "e": TypeError, "d": TypeDate}
	row, col := 0, 0
	var path []string
	inside := func(name string) bool {
		for _, p := range path {
			if p == name {
				return true
			}
		}
		return false
	}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return cells, rows
		}
		require.NoError(t, err, doc)
		switch tok := tok.(type) {
		case xml.StartElement:
			attr := map[string]string{}
			for _, a := range tok.Attr {
				attr[a.Name.Local] = a.Value
			}
			path = append(path, tok.Name.Local)
			switch tok.Name.Local {
			case "row":
				row, col = row+1, 0
				if n, err := strconv.Atoi(attr["r"]); err == nil {
					row = n
				}
				rows = append(rows, row)
			case "c":
				col++
				if c, err := cellref.ParseCell(attr["r"]); err == nil {
					col = c.Col
				}
				style, _ := strconv.Atoi(attr["s"])
				cells = append(cells, plainCell{Row: row, Col: col, Style: style, Type: types[attr["t"]]})
			case "f":
				cells[len(cells)-1].HasFormula = true
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if !inside("c") {
				continue
			}
			c := &cells[len(cells)-1]
			switch last := path[len(path)-1]; {
			case last == "v":
				c.Value += string(tok)
			case last == "f":
				c.Formula += string(tok)
			case last == "t" && !inside("rPh"):
				c.Inline += string(tok)
			}
		}
	}
}

func TestScannerReadsWhatEncodingXMLReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := sheetXML(t)
		want, wantRows := byEncodingXML(t, strings.TrimPrefix(doc, "\xef\xbb\xbf"))
		size := rapid.IntRange(1, 200).Draw(t, "buffer")
		for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), iotest.DataErrReader(strings.NewReader(doc))} {
			got, rows, whole, err := byScanner(r, size)
			require.NoError(t, err, doc)
			require.Equal(t, doc, string(whole))
			require.Equal(t, wantRows, rows, doc)
			require.Equal(t, want, got, doc)
		}
	})
}

const tricky = `<?xml version="1.0"?><!-- <sheetData> --><x:worksheet xmlns:x="` + Namespace + `"><x:cols><x:col min="2" max="3" style="7"/></x:cols><x:sheetData n='a>b'><!-- <x:row> --><x:row r="3" n="'>'"><x:c r="B3" s="5" t="str"><x:f>"a"&amp;<![CDATA[A1>2]]></x:f><x:v>a&lt;b</x:v></x:c><x:c><x:v><![CDATA[</x:v>]]></x:v></x:c></x:row><x:row/><x:row ><x:c r="A9" t="inlineStr"><x:is><x:t>q<!-- > --></x:t></x:is></x:c></x:row></x:sheetData><x:mergeCells n="/>"><x:mergeCell ref="A1:B2"/></x:mergeCells></x:worksheet>`

// splitReader gives the bytes before and after a point in reads of their own.
func splitReader(doc string, at int) io.Reader {
	return io.MultiReader(strings.NewReader(doc[:at]), strings.NewReader(doc[at:]))
}

func TestEverySplitAndBufferSize(t *testing.T) {
	want, rows := byEncodingXML(t, tricky)
	require.Len(t, want, 3)
	require.Equal(t, []int{3, 4, 5}, rows)
	for at := range len(tricky) {
		for _, size := range []int{1, max(at, 1), at + 1, 4096} {
			got, gotRows, whole, err := byScanner(splitReader(tricky, at), size)
			require.NoError(t, err, at)
			require.Equal(t, tricky, string(whole), at)
			require.Equal(t, want, got, at)
			require.Equal(t, rows, gotRows, at)
		}
	}
}

// A part that ends early is damaged wherever it ends; an error of the stream is told
// as it is.
func TestEveryPrefixIsDamaged(t *testing.T) {
	end := strings.Index(tricky, "</x:sheetData") + len("</x:sheetData>")
	begin := strings.Index(tricky, "<x:sheetData ")
	broken := errors.New("the disk is gone")
	for n := range end {
		_, _, _, err := byScanner(strings.NewReader(tricky[:n]), 64)
		require.Error(t, err, n)
		if n > begin+1 || !errors.Is(err, ErrNoCells) {
			require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), tricky[:n])
		}
		_, _, _, err = byScanner(io.MultiReader(strings.NewReader(tricky[:n]), iotest.ErrReader(broken)), 64)
		require.ErrorIs(t, err, broken, n)
	}
}

func TestScannerNeedsProgressAndRoom(t *testing.T) {
	_, _, _, err := byScanner(iotest.ErrReader(nil), 64)
	require.ErrorIs(t, err, io.ErrNoProgress)
	long := "<worksheet><sheetData><row><c><v>" + strings.Repeat("1", maxBuffered+1)
	_, _, _, err = byScanner(strings.NewReader(long), initialBufferSize)
	require.Equal(t, formats.CodeTooLarge, formats.CodeOf(err))
	_, _, _, err = byScanner(strings.NewReader("<!DOCTYPE a><worksheet><sheetData/></worksheet>"), 64)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	head, err := NewRowScanner(strings.NewReader("<chartsheet/>")).Head()
	require.ErrorIs(t, err, ErrNoCells)
	require.Equal(t, "<chartsheet/>", string(head))
}

// events lists what comes, with offsets in the part.
func events(t require.TestingT, s *RowScanner) (out []string, starts []int64, rows []int) {
	for {
		row := s.Row
		ev, err := s.Next()
		require.NoError(t, err)
		if ev == DataEnd {
			return append(out, "end"), starts, rows
		}
		out = append(out, fmt.Sprint(ev, s.Row, s.Offset(), s.RowEmpty, string(s.Raw()[s.Start:])))
		if ev == RowStart {
			starts, rows = append(starts, s.Offset()), append(rows, row)
		}
	}
}

// A scanner that resumes at a row sees what one sees that came from the start.
func TestResumeAtEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := sheetXML(t)
		s := NewRowScanner(strings.NewReader(doc))
		_, err := s.Head()
		require.NoError(t, err)
		all, starts, rows := events(t, s)
		for i, at := range starts {
			require.True(t, strings.HasPrefix(doc[at:], "<"))
			again := NewRowScanner(strings.NewReader(doc[at:]))
			again.Resume(at, rows[i])
			rest, _, _ := events(t, again)
			require.Equal(t, all[len(all)-len(rest):], rest)
		}
	})
}

// Tags after the rows have the depth that encoding/xml counts.
func TestTailTagsByEncodingXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := sheetXML(t)
		var want, got []string
		dec := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(doc, "\xef\xbb\xbf")))
		depth, behind := 0, false
		for {
			tok, err := dec.Token()
			if err != nil {
				break
			}
			switch tok := tok.(type) {
			case xml.StartElement:
				if depth++; behind {
					want = append(want, fmt.Sprint(tok.Name.Local, depth))
				}
			case xml.EndElement:
				depth--
				behind = behind || tok.Name.Local == "sheetData"
			}
		}
		s := &RowScanner{w: window{r: strings.NewReader(doc), buf: make([]byte, rapid.IntRange(1, 99).Draw(t, "buffer"))}}
		_, err := s.Head()
		require.NoError(t, err)
		events(t, s)
		require.NoError(t, s.EachTailTag(func(tag []byte, depth int) { got = append(got, fmt.Sprint(string(LocalName(tag[1:])), depth)) }))
		require.Equal(t, want, got)
	})
}

func TestSharedStringsByEncodingXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"<si><t>a &amp; b</t></si>", "<si/>", "<si><r><t>x</t></r><rPh sb='0' eb='1'><t>no</t></rPh><r><t>y</t></r></si>", "<!-- <si> -->", "\n", `<si n="/>"><t><![CDATA[</si>]]></t></si>`, "<si><t/></si>", "<si><rPh sb='0' eb='1'/><t>w</t></si>", "<si><t>1<!-- > -->2</t><rPh><t>no</t></rPh></si>", "<si><!-- > <t>no</t> --><t>z</t></si>", "<si><r><rPr><rFont val='a>b'/></rPr><t>q</t></r></si>"})
		doc := "<sst>" + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "items"), "") + "</sst>"
		var sst struct {
			Items []struct {
				T string `xml:"t"`
				R []struct {
					T string `xml:"t"`
				} `xml:"r"`
			} `xml:"si"`
		}
		require.NoError(t, xml.Unmarshal([]byte(doc), &sst))
		s := &RowScanner{w: window{r: iotest.HalfReader(strings.NewReader(doc)), buf: make([]byte, rapid.IntRange(1, 64).Draw(t, "buffer"))}}
		for _, it := range sst.Items {
			want := it.T
			for _, r := range it.R {
				want += r.T
			}
			item, ok, err := s.NextItem()
			require.NoError(t, err)
			require.True(t, ok, doc)
			require.Equal(t, want, PlainText(item), doc)
		}
		_, ok, err := s.NextItem()
		require.NoError(t, err)
		require.False(t, ok)
	})
	for _, cut := range []string{"<sst><si", "<sst><si>", "<sst><si><t>a</t>", "<sst><!-- ", "<sst><si><t"} {
		s := NewRowScanner(strings.NewReader(cut))
		_, _, err := s.NextItem()
		require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err), cut)
	}
}
