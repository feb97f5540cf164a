package xlsx

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

func sparklineBook(t *testing.T) []byte {
	t.Helper()
	out, _ := apply(t, nil, `[{"op":"set_range","sheet":"Net sales","start":"A1","values":[["Region","Q1","Q2","Q3","Q4"],["North",3,5,2,8],["South",4,-1,6,2],["West",1,2,3,4]]},{"op":"ensure_sheet","sheet":"Board"}]`)
	return out
}

func sparklinesRead(t *testing.T, in []byte, sheet string) string {
	t.Helper()
	_, after, _ := strings.Cut(read(t, in, formats.Selector{Sheet: sheet, Include: []string{formats.IncludeCharts}}), "\nSparklines:")
	return strings.TrimSpace(after)
}

func TestSetSparklines(t *testing.T) {
	in := sparklineBook(t)
	out, rep := apply(t, in, `[{"op":"set_sparklines","sheet":"Net sales","range":"F2:F4","source":"B2:E4","points":["high","low"],"point_colors":{"high":"00B050","series":"#333333"},"axis":true,"axis_min":"group","line_weight":1.5}]`)
	require.Equal(t, 3, rep.Ops[0].Hits)
	require.Equal(t, "Net sales!F2:F4", rep.Ops[0].Made)
	tail := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, tail, `<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup displayEmptyCellsAs="gap" displayXAxis="1" high="1" lineWeight="1.5" low="1" minAxisType="group"><x14:colorSeries rgb="FF333333"/><x14:colorNegative rgb="FFD00000"/>`)
	require.Contains(t, tail, `<x14:sparklines><x14:sparkline><xm:f>'Net sales'!B2:E2</xm:f><xm:sqref>F2</xm:sqref></x14:sparkline>`)
	formatstest.Validate(t, formatstest.Write(t, "spark.xlsx", out), "")
	require.Equal(t, "F2:F4: line sparklines of 'Net sales'!B2:E4 in 333333, high marked in 00B050, low marked in D00000, axis shown, minimum the same for all, line 1.5 pt", sparklinesRead(t, out, "Net sales"))
	facts := diffOf(t, in, out).Facts
	require.Equal(t, "line sparklines of 'Net sales'!B2:E4 in 333333, high marked in 00B050, low marked in D00000, axis shown, minimum the same for all, line 1.5 pt", facts[0].New)

	// Two of a group are changed: the third stays as it is.
	changed, rep := apply(t, out, `[{"op":"set_sparklines","sheet":"Net sales","range":"F3:F4","type":"win_loss","points":["negative"],"axis":false,"axis_min":"individual"}]`)
	require.Equal(t, 2, rep.Ops[0].Hits)
	require.Equal(t, "F2: line sparklines of 'Net sales'!B2:E2 in 333333, high marked in 00B050, low marked in D00000, axis shown, minimum the same for all, line 1.5 pt\n"+
		"F3:F4: win/loss sparklines of 'Net sales'!B3:E4 in 333333, negative marked in D00000, line 1.5 pt", sparklinesRead(t, changed, "Net sales"))
	formatstest.Validate(t, formatstest.Write(t, "spark.xlsx", changed), "")

	// New cells for one that is there keep its looks.
	again, _ := apply(t, out, `[{"op":"set_sparklines","sheet":"Net sales","range":"F2","source":"B3:E3"}]`)
	require.Contains(t, sparklinesRead(t, again, "Net sales"), "F2: line sparklines of 'Net sales'!B3:E3 in 333333, high marked")

	// They follow inserted rows and a renamed sheet.
	moved, _ := apply(t, out, `[{"op":"insert_rows","sheet":"Net sales","row":3},{"op":"rename_sheet","sheet":"Net sales","new_name":"Sales"},{"op":"insert_columns","sheet":"Sales","column":"C"}]`)
	require.True(t, strings.HasPrefix(sparklinesRead(t, moved, "Sales"), "G2, G4:G5: line sparklines of Sales!B2:F2, Sales!B4:F5 in 333333"), sparklinesRead(t, moved, "Sales"))

	back, rep := apply(t, out, `[{"op":"set_sparklines","sheet":"Net sales","range":"A1:Z99","remove":true}]`)
	require.Equal(t, 3, rep.Ops[0].Hits)
	require.Equal(t, part(t, in, "xl/worksheets/sheet1.xml"), part(t, back, "xl/worksheets/sheet1.xml"))
	_, rep = apply(t, in, `[{"op":"set_sparklines","sheet":"Net sales","range":"F2","remove":true}]`)
	require.Equal(t, []string{"there are no sparklines in F2"}, rep.Ops[0].Warnings)
}

