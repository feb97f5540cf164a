package docx

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// told writes a diff in lines: items, then facts, each with its warning.
func told(d *formats.Diff) []string {
	var out []string
	for _, g := range d.Groups {
		for _, it := range g.Items {
			s := fmt.Sprintf("%s | %s %s: %s → %s", g.Name, it.At, it.Change, it.Old, it.New)
			if len(it.Notes) > 0 {
				s += " [" + strings.Join(it.Notes, "; ") + "]"
			}
			out = append(out, s)
		}
	}
	for _, f := range d.Facts {
		s := fmt.Sprintf("%s %s | %s: %s → %s", f.Kind, f.Change, f.At, f.Old, f.New)
		if f.Warning != "" {
			s += " ⚠ " + f.Warning
		}
		out = append(out, s)
	}
	return out
}

// factBase returns a document with one of most things that operations change.
func factBase(t testing.TB) formats.Source {
	src := made(t, `{"op":"set_paragraphs","paragraphs":[{"text":"Contract","style":"Heading 1"},{"text":"The term is three years."},{"text":"Payment is due in thirty days."},{"text":"A third clause."}]}`,
		`{"op":"add_table","rows":[["Item","Price"],["Tea","2"],["Milk","3"]],"at":"p2"}`,
		`{"op":"set_header","text":"Draft one"}`)
	out, _ := edited(t, src, `{"op":"add_image","at":"p3","path":"a.png","alt":"a logo"}`, `{"op":"add_comment","at":"p1","text":"Check this","author":"Ana"}`, `{"op":"replace_text","search":"third","replace":"fourth","track_changes":true,"author":"Bob"}`)
	return out
}

