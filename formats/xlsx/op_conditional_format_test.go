package xlsx

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Each type of rule as the schema has it (18.3.1.10), behind the others; what
// a type does not use is told.
func TestConditionalFormatParts(t *testing.T) {
	runOps(t, []opTest{
		{
			name: "conditional_format comes last, behind the highest priority", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S1","range":"B2:B5,D:D","rule":{"type":"duplicate","operator":"unique","format":{"font_bold":true}}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!B2:B5 D1:D1048576"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><b val="1"/></font></dxf></dxfs>`,
				},
				sheet1: {
					`<dataValidations count="2">`, `<conditionalFormatting sqref="B2:B5 D1:D1048576"><cfRule type="uniqueValues" dxfId="1" priority="8"></cfRule></conditionalFormatting><dataValidations count="2">`,
				},
			},
		},
		{
			name: "conditional_format not between texts", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1","rule":{"type":"cell","operator":"not_between","value":"a","value2":true}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1"><cfRule type="cellIs" dxfId="1" priority="1" operator="notBetween"><formula>&quot;a&quot;</formula><formula>TRUE</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format not equal to a number given as text", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1","rule":{"type":"cell","operator":"!=","value":" 1.5 "}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1"><cfRule type="cellIs" dxfId="1" priority="1" operator="notEqual"><formula>1.5</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format equal to a text that reads like a number in Go", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1","rule":{"type":"cell","operator":"=","value":"Infinity"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1"><cfRule type="cellIs" dxfId="1" priority="1" operator="equal"><formula>&quot;Infinity&quot;</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format without a text", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"C3:D9","rule":{"type":"text","operator":"not_contains","value":"x"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!C3:D9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="C3:D9"><cfRule type="notContainsText" dxfId="1" priority="1" operator="notContains" text="x"><formula>ISERROR(SEARCH(&quot;x&quot;,C3))</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format that begins with a number", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"C3:D9","rule":{"type":"text","operator":"begins_with","value":20}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!C3:D9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="C3:D9"><cfRule type="beginsWith" dxfId="1" priority="1" operator="beginsWith" text="20"><formula>LEFT(C3,LEN(&quot;20&quot;))=&quot;20&quot;</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format that ends with", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"C3:D9","rule":{"type":"text","operator":"ends_with","value":"&"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!C3:D9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="C3:D9"><cfRule type="endsWith" dxfId="1" priority="1" operator="endsWith" text="&amp;">` +
						`<formula>RIGHT(C3,LEN(&quot;&amp;&quot;))=&quot;&amp;&quot;</formula></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format of the highest percent", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"top","operator":"top_percent","value":"5"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="top10" dxfId="1" priority="1" percent="1" rank="5"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format of the lowest percent", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"top","operator":"bottom_percent"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="top10" dxfId="1" priority="1" percent="1" bottom="1" rank="10"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format below the average, and no rule after it", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"average","operator":"below","stop_if_true":"true"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="aboveAverage" dxfId="1" priority="1" stopIfTrue="1" aboveAverage="0"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format above the average", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"average"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="aboveAverage" dxfId="1" priority="1"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format of duplicates", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"duplicate"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="duplicateValues" dxfId="1" priority="1"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format with bars between two numbers", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"data_bar","value":-2.5,"value2":10000000}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="dataBar" priority="1"><dataBar><cfvo type="num" val="-2.5"/><cfvo type="num" val="10000000"/><color rgb="FF638EC6"/></dataBar></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format with three colors", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"color_scale"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="colorScale" priority="1"><colorScale><cfvo type="min"/>` +
						`<cfvo type="percentile" val="50"/><cfvo type="max"/><color rgb="FFF8696B"/><color rgb="FFFFEB84"/><color rgb="FF63BE7B"/>` +
						`</colorScale></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format with four icons", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"icon_set","icons":"4rating"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="iconSet" priority="1"><iconSet iconSet="4Rating"><cfvo type="percent" val="0"/>` +
						`<cfvo type="percent" val="25"/><cfvo type="percent" val="50"/><cfvo type="percent" val="75"/></iconSet></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format with five icons", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"icon_set","icons":"5Quarters"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9"},
			swap: map[string][]string{
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="iconSet" priority="1"><iconSet iconSet="5Quarters">` +
						`<cfvo type="percent" val="0"/><cfvo type="percent" val="20"/><cfvo type="percent" val="40"/><cfvo type="percent" val="60"/>` +
						`<cfvo type="percent" val="80"/></iconSet></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format with members that its type does not use", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S2","range":"A1:A9","rule":{"type":"average","value":3,"value2":4,"colors":["FF0000"],"icons":"3Flags"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S2!A1:A9", Ignored: []formats.Ignored{{Name: "value", In: "rule"}, {Name: "value2", In: "rule"}, {Name: "colors", In: "rule"}, {Name: "icons", In: "rule"}}},
			swap: map[string][]string{
				stylesXML: {
					`<dxfs count="1">`, `<dxfs count="2">`,
					`</dxfs>`, `<dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid"><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs>`,
				},
				sheet2: {
					`</worksheet>`, `<conditionalFormatting sqref="A1:A9"><cfRule type="aboveAverage" dxfId="1" priority="1"></cfRule></conditionalFormatting></worksheet>`,
				},
			},
		},
		{
			name: "conditional_format removed from a part: formulas follow the first cell", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S1","range":"A1:C3","remove":true}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1: {
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="B4:B5">`,
					`B2&gt;A2`, `B4&gt;A4`,
				},
			},
		},
		{
			name: "conditional_format removed from the middle", in: ruledBook(t),
			ops: `{"op":"conditional_format","sheet":"S1","range":"B3","remove":true}`,
			rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{
				sheet1: {
					`<conditionalFormatting sqref="B2:B5">`, `<conditionalFormatting sqref="B2 B4:B5">`,
				},
			},
		},
		{
			name: "conditional_format in a sheet with a prefix", in: prefixed(t, prefixedRows),
			ops: `{"op":"conditional_format","sheet":"S1","range":"A1:A2","rule":{"type":"cell","operator":">=","value":"=$A$1"}}`,
			rep: formats.OpReport{Hits: 1, Made: "S1!A1:A2"},
			swap: map[string][]string{
				typesXML: {
					`</Types>`, typeOf("xl/styles.xml", "spreadsheetml.styles+xml") + `</Types>`,
				},
				bookRels: {
					`</Relationships>`, relTo("rId2", "styles", "styles.xml") + `</Relationships>`,
				},
				stylesXML: {"", xmlDecl +
					`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font>` +
					`<sz val="11"/><color theme="1"/><name val="Calibri"/><family val="2"/><scheme val="minor"/></font></fonts>` +
					`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>` +
					`</fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
					`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1">` +
					`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>` +
					`</cellStyles><dxfs count="1"><dxf><font><color rgb="FF9C0006"/></font><fill><patternFill patternType="solid">` +
					`<bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf></dxfs><tableStyles count="0" defaultTableStyle="TableStyleMedium2" defaultPivotStyle="PivotStyleLight16"/>` +
					`</styleSheet>`},
				sheet1: {
					`</x:worksheet>`, `<x:conditionalFormatting sqref="A1:A2"><x:cfRule type="cellIs" dxfId="0" priority="1" operator="greaterThanOrEqual"><x:formula>$A$1</x:formula></x:cfRule></x:conditionalFormatting></x:worksheet>`,
				},
			},
		},
	})
}

