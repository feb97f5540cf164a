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
)

func auditOf(t testing.TB, src formats.Source, kinds ...string) *formats.Audit {
	t.Helper()
	out, err := Format().Auditor.Audit(ctx, src, formats.AuditOptions{Kinds: kinds})
	require.NoError(t, err)
	return out
}

// foundAt lists the findings of an audit: kind and address.
func foundAt(a *formats.Audit) []string {
	out := []string{}
	for _, f := range a.Findings {
		out = append(out, f.Kind+" "+f.At)
	}
	return out
}

// Fields, links, bookmarks, notes and tracked changes are found where they are.
func TestAuditReadsWhatIsInParagraphs(t *testing.T) {
	run := func(s string) string { return `<w:r><w:t>` + s + `</w:t></w:r>` }
	char := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	field := func(instr, result string) string {
		return char("begin") + `<w:r><w:instrText>` + instr + `</w:instrText></w:r>` + char("separate") + run(result) + char("end")
	}
	p := func(content string) string { return `<w:p>` + content + `</w:p>` }
	cell := func(content string) string { return `<w:tbl><w:tr><w:tc>` + p(content) + `</w:tc></w:tr></w:tbl>` }
	box := func(content string) string {
		return `<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + p(content) + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + p(content) + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	}
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"complex field":         {p(run("x")) + p(field(` REF _Gone \h`, "4.2")), []string{"broken_reference p1"}},
		"field in two runs":     {p(char("begin") + `<w:r><w:instrText> PAGEREF _Go</w:instrText></w:r><w:r><w:instrText>ne </w:instrText></w:r>` + char("separate") + run("3") + char("end")), []string{"broken_reference p0"}},
		"simple field":          {p(`<w:fldSimple w:instr="REF Gone">` + run("x") + `</w:fldSimple>`), []string{"broken_reference p0"}},
		"bookmark in a cell":    {cell(`<w:bookmarkStart w:id="1" w:name="_Here"/><w:bookmarkEnd w:id="1"/>`) + p(field("REF _here", "x")), []string{}},
		"deleted field":         {p(`<w:del w:id="1" w:author="a">` + field("REF _Gone", "x") + `</w:del>`), []string{"tracked_change p0"}},
		"field in a cell":       {cell(field("REF _Gone", "x")), []string{"broken_reference t0.r0.c0.p0"}},
		"field in a text box":   {box(field("REF _Gone", "x")), []string{"broken_reference x0.p0"}},
		"error in its result":   {p(field("REF _Gone", "Error! Reference source not found.")), []string{"broken_reference p0"}},
		"internal link":         {p(`<w:hyperlink w:anchor="gone">` + run("x") + `</w:hyperlink>`), []string{"broken_link p0"}},
		"link field":            {p(field(`HYPERLINK \l "gone"`, "x")), []string{"broken_link p0"}},
		"link without target":   {p(`<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId99">` + run("x") + `</w:hyperlink>`), []string{"broken_link p0"}},
		"note that is not":      {p(`<w:r><w:footnoteReference w:id="7"/></w:r>`), []string{"note p0"}},
		"heading":               {p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>`+run("A")) + p(`<w:pPr><w:pStyle w:val="Heading3"/></w:pPr>`+run("B")), []string{"heading_order p1"}},
		"empty heading":         {p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>`), []string{"heading_empty p0"}},
		"picture as heading":    {p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:drawing/></w:r>`), []string{}},
		"page break":            {p(`<w:r><w:br w:type="page"/></w:r>`) + p("") + p("") + p(run("x")), []string{}},
		"spacing":               {p("") + p("") + `<w:p/>` + p(run("x")), []string{"spacing p0"}},
		"placeholder over runs": {p(run("[") + run("●") + run("]")), []string{"placeholder p0"}},
		"contents": {p(`<w:pPr><w:pStyle w:val="TOC1"/></w:pPr>`+char("begin")+`<w:r><w:instrText> TOC \o "1-3" </w:instrText></w:r>`+char("separate")+run("Old")+`<w:r><w:tab/></w:r>`+run("1")) + p(`<w:pPr><w:pStyle w:val="TOC1"/></w:pPr>`+run("Kept")+`<w:r><w:tab/></w:r>`+run("1")) + p(char("end")) +
			p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>`+run("Kept")) + p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>`+run("New")), []string{"toc p4"}},
	} {
		require.Equal(t, tt.want, foundAt(auditOf(t, withBody(t, tt.body))), name)
	}
}

// Faults that are planted into real documents are found where they are.
func TestAuditFindsFaultsInRealDocuments(t *testing.T) {
	faults := []struct {
		kind string
		ops  []string
	}{
		{"placeholder", []string{`{"op":"append_paragraph","text":"The price is [●]."}`}},
		{"placeholder", []string{`{"op":"append_paragraph","text":"Delivery: TBD"}`}},
		{"broken_reference", []string{`{"op":"append_paragraph","text":"As said in Error! Reference source not found., it ends."}`}},
		{"heading_order", []string{`{"op":"append_paragraph","text":"Upper","style":"Heading 1"}`, `{"op":"append_paragraph","text":"Lower","style":"Heading 3"}`}},
		{"term_unused", []string{`{"op":"append_paragraph","text":"They pay (the “Qwertz Fee”)."}`}},
		{"numbering", []string{`{"op":"append_paragraph","text":"(a) one"}`, `{"op":"append_paragraph","text":"(b) two"}`, `{"op":"append_paragraph","text":"(d) four"}`}},
		{"caption", []string{`{"op":"append_paragraph","text":"Figure 901: one"}`, `{"op":"append_paragraph","text":"Figure 903: three"}`}},
		{"missing_target", []string{`{"op":"append_paragraph","text":"Exhibit X"}`, `{"op":"append_paragraph","text":"Prices are in Exhibit Z, as agreed."}`}},
	}
	found, all := 0, 0
	var missed []string
	for _, path := range append(formatstest.Sample(t, "docx"), filepath.Join(formatstest.Root(t), "testdata", "documents", "contrato.docx")) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, f := range faults {
			out, rep, err := apply(t, formats.FromBytes("a.docx", b), f.ops...)
			if err != nil {
				continue // refused documents
			}
			if slices.ContainsFunc(rep.Ops, func(o formats.OpReport) bool {
				return strings.Contains(strings.Join(o.Warnings, " "), "no paragraph style")
			}) {
				continue // the document cannot have this fault
			}
			all++
			want := f.kind + " " + rep.Ops[len(rep.Ops)-1].Made
			if slices.Contains(foundAt(auditOf(t, formats.FromBytes("b.docx", out), f.kind)), want) {
				found++
			} else {
				missed = append(missed, fmt.Sprintf("%s: %s", filepath.Base(path), want))
			}
		}
	}
	t.Logf("%d of %d found; missed: %s", found, all, strings.Join(missed, "; "))
	require.GreaterOrEqual(t, found*100, all*95)
}

// Findings in real documents, by kind (ATELIER_REPORT).
func TestAuditCorpus(t *testing.T) {
	for _, path := range formatstest.Sample(t, "docx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		out, err := Format().Auditor.Audit(ctx, formats.FromBytes("a.docx", b), formats.AuditOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%v", err)
			continue
		}
		counts := map[string]int{}
		for _, f := range out.Findings {
			counts[f.Kind]++
		}
		formatstest.Report(t, "audit %s: %v", path, counts)
		for i, f := range out.Findings {
			if i < 30 {
				t.Logf("  %s %s %s: %s → %s", f.Severity, f.Kind, f.At, f.Fact, f.Expected)
			}
		}
	}
}
