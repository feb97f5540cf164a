package pptx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
)

// linksOf returns the addresses that a slide leads to.
func linksOf(t testing.TB, file []byte, slide string) (out []string) {
	t.Helper()
	pkg, err := opc.Open(ctx, source(file))
	require.NoError(t, err)
	rels, err := pkg.Rels(ctx, slide)
	require.NoError(t, err)
	for _, r := range rels {
		if r.Type == relHyperlink {
			require.True(t, r.External)
			out = append(out, r.Target)
		}
	}
	return out
}

func TestSetHyperlink(t *testing.T) {
	deck := deckWith(t, sp(2, "Kasten", "", `<a:p><a:r><a:rPr b="1"/><a:t>x</a:t></a:r><a:r><a:t>y</a:t></a:r></a:p>`)+sp(3, "Zwei", "", para("z")))
	out := edit(t, deck, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":"https://example.com/?a=1&b=2"}`,
		`{"op":"set_hyperlink","index":0,"shape_id":3,"url":"https://example.com/?a=1&b=2"}`, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":"mailto:a@example.com","of":"text"}`)
	require.Equal(t, []string{"https://example.com/?a=1&b=2", "mailto:a@example.com"}, linksOf(t, out, slide1), "one relationship for an address")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), formatstest.Write(t, "in.pptx", deck))

	other := edit(t, out, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":"https://example.org/"}`, `{"op":"set_hyperlink","index":0,"shape_id":3,"url":""}`)
	require.ElementsMatch(t, []string{"mailto:a@example.com", "https://example.org/"}, linksOf(t, other, slide1))
	back := edit(t, other, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":""}`, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":"","of":"text"}`)
	require.Empty(t, linksOf(t, back, slide1))
	require.Equal(t, part(t, deck, slide1), part(t, back, slide1), "nothing but the links has come and gone")

	_, rep, err := editWith(t, deck, nil, `{"op":"set_hyperlink","index":0,"shape_id":2,"url":""}`)
	require.NoError(t, err)
	require.NotEmpty(t, rep.Ops[0].Warnings)
	for js, want := range map[string]string{
		`{"op":"set_hyperlink","index":0,"shape_id":2}`:                                                            "url is required",
		`{"op":"set_hyperlink","index":0,"shape_id":2,"url":"javascript:alert(1)"}`:                                "must begin with",
		`{"op":"set_hyperlink","index":0,"shape_id":2,"url":"https://a.b","of":"word"}`:                            "of must be",
		`{"op":"set_shape_text","index":0,"shape_id":2,"paragraphs":[{"runs":[{"text":"x","url":"vbscript:x"}]}]}`: "must begin with",
	} {
		_, _, err := editWith(t, deck, nil, js)
		require.ErrorContains(t, err, want)
		require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
	}
}

// A run with an address is a link; setting the text again leaves one
// relationship for it.
func TestRunsWithLinks(t *testing.T) {
	deck := deckWith(t, sp(2, "Kasten", "", para("alt")))
	op := `{"op":"set_shape_text","index":0,"shape_id":2,"paragraphs":[{"runs":[{"text":"see "},{"text":"here","bold":true,"url":"https://example.com"}]}]}`
	out := edit(t, deck, op, op)
	require.Regexp(t, `<a:r><a:t>see </a:t></a:r><a:r><a:rPr b="1"><a:hlinkClick [^>]*r:id="rId\d+"/></a:rPr><a:t>here</a:t></a:r>`, part(t, out, slide1))
	require.Equal(t, []string{"https://example.com"}, linksOf(t, out, slide1))
	made := edit(t, nil, `{"op":"add_slide","title_runs":[{"text":"T","url":"https://example.com/t"}],"body":"b"}`, `{"op":"add_text_box","index":0,"paragraphs":[{"runs":[{"text":"T","url":"https://example.com/x"}]}]}`)
	require.Equal(t, []string{"https://example.com/t", "https://example.com/x"}, linksOf(t, made, slide1))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", made), "")
	formatstest.LibreOfficeOpens(t, formatstest.Write(t, "x.pptx", made))
}

// A link on a shape of a real slide that is taken away again leaves the file as
// it was.
func TestCorpusLinksComeAndGo(t *testing.T) {
	done := 0
	for _, path := range formatstest.Corpus(t, "pptx") {
		in, err := os.ReadFile(path)
		require.NoError(t, err)
		d, _, err := openDeck(ctx, source(in))
		if err != nil || len(d.slides) == 0 {
			continue
		}
		tr, err := d.tree(ctx, d.slides[0].part)
		if err != nil {
			continue
		}
		for s := range flat(shapes(tr.spTree(), shown)) {
			if s.cnv == nil || s.cnv.Child(nsA, "hlinkClick") != nil || !s.cnv.Empty {
				continue
			}
			op := func(url string) string {
				u, _ := json.Marshal(url)
				return fmt.Sprintf(`{"op":"set_hyperlink","index":0,"shape_id":%s,"url":%s}`, s.cnv.Value("id"), u)
			}
			out, _, err := editWith(t, in, nil, op("https://example.com/"))
			if err != nil {
				break // two shapes of one id
			}
			back, _, err := editWith(t, out, nil, op(""))
			require.NoError(t, err, path)
			require.Equal(t, part(t, in, d.slides[0].part), part(t, back, d.slides[0].part), path)
			formatstest.Validate(t, formatstest.Write(t, filepath.Base(path), out), path)
			done++
			break
		}
	}
	formatstest.Report(t, "%d real slides got a link and lost it again", done)
	require.NotZero(t, done)
}
