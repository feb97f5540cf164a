package docx

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// labelledLines returns the paragraphs of the body with text, each with its label.
func labelledLines(t testing.TB, src formats.Source) []string {
	t.Helper()
	var out []string
	for _, l := range bodyLabels(t, src) {
		out = append(out, strings.TrimSpace(l.label+" "+l.text))
	}
	return out
}

// sixLines is a document of six plain paragraphs.
func sixLines(t testing.TB) formats.Source {
	return withBody(t, wp(wr("one"))+wp(wr("two"))+wp(wr("three"))+wp(wr("four"))+wp(wr("five"))+wp(wr("six")))
}

func TestSetList(t *testing.T) {
	src := sixLines(t)
	for _, c := range []struct {
		name string
		ops  []string
		want string
		note string
	}{
		{"numbers", []string{`{"op":"set_list","at":"p0","count":3,"format":"decimal"}`}, "1. one|2. two|3. three|four|five|six", "p0 to p2: labels 1. to 3."},
		{"bullets", []string{`{"op":"set_list","at":"p1","count":2,"format":"bullet","label":"–"}`}, "one|– two|– three|four|five|six", "p1 to p2: labels – to –"},
		{"letters in brackets from c", []string{`{"op":"set_list","at":"p0","count":2,"format":"lower_letter","label":"(%1)","start_at":3}`}, "(c) one|(d) two|three|four|five|six", "p0 to p1: labels (c) to (d)"},
		{"roman", []string{`{"op":"set_list","at":"p0","count":4,"format":"upper_roman"}`}, "I. one|II. two|III. three|IV. four|five|six", ""},
		{"levels of 1.1", []string{`{"op":"set_list","at":"p0","count":6,"format":"legal"}`, `{"op":"set_list","at":"p1","count":2,"level":1}`, `{"op":"set_list","at":"p2","level":2}`}, "1. one|1.1 two|1.1.1 three|2. four|3. five|4. six", "p2: label 1.1.1"},
		{"restart to the end", []string{`{"op":"set_list","at":"p0","count":6,"format":"decimal"}`, `{"op":"set_list","at":"p3","start_at":1}`}, "1. one|2. two|3. three|1. four|2. five|3. six", "p3 to p5: labels 1. to 3."},
		{"restart of two, then the old numbers go on", []string{`{"op":"set_list","at":"p0","count":6,"format":"decimal"}`, `{"op":"set_list","at":"p2","count":2,"start_at":7}`}, "1. one|2. two|7. three|8. four|9. five|10. six", ""},
		{"continue", []string{`{"op":"set_list","at":"p0","count":2,"format":"decimal"}`, `{"op":"set_list","at":"p4","count":2,"continue_from":"p1"}`}, "1. one|2. two|three|four|3. five|4. six", "p4 to p5: labels 3. to 4."},
		{"two restarts", []string{`{"op":"set_list","at":"p0","count":6,"format":"decimal"}`, `{"op":"set_list","at":"p2","start_at":1}`, `{"op":"set_list","at":"p4","start_at":1}`}, "1. one|2. two|1. three|2. four|1. five|2. six", ""},
		{"converted", []string{`{"op":"set_list","at":"p0","count":4,"format":"bullet"}`, `{"op":"set_list","at":"p1","level":1}`, `{"op":"set_list","at":"p0","count":4,"format":"upper_letter"}`}, "A. one|1. two|B. three|C. four|five|six", ""},
		{"taken out", []string{`{"op":"set_list","at":"p0","count":4,"format":"decimal"}`, `{"op":"set_list","at":"p1","format":"none"}`}, "1. one|two|2. three|3. four|five|six", "p1: no list label"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, rep := edited(t, src, c.ops...)
			require.Equal(t, c.want, strings.Join(labelledLines(t, out), "|"))
			if c.note != "" {
				require.Contains(t, rep.Ops[len(rep.Ops)-1].Notes, c.note)
			}
			good(t, out)
			back, _ := edited(t, out, `{"op":"set_list","at":"p0","count":6,"format":"none"}`)
			require.Equal(t, mainXML(t, src), mainXML(t, back), "out of the lists, the paragraphs are as they were")
		})
	}
}

