package calc

import "testing"

func TestMatrices(t *testing.T) {
	b := sheetOf("1|2|x", "3|4")
	checkFormulas(t, b,
		`{=MMULT({1,3;7,2},{2,0;0,2})}`, `{2,6;14,4}`,
		`MMULT(A1:C1,A1:C2)`, `#VALUE!`,
		`MMULT({1,2},{1,2})`, `#VALUE!`,
		`MDETERM({1,3,8,5;1,3,6,1;1,1,1,0;7,3,10,2})`, `88`,
		`MDETERM(A1:C2)`, `#VALUE!`,
		`MDETERM({1,2;2,4})`, `0`,
		`{=MINVERSE({4,-1;2,0})}`, `{0,0.5;-1,2}`,
		`MINVERSE({0,0;0,0})`, `#NUM!`,
		`{=MUNIT(2)}`, `{1,0;0,1}`,
		`MUNIT(0)`, `#VALUE!`,
		`MUNIT(1000000)`, `?limit`,
	)
}

func TestNumerals(t *testing.T) {
	b := sheetOf("1")
	checkFormulas(t, b,
		`ROMAN(499,0)`, `"CDXCIX"`,
		`ROMAN(499,1)`, `"LDVLIV"`,
		`ROMAN(499,2)`, `"XDIX"`,
		`ROMAN(499,3)`, `"VDIV"`,
		`ROMAN(499,FALSE)`, `"ID"`,
		`ROMAN(-1)`, `#VALUE!`,
		`ARABIC("MCMXII")`, `1912`,
		`ARABIC("IIII")`, `?form`,
		`ARABIC("abc")`, `#VALUE!`,
		`BASE(15,2,10)`, `"0000001111"`,
		`BASE(15,1)`, `#NUM!`,
		`DECIMAL("zap",36)`, `45745`,
		`DECIMAL("2",2)`, `#NUM!`,
		`MULTINOMIAL(2,3,4)`, `1260`,
		`MULTINOMIAL(-1)`, `#NUM!`,
		`PERMUT(100,3)`, `970200`,
		`PERMUT(1000000000,900000000)`, `#NUM!`,
		`PERMUTATIONA(3,2)`, `9`,
	)
}
