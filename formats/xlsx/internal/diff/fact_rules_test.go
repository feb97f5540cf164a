package diff_test

import (
	"testing"
)

func cond(sqref, rule string) string {
	return `<conditionalFormatting sqref="` + sqref + `">` + rule + `</conditionalFormatting>`
}

func TestConditionalFormatsInWords(t *testing.T) {
	var cases []aroundCase
	for _, c := range []struct{ rule, want string }{
		{`<cfRule type="cellIs" dxfId="0" operator="greaterThan"><formula>5</formula></cfRule>`, "cell > 5 → bold, font colour red"},
		{`<cfRule type="cellIs" operator="notBetween"><formula>1</formula><formula>9</formula></cfRule>`, "cell not between 1 and 9"},
		{`<cfRule type="expression" dxfId="1"><formula>A1&lt;B$1</formula></cfRule>`, "formula A1<B$1 → fill green"},
		{`<cfRule type="containsText" text="x&amp;y"/>`, "contains “x&y”"},
		{`<cfRule type="notContainsText" text="x"/>`, "does not contain “x”"},
		{`<cfRule type="beginsWith" text="x"/>`, "begins with “x”"},
		{`<cfRule type="endsWith" text="x"/>`, "ends with “x”"},
		{`<cfRule type="top10" rank="3"/>`, "top 3"},
		{`<cfRule type="top10" rank="10" percent="1" bottom="1"/>`, "bottom 10%"},
		{`<cfRule type="aboveAverage"/>`, "above average"},
		{`<cfRule type="aboveAverage" aboveAverage="0"/>`, "below average"},
		{`<cfRule type="duplicateValues"/>`, "duplicate values"},
		{`<cfRule type="uniqueValues"/>`, "unique values"},
		{`<cfRule type="dataBar"><dataBar><cfvo type="min"/></dataBar></cfRule>`, "data bar"},
		{`<cfRule type="colorScale"/>`, "colour scale"},
		{`<cfRule type="iconSet"/>`, "icons"},
		{`<cfRule type="timePeriod" timePeriod="lastWeek"/>`, "dates: lastWeek"},
		{`<cfRule type="containsBlanks"><formula>LEN(A1)=0</formula></cfRule>`, "containsBlanks LEN(A1)=0"},
	} {
		cases = append(cases, aroundCase{name: c.want, tailB: cond("A1:A2", c.rule), want: []string{"conditional_format added S1!A1:A2:  → " + c.want}})
	}
	over5 := `<cfRule type="cellIs" dxfId="0" priority="1" operator="greaterThan"><formula>5</formula></cfRule>`
	over6 := `<cfRule type="cellIs" dxfId="0" priority="9" operator="greaterThan"><formula>6</formula></cfRule>`
	cases = append(cases,
		aroundCase{name: "changed", tailA: cond("A1", over5), tailB: cond("A1", over6), want: []string{"conditional_format changed S1!A1: cell > 5 → bold, font colour red → cell > 6 → bold, font colour red"}},
		aroundCase{name: "hides", tailB: cond("A1 C1:C3", `<cfRule type="uniqueValues" dxfId="2"/>`), want: []string{"conditional_format added S1!A1, C1:C3:  → unique values → number format ;;; ⚠ S1!A1, C1:C3: the conditional format hides values: number format ;;; shows nothing"}},
		aroundCase{name: "an extension", tailB: `<extLst><ext uri="x"><x14:conditionalFormattings xmlns:x14="u" xmlns:xm="v"><x14:conditionalFormatting><x14:cfRule type="cellIs" operator="equal"><xm:f>1</xm:f></x14:cfRule><xm:sqref>A1:B2</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>`, want: []string{"conditional_format added S1!A1:B2:  → cell = 1"}},
	)
	runAround(t, cases)
}

func validation(attrs, content string) string {
	return `<dataValidations count="1"><dataValidation sqref="A1:A2"` + attrs + `>` + content + `</dataValidation></dataValidations>`
}

