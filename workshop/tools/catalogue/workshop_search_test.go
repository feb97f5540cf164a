package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/preview"
	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/doctext"
	"atelier/workshop/retrieval"
	"atelier/workshop/secrets"
	"atelier/workshop/tools"
)

// index gives the rig a search index.
func (r *rig) index() {
	r.t.Helper()
	r.env.Texts = doctext.NewCache(r.env.Formats, doctext.CacheOptions{})
	ix, err := retrieval.Open(filepath.Join(r.t.TempDir(), "index.db"), r.env.Texts, retrieval.Options{Names: r.wb})
	require.NoError(r.t, err)
	r.t.Cleanup(func() { ix.Close() })
	r.env.Session = &tools.Session{ID: r.wb.ID(), Index: ix}
}

// B9-05: text and names are found in all kinds of files, with addresses that other tools
// take.
func TestSearchFiles(t *testing.T) {
	r := newRig(t)
	r.ok("delete", `{"path":"bad"}`)
	got := r.ok("search_files", `{"query":"Aceite de  OLIVA"}`)
	require.Equal(t, "4 hits in 2 of 5 files\n"+
		"contrato.docx\n  t2.r1: AO-500\tAceite de oliva virgen extra, cosecha temprana\t500 ml\t120 botellas\n  t2.r2: AO-5000\tAceite de oliva virgen extra\tGarrafa de 5 l\t24 garrafas\n"+
		"sales.xlsx\n  Sales!A5: Aceite de oliva virgen extra 500 ml\n  Sales!A6: Aceite de oliva virgen extra 5 l", got)
	for args, want := range map[string]string{
		`{"query":"acEIte","path":"contrato.docx","match_case":"true"}`:     "no hits in 1 file",
		`{"query":"fabricado","path":"*.pptx"}`:                             "no hits in 1 file",
		`{"query":"DEJAR *","path":"notas.md"}`:                             "no hits in 1 file\nthe words were looked for side by side; ranked: true finds passages that have them apart",
		`{"query":"^Sales$","regex":true}`:                                  "1 hit in 1 of 5 files\nsales.xlsx\n  sheet \"Sales\": Sales",
		`{"query":"familiar","path":"presentacion.pptx"}`:                   "1 hit in 1 of 1 file\npresentacion.pptx\n  slide_index 1, shape_id 3: Almazara familiar fundada en 1948",
		`{"query":"peque.o","regex":true,"whole_word":true,"path":"none/"}`: "Error: file not found: none",
		`{"query":"a.*(","regex":true}`:                                     "Error: the pattern is not a valid regular expression: error parsing regexp: missing closing ): `a.*(` (RE2 syntax: no back-references or look-around; escape ( ) [ ] { } . * + ? | ^ $ \\ with \\ to search for them)",
		`{"query":" "}`:                                                     "Error: query is required",
		`{"query":"x","max":0}`:                                             "Error: invalid max: 0; give 1 to 1000",
		`{"query":"x","offset":-1}`:                                         "Error: invalid offset: -1",
		`{"query":"x","ranked":true}`:                                       "Error: there is no search index here: leave ranked out",
		`{"query":"x","path":"../x"}`:                                       "Error: SANDBOX_VIOLATION: the path \"../x\" contains .. (give a path relative to the workbench, such as reports/q3.xlsx)",
	} {
		require.Equal(t, want, r.call("search_files", args).Text, args)
	}
	r.ok("write_text_file", `{"path":"words/n.txt","content":"cat concat\nconcat\ncat_\n(cat)\nécat\n"}`)
	require.Equal(t, "2 hits in 1 of 1 file\nwords/n.txt\n  line 1: cat concat\n  line 4: (cat)", r.ok("search_files", `{"query":"cat","whole_word":true,"path":"words"}`))
	require.Equal(t, "no hits in 6 files\nmatching names: words/", r.ok("search_files", `{"query":"words"}`))
}

// W-18: hits come in parts, and the number of all is true.
func TestSearchFilesInParts(t *testing.T) {
	r := newRig(t)
	r.ok("delete", `{"path":"bad"}`)
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "hit %d %s\\n", i, strings.Repeat("x", i))
	}
	r.ok("write_text_file", `{"path":"a.txt","content":"`+lines.String()+`"}`)
	r.ok("write_text_file", `{"path":"b.txt","content":"hit 300"}`)
	require.Equal(t, "301 hits in 2 of 7 files, here 3-4, next offset=4\na.txt\n  line 3: hit 2 xx\n  line 4: hit 3 xxx\nhits by file: a.txt 300, b.txt 1",
		r.ok("search_files", `{"query":"hit","offset":2,"max":2}`))
	seen, offset := 0, 0
	for parts := 0; ; parts++ {
		res := r.call("search_files", fmt.Sprintf(`{"query":"hit","offset":%d,"max":1000}`, offset))
		require.LessOrEqual(t, len(res.Text), tools.DefaultResultMax)
		require.False(t, res.Truncated)
		n := strings.Count(res.Text, "\n  line ")
		require.Contains(t, res.Text, fmt.Sprintf("line %d: hit %d", seen+1, seen))
		seen += n
		if _, rest, ok := strings.Cut(res.Text, "next offset="); ok {
			_, err := fmt.Sscan(rest, &offset)
			require.NoError(t, err)
			require.Equal(t, seen, offset)
			continue
		}
		require.Greater(t, parts, 1)
		require.Contains(t, res.Text, "b.txt\n  line 1: hit 300")
		break
	}
	require.Equal(t, 301, seen)
	require.Equal(t, "301 hits in 2 of 7 files, none from offset 301 on\nhits by file: a.txt 300, b.txt 1", r.ok("search_files", `{"query":"hit","offset":301}`))
	long := r.ok("search_files", `{"query":"^hit 299","regex":true}`)
	require.Less(t, len(long), 400)
	require.Contains(t, long, "line 300: hit 299 xxx")
}