func TestSparklinesOnAnotherSheet(t *testing.T) {
	in := sparklineBook(t)
	out, _ := apply(t, in, `[{"op":"set_sparklines","sheet":"Board","range":"B1:E1","source":"Net sales!B2:E4","type":"column","axis_max":10,"axis_min":"-2","empty_cells":"connect","dates":"Net sales!A2:A4","hidden_cells":true,"right_to_left":true}]`)
	require.Equal(t, "B1:E1: column sparklines of 'Net sales'!B2:E4 in 376092, minimum -2, maximum 10, dates from 'Net sales'!A2:A4, empty cells connected, hidden cells shown, right to left", sparklinesRead(t, out, "Board"))
	formatstest.Validate(t, formatstest.Write(t, "spark.xlsx", out), "")
	plain, _ := apply(t, out, `[{"op":"set_sparklines","sheet":"Board","range":"B1:E1","dates":"none","axis_max":"individual","axis_min":"individual","empty_cells":"gap","hidden_cells":false,"right_to_left":false,"type":"line"}]`)
	require.Equal(t, "B1:E1: line sparklines of 'Net sales'!B2:E4 in 376092", sparklinesRead(t, plain, "Board"))
	for op, want := range map[string]string{
		`"range":"F2:F4","source":"B2:E3"`:                          "source B2:E3 has 2 rows and 4 columns; for the 3 cells of F2:F4 it needs as many rows, or as many columns",
		`"range":"F2","source":"B2:E3"`:                             "must be one row or column",
		`"range":"F2:G4","source":"B2:E3"`:                          "must be one cell, or one row or column of cells",
		`"range":"F2","source":"Nowhere!B2:E2"`:                     "unknown sheet: Nowhere",
		`"range":"F2","source":"B2:E2","type":"pie"`:                "use line, column or win_loss",
		`"range":"F2","source":"B2:E2","points":["middle"]`:         "unknown point middle",
		`"range":"F2","source":"B2:E2","point_colors":{"high":"x"}`: "expected a colour",
		`"range":"F2","source":"B2:E2","axis_min":"low"`:            "axis_min must be a number, group or individual",
		`"range":"F2","source":"B2:E2","line_weight":0`:             "line_weight must be more than 0",
		`"range":"F2"`:                      "source is required",
		`"range":"F:F","source":"B:E"`:      "more than 10000 cells",
		`"range":"F2,F4","source":"B2:E3"`:  "one cell, row or column",
		`"range":"F2","empty_cells":"hide"`: "use gap, zero or connect",
	} {
		_, _, err := tryApply(t, in, `[{"op":"set_sparklines","sheet":"Board",`+op+`}]`)
		require.ErrorContains(t, err, want, op)
	}
}

