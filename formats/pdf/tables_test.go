//go:build !purepdf

package pdf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

// corpusTables are tables of the corpus as people read them on the page.
var corpusTables = map[string][]string{
	"pdf/files_SPARSE-2024-INV-1234_borderless_table.pdf": {
		`Product Code|Location|Expected|Actual|Variance|Status
SKU-8847|A-12|450|||
|B-07||289|-23|
SKU-9201||780|778||OK
|C-15|||+15|
SKU-4563|D-22||156||CRITICAL
||180||-24|
SKU-7728|A-08|920|||
|||935|+15|OK`,
		`Product Code|Category|Unit Cost|Total Value|Last Audit|Notes
SKU-8847|Electronics|$45.00|$13,005.00|2024-10-15|
SKU-9201|Hardware|$32.50|$25,285.00|2024-10-22|Verified
SKU-4563|Software|$120.00|$18,720.00||Critical
SKU-7728|Accessories|$15.75|$14,726.25|2024-11-01|
SKU-3345|Electronics|$67.00|$22,445.00|2024-10-18|
SKU-5512|Hardware|$89.00|$31,150.00||Pending
SKU-6678|Software|$200.00|$42,000.00|2024-10-25|High Value
SKU-7789|Accessories|$8.50|$5,950.00|2024-11-05|
SKU-2234|Electronics|$125.00|$35,000.00||
SKU-1123|Hardware|$55.00|$27,500.00|2024-10-30|Verified`},
	"pdf/sts_test_files_REPAIR-2022-INV-001_multipage.pdf": {
		`Insured name|Gabriel Diaz|Year|2022
Claim #|SF-1008|Make|Jeep
Policy #|POL-2022-555|Model|Grand Cherokee
Phone|(425) 111-1111|Trim|Limited
Email|gabriel@contoso.com|VIN|1C4RJFBG2NC123456
||Color|White
||Odometer|9,800`,
		`||Hours|Rate|Cost
Parts||||2,100
Body Labor||2|150|300
Paint Labor||1.5|150|225
Mechanical Labor||-|-|-
Supplies||||
|Paint Supplies|||60
|Body Supplies|||30
Other Charges||||15
Subtotal||||2,730
Sales Tax|||10.20%|278.46
GRAND TOTAL||||5,738`,
		`Insured name|Bruce Wayne|Year|2025
Claim #|999|Make|Batman
Policy #|IM-BATMAN|Model|Batmobile
Phone|(416) 555-1234|Trim|Limited
Email|batman@wayneindustries.com|VIN|XXX
||Color|Black
||Odometer|1`,
		`Subtotal||||100,629
Sales Tax|||10.20%|10264.158
GRAND TOTAL||||211,522`},
	"pdf/tests_test_files_movie-theater-booking-2024.pdf": {
		`Start Date|End Date|# Shows|Gross Amount|Net Amount
12/20/24|12/31/24|48|$12,500.00|$11,250.00`,
		`Month|# Shows|Gross Amount|Net Amount|Occupancy
December 2024|48|$12,500.00|$11,250.00|85%
Totals|48|$12,500.00|$11,250.00|85%`,
		`Representative|Territory|Region|Start Date / End Date|Commission %
Sarah Johnson|NYC Metro|NORTHEAST|12/20/24 - 12/31/24|100%`,
		`Ln|Screen|Start|End|Movie Title|Format|Showtime|Days|Shows|Rate|Type|Total
1|SCR-1|12/20/24|12/25/24|Holiday Spectacular (Runtime: 142 min); Holiday Season Premium|IMAX 3D|7:00 PM|Daily|12|$250|PM|$3,000
2|SCR-2|12/20/24|12/31/24|Winter Wonderland (Runtime: 98 min); Matinee Special|Standard|4:30 PM|Daily|24|$150|MT|$3,600
3|SCR-1|12/26/24|12/31/24|New Year Mystery (Runtime: 116 min); Premium Experience|4DX|9:30 PM|Daily|12|$300|PM|$3,600`,
		`Show|Screen|Date Range|Title|Showtime|Days|Type|Rate|Revenue
1|SCR-1|12/20-12/25|Holiday Spectacular|7:00 PM|Daily|PM|$250|$3,000
2|SCR-2|12/20-12/31|Winter Wonderland|4:30 PM|Daily|MT|$150|$3,600
3|SCR-1|12/26-12/31|New Year Mystery|9:30 PM|Daily|PM|$300|$3,600
Total Revenue:||||||||$12,500.00`},
	"pdf/docs_developer_FontSubstitutions_WordUI.pdf": {
		`Ask for this font …|And you’ll get
Helv|MS Sans Serif
Helvetica|Arial
Times|Times New Roman
Tms Rmn|MS Serif
Arabic Transparent|Arabic – an Arabic language font
Rod Transparent|Rod – a Hebrew font`},
	// From right to left; cells with several lines.
	"pdf/tests_data_pdf_sources_right_to_left_03.pdf": {
		`نحوة تعيين قيمت پايه پس از پذيرش کاال در بورس|بر اساس قيمت های جهانی`},
}