func TestConditionalFormatRefuses(t *testing.T) {
	rule := func(s string) string {
		return `{"op":"conditional_format","sheet":"S1","range":"A1:A9","rule":{` + s + `}}`
	}
	runRefusals(t, ruledBook(t), []refusal{
		{`{"op":"conditional_format","sheet":"S1","rule":{"type":"top"}}`, formats.CodeInvalid, "range"},
		{`{"op":"conditional_format","sheet":"S1","range":"A0","rule":{"type":"top"}}`, formats.CodeInvalid, "A0"},
		{rule(`"type":"cell","value":1`), formats.CodeInvalid, `unknown operator ""; use > >= < <= = <> between or not_between`},
		{rule(`"type":"cell","operator":">"`), formats.CodeInvalid, "value is required"},
		{rule(`"type":"cell","operator":">","value":[1]`), formats.CodeInvalid, "value must be a number, a text or a formula, got an array"},
		{rule(`"type":"cell","operator":">","value":"=A1+"`), formats.CodeInvalid, "operand"},
		{rule(`"type":"text","value":true`), formats.CodeInvalid, "value is required: the text to look for"},
		{rule(`"type":"text","operator":"like","value":"x"`), formats.CodeInvalid, "unknown operator like; use contains, not_contains, begins_with or ends_with"},
		{rule(`"type":"top","value":1001`), formats.CodeInvalid, "value must be a whole number from 1 to 1000: how many to mark"},
		{rule(`"type":"top","value":1.5`), formats.CodeInvalid, "value must be a whole number"},
		{rule(`"type":"top","operator":"middle"`), formats.CodeInvalid, "use top, bottom, top_percent or bottom_percent"},
		{rule(`"type":"average","operator":"near"`), formats.CodeInvalid, "use above or below"},
		{rule(`"type":"duplicate","operator":"twice"`), formats.CodeInvalid, "use duplicate or unique"},
		{rule(`"type":"formula","value":" = "`), formats.CodeInvalid, "value is required: a formula such as =$B2>10"},
		{rule(`"type":"formula","value":3`), formats.CodeInvalid, "value is required: a formula such as =$B2>10"},
		{rule(`"type":"data_bar","colors":["reddish"]`), formats.CodeInvalid, "reddish"},
		{rule(`"type":"data_bar","value":"low"`), formats.CodeInvalid, "value and value2 of a data_bar are its least and greatest number"},
		{rule(`"type":"color_scale","colors":["FF0000","00FF00","0000FF","FFFFFF"]`), formats.CodeInvalid, "a color_scale has two or three colors, got 4"},
		{rule(`"type":"color_scale","colors":["FF0000","green-ish"]`), formats.CodeInvalid, "green-ish"},
		{rule(`"type":"icon_set","format":{"font_bold":true}`), formats.CodeInvalid, "a icon_set has colors or icons, no format"},
		{rule(`"type":"top","format":{"font_bold":"maybe"}`), formats.CodeInvalid, "maybe"},
	})
}

