package pptx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

func auditOf(t testing.TB, file []byte, kinds ...string) *formats.Audit {
	t.Helper()
	out, err := Format().Auditor.Audit(ctx, source(file), formats.AuditOptions{Kinds: kinds})
	require.NoError(t, err)
	return out
}

// plantedDeck is a deck into which faults are planted.
type plantedDeck struct {
	t      testing.TB
	rnd    *rand.Rand
	file   []byte
	slides int
}

var deckWords = strings.Fields("growth margin orders churn backlog pricing hiring roadmap revenue costs pilots rollout support quality delivery partners")

func (p *plantedDeck) words(n int) string {
	w := make([]string, n)
	for i := range w {
		w[i] = deckWords[p.rnd.IntN(len(deckWords))]
	}
	return strings.ToUpper(w[0][:1]) + strings.Join(w, " ")[1:]
}

// boxAt is a text box or filled shape in inches.
func boxAt(id int, x, y, w, h float64, fill, runProps, text string) string {
	emu := func(v float64) int { return int(v * emuPerInch) }
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Box %d"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>%s</p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="en-US"%s</a:rPr><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp>`, id, id, emu(x), emu(y), emu(w), emu(h), fill, runProps, text)
}

const (
	themeFill = `<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>`
	whiteText = ` sz="1400"><a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`
	plainText = ` sz="1400">`
)

// newPlantedDeck returns a deck without faults.
func newPlantedDeck(t testing.TB, rnd *rand.Rand) *plantedDeck {
	p := &plantedDeck{t: t, rnd: rnd, slides: 5 + rnd.IntN(4)}
	var list []string
	for i := range p.slides {
		list = append(list, fmt.Sprintf(`{"op":"add_slide","layout":"title_and_content","title":"%d. %s","body":"%s\n%s\n%s"}`, i, p.words(3), p.words(2), p.words(3), p.words(2)))
		if i%2 == 1 {
			list = append(list, fmt.Sprintf(`{"op":"add_table","index":%d,"rows":[["%s","2025"],["%s","%d"]],"x":0.9,"y":5,"width":5,"alt":"a table"}`, i, p.words(1), p.words(1), rnd.IntN(90)))
		}
	}
	p.file = edit(t, nil, list...)
	parts := map[string]func(string) string{}
	for i := range p.slides {
		parts[p.part(i)] = replace(t, `</p:spTree>`, boxAt(90, 9, 2.2, 3, 0.6, themeFill, whiteText, p.words(2))+boxAt(91, 9, 3.2, 3, 0.6, themeFill, whiteText, p.words(1))+boxAt(92, 9, 4.2, 3, 0.5, "", plainText, p.words(2))+`</p:spTree>`)
	}
	p.file = with(t, p.file, parts)
	return p
}

func (p *plantedDeck) part(slide int) string { return fmt.Sprintf("ppt/slides/slide%d.xml", slide+1) }

// insert puts objects on a slide, in front of the others.
func (p *plantedDeck) insert(slide int, xml string) {
	p.file = with(p.t, p.file, map[string]func(string) string{p.part(slide): replace(p.t, `</p:spTree>`, xml+`</p:spTree>`)})
}

func (p *plantedDeck) apply(op string, args ...any) {
	p.file = edit(p.t, p.file, fmt.Sprintf(op, args...))
}

// some returns a slide that is neither the first nor the last.
func (p *plantedDeck) some() int { return 1 + p.rnd.IntN(p.slides-2) }

func shapeOn(slide, id int) string { return fmt.Sprintf("slide_index %d, shape_id %d", slide, id) }

// idOf returns the id of the title (true) or body of a slide.
func (p *plantedDeck) idOf(slide int, title bool) int {
	t, err := parse(ctx, "slide", []byte(part(p.t, p.file, p.part(slide))))
	require.NoError(p.t, err)
	for s := range flat(shapes(t.spTree(), shown)) {
		if s.ph != nil && s.isTitle() == title {
			return intOr(s.cnv.Value("id"), 0)
		}
	}
	require.Fail(p.t, "no placeholder")
	return 0
}

