package docx

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func TestCopyStyles(t *testing.T) {
	donor, _, err := applyWith(t, nil, options(t), sample)
	require.NoError(t, err)
	donor = replacePart(t, donor, "word/styles.xml", func(s string) string {
		s = strings.Replace(s, `<w:name w:val="Quote"/><w:basedOn w:val="Normal"/>`, `<w:name w:val="Quote"/><w:basedOn w:val="Base"/>`, 1)
		return strings.Replace(s, "</w:styles>", `<w:style w:type="paragraph" w:styleId="Base" xmlns:w14="urn:w14"><w:name w:val="House base"/><w:rsid w:val="00AA"/><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr><w:rPr><w:color w:val="00FF00"/><w14:ligatures/></w:rPr></w:style></w:styles>`, 1)
	})
	opt := options(t)
	opt.Open = func(context.Context, string) (formats.SourceCloser, error) {
		return closer{formats.FromBytes("house.docx", donor)}, nil
	}
	src := made(t, sample)
	out, rep, err := applyWith(t, src, opt, `{"op":"copy_styles","path":"house.docx","styles":["Quote"]}`, `{"op":"append_paragraph","text":"q","style":"House Base"}`)
	require.NoError(t, err)
	require.Equal(t, 2, rep.Ops[0].Hits, "the style and the one it is based on")
	require.Contains(t, rep.Ops[0].Warnings[0], `"House base" lost its numbering`)
	styles := string(formatstest.Parts(t, out)["word/styles.xml"])
	require.Contains(t, styles, `<w:style w:type="paragraph" w:styleId="Base"><w:name w:val="House base"/><w:pPr></w:pPr><w:rPr><w:color w:val="00FF00"/></w:rPr></w:style></w:styles>`)
	require.Equal(t, 1, strings.Count(styles, `w:styleId="Quote"`))
	require.Contains(t, mainXML(t, formats.FromBytes("a.docx", out)), `<w:pStyle w:val="Base"/>`)
	good(t, formats.FromBytes("a.docx", out))
	_, _, err = applyWith(t, src, opt, `{"op":"copy_styles","path":"house.docx","styles":["None such"]}`)
	require.Equal(t, formats.CodeNotFound, formats.CodeOf(err))
}

// Styles of one real document in another stay valid.
func TestCorpusCopyStyles(t *testing.T) {
	for i, path := range formatstest.Sample(t, "docx") {
		if i%5 != 0 {
			continue
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := openDocument(ctx, formats.FromBytes("x.docx", b))
		if err != nil {
			continue
		}
		var names []string
		for _, st := range d.styles {
			if st.name != "" && st.kind != "numbering" && len(names) < 20 {
				names = append(names, `"`+strings.ReplaceAll(st.name, `"`, "")+`"`)
			}
		}
		opt := options(t)
		opt.Open = func(context.Context, string) (formats.SourceCloser, error) {
			return closer{formats.FromBytes("x.docx", b)}, nil
		}
		out, _, err := applyWith(t, made(t, sample), opt, `{"op":"copy_styles","path":"x.docx","styles":[`+strings.Join(names, ",")+`]}`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		good(t, formats.FromBytes("a.docx", out))
	}
}

func replacePart(t testing.TB, file []byte, name string, change func(string) string) []byte {
	t.Helper()
	d, err := openDocument(ctx, formats.FromBytes("x.docx", file))
	require.NoError(t, err)
	doc, err := d.ed.ReadXML(ctx, name)
	require.NoError(t, err)
	d.ed.Set(name, []byte(change(string(doc))))
	var sb strings.Builder
	require.NoError(t, d.ed.Write(ctx, &sb))
	return []byte(sb.String())
}
