package xlsx

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
)

// sheetPart is the part of a sheet.
func sheetPart(t *testing.T, b []byte, name string) string {
	wb, err := open(t.Context(), src(b))
	require.NoError(t, err)
	return wb.Sheets[wb.Find(name)].Part
}

// pivotBook has a list of sales in Data!A1:E13: Region, Product, Date, Amount, Units.
func pivotBook(t testing.TB) []byte {
	return fixture(t, func(f *excelize.File) {
		require.NoError(t, f.SetSheetName("Sheet1", "Data"))
		rows := [][]any{
			{"Region", "Product", "Date", "Amount", "Units"},
			{"West", "Pear", 45306, 10.5, 1}, {"East", "Apple", 45337, 20.25, 2}, {"East", "Pear", 45400, 30.75, 3},
			{"West", "Apple", 45420, 40, 4}, {"North", "Pear", 45480, 50.5, 5}, {"East", "apple", 45500, 60.25, 6},
			{"West", "Fig", 45560, 70, 7}, {"North", "Apple", 45600, 80.5, 8}, {"East", "Fig", 45640, 90, 9},
			{"West", "Pear", 45672, 100.1, 10}, {"North", "Fig", 45700, 110.2, 11}, {nil, "Pear", 45750, 5, 12},
		}
		for i, r := range rows {
			require.NoError(t, f.SetSheetRow("Data", fmt.Sprintf("A%d", i+1), &r))
		}
		date, err := f.NewStyle(&excelize.Style{CustomNumFmt: new("yyyy-mm-dd")})
		require.NoError(t, err)
		require.NoError(t, f.SetCellStyle("Data", "C2", "C13", date))
		money, err := f.NewStyle(&excelize.Style{CustomNumFmt: new("#,##0.00")})
		require.NoError(t, err)
		require.NoError(t, f.SetCellStyle("Data", "D2", "D13", money))
	})
}

// pivotDesigns are tables over pivotBook that have all layouts and functions.
var pivotDesigns = []string{
	`"row_fields":["Region"],"column_fields":["Product"],"value_fields":["Amount"]`,
	`"rows":["Region","Product"],"values":["Amount",{"field":"Units","function":"average"}]`,
	`"row_fields":["Region",{"field":"Product","sort":"descending"}],"value_fields":["Amount"],"layout":"tabular"`,
	`"row_fields":["Region","Product"],"column_fields":[{"field":"Date","group":["years","quarters"]}],"value_fields":["Amount"],"layout":"outline"`,
	`"row_fields":[{"field":"Units","step":5,"start":0}],"value_fields":["Amount","Product"],"filter_fields":[{"field":"Region","item":"East"}]`,
	`"row_fields":["(values)","Region"],"column_fields":["Product"],"value_fields":["Amount",{"field":"Units","show_as":"percent_of_column"}]`,
	`"row_fields":["Region","(values)"],"value_fields":["Amount","Units"],"grand_totals":"none"`,
	`"row_fields":[{"field":"Date","group":"months"}],"column_fields":["Region"],"value_fields":["Amount","Units"],"subtotals":false,"filter_fields":["Product"]`,
	`"column_fields":["Region","Product"],"value_fields":[{"field":"Amount","show_as":"percent_of_row"}],"grand_totals":"columns"`,
	`"row_fields":[{"field":"Region","sort_by":"Largest","sort":"descending","hide":["North"]}],"value_fields":[{"field":"Units","function":"min"},{"field":"Amount","function":"max","name":"Largest"}]`,
	`"row_fields":["Region"],"value_fields":[{"field":"Amount","function":"product"}],"grand_totals":"rows","filter_fields":[{"field":"Product","items":["Fig","Pear"]}]`,
	`"row_fields":[{"field":"Region","show":["East","West"]}],"value_fields":[{"field":"Amount","function":"stdDev","number_format":"0.0000000000"},{"field":"Units","function":"stdDevp","name":"B"},{"field":"Units","function":"countNums"},{"field":"Date","function":"count"}]`,
	`"row_fields":[{"field":"Region","hide":[null]}],"column_fields":["Product"],"value_fields":[{"field":"Amount","show_as":"difference","base_field":"Product","base_item":"Fig"}]`,
	`"row_fields":["Product"],"column_fields":["Region"],"value_fields":[{"field":"Units","show_as":"percent","base_item":"Pear","number_format":"0.0000000000%"}],"grand_totals":"none"`,
	`"row_fields":[{"field":"Date","group":["years","quarters"]}],"value_fields":[{"field":"Amount","show_as":"difference","base_item":"previous"},{"field":"Units","show_as":"running_total"}],"subtotals":false,"grand_totals":"none"`,
	`"row_fields":["Product"],"value_fields":[{"field":"Units","show_as":"percent_difference","base_item":"next","number_format":"0.0000000000%"}],"grand_totals":"none"`,
	`"row_fields":["Region"],"column_fields":["Product"],"value_fields":[{"field":"Amount","show_as":"index","number_format":"0.0000000000"}]`,
	`"row_fields":["Region"],"column_fields":["Product"],"value_fields":[{"field":"Amount","show_as":"running_total","base_field":"Product"}]`,
	`"row_fields":[{"field":"Region","filter":{"condition":"top","value":2}}],"column_fields":["Product"],"value_fields":["Amount"]`,
	`"row_fields":["Region",{"field":"Product","filter":{"condition":"bottom","value":1,"by":"Units"}}],"value_fields":["Amount","Units"],"layout":"tabular"`,
	`"row_fields":["Region","Product"],"column_fields":[{"field":"Date","group":"years"}],"value_fields":["Amount"],"layout":"outline","subtotals_at":"bottom","repeat_labels":true`,
	`"row_fields":["Product"],"column_fields":[{"field":"Region","show":["North","East"]}],"value_fields":["Amount"],"empty_text":"0"`,
}