// A group that another program wrote keeps what is not changed, with its prefixes.
func TestSparklinesOfOtherPrograms(t *testing.T) {
	group := `<s:sparklineGroup type="column" xr2:uid="{1}" xmlns:xr2="u"><s:colorSeries theme="4" tint="-0.5"/><s:sparklines><s:sparkline><e:f>S1!A1:C1</e:f><e:sqref>D1</e:sqref></s:sparkline><s:sparkline><e:f>S1!A2:C2</e:f><e:sqref>D2</e:sqref></s:sparkline></s:sparklines></s:sparklineGroup>`
	in := raw(t, nil, `<sheetData/><extLst><ext uri="{other}"><x/></ext><ext uri="`+sparklineURI+`" xmlns:s="`+x14NS+`"><s:sparklineGroups xmlns:e="`+xmNS+`">`+group+`</s:sparklineGroups></ext></extLst>`)
	out, _ := apply(t, in, `[{"op":"set_sparklines","sheet":"S1","range":"D2","points":["last"]}]`)
	doc := part(t, out, "xl/worksheets/sheet1.xml")
	require.Contains(t, doc, `<s:sparkline><e:f>S1!A1:C1</e:f><e:sqref>D1</e:sqref></s:sparkline></s:sparklines></s:sparklineGroup><s:sparklineGroup type="column" xmlns:xr2="u" last="1"><s:colorSeries theme="4" tint="-0.5"/><s:sparklines><s:sparkline><e:f>S1!A2:C2</e:f><e:sqref>D2</e:sqref></s:sparkline></s:sparklines></s:sparklineGroup></s:sparklineGroups>`)
	out, _ = apply(t, out, `[{"op":"set_sparklines","sheet":"S1","range":"E5","source":"A5:C5"}]`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<x14:sparklineGroup xmlns:x14="`+x14NS+`" xmlns:xm="`+xmNS+`" displayEmptyCellsAs="gap">`)
	out, _ = apply(t, out, `[{"op":"set_sparklines","sheet":"S1","range":"D1:E9","remove":true}]`)
	require.Contains(t, part(t, out, "xl/worksheets/sheet1.xml"), `<sheetData/><extLst><ext uri="{other}"><x/></ext></extLst>`)
}

func TestSparklinesOverTheCorpus(t *testing.T) {
	for _, path := range formatstest.Corpus(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			wb, err := open(t.Context(), src(in))
			if err != nil || len(wb.Sheets) == 0 || !wb.Sheets[0].Worksheet() || len(in) > 1<<20 {
				t.Skip("it has no first worksheet, or is large")
			}
			name := jsonString(wb.Sheets[0].Name)
			out, _ := apply(t, in, `[{"op":"set_sparklines","sheet":`+name+`,"range":"ZZ2:ZZ4","source":"A2:C4"}]`)
			formatstest.SameParts(t, in, out, wb.Sheets[0].Part)
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out), path)
			back, _ := apply(t, out, `[{"op":"set_sparklines","sheet":`+name+`,"range":"ZZ1:ZZ9","remove":true}]`)
			require.Equal(t, part(t, in, wb.Sheets[0].Part), part(t, back, wb.Sheets[0].Part))
		})
	}
}

// LibreOffice reads what is written, and writes the same sparklines.
func TestLibreOfficeReadsSparklines(t *testing.T) {
	if testing.Short() {
		t.Skip("LibreOffice is slow: left out with -short")
	}
	out, _ := apply(t, sparklineBook(t), `[{"op":"set_sparklines","sheet":"Net sales","range":"F2:F4","source":"B2:E4","type":"column","points":["high","negative"],"point_colors":{"high":"00B050"},"axis":true,"axis_min":"group","axis_max":9},
		{"op":"set_sparklines","sheet":"Net sales","range":"B5:E5","source":"B2:E4","type":"line","points":["markers"],"line_weight":2}]`)
	made := load(t, formatstest.LibreOffice(t, formatstest.Write(t, "spark.xlsx", out), "xlsx"))
	require.Equal(t, strings.ReplaceAll(sparklinesRead(t, out, "Net sales"), "'Net sales'!", ""), strings.ReplaceAll(strings.ReplaceAll(sparklinesRead(t, made, "Net sales"), "'Net sales'!", ""), "$", ""))
}
