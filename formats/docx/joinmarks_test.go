package docx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Paragraphs whose marks go one after the other end in the next that stays,
// with what is between them; thousands of them are joined at once.
func TestJoinChains(t *testing.T) {
	del := `<w:pPr><w:rPr><w:del w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"/></w:rPr></w:pPr>`
	r := func(s string) string { return `<w:r><w:t>` + s + `</w:t></w:r>` }
	p := func(props, s string) string { return `<w:p>` + props + s + `</w:p>` }
	mark := `<w:bookmarkStart w:id="7" w:name="m"/><w:bookmarkEnd w:id="7"/>`
	src := withBody(t, p(del, r("a"))+mark+p(del, "")+p(del, r("b"))+`<w:p w:rsidR="00AB00CD"/>`+p(del, r("c"))+`<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>`+p(del, r("x"))+p(del, "")+`</w:tc></w:tr></w:tbl>`+p(del, "")+p(del, ""))
	out, _ := edited(t, src, `{"op":"accept_changes"}`)
	require.Equal(t, "ab\nc\nx\n", readWith(t, out, ""))
	require.Contains(t, mainXML(t, out), mark+`<w:p w:rsidR="00AB00CD"><w:r><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r></w:p>`)
	good(t, out)

	var sb strings.Builder
	const n = 5000
	for i := range n {
		fmt.Fprintf(&sb, `<w:p><w:bookmarkStart w:id="%d" w:name="b%[1]d"/>%s<w:bookmarkEnd w:id="%[1]d"/></w:p>`, i, r("text"))
	}
	many, _ := edited(t, withBody(t, sb.String()+p("", r("end"))), fmt.Sprintf(`{"op":"delete_paragraph","at":"p0","count":%d,%s}`, n, tracked), `{"op":"accept_changes"}`)
	require.Equal(t, "end", read(t, many, ""))
	require.Equal(t, n, strings.Count(mainXML(t, many), "<w:bookmarkStart"))
}
