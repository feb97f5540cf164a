package template

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/docx"
	"atelier/formats/formatstest"
)

func para(text string) string {
	return `<w:p><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func docxText(t *testing.T, body, data, lang string) (string, *Tally) {
	t.Helper()
	b, tally := fill(t, "a.docx", withBody(t, body), data, lang)
	return text(t, docx.Format(), "a.docx", b), tally
}

func TestConventionsAndFilters(t *testing.T) {
	got, tally := docxText(t, strings.Join([]string{
		para("A {{name}} ${name} «name» [name] [[name]] {name} {other} [see 3] ${none} {{none}}"),
		para("B {{when|dd. MMMM yyyy}} {{sum|#,##0.00}} {{name|upper}} {{gone|default:“x y”}} {{client.city}} {{First name}}"),
		para("C {{#if paid}}yes{{else}}no {{sum}}{{/if}} {{#each items}}{{name}}, {{/each}}{{#items}}{{@number}}{{/items}}{{^paid}}!{{/paid}}"),
		`<w:p><w:r><w:t xml:space="preserve">D </w:t></w:r><w:fldSimple w:instr=" MERGEFIELD First_name \* Upper "><w:r><w:rPr><w:b/></w:rPr><w:t>«First_name»</w:t></w:r></w:fldSimple>` +
			`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> MERGEFIELD when \@ "d.M.yy" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>«when»</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
		`<w:sdt><w:sdtPr><w:tag w:val="name"/><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Click here</w:t></w:r></w:p></w:sdtContent></w:sdt>`,
	}, ""), `[{"name":"Ann {{sum}}","First name":"bo","when":"2026-11-24","sum":1234.5,"client":{"city":"Ulm"},"paid":false,"items":[{"name":"p"},{"name":"q"}],"extra":1}]`, "de")
	require.Equal(t, strings.Join([]string{
		"A Ann {{sum}} Ann {{sum}} Ann {{sum}} Ann {{sum}} Ann {{sum}} Ann {{sum}} {other} [see 3] ${none} {{none}}",
		"B 24. November 2026 1.234,50 ANN {{SUM}} x y Ulm bo",
		"C no 1234.5 p, q, 12!",
		"D BO24.11.26",
		"Ann {{sum}}",
	}, "\n"), got)
	require.Equal(t, []string{"extra"}, tally.Unused(records(t, `[{"name":1,"extra":1}]`)))
	require.Contains(t, tally.Missing, "${none}")
	require.Contains(t, tally.Missing, "{{none}}")
}

