package all

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/tags"
	"atelier/internal/need"
)

// upper returns a stand-in for a translation that keeps tags and placeholders.
func upper(s string) string {
	tokens := tags.Parse(s)
	for i := range tokens {
		if !strings.Contains(tokens[i].Text, "%") {
			tokens[i].Text = strings.ToUpper(tokens[i].Text)
		}
	}
	return tags.String(tokens)
}

// TR-03, TR-11: our own page, subtitles and catalog come back the same, and are
// whole files of their kind once translated.
func TestTextsTranslated(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(formatstest.Root(t), "testdata", "texts")
	for name, want := range map[string][]string{
		"almazara.html": {`<html dir="rtl" lang="ar">`, "LA FAMILIA <span translate=\"no\">Ferrer</span> ELABORA", `title="CONTROL DE CALIDAD">FICHA DE CALIDAD</a>`, "reservar --personas 4", `placeholder="SU NOMBRE COMPLETO"`, `value="RESERVAR"`, `value="web"`, "8,90 €", "Olivares del Sur, S.L.", ">VENTAS POR MES<"},
		"visita.srt":    {"00:00:04,000 --> 00:00:06,200\n- ¿DESDE CUÁNDO HACEN ACEITE?\n- DESDE 1978.\n", "<i>ALMAZARA</i>"},
		"tienda.po":     {`"Language: ar\n"`, "nplurals=6;", "msgstr[5] \"%d botellas en la cesta\"", "msgstr \"PAGAR AHORA\""},
	} {
		src, err := formats.OpenFile(filepath.Join(dir, name))
		require.NoError(t, err)
		t.Cleanup(func() { src.Close() })
		f, err := set.Detect(ctx, src)
		require.NoError(t, err)
		segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
		require.NoError(t, err)
		same, fresh := map[string]string{}, map[string]string{}
		for _, s := range segs {
			same[s.ID], fresh[s.ID] = s.Text, upper(s.Text)
		}
		before, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, f.Segmenter.Replace(ctx, src, &out, same, formats.ReplaceOptions{}))
		require.Equal(t, string(before), out.String())
		out.Reset()
		// A plural has a placeholder, so upper left it as it was.
		for id, text := range fresh {
			if strings.Contains(text, "%d") {
				fresh[id] = text + " "
			}
		}
		require.NoError(t, f.Segmenter.Replace(ctx, src, &out, fresh, formats.ReplaceOptions{Language: "ar"}))
		for _, w := range want {
			require.Contains(t, out.String(), w, name)
		}
	}
}

// TR-11, TR-12: a browser shows the translated page from right to left.
func TestPageInBrowser(t *testing.T) {
	bin := need.Program(t, "chromium", "chromium")
	if testing.Short() {
		t.Skip("a browser is slow: left out with -short")
	}
	ctx := context.Background()
	src, err := formats.OpenFile(filepath.Join(formatstest.Root(t), "testdata", "texts", "almazara.html"))
	require.NoError(t, err)
	defer src.Close()
	f, err := set.Detect(ctx, src)
	require.NoError(t, err)
	segs, err := f.Segmenter.Segments(ctx, src, formats.SegmentOptions{})
	require.NoError(t, err)
	targets := map[string]string{}
	for _, s := range segs {
		targets[s.ID] = upper(s.Text)
	}
	var out bytes.Buffer
	require.NoError(t, f.Segmenter.Replace(ctx, src, &out, targets, formats.ReplaceOptions{Language: "he"}))
	page := formatstest.Write(t, "page.html", out.Bytes())
	cmd := exec.CommandContext(ctx, bin, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+page)
	dom, err := cmd.Output()
	require.NoError(t, err)
	for _, w := range []string{`dir="rtl" lang="he"`, "<td>VIRGEN EXTRA</td>", `<option value="sab">SÁBADO</option>`, "<code># no se traduce\nreservar --personas 4</code>", `<b>DIEZ</b> PERSONAS`} {
		require.Contains(t, string(dom), w)
	}
}