// LibreOffice, which calculates pivot tables anew when it opens a file, shows
// the values that stand in the cells, for every layout.
func TestPivotValuesAreThoseOfLibreOffice(t *testing.T) {
	campaign.Slow(t)
	need.Program(t, "soffice", need.LibreOffice)
	for _, design := range pivotDesigns {
		out, _ := apply(t, pivotBook(t), `[{"op":"add_pivot","source":"Data!A1:E13","sheet":"P",`+design+`},{"op":"move_sheet","sheet":"P","position":1}]`)
		ours := numbersOf(slices.Concat(excelRows(t, out, "P")...))
		require.NotEmpty(t, ours, design)
		bare := edited(t, out, sheetPart(t, out, "P"), func(s string) string { // so that only LibreOffice can know the values
			return s[:strings.Index(s, "<sheetData")] + "<sheetData/>" + s[strings.Index(s, "</sheetData>")+len("</sheetData>"):]
		})
		lines, err := csv.NewReader(strings.NewReader(libreCSV(t, bare))).ReadAll()
		require.NoError(t, err)
		theirs := numbersOf(slices.Concat(lines...))
		require.Len(t, theirs, len(ours), "%s %v %v", design, ours, lines)
		require.InDeltaSlice(t, ours, theirs, 1e-8, design)
	}
}

