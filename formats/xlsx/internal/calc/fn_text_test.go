package calc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/xlsx/internal/cellref"
)

func rangeOf(t *testing.T, s string) cellref.Range {
	t.Helper()
	r, err := cellref.ParseRange(s)
	require.NoError(t, err)
	return r
}

func TestText(t *testing.T) {
	b := sheetOf("a||c", "x")
	checkFormulas(t, b,
		`LEFT("Sale Price",4)`, `"Sale"`,
		`LEFT("x")`, `"x"`,
		`LEFT("abc",)`, `""`,
		`RIGHT("Price",2)`, `"ce"`,
		`RIGHT("ab",9)`, `"ab"`,
		`MID("Fluid Flow",7,20)`, `"Flow"`,
		`MID("x",0,1)`, `#VALUE!`,
		`LEN("a😀")`, `3`,
		`REPLACE("abcdefghijk",6,5,"*")`, `"abcde*k"`,
		`SUBSTITUTE("a-b-c","-","+",2)`, `"a-b+c"`,
		`SUBSTITUTE("a-b-c","-","")`, `"abc"`,
		`REPT("-",3)`, `"---"`,
		`REPT("x",40000)`, `#VALUE!`,
		`FIND("M","Miriam McGovern")`, `1`,
		`FIND("M","Miriam McGovern",3)`, `8`,
		`FIND("z","abc")`, `#VALUE!`,
		`SEARCH("e","Statements",6)`, `7`,
		`SEARCH("M?G","Miriam McGovern")`, `8`,
		`SEARCH("~?","a?b")`, `2`,
		`EXACT("word","Word")`, `FALSE`,
		`CONCATENATE("a",1,TRUE)`, `"a1TRUE"`,
		`CONCAT(A1:C1,"!")`, `"ac!"`,
		`TEXTJOIN(", ",TRUE,A1:C1)`, `"a, c"`,
		`TEXTJOIN(", ",FALSE,A1:C1)`, `"a, , c"`,
		`UPPER("straße")&LOWER("ABC")`, `"STRAßEabc"`,
		`PROPER("2-cent's worth")`, `"2-Cent'S Worth"`,
		`TRIM("  a   b ")`, `"a b"`,
		`CLEAN("a"&CHAR(7)&"b")`, `"ab"`,
		`VALUE("$1,000")`, `1000`,
		`VALUE("16:48:00")-VALUE("12:00:00")`, `0.2`,
		`VALUE("x")`, `#VALUE!`,
		`VALUE("12%")`, `0.12`,
		`VALUE("(5)")`, `-5`,
		`T(5)&T("x")`, `"x"`,
		`CODE("A")&CHAR(65)&UNICHAR(8364)`, `"65A€"`,
		`UNICODE("€")`, `8364`,
		`TEXT(1234.567,"#,##0.00")`, `"1,234.57"`,
		`TEXT(0.285,"0.0%")`, `"28.5%"`,
		`TEXT(44197,"yyyy-mm-dd")`, `"2021-01-01"`,
		`TEXT("x","@@")`, `"xx"`,
		`TEXT(5,"")`, `""`,
		`TEXT(TRUE,"0")`, `"TRUE"`,
		`TEXT(1234567891234,"General")`, `"1.23457E+12"`,
		`TEXT(1.23456789123,"General")`, `"1.234567891"`,
		`TEXT(-5,"0.0;(0.0)")`, `"(5.0)"`,
		`TEXT(5,"0 ")`, `"5 "`,
		`TEXT(0.5,"h:mm a/p")`, `"12:00 p"`,
		`TEXT(1.5,"[h]:mm")`, `"36:00"`,
		`TEXT(-1,"yyyy")`, `#VALUE!`,
		`TEXT(5,"??0")`, `?form`,
		`TEXT(44197,"mmmm d")`, `"January 1"`,
	)
	require.Equal(t, "?language", shown(t, b, Options{}, `TEXT(44197,"mmmm")`), "the names are those of a language")
	require.Equal(t, "?language", shown(t, b, Options{}, `VALUE("1,000")`))
}

