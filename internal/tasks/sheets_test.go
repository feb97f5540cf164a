package tasks

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats/formatstest"
)

// sheetOffice stands for LibreOffice: it returns a workbook as it is, and one page.
type sheetOffice struct{ page string }

func (o sheetOffice) Convert(_ context.Context, path, format, dir string) (string, error) {
	if format == "xlsx" {
		return path, nil
	}
	out := filepath.Join(dir, "page."+format)
	return out, os.WriteFile(out, []byte(o.page), 0o644)
}

func (sheetOffice) Pages(context.Context, string) (int, error)            { return 1, nil }
func (sheetOffice) PageText(context.Context, string, int) (string, error) { return "", nil }

func requireAll(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func TestSheetChecks(t *testing.T) {
	f := excelize.NewFile()
	_, err := f.NewSheet("My lists")
	require.NoError(t, err)
	requireAll(t,
		f.SetSheetRow("My lists", "A1", &[]any{"Yes", "No"}),
		f.SetSheetRow("Sheet1", "B2", &[]any{"Name", "Paid", "Open"}),
		f.SetSheetRow("Sheet1", "B3", &[]any{"Ann", 3, 1.5}),
		f.SetSheetRow("Sheet1", "B4", &[]any{"Bob", 4, 0}),
		f.AddChart("Sheet1", "F2", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Sheet1!$C$2", Categories: "Sheet1!$B$3:$B$4", Values: "Sheet1!$C$3:$C$4"}}}),
	)
	list := excelize.NewDataValidation(true)
	list.Sqref = "B3:B4"
	list.SetSqrefDropList("'My lists'!$A$1:$B$1")
	between := excelize.NewDataValidation(true)
	between.Sqref = "C3:C4"
	require.NoError(t, between.SetRange(0, 0.3, excelize.DataValidationTypeDecimal, excelize.DataValidationOperatorBetween))
	fixed := excelize.NewDataValidation(true)
	fixed.Sqref = "D3"
	requireAll(t, fixed.SetDropList([]string{"x", "y"}), f.AddDataValidation("Sheet1", list), f.AddDataValidation("Sheet1", between), f.AddDataValidation("Sheet1", fixed))

	dir := t.TempDir()
	require.NoError(t, f.SaveAs(filepath.Join(dir, "b.xlsx")))
	b, err := os.ReadFile(filepath.Join(dir, "b.xlsx"))
	require.NoError(t, err)
	page := `<table><tr><td rowspan=3><br></td><td>Name</td><td>Paid</td><td>Open</td></tr>
		<tr><td>Ann</td><td bgcolor="#FF0000">3</td><td>1.5</td></tr>
		<tr><td>Bob</td><td colspan=2 bgcolor="#FF0000">4</td></tr></table><table><tr><td bgcolor="#00FF00">Yes</td></tr></table>`
	s := &state{after: map[string][]byte{"b.xlsx": b}, folder: dir, scratch: dir, office: sheetOffice{page}}
	for line, good := range map[string]bool{
		`row b.xlsx ^Ann$ ^3$ ^1.5$`:                           true,
		`row b.xlsx ^3$ ^Ann$`:                                 false,
		`row b.xlsx ^Ann$ ^4$`:                                 false,
		`chart b.xlsx Sheet1 ^Paid$ 3 4`:                       true,
		`chart b.xlsx Sheet1 ^Open$ 3 4`:                       false,
		`chart b.xlsx Sheet1 ^Paid$ 3 5`:                       false,
		`chart b.xlsx "My lists" . 3 4`:                        false,
		`valid b.xlsx Sheet1!B3:B4 "^list Yes,No$"`:            true,
		`valid b.xlsx Sheet1!B3:B5 "^list Yes,No$"`:            false,
		`valid b.xlsx Sheet1!C3:C4 "^decimal between 0 0[.]3"`: true,
		`valid b.xlsx Sheet1!C3:C4 "^whole"`:                   false,
		`valid b.xlsx Sheet1!D3 "^list x,y$"`:                  true,
		`coloured b.xlsx Sheet1!B2:D4 C3 C4:D4`:                true,
		`coloured b.xlsx Sheet1!B2:C4 C3:C4`:                   true,
		`coloured b.xlsx Sheet1!B2:D4 C3 C4`:                   false,
		`coloured b.xlsx Sheet1!B2:D4 C3 C4:D4 B2`:             false,
		`coloured b.xlsx Sheet1!B2:C4 C3 C4:D4`:                false,
		`coloured b.xlsx Sheet1!B2:B4`:                         true,
		`pivot b.xlsx Sheet1 .`:                                false,
	} {
		list, err := parseChecks(line)
		require.NoError(t, err, line)
		err = list[0].run(t.Context(), s)
		require.Equal(t, good, err == nil, "%s: %v", line, err)
	}
}

func TestPivotCheck(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(formatstest.CorpusDir(t), "xlsx", "Examples_PivotTables_PivotTables.xlsx"))
	if err != nil {
		t.Skip(err)
	}
	s := &state{after: map[string][]byte{"b.xlsx": b}}
	for line, good := range map[string]bool{
		`pivot b.xlsx pvt1 "^rows Name; columns Month; values sum NumberOfOrders$"`: true,
		`pivot b.xlsx pvt1 "values sum Nowhere"`:                                    false,
		`pivot b.xlsx PastrySalesData "rows Name"`:                                  false,
		`pivot b.xlsx pvtNoColumnLabels "columns N"`:                                false,
	} {
		list, err := parseChecks(line)
		require.NoError(t, err, line)
		err = list[0].run(t.Context(), s)
		require.Equal(t, good, err == nil, "%s: %v", line, err)
	}
}

func TestNeedsOffice(t *testing.T) {
	for step, needs := range map[string]bool{
		`render {"path":"a.pptx"}`:                                         true,
		`convert {"path":"a.docx","format":"pdf"}`:                         true,
		`convert {"path":"a.md","format":"docx"}`:                          false,
		`convert {"path":"a.csv","format":"xlsx","target_path":"b.xlsx"}`:  false,
		`convert {"path":"a.xlsx","format":"csv"}`:                         false,
		`xlsx_operations {"path":"a.xlsx","operations":[]}`:                false,
		`xlsx_operations {"path":"a","operations":[{"op":"recalculate"}]}`: true,
		`say render`: false,
	} {
		list, err := steps(step)
		require.NoError(t, err)
		require.Equal(t, needs, (&Task{Script: list}).NeedsOffice(), step)
	}
}
