package template

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
)

func records(t *testing.T, text string) (out []Record) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	require.NoError(t, d.Decode(&out))
	return out
}

func fill(t *testing.T, name string, b []byte, data string, lang string) ([]byte, *Tally) {
	t.Helper()
	tally := NewTally()
	var out bytes.Buffer
	require.NoError(t, Fill(t.Context(), formats.FromBytes(name, b), &out, records(t, data), Options{Language: lang}, tally))
	validate(t, name, out.Bytes(), b)
	return out.Bytes(), tally
}

// validate checks the result against the schemas, where the validator is there.
func validate(t *testing.T, name string, made, was []byte) {
	t.Helper()
	formatstest.Validate(t, formatstest.Write(t, "made-"+filepath.Base(name), made), formatstest.Write(t, filepath.Base(name), was))
}

// apply makes a file with the operations of its format.
func apply(t *testing.T, f *formats.Format, ops string) []byte {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(ops), &list))
	var out bytes.Buffer
	_, err := f.Editor.Apply(t.Context(), nil, &out, list, formats.ApplyOptions{})
	require.NoError(t, err)
	return out.Bytes()
}

// text reads a document as a model does.
func text(t *testing.T, f *formats.Format, name string, b []byte) string {
	t.Helper()
	got, err := f.Reader.Read(t.Context(), formats.FromBytes(name, b), formats.Selector{})
	require.NoError(t, err)
	return got.Text
}

// withBody returns a document whose body is replaced.
func withBody(t *testing.T, body string) []byte {
	t.Helper()
	b := apply(t, docx.Format(), `[]`)
	pkg, err := opc.Open(t.Context(), formats.FromBytes("a.docx", b))
	require.NoError(t, err)
	ed := pkg.Edit()
	doc, err := ed.ReadXML(t.Context(), "word/document.xml")
	require.NoError(t, err)
	i, j := bytes.Index(doc, []byte("<w:body>")), bytes.Index(doc, []byte("<w:sectPr"))
	require.Positive(t, i)
	if j < 0 {
		j = bytes.Index(doc, []byte("</w:body>"))
	}
	ed.Set("word/document.xml", append(append(append([]byte(nil), doc[:i+8]...), body...), doc[j:]...))
	var out bytes.Buffer
	require.NoError(t, ed.Write(t.Context(), &out))
	return out.Bytes()
}

func fillOnly(t *testing.T, b []byte, data string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Fill(t.Context(), formats.FromBytes("a.docx", b), &out, records(t, data), Options{}, NewTally()))
	return out.Bytes()
}
