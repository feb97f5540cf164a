package tasks

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func office(t *testing.T, parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

const (
	w   = `xmlns:w="w"`
	rel = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
)

func documents(t *testing.T) *state {
	old := office(t, map[string]string{"word/document.xml": `<w:document ` + w + `><w:body>
		<w:p><w:r><w:t>Ten days from now.</w:t></w:r></w:p><w:p><w:r><w:t>The end.</w:t></w:r></w:p></w:body></w:document>`})
	now := office(t, map[string]string{
		"word/document.xml": `<w:document ` + w + ` xmlns:a="a"><w:body>
		<w:p><w:commentRangeStart w:id="4"/><w:del><w:r><w:delText>Ten</w:delText></w:r></w:del><w:ins><w:r><w:t>Eight</w:t></w:r></w:ins><w:r><w:t> days from now.</w:t></w:r></w:p>
		<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr><w:ins><w:r><w:t>A new </w:t></w:r></w:ins><w:ins><w:r><w:t>clause</w:t></w:r></w:ins></w:p>
		<w:p><w:r><w:t>The end.</w:t></w:r></w:p>
		<w:tbl><w:tr><w:tc><w:p><w:r><w:t>SKU 1</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc><w:tc><w:p><w:r><w:t>12</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
		<w:p><w:r><a:blip/></w:r></w:p></w:body></w:document>`,
		"word/comments.xml": `<w:comments ` + w + `><w:comment w:id="4"><w:p><w:r><w:t>Agreed.</w:t></w:r></w:p></w:comment></w:comments>`,
	})
	deck := office(t, map[string]string{
		"ppt/presentation.xml":             `<p:presentation xmlns:p="p" xmlns:r="` + rel + `"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  `<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide7.xml"/></Relationships>`,
		"ppt/slides/slide7.xml":            `<p:sld xmlns:p="p" xmlns:a="a"><a:blip/><a:blip/></p:sld>`,
		"ppt/slides/_rels/slide7.xml.rels": `<Relationships><Relationship Id="r1" Type="x/chart" Target="../charts/chart1.xml"/></Relationships>`,
		"ppt/charts/chart1.xml":            `<c:c xmlns:c="c"><c:ser><c:tx><c:strRef><c:strCache><c:pt><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:pt><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt><c:v>3.0</c:v></c:pt><c:pt><c:v>4</c:v></c:pt></c:val></c:ser></c:c>`,
	})
	return &state{before: map[string][]byte{"c.docx": old}, after: map[string][]byte{"c.docx": now, "d.pptx": deck}}
}

func TestDocumentChecks(t *testing.T) {
	s := documents(t)
	for line, good := range map[string]bool{
		`inserted c.docx "^A new clause$"`:  true,
		`inserted c.docx Ten`:               false,
		`inserted c.docx days`:              false,
		`deleted c.docx ^Ten$`:              true,
		`deleted c.docx Eight`:              false,
		`stays c.docx c.docx days`:          true,
		`stays c.docx c.docx ^$`:            false,
		`comment c.docx "days from" Agreed`: true,
		`comment c.docx "The end" Agreed`:   false,
		`comment c.docx "days from" No`:     false,
		`row c.docx "^SKU 1$" ^12$`:         true,
		`row c.docx ^12$ "^SKU 1$"`:         false,
		`row c.docx SKU ^13$`:               false,
		`pictures c.docx 1`:                 true,
		`pictures c.docx 0`:                 false,
		`pictures d.pptx 2 1`:               true,
		`pictures d.pptx 2 2`:               false,
		`chart d.pptx 1 ^Sales$ 3 4`:        true,
		`chart d.pptx 1 ^Sales$ 3 *`:        true,
		`chart d.pptx 1 ^Sales$ 3`:          false,
		`chart d.pptx 1 ^Q1$ 3 4`:           false,
		`chart d.pptx 1 ^Sales$ 3 5`:        false,
		`rejected c.docx`:                   false, // the table was not tracked
	} {
		list, err := parseChecks(line)
		require.NoError(t, err, line)
		err = list[0].run(t.Context(), s)
		require.Equal(t, good, err == nil, "%s: %v", line, err)
	}
}

func TestRejected(t *testing.T) {
	s := documents(t)
	body := func(text string) map[string]string {
		return map[string]string{"word/document.xml": `<w:document ` + w + `><w:body>` + text + `</w:body></w:document>`}
	}
	for text, good := range map[string]bool{
		`<w:p><w:del><w:r><w:delText>Ten</w:delText></w:r></w:del><w:ins><w:r><w:t>Eight</w:t></w:r></w:ins><w:r><w:t> days from now.</w:t></w:r></w:p><w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr><w:ins><w:r><w:t>New</w:t></w:r></w:ins></w:p><w:p><w:r><w:t>The end.</w:t></w:r></w:p>`: true,
		`<w:p><w:r><w:t>Eight days from now.</w:t></w:r></w:p><w:p><w:r><w:t>The end.</w:t></w:r></w:p>`:                                                                      false,
		`<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr><w:r><w:t>Ten days from </w:t></w:r></w:p><w:p><w:r><w:t>now.</w:t></w:r></w:p><w:p><w:r><w:t>The end.</w:t></w:r></w:p>`: true,
		`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>Ten days from now.</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>The end.</w:delText></w:r></w:del></w:p>`:       true,
		`<w:p><w:r><w:t>Ten days from now.</w:t></w:r></w:p>`: false,
	} {
		s.after["c.docx"] = office(t, body(text))
		err := rejected(t.Context(), s, []string{"c.docx"})
		require.Equal(t, good, err == nil, "%s: %v", text, err)
	}
}
