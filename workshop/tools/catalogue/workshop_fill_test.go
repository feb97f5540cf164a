package catalogue_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// fill_template makes all files of a call or none, replaces nothing unless asked, and
// says what it did not fill.
func TestFillTemplate(t *testing.T) {
	r := newRig(t)
	write := func(path, content string) {
		b, err := json.Marshal(map[string]string{"path": path, "content": content})
		require.NoError(t, err)
		r.ok("write_text_file", string(b))
	}
	r.ok("docx_operations", `{"path":"t.docx","create_new":true,"operations":[{"op":"append_paragraph","text":"Dear {{name}}, you owe {{sum|0.00}} {{unknown}}."}]}`)
	write("d.csv", "name,sum,city\nAnn,1.5,Ulm\nBob,20,\n")
	got := r.ok("fill_template", `{"path":"t.docx","data":"d.csv","target_path":"out/letter {name}.docx"}`)
	require.Contains(t, got, "Made 2 files from t.docx with 2 rows: out/letter Ann.docx, out/letter Bob.docx\nfilled: name ×2, sum ×2\nplaceholders without data, left as they are: {{unknown}} (")
	require.Contains(t, got, "data that no placeholder uses: city")
	require.Equal(t, "Dear Bob, you owe 20.00 {{unknown}}.", r.ok("read_file", `{"path":"out/letter Bob.docx"}`))

	before := r.changes()
	for args, want := range map[string]string{
		`{"path":"t.docx","data":"d.csv","target_path":"out/letter {name}.docx"}`:                    "Error: out/letter Ann.docx exists already; nothing was written. Give another target_path, or overwrite: true",
		`{"path":"t.docx","data":"d.csv","target_path":"x{nope}.docx"}`:                              "Error: row 1: the data has no column nope for the name of the file",
		`{"path":"t.docx","data":"d.csv","target_path":"x{city}.docx"}`:                              "Error: row 2: city is empty, and the file needs a name",
		`{"path":"t.docx","data":"d.csv","target_path":"t.docx"}`:                                    "Error: t.docx is the template itself",
		`{"path":"t.docx","data":"d.csv","target_path":"t.pdf"}`:                                     "Error: target_path must end in .docx",
		`{"path":"t.docx","data":[1],"target_path":"y.docx"}`:                                        "Error: data must be an object or an array of objects: item 1 is no object",
		`{"path":"t.docx","data":[{"name":"a"},{"name":"A"}],"target_path":"{name}.docx"}`:           "Error: rows 1 and 2 would both be",
		`{"path":"t.docx","data":{"name":"a"},"target_path":"../{name}.docx"}`:                       "Error: SANDBOX_VIOLATION",
		`{"path":"t.docx","data":[{"name":"a"},{"name":"b","sum":1}],"target_path":"{name}/z.txt"}`:  "Error: target_path must end in .docx",
		`{"path":"t.docx","data":{"name":"a","sum":1},"language":"xx","target_path":"q{name}.docx"}`: `Error: language "xx" is unknown`,
	} {
		require.Contains(t, r.call("fill_template", args).Text, want, args)
	}
	require.Equal(t, before, r.changes())
	r.ok("fill_template", `{"path":"t.docx","data":[{"name":"../../x","sum":null}],"target_path":"safe/{name}.docx"}`)
	require.Contains(t, r.ok("list_files", `{}`), `safe/-..-x.docx`)
	require.Contains(t, r.ok("fill_template", `{"path":"t.docx","data":"d.csv","target_path":"out/letter {name}.docx","overwrite":true}`), "files that were there before and were replaced: 2")
	require.Contains(t, r.ok("fill_template", `{"path":"t.docx","data":"d.csv","target_path":"all.docx"}`), "Made 1 file from t.docx with 2 rows: all.docx")
}
