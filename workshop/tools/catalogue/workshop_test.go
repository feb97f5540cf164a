package catalogue

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/workshop"
	"atelier/workshop/review"
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
		require.Equal(t, want, a.selector(&tools.Env{}).Pages, args)
	}
	for _, b := range Workshop().Bindings() {
		if b.Name == "read_file" {
			require.NotContains(t, b.Schema.Properties, "page_start")
			require.Contains(t, b.Schema.Properties, "pages")
		}
	}
}

// W-32: list_files tells kinds by their extensions, otherwise by their content.
func TestW32Kinds(t *testing.T) {
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	wb, err := home.OpenFolder(t.Context(), t.TempDir())
	require.NoError(t, err)
	env := &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
	want := map[string]formats.Kind{}
	for kind, exts := range map[formats.Kind][]string{
		formats.KindText: {"txt", "csv", "md", "json", "xml", "yaml", "yml", "html", "js", "ts", "py", "java", "go", "rb", "rs", "c", "cpp", "h", "css", "sql"},
		formats.KindDocx: {"docx"}, formats.KindODT: {"odt"}, formats.KindXlsx: {"xlsx"}, formats.KindPptx: {"pptx"}, formats.KindPDF: {"pdf", "PDF"},
		formats.KindImage:  {"png", "jpg", "jpeg", "gif", "webp", "svg"},
		formats.KindBinary: {"bin", "exe", "unheard-of"},
	} {
		content := ""
		if kind == formats.KindBinary {
			content = "MZ\x00\x01"
		}
		for _, ext := range exts {
			p := workshop.Path("file." + ext)
			_, err := env.View.Put(t.Context(), p, workshop.PutOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
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

// W-32: text is read, written, searched and listed as text whatever its name is;
// names of documents and binary content are not written over.
func TestW32TextWhateverItsName(t *testing.T) {
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	root := t.TempDir()
	names := []string{"Program.cs", "App.tsx", "Makefile", "noext", "sub/build.gradle", "x.unheard-of"}
	require.NoError(t, os.Mkdir(filepath.Join(root, "sub"), 0o700))
	for _, n := range names {
		require.NoError(t, os.WriteFile(filepath.Join(root, n), []byte("old line\n"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "data.bin"), []byte("a\x00b"), 0o600))
	wb, err := home.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	env := &tools.Env{View: wb.DraftView(workshop.Cause{}), Formats: all.Formats(all.Options{CacheDir: formatstest.Cache})}
	call := func(tool string, args map[string]any) tools.Result {
		b, err := json.Marshal(args)
		require.NoError(t, err)
		return Workshop().Call(t.Context(), env, tool, b)
	}
	kinds := func() map[string]listedFile {
		var list []listedFile
		require.NoError(t, json.Unmarshal([]byte(call("list_files", map[string]any{}).Full), &list))
		out := map[string]listedFile{}
		for _, f := range list {
			out[f.Path] = f
		}
		return out
	}
	for n, f := range kinds() {
		want := formats.KindText
		if n == "data.bin" {
			want = formats.KindBinary
		}
		require.Equal(t, string(want), f.Kind, n)
		require.Equal(t, want == formats.KindBinary, f.IsOpaque, n)
		require.Equal(t, formats.MIMEOf(n, want), f.MIME, n)
	}
	for _, n := range append(names, "new.kt", ".editorconfig") {
		if n != "new.kt" && n != ".editorconfig" {
			r := call("read_file", map[string]any{"path": n})
			require.True(t, r.Success, r.Text)
			require.Contains(t, r.Text, "old line", n)
		}
		r := call("write_text_file", map[string]any{"path": n, "content": "new line\n"})
		require.True(t, r.Success, "%s: %s", n, r.Text)
		require.Contains(t, call("read_file", map[string]any{"path": n}).Text, "new line", n)
		require.Equal(t, "text", kinds()[n].Kind, n)
	}
	for _, n := range []string{"data.bin", "new.docx", "new.zip", "new.png"} {
		r := call("write_text_file", map[string]any{"path": n, "content": "x"})
		require.False(t, r.Success, n)
		require.Contains(t, r.Text, n)
	}
	set := env.Formats
	changes, err := review.ChangeSet(t.Context(), wb, set)
	require.NoError(t, err)
	require.Len(t, changes, len(names)+2)
	for _, c := range changes {
		require.Equal(t, "text", c.FileKind, c.Path)
		require.False(t, c.IsOpaque, c.Path)
		require.Contains(t, c.Summary, "1 line of text added", c.Path)
		d, err := review.Diff(t.Context(), wb, set, workshop.Path(c.Path), review.TextOptions{})
		require.NoError(t, err)
		require.Equal(t, 1, d.Added, c.Path)
		require.Empty(t, d.Message, c.Path)
	}
}