// The list of a style and the indent of a paragraph give way.
func TestSetListOverStyles(t *testing.T) {
	src := withBody(t, styledPara("ListBullet", "one")+styledPara("ListBullet", "two")+wp(wppr(`<w:ind w:left="99"/>`), wr("three")))
	out, rep := edited(t, src, `{"op":"set_list","at":"p0","count":3,"format":"decimal"}`)
	require.Equal(t, []string{"1. one", "2. two", "3. three"}, labelledLines(t, out))
	require.Contains(t, rep.Ops[0].Notes, "1 paragraphs had an indent of their own; they now have that of the list")
	require.NotContains(t, mainXML(t, out), `w:left="99"`)
	out, _ = edited(t, out, `{"op":"set_list","at":"p1","format":"none"}`)
	require.Equal(t, []string{"1. one", "two", "2. three"}, labelledLines(t, out))
}

// A document without numbering.xml gets one; an empty one is filled.
func TestSetListMakesThePart(t *testing.T) {
	out, err := formats.ReadAll(sixLines(t), 1<<20)
	require.NoError(t, err)
	for _, numbering := range []string{"", `<x:numbering xmlns:x="` + nsW + `"/>`, `<w:numbering xmlns:w="` + nsW + `"><w:abstractNum w:abstractNumId="4"/><w:num w:numId="9"><w:abstractNumId w:val="4"/></w:num><w:numIdMacAtCleanup w:val="2"/></w:numbering>`} {
		e, err := begin(ctx, formats.FromBytes("a.docx", out))
		require.NoError(t, err)
		name, _, err := e.related(ctx, "numbering")
		require.NoError(t, err)
		if numbering != "" {
			e.ed.Set(name, []byte(numbering))
		} else {
			e.ed.Remove(name)
		}
		var buf strings.Builder
		require.NoError(t, e.ed.Write(ctx, &buf))
		src := formats.FromBytes("a.docx", []byte(buf.String()))
		got, _ := edited(t, src, `{"op":"set_list","at":"p0","count":2,"format":"decimal"}`, `{"op":"set_list","at":"p1","start_at":5}`)
		require.Equal(t, []string{"1. one", "5. two", "three", "four", "five", "six"}, labelledLines(t, got))
		good(t, got)
	}
}

// Lists are recorded as tracked changes of the paragraphs.
func TestSetListTracked(t *testing.T) {
	src := sixLines(t)
	out, _ := edited(t, src, `{"op":"set_list","at":"p0","count":2,"format":"decimal",`+tracked+`}`)
	good(t, out)
	require.Equal(t, 2, strings.Count(mainXML(t, out), "<w:pPrChange "))
	back, _ := edited(t, out, `{"op":"reject_changes"}`)
	require.Equal(t, labelledLines(t, src), labelledLines(t, back))
	done, _ := edited(t, out, `{"op":"accept_changes"}`)
	require.Equal(t, "1. one", labelledLines(t, done)[0])
}

func TestSetListFaults(t *testing.T) {
	src, _ := edited(t, sixLines(t), `{"op":"set_list","at":"p0","format":"bullet"}`)
	for in, want := range map[string]string{
		`"at":"p0"`:                                         "say what to do",
		`"at":"p0","format":"dotted"`:                       "is not one of bullet",
		`"at":"p1","level":1`:                               "p1 is in no list",
		`"at":"p1","start_at":1`:                            "p1 is in no list",
		`"at":"p0","level":9`:                               "0 to 8",
		`"at":"p0","start_at":1`:                            "bullet",
		`"at":"p0","continue_from":"p2"`:                    "p2 is in no list",
		`"at":"p0","format":"decimal","label":"x"`:          "must have %1 once",
		`"at":"p0","format":"bullet","label":"%1"`:          "is no bullet",
		`"at":"p0","format":"decimal","continue_from":"p0"`: "give one of them",
		`"at":"p0","start_at":1,"continue_from":"p0"`:       "give one of them",
		`"at":"p0","format":"none","level":1`:               "takes no level",
		`"at":"p0","label":"%1)"`:                           "say what to do",
		`"at":"p0","format":"decimal","start_at":99999`:     "0 to 32767",
	} {
		_, _, err := applyWith(t, src, options(t), `{"op":"set_list",`+in+`}`)
		require.ErrorContains(t, err, want, in)
		require.NotEmpty(t, formats.CodeOf(err))
	}
}

