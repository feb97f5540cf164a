package catalogue

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/builtin"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// C-36: page_start and page_end are read when there is no pages, and are not
// advertised.
func TestC36LegacyPages(t *testing.T) {
	for args, want := range map[string]string{
		`{"page_start":2,"page_end":"4"}`:           "2-4",
		`{"page_start":3}`:                          "3",
		`{"pages":3}`:                               "3",
		`{"page_end":3}`:                            "",
		`{"pages":"7","page_start":2,"page_end":4}`: "7",
	} {
		var a readFileArgs
		require.NoError(t, json.Unmarshal([]byte(args), &a))
		require.Equal(t, want, a.selector().Pages, args)
	}
	for _, b := range Workshop().Bindings() {
		if b.Name == "read_file" {
			require.NotContains(t, b.Schema.Properties, "page_start")
			require.Contains(t, b.Schema.Properties, "pages")
		}
	}
}

// W-32: list_files tells kinds by their extensions; what has none is opaque.
func TestW32Kinds(t *testing.T) {
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	wb, err := home.OpenFolder(t.Context(), t.TempDir())
	require.NoError(t, err)
	env := &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: builtin.Formats(builtin.Options{})}
	want := map[string]formats.Kind{}
	for kind, exts := range map[formats.Kind][]string{
		formats.KindText: {"txt", "csv", "md", "json", "xml", "yaml", "yml", "html", "js", "ts", "py", "java", "go", "rb", "rs", "c", "cpp", "h", "css", "sql"},
		formats.KindDocx: {"docx"}, formats.KindODT: {"odt"}, formats.KindXlsx: {"xlsx"}, formats.KindPptx: {"pptx"}, formats.KindPDF: {"pdf", "PDF"},
		formats.KindImage:  {"png", "jpg", "jpeg", "gif", "webp", "svg"},
		formats.KindBinary: {"bin", "exe", "unheard-of"},
	} {
		for _, ext := range exts {
			p := workshop.Path("file." + ext)
			_, err := env.View.Put(t.Context(), p, workshop.PutOptions{}, func(io.Writer) error { return nil })
			require.NoError(t, err)
			want[string(p)] = kind
		}
	}
	r := Workshop().Call(t.Context(), env, "list_files", json.RawMessage(`{}`))
	require.True(t, r.Success, r.Text)
	var list []listedFile
	require.NoError(t, json.Unmarshal([]byte(r.Full), &list))
	require.Len(t, list, len(want))
	for _, f := range list {
		require.Equal(t, string(want[f.Path]), f.Kind, f.Path)
		require.Equal(t, want[f.Path] == formats.KindBinary, f.IsOpaque, f.Path)
	}
}
