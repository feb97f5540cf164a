package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// titles returns the titles of all slides in order.
func titles(t testing.TB, file []byte) string {
	t.Helper()
	var list []string
	for _, s := range mapOf(t, file).Slides {
		list = append(list, s.Title)
	}
	return strings.Join(list, " ")
}

// lettered returns a deck of slides titled A, B, C …
func lettered(t testing.TB, n int) []byte {
	t.Helper()
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"op":"add_slide","title":%q}`, string(rune('A'+i))))
	}
	return edit(t, nil, list...)
}

// sectioned puts the slides of a deck into sections, given as ids from 256 on.
func sectioned(t testing.TB, file []byte, sections ...[]int) []byte {
	t.Helper()
	var sb strings.Builder
	for i, ids := range sections {
		fmt.Fprintf(&sb, `<p14:section name="S%d" id="{00000000-0000-0000-0000-00000000000%d}"><p14:sldIdLst>`, i, i)
		for _, id := range ids {
			fmt.Fprintf(&sb, `<p14:sldId id="%d"/>`, id)
		}
		sb.WriteString(`</p14:sldIdLst></p14:section>`)
	}
	return with(t, file, map[string]func(string) string{newMain: replace(t, `</p:presentation>`, `<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="`+nsP14+`">`+sb.String()+`</p14:sectionLst></p:ext></p:extLst></p:presentation>`)})
}

// sectionsIn returns the slide ids of each section.
func sectionsIn(t testing.TB, file []byte) string {
	t.Helper()
	tr, err := parse(ctx, newMain, []byte(part(t, file, newMain)))
	require.NoError(t, err)
	var out []string
	for _, s := range sectionsOf(tr) {
		out = append(out, strings.Join(s.slides, ","))
	}
	return strings.Join(out, " | ")
}

// peers.md: slides can be reordered. Only the presentation part changes, and
// there and back gives the same parts.
func TestPeerCannotReorder(t *testing.T) {
	deck := lettered(t, 4)
	out, rep := editReport(t, deck, `{"op":"move_slide","index":3,"position":0}`)
	require.Equal(t, "D A B C", titles(t, out))
	require.Equal(t, "slide index 0", rep.Ops[0].Made)
	formatstest.SameParts(t, deck, out, newMain)
	require.Equal(t, "B C A D", titles(t, edit(t, deck, `{"op":"move_slide","index":0,"position":2}`)))
	rapid.Check(t, func(r *rapid.T) {
		from, to := rapid.IntRange(0, 3).Draw(r, "from"), rapid.IntRange(0, 3).Draw(r, "to")
		there := edit(t, deck, fmt.Sprintf(`{"op":"move_slide","index":%d,"position":%d}`, from, to))
		formatstest.SameParts(t, deck, edit(t, there, fmt.Sprintf(`{"op":"move_slide","index":%d,"position":%d}`, to, from)))
	})
	for op, want := range map[string]string{`"index":0`: "position is required: the index the slide gets, counted from 0", `"index":0,"position":4`: "invalid slide index", `"index":4,"position":0`: "invalid slide index"} {
		_, _, err := tryEdit(deck, `{"op":"move_slide",`+op+`}`)
		require.EqualError(t, err, "operation 1 (move_slide): "+want)
	}
}

// A moved slide joins the section around its new place.
func TestMoveBetweenSections(t *testing.T) {
	deck := sectioned(t, lettered(t, 4), []int{256, 257}, []int{258, 259}, nil)
	for op, want := range map[string]string{
		`"index":0,"position":1`: "257,256 | 258,259 | ",
		`"index":0,"position":3`: "257 | 258,259,256 | ",
		`"index":3,"position":0`: "259,256,257 | 258 | ",
		`"index":0,"position":2`: "257 | 258,256,259 | ",
		`"index":2,"position":1`: "256,258,257 | 259 | ",
		`"index":1,"position":1`: "256,257 | 258,259 | ",
	} {
		require.Equal(t, want, sectionsIn(t, edit(t, deck, `{"op":"move_slide",`+op+`}`)), op)
	}
}

func TestHideSlide(t *testing.T) {
	deck := lettered(t, 2)
	hidden := edit(t, deck, `{"op":"hide_slide","index":1}`)
	require.True(t, mapOf(t, hidden).Slides[1].Hidden)
	require.Equal(t, 1, mapOf(t, hidden).HiddenCount)
	require.Equal(t, hidden, edit(t, hidden, `{"op":"hide_slide","index":1,"hidden":true}`))
	formatstest.SameParts(t, deck, edit(t, hidden, `{"op":"hide_slide","index":1,"hidden":"false"}`))
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", hidden), "")
}

// peers.md: slides can be deleted. All that only the slide used goes with it;
// what others use stays; links, sections and custom shows follow.
func TestPeerCannotDelete(t *testing.T) {
	file := deckOf1(t)
	file = edit(t, file, `{"op":"add_slide","title":"B"}`, `{"op":"add_slide","title":"C"}`)
	link := `<a:p><a:r><a:rPr><a:hlinkClick r:id="rId7" action="ppaction://hlinksldjump"/></a:rPr><a:t>dorthin</a:t></a:r></a:p>`
	file = with(t, file, map[string]func(string) string{
		slide2:                         replace(t, `</p:spTree>`, sp(9, "Verweis", "", link)+`</p:spTree>`),
		relsOf(slide2):                 replace(t, `</Relationships>`, rel(7, relSlide, "slide1.xml")+rel(8, relChart, "../charts/shared.xml")+`</Relationships>`),
		relsOf(slide1):                 replace(t, `</Relationships>`, rel(20, relChart, "../charts/shared.xml")+`</Relationships>`),
		"ppt/charts/shared.xml":        always(chartXML),
		"ppt/viewProps.xml":            always(`<p:viewPr xmlns:p="` + nsP + `" xmlns:r="` + nsR + `"><p:outlineViewPr><p:cViewPr/><p:sldLst><p:sld r:id="rId1" collapse="1"/></p:sldLst></p:outlineViewPr></p:viewPr>`),
		"ppt/_rels/viewProps.xml.rels": always(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rel(1, relSlide, "slides/slide1.xml") + `</Relationships>`),
		newMain:                        replace(t, `<p:notesSz`, `<p:notesSz`),
	})
	file = sectioned(t, file, []int{256}, []int{257, 258})
	shows := `<p:custShowLst><p:custShow name="Nur A" id="0"><p:sldLst><p:sld r:id="%[1]s"/></p:sldLst></p:custShow><p:custShow name="A und B" id="1"><p:sldLst><p:sld r:id="%[1]s"/><p:sld r:id="%[2]s"/></p:sldLst></p:custShow></p:custShowLst>`
	d, _, err := openDeck(ctx, source(file))
	require.NoError(t, err)
	tr, err := d.tree(ctx, newMain)
	require.NoError(t, err)
	a, b := d.entries(tr)[d.slides[0]].RelValue("id"), d.entries(tr)[d.slides[1]].RelValue("id")
	file = with(t, file, map[string]func(string) string{newMain: func(s string) string {
		return strings.Replace(s, `<p:extLst>`, fmt.Sprintf(shows, a, b)+`<p:extLst>`, 1)
	}})

	out, rep := editReport(t, file, `{"op":"delete_slide","index":0}`)
	require.Equal(t, "B C", titles(t, out))
	require.Equal(t, []string{"1 links to the slide were removed"}, rep.Ops[0].Warnings)
	require.Equal(t, " | 257,258", sectionsIn(t, out))
	parts := formatstest.Parts(t, out)
	for _, gone := range []string{slide1, relsOf(slide1), "ppt/charts/c.xml", "ppt/notesSlides/n7.xml", "ppt/diagrams/data1.xml", "ppt/diagrams/drawing1.xml", "ppt/comments/c1.xml"} {
		require.NotContains(t, parts, gone)
		require.NotContains(t, string(parts["[Content_Types].xml"]), gone)
	}
	for _, stays := range []string{"ppt/charts/shared.xml", slide2, "ppt/slides/slide99_orphan.xml", "ppt/slideMasters/unrelated.bin"} {
		require.Contains(t, parts, stays)
	}
	require.Contains(t, string(parts[newMain]), `<p:custShowLst><p:custShow name="A und B" id="1"><p:sldLst><p:sld r:id="`+b+`"/></p:sldLst></p:custShow></p:custShowLst>`)
	require.Contains(t, string(parts[slide2]), `<a:p><a:r><a:rPr></a:rPr><a:t>dorthin</a:t></a:r></a:p>`)
	require.NotContains(t, string(parts[relsOf(slide2)]), "slide1.xml")

	require.Contains(t, string(parts["ppt/viewProps.xml"]), `<p:sldLst></p:sldLst>`)
	none := edit(t, file, `{"op":"delete_slide","index":0}`, `{"op":"delete_slide","index":0}`, `{"op":"delete_slide","index":0}`)
	require.Equal(t, 0, mapOf(t, none).SlideCount)
	require.NotContains(t, part(t, none, newMain), "custShowLst")
	require.Equal(t, "# Slide 1\nneu", readSlide(t, edit(t, none, `{"op":"add_slide","title":"neu"}`), 0))
	_, _, err = tryEdit(none, `{"op":"delete_slide","index":0}`)
	require.EqualError(t, err, "operation 1 (delete_slide): invalid slide index")
}

// A copy has charts, diagrams and notes of its own and shares pictures,
// layout and media; comments stay with the original.
func TestDuplicateSlide(t *testing.T) {
	file := with(t, deckOf1(t), map[string]func(string) string{
		relsOf(slide1):                      replace(t, `</Relationships>`, rel(30, relImage, "../media/image1.png")+`</Relationships>`),
		"ppt/media/image1.png":              always("\x89PNG"),
		"ppt/charts/_rels/c.xml.rels":       always(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rel(1, nsR+"/package", "../embeddings/book.xlsx") + `</Relationships>`),
		"ppt/embeddings/book.xlsx":          always("PK\x00\xff\xfe binary"),
		"ppt/notesSlides/_rels/n7.xml.rels": always(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rel(1, relSlide, "../slides/slide1.xml") + `</Relationships>`),
	})
	out, rep := editReport(t, file, `{"op":"duplicate_slide","index":0}`)
	require.Equal(t, []string{"the comments of the slide were not copied"}, rep.Ops[0].Warnings)
	require.Equal(t, "slide index 1", rep.Ops[0].Made)
	require.Equal(t, strings.Replace(readSlide(t, out, 0), "# Slide 1", "# Slide 2", 1), readSlide(t, out, 1))
	d, _, err := openDeck(ctx, source(out))
	require.NoError(t, err)
	copied, err := d.Rels(ctx, d.slides[1].part)
	require.NoError(t, err)
	original, err := d.Rels(ctx, d.slides[0].part)
	require.NoError(t, err)
	for _, r := range original {
		switch r.Type {
		case relComments:
			require.Empty(t, relTarget(copied, r.ID))
		case relImage, relLayout:
			require.Equal(t, r.Target, relTarget(copied, r.ID))
		default:
			require.NotEqual(t, r.Target, relTarget(copied, r.ID), r.Type)
			require.True(t, d.Has(relTarget(copied, r.ID)), relTarget(copied, r.ID))
		}
	}
	parts := formatstest.Parts(t, out)
	require.Equal(t, parts["ppt/embeddings/book.xlsx"], parts["ppt/embeddings/book1.xlsx"])
	notes, err := d.related(ctx, d.slides[1].part, relNotes)
	require.NoError(t, err)
	back, err := d.related(ctx, notes[0].Target, relSlide)
	require.NoError(t, err)
	require.Equal(t, d.slides[1].part, back[0].Target, "notes of the copy lead to the copy")

	changed := edit(t, out, `{"op":"set_slide_text","index":1,"title":"Kopie"}`)
	require.Equal(t, "Der Titel Kopie", titles(t, changed))
	formatstest.SameParts(t, file, edit(t, out, `{"op":"delete_slide","index":1}`), "[Content_Types].xml", newMain, relsOf(newMain))
}

// A comment that the copy does not have is not referred to by it either.
func TestDuplicateDropsCommentReferences(t *testing.T) {
	ext := func(id string) string {
		return `<p:ext uri="{6950BFC3-D8DA-4A85-94F7-54DA5524770B}"><p188:commentRel xmlns:p188="` + nsModern + `" r:id="` + id + `"/></p:ext>`
	}
	other := `<p:ext uri="{BB962C8B-B14F-4D97-AF65-F5344CB8AC3E}"><p14:creationId xmlns:p14="` + nsP14 + `" val="4711"/></p:ext>`
	file := with(t, lettered(t, 1), map[string]func(string) string{
		slide1: func(s string) string {
			s = strings.Replace(s, `</p:cSld>`, `<p:extLst>`+other+`</p:extLst></p:cSld>`, 1)
			return strings.Replace(s, `</p:sld>`, `<p:extLst>`+ext("rId8")+`</p:extLst></p:sld>`, 1)
		},
		relsOf(slide1):       replace(t, `</Relationships>`, rel(8, relModernComments, "../comments/m.xml")+rel(9, relChart, "../charts/c.xml")+`</Relationships>`),
		"ppt/comments/m.xml": always(`<p188:cmLst xmlns:p188="` + nsModern + `"/>`),
		"ppt/charts/c.xml":   always(chartXML),
	})
	out := edit(t, file, `{"op":"duplicate_slide","index":0}`)
	copied := part(t, out, slide2)
	require.NotContains(t, copied, "commentRel")
	require.Contains(t, copied, "creationId")
	require.NotContains(t, copied, `val="4711"`, "a slide of its own")
	require.Equal(t, part(t, file, slide1), part(t, out, slide1))
	require.NotContains(t, part(t, out, relsOf(slide2)), "comments")
}

// Duplicate and delete, and moves, keep sections consistent: every slide is in
// one section, in the presentation's order.
func TestSectionsStayConsistent(t *testing.T) {
	base := sectioned(t, lettered(t, 5), []int{256, 257}, nil, []int{258, 259, 260})
	rapid.Check(t, func(r *rapid.T) {
		file, n := base, 5
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			i := rapid.IntRange(0, n-1).Draw(r, "index")
			switch rapid.IntRange(0, 3).Draw(r, "op") {
			case 0:
				file, n = edit(t, file, fmt.Sprintf(`{"op":"duplicate_slide","index":%d,"position":%d}`, i, rapid.IntRange(0, n).Draw(r, "to"))), n+1
			case 1:
				if n > 1 {
					file, n = edit(t, file, fmt.Sprintf(`{"op":"delete_slide","index":%d}`, i)), n-1
				}
			case 2:
				file, n = edit(t, file, fmt.Sprintf(`{"op":"add_slide","position":%d}`, i)), n+1
			default:
				file = edit(t, file, fmt.Sprintf(`{"op":"move_slide","index":%d,"position":%d}`, i, rapid.IntRange(0, n-1).Draw(r, "to")))
			}
		}
		d, _, err := openDeck(ctx, source(file))
		require.NoError(t, err)
		var want []string
		for _, s := range d.slides {
			want = append(want, s.id)
		}
		var have []string
		for _, s := range strings.Split(sectionsIn(t, file), " | ") {
			if s != "" {
				have = append(have, strings.Split(s, ",")...)
			}
		}
		require.Equal(t, want, have)
	})
}

// Parts whose names differ only in case are one part: what is still used
// under another spelling stays.
func TestDeleteMindsCase(t *testing.T) {
	file := edit(t, nil, `{"op":"add_slide","title":"A"}`, `{"op":"add_slide","title":"B"}`)
	file = with(t, file, map[string]func(string) string{
		relsOf(slide1):         replace(t, `</Relationships>`, rel(30, relImage, "../Media/IMAGE1.png")+`</Relationships>`),
		relsOf(slide2):         replace(t, `</Relationships>`, rel(30, relImage, "../media/image1.png")+`</Relationships>`),
		"ppt/media/image1.png": always("\x89PNG"),
	})
	out := edit(t, file, `{"op":"delete_slide","index":0}`)
	require.Contains(t, formatstest.Parts(t, out), "ppt/media/image1.png")
	require.NotContains(t, formatstest.Parts(t, edit(t, out, `{"op":"delete_slide","index":0}`)), "ppt/media/image1.png")
	_, _, err := tryEdit(file, `{"op":"duplicate_slide","index":0,"position":3}`)
	require.Equal(t, formats.CodeInvalid, formats.CodeOf(err))
}
