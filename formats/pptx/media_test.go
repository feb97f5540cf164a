package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// filmDeck has a film with a poster and its place in the timing, and a sound that plays by
// itself, beside a title and a body.
func filmDeck(t *testing.T) []byte {
	t.Helper()
	pic := func(id int, name, file, link, embed, poster string) string {
		return fmt.Sprintf(`<p:pic><p:nvPicPr><p:cNvPr id="%d" name="%s"><a:hlinkClick r:id="" action="ppaction://media"/></p:cNvPr><p:cNvPicPr/><p:nvPr><a:%s r:link="%s"/><p:extLst><p:ext uri="{DAA4B4D4-6D71-4841-9C94-3DE7FCFB9230}"><p14:media xmlns:p14="%s" r:embed="%s"/></p:ext></p:extLst></p:nvPr></p:nvPicPr><p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="914400" y="4572000"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
			id, name, file, link, nsP14, embed, poster)
	}
	media := func(kind string, id int) string {
		return fmt.Sprintf(`<p:%s><p:cMediaNode vol="80000"><p:cTn id="%d" fill="hold" display="0"><p:stCondLst><p:cond delay="indefinite"/></p:stCondLst></p:cTn><p:tgtEl><p:spTgt spid="%d"/></p:tgtEl></p:cMediaNode></p:%[1]s>`, kind, id+20, id)
	}
	timing := `<p:timing><p:tnLst><p:par><p:cTn id="1" dur="indefinite" restart="never" nodeType="tmRoot"><p:childTnLst>` + media("video", 71) + media("audio", 72) + `</p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>`
	deck := edit(t, nil, `{"op":"add_slide","title":"A","body":"b"}`)
	p14 := "http://schemas.microsoft.com/office/2007/relationships/media"
	return with(t, deck, map[string]func(string) string{
		slide1: func(s string) string {
			s = strings.Replace(s, `</p:spTree>`, pic(71, "Film", "videoFile", "rId41", "rId42", "rId45")+pic(72, "Ton", "audioFile", "rId43", "rId44", "rId45")+`</p:spTree>`, 1)
			return strings.Replace(s, `</p:sld>`, timing+`</p:sld>`, 1)
		},
		relsOf(slide1):         replace(t, `</Relationships>`, rel(41, nsR+"/video", "../media/film.mp4")+rel(42, p14, "../media/film.mp4")+rel(43, nsR+"/audio", "../media/ton.m4a")+rel(44, p14, "../media/ton.m4a")+rel(45, relImage, "../media/poster.png")+`</Relationships>`),
		"ppt/media/film.mp4":   always("film"),
		"ppt/media/ton.m4a":    always("ton"),
		"ppt/media/poster.png": always(string(pngOf(t, 16, 9))),
		"[Content_Types].xml":  replace(t, `</Types>`, `<Default Extension="mp4" ContentType="video/mp4"/><Default Extension="m4a" ContentType="audio/mp4"/><Default Extension="png" ContentType="image/png"/></Types>`),
	})
}

// hasFilm checks that a slide still plays its film and its sound.
func hasFilm(t *testing.T, file []byte, slide string) {
	t.Helper()
	tr, err := parse(ctx, slide, []byte(part(t, file, slide)))
	require.NoError(t, err)
	d, _, err := openDeck(ctx, source(file))
	require.NoError(t, err)
	rels, err := d.Rels(ctx, slide)
	require.NoError(t, err)
	found, timed := 0, 0
	for n := range tr.Root.All() {
		switch n.Local {
		case "videoFile", "audioFile":
			require.Contains(t, []string{"film", "ton"}, part(t, file, relTarget(rels, n.RelValue("link"))))
			found++
		case "media":
			require.Contains(t, []string{"film", "ton"}, part(t, file, relTarget(rels, n.RelValue("embed"))))
			found++
		case "spTgt":
			require.Contains(t, []string{"71", "72"}, n.Value("spid"))
			timed++
		}
	}
	require.Equal(t, []int{4, 2}, []int{found, timed})
}

// Films and sounds stay with their files and their timing, whatever is done to the slide.
func TestMediaStays(t *testing.T) {
	deck := filmDeck(t)
	hasFilm(t, deck, slide1)
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", deck), "")
	files := map[string][]byte{"a.png": pngOf(t, 40, 30)}
	out := deck
	for _, op := range everyOp {
		if strings.Contains(op, "delete_slide") || strings.Contains(op, "delete_shape") {
			continue
		}
		next, _, err := editWith(t, out, files, op)
		require.NoError(t, err, op)
		out = next
		hasFilm(t, out, slide1)
	}
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
	// The copy plays the same files, and they outlive the first slide.
	m := mapOf(t, out)
	d, _, err := openDeck(ctx, source(out))
	require.NoError(t, err)
	copies := 0
	for i := range m.Slides {
		if strings.Contains(part(t, out, d.slides[i].part), "videoFile") {
			hasFilm(t, out, d.slides[i].part)
			copies++
		}
	}
	require.Equal(t, 2, copies)
	grouped := edit(t, deck, `{"op":"group_shapes","index":0,"shapes":[71,72]}`, `{"op":"arrange_shapes","index":0,"shapes":[73],"align":"center"}`)
	hasFilm(t, grouped, slide1)
	hasFilm(t, edit(t, grouped, `{"op":"ungroup_shapes","index":0,"shape_id":73}`), slide1)
	gone := edit(t, deck, `{"op":"delete_shape","index":0,"shape_id":71}`)
	require.NotContains(t, formatstest.Parts(t, gone), "ppt/media/film.mp4")
	require.Contains(t, formatstest.Parts(t, gone), "ppt/media/ton.m4a")
}
