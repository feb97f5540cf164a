package catalogue_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/preview"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/workshop/tools"
)

// W-21: convert makes new files only, and says what was lost; without LibreOffice it makes
// those that need none.
func TestW21Convert(t *testing.T) {
	r := newRig(t)
	r.env.Pages = preview.New(r.env.Formats, preview.Options{NoLibreOffice: true})
	text := "---\ntitle: x\n---\n# Head *ing*\n\nA **bold** and `a*b` word &amp; \\*star\\*,\nnext [link](https://x.example/?a=b) <b>raw</b>\n\n" +
		"1. one\n2. two\n\n   more\n   - nested\n\n> said\n\n```go\nif a {\n\tb\n}\n```\n\n| A | B |\n|---|---|\n| *1* | 2 |\n\n- [x] done\n\n3. three\n\n![pic](p.png)\n"
	b, err := json.Marshal(map[string]string{"path": "in/a.md", "content": text})
	require.NoError(t, err)
	r.ok("write_text_file", string(b))
	got := r.ok("convert", `{"path":"in/a.md","format":".DOCX"}`)
	require.Regexp(t, `^Made in/a.docx \([0-9]+ bytes\) from in/a.md\nlines of front matter, which are not in it: 1\nimages, of which only the description is in it: 1\n`+
		`pieces of HTML, which are not in it: 2\nlinks, which are text with their address: 1\ntable cells whose emphasis is gone: 1$`, got)
	require.Equal(t, strings.Join([]string{"[p0 Heading 1] Head ing", "[p1] A bold and a*b word & *star*, next link (https://x.example/?a=b) raw", "[p2] 1.\tone", "[p3] 2.\ttwo", "[p4] more",
		"[p5 • List Bullet] nested", "[p6 Quote] said", "[p7] if a {\n\tb\n}", "[t0.r0] A\tB", "[t0.r1] 1\t2", "[p8] ", "[p9 • List Bullet] ☑ done", "[p10] 3.\tthree", "[p11] [pic: p.png]"}, "\n"),
		r.ok("read_file", `{"path":"in/a.docx","include":["addresses"]}`))
	r.ok("write_text_file", `{"path":"in/b.txt","content":"# one\n\ntwo *three*\n"}`)
	r.ok("convert", `{"path":"in/b.txt","format":"docx","target_path":"out/b.docx"}`)
	require.Equal(t, "# one\n\ntwo *three*", r.ok("read_file", `{"path":"out/b.docx"}`))

	r.ok("xlsx_operations", `{"path":"n.xlsx","create_new":true,"operations":[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"B2","value":"a,\"b\""},{"cell":"C2","value":1234.5},
		{"cell":"B4","value":"2026-11-24"},{"cell":"D4","value":true},{"cell":"D5","value":"=MYMACRO()"}]},{"op":"ensure_sheet","sheet":"Other"}]}`)
	got = r.ok("convert", `{"path":"n.xlsx","format":"csv"}`)
	require.Contains(t, got, `the values of sheet "Sheet1"; formulas, formats, charts and comments are not in a csv`)
	require.Contains(t, got, "sheets that are not in it: Other")
	require.Equal(t, "\"a,\"\"b\"\"\",1234.5,\n,,\n2026-11-24,,true\n,,\n", string(r.bytes("n.csv")))
	require.Contains(t, got, "formulas without a value, which are empty in it: 1")
	r.ok("convert", `{"path":"n.xlsx","format":"csv","sheet":"Other","target_path":"empty.csv"}`)
	require.Empty(t, r.bytes("empty.csv"))
	r.ok("convert", `{"path":"clientes.csv","format":"xlsx","target_path":"out/c.xlsx"}`)
	require.Contains(t, r.ok("read_file", `{"path":"out/c.xlsx","range":"A1:B2"}`), "A2: 1001")

	before := r.changes()
	r.ok("write_text_file", `{"path":"p.pdf.txt","content":"x"}`)
	for args, want := range map[string]string{
		`{"path":"in/a.md","format":"docx"}`:                                  "Error: in/a.docx exists already: a docx file, which convert does not replace; give a free target_path",
		`{"path":"in/a.md","format":"docx","target_path":"x.pdf"}`:            "Error: target_path must end in .docx",
		`{"path":"in/a.md","format":"docx","target_path":"../x.docx"}`:        "Error: SANDBOX_VIOLATION",
		`{"path":"in/a.md","format":"pdf"}`:                                   "Error: a pdf cannot be made of in/a.md here: LibreOffice, which does it, is not installed; nothing was written",
		`{"path":"in/a.md","format":"xlsx"}`:                                  "Error: in/a.md cannot become xlsx, only docx, pdf",
		`{"path":"contrato.docx","format":"docx","target_path":"y.docx"}`:     "Error: contrato.docx is a docx already; copy it",
		`{"path":"bad/truncated.pdf","format":"docx"}`:                        "Error: a pdf is not converted",
		`{"path":"bad/not-a-bitmap.png","format":"pdf"}`:                      "Error: bad/not-a-bitmap.png cannot be converted",
		`{"path":"bad/encrypted.docx","format":"pdf"}`:                        "Error: bad/encrypted.docx is encrypted with a password",
		`{"path":"none.docx","format":"pdf"}`:                                 "Error: file not found: none.docx",
		`{"path":"n.xlsx","format":"csv","sheet":"No","target_path":"q.csv"}`: "Error: unknown sheet: No",
		`{"path":"n.xlsx","format":"","target_path":"q.csv"}`:                 "Error: format is required",
	} {
		res := r.call("convert", args)
		require.False(t, res.Success, args)
		require.Contains(t, res.Text, want, args)
	}
	r.ok("delete", `{"path":"p.pdf.txt"}`)
	require.Equal(t, before, r.changes(), "nothing was written")
	r.env.Mode = tools.ModePlan
	require.Contains(t, r.call("convert", `{"path":"n.xlsx","format":"csv","target_path":"z.csv"}`).Text, "Plan Mode")
}

// W-21: LibreOffice makes a pdf at a free path; no tool changes it then.
func TestW21ConvertByLibreOffice(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	r := newRig(t)
	dir := t.TempDir()
	r.env.Pages = preview.New(r.env.Formats, preview.Options{CacheDir: dir})
	require.Contains(t, r.ok("convert", `{"path":"presentacion.pptx","format":"pdf"}`), "speaker notes, comments and animations are not in it")
	require.Contains(t, r.ok("convert", `{"path":"notas.md","format":"pdf"}`), "pages are as LibreOffice lays them out")
	made := r.bytes("presentacion.pdf")
	require.True(t, bytes.HasPrefix(made, []byte("%PDF-")))
	require.Contains(t, r.ok("read_file", `{"path":"presentacion.pdf","pages":"1"}`), "Plan comercial")
	for tool, args := range map[string]string{"convert": `{"path":"presentacion.pptx","format":"pdf"}`, "write_text_file": `{"path":"presentacion.pdf","content":"x"}`,
		"replace_text": `{"path":"presentacion.pdf","search":"a","replace":"b"}`, "pptx_operations": `{"path":"presentacion.pdf","operations":[{"op":"delete_slide","index":0}]}`} {
		require.False(t, r.call(tool, args).Success, tool)
	}
	require.Equal(t, made, r.bytes("presentacion.pdf"))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "nothing stays behind")
}
