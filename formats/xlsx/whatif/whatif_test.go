package whatif_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
	"atelier/formats/xlsx/whatif"
)

// workbook has two sheets: prices and sums, and what reads them.
func workbook(t *testing.T) []byte {
	return xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(`<sheets><sheet name="Inputs" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/></sheets><definedNames><definedName name="Rate">Inputs!$B$2</definedName><definedName name="All">Inputs!$A$1:$B$2</definedName></definedNames>`)},
		`<sheetData><row r="1"><c r="A1"><v>100</v></c><c r="B1"><v>3</v></c></row><row r="2"><c r="A2"><f>A1*B1</f><v>300</v></c><c r="B2"><v>0.5</v></c></row></sheetData>`,
		`<sheetData><row r="1"><c r="A1"><f>Inputs!A2*(1+Rate)</f><v>450</v></c><c r="B1" t="str"><f>IF(A1&gt;500,"big","small")</f><v>small</v></c><c r="C1"><f>1/(Inputs!B1-4)</f><v>-1</v></c><c r="D1"><f>MYMACRO(Rate)</f><v>7</v></c><c r="E1"><f>Inputs!A1+1</f></c></row></sheetData>`)
}

func ask(t *testing.T, in []byte, q whatif.Question) *whatif.Answer {
	t.Helper()
	a, err := whatif.Ask(t.Context(), xlsxtest.Source(in), q)
	require.NoError(t, err)
	return a
}

// said is the JSON of the cells of an answer.
func said(t *testing.T, a *whatif.Answer) string {
	t.Helper()
	b, err := json.Marshal(a.Cells)
	require.NoError(t, err)
	return string(b)
}

// Values are those that an edit would give; what is not known is named.
func TestWhatCellsWouldBe(t *testing.T) {
	in := workbook(t)
	a := ask(t, in, whatif.Question{Set: map[string]any{"Rate": json.Number("1"), "Inputs!B1": json.Number("4")}, Read: []string{"Summary!A1:E1", "Rate"}})
	require.Equal(t, `[{"cell":"Summary!A1","now":450,"would_be":800},{"cell":"Summary!B1","now":"small","would_be":"big"},{"cell":"Summary!C1","now":-1,"would_be":"#DIV/0!"},{"cell":"Summary!D1","now":7,"unknown":"the function MYMACRO: it is of a macro or an add-in"},{"cell":"Summary!E1","now":101,"would_be":101},{"cell":"Inputs!B2","now":0.5,"would_be":1}]`, said(t, a))
	require.Equal(t, whatif.Outcome{Changed: 4, Errors: 1, Unknown: 1}, *a.Outcome)
	require.Equal(t, "atelier", a.Calc)

	// Without read: the formulas that change.
	a = ask(t, in, whatif.Question{Set: map[string]any{"A1": "=B1*2"}})
	require.Equal(t, `[{"cell":"Inputs!A2","now":300,"would_be":18},{"cell":"Summary!A1","now":450,"would_be":27},{"cell":"Summary!D1","now":7,"unknown":"the function MYMACRO: it is of a macro or an add-in"},{"cell":"Summary!E1","now":101,"would_be":7}]`, said(t, a))

	// Only reading gives values too, also of formulas that have none in the file.
	a = ask(t, in, whatif.Question{Read: []string{"Summary!E1", "Z9"}})
	require.Equal(t, `[{"cell":"Summary!E1","now":101},{"cell":"Inputs!Z9","now":null}]`, said(t, a))
	require.Nil(t, a.Outcome)

	// An emptied cell is told as such; a date is its serial number.
	a = ask(t, in, whatif.Question{Set: map[string]any{"B1": nil, "C5": "2026-03-01"}, Read: []string{"B1", "C5", "A2"}})
	require.Equal(t, `[{"cell":"Inputs!B1","now":3,"would_be":null},{"cell":"Inputs!C5","now":null,"would_be":46082},{"cell":"Inputs!A2","now":300,"would_be":0}]`, said(t, a))
}