// An independent reader reads each rule as it was asked for.
func TestConditionalFormatsReadBack(t *testing.T) {
	for rule, want := range map[string]excelize.ConditionalFormatOptions{
		`{"type":"cell","operator":">=","value":5,"stop_if_true":true}`:      {Type: "cell", Criteria: "greater than or equal to", Value: "5", StopIfTrue: true},
		`{"type":"cell","operator":"between","value":1,"value2":"=$B$2"}`:    {Type: "cell", Criteria: "between", MinValue: "1", MaxValue: "$B$2"},
		`{"type":"text","value":"ab"}`:                                       {Type: "text", Criteria: "containing", Value: "ab"},
		`{"type":"top","operator":"bottom_percent","value":20}`:              {Type: "bottom", Criteria: "=", Value: "20", Percent: true},
		`{"type":"average","operator":"below"}`:                              {Type: "average", Criteria: "="},
		`{"type":"duplicate","operator":"unique"}`:                           {Type: "unique", Criteria: "="},
		`{"type":"data_bar","colors":["00FF00"],"value":1,"value2":1000000}`: {Type: "data_bar", Criteria: "=", MinType: "num", MinValue: "1", MaxType: "num", MaxValue: "1000000"},
		`{"type":"color_scale","colors":["FF0000","0000FF"]}`:                {Type: "2_color_scale", Criteria: "=", MinType: "min", MaxType: "max"},
		`{"type":"formula","value":"=$B2>1"}`:                                {Type: "formula", Criteria: "$B2>1"},
	} {
		out, _ := apply(t, smallBook(t), `[{"op":"conditional_format","sheet":"S2","range":"A1:B9","rule":`+rule+`}]`)
		got, err := excel(t, out).GetConditionalFormats("S2")
		require.NoError(t, err)
		require.Len(t, got["A1:B9"], 1, rule)
		one := got["A1:B9"][0]
		one.Format, one.MinColor, one.MaxColor, one.BarColor = nil, "", "", "" // it does not read RGB colors
		require.Equal(t, want, one, rule)
	}
}

// A rule that is added and removed leaves the sheet that was there.
func TestAddAndRemoveConditionalFormat(t *testing.T) {
	in := ruledBook(t)
	for _, r := range everyRule {
		out, _ := apply(t, in, `[{"op":"conditional_format","sheet":"S1","range":"C7:D9,F1","rule":`+r+`},{"op":"conditional_format","sheet":"S1","range":"C7:F9","remove":true},{"op":"conditional_format","sheet":"S1","range":"F:F","remove":true}]`)
		formatstest.SameParts(t, in, out, stylesXML)
	}
}
