package xlsx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of numbers with many digits those are told that a spreadsheet program makes others of:
// neither the doubles that programs write with 17 digits, nor those that were in the file.
func TestNumbersThatLoseDigitsAreTold(t *testing.T) {
	in := raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>0.68999999999999995</v></c><c r="B1"><v>12345678901234567</v></c></row><row r="2"><c r="A2"><v>0.1</v></c><c r="B2"><v>3</v></c></row></sheetData>`)
	for _, op := range []string{
		`{"op":"sort_range","sheet":"S1","range":"A1:B2","by":[{"column":"A"}]}`,
		`{"op":"copy_range","sheet":"S1","range":"A1:B1","target":"D4"}`,
	} {
		_, rep := apply(t, in, "["+op+"]")
		require.NotContains(t, fmt.Sprint(rep), "digits", op)
	}
	for number, told := range map[string]bool{"12345678901234567": true, "1234567890123456": true, "-1234567890123456": true, "1234567890123450": false, "123456789012345": false,
		"0.30000000000000004": false, "0.6899999999999999": false, "0.68999999999999995": false, "512.4299999999999": false, "1.2345678901234567e-7": false, "0.123456789012345678": true, "3.14159265358979323846": true} {
		_, rep := apply(t, in, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A5","value":`+number+`}]}]`)
		require.Equal(t, told, strings.Contains(fmt.Sprint(rep), "more digits than a spreadsheet keeps"), number)
	}
}
