package docx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

func TestFormatSection(t *testing.T) {
	src := sixLines(t)
	out, _ := edited(t, src, `{"op":"format_section","width":10,"height":5,"columns":2,"column_gap":0.25,"start_at":3,"format":"lower_roman","first_page":true}`)
	require.Contains(t, mainXML(t, out), `<w:sectPr><w:pgSz w:w="14400" w:h="7200" w:orient="landscape"/><w:pgNumType w:start="3" w:fmt="lowerRoman"/><w:cols w:num="2" w:space="360"/><w:titlePg/></w:sectPr>`)
	good(t, out)
	back, _ := edited(t, out, `{"op":"format_section","columns":1,"first_page":false}`)
	require.Contains(t, mainXML(t, back), `<w:cols w:space="360"/></w:sectPr>`)
	good(t, back)
	for in, want := range map[string]string{
		``:                        "say what to set",
		`,"width":0.1`:            "0.5 to 22",
		`,"width":1`:              "no room for text",
		`,"columns":0`:            "1 to 45",
		`,"format":"bullet"`:      "is not one of",
		`,"start_at":-1`:          "0 to 32767",
		`,"at":"p99","columns":2`: "there is no p99",
	} {
		_, _, err := applyWith(t, src, options(t), `{"op":"format_section"`+in+`}`)
		require.ErrorContains(t, err, want)
	}
}

// A section break and its removal give the same document; headers, numbers and
// how the section begins stay.
func TestSectionBreaks(t *testing.T) {
	src, _ := edited(t, withBody(t, wp(wr("one"))+wtbl(1, wtr(wtc(wp(wr("a")))))+wp(wr("two"))+wp(wr("three"))), `{"op":"set_header","text":"top"}`, `{"op":"format_section","start_at":5}`)
	out, _ := edited(t, src, `{"op":"insert_section_break","at":"p0","type":"continuous"}`)
	good(t, out)
	m, err := Format().Mapper.Map(ctx, out, formats.MapOptions{})
	require.NoError(t, err)
	require.Len(t, m.(*Map).Pages, 2)
	require.Contains(t, mainXML(t, out), `<w:sectPr><w:type w:val="continuous"/></w:sectPr></w:body>`, "the second inherits the header; its numbers go on")
	back, _ := edited(t, out, `{"op":"delete_section_break","at":"p0"}`)
	require.Equal(t, mainXML(t, src), mainXML(t, back))

	out, rep := edited(t, src, `{"op":"insert_section_break","at":"t0"}`, `{"op":"format_section","at":"p2","columns":2}`, `{"op":"set_header","at":"p2","text":"second"}`)
	good(t, out)
	require.Contains(t, rep.Ops[0].Moved, "one further")
	require.Equal(t, "h1", rep.Ops[2].Made)
	require.Equal(t, "top", read(t, out, "h0"))
	require.Equal(t, "second", read(t, out, "h1"))
	_, _, err = applyWith(t, out, options(t), `{"op":"insert_section_break","at":"p1"}`)
	require.ErrorContains(t, err, "ends at p1 already")
	_, _, err = applyWith(t, out, options(t), `{"op":"insert_section_break","at":"t0.r0.c0.p0"}`)
	require.ErrorContains(t, err, "body only")
	_, _, err = applyWith(t, out, options(t), `{"op":"delete_section_break","at":"p0"}`)
	require.ErrorContains(t, err, "no section ends at p0")
	_, rep = edited(t, out, `{"op":"delete_section_break","at":"p1"}`)
	require.Contains(t, rep.Ops[0].Warnings[0], "1 headers or footers")
}

// A header of one section in the middle leaves those after it as they were.
func TestSetHeaderOfOneSection(t *testing.T) {
	src, _ := edited(t, sixLines(t), `{"op":"set_header","text":"all"}`, `{"op":"insert_section_break","at":"p1"}`, `{"op":"insert_section_break","at":"p3"}`, `{"op":"set_header","at":"p2","text":"middle"}`)
	good(t, src)
	_, secs, err := func() (*part, []sectionProps, error) {
		d, err := openDocument(ctx, src)
		require.NoError(t, err)
		return d.sectionsOf(ctx)
	}()
	require.NoError(t, err)
	require.Equal(t, []string{"word/header1.xml", "word/header2.xml", "word/header1.xml"}, []string{secs[0].refs["header default"], secs[1].refs["header default"], secs[2].refs["header default"]})
	out, rep := edited(t, src, `{"op":"set_header","at":"p3","text":"middle again"}`)
	require.Empty(t, rep.Ops[0].Made, "its own header is rewritten")
	require.Equal(t, "middle again", read(t, out, "h1"))
}

