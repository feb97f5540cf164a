package libreoffice

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/need"
)

// RV-05: a conversion fetches nothing that the document links to: the listener
// of a linked picture sees no connection.
func TestRV05NoConnection(t *testing.T) {
	need.Program(t, "soffice", need.LibreOffice)
	address, came := formatstest.Listener(t)
	in := filepath.Join(t.TempDir(), "linked.docx")
	require.NoError(t, os.WriteFile(in, linked(t, "http://"+address+"/x.png"), 0o600))
	_, err := Convert(context.Background(), in, "pdf", t.TempDir())
	require.NoError(t, err)
	require.Zero(t, came.Load(), "LibreOffice fetched a linked picture")
}

// linked is our contract with its embedded picture turned into a linked one.
func linked(t *testing.T, url string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx"))
	require.NoError(t, err)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	zr, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	changed := 0
	for _, f := range zr.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		switch f.Name {
		case "word/_rels/document.xml.rels":
			s := strings.ReplaceAll(string(data), `Target="media/image1.png"`, `Target="`+url+`" TargetMode="External"`)
			changed += len(s) - len(data)
			data = []byte(s)
		case "word/document.xml":
			data = bytes.ReplaceAll(data, []byte("r:embed="), []byte("r:link="))
		}
		p, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = p.Write(data)
		require.NoError(t, err)
	}
	require.Positive(t, changed, "the picture is not where this test looks for it")
	require.NoError(t, w.Close())
	return out.Bytes()
}