// B9-05: what could not be searched is told with the reason.
func TestSearchFilesTellsWhatItDidNotSearch(t *testing.T) {
	r := newRig(t)
	put := func(name string, b []byte) {
		_, err := r.env.View.Put(ctx, workshop.Path(name), workshop.PutOptions{}, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		require.NoError(t, err)
	}
	put("scan.pdf", formatstest.PDFPage("", "q 100 0 0 100 10 10 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q", ""))
	put("latin.txt", []byte("un caf\xe9\n"))
	put("x.bin", []byte{0, 1})
	put(".env", []byte("KEY=caf\xc3\xa9"))
	r.env.Guard = secrets.New(nil, nil)
	got := r.ok("search_files", `{"query":"café"}`)
	for _, want := range []string{"latin.txt\n  line 1: un café", "scan.pdf: its pages have no text, as scanned ones (render shows them)", "x.bin: it is a binary file",
		"bad/encrypted.docx: is encrypted with a password"} {
		require.Contains(t, r.ok("search_files", `{"query":"café","path":"*`+strings.Split(strings.Split(want, ":")[0], "\n")[0]+`"}`), want)
	}
	require.Contains(t, got, "and more files for")
	require.NotContains(t, got, "KEY")
	require.Contains(t, r.ok("search_files", `{"query":"café","path":"*.env"}`), "no hits in 0 files\nnot searched in full: .env: ")

	late, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	<-late.Done()
	res := r.cat.Call(late, r.env, "search_files", json.RawMessage(`{"query":"café"}`))
	require.False(t, res.Success)
}

// F-35: a question finds the passages that go best with its words, with their addresses.
func TestSearchFilesRanked(t *testing.T) {
	r := newRig(t)
	r.ok("delete", `{"path":"bad"}`)
	r.index()
	got := r.ok("search_files", `{"query":"¿Cuándo se paga el pedido inicial?","ranked":true,"max":2}`)
	require.Contains(t, got, "contrato.docx t0.r1: Pedido inicial\tA la firma del contrato")
	require.Contains(t, got, "next offset=")
	require.Regexp(t, "^1 passage\nsales.xlsx Sales!A7: A7: Aceite sin filtrar 750 ml", r.ok("search_files", `{"query":"aceite sin filtrar","ranked":true,"path":"*.xlsx"}`))
	require.Regexp(t, "(?s)^[0-9]+ passages?.*notas.md line [0-9]+: ", r.ok("search_files", `{"query":"aceite sin filtrar","ranked":true,"path":"notas.md"}`))
	require.Equal(t, "no passage", r.ok("search_files", `{"query":"quixotic","ranked":true}`))
}

// Images and pages without text are searched by what is recognised in them, when asked.
func TestSearchFilesRecognizesScans(t *testing.T) {
	r := newRig(t)
	for _, p := range []string{"bad", "contrato.docx", "presentacion.pptx", "sales.xlsx", "notas.md"} {
		r.ok("delete", `{"path":"`+p+`"}`)
	}
	draw := func(words string) []byte {
		page, err := preview.New(r.env.Formats, preview.Options{}).Page(ctx, formats.FromBytes("a.txt", []byte(words)), preview.Request{Scale: 2})
		require.NoError(t, err)
		return page.PNG
	}
	r.write("scan.png", draw("Invoice number 4711"))
	r.env.Pages = preview.New(r.env.Formats, preview.Options{NoTesseract: true})
	require.Contains(t, r.ok("search_files", `{"query":"invoice","scans":true}`), "no hits in 1 file\ninstall tesseract")
	require.Equal(t, "Error: scans does not go with ranked: the search index has no scans", r.call("search_files", `{"query":"x","scans":true,"ranked":true}`).Text)

	need.Program(t, "tesseract", "tesseract-ocr")
	r.env.Pages = preview.New(r.env.Formats, preview.Options{})
	r.put("report.pdf", "pdf/les_MEDRPT-2024-PAT-3847_medical_report_scan.pdf")
	got := r.ok("search_files", `{"query":"PAT-3847|invoice number","regex":true,"scans":true}`)
	require.Contains(t, got, "\nscan.png\n  image: Invoice number 4711")
	require.Contains(t, got, "\nreport.pdf\n  page 1: ")
	require.Contains(t, got, "is as recognised by tesseract (eng), which makes mistakes")
	require.NotContains(t, got, "(the file has changed)")
	require.NotContains(t, got, "not searched in full")
	without := r.ok("search_files", `{"query":"PAT-3847|invoice number","regex":true}`)
	require.Contains(t, without, "no hits")
	require.Contains(t, without, "report.pdf: its pages have no text, as scanned ones (scans: true searches them)")
}
