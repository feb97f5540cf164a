package template

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
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
