package xlsx

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// A validation takes its cells from others (18.3.1.32).
func TestDataValidationParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "data_validation takes its cells from the others", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S1","range":"A3:B3","type":"decimal","operator":"<","value":-1.5}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A3:B3"},
			swap: map[string][]string{
				sheet1: {
					`<dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidations count="3"><dataValidation type="list" allowBlank="1" sqref="A2 A4:A5">`,
					`<dataValidation type="custom" sqref="B2:B5">`, `<dataValidation type="custom" sqref="B2 B4:B5">`,
					`</dataValidations>`, `<dataValidation type="decimal" operator="lessThan" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A3:B3"><formula1>-1.5</formula1></dataValidation></dataValidations>`,
				},
			},
		},
		{
			name: "data_validation over all cells of others", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S1","range":"A1:B9","type":"text_length","operator":"=","value":"=LEN(A1)","error":"no \"x\"","prompt":"a\nb"}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:B9"},
			swap: map[string][]string{
				sheet1: {
					`<dataValidations count="2"><dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidations count="1"><dataValidation type="textLength" operator="equal" allowBlank="1" showInputMessage="1" showErrorMessage="1" error="no &quot;x&quot;" prompt="a_x000a_b" sqref="A1:B9">`,
					`$D$2:$D$5`, `LEN(A1)`,
					`<dataValidation type="custom" sqref="B2:B5"><formula1>B2&gt;A$1</formula1></dataValidation>`, ``,
				},
			},
		},
		{
			name: "data_validation removed from the first cells: formulas follow", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S1","range":"A1:B2","remove":true}`,
			rep: formats.OpReport{Hits: 2},
			swap: map[string][]string{
				sheet1: {
					`<dataValidation type="list" allowBlank="1" sqref="A2:A5">`, `<dataValidation type="list" allowBlank="1" sqref="A3:A5">`,
					`<dataValidation type="custom" sqref="B2:B5">`, `<dataValidation type="custom" sqref="B3:B5">`,
					`B2&gt;A$1`, `B3&gt;A$1`,
				},
			},
		},
		{
			name: "data_validation of numbers and texts as words", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1,C1:C2","type":"list","list":["a \"b\"",1.5,"<c>"]}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1 C1:C2"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1 C1:C2">` +
						`<formula1>&quot;a &quot;&quot;b&quot;&quot;,1.5,&lt;c&gt;&quot;</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation of a range of the same sheet", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"list","value":"=C1:$C$9"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>$C$1:$C$9</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation of a name", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"list","value":"=INDIRECT(B1)"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>INDIRECT(B1)</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation not equal to a date with a time", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"date","operator":"<>","value":"2026-01-31T12:00"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="date" operator="notEqual" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>46053.5</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation between a time and a formula", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"time","operator":"between","value":"06:00:36","value2":"=NOW()"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="time" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1">` +
						`<formula1>0.2504166666666667</formula1><formula2>NOW()</formula2></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation with a whole number given as text", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"whole","operator":"<=","value":"7"}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="whole" operator="lessThanOrEqual" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>7</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation with members that it does not use", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"whole","operator":">","value":1,"value2":9,"list":["a"]}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1", Ignored: []formats.Ignored{{Name: "value2"}, {Name: "list"}}},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="whole" operator="greaterThan" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>1</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation of a list with members that it does not use", in: ruledBook(t),
			ops: `{"op":"data_validation","sheet":"S2","range":"A1","type":"list","list":["a"],"operator":">","value":"=C1:C9","value2":9}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1", Ignored: []formats.Ignored{{Name: "operator"}, {Name: "value"}, {Name: "value2"}}},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1"><formula1>&quot;a&quot;</formula1></dataValidation></dataValidations></worksheet>`,
				},
			},
		},
		{
			name: "data_validation in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"data_validation","sheet":"S1","range":"A1:A2","type":"list","list":["x"]}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:A2"},
			swap: map[string][]string{
				sheet1: {
					`</x:worksheet>`, `<x:dataValidations count="1"><x:dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" sqref="A1:A2"><x:formula1>&quot;x&quot;</x:formula1></x:dataValidation></x:dataValidations></x:worksheet>`,
				},
			},
		},
	})
}