func TestBlocksOfParagraphsAndRows(t *testing.T) {
	row := func(cells ...string) string {
		s := "<w:tr>"
		for _, c := range cells {
			s += `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>` + para(c) + "</w:tc>"
		}
		return s + "</w:tr>"
	}
	table := func(rows ...string) string {
		return `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + strings.Join(rows, "") + "</w:tbl>"
	}
	data := `[{"a":true,"items":[{"n":"x","p":1,"tags":["r","s"]},{"n":"y","p":2,"tags":[]}],"none":[]}]`
	got, tally := docxText(t, strings.Join([]string{
		para("{{#if a}}"), para("kept"), para("{{else}}"), para("dropped"), para("{{/if}}"),
		para("{{#each items}}"), para("- {{n}}"), para("{{#each tags}}"), para("-- {{this}}"), para("{{/each}}"), para("{{/each}}"),
		table(row("N", "P"), row("{{#each items}}{{n}}", "{{p}}{{/each}}"), row("T", "")), para(""),
		table(row("{{items.n}}", "{{items.p}}")), para(""),
		table(row("{{#each items}}", ""), row("{{n}}", "1"), row("{{p}}", "2"), row("{{/each}}", "")), para(""),
		table(row("H", "{{#if none}}z{{/if}}"), row("{{#each none}}{{n}}", "{{/each}}")),
		para("{{#each items}} open"),
	}, ""), data, "")
	require.Equal(t, "kept\n- x\n-- r\n-- s\n- y\nN\tP\nx\t1\ny\t2\nT\t\n\nx\t1\ny\t2\n\nx\t1\n1\t2\ny\t1\n2\t2\n\nH\t\n{{#each items}} open", got)
	require.Contains(t, tally.Loose, "{{#each items}}")
	require.NotContains(t, got, "dropped")
}

// A placeholder that is split over runs in any way gives the same text.
func TestSplitRuns(t *testing.T) {
	src := "Dear {{name}}, ${sum} «name»{{#if a}} yes{{/if}}."
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		body := "<w:p>"
		for at, r := 0, []rune(src); at < len(r); {
			n := min(1+rng.IntN(5), len(r)-at)
			body += `<w:r><w:rPr>` + []string{"", "<w:b/>", "<w:i/>"}[rng.IntN(3)] + `</w:rPr><w:t xml:space="preserve">` + string(r[at:at+n]) + `</w:t></w:r>`
			at += n
		}
		got := fillOnly(t, withBody(t, body+"</w:p>"), `[{"name":"Zoë & Co","sum":7,"a":1}]`)
		require.Equal(t, "Dear Zoë & Co, 7 Zoë & Co yes.", text(t, docx.Format(), "a.docx", got))
	}
}

// Several records in one document: one copy for each.
func TestOneDocumentForAll(t *testing.T) {
	got, _ := docxText(t, para("To {{name}}")+para("Bye"), `[{"name":"A"},{"name":"B"}]`, "")
	require.Equal(t, "To A\nBye\n\nTo B\nBye", got)
}

// Headers, text boxes and notes are filled; line breaks and tabs stay; the
// placeholder's first run gives the looks.
func TestLooksAndPlaces(t *testing.T) {
	b := apply(t, docx.Format(), `[{"op":"set_header","text":"H {{name}}"},{"op":"append_paragraph","text":"x"}]`)
	got := fillOnly(t, b, `[{"name":"A"},{"name":"A"}]`)
	require.Contains(t, string(formatstest.Parts(t, got)["word/header1.xml"])+string(formatstest.Parts(t, got)["word/header2.xml"]), "H A")

	body := `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{{na</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>me}}</w:t></w:r></w:p>`
	doc := string(formatstest.Parts(t, fillOnly(t, withBody(t, body), `[{"name":"a\nb"}]`))["word/document.xml"])
	require.Regexp(t, `<w:r><w:rPr><w:b/></w:rPr><w:t[^>]*>a</w:t><w:br/><w:t[^>]*>b</w:t></w:r>`, doc)

	box := `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:100pt;height:20pt"><v:textbox><w:txbxContent>` + para("{{#if no}}") + para("box {{name}}") + para("{{/if}}") + `</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
	doc = string(formatstest.Parts(t, fillOnly(t, withBody(t, box), `[{"name":"n","no":true}]`))["word/document.xml"])
	require.Contains(t, doc, "box n")
	doc = string(formatstest.Parts(t, fillOnly(t, withBody(t, box), `[{"name":"n","no":false}]`))["word/document.xml"])
	require.Contains(t, doc, `<w:txbxContent><w:p/></w:txbxContent>`)
}

// Rows of merge fields of a list repeat, as mail merges with regions do.
func TestMergeFieldsOfAList(t *testing.T) {
	field := func(name string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr><w:p><w:fldSimple w:instr=" MERGEFIELD ` + name + ` "><w:r><w:t>«` + name + `»</w:t></w:r></w:fldSimple></w:p></w:tc>`
	}
	got, tally := docxText(t, `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr>`+field("Item")+field("Price")+`</w:tr></w:tbl>`+para("x"),
		`[{"lines":[{"Item":"a","Price":1},{"Item":"b","Price":2}]}]`, "")
	require.Equal(t, "a\t1\nb\t2\nx", got)
	require.Empty(t, tally.Missing)
}