func TestDates(t *testing.T) {
	b := sheetOf("1")
	checkFormulas(t, b,
		`DATE(2021,1,1)`, `44197`,
		`DATE(2021,14,-3)`, `44589`,
		`DATE(108,1,2)`, `39449`,
		`DATE(1900,1,1)`, `1`,
		`DATE(1900,2,29)`, `60`,
		`DATE(1900,3,1)`, `61`,
		`DATE(1900,1,-1)`, `#NUM!`,
		`YEAR(60)*10000+MONTH(60)*100+DAY(60)`, `19000229`,
		`DAY(0)`, `0`,
		`YEAR(-1)`, `#NUM!`,
		`HOUR(0.75)&":"&MINUTE(0.78125)&":"&SECOND(0.00001157)`, `"18:45:1"`,
		`TIME(27,0,0)`, `0.125`,
		`TIME(0,0,32767)`, `0.379247685185`,
		`TIME(0,0,32768)`, `#NUM!`,
		`EDATE(DATE(2011,1,31),1)`, `40602`,
		`EOMONTH(DATE(2011,1,1),-3)`, `40482`,
		`DAYS("2021-03-15","2021-02-01")`, `42`,
		`WEEKDAY(39492)`, `5`,
		`WEEKDAY(39492,2)`, `4`,
		`WEEKDAY(39492,3)`, `3`,
		`WEEKDAY(1)`, `1`,
		`DATEVALUE("2011-02-23")`, `40597`,
		`DATEVALUE("8/22/2011")`, `40777`,
		`TIMEVALUE("2:24 AM")`, `0.1`,
		`TODAY()`, `?volatile`,
	)
	require.Equal(t, "?language", shown(t, b, Options{}, `DATEVALUE("8/2/2011")`))
	b.Date1904 = true
	checkFormulas(t, b, `DATE(2021,1,1)`, `42735`, `YEAR(0)`, `1904`, `WEEKDAY(0)`, `6`, `DATE(1900,1,1)`, `#NUM!`)
}

func TestLogicAndInfo(t *testing.T) {
	b := sheetOf("1|0|x", "#N/A|TRUE|=A1+1", "||")
	checkFormulas(t, b,
		`IF(A1,"y","n")`, `"y"`,
		`IF(B1,"y")`, `FALSE`,
		`IF(A3,,)`, `0`,
		`IF("x",1,2)`, `#VALUE!`,
		`IF(A1=1,C3,5)`, `0`,
		`{=IF(A1:B1>0,A1:B1,"-")}`, `{1,"-"}`,
		`AND(A1:B1)`, `FALSE`,
		`OR(A1:C1)`, `TRUE`,
		`AND(C1)`, `#VALUE!`,
		`XOR(TRUE,TRUE,TRUE)`, `TRUE`,
		`NOT(0)`, `TRUE`,
		`IFERROR(1/0,"e")`, `"e"`,
		`IFERROR(A2,)`, `0`,
		`IFNA(1/0,"e")`, `#DIV/0!`,
		`{=IFERROR(1/A1:B1,-1)}`, `{1,-1}`,
		`IFS(FALSE,1,TRUE,2)`, `2`,
		`IFS(FALSE,1)`, `#N/A`,
		`SWITCH(2,1,"a",2,"b","c")`, `"b"`,
		`SWITCH(9,1,"a","c")`, `"c"`,
		`SWITCH(9,1,"a")`, `#N/A`,
		`ISBLANK(A3)&ISBLANK(C1)`, `"TRUEFALSE"`,
		`ISERROR(A2)&ISERR(A2)&ISNA(A2)`, `"TRUEFALSETRUE"`,
		`ISNUMBER(A1)&ISTEXT(C1)&ISLOGICAL(B2)&ISNONTEXT(A3)`, `"TRUETRUETRUETRUE"`,
		`ISREF(A1)&ISREF(1)`, `"TRUEFALSE"`,
		`ISODD(-1)&ISEVEN(2.9)`, `"TRUETRUE"`,
		`ISODD(-2.5)&ISEVEN(-2.5)&ISODD(-3.5)`, `"FALSETRUETRUE"`,
		`ISFORMULA(C2)&FORMULATEXT(C2)`, `"TRUE=A1+1"`,
		`N(C1)+N(B2)`, `1`,
		`TYPE(A1)&TYPE(C1)&TYPE(B2)&TYPE(A2)&TYPE(A1:B2)`, `"1241664"`,
		`ERROR.TYPE(A2)`, `7`,
		`SHEET()+SHEETS()`, `4`,
		`NA()`, `#N/A`,
	)
}