// Formulas that take or give several values are what an edit would make of them, and cells
// that one of the file fills follow it.
func TestArrays(t *testing.T) {
	in := xlsxtest.Raw(t, map[string]string{xlsxtest.Main: xlsxtest.Book(`<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>`)},
		`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="array" ref="B1:B2">A1:A2*2</f><v>2</v></c><c r="C1"><f>SUM(B1:B9)</f><v>6</v></c></row><row r="2"><c r="A2"><v>2</v></c><c r="B2"><v>4</v></c></row></sheetData>`)
	a := ask(t, in, whatif.Question{Set: map[string]any{"E1": "=SUM(A1:A2*A1:A2)", "F1": "=A1:A2*3", "G1": "=@A1:A2"}, Read: []string{"E1:G2"}})
	require.Equal(t, `[{"cell":"S!E1","now":null,"would_be":5},{"cell":"S!F1","now":null,"would_be":3},{"cell":"S!G1","now":null,"would_be":1},{"cell":"S!F2","now":null,"would_be":6}]`, said(t, a))

	a = ask(t, in, whatif.Question{Scenarios: []whatif.Scenario{{Name: "none"}, {Name: "three", Set: map[string]any{"F1": "=SEQUENCE(2)"}}}, Read: []string{"F1:F2"}})
	require.Equal(t, `[{"cell":"S!F1","now":null,"would_be":{"none":null,"three":1}},{"cell":"S!F2","now":null,"would_be":{"none":null,"three":2}}]`, said(t, a))

	_, err := whatif.Ask(t.Context(), xlsxtest.Source(in), whatif.Question{Set: map[string]any{"B2": json.Number("9")}})
	require.ErrorContains(t, err, "S!B2 shows a value of the formula in S!B1, which fills B1:B2; set that cell, or another one")
	_, err = whatif.Ask(t.Context(), xlsxtest.Source(in), whatif.Question{Set: map[string]any{"B1": json.Number("9")}})
	require.ErrorContains(t, err, "part of the array formula in B1:B2; set the whole block")
	a = ask(t, in, whatif.Question{Set: map[string]any{"B1": json.Number("9"), "B2": nil}, Read: []string{"C1"}})
	require.Equal(t, `[{"cell":"S!C1","now":6,"would_be":9}]`, said(t, a))
}

// Scenarios do not see each other.
func TestScenarios(t *testing.T) {
	a := ask(t, workbook(t), whatif.Question{
		Set: map[string]any{"Rate": 0.0},
		Scenarios: []whatif.Scenario{
			{Name: "low", Set: map[string]any{"Inputs!B1": 1.0}},
			{Name: "formula", Set: map[string]any{"Inputs!B1": "=A1*2", "Rate": 1.0}},
			{Name: "text", Set: map[string]any{"Inputs!B1": "many"}},
			{Name: "same"},
		},
		Read: []string{"Summary!A1", "Inputs!B1"},
	})
	require.Equal(t, `[{"cell":"Summary!A1","now":450,"would_be":{"formula":40000,"low":100,"same":300,"text":"#VALUE!"}},{"cell":"Inputs!B1","now":3,"would_be":{"formula":200,"low":1,"same":3,"text":"many"}}]`, said(t, a))
	require.Equal(t, []whatif.Outcome{{Name: "low", Changed: 3, Unknown: 1}, {Name: "formula", Changed: 4, Unknown: 1}, {Name: "text", Changed: 4, Errors: 4, Unknown: 1}, {Name: "same", Changed: 1, Unknown: 1}}, a.Scenarios)
}

