package transcript

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sentKey = "sk-live-0123456789abcdefgh"

// D-21, L-11: what only the tool log of an earlier run holds is looked into too.
func TestD21KeysInTheToolLog(t *testing.T) {
	file := `A long result, and a file that is not what it was.
-- files/a.txt --
` + strings.Repeat("a line of text\n", 2000) + sentKey + "\n" + strings.Repeat("a line of text\n", 2000) + `
-- client --
{"send":"Read it."}
{"run":true}
{"send":"And?"}
{"run":true}
-- model-1 --
{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"a.txt"}}}
-- model-2 --
{"call":{"id":"tc-2","name":"write_text_file","arguments":{"path":"a.txt","content":"x"}}}
-- model-3 --
{"text":"Written."}
-- model-4 --
{"text":"That is all."}
`
	all := recordAll(t, file, nil, nil)
	require.Len(t, all, 2)
	require.Empty(t, all[1].Differs)
	require.Contains(t, string(all[1].File), "-- tool-log --")
	require.NotContains(t, string(all[0].File), sentKey)
	require.NotContains(t, string(all[1].File), sentKey)
}

// D-21: a key that a document has in pieces is taken out of what was read of it,
// and the document is named.
func TestD21KeysInPieces(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Key ` + sentKey[:12] + `</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>` + sentKey[12:] + `</w:t></w:r></w:p></w:body></w:document>`},
	} {
		f, err := w.Create(part[0])
		require.NoError(t, err)
		_, err = f.Write([]byte(part[1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	for _, read := range []string{`{"call":{"id":"tc-1","name":"read_file","arguments":{"path":"d.docx"}}}`, `{"call":{"id":"tc-1","name":"list_files","arguments":{}}}`} {
		all := recordAll(t, `A document.
-- base64/d.docx --
`+base64.StdEncoding.EncodeToString(b.Bytes())+`
-- client --
{"send":"Look."}
{"run":true}
-- model-1 --
`+read+`
-- model-2 --
{"text":"So."}
`, nil, nil)
		require.Len(t, all, 1)
		require.NotContains(t, string(all[0].File), sentKey)
		require.Equal(t, []string{"d.docx"}, all[0].Unseen)
		require.NotContains(t, strings.Join(all[0].Differs, "\n"), sentKey)
	}
}