func TestSetWatermark(t *testing.T) {
	src, _ := edited(t, sixLines(t), `{"op":"set_header","type":"first","text":"cover"}`)
	out, rep := edited(t, src, `{"op":"set_watermark","text":"DRAFT & more"}`)
	good(t, out)
	require.Equal(t, 2, rep.Ops[0].Hits)
	again, _ := edited(t, out, `{"op":"set_watermark","text":"FINAL"}`)
	for _, name := range []string{"word/header1.xml", "word/header2.xml"} {
		doc := string(formatstest.Parts(t, must(formats.ReadAll(again, 1<<20)))[name])
		require.Equal(t, 1, strings.Count(doc, watermarkID), name)
		require.Contains(t, doc, `string="FINAL"`)
	}
	none, _ := edited(t, again, `{"op":"set_watermark","text":""}`)
	require.NotContains(t, string(formatstest.Parts(t, must(formats.ReadAll(none, 1<<20)))["word/header1.xml"]), watermarkID)
	require.Equal(t, "cover", read(t, none, "h0"))
	_, rep = edited(t, sixLines(t), `{"op":"set_watermark","text":""}`)
	require.True(t, rep.Ops[0].Unchanged)
	// A new text keeps the look, a look the text.
	look, rep := edited(t, out, `{"op":"set_watermark","text":"DRAFT & more","font_color":"C00000","layout":"horizontal","font_name":"Arial"}`, `{"op":"set_watermark","text":"NEW"}`)
	doc := partXML(t, look, "word/header1.xml")
	for _, want := range []string{`fillcolor="#C00000"`, `rotation:0;`, `font-family:&quot;Arial&quot;`, `string="NEW"`} {
		require.Contains(t, doc, want)
	}
	require.Contains(t, rep.Ops[1].Notes, `the watermark said "DRAFT & more"`)
	good(t, look)
	require.Contains(t, strings.Join(told(diff(t, out, look)), "\n"), "NEW")
	picture := changedParts(t, out, swap(t, "word/header1.xml", watermarkID, pictureWatermarkID))
	gone, rep := edited(t, picture, `{"op":"set_watermark","text":"WORDS"}`)
	require.Contains(t, rep.Ops[0].Notes, "a picture watermark is gone")
	require.Equal(t, 1, strings.Count(partXML(t, gone, "word/header1.xml"), watermarkID))
	require.NotContains(t, partXML(t, gone, "word/header1.xml"), pictureWatermarkID)
	for in, want := range map[string]string{`"text":"x","layout":"up"`: "diagonal or horizontal", `"text":"","font_color":"FF0000"`: "takes no look", `"text":"x","font_color":"red"`: "is not a colour"} {
		_, _, err := applyWith(t, src, options(t), `{"op":"set_watermark",`+in+`}`)
		require.ErrorContains(t, err, want)
	}
	_, rep = edited(t, sixLines(t), `{"op":"format_section","first_page":true}`, `{"op":"set_watermark","text":"x"}`)
	require.Contains(t, rep.Ops[1].Warnings[0], "the first page of section 1")
	_, _, err := applyWith(t, src, options(t), `{"op":"set_watermark"}`)
	require.ErrorContains(t, err, "text is required")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// LibreOffice lays out the sections, columns and page numbers that were set.
func TestSectionsInLibreOffice(t *testing.T) {
	campaign.Slow(t)
	out, _ := edited(t, sixLines(t), `{"op":"set_footer","text":"Page {page}"}`, `{"op":"insert_section_break","at":"p1"}`, `{"op":"format_section","at":"p2","width":11,"height":6,"start_at":7,"format":"upper_roman"}`, `{"op":"insert_section_break","at":"p3","type":"continuous"}`, `{"op":"format_section","at":"p4","columns":2}`, `{"op":"set_watermark","text":"DRAFT"}`)
	good(t, out)
	file := formatstest.Write(t, "sections.docx", must(formats.ReadAll(out, 1<<20)))
	odt := string(must(os.ReadFile(formatstest.LibreOffice(t, file, "fodt"))))
	for _, want := range []string{`fo:page-width="11in"`, `fo:column-count="2"`, `style:num-format="I"`, `style:page-number="7"`, "PowerPlusWaterMarkObject", "DRAFT"} {
		require.Contains(t, odt, want)
	}
}

// Over the real documents: a section break with columns, and a watermark.
func TestCorpusSections(t *testing.T) {
	done := 0
	for i, path := range formatstest.Sample(t, "docx") {
		b := must(os.ReadFile(path))
		src := formats.FromBytes(filepath.Base(path), b)
		d, err := openDocument(ctx, src)
		if err != nil {
			continue
		}
		p, secs, err := d.sectionsOf(ctx)
		require.NoError(t, err)
		if ps := p.stories[0].kidsOf(paraNode); len(ps) > 0 && (len(secs) == 0 || secs[0].start > ps[0].end) && ps[0].parent.kind == storyNode {
			out, _, err := applyWith(t, src, options(t), `{"op":"insert_section_break","at":"p0"}`, `{"op":"format_section","at":"p0","columns":2,"start_at":1}`)
			require.NoError(t, err, path)
			formatstest.SameParts(t, b, out, d.main)
			formatstest.Validate(t, formatstest.Write(t, "sections.docx", out), path)
			back, _, err := applyWith(t, formats.FromBytes("s.docx", out), options(t), `{"op":"delete_section_break","at":"p0"}`)
			require.NoError(t, err)
			require.Equal(t, read(t, src, ""), read(t, formats.FromBytes("b.docx", back), ""))
			done++
		}
		out, _, err := applyWith(t, src, options(t), `{"op":"set_watermark","text":"DRAFT"}`)
		if d.strict {
			require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
			continue
		}
		require.NoError(t, err, path)
		except := []string{d.main, "[Content_Types].xml", "word/_rels/document.xml.rels"}
		for name := range formatstest.Parts(t, out) {
			if strings.Contains(name, "header") {
				except = append(except, name)
			}
		}
		formatstest.SameParts(t, b, out, except...)
		formatstest.Validate(t, formatstest.Write(t, "watermark.docx", out), path)
		if i%8 == 0 {
			formatstest.LibreOfficeOpens(t, formatstest.Write(t, "watermark.docx", out))
		}
	}
	require.Positive(t, done)
	formatstest.Report(t, "docx  section breaks in %d real documents", done)
}
