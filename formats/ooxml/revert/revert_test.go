package revert

import (
	"archive/zip"
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
)

const w = `xmlns:w="` + nsW + `" xmlns:r="` + nsRelationships + `"`

func doc(body string) string {
	return `<w:document ` + w + `><w:body>` + body + `</w:body></w:document>`
}

func p(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }

// Each place that differs goes back alone, and all together give the document before.
func TestAlign(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		units         int
	}{
		"a text":             {p("one two three four"), p("one two three five"), 1},
		"two texts":          {p("one two three") + p("same") + p("four five six"), p("one two tree") + p("same") + p("four five seven"), 2},
		"one more":           {p("one") + p("three"), p("one") + p("two") + p("three"), 1},
		"one less":           {p("one") + p("two") + p("three"), p("one") + p("three"), 1},
		"moved":              {p("a long first one") + p("a long second one") + p("a long third one"), p("a long second one") + p("a long third one") + p("a long first one"), 1},
		"properties":         {`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, 1},
		"properties, text":   {`<w:p><w:pPr><w:jc w:val="left"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>y</w:t></w:r></w:p>`, 2},
		"of a table":         {`<w:tbl><w:tblPr><w:jc w:val="left"/></w:tblPr><w:tr><w:tc>` + p("a") + `</w:tc></w:tr></w:tbl>`, `<w:tbl><w:tblPr><w:jc w:val="right"/></w:tblPr><w:tr><w:tc>` + p("a") + `</w:tc></w:tr></w:tbl>`, 1},
		"nothing":            {p("x"), p("x"), 0},
		"empty and not":      {`<w:p/>`, p("x"), 2},
		"an attribute below": {`<w:sectPr><w:pgSz w:w="1"/><w:cols w:num="1"/></w:sectPr>`, `<w:sectPr><w:pgSz w:w="2"/><w:cols w:num="1"/></w:sectPr>`, 1},
	} {
		before, after := doc(c.before), doc(c.after)
		units, err := alignXML(context.Background(), []byte(before), []byte(after))
		require.NoError(t, err, name)
		require.Len(t, units, c.units, name)
		var all []xmlscan.Splice
		for _, u := range units {
			all = append(all, u.splices...)
		}
		require.Equal(t, before, string(xmlscan.Apply([]byte(after), all)), name)
	}
}

// Documents whose prefixes mean other things, or that are no XML, are not aligned.
func TestAlignRefuses(t *testing.T) {
	for _, after := range []string{`<x:document xmlns:x="` + nsW + `"><x:body/></x:document>`, `<w:document xmlns:w="urn:other"/>`, `<w:document`, ``} {
		units, err := alignXML(context.Background(), []byte(doc(p("x"))), []byte(after))
		require.NoError(t, err)
		require.Empty(t, units, after)
	}
}

func TestRowsInOrder(t *testing.T) {
	sheet := func(rows string) []byte {
		return []byte(`<worksheet><sheetData>` + rows + `</sheetData><mergeCells count="7"><mergeCell/><mergeCell/></mergeCells></worksheet>`)
	}
	for rows, ok := range map[string]bool{`<row r="1"><c r="A1"/></row><row r="3"/>`: true, `<row r="2"/><row r="2"/>`: false, `<row r="2"/><row r="1"/>`: false, `<row r="1"><c r="B2"/></row>`: false, `<row/><row/>`: true} {
		require.Equal(t, ok, rowsInOrder(sheet(rows)), rows)
	}
	require.True(t, rowsInOrder([]byte(`<w:document><a><row r="2"/><row r="1"/></a></w:document>`)))
	require.Contains(t, string(recounted(sheet(""))), `<mergeCells count="2">`)
}

func TestLocalNames(t *testing.T) {
	book := func(names string, sheets ...string) []byte {
		s := `<workbook><sheets>`
		for _, n := range sheets {
			s += `<sheet name="` + n + `"/>`
		}
		return []byte(s + `</sheets><definedNames>` + names + `</definedNames></workbook>`)
	}
	mine, old := `<definedName name="a" localSheetId="0">x</definedName>`, `<definedName name="b" localSheetId="1">y</definedName>`
	before, after := book(old, "One", "Two"), book(mine, "Two")
	require.Equal(t, string(book(`<definedName name="a" localSheetId="1">x</definedName>`+old, "One", "Two")), string(localNames(before, after, book(mine+old, "One", "Two"))), "Two is the second sheet again")
	require.Nil(t, localNames(before, after, book(mine, "One")), "Two is not there")
	require.Equal(t, string(after), string(localNames(after, after, after)))
}

func pack(t *testing.T, parts map[string]string) formats.Source {
	t.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		f, err := zw.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(parts[name]))
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return formats.FromBytes("x.docx", buf.Bytes())
}

const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/></Types>`

func rels(list string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + list + `</Relationships>`
}

// A picture that was removed comes back with its relationship and its part; one that was
// added goes with both. An id that means something else now is refused.
func TestPartsFollow(t *testing.T) {
	root := rels(`<Relationship Id="r" Type="` + opc.RelOfficeDocument + `" Target="word/document.xml"/>`)
	image := func(id, target string) string {
		return `<Relationship Id="` + id + `" Type="` + opc.RelPrefix + `image" Target="` + target + `"/>`
	}
	blip := func(id string) string { return `<w:p><w:r><w:drawing r:embed="` + id + `"/></w:r></w:p>` }
	with := map[string]string{"[Content_Types].xml": types, "_rels/.rels": root, "word/document.xml": doc(p("text") + blip("rId5")), "word/_rels/document.xml.rels": rels(image("rId5", "media/a.png")), "word/media/a.png": "A"}
	without := map[string]string{"[Content_Types].xml": types, "_rels/.rels": root, "word/document.xml": doc(p("text")), "word/_rels/document.xml.rels": rels("")}
	other := map[string]string{"[Content_Types].xml": types, "_rels/.rels": root, "word/document.xml": doc(p("text")), "word/_rels/document.xml.rels": rels(image("rId5", "media/b.png")), "word/media/b.png": "B"}
	revertAll := func(before, after map[string]string) (*opc.Edit, error) {
		s, err := openSides(context.Background(), pack(t, before), pack(t, after))
		require.NoError(t, err)
		units, err := s.units(context.Background())
		require.NoError(t, err)
		var content []unit
		for _, u := range units {
			if u.rel == nil {
				content = append(content, u)
			}
		}
		require.NotEmpty(t, content)
		return s.revert(context.Background(), content)
	}
	ed, err := revertAll(with, without)
	require.NoError(t, err)
	b, err := ed.Read(context.Background(), "word/media/a.png")
	require.NoError(t, err)
	require.Equal(t, "A", string(b))
	list, err := ed.Rels(context.Background(), "word/document.xml")
	require.NoError(t, err)
	require.Equal(t, "rId5", list[0].ID)

	ed, err = revertAll(without, with)
	require.NoError(t, err)
	require.False(t, ed.Has("word/media/a.png"))
	list, err = ed.Rels(context.Background(), "word/document.xml")
	require.NoError(t, err)
	require.Empty(t, list)

	_, err = revertAll(with, other)
	require.ErrorIs(t, err, errConflict)
}

// References that lead nowhere are counted, and what nothing refers to.
func TestBroken(t *testing.T) {
	body := func(s string) map[string]string {
		return map[string]string{"[Content_Types].xml": types, "word/document.xml": doc(s)}
	}
	count := func(parts map[string]string) map[string]int {
		n, err := broken(context.Background(), pack(t, parts))
		require.NoError(t, err)
		return n
	}
	require.Empty(t, count(body(p("x"))))
	require.Equal(t, map[string]int{"comment": 1}, count(body(`<w:p><w:commentReference w:id="3"/></w:p>`)))
	require.Equal(t, map[string]int{"relationship": 1}, count(body(`<w:p><w:drawing r:embed="rId1"/></w:p>`)))
	parts := body(`<w:p><w:footnoteReference w:id="2"/></w:p>`)
	parts["word/footnotes.xml"] = `<w:footnotes ` + w + `><w:footnote w:id="2"/><w:footnote w:id="0" w:type="separator"/></w:footnotes>`
	require.Empty(t, count(parts))
	parts["word/document.xml"] = doc(p("x"))
	require.Equal(t, map[string]int{"footnote": 1}, count(parts), "a note without a mark")
	book := map[string]string{"[Content_Types].xml": types, "xl/workbook.xml": `<workbook><sheets><sheet name="One"/></sheets><definedNames><definedName name="n">'Two'!A1+One!B2</definedName></definedNames></workbook>`}
	require.Equal(t, map[string]int{"sheet": 1}, count(book))
}
