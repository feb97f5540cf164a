package odt

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func zipped(t testing.TB, parts map[string]string) formats.Source {
	t.Helper()
	var b bytes.Buffer
	zw := zip.NewWriter(&b)
	for name, body := range parts {
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(body))
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return formats.FromBytes("a.odt", b.Bytes())
}

func document(t testing.TB, body string) formats.Source {
	return zipped(t, map[string]string{"content.xml": `<office:document-content xmlns:office="` + nsOffice + `" xmlns:text="` + nsText + `" xmlns:table="` + nsTable + `" xmlns:draw="` + nsDraw + `"><office:body><office:text>` + body + `</office:text></office:body></office:document-content>`})
}

func read(t testing.TB, src formats.Source, section string) string {
	t.Helper()
	text, err := Format().Reader.Read(context.Background(), src, formats.Selector{Section: section})
	require.NoError(t, err)
	return text.Text
}

func TestReadInOrder(t *testing.T) {
	src := document(t, `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>a  b<text:s text:c="2"/>c<text:tab/>d<text:line-break/>e <text:span>f</text:span></text:p>
<text:h text:outline-level="2">Head &amp; Tail</text:h><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>x</text:p><text:p>y</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>z</text:p></table:table-cell></table:table-row></table:table>
<text:p>end<office:annotation><text:p>note</text:p></office:annotation><draw:frame><draw:image/></draw:frame></text:p>`)
	require.Equal(t, "a b  c\td\ne f\nHead & Tail\nitem\nx y\t\t\tz\nend", read(t, src, ""))
	require.Equal(t, "Head & Tail\nitem\nx y\t\t\tz\nend", read(t, src, "head & tail"))
	require.Equal(t, "a b  c\td\ne f", read(t, src, "0"))
	m, err := Format().Mapper.Map(context.Background(), src, formats.MapOptions{})
	require.NoError(t, err)
	require.Equal(t, &Map{CharCount: 40, Sections: []SectionMap{{"", 0, 12}, {"Head & Tail", 2, 28}}, Tables: 1, Images: 1}, m)
}

func TestTypedErrors(t *testing.T) {
	ctx := context.Background()
	for src, code := range map[formats.Source]formats.Code{
		zipped(t, map[string]string{"META-INF/manifest.xml": `<m><encryption-data/></m>`, "content.xml": "x"}): formats.CodeEncrypted,
		zipped(t, map[string]string{"x": ""}):              formats.CodeCorrupt,
		zipped(t, map[string]string{"content.xml": "<a>"}): formats.CodeCorrupt,
		formats.FromBytes("a.odt", nil):                    formats.CodeCorrupt,
		document(t, strings.Repeat("<text:p>", 300)):       formats.CodeCorrupt,
	} {
		_, err := Format().Reader.Read(ctx, src, formats.Selector{})
		require.Equal(t, code, formats.CodeOf(err), "%v", err)
	}
	_, err := Format().Reader.Read(ctx, document(t, "<text:p/>"), formats.Selector{Section: "none"})
	require.EqualError(t, err, "section not found: none")
}

func TestMapIsBounded(t *testing.T) {
	var sb strings.Builder
	for i := range 3000 {
		sb.WriteString(`<text:h>` + strings.Repeat(strconv.Itoa(i*7919)+"ü", 30) + `</text:h>`)
	}
	m, err := Format().Mapper.Map(context.Background(), document(t, sb.String()), formats.MapOptions{})
	require.NoError(t, err)
	b, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(b), formats.MaxMap)
	require.Equal(t, 3000, len(m.(*Map).Sections)+m.(*Map).SectionsOmitted)
}

// A document that LibreOffice writes reads like the docx it came from.
func TestLibreOfficeDocument(t *testing.T) {
	path := filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx")
	b, err := os.ReadFile(formatstest.LibreOffice(t, path, "odt"))
	require.NoError(t, err)
	text := read(t, formats.FromBytes("contrato.odt", b), "")
	require.Contains(t, text, "Concepto\tVencimiento\tPorcentaje\tImporte\nPedido inicial\t")
	require.Contains(t, text, "\nSegunda. Duración\n")
	require.NotContains(t, text, "logística", "comments are not text")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`<text:p xmlns:text="` + nsText + `">a<text:s text:c="9"/></text:p>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		c, err := parse(doc)
		if err == nil {
			sections(c.lines)
		}
	})
}
