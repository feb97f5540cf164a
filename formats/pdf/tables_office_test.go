//go:build !purepdf

package pdf

import (
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// madeTable is a table that LibreOffice lays out.
type madeTable struct {
	name   string
	style  string // "lined", "plain", "header" or "striped"
	widths []float64
	right  []bool
	rows   [][]string
}

const fodtHead = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles>
<style:style style:name="R" style:family="paragraph"><style:paragraph-properties fo:text-align="end"/></style:style>
<style:style style:name="J" style:family="paragraph"><style:paragraph-properties fo:text-align="justify" fo:margin-bottom="0.2cm"/></style:style>
<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>
<style:style style:name="K" style:family="paragraph"><style:paragraph-properties><style:tab-stops><style:tab-stop style:position="5cm"/></style:tab-stops></style:paragraph-properties></style:style>
<style:style style:name="T" style:family="paragraph"><style:paragraph-properties><style:tab-stops><style:tab-stop style:position="16cm" style:type="right" style:leader-style="dotted" style:leader-text="."/></style:tab-stops></style:paragraph-properties></style:style>
<style:style style:name="two" style:family="section"><style:section-properties><style:columns fo:column-count="2" fo:column-gap="0.6cm"/></style:section-properties></style:style>
<style:style style:name="plain" style:family="table-cell"><style:table-cell-properties fo:padding="0.06cm" fo:border="none"/></style:style>
<style:style style:name="lined" style:family="table-cell"><style:table-cell-properties fo:padding="0.06cm" fo:border="0.5pt solid #000000"/></style:style>
<style:style style:name="under" style:family="table-cell"><style:table-cell-properties fo:padding="0.06cm" fo:border-bottom="1pt solid #000000"/></style:style>
<style:style style:name="grey" style:family="table-cell"><style:table-cell-properties fo:padding="0.06cm" fo:border="none" fo:background-color="#dddddd"/></style:style>
`

func officePDF(t *testing.T, styles, body string) []byte {
	path := filepath.Join(t.TempDir(), "made.fodt")
	text := fodtHead + styles + "</office:automatic-styles><office:body><office:text>" + body + "</office:text></office:body></office:document>"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	b, err := os.ReadFile(formatstest.LibreOffice(t, path, "pdf"))
	require.NoError(t, err)
	return b
}

// xml returns the styles and the body of a table, on a separate page.
func (m madeTable) xml() (styles, body string) {
	var s, b strings.Builder
	fmt.Fprintf(&b, `<text:p text:style-name="B">Begin %s</text:p><table:table table:name="%s">`, m.name, m.name)
	for i, w := range m.widths {
		fmt.Fprintf(&s, `<style:style style:name="%s.%d" style:family="table-column"><style:table-column-properties style:column-width="%.1fcm"/></style:style>`, m.name, i, w)
		fmt.Fprintf(&b, `<table:table-column table:style-name="%s.%d"/>`, m.name, i)
	}
	for r, row := range m.rows {
		b.WriteString("<table:table-row>")
		for c, text := range row {
			style, par := m.style, ""
			switch {
			case m.style == "header" && r == 0:
				style = "under"
			case m.style == "striped" && r%2 == 0:
				style = "grey"
			case m.style != "lined":
				style = "plain"
			}
			if m.right[c] {
				par = ` text:style-name="R"`
			}
			fmt.Fprintf(&b, `<table:table-cell table:style-name="%s"><text:p%s>%s</text:p></table:table-cell>`, style, par, html.EscapeString(text))
		}
		b.WriteString("</table:table-row>")
	}
	fmt.Fprintf(&b, "</table:table><text:p>End %s</text:p>", m.name)
	return s.String(), b.String()
}

var someWords = strings.Fields("delivery of spare parts for the northern depot including return freight and insurance as agreed with the carrier in March pending approval by finance Hamburg Lyon Porto steel copper cable housing valve pump filter")

func phrase(r *rand.Rand, n int) string {
	var out []string
	for range n {
		out = append(out, someWords[r.IntN(len(someWords))])
	}
	return strings.ToUpper(out[0][:1]) + out[0][1:] + strings.TrimSuffix(" "+strings.Join(out[1:], " "), " ")
}

// made returns a table of random cells: a name, texts, of which some take
// several lines, and numbers to the right; one cell in six is empty.
func made(r *rand.Rand, name, style string) madeTable {
	m := madeTable{name: name, style: style, widths: []float64{3}, right: []bool{false}}
	header := []string{"Item"}
	long := r.IntN(2) == 0
	for c := range 2 + r.IntN(4) {
		number := c%2 == 1 || r.IntN(3) == 0
		m.right = append(m.right, number)
		m.widths = append(m.widths, 2.4)
		if number {
			header = append(header, []string{"Amount", "Price", "Units", "Share"}[r.IntN(4)])
		} else {
			header = append(header, []string{"Place", "Remark", "Category"}[r.IntN(3)])
			if long {
				m.widths[len(m.widths)-1] = 4
				long = false
			}
		}
	}
	m.rows = append(m.rows, header)
	for i := range 4 + r.IntN(9) {
		row := []string{fmt.Sprintf("%s-%03d", []string{"AX", "Part", "K"}[r.IntN(3)], i+r.IntN(900))}
		for c := 1; c < len(header); c++ {
			switch {
			case r.IntN(6) == 0:
				row = append(row, "")
			case m.right[c]:
				row = append(row, []string{fmt.Sprintf("%d,%03d.%02d", 1+r.IntN(99), r.IntN(1000), r.IntN(100)), fmt.Sprint(r.IntN(500)), fmt.Sprintf("-%d.%d %%", r.IntN(90), r.IntN(10)), "–"}[r.IntN(4)])
			case m.widths[c] > 3:
				row = append(row, phrase(r, 1+r.IntN(9)))
			default:
				row = append(row, phrase(r, 1))
			}
		}
		m.rows = append(m.rows, row)
	}
	return m
}

// tablesIn returns the rows between the lines "Begin name" and "End name".
func tablesIn(text string) map[string][][]string {
	out := map[string][][]string{}
	name := ""
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimSuffix(l, " ")
		if n, ok := strings.CutPrefix(l, "Begin "); ok {
			name = n
		} else if l == "End "+name {
			name = ""
		} else if name != "" && l != "" {
			out[name] = append(out[name], strings.Split(l, "\t"))
		}
	}
	return out
}

func allText(t *testing.T, b []byte) string {
	var parts []string
	require.NoError(t, shared.Reader.(formats.Parter).Parts(context.Background(), formats.FromBytes("a.pdf", b), func(p formats.Part) error {
		parts = append(parts, p.Text)
		return nil
	}))
	return strings.Join(parts, "\n")
}

// Cells of tables that LibreOffice lays out are where they were made: with
// lines or without, empty, aligned to the right, on several lines.
func TestTablesOfLibreOffice(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 71))
	var all []madeTable
	var styles, body string
	for i := range 48 {
		m := made(r, fmt.Sprintf("t%d", i), []string{"lined", "plain", "header", "striped"}[i%4])
		s, b := m.xml()
		all, styles, body = append(all, m), styles+s, body+b
	}
	found := tablesIn(allText(t, officePDF(t, styles, body)))
	good, total := map[string]int{}, map[string]int{}
	for _, m := range all {
		bad := 0
		for i, row := range m.rows {
			for c, want := range row {
				total[m.style]++
				if got := found[m.name]; i < len(got) && c < len(got[i]) && len(got[i]) == len(row) && got[i][c] == want {
					good[m.style]++
				} else {
					bad++
				}
			}
		}
		if bad > 0 {
			t.Logf("%s, %s: %d cells differ\nmade  %q\nfound %q", m.name, m.style, bad, m.rows, found[m.name])
		}
	}
	for style, n := range total {
		t.Logf("%s: %d of %d cells", style, good[style], n)
		require.GreaterOrEqual(t, float64(good[style]), 0.95*float64(n), style)
	}
}

// proseBody has what looks like a table at a glance: two columns of prose,
// justified text, lists, names with values, a contents page, addresses side by
// side.
func proseBody() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	par := func(style, text string) {
		fmt.Fprintf(&b, `<text:p text:style-name="%s">%s</text:p>`, style, text)
	}
	for range 4 {
		b.WriteString(`<text:p text:style-name="B">Two columns</text:p><text:section text:style-name="two" text:name="s` + fmt.Sprint(r.IntN(1e6)) + `">`)
		for range 6 + r.IntN(8) {
			par("J", phrase(r, 20+r.IntN(60)))
		}
		b.WriteString(`</text:section>`)
		par("J", phrase(r, 60))
	}
	par("B", "Lists")
	for i := range 12 {
		par("K", fmt.Sprintf("%d.<text:tab/>%s", i+1, phrase(r, 3+r.IntN(30))))
	}
	for range 12 {
		par("K", "•<text:tab/>"+phrase(r, 2+r.IntN(4)))
	}
	par("B", "Values")
	for _, name := range []string{"Name", "Street", "Town", "Phone", "Date", "Number", "Amount due", "Terms"} {
		par("K", name+":<text:tab/>"+phrase(r, 1+r.IntN(3)))
	}
	par("B", "Contents")
	for i := range 20 {
		par("T", fmt.Sprintf("%d %s<text:tab/>%d", i+1, phrase(r, 2+r.IntN(5)), 2+3*i))
	}
	for i := range 12 {
		par("K", fmt.Sprintf("%s<text:tab/>%d", phrase(r, 2), 2+3*i))
	}
	par("B", "Letters")
	for range 3 {
		par("K", phrase(r, 2)+"<text:tab/>"+phrase(r, 2))
	}
	for range 10 {
		par("J", phrase(r, 80))
	}
	return b.String()
}

// Text that is no table has no tabs.
func TestProseOfLibreOfficeIsNoTable(t *testing.T) {
	text := allText(t, officePDF(t, "", proseBody()))
	require.Greater(t, len(strings.Fields(text)), 2000)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		require.NotContains(t, l, "\t", strings.Join(lines[max(0, i-3):min(len(lines), i+6)], "\n"))
	}
}
