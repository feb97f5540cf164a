package xlsx

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// everyRule has one rule of each type and operator.
var everyRule = []string{
	`{"type":"cell","operator":">","value":1}`, `{"type":"cell","operator":"between","value":1,"value2":"=$B$3","format":{"font_bold":true,"fill_color":"00FF00","border":"thin","number_format":"0.00","font_italic":false}}`,
	`{"type":"cell","operator":"<>","value":"a \"b\" <c>"}`, `{"type":"cell","operator":"not_between","value":1,"value2":2,"stop_if_true":true}`,
	`{"type":"text","value":"app"}`, `{"type":"text","operator":"begins_with","value":"A"}`, `{"type":"text","operator":"ends_with","value":"s"}`, `{"type":"text","operator":"not_contains","value":"&"}`,
	`{"type":"top"}`, `{"type":"top","operator":"bottom_percent","value":20}`, `{"type":"average","operator":"below"}`, `{"type":"duplicate"}`, `{"type":"duplicate","operator":"unique"}`,
	`{"type":"data_bar"}`, `{"type":"data_bar","colors":["#FF0000"],"value":0,"value2":50}`, `{"type":"color_scale"}`, `{"type":"color_scale","colors":["FFFFFF","FF0000"]}`,
	`{"type":"icon_set"}`, `{"type":"icon_set","icons":"5Quarters"}`, `{"type":"formula","value":"=$B2>AVERAGE($B$2:$B$4)"}`,
}

func TestConditionalFormats(t *testing.T) {
	in := sales(t)
	var js []string
	for _, r := range everyRule {
		js = append(js, `{"op":"conditional_format","sheet":"Sheet1","range":"A2:A4,C2:C4","rule":`+r+`}`)
	}
	out, rep := apply(t, in, "["+strings.Join(js, ",")+"]")
	require.Equal(t, "Sheet1!A2:A4 C2:C4", rep.Ops[0].Made)
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `<cfRule type="containsText" dxfId="0" priority="5" operator="containsText" text="app"><formula>NOT(ISERROR(SEARCH(&quot;app&quot;,A2)))</formula></cfRule>`)
	require.Contains(t, sheet, `priority="20"`)
	valid(t, out, in)
	f, err := excel(t, out).GetConditionalFormats("Sheet1")
	require.NoError(t, err)
	require.NotEmpty(t, f)
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "cf.xlsx", out))
	}

	cut, rep := apply(t, out, `[{"op":"conditional_format","sheet":"Sheet1","range":"A:A","remove":true}]`)
	require.Equal(t, len(everyRule), rep.Ops[0].Hits)
	require.Contains(t, part(t, cut, "xl/worksheets/sheet1.xml"), `sqref="C2:C4"`)
	valid(t, cut, in)
	back, _ := apply(t, cut, `[{"op":"conditional_format","sheet":"Sheet1","range":"C2:C4","remove":true}]`)
	formatstest.SameParts(t, in, back, "xl/styles.xml")
}

func TestBadRules(t *testing.T) {
	for rule, want := range map[string]string{
		`{"type":"rainbow"}`:                                              "unknown rule type rainbow",
		`{"type":"cell","operator":"~","value":1}`:                        "unknown operator ~",
		`{"type":"cell","operator":"between","value":1}`:                  "value2 is required",
		`{"type":"text"}`:                                                 "value is required",
		`{"type":"top","value":0}`:                                        "from 1 to 1000",
		`{"type":"color_scale","colors":["FF0000"]}`:                      "two or three colors",
		`{"type":"icon_set","icons":"9Stars"}`:                            "expected one of 3Arrows",
		`{"type":"formula","value":"=SUM("}`:                              "a bracket is not closed",
		`{"type":"data_bar","format":{"font_bold":true}}`:                 "has colors or icons, no format",
		`{"type":"cell","operator":">","value":1,"format":{"nope":true}}`: "unknown style key",
	} {
		_, _, err := tryApply(t, sales(t), `[{"op":"conditional_format","sheet":"Sheet1","range":"A1:A4","rule":`+rule+`}]`)
		require.ErrorContains(t, err, want, rule)
	}
}