// Each operation alone is told, in the words a person reads.
func TestFactsOps(t *testing.T) {
	base := factBase(t)
	styled := factStyles(t)
	done := map[string]bool{}
	for _, c := range []struct {
		op   string
		want []string
	}{
		{`{"op":"replace_text","search":"three","replace":"five"}`, []string{"body | p1 modified: The term is three years. → The term is five years."}},
		{`{"op":"set_paragraph","at":"p1","text":"The term is long."}`, []string{"body | p1 modified: The term is three years. → The term is long."}},
		{`{"op":"insert_paragraph","at":"p1","text":"New one.","style":"Heading 2"}`, []string{"body | p2 added:  → New one. [style “heading 2”]"}},
		{`{"op":"delete_paragraph","at":"p2"}`, []string{"body | p2 removed: Payment is due in thirty days. → "}},
		{`{"op":"append_paragraph","text":"Last."}`, []string{"body | p5 added:  → Last."}},
		{`{"op":"set_paragraphs","paragraphs":[{"text":"all new"}]}`, []string{"body | p0 removed: Contract → ", "body | p1 removed: The term is three years. → ", "body | p2 removed: Payment is due in thirty days. → ", "body | t0.r0 removed: Item\tPrice → ", "body | t0.r1 removed: Tea\t2 → ", "body | t0.r2 removed: Milk\t3 → ", "body | p3 removed: A fourth clause. → ", "body | p0 added:  → all new", "tracked_change removed | p3: tracked deletion by Bob: “third” → gone with their paragraph ⚠ tracked changes by Bob went with their paragraph", "tracked_change removed | p3: tracked insertion by Bob: “fourth” → gone with their paragraph ⚠ tracked changes by Bob went with their paragraph", "comment changed | comment 0: comment by Ana → comment by Ana without a place in the text ⚠ comment 0: nothing in the text refers to it", "picture removed | p4: PNG picture of 105 bytes, 2.54 × 1.27 cm, alt “a logo” →  ⚠ p4: lost: PNG picture of 105 bytes, 2.54 × 1.27 cm, alt “a logo”", "table removed | t0: table of 3 rows and 2 columns, column widths 8 cm, 8 cm, styled parts: first row, first column, bands of rows, table style “Table List”, width 16 cm →  ⚠ t0: lost: a table of 3 rows"}},
		{`{"op":"format_paragraph","at":"p1","alignment":"right","space_before":6,"indent_left":0.5,"bold":true}`, []string{"body | p1 formatting:  → The term is three years. [indent → left 1.27 cm; alignment → right; spacing → before 6 pt; bold added]"}},
		{`{"op":"format_text","search":"thirty days","bold":true,"font_size":14}`, []string{"body | p2 formatting:  → Payment is due in thirty days. [bold added: “thirty days”; font size → 14 pt: “thirty days”]"}},
		{`{"op":"set_list","at":"p1","count":2,"format":"lower_letter"}`, []string{"list changed | p1–p2:  → list “a)”, level 1", "list added | list definition 2:  → “a)”, “i)”, “1)”, “a)”, “i)”, “1)”, “a)”, “i)”, “1)”", "list added | list 3:  → “a)”, level 1"}},
		{`{"op":"insert_page_break","at":"p1"}`, []string{"break added | p2:  → page break"}},
		{`{"op":"add_table","rows":[["1","2"]],"at":"p3"}`, []string{"body | t1.r0 added:  → 1\t2", "table added | t1:  → table of 1 row and 2 columns, column widths 8 cm, 8 cm, styled parts: first row, first column, bands of rows, table style “Table List”, width 16 cm"}},
		{`{"op":"set_table_cell","at":"t0.r1.c1","text":"2.50"}`, []string{"body | t0.r1.c1 modified: 2 → 2.50"}},
		{`{"op":"add_table_row","at":"t0","cells":["Rum","9"]}`, []string{"body | t0.r3 added:  → Rum\t9"}},
		{`{"op":"delete_table_row","at":"t0.r1"}`, []string{"body | t0.r1 removed: Tea\t2 → "}},
		{`{"op":"add_table_column","at":"t0.r0.c1","cells":["Tax","1","2"]}`, []string{"columns added | t0, column 3:  → “Tax”, “1”, “2”", "table changed | t0.r0.c0–t0.r0.c1, t0.r1.c0–t0.r1.c1, t0.r2.c0–t0.r2.c1: cell width 8 cm → cell width 5.33 cm", "table changed | t0: column widths 8 cm, 8 cm → column widths 5.33 cm, 5.33 cm, 5.33 cm"}},
		{`{"op":"delete_table_column","at":"t0.r0.c1"}`, []string{"columns removed | t0, column 2: “Price”, “2”, “3” → ", "table changed | t0: column widths 8 cm, 8 cm → column widths 8 cm"}},
		{`{"op":"delete_table","at":"t0"}`, []string{"body | t0.r0 removed: Item\tPrice → ", "body | t0.r1 removed: Tea\t2 → ", "body | t0.r2 removed: Milk\t3 → ", "table removed | t0: table of 3 rows and 2 columns, column widths 8 cm, 8 cm, styled parts: first row, first column, bands of rows, table style “Table List”, width 16 cm →  ⚠ t0: lost: a table of 3 rows"}},
		{`{"op":"set_header","text":"Draft two"}`, []string{"header 1 | h0.p0 modified: Draft one → Draft two"}},
		{`{"op":"set_header","text":"First","type":"first"}`, []string{"header 2 | h1.p0 added:  → First [style “header”]", "header added | header 2:  → “First”", "page_setup changed | document:  → first page header (header 2), different first page"}},
		{`{"op":"set_footer","text":"Page {page}"}`, []string{"footer 1 | f0.p0 added:  → Page 1 [style “footer”]", "field added | footer 1 (f0.p0):  → field PAGE", "footer added | footer 1:  → “Page 1”", "page_setup changed | document:  → footer (footer 1)"}},
		{`{"op":"add_image","at":"p2","path":"a.png","alt":"x"}`, []string{"picture added | p3:  → PNG picture of 105 bytes, 2.54 × 1.27 cm, alt “x”"}},
		{`{"op":"add_hyperlink","search":"three years","url":"https://example.com/x"}`, []string{"body | p1 formatting:  → The term is three years. [character style → “Hyperlink”: “three years”]", "link added | p1:  → “three years” → https://example.com/x ⚠ new external hyperlink: https://example.com/x"}},
		{`{"op":"add_comment","at":"p2","text":"Really?","author":"Eva"}`, []string{"comment 1 | cm1.p0 added:  → Really? [style “annotation text”]", "comment added | p2:  → comment by Eva on “Payment is due in thirty days.”: “Really?”"}},
		{`{"op":"delete_comment","id":0}`, []string{"comment 0 | cm0.p0 removed: Check this → ", "comment removed | p1: comment by Ana on “The term is three years.”: “Check this” →  ⚠ p1: lost: comment by Ana on “The term is three years.”: “Check this”"}},
		{`{"op":"copy_styles","path":"styles.docx","styles":["House"]}`, []string{"style added | style “House”:  → bold, name House, font size 14 pt"}},
		{`{"op":"set_page_setup","paper":"A5","orientation":"landscape","margin_top":0.5}`, []string{"page_setup changed | document: margins top 2.5 cm, right 2.5 cm, bottom 2 cm, left 2.5 cm, header 1.25 cm, footer 1.25 cm, page 21 cm × 29.7 cm → margins top 1.27 cm, right 2.5 cm, bottom 2 cm, left 2.5 cm, header 1.25 cm, footer 1.25 cm, page 21 cm × 14.8 cm, landscape"}},
		{`{"op":"format_section","columns":2,"start_at":3}`, []string{"page_setup changed | document: columns 1, 1.25 cm apart → columns 2, 1.25 cm apart, page numbers start 3"}},
		{`{"op":"insert_section_break","at":"p1"}`, []string{"section added | section 1, up to p1:  → section: columns 1, 1.25 cm apart, header (header 1), margins top 2.5 cm, right 2.5 cm, bottom 2 cm, left 2.5 cm, header 1.25 cm, footer 1.25 cm, page 21 cm × 29.7 cm", "page_setup changed | section 2: header (header 1) → begins at next page"}},
		{`{"op":"set_watermark","text":"DRAFT"}`, []string{"shape added | header 1 (h0.p0):  → watermark “DRAFT”"}},
		{`{"op":"add_footnote","at":"p2","text":"Thirty days net."}`, []string{"footnote 1 | fn1.p0 added:  →  Thirty days net. [style “footnote text”]", "note added | footnotes:  → line above the footnotes", "note added | footnotes:  → line above the footnotes", "note added | p2:  → footnote: “ Thirty days net.”"}},
		{`{"op":"add_cross_reference","at":"p2","to":"p1","show":"text"}`, []string{"body | p2 modified: Payment is due in thirty days. → Payment is due in thirty days.The term is three years.", "bookmark added | p1:  → “_Ref417000003”", `field added | p2:  → field REF _Ref417000003 \h`}},
		{`{"op":"add_table_of_contents","at":"p0"}`, []string{"body | p1 added:  → Contract [style “toc 1”]", "bookmark added | p0:  → “_Toc417000003”", "link added | p1:  → “Contract” → #_Toc417000003", `field added | p1:  → field TOC \o "1-3" \h \z \u`, "style added | style “toc 1”:  → based on “Normal”, name toc 1, followed by “Normal”, spacing after 5 pt, place in the list 39, shown when used"}},
		{`{"op":"insert_document","path":"styles.docx","at":"p2"}`, []string{"body | p3 added:  → x"}},
		{`{"op":"format_table","at":"t0","widths":[1,2],"alignment":"right"}`, []string{"table changed | t0.r0.c0, t0.r1.c0, t0.r2.c0: cell width 8 cm → cell width 2.54 cm", "table changed | t0.r0.c1, t0.r1.c1, t0.r2.c1: cell width 8 cm → cell width 5.08 cm", "table changed | t0: column widths 8 cm, 8 cm, width 16 cm → alignment right, column widths 2.54 cm, 5.08 cm, layout fixed, width 7.62 cm"}},
		{`{"op":"insert_field","at":"p2","code":"PAGE"}`, []string{"body | p2 modified: Payment is due in thirty days. → Payment is due in thirty days.1", "field added | p2:  → field PAGE"}},
		{`{"op":"add_caption","at":"t0","text":"Prices"}`, []string{"body | p3 added:  → Table 1: Prices [keep with next; style “caption”]", `field added | p3:  → field SEQ Table \* ARABIC`}},
		{`{"op":"insert_equation","at":"p2","equation":"x^2"}`, []string{"equation added | p2:  → equation “x^{2}”"}},
		{`{"op":"accept_changes"}`, []string{"tracked_change removed | p3: tracked deletion by Bob: “third” → accepted ⚠ tracked changes by Bob were accepted", "tracked_change removed | p3: tracked insertion by Bob: “fourth” → accepted ⚠ tracked changes by Bob were accepted"}},
		{`{"op":"reject_changes"}`, []string{"body | p3 modified: A fourth clause. → A third clause.", "tracked_change removed | p3: tracked deletion by Bob: “third” → rejected ⚠ tracked changes by Bob were rejected", "tracked_change removed | p3: tracked insertion by Bob: “fourth” → rejected ⚠ tracked changes by Bob were rejected"}},
	} {
		t.Run(c.op, func(t *testing.T) {
			opt := options(t)
			open := opt.Open
			opt.Open = func(ctx context.Context, path string) (formats.SourceCloser, error) {
				if path == "styles.docx" {
					return closer{styled}, nil
				}
				return open(ctx, path)
			}
			out, rep, err := applyWith(t, base, opt, c.op)
			require.NoError(t, err)
			done[rep.Ops[0].Op] = true
			after := formats.FromBytes("b.docx", out)
			d := diff(t, base, after)
			if os.Getenv("FACTS_SHOW") != "" {
				for _, l := range told(d) {
					fmt.Printf("WANT\t%s\t%q\n", c.op, l)
				}
			}
			require.Equal(t, c.want, told(d))
			require.Len(t, told(diff(t, after, base)), len(c.want), "the other way round")
		})
	}
	for _, name := range []string{"delete_section_break", "delete_footnote", "fill_form_field", "replace_equation", "update_contents", "number_headings", "change_field", "add_content_control", "change_content_control", "change_repeating_section"} {
		done[name] = true // their own tests
	}
	for _, name := range []string{"add_chart", "change_chart", "delete_chart"} {
		done[name] = true // TestChangeChart, TestDeleteChart
	}
	for _, name := range operations.Names() {
		require.True(t, done[name], "the operation %s has no row here", name)
	}
}

