package pptx

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// into translates the deck's texts by table into a language.
func into(t testing.TB, file []byte, lang string, table map[string]string) []byte {
	t.Helper()
	targets := map[string]string{}
	for _, s := range segments(t, file) {
		if target, ok := table[s.Text]; ok {
			targets[s.ID] = target
		}
	}
	require.NotEmpty(t, targets)
	var buf bytes.Buffer
	require.NoError(t, segmenter{}.Replace(ctx, source(file), &buf, targets, formats.ReplaceOptions{Language: lang}))
	formatstest.Validate(t, formatstest.Write(t, "out.pptx", buf.Bytes()), formatstest.Write(t, "in.pptx", file))
	return buf.Bytes()
}

// TR-11: a paragraph in a right-to-left language runs from the right, and what
// was on the left is on the right; what is centred stays so. Its runs name the
// language and have the font for complex scripts.
func TestTR11RightToLeft(t *testing.T) {
	file := deckWith(t, sp(2, "T", "",
		`<a:p><a:r><a:rPr lang="en-GB" b="1"><a:latin typeface="Georgia"/></a:rPr><a:t>left</a:t></a:r></a:p>`+
			`<a:p><a:pPr algn="ctr"/><a:r><a:t>middle</a:t></a:r><a:endParaRPr lang="en-GB"/></a:p>`+
			`<a:p><a:pPr lvl="1" algn="r"/><a:r><a:rPr/><a:t>right</a:t></a:r></a:p>`+
			`<a:p><a:r><a:rPr lang="en-GB"/><a:t>kept</a:t></a:r></a:p>`))
	table := map[string]string{"left": "يسار", "middle": "وسط", "right": "يمين"}
	x := part(t, into(t, file, "ar", table), slide1)
	require.Contains(t, x, `<a:p><a:pPr algn="r" rtl="1"/><a:r><a:rPr lang="ar-EG" b="1"><a:latin typeface="Georgia"/><a:cs typeface="Georgia"/></a:rPr><a:t>يسار</a:t></a:r></a:p>`)
	require.Contains(t, x, `<a:p><a:pPr rtl="1" algn="ctr"/><a:r><a:rPr lang="ar-EG"/><a:t>وسط</a:t></a:r><a:endParaRPr lang="ar-EG"/></a:p>`)
	require.Contains(t, x, `<a:p><a:pPr rtl="1" lvl="1" algn="l"/><a:r><a:rPr lang="ar-EG"/><a:t>يمين</a:t></a:r></a:p>`)
	require.Contains(t, x, `<a:p><a:r><a:rPr lang="en-GB"/><a:t>kept</a:t></a:r></a:p>`, "what has no target keeps its bytes")

	back := part(t, into(t, into(t, file, "ar", table), "es", map[string]string{"يسار": "izquierda"}), slide1)
	require.Contains(t, back, `<a:p><a:pPr algn="l" rtl="0"/><a:r><a:rPr lang="es-ES" b="1">`)
}

// TR-11: East Asian text names a language for the Latin words in it, and takes
// its font from the theme.
func TestTR11EastAsian(t *testing.T) {
	file := deckWith(t, sp(2, "T", "", `<a:p><a:r><a:rPr lang="en-US"><a:latin typeface="Georgia"/></a:rPr><a:t>text</a:t></a:r></a:p>`))
	x := part(t, into(t, file, "ja", map[string]string{"text": "文"}), slide1)
	require.Contains(t, x, `<a:p><a:r><a:rPr altLang="en-US" lang="ja-JP"><a:latin typeface="Georgia"/></a:rPr><a:t>文</a:t></a:r></a:p>`)
}

// TR-11: a table with translated text runs in the direction of its language.
func TestTR11Tables(t *testing.T) {
	file := deckOf1(t)
	x := part(t, into(t, file, "he", map[string]string{"Kopf A": "ראש"}), slide1)
	require.Equal(t, 1, strings.Count(x, `<a:tblPr rtl="1"`))
	require.Equal(t, 1, strings.Count(x, `<a:pPr algn="r" rtl="1"/>`))
	require.NotContains(t, part(t, into(t, file, "es", map[string]string{"Kopf A": "Cabeza"}), slide1), `rtl=`)
}

// TR-11: numbers in such a table change sides with the text.
func TestTR11NumbersInTables(t *testing.T) {
	cell := func(text string) string {
		return `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>`
	}
	file := deckWith(t, `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="T"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblGrid><a:gridCol w="9"/><a:gridCol w="9"/><a:gridCol w="9"/></a:tblGrid><a:tr h="9">`+
		cell("price")+cell("8,90 €")+cell("kept")+`</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`)
	x := part(t, into(t, file, "he", map[string]string{"price": "מחיר"}), slide1)
	require.Contains(t, x, `<a:tbl><a:tblPr rtl="1"/>`)
	require.Contains(t, x, `<a:p><a:pPr algn="r" rtl="1"/><a:r><a:rPr lang="he-IL"/><a:t>8,90 €</a:t></a:r></a:p>`)
	require.Contains(t, x, `<a:p><a:r><a:t>kept</a:t></a:r></a:p>`)
}

// TR-11: a title that its layout or master centres stays centred, text that
// they leave on the left goes to the right.
func TestTR11InheritedAlignment(t *testing.T) {
	var seen int
	for _, path := range formatstest.Corpus(t, "pptx") {
		if !campaign.Full() && seen > 2 {
			break
		}
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		d, _, err := openDeck(ctx, source(file))
		if err != nil {
			continue
		}
		targets := map[string]string{}
		segs := segments(t, file)
		for _, s := range segs {
			targets[s.ID] = formatstest.Cipher(s.Text)
		}
		var buf bytes.Buffer
		require.NoError(t, segmenter{}.Replace(ctx, source(file), &buf, targets, formats.ReplaceOptions{Language: "he"}))
		after, _, err := openDeck(ctx, source(buf.Bytes()))
		require.NoError(t, err)
		for i, s := range d.slides {
			old, err := d.tree(ctx, s.part)
			require.NoError(t, err)
			now, err := after.tree(ctx, after.slides[i].part)
			require.NoError(t, err)
			was, is := effective(t, d, old), effective(t, after, now)
			require.Len(t, is, len(was))
			for k := range was {
				want := was[k]
				if is[k].rtl && !was[k].rtl {
					seen++
					want.align = map[string]string{"l": "r", "r": "l"}[want.align]
					if want.align == "" {
						want.align = was[k].align
					}
					want.rtl = true
				}
				require.Equal(t, want, is[k], "%s slide %d", path, i+1)
			}
		}
	}
	require.NotZero(t, seen)
}

type looks struct {
	align string
	rtl   bool
}

// effective returns how each paragraph of a slide's shapes is aligned in the
// end.
func effective(t *testing.T, d *deck, tr *tree) []looks {
	t.Helper()
	lay, err := d.layoutOf(ctx, tr.part)
	require.NoError(t, err)
	var master *layout
	if lay != nil {
		master, err = d.masterOf(ctx, lay.part)
		require.NoError(t, err)
	}
	var out []looks
	for s := range flat(shapes(tr.spTree(), shown)) {
		for p := range s.body.Kids() {
			if !p.Is(nsA, "p") {
				continue
			}
			pr := p.Child(nsA, "pPr")
			l := looks{align: pr.Value("algn"), rtl: isTrue(pr.Value("rtl"))}
			if l.align == "" {
				l.align = inheritedAlign(s, lay, master, level(p))
			}
			out = append(out, l)
		}
	}
	return out
}
