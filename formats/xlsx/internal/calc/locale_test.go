package calc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Numbers and dates as text in the languages of programs; the letters of format codes
// are those of the language, as a program stores them.
func TestTextInLanguages(t *testing.T) {
	b := sheetOf("1234.5|46095.75|-0.25|'1,5|'1.234,5|TRUE|'1.5|'14.03.2026")
	for language, pairs := range map[string][]string{
		"de": {
			`A1&"x"`, `"1234,5x"`, `1/4&""`, `"0,25"`, `TEXT(A1,"#.##0,00")`, `"1.234,50"`, `TEXT(B1,"TT.MM.JJJJ")`, `"14.03.2026"`, `TEXT(B1,"TTTT, T. MMMM JJJJ hh:mm")`, `"Samstag, 14. März 2026 18:00"`,
			`TEXT(B1,"MMM")`, `"Mrz"`, `TEXT(B1,"dd.mm.yyyy")`, `?form`, `TEXT(B1,"hh:MM")`, `?form`, `TEXT(B1,"mmmm")`, `?form`, `TEXT(A1,"0.00")`, `?form`, `TEXT(C1,"0,0%")`, `"-25,0%"`, `FIXED(A1,1)`, `"1.234,5"`, `FIXED(A1,1,TRUE)`, `"1234,5"`,
			`DOLLAR(A1)`, `"1.234,50 €"`, `D1+1`, `2.5`, `E1*2`, `2469`, `G1+1`, `?language`, `VALUE("12,5%")`, `0.125`, `H1+0`, `46095`, `DATEVALUE("14.03.2026")`, `46095`, `F1&""`, `"WAHR"`, `IF("falsch",1,2)`, `2`,
			`COUNTIF(D1:E1,"1,5")`, `1`, `COUNTIF(A1:C1,">"&1000.5)`, `2`, `COMPLEX(1.5,-2.5)`, `"1,5-2,5i"`, `IMREAL("1,5+2i")`, `1.5`, `NUMBERVALUE("1.234,5")`, `1234.5`, `TEXT(A1,"Standard")`, `?form`, `TEXT(A1,"General")`, `?language`, `TEXT(B1,"[$-409]TTTT")`, `"Saturday"`,
			`TEXT(0.0001,"0,0E+00")`, `"1,0E-04"`, `TEXT(1.5,"[h]:mm")`, `"36:00"`, `TEXT(B1,"TT/MM")`, `?form`, `USDOLLAR(1)`, `?language`, `DBCS("é")`, `"é"`, `LENB("é")`, `1`, `TEXT(12,"000")`, `"012"`, `TEXT(A1,"""a.b""0")`, `"a.b1235"`,
		},
		"fr-FR": {`TEXT(B1,"jj/mm/aaaa")`, `"14/03/2026"`, `TEXT(B1,"jjjj j mmmm aaaa")`, `"samedi 14 mars 2026"`, `TEXT(A1,"0,00")`, `"1234,50"`, `FIXED(A1,1)`, `?language`, `FIXED(C1,1)`, `"-0,3"`, `F1&""`, `"VRAI"`, `DATEVALUE("14/03/2026")`, `46095`, `DOLLAR(1)`, `?language`, `VALUE("5 mars 2024")`, `?language`},
		"es":    {`TEXT(B1,"dd/mm/aaaa")`, `"14/03/2026"`, `TEXT(B1,"mmm")`, `?language`, `TEXT(B1,"mmmm")`, `"marzo"`, `F1&""`, `"VERDADERO"`},
		"fi":    {`TEXT(B1,"p.k.vvvv tt:mm")`, `"14.3.2026 18:00"`, `TEXT(B1,"kkkk")`, `"maaliskuu"`, `TEXT(B1,"[h]:mm")`, `?form`},
		"ru":    {`TEXT(B1,"ДД.ММ.ГГГГ")`, `"14.03.2026"`, `TEXT(B1,"ДДДД")`, `"суббота"`, `TEXT(B1,"ММММ")`, `?language`},
		"pl":    {`TEXT(A1,"# ##0,00")`, `"1 234,50"`, `TEXT(B1,"rrrr-mm-dd")`, `"2026-03-14"`, `TEXT(12,"0 0")`, `?form`, `TEXT(123,"0-00")`, `"1-23"`, `VALUE("4-Mar-2024")`, `?language`},
		"nl":    {`TEXT(B1,"d-m-jjjj uu:mm")`, `"14-3-2026 18:00"`},
		"tr":    {`TEXT(B1,"gg.aa.yyyy")`, `"14.03.2026"`, `TEXT(B1,"ss:dd")`, `"18:00"`, `TEXT(B1,"ss:aa")`, `?form`},
		"ja":    {`TEXT(B1,"yyyy/mm/dd")`, `"2026/03/14"`, `TEXT(B1,"mmmm")`, `?language`, `LENB("é")`, `?language`, `A1&""`, `"1234.5"`, `DATEVALUE("2026/03/14")`, `46095`},
		"de-CH": {`A1&""`, `"1234.5"`, `FIXED(A1)`, `?language`, `TEXT(B1,"MMMM")`, `"März"`},
		"en-GB": {`DOLLAR(-A1)`, `"-£1,234.50"`, `DATEVALUE("14/03/2026")`, `46095`, `TEXT(B1,"[$-40C]mmmm")`, `"mars"`, `TEXT(B1,"[$-1060401]mmmm")`, `?language`, `TEXT(B1,"[$-40A]mmm")`, `?language`},
		"en-US": {`DOLLAR(-A1)`, `"($1,234.50)"`, `USDOLLAR(A1,0)`, `"$1,235"`, `DATEVALUE("4-Mar-2024")`, `45355`, `"March 4, 2024"+1`, `45356`, `VALUE("Market")`, `#VALUE!`, `TEXT(5551234567,"(000) 000-0000")`, `"(555) 123-4567"`, `TEXT(1234567,"$0.0,,\M")`, `"$1.2M"`},
		"xx":    {`A1&""`, `"1234.5"`, `TEXT(B1,"mmmm")`, `?language`, `TEXT(12345,"00000-0000")`, `"00001-2345"`, `TEXT(12,"0 0")`, `?language`},
	} {
		for i := 0; i < len(pairs); i += 2 {
			require.Equal(t, strings.ReplaceAll(pairs[i+1], "1 234", "1\u00a0234"), strings.ReplaceAll(shown(t, b, Options{Language: language}, strings.ReplaceAll(pairs[i], "# #", "#\u00a0#")), `\u00a0`, "\u00a0"), "%s %s", language, pairs[i])
		}
	}
}