// Tables of real documents come as people read them, the rows of each in
// order; text outside of tables has no tabs.
func TestTablesOfTheCorpus(t *testing.T) {
	for name, tables := range corpusTables {
		b := corpusFile(t, name)
		text := allText(t, b)
		lines := 0
		for _, want := range tables {
			want = strings.ReplaceAll(want, "|", "\t")
			assert.Contains(t, "\n"+text+"\n", "\n"+want+"\n", name)
			lines += strings.Count(want, "\n") + 1
		}
		t.Logf("%s: %d of %d rows expected", name, lines, rowsOf(text))
	}
	for name, most := range map[string]int{
		"pdf/packages_markitdown_tests_test_files_test.pdf": 0, "pdf/admin_Contributor_License_Agreement.pdf": 0,
		"pdf/ests_data_pdf_sources_picture_classification.pdf": 0, "pdf/006-pdflatex-outline_pdflatex-outline.pdf": 0,
		"pdf/tests_test_files_movie-theater-booking-2024.pdf": 17, "pdf/docs_developer_FontSubstitutions_WordUI.pdf": 7,
		"pdf/files_SPARSE-2024-INV-1234_borderless_table.pdf": 20,
	} {
		assert.LessOrEqual(t, rowsOf(allText(t, corpusFile(t, name))), most, name)
	}
}

func corpusFile(t *testing.T, name string) []byte {
	b, err := os.ReadFile(filepath.Join(formatstest.CorpusDir(t), name))
	if os.IsNotExist(err) {
		t.Skip("the corpus has no " + name)
	}
	require.NoError(t, err)
	return b
}

// rowsOf counts the lines with tabs.
func rowsOf(text string) (n int) {
	for _, l := range strings.Split(text, "\n") {
		if strings.Contains(l, "\t") {
			n++
		}
	}
	return n
}

// inProcess opens a PDF with the engine itself.
func inProcess(t *testing.T, b []byte, use func(context.Context, document)) {
	e, err := newEngine(formatstest.Cache)
	require.NoError(t, err)
	_, err = e.use(context.Background(), formats.FromBytes("a.pdf", b), func(ctx context.Context, d document) error {
		use(ctx, d)
		return nil
	})
	if err != nil {
		t.Log(err)
	}
}

// The words of a page with tables are those of its plain text, none lost, none
// twice, none changed.
func TestTablesKeepWords(t *testing.T) {
	pages := 0
	for _, path := range formatstest.Corpus(t, "pdf") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		inProcess(t, b, func(ctx context.Context, d document) {
			for i := range d.pages() {
				p, err := d.content(ctx, i)
				require.NoError(t, err)
				text, ok := p.Text(ctx)
				if !ok {
					require.Equal(t, p.Plain, text)
					continue
				}
				pages++
				want, got := strings.Fields(cleanText(p.Plain)), strings.Fields(cleanText(text))
				slices.Sort(want)
				slices.Sort(got)
				require.Equal(t, want, got, "%s, page %d", path, i+1)
			}
		})
	}
	require.Greater(t, pages, 7)
}

// Another reader that keeps the layout of pages, pdftotext, shows the cells of
// rows on lines in the same order.
func TestTablesAgreeWithPdftotext(t *testing.T) {
	tool := need.Program(t, "pdftotext", "poppler-utils")
	rows, agree := 0, 0
	for name := range corpusTables {
		if strings.Contains(name, "right_to_left") {
			continue // pdftotext turns these lines
		}
		b := corpusFile(t, name)
		path := filepath.Join(t.TempDir(), "a.pdf")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		out, err := exec.Command(tool, "-layout", path, "-").Output()
		require.NoError(t, err)
		lines := strings.Split(string(out), "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), " ")
		}
		for _, row := range strings.Split(allText(t, b), "\n") {
			if !strings.Contains(row, "\t") || strings.Contains(row, "Runtime") { // on two lines
				continue
			}
			rows++
			if slices.Contains(lines, strings.Join(strings.Fields(row), " ")) {
				agree++
			} else {
				t.Log(row)
			}
		}
	}
	t.Logf("%d of %d rows", agree, rows)
	require.GreaterOrEqual(t, float64(agree), 0.95*float64(rows))
}

// A page of n words or lines in the form of a table ends, with its text.
func TestManyWordsAndLines(t *testing.T) {
	if campaign.Race {
		t.Skip("the race detector needs more memory than a PDF may take")
	}
	for _, n := range []int{2000, 40_000} {
		var sb strings.Builder
		for i := range n {
			fmt.Fprintf(&sb, "BT /F1 1 Tf %d %d.%d Td (w%d) Tj ET\n", 10+i%20*19, 590-i/20%580, i/20/580, i)
		}
		text, err := read(t, formatstest.PDFPage("", sb.String(), ""), "")
		require.NoError(t, err)
		require.Len(t, strings.Fields(text.Text), n)
		if n > 20_000 { // without tables
			require.NotContains(t, text.Text, "\t")
		}
	}
}