func TestValidationsInWords(t *testing.T) {
	var cases []aroundCase
	for _, c := range []struct{ attrs, content, want string }{
		{"", "", "any value"},
		{` type="list"`, `<formula1>"a,b"</formula1>`, `list "a,b"`},
		{` type="custom"`, `<formula1>A1&gt;1</formula1>`, "formula A1>1"},
		{` type="whole" operator="lessThan"`, `<formula1>9</formula1>`, "whole number < 9"},
		{` type="decimal"`, `<formula1>1</formula1><formula2>2</formula2>`, "number between 1 and 2"},
		{` type="textLength" operator="notEqual"`, `<formula1>3</formula1>`, "text length <> 3"},
		{` type="date" operator="greaterThanOrEqual"`, `<formula1>43832</formula1>`, "date >= 2020-01-02"},
		{` type="list" prompt="choose" error="no!" errorStyle="warning"`, `<formula1>X</formula1>`, "list X, prompt “choose”, error “no!”, warning only"},
	} {
		cases = append(cases, aroundCase{name: c.want, tailB: validation(c.attrs, c.content), want: []string{"validation added S1!A1:A2:  → " + c.want}})
	}
	cases = append(cases,
		aroundCase{name: "changed", tailA: validation(` type="list"`, `<formula1>"a"</formula1>`), tailB: validation(` type="list"`, `<formula1>"b"</formula1>`), want: []string{`validation changed S1!A1:A2: list "a" → list "b"`}},
		aroundCase{name: "no prompts", tailA: `<dataValidations/>`, tailB: `<dataValidations disablePrompts="1"/>`, want: []string{"validation added S1:  → prompts of validations are not shown"}})
	runAround(t, cases)
}

func TestFiltersAndProtectionInWords(t *testing.T) {
	filter := func(column string) string { return `<autoFilter ref="A1:B2">` + column + `</autoFilter>` }
	runAround(t, []aroundCase{
		{name: "buttons", tailB: filter(""), want: []string{"filter added S1!A1:B2:  → filter buttons"}},
		{name: "criteria", tailA: filter(""), tailB: filter(`<filterColumn colId="1"><filters blank="1"><filter val="x"/></filters></filterColumn><filterColumn colId="0"><customFilters><customFilter operator="lessThan" val="3"/><customFilter val="9"/></customFilters></filterColumn>`),
			want: []string{"filter changed S1!A1:B2: filter buttons → filter: column 2 is blank, column 2 is x, column 1 < 3, or column 1 = 9"}},
		{name: "others", tailB: filter(`<filterColumn colId="2"><top10 val="5"/></filterColumn>`), want: []string{"filter added S1!A1:B2:  → filter: column 3 top 5"}},
		{name: "protected", tailB: `<sheetProtection sheet="1" password="AB" sort="0" formatCells="1"/>`, want: []string{"protection added S1:  → the sheet is protected with a password, allowing sort"}},
		{name: "no longer protected", tailA: `<sheetProtection sheet="1"/>`, want: []string{"protection removed S1: the sheet is protected →  ⚠ S1: the sheet is no longer protected"}},
		{name: "a range that may be edited", tailB: `<protectedRanges><protectedRange name="in" sqref="A1:A2"/></protectedRanges>`, want: []string{"protection added S1!A1:A2:  → may be edited while the sheet is protected: “in” ⚠ S1!A1:A2: may be edited although the sheet is protected"}},
		{name: "a link inside", tailB: `<hyperlinks><hyperlink ref="A1" location="S1!A2" tooltip="go"/></hyperlinks>`, want: []string{"link added S1!A1:  → link to S1!A2 in this workbook, tip “go”"}},
		{name: "sparklines", tailB: `<extLst><ext uri="x"><x14:sparklineGroups xmlns:x14="u" xmlns:xm="v"><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>S1!A1:A2</xm:f><xm:sqref>C1</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`, want: []string{"chart added S1!C1:  → line sparklines of S1!A1:A2, empty cells as zero"}},
		{name: "hidden by a filter", tailA: filter(""), headB: ``, tailB: filter(`<filterColumn colId="0"><filters><filter val="5"/></filters></filterColumn>`), want: []string{"filter changed S1!A1:B2: filter buttons → filter: column 1 is 5"}},
	})
}