// A section break and a note that go are told.
func TestFactsOfWhatGoes(t *testing.T) {
	base, _ := edited(t, factBase(t), `{"op":"insert_section_break","at":"p1"}`, `{"op":"format_section","at":"p1","columns":2}`)
	out, _ := edited(t, base, `{"op":"delete_section_break","at":"p1"}`)
	lines := told(diff(t, base, out))
	require.Len(t, lines, 2)
	require.Equal(t, "page_setup changed | section 1: begins at next page → header (header 1)", lines[0])
	require.Contains(t, lines[1], "section removed | section 1, up to p1: section: columns 2, 1.25 cm apart")

	base, _ = edited(t, factBase(t), `{"op":"add_footnote","at":"p2","text":"Net."}`)
	out, _ = edited(t, base, `{"op":"delete_footnote","at":"fn1"}`)
	require.Equal(t, []string{
		"body | p0 modified: Name: Click here. → Name: Ana. [bold added: “Ana”; font colour 808080 removed: “Ana”]", "body | p5 modified: ☐ → ☒ [font → MS Gothic]",
		"control changed | p0: content control: title Full name, shows its placeholder, tag name, plain text → content control: title Full name, tag name, plain text",
		"control changed | p5: content control: check box not checked, tag agree → content control: check box checked, tag agree",
		"field changed | p8: field FORMDROPDOWN, chosen “one” → field FORMDROPDOWN, chosen “two”",
	}, told(diff(t, form(t), first(edited(t, form(t), `{"op":"fill_form_field","name":"name","value":"Ana"}`, `{"op":"fill_form_field","name":"agree","value":"true"}`, `{"op":"fill_form_field","name":"List1","value":"two"}`)))))
	require.Equal(t, []string{"footnote 1 | fn1.p0 removed:  Net. → ", "note removed | p2: footnote: “ Net.” →  ⚠ p2: lost: footnote: “ Net.”"}, told(diff(t, base, out)))
}

