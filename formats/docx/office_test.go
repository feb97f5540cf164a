package docx

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// TestLibreOfficeOpensEachOp: what every operation makes of real documents and
// of our own opens in LibreOffice and shows the new text.
func TestLibreOfficeOpensEachOp(t *testing.T) {
	docs := []string{filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx")}
	for _, path := range formatstest.Corpus(t, "docx") {
		if strings.Contains(path, "textbox") || strings.Contains(path, "strict-format") {
			docs = append(docs, path)
		}
	}
	require.Len(t, docs, 3)
	for _, path := range docs {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		word := strings.Fields(read(t, src, ""))[0]
		find, _ := json.Marshal(map[string]string{"op": "replace_text", "search": word, "replace": "Zebra"})
		for name, op := range map[string]string{
			"append":  `{"op":"append_paragraph","text":"Zebra at the end","style":"Heading 1"}`,
			"set":     `{"op":"set_paragraphs","paragraphs":[{"text":"Zebra","style":"Title"},{"text":"a\tb\nc"}]}`,
			"replace": string(find),
		} {
			t.Run(name+" "+filepath.Base(path), func(t *testing.T) {
				out, _, err := apply(t, src, op)
				require.NoError(t, err)
				file := formatstest.Write(t, name+".docx", out)
				text, err := os.ReadFile(formatstest.LibreOffice(t, file, "txt:Text"))
				require.NoError(t, err)
				require.True(t, bytes.Contains(text, []byte("Zebra")), "%s", text)
				formatstest.Validate(t, file, path)
			})
		}
	}
}