func TestDataValidation(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, `[{"op":"ensure_sheet","sheet":"My lists"},
		{"op":"data_validation","sheet":"Sheet1","range":"D2:D9","type":"list","list":["Yes","No","\"maybe\""],"error":"Pick one","prompt":"Choose & go"},
		{"op":"data_validation","sheet":"Sheet1","range":"E2:E9","type":"list","value":"=My lists!A1:A9"},
		{"op":"data_validation","sheet":"Sheet1","range":"F2:F9","type":"whole","operator":">=","value":1},
		{"op":"data_validation","sheet":"Sheet1","range":"G2:G9","type":"date","value":"2024-01-01","value2":"2024-12-31"},
		{"op":"data_validation","sheet":"Sheet1","range":"H2:H9","type":"text_length","operator":"<","value":10},
		{"op":"data_validation","sheet":"Sheet1","range":"I2:I9","type":"custom","value":"=LEN(A2)<9"},
		{"op":"data_validation","sheet":"Sheet1","range":"J2:J9","type":"time","operator":"<","value":"13:30"}]`)
	require.Equal(t, "Sheet1!D2:D9", rep.Ops[1].Made)
	sheet := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `<dataValidations count="7">`)
	require.Contains(t, sheet, `<formula1>&quot;Yes,No,&quot;&quot;maybe&quot;&quot;&quot;</formula1>`)
	require.Contains(t, sheet, `<formula1>'My lists'!$A$1:$A$9</formula1>`)
	require.Contains(t, sheet, `<formula1>45292</formula1><formula2>45657</formula2>`)
	valid(t, out, in)

	// A new one takes the cells from the old, whose formula follows its first cell.
	over, _ := apply(t, out, `[{"op":"data_validation","sheet":"Sheet1","range":"I1:I4","type":"decimal","operator":">","value":0}]`)
	sheet = part(t, over, "xl/worksheets/sheet1.xml")
	require.Contains(t, sheet, `sqref="I5:I9"><formula1>LEN(A5)&lt;9</formula1>`)
	require.Contains(t, sheet, `<dataValidations count="8">`)
	valid(t, over, in)
	gone, _ := apply(t, over, `[{"op":"data_validation","sheet":"Sheet1","range":"A:Z","remove":true}]`)
	require.NotContains(t, part(t, gone, "xl/worksheets/sheet1.xml"), "dataValidation")
	for op, want := range map[string]string{
		`"type":"list"`:                                             "list is required",
		`"type":"list","list":["a,b"]`:                              "has a comma",
		`"type":"list","value":"=Nope!A1:A2"`:                       "unknown sheet: Nope",
		`"type":"whole","value":1`:                                  "unknown operator",
		`"type":"whole","operator":">","value":1.5`:                 "must be a whole number",
		`"type":"date","operator":">","value":"soon"`:               "a date such as 2024-12-31",
		`"type":"custom","value":"LEN(A1)"`:                         "value is required: a formula",
		`"type":"colour","value":1`:                                 "unknown validation type colour",
		`"type":"list","list":["` + strings.Repeat("x", 256) + `"]`: "at most 255 are allowed",
	} {
		_, _, err := tryApply(t, in, `[{"op":"data_validation","sheet":"Sheet1","range":"A1",`+op+`}]`)
		require.ErrorContains(t, err, want, op)
	}
}

func TestComments(t *testing.T) {
	in := sales(t)
	out, rep := apply(t, in, `[{"op":"add_comment","sheet":"Sheet1","cell":"B2","text":"Check <this>\nplease","author":"Ann"},{"op":"add_comment","sheet":"Sheet1","cell":"A1","text":"Heading"},{"op":"ensure_sheet","sheet":"N"},{"op":"add_comment","sheet":"N","cell":"XFD1","text":"edge"}]`)
	require.Equal(t, "comment Sheet1!B2", rep.Ops[0].Made)
	valid(t, out, in)
	cs, err := excel(t, out).GetComments("Sheet1")
	require.NoError(t, err)
	require.Len(t, cs, 2)
	require.Equal(t, "Ann", cs[0].Author)
	require.Equal(t, "Atelier", cs[1].Author)
	require.Contains(t, read(t, out, formats.Selector{Sheet: "Sheet1", Include: []string{formats.IncludeComments}}), "Check <this>")
	again, rep := apply(t, out, `[{"op":"add_comment","sheet":"Sheet1","cell":"B2","text":"New"}]`)
	require.Equal(t, []string{"the comment that B2 had was replaced"}, rep.Ops[0].Warnings)
	valid(t, again, in)
	one, _ := apply(t, again, `[{"op":"delete_comment","sheet":"Sheet1","cell":"A1"}]`)
	require.Equal(t, 1, strings.Count(part(t, one, "xl/drawings/vmlDrawing1.vml"), "<v:shape "))
	valid(t, one, in)
	back, _ := apply(t, one, `[{"op":"delete_comment","sheet":"Sheet1","cell":"B2"},{"op":"delete_comment","sheet":"N","cell":"XFD1"},{"op":"delete_sheet","sheet":"N"}]`)
	parts := formatstest.Parts(t, back)
	for name := range parts {
		require.NotContains(t, name, "omment")
		require.NotContains(t, name, "vml")
	}
	require.Equal(t, string(formatstest.Parts(t, in)["xl/worksheets/sheet1.xml"]), string(parts["xl/worksheets/sheet1.xml"]))
	_, rep = apply(t, in, `[{"op":"delete_comment","sheet":"Sheet1","cell":"B2"}]`)
	require.Equal(t, []string{"cell B2 has no comment"}, rep.Ops[0].Warnings)
	if !testing.Short() {
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, "c.xlsx", out))
	}
}

func TestCorpusRules(t *testing.T) {
	rule, _ := json.Marshal(json.RawMessage(everyRule[1]))
	corpusOp(t, func(name string) bool {
		return strings.Contains(name, "styles") || strings.HasSuffix(name, ".rels") || name == "[Content_Types].xml" || strings.HasPrefix(name, "xl/comments") || strings.HasSuffix(name, ".vml")
	}, func(sheet string) string {
		return fmt.Sprintf(`[{"op":"conditional_format","sheet":%[1]s,"range":"A1:C9","rule":%[2]s},{"op":"conditional_format","sheet":%[1]s,"range":"D:D","rule":%[3]s},{"op":"data_validation","sheet":%[1]s,"range":"B2:B9","type":"list","list":["a","b"]},{"op":"add_comment","sheet":%[1]s,"cell":"ZD900","text":"Look"}]`, sheet, rule, everyRule[15])
	})
}
