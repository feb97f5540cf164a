package calc

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/xlsxtest"
)

// The names of months and days that a format code asks for are those of LibreOffice, but
// for capitals.
func TestNamesAgreeWithLibreOffice(t *testing.T) {
	languages := map[string]string{"405": "cs", "406": "da", "407": "de", "409": "en", "C0A": "es", "40B": "fi", "40C": "fr", "410": "it", "411": "ja", "412": "ko", "413": "nl", "414": "nb", "415": "pl", "416": "pt", "419": "ru", "41D": "sv", "41F": "tr", "422": "uk", "804": "zh"}
	var rows strings.Builder
	var codes []string
	var days []int
	for id := range languages {
		for month := range 12 {
			if id == "411" || id == "412" { // LibreOffice has other names, or none
				continue
			}
			codes, days = append(codes, "[$-"+id+"]mmmm"), append(days, 45000+30*month)
		}
		for day := range 7 {
			codes, days = append(codes, "[$-"+id+"]dddd"), append(days, 45000+day)
		}
	}
	for i, code := range codes {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d"><f>TEXT(A%d,"%s")</f></c></row>`, i+1, i+1, days[i], i+1, i+1, html.EscapeString(code))
	}
	path := formatstest.Write(t, "names.xlsx", xlsxtest.Raw(t, nil, "<sheetData>"+rows.String()+"</sheetData>"))
	theirs := loadFile(t, formatstest.LibreOffice(t, path, "xlsx"))
	differ := map[string]int{}
	for i, code := range codes {
		ours, want := numfmt.Parse(code).Number(float64(days[i]), false), theirs.load(theirs.find(At(0, i+1, 2)))
		if !strings.EqualFold(ours, want.str) {
			differ[languages[code[3:6]]]++
			t.Logf("%s: %s, LibreOffice has %s", code, ours, want.str)
		}
	}
	require.Empty(t, differ)
}
