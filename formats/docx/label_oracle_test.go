package docx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// labelled is a paragraph of the body as a reader sees it.
type labelled struct {
	label, text string
	bullet      bool
}

// bodyLabels returns the paragraphs of the body with text, tables included,
// with their list labels.
func bodyLabels(t testing.TB, src formats.Source) []labelled {
	t.Helper()
	d, err := openDocument(ctx, src)
	require.NoError(t, err)
	p, err := d.body(ctx)
	require.NoError(t, err)
	nb, err := d.numbering(ctx)
	require.NoError(t, err)
	labels := d.labels(p, nb)
	var out []labelled
	for _, n := range p.nodes {
		if n.hidden || n.boxed() {
			continue
		}
		text, _, _ := strings.Cut(strings.TrimSpace(p.paras[n.para].Text()), "\n")
		if text = strings.Join(strings.Fields(text), " "); text == "" {
			continue
		}
		m, ok := nb.listOf(d.styles, n.style, n.list)
		isBullet := false
		if l := nb.level(m.num, m.level); ok && l != nil {
			isBullet = l.format == "bullet" || l.picture
		}
		out = append(out, labelled{labels[n], text, isBullet})
	}
	return out
}

// officeLabel returns what LibreOffice writes before text on the first line
// from lines[from] on that ends with it.
func officeLabel(lines []string, from int, text string) (label string, at int) {
	for i := from; i < len(lines); i++ {
		line := strings.Join(strings.Fields(lines[i]), " ")
		if label, ok := strings.CutSuffix(line, text); ok && utf8.RuneCountInString(label) < 30 {
			return strings.TrimSpace(label), i
		}
	}
	return "", -1
}

// The labels that a read shows are those that LibreOffice prints.
func TestCorpusLabelsAgreeWithLibreOffice(t *testing.T) {
	agree, differ, unseen := 0, 0, 0
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		if d, err := openDocument(ctx, src); err != nil {
			continue
		} else if nb, err := d.numbering(ctx); err != nil || len(nb.nums) == 0 {
			continue
		}
		list := bodyLabels(t, src)
		if !slices.ContainsFunc(list, func(l labelled) bool { return l.label != "" }) {
			continue // LibreOffice takes seconds for each
		}
		txt, err := os.ReadFile(formatstest.LibreOffice(t, path, "txt:Text:UTF8"))
		require.NoError(t, err)
		lines, at := strings.Split(strings.TrimPrefix(string(txt), "\ufeff"), "\n"), 0
		for _, l := range list {
			have, found := officeLabel(lines, at, l.text)
			if found < 0 {
				unseen++
				continue
			}
			at = found + 1
			switch {
			case l.label == have, l.bullet && have != "" && !strings.ContainsAny(have, "0123456789"):
				if l.label != "" {
					agree++
				}
			default:
				differ++
				t.Logf("%s: %q: we say %q, LibreOffice %q", filepath.Base(path), clip(l.text, 40), l.label, have)
			}
		}
	}
	require.Zero(t, differ)
	require.GreaterOrEqual(t, agree, campaign.Of(40, 200))
	formatstest.Report(t, "docx  list labels: %d as LibreOffice prints them, %d not, %d paragraphs not found in its text", agree, differ, unseen)
}