const colored = ` sz="1800"><a:solidFill><a:srgbClr val="%s"/></a:solidFill>`

// deckFaults plant one fault each and return where it is to be found.
var deckFaults = []struct {
	name, kind string
	plant      func(p *plantedDeck) string
}{
	{"long body", "overflow", func(p *plantedDeck) string {
		i := p.some()
		p.apply(`{"op":"set_slide_text","index":%d,"body":"%s"}`, i, strings.Repeat(p.words(5)+`\n`, 20+p.rnd.IntN(10)))
		return shapeOn(i, p.idOf(i, false))
	}},
	{"text in a small box", "overflow", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 2, 0.5, themeFill, whiteText, p.words(15+p.rnd.IntN(10))))
		return shapeOn(i, 99)
	}},
	{"long table", "overflow", func(p *plantedDeck) string {
		i := 2 * (1 + p.rnd.IntN((p.slides-1)/2)) // without a table
		if i >= p.slides {
			i = 0
		}
		rows := strings.Repeat(`["a","b"],`, 17+p.rnd.IntN(5)) + `["c","d"]`
		out, rep := editReport(p.t, p.file, fmt.Sprintf(`{"op":"add_table","index":%d,"rows":[%s],"x":4.5,"y":2,"width":3,"alt":"x"}`, i, rows))
		p.file = out
		var slide, id int
		_, err := fmt.Sscanf(rep.Ops[0].Made, "slide index %d, shape %d", &slide, &id)
		require.NoError(p.t, err)
		return shapeOn(i, id)
	}},
	{"box beside the slide", "off_slide", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, []float64{14, -4}[p.rnd.IntN(2)], 2, 3, 0.6, "", plainText, p.words(3)))
		return shapeOn(i, 99)
	}},
	{"box over the edge", "off_slide", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 12.2, 5.5, 3, 0.6, "", plainText, p.words(3)))
		return shapeOn(i, 99)
	}},
	{"text over the body", "overlap", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 1.2, 1.95, 4, 0.5, "", plainText, p.words(3)))
		return shapeOn(i, 99)
	}},
	{"text over a text", "overlap", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9.1, 4.25, 3, 0.5, "", plainText, p.words(2)))
		return shapeOn(i, 99)
	}},
	{"box over the title", "overlap", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 0.5, 0.3, 9, 1.5, themeFill, whiteText, ""))
		return shapeOn(i, 99)
	}},
	{"grey on white", "contrast", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", fmt.Sprintf(colored, []string{"DDDDDD", "FFFFFF", "E8F0E0"}[p.rnd.IntN(3)]), p.words(2)))
		return shapeOn(i, 99)
	}},
	{"blue on blue", "contrast", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, `<a:solidFill><a:srgbClr val="203864"/></a:solidFill>`, fmt.Sprintf(colored, "1F3864"), p.words(2)))
		return shapeOn(i, 99)
	}},
	{"on another box", "contrast", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(98, 8.9, 5.1, 3.5, 1, `<a:solidFill><a:srgbClr val="202020"/></a:solidFill>`, plainText, "")+boxAt(99, 9, 5.2, 3, 0.6, "", fmt.Sprintf(colored, "303030"), p.words(2)))
		return shapeOn(i, 99)
	}},
	{"placeholder text", "placeholder", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", plainText, []string{"Lorem ipsum dolor", "Price: TBD", "[Insert chart here]", "Owner: XXX", "Click to add text"}[p.rnd.IntN(5)]))
		return shapeOn(i, 99)
	}},
	{"link without target", "broken_link", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", ` sz="1400"><a:hlinkClick r:id="rId77"/>`, p.words(2)))
		return shapeOn(i, 99)
	}},
	{"missing picture", "broken_link", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, `<p:pic><p:nvPicPr><p:cNvPr id="99" name="Pic" descr="x"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId88"/></p:blipFill><p:spPr><a:xfrm><a:off x="9000000" y="5000000"/><a:ext cx="900000" cy="900000"/></a:xfrm></p:spPr></p:pic>`)
		return shapeOn(i, 99)
	}},
	{"empty body", "empty_placeholder", func(p *plantedDeck) string {
		i := p.some()
		p.apply(`{"op":"set_slide_text","index":%d,"body":""}`, i)
		return shapeOn(i, p.idOf(i, false))
	}},
	{"no title", "title_missing", func(p *plantedDeck) string {
		i := p.some()
		p.apply(`{"op":"set_slide_text","index":%d,"title":""}`, i)
		return fmt.Sprintf("slide_index %d", i)
	}},
	{"title twice", "title_repeated", func(p *plantedDeck) string {
		i := p.slides - 2
		for _, k := range []int{i, i - 2} {
			p.apply(`{"op":"set_slide_text","index":%d,"title":"Results of the pilot"}`, k)
		}
		return shapeOn(i, p.idOf(i, true))
	}},
	{"title elsewhere", "title_position", func(p *plantedDeck) string {
		i := p.some()
		p.apply(`{"op":"move_shape","index":%d,"shape_id":%d,"x":%v,"y":%v}`, i, p.idOf(i, true), 1.4+p.rnd.Float64(), 0.9+p.rnd.Float64()/3)
		return shapeOn(i, p.idOf(i, true))
	}},
	{"small title", "title_size", func(p *plantedDeck) string {
		i := p.some()
		p.apply(`{"op":"set_slide_text","index":%d,"title":"A title of another size","font_size":%d}`, i, 20+p.rnd.IntN(10))
		return shapeOn(i, p.idOf(i, true))
	}},
	{"distorted picture", "distorted_picture", func(p *plantedDeck) string {
		i := p.some()
		out, rep, err := editWith(p.t, p.file, map[string][]byte{"a.png": pngOf(p.t, 400, 300)}, fmt.Sprintf(`{"op":"add_image","index":%d,"path":"a.png","alt":"x","x":6,"y":3,"width":2,"height":%v}`, i, []float64{1, 1.2, 2, 2.5}[p.rnd.IntN(4)]))
		require.NoError(p.t, err)
		p.file = out
		var slide, id int
		_, err = fmt.Sscanf(rep.Ops[0].Made, "slide index %d, shape %d", &slide, &id)
		require.NoError(p.t, err)
		return shapeOn(i, id)
	}},
	{"small text", "small_text", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", fmt.Sprintf(` sz="%d00">`, 5+p.rnd.IntN(5)), p.words(6)))
		return shapeOn(i, 99)
	}},
	{"other font", "font", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", ` sz="1400"><a:latin typeface="`+[]string{"Comic Sans MS", "Impact", "Papyrus"}[p.rnd.IntN(3)]+`"/>`, p.words(2)))
		return shapeOn(i, 99)
	}},
	{"other colour", "color", func(p *plantedDeck) string {
		i := p.some()
		p.insert(i, boxAt(99, 9, 5.2, 3, 0.6, "", fmt.Sprintf(colored, []string{"C00060", "00A000", "8000A0"}[p.rnd.IntN(3)]), p.words(2)))
		return shapeOn(i, 99)
	}},
	{"picture without text", "alt_text", func(p *plantedDeck) string {
		i := p.some()
		out, rep, err := editWith(p.t, p.file, map[string][]byte{"a.png": pngOf(p.t, 40, 30)}, fmt.Sprintf(`{"op":"add_image","index":%d,"path":"a.png","x":6,"y":3,"width":2}`, i))
		require.NoError(p.t, err)
		p.file = out
		var slide, id int
		_, err = fmt.Sscanf(rep.Ops[0].Made, "slide index %d, shape %d", &slide, &id)
		require.NoError(p.t, err)
		return shapeOn(i, id)
	}},
}

