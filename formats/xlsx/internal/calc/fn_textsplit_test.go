package calc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Mostly the examples of Excel's documentation.
func TestTextParts(t *testing.T) {
	b := sheetOf("Little Red Riding Hood's red hood|1,2;3|1234.567")
	checkFormulas(t, b,
		`TEXTBEFORE(A1,"Red")`, `"Little "`,
		`TEXTBEFORE(A1,"red",2)`, `#N/A`,
		`TEXTBEFORE(A1,"red",2,TRUE)`, `"Little Red Riding Hood's "`,
		`TEXTBEFORE(A1,"Red",-2)`, `#N/A`,
		`TEXTBEFORE(A1," ",-1)`, `"Little Red Riding Hood's red"`,
		`TEXTBEFORE("Marcus Aurelius"," ",2,,1)`, `"Marcus Aurelius"`,
		`TEXTBEFORE("Socrates"," ",,,0,"none")`, `"none"`,
		`TEXTBEFORE("a-b_c",{"_","-"},2)`, `"a-b"`,
		`TEXTBEFORE("abc","b",0)`, `#VALUE!`,
		`TEXTBEFORE("abc","b",4)`, `#VALUE!`,
		`TEXTBEFORE("aaa","aa",-1)`, `?form`,
		`TEXTBEFORE("abc","")`, `""`,
		`TEXTAFTER(A1,"Red ")`, `"Riding Hood's red hood"`,
		`TEXTAFTER(A1,"red",2,1)`, `" hood"`,
		`TEXTAFTER("Socrates"," ",,,1)`, `""`,
		`TEXTAFTER("a.b.c",".",-1)`, `"c"`,
		`TEXTAFTER("a.b.c",".",-3,,1)`, `"a.b.c"`,
		`{=TEXTSPLIT("Dakota Lennon Sanchez"," ")}`, `{"Dakota","Lennon","Sanchez"}`,
		`{=TEXTSPLIT(B1,",",";")}`, `{"1","2";"3",#N/A}`,
		`{=TEXTSPLIT(B1,{",",";"})}`, `{"1","2","3"}`,
		`{=TEXTSPLIT("a,,b",,",",TRUE)}`, `{"a";"b"}`,
		`{=TEXTSPLIT("a,,b",",")}`, `{"a","","b"}`,
		`{=TEXTSPLIT("1=2;3","=",";",,,"-")}`, `{"1","2";"3","-"}`,
		`TEXTSPLIT("a","")`, `#VALUE!`,
		`FIXED(C1,1)`, `"1,234.6"`,
		`FIXED(C1,-1)`, `"1,230"`,
		`FIXED(-C1,-1,TRUE)`, `"-1230"`,
		`FIXED(44.332)`, `"44.33"`,
		`FIXED(1,128)`, `#VALUE!`,
		`DOLLAR(C1,2)`, `"$1,234.57"`,
		`DOLLAR(-1234.567,-2)`, `"($1,200)"`,
		`DOLLAR(99.888)`, `"$99.89"`,
		`NUMBERVALUE("2.500,27",",",".")`, `2500.27`,
		`NUMBERVALUE("3.5%")`, `0.035`,
		`NUMBERVALUE(" 3 000 ")`, `3000`,
		`NUMBERVALUE("")`, `0`,
		`NUMBERVALUE("1.2.3")`, `#VALUE!`,
		`NUMBERVALUE("1.5,0",".",",")`, `#VALUE!`,
		`ENCODEURL("a b/ü&c")`, `"a%20b%2F%C3%BC%26c"`,
		`VALUETOTEXT("a ""b""",1)`, `"\"a \"\"b\"\"\""`,
		`VALUETOTEXT(#N/A)`, `"#N/A"`,
		`ARRAYTOTEXT({1,"x";TRUE,#N/A})`, `"1, x, TRUE, #N/A"`,
		`ARRAYTOTEXT({1,"x";TRUE,#N/A},1)`, `"{1,\"x\";TRUE,#N/A}"`,
		`LENB("abc")`, `3`,
		`MIDB("abcd",2,2)`, `"bc"`,
		`SEARCHB("C","abcd")`, `3`,
		`REPLACEB("abcd",2,2,"x")`, `"axd"`,
		`LENB("é")`, `1`,
		`ASC("abc")`, `"abc"`,
		`PERCENTOF({1,2},{1,2,3,4})`, `0.3`,
	)
	for _, text := range []string{`FIXED(1.5,1)`, `DOLLAR(1)`, `NUMBERVALUE("1.5")`, `ARRAYTOTEXT({1,2})`} {
		require.Equal(t, "?language", shown(t, b, Options{}, text), text)
	}
}