// An array that changes its size gives the cells of each scenario, and the next
// scenario begins with the file again.
func TestScenariosWithArrays(t *testing.T) {
	in := xlsxtest.Raw(t, map[string]string{"xl/metadata.xml": "<metadata/>"}, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1" cm="1"><f t="array" ref="B1:B2">ROW(OFFSET(Z1,0,0,A1))</f><v>1</v></c><c r="C1"><f>SUM(B1:B9)</f><v>3</v></c></row><row r="2"><c r="B2"><v>2</v></c></row></sheetData>`)
	a := ask(t, in, whatif.Question{
		Scenarios: []whatif.Scenario{{Name: "4", Set: map[string]any{"A1": 4.0}}, {Name: "2", Set: map[string]any{"A1": 2.0}}, {Name: "1", Set: map[string]any{"A1": 1.0}}},
		Read:      []string{"C1"},
	})
	require.Equal(t, `[{"cell":"S1!C1","now":3,"would_be":{"1":1,"2":3,"4":10}}]`, said(t, a))
}

// Values of the file that are wrong before any change are noted.
func TestStaleValues(t *testing.T) {
	in := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*2</f><v>5</v></c></row></sheetData>`)
	a := ask(t, in, whatif.Question{Set: map[string]any{"A1": 3.0}})
	require.Equal(t, `[{"cell":"S1!B1","now":5,"would_be":6}]`, said(t, a))
	require.Equal(t, []string{"1 formula has a value in the file that is not what it gives without any change: S1!B1 is 5 in the file and 4 calculated"}, a.Notes)
}

func TestGoalSeek(t *testing.T) {
	in := xlsxtest.Raw(t, nil, `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1^3-2*A1-5</f></c><c r="C1"><f>PMT(A1/12,360,-200000)</f></c><c r="D1"><f>IF(A1&lt;3.3,1,9)</f></c><c r="E1"><f>A1^2+1</f></c><c r="F1"><f>SQRT(A1-50)</f></c><c r="G1"><f>MYMACRO(A1)</f></c><c r="H1"><f>Z1+1</f></c><c r="I1"><f>B1&amp;""</f></c><c r="J1"><f>ROUND(A1,0)</f></c></row></sheetData>`)
	low, high := 0.0001, 1.0
	goal := func(cell string, value float64) *whatif.Goal {
		return &whatif.Goal{Cell: cell, Value: value, ByChanging: "A1"}
	}
	seek := func(g *whatif.Goal) *whatif.Reached { return ask(t, in, whatif.Question{Goal: g}).Goal }

	// Values as Newton's method and tables of annuities give them.
	r := seek(goal("B1", 0))
	require.True(t, r.Converged)
	require.InDelta(t, 2.0945514815423265, r.Found, 1e-9)
	r = seek(&whatif.Goal{Cell: "C1", Value: 1199.1010503, ByChanging: "A1", Min: &low, Max: &high})
	require.True(t, r.Converged)
	require.InDelta(t, 0.06, r.Found, 1e-9)
	r = seek(goal("F1", 10))
	require.True(t, r.Converged)
	require.InDelta(t, 150, r.Found, 1e-6)
	r = seek(goal("J1", 1234))
	require.True(t, r.Converged)
	require.InDelta(t, 1234, r.Found, 0.5)

	for cell, why := range map[string]string{
		"D1": "jumps over the value near 3.3",
		"E1": "no value was found",
		"G1": "the goal cannot be calculated: the function MYMACRO",
		"H1": "the goal does not read the cell to change",
		"I1": "which is no number",
	} {
		r := seek(goal(cell, -3))
		if cell == "D1" {
			r = seek(goal(cell, 5))
		}
		require.False(t, r.Converged, cell)
		require.Contains(t, r.Why, why, cell)
		require.LessOrEqual(t, r.Steps, 201, cell)
	}

	// The cells that were asked for have the values of the solution.
	a := ask(t, in, whatif.Question{Goal: goal("E1", 26), Read: []string{"A1", "E1", "J1"}})
	require.Equal(t, `[{"cell":"S1!A1","now":1,"would_be":5},{"cell":"S1!E1","now":2,"would_be":26},{"cell":"S1!J1","now":1,"would_be":5}]`, said(t, a))
}

func TestQuestionsThatCannotBeAnswered(t *testing.T) {
	for want, q := range map[string]whatif.Question{
		"nothing is asked":                         {},
		"unknown sheet: Gone":                      {Set: map[string]any{"Gone!A1": 1.0}},
		"a goal takes cell, value and by_changing": {Goal: &whatif.Goal{ByChanging: "A1"}},
		"is not one cell":                          {Set: map[string]any{"A1:B2": 1.0}},
		"is malformed":                             {Set: map[string]any{"A1": "=1+"}},
		"goal goes with set":                       {Goal: &whatif.Goal{Cell: "A2", ByChanging: "A1"}, Scenarios: []whatif.Scenario{{Name: "x"}}},
		"the goal Inputs!A1 has no formula":        {Goal: &whatif.Goal{Cell: "A1", ByChanging: "B1"}},
		"by_changing Inputs!A2 has a":              {Goal: &whatif.Goal{Cell: "Summary!A1", ByChanging: "A2"}},
		"needs a name":                             {Scenarios: []whatif.Scenario{{Name: "x"}, {Name: "x"}}},
		"a value must be":                          {Set: map[string]any{"A1": []any{1}}},
	} {
		_, err := whatif.Ask(t.Context(), xlsxtest.Source(workbook(t)), q)
		require.ErrorContains(t, err, want)
		require.NotEmpty(t, formats.CodeOf(err))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := whatif.Ask(ctx, xlsxtest.Source(workbook(t)), whatif.Question{Read: []string{"A1"}, Now: time.Now()})
	require.ErrorIs(t, err, context.Canceled)
}