// LibreOffice prints the labels that Atelier says, after new lists, restarts,
// levels and conversions.
func TestSetListInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	src := sixLines(t)
	for _, ops := range [][]string{
		{`{"op":"set_list","at":"p0","count":6,"format":"legal"}`, `{"op":"set_list","at":"p1","count":2,"level":1}`, `{"op":"set_list","at":"p4","level":1}`},
		{`{"op":"set_list","at":"p0","count":6,"format":"lower_letter","label":"(%1)"}`, `{"op":"set_list","at":"p3","start_at":1}`, `{"op":"set_list","at":"p5","start_at":1}`},
		{`{"op":"set_list","at":"p0","count":2,"format":"upper_roman","start_at":4}`, `{"op":"set_list","at":"p3","count":2,"format":"decimal","label":"Art. %1"}`, `{"op":"set_list","at":"p5","continue_from":"p1"}`},
		{`{"op":"set_list","at":"p0","count":6,"format":"decimal"}`, `{"op":"set_list","at":"p1","count":2,"level":1}`, `{"op":"set_list","at":"p4","count":2,"level":1}`, `{"op":"set_list","at":"p5","start_at":1}`},
	} {
		out, _ := edited(t, src, ops...)
		labelsAgree(t, out, "")
	}
}

// labelsAgree compares the labels of a document with those LibreOffice prints.
func labelsAgree(t testing.TB, src formats.Source, original string) (agree int) {
	t.Helper()
	b, err := formats.ReadAll(src, 1<<30)
	require.NoError(t, err)
	txt, err := os.ReadFile(formatstest.LibreOffice(t, formatstest.Write(t, "lists.docx", b), "txt:Text:UTF8"))
	require.NoError(t, err)
	lines, at := strings.Split(strings.TrimPrefix(string(txt), "\ufeff"), "\n"), 0
	for _, l := range bodyLabels(t, src) {
		have, found := officeLabel(lines, at, l.text)
		if found < 0 {
			continue
		}
		at = found + 1
		if l.bullet && have != "" && !strings.ContainsAny(have, "0123456789") {
			continue
		}
		require.Equal(t, l.label, have, "%s: %q", original, clip(l.text, 40))
		agree++
	}
	return agree
}

// Over the real documents: new lists, restarts and levels leave other parts as
// they were, add no schema error, and LibreOffice prints the same labels.
func TestCorpusSetList(t *testing.T) {
	done, agree := 0, 0
	for i, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, err := d.body(ctx)
		require.NoError(t, err)
		kids := p.stories[0].kidsOf(paraNode)
		from := slices.IndexFunc(kids, func(n *node) bool { return strings.TrimSpace(p.paras[n.para].Text()) != "" })
		if from < 0 {
			continue
		}
		at := fmt.Sprintf(`{"op":"set_list","at":"p%d",`, from)
		out, _, err := applyWith(t, src, options(t), fmt.Sprintf(`%s"count":%d,"format":"legal"}`, at, min(4, len(kids)-from)), at+`"level":1}`, at+`"level":0,"start_at":3}`)
		require.NoError(t, err, path)
		name, _, err := d.related(ctx, "numbering")
		require.NoError(t, err)
		except := []string{d.main, name}
		if name == "" {
			except = append(except, "word/numbering.xml", "[Content_Types].xml", "word/_rels/document.xml.rels")
		}
		formatstest.SameParts(t, b, out, except...)
		formatstest.Validate(t, formatstest.Write(t, "lists.docx", out), path)
		done++
		if i%6 == 0 && campaign.Of(0, 1) == 1 {
			agree += labelsAgree(t, formats.FromBytes("l.docx", out), path)
		}
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  set_list on %d real documents; %d labels as LibreOffice prints them", done, agree)
}
