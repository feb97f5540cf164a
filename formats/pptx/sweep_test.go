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

// Parts that nothing led to before an edit are not the edit's to drop, and
// what a later operation of the same call needs again stays.
func TestSweepDropsOnlyWhatItOrphans(t *testing.T) {
	file := deckOf1(t)
	before := formatstest.Parts(t, file)
	out := edit(t, file, `{"op":"duplicate_slide","index":0}`, `{"op":"delete_slide","index":0}`)
	require.Contains(t, formatstest.Parts(t, out), "ppt/slides/slide99_orphan.xml")
	require.Equal(t, strings.Replace(readSlide(t, file, 0), "Slide 1", "Slide 1", 1), readSlide(t, out, 0))
	require.NotContains(t, formatstest.Parts(t, out), "ppt/comments/c1.xml")
	for name := range formatstest.Parts(t, edit(t, file, `{"op":"hide_slide","index":0}`)) {
		require.Contains(t, before, name)
	}
}

// However many slides and pictures come and go in one call, every relationship
// leads to a part, every part that came has one that leads to it, and every
// part has a type.
func TestPackageStaysWhole(t *testing.T) {
	base := deckOf1(t)
	files := map[string][]byte{"a.png": pngOf(t, 3, 3), "b.png": pngOf(t, 4, 4)}
	rapid.Check(t, func(r *rapid.T) {
		var list []string
		n := 1
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			i := 0
			if n > 0 {
				i = rapid.IntRange(0, n-1).Draw(r, "index")
			}
			switch k := rapid.IntRange(0, 5).Draw(r, "op"); {
			case k == 0 || n == 0:
				list, n = append(list, `{"op":"add_slide"}`), n+1
			case k == 1:
				list, n = append(list, fmt.Sprintf(`{"op":"duplicate_slide","index":%d}`, i)), n+1
			case k == 2:
				list, n = append(list, fmt.Sprintf(`{"op":"delete_slide","index":%d}`, i)), n-1
			case k == 3:
				list = append(list, fmt.Sprintf(`{"op":"add_image","index":%d,"path":%q}`, i, rapid.SampledFrom([]string{"a.png", "b.png"}).Draw(r, "path")))
			default:
				list = append(list, fmt.Sprintf(`{"op":"set_notes","index":%d,"text":"n"}`, i))
			}
		}
		out, _, err := editWith(t, base, files, list...)
		require.NoError(t, err)
		whole(t, base, out)
	})
}

// whole fails unless the relationships of a package are consistent, as far as
// they are not those of the package before.
func whole(t testing.TB, before, file []byte) {
	t.Helper()
	d, pkg, err := openDeck(ctx, source(file))
	require.NoError(t, err)
	de := &deckEdit{deck: *d, edit: pkg.Edit()}
	de.parts = de.edit
	reached, err := de.reach(ctx, []string{""}, nil)
	require.NoError(t, err)
	old := formatstest.Parts(t, before)
	for _, name := range pkg.Names() {
		if _, had := old[name]; had || strings.HasSuffix(name, ".rels") {
			continue
		}
		require.Contains(t, reached, strings.ToLower(name), "nothing leads to %s", name)
		require.NotEmpty(t, pkg.ContentType(name), name)
	}
	for _, name := range pkg.Names() {
		rels, err := pkg.Rels(ctx, name)
		require.NoError(t, err)
		for _, r := range rels {
			require.True(t, r.External || pkg.Has(r.Target), "%s leads to %s, which is not there", name, r.Target)
		}
	}
}

// The reader says the same with addresses and comments, only more.
func TestCorpusReadsWithAll(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, file []byte) {
		for i := range mapOf(t, file).SlideCount {
			all := "\n" + readWith(t, file, i, formats.IncludeAll) + "\n"
			for _, l := range strings.Split(readSlide(t, file, i), "\n") {
				require.Contains(t, all, "\n"+l+"\n")
			}
			// Every address leads to a shape.
			m := mapSlideOf(t, file, i)
			for _, s := range m.Slides[0].Shapes {
				require.Contains(t, all, fmt.Sprintf("[shape %d ", s.ID))
				for _, v := range s.Position {
					require.Less(t, v, 1e4)
					require.Greater(t, v, -1e4)
				}
			}
		}
	})
}

// Notes for which the presentation names a master that is not there are
// refused in words rather than made worse.
func TestNotesMasterMissing(t *testing.T) {
	deck := with(t, lettered(t, 1), map[string]func(string) string{newMain: replace(t, `</p:sldMasterIdLst>`, `</p:sldMasterIdLst><p:notesMasterIdLst><p:notesMasterId r:id="rId99"/></p:notesMasterIdLst>`)})
	_, _, err := tryEdit(deck, `{"op":"set_notes","index":0,"text":"x"}`)
	require.Equal(t, formats.CodeCorrupt, formats.CodeOf(err))
	require.ErrorContains(t, err, "names a notes master that is not there")
	empty := with(t, lettered(t, 1), map[string]func(string) string{newMain: replace(t, `</p:sldMasterIdLst>`, `</p:sldMasterIdLst><p:notesMasterIdLst/>`)})
	out := edit(t, empty, `{"op":"set_notes","index":0,"text":"x"}`)
	require.Contains(t, readSlide(t, out, 0), "Notes: x")
	formatstest.Validate(t, formatstest.Write(t, "x.pptx", out), "")
}

func TestResection(t *testing.T) {
	refs := func(ids ...string) (out []slideRef) {
		for _, id := range ids {
			out = append(out, slideRef{id: id, part: "p" + id})
		}
		return out
	}
	doc := `<p:presentation xmlns:p="` + nsP + `"><p:extLst><p:ext><s:sectionLst xmlns:s="` + nsP14 + `"><s:section><s:sldIdLst><s:sldId id="1"/> <s:sldId id="2"/></s:sldIdLst></s:section><s:section><s:sldIdLst/></s:section></s:sectionLst></p:ext></p:extLst></p:presentation>`
	tr, err := parse(ctx, "x", []byte(doc))
	require.NoError(t, err)
	sections := sectionsOf(tr)
	require.Equal(t, []string{"1", "2"}, sections[0].slides)
	require.Empty(t, tr.resection(sections, refs("1", "2")), "nothing to do changes no byte")
	require.Contains(t, string(applied(tr, tr.resection(sections, refs("2", "1"))...)), `<s:sldIdLst><s:sldId id="2"/><s:sldId id="1"/></s:sldIdLst>`)
	require.Contains(t, string(applied(tr, tr.resection(sections, refs("2"))...)), `<s:sldIdLst><s:sldId id="2"/></s:sldIdLst>`)
	sections[1].slides = []string{"3"}
	require.Contains(t, string(applied(tr, tr.resection(sections, refs("1", "2", "3"))...)), `<s:section><s:sldIdLst><s:sldId id="3"/></s:sldIdLst></s:section>`)
}