// excelRows are the raw values of a sheet as a second program reads them.
func excelRows(t *testing.T, b []byte, sheet string) [][]string {
	rows, err := excel(t, b).GetRows(sheet, excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	return rows
}

// numbersOf are the numbers among texts, with percentages as fractions.
func numbersOf(texts []string) (out []float64) {
	for _, s := range texts {
		p, percent := strings.CutSuffix(s, "%")
		n, err := strconv.ParseFloat(p, 64)
		if err != nil {
			continue
		}
		if percent {
			n /= 100
		}
		out = append(out, n)
	}
	return out
}

// Every table of the corpus that has a text column and a number column makes a pivot
// table; its refresh changes nothing, other parts stay byte for byte, and the grand
// total is that of a second program.
func TestCorpusPivots(t *testing.T) {
	campaign.Slow(t)
	made := 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in := load(t, path)
		wb, err := open(t.Context(), src(in))
		if err != nil {
			continue
		}
		for _, s := range wb.Sheets {
			pick, err := PickTable(t.Context(), src(in), s.Name)
			if err != nil || !s.Worksheet() {
				continue
			}
			key, value := "", ""
			st := &structure{wb: wb}
			source, err := st.pivotSourceOf(t.Context(), Address(s.Name, pick.Range), -1)
			if err != nil {
				continue
			}
			data, err := source.read(t.Context(), st)
			if err != nil {
				require.NotEmpty(t, formats.CodeOf(err), path)
				continue
			}
			for _, c := range data.Columns {
				if c.Numeric() {
					value = c.Name
				} else if key == "" {
					key = c.Name
				}
			}
			if key == "" || value == "" {
				continue
			}
			op := fmt.Sprintf(`[{"op":"add_pivot","source":%s,"sheet":"Pivot of it","row_fields":[%s],"value_fields":[{"field":%s,"name":"The sum"}]}]`, jsonString(Address(s.Name, pick.Range)), jsonString(key), jsonString(value))
			out, _, err := tryApply(t, in, op)
			if err != nil {
				require.Contains(t, []formats.Code{formats.CodeTooLarge, formats.CodeInvalid}, formats.CodeOf(err), path)
				continue
			}
			same, _, err := tryApply(t, out, `[{"op":"refresh_pivot","name":`+jsonString(lastPivot(t, out))+`}]`)
			require.NoError(t, err, path)
			for _, p := range partNames(t, out) {
				require.Equal(t, part(t, out, p), part(t, same, p), "%s %s", path, p)
			}
			require.True(t, bytes.Equal(out, same), path)
			for _, p := range wb.Package.Names() {
				if !strings.HasSuffix(p, ".rels") && p != wb.Main && p != "[Content_Types].xml" && !strings.HasSuffix(p, "styles.xml") {
					require.Equal(t, part(t, in, p), part(t, out, p), "%s %s", path, p)
				}
			}
			made++
			break
		}
	}
	require.NotZero(t, made)
	formatstest.Report(t, "pivot tables made of %d real workbooks", made)
}

// lastPivot is the name of the pivot table that was made last.
func lastPivot(t *testing.T, b []byte) string {
	wb, err := open(t.Context(), src(b))
	require.NoError(t, err)
	all, err := wb.allPivots(t.Context())
	require.NoError(t, err)
	return all[len(all)-1].name
}

// Pivot tables that other programs made are refreshed or left with the reason; a second
// refresh changes nothing, other parts stay byte for byte, and no error of the schema
// comes.
func TestCorpusPivotsRefresh(t *testing.T) {
	refreshed, left := 0, 0
	for _, path := range formatstest.Corpus(t, "xlsx") {
		in := load(t, path)
		if !bytes.Contains(in, []byte("xl/pivotTables/")) {
			continue
		}
		out, rep, err := tryApply(t, in, `[{"op":"refresh_pivot","overwrite":true}]`)
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), path)
			continue
		}
		refreshed += len(rep.Ops[0].Notes)
		left += len(rep.Ops[0].Warnings)
		same, _ := apply(t, out, `[{"op":"refresh_pivot","overwrite":true}]`)
		require.Equal(t, out, same, path)
		for _, p := range partNames(t, in) {
			if !strings.Contains(p, "pivot") && !strings.Contains(p, "worksheets/sheet") && !strings.HasSuffix(p, "styles.xml") && !strings.HasSuffix(p, "sharedStrings.xml") {
				require.Equal(t, part(t, in, p), part(t, out, p), "%s %s", path, p)
			}
		}
		formatstest.Validate(t, formatstest.Write(t, "refreshed.xlsx", out), path)
	}
	require.NotZero(t, refreshed)
	formatstest.Report(t, "pivot tables of real workbooks: %d refreshed, %d left with the reason", refreshed, left)
}