// At least 95 % of planted faults are found where they are, and a deck without faults
// has no findings.
func TestPlantedDeckFaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(74, 1))
	kinds := map[string]bool{}
	var decks []*plantedDeck
	for range 6 {
		decks = append(decks, newPlantedDeck(t, rnd))
		require.Empty(t, auditOf(t, decks[len(decks)-1].file).Findings)
	}
	for _, f := range deckFaults {
		kinds[f.kind] = true
		found, all := 0, len(decks)
		for _, d := range decks {
			p := *d
			at := f.plant(&p)
			got := auditOf(t, p.file, f.kind).Findings
			if slices.ContainsFunc(got, func(x formats.Finding) bool { return x.Kind == f.kind && x.At == at }) {
				found++
			} else {
				t.Logf("%s: not found at %s, but %v", f.name, at, got)
			}
		}
		t.Logf("%s: %d of %d", f.name, found, all)
		require.GreaterOrEqual(t, found*100, all*95, f.name)
	}
	for _, k := range Format().Auditor.AuditKinds() {
		require.True(t, kinds[k], "no fault of the kind %s is planted", k)
	}
}

// What looks like a fault and is none.
func TestNoFalseAlarmsInDecks(t *testing.T) {
	clean := newPlantedDeck(t, rand.New(rand.NewPCG(74, 2)))
	group := func(in string) string {
		return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="80" name="G"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="12192000" cy="6858000"/><a:chOff x="0" y="0"/><a:chExt cx="12192000" cy="6858000"/></a:xfrm></p:grpSpPr>` + in + `</p:grpSp>`
	}
	for name, xml := range map[string]string{
		"a text on a filled shape":   boxAt(98, 8.9, 5.1, 3.2, 1, themeFill, plainText, "") + boxAt(99, 9, 5.2, 3, 0.6, "", whiteText, "A label"),
		"a group":                    group(boxAt(98, 9, 5.2, 3, 0.6, "", plainText, "One text") + boxAt(99, 9, 5.2, 3, 0.6, "", plainText, "One text")),
		"an empty box off the slide": boxAt(99, 15, 1, 2, 1, themeFill, plainText, ""),
		"frames that overlap":        boxAt(98, 6, 5.2, 5, 1.5, "", plainText, "A label") + boxAt(99, 9, 5.2, 3, 1, "", plainText, "Another"),
		"a note at the foot":         boxAt(99, 1, 7, 6, 0.4, "", ` sz="800">`, "Source: the annual report of the company, 2025"),
		"code":                       boxAt(99, 9, 5.2, 3, 0.6, "", ` sz="1400"><a:latin typeface="Consolas"/>`, "go build"),
		"the theme's font by name":   boxAt(99, 9, 5.2, 3, 0.6, "", ` sz="1400"><a:latin typeface="Calibri Light"/>`, "A label"),
		"a question":                 boxAt(99, 9, 5.2, 3, 0.6, "", plainText, "Why???"),
	} {
		p := *clean
		p.insert(1, xml)
		require.Empty(t, auditOf(t, p.file).Findings, name)
	}
}

// The map says what a deck is made of; hidden slides are no findings.
func TestAuditMap(t *testing.T) {
	p := newPlantedDeck(t, rand.New(rand.NewPCG(74, 3)))
	p.apply(`{"op":"hide_slide","index":2}`)
	out := auditOf(t, p.file, "map")
	require.Empty(t, out.Findings)
	require.Contains(t, fmt.Sprintf("%+v", out.Map), fmt.Sprintf("{Slides:%d Hidden:[2] Layouts:[{Name:Title and Content Slides:%d}]", p.slides, p.slides))
	require.Nil(t, auditOf(t, p.file, "overlap").Map)
}

// Slides with very many shapes, and deep groups, are looked at within bounds.
func TestAuditBounds(t *testing.T) {
	var all strings.Builder
	for i := range 10_000 {
		all.WriteString(boxAt(100+i, 1, 2, 4, 0.6, "", plainText, "A label"))
	}
	deep := strings.Repeat(`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="G"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`, 120) + boxAt(99, 1, 2, 3, 1, "", plainText, "Deep") + strings.Repeat(`</p:grpSp>`, 120)
	for name, xml := range map[string]string{"many": all.String(), "deep": deep} {
		file := deckWith(t, xml)
		out := auditOf(t, file)
		require.LessOrEqual(t, len(out.Findings), formats.MaxFindings, name)
		if name == "many" {
			require.NotEmpty(t, out.Unseen)
			require.Positive(t, out.Counts["overlap"])
		}
	}
	short, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	_, err := Format().Auditor.Audit(short, source(deckWith(t, all.String())), formats.AuditOptions{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
