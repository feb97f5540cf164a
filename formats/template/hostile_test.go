package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
)

func refused(t *testing.T, name string, b []byte, list []Record, want string) {
	t.Helper()
	var out bytes.Buffer
	err := Fill(t.Context(), formats.FromBytes(name, b), &out, list, Options{}, NewTally())
	require.ErrorContains(t, err, want)
}

// What would grow without bound is refused, with what to do.
func TestHostile(t *testing.T) {
	many := make([]any, 5000)
	for i := range many {
		many[i] = Record{"n": strings.Repeat("x", 800)}
	}
	data := []Record{{"a": many}}
	nested := strings.Repeat("{{#each a}}", 5) + strings.Repeat("{{/each}}", 5)
	refused(t, "a.docx", withBody(t, para(nested)), data, "repeat more than")
	blocks := strings.Repeat(para("{{#each a}}"), 5) + strings.Repeat(para("{{/each}}"), 5)
	refused(t, "a.docx", withBody(t, blocks), data, "repeat more than")
	refused(t, "a.docx", withBody(t, para("{{#each a}}{{#each a}}{{n}}{{/each}}{{/each}}")), []Record{{"a": many[:300], "n": 1}}, "MiB of text")
	deep := strings.Repeat("{{#if a}}", 100) + strings.Repeat("{{/if}}", 100)
	refused(t, "a.docx", withBody(t, para(deep)), data, "nested more than")
	refused(t, "a.docx", withBody(t, para("x")), make([]Record, MaxRecords+1), "more than 10000 rows")
	deck := apply(t, pptx.Format(), `[{"op":"add_slide","title":"{{#each a}}{{n}}"}]`)
	refused(t, "a.pptx", deck, data, "more than 500 slides")
	wide := `[{"op":"set_cells","sheet":"Sheet1","cells":[`
	for i := range 50 {
		wide += fmt.Sprintf(`{"cell":"%s1","value":"{{a.n}}"},`, xlsx.ColumnName(i+1))
	}
	refused(t, "a.xlsx", apply(t, xlsx.Format(), strings.TrimSuffix(wide, ",")+"]}]"), data, "more than 200000 cells")
	refused(t, "a.docx", withBody(t, para("{{a|wrong}}")), data, "the filter")
	refused(t, "a.docx", withBody(t, para(`{{d|d MMMM}}`)), []Record{{"d": "2026-01-02"}}, "give the language")
}

// A workbook that lists one sheet many times is read once; one whose sheets are large
// together is refused, and a workbook without placeholders is not calculated.
func TestHostileSheets(t *testing.T) {
	in := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"{{a}}"},{"cell":"A2","value":"=1+1"}]}]`)
	many := edited(t, in, "xl/workbook.xml", func(s string) string {
		sheet := s[strings.Index(s, "<sheet "):strings.Index(s, "</sheets>")]
		var sb strings.Builder
		for i := range 50_000 {
			sb.WriteString(strings.NewReplacer(`name="Sheet1"`, fmt.Sprintf(`name="S%d"`, i), `sheetId="1"`, fmt.Sprintf(`sheetId="%d"`, i+10)).Replace(sheet))
		}
		return strings.Replace(s, "</sheets>", sb.String()+"</sheets>", 1)
	})
	begun := time.Now()
	var out bytes.Buffer
	_ = Fill(t.Context(), formats.FromBytes("a.xlsx", many), &out, []Record{{"a": 1}}, Options{}, NewTally())
	require.Less(t, time.Since(begun), 20*time.Second)

	digits := make([]byte, 17<<19)
	_, _ = rand.NewChaCha8([32]byte{}).Read(digits)
	pad := fmt.Sprintf("<!--{%x-->", digits)
	ops := `[{"op":"ensure_sheet","sheet":"Other"}]`
	two := applyTo(t, in, ops)
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"} {
		two = edited(t, two, part, func(s string) string { return strings.Replace(s, "<sheetData", pad+"<sheetData", 1) })
	}
	refused(t, "a.xlsx", two, []Record{{"a": 1}}, "more than 32 MiB together")

	plain := apply(t, xlsx.Format(), `[{"op":"set_cells","sheet":"Sheet1","cells":[{"cell":"A1","value":"no field"},{"cell":"A2","value":"=1+1"}]}]`)
	plain = edited(t, plain, "xl/worksheets/sheet1.xml", func(s string) string { return strings.Replace(s, "<v>2</v>", "<v>7</v>", 1) })
	out.Reset()
	require.NoError(t, Fill(t.Context(), formats.FromBytes("a.xlsx", plain), &out, []Record{{"a": 1}}, Options{}, NewTally()))
	formatstest.SameParts(t, plain, out.Bytes())
}

// edited changes a part of a package.
func edited(t *testing.T, b []byte, part string, change func(string) string) []byte {
	t.Helper()
	pkg, err := opc.Open(t.Context(), formats.FromBytes("a.xlsx", b))
	require.NoError(t, err)
	ed := pkg.Edit()
	doc, err := ed.ReadXML(t.Context(), part)
	require.NoError(t, err)
	ed.Set(part, []byte(change(string(doc))))
	var out bytes.Buffer
	require.NoError(t, ed.Write(t.Context(), &out))
	return out.Bytes()
}

// applyTo applies operations to a workbook.
func applyTo(t *testing.T, b []byte, ops string) []byte {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(ops), &list))
	var out bytes.Buffer
	_, err := xlsx.Format().Editor.Apply(t.Context(), formats.FromBytes("a.xlsx", b), &out, list, formats.ApplyOptions{})
	require.NoError(t, err)
	return out.Bytes()
}

// A document without placeholders keeps its bytes; a merge of two records into one
// document makes no error of the schema.
func TestCorpus(t *testing.T) {
	campaign.Slow(t)
	for _, kind := range []string{"docx", "xlsx", "pptx"} {
		for _, path := range formatstest.Sample(t, kind) {
			f, err := formats.OpenFile(path)
			require.NoError(t, err)
			before, err := formats.ReadAll(f, 1<<30)
			require.NoError(t, err)
			f.Close()
			var out bytes.Buffer
			err = Fill(t.Context(), formats.FromBytes(path, before), &out, []Record{{"no such name": 1}}, Options{}, NewTally())
			if err != nil {
				formatstest.Report(t, "%s: %v", path, err)
				require.NotEqual(t, formats.Code(""), formats.CodeOf(err), path)
				continue
			}
			formatstest.SameParts(t, before, out.Bytes())
			if kind == "docx" {
				out.Reset()
				require.NoError(t, Fill(t.Context(), formats.FromBytes(path, before), &out, []Record{{"n": 1}, {"n": 2}}, Options{}, NewTally()), path)
				formatstest.Validate(t, formatstest.Write(t, "made.docx", out.Bytes()), path)
				_ = text(t, docx.Format(), "a.docx", out.Bytes())
			}
		}
	}
}