func first(src formats.Source, _ formats.Report) formats.Source { return src }

// factStyles returns a document with a style that factBase has not.
func factStyles(t testing.TB) formats.Source {
	return changedParts(t, made(t, `{"op":"append_paragraph","text":"x"}`), swap(t, "word/styles.xml", `</w:styles>`, `<w:style w:type="paragraph" w:styleId="House"><w:name w:val="House"/><w:rPr><w:b/><w:sz w:val="28"/></w:rPr></w:style></w:styles>`))
}

// What is called revertible, an operation puts back: nothing is left to tell of
// that kind.
func TestFactsRevertible(t *testing.T) {
	base := factBase(t)
	for _, c := range []struct{ op, kind, back string }{
		{`{"op":"add_comment","at":"p2","text":"Really?","author":"Eva"}`, formats.FactComment, `{"op":"delete_comment","id":1}`},
		{`{"op":"add_table","rows":[["1","2"]],"at":"p3"}`, formats.FactTable, `{"op":"delete_table","at":"t1"}`},
	} {
		after, _ := edited(t, base, c.op)
		found := false
		for _, f := range diff(t, base, after).Facts {
			found = found || f.Kind == c.kind && f.Revertible
		}
		require.True(t, found, c.op)
		back, _ := edited(t, after, c.back)
		for _, f := range diff(t, base, back).Facts {
			require.NotEqual(t, c.kind, f.Kind, "%+v", f)
		}
	}
}

// IDs depend on the two contents only, and are unique.
func TestFactIDs(t *testing.T) {
	base := factBase(t)
	after, _ := edited(t, base, `{"op":"set_paragraphs","paragraphs":[{"text":"all new"}]}`, `{"op":"set_footer","text":"Page {page}"}`)
	once, again := diff(t, base, after), diff(t, base, after)
	require.Equal(t, once.Facts, again.Facts)
	seen := map[string]bool{}
	for _, f := range once.Facts {
		require.False(t, seen[f.ID], "%+v", f)
		seen[f.ID] = true
	}
}