func TestDataValidationRefuses(t *testing.T) {
	op := func(s string) string { return `{"op":"data_validation","sheet":"S1","range":"A1:A9",` + s + `}` }
	runRefusals(t, ruledBook(t), []refusal{
		{`{"op":"data_validation","sheet":"S9","range":"A1","type":"list","list":["a"]}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"data_validation","sheet":"S9","range":"A1","remove":true}`, formats.CodeNotFound, "unknown sheet: S9"},
		{`{"op":"data_validation","sheet":"S1","type":"list","list":["a"]}`, formats.CodeInvalid, "range"},
		{op(`"type":"list","value":"=SUM("`), formats.CodeInvalid, "a bracket is not closed"},
		{op(`"type":"list","list":[null]`), formats.CodeInvalid, "item 1 of list must be a text or a number"},
		{op(`"type":"list","list":["x","1,5"]`), formats.CodeInvalid, "the item 1,5 has a comma, which separates items; put the items into cells and give value, such as =Lists!A1:A9"},
		{op(`"type":"whole","value":1`), formats.CodeInvalid, `unknown operator ""; use > >= < <= = <> between or not_between`},
		{op(`"type":"whole","operator":">"`), formats.CodeInvalid, "value is required"},
		{op(`"type":"whole","operator":">","value":"1.5"`), formats.CodeInvalid, "value must be a whole number, got 1.5"},
		{op(`"type":"text_length","operator":"between","value":1,"value2":"2.5"`), formats.CodeInvalid, "value2 must be a whole number, got 2.5"},
		{op(`"type":"decimal","operator":">","value":"Infinity"`), formats.CodeInvalid, "value must be a number or a formula, got Infinity"},
		{op(`"type":"decimal","operator":">","value":"0x10"`), formats.CodeInvalid, "value must be a number or a formula, got 0x10"},
		{op(`"type":"decimal","operator":">","value":{}`), formats.CodeInvalid, "value must be a number, a text or a formula"},
		{op(`"type":"time","operator":">","value":"12:60"`), formats.CodeInvalid, "value must be a time such as 13:30 or a formula, got 12:60"},
		{op(`"type":"date","operator":">","value":"31.1.2026"`), formats.CodeInvalid, "value must be a date such as 2024-12-31 or a formula, got 31.1.2026"},
		{op(`"type":"custom","value":"=` + strings.Repeat("1+", 128) + `1"`), formats.CodeInvalid, "the formula has 257 characters; a validation allows 255"},
		{op(`"type":"custom","value":"=A1>1","error":"` + strings.Repeat("x", 256) + `"`), formats.CodeInvalid, "error has 256 characters; at most 255 are allowed"},
	})
}

// An independent reader reads what may be entered.
func TestDataValidationsReadBack(t *testing.T) {
	out, _ := apply(t, smallBook(t), `[{"op":"data_validation","sheet":"S2","range":"A1:A9","type":"list","list":["a","b & c"],"prompt":"pick"},
		{"op":"data_validation","sheet":"S2","range":"B1:B9","type":"date","operator":"between","value":"2026-01-01","value2":"2026-12-31","error":"this year"},
		{"op":"data_validation","sheet":"S2","range":"A3:A4","type":"whole","operator":"not_between","value":1,"value2":9},
		{"op":"insert_rows","sheet":"S2","row":4},{"op":"insert_columns","sheet":"S2","column":"A"}]`)
	got, err := excel(t, out).GetDataValidations("S2")
	require.NoError(t, err)
	var told [][]string
	for _, v := range got {
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		told = append(told, []string{v.Sqref, v.Type, v.Operator, html.UnescapeString(v.Formula1), v.Formula2, text(v.Prompt), text(v.Error)})
	}
	require.Equal(t, [][]string{
		{"B1:B2 B6:B10", "list", "", `"a,b & c"`, "", "pick", ""},
		{"C1:C10", "date", "", "46023", "46387", "", "this year"},
		{"B3:B5", "whole", "notBetween", "1", "9", "", ""},
	}, told)
}

// In a workbook that counts days from 1904, dates are written by its calendar.
func TestDataValidationFrom1904(t *testing.T) {
	in := edited(t, smallBook(t), bookPart, swap("<bookViews>", `<workbookPr date1904="1"/><bookViews>`))
	out, _ := apply(t, in, `[{"op":"data_validation","sheet":"S2","range":"A1","type":"date","operator":">","value":"1904-01-03"}]`)
	require.Contains(t, part(t, out, sheet2), "<formula1>2</formula1>")
}
